"""The same forty rows, for every kind of source."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def people() -> pd.DataFrame:
    """Text, a number, an integer and a date, with gaps, and a class."""
    rng, n = np.random.default_rng(1), 40
    frame = pd.DataFrame(
        {
            "color": rng.choice(["red", "green", "blue"], n),
            "size": rng.normal(size=n).round(3),
            "count": rng.integers(0, 9, n),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D"),
            "y": rng.choice(["a", "b"], n),
        }
    )
    frame.loc[3, "color"], frame.loc[5, "size"], frame.loc[7, "day"] = None, np.nan, pd.NaT
    return frame
