"""Missing values, strange categories, losses, significance, and what cannot be learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import tallylearn as tl
from tallylearn import errors, modelfile

RULES = ("side", "branch", "node", "class", "global", "fractional")
GAPS = pd.DataFrame(
    {
        "x": [1.0, 2.0, np.nan, 4.0, 5.0, np.nan, 7.0, 8.0],
        "c": ["a", None, "a", "b", "b", "b", None, "a"],
        "y": ["n", "n", "n", "n", "p", "p", "p", "p"],
    }
)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("split", ["multiway", "subset"])
def test_gaps_are_taken_at_fit_and_at_predict(rule: str, split: str) -> None:
    tree = tl.DecisionTreeClassifier(missing=rule, category_split=split).fit(GAPS, "y")
    rows = GAPS.drop(columns="y")
    assert tree.score(GAPS, "y") >= 0.75
    empty = pd.DataFrame({"x": [np.nan], "c": [None]})
    assert np.isclose(tree.predict_proba(empty).sum(), 1)
    assert [row.chosen for row in tree.explain(rows)] == tree.predict(rows).tolist()
    if rule != "class":
        y = np.arange(8.0)
        grown = tl.DecisionTreeRegressor(missing=rule, category_split=split).fit(rows, y)
        assert np.isfinite(grown.predict(empty)).all()


@pytest.mark.parametrize("rule", ["side", "branch"])
def test_whether_there_is_a_value_is_asked_where_that_tells_most(rule: str) -> None:
    frame = pd.DataFrame({"x": [1.0, 2, np.nan, np.nan], "y": list("aabb")})
    tree = tl.DecisionTreeClassifier(missing=rule).fit(frame, "y")
    assert [str(branch) for branch in tree.tree_.branches(0)] == ["x present", "x missing"]


def test_missing_values_have_a_branch_of_their_own() -> None:
    frame = pd.DataFrame({"c": ["u", "v", None, None], "y": list("abcc")})
    tree = tl.ID3(missing="branch").fit(frame, "y")
    assert [str(b) for b in tree.tree_.branches(0)] == ["c = u", "c = v", "c missing"]
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4, np.nan, np.nan], "y": list("aabbcc")})
    tree = tl.DecisionTreeClassifier(missing="branch", max_depth=1).fit(frame, "y")
    assert [str(b) for b in tree.tree_.branches(0)] == ["x <= 2.5", "x > 2.5", "x missing"]


ONE_GAP: list[dict[str, Any]] = [
    {},
    {"bins": 50},
    {"criterion": "absolute_error"},
    {"criterion": "friedman_mse"},
    {"splitter": "random"},
    {"monotonic_cst": [1, 0]},
]


@pytest.mark.parametrize("rule", ["side", "branch"])
@pytest.mark.parametrize("options", ONE_GAP, ids=str)
def test_one_row_without_a_value_is_no_leaf_of_fifty(rule: str, options: dict[str, Any]) -> None:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(500, 2))
    y = 2 * X[:, 0]
    X[0, 0], y[0] = np.nan, 1000.0
    tree = tl.DecisionTreeRegressor(min_samples_leaf=50, missing=rule, **options).fit(X, y)
    assert tree.tree_.rows[tree.tree_.leaves].min() >= 50
    assert tree.predict([[np.nan, 0.0]])[0] < 30
    classes = tl.DecisionTreeClassifier(min_samples_leaf=50, missing=rule).fit(X, y > 0)
    assert classes.tree_.rows[classes.tree_.leaves].min() >= 50


@pytest.mark.parametrize("rule", ["side", "branch"])
def test_no_leaf_of_a_forest_is_smaller_than_it_may_be(rule: str) -> None:
    draw = np.random.default_rng(1)
    X = draw.normal(size=(400, 3))
    y = 2 * X[:, 0]
    X[:3, 0], y[:3] = np.nan, 1000.0
    for make, target in ((tl.RandomForestRegressor, y), (tl.RandomForestClassifier, y > 0)):
        forest = make(10, min_samples_leaf=30, missing=rule, bootstrap=False, max_features=None)
        forest.fit(X, target)
        for at in range(10):
            tree = forest.estimators_[at].tree_
            assert tree.rows[tree.leaves].min() >= 30
    one = tl.RandomForestRegressor(50, min_samples_leaf=30, missing=rule, random_state=0)
    assert one.fit(X, y).predict([[np.nan, 0.0, 0.0]])[0] < 200


def test_missing_values_go_with_the_side_that_they_fit_best() -> None:
    x = np.array([1.0, 2, 3, 4, 5, 6, np.nan, np.nan])
    low = tl.DecisionTreeRegressor(max_depth=1).fit(x[:, None], [0.0, 0, 0, 9, 9, 9, 0, 0])
    high = tl.DecisionTreeRegressor(max_depth=1).fit(x[:, None], [0.0, 0, 0, 9, 9, 9, 9, 9])
    assert [low.predict([[np.nan]])[0], high.predict([[np.nan]])[0]] == [0.0, 9.0]
    assert low.tree_.threshold[0] == high.tree_.threshold[0] == 3.5
    assert str(low.rules()).startswith("IF x0 <= 3.5 or missing THEN 0")


@pytest.mark.parametrize("seed", range(8))
def test_numbers_with_gaps_give_scikit_learns_tree(seed: int) -> None:
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(300, 4)).astype(np.float32).astype(float)
    y = X[:, 0] + np.abs(X[:, 1]) + draw.normal(size=300) / 4
    X[draw.random(X.shape) < 0.15] = np.nan
    asked = np.where(draw.random((200, 4)) < 0.3, np.nan, draw.normal(size=(200, 4)))
    options = {"max_depth": 4, "min_samples_leaf": 7}
    mine = tl.DecisionTreeRegressor(**options).fit(X, y)
    theirs = DecisionTreeRegressor(**options).fit(X, y)
    assert mine.tree_.threshold.tolist() == pytest.approx(theirs.tree_.threshold.tolist())
    assert mine.tree_.missing_go_to_left.tolist() == [
        bool(left) for left in theirs.tree_.missing_go_to_left
    ]
    assert mine.predict(asked).tolist() == pytest.approx(theirs.predict(asked).tolist())


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("rule", ["side", "branch"])
def test_missing_rows_too_few_for_a_leaf_split_known_rows_of_one_class(
    rule: str, criterion: str
) -> None:
    """Beside the rows of the first value they make a leaf; the other leaf is of one class."""
    X, y = np.array([[0.0]] * 4 + [[1.0]] * 8 + [[np.nan]] * 3), [*"p" * 12, *"q" * 3]
    options: dict[str, Any] = {"criterion": criterion, "min_samples_leaf": 5}
    theirs = DecisionTreeClassifier(**options).fit(X, y).tree_
    whole = {"bootstrap": False, "max_features": None}
    for tree in (
        tl.DecisionTreeClassifier(missing=rule, **options).fit(X, y).tree_,
        tl.DecisionTreeClassifier(missing=rule, bins=50, **options).fit(X, y).tree_,
        tl.RandomForestClassifier(1, missing=rule, **whole, **options)
        .fit(X, y)
        .estimators_[0]
        .tree_,
    ):
        assert tree.threshold.tolist() == theirs.threshold.tolist() == [0.5, -2.0, -2.0]
        assert tree.counts.tolist() == [[12, 3], [4, 3], [8, 0]]
        assert tree.missing_go_to_left[0]
        assert theirs.missing_go_to_left[0]


def test_a_gap_that_never_came_at_fit_follows_the_larger_side() -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4, 5], "y": list("aaabb")})
    tree = tl.DecisionTreeClassifier().fit(frame, "y")
    assert tree.apply(pd.DataFrame({"x": [np.nan]})).tolist() == [1]
    assert tree.predict_proba(pd.DataFrame({"x": [np.nan]})).tolist() == [[1.0, 0.0]]
    assert "missing" not in str(tree.rules())
    two = pd.DataFrame({"c": list("uuvvv"), "y": list("aabbb")})
    tree = tl.DecisionTreeClassifier().fit(two, "y")
    assert tree.predict(pd.DataFrame({"c": [None]})).tolist() == ["b"]
    of_each = tl.ID3().fit(pd.DataFrame({"c": list("uuvvw"), "y": list("aabbc")}), "y")
    assert of_each.apply(pd.DataFrame({"c": [None]})).tolist() == [0]


def test_the_notes_two_rules_fill_in_what_they_say(golden: dict[str, Any]) -> None:
    """Rule 1 fills the outlook of D3 with Sunny, rule 2 with Rain: 000, both corner cases."""
    entry = golden["tree.missing.table"]
    frame = pd.DataFrame(entry["inputs"]["rows"], columns=entry["inputs"]["columns"])
    by_node = tl.ID3(keep_rows=True, missing="node").fit(frame, "PlayTennis").gains()["Outlook"]
    by_class = tl.ID3(keep_rows=True, missing="class").fit(frame, "PlayTennis").gains()["Outlook"]
    with_sunny, with_rain = frame.fillna({"Outlook": "Sunny"}), frame.fillna({"Outlook": "Rain"})
    assert (
        by_node.gain == tl.ID3(keep_rows=True).fit(with_sunny, "PlayTennis").gains()["Outlook"].gain
    )
    rainy = tl.ID3(keep_rows=True).fit(with_rain, "PlayTennis").gains()["Outlook"]
    assert by_class.gain == rainy.gain == 1
    # Temperature: a tie under rule 1 goes to the first in order, and rule 2 finds no donor
    cold = frame.fillna({"Temperature": "Cold"})
    for rule in ("node", "class"):
        found = tl.ID3(missing=rule).fit(frame, "PlayTennis").gains(0, frame, "PlayTennis")
        filled = tl.ID3().fit(cold, "PlayTennis").gains(0, cold, "PlayTennis")
        assert found["Temperature"].gain == filled["Temperature"].gain


def test_a_gap_in_a_number_is_filled_by_the_median() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 9.0, np.nan], "y": list("abcded")})
    tree = tl.DecisionTreeClassifier(missing="global").fit(frame, "y")
    assert tree.predict(pd.DataFrame({"x": [np.nan, 3.0, 4.0]})).tolist() == ["c", "c", "d"]


def test_fractional_rows_are_c45s() -> None:
    """Quinlan's own example: the outlook of one of 14 days is not known (1993, chapter 3)."""
    outlook = ["Sunny"] * 5 + [None] + ["Overcast"] * 3 + ["Rain"] * 5
    play = list("YNNNYYYYYNNYYY")
    tree = tl.DecisionTreeClassifier(
        criterion="entropy", category_split="multiway", missing="fractional", keep_rows=True
    ).fit(pd.DataFrame({"outlook": outlook}), play)
    found = tree.gains()["outlook"]
    assert found.gain == pytest.approx(0.199, abs=5e-4)  # printed 0.199
    assert found.information == pytest.approx(1.809, abs=5e-4)  # printed 1.809
    sunny = next(b.node for b in tree.tree_.branches(0) if b.values == ("Sunny",))
    assert tree.tree_.n[sunny] == pytest.approx(5 + 5 / 13)
    unknown = tree.predict_proba(pd.DataFrame({"outlook": [None]}))
    assert unknown[0, 1] == pytest.approx(9 / 14, abs=0.01)


