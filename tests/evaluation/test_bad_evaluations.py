"""Bad input of ``tl.evaluate`` gets one of our errors, with the fold, the row and the value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

import tallylearn as tl
from tallylearn import errors
from tests.printed_text import unwrapped

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.array(["a", "b"] * 20)
V = RNG.normal(size=40)
FRAME = pd.DataFrame(X, columns=list("pqr")).assign(y=Y)
BAYES = tl.NaiveBayes()


class Odd:
    """A classifier with scikit-learn's manners, and whatever predictions a test needs."""

    _estimator_type = "classifier"

    def __init__(self, said: Callable[[Any], Any] | None = None, fails: Any = None) -> None:
        self.said, self.fails = said, fails

    def fit(self, X: Any, y: Any) -> Odd:
        self.classes_ = np.unique(y)
        if self.fails is not None and self.fails(X):
            raise ValueError("no luck")
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0]) if self.said is None else self.said(X)


class Unsure(Odd):
    """The same with probabilities."""

    def __init__(self, shares: Callable[[Any], Any]) -> None:
        super().__init__()
        self.shares = shares

    def predict_proba(self, X: Any) -> Any:
        return self.shares(X)


class Measuring(Odd):
    """The same for numbers."""

    _estimator_type = "regressor"


# tables and targets


def test_a_class_with_fewer_rows_than_folds_is_named() -> None:
    y = ["a"] * 37 + ["b"] * 3
    found = tl.evaluate(BAYES, X, y)
    said = "The class 'b' (3 rows) has fewer rows than the 10 parts, so some parts"
    assert found.remarks == (f"{said} have none of it.",)
    assert said in unwrapped(found)
    assert tl.evaluate(BAYES, X, y, cv=3).remarks == ()
    assert tl.evaluate(BAYES, X, y, cv=tl.Folds.k(4, stratified=False)).n == 40


def test_one_class_is_learned_and_said() -> None:
    found = tl.evaluate(BAYES, X, ["a"] * 40)
    assert found["accuracy"].value == found["accuracy"].baseline == 1
    assert "All rows have the class 'a'." in str(found)
    with pytest.raises(errors.InputError, match=r"LogisticRegression failed on fold 0: ValueError"):
        tl.evaluate(LogisticRegression(), X, ["a"] * 40)


def test_unequal_folds_report_their_mean_and_keep_the_pooled_score() -> None:
    found = tl.evaluate(BAYES, X[:13], Y[:13], cv=5)
    accuracy, said = found["accuracy"], found.predictions
    right = said["said"] == said["truth"]
    assert accuracy.pooled == right.mean()
    assert accuracy.by_fold == tuple(right[said["fold"] == fold].mean() for fold in range(5))
    assert accuracy.value == pytest.approx(np.mean(accuracy.by_fold), rel=1e-15)
    assert accuracy.value != accuracy.pooled
    line = next(line for line in str(found).splitlines() if line.startswith("accuracy  "))
    assert line.split()[1] == f"{accuracy.value:.3f}"


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([None, *Y[1:]], "the target is missing in row 0"),
        (Y[:-1], "40 rows, and the target has 39"),
        (V, r"in row 0, which is not a class. Use a regressor"),
        (None, "no target was passed"),
        ([[1], [1, 2]] * 20, "rows of different lengths"),
        (X, r"the shape \(40, 3\)"),
        ([["a", "b"]] * 40, r"the shape \(40, 2\)"),
    ],
)
def test_a_target_that_is_no_class_is_refused(y: Any, words: str) -> None:
    for learner in (BAYES, GaussianNB()):
        with pytest.raises(errors.TargetError, match=words):
            tl.evaluate(learner, X, y)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (Y, r"text \('a' in row 0\), and regression needs numbers"),
        ([*V[:-1], np.nan], "missing in row 39"),
        ([*V[:-1], -np.inf], "-inf in row 39"),
        (np.column_stack([V, V])[:-1], "40 rows, and the target has 39"),
        (np.column_stack([V, [*V[:-1], np.nan]]), "row 39"),
        ([["1", "one"]] * 40, "2 columns that are not all numbers"),
    ],
)
def test_a_target_that_is_no_number_is_refused(y: Any, words: str) -> None:
    for learner in (tl.DummyRegressor(), LinearRegression()):
        with pytest.raises(errors.TargetError, match=words):
            tl.evaluate(learner, X, y)


