"""The perceptron: steps as on paper, streams, averages, borders; and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model

import tallylearn as tl
from tallylearn import errors
from tallylearn.workings import format_number
from tests.printed_text import unwrapped

X = np.array([[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]], dtype=float)
Y = np.array([-1, 1, 1, 1, -1])
RNG = np.random.default_rng(3)
ROWS = RNG.normal(size=(400, 7)).round(2)
TWO = (ROWS @ RNG.normal(size=7) + RNG.normal(size=400) > 0).astype(int)
THREE = (ROWS @ RNG.normal(size=(7, 3)) + RNG.normal(size=(400, 3))).argmax(axis=1)


def plain(x: Any, y: Any, passes: int, one: float = 1.0) -> tuple[Any, int]:
    """The last weights, and the corrections, by the slowest way there is."""
    k = int(y.max()) + 1
    w = np.zeros((1 if k == 2 else k, x.shape[1] + 1))
    wrong = 0
    for _ in range(passes):
        before = wrong
        for row, truth in zip(np.insert(x, 0, one, axis=1), y, strict=True):
            scores = w @ row
            answer = int(scores[0] >= 0) if k == 2 else int(scores.argmax())
            if answer != truth:
                wrong += 1
                if k == 2:
                    w[0] += row if truth else -row
                else:
                    w[truth] += row
                    w[answer] -= row
        if wrong == before:
            break
    return w, wrong


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_it_walks_as_the_rule_says(y: Any) -> None:
    model = tl.Perceptron(shuffle=False, max_iter=6).fit(ROWS, y)
    w, wrong = plain(ROWS, y, 6)
    assert np.allclose(model.coef_, w[:, 1:], rtol=1e-12)
    assert np.allclose(model.intercept_, w[:, 0])
    assert (model.n_updates_, model.n_iter_, model.separated_) == (wrong, 6, False)
    w = plain(ROWS, y, 6, one=0.0)[0]
    found = tl.Perceptron(shuffle=False, max_iter=6, fit_intercept=False).fit(ROWS, y)
    assert np.allclose(found.coef_, w[:, 1:], rtol=1e-12)
    assert not found.intercept_.any()


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_the_mean_is_that_of_the_weights_after_every_step(y: Any) -> None:
    model = tl.Perceptron(shuffle=False, max_iter=3, averaged=True).fit(ROWS, y)
    after = [
        tl.Perceptron(shuffle=False, max_iter=1).partial_fit(ROWS[:n], y[:n], classes=np.unique(y))
        for n in range(1, 41)
    ]
    mean = np.mean([one.coef_ for one in after], axis=0)
    short = tl.Perceptron(averaged=True).partial_fit(ROWS[:40], y[:40], classes=np.unique(y))
    assert np.allclose(short.coef_, mean, rtol=1e-12, atol=1e-12)
    assert np.allclose(model.model_.last, plain(ROWS, y, 3)[0])
    assert model.score(ROWS, y) > tl.Perceptron(shuffle=False, max_iter=3).fit(ROWS, y).score(
        ROWS, y
    )


@pytest.mark.parametrize("passes", [1, 5, 30])
def test_with_zero_as_a_mistake_it_is_scikit_learns(passes: int) -> None:
    theirs = sklearn.linear_model.Perceptron(shuffle=False, tol=None, max_iter=passes)
    ours = tl.Perceptron(shuffle=False, zero="mistake", max_iter=passes).fit(ROWS, TWO)
    theirs.fit(ROWS, TWO)
    assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-10)
    assert np.allclose(ours.intercept_, theirs.intercept_)
    assert np.allclose(ours.decision_function(ROWS), theirs.decision_function(ROWS))


@pytest.mark.parametrize("tol", [0.0, 1e-3, 0.1])
@pytest.mark.parametrize("seed", range(4))
def test_with_a_tolerance_it_ends_after_as_many_passes_as_scikit_learns(
    tol: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 3))
    y = X @ [1.0, -1, 0.5] + rng.normal(size=80) > 0
    options = {"tol": tol, "n_iter_no_change": 3, "shuffle": False}
    ours = tl.Perceptron(zero="mistake", **options).fit(X, y)
    theirs = sklearn.linear_model.Perceptron(**options).fit(X, y)
    assert ours.n_iter_ == theirs.n_iter_ < 1000
    assert np.allclose(ours.coef_, theirs.coef_)
    assert not ours.separated_


def test_steps_are_written_as_on_paper() -> None:
    model = tl.Perceptron(intercept_init=-1, shuffle=False).fit(X, Y)
    said = str(model.steps()).splitlines()
    told = [" ".join(line.split()) for line in said]
    assert told[2] == "1 0 [-1, 0, 0] -1·1 + 0·1 + 0·1 = -1 -1 yes none"
    assert told[3] == "2 1 [-1, 0, 0] -1·1 + 0·3 + 0·2 = -1 1 no +[1, 3, 2]"
    assert told[6] == "5 4 [0, 3, 2] 0·1 + 3·2 + 2·3 = 12 -1 no -[1, 2, 3]"
    assert len(model.steps()) == 880 == 5 * model.n_iter_
    assert model.steps().to_arrow().num_rows == 880
    long = tl.Perceptron(shuffle=False, max_iter=9).fit(ROWS, TWO).steps()
    assert 9 * 400 - len(long) > 0
    assert f"{9 * 400 - len(long)} further steps were not kept." in str(long)


def test_a_score_of_zero_is_positive_and_a_clean_pass_ends_it() -> None:
    model = tl.Perceptron(shuffle=False).fit([[0.0], [0.0]], [1, 1 + 1])
    assert model.predict([[0.0]]).tolist() == [2]
    model = tl.Perceptron(shuffle=False).fit([[1.0], [-1.0]], ["a", "b"])
    assert (model.n_iter_, model.separated_) == (2, True)
    assert "Pass 2 needed no correction" in str(model.show_work())


def test_classes_that_no_line_tells_apart_are_said() -> None:
    x, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    model = tl.Perceptron(max_iter=50).fit(x, y)
    assert (model.separated_, model.n_iter_) == (False, 50)
    assert "Passes: 50, and each made a correction" in str(model.show_work())
    found = model.geometry(x, y)
    assert found.separable is False
    assert "No straight border does." in unwrapped(found)


def test_a_stream_is_one_pass() -> None:
    whole = tl.Perceptron(shuffle=False, max_iter=1).fit(ROWS, THREE)
    stream = tl.Perceptron()
    for at in range(0, 400, 30):
        stream.partial_fit(ROWS[at : at + 30], THREE[at : at + 30], classes=[0, 1, 2])
    assert np.array_equal(stream.coef_, whole.coef_)
    assert stream.n_updates_ == whole.n_updates_
    assert "learned from 400 rows" in repr(stream)
    with pytest.raises(errors.OptionError, match="averaged was False"):
        stream.set_params(averaged=True).partial_fit(ROWS, THREE)


def test_a_stream_does_not_say_what_no_pass_looked_at() -> None:
    stream = tl.Perceptron().partial_fit([[1.0], [2]], [0, 1], classes=[0, 1])
    said = unwrapped(stream.show_work())
    assert "tells all of them apart is not known. Those of the last call needed a " in said
    assert "max_iter" not in said
    stream.partial_fit([[2.0]], [1])
    assert stream.separated_
    assert "Those of the last call needed no correction." in str(stream.show_work())
    fitted = tl.Perceptron(max_iter=3).fit([[1.0], [2]], [0, 1])
    assert "raise max_iter" in str(fitted.show_work())
    assert "stream" in str(fitted.partial_fit([[1.0]], [0]).show_work())


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("learner", [tl.Perceptron, tl.LogisticRegression])
def test_a_working_has_a_constant_where_there_is_one(
    learner: Any, intercept: bool, several: bool
) -> None:
    classes = THREE if several else TWO
    said = str(learner(max_iter=3, fit_intercept=intercept).fit(ROWS, classes).show_work())
    assert ("(1, x)" in said or "w0 + " in said or "w_c0 + " in said) == intercept
    assert ("\nw0 " in said) == intercept
    steps = tl.LogisticRegression(solver="gradient", max_iter=1, fit_intercept=intercept)
    said = str(steps.fit(ROWS, classes).show_work())
    assert ("w0" in said or "w_c0" in said) == intercept
    assert f"  {format_number(float(steps.trace_[0, 2]))}  " in said


def test_the_rule_says_what_a_score_of_zero_is() -> None:
    for zero, told in (("positive", "0 answers 1"), ("mistake", "0 is a mistake for both")):
        model = tl.Perceptron(zero=zero, max_iter=2).fit([[1.0], [2]], [0, 1])
        assert told in str(model.show_work())


@pytest.mark.parametrize("learner", [tl.Perceptron, tl.LogisticRegression])
def test_a_declared_class_without_rows_has_no_weights(learner: Any) -> None:
    frame = pd.DataFrame(ROWS[:, :2], columns=["a", "b"]).assign(y=TWO)
    declared = learner(max_iter=5).fit(tl.table(frame, target="y", classes=[0, 1, 2]))
    plain = learner(max_iter=5).fit(frame, "y")
    assert declared.classes_.tolist() == [0, 1]
    assert np.array_equal(declared.coef_, plain.coef_)
    stream = tl.Perceptron().partial_fit(ROWS, TWO, classes=[0, 1, 2])
    assert stream.classes_.tolist() == [0, 1, 2]


def test_orders_are_drawn_by_the_seed_and_files_are_memory(tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS, columns=[*"abcdefg"]).assign(y=THREE)
    frame.to_csv(tmp_path / "t.csv", index=False)
    one = tl.Perceptron(max_iter=4).fit(frame, "y")
    assert np.array_equal(one.coef_, tl.Perceptron(max_iter=4).fit(tmp_path / "t.csv", "y").coef_)
    other = tl.Perceptron(max_iter=4, random_state=1).fit(frame, "y")
    assert not np.array_equal(one.coef_, other.coef_)


def test_categories_and_gaps_become_columns() -> None:
    frame = pd.DataFrame({
        "size": [1.0, 2, np.nan, 4, 5, 6], "colour": ["red", "blue", "red", None, "green", "blue"],
        "y": list("aabbab"),
    })  # fmt: skip
    model = tl.Perceptron(shuffle=False, max_iter=2).fit(frame, "y")
    names = ("size", "size missing", "colour=green", "colour=red", "colour missing")
    assert model.coef_names_ == names
    other = tl.Perceptron(reference={"colour": "red"}, missing="mean").fit(frame, "y")
    assert other.coef_names_ == ("size", "colour=blue", "colour=green")
    with pytest.raises(errors.ColumnError, match="column 'size' is missing in row 2"):
        tl.Perceptron(missing="refuse").fit(frame, "y")
    assert "from 4 rows" in repr(tl.Perceptron(missing="drop").fit(frame, "y"))


def test_the_geometry_is_that_of_vectors() -> None:
    model = tl.Perceptron(intercept_init=-1, shuffle=False).fit(X, Y)
    w, b = model.coef_[0], model.intercept_[0]
    found = model.geometry(X, Y)
    assert found.borders == {"-1 | 1": [b, *w]}
    scores = X @ w + b
    longer = np.insert(X, 0, 1.0, axis=1)
    cosine = scores / np.linalg.norm(longer, axis=1) / np.linalg.norm([b, *w])
    assert found.rows["score"] == pytest.approx(scores)
    assert found.rows["cosine"] == pytest.approx(cosine)
    assert found.rows["distance"] == pytest.approx(np.abs(scores) / np.linalg.norm(w))
    assert (found.margin, found.separable) == (0.0, True)
    assert "a row lies on it. Another border would." in str(found)
    apart = model.geometry(X[:2], Y[:2])
    assert apart.margin == pytest.approx(8 / np.linalg.norm(w))
    assert "by a margin of 0.796" in str(apart)
    plot = found.plot()
    assert plot.data["lines"] == {"-1 | 1": [-24.0, 10.0, 1.0]}
    assert plot.svg.count("<line") > 1
    bare = model.geometry()
    assert "10.05" in str(bare)
    with pytest.raises(errors.InputError, match=r"Call geometry\(X, y\)\.plot\(\)"):
        bare.plot()
    one = tl.Perceptron().fit(X[:, :1], Y).geometry(X[:, :1], Y)
    with pytest.raises(errors.InputError, match=r"1: 'x0'. Fit to two numeric columns\.$"):
        one.plot()


def test_borders_of_several_classes_lie_between_two_each() -> None:
    model = tl.Perceptron(shuffle=False).fit(ROWS[:, :2], THREE)
    found = model.geometry(ROWS[:, :2], THREE)
    assert [*found.borders] == ["0 | 1", "0 | 2", "1 | 2"]
    scores = model.decision_function(ROWS[:, :2])
    at = np.array(found.borders["0 | 2"])
    assert scores[:, 2] - scores[:, 0] == pytest.approx(at[0] + ROWS[:, :2] @ at[1:])
    assert found.rows["answer"] == [*map(str, model.predict(ROWS[:, :2]))]
    assert min(found.rows["distance"]) >= 0 > found.margin
    assert {*found.plot().data["points"]} == {"0", "1", "2"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_iter": 0}, r"'max_iter' parameter of Perceptron must be an int .*1, inf.* Got 0"),
        ({"eta0": 0}, "eta0"),
        ({"eta0": np.inf}, "eta0"),
        (
            {"coef_init": [1]},
            "coef_init should be 2 finite numbers, one for every column, or 3 with",
        ),
        ({"coef_init": [1, np.nan]}, "coef_init should be 2 finite"),
        ({"intercept_init": [1, 2]}, "intercept_init should be a finite number"),
        ({"coef_init": "zeros"}, "coef_init should be 2 finite"),
        (
            {"coef_init": [1, 2, 3], "fit_intercept": False},
            "coef_init should be 2 finite numbers, one",
        ),
        ({"intercept_init": 1, "fit_intercept": False}, "fit_intercept=True"),
        ({"zero": "negative"}, "zero"),
        ({"missing": "no"}, "missing"),
        ({"reference": "red"}, "reference"),
        ({"shuffle": 1}, "shuffle"),
        ({"random_state": -1}, "random_state"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(errors.OptionError, match=said):
        tl.Perceptron(**options).fit(X, Y)


def test_rows_that_it_cannot_learn_from_are_refused() -> None:
    with pytest.raises(errors.TargetError, match="only the class 'a'"):
        tl.Perceptron().fit(X, ["a"] * 5)
    with pytest.raises(errors.ColumnError, match="has inf in row 1"):
        tl.Perceptron().fit([[1.0], [np.inf]], [0, 1])
    with pytest.raises(errors.InputError, match="overflow a double"):
        tl.Perceptron(shuffle=False, averaged=True).fit([[1.0], [1.0], [1.7e308]], [1, 1, 0])
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=Y, w=2.0)
    with pytest.raises(errors.InputError, match="row weights"):
        tl.Perceptron().fit(tl.table(frame, target="y", weight="w"))
    many = {c: ([1.0], [1.0]) for c in "abcdefgh"}
    from tallylearn.reporting.charts import draw_classes

    with pytest.raises(errors.OptionError, match="classes, and there are 8"):
        draw_classes(many, {}, "t")
    with pytest.raises(errors.OptionError, match="points is empty"):
        draw_classes({}, {}, "t")


def test_numbers_whose_scores_are_beyond_doubles_are_refused() -> None:
    rows = [[1e200], [2e200], [1e200], [-1e200]]
    with pytest.raises(errors.InputError, match="scores overflow a double"):
        tl.Perceptron(max_iter=3).fit(rows, [0, 1, 1, 0])


def test_rows_of_a_class_that_was_not_learned_have_no_geometry() -> None:
    model = tl.Perceptron().fit([[0.0, 1], [1, 0], [2, 2]], ["a", "b", "b"])
    with pytest.raises(
        errors.TargetError, match="the class 'z', and the classes of the model are 'a', 'b'"
    ):
        model.geometry([[0.0, 1], [1, 0]], ["a", "z"])
    assert model.geometry([[0.0, 1]], ["a"]).rows["class"] == ["a"]


def test_a_constant_column_of_a_named_table_is_passed_over() -> None:
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
    table["y"] = np.where(table.a + rng.normal(size=80) > 0, "u", "v")
    wide = table.assign(k=7.0, one="same")
    plain, model = (tl.Perceptron().fit(each, "y") for each in (table, wide))
    assert (model.coef_ == plain.coef_).all()
    assert model.intercept_ == plain.intercept_
    assert (model.predict(wide) == plain.predict(table)).all()
    assert "Column 'k' is the same in every row and says nothing." in str(model.show_work())
    model.partial_fit(wide, "y")
    assert (model.coef_ == plain.partial_fit(table, "y").coef_).all()


def test_a_constant_column_counts_where_it_stands_for_the_intercept_or_comes_as_numbers() -> None:
    X, y = np.array([[1.0, 1.0], [1.0, 3.0], [1.0, 2.0]]), ["u", "v", "v"]
    table = pd.DataFrame(X, columns=["x0", "x1"]).assign(y=y)
    assert tl.Perceptron().fit(X, y).coef_.shape == (1, 2)
    assert tl.Perceptron(fit_intercept=False).fit(table, "y").coef_.shape == (1, 2)
    assert tl.Perceptron(coef_init=[1, 1]).fit(table, "y").coef_.shape == (1, 2)
    assert tl.Perceptron().fit(table, "y").coef_.shape == (1, 1)
    assert tl.Perceptron().fit(table[["x0", "y"]], "y").coef_.shape == (1, 1)


HAIR = 1e-9  # between rows of two classes


@pytest.mark.parametrize(
    ("rows", "classes", "known"),
    [
        ([[0], [1], [2], [1e9]], [0, 0, 1, 1], True),
        ([[0], [1e-99], [2e-99], [1e-90]], [0, 0, 1, 1], True),
        ([[0], [1], [2], [3], [1e15]], [0, 0, 1, 1, 2], True),
        ([[0], [2], [1], [1e9]], [0, 0, 1, 1], False),
        ([[0], [0.5], [0.5 + HAIR], [1]], [0, 0, 1, 1], True),
        ([[0], [0.5 + HAIR], [0.5], [1]], [0, 0, 1, 1], False),
        ([[0, 1e9], [0.5, -1e9], [0.5 + 1e-6, 3e8], [1, 0]], [0, 0, 1, 1], True),
        ([[0], [1], [1], [2]], [0, 0, 1, 1], False),
        ([[0], [0.5], [0.5 + 1e-12], [1]], [0, 0, 1, 1], None),
        ([[0, 0], [0, 1e-9], [1e9, 0], [1e9, 1e-9]], [0, 1, 1, 0], False),
    ],
)
def test_rows_far_away_and_gaps_of_a_hair_hide_no_border(
    rows: Any, classes: Any, known: bool | None
) -> None:
    found = tl.Perceptron(max_iter=1, shuffle=False).fit(rows, classes).geometry(rows, classes)
    assert found.margin <= 0
    assert found.separable is known
    said = {True: "Another border would.", False: "No straight border does.", None: "not known."}
    assert unwrapped(found).endswith(said[known])


def test_a_program_that_finds_nothing_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy import optimize

    answers = iter([
        optimize.OptimizeResult(x=None, status=4),
        optimize.OptimizeResult(
            x=np.zeros(3), status=0, ineqlin=optimize.OptimizeResult(marginals=np.zeros(4))
        ),
    ])  # fmt: skip
    monkeypatch.setattr(optimize, "linprog", lambda *_, **__: next(answers))
    rows, classes = [[0.0], [2], [1], [3]], [0, 0, 1, 1]
    model = tl.Perceptron(max_iter=1).fit(rows, classes)
    assert model.geometry(rows, classes).separable is None
    assert model.geometry(rows, classes).separable is None


@pytest.mark.parametrize("answer", [0, 1, 2])
@pytest.mark.parametrize("known", [[0, 1, 0, 1, 0, 1], [0, 1, 2, 0, 1, 2]])
def test_rows_of_one_class_have_a_geometry(known: list[int], answer: int) -> None:
    model = tl.LogisticRegression().fit(np.arange(6.0)[:, None], known)
    answer = min(answer, max(known))
    found = model.geometry([[0.0], [5.0]], [answer, answer])
    assert found.rows["class"] == [str(answer)] * 2
    assert found.separable is True


@pytest.mark.parametrize("far", [1e160, 1e200, 1e300])
def test_angles_are_those_of_vectors_whose_squares_are_no_doubles(far: float) -> None:
    w, b = np.array([3.0, -4.0]), 2.0
    model = tl.Perceptron(coef_init=w, intercept_init=b, shuffle=False, max_iter=1).fit(
        [[1, 0], [0, 1]], [1, 0]
    )
    found = model.geometry([[far, 0.0]]).rows
    assert found["cosine"] == pytest.approx([3 / 29**0.5])
    assert found["distance"] == pytest.approx([0.6 * far])


def test_scores_of_the_geometry_are_those_that_answer_far_from_zero() -> None:
    rows = RNG.normal(size=(200, 3)) + 1e12
    classes = (rows[:, 0] - 1e12 + RNG.normal(size=200) > 0).astype(int)
    model = tl.LogisticRegression(C=float("inf")).fit(rows, classes)
    found, scores = model.geometry(rows, classes), model.decision_function(rows)
    assert found.rows["score"] == scores.tolist()
    away = np.where(classes, scores, -scores) / np.linalg.norm(model.coef_)
    assert found.margin == pytest.approx(away.min(), rel=1e-12)


@pytest.mark.parametrize("kind", ["memory", "csv"])
def test_rows_keep_their_numbers_where_some_are_left_out(kind: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4], "y": ["a", "b", None, "a"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    rows: Any = frame if kind == "memory" else tmp_path / "t.csv"
    model = tl.LogisticRegression().fit(rows, "y")
    found = model.geometry(rows, "y")
    assert found.rows["row"] == [0, 1, 3]
    assert found.rows["answer"] == model.predict(frame)[[0, 1, 3]].tolist()
    assert "\n3 " in str(found)
    assert model.geometry(frame[["x"]]).rows["row"] == [0, 1, 2, 3]
    kept = tl.table({"x": [1.0, None, 3, 4], "y": [*"aaba"]}, target="y", gaps="drop")
    assert model.geometry(kept).rows["row"] == [0, 2, 3]
    steps = tl.Perceptron(shuffle=False, max_iter=1).fit(rows, "y").steps()
    assert [step["row"] for step in steps.records()] == [0, 1, 3]
    steps = tl.Perceptron(shuffle=False, max_iter=1).fit(kept).steps()
    assert [step["row"] for step in steps.records()] == [0, 2, 3]


def test_every_pair_of_classes_has_its_border_whatever_their_names() -> None:
    names = ["a", "a | b", "b | c", "c"]
    model = tl.LogisticRegression().fit([[0.0], [1], [2], [3]], names)
    found = model.geometry().borders
    assert len(found) == 6
    w = np.column_stack([model.intercept_, model.coef_])
    assert found["'a' | 'b | c'"] == pytest.approx(w[2] - w[0])
    assert found["'a | b' | 'c'"] == pytest.approx(w[3] - w[1])


def test_a_stream_that_begins_with_one_class_is_told_to_name_the_others() -> None:
    with pytest.raises(
        errors.TargetError, match=r"only the class 1.*all classes as classes= at the"
    ):
        tl.Perceptron().partial_fit(X[1:3], Y[1:3])
    assert tl.Perceptron().partial_fit(X[1:3], Y[1:3], classes=[-1, 1]).predict(X[:1]) == 1


@pytest.mark.parametrize("learner", [tl.Perceptron(), tl.LogisticRegression()])
def test_a_geometry_of_no_rows_is_refused(learner: Any) -> None:
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=Y)
    model = learner.fit(frame, "y")
    with pytest.raises(
        errors.InputError, match=f"{type(model).__name__}.geometry: the table has no rows"
    ):
        model.geometry(frame.head(0), "y")


def test_the_steps_of_several_classes_say_whose_weights_they_are() -> None:
    model = tl.Perceptron(shuffle=False).fit([[1.0], [2.0], [4.0]], ["low", "mid", "high"])
    for shown in (model.steps(), model.show_work()):
        assert "score of high  score of low  score of mid" in str(shown)
    assert model.steps().to_dict()["classes"] == ["high", "low", "mid"]
    assert "score of" not in str(tl.Perceptron().fit([[1.0], [2.0]], ["low", "mid"]).steps())
