"""Logistic regression: scikit-learn's weights, from memory and files, and a word where none are."""

from __future__ import annotations

import re
import tracemalloc
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression

import tallylearn as tl
from tallylearn.engines import stage
from tallylearn.errors import ColumnError, InputError, OptionError, TargetError
from tallylearn.kernels import logistic_loss
from tallylearn.models.design.matrix import Design
from tallylearn.models.glm.losses import FULL, LossAt
from tallylearn.models.glm.solvers import gradient_descent
from tests.printed_text import unwrapped

FREE = float("inf")
RNG = np.random.default_rng(11)
HALVES = [[1.0], [2.0], [3.0], [4.0]], ["no", "yes", "no", "yes"]
APART = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
TABLES = {"two": load_breast_cancer, "three": load_iris}


def scaled(name: str) -> tuple[Any, Any]:
    X, y = TABLES[name](return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def theirs(X: Any, y: Any, **options: Any) -> LogisticRegression:
    """scikit-learn's, as near to the optimum as it comes; some versions warn of ``penalty``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LogisticRegression(tol=1e-10, max_iter=100_000, **options).fit(X, y)


def close(ours: Any, other: Any, within: float) -> bool:
    gap = [
        (one.coef_, one.intercept_ - one.intercept_.mean() * (len(one.coef_) > 1))
        for one in (ours, other)
    ]
    return all(np.allclose(a, b, rtol=0, atol=within) for a, b in zip(*gap, strict=True))


@pytest.mark.parametrize("solver", ["auto", "newton-cholesky", "lbfgs"])
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("name", TABLES)
def test_weights_are_those_of_scikit_learn(name: str, C: float, solver: str) -> None:
    X, y = scaled(name)
    tol = 1e-10 if solver == "lbfgs" else 1e-4
    ours = tl.LogisticRegression(C=C, solver=solver, tol=tol, max_iter=1000).fit(X, y)
    assert ours.converged_
    assert close(ours, theirs(X, y, C=C, solver="newton-cholesky"), 1e-6)


@pytest.mark.parametrize("weight", ["balanced", {0: 3.0, 1: 0.5}])
def test_classes_weigh_as_in_scikit_learn_and_a_constant_can_be_left_out(weight: Any) -> None:
    X, y = scaled("two")
    options = {"class_weight": weight, "fit_intercept": False}
    ours = tl.LogisticRegression(**options).fit(X, y)
    assert close(ours, theirs(X, y, solver="newton-cholesky", **options), 1e-6)
    assert not ours.intercept_.any()


@pytest.mark.parametrize("l1_ratio", [0.5, 1.0])
def test_lasso_and_elastic_net_are_those_of_scikit_learn(l1_ratio: float) -> None:
    X, y = scaled("two")
    other = theirs(X, y, C=0.1, solver="saga", penalty="elasticnet", l1_ratio=l1_ratio)
    ours = tl.LogisticRegression(C=0.1, l1_ratio=l1_ratio).fit(X, y)
    orthants = tl.LogisticRegression(
        C=0.1, l1_ratio=l1_ratio, solver="lbfgs", tol=1e-9, max_iter=2000
    ).fit(X, y)
    assert close(ours, other, 1e-6)
    assert close(orthants, other, 1e-6)
    assert np.array_equal(ours.coef_ == 0, other.coef_ == 0)


def test_a_lasso_of_three_classes_meets_its_conditions() -> None:
    """Where a weight is not 0 the gradient of the losses is the penalty's, elsewhere smaller."""
    X, y = scaled("three")
    ours = tl.LogisticRegression(C=0.5, l1_ratio=1.0).fit(X, y)
    gradient = (ours.predict_proba(X) - np.eye(3)[y]).T @ X
    some = ours.coef_ != 0
    assert 0 < some.sum() < some.size
    assert np.allclose(gradient[some], -2 * np.sign(ours.coef_[some]), rtol=0, atol=1e-6)
    assert (np.abs(gradient[~some]) <= 2 + 1e-6).all()


def test_many_weights_of_several_classes_are_approached_by_gradients_and_ended_by_newton() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1500, 25))
    y = (X @ rng.normal(size=(25, 8)) + rng.gumbel(size=(1500, 8))).argmax(axis=1)
    found = tl.LogisticRegression().fit(X, y)
    newton = tl.LogisticRegression(solver="newton-cholesky").fit(X, y)
    assert found.converged_
    assert found.n_iter_ > newton.n_iter_ + 5, "steps of the gradient come before"
    np.testing.assert_allclose(found.coef_, newton.coef_, rtol=0, atol=1e-10)
    few = tl.LogisticRegression(max_iter=7).fit(X, y)
    assert few.n_iter_ == 7
    assert not few.converged_


