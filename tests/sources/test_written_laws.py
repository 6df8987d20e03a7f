"""What is written comes back: numbers with any marks, dates in every form, in any order."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallylearn.sources.columns.date_parts import days
from tallylearn.sources.type_inference.cell_tally import CellTally
from tallylearn.sources.type_inference.column_types import PLAIN, infer_column_type
from tallylearn.sources.type_inference.string_column import (
    encode_strings,
    infer_string_column,
    read_strings,
)
from tests.written_tables import CASES

MARKS = [(".", ""), (",", ""), (".", ","), (",", "."), (".", " "), (",", " "), (".", "'")]
SIGNS = ["{sign}{body}", "{sign}${body}", "{sign}{body} €", "${sign}{body}", "{sign}{body} %"]
decimals = st.decimals(-(10**9), 10**9, places=2, allow_nan=False, allow_infinity=False)
cells = st.sampled_from(
    [cell for case in CASES for cell in case.cells.split("|") if len(cell) < 100]
)


def column_of(texts: list[str]) -> Any:
    return encode_strings(pa.array(texts, pa.string()))


def found(texts: list[str]) -> Any:
    column = column_of(texts)
    return read_strings("x", column, infer_string_column(column, PLAIN).format)


@settings(max_examples=60, deadline=None)
@given(st.lists(decimals, min_size=1, max_size=8), st.sampled_from(MARKS), st.sampled_from(SIGNS))
def test_numbers_with_any_marks_come_back(
    numbers: list[Decimal], marks: tuple[str, str], form: str
) -> None:
    point, group = marks
    swap = {ord(","): group, ord("."): point}
    texts = [
        form.format(sign="-" if n < 0 else "", body=f"{abs(n):,.2f}".translate(swap))
        for n in numbers
    ]
    assert found(texts).to_pylist() == [float(n) for n in numbers]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=8))
def test_floats_come_back_as_python_reads_them(numbers: list[float]) -> None:
    texts = [repr(n) for n in numbers]
    assert found(texts).to_pylist() == [float(text) for text in texts]


FORMS = [
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%d %b %Y",
    "%d %B %Y", "%b %d %Y", "%B %d, %Y", "%d-%b-%Y", "%d.%m.%y", "%d/%m/%y", "%d-%b-%y",
]  # fmt: skip
TIMES = ["", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S%p"]
moments = st.datetimes(datetime(1969, 1, 1), datetime(2068, 12, 31))


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=12, deadline=None)
@given(st.lists(moments, min_size=1, max_size=6), st.sampled_from(TIMES))
def test_dates_in_every_form_come_back(form: str, when: list[datetime], time: str) -> None:
    when = [*when, datetime(2001, 5, 31, 17, 45, 12)]  # tells the day from the month
    texts = [one.strftime(form + time) for one in when]
    told = [datetime.strptime(text, form + time) for text in texts]
    wanted = [(one - datetime(1970, 1, 1)) / timedelta(days=1) for one in told]
    assert days("x", found(texts)).tolist() == pytest.approx(wanted, abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(st.lists(cells, max_size=30), st.data())
def test_tallies_of_parts_add_up_to_the_tally_of_the_whole(texts: list[str], data: Any) -> None:
    cut = data.draw(st.integers(0, len(texts)))
    other = data.draw(st.integers(cut, len(texts)))
    parts = [(0, texts[:cut]), (cut, texts[cut:other]), (other, texts[other:])]
    total = CellTally()
    for start, part in parts:
        total += CellTally.of(column_of(part), start)
    assert total == CellTally.of(column_of(texts))


@settings(max_examples=100, deadline=None)
@given(st.lists(cells, min_size=1, max_size=12), st.randoms())
def test_a_judgement_depends_on_no_order(texts: list[str], order: Any) -> None:
    before = infer_column_type(CellTally.of(column_of(texts)))
    moved = [*texts]
    order.shuffle(moved)
    after = infer_column_type(CellTally.of(column_of(moved)))
    assert (after.format, bool(after.ambiguity)) == (before.format, bool(before.ambiguity))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(cells, st.text("0123456789 .,'-+()$%e:/TZ", max_size=12)), max_size=3))
def test_what_is_judged_a_number_can_be_read_as_one(texts: list[str]) -> None:
    column = column_of(texts)
    spelling = infer_string_column(column, PLAIN).format
    if spelling.kind == "number":
        assert read_strings("x", column, spelling).type == pa.float64()
