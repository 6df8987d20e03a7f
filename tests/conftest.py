"""What the tests share: how long Hypothesis looks, and tables with a bit of everything."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "tests",
    max_examples=60,
    deadline=None,
    derandomize=True,  # the same tables every time; `make soak` looks at new ones
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "soak", parent=settings.get_profile("tests"), max_examples=3000, derandomize=False
)
settings.load_profile("soak" if os.environ.get("TALLY_SOAK") else "tests")

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def golden() -> dict[str, dict[str, Any]]:
    """The worked numbers of the notes, by id."""
    return {entry["id"]: entry for entry in json.loads((DATA / "golden.json").read_text())}


@pytest.fixture
def mixed() -> pd.DataFrame:
    """240 rows with a bit of everything: numbers, categories, truth values, text and gaps."""
    return everything()


def everything() -> pd.DataFrame:
    """The table of ``mixed``, for those who run no fixtures."""
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
    return frame