def test_a_table_without_rows_or_columns_is_refused_as_by_fit() -> None:
    for learner in (BAYES, GaussianNB()):
        for table in (FRAME[:0], pa.table({"p": pa.array([], pa.float64()), "y": []})):
            with pytest.raises(errors.InputError, match="no row"):
                tl.evaluate(learner, table, "y")
    with pytest.raises(errors.InputError, match=r"NaiveBayes.fit: the table has no columns"):
        tl.evaluate(BAYES, FRAME[["y"]], "y")
    assert tl.evaluate(tl.DummyClassifier(), FRAME[["y"]], "y")["accuracy"].value == 0.5


def test_what_a_learner_cannot_read_is_said_before_the_first_fold() -> None:
    table = FRAME.assign(c=["u", "v"] * 20)
    with pytest.raises(errors.ColumnError, match=r"^evaluate: NearestCentroid.fit: column 'c'"):
        tl.evaluate(tl.NearestCentroid(), table, "y", on_error="keep")
    with pytest.raises(errors.OptionError, match=r"^evaluate: NaiveBayes.fit: .*'alpha'"):
        tl.evaluate(tl.NaiveBayes(alpha=-1), table, "y", on_error="keep")


# groups, weights, columns


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ([1] * 40, "all rows are in the group 1"),
        (["u", "v"] * 20, r"2 groups \('u', 'v'\) for 10 parts"),
        ([1.0, np.nan] * 20, "the group is missing in row 1"),
        ([1, 2] * 10, "40 rows, but groups has 20 values"),
        (X, r"the shape \(40, 3\)"),
        ("z", "groups: the table has no column 'z'. It has 'p', 'q', 'r'"),
    ],
)
def test_groups_that_cannot_be_split_are_refused(groups: Any, words: str) -> None:
    with pytest.raises(errors.InputError, match=words):
        tl.evaluate(BAYES, FRAME, "y", groups=groups)


def test_the_row_without_a_group_is_numbered_as_in_its_source(tmp_path: Path) -> None:
    frame = FRAME.assign(g=["u", "v"] * 19 + [None, "u"], w=[0.0] * 10 + [1.0] * 30)
    frame.to_csv(tmp_path / "g.csv", index=False)
    for source, row in ((frame, 38), (tmp_path / "g.csv", 40)):  # the header is line 1
        with pytest.raises(errors.InputError, match=f"the group is missing in row {row}"):
            tl.evaluate(BAYES, tl.table(source, target="y", groups="g", weight="w"), cv=2)


def test_groups_of_vectors_are_as_many_as_rows() -> None:
    with pytest.raises(errors.InputError, match="40 rows, but groups has 20 values"):
        tl.evaluate(LinearRegression(), X, np.column_stack([V, V]), groups=[1, 2] * 10)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ([-1] + [1] * 39, "-1.0 in row 0, which is negative"),
        ([1] * 39 + [np.nan], "nan in row 39"),
        ([1] * 39, "39 values for 40 rows"),
        ([0] * 40, "Give some rows a weight above zero"),
        (["a"] * 40, "'a' in row 0.*not a number"),
    ],
)
def test_weights_that_are_none_are_refused(weight: list[Any], words: str) -> None:
    for learner in (BAYES, GaussianNB()):
        with pytest.raises(errors.InputError, match=words):
            tl.evaluate(learner, X, Y, sample_weight=weight)


def test_an_estimator_that_takes_no_weights_is_named_before_the_first_fold() -> None:
    with pytest.raises(errors.OptionError, match=r"Odd.fit takes no sample_weight. Leave"):
        tl.evaluate(Odd(), X, Y, sample_weight=[1] * 40, on_error="keep")


