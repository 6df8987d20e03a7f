"""A description is what NumPy, pandas, SciPy and fractions say of the same table."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import mutual_info_score, roc_auc_score

import tallylearn as tl
from tallylearn.errors import (
    ColumnError,
    InputError,
    KindError,
    OptionError,
    SizeError,
    TargetError,
)
from tallylearn.inspection.description import Description, associations, surveys
from tallylearn.inspection.description.target_links import fisher, gain
from tallylearn.screening.identifiers import identifiers
from tallylearn.sources import Files
from tallylearn.sources.files.parquet import ParquetRun
from tallylearn.tallies.quantile_sketch import ERROR

rng = np.random.default_rng(3)
N = 700
FRAME = pd.DataFrame({
    "x": rng.normal(size=N), "y": rng.integers(0, 9, N).astype(float),
    "z": np.where(rng.random(N) < 0.1, np.nan, rng.exponential(size=N)),
    "word": np.array(["red", "blue", "grey", None], dtype=object)[rng.integers(0, 4, N)],
    "flag": rng.random(N) < 0.3,
    "day": pd.Timestamp("2024-02-28") + pd.to_timedelta(rng.integers(0, 900, N), unit="D"),
})  # fmt: skip
FRAME["w"] = FRAME.x * 2 + rng.normal(size=N) / 2
NUMBERS = ["x", "y", "z", "w"]
HOSTILE = st.one_of(
    st.floats(allow_nan=True, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 5e-324, 1.7e308, -1.7e308, 1e15 + 0.125, 1e15, 3.0]),
)


@pytest.fixture(params=[True, False], ids=["held", "passed"])
def held(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Rows in memory, and rows that pass by in blocks."""
    if not request.param:
        monkeypatch.setattr(surveys, "MEMORY_SHARE", 0.0)
    return bool(request.param)


def exactly(values: list[float]) -> tuple[Fraction, Fraction]:
    """The sum, and the sum of the squares of the distances from the mean."""
    each = [Fraction(v) for v in values]
    mean = sum(each) / len(each)
    return sum(each), sum((v - mean) ** 2 for v in each)


def rounded(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def test_the_figures_of_numbers_are_those_of_pandas(held: bool) -> None:
    found, theirs = tl.describe(FRAME), FRAME[NUMBERS].describe()
    for name in NUMBERS:
        ours, other = found[name], theirs[name]
        column = FRAME[name].dropna().to_numpy()
        assert (ours["count"], ours["missing"]) == (other["count"], FRAME[name].isna().sum())
        assert (ours["min"], ours["max"]) == (other["min"], other["max"])
        assert ours["range"] == other["max"] - other["min"]
        assert ours["distinct"] == FRAME[name].nunique()
        for place, share in (("q1", "25%"), ("median", "50%"), ("q3", "75%")):
            assert ours[place] == pytest.approx(other[share], rel=1e-15)
        assert ours["mean"] == pytest.approx(column.mean(), rel=1e-13)
        assert ours["variance"] == pytest.approx(column.var(ddof=1), rel=1e-13)
        assert ours["variance_n"] == pytest.approx(column.var(), rel=1e-13)
        assert ours["sd"] == pytest.approx(column.std(ddof=1), rel=1e-13)
        assert sum(ours["histogram"]["counts"]) == len(column)
        assert ours["quantile_error"] == 0  # fewer than 100 000 values: exact in both ways


@given(values=st.lists(HOSTILE, min_size=1, max_size=30))
def test_sums_are_exact_whatever_the_numbers(values: list[float]) -> None:
    there = [v for v in values if v == v]
    figures = tl.describe({"x": np.array(values), "k": np.zeros(len(values))})["x"]
    assert figures["count"] == len(there)
    if not there:
        assert all(math.isnan(figures[name]) for name in ("mean", "variance", "median", "range"))
        return
    total, spread = exactly(there)
    n = len(there)
    assert figures["mean"] == rounded(total / n)
    assert figures["variance_n"] == rounded(spread / n)
    if n > 1:
        assert figures["variance"] == rounded(spread / (n - 1))
    else:
        assert math.isnan(figures["variance"])
    assert (figures["min"], figures["max"]) == (min(there), max(there))
    wanted = np.median(np.array(there) / 4) * 4  # the mean of two of 1.7e308 is beyond a double
    assert figures["median"] == pytest.approx(wanted, rel=1e-15, abs=1e-320)
    assert sum(figures["histogram"]["counts"]) == n


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 10, 101])
@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_quartiles_are_those_of_numpy(n: int, share: float) -> None:
    from tallylearn.inspection.description.column_points import rank_numbers

    values = rng.normal(size=n).round(1)
    points, places = rank_numbers(values)
    assert points.quantile(share) == pytest.approx(np.quantile(values, share), rel=1e-15)
    assert (points.values[places] == values).all()
    ranks = points.midranks()[places]
    assert (ranks == stats.rankdata(values)).all()


