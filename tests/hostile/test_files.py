"""Forged files end in an error of ours or in a table: never in a crash, a hang or a foreign error.

A few hundred from seeds in ``make test``, 100,000 of each kind in ``make soak``. They are read by
workers, so that a crash ends a worker and is seen here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallylearn as tl
from tallylearn.errors import FileError, InputError, SizeError
from tests.hostile.bombs import BOMBS, xlsx
from tests.soak import SOAK

FILES = 100_000 if SOAK else 120
PIECE = 5_000  # files of one worker


def found_by(kind: str, first: int, stop: int, folder: Path) -> list[str]:
    """What a worker found; where it died, another goes on behind the file that killed it."""
    found: list[str] = []
    while first < stop:
        journal = folder / f"{kind}-{first}"
        command = [sys.executable, "-m", "tests.hostile.worker", kind, str(first), str(stop)]
        done = subprocess.run([*command, str(journal)], capture_output=True, text=True)
        lines = journal.read_text().splitlines()
        found += [line for line in lines if line.startswith("!")]
        if done.returncode == 0:
            break
        last = int([line for line in lines if line.isdigit()][-1])
        found.append(f"! {last} died with {done.returncode}: {done.stderr[-500:]}")
        first = last + 1
    return found


@pytest.mark.parametrize("kind", ["arrow", "parquet", "csv", "arff", "json", "zip", "xlsx"])
def test_a_forged_file_is_read_or_refused(kind: str, tmp_path: Path) -> None:
    starts = range(0, FILES, PIECE)
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda at: found_by(kind, at, min(at + PIECE, FILES), tmp_path), starts)
        assert [line for piece in found for line in piece] == []


def test_codes_beyond_their_dictionary_are_refused_in_a_file(tmp_path: Path) -> None:
    table = pa.table({"c": pa.array(["a", "b", "a"]).dictionary_encode(), "y": ["u", "v", "u"]})
    path = tmp_path / "forged.arrow"
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)
    codes = table["c"].chunk(0).indices.buffers()[1].to_pybytes()[:12]
    data = path.read_bytes()
    assert data.count(codes) == 1
    path.write_bytes(data.replace(codes, codes[:4] + (2**30).to_bytes(4, "little") + codes[8:]))
    with pytest.raises(FileError, match="cannot be read as Arrow"):
        list(tl.table(path, target="y").blocks())


def test_codes_beyond_their_dictionary_are_refused_in_memory() -> None:
    codes = pa.array([0, 5, 1], pa.int32())
    wild = pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b"]), safe=False)
    with pytest.raises(InputError, match="column 'c' is not valid Arrow data"):
        tl.table(pa.table({"c": wild}))


def test_a_page_that_does_not_fit_its_checksum_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "numbers.parquet"
    table = pa.table({"x": [float(i) for i in range(500)], "y": ["u", "v"] * 250})
    pq.write_table(table, path, compression="none", use_dictionary=False, write_page_checksum=True)
    number = pa.array([123.0]).buffers()[1].to_pybytes()[:8]
    data = bytearray(path.read_bytes())
    data[data.index(number)] ^= 1  # one bit of one number
    path.write_bytes(data)
    with pytest.raises(FileError, match="CRC"):
        list(tl.table(path, target="y").blocks())


def test_a_parquet_file_that_is_damaged_behind_its_first_block_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.parquet"
    n = 100_000
    table = pa.table({"x": [i / 7 for i in range(n)], "y": ["u", "v"] * (n // 2)})
    pq.write_table(table, path, row_group_size=70_000, use_dictionary=False)
    data = bytearray(path.read_bytes())
    second = pq.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    data[second : second + 20] = b"\xff" * 20
    path.write_bytes(data)
    with pytest.raises(FileError, match="cannot be read as Parquet"):
        tl.NaiveBayes().fit(path, "y")


def test_an_arrow_file_that_is_cut_short_after_it_was_opened_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.arrow"
    table = pa.table({"x": [float(i) for i in range(70_000)], "y": ["u", "v"] * 35_000})
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table, 10_000)
    source = tl.table(path, target="y")
    parts = list(source.parts())
    os.truncate(path, path.stat().st_size // 2)  # a mapped file would end the process
    with pytest.raises(FileError, match="cannot be read as Arrow"):
        [list(part.blocks()) for part in parts]
    with pytest.raises(FileError, match="changed since the table was declared"):
        list(source.blocks())


def test_a_view_that_is_null_is_not_followed(tmp_path: Path) -> None:
    """Arrow's own validation passes over it, and its cast ended the process."""
    text = pa.array(["a text beyond twelve bytes", None, "short"] * 5, pa.string_view())
    valid, places, *rest = text.buffers()
    wild = bytearray(places.to_pybytes())
    wild[16:32] = (2**31 - 1).to_bytes(4, "little") + b"text" + b"\xff\xff\xff\x7f" * 2
    forged = pa.Array.from_buffers(text.type, 15, [valid, pa.py_buffer(bytes(wild)), *rest])
    forged.validate(full=True)
    assert tl.table(pa.table({"c": forged})).block.codes["c"].items() == text.to_pylist()


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_asks_for_much_memory_is_refused(name: str, tmp_path: Path) -> None:
    """Where room was made for all cells, or for all bytes, the process ended here."""
    BOMBS[name](tmp_path / name)
    assert (tmp_path / name).stat().st_size < 30 << 20
    command = [sys.executable, "-m", "tests.hostile.bombs", str(tmp_path / name)]
    env = {**os.environ, "TALLY_MEMORY": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout.startswith("SizeError: ")
    assert "of memory, and the budget is 1 GiB" in done.stdout


def test_cells_without_values_far_from_a_table_do_not_count(tmp_path: Path) -> None:
    """A spreadsheet keeps the format of cells, of whole columns at times."""
    rows = b'<row r="1"><c r="A1" t="str"><v>a</v></c></row><row r="2"><c r="A2"><v>7</v></c></row>'
    far = b'<row r="1048576"><c r="A1048576" s="1"/><c r="XFD1048576" s="1"/></row>'
    xlsx(tmp_path / "t.xlsx", [rows, far])
    assert tl.table(tmp_path / "t.xlsx").whole().numbers.tolist() == [[7.0]]


def test_a_sheet_within_a_larger_budget_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = b'<row r="9999"><c r="AAA9999"><v>1</v></c></row>'
    xlsx(tmp_path / "t.xlsx", [b'<row r="1"><c r="A1" t="str"><v>a</v></c></row>', far])
    monkeypatch.setenv("TALLY_MEMORY", "0.1")
    with pytest.raises(SizeError, match=r"the 7,029,297 cells between its first and its last one"):
        tl.table(tmp_path / "t.xlsx")
    monkeypatch.setenv("TALLY_MEMORY", "1")
    assert tl.table(tmp_path / "t.xlsx", dialect={"header": False}).names == ("x0", "x1")