def test_dear_curvatures_are_asked_of_a_sample_where_gradients_have_led(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw, asked = np.random.default_rng(3), []
    X = draw.normal(size=(20_000, 40))
    y = (X @ draw.normal(size=(40, 5)) + draw.gumbel(size=(20_000, 5))).argmax(axis=1)

    summed = LossAt.__call__

    def watched(self: LossAt, rows: Any) -> Any:
        asked.append((len(rows), self.hessian == FULL))
        return summed(self, rows)

    monkeypatch.setattr(LossAt, "__call__", watched)
    ours = tl.LogisticRegression().fit(X, y)
    assert ours.converged_
    assert sum(curved for _, curved in asked) <= 2
    assert all(rows == 5_000 for rows, curved in asked if curved)
    assert close(ours, tl.LogisticRegression(solver="newton-cholesky").fit(X, y), 1e-6)
    with tl.engine(threads=1):
        alone = tl.LogisticRegression().fit(X, y)
    assert alone.coef_.tobytes() == ours.coef_.tobytes()


def test_many_rows_begin_with_a_sample_and_end_where_all_lead() -> None:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(30_000, 3))
    y = draw.random(30_000) < 1 / (1 + np.exp(-X @ [1.0, -2.0, 0.5]))
    ours = tl.LogisticRegression().fit(X, y)
    assert close(ours, theirs(X, y, solver="newton-cholesky"), 1e-6)


@pytest.mark.parametrize("solver", ["newton-cholesky", "lbfgs"])
@pytest.mark.parametrize("steps", [1, 3])
def test_as_many_steps_are_taken_as_are_allowed(solver: str, steps: int) -> None:
    X, y = load_iris(return_X_y=True)
    free = tl.LogisticRegression(solver=solver, max_iter=1000).fit(X, y)
    held = tl.LogisticRegression(solver=solver, max_iter=steps).fit(X, y)
    assert held.n_iter_ == [steps]
    assert not held.converged_
    assert held.model_.ending.objective == pytest.approx(free.trace_[steps, 0], rel=1e-12)
    assert tl.LogisticRegression(solver=solver, max_iter=len(free.trace_)).fit(X, y).converged_


def mixed(rows: int = 400) -> pd.DataFrame:
    draw = np.random.default_rng(1)
    size, town = draw.normal(size=rows), draw.choice(["Bonn", "Kiel", "Ulm"], rows)
    words = [" ".join(draw.choice(["red", "new", "old", "big"], 3)) for _ in range(rows)]
    score = size + (town == "Ulm") + np.array(["new" in one for one in words]) - 1
    bought = np.where(draw.random(rows) < 1 / (1 + np.exp(-score)), "yes", "no")
    return pd.DataFrame({"size": size, "town": town, "note": words, "bought": bought})


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("columns", [["size", "town"], ["size", "town", "note"]])
def test_files_lead_to_the_weights_of_memory(columns: list[str], kind: str, tmp_path: Path) -> None:
    frame = mixed()[[*columns, "bought"]]
    if "note" in columns:
        frame["note"] += [f" n{i} and more words" for i in range(len(frame))]
    path = tmp_path / f"rows.{kind}"
    if kind == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path, row_group_size=70)
    options: dict[str, Any] = {"min_df": 5}
    memory = tl.LogisticRegression(**options).fit(frame, "bought")
    file = tl.LogisticRegression(**options).fit(path, "bought")
    assert file.model_.names == memory.model_.names
    assert ("note: red" in file.model_.names) == ("note" in columns)
    assert close(file, memory, 1e-8)


@pytest.mark.parametrize("columns", [["size", "town"], ["town", "note"]])
def test_large_files_lead_to_the_weights_of_memory(columns: list[str], tmp_path: Path) -> None:
    frame = pd.concat([mixed()[[*columns, "bought"]]] * 180, ignore_index=True)  # two blocks
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=40_000)
    kinds = {"note": "text"} if "note" in columns else {}
    memory, file = (
        tl.LogisticRegression().fit(tl.table(rows, target="bought", kinds=kinds))
        for rows in (frame, tmp_path / "rows.parquet")
    )
    assert close(file, memory, 1e-8)