def test_a_huge_mean_hides_no_spread(held: bool) -> None:
    tiny = rng.integers(0, 8, 500) / 8
    found = tl.describe({"far": 1e15 + tiny, "near": tiny, "other": tiny[::-1].copy()})
    assert found["far"]["variance"] == found["near"]["variance"]
    assert found.pearson[0, 2] == pytest.approx(found.pearson[1, 2], rel=1e-12)
    assert found.pearson[0, 1] == pytest.approx(1, abs=1e-13)
    assert found.covariance[0, 2] == pytest.approx(np.cov(tiny, tiny[::-1])[0, 1], rel=1e-12)


def test_matrices_are_those_of_pandas_over_the_rows_that_show_both(held: bool) -> None:
    frame = FRAME[NUMBERS].assign(y=FRAME.y.where(FRAME.z.isna() | (FRAME.w < 1.5)))
    found = tl.describe(frame)
    assert found.names == tuple(NUMBERS)
    assert np.allclose(found.covariance, frame.cov(), rtol=1e-12, atol=1e-15)
    shown = frame.notna().astype(float)
    n = (shown.T @ shown).to_numpy()
    wanted = frame.cov() * (n - 1) / n  # pandas takes no ddof where there are gaps
    assert np.allclose(found.covariance_n, wanted, rtol=1e-12, atol=1e-15)
    assert np.allclose(found.pearson, frame.corr(), rtol=1e-12, atol=1e-15)
    theirs = frame.corr("spearman")
    # beyond memory ranks are those of buckets and of all rows that show the column
    assert np.allclose(found.spearman, theirs, rtol=0, atol=1e-12 if held else 0.01)
    assert found.exact == held


def test_whole_numbers_have_exact_ranks_beyond_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveys, "MEMORY_SHARE", 0.0)
    table = pd.DataFrame({"a": rng.integers(-90, 90, 900), "b": rng.integers(0, 5, 900)})
    found = tl.describe(table)
    assert found.exact
    assert np.allclose(found.spearman, table.corr("spearman"), rtol=0, atol=1e-12)


def test_weight_two_is_the_row_twice(held: bool) -> None:
    weight = rng.integers(0, 4, N)
    weighed = tl.describe(tl.table(FRAME.assign(times=weight), weight="times"))
    twice = tl.describe(FRAME.loc[np.repeat(FRAME.index, weight)])
    assert weighed.weight == twice.rows == weight.sum()
    assert weighed.rows == (weight > 0).sum()
    for name in ("x", "y", "z", "w", "day"):
        for figure in ("count", "missing", "mean", "variance", "variance_n", "min", "max"):
            assert weighed[name][figure] == twice[name][figure]
        error = weighed[name]["quantile_error"]
        assert (error > 0) == (not held)
        for figure in ("q1", "median", "q3"):
            assert weighed[name][figure] == pytest.approx(twice[name][figure], rel=error or 1e-15)
    assert weighed["word"]["top"] == twice["word"]["top"]
    for ours, theirs in ((weighed.pearson, twice.pearson), (weighed.covariance, twice.covariance)):
        assert np.allclose(ours, theirs, rtol=1e-11, atol=1e-13)
    assert np.allclose(weighed.spearman, twice.spearman, atol=1e-12)


def weights_of(scale: float, n: int = 200, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n), np.where(rng.random(n) < 0.4, "a", "b")
    gappy = np.where(rng.random(n) < 0.1, np.nan, x**2)
    w = (rng.random(n) + 0.5) * (rng.random(n) < 0.9)
    return pd.DataFrame({"x": x, "gappy": gappy, "y": y, "w": w * scale})


