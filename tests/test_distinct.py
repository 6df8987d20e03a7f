"""Distinct values: the same for any order of the rows and any parts; exact up to 100 000."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallylearn.errors import ForgetError, MergeError
from tallylearn.tables import Codes
from tallylearn.tallies import Distinct
from tallylearn.tallies.distinct import EVERY, KEPT, Seen
from tallylearn.tallies.value_hashes import hashed_numbers, hashed_strings, undone

Array = Any
NUMBERS = st.lists(
    st.one_of(st.floats(allow_nan=True), st.integers(-5, 5).map(float), st.just(-0.0)), max_size=40
)
MANY = np.random.default_rng(1).permutation(350_000).astype(float)  # beyond what is kept


def tally(values: Any, judging: tuple[int, float] | None = None, blocks: int = 1) -> Distinct:
    seen = Seen(judging)
    for part in np.array_split(np.asarray(values, dtype=float), blocks):
        seen.add(part)
    return seen.tally()


@given(values=NUMBERS)
def test_the_values_of_a_column_are_counted_as_a_set_counts_them(values: list[float]) -> None:
    found, there = tally(values), [value + 0.0 for value in values if value == value]
    assert found.exact
    assert (found.count, found.present) == (len({*there}), len(there))
    assert {*found.values().tolist()} == {*there}
    assert found.broken == any(not value.is_integer() for value in there)
    if there:
        assert (found.least, found.greatest) == (min(there), max(there))
        best = max(there.count(value) for value in there)
        assert found.top(1)[0][1] == best
    assert found.repeats == len(there) - len({*there})
    assert found.once == sum(there.count(value) == 1 for value in {*there})


@given(values=NUMBERS, cut=st.integers(0, 40), judged=st.booleans(), data=st.data())
def test_order_and_parts_do_not_matter(
    values: list[float], cut: int, judged: bool, data: st.DataObject
) -> None:
    judging = (len(values), 0.1) if judged else None
    whole = tally(values, judging)
    assert tally(values[:cut], judging) + tally(values[cut:], judging) == whole
    assert tally(data.draw(st.permutations(values)), judging) == whole
    nothing = tally([], judging)
    assert nothing + whole == whole == whole + nothing
    assert nothing.nothing
    assert not nothing


@pytest.mark.parametrize("judging", [None, (350_000, 0.05)])
def test_order_and_parts_do_not_matter_where_hashes_are_dropped(judging: Any) -> None:
    whole = tally(MANY, judging)
    assert not whole.exact
    for rows in (np.sort(MANY), MANY[::-1].copy()):
        assert tally(rows, judging, blocks=7) == whole
    parts = [tally(part, judging) for part in np.array_split(MANY, 3)]
    assert parts[2] + (parts[0] + parts[1]) == whole
    assert sum(parts, tally([], judging)) == whole


@pytest.mark.parametrize("n", [KEPT - 1, KEPT, KEPT + 1])
def test_a_hundred_thousand_values_are_exact_and_one_more_is_not(n: int) -> None:
    found = tally(np.repeat(MANY[:n], 2))
    assert found.exact == (n <= KEPT)
    assert (found.count == n) or not found.exact
    assert len(found.hashes) == min(n, KEPT)
    assert (found.counts == 2).all()


def test_beyond_that_the_estimate_keeps_to_its_error() -> None:
    errors = []
    for start in range(20):
        found = tally(np.arange(350_000) + 1e6 * start)
        assert found.error == pytest.approx(1 / np.sqrt(KEPT - 2))
        errors.append((found.count / 350_000 - 1) / found.error)
    # of 350 000 values 100 000 are kept, so the error is the stated one times √(1 - 0.29)
    assert np.std(errors) == pytest.approx(0.85, abs=0.3)
    assert abs(np.mean(errors)) < 0.7


def test_numbers_share_no_hash_and_strings_differ_by_every_byte_and_length() -> None:
    x = np.concatenate([MANY, -MANY[MANY != 0], MANY + 0.5])
    hashes = hashed_numbers(x)
    assert len(np.unique(hashes)) == len(x)
    assert (undone(hashes) == x).all()
    texts = ["", "\0", "\0\0", "a", "b", "ab", "ba", "a" * 8, "a" * 9, "é", "e", "\ud800"]
    texts += [f"{at:017d}" for at in range(50_000)]
    assert len(np.unique(hashed_strings((*texts,)))) == len(texts)
    bits = np.unpackbits(hashed_strings((*texts,)).view(np.uint8)).reshape(-1, 64)
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.02


def test_codes_and_arrow_strings_are_counted_alike() -> None:
    items = ["red", None, "blue", "red", "", "grün"]
    values = "unseen", "red", "blue", "", "grün"
    codes = Codes(values, np.array([1, -1, 2, 1, 3, 4], np.int32))
    arrow = pa.array(["left out", *items], pa.large_string())[1:]
    assert Distinct.of(codes) == Distinct.of(arrow)
    assert repr(Distinct.of(codes)) == "Distinct(4 of 5)"
    assert np.isnan(Distinct.of(codes).least)
    assert Distinct.of(pa.array([None, None], pa.large_string())).nothing


UNIQUE = np.arange(200_000.0)


@pytest.mark.parametrize(
    ("column", "share"),
    [
        (UNIQUE, 1.0),
        (UNIQUE // 2, 0.5),  # every value twice
        (UNIQUE // 20_000, 0.0),  # ten values, whether any of them is in the sample or none
        (np.r_[UNIQUE[:180_000], np.repeat(UNIQUE[:50], 400)], 0.9),  # some come 400 times
    ],
)
def test_a_judged_column_tells_its_share_of_values_whatever_the_order(
    column: Array, share: float
) -> None:
    judging = len(column), 0.2
    found = tally(column, judging)
    for rows in (column[::-1].copy(), np.sort(column), MANY[MANY < 200_000].astype(int)):
        rows = column[rows] if rows.dtype == int else rows
        assert tally(rows, judging, blocks=3) == found
    assert found.stopped or found.count / found.present == pytest.approx(share, abs=0.025)
    assert share < 0.8 or not found.stopped


def test_a_heavy_value_in_the_sample_does_not_stop_a_column_of_identifiers() -> None:
    for value in range(300):  # some of them are in the sample
        column = UNIQUE.copy()
        column[::100] = value  # one row in a hundred has no name of its own
        found = tally(column, (len(column), 0.05))
        assert not found.stopped
        assert found.count / found.present == pytest.approx(0.99, abs=0.025)
        if found.repeats:
            break
    else:
        pytest.fail("no heavy value was in the sample")


@pytest.mark.parametrize("last", [0.5, np.inf])
def test_a_number_that_is_no_whole_one_stops_a_judged_column(last: float) -> None:
    column = np.r_[UNIQUE, last]
    for rows in (column, column[::-1].copy()):
        found = tally(rows, (len(column), 0.05))
        assert found.stopped
        assert found + tally(UNIQUE, (len(column), 0.05)) == found


def test_a_judged_column_of_measurements_costs_one_row_and_one_of_classes_a_share() -> None:
    measured = Seen((1_000_000, 0.05))
    measured.add(np.full(1_000_000, 0.5))
    assert measured._state[2] == 1
    few = Seen((90_000, 0.05))
    few.add(np.arange(90_000) % 7.0)
    assert few.stopped
    assert few._state[0] < 4_600


def test_columns_that_are_judged_otherwise_do_not_add_up_and_nothing_is_forgotten() -> None:
    with pytest.raises(MergeError, match="Judge both alike"):
        tally([1.0], (10, 0.05)) + tally([1.0])
    with pytest.raises(ForgetError, match="rows that are left"):
        tally([1.0]) - tally([1.0, 2.0])


def test_the_hashes_are_those_of_every_process() -> None:
    code = (
        "import numpy as np; from tallylearn.tallies.value_hashes import *;"
        "print(hashed_strings(('a', 'customer 17'))[1], hashed_numbers(np.array([0.1]))[0])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["5770771899401523951", "17880386652949523069"]


def test_a_million_values_take_no_more_memory_than_is_said() -> None:
    column = np.arange(1_000_000.0)
    tracemalloc.start()
    try:
        seen = Seen()
        for at in range(0, len(column), 65_536):
            seen.add(column[at : at + 65_536])
        held, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 4.5e6  # 2^18 slots of 16 bytes
    assert most < 14e6  # while it drops hashes
    found = seen.tally()
    assert found.hashes.nbytes + found.counts.nbytes == 16 * KEPT
    assert found.most < EVERY
