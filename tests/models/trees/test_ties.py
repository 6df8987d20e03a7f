"""Ties between classes, classes that no row has, and criteria of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import errors
from tallylearn.models.trees.pruning.reduced_error import training_costs

HALVES = pd.DataFrame({"a": list("xxyzz"), "c": ["Yes", "No", "No", "Yes", "No"]})


# ---- ties between classes


def test_a_tie_has_the_first_class_a_random_one_or_none() -> None:
    first = tl.ID3().fit(HALVES, "c")
    assert first.predict({"a": "x"}).tolist() == ["No"]
    said = [
        tl.ID3(tie="random", random_state=s).fit(HALVES, "c").predict(HALVES) for s in range(20)
    ]
    assert {row[0] for row in said} == {"Yes", "No"}
    assert len({(row[0], row[3]) for row in said}) == 4  # every node draws for itself
    assert {row[2] for row in said} == {"No"}
    again = tl.ID3(tie="random", random_state=7).fit(HALVES.iloc[::-1], "c").predict(HALVES)
    assert again.tolist() == said[7].tolist()
    none = tl.ID3(tie="undefined").fit(HALVES, "c")
    assert none.predict(HALVES).tolist() == [
        "undefined",
        "undefined",
        "No",
        "undefined",
        "undefined",
    ]
    assert none.predict(HALVES).dtype == object


def test_no_answer_is_a_wrong_one_and_is_told_as_none() -> None:
    tree = tl.ID3(tie="undefined").fit(HALVES, "c")
    assert tree.score(HALVES, "c") == 1 / 5
    assert tree.predict_proba({"a": "x"}).tolist() == [[0.5, 0.5]]
    assert tree.tree_.node(1).answer == "undefined"
    assert "a = x: undefined  [No 1 Yes 1]" in str(tree)
    assert "IF a = x THEN undefined (0 of 2" in str(tree.rules())
    assert "50.0 %" in str(tree.explain({"a": "x"}))
    pruned = tree.prune("reduced_error", HALVES, "c")  # as a leaf, No is right three times of five
    assert len(pruned.tree_) == 1
    with pytest.raises(
        errors.InputError, match="tie='undefined' leaves a row without a prediction"
    ):
        tl.evaluate(tree, pd.DataFrame({"a": ["x"] * 20, "c": ["No", "Yes"] * 10}), "c", cv=2)


def test_numbers_that_tie_are_undefined_too(tmp_path: Path) -> None:
    tree = tl.DecisionTreeClassifier(tie="undefined").fit([[1], [1], [2]], [0, 1, 1])
    assert tree.predict([[1], [2]]).tolist() == ["undefined", 1]
    tree.save(tmp_path / "t.tally")
    back = tl.load(tmp_path / "t.tally")
    assert back.predict([[1], [2]]).tolist() == ["undefined", 1]
    assert back.tie == "undefined"


def test_rows_in_parts_tie_as_others_do() -> None:
    frame = pd.DataFrame({"a": list("xxyy"), "c": list("pqpq")})
    tied = tl.ID3(missing="fractional", tie="undefined").fit(frame, "c")
    assert tied.predict({"a": None}).tolist() == ["undefined"]
    drawn = {
        tl.ID3(missing="fractional", tie="random", random_state=s)
        .fit(frame, "c")
        .predict({"a": None})[0]
        for s in range(12)
    }
    assert drawn == {"p", "q"}


def test_a_program_ties_as_its_tree_does() -> None:
    names: dict[str, Any] = {}
    exec(tl.ID3(tie="undefined").fit(HALVES, "c").rules().to_python(), names)
    assert [names["predict"]({"a": value}) for value in "xyz"] == ["undefined", "No", "undefined"]
    parts = tl.ID3(missing="fractional", tie="undefined").fit(HALVES, "c")
    with pytest.raises(errors.OptionError, match="Fit with tie='first'"):
        parts.rules().to_python()


def test_losses_tie_as_counts_do() -> None:
    loss = [[0, 1], [2, 0]]
    rows, c = [["x"]] * 3, ["a", "a", "b"]  # 2 for b or 2 for a
    assert tl.ID3(loss=loss).fit(rows, c).predict([["x"]]).tolist() == ["a"]
    assert tl.ID3(loss=loss, tie="undefined").fit(rows, c).predict([["x"]]).tolist() == [
        "undefined"
    ]


def test_no_answer_costs_as_much_as_the_worst_one() -> None:
    losses = np.array([[0.0, 5.0, 1.0], [1.0, 0.0, 2.0], [4.0, 3.0, 0.0]])
    tree = tl.ID3(tie="undefined").fit(pd.DataFrame({"x": [*"uuu"]}), [*"abc"]).tree_
    assert tree.answer.tolist() == [-1]
    assert training_costs(tree, losses).leaf.tolist() == [5.0 + 2.0 + 4.0]


def test_undefined_cannot_be_a_class_and_no_answer() -> None:
    with pytest.raises(errors.OptionError, match="Rename the class"):
        tl.ID3(tie="undefined").fit([["x"], ["y"]], ["undefined", "known"])
    with pytest.raises(errors.OptionError, match="'tie' parameter"):
        tl.DecisionTreeRegressor(tie="undefined").fit([[1.0], [2.0]], [1.0, 2.0])


# ---- classes that no row has


def named(rows: Any, **options: Any) -> Any:
    return tl.table(rows, target="c", classes=["Maybe", "No", "Yes"], **options)


@pytest.mark.parametrize("how", ["frame", "file", "array"])
def test_a_class_that_no_row_has_can_be_declared(how: str, tmp_path: Path) -> None:
    HALVES.to_csv(tmp_path / "h.csv", index=False)
    for model in (tl.ID3(), tl.C45(), tl.NaiveBayes(), tl.DummyClassifier(strategy="prior")):
        if how == "array":
            table = tl.table(HALVES[["a"]], classes=["Maybe", "No", "Yes"])
            model.fit(table, HALVES["c"].to_numpy())
        else:
            model.fit(named(HALVES if how == "frame" else tmp_path / "h.csv"))
        assert model.classes_.tolist() == ["Maybe", "No", "Yes"]
        assert (model.predict_proba(HALVES[["a"]])[:, 0] == 0).all()
        model.save(tmp_path / "m.tally")
        assert tl.load(tmp_path / "m.tally").classes_.tolist() == ["Maybe", "No", "Yes"]


def test_declared_classes_count_where_classes_are_counted() -> None:
    """C4.5 asks a tenth of the mean class on both sides of a cut: more classes, smaller sides."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.normal(size=100))
    frame = pd.DataFrame({"x": x, "c": np.where(np.arange(100) < 3, "rare", "usual")})
    two = tl.C45(pruning=None).fit(frame, "c")
    many = tl.C45(pruning=None).fit(
        tl.table(frame, target="c", classes=["rare", "usual", *(f"never {i}" for i in range(5))])
    )
    assert two.tree_.rows.tolist() != many.tree_.rows.tolist()
    assert many.tree_.rows[1] == 3
    assert two.tree_.rows[1] == 5