def figures(data: Any) -> list[float]:
    """All numbers of a description, in their order."""
    if isinstance(data, dict):
        data = [*data.values()]
    if isinstance(data, list | tuple):
        return [x for one in data for x in figures(one)]
    return [float(data)] if isinstance(data, int | float) else []


@pytest.mark.parametrize("scale", [1e-200, 1e-2, 3.0, 1e200])
@pytest.mark.parametrize("target", ["x", "y"])
def test_importances_have_no_unit(target: str, scale: float, held: bool) -> None:
    one, other = (
        tl.describe(tl.table(weights_of(k), importance="w"), target) for k in (1.0, scale)
    )
    assert one.weight == one.rows == (weights_of(1)["w"] > 0).sum()
    assert f"{one.rows} rows by importance" in str(other)
    np.testing.assert_allclose(figures(other.to_dict()), figures(one.to_dict()), rtol=1e-6)
    table = tl.table(weights_of(1.0, 150, 2), importance="w")
    p = [[change.p for change in found.compare(table)] for found in (one, other)]
    np.testing.assert_allclose(*p, rtol=1e-6)


def test_importances_in_files_are_those_in_memory(
    held: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = weights_of(1e-3)
    said = tl.describe(tl.table(frame, importance="w"), "y").to_dict()
    counted = tl.describe(tl.table(frame, weight="w"), "y")
    assert (counted.worth, counted.weight) == (None, pytest.approx(frame["w"].sum()))
    frame.to_csv(tmp_path / "w.csv", index=False)
    if not held:  # nor are the files
        monkeypatch.setattr("tallylearn.sources.memory.joined_blocks.MAX_SMALL_FILE_BYTES", 0)
    found = tl.describe(tl.table(tmp_path / "w.csv", importance="w"), "y").to_dict()
    assert found | {"what": ""} == said | {"what": ""}
    assert said["columns"][0]["q1"] < said["columns"][0]["median"] < said["columns"][0]["q3"]


def test_importances_that_are_all_equal_are_none(held: bool) -> None:
    frame = weights_of(1.0)
    plain = tl.describe(frame[["x", "gappy", "y"]], "y").to_dict()
    for w in (0.1, 7.0):
        found = tl.describe(tl.table(frame.assign(w=w), importance="w"), "y").to_dict()
        assert found | {"worth": None} == plain
        assert found["worth"] == len(frame)


def test_intervals_by_importance_are_those_of_as_many_rows_as_are_as_precise() -> None:
    frame = weights_of(1.0)
    w = frame["w"][frame["w"] > 0]
    found = tl.describe(tl.table(frame, importance="w"), "x")
    assert found.worth == pytest.approx(w.sum() ** 2 / (w**2).sum())
    r, rows = found["gappy"]["pearson"], w[frame["gappy"].notna()].sum() * len(w) / w.sum()
    half = (np.arctanh(r["high"]) - np.arctanh(r["low"])) / 2
    n = rows * found.worth / len(w)
    assert half == pytest.approx(1.959964 / np.sqrt(n - 3))


def test_quartiles_beyond_memory_keep_to_the_error_of_the_sketch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(surveys, "MEMORY_SHARE", 0.0)
    x = rng.lognormal(sigma=3, size=150_000) * rng.choice([-1, 1], 150_000)
    figures = tl.describe({"x": x})["x"]
    assert figures["quantile_error"] == ERROR < 0.001
    assert not figures["distinct_exact"]
    assert figures["distinct"] == pytest.approx(150_000, rel=0.02)
    assert (figures["min"], figures["max"]) == (x.min(), x.max())
    assert figures["mean"] == float(sum(map(Fraction, x.tolist())) / len(x))
    for place, share in (("q1", 0.25), ("median", 0.5), ("q3", 0.75)):
        assert figures[place] == pytest.approx(np.quantile(x, share), rel=ERROR)
    assert figures["top"] == []


def test_the_order_of_the_rows_blocks_and_threads_do_not_matter(held: bool) -> None:
    frame = pd.concat([FRAME] * 200, ignore_index=True)  # three blocks
    frame["x"] += np.arange(len(frame))
    shuffled = frame.sample(frac=1, random_state=1).reset_index(drop=True)
    with tl.engine(threads=1):
        one = tl.describe(frame, "flag").to_dict()
    two = tl.describe(shuffled, "flag").to_dict()
    assert one["columns"] == two["columns"]  # every figure, to the bit
    for name in ("covariance", "pearson", "spearman"):
        a, b = (np.array(found["matrices"][name], dtype=float) for found in (one, two))
        assert np.allclose(a, b, rtol=1e-10, atol=1e-12)
    assert json.dumps(one["links"])[:200] == json.dumps(two["links"])[:200]


def test_values_are_counted_and_the_most_frequent_named(held: bool) -> None:
    found = tl.describe(FRAME)["word"]
    counts = FRAME.word.value_counts()
    assert found["distinct"] == 3
    assert found["missing"] == FRAME.word.isna().sum()
    assert {one["value"]: one["count"] for one in found["top"]} == counts.to_dict()
    assert [one["count"] for one in found["top"]] == sorted(counts, reverse=True)
    flags = tl.describe(FRAME)["flag"]
    assert (flags["kind"], flags["distinct"]) == ("category", 2)
    text = tl.describe({"t": [f"the row of number {at}" for at in range(60)] + [None]})["t"]
    assert (text["kind"], text["distinct"], text["missing"]) == ("text", 60, 1)


def test_dates_are_told_as_dates(held: bool) -> None:
    figures = tl.describe(FRAME)["day"]
    assert figures["dates"]["min"] == str(FRAME.day.min().date())
    assert figures["dates"]["max"] == str(FRAME.day.max().date())
    noon = tl.describe({"t": pd.to_datetime(["1960-01-01 12:30", "2030-06-01 00:00"])})["t"]
    assert noon["dates"]["min"] == "1960-01-01 12:30:00"
    assert noon["dates"]["max"] == "2030-06-01"
    for none in (FRAME[["day", "x"]][:0], FRAME[["day", "x"]].assign(day=pd.NaT)):
        assert {*tl.describe(none)["day"]["dates"].values()} == {""}
        assert "nan" not in str(tl.describe(none))


@pytest.mark.parametrize(
    ("values", "mean"),
    [([1.0, np.inf], np.inf), ([-np.inf, 1.0], -np.inf), ([-np.inf, np.inf, 2.0], np.nan),
     ([np.inf, np.inf], np.inf)],
)  # fmt: skip
def test_infinities_are_counted_and_told_as_numpy_has_them(
    values: list[float], mean: float, held: bool
) -> None:
    table = {"x": np.array(values), "y": np.arange(len(values), dtype=float)}
    found = tl.describe(table)
    figures = found["x"]
    assert figures["infinite"] == np.isinf(values).sum()
    assert np.array_equal(figures["mean"], mean, equal_nan=True)
    assert np.isnan(figures["variance"])
    assert (figures["min"], figures["max"]) == (min(values), max(values))
    assert np.isnan(found.pearson[0, 1])
    assert "inf" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    "table",
    [
        {"x": [np.nan, np.nan], "c": [None, None]},
        {"x": [5.0], "c": ["a"]},
        {"x": [2.0] * 9, "c": ["a"] * 9},
        pd.DataFrame({"x": pd.Series([], dtype=float), "c": pd.Series([], dtype=str)}),
        {"x": [1e308, -1e308, 1e308], "y": [5e-324, 0.0, -5e-324]},
        {"x": [True, False, None], "<b>&": ["<script>", "\x1b[31m", "\u202e"]},
    ],
    ids=["missing", "one row", "constant", "no rows", "extremes", "hostile names"],
)
def test_odd_tables_are_described_and_shown(table: Any, held: bool) -> None:
    found = tl.describe(table)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert str(Description.report_of(data)) == str(found) == repr(found)
    html = found.to_html()
    assert "<script>" not in html
    assert len(found.to_frame()) == len(found) == len([*found])
    other = found.compare(table)
    assert all(math.isnan(one.p) or one.p > 0.9 for one in other)


