"""A learner that is written from CONTRIBUTING.md alone does what every learner does."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.utils.estimator_checks import estimator_checks_generator

import tallylearn as tl
from tallylearn import engines, errors, expressions, tables
from tests.engines.test_engines import Elsewhere
from tests.exponential_regression import ExponentialRegressor

RNG = np.random.default_rng(7)
N = 400
FRAME = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.normal(size=N)})
FRAME["t"] = RNG.exponential(np.exp(1 + 0.5 * FRAME.a - FRAME.b))


def test_the_learner_has_fewer_than_120_lines_of_code() -> None:
    text = Path(__file__).with_name("exponential_regression.py").read_text()
    assert sum(bool(line.strip()) for line in text.splitlines()) < 120


def test_it_finds_the_minimum() -> None:
    model = ExponentialRegressor(alpha=0.1).fit(FRAME, "t")
    x, y = np.column_stack([np.ones(N), FRAME.a, FRAME.b]), FRAME.t.to_numpy()

    def loss(b: Any) -> Any:
        return np.mean(x @ b + y * np.exp(-x @ b)) + 0.05 * (b[1:] ** 2).sum()

    assert model.model_.coef == pytest.approx(minimize(loss, np.zeros(3)).x, abs=1e-4)
    assert loss(model.model_.coef) <= minimize(loss, np.zeros(3)).fun + 1e-12
    assert model.score(FRAME, "t") > 0
    assert 1 < model.n_iter_ < 20


def test_threads_and_workers_give_the_same_bits_and_files_the_same_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "BLOCK", 64)
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    found = []
    for source in (FRAME, tmp_path / "rows.csv"):
        bits = set()
        for engine in (engines.ThreadEngine(1), engines.ThreadEngine(3), Elsewhere()):
            with engines.use_engine(engine):
                found.append(ExponentialRegressor().fit(source, "t").model_.coef)
            bits.add(found[-1].tobytes())
        assert len(bits) == 1
    np.testing.assert_allclose(found[-1], found[0], rtol=1e-10)  # other blocks, other rounding


def test_it_is_saved_loaded_pickled_and_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tl, "ExponentialRegressor", ExponentialRegressor, raising=False)
    monkeypatch.setitem(tl.NAMES, "ExponentialRegressor", "tests")
    model = ExponentialRegressor(alpha=0.5).fit(FRAME, "t")
    model.save(tmp_path / "m.tally")
    for again in (tl.load(tmp_path / "m.tally"), pickle.loads(pickle.dumps(model))):
        assert again.predict(FRAME).tolist() == model.predict(FRAME).tolist()
        assert repr(again).startswith("ExponentialRegressor(alpha=0.5)")
    explanation = model.explain(FRAME[:3])
    assert explanation[0].chosen == model.predict(FRAME[:1])[0]
    assert "Exponential regression" in str(model.show_work())
    tree = model.model_.expression(model.schema_)
    block = next(model._read_blocks(FRAME))
    np.testing.assert_allclose(
        expressions.evaluate(tree.values[0], block), model.predict(FRAME), rtol=1e-12
    )


def test_it_is_evaluated_and_compared() -> None:
    assert tl.evaluate(ExponentialRegressor(), FRAME, "t", cv=3)["mae"].pooled > 0


def test_options_and_targets_are_checked() -> None:
    with pytest.raises(errors.OptionError, match=r"'alpha'.*\[0.0, inf\).*-1"):
        ExponentialRegressor(alpha=-1).fit(FRAME, "t")
    with pytest.raises(errors.TargetError, match="0 in a row"):
        ExponentialRegressor().fit(FRAME.assign(t=0.0), "t")
    assert ExponentialRegressor(max_iter=1).fit(FRAME, "t").notes_.warnings


def checks() -> list[Any]:
    """All checks but one that needs an environment variable before SciPy is imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an estimator need not inherit from BaseEstimator
        found = [*estimator_checks_generator(ExponentialRegressor())]
    return [(one, check) for one, check in found if "array_api" not in str(check)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("estimator", "check"),
    checks(),
    ids=lambda one: getattr(getattr(one, "func", one), "__name__", type(one).__name__),
)
def test_scikit_learns_checks_pass(estimator: Any, check: Any) -> None:
    try:
        check(estimator)
    except SkipTest as skipped:  # a check that skips itself has not been passed
        pytest.fail(f"skipped: {skipped}")
