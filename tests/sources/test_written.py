"""Strings as people write them: every table of them is read alike, wherever it comes from."""

from __future__ import annotations

import io
import random
import re
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import dataset

import tallylearn as tl
from tallylearn.errors import TallyError
from tallylearn.modelfile import digests
from tallylearn.tables import BLOCK, CATEGORY, DATE, NUMBER, UNKNOWN
from tests.soak import SOAK, some
from tests.written_tables import (
    CASES,
    FEW,
    SOURCES,
    TRUTH,
    Case,
    Make,
    Rows,
    arrow,
    with_target,
)


def outcome(make: Make, rows: Rows, folder: Path, options: dict[str, Any]) -> tuple[Any, ...]:
    """What a source gives: kind, values, notes and the digest of a tally; or an error's words."""
    try:
        source = tl.table(make(rows, folder), target="y", **options)
        source = source.validate() if hasattr(source, "validate") else source
        block = source.whole()
    except TallyError as error:
        return "error", neutral(error)
    column = block.schema.columns[0]
    notes = re.sub(r"in row \d+", "in row _", "; ".join(source.notes))
    return column, values_of(block, column), notes, learned(source)


def plainly(name: str, case: Case, folder: Path) -> tuple[Any, ...]:
    """What a source gives of a case as it is, for all tests that ask."""
    key = name, case.cells, case.told
    if key not in READ_ONCE:
        READ_ONCE[key] = outcome(SOURCES[name], case.rows, folder, case.options)
    return READ_ONCE[key]


READ_ONCE: dict[tuple[str, str, str], tuple[Any, ...]] = {}


def learned(source: Any) -> str:
    """The digest of what is learned, or why nothing is."""
    try:
        return digests(tl.NaiveBayes().fit(source))[1]
    except TallyError as error:
        return neutral(error)


def neutral(error: TallyError) -> str:
    """An error's words without the source and the row, which differ."""
    return re.sub(r"row \d+", "row _", re.sub(r"^(\S+: )+", "", str(error)))


def values_of(block: Any, column: Any) -> list[Any]:
    if column.kind in (NUMBER, DATE):
        return [None if np.isnan(one) else one for one in block.numbers[:, 0].tolist()]
    if column.kind == CATEGORY:
        return list(block.codes["x"].items())
    return [None] * len(block) if column.kind == UNKNOWN else block.text["x"].to_pylist()


def expected(case: Case) -> list[Any]:
    if not isinstance(case.values, str):
        return case.values
    cells = [None if cell == "∅" else cell for cell in case.values.split("|")]
    return [days(cell) for cell in cells] if case.kind == DATE else cells


def days(text: str | None) -> float | None:
    if text is None:
        return None
    return (datetime.fromisoformat(text) - datetime(1970, 1, 1)).total_seconds() / 86_400


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_hostile_table_is_read_as_it_must_be(case: Case, tmp_path: Path) -> None:
    found = plainly("csv", case, tmp_path)
    if case.kind == "error":
        assert found[0] == "error"
        assert re.search(str(case.values), found[1])
        return
    column, values, notes, _ = found
    assert (column.kind, column.origin == "truth") == (
        (CATEGORY, True) if case.kind == TRUTH else (case.kind, False)
    )
    wanted = expected(case)
    assert values == (pytest.approx(wanted, abs=1e-10) if case.kind == DATE else wanted)
    assert case.notes in notes or re.search(case.notes, notes)
    assert bool(notes) == bool(case.notes)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_all_sources_give_the_same_schema_values_notes_and_tally(
    case: Case, tmp_path: Path
) -> None:
    """Every table from four sources, every source with many tables; `make soak` has all of all."""
    first = plainly("csv", case, tmp_path)
    others = [name for name in SOURCES if name not in ("csv", "polars")]
    at = 0 if SOAK else CASES.index(case) % len(others)
    names = (others[at:] + others[:at])[: None if SOAK else 2]
    for name in ("polars", *names):
        assert plainly(name, case, tmp_path) == first, name