def test_what_cannot_be_described_is_refused_with_a_remedy() -> None:
    with pytest.raises(InputError, match="no columns"):
        tl.describe(pd.DataFrame(index=range(3)))
    with pytest.raises(
        TargetError, match=r"describe: target: the table has no column 'q'. It has 'x'"
    ):
        tl.describe({"x": [1, 2]}, "q")
    with pytest.raises(OptionError, match="target=\\[0, 1\\] is not the name of a column"):
        tl.describe({"x": [1, 2]}, [0, 1])  # type: ignore[arg-type]
    with pytest.raises(TargetError, match="101 classes"):
        tl.describe({"x": [*range(101)], "y": [f"class {at}" for at in range(101)]}, "y")
    with pytest.raises(TargetError, match="no value"):
        tl.describe({"x": [1.0, 2.0], "y": np.array([np.nan, np.nan])}, "y")
    with pytest.raises(ColumnError, match="9007199254740993"):
        tl.describe({"x": [2**53 + 1, 1]})
    with pytest.raises(ColumnError, match="no column 'q'"):
        tl.describe({"x": [1, 2]})["q"]
    with pytest.raises(KindError, match="already a Description"):
        tl.describe(tl.describe({"x": [1, 2]}))


def test_more_pairs_of_columns_than_memory_holds_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TALLY_MEMORY", "0.0001")
    with pytest.raises(SizeError, match="the pairs of 40 columns"):
        tl.describe(np.zeros((3, 40)))


