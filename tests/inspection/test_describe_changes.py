"""What changed between two tables: tests that SciPy has too, and all of them adjusted together."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tallylearn as tl
from tallylearn.inspection.description import surveys
from tallylearn.inspection.description.table_changes import Changes, chi_squared
from tallylearn.statistics.multiple_comparisons import benjamini_hochberg, holm

rng = np.random.default_rng(5)
N = 900
BEFORE = pd.DataFrame({
    "same": rng.normal(size=N), "moved": rng.normal(size=N), "gap": rng.normal(size=N),
    "word": rng.choice(["red", "blue", "grey"], N), "old": np.arange(N) % 7,
    "turned": rng.normal(size=N),
})  # fmt: skip
AFTER = pd.DataFrame({
    "same": rng.normal(size=N), "moved": rng.normal(size=N) + 0.3,
    "gap": np.where(rng.random(N) < 0.2, np.nan, rng.normal(size=N)),
    "word": rng.choice(["red", "blue", "green"], N), "new": np.arange(N) % 5,
    "turned": rng.choice(["a", "b"], N),
})  # fmt: skip


def test_the_tests_are_those_of_scipy() -> None:
    found = {(c.column, c.test): c for c in tl.describe(BEFORE).compare(AFTER)}
    for name in ("same", "moved", "gap"):
        ours = found[name, "Kolmogorov-Smirnov"]
        a, b = BEFORE[name].dropna(), AFTER[name].dropna()
        theirs = stats.ks_2samp(a, b)
        assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-12)
        scale = np.sqrt(len(a) * len(b) / (len(a) + len(b)))
        assert ours.p == pytest.approx(stats.kstwobign.sf(scale * theirs.statistic), rel=1e-9)
        assert (ours.before, ours.after) == (a.median(), b.median())
    table = pd.concat([BEFORE.word.value_counts(), AFTER.word.value_counts()], axis=1).fillna(0)
    theirs = stats.chi2_contingency(table.to_numpy().T)
    assert found["word", "chi-squared"].statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert found["word", "chi-squared"].p == pytest.approx(theirs.pvalue, rel=1e-9)
    gaps = int(AFTER.gap.isna().sum())
    theirs = stats.chi2_contingency([[0, N], [gaps, N - gaps]], correction=False)
    assert found["gap", "missing"].p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert found["gap", "missing"].after == gaps / N
    assert ("same", "missing") not in found  # no gaps in either


def test_columns_kinds_and_values_that_came_or_went_are_named() -> None:
    found = tl.describe(BEFORE).compare(tl.describe(AFTER))
    assert (found.new_columns, found.gone_columns) == (("new",), ("old",))
    assert found.kinds == {"turned": ("number", "category")}
    assert found.values == {
        "word": {"new": ["green"], "new_number": 1, "gone": ["grey"], "gone_number": 1}
    }
    text = str(found)
    assert "word has 1 new value: 'green'." in text
    assert "turned changed its kind from number to category." in text
    assert found.to_frame().shape[0] == len(found) == 5


def test_chances_are_adjusted_for_all_tests_together() -> None:
    found = tl.describe(BEFORE).compare(AFTER)
    p = [c.p for c in found]
    assert p == sorted(p)
    assert [c.holm for c in found] == holm(p)
    assert [c.q for c in found] == benjamini_hochberg(p)
    names = {c.column for c in found.significant()}
    assert names == {"moved", "gap", "word"}
    assert all(c.p <= c.q <= c.holm for c in found)


def test_the_adjustment_is_that_of_scipy_and_leaves_what_was_not_tested() -> None:
    p = rng.random(40) ** 3
    assert benjamini_hochberg([*p]) == pytest.approx(stats.false_discovery_control(p))
    assert np.isnan(benjamini_hochberg([0.5, np.nan])[1])
    assert benjamini_hochberg([0.01, np.nan, 0.02]) == pytest.approx(
        [0.02, np.nan, 0.02], nan_ok=True
    )


def test_a_table_that_did_not_change_is_rarely_said_to_have() -> None:
    draw, finds = np.random.default_rng(6), 0
    for _ in range(60):
        a, b = (pd.DataFrame({"x": draw.normal(size=80), "c": draw.choice(list("uvw"), 80)})
                for _ in range(2))  # fmt: skip
        finds += bool(tl.describe(a).compare(b).significant(0.05))
    assert finds <= 7  # 3 are to be expected; more than 7 come once in a hundred times


def test_rare_values_are_taken_together() -> None:
    table = np.array([[50.0, 50, 1, 0, 2], [50.0, 50, 0, 1, 1]])
    wanted = stats.chi2_contingency([[50, 50, 3], [50, 50, 2]], correction=False)
    assert chi_squared(table) == pytest.approx((wanted.statistic, wanted.pvalue))
    assert np.isnan(chi_squared(np.array([[5.0], [6.0]]))).all()  # one value: nothing can differ
    assert np.isnan(chi_squared(np.array([[0.0, 0], [6.0, 1]]))).all()


def test_beyond_memory_the_distance_is_that_of_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = rng.normal(size=120_000), rng.normal(size=120_000) + 0.02
    exact = tl.describe({"x": a}).compare({"x": b}).changes[0]
    monkeypatch.setattr(surveys, "MEMORY_SHARE", 0.0)
    rough = tl.describe({"x": a}).compare({"x": b}).changes[0]
    assert rough.statistic <= exact.statistic
    assert rough.statistic == pytest.approx(exact.statistic, abs=2e-3)
    assert rough.p >= exact.p


def test_the_report_is_a_function_of_its_data() -> None:
    found = tl.describe(BEFORE).compare(AFTER)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    report = Changes.report_of(data)
    assert str(report) == str(found)
    assert report.to_html() == found.to_html()
    assert report.to_markdown() == found.to_markdown()


def test_medians_of_dates_are_written_as_dates() -> None:
    january, march = (
        pd.date_range(f"2026-{m}-01", periods=31).to_frame(False, "day") for m in (1, 3)
    )
    said = str(tl.describe(january).compare(march))
    assert "2026-01-16" in said
    assert "2026-03-16" in said
