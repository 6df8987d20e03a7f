"""Charts of evaluations: every class can be chosen, bands and counts are right, axes in bounds."""

from __future__ import annotations

import json
import re
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn import metrics
from sklearn.linear_model import LinearRegression
from sklearn.svm import LinearSVC

import tallylearn as tl
from tallylearn.errors import OptionError
from tallylearn.reporting.charts import draw_choice, draw_intervals, draw_lines, redraw_chart

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
THREE = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + RNG.normal(size=300), [-0.6, 0.7])]
TWO = np.where(THREE == "c", "yes", "no")
NUMBERS = 3 * X[:, 0] + RNG.normal(size=300) * (1 + np.abs(X[:, 0]))


@pytest.fixture(scope="module")
def three() -> Any:
    return tl.evaluate(tl.NaiveBayes(), X, THREE, cv=5)


@pytest.fixture(scope="module")
def numbers() -> Any:
    return tl.evaluate(LinearRegression(), X, NUMBERS)


def test_every_class_has_its_curves_to_choose_from(three: Any) -> None:
    charts = three.plots()
    told = three.predictions
    assert [*charts["roc"].data["charts"]] == ["all classes", "a", "b", "c"]
    for name in ("precision_recall", "lift", "calibration"):
        assert [*charts[name].data["charts"]] == ["a", "b", "c"]
    for value in "abc":
        area = metrics.roc_auc_score(told["truth"] == value, told[f"P({value})"])
        (line,) = charts["roc"].data["charts"][value]["series"]
        assert line == f"AUC {area:.3f}"
        precision = metrics.average_precision_score(told["truth"] == value, told[f"P({value})"])
        (line,) = charts["precision_recall"].data["charts"][value]["series"]
        assert line == f"average precision {precision:.3f}"
        level = charts["precision_recall"].data["charts"][value]["level"]
        assert level == ("chance", pytest.approx((value == THREE).mean()))
    together = [*charts["roc"].data["charts"]["all classes"]["series"]]
    assert [line.split(",")[0] for line in together] == ["a", "b", "c"]


def test_a_page_shows_the_chart_that_is_chosen(three: Any) -> None:
    page = three.to_html()
    assert page.count("<select") == 4
    assert page.count("<figure") == 4 + 3 * 3
    assert page.count("<figure data-at") - page.count("class=shown") == 9  # one of each is seen
    assert "<script" not in page
    again = json.loads(three.to_json())["plots"]
    for name, chart in three.plots().items():
        assert redraw_chart(again[name]).svg == chart.svg
        assert redraw_chart(again[name])._repr_html_() == chart._repr_html_()


def test_calibration_has_the_rows_of_every_bin_and_wilsons_band() -> None:
    found = tl.evaluate(tl.NaiveBayes(), X, TWO, cv=5)
    told = found.predictions
    p, true = told["P(yes)"], told["truth"] == "yes"
    (line,) = found.plots()["calibration"].data["series"].values()
    bins = np.minimum((p * 10).astype(int), 9)
    assert line["rows"] == [int((bins == at).sum()) for at in np.unique(bins)]
    for at, number in enumerate(np.unique(bins)):
        here = bins == number
        ends = binomtest(int(true[here].sum()), int(here.sum())).proportion_ci(method="wilson")
        assert line["y"][at] == pytest.approx(true[here].mean())
        assert (line["low"][at], line["high"][at]) == pytest.approx((ends.low, ends.high))
    assert f">{line['rows'][0]:g}</text>" in found.plots()["calibration"].svg


def test_a_decision_has_curves_and_no_calibration() -> None:
    charts = tl.evaluate(LinearSVC(), X, TWO, cv=3).plots()
    assert {"roc", "precision_recall", "lift"} <= {*charts}
    assert "calibration" not in charts


def test_errors_by_decile_are_means_of_equal_tenths(numbers: Any) -> None:
    told = numbers.predictions
    order = np.argsort(told["said"], kind="stable")
    error = np.abs(told["truth"] - told["said"])[order].reshape(10, 30)
    line = numbers.plots()["deciles"].data["series"]["mean |error|, with rows"]
    assert line["x"] == list(range(1, 11))
    assert line["y"] == pytest.approx(error.mean(axis=1).tolist())
    assert line["rows"] == [30] * 10
    half = 2.045229642132703 * error.std(axis=1, ddof=1) / np.sqrt(30)  # t of 29 degrees
    assert line["high"] == pytest.approx((error.mean(axis=1) + half).tolist())


def test_equal_predictions_stay_in_one_decile() -> None:
    step = np.where(X[:, 0] > 0, 5.0, -5.0) + RNG.normal(size=300)
    found = tl.evaluate(tl.DecisionTreeRegressor(max_depth=1), X[:, :1], step, cv="holdout")
    line = found.plots()["deciles"].data["series"]["mean error"]
    assert len(line["x"]) == len({*found.predictions["said"].tolist()}) == 2
    flat = tl.evaluate(tl.DummyRegressor(), X, NUMBERS, cv="holdout")
    assert "deciles" not in flat.plots()