def test_losses_and_folds_go_with_declared_classes() -> None:
    frame = pd.concat([HALVES] * 6, ignore_index=True)
    loss = 1 - np.eye(3)
    for tree in (tl.ID3(loss=loss), tl.ID3(pruning="reduced_error"), tl.ID3(ccp_alpha="cv")):
        found = tl.evaluate(tree, named(frame), cv=3)
        assert 0 <= found["accuracy"].pooled <= 1


def test_weights_keep_declared_classes_and_others_are_refused() -> None:
    heavy = HALVES.assign(w=[1.0, 1, 1, 1, 0])
    assert len(tl.ID3().fit(named(heavy, weight="w")).classes_) == 3
    with pytest.raises(
        errors.TargetError, match="has the class 'Yes', which classes= does not list"
    ):
        tl.ID3().fit(tl.table(HALVES, target="c", classes=["No", "Maybe"]))
    numbers = tl.table(pd.DataFrame({"x": [1.0, 2], "y": [1.0, 2]}), target="y", classes=[1, 2, 3])
    with pytest.raises(errors.TargetError, match="a regressor needs numbers"):
        tl.DecisionTreeRegressor().fit(numbers)


def test_equal_rows_draw_equal_answers_whatever_stands_beside_them() -> None:
    frame = pd.DataFrame({"a": [*"xxyyzz", None, None], "c": [*"pqppqq", "p", "q"]})
    for seed in range(12):
        for missing in ("branch", "fractional"):
            tree = tl.ID3(missing=missing, tie="random", random_state=seed).fit(frame, "c")
            said = tree.predict(frame).tolist()
            assert (said[0], said[6]) == (said[1], said[7])
            assert said == [tree.predict(frame[i : i + 1])[0] for i in range(8)]
            assert said == [row.chosen for row in tree.explain(frame)]
            assert f"IF a = x THEN {said[0]} " in str(tree.rules())


def test_an_explanation_says_that_classes_tie_and_have_no_answer() -> None:
    for missing in ("branch", "fractional"):
        tree = tl.ID3(missing=missing, tie="undefined").fit(HALVES, "c")
        told = [str(tree.explain(HALVES[i : i + 1])) for i in range(len(HALVES))]
        tied = (tree.predict(HALVES) == "undefined").tolist()
        assert ["classes tie: the prediction is undefined" in row for row in told] == tied
        assert any(tied)
        assert not all(tied)


def test_a_seed_that_is_none_is_refused_after_the_fit_too() -> None:
    tree = tl.DecisionTreeClassifier(tie="random").fit(tl.example("tennis"))
    tree.set_params(random_state="seven")
    with pytest.raises(errors.OptionError, match=r"random_state is 'seven'\. Set an int"):
        tree.gains()