ORDERS = [case for case in CASES if case.kind != "error"]


@pytest.mark.parametrize("case", ORDERS, ids=[case.name for case in ORDERS])
def test_no_order_of_the_rows_shows(case: Case, tmp_path: Path) -> None:
    rows = case.rows
    order = [*range(len(rows["x"]))]
    random.Random(7).shuffle(order)
    moved = {name: [cells[at] for at in order] for name, cells in rows.items()}
    for name in some(("csv", "polars"), 2, CASES.index(case) % 2):
        column, values, _, tally = plainly(name, case, tmp_path)
        found = outcome(SOURCES[name], moved, tmp_path, case.options)
        assert found[:2] == (column, [values[at] for at in order])
        assert found[3] == tally


# A dozen cells that make something else of a column, behind a whole block of others

LATE = [
    ("a code", "1|2", "007"),
    ("a signed code in quotes and blanks", "1|2", ' +007 "'.strip('"')),
    ("a gap", "1|2", "-"),
    ("a word", "1|2", "x"),
    ("a long number", "1|2", "9007199254740993"),
    ("thousands", "1|2.5", "1,234"),
    ("a decimal comma", "1|2", "1,5"),
    ("both marks", "1,5|2", "1.234,5"),
    ("a currency", "1|2", "$5"),
    ("another currency", "$1|$2", "€5"),
    ("a number without its sign", "1 %|2 %", "3"),
    ("brackets", "1|2", "(5)"),
    ("an exponent", "1|2", "1e3"),
    ("another form of dates", "2024-01-01|2024-01-02", "31.12.2024"),
    ("what tells day from month", "3/4/2024|5/6/2024", "13/4/2024"),
    ("what no order suits", "13/4/2024|5/6/2024", "4/13/2024"),
    ("a gap among dates", "2024-01-01|2024-01-02", "n/a"),
    ("a zone", "2024-01-01 10:00|2024-01-02 11:00", "2024-01-03 12:00+02:00"),
    ("an answer in other letters", "yes|no", "YES"),
    ("no answer", "Yes|yes|no", "maybe"),
    ("the other answer", "yes|Yes", "no"),
    ("no truth", "true|false", "x"),
    ("the first value", "|", "5|6|7"),
    ("a gap among words and numbers", "a|1|2", "-"),
]


@pytest.mark.parametrize(("plain", "odd"), [late[1:] for late in LATE], ids=[n for n, *_ in LATE])
def test_a_cell_behind_the_first_block_tells_as_much_as_one_in_it(
    plain: str, odd: str, tmp_path: Path
) -> None:
    first, last = (plain.split("|") * BLOCK)[:BLOCK], odd.split("|")
    rows = with_target([*first, *last])
    memory = outcome(SOURCES["polars"], rows, tmp_path, {})
    for name in ("csv", "parquet of dictionaries"):
        found = outcome(SOURCES[name], rows, tmp_path, {})
        assert found[0] == memory[0], name
        assert found[1] == memory[1], name
        assert found[3] == memory[3], name


def test_markers_that_are_declared_hold_behind_the_first_block(tmp_path: Path) -> None:
    rows = with_target([*(["1", "2"] * BLOCK)[:BLOCK], "gone", "(5)"])
    for name in ("csv", "polars", "parquet", "arrow"):
        column, values, *_ = outcome(SOURCES[name], rows, tmp_path, {"missing": "gone"})
        assert (column.kind, values[-2:]) == (NUMBER, [None, -5.0]), name


# Targets, weights, groups; models that remember


@pytest.mark.parametrize("make", FEW.values(), ids=[*FEW])
def test_weights_are_read_as_they_are_written(make: Make, tmp_path: Path) -> None:
    rows = {"x": ["a", "b", "a"], "w": ["$1,234.50", "$ 2", "3"], "y": ["p", "q", "p"]}
    table = tl.table(make(rows, tmp_path), target="y", weight="w")
    assert table.whole().weight.tolist() == [1234.5, 2.0, 3.0]


