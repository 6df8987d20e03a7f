"""A row has the number of its line in a text file or workbook, else its position from 0."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallylearn as tl
from tallylearn.cli import main
from tallylearn.errors import ColumnError, TargetError

ODD = 4  # the position of the row with the odd cell


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    found = pd.DataFrame({"a": rng.normal(size=30).round(3), "b": rng.normal(size=30).round(3)})
    found["y"] = np.where(found.a > 0, "u", "v")
    return found


def titled(frame: pd.DataFrame, path: Path) -> None:
    path.write_text("a table of numbers\n\n" + frame.to_csv(index=False))


FILES: dict[str, tuple[Callable[[pd.DataFrame, Path], Any], dict[str, Any], int]] = {
    "t.csv": (lambda frame, path: frame.to_csv(path, index=False), {}, ODD + 2),
    "bare.csv": (
        lambda frame, path: frame.to_csv(path, index=False, header=False),
        {"dialect": {"header": ["a", "b", "y"]}},
        ODD + 1,
    ),
    "titled.csv": (titled, {"dialect": {"skip": 2}}, ODD + 4),
    "t.parquet": (lambda frame, path: frame.to_parquet(path), {}, ODD),
    "t.jsonl": (
        lambda frame, path: frame.to_json(path, orient="records", lines=True),
        {},
        ODD + 1,
    ),
}


def source_of(frame: pd.DataFrame, name: str, folder: Path) -> tuple[Any, int]:
    """A table of the frame, and the number of the row at ``ODD``."""
    if name == "frame":
        return tl.table(frame, target="y"), ODD
    if name == "shuffled frame":
        return tl.table(frame.set_axis(range(100, 130)), target="y"), ODD
    write, options, row = FILES[name]
    write(frame, folder / name)
    return tl.table(folder / name, target="y", **options), row


NAMES = ["frame", "shuffled frame", *FILES]


@pytest.mark.parametrize("name", NAMES)
def test_an_error_of_a_model_has_the_number_of_the_row(
    frame: pd.DataFrame, name: str, tmp_path: Path
) -> None:
    holes = frame.copy()
    holes.loc[ODD, "a"] = None
    source, row = source_of(holes, name, tmp_path)
    with pytest.raises(ColumnError, match=rf"'a' is missing in row {row}\b"):
        tl.LogisticRegression(missing="refuse").fit(source)
    model = tl.LogisticRegression(missing="refuse").fit(frame, "y")
    with pytest.raises(ColumnError, match=rf"'a' is missing in row {row}\b"):
        model.predict(source)


@pytest.mark.parametrize("name", NAMES)
def test_an_error_of_the_target_has_the_number_of_the_row(
    frame: pd.DataFrame, name: str, tmp_path: Path
) -> None:
    counts = frame.assign(y=1.0)
    counts.loc[ODD, "y"] = -2.0
    source, row = source_of(counts, name, tmp_path)
    with pytest.raises(TargetError, match=rf"-2.* in row {row}\b"):
        tl.PoissonRegressor().fit(source)


def test_an_array_counts_from_0(frame: pd.DataFrame) -> None:
    x = frame[["a", "b"]].to_numpy(copy=True)
    x[ODD, 1] = np.nan
    with pytest.raises(ColumnError, match=rf"'x1' is missing in row {ODD}\b"):
        tl.LogisticRegression(missing="refuse").fit(x, frame.y)


@pytest.mark.parametrize("name", [name for name in FILES if name != "t.jsonl"])
def test_check_has_the_number_of_the_row(frame: pd.DataFrame, name: str, tmp_path: Path) -> None:
    odd = frame.assign(a=frame.a.astype(str))
    odd.loc[ODD, "a"] = "see note"
    write, options, row = FILES[name]
    write(odd, tmp_path / name)
    found = str(tl.check(tmp_path / name, target="y", **options))
    assert f"'see note' in row {row}" in " ".join(found.split())


def test_a_row_is_explained_under_the_number_that_an_error_has(
    frame: pd.DataFrame, tmp_path: Path
) -> None:
    tl.NaiveBayes().fit(frame, "y").save(tmp_path / "m.tally")
    model = tl.load(tmp_path / "m.tally")
    for name in ("t.csv", "t.parquet"):
        _, row = source_of(frame, name, tmp_path)
        call = ["explain", str(tmp_path / "m.tally"), str(tmp_path / name), "--rows", str(row)]
        shown = CliRunner().invoke(main, call).output
        assert shown == f"Row {row}\n\n{model.explain(frame)[ODD]}\n"


def test_results_count_positions_whatever_was_read(frame: pd.DataFrame, tmp_path: Path) -> None:
    frame.to_csv(tmp_path / "t.csv", index=False)
    for learner in (tl.Perceptron(), tl.KNeighborsClassifier(3)):
        from_file = learner.fit(tmp_path / "t.csv", "y")
        shown = str(from_file.show_work()), str(from_file.explain(frame[:1]))
        in_memory = learner.fit(frame, "y")
        assert (str(in_memory.show_work()), str(in_memory.explain(frame[:1]))) == shown
