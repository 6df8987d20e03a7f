"""The spill: files are read once, and what is kept of them is the same bits and soon gone."""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import engines
from tallylearn.errors import FileError, OptionError
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.sources import spill
from tallylearn.sources.files import parquet
from tallylearn.sources.spill import spill_to_disk
from tallylearn.tables import BLOCK, Block, DocumentTerms
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


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files, a block and some rows in all."""
    folder = tmp_path_factory.mktemp("written")
    FRAME[:-200].to_csv(folder / "1.csv", index=False)
    FRAME[-200:].to_csv(folder / "2.csv", index=False)
    return folder


@pytest.fixture
def read(tmp_path: Path, written: Path) -> Any:
    """A lesson of two files: numbers, categories, text, weights of zero, and classes."""
    for path in written.iterdir():
        shutil.copy(path, tmp_path)
    source = tl.table(tmp_path / "*.csv", target="y", weight="w", text=["note"])
    return read_fit_input(source, None, None, "test", "classifier")


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
    if isinstance(one.text["note"], DocumentTerms):
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
    with spill_to_disk(read) as source:
        for _ in range(3):
            for one, other in zip(parsed, blocks(source), strict=True):
                same_blocks(one, other)
    assert not [*temporary.iterdir()]


def test_counted_words_come_back_as_rows_of_counts(read: Any, temporary: Path) -> None:
    words = Reader()

    class Counted:
        def parts(self) -> Iterator[Any]:
            for part in read.parts():
                yield engines.SinglePart([counted(block) for block in part.blocks()])

    def counted(block: Block) -> Block:
        return Block(
            block.schema, block.numbers, block.codes, {"note": words.bags(block.text["note"])},
            block.target, block.weight, block.start,
        )  # fmt: skip

    with spill_to_disk(Counted()) as source:
        first, again = [*blocks(source)], [*blocks(source)]
    for one, other in zip(first, again, strict=True):
        assert isinstance(other.text["note"], DocumentTerms)
        same_blocks(one, other)


def test_a_part_is_read_from_the_folder_by_who_has_it_and_anew_by_who_has_not(
    read: Any, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with spill_to_disk(read) as source:
        sizes = [len(block) for block in blocks(source)]
        sent = pickle.dumps([*source.parts()])
        assert len(sent) < 10_000
        monkeypatch.setattr(spill.SpilledPart, "_write_and_yield", None)
        assert [len(b) for part in pickle.loads(sent) for b in part.blocks()] == sizes
    assert [len(b) for part in pickle.loads(sent) for b in part.blocks()] == sizes
    assert not [*temporary.iterdir()]


def test_a_pass_that_was_broken_off_is_begun_again(read: Any, temporary: Path) -> None:
    with spill_to_disk(read) as source:
        next(blocks(source))
        sizes = [len(block) for block in blocks(source)]
        assert sizes == [len(block) for block in blocks(source)] == [*map(len, read.blocks())]


@pytest.mark.skipif(os.name == "nt", reason="folders of Windows have no such mode")
def test_nobody_else_may_enter_the_folder(read: Any, temporary: Path) -> None:
    with spill_to_disk(read) as source:
        next(blocks(source))
        assert stat.S_IMODE(source.folder.stat().st_mode) == 0o700
        assert source.folder.parent == temporary


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_nothing_is_left_behind_whatever_happens(
    read: Any, temporary: Path, error: type[BaseException]
) -> None:
    def broken() -> None:
        with spill_to_disk(read) as source:
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

    monkeypatch.setattr(spill, "write_block", full)
    with (
        pytest.raises(FileError, match=rf"{temporary}.*No space left on device.*TMPDIR"),
        spill_to_disk(read) as source,
    ):
        next(blocks(source))
    assert not [*temporary.iterdir()]


def test_a_block_that_was_cut_short_is_said(read: Any, temporary: Path) -> None:
    with spill_to_disk(read) as source:
        [*blocks(source)]
        path = next(source.folder.rglob("*.block"))
        whole = path.read_bytes()
        for size in (0, 4, 20, len(whole) // 2, len(whole) - 1):
            path.write_bytes(whole[:size])
            with pytest.raises(FileError, match="TMPDIR"):
                [*blocks(source)]


def test_rows_that_are_written_over_stay_as_they_were_in_the_file(read: Any) -> None:
    with spill_to_disk(read) as source:
        [*blocks(source)]
        one, other = (next(blocks(source)) for _ in range(2))
        one.numbers[:] = 0.0
        assert other.numbers.any()
        assert next(blocks(source)).numbers.tobytes() == other.numbers.tobytes()
        rows = other.numbers.copy()
    assert other.numbers.tobytes() == rows.tobytes()  # the folder is gone, the rows are not


def test_a_block_that_somebody_removed_is_said(read: Any, temporary: Path) -> None:
    with spill_to_disk(read) as source:
        [*blocks(source)]
        next(source.folder.rglob("*.block")).unlink()
        with pytest.raises(FileError, match=r"No such file.*TMPDIR"):
            [*blocks(source)]


def test_no_folder_to_write_to_is_said(
    read: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(FileError, match=r"temporary folder.*TMPDIR"), spill_to_disk(read):
        pass


def test_only_text_must_be_kept(tmp_path: Path) -> None:
    FRAME[:9].to_csv(tmp_path / "t.csv", index=False)
    FRAME[:9].to_csv(tmp_path / "t.csv.gz", index=False)
    FRAME[:9].to_parquet(tmp_path / "t.parquet")
    FRAME[:9].to_feather(tmp_path / "t.arrow", compression="uncompressed")
    needed = {path.name: tl.table(path).is_text for path in tmp_path.iterdir()}
    assert needed == {"t.csv": True, "t.csv.gz": True, "t.parquet": False, "t.arrow": False}
    assert not tl.table(FRAME[:9]).is_text


# What is decoded may be kept, and is decoded again wherever it is not


@pytest.fixture
def decoded(tmp_path: Path) -> Any:
    """The same lesson in Parquet: two files, the first of them two blocks."""
    FRAME[:-200].to_parquet(tmp_path / "1.parquet", row_group_size=30_000)
    FRAME[-200:].to_parquet(tmp_path / "2.parquet")
    source = tl.table(tmp_path / "*.parquet", target="y", weight="w", text=["note"])
    return read_fit_input(source, None, None, "test", "classifier")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runs of Parquet files that are decoded, in order."""
    seen: list[str] = []
    batches = parquet.ParquetRun._batches

    def counted(self: Any, *more: Any) -> Any:
        seen.append(self.path.name)
        return batches(self, *more)

    monkeypatch.setattr(parquet.ParquetRun, "_batches", counted)
    return seen


