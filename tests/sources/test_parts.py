"""Sources and their parts: what learners, engines and workers elsewhere may ask of them."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallylearn as tl
from tallylearn.errors import FileError, InputError, TargetError
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.sources import Source
from tallylearn.sources.files import compression, parquet
from tallylearn.sources.files.csv import parser
from tallylearn.sources.memory import joined_blocks
from tallylearn.sources.memory import table as memory_table
from tallylearn.tables import BLOCK, Block, Codes

RNG = np.random.default_rng(5)
N = 2 * BLOCK + 100
FRAME = pd.DataFrame(
    {
        "a": RNG.normal(size=N).round(6),
        "c": RNG.choice(list("xyz"), N),
        "b": RNG.integers(0, 9, N),
        "y": RNG.choice(["u", "v"], N),
    }
)


def written(folder: Path, name: str) -> Path:
    path, table = folder / name, pa.Table.from_pandas(FRAME, preserve_index=False)
    if name.endswith("parquet"):
        pq.write_table(table, path, row_group_size=30_000)
    elif name.endswith("arrow"):
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=30_000)
    else:
        FRAME.to_csv(path, index=False)
    return path


def shapes(source: Source) -> list[list[int]]:
    return [[len(block) for block in part.blocks()] for part in source.parts()]


def same_rows(one: Block, other: Block) -> None:
    np.testing.assert_array_equal(one.numbers, other.numbers)
    for name, codes in one.codes.items():
        assert codes.items() == other.codes[name].items()


# Parts


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_the_next_block_is_decoded_while_one_is_worked_on(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a thread that ends with who reads; where one thread may work, on that one."""
    source, decoded = tl.table(written(tmp_path, name)), list[str]()
    validated = parquet._validate_batches

    def watched(batches: Iterator[Any]) -> Iterator[Any]:
        try:
            for batch in validated(batches):
                decoded.append(threading.current_thread().name)
                yield batch
        finally:
            decoded.append("closed")

    monkeypatch.setattr(parquet, "_validate_batches", watched)
    for threads, where in ((1, {"MainThread"}), (2, {"MainThread", "reading_0"})):
        decoded.clear()
        with tl.engine(threads=threads):
            assert [len(block) for block in source.blocks()] == [BLOCK, BLOCK, 100]
            assert {*decoded} == where | {"closed"}
            blocks = source.blocks()
            next(blocks), next(blocks)
            blocks.close()
        assert decoded[-1] == "closed"
        assert not [one for one in threading.enumerate() if one.name.startswith("reading")]


def test_what_a_reader_ahead_meets_is_said_where_it_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, validated = tl.table(written(tmp_path, "t.parquet")), parquet._validate_batches

    def damaged(batches: Iterator[Any]) -> Iterator[Any]:
        yield from islice(validated(batches), 3)
        raise pa.ArrowInvalid("nonsense")

    monkeypatch.setattr(parquet, "_validate_batches", damaged)
    found = []
    with pytest.raises(FileError, match="cannot be read as Parquet: nonsense"):
        found.extend(source.blocks())
    assert not found or [len(block) for block in found] == [BLOCK]


def test_blocks_are_cut_within_a_part_and_never_across(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (memory_table, parquet):
        monkeypatch.setattr(module, "RUN", BLOCK)
    assert shapes(tl.table(FRAME)) == [[BLOCK], [BLOCK], [100]]
    assert shapes(tl.table(written(tmp_path, "t.csv"))) == [[BLOCK, BLOCK, 100]]
    for name in ("t.parquet", "t.arrow"):  # three groups of 30 000 rows reach 65 536
        runs = [[BLOCK, 90_000 - BLOCK], [N - 90_000]]
        assert shapes(tl.table(written(tmp_path, name))) == runs


def test_parts_come_in_the_sorted_order_of_their_files(tmp_path: Path) -> None:
    for name, rows in (("b.csv", 3), ("a.csv", 2), ("c.csv", 1)):
        FRAME[:rows].to_csv(tmp_path / name, index=False)
    assert shapes(tl.table(tmp_path / "*.csv")) == [[2], [3], [1]]


@pytest.mark.parametrize("name", ["frame", "t.csv", "t.parquet", "t.arrow"])
def test_a_part_is_sent_elsewhere_and_reads_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for module in (memory_table, parquet):
        monkeypatch.setattr(module, "RUN", BLOCK)
    source = tl.table(FRAME if name == "frame" else written(tmp_path, name), target="y")
    read = read_fit_input(source, None, None, "test", "classifier")
    whole, start = read.whole(), 0
    for part in read.parts():
        sent = pickle.dumps(part)
        rows = sum(map(len, part.blocks()))
        assert len(sent) < (4_000 if name != "frame" else 60 * rows + 4_000)
        for block in pickle.loads(sent).blocks():
            same_rows(block, whole[start : start + len(block)])
            assert block.target.items() == whole.target[start : start + len(block)].items()
            start += len(block)
    assert start == len(FRAME)


def test_rows_are_numbered_in_their_file_whatever_the_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "RUN", 10)
    table = pa.table({"a": [1.0] * 44 + [float("inf")], "y": ["u", "v", "u"] * 15})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=7)
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file:
        writer = pa.ipc.new_file(file, table.schema)
        writer.write_table(table, max_chunksize=7)
        writer.close()
    for name in ("t.parquet", "t.arrow"):
        with pytest.raises(tl.errors.InputError, match="has inf in row 44"):
            tl.NaiveBayes().fit(tmp_path / name, "y")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.arrow"])
