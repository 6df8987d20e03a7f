"""Cross-validation beside scikit-learn's ``cross_val_score`` of the same learner."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_limits
from timing import best, heading, versus

import tallylearn as tl
from tallylearn.estimators import Regressor
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.fit_input import FitInput, read_fit_input
from tallylearn.estimators.fold_tallies import training_tallies
from tallylearn.tables import Block, Schema
from tallylearn.tallies import Bundle, Moments, Scatter


def table(n: int, p: int, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, p)) + rng.normal(size=(k, p))[y] / 4, y


def ten_folds(n: int = 200_000, p: int = 50) -> None:
    X, y = table(n, p)
    folds = tl.Folds.k(10)
    pairs = list(folds.split(X, y))
    (part,) = folds.parts(len(X), y)
    dealing = best(lambda: folds.parts(len(X), y), 15)
    heading(f"10 folds, accuracy: n = {n:,}, p = {p}, 2 classes; peer cross_val_score")
    for ours, theirs, bar in (
        (tl.NaiveBayes(), GaussianNB(), 6),
        (tl.LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis(), 50),
    ):
        versus(
            type(ours).__name__,
            lambda ours=ours: tl.evaluate(ours, X, y, cv=folds, scores="accuracy"),
            lambda theirs=theirs: cross_val_score(theirs, X, y, cv=pairs),
            bar,
            1 if bar == 50 else 2,
        )
        one = best(lambda ours=ours: ours.fit(X, y), 15)
        all_ten = best(lambda ours=ours: trained(ours, X, y, part), 15)
        print(
            f"  training side of 10 folds, counting and solving: {all_ten / one:.2f} of one fit "
            f"(bar 1.5); with dealing out the rows {(all_ten + dealing) / one:.2f}"
        )


def trained(learner: Estimator, X: np.ndarray, y: np.ndarray, part: np.ndarray) -> list[object]:
    """Count the rows once, and solve for every fold."""
    tallies = training_tallies(learner, read_fit_input(X, y, None, "bench", learner.task), part, 10)
    with threadpool_limits(1, "blas"):  # as evaluate does
        return [learner.solve(tally) for tally in tallies]


class LeastSquares(Regressor):
    """The scatter of the columns and the target, solved: what regressions on a tally will count."""

    def tally(self, block: Block) -> Bundle:
        both, by = np.column_stack([block.numbers, block.target]), block.counting_keys()
        names = tuple((name, "") for name in (*block.schema.numbers, "~"))  # the target comes last
        target = np.ascontiguousarray(block.target[:, None])
        return Bundle(
            {"numbers": Scatter.of(both, by, names), "target": Moments.of(target, by, ("y",))}
        )

    def solve(self, tally: Bundle) -> np.ndarray:
        scatter = tally["numbers"].scatter[0]
        return np.linalg.solve(scatter[:-1, :-1], scatter[:-1, -1])

    def _check_tally(self, tally: Bundle, schema: Schema) -> None: ...


def regressors(n: int = 200_000, p: int = 20) -> None:
    """The training side alone, in CPU time: no peer counts all folds at once."""
    X, _ = table(n, p)
    y = X[:, 0] + np.random.default_rng(1).normal(size=n)
    (part,) = tl.Folds.k(10, stratified=False).parts(n)
    print(f"\n10 folds of regressors, counting and solving: n = {n:,}, p = {p}; CPU, of one fit")
    with tl.engine(threads=1), threadpool_limits(1, "blas"):
        for ours in (LeastSquares(), tl.DummyRegressor(), tl.DummyRegressor(strategy="median")):
            read = read_fit_input(X, y, None, "bench", "regressor")
            one = spent(lambda ours=ours, read=read: ours.solve(counted(ours, read)))
            ten = spent(lambda ours=ours: trained(ours, X, y, part))
            name = type(ours).__name__ + " median" * (getattr(ours, "strategy", "") == "median")
            print(f"{name:<58} {1e3 * one:6.1f} ms {1e3 * ten:6.1f} ms {ten / one:7.2f}")


def counted(learner: Estimator, read: FitInput) -> Bundle:
    return sum((learner.tally(block) for block in read.blocks()), start=Bundle())


def spent(call: Callable[[], object]) -> float:
    """The least CPU time of five calls."""
    times = []
    for _ in range(5):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def one_out(n: int = 5000, p: int = 20) -> None:
    X, y = table(n, p)
    heading(f"leave one out, accuracy: n = {n:,}, p = {p}, 2 classes; peer cross_val_score")
    versus(
        "NaiveBayes",
        lambda: tl.evaluate(tl.NaiveBayes(), X, y, cv="loo", scores="accuracy"),
        lambda: cross_val_score(GaussianNB(), X, y, cv=LeaveOneOut()),
        200,
        1,
    )


def one_out_of_everything(n: int = 900) -> None:
    """Numbers, categories with gaps and rare values, and names: as the Titanic's passengers."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.2, np.nan, rng.gamma(4, 8, n)),
            "fare": rng.gamma(1, 30, n),
            "sex": rng.choice(["male", "female"], n),
            "ticket": [f"ticket {i}" for i in rng.integers(0, 700, n)],
            "name": [" ".join(f"word{w}" for w in rng.zipf(1.3, 4) % 1500) for _ in range(n)],
        }
    )
    frame["survived"] = (frame["sex"] == "female") ^ (rng.random(n) < 0.2)
    heading(f"leave one out, accuracy: n = {n}, 5 columns of every kind; peer: {n} fits of our own")
    learner = tl.NaiveBayes()

    def fits() -> float:
        rows = [(np.delete(np.arange(n), i), np.array([i])) for i in range(n)]
        hits = [
            tl.NaiveBayes().fit(frame.iloc[train], "survived").predict(frame.iloc[test])[0]
            for train, test in rows
        ]
        return float(np.mean(np.array(hits) == frame["survived"]))

    versus(
        "NaiveBayes",
        lambda: tl.evaluate(learner, frame, "survived", cv="loo", scores="accuracy"),
        fits,
        50,
        1,
    )


if __name__ == "__main__":
    warnings.simplefilter("error")
    ten_folds()
    regressors()
    one_out()
    one_out_of_everything()
