"""The workings of preprocessors: every printed number follows from the printed operands."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.workings import Formula, Grid
from tests.workings.arithmetic import check_equation, check_working
from tests.workings.recomputed import check_lines

RNG = np.random.default_rng(3)


def frame(n: int = 23) -> pd.DataFrame:
    table = pd.DataFrame({
        "far": RNG.normal(41234.5, 0.01, n), "wide": RNG.normal(0, 1e4, n).round(2),
        "few": RNG.integers(0, 5, n).astype(float), "one": 3.0, "more": RNG.normal(size=n),
        "city": RNG.choice(["Rome", "Oslo", "Bern"], n),
    })  # fmt: skip
    table.loc[[1, 5], "few"] = np.nan
    table.loc[4, "city"] = None
    return table


def texts(work: Any) -> list[str]:
    return [step.text for step in work.steps if isinstance(step, Formula)]


def grid(work: Any, title: str) -> Grid:
    return next(s for s in work.steps if isinstance(s, Grid) and s.title.startswith(title))


NUMBERS = [
    (tl.StandardScaler(), 10), (tl.StandardScaler(ddof=1), 10), (tl.MinMaxScaler(), 5),
    (tl.MinMaxScaler(feature_range=(-1, 3)), 5), (tl.SimpleImputer(), 5),
    (tl.SimpleImputer(strategy="median"), 0), (tl.KBinsDiscretizer(4), 3),
    (tl.KBinsDiscretizer(4, strategy="uniform"), 17),
    (tl.KBinsDiscretizer(3, strategy="kmeans"), 8),
    *((tl.KBinsDiscretizer(4, quantile_method=m), 12) for m in ("linear", "weibull")),
    (tl.KBinsDiscretizer(4, quantile_method="closest_observation"), 12),
]  # fmt: skip


@pytest.mark.parametrize(("learner", "least"), NUMBERS, ids=lambda each: str(each))
@pytest.mark.parametrize("n", [22, 23])
def test_every_printed_number_follows(learner: Any, least: int, n: int) -> None:
    model = learner.fit(frame(n))
    assert check_working(model.show_work(full=True).steps) >= least
    for full in (False, True):
        check_lines(model.show_work(full=full))
        assert model.show_work(full=full).to_html().startswith("<div")


def test_a_scaler_shows_the_sums_of_its_columns() -> None:
    work = tl.StandardScaler().fit([[1.0], [2.0], [4.0], [9.0], [None]]).show_work()
    assert {"μ(x0) = 16 / 4 = 4", "σ(x0) = sqrt(38 / 4) = 3.082"} <= {*texts(work)}
    work = tl.StandardScaler(ddof=1).fit([[1.0], [2.0], [4.0], [9.0]]).show_work()
    assert "σ(x0) = sqrt(38 / (4 - 1)) = 3.559" in texts(work)


def test_a_range_other_than_0_to_1_is_in_the_formula() -> None:
    work = tl.MinMaxScaler(feature_range=(-1, 2)).fit([[1.0], [9.0]]).show_work()
    assert texts(work)[0] == "z = (x - min) / (max - min) · (2 - (-1)) - 1"
    assert "max(x0) - min(x0) = 9 - 1 = 8" in texts(work)


def test_many_columns_are_folded() -> None:
    model = tl.StandardScaler().fit(RNG.normal(size=(9, 7)))
    assert "4 more columns; show_work(full=True) writes all out." in str(model.show_work())
    assert len(texts(model.show_work())) == 3 + 2 * 3
    assert len(texts(model.show_work(full=True))) == 3 + 2 * 7


def test_a_median_names_the_order_statistics() -> None:
    even = tl.SimpleImputer(strategy="median").fit([[4.0], [1.0], [9.0], [2.0], [None]])
    assert texts(even.show_work()) == ["median(x0) = (x(2) + x(3)) / 2 = (2 + 4) / 2 = 3"]
    odd = tl.SimpleImputer(strategy="median").fit([[4.0], [1.0], [9.0]])
    assert texts(odd.show_work()) == ["median(x0) = x(2) = 4"]


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
def test_what_fills_a_column_is_the_result_of_its_formula(strategy: str) -> None:
    table = frame()
    model = tl.SimpleImputer(strategy=strategy).fit(table)
    work = model.show_work(full=True)
    values = dict(row[:2] for row in grid(work, "values that fill").rows)
    counts = grid(work, "rows of the values")
    for name in table.columns:
        seen = [(row[1], int(row[2])) for row in counts.rows if row[0] == name]
        if name == "city" or strategy == "most_frequent":
            most = max(n for _, n in seen)
            assert (values[name], most) in seen if name in ("city", "few") else seen
            assert sum(n for _, n in seen) == table[name].count()
        else:
            (text,) = (t for t in texts(work) if f"({name}) = " in t)
            found = float(text.rpartition(" = ")[2].replace(",", ""))
            assert found == pytest.approx(float(values[name].replace(",", "")), rel=5e-4)


@pytest.mark.parametrize("method", ["averaged_inverted_cdf", "inverted_cdf", "linear", "hazen",
                                    "weibull", "median_unbiased"])  # fmt: skip
def test_the_edges_of_quantiles_are_those_of_the_bins(method: str) -> None:
    x = RNG.normal(size=(31, 1)).round(2)
    model = tl.KBinsDiscretizer(4, quantile_method=method, encode="ordinal").fit(x)
    table = grid(model.show_work(), "x0: edges")
    edges = [float(row[-1].rpartition(" = ")[2]) for row in table.rows]
    assert edges == pytest.approx(model.bin_edges_[0][1:-1], rel=1e-3, abs=1e-4)
    assert edges == pytest.approx(np.percentile(x, [25, 50, 75], method=method), rel=1e-3, abs=1e-4)
    for row in table.rows:
        assert check_equation(row[1])


@pytest.mark.parametrize(("n", "median"), [(5, 2.0), (7, 4.0), (31, 16.0), (33, 16.0)])
def test_halves_of_closest_observations_go_to_the_even_order_statistic(
    n: int, median: float
) -> None:  # Hyndman and Fan 1996, definition 3; R's type=3
    x = np.arange(1.0, n + 1)[:, None]
    model = tl.KBinsDiscretizer(2, quantile_method="closest_observation").fit(x)
    assert model.bin_edges_[0][1] == median


def test_the_rows_of_the_bins_are_counted() -> None:
    x = RNG.normal(size=(40, 2))
    for strategy in ("quantile", "kmeans"):
        model = tl.KBinsDiscretizer(3, strategy=strategy, encode="ordinal").fit(x)
        rows = [int(row[2]) for row in grid(model.show_work(), "intervals").rows]
        want = [np.bincount(column.astype(int)) for column in model.transform(x).T]
        assert rows == np.concatenate(want).tolist()


def test_cuts_by_description_length_follow_from_the_counts() -> None:
    table = pd.DataFrame({"x": np.arange(30.0), "y": list("a" * 11 + "b" * 9 + "aab" * 3 + "c")})
    model = tl.KBinsDiscretizer(strategy="mdl").fit(table, "y")
    rows = grid(model.show_work(), "x: the best cut").rows
    for _, below, above, gain, least, taken in rows:
        one, two = ([*map(int, side.split("-"))] for side in (below, above))
        whole = [a + b for a, b in zip(one, two, strict=True)]
        e, e1, e2 = (float(tl.entropy(part)) for part in (whole, one, two))
        k, k1, k2 = (sum(n > 0 for n in part) for part in (whole, one, two))
        n = sum(whole)
        want = e - (sum(one) * e1 + sum(two) * e2) / n
        delta = np.log2(3**k - 2) - (k * e - k1 * e1 - k2 * e2)
        bound = (np.log2(n - 1) + delta) / n
        assert float(gain) == pytest.approx(want, rel=6e-4, abs=1e-12)
        assert float(least) == pytest.approx(bound, rel=6e-4, abs=1e-12)
        assert (taken == "yes") == (want > bound)
    cuts = sorted(float(row[0]) for row in rows if row[-1] == "yes")
    assert cuts == model.bin_edges_[0][1:-1].tolist()


def test_encoders_count_the_rows_of_every_value() -> None:
    colours = pd.DataFrame({"c": ["red", "blue", "red", None, "green", "red"]})
    rows = tl.OneHotEncoder(drop="first").fit(colours).show_work().steps[0].rows
    assert rows == (("c", "blue", "1", "none: all are 0"), ("c", "green", "1", "c_green"),
                    ("c", "red", "3", "c_red"), ("c", "nan", "1", "c_nan"))  # fmt: skip
    rows = tl.OrdinalEncoder().fit(colours).show_work().steps[0].rows
    assert [row[2:] for row in rows] == [("1", "0"), ("1", "1"), ("3", "2"), ("1", "nan")]


def test_infrequent_values_are_marked_and_the_rule_is_told() -> None:
    colours = pd.DataFrame({"c": ["red"] * 4 + ["blue"] * 3 + ["pink", "grey"]})
    text = str(tl.OneHotEncoder(min_frequency=2).fit(colours).show_work())
    assert re.search(r"pink +1 +c_infrequent_sklearn", text)
    assert "infrequent_sklearn: values of less than 2 rows." in text
    text = str(tl.OrdinalEncoder(max_categories=3).fit(colours).show_work())
    assert "all but the 2 most frequent values" in text


def test_numbers_are_encoded_with_their_rows() -> None:
    work = tl.OrdinalEncoder().fit([[2.0], [5.0], [2.0]]).show_work()
    assert work.steps[0].rows == (("x0", "2.0", "2", "0"), ("x0", "5.0", "1", "1"))


@pytest.mark.parametrize("learner", [tl.StandardScaler(), tl.SimpleImputer(), tl.MinMaxScaler(),
                                     tl.OneHotEncoder(), tl.KBinsDiscretizer(3)])  # fmt: skip
def test_a_file_without_a_tally_shows_the_model(learner: Any, tmp_path: Any) -> None:
    learner.fit(frame()).save(tmp_path / "m.tally", tally=False)
    assert str(tl.load(tmp_path / "m.tally").show_work())


@pytest.mark.parametrize("learner", [tl.SimpleImputer(), tl.StandardScaler(), tl.OneHotEncoder(),
                                     tl.KBinsDiscretizer(2), tl.OrdinalEncoder()])  # fmt: skip
def test_tables_of_one_kind_have_a_working(learner: Any) -> None:
    for rows in ([[1.0], [2.0], [4.0]], [["a"], ["b"], ["a"]]):
        assert str(learner.fit(rows).show_work())


def test_fractional_weights_have_no_order_statistics() -> None:
    weight = np.array([0.5, 1.5, 1.0])
    model = tl.KBinsDiscretizer(2).fit([[1.0], [2.0], [4.0]], sample_weight=weight)
    assert [row[2] for row in grid(model.show_work(), "intervals").rows] == ["0.5", "2.5"]
    median = tl.SimpleImputer(strategy="median").fit([[1.0], [2.0], [4.0]], sample_weight=weight)
    assert not texts(median.show_work())
