"""The spill: text is parsed once, and what is kept of it is the same bits and soon gone."""

from __future__ import annotations

import errno
import os
import pickle
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import engines
from tallylearn.doors.intake import lesson
from tallylearn.errors import FileError
from tallylearn.sources import spill
from tallylearn.sources.spill import spilled
from tallylearn.tables import BLOCK, Bags, Block
from tallylearn.tallies.documents import Reader

RNG = np.random.default_rng(8)
N = BLOCK + 300
FRAME = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "b": np.where(RNG.random(N) < 0.1, np.nan, RNG.integers(0, 9, N)),
        "c": RNG.choice(["x", "y", None], N),
        "note": [f"some words of {i % 977} and more of them" for i in range(N)],
        "w": RNG.integers(0, 3, N),
        "y": RNG.choice(["u", "v"], N),
    }
)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which temporary folders are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """A lesson of two files: numbers, categories, text, weights of zero, and classes."""
    FRAME[:-200].to_csv(tmp_path / "1.csv", index=False)
    FRAME[-200:].to_csv(tmp_path / "2.csv", index=False)
    source = tl.table(tmp_path / "*.csv", target="y", weight="w", text=["note"])
    return lesson(source, None, None, "test", "classifier")


def same(one: Any, other: Any) -> None:
    """The same bits, in the same order in memory."""
    assert one.dtype == other.dtype
    for order in ("C_CONTIGUOUS", "F_CONTIGUOUS"):
        assert one.flags[order] == other.flags[order]
    assert one.tobytes() == other.tobytes()


def same_blocks(one: Block, other: Block) -> None:
    assert (one.schema, len(one)) == (other.schema, len(other))
    np.testing.assert_array_equal(one.start, other.start)
    same(one.numbers, other.numbers)
    same(one.weight, other.weight)
    for a, b in ((one.target, other.target), (one.codes["c"], other.codes["c"])):
        assert (a.values, a.declared) == (b.values, b.declared)
        same(a.codes, b.codes)
    if isinstance(one.text["note"], Bags):
        assert one.text["note"].terms == other.text["note"].terms
        for name in ("ends", "ids", "times", "present"):
            same(getattr(one.text["note"], name), getattr(other.text["note"], name))
    else:
        assert one.text["note"].equals(other.text["note"])


def blocks(source: Any) -> Iterator[Block]:
    return (block for part in source.parts() for block in part.blocks())


def test_blocks_come_back_as_they_were_parsed(read: Any, temporary: Path) -> None:
    parsed = [*read.blocks()]
    assert [len(block) for block in parsed if (block.weight > 0).all()] == [*map(len, parsed)]
    with spilled(read) as source:
        for _ in range(3):
            for one, other in zip(parsed, blocks(source), strict=True):
                same_blocks(one, other)
    assert not [*temporary.iterdir()]


def test_counted_words_come_back_as_rows_of_counts(read: Any, temporary: Path) -> None:
    words = Reader()

    class Counted:
        def parts(self) -> Iterator[Any]:
            for part in read.parts():
                yield engines.Given([counted(block) for block in part.blocks()])

    def counted(block: Block) -> Block:
        return Block(
            block.schema, block.numbers, block.codes, {"note": words.bags(block.text["note"])},
            block.target, block.weight, block.start,
        )  # fmt: skip

    with spilled(Counted()) as source:
        first, again = [*blocks(source)], [*blocks(source)]
    for one, other in zip(first, again, strict=True):
        assert isinstance(other.text["note"], Bags)
        same_blocks(one, other)


def test_a_part_is_read_from_the_folder_by_who_has_it_and_anew_by_who_has_not(
    read: Any, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with spilled(read) as source:
        sizes = [len(block) for block in blocks(source)]
        sent = pickle.dumps([*source.parts()])
        assert len(sent) < 10_000
        monkeypatch.setattr(spill.SpilledPart, "_keeping", None)
        assert [len(b) for part in pickle.loads(sent) for b in part.blocks()] == sizes
    assert [len(b) for part in pickle.loads(sent) for b in part.blocks()] == sizes
    assert not [*temporary.iterdir()]


def test_a_pass_that_was_broken_off_is_begun_again(read: Any, temporary: Path) -> None:
    with spilled(read) as source:
        next(blocks(source))
        sizes = [len(block) for block in blocks(source)]
        assert sizes == [len(block) for block in blocks(source)] == [*map(len, read.blocks())]


@pytest.mark.skipif(os.name == "nt", reason="folders of Windows have no such mode")
def test_nobody_else_may_enter_the_folder(read: Any, temporary: Path) -> None:
    with spilled(read) as source:
        next(blocks(source))
        assert stat.S_IMODE(source.folder.stat().st_mode) == 0o700
        assert source.folder.parent == temporary


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_nothing_is_left_behind_whatever_happens(
    read: Any, temporary: Path, error: type[BaseException]
) -> None:
    def broken() -> None:
        with spilled(read) as source:
            next(blocks(source))
            assert [*temporary.iterdir()]
            raise error

    with pytest.raises(error):
        broken()
    assert not [*temporary.iterdir()]


def test_a_full_disk_is_said_with_the_remedy(
    read: Any, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(spill.pickle, "dump", full)
    with (
        pytest.raises(FileError, match=rf"{temporary}.*No space left on device.*TMPDIR"),
        spilled(read) as source,
    ):
        next(blocks(source))
    assert not [*temporary.iterdir()]


def test_a_block_that_somebody_removed_is_said(read: Any, temporary: Path) -> None:
    with spilled(read) as source:
        [*blocks(source)]
        next(source.folder.rglob("*.block")).unlink()
        with pytest.raises(FileError, match=r"No such file.*TMPDIR"):
            [*blocks(source)]


def test_no_folder_to_write_to_is_said(
    read: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(FileError, match=r"temporary folder.*TMPDIR"), spilled(read):
        pass


def test_only_text_needs_one(tmp_path: Path) -> None:
    FRAME[:9].to_csv(tmp_path / "t.csv", index=False)
    FRAME[:9].to_csv(tmp_path / "t.csv.gz", index=False)
    FRAME[:9].to_parquet(tmp_path / "t.parquet")
    FRAME[:9].to_feather(tmp_path / "t.arrow", compression="uncompressed")
    needed = {path.name: tl.table(path).parsed for path in tmp_path.iterdir()}
    assert needed == {"t.csv": True, "t.csv.gz": True, "t.parquet": False, "t.arrow": False}
    assert not tl.table(FRAME[:9]).parsed