def test_by_is_a_column_of_the_table() -> None:
    with pytest.raises(errors.ColumnError, match=r"by is 'z'.* Choose from 'p'"):
        tl.evaluate(BAYES, FRAME, "y", by="z")
    with pytest.raises(errors.ColumnError, match="by is 'z'"):
        tl.evaluate(LinearRegression(), FRAME[list("pqr")], np.column_stack([V, V]), by="z")
    with pytest.raises(errors.OptionError, match=r"by is array[\s\S]* Give the name of a column"):
        tl.evaluate(BAYES, FRAME, "y", by=Y)


@pytest.mark.parametrize("values", [["u", "v", None, "u"], [1.0, 2.0, np.nan, 1.0]])
def test_rows_without_a_group_are_scored_under_none_and_shown_last(values: list[Any]) -> None:
    found = tl.evaluate(BAYES, FRAME.assign(k=values * 10), "y", by="k")
    assert list(found.by_group("accuracy")) == [values[0], values[1], None]
    shown = str(found).split("accuracy by k")[1].splitlines()[2:5]
    first = "u" if values[0] == "u" else "1"
    assert [line.split()[0] for line in shown] == [first, "v" if first == "u" else "2", "missing"]
    with pytest.raises(errors.OptionError, match=r"'mae'.* Choose from 'accuracy'"):
        found.by_group("mae")


# options


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ("mae", "'mae' is for a regressor, but this is a classifier"),
        (["accuracy", "acuracy"], "no score 'acuracy'"),
        ([], "scoring is empty"),
        (3, "scoring is 3"),
        ([len], "<built-in function len> is not a function of .y_true, y_pred."),
    ],
)
def test_scores_that_do_not_fit_are_refused_before_the_work(scores: Any, words: str) -> None:
    def never(rows: Any) -> bool:
        pytest.fail("a fold was fitted")

    for learner in (BAYES, Odd(fails=never)):
        with pytest.raises(errors.OptionError, match=words):
            tl.evaluate(learner, X, Y, scores=scores)


def test_scores_that_this_estimator_or_target_cannot_have_are_refused() -> None:
    with pytest.raises(errors.OptionError, match="'log_loss' needs probabilities"):
        tl.evaluate(Odd(), X, Y, scores="log_loss")
    with pytest.raises(errors.OptionError, match="'f1' is about one class, and there are 3"):
        tl.evaluate(BAYES, X[:39], ["a", "b", "c"] * 13, scores="f1")
    with pytest.raises(errors.OptionError, match="'accuracy' is for a classifier"):
        tl.evaluate(tl.DummyRegressor(), X, V, scores="accuracy")


def test_the_positive_class_is_one_of_the_classes() -> None:
    for scores in (None, "accuracy"):
        with pytest.raises(errors.OptionError, match=r"positive is 'z'.* Choose from 'a', 'b'"):
            tl.evaluate(BAYES, X, Y, positive="z", scores=scores)
    with pytest.raises(errors.OptionError, match="positive is 'a', but a regressor"):
        tl.evaluate(tl.DummyRegressor(), X, V, positive="a")


MASK = np.arange(40) < 20


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        (0, "number is 0. Give a whole number, 2 or more"),
        (1, "number is 1"),
        (-3, "number is -3"),
        (41, "40 rows cannot be split into 41 parts"),
        ("ten", "cv is 'ten'"),
        ("10", "cv is '10'"),
        (10.0, "cv is 10.0"),
        (True, "cv is True"),
        ([], r"cv is \[\]"),
        ({}, r"cv is \{\}"),
        ([1, 2], "split 0 is 1. Pass a pair"),
        ([([0, 1], [1, 2])], "row 1 both in train and in test"),
        ([([0, 1], [40])], "has row 40.* from 0 to 39"),
        ([([0, 1], [-1])], "has row -1"),
        ([([], [1])], "train is empty"),
        ([([0], [])], "test is empty"),
        ([([0.5], [1])], "Pass row numbers"),
        ([(MASK[:30], ~MASK)], "a mask of 30 values, but the table has 40 rows"),
    ],
)
def test_folds_that_are_none_are_refused(cv: Any, words: str) -> None:
    for learner in (BAYES, GaussianNB()):
        with pytest.raises(errors.TallyError, match=words):
            tl.evaluate(learner, X, Y, cv=cv)


