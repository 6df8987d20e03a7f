"""Tables that tests share outside of fixtures."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd


def mixed_table() -> pd.DataFrame:
    """240 rows with a bit of everything: numbers, categories, truth values, text and gaps."""
    return _drawn().copy()


@cache
def _drawn() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    n = 240
    kind = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    shift = np.select([kind == "a", kind == "b"], [0.0, 2.0], 5.0)
    frame = pd.DataFrame(
        {
            "length": np.where(rng.random(n) < 0.1, np.nan, rng.normal(shift, 1.5)),
            "width": rng.normal(1e6 * shift, 1e3),
            "colour": rng.choice(["red", "green", "blue"], n),
            "shape": [None if rng.random() < 0.1 else x + rng.choice(["1", "2"]) for x in kind],
            "heavy": rng.random(n) < 0.2 + 0.2 * (kind == "b"),
            "kind": kind,
        }
    )
    frame["price"] = shift * 10 + rng.normal(0, 1, n)
    frame["heavy2"] = (frame["heavy"] ^ (rng.random(n) < 0.2)).astype(bool)
    words = ["Loud", "loud", "quiet", "über", "co_2", "42", "and", *"abc"]
    notes = [" ".join(rng.choice([*words, x, x, x], rng.integers(3, 9))) for x in kind]
    frame["note"] = [None if rng.random() < 0.1 else f"{note}!" for note in notes]
    frame["visits"] = rng.poisson(1 + shift)
    return frame
