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

from tallylearn.errors import ForgetError
from tallylearn.tables import Codes
from tallylearn.tallies import Distinct
from tallylearn.tallies.distinct import MAX_HASH, MAX_HASHES, HashCounter
from tallylearn.tallies.value_hashes import hash_numbers, hash_texts, invert_hashes

Array = Any
NUMBERS = st.lists(
    st.one_of(st.floats(allow_nan=True), st.integers(-5, 5).map(float), st.just(-0.0)), max_size=40
)
MANY = np.random.default_rng(1).permutation(350_000).astype(float)  # beyond what is kept


def tally(values: Any, blocks: int = 1) -> Distinct:
    seen = HashCounter()
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
    assert found.n_singletons == sum(there.count(value) == 1 for value in {*there})


@given(values=NUMBERS, cut=st.integers(0, 40), data=st.data())
def test_order_and_parts_do_not_matter(values: list[float], cut: int, data: st.DataObject) -> None:
    whole = tally(values)
    assert tally(values[:cut]) + tally(values[cut:]) == whole
    assert tally(data.draw(st.permutations(values))) == whole
    nothing = tally([])
    assert nothing + whole == whole == whole + nothing
    assert nothing.nothing
    assert not nothing


def test_order_and_parts_do_not_matter_where_hashes_are_dropped() -> None:
    whole = tally(MANY)
    assert not whole.exact
    for rows in (np.sort(MANY), MANY[::-1].copy()):
        assert tally(rows, blocks=7) == whole
    parts = [tally(part) for part in np.array_split(MANY, 3)]
    assert parts[2] + (parts[0] + parts[1]) == whole
    assert sum(parts, tally([])) == whole


@pytest.mark.parametrize("n", [MAX_HASHES - 1, MAX_HASHES, MAX_HASHES + 1])
def test_a_hundred_thousand_values_are_exact_and_one_more_is_not(n: int) -> None:
    found = tally(np.repeat(MANY[:n], 2))
    assert found.exact == (n <= MAX_HASHES)
    assert (found.count == n) or not found.exact
    assert len(found.hashes) == min(n, MAX_HASHES)
    assert (found.counts == 2).all()


def test_beyond_that_the_estimate_keeps_to_its_error() -> None:
    errors = []
    for start in range(20):
        found = tally(np.arange(350_000) + 1e6 * start)
        assert found.error == pytest.approx(1 / np.sqrt(MAX_HASHES - 2))
        errors.append((found.count / 350_000 - 1) / found.error)
    # of 350 000 values 100 000 are kept, so the error is the stated one times √(1 - 0.29)
    assert np.std(errors) == pytest.approx(0.85, abs=0.3)
    assert abs(np.mean(errors)) < 0.7


def test_numbers_share_no_hash_and_strings_differ_by_every_byte_and_length() -> None:
    x = np.concatenate([MANY, -MANY[MANY != 0], MANY + 0.5])
    hashes = hash_numbers(x)
    assert len(np.unique(hashes)) == len(x)
    assert (invert_hashes(hashes) == x).all()
    texts = ["", "\0", "\0\0", "a", "b", "ab", "ba", "a" * 8, "a" * 9, "é", "e", "\ud800"]
    texts += [f"{at:017d}" for at in range(50_000)]
    assert len(np.unique(hash_texts((*texts,)))) == len(texts)
    bits = np.unpackbits(hash_texts((*texts,)).view(np.uint8)).reshape(-1, 64)
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


def test_nothing_is_forgotten() -> None:
    with pytest.raises(ForgetError, match=r"Nothing was changed. Compute it again"):
        tally([1.0]) - tally([1.0, 2.0])


def test_the_hashes_are_those_of_every_process() -> None:
    code = (
        "import numpy as np; from tallylearn.tallies.value_hashes import *;"
        "print(hash_texts(('a', 'customer 17'))[1], hash_numbers(np.array([0.1]))[0])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["5770771899401523951", "17880386652949523069"]


def test_a_million_values_take_no_more_memory_than_is_said() -> None:
    column = np.arange(1_000_000.0)
    tracemalloc.start()
    try:
        seen = HashCounter()
        for at in range(0, len(column), 65_536):
            seen.add(column[at : at + 65_536])
        held, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 4.5e6  # 2^18 slots of 16 bytes
    assert most < 14e6  # while it drops hashes
    found = seen.tally()
    assert found.hashes.nbytes + found.counts.nbytes == 16 * MAX_HASHES
    assert found.most < MAX_HASH


def test_what_begins_from_the_greatest_hash_of_other_rows_adds_up_to_the_same() -> None:
    rng = np.random.default_rng(4)
    first, more = rng.normal(size=150_000), rng.normal(size=150_000)
    begun, again = Distinct.of(first), HashCounter(Distinct.of(first).most)
    again.add(more)
    assert len(again.tally().hashes) < 0.7 * len(more)  # it has kept fewer of them
    assert begun + again.tally() == again.tally() + begun == Distinct.of(np.append(first, more))
