"""What the tests share: how long Hypothesis looks, and tables with a bit of everything."""

from __future__ import annotations

import gc
import json
import os
from pathlib import Path
from typing import Any

# Workers share the processors: threads of BLAS that wait for each other took ten times as long as
# the fits of scikit-learn that asked for them. NumPy reads this when it is imported, below.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

from tests.soak import SOAK
from tests.tables import mixed_table

gc.disable()  # 16,000 tests are collected: a search through all of them finds no rubbish

settings.register_profile(
    "tests",
    max_examples=12,
    deadline=None,
    derandomize=True,  # the same tables every time; `make soak` looks at new ones
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "soak", parent=settings.get_profile("tests"), max_examples=3000, derandomize=False
)
settings.load_profile("soak" if SOAK else "tests")

DATA = Path(__file__).parent / "data"


def pytest_collection_finish() -> None:
    """What was collected stays to the end: rubbish is looked for in the rest alone."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def golden() -> dict[str, dict[str, Any]]:
    """The worked numbers of the notes, by id."""
    return {entry["id"]: entry for entry in json.loads((DATA / "golden.json").read_text())}


@pytest.fixture
def mixed() -> pd.DataFrame:
    """240 rows with a bit of everything: numbers, categories, truth values, text and gaps."""
    return mixed_table()