def test_strange_categories_get_the_plurality_of_their_node() -> None:
    frame = pd.DataFrame({"c": list("aabbbd"), "y": list("ppqqqr")})
    for tree in (tl.ID3(), tl.DecisionTreeClassifier()):
        tree.fit(frame, "y")
        assert tree.predict(pd.DataFrame({"c": ["zebra"]})).tolist() == ["q"]
        assert tree.apply(pd.DataFrame({"c": ["zebra"]})).tolist() == [0]


def test_categories_that_come_as_numbers_are_refused_by_name() -> None:
    tree = tl.ID3().fit(pd.DataFrame({"c": list("aabb"), "y": list("ppqq")}), "y")
    with pytest.raises(errors.ColumnError, match="'c'"):
        tree.predict(pd.DataFrame({"c": [1.5, 2.5]}))


def test_two_groups_of_categories_are_the_best_of_all() -> None:
    rng = np.random.default_rng(3)
    c = rng.integers(0, 7, 200)
    y = rng.random(200) < rng.random(7)[c]
    tree = tl.DecisionTreeClassifier(max_depth=1).fit(pd.DataFrame({"c": [f"v{i}" for i in c]}), y)
    best = 0.0
    for mask in range(1, 64):
        left = (mask >> c) & 1 == 1
        gini = [2 * y[side].mean() * (1 - y[side].mean()) * side.mean() for side in (left, ~left)]
        best = max(best, 2 * y.mean() * (1 - y.mean()) - sum(gini))
    assert tree.tree_.gain[0] == pytest.approx(best, abs=1e-12)


