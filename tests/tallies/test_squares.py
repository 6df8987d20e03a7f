"""The squares of deviations keep the laws closely, wherever the numbers lie."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallylearn import errors
from tallylearn.models.discriminants.fourth_moments import fourths, squared_names
from tallylearn.tables import Codes
from tallylearn.tallies import Products, Squares
from tallylearn.tallies.squares import exact_squares

NAMES = (("u", ""), ("v", ""), ("w", "=x"))
Row = tuple[str, int, int, bool, float]
ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(-50, 50), st.sampled_from([0, 0, 7]),
              st.booleans(), st.sampled_from([1.0, 2.0, 0.5])),
    max_size=20,
)  # fmt: skip
OFFSET = st.sampled_from([0.0, 1e9])


def arguments(rows: list[Row], offset: float) -> tuple[Any, ...]:
    numbers = np.array([[u / 8 + offset, v, w] for _, u, v, w, _ in rows]).reshape(len(rows), 3)
    return numbers, Codes.of([row[0] for row in rows]), NAMES, np.array([row[4] for row in rows])


def squares(rows: list[Row], offset: float) -> Squares:
    return Squares.of(*arguments(rows, offset))


def slow(rows: list[Row], offset: float, key: str | None) -> Any:
    """The scatter of the squared deviations, in fractions."""
    mine = [row for row in rows if key in (None, row[0])]
    x = [[Fraction(u, 8) + Fraction(offset), Fraction(v), Fraction(w)] for _, u, v, w, _ in mine]
    n = [Fraction(row[4]) for row in mine]
    mean = [sum(w * row[j] for w, row in zip(n, x, strict=True)) / sum(n) for j in range(3)]
    q = [[(row[j] - mean[j]) ** 2 for j in range(3)] for row in x]
    level = [sum(w * row[j] for w, row in zip(n, q, strict=True)) / sum(n) for j in range(3)]
    return np.array([
        [float(sum(w * (row[i] - level[i]) * (row[j] - level[j])
                   for w, row in zip(n, q, strict=True))) for j in range(3)]
        for i in range(3)
    ])  # fmt: skip


def close(a: Any, b: Any, rows: list[Row], offset: float) -> bool:
    """As near as a mean is to its double: an error d of it moves (x - m)² by 2 d (x - m)."""
    d, far = 2 * np.finfo(float).eps * offset, 14.0
    return bool(np.allclose(a, b, rtol=1e-9, atol=1e-9 + 4 * d * far**3 * len(rows)))


@given(rows=ROWS, cut=st.integers(0, 20), offset=OFFSET)
def test_parts_sum_to_the_whole(rows: list[Row], cut: int, offset: float) -> None:
    both, whole = squares(rows[:cut], offset) + squares(rows[cut:], offset), squares(rows, offset)
    assert both.keys == whole.keys
    for one, other in zip(both.sums, whole.reindex(both.keys, both.names).sums, strict=True):
        assert close(one, other, rows, offset)


@given(rows=ROWS, offset=OFFSET)
def test_fourths_equal_fractions_in_every_class_and_in_all_rows(
    rows: list[Row], offset: float
) -> None:
    if not rows:
        return
    numbers, by, names, weight = arguments(rows, offset)
    marked = (*names, *squared_names(names))
    exact = Products.of(np.hstack([numbers, *exact_squares(numbers, names)]), by, marked, weight)
    keys = tuple(sorted(by.values))
    floats, integers = (fourths(tally, keys, names) for tally in (squares(rows, offset), exact))
    for at, key in enumerate((*keys, None)):
        expected = slow(rows, offset, key)
        assert close(floats[at], expected, rows, offset)
        assert np.allclose(integers[at], expected, rtol=1e-12, atol=1e-12)


@given(x=st.floats(-1e150, 1e150).filter(lambda x: x == 0 or abs(x) > 1e-120))
def test_a_square_is_kept_without_rounding(x: float) -> None:
    high, low = exact_squares(np.array([[x]]), NAMES[:1])
    assert Fraction(float(high[0, 0])) + Fraction(float(low[0, 0])) == Fraction(x) ** 2


def test_what_is_too_large_to_be_squared_names_its_column() -> None:
    wide = np.array([[1.0, 1e200, 0.0], [2.0, -1e200, 1.0]]), Codes.of(["a", "a"]), NAMES
    with pytest.raises(errors.ColumnError, match="'v' has numbers whose squares are too large"):
        Squares.of(*wide)
    with pytest.raises(errors.ColumnError, match="'v' has numbers whose squares are too large"):
        exact_squares(wide[0], NAMES)


def test_floats_refuse_to_forget() -> None:
    one, other = (squares([("a", 1, 0, True, 1.0)], 0.0) for _ in range(2))
    assert (one - one).nothing
    with pytest.raises(errors.ForgetError, match="exact=True"):
        _ = one - other