@pytest.mark.parametrize("kind", ["memory", "parquet"])
def test_rows_in_which_the_survey_found_no_gap_are_not_searched_for_gaps(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, path = mixed()[["size", "bought"]], tmp_path / "rows.parquet"
    frame.to_parquet(path)
    monkeypatch.delattr(Design, "filled_matrix")
    assert tl.LogisticRegression().fit(frame if kind == "memory" else path, "bought").converged_


def test_a_gap_is_filled_though_its_row_weighs_next_to_nothing() -> None:
    frame = mixed()[["size", "bought"]].assign(weight=1.0)
    frame.loc[7, ["size", "weight"]] = np.nan, 1e-40  # which the sum of the weights does not show
    found = tl.LogisticRegression().fit(frame, "bought", sample_weight="weight")
    rest = tl.LogisticRegression().fit(frame.drop(index=7), "bought", sample_weight="weight")
    assert close(found, rest, 1e-8)


def peak_of_a_file(path: Path, rows: int, seen: list[tuple[str, int]]) -> int:
    """Bytes at most, while a file of so many rows is learned from."""
    draw = np.random.default_rng(0)
    frame = pd.DataFrame(draw.normal(size=(rows, 4)), columns=[*"abcd"])
    frame["y"] = frame["a"] + draw.logistic(size=rows) > 0
    frame.to_parquet(path, row_group_size=1 << 15)
    del frame
    with tl.engine(threads=1, watch=lambda n: seen.append((stage(), n))):
        tracemalloc.start()
        assert tl.LogisticRegression().fit(path, "y").converged_
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


def test_twice_the_rows_take_no_more_memory_and_a_sample_is_read_once(tmp_path: Path) -> None:
    seen: list[tuple[str, int]] = []
    few = peak_of_a_file(tmp_path / "few.parquet", 1 << 18, [])
    assert peak_of_a_file(tmp_path / "many.parquet", 1 << 19, seen) < 1.15 * few
    whole = {name for name, _ in seen if sum(n for at, n in seen if at == name) >= 1 << 19}
    assert {"survey", "sample"} <= whole < {name for name, _ in seen}
    assert "round 1" not in whole


@pytest.mark.parametrize("p", range(10))
def test_rows_are_laid_out_alike_however_their_columns_lie(p: int) -> None:
    x, (centre, scale) = RNG.normal(size=(9, p)), RNG.normal(size=(2, p))
    wanted = np.column_stack([np.ones(9), (x - centre) * scale, np.full((9, 2), 7.0)])
    turned = np.asfortranarray(x)
    for rows in (x, turned, np.repeat(turned, 2, axis=0)[::2], turned[::-1].copy("F")[::-1]):
        out = np.full(wanted.shape, 7.0)
        logistic_loss.lay(rows, centre, scale, out)
        assert out.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("solver", ["auto", "lbfgs"])  # dense for a curvature, else sparse
def test_words_have_the_weights_that_columns_of_their_counts_have(solver: str) -> None:
    frame = mixed()
    terms = ["big", "new", "old", "red"]
    counts = np.array([[one.split().count(term) for term in terms] for one in frame["note"]])
    tol = 1e-10 if solver == "lbfgs" else 1e-4
    text = tl.LogisticRegression(solver=solver, tol=tol).fit(
        tl.table(frame[["note", "bought"]], target="bought", kinds={"note": "text"})
    )
    assert text.model_.names == tuple(f"note: {term}" for term in terms)
    assert close(text, theirs(counts, frame["bought"], solver="newton-cholesky"), 1e-6)


@pytest.mark.parametrize("kind", ["memory", "csv"])
@pytest.mark.parametrize("columns", [["size", "note"], ["note"]])
def test_a_gap_in_a_text_is_a_gap(columns: list[str], kind: str, tmp_path: Path) -> None:
    frame = mixed()[[*columns, "bought"]]
    frame["note"] += [f" n{i} and more words" for i in range(len(frame))]
    whole, frame = frame, frame.assign(note=frame["note"].mask(frame.index == 5))
    frame.to_csv(tmp_path / "t.csv", index=False)
    rows: Any = frame if kind == "memory" else tmp_path / "t.csv"
    with pytest.raises(ColumnError, match="column 'note' is missing in row"):
        tl.LogisticRegression(missing="refuse", min_df=9).fit(rows, "bought")
    dropped = tl.LogisticRegression(missing="drop", min_df=9).fit(rows, "bought")
    rest = tl.LogisticRegression(missing="drop", min_df=9).fit(frame.drop(index=5), "bought")
    assert close(dropped, rest, 1e-12)
    assert dropped.summary().figures["rows"] == 399
    refusing = tl.LogisticRegression(missing="refuse", min_df=9).fit(whole, "bought")
    with pytest.raises(ColumnError, match="column 'note' is missing in row 5"):
        refusing.predict(frame)
    filled = tl.LogisticRegression(min_df=9).fit(rows, "bought")
    without = frame.assign(note=frame["note"].fillna("?"))
    assert filled.predict_proba(frame) == pytest.approx(filled.predict_proba(without))


def test_rows_that_are_dropped_are_counted_out_and_said(tmp_path: Path) -> None:
    frame = mixed()[["size", "bought"]]
    frame.loc[:59, "size"] = np.nan
    model = tl.LogisticRegression(missing="drop").fit(frame, "bought")
    assert "learned from 340 rows of 1 column" in repr(model)
    assert "60 rows have a gap and are left out." in str(model.show_work())
    for name, rows in (("a", frame[:40]), ("b", frame[40:])):
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
    parts = tl.LogisticRegression(missing="drop").fit(tmp_path / "*.csv", "bought")
    assert "60 rows have a gap and are left out." in str(parts.show_work())
    model.save(tmp_path / "m.tally")
    again = tl.load(tmp_path / "m.tally")
    assert "learned from 340 rows" in repr(again)
    assert str(again.show_work()) == str(model.show_work())
    stream = tl.Perceptron(missing="drop")
    for rows, left in ((frame[30:90], 30), (frame[59:99], 31)):
        stream.partial_fit(rows, "bought", classes=["no", "yes"])
        assert f"{left} rows have a gap and are left out." in str(stream.show_work())
    words = tl.table(mixed()[["note", "bought"]], target="bought", kinds={"note": "text"})
    assert "left out" not in str(tl.LogisticRegression(missing="drop").fit(words).show_work())


@pytest.mark.parametrize("weight", ["balanced", {"yes": 5.0}])
def test_weights_of_classes_are_no_rows_and_said(weight: Any) -> None:
    frame = mixed()[["size", "bought"]]
    model = tl.LogisticRegression(C=FREE, class_weight=weight).fit(frame, "bought")
    found = model.summary()
    assert found.figures["rows"] == 400
    free = 2 * -found.figures["log-likelihood"]
    assert found.figures["BIC"] == pytest.approx(free + 2 * np.log(400))
    heavy = 400 + 4 * (frame["bought"] == "yes").sum() if weight != "balanced" else None
    assert found.figures.get("weight of the rows, by class") == heavy
    said = "take a row for as many as its class weighs."
    assert any(said in one for one in found.remarks)
    for other in ({"C": FREE}, {"C": 1.0, "class_weight": weight}):
        remarks = tl.LogisticRegression(**other).fit(frame, "bought").summary().remarks
        assert not any(said in one for one in remarks)


@pytest.mark.parametrize("learner", [tl.LogisticRegression, tl.LinearRegression, tl.Perceptron])
def test_a_rare_reference_is_told_as_all_rare_values(learner: Any) -> None:
    town = ["Bonn", "Kiel"] * 150 + [f"v{i}" for i in range(70)] * 2
    frame = pd.DataFrame({"town": town, "y": np.random.default_rng(0).integers(0, 2, len(town))})
    model = learner(reference={"town": "v7"}).fit(frame, "y")
    told = "Column 'town' is a category: a column of 0 and 1 for every value but the rare ones."
    assert told in unwrapped(model.show_work())
    if hasattr(model, "summary"):
        assert "compared with the rare ones." in str(model.summary())
    rows = pd.DataFrame({"town": ["v0", "v7", "Ulm", "Kiel"]})
    notes = [
        {term["note"] for line in row["lines"] for term in line["terms"] if term["column"]}
        for row in model.explain(rows).to_dict()["rows"]
    ]
    assert notes == [{"rare"}, {"rare"}, {"never seen, counts as rare"}, {""}]
    assert "every value but 'Bonn'." in str(learner().fit(frame, "y").show_work())


SEPARATED = (
    r"column 'x0' separates the classes perfectly, so the maximum-likelihood estimate does not "
    r"exist\. Add a penalty \(for example C=1\)\.$"
)


def test_separated_classes_are_said() -> None:
    free = tl.LogisticRegression(C=FREE)
    with pytest.raises(InputError, match=SEPARATED):
        free.fit(*APART)
    with pytest.raises(InputError, match="column 'x0' separates the classes quasi-completely"):
        free.fit([[1], [2], [2], [4]], APART[1])
    assert "The classes are separated" in str(tl.LogisticRegression().fit(*APART).show_work())
    assert "separated" not in str(tl.LogisticRegression().fit(*HALVES).show_work())


def test_a_summary_compares_with_the_first_class_and_has_errors_only_without_a_penalty() -> None:
    X, y = load_iris(return_X_y=True)
    rows = X[50:, :2], y[50:]
    free = tl.LogisticRegression(C=FREE).fit(*rows)
    h = free.predict_proba(rows[0])[:, 1]
    design = np.column_stack([np.ones(100), rows[0]])
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ (design * (h * (1 - h))[:, None]))))
    records = free.summary().records()
    assert np.allclose([row["error"] for row in records], errors, rtol=1e-8)
    assert np.allclose([row["log_odds"] for row in records[1:]], free.coef_[0])
    assert np.allclose([row["odds_ratio"] for row in records[1:]], np.exp(free.coef_[0]))
    several = tl.LogisticRegression().fit(X, y).summary()
    assert several.reference == "0"
    assert {row["error"] for row in several.records()} == {None}