def test_without_folds_the_learner_is_fitted_already() -> None:
    for learner in (BAYES, GaussianNB()):
        with pytest.raises(errors.NotFitted, match="not fitted yet"):
            tl.evaluate(learner, X, Y, cv=None)
        with pytest.raises(errors.TallyError, match="cv is None"):
            tl.compare([learner, learner], X, Y, cv=None)


def test_masks_are_the_rows_that_they_mark() -> None:
    marked = tl.evaluate(BAYES, X, Y, cv=[(MASK, ~MASK)])
    numbered = tl.evaluate(BAYES, X, Y, cv=[(range(20), range(20, 40))])
    assert marked["accuracy"].value == numbered["accuracy"].value
    assert marked.predictions["row"].tolist() == list(range(20, 40))


@pytest.mark.parametrize("level", [0, 1, 95, -1, "x", None, np.nan, True])
def test_a_level_lies_between_0_and_1(level: Any) -> None:
    with pytest.raises(errors.OptionError, match=r"level is .* between 0 and 1"):
        tl.evaluate(BAYES, X, Y, level=level)


def test_on_error_is_one_of_two() -> None:
    with pytest.raises(errors.OptionError, match=r"on_error is 'ignore'. Give 'raise' or 'keep'"):
        tl.evaluate(BAYES, X, Y, on_error="ignore")


# estimators


@pytest.mark.parametrize("thing", [object(), "bayes", None, X])
def test_what_cannot_fit_and_predict_is_refused(thing: Any) -> None:
    with pytest.raises(errors.KindError, match=f"type {type(thing).__name__} is neither"):
        tl.evaluate(thing, X, Y)


def test_a_class_is_no_estimator_yet() -> None:
    for kind in (tl.NaiveBayes, GaussianNB):
        with pytest.raises(errors.KindError, match=rf"Pass an instance: {kind.__name__}\(\)"):
            tl.evaluate(kind, X, Y)


def fails_without_row_0(rows: Any) -> bool:
    return not (rows == X[0]).all(axis=1).any()


def test_a_fold_that_fails_is_named_and_stops_or_is_left_out() -> None:
    odd, sound = Odd(fails=fails_without_row_0), Odd()
    plain = tl.evaluate(sound, X, Y, cv=4)
    where = int(plain.predictions["fold"][plain.predictions["row"] == 0][0])
    with pytest.raises(errors.InputError, match=f"Odd failed on fold {where}: ValueError"):
        tl.evaluate(odd, X, Y, cv=4)
    kept = tl.evaluate(odd, X, Y, cv=4, on_error="keep")
    assert [(f.fold, f.reason) for f in kept.failures] == [(where, "ValueError: no luck")]
    assert 0 not in kept.predictions["row"]
    others = [fold for fold in range(4) if fold != where]
    assert kept["accuracy"].by_fold == tuple(plain["accuracy"].by_fold[fold] for fold in others)
    assert len(kept.baseline) == 3
    assert f"Failed on 1 fold, left out. Fold {where}: ValueError: no luck" in str(kept)


def test_a_learner_that_fails_on_every_fold_is_refused_either_way() -> None:
    with pytest.raises(errors.InputError, match=r"every fold. The first failure: ValueError"):
        tl.evaluate(Odd(fails=lambda rows: True), X, Y, on_error="keep")


def shares(value: float, row: int) -> Callable[[Any], Any]:
    """Probabilities of 1/2, but for one row of the table."""

    def answer(rows: Any) -> Any:
        out = np.full((len(rows), 2), 0.5)
        out[(rows == X[row]).all(axis=1)] = [1 - value, value]
        return out

    return answer


@pytest.mark.parametrize("row", [0, 13, 39])
def test_a_probability_that_is_none_is_named_with_its_row_and_class(row: int) -> None:
    for value, first, name in ((1.5, -0.5, "a"), (-0.25, 1.25, "a"), (np.nan, np.nan, "a")):
        words = rf"row {row} has the probability {first} for class '{name}'"
        with pytest.raises(errors.InputError, match=words):
            tl.evaluate(Unsure(shares(value, row)), X, Y)
    kept = tl.evaluate(Unsure(shares(1.5, row)), X, Y, on_error="keep")
    assert len(kept.failures) == 1
    assert f"row {row} has the probability -0.5" in kept.failures[0].reason