def test_a_measure_is_read_as_it_is_written_in_a_file(tmp_path: Path) -> None:
    rows = {"x": ["1", "2", "3"], "y": ["$1,234.50", "($5)", "7"]}
    model = tl.DummyRegressor().fit(SOURCES["csv"](rows, tmp_path), "y")
    assert model.predict([{"x": 1}])[0] == pytest.approx((1234.5 - 5 + 7) / 3)


LABELS = {"x": ["1", "2", "3", "4", "5"], "y": ["Yes ", "yes", "Yes", "NA", "No"]}
HANDED = ["NA", "No", "Yes", "Yes ", "yes"]
FILES = {name: SOURCES[name] for name in ("csv", "parquet", "parquet of dictionaries", "arrow")}


def to_json(rows: Rows, folder: Path) -> Path:
    pd.DataFrame(rows).to_json(folder / "t.jsonl", orient="records", lines=True)
    return folder / "t.jsonl"


def to_excel(rows: Rows, folder: Path) -> Path:
    pd.DataFrame(rows).to_excel(folder / "t.xlsx", index=False)
    return folder / "t.xlsx"


def to_stata(rows: Rows, folder: Path) -> Path:
    pd.DataFrame(rows).to_stata(folder / "t.dta", write_index=False)
    return folder / "t.dta"


def to_dataset(rows: Rows, folder: Path) -> Any:
    return dataset.dataset(SOURCES["parquet"](rows, folder))


def to_open_file(rows: Rows, folder: Path) -> Any:
    return io.BytesIO(SOURCES["parquet"](rows, folder).read_bytes())


READ = {**FILES, "json": to_json, "excel": to_excel, "stata": to_stata, "dataset": to_dataset,
        "open file": to_open_file}  # fmt: skip


def labels(table: Any) -> list[str]:
    return tl.NaiveBayes(var_smoothing=1.0).fit(table, "y").classes_.tolist()


@pytest.mark.parametrize("make", READ.values(), ids=[*READ])
def test_labels_are_read_alike_in_all_files(make: Make, tmp_path: Path) -> None:
    assert labels(make(LABELS, tmp_path)) == ["No", "Yes"]
    assert labels(tl.table(make(LABELS, tmp_path), kinds={"y": "category"})) == ["No", "Yes", "yes"]
    table = tl.table(make(LABELS, tmp_path), target="y")
    assert table.notes == ("y: No, Yes, yes read as No, Yes",)


def test_labels_are_as_they_are_in_what_is_handed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def batches() -> Any:
        return iter(arrow(LABELS, pa.string()).to_batches(2))

    for name in SOURCES.keys() - FILES.keys():
        table = tl.table(SOURCES[name](LABELS, tmp_path), target="y")
        assert (labels(table), table.notes) == (HANDED, ()), name
    assert labels(batches()) == HANDED
    with closing(sqlite3.connect(":memory:")) as connection:
        pd.DataFrame(LABELS).to_sql("t", connection, index=False)
        assert labels(tl.table("SELECT * FROM t", connection, target="y")) == HANDED
    monkeypatch.setenv("TALLY_MEMORY", "1e-8")  # kept in a file, and no other labels for that
    kept = tl.table(batches(), target="y")
    assert isinstance(kept, tl.sources.Files)
    assert (labels(kept), kept.notes) == (HANDED, ())


def test_a_label_that_is_unlike_the_others_is_read_late_as_early(tmp_path: Path) -> None:
    cells = [*(["1", "2"] * BLOCK)[:BLOCK], "none of them"]
    for name, make in FILES.items():
        rows = {"x": ["1"] * len(cells), "y": cells}
        model = tl.DummyClassifier().fit(make(rows, tmp_path), "y")
        assert model.classes_.tolist() == ["1", "2", "none of them"], name


