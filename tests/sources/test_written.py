"""Strings as people write them: every table of them is read alike, wherever it comes from."""

from __future__ import annotations

import random
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.errors import TallyError
from tallylearn.modelfile import digests
from tallylearn.tables import BLOCK, CATEGORY, DATE, NUMBER, UNKNOWN
from tests.written_tables import CASES, FEW, SOURCES, TRUTH, Case, Make, Rows, with_target


def outcome(make: Make, rows: Rows, folder: Path, options: dict[str, Any]) -> tuple[Any, ...]:
    """What a source gives: kind, values, notes and the digest of a tally; or an error's words."""
    try:
        source = tl.table(make(rows, folder), target="y", **options)
        source = source.proved() if hasattr(source, "proved") else source
        block = source.whole()
    except TallyError as error:
        return "error", neutral(error)
    column = block.schema.columns[0]
    notes = re.sub(r"in row \d+", "in row _", "; ".join(source.notes))
    return column, values_of(block, column), notes, learned(source)


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
    found = outcome(SOURCES["csv"], case.rows, tmp_path, case.options)
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
    first = outcome(SOURCES["csv"], case.rows, tmp_path, case.options)
    for name, make in SOURCES.items():
        assert outcome(make, case.rows, tmp_path, case.options) == first, name