def test_rows_of_weight_zero_do_not_shift_the_number_of_a_row() -> None:
    class Weighed(Unsure):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Odd:
            return super().fit(X, y)

    weight = np.where(np.arange(40) < 10, 0, 1)
    with pytest.raises(errors.InputError, match=r"row 25 has the probability -0.5"):
        tl.evaluate(Weighed(shares(1.5, 25)), X, Y, sample_weight=weight, cv=3)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda rows: np.full((len(rows), 2), 0.4), r"row \d+ sum to 0.8"),
        (lambda rows: np.full(len(rows), 0.5), r"the shape \(4,\), but there are 2 classes"),
        (lambda rows: np.full((len(rows), 3), 1 / 3), r"the shape \(4, 3\)"),
        (
            lambda rows: np.full((len(rows) - 1, 2), 0.5),
            "predict_proba returned 3 predictions for 4 rows",
        ),
        (lambda rows: None, "predict_proba returned None for 4 rows"),
    ],
)
def test_probabilities_of_another_shape_are_refused(answer: Any, words: str) -> None:
    with pytest.raises(errors.InputError, match=rf"Unsure on fold 0: .*{words}"):
        tl.evaluate(Unsure(answer), X, Y)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda rows: ["z"] * len(rows), "predict returned 'z'.* classes 'a', 'b'"),
        (lambda rows: [7] * len(rows), "predict returned 7"),
        (lambda rows: [np.nan] * len(rows), "predict returned nan"),
        (lambda rows: np.array(["a", None, "a", "b"], dtype=object), "predict returned None"),
        (lambda rows: ["a"] * (len(rows) - 1), "predict returned 3 predictions for 4 rows"),
        (lambda rows: ["a"] * (len(rows) + 1), "predict returned 5 predictions for 4 rows"),
        (lambda rows: "a", "predict returned 'a' for 4 rows"),
        (lambda rows: None, "predict returned None for 4 rows"),
    ],
)
def test_answers_that_are_no_class_are_refused(answer: Any, words: str) -> None:
    with pytest.raises(errors.InputError, match=f"Odd on fold 0: {words}"):
        tl.evaluate(Odd(answer), X, Y)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda rows: [np.nan] * len(rows), r"row \d+ is nan"),
        (lambda rows: [np.inf] * len(rows), r"row \d+ is inf"),
        (
            lambda rows: ["a"] * len(rows),
            r"predict returned 'a', but the target is a number",
        ),
        (lambda rows: [1.0] * (len(rows) - 1), "predict returned 3 predictions for 4 rows"),
        (lambda rows: np.ones((len(rows), 2)), r"the shape \(4,\), and the predictions \(4, 2\)"),
        (lambda rows: None, "predict returned None for 4 rows"),
    ],
)
def test_answers_that_are_no_number_are_refused(answer: Any, words: str) -> None:
    with pytest.raises(errors.InputError, match=f"Measuring on fold 0: .*{words}"):
        tl.evaluate(Measuring(answer), X, V)


# kinds of tables


def test_rows_are_numbered_by_place_whatever_the_index() -> None:
    for index in (RNG.permutation(40), [5] * 40, list("xy") * 20):
        frame = FRAME.set_axis(index, axis=0)
        for learner in (BAYES, GaussianNB()):
            for table, y in ((frame, "y"), (frame[list("pqr")], frame["y"])):
                found = tl.evaluate(learner, table, y)
                plain = tl.evaluate(learner, X, Y)
                assert (found.predictions["truth"] == Y[found.predictions["row"]]).all()
                assert found["log_loss"].value == plain["log_loss"].value