def test_leaves_answer_with_the_least_expected_loss() -> None:
    frame = pd.DataFrame({"x": [0.0] * 4 + [1.0] * 4, "y": list("aaabbbba")})
    usual = tl.DecisionTreeClassifier().fit(frame, "y")
    careful = tl.DecisionTreeClassifier(loss=[[0, 1], [10, 0]]).fit(frame, "y")
    assert usual.predict(frame[["x"]]).tolist() == list("aaaabbbb")
    assert careful.predict(frame[["x"]]).tolist() == ["b"] * 8
    parts = tl.DecisionTreeClassifier(loss=[[0, 1], [10, 0]], missing="fractional").fit(frame, "y")
    assert parts.predict(frame[["x"]]).tolist() == ["b"] * 8


def test_splits_that_chance_could_make_are_not_made(golden: dict[str, Any]) -> None:
    tests = golden["tree.tennis.chi2"]["exact"]["tests"]
    table = tl.example("tennis")
    p = tests["root|Outlook"]["p_value"]
    assert len(tl.ID3(significance=0.05).fit(table).tree_) == 1
    assert len(tl.ID3(significance=p - 1e-9).fit(table).tree_) == 1
    kept = tl.ID3(significance=p + 1e-9).fit(table).tree_
    assert kept.columns[kept.column[0]].name == "Outlook"
    assert len(kept) == 8  # below, p = 0.025
    restaurant = golden["tree.restaurant.chi2"]["exact"]["tests"]
    patrons = tl.ID3(significance=0.05).fit(tl.example("restaurant")).tree_
    assert restaurant["root|Pat"]["p_value"] < 0.05 < restaurant["Full|Hun"]["p_value"]
    assert [patrons.column[0], len(patrons)] == [4, 4]