def test_a_printed_summary_has_the_headings_and_intervals_of_statsmodels() -> None:
    hours, passed = [[1], [2], [3], [4], [5], [6]], [*"aababb"]
    found = tl.LogisticRegression(C=FREE).fit(hours, passed).summary()
    lines = str(found).splitlines()
    heads = ["coef", "odds", "ratio", "std", "err", "z", "P>|z|", "[0.025", "0.975]"]
    assert lines[1].split() == heads
    # statsmodels' Logit prints -4.2491 3.388 -1.254 0.210 -10.889 2.391 for the constant
    assert lines[2].split() == [
        "Intercept", "-4.249", "0.01428", "3.388", "-1.254", "0.210", "-10.89", "2.391"
    ]  # fmt: skip
    text = str(found)
    assert "The interval is that of the coefficient." in text
    assert "\nn 6   Log-likelihood -2.478   LL-Null -4.159\n" in text
    assert "Pseudo R-squared (McFadden) 0.4042   AIC 8.956   BIC 8.539" in text
    assert "Iterations 6   Converged yes" in text
    assert max(map(len, lines)) <= 80
    assert found.records()[0]["column"] == "(constant)"


@pytest.mark.parametrize("loss", ["cross-entropy", "squared"])
def test_gradient_descent_takes_the_steps_of_the_notes(loss: str) -> None:
    options: dict[str, Any] = {
        "C": FREE,
        "learning_rate": 0.1,
        "max_iter": 20,
        "coef_init": [0.5, -0.25],
    }
    model = tl.LogisticRegression(solver="gradient", loss=loss, **options).fit(*HALVES)
    x, y = np.column_stack([np.ones(4), np.array(HALVES[0])]), np.array([0, 1, 0, 1])
    w = np.array([0.5, -0.25])
    for found in model.trace_:
        h = 1 / (1 + np.exp(-x @ w))
        if loss == "squared":
            before, slope = ((y - h) ** 2).sum() / 2, -x.T @ ((y - h) * h * (1 - h))
        else:
            before, slope = -np.log(np.where(y, h, 1 - h)).mean(), -x.T @ (y - h) / 4
        w = w - 0.1 * slope
        assert np.allclose(found, [before, *w], rtol=1e-12)
    assert len(model.trace_) == 20
    assert not model.converged_