def test_pairs_that_would_take_minutes_are_ranked_among_all_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exact = tl.describe(FRAME[NUMBERS]).spearman
    monkeypatch.setattr(associations, "MOST_RANKED", 1)
    found = tl.describe(FRAME[NUMBERS]).spearman
    assert 0 < np.abs(found - exact).max() < 0.01
    assert (found[:2, :2] == exact[:2, :2]).all()  # columns without gaps


def test_a_declared_target_and_one_that_is_named_say_the_same() -> None:
    frame = FRAME.drop(columns="day")
    declared, named = tl.describe(tl.table(frame, target="flag")), tl.describe(frame, "flag")
    assert declared.target == "flag"
    assert dict(declared.links) == dict(named.links)
    with pytest.raises(OptionError, match="declares the target 'flag'"):
        tl.describe(tl.table(frame, target="flag"), "word")


def test_gain_and_area_of_two_classes_are_those_of_scikit_learn(held: bool) -> None:
    frame = FRAME.assign(x=FRAME.x + FRAME.flag)
    found = tl.describe(frame, "flag")
    area = found["x"]["auc"]["True"]
    wanted = roc_auc_score(frame.flag, frame.x)
    assert area["value"] == pytest.approx(wanted, abs=1e-12 if held else 2e-3)
    assert area["low"] < wanted < area["high"]
    words = frame.word.fillna("missing")
    bits = mutual_info_score(frame.flag, words) / math.log(2)
    assert found["word"]["gain"]["value"] == pytest.approx(bits, rel=1e-10)
    bits = mutual_info_score(frame.flag, _eighths(frame.x)) / math.log(2)
    assert found["x"]["gain"]["value"] == pytest.approx(bits, rel=1e-10 if held else 0.1)
    bits = mutual_info_score(frame.flag, frame.z.isna() * 9 + _eighths(frame.z).fillna(0))
    assert found["z"]["gain"]["value"] == pytest.approx(bits / math.log(2), rel=0.1)
    assert "auc" not in found["word"]


def _eighths(column: pd.Series[float]) -> pd.Series[float]:
    """As many bins as the cube root of 700."""
    share = (column.rank() - 0.5) / column.count()
    return np.floor(share * 8)  # type: ignore[return-value]


def test_every_one_of_several_classes_is_set_against_the_others(held: bool) -> None:
    frame = FRAME.dropna(subset="word").reset_index(drop=True)
    found = tl.describe(frame, "word")["x"]["auc"]
    for name in ("red", "blue", "grey"):
        wanted = roc_auc_score(frame.word == name, frame.x)
        assert found[name]["value"] == pytest.approx(wanted, abs=1e-12 if held else 2e-3)
    few = tl.describe(frame.assign(kind=rng.integers(3, 6, len(frame))), "kind")
    assert {*few["x"]["auc"]} == {"3", "4", "5"}