def test_every_kind_of_table_gives_the_same_scores() -> None:
    rows = FRAME.to_dict("records")
    columns = {name: FRAME[name].tolist() for name in FRAME}
    tables = [FRAME, pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME), rows, columns]
    for learner in (BAYES, GaussianNB()):
        plain = tl.evaluate(learner, X, Y)["log_loss"].value
        for table in (*tables, tl.table(FRAME, target="y")):
            target = None if isinstance(table, type(tl.table(X))) else "y"
            assert tl.evaluate(learner, table, target)["log_loss"].value == plain
    lazy = tl.evaluate(BAYES, pl.from_pandas(FRAME).lazy(), "y")
    assert lazy["log_loss"].value == tl.evaluate(BAYES, X, Y)["log_loss"].value


def test_a_path_with_another_librarys_estimator_needs_numbers_or_a_frame(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "n.csv", index=False)
    FRAME.assign(c=["u", "v"] * 20).to_csv(tmp_path / "c.csv", index=False)
    found = tl.evaluate(GaussianNB(), tmp_path / "n.csv", "y")
    assert found["accuracy"].value == tl.evaluate(GaussianNB(), X, Y)["accuracy"].value
    for keep in ("raise", "keep"):
        with pytest.raises(errors.KindError, match=r"c.csv.*not numbers.*pandas.read_csv"):
            tl.evaluate(GaussianNB(), tmp_path / "c.csv", "y", on_error=keep)


# files


def written(folder: Path) -> list[Path]:
    """The rows in two files, with gaps, text, groups and weights."""
    text = ["good day to you", "a bad night it was", None, "good night to all"] * 10
    frame = FRAME.assign(
        c=["u", "v", None, "w"] * 10, t=text, g=np.repeat(range(20), 2), w=np.arange(40) % 3
    )
    paths = [folder / "one.csv", folder / "two.csv"]
    frame[:17].to_csv(paths[0], index=False)
    frame[17:].to_csv(paths[1], index=False)
    return paths


@pytest.mark.parametrize("declared", [{}, {"groups": "g"}, {"weight": "w"}])
def test_files_held_in_memory_score_as_files_that_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, declared: dict[str, str]
) -> None:
    written(tmp_path)
    table = tl.table(str(tmp_path / "*.csv"), target="y", **declared)
    held = tl.evaluate(BAYES, table, cv=4, by="c")
    monkeypatch.setattr("tallylearn.sources.memory.joined_blocks.MAX_SMALL_FILE_BYTES", 0)
    streamed = tl.evaluate(BAYES, table, cv=4, by="c")
    assert held.tests
    assert not streamed.tests
    assert streamed["log_loss"].by_fold == pytest.approx(held["log_loss"].by_fold, rel=1e-12)
    assert (streamed.confusion == held.confusion).all()
    assert list(streamed.groups) == list(held.groups) == ["u", "v", "w", None]
    for value, found in held.by_group("accuracy").items():
        assert streamed.by_group("accuracy")[value].value == found.value


def test_files_that_are_not_held_say_what_they_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tl.table(written(tmp_path)[0], target="y")
    assert tl.evaluate(BAYES, table, cv="loo").n == 17
    assert tl.evaluate(BAYES, table, cv=tl.Folds.bootstrap(3)).n == 17
    monkeypatch.setattr("tallylearn.sources.memory.joined_blocks.MAX_SMALL_FILE_BYTES", 0)
    with pytest.raises(errors.InputError, match=r"not in memory.* Use a number of folds"):
        tl.evaluate(BAYES, table, cv=tl.Folds.bootstrap(3))
    with pytest.raises(errors.ColumnError, match=r"by is 'z'.* Choose from 'p'"):
        tl.evaluate(BAYES, table, cv=2, by="z")
    with pytest.raises(errors.InputError, match="the predictions were not kept"):
        _ = tl.evaluate(BAYES, table, cv=2).predictions


# what is asked of a finding


def test_a_threshold_needs_two_costs_and_classes() -> None:
    found = tl.evaluate(BAYES, X, Y)
    for costs in ((1,), 5, (-1, 1), (1, np.nan), (1, np.inf), None):
        with pytest.raises(errors.OptionError, match="Give two numbers from 0 up"):
            found.threshold(costs)  # type: ignore[arg-type]
    with pytest.raises(errors.OptionError, match=r"needs a classifier, and .* is a regressor"):
        tl.evaluate(LinearRegression(), X, V).threshold((1, 1))


