"""Bases: the files that are edited, of every learner and of every release."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import tallylearn as tl
from tests.learners import CASES

GOLDEN = Path(__file__).parents[1] / "data" / "models"


def made(frame: pd.DataFrame, folder: Path) -> Iterator[tuple[str, bytes]]:
    """The golden files, every learner of the contract, and some with rarer options and inputs."""
    for path in sorted(GOLDEN.glob("*.tally")):
        yield f"golden {path.stem}", path.read_bytes()
    for case in CASES:
        yield case.name, _bytes(case.make().fit(case.table(frame[:60]), case.target), folder)
    for at, model in enumerate(_rarer(frame[:60])):
        yield f"rarer {at}", _bytes(model, folder)
        if model.tally_ is not None:
            model.save(folder / "base.tally", tally=False)
            yield f"rarer {at} without its tally", (folder / "base.tally").read_bytes()


def _bytes(model: Any, folder: Path) -> bytes:
    model.save(folder / "base.tally")
    return (folder / "base.tally").read_bytes()


def _rarer(frame: pd.DataFrame) -> Iterator[Any]:
    x, y = frame[["width"]].to_numpy(), np.array([*"abc"]).searchsorted(frame["kind"])
    numbers = frame[["length", "width"]].fillna(0.0)
    dates = pd.to_datetime("2000-01-01") + pd.to_timedelta(np.arange(len(frame)), "D")
    dated = frame[["kind", "colour"]].assign(day=dates, other=dates)
    parts = tl.table(dated, target="kind", dates={"day": ["year", "weekday"]}, missing=["red"])
    weights = np.linspace(0.1, 3, len(frame))
    everything = frame[["length", "width", "colour", "shape", "heavy", "kind"]]
    yield tl.NaiveBayes().fit(x, y)
    yield tl.NaiveBayes(m=2, class_prior=[0.2, 0.3, 0.5]).fit(parts)
    yield tl.NaiveBayes().fit(everything, "kind", sample_weight=weights)
    yield tl.NaiveBayes(stop_words=["and"]).fit(frame["note"].fillna(""), y.astype(np.int8))
    yield tl.NearestCentroid(priors=[0.2, 0.3, 0.5]).fit(numbers, y)
    for kind in (tl.LinearDiscriminantAnalysis, tl.QuadraticDiscriminantAnalysis):
        yield kind(solver="eigen", shrinkage="auto").fit(numbers, y)
        yield kind(solver="eigen", shrinkage=0.5, exact=True, store_covariance=True).fit(numbers, y)
    yield tl.LinearDiscriminantAnalysis("lsqr", priors=[0, 0.5, 0.5]).fit(everything, "kind")
    for strategy in ("most_frequent", "stratified", "uniform"):
        yield tl.DummyClassifier(strategy=strategy, random_state=1).fit(x, y.astype(np.float32))
    yield tl.DummyClassifier(strategy="constant", constant="b").fit(everything, "kind")
    yield tl.DummyRegressor(strategy="quantile", quantile=0.3).fit(x, x[:, 0], weights)
    yield tl.DummyRegressor(strategy="constant", constant=3).fit(x, x[:, 0])
    yield tl.C45().fit(parts)
    for options in (
        {"missing": "fractional", "class_weight": "balanced"},
        {"category_split": "multiway", "costs": {"colour": 2}},
        {"loss": [[0, 1, 2], [3, 0, 1], [1, 1, 0]]},
    ):
        yield tl.DecisionTreeClassifier(**options).fit(everything, "kind")
    fractional = tl.DecisionTreeRegressor(missing="fractional", max_depth=3)
    yield fractional.fit(everything.drop(columns="kind"), y * 1.0)
    yield tl.ID3(max_depth=2).fit(dated, "kind")
    yield tl.LMS(1e-14, scaling="twice").fit(numbers, y * 1.0)
