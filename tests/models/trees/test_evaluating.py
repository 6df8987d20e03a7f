"""Trees where others use them: evaluated, compared, explained, and asked odd things."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import errors


def mixed(n: int = 90, gaps: bool = False) -> pd.DataFrame:
    """A number and a category that settle the class, with some noise."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"a": rng.normal(size=n).round(2), "c": rng.choice(list("pqr"), n)})
    frame["kind"] = np.where((frame["a"] > 0) ^ (rng.random(n) < 0.1), "up", "down")
    if gaps:
        frame.loc[::7, "a"] = np.nan
    return frame


@pytest.mark.parametrize(
    "tree",
    [
        tl.ID3(), tl.C45(), tl.CART(), tl.CART(loss=[[0, 3], [1, 0]]),
        tl.DecisionTreeClassifier(missing="fractional"), tl.CART(pruning="reduced_error"),
    ],
)  # fmt: skip
def test_an_evaluation_tells_what_predict_and_predict_proba_tell(tree: Any) -> None:
    table = mixed(gaps=True)
    folds = tl.Folds.k(3, stratified=False, seed=1)
    found = tl.evaluate(tree, table, "kind", cv=folds)
    right, brier = 0, 0.0
    for split in folds.splits(len(table)):
        tree.fit(table.iloc[split.train], "kind")
        held = table.iloc[split.test]
        truth = np.asarray(held["kind"])
        right += int((tree.predict(held) == truth).sum())
        brier += float(((tree.predict_proba(held)[:, 1] - (truth == "up")) ** 2).sum())
    assert found["accuracy"].value == pytest.approx(right / len(table))
    assert found["brier"].value == pytest.approx(brier / len(table))


@pytest.mark.parametrize(
    ("learner", "names"),
    [
        (tl.DecisionTreeClassifier, ("gini", "entropy", "log_loss", "gain_ratio")),
        (tl.DecisionTreeRegressor, ("squared_error", "sdr", "absolute_error", "poisson")),
        (tl.RandomForestClassifier, ("gini", "entropy")),
    ],
)
def test_a_function_is_no_criterion_and_those_there_are_are_named(learner: Any, names: Any) -> None:
    with pytest.raises(errors.OptionError, match="criterion") as raised:
        learner(criterion=lambda p: 1.0 - (p**2).sum()).fit([[1], [2]], [0, 1])
    assert all(name in str(raised.value) for name in names)


def dated(n: int = 200) -> pd.DataFrame:
    """A date and twelve categories that settle the class."""
    days = pd.date_range("2020-01-01", periods=n)
    codes = np.arange(n) % 12
    kind = np.where((days > "2020-05-01") ^ (codes < 2), "up", "down")
    return pd.DataFrame({"day": days, "c": [f"k{i:02}" for i in codes], "kind": kind})


def test_paths_write_days_as_days_and_cut_long_lists() -> None:
    table = dated()
    tree = tl.CART(keep_rows=True).fit(table, "kind")
    told = [
        tree.show_work(), tree.explain(table.iloc[-1:]), tree.explain(table.iloc[-1:]).to_html(),
        tree.gains(1), tree.prune("cost_complexity", ccp_alpha=0.2).prunings(),
    ]  # fmt: skip
    for text in map(str, told):
        assert "2020-" in text
        for raw in (r"18[23]\d\d\.", "= &lt;=", "= in"):  # days as numbers, two signs
            assert re.search(raw, text) is None, text
    assert "k02, k03, k04, k05, k06, k07, k08, k09, … 2 more}" in " ".join(str(told[1]).split())


