"""The public surface is a list, and importing it is light."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import tallylearn as tl

SOURCE = Path(tl.__file__).parent


def test_every_public_name_resolves_and_is_documented() -> None:
    assert list(tl.__all__) == sorted(tl.__all__)
    for name in tl.__all__:
        assert getattr(tl, name).__doc__, name
        assert getattr(tl, name) is getattr(import_module(f"tallylearn.{tl.NAMES[name]}"), name)


def test_no_public_name_is_a_module() -> None:
    modules = {path.stem for path in SOURCE.glob("*")}
    assert not modules & {*tl.__all__}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Forest'"):
        _ = tl.Forest


def loaded(code: str) -> set[str]:
    """The top-level packages in memory after running some code in a new process."""
    code += "\nimport sys, json; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {*json.loads(run.stdout.splitlines()[-1])}


HEAVY = {"numpy", "pyarrow", "scipy", "pandas", "sklearn", "rich", "click", "safetensors", "polars"}


def test_importing_loads_nothing_heavy() -> None:
    assert not loaded("import tallylearn") & HEAVY


def test_numbers_in_arrays_need_no_arrow_and_never_scikit_learn() -> None:
    code = "import numpy as np, tallylearn as tl\nX = np.arange(8.0).reshape(4, 2)\n"
    code += "tl.NaiveBayes().fit(X, [0, 0, 1, 1]).predict(X)"
    assert not loaded(code) & {"pyarrow", "sklearn", "pandas", "scipy", "rich", "click"}


def test_files_load_neither_pandas_nor_scikit_learn(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n2,y\n3,x\n")
    code = f"import tallylearn as tl\nm = tl.NaiveBayes().fit({str(path)!r}, 'b')\n"
    code += f"m.predict({str(path)!r}); m.predict({{'a': 2.0}}); m.save({str(tmp_path / 'm')!r})"
    assert not loaded(code) & {"pandas", "sklearn", "scipy", "rich", "click"}