def test_a_report_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    found = tl.evaluate(BAYES, X, Y)
    with pytest.raises(errors.FileError, match=r"r.pdf.* Use one of .html, .json, .md, .txt"):
        found.save(tmp_path / "r.pdf")
    with pytest.raises(errors.FileError, match="could not be written"):
        found.save(tmp_path / "no" / "r.md")
    assert list(tmp_path.iterdir()) == []


def test_a_score_without_a_value_is_told_in_words() -> None:
    found = tl.evaluate(BAYES, X, Y, cv=3, scoring=lambda truth, said: float("nan"))
    assert found.headline == "<lambda> has no value"
    assert "nan" not in str(found).replace("the function gives nan", "")
    flat = tl.evaluate(tl.DummyRegressor(), np.arange(30.0)[:, None], np.ones(30), scoring="r2")
    assert flat.headline == "r2 has no value"


def test_truth_values_are_no_distance_to_count_as_alike() -> None:
    with pytest.raises(errors.OptionError, match="alike is True"):
        tl.compare([BAYES, tl.DummyClassifier()], X, Y, alike=True)


VERBS: dict[str, Callable[[Any], Any]] = {
    "evaluate": lambda cv: tl.evaluate(BAYES, X, Y, cv=cv),
    "compare": lambda cv: tl.compare([BAYES, LogisticRegression()], X, Y, cv=cv),
    "tune": lambda cv: tl.tune(BAYES, {"var_smoothing": [1e-9, 0.1]}, X, Y, cv=cv),
    "learning_curve": lambda cv: tl.learning_curve(BAYES, X, Y, cv=cv),
    "validation_curve": lambda cv: tl.validation_curve(
        BAYES, "var_smoothing", [1e-9, 0.1], X, Y, cv=cv
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_splits_that_come_one_by_one_are_taken_as_a_list_of_them_is(verb: str) -> None:
    found = VERBS[verb](KFold(4).split(X))
    assert found.to_dict() == VERBS[verb]([*KFold(4).split(X)]).to_dict()


@pytest.mark.parametrize("verb", VERBS)
def test_a_splitter_that_fails_is_named_with_what_it_was_shown(verb: str) -> None:
    words = "cv: GroupKFold failed: ValueError: .*It received 40 rows, 2 classes and no groups"
    with pytest.raises(errors.InputError, match=f"^{verb}: {words}. Pass what is missing"):
        VERBS[verb](GroupKFold(4))


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("splitter", "words"),
    [(GroupKFold(3), ".*groups"),
     (StratifiedKFold(50), ".*n_splits=50")],
    ids=["no groups", "too many folds"],
)  # fmt: skip
def test_a_splitter_that_fails_as_its_pairs_come_is_told(
    splitter: Any, words: str, verb: str
) -> None:
    said = f"^{verb}: cv: the iterator of splits failed: ValueError: {words}"
    with pytest.raises(errors.InputError, match=said):
        VERBS[verb](splitter.split(X, Y))


def test_a_splitter_by_classes_is_shown_none_where_there_are_numbers() -> None:
    with pytest.raises(errors.InputError, match=r"StratifiedKFold failed: .*no classes"):
        tl.evaluate(LinearRegression(), X, V, cv=StratifiedKFold(4))


@pytest.mark.parametrize("trained", [True, False])
@pytest.mark.parametrize("steps", [[], [tl.StandardScaler()]], ids=["alone", "behind a scaler"])
def test_a_gap_that_is_refused_in_a_fold_has_the_number_of_its_row(
    steps: Any, trained: bool
) -> None:
    x, odd, even = X.copy(), np.arange(1, 40, 2), np.arange(0, 40, 2)
    x[13, 0] = np.nan
    learner = tl.Pipeline([*steps, tl.Ridge(missing="refuse")])
    with pytest.raises(errors.TallyError, match="'x0' is missing in row 13,"):
        tl.evaluate(learner, x, V, cv=[(odd, even) if trained else (even, odd)])