def test_squared_errors_are_no_likelihood() -> None:
    options: dict[str, Any] = {"solver": "gradient", "loss": "squared", "learning_rate": 0.01}
    free, held = (tl.LogisticRegression(C=C, **options).fit(*HALVES) for C in (FREE, 0.5))
    for model in (free, held):
        h = model.predict_proba(HALVES[0])[:, 1]
        found = model.summary().figures
        assert {*found} == {"rows", "half the squared errors", "penalty", "steps"}
        errors = h - np.array([0, 1, 0, 1])
        assert found["half the squared errors"] == pytest.approx(errors @ errors / 2)
        assert "likelihood" not in str(model.summary())
    assert "L = ½ Σ (y - h)² + 1/(2 C) Σ w²" in str(held.show_work())
    assert "L = ½ Σ (y - h)²,  h" in str(free.show_work())


@pytest.mark.parametrize("rows", ["memory", "file"])
def test_first_weights_are_of_the_columns_in_their_order(rows: str, tmp_path: Path) -> None:
    frame = mixed()[["town", "size", "bought"]]
    frame.to_csv(tmp_path / "t.csv", index=False)
    first = [3.0, 10.0, 20.0, 30.0]
    model = tl.LogisticRegression(
        solver="gradient", learning_rate=1e-9, max_iter=1, coef_init=first
    )
    model.fit(frame if rows == "memory" else tmp_path / "t.csv", "bought")
    assert model.coef_names_ == ("town=Kiel", "town=Ulm", "size")
    assert model.coef_[0] == pytest.approx(first[1:], abs=1e-6)
    assert model.trace_[0, 1:] == pytest.approx(first, abs=1e-6)
    assert "w0 after  town=Kiel after  town=Ulm after  size after" in str(model.show_work())


