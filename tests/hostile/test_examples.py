"""What was once passed, and ended in an error that was not ours; every case says what is asked."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import (
    ColumnError,
    FileError,
    InputError,
    KindError,
    OptionError,
    SizeError,
    TallyError,
)
from tallylearn.reporting import charts
from tests.hostile.callables import MADE, NUMBERS, TABLE, WIDE, fitted, tree
from tests.hostile.values import Silent, Stubborn

HUGE = 10**400
PAIR = np.array([1j, 2])


def broken(*_: Any) -> float:
    return 1 / 0


def evaluation() -> Any:
    return MADE["Evaluation"]()


CASES: list[tuple[Callable[[], Any], type[TallyError], str]] = [
    (lambda: tree().gains(True), OptionError, "Use the number of a node, 0 to"),
    (lambda: tree().gains(PAIR), OptionError, "Use the number of a node, 0 to"),
    (lambda: fitted(tl.M5()).gains(0.5), OptionError, "Use the number of a node, 0 to"),
    (lambda: tree().text("1"), OptionError, "max_depth is .* the last level to show"),
    (lambda: tree().to_html(float("nan")), OptionError, "max_depth is .* the last level to show"),
    (lambda: tree().to_dot(-1), OptionError, "max_depth is .* the last level to show"),
    (lambda: tree().plot(direction=pd.NA), OptionError, "direction is .* Use one of"),
    (lambda: tree().plot(title=Silent()), KindError, "a passed object raised an error"),
    (lambda: tree().prune(PAIR), OptionError, "must be one of"),
    (lambda: tree().rules(PAIR), OptionError, "order is .* Use one of"),
    (lambda: tree().rules().formula(PAIR), OptionError, "no rule predicts"),
    (lambda: tree().rules()["a"], KindError, "rules are selected by number"),
    (lambda: tree().prunings()[None], KindError, "removals are selected by number"),
    (lambda: tree().explain(WIDE)["a"], KindError, "rows are selected by number"),
    (lambda: tree().importances()["none"], ColumnError, "there is no column"),
    (lambda: tree().gains()[PAIR], ColumnError, "no split on"),
    (lambda: tree().pruning_curve(WIDE, "y", how=PAIR), OptionError, "how is .* Use one of"),
    (lambda: tl.diff(tree(), tree())["X"], OptionError, "compared on no table"),
    (lambda: tl.diff(tree(), tree(), limit=HUGE), OptionError, "limit is"),
    (lambda: tl.diff(tree(), tree(), names="T"), OptionError, "names is 'T'"),
    (lambda: tl.diff(tree(), tree(), (1, 2, 3)), TallyError, "Expected 2D array|table"),
    (lambda: tl.CART(task=Silent()), OptionError, "CART: task is"),
    (lambda: fitted(tl.CART(criterion=broken)), OptionError, "'criterion' parameter"),
    (lambda: fitted(tl.CART(loss=[[HUGE, 0], [0, 0]])), OptionError, "2 x 2 table of numbers"),
    (lambda: evaluation()[PAIR], OptionError, "Choose from 'accuracy'"),
    (lambda: evaluation().roc(pd.NA), OptionError, "positive is <NA>"),
    (lambda: evaluation().threshold([[], []]), OptionError, "Give two numbers from 0 up"),
    (lambda: evaluation().save(PAIR), KindError, "a path was expected"),
    (lambda: tree().plot().save(PAIR), KindError, "a path was expected"),
    (lambda: MADE["Comparison"]().difference(PAIR, "b"), OptionError, "Choose from"),
    (lambda: tree().predict("x" * 10_000), FileError, "File name too long"),
    (lambda: tree().predict((np.zeros((2, 2)), np.array(5))), InputError, "has 1 cells"),
    (
        lambda: tree().predict({"x": np.array(5)}),
        KindError,
        "column 'x' is a ndarray with 0 dimensions",
    ),
    (lambda: tree().predict({"x": pd.DataFrame(WIDE)}), KindError, "column 'x' is a DataFrame"),
    (lambda: tree().predict((np.array(5),)), InputError, "Expected 2D array"),
    (lambda: tree().predict([1j, np.array(5)]), InputError, "Expected 2D array"),
    (lambda: tree().predict((np.array(5), False)), InputError, "Expected 2D array"),
    (lambda: tl.Folds.representative([[1, 2], [3]], [0, 1]), InputError, "one .*per row"),
    (lambda: tl.Folds.k(2).parts(2, groups=[{}, {}]), InputError, "one .*per row"),
    (lambda: [*tl.Folds.k(2).split(Path("/"))], KindError, "which has no rows"),
    (lambda: tl.Folds(Silent()), TallyError, "Folds"),  # type: ignore[arg-type]
    (lambda: fitted(tl.LMS(steps=HUGE)), SizeError, "steps="),
    (lambda: fitted(tl.NaiveBayes()).sample(True), OptionError, "True rows cannot be sampled"),
    (lambda: fitted(tl.NaiveBayes()).sample(1 << 47), SizeError, "not enough memory"),
    (lambda: fitted(tl.NaiveBayes()).sample(1, [Stubborn()]), OptionError, "random_state is"),
    (lambda: fitted(tl.NaiveBayes(min_df=-HUGE)), OptionError, "'min_df' parameter"),
    (lambda: tl.Population({1: 1}, target=broken), OptionError, "target failed on 1"),
    (lambda: tl.Population(Path("/")), KindError, "rows is PosixPath"),
    (lambda: MADE["Population"]().error(broken), OptionError, "h failed on 1"),
    (lambda: tl.table(TABLE, missing="\ud800"), OptionError, "is not text or a finite number"),
    (lambda: tl.compare("x" * 10_000, TABLE, "y"), KindError, "Pass a list of learners"),
    (lambda: tl.compare(np.array(5), TABLE, "y"), KindError, "Pass a list of learners"),
    (
        lambda: MADE["Population"]().predict(Stubborn()),
        KindError,
        "error in its method __getattr__",
    ),
    (lambda: tl.table(TABLE, dates={"x": [[1]]}), OptionError, "is not a part of the date"),
    (lambda: tl.table(TABLE)[[[1, 2], [3]]], KindError, "rows are selected by number"),
    (
        lambda: tl.learning_curve(tl.NaiveBayes(), TABLE, "y", sizes=np.array(5)),  # type: ignore[arg-type]
        OptionError,
        "sizes has",
    ),
    (lambda: charts.draw_network(["a"], [("a", "b")], ""), OptionError, "parent, child"),
    (lambda: charts.draw_network(["a", "b"], [("b", "a")], ""), OptionError, "List parents before"),
    (lambda: charts.draw_network([b"a"], [], ""), OptionError, "a list of different names"),  # type: ignore[list-item]
    (lambda: charts.draw_points([1], [2], "", Silent()), KindError, "error in its method __repr__"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "error", "words"), CASES)
def test_what_cannot_be_is_told(call: Any, error: type[TallyError], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_a_place_beyond_the_end_ends_a_walk() -> None:
    rows = tree().explain(WIDE)
    assert list(rows) == [rows[at] for at in range(-len(rows), 0)]
    with pytest.raises(IndexError, match="there are 8 rows, and none with the number 8"):
        rows[8]


def test_limits_beyond_64_bits_are_no_limits() -> None:
    endless = tl.DecisionTreeClassifier(max_depth=HUGE).fit(WIDE, "y")
    assert endless.text(HUGE) == tree().text()
    stump = tl.DecisionTreeClassifier(min_samples_split=HUGE).fit(WIDE, "y")
    assert stump.get_n_leaves() == 1
    assert fitted(tl.M5(min_samples_leaf=1e308)).get_n_leaves() == 1


def test_none_among_the_marks_of_nothing_marks_nothing() -> None:
    marked = tl.table({"x": [1.0, 2.0, None]}, missing=[None, 2, Fraction(1, 2)])
    assert np.isnan(marked.block.numbers[:, 0]).tolist() == [False, True, True]


def test_a_fraction_is_a_number() -> None:
    third, near = Fraction(1, 3), 1 / 3
    for make in (
        lambda share: tl.NaiveBayes(var_smoothing=share),
        lambda share: tl.QuadraticDiscriminantAnalysis(reg_param=share),
        lambda share: tl.DecisionTreeClassifier(significance=share),
    ):
        said = [fitted(make(share)).predict_proba(NUMBERS | WIDE) for share in (third, near)]
        assert np.array_equal(*said)


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, list])
def test_cells_that_are_arrays_of_several_types_do_not_end_the_process(frame: Any) -> None:
    days, numbers = np.array(["2020-01-01"] * 4, dtype="M8[D]"), np.zeros(4)
    columns = {"x": [days, numbers], "z": [1.0, 2.0]}
    rows = [{"x": days, "z": 1.0}, {"x": numbers, "z": 2.0}]
    with pytest.raises(KindError, match="column 'x' has array"):
        tl.table(rows if frame is list else frame(columns))


def test_a_watch_that_fails_is_named() -> None:
    with tl.engine(threads=1, watch=broken), pytest.raises(OptionError, match="watch failed on 8"):
        fitted(tl.NaiveBayes())
    with pytest.raises(OptionError, match="watch is called with"), tl.engine(watch=3):  # type: ignore[arg-type]
        pass


def test_an_error_of_a_function_stays_behind_ours() -> None:
    with pytest.raises(OptionError) as found:
        tl.Population({1: 1}, target=broken)
    assert isinstance(found.value.__cause__, ZeroDivisionError)