def test_an_area_of_one_row_has_no_interval() -> None:
    found = tl.describe({"x": [1.0, 3.0, 2.0, 2.0], "y": list("uvuu")}, "y")["x"]["auc"]["v"]
    assert found["value"] == 1
    assert np.isnan(found["low"])
    tied = tl.describe({"x": [2.0, 1.0, 2.0, 3.0, 3.0], "y": list("vuuuu")}, "y")["x"]["auc"]["v"]
    assert tied["value"] == 1.5 / 4


def test_a_column_of_identifiers_has_no_gain_and_that_is_said(held: bool) -> None:
    frame = FRAME.assign(name=[f"row {at}" for at in range(N)])
    found = tl.describe(frame, "flag")
    assert "gain" not in found["name"]
    assert re.search("No gain.*'name'", str(found))
    assert "gain" in found["word"]


def test_a_measured_target_has_correlations_with_intervals(held: bool) -> None:
    found = tl.describe(FRAME, "w")
    link = found["x"]["pearson"]
    theirs = stats.pearsonr(FRAME.x, FRAME.w)
    assert link["value"] == pytest.approx(theirs.statistic, rel=1e-12)
    interval = theirs.confidence_interval(0.95)
    assert [link["low"], link["high"]] == pytest.approx([interval.low, interval.high], rel=1e-9)
    rank = stats.spearmanr(FRAME.x, FRAME.w).statistic
    assert found["x"]["spearman"]["value"] == pytest.approx(rank, abs=1e-12 if held else 1e-4)
    half = 1.959963984540054 * math.sqrt((1 + rank**2 / 2) / (N - 3))
    ends = [math.tanh(math.atanh(rank) + side * half) for side in (-1, 1)]
    ours = found["x"]["spearman"]
    assert [ours["low"], ours["high"]] == pytest.approx(ends, abs=1e-10 if held else 1e-4)
    assert found["word"]["gain"]["value"] < 0.2 < found["x"]["gain"]["value"]
    assert "Relation to w" in str(found)


@given(n=st.integers(5, 60), seed=st.integers(0, 99))
@settings(max_examples=20)
def test_the_interval_of_a_gain_holds_it_less_its_bias(n: int, seed: int) -> None:
    table = np.random.default_rng(seed).integers(0, n, (3, 4)).astype(float) + 1
    found = gain(table)
    assert 0 <= found.low <= found.high
    bias = 6 / (2 * table.sum() * math.log(2))
    assert found.corrected == pytest.approx(max(found.value - bias, 0), abs=1e-12)
    assert found.low <= found.corrected <= found.high
    assert fisher(0.5, 3).low != fisher(0.5, 3).low  # NaN: no interval of three rows


def test_the_interval_of_a_gain_covers_the_truth_about_as_often_as_it_says() -> None:
    draw = np.random.default_rng(8)
    p = np.array([[0.2, 0.1, 0.1], [0.05, 0.25, 0.3]])
    apart = p.sum(axis=1)[:, None] * p.sum(axis=0)
    truth = float((p * np.log2(p / apart)).sum())
    tables = draw.multinomial(4000, p.ravel(), size=1000).reshape(-1, 2, 3).astype(float)
    inside = [found.low <= truth <= found.high for found in map(gain, tables)]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6])
def test_the_interval_of_a_small_gain_is_no_point_and_ends_above_the_truth(share: float) -> None:
    dependent = np.array([[0.20, 0.15, 0.15], [0.10, 0.15, 0.25]])
    chance = dependent.sum(1, keepdims=True) * dependent.sum(0)
    p = share * dependent + (1 - share) * chance
    truth = float((p * np.log2(p / chance)).sum())
    tables = np.random.default_rng(3).multinomial(400, p.ravel(), size=600).reshape(-1, 2, 3)
    found = [gain(table.astype(float)) for table in tables]
    assert all(one.low < one.high for one in found)
    assert np.mean([one.high < truth for one in found]) < 0.04
    assert np.mean([one.low > truth for one in found]) < 0.04