def test_predicted_and_true_share_their_axes(numbers: Any) -> None:
    data = numbers.plots()["answers"].data
    assert data["x_range"] == data["y_range"]


def shown(svg: str) -> list[float]:
    """The numbers on the axes."""
    return [float(text) for text in re.findall(r">(-?\d+(?:\.\d+)?)</text>", svg)]


def test_no_axis_passes_what_a_score_can_be() -> None:
    apart = np.vstack([X[:100] + 50, X[:100] - 50])
    y = np.repeat(["far", "near"], 100)
    sure = tl.evaluate(tl.NaiveBayes(), apart, y, cv=5, scoring="accuracy")
    assert max(shown(sure.plots()["folds"].svg)) == 1
    learners = {"a": tl.NaiveBayes(), "b": tl.NearestCentroid()}
    both = tl.compare(learners, apart, y, cv=5).plots()["scores"]
    assert max(shown(both.svg)) == 1
    curve = tl.learning_curve(tl.NaiveBayes(), X[:24], TWO[:24], cv=3, sizes=[0.5, 1.0])
    assert min(min(s["low"]) for s in curve.plots()["curve"].data["series"].values()) >= 0
    assert min(shown(curve.plots()["curve"].svg)) >= 0
    assert max(shown(curve.plots()["curve"].svg)) <= 24
    tuned = tl.tune(tl.NaiveBayes(), {"fit_prior": [True, False]}, apart, y, cv=3)
    assert max(shown(tuned.plots()["search"].svg)) == 1


def test_candidates_are_told_apart_by_what_differs() -> None:
    grid = {"max_depth": [2, 3], "criterion": ["gini", "entropy"], "min_samples_leaf": [1, 5],
            "min_samples_split": [2]}  # fmt: skip
    data = tl.tune(tl.CART(), grid, X, TWO, cv=3).plots()["search"].data
    names = [line["name"] for line in data["spreads"]]
    assert len({name.split(": ")[1] for name in names}) == 8
    assert data["title"] == "Candidates by max_depth, criterion, min_samples_leaf"
    assert "3, 'gini', 1" in {name.split(": ")[1] for name in names}


def test_two_options_are_curves_of_one_for_the_values_of_the_other() -> None:
    grid = {"alpha": [0.1, 1.0, 10.0], "fit_prior": [True, False]}
    data = tl.tune(tl.NaiveBayes(), grid, X, TWO, cv=3).plots()["search"].data
    assert data["chart"] == "lines"
    assert data["x_label"] == "alpha"
    assert [*data["series"]] == ["fit_prior=True", "fit_prior=False"]
    assert data["series"]["fit_prior=True"]["x"] == [0.1, 1.0, 10.0]


def test_charts_stand_in_a_grid_that_fits_phones_and_dark_notebooks(three: Any) -> None:
    page = three.to_html()
    assert "display:grid" in page
    assert "max-width:100%" in page
    of_system = "@media(prefers-color-scheme:dark){.tally-plot:not([data-jp-theme-light=true] *,"
    assert of_system in page
    assert ":is([data-jp-theme-light=false],.vscode-dark) .tally-plot{fill:#ececec}" in page


def test_a_page_has_dark_choosers_and_whole_intervals_on_any_screen(
    three: Any, tmp_path: Path
) -> None:
    three.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "color-scheme:light dark" in page  # else a chooser is white on a dark page
    assert "td[style*=right]{white-space:nowrap}" in page
    phone = page.split("@media(max-width:40em){")[1]
    assert phone.startswith("table{display:block;overflow-x:auto}td{white-space:nowrap}}")


def test_limits_and_levels_that_are_none_are_refused() -> None:
    line = {"a": ([0, 1], [0.5, 0.9])}
    assert draw_lines(line, "t", y_limits=(0, inf)).data["y_limits"] == (0, inf)
    with pytest.raises(OptionError, match=r"y_limits is .*Give two numbers, the lower first"):
        draw_lines(line, "t", y_limits=(1, 0))
    with pytest.raises(OptionError, match=r"level is 3. Give a pair: a name and a number"):
        draw_lines(line, "t", level=3)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="x_limits is"):
        draw_intervals([("a", 1, 0, 2)], "t", x_limits=(1,))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"charts is {}|charts is None"):
        draw_choice({}, "ROC")


def test_a_number_beyond_the_limits_is_drawn_all_the_same() -> None:
    chart = draw_intervals([("a", 1.2, 0.9, 1.4)], "t", x_limits=(0, 1))
    assert max(shown(chart.svg)) >= 1.4


def test_a_perfect_score_alone_has_an_axis_that_ends_with_it() -> None:
    line = [("a", 1.0, 1.0, 1.0, [1.0, 1.0])]
    assert max(shown(draw_intervals(line, "t").svg)) > 1
    assert max(shown(draw_intervals(line, "t", x_limits=(0, 1)).svg)) == 1
    flat = {"a": ([0, 1], [1.0, 1.0])}
    assert max(shown(draw_lines(flat, "t", y_limits=(0, 1)).svg)) == 1