def test_files_whole_are_the_frame(tmp_path: Path, name: str) -> None:
    source = tl.table(written(tmp_path, name), target="y", weight="b", groups="c")
    seen: list[int] = []
    block = source.whole(seen.append)
    assert seen == [BLOCK, BLOCK, 100]
    np.testing.assert_array_equal(block.numbers[:, 0], FRAME.a)
    np.testing.assert_array_equal(block.weight, FRAME.b)
    assert block.group is not None
    assert block.group.items() == FRAME.c.tolist()


# One reader of all rows


def test_pruning_keeps_groups_together_in_files_as_in_memory(tmp_path: Path) -> None:
    rng, n = np.random.default_rng(0), 400
    house = np.repeat(np.arange(40), 10)
    frame = pd.DataFrame(
        {
            "house": [f"h{at:02d}" for at in house],
            "a": rng.normal(size=40)[house].round(4),  # tells the houses apart, and nothing else
            "b": rng.normal(size=n).round(4),
            "y": np.where(rng.random(40)[house] < 0.5, "u", "v"),
        }
    )
    frame[:200].to_csv(tmp_path / "1.csv", index=False)
    frame[200:].to_csv(tmp_path / "2.csv", index=False)
    options: dict[str, Any] = {"target": "y", "groups": "house"}
    memory, files, without = (
        tl.DecisionTreeClassifier(pruning="reduced_error", random_state=0).fit(source).tree_
        for source in (
            tl.table(frame, **options),
            tl.table(tmp_path / "*.csv", **options),
            tl.table(tmp_path / "*.csv", target="y", ignore=["house"]),
        )
    )
    assert memory.node_count == files.node_count < without.node_count
    np.testing.assert_array_equal(memory.threshold, files.threshold)


# Once to sniff, once to read


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, list[str]]]:
    """The files that are opened, and those whose text Arrow parses, in order."""
    seen: dict[str, list[str]] = {"opened": [], "parsed": []}
    real_open, real_tables = open, parser.Parser._tables

    def opens(path: Any, *more: Any) -> Any:
        seen["opened"].append(Path(path).name)
        return real_open(path, *more)

    def tables(parser: parser.Parser, *more: Any) -> Any:
        seen["parsed"].append(parser.path.name)
        return real_tables(parser, *more)

    monkeypatch.setattr(compression, "open", opens, raising=False)
    monkeypatch.setattr(parser.Parser, "_tables", tables)
    return seen


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_a_csv_is_opened_once_to_sniff_and_once_to_read(
    tmp_path: Path, counted: dict[str, list[str]], ending: str
) -> None:
    a, b = f"a.{ending}", f"b.{ending}"
    FRAME[:50].to_csv(tmp_path / a, index=False)
    FRAME[50:90].to_csv(tmp_path / b, index=False)
    model = tl.NaiveBayes().fit(tmp_path / "*.csv*", "y")
    # both are read at once
    assert {what: sorted(names) for what, names in counted.items()} == {
        "opened": [a, a, b],
        "parsed": [a, a, b],
    }
    counted["opened"].clear()
    counted["parsed"].clear()
    assert len(model.predict(tmp_path / a)) == 50
    assert counted == {"opened": [a, a], "parsed": [a]}


def test_a_table_that_is_aimed_at_a_target_is_not_sniffed_again(
    tmp_path: Path, counted: dict[str, list[str]]
) -> None:
    FRAME[:50].to_csv(tmp_path / "t.csv", index=False)
    tl.NaiveBayes().fit(tl.table(tmp_path / "t.csv"), "y", sample_weight="b")
    assert counted["opened"] == counted["parsed"] == ["t.csv", "t.csv"]