def test_steps_of_several_classes_name_them() -> None:
    X, y = scaled("three")
    options: dict[str, Any] = {"solver": "gradient", "max_iter": 3}
    with pytest.raises(OptionError, match="for each of the classes 1, 2, which are compared with"):
        tl.LogisticRegression(**options, coef_init=np.zeros((3, 5))).fit(X, y)
    first = np.arange(10.0).reshape(2, 5) / 10
    model = tl.LogisticRegression(**options, coef_init=first, learning_rate=1e-9).fit(X, y)
    assert np.allclose(model.trace_[0, 1:], first.ravel(), atol=1e-6)
    assert np.allclose(model.coef_[1:] - model.coef_[0], first[:, 1:], atol=1e-6)
    said = str(model.show_work())
    assert "w0 of 1 after  x0 of 1 after" in said
    assert "x3 of 1 after  w0 of 2 after\n" in said
    assert "The weights of 0 stay 0. 4 more weights are left out." in said


def test_a_trace_ends_aloud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradient_descent, "KEPT_NUMBERS", 24)
    model = tl.LogisticRegression(solver="gradient", max_iter=9).fit(*HALVES)
    assert model.trace_.shape == (8, 3)
    assert "trace_ has the first 8 steps." in str(model.show_work())
    whole = tl.LogisticRegression(solver="gradient", max_iter=8).fit(*HALVES)
    assert "trace_" not in str(whole.show_work())
    rested = tl.LogisticRegression(solver="gradient", tol=10.0).fit(*HALVES)
    assert rested.trace_.shape == (0, 3)


def test_weights_are_called_around_their_mean_where_they_are() -> None:
    X, y = scaled("three")
    for options in ({}, {"l1_ratio": 1.0}, {"l1_ratio": 0.5}):
        model = tl.LogisticRegression(C=0.5, **options).fit(X, y)
        centred = bool(np.abs(model.coef_.sum(axis=0)).max() < 1e-12)
        assert ("around their mean" in str(model.show_work())) == centred == (not options)


def test_a_rate_that_diverges_names_its_step() -> None:
    model = tl.LogisticRegression(solver="gradient", learning_rate=100.0, max_iter=50)
    with pytest.raises(InputError, match=r"learning_rate=100: .* at step 1,"):
        model.fit(*HALVES)


def test_a_row_at_one_half_goes_to_the_first_class_or_to_the_positive_one() -> None:
    X, y = [[-1.0], [1.0]], ["no", "yes"]
    for rule, answer in (("first", "no"), ("positive", "yes")):
        model = tl.LogisticRegression(at_half=rule, fit_intercept=False).fit(X, y)
        assert model.predict([[0.0]]).tolist() == [answer]