def same_rows(decoded: Any, source: Any) -> None:
    for one, other in zip([*decoded.blocks()], blocks(source), strict=True):
        same_blocks(one, other)


@pytest.mark.parametrize("threads", [1, 3])
def test_blocks_come_back_as_they_were_decoded(
    decoded: Any, temporary: Path, opened: list[str], threads: int
) -> None:
    once = [*decoded.blocks()]
    opened.clear()
    with tl.engine(threads=threads), spill_to_disk(decoded, must=False) as source:
        for _ in range(3):
            for one, other in zip(once, blocks(source), strict=True):
                same_blocks(one, other)
        sent = pickle.loads(pickle.dumps([*source.parts()]))
        assert [len(b) for part in sent for b in part.blocks()] == [*map(len, once)]
    assert opened == ["1.parquet", "2.parquet"]
    assert not [*temporary.iterdir()]


def refusing(monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    """A disk that is full when it is written to for the so-many-th time, and ever after."""
    calls, write = 0, spill.write_block

    def full(block: Block, path: Path) -> None:
        nonlocal calls
        calls += 1
        if calls >= call:
            path.write_bytes(b"half of")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(block, path)

    monkeypatch.setattr(spill, "write_block", full)


@pytest.mark.parametrize("call", [1, 2, 3])
@pytest.mark.parametrize("threads", [1, 3])
def test_where_the_disk_is_full_the_rest_is_decoded_again(
    decoded: Any, temporary: Path, monkeypatch: pytest.MonkeyPatch, call: int, threads: int
) -> None:
    refusing(monkeypatch, call)
    with tl.engine(threads=threads), spill_to_disk(decoded, must=False) as source:
        for _ in range(3):
            same_rows(decoded, source)
        parts = [*temporary.glob("*/*")]
        kept = [*temporary.rglob("*.block")]
    assert len(kept) == (2 if call == 3 else 0)
    assert [path.name for path in sorted(parts)] == ["0", "1"]
    assert not [*temporary.iterdir()]


@pytest.mark.parametrize(("free", "kept"), [(1 << 30, 3), (1 << 22, 1), (1 << 10, 1)])
def test_no_more_is_kept_than_half_of_the_disk_has_room_for(
    decoded: Any, temporary: Path, monkeypatch: pytest.MonkeyPatch, free: int, kept: int
) -> None:
    def usage(folder: Any) -> Any:
        taken = sum(path.stat().st_size for path in Path(folder).parent.rglob("*.block"))
        return SimpleNamespace(free=free - taken)

    monkeypatch.setattr(spill.shutil, "disk_usage", usage)
    # two that write at once may both look before either has written: a block too many
    with tl.engine(threads=1), spill_to_disk(decoded, must=False) as source:
        [*blocks(source)]
        assert len([*temporary.rglob("*.block")]) == kept
        same_rows(decoded, source)


def test_no_more_is_kept_than_the_budget_allows(
    decoded: Any, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = iter([1 << 40, (1 << 40) - 1, (1 << 40) - (1 << 20), 0, 0])
    usage: Callable[[Any], Any] = lambda _: SimpleNamespace(free=next(free))  # noqa: E731
    monkeypatch.setattr(spill.shutil, "disk_usage", usage)
    monkeypatch.setenv("TALLY_MEMORY", str(2.0**-11))
    with spill_to_disk(decoded, must=False) as source:
        [*blocks(source)]
        assert not [*temporary.rglob("*.block")]
        same_rows(decoded, source)
    monkeypatch.setattr(spill.shutil, "disk_usage", lambda _: SimpleNamespace(free=1))
    monkeypatch.setenv("TALLY_MEMORY", "much")
    with pytest.raises(OptionError, match="TALLY_MEMORY"), spill_to_disk(decoded, must=False):
        pass
    assert not [*temporary.iterdir()]


@pytest.mark.parametrize("what", ["folder", "part", "block", "cut", "emptied", "number"])
def test_what_somebody_took_away_is_decoded_again(decoded: Any, temporary: Path, what: str) -> None:
    with spill_to_disk(decoded, must=False) as source:
        [*blocks(source)]
        folder = next(temporary.iterdir())
        if what in ("folder", "part"):
            shutil.rmtree(folder if what == "folder" else folder / "0")
        elif what == "block":
            (folder / "0" / "1.block").unlink()
        elif what == "number":
            (folder / "0" / "written").write_bytes(b"")
        else:
            os.truncate(folder / "0" / "1.block", 100 if what == "cut" else 0)
        for _ in range(2):
            same_rows(decoded, source)
    assert not [*temporary.iterdir()]


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_folder_that_goes_while_it_is_used_is_not_missed(
    decoded: Any, temporary: Path, kept: bool, threads: int
) -> None:
    once = [*decoded.blocks()]
    with tl.engine(threads=threads), spill_to_disk(decoded, must=False) as source:
        if kept:
            [*blocks(source)]
        for number, (one, other) in enumerate(zip(once, blocks(source), strict=True)):
            same_blocks(one, other)
            if not number:
                shutil.rmtree(next(temporary.iterdir()), ignore_errors=True)
        same_rows(decoded, source)
    assert not [*temporary.iterdir()]


def test_without_any_folder_all_is_decoded_again(
    decoded: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with spill_to_disk(decoded, must=False) as source:
        for _ in range(2):
            same_rows(decoded, source)


def test_a_file_that_changes_between_two_passes_is_an_error_though_its_rows_are_kept(
    decoded: Any, temporary: Path, tmp_path: Path
) -> None:
    with spill_to_disk(decoded, must=False) as source:
        [*blocks(source)]
        FRAME[-300:].to_parquet(tmp_path / "2.parquet")
        with pytest.raises(FileError, match=r"2\.parquet changed since the table was declared"):
            [*blocks(source)]
    assert not [*temporary.iterdir()]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, OSError])
@pytest.mark.parametrize("passes", [0, 1])
def test_nothing_of_what_was_decoded_is_left_behind(
    decoded: Any, temporary: Path, error: type[BaseException], passes: int
) -> None:
    def broken() -> None:
        with spill_to_disk(decoded, must=False) as source:
            for _ in range(passes):
                [*blocks(source)]
            next(blocks(source))
            assert [*temporary.iterdir()]
            raise error

    with pytest.raises(error):
        broken()
    assert not [*temporary.iterdir()]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_who_still_writes_is_waited_for_before_the_folder_goes(
    decoded: Any, temporary: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    """An error leaves the pass suspended, with blocks that are on their way to the disk."""
    ended, write = threading.Event(), spill.write_block

    def slow(*given: Any) -> None:
        time.sleep(0.3)
        write(*given)
        ended.set()

    monkeypatch.setattr(spill, "write_block", slow)
    begun: list[Iterator[Block]] = []

    def broken() -> None:
        with tl.engine(threads=2), spill_to_disk(decoded, must=False) as source:
            begun.append(blocks(source))
            next(begun[0])
            raise error

    with pytest.raises(error):
        broken()
    assert ended.is_set()
    assert not [*temporary.iterdir()]
