"""Other processors: what is promised to have the same bits has them with other instructions too.

`make processors` runs the tests that calculate on every kind of processor that this one can play.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from tallylearn import modelfile
from tests.learners import CASES
from tests.tables import mixed_table

OTHER = {
    "OPENBLAS_CORETYPE": "Prescott",
    "OPENBLAS_NUM_THREADS": "3",  # here it is one: see conftest.py
    "NPY_DISABLE_CPU_FEATURES": " ".join(
        np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", [])  # type: ignore[call-overload,union-attr]
    ),
}


def prints() -> dict[str, list[str]]:
    """For every learner: the digest of its tally, of everything, and of what it predicts."""
    frame, found = mixed_table(), {}
    for case in CASES:
        model = case.make().fit(case.table(frame), case.target)
        answers = hashlib.sha256(model.predict(case.rows(frame)).tobytes()).hexdigest()
        found[case.name] = [*reversed(modelfile.digests(model)), answers]
    return found


def test_exact_learners_have_the_same_bits_on_another_processor() -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.test_processors"]
    there = subprocess.run(
        command, cwd=Path(__file__).parents[1], env={**os.environ, **OTHER},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    other, here = json.loads(there.stdout), prints()
    for case in CASES:
        tally, whole, answers = zip(here[case.name], other[case.name], strict=True)
        if case.tally == "exact":
            assert tally[0] == tally[1], case.name
        if case.tally not in ("float", "rounds") and case.portable:
            assert whole[0] == whole[1], case.name
            assert answers[0] == answers[1], case.name


if __name__ == "__main__":
    print(json.dumps(prints()))