@pytest.mark.parametrize(
    ("options", "rows", "error", "said"),
    [
        ({}, ([[1.0], [2.0]], ["no", "no"]), TargetError, "the target has one class, 'no'"),
        ({"C": FREE}, ([[1, 2], [2, 4], [3, 6], [4, 8]], HALVES[1]), ColumnError, "are collinear"),
        ({"C": 0}, HALVES, OptionError, "'C' parameter"),
        ({"C": -1.0}, HALVES, OptionError, "'C' parameter"),
        ({"l1_ratio": 1.5}, HALVES, OptionError, "'l1_ratio' parameter"),
        ({"max_iter": 0}, HALVES, OptionError, "'max_iter' parameter"),
        ({"solver": "liblinear"}, HALVES, OptionError, "penalises the intercept"),
        ({"loss": "squared"}, HALVES, OptionError, "needs solver='gradient'"),
        ({"class_weight": {"perhaps": 2}}, HALVES, OptionError, "class_weight names 'perhaps'"),
        ({"solver": "gradient", "l1_ratio": 1.0}, HALVES, OptionError, "no gradient"),
        ({"solver": "gradient", "coef_init": [1, 2, 3]}, HALVES, OptionError,
         "coef_init should be 1 finite"),
        ({}, ([[1.0], [np.inf]], ["no", "yes"]), InputError, "inf"),
    ],
)  # fmt: skip
def test_bad_input_is_said(options: Any, rows: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=re.escape(said)):
        tl.LogisticRegression(**options).fit(*rows)


@pytest.mark.parametrize("rows", [300, 30_000])
@pytest.mark.parametrize("share", [0.0, 0.5])
@pytest.mark.parametrize("tol", [1e-12, 1e-15])
def test_a_search_rests_where_rounding_hides_the_descent(
    rows: int, share: float, tol: float
) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 3))
    y = x @ [1, -1, 0] + rng.logistic(size=rows) > 0
    model = tl.LogisticRegression(tol=tol, l1_ratio=share).fit(x, y)
    assert model.converged_
    assert model.n_iter_[0] < 30
    promised = model.model_.ending.trace[-1, 1]  # by the last step; exactly 0 on some processors
    assert promised == 0 or "Rounding error prevented further progress" in str(model.show_work())
    usual = tl.LogisticRegression(l1_ratio=share, tol=1e-6).fit(x, y)
    np.testing.assert_allclose(model.coef_, usual.coef_, rtol=1e-7)
    assert "Rounding error" not in str(usual.show_work())


def test_the_working_names_the_search_that_was_asked_for() -> None:
    draw = np.random.default_rng(4)
    X, y = draw.normal(size=(30, 1300)), draw.integers(0, 2, 30)
    model = tl.LogisticRegression(solver="newton-cholesky", max_iter=2).fit(X, y)
    assert "steps of Newton's method" in str(model.show_work())


def test_a_summary_of_weights_that_are_not_the_most_likely_has_no_standard_errors() -> None:
    draw = np.random.default_rng(4)
    X = draw.normal(size=(50, 2))
    y = (X[:, 0] + draw.logistic(size=50) > 0).astype(int)
    said = str(
        tl.LogisticRegression(C=float("inf"), solver="gradient", max_iter=3).fit(X, y).summary()
    )
    assert "There are no standard errors: they belong to maximum-likelihood estimates" in said


def test_a_summary_of_a_text_prints_the_words_of_the_largest_weights() -> None:
    texts = [f"a{i} b{i} {'zebra' if i % 2 else 'yak'}" for i in range(60)]
    found = tl.LogisticRegression().fit(texts, [i % 2 for i in range(60)]).summary()
    assert len(found.records()) == 1 + 122
    said = str(found)
    assert "text: zebra" in said
    assert "text: yak" in said
    assert "20 of 122 words are listed, those with the largest coefficients." in said
    assert "more rows" not in said


def test_the_working_has_the_penalty_that_there_was() -> None:
    X, y = [[1], [2], [3], [4]], ["no", "yes", "no", "yes"]
    free = str(tl.LogisticRegression(C=float("inf")).fit(X, y).show_work())
    assert "J = -1/n Σ ln P(class of the row | x)\n" in free
    held = str(tl.LogisticRegression(C=0.5, l1_ratio=0.25).fit(X, y).show_work())
    assert "+ 1/(C n) (½ (1 - r) Σ w² + r Σ |w|)" in held
    assert "C is 0.5, r is 0.25." in held


def test_a_gap_is_explained_without_the_class_whose_terms_are_all_there_are() -> None:
    model = tl.LogisticRegression().fit([[1, 0], [2, 1], [3, 0], [4, np.nan]], [0, 1, 0, 1])
    said = str(model.explain([[1, np.nan]]))
    assert "\nx1 = 0.333333: missing, filled by the mean" in said