def test_random_ties_are_seeded_and_listed() -> None:
    table = tl.example("restaurant")
    first = [str(tl.ID3(tie="random", random_state=seed).fit(table)) for seed in range(8)]
    again = [str(tl.ID3(tie="random", random_state=seed).fit(table)) for seed in range(8)]
    assert first == again
    assert len({*first}) > 2
    tree = tl.ID3().fit(table)
    assert [tie.chosen for tie in tree.ties()] == ["Hun", "Fri"]
    assert tree.ties()[0].path == "Pat = Full"


@pytest.mark.parametrize("make", [tl.DecisionTreeClassifier, tl.ID3, tl.C45])
def test_poor_tables_give_a_single_leaf(make: Any) -> None:
    one_class = pd.DataFrame({"x": [1.0, 2, 3], "c": list("abc"), "y": ["p"] * 3})
    constant = pd.DataFrame({"x": [1.0] * 3, "c": ["a"] * 3, "y": list("pqq")})
    nothing = pd.DataFrame({"x": [np.nan] * 3, "c": [None] * 3, "y": list("pqq")})
    for frame in (one_class, constant, nothing):
        tree = make().fit(frame, "y")
        assert len(tree.tree_) == 1
        assert tree.predict(frame.drop(columns="y")).tolist() == [frame["y"].iloc[-1]] * 3
    grown = tl.DecisionTreeRegressor().fit(nothing[["x", "c"]], [1.0, 2.0, 6.0])
    assert grown.predict(nothing[["x", "c"]]).tolist() == [3.0] * 3
    assert len(make(max_depth=0).fit(one_class.assign(y=list("pqq")), "y").tree_) == 1


