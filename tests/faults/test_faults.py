"""The n-th open, read, write, sync, rename or allocation fails: nothing is torn or half changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak import SOAK

HERE = Path(__file__).parent
ERRORS = ["EIO", "ENOSPC", "EACCES", "EMFILE", "ESTALE"] if SOAK else ["EIO"]
DEEDS = {
    "files": {
        **{("save", kind): 1 for kind in ("open", "write", "sync", "rename")},
        **{(deed, "read"): 2 for deed in ("load", "fit_csv", "fit_parquet", "fit_arrow")},
        **{("predict", kind): 1 for kind in ("open", "read", "write", "sync", "rename")},
    },
    "memory": {
        **{(f"fit_{name}", "allocate"): 2 for name in ("bayes", "tree", "c45", "lda", "centroid")},
        ("partial_fit", "allocate"): 1,
        ("forget", "allocate"): 1,
    },
}
linux = pytest.mark.skipif(sys.platform != "linux", reason="calls are replaced by LD_PRELOAD")


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The calls of the system, of which one fails."""
    path = tmp_path_factory.mktemp("shim") / "failing.so"
    source = str(HERE / "failing.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(path), source, "-ldl"], check=True)
    return path


@linux
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("what", DEEDS)
def test_no_call_that_fails_tears_a_file_or_a_model(
    what: str, error: str, failing: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "tests.faults.worker", str(tmp_path), what, error]
    shims = [str(failing), *filter(None, [os.environ.get("LD_PRELOAD")])]
    env = {**os.environ, "LD_PRELOAD": " ".join(shims)}
    done = subprocess.run(
        command, env=env, cwd=HERE.parents[1], capture_output=True, text=True, timeout=600
    )
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("!")] == []
    assert (done.returncode, lines[-1:]) == (0, ["end"]), done.stderr[-2000:]
    failed = {tuple(words[:2]): int(words[2]) for line in lines if len(words := line.split()) == 4}
    assert {deed: n for deed, n in DEEDS[what].items() if failed.get(deed, 0) < n} == {}