def test_an_evaluation_sniffs_files_once_and_counts_their_rows_once(
    tmp_path: Path, counted: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To sniff, for the targets, to learn, to answer; twice for the baseline; for the cautions."""
    monkeypatch.setattr(joined_blocks, "MAX_SMALL_FILE_BYTES", 0)
    FRAME[:50].to_csv(tmp_path / "t.csv", index=False)
    tl.evaluate(tl.NaiveBayes(), tl.table(tmp_path / "t.csv", target="y"), cv=5)
    assert counted == {"opened": ["t.csv"] * 7, "parsed": ["t.csv"] * 7}


# Lessons without a target, and with several


def sources(folder: Path) -> list[Any]:
    FRAME[:300].to_csv(folder / "t.csv", index=False)
    return [FRAME[:300], folder / "t.csv", tl.table(FRAME[:300]), tl.table(folder / "t.csv")]


def test_a_lesson_needs_no_target(tmp_path: Path) -> None:
    for source in sources(tmp_path):
        read = read_fit_input(source, None, None, "test", None)
        assert read.schema.names == ("a", "c", "b", "y")
        assert [block.target for block in read.blocks()] == [None] == [read.whole().target]
    with pytest.raises(TargetError, match="no target was passed"):
        read_fit_input(source, None, None, "test", "classifier")


def test_without_a_target_a_column_that_is_one_is_left_aside(tmp_path: Path) -> None:
    for source in sources(tmp_path):
        read = read_fit_input(source, "y", "b", "test", None)
        assert read.schema.names == ("a", "c")
        assert read.whole().target is None
        assert read.whole().weight is not None
    y = FRAME.y[:300].to_numpy()
    assert read_fit_input(FRAME[["a"]][:300], y, None, "test", None).whole().target is None


def test_a_lesson_has_several_targets(tmp_path: Path) -> None:
    aims = ("regressor", "classifier")
    for source in sources(tmp_path):
        read = read_fit_input(source, ["b", "y"], None, "test", aims)
        assert read.schema.names == ("a", "c")
        for block in (read.whole(), *read.blocks()):
            measures, classes = block.target
            assert isinstance(classes, Codes)
            assert measures.tolist() == FRAME.b[:300].tolist()
            assert classes.items() == FRAME.y[:300].tolist()
        some = read.whole()[[7, 2]].target
        assert some[0].tolist() == FRAME.b[[7, 2]].tolist()
        assert some[1].items() == FRAME.y[[7, 2]].tolist()
        with pytest.raises(TargetError, match="2 targets, and 3 are expected"):
            read_fit_input(source, ["b", "y"], None, "test", ("regressor",) * 3).whole()


def test_rows_with_several_targets_are_arranged_by_what_they_hold() -> None:
    frame = pd.DataFrame({"a": [1.0] * 4, "b": [2, 1, 2, 1], "y": [*"uuvv"]})
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        read = read_fit_input(
            frame.loc[order], ["b", "y"], None, "test", ("regressor", "classifier")
        )
        measures, classes = read.whole().sort_rows().target
        assert [*zip(measures.tolist(), classes.items(), strict=True)] == [
            (1.0, "u"), (1.0, "v"), (2.0, "u"), (2.0, "v"),
        ]  # fmt: skip


def test_targets_that_are_no_columns_are_those_of_an_array() -> None:
    X, Y = RNG.normal(size=(5, 2)), RNG.normal(size=(5, 3))
    read = read_fit_input(X, Y, None, "test", ("regressor",))
    np.testing.assert_array_equal(np.column_stack(read.whole().target), Y)
    (one,) = read_fit_input(X, Y[:, 0], None, "test", ("regressor",)).whole().target
    np.testing.assert_array_equal(one, Y[:, 0])


def test_who_learns_one_target_is_not_given_two() -> None:
    source = tl.table(FRAME[:9]).with_roles(("b", "y"), None)
    with pytest.raises(TargetError, match=r"2 targets \('b', 'y'\).*takes one"):
        tl.NaiveBayes().fit(source)
    assert "targets b, y" in repr(source)


@pytest.mark.parametrize("target", ["y", "size"])
@pytest.mark.parametrize("name", ["0.csv", "2.csv"])
def test_a_file_without_rows_beside_others_changes_no_result(
    tmp_path: Path, target: str, name: str
) -> None:
    frame = pd.DataFrame({"x": np.arange(40.0), "size": np.arange(40.0) % 7, "y": [*"uv"] * 20})
    frame.to_csv(tmp_path / "1.csv", index=False)
    model = tl.DummyClassifier() if target == "y" else tl.DummyRegressor()
    alone = tl.evaluate(model, tmp_path / "1.csv", target, cv=4)
    frame[:0].to_csv(tmp_path / name, index=False)
    both = tl.table(str(tmp_path / "*.csv"), target=target, categories=["y"], ignore=["x"])
    assert str(tl.evaluate(model, both, cv=4).headline) == str(alone.headline)


def test_a_file_without_rows_alone_is_said_to_have_none(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n")
    with pytest.raises(InputError, match="the table has no rows"):
        tl.evaluate(tl.NaiveBayes(), tmp_path / "t.csv", "y")