def test_one_class_and_one_value_have_no_gain() -> None:
    for table in (np.array([[3.0, 4, 5, 1, 2, 7]]), np.array([[3.0], [4.0], [1.0]])):
        assert gain(table).value == gain(table).corrected == 0
        assert np.isnan(gain(table).high)


def test_a_column_of_many_values_does_not_lead_by_chance() -> None:
    draw = np.random.default_rng(5)
    y = draw.integers(0, 2, 600)
    told = np.where(draw.random(600) < 0.8, y, 1 - y)
    many = [f"v{at}" for at in draw.integers(0, 100, 600)]
    found = tl.describe({"many": many, "told": told, "y": y}, "y")
    assert found["many"]["gain"]["value"] > 0.09
    assert found["many"]["gain"]["corrected"] < found["told"]["gain"]["corrected"]
    lines = str(found).split("Relation to y")[1].splitlines()
    assert [line.split()[0] for line in lines[2:4]] == ["told", "many"]


def test_files_say_what_frames_say(tmp_path: Path) -> None:
    paths = []
    for part in range(2):
        rows = FRAME.iloc[350 * part : 350 * (part + 1)]
        rows.to_parquet(path := tmp_path / f"part{part}.parquet")
        paths.append(path)
    found, wanted = tl.describe(str(tmp_path / "*.parquet")), tl.describe(FRAME)
    assert found.to_dict()["columns"] == wanted.to_dict()["columns"]
    assert found.what == "part0.parquet and 1 more"
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    text = tl.describe(tmp_path / "rows.csv", "flag")
    assert text["x"]["mean"] == wanted["x"]["mean"]
    assert text["day"]["dates"] == wanted["day"]["dates"]


def test_a_cell_unlike_its_column_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a\n" + "1\n" * 70_000 + "x\n")
    found = tl.describe(path)["a"]
    assert (found["kind"], found["distinct"]) == ("category", 2)


def test_a_report_is_saved_in_four_forms(tmp_path: Path) -> None:
    found = tl.describe(FRAME, "flag")
    for ending in ("html", "json", "md", "txt"):
        found.save(tmp_path / f"found.{ending}")
    page = (tmp_path / "found.html").read_text()
    assert page.count("<svg") == 9  # six columns and the target, the map, the gains
    assert json.loads((tmp_path / "found.json").read_text()) == found.to_dict()
    assert (tmp_path / "found.txt").read_text() == f"{found}\n"
    frame = found.to_frame().set_index("column")
    assert frame.loc["x", "variance"] == found["x"]["variance"]
    assert frame.loc["word", "top"] == found["word"]["top"][0]["value"]


def test_a_frame_has_what_every_column_says_of_the_target_wherever_the_target_stands() -> None:
    for name, target in (("auc_yes", ["no", "yes"] * 20), ("pearson", [1.5, 3, 2, 9, 4] * 8)):
        rng = np.random.default_rng(0)
        found = tl.describe(
            {"y": target, "x": rng.normal(size=40), "c": rng.choice([*"uvw"], 40)}, "y"
        )
        assert [row.keys() for row in found.records()] == [found.records()[0].keys()] * 3
        frame = found.to_frame().set_index("column")
        told = frame.loc["c", ["gain", "gain_low", "gain_high", "gain_corrected"]]
        assert told.to_list() == [*found["c"]["gain"].values()]
        link = found["x"][name] if name == "pearson" else found["x"]["auc"]["yes"]
        assert frame.loc["x", [name, f"{name}_low", f"{name}_high"]].to_list() == [*link.values()]
        assert frame.loc["y"].isna()["gain"]


def test_long_values_do_not_widen_a_report() -> None:
    words = ["x" * 300 + str(at % 3) for at in range(30)]
    found = tl.describe({"c": words, "t": [f"{at} " + "word " * 200 for at in range(30)]})
    assert max(map(len, str(found).splitlines())) <= 80
    assert found["c"]["top"][0]["value"] == "x" * 300 + "0"
    changes = found.compare({"c": [f"y{word}" for word in words], "t": ["word " * 200] * 30})
    assert max(map(len, str(changes).splitlines())) < 400  # ten values


def test_numbers_far_from_zero_have_the_digits_that_tell_them_apart() -> None:
    numbers = np.arange(100) * 3.0 + 20_240_000
    said = str(tl.describe({"no": numbers}))
    assert "20,240,000" in said
    assert "20,240,297" in said
    assert "e+07" not in said
    page = tl.describe({"no": numbers})._repr_html_()
    assert "e+07" not in page


