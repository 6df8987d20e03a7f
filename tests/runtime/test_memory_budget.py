"""Memory is asked for before it is taken, and what is refused says what to do."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import errors
from tallylearn.models.design import matrix
from tallylearn.models.discriminants import gaussian_classes
from tallylearn.runtime import memory_budget


def test_the_budget_is_stated_and_can_be_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TALLY_MEMORY", raising=False)
    assert memory_budget.budget() == 4 * memory_budget.GIB
    memory_budget.check_memory(4 * memory_budget.GIB, "a table", "Take less.")
    with pytest.raises(errors.SizeError, match=r"a table would take 5.0 GiB.*4 GiB. Take less."):
        memory_budget.check_memory(5 * memory_budget.GIB, "a table", "Take less.")
    monkeypatch.setenv("TALLY_MEMORY", "8")
    memory_budget.check_memory(5 * memory_budget.GIB, "a table", "Take less.")


@pytest.mark.parametrize("said", ["much", "0", "-1", "nan", "inf"])
def test_a_budget_that_is_none_is_named(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TALLY_MEMORY", said)
    with pytest.raises(errors.OptionError, match=f"TALLY_MEMORY must be a number of GiB.*{said}"):
        memory_budget.budget()


@pytest.mark.parametrize("exact", [False, True])
def test_countless_values_are_pooled_or_refused_before_they_take_memory(exact: bool) -> None:
    n = 20_000
    values = pd.Categorical.from_codes(np.arange(n), [f"v{i}" for i in range(n)])
    frame = pd.DataFrame({"id": values, "x": np.arange(n) % 7.0, "y": np.arange(n) % 2})
    every = tl.LinearDiscriminantAnalysis(exact=exact, min_samples_category=1)
    tracemalloc.start()
    try:
        with pytest.raises(errors.SizeError, match=r"Column 'id' alone has 20000 values.*ignore="):
            every.fit(frame[["id", "x"]], frame["y"])
        model = tl.LinearDiscriminantAnalysis(exact=exact).fit(frame[["id", "x"]], frame["y"])
        assert len(model.rare_values_["id"]) == n
        assert tracemalloc.get_traced_memory()[1] < 1 << 28
    finally:
        tracemalloc.stop()


def test_two_models_that_fit_alone_are_refused_together(monkeypatch: pytest.MonkeyPatch) -> None:
    def part(letter: str) -> Any:
        values = [f"{letter}{i}" for i in range(100)] * 2
        return tl.LinearDiscriminantAnalysis(min_samples_category=1).fit(
            {"c": values, "y": [0, 1] * 100}, "y"
        )

    monkeypatch.setenv("TALLY_MEMORY", "0.004")
    one, two = part("a"), part("b")
    with pytest.raises(errors.SizeError, match="merge: the pairs of 200 columns"):
        tl.merge(one, two)


def test_a_wide_block_is_counted_and_scored_a_few_rows_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"c": rng.choice([f"c{i}" for i in range(30)], 500),
                          "x": rng.normal(size=500), "y": rng.integers(0, 2, 500)})  # fmt: skip
    rows = frame.drop(columns="y")
    for make in (tl.LinearDiscriminantAnalysis, tl.QuadraticDiscriminantAnalysis):
        options = {"reg_param": 0.1} if make is tl.QuadraticDiscriminantAnalysis else {}
        whole = make(**options).fit(frame, "y")
        expected = whole.predict_proba(rows), whole.predict_joint_log_proba(rows)
        with monkeypatch.context() as context:
            for module in (gaussian_classes, matrix):
                context.setattr(module, "ROOM", 1000)
            cut = make(**options).fit(frame, "y")
            for ours, theirs in zip(
                (cut.predict_proba(rows), cut.predict_joint_log_proba(rows)), expected, strict=True
            ):
                assert np.allclose(ours, theirs, atol=1e-10)


def test_memory_that_runs_out_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(self: Any, block: Any) -> None:
        raise MemoryError("Unable to allocate 9 GiB")

    model = tl.NaiveBayes().fit(tl.example("tennis"))
    before = model.tally_
    monkeypatch.setattr(tl.NaiveBayes, "tally", none_left)
    with pytest.raises(
        errors.SizeError, match=r"NaiveBayes.partial_fit: .*9 GiB.*fewer columns"
    ) as found:
        model.partial_fit(tl.example("tennis"))
    assert isinstance(found.value, MemoryError)
    assert model.tally_ == before
