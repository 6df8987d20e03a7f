"""The build of `make bounds` looks at every index: what is beyond an end is raised, or fatal."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tallylearn.kernels import class_counts
from tests.bounds.sitecustomize import STATUS

BEYOND = """
import numpy as np
from tallylearn.kernels.trees import running_medians
one = np.array([1], dtype=np.int64)
room = np.zeros((2, 2), dtype=np.int64)
running_medians.sweep(5 * one, one, one, one, room, np.zeros(1, dtype=np.int64))
print("went on")
"""


def test_an_index_beyond_an_end_is_raised() -> None:
    one, rows = np.ones(1, dtype=np.int64), np.array([7], dtype=np.int32)
    tables = np.zeros((2, 9), dtype=np.int64)
    with pytest.raises(IndexError):
        class_counts.count(rows, np.zeros((1, 1), dtype=np.int32), 0 * one, 3 * one, tables)


def test_an_index_beyond_an_end_is_fatal_where_nothing_can_be_raised() -> None:
    done = subprocess.run([sys.executable, "-c", BEYOND], capture_output=True, text=True)
    assert done.returncode == STATUS
    assert "IndexError" in done.stderr
    assert not done.stdout