@pytest.mark.parametrize("make", READ.values(), ids=[*READ])
def test_a_class_may_be_called_na_in_any_file(make: Make, tmp_path: Path) -> None:
    table = tl.table(make(LABELS, tmp_path), target="y", dialect={"missing": [""]})
    assert labels(table) == ["NA", "No", "Yes", "yes"]


@pytest.mark.parametrize("place", ["target", "weight"])
def test_a_target_or_weight_that_can_be_read_in_two_ways_is_refused(
    place: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x;n\n1;1,234\n2;5,678\n")
    said = (
        r'column \'n\' can be read in two ways.*kinds={"n": "1,234.5"} or kinds={"n": "1234,5"}\.$'
    )
    with pytest.raises(TallyError, match=said):
        tl.table(path, **{place: "n"})
    for model, first in {"1,234.5": 1234.0, "1234,5": 1.234}.items():
        block = tl.table(path, **{place: "n"}, kinds={"n": model}).whole()
        found = block.weight if block.target is None else block.target
        assert float(str(found[0])) == first


@pytest.mark.parametrize("make", SOURCES.values(), ids=[*SOURCES])
def test_007_and_7_are_two_groups(make: Make, tmp_path: Path) -> None:
    rows = {"x": ["1", "2", "3"], "g": ["007", "7", "7"], "y": ["a", "b", "a"]}
    table = tl.table(make(rows, tmp_path), target="y", groups="g")
    assert sorted(table.whole().group.items()) == ["007", "7", "7"]


TAUGHT = {
    "price": ["$1,234.50", "$ 12", "-$7", "-"],
    "share": ["1,5 %", "2 %", "3 %", "4,25 %"],
    "day": ["31/12/2024", "1/2/2025", "3/4/2025", "5/6/2025"],
    "paid": ["Yes", "no", "yes", "No"],
    "zip": ["01067", "10115", "01067", "10115"],
}
ASKED = [
    {"price": "$1,300.00", "share": "2,5 %", "day": "2/1/2025", "paid": "YES", "zip": "01067"},
    {"price": "n/a", "share": "4 %", "day": "2/11/2025", "paid": "nO", "zip": "10115"},
]


def test_a_model_remembers_how_its_columns_were_written(tmp_path: Path) -> None:
    rows = {name: cells * 3 for name, cells in TAUGHT.items()} | {"y": ["a", "b", "b"] * 4}
    model = tl.NaiveBayes().fit(SOURCES["csv"](rows, tmp_path), "y")
    model.save(tmp_path / "model.tally")
    again = tl.load(tmp_path / "model.tally")
    assert again.schema_.spellings == model.schema_.spellings
    assert str(again.schema_.spellings["day"]) == "%d/%m/%Y"
    assert again.schema_.spellings["price"].gaps == ("-",)
    assert (again.predict_proba(ASKED) == model.predict_proba(ASKED)).all()
    plain = [
        {"price": 1300.0, "share": 2.5, "day": datetime(2025, 1, 2), "paid": "Yes", "zip": "01067"},
        {"price": None, "share": 4.0, "day": datetime(2025, 11, 2), "paid": "No", "zip": "10115"},
    ]
    assert (again.predict_proba(plain) == model.predict_proba(ASKED)).all()


@pytest.mark.parametrize("make", SOURCES.values(), ids=[*SOURCES])
def test_a_comma_is_what_it_is_in_other_columns(make: Make, tmp_path: Path) -> None:
    rows = {"a": ["1,5", "2,25"], "b": ["1,234", "5,678"], "c": ["1,234.5", "2"]}
    table = tl.table(make(rows, tmp_path)).whole()
    assert table.numbers.tolist() == [[1.5, 1.234, 1234.5], [2.25, 5.678, 2.0]]
    alone = tl.table(make({"b": rows["b"], "d": ["1.5", "2"]}, tmp_path)).whole()
    assert alone.numbers.tolist() == [[1234.0, 1.5], [5678.0, 2.0]]