def test_a_gain_without_a_spread_has_no_interval() -> None:
    told = tl.describe({"c": ["a", "b"] * 5, "y": ["u", "v"] * 5}, "y")["c"]["gain"]
    assert told["value"] == pytest.approx(1.0)
    assert np.isnan([told["low"], told["high"]]).all()


def test_a_declared_identifier_is_described_by_its_values(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "x": [1.5, 2.0, 4.0] * 4,
            "no": range(12),
            "y": ["a", "b"] * 6,
            "who": list("abcdefghijkl"),
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    kinds = {"no": "identifier", "who": "identifier"}
    for source in (frame, tmp_path / "t.csv"):
        plain = tl.describe(tl.table(source, target="y")).to_dict()
        assert tl.describe(tl.table(source, target="y", kinds=kinds)).to_dict() == plain
        found = tl.describe(tl.table(source, kinds=kinds), "y")
        assert (found["who"]["distinct"], found["who"]["missing"]) == (12, 0)
        assert found["no"]["mean"] == 5.5


def test_a_table_whose_rows_all_weigh_nothing_is_told_as_that(held: bool) -> None:
    table = tl.table(FRAME.assign(none=0.0)[["x", "word", "none"]], weight="none")
    with pytest.raises(TargetError, match=r"no rows with a weight above zero\. Give some"):
        tl.describe(table, "word")


def test_a_standard_deviation_is_told_though_its_square_is_beyond_a_double() -> None:
    x = np.random.default_rng(0).normal(size=50)
    for unit in (1e-300, 1e-160, 1.0, 1e160, 1e300):
        sd = tl.describe({"x": x * unit})["x"]["sd"]
        assert sd == pytest.approx(np.std(x, ddof=1) * unit, rel=1e-12)
    assert tl.describe({"x": [5.0, 5.0]})["x"]["sd"] == 0


@pytest.mark.parametrize("gaps", [120, 119])
def test_a_column_of_no_value_or_one_has_blanks_where_there_is_no_number(gaps: int) -> None:
    x = np.where(np.arange(120) < gaps, np.nan, 7.0)
    found = tl.describe({"x": x, "z": np.arange(120.0)})
    for text in (str(found), found.to_markdown(), found.to_html()):
        assert "nan" not in text
        assert "<dd> to </dd>" not in text


def test_identifiers_are_named_as_learners_leave_them_out() -> None:
    table = {"id": [f"k{i:03d}" for i in range(60)], "x": [0.5, 1.5] * 30, "y": ["u", "v"] * 30}
    found = tl.describe(table, "y")
    assert dict(found.identifiers) == {"id": "all of its 60 values are different"}
    page = found.to_html()
    assert (
        "<small>category, identifier</small></td><td><small>such as k000, k001, k002</small>"
        in page
    )
    assert "id is an identifier, and no learner uses it: all of its 60" in str(found)
    assert found.identifiers.keys() == {*tl.NaiveBayes().fit(table, "y").schema_.identifiers}


def test_columns_of_a_file_are_told_apart_by_what_describing_it_has_seen(
    held: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [*range(300)]
    columns = {
        "key": [f"k{at}" for at in rows],
        "no": [f"{3 * at:04}" for at in rows],
        "c": ["u", "v"] * 150,
    }
    path = tmp_path / "rows.parquet"
    pd.DataFrame(columns | {"size": [at % 7 for at in rows]}).to_parquet(path)
    judged = identifiers(tl.table(path))
    read: list[tuple[str, ...]] = []
    tables = ParquetRun.tables

    def told(run: ParquetRun, names: Sequence[str]) -> Any:
        read.append(tuple(names))
        return tables(run, names)

    monkeypatch.setattr(ParquetRun, "tables", told)
    if not held:
        monkeypatch.setattr(Files, "load_if_small", lambda files: files)
    found = tl.describe(path)
    assert found.identifiers == judged
    assert judged.keys() == {"key", "no"}
    assert read[-1] == (("size",) if not held else ("key", "no", "c", "size"))