def test_an_explanation_tells_the_path_and_why_it_ends_early() -> None:
    tree = tl.ID3().fit(tl.example("tennis"))
    row = {"Outlook": "Rain", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    _, first, *_ = str(tree.explain(row)).split("\n\n")
    assert first == "Outlook = Rain and Wind = Weak, so Yes (3 of 3 training rows)"
    _, said = str(tree.explain({**row, "Wind": "Storm"})).split("\n\n", 1)
    said = said.splitlines()
    assert said[:2] == [
        "Outlook = Rain, so Yes (3 of 5 training rows)",
        "ends there: Wind is missing, or has a value that no training row had there",
    ]
    assert "'Storm'" in said[2]


def test_a_regression_is_explained_in_four_digits() -> None:
    tree = tl.CART(task="regression").fit([[1.0], [2.0], [3.0]], [1 / 3, 1 / 3, 2 / 3])
    said = str(tree.explain([[3.0]])).splitlines()
    assert said[4] == "x0 > 2.5, so 0.6667 (the mean of 1 training row)"
    assert said[-1] == "ŷ = 0.4444 + 0.2222 = 0.6667"


def test_a_long_list_of_gains_shows_the_best_of_each_column() -> None:
    gains = tl.CART(keep_rows=True).fit(mixed(), "kind").gains()
    shown = str(gains).splitlines()
    assert len(gains) > 40
    assert len(shown) == 4
    assert shown[2].startswith("a ")
    assert shown[2].endswith("best")
    assert shown[3].startswith("c ")
    assert len(gains.to_dict()["rows"]) == len(gains)
    with pytest.raises(errors.ColumnError, match=r"'z'.* at node 0"):
        gains["z"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"costs": {"c": "dear"}}, "the cost of 'c' is 'dear'"),
        ({"costs": {"c": None}}, "the cost of 'c' is None"),
        ({"loss": {"up": {"down": 2}}}, "Pass a 2 x 2 table of numbers for 'down', 'up'"),
        ({"loss": [[0, 1], [1]]}, "Pass a 2 x 2 table of numbers"),
        ({"loss": [["a", "b"], ["c", "d"]]}, "Pass a 2 x 2 table of numbers"),
    ],
)
def test_costs_and_losses_that_are_no_numbers_are_named(options: Any, said: str) -> None:
    with pytest.raises(errors.OptionError, match=said):
        tl.CART(**options).fit(mixed(), "kind")


def test_a_table_without_a_name_is_refused_where_trees_are_compared() -> None:
    tree = tl.CART().fit(mixed(), "kind")
    with pytest.raises(errors.OptionError, match="on is a dict of names and tables, not a DataF"):
        tl.diff(tree, tree, on=mixed())


def test_a_model_tree_is_drawn_as_other_trees_are() -> None:
    table = dated(400)
    table["kind"] = np.where(table["kind"] == "up", np.arange(400.0), 0.0)
    first = str(tl.M5(smooth=None).fit(table, "kind")).split("\n\n")[0].splitlines()
    assert first[1].startswith("├─ day <= 2020-04-29 12:00: ")
    assert first[-1].lstrip().startswith("└─")


def test_a_model_tree_refuses_categories_that_no_memory_holds() -> None:
    n = 30_000
    table = pd.DataFrame({"key": [f"k{i}" for i in range(n)], "y": np.arange(n) % 7.0})
    with pytest.raises(errors.ColumnError, match="column 'key' alone has 30000 categories"):
        tl.M5(min_samples_category=1).fit(table[["key"]], table["y"])
    assert tl.M5().fit(table[["key"]], table["y"]).get_n_leaves() == 1  # all of them are rare


def test_the_best_of_a_column_is_the_question_of_most_gain() -> None:
    x = np.column_stack([np.arange(12.0), [1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1]])
    gains = (
        tl.DecisionTreeClassifier(criterion="gain_ratio", keep_rows=True)
        .fit(x, [*"bbbbbbbbabba"])
        .gains()
    )
    column = [one for one in gains if one.column == "x0"]
    assert gains["x0"].gain == max(one.gain for one in column)
    assert gains["x0"].score < max(one.score for one in column)  # another has the better ratio


def test_of_many_branches_two_need_rows_enough() -> None:
    tree = tl.ID3(min_samples_leaf=2, keep_rows=True).fit(
        pd.DataFrame({"c": [*"uuvvw"]}), [*"aabba"]
    )
    assert tree.get_n_leaves() == 3
    assert tree.gains()["c"].best