def test_a_hundred_thousand_categories_are_no_trouble() -> None:
    n = 100_000
    names = np.char.add("v", np.arange(n).astype(str))
    frame = pd.DataFrame({"id": names, "x": np.arange(n) % 7})
    y = (np.arange(n) % 7 == 3).astype(int)
    assert len(tl.DecisionTreeClassifier().fit(frame[["x"]], y).tree_) == 5
    assert len(tl.DecisionTreeClassifier().fit(frame, y).tree_) == 5  # it has rare values only
    both = tl.DecisionTreeClassifier(min_samples_category=1).fit(frame[["x", "id"]], y)
    assert both.tree_.node(0).column == "id"  # an identifier tells all apart
    every = tl.ID3().fit(frame[["id"]], y)
    assert len(every.tree_) == n + 1
    assert every.score(frame[["id"]], y) == 1
    two = tl.DecisionTreeClassifier(min_samples_category=1).fit(frame[["id"]], y)
    assert len(two.tree_) == 3


@pytest.mark.parametrize("rule", ["side", "branch", "node", "class", "global"])
def test_a_weight_is_a_row_repeated_where_gaps_are_filled(rule: str) -> None:
    """Unweighed, most rows have c = x and a = 1; weighed, c = y and a = 5."""
    frame = pd.DataFrame({"c": [*"xxxyy", None, None], "a": [1.0, 1, 1, 5, 5, None, None],
                          "y": [*"pppqqqp"]})  # fmt: skip
    weight = np.array([1.0, 1, 1, 4, 4, 2, 1])
    weighed = tl.DecisionTreeClassifier(missing=rule).fit(frame, "y", weight)
    twice = frame.loc[frame.index.repeat(weight.astype(int))]
    repeated = tl.DecisionTreeClassifier(missing=rule).fit(twice, "y")
    assert weighed.tree_.counts.tolist() == repeated.tree_.counts.tolist()
    assert weighed.text().split("[")[0] == repeated.text().split("[")[0]


def test_rows_of_no_weight_are_not_there() -> None:
    weight = np.array([1.0, 1, 1, 0, 0, 1, 1, 1])
    for tree in (tl.DecisionTreeClassifier(), tl.C45()):
        tree.fit(GAPS[["x", "c"]], GAPS["y"], sample_weight=weight)
        rest = GAPS[weight > 0]
        assert modelfile.digests(tree) == modelfile.digests(
            type(tree)(**tree.get_params()).fit(
                rest[["x", "c"]], rest["y"], sample_weight=np.ones(6)
            )
        )
    with pytest.raises(errors.InputError, match="every row has weight zero"):
        tl.DecisionTreeClassifier().fit(GAPS[["x"]], GAPS["y"], sample_weight=np.zeros(8))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"costs": {"z": 2}}, "costs has 'z'.*the columns 'x', 'c'"),
        ({"costs": {"x": 0}}, "the cost of 'x' is 0. Give a number above zero"),
        ({"costs": 3}, "'costs' parameter .* a dict of column and cost"),
        ({"loss": [[0, 1, 2], [1, 0, 1], [1, 1, 0]]}, "shape .3, 3., and there are 2 classes"),
        ({"loss": [[0, -1], [1, 0]]}, "costs of 0 or more"),
        ({"criterion": lambda counts: np.nan}, "must be one of .gini., .entropy."),
        ({"criterion": "variance"}, "'criterion' parameter"),
        ({"max_depth": -1}, "'max_depth' parameter"),
        ({"max_depth": 2.5}, "'max_depth' parameter"),
        ({"min_samples_leaf": 0}, "'min_samples_leaf' parameter"),
        ({"min_samples_split": 1}, "'min_samples_split' parameter"),
        ({"max_features": 0}, "'max_features' parameter"),
        ({"max_leaf_nodes": 1}, "'max_leaf_nodes' parameter"),
        ({"bins": 1}, "'bins' parameter"),
        ({"significance": 0.0}, "'significance' parameter"),
        ({"splitter": "worst"}, "'splitter' parameter"),
        ({"missing": "drop"}, "'missing' parameter"),
        ({"class_weight": "heavy"}, "'class_weight' parameter .* 'balanced', a dict"),
        ({"criterion": "gain_ratio", "costs": {"x": 2}}, "costs .*gain_ratio.*entropy"),
        ({"random_state": "seven"}, "'random_state' parameter .* an int"),
        ({"missing": "class", "min_samples_leaf": 2}, "missing=.class. with row weights"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_for_is_said(options: dict[str, Any], words: str) -> None:
    weight = np.arange(1.0, 9)
    with pytest.raises(errors.TallyError, match=f"DecisionTreeClassifier.fit: .*{words}"):
        tl.DecisionTreeClassifier(**options).fit(GAPS[["x", "c"]], GAPS["y"], sample_weight=weight)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"criterion": "poisson", "ccp_alpha": "cv"}, "by squared errors"),
        ({"criterion": "absolute_error", "pruning": "reduced_error"}, "by squared errors"),
        ({"criterion": "absolute_error", "ccp_alpha": "cv"}, "by squared errors"),
        ({"criterion": "gini"}, "'criterion' parameter"),
        ({"missing": "class"}, "a regression has no classes"),
    ],
)
def test_what_a_regression_cannot_do_is_said(options: dict[str, Any], words: str) -> None:
    with pytest.raises(errors.OptionError, match=words):
        tl.DecisionTreeRegressor(**options).fit(GAPS[["x"]], np.arange(8.0))


