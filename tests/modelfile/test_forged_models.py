"""Model files from strangers: refused, or as safe to ask as our own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import errors
from tests.forging.edits import File, opened, sealed
from tests.learners import CASES
from tests.soak import SOAK

FILES = 500_000 if SOAK else 160  # of each worker, who first makes a model of every learner
GOLDEN = Path(__file__).parents[1] / "data" / "models"


def forged(name: str, change: Callable[[Any, Any], None], folder: Path) -> Path:
    """A golden file, changed by someone who knows how to digest."""
    page, arrays = opened((GOLDEN / f"{name}.tally").read_bytes())
    change(page, arrays)
    path = folder / "forged.tally"
    path.write_bytes(sealed(page, arrays))
    return path


def refused(name: str, change: Callable[[Any, Any], None], folder: Path, why: str) -> None:
    with pytest.raises(errors.FileError, match=why):
        tl.load(forged(name, change, folder))


@pytest.mark.parametrize("worker", [0, 1] if SOAK else [0])
def test_whatever_a_forged_file_says_only_our_errors_come(worker: int, tmp_path: Path) -> None:
    """Seeded edits of all files; `make soak` forges a million."""
    first = worker * FILES
    command = [sys.executable, "-m", "tests.forging", str(first), str(first + FILES), str(tmp_path)]
    ran = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    seed = (tmp_path / "SEED").read_text() if (tmp_path / "SEED").exists() else "none"
    assert ran.returncode == 0, f"died at seed {seed}: {ran.stderr[-2000:]}"
    *faults, told = map(json.loads, ran.stdout.splitlines())
    assert not faults, faults[:3]
    assert told["files"] == FILES
    assert told["loaded"] > FILES / 20  # some are harmless, or nothing would be asked


def test_offsets_beyond_all_bounds_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    for name, array in (("tree-two", "model.ends"), ("tree-two", "model.tie_ends"),
                        ("bayes", "model.priors.classes.ends")):  # fmt: skip

        def beyond(page: Any, arrays: Any, array: str = array) -> None:
            arrays[array] = np.full_like(arrays[array], 2**63 - 1)

        refused(name, beyond, tmp_path, "damaged")


def test_a_string_type_of_two_gigabytes_is_refused(tmp_path: Path) -> None:
    for kind in ("S2147483647", "U99999999", "V9999999", "<U4", 7, ["O"]):
        refused("bayes", lambda p, a, kind=kind: p.update(label_type=kind), tmp_path, "type")


def test_classes_are_of_the_type_that_the_file_says(tmp_path: Path) -> None:
    refused("bayes", lambda page, arrays: page.update(label_type="<i8"), tmp_path, "damaged")


def test_an_array_is_named_once_and_by_someone(tmp_path: Path) -> None:
    def twice(page: Any, arrays: Any) -> None:
        page["options"]["stop_words"] = {"tuple": [{"strings": "model.priors.classes"}] * 3000}

    refused("bayes", twice, tmp_path, "is used twice")

    def beside(page: Any, arrays: Any) -> None:
        arrays["hidden"] = np.zeros(3)

    refused("bayes", beside, tmp_path, "belongs to nothing")


def test_axes_too_many_are_refused(tmp_path: Path) -> None:
    """A leading axis passed the check of lengths, and a kernel walked past its end."""
    step = 1 if SOAK else 3
    for at, name in enumerate(sorted(path.stem for path in GOLDEN.glob("*.tally"))):
        _, arrays = opened((GOLDEN / f"{name}.tally").read_bytes())
        filled = [array for array, values in arrays.items() if values.size]
        for array in filled[at % step :: step]:
            if array.startswith("options."):  # looked at by the next fit, which it is for
                continue

            def wider(page: Any, arrays: Any, array: str = array) -> None:
                arrays[array] = arrays[array][None]

            refused(name, wider, tmp_path, "damaged")


def test_other_types_of_numbers_are_refused(tmp_path: Path) -> None:
    for name in ("bayes", "tree-two", "lda", "lda-exact", "m5", "lms", "centroid", "qda"):
        _, arrays = opened((GOLDEN / f"{name}.tally").read_bytes())
        for array, values in arrays.items():

            def other(page: Any, arrays: Any, array: str = array, values: Any = values) -> None:
                kind = np.int64 if values.dtype == np.float64 else np.float64
                arrays[array] = np.nan_to_num(values).astype(kind)

            refused(name, other, tmp_path, "damaged")


def change_tree(name: str, **arrays: Any) -> Callable[[Any, Any], None]:
    def change(page: Any, found: Any) -> None:
        for key, (at, value) in arrays.items():
            found[f"model.{key}"] = found[f"model.{key}"].copy()
            found[f"model.{key}"][at] = value

    return change


def test_a_tree_that_is_none_is_refused(tmp_path: Path) -> None:
    file = opened((GOLDEN / "tree-two.tally").read_bytes())
    test = file[1]["model.test"]
    asked, grouped = int(np.flatnonzero(test == 1)[0]), int(np.flatnonzero(test == 3)[0])
    leaf = int(np.flatnonzero(test == 0)[0])
    tied = np.flatnonzero(np.diff(file[1]["model.tie_ends"], prepend=0))
    other = (file[1]["model.column"][tied[0]] + 1) % 3
    changes = [
        ("pre-order|no tree", {"parent": (5, 4_000)}),
        ("branches", {"parent": (-1, 0)}),
        ("pre-order", {"parent": (-1, 1)}),
        ("asks", {"test": (leaf, 1)}),
        ("asks", {"column": (asked, 99)}),
        ("another kind", {"column": (asked, 2)}),
        ("another kind", {"column": (grouped, 0)}),
        ("no threshold", {"threshold": (asked, np.nan)}),
        ("cannot be", {"threshold": (asked, np.inf)}),
        ("missing value", {"missing": (asked, 0)}),
        ("leads", {"leads": (0, 0)}),
        ("its column lacks", {"codes": (0, 77)}),
        ("cannot be", {"codes": (0, -1)}),
        ("no class", {"answer": (leaf, 2.0)}),
        ("no class", {"answer": (leaf, 0.5)}),
        ("not all of its rows", {"counts": ((leaf, 0), 1e9)}),
        ("tie is of no column", {"tie_columns": (0, 5)}),
        ("not among its ties", {"tie_columns": (slice(None), other)}),
    ]
    for why, change in changes:
        refused("tree-two", change_tree("tree-two", **change), tmp_path, why)


def test_a_column_of_the_tree_has_the_kind_that_the_schema_says(tmp_path: Path) -> None:
    """A category's name with a number's kind made predictions an oracle of memory."""

    def renamed(page: Any, arrays: Any) -> None:
        columns = page["model"]["fields"]["columns"]["tuple"]
        columns[0]["fields"]["name"] = columns[2]["fields"]["name"]

    refused("tree-two", renamed, tmp_path, "other columns")

    def swapped(page: Any, arrays: Any) -> None:
        columns = page["schema"]["fields"]["columns"]["tuple"]
        columns[0], columns[1] = columns[1], columns[0]

    refused("tree-two", swapped, tmp_path, "other columns")


def test_a_model_has_classes(tmp_path: Path) -> None:
    def without(page: Any, arrays: Any) -> None:
        page["model"]["fields"]["priors"]["fields"]["classes"] = {"tuple": []}
        for name in ("bytes", "ends"):
            del arrays[f"model.priors.classes.{name}"]

    refused("majority", without, tmp_path, "empty")


def test_structures_lie_only_so_deep(tmp_path: Path) -> None:
    def deep(page: Any, arrays: Any) -> None:
        tree: Any = {"tuple": []}
        for _ in range(60):
            tree = {"tuple": [tree]}
        page["options"]["class_prior"] = tree

    refused("bayes", deep, tmp_path, "deep")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_file_cut_short_while_it_is_read_is_an_error(case: Any, tmp_path: Path) -> None:
    data = (GOLDEN / f"{case.name}.tally").read_bytes()
    for cut in np.linspace(0, len(data) - 1, 12 if SOAK else 5).astype(int).tolist():
        (tmp_path / "short.tally").write_bytes(data[:cut])
        with pytest.raises(errors.FileError):
            tl.load(tmp_path / "short.tally")


def test_files_are_read_and_not_mapped(tmp_path: Path) -> None:
    """Cut short after it was loaded, a mapped file ends the process with SIGBUS."""
    path = tmp_path / "m.tally"
    path.write_bytes((GOLDEN / "lda.tally").read_bytes())
    model = tl.load(path)
    rows = pd.DataFrame({"length": [1.0], "width": [2.0], "colour": "red", "shape": "a1",
                         "heavy": True})  # fmt: skip
    before = model.predict_proba(rows)
    with path.open("r+b") as file:
        file.truncate(0)
    assert np.array_equal(model.predict_proba(rows), before)


def test_the_first_format_is_checked_as_the_second_is(tmp_path: Path) -> None:
    page, arrays = opened((GOLDEN / "bayes.tally").read_bytes())
    assert page["format"] == 1
    file: File = ({**page, "format": 2}, arrays)
    (tmp_path / "m.tally").write_bytes(sealed(*file))
    again = tl.load(tmp_path / "m.tally")
    assert again.tally_ == tl.load(GOLDEN / "bayes.tally").tally_
    data = bytearray((tmp_path / "m.tally").read_bytes())
    at = data.index(b"python")
    data[at] ^= 1  # nothing that a digest covers
    (tmp_path / "m.tally").write_bytes(data)
    with pytest.raises(errors.FileError, match="checksum"):
        tl.load(tmp_path / "m.tally")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ([], "'written' is wrong"),
        ({"x": "1,234.5"}, "'written' is wrong"),
        ({"nobody": {"as": "1,234.5"}}, "'written' has 'nobody', which is no column"),
        ({"x": {"as": "1.234.5"}}, "no model"),
        ({"x": {"as": 5}}, "says nothing"),
        ({"x": {"as": "number", "more": 1}}, "says nothing"),
        ({"x": {"as": "number", "missing": "-"}}, "says nothing"),
        ({"x": {"as": "number", "missing": [None]}}, "says nothing"),
    ],
)
def test_a_forged_word_about_how_columns_were_written_is_refused(
    said: Any, why: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame({"x": ["$1", "$2", "$3", "$4"], "y": ["a", "b", "a", "b"]})
    path = tmp_path / "model.tally"
    tl.NaiveBayes().fit(frame, "y").save(path)
    page, arrays = opened(path.read_bytes())
    assert page["written"] == {"x": {"as": "$1234.5"}}
    page["written"] = said
    path.write_bytes(sealed(page, arrays))
    with pytest.raises(errors.FileError, match=why):
        tl.load(path)


LINEAR = ("linear", "linear-qr", "linear-exact", "ridge", "lasso", "subset", "lda", "lda-exact")


@pytest.mark.parametrize("name", LINEAR)
def test_a_tally_of_another_kind_than_exact_says_is_refused(name: str, tmp_path: Path) -> None:
    def flip_exact(page: Any, arrays: Any) -> None:
        page["options"]["exact"] = not page["options"]["exact"]

    refused(name, flip_exact, tmp_path, "tally")


@pytest.mark.parametrize("name", ["linear", "linear-qr", "linear-exact"])
@pytest.mark.parametrize("change", [np.zeros_like, lambda b: b[::-1], lambda b: np.repeat(b, 2)])
def test_a_basis_that_names_a_column_twice_is_refused(
    name: str, change: Callable[[Any], Any], tmp_path: Path
) -> None:
    def edited(page: Any, arrays: Any) -> None:
        arrays["model.basis"] = np.ascontiguousarray(change(arrays["model.basis"]))

    refused(name, edited, tmp_path, "basis")


@pytest.mark.parametrize("name", ["linear", "linear-qr", "linear-exact"])
def test_a_triangle_of_collinear_columns_has_no_standard_errors(name: str, tmp_path: Path) -> None:
    def emptied(page: Any, arrays: Any) -> None:
        arrays["model.root"] = np.zeros_like(arrays["model.root"])

    model = tl.load(forged(name, emptied, tmp_path))
    with pytest.raises(errors.ColumnError, match="collinear"):
        model.summary()
