"""Reasoning: observations one by one, and version spaces of many columns, in seconds of CPU."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tallylearn as tl

LIME = {"h1": 0, "h2": "1/4", "h3": "1/2", "h4": "3/4", "h5": 1}
CHERRY = {"h1": 1, "h2": "3/4", "h3": "1/2", "h4": "1/4", "h5": 0}
PRIOR = {"h1": "10 %", "h2": "20 %", "h3": "40 %", "h4": "20 %", "h5": "10 %"}


def best(call: Callable[[], Any], times: int = 3) -> float:
    """CPU seconds, the best of several."""
    found = []
    for _ in range(times):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def observe() -> None:
    """4,000 observations, one at a time, and the posterior after them."""
    belief = tl.Hypotheses(PRIOR, likelihood={"lime": LIME, "cherry": CHERRY})
    for at in range(4000):
        belief = belief.observe("lime" if at % 3 else "cherry")
    belief.posterior()


def predict() -> None:
    """9 rows of 16 truth values: 65,536 conjunctions to choose from."""
    values = np.random.default_rng(0).integers(0, 2, (9, 16)).astype(bool)
    rows = [{f"x{at}": bool(v) for at, v in enumerate(row)} for row in values]
    labels = ["+"] + ["-"] * 8
    tl.VersionSpace.conjunctions().fit(rows, labels).predict(rows)


if __name__ == "__main__":
    print(f"4,000 observations, one by one   {best(observe):.3f} s (bar: 0.2)")
    print(f"9 rows of 16 truth values        {best(predict):.3f} s (bar: 1)")