def test_infinities_and_text_are_refused() -> None:
    with pytest.raises(errors.TargetError, match="overflows a double"):
        tl.DecisionTreeRegressor().fit([[1.0], [2.0]], [-1e300, 1e300])
    with pytest.raises(errors.ColumnError, match="infinity"):
        tl.DecisionTreeClassifier().fit([[1.0], [np.inf]], [0, 1])
    text = pd.DataFrame({"t": [f"one two three {i}" for i in range(4)], "y": list("abab")})
    with pytest.raises(errors.ColumnError, match="holds text"):
        tl.DecisionTreeClassifier().fit(text, "y")


def test_gains_without_kept_rows_ask_for_the_table_again(tmp_path: Path) -> None:
    tree = tl.DecisionTreeClassifier(keep_rows=True).fit(GAPS, GAPS.columns[-1])
    tree.save(tmp_path / "t.tally")
    again = tl.load(tmp_path / "t.tally")
    with pytest.raises(errors.InputError, match=r"model file.*keep_rows=True.*gains"):
        again.gains()
    assert str(again.gains(0, GAPS, GAPS.columns[-1])) == str(tree.gains())
    with pytest.raises(errors.OptionError, match=r"node is 9.*0 to"):
        tree.gains(99)


def test_whole_measures_come_back_as_they_were() -> None:
    rng = np.random.default_rng(0)
    for y in (
        rng.integers(-5, 10**6, 50).astype(float), rng.normal(size=50) * 1e-300,
        rng.normal(size=50) * 1e140, np.array([77.0, 4513, 870.5] * 10),
    ):  # fmt: skip
        X = np.arange(len(y), dtype=float)[:, None]
        tree = tl.DecisionTreeRegressor().fit(X, y)
        assert np.allclose(tree.predict(X), y, rtol=1e-12, atol=1e-12 * np.abs(y).max())
        if (y == np.floor(2 * y) / 2).all() and np.abs(y).max() < 1e9:
            assert tree.predict(X).tolist() == y.tolist()


def test_an_explanation_says_that_a_missing_value_follows_a_branch() -> None:
    X = np.arange(40.0)[:, None].repeat(2, axis=1)
    X[3, 0] = np.nan
    tree = tl.DecisionTreeRegressor(max_depth=1).fit(
        X[:, :1], np.where(np.arange(40) < 20, 1.0, 5.0)
    )
    told = str(tree.explain(X[3:4, :1]))
    assert "\n\nx0 <= 19.5, so 1 (" in told
    assert "x0 is missing, and follows the branches named in the path" in told
    assert "missing" not in str(tree.explain(X[4:5, :1]))
