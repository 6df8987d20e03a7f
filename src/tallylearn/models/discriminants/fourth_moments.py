"""Fourths: how the squared deviations of columns vary together, in every class and in all rows."""

from __future__ import annotations

import numpy as np

from tallylearn.errors import ColumnError
from tallylearn.tables import Array
from tallylearn.tallies import Products, Squares
from tallylearn.tallies.exact import ratio
from tallylearn.tallies.keys import Keys
from tallylearn.tallies.pairs import Names
from tallylearn.tallies.squares import merge_sums

HIGH, LOW = "²", "²′"  # a square is the sum of two doubles; no value of a column begins so


def squared_names(names: Names) -> Names:
    """The names of the squares: the high parts of all columns, then the low parts."""
    return tuple((name, mark + value) for mark in (HIGH, LOW) for name, value in names)


def strip_square_mark(value: str) -> str:
    """The value of a column in the name of its square; other values as they are."""
    return value.removeprefix(LOW).removeprefix(HIGH)


def fourths(tally: Squares | Products, keys: Keys, names: Names) -> Array:
    """(k + 1, p, p) the scatter of the squared deviations in every class, last in all rows."""
    try:
        if isinstance(tally, Products):
            found = _compute_exactly(tally, keys, names)
        else:
            found = _approximate_sums(tally, keys, names)
    except OverflowError:
        found = np.full((1, 1, 1), np.inf)
    if not np.isfinite(found).all():
        raise ColumnError(
            "numbers are so large that their fourth powers overflow a double. Divide the columns "
            "by a constant, or pass shrinkage a number from 0 to 1."
        )
    return found


def _approximate_sums(tally: Squares, keys: Keys, names: Names) -> Array:
    each = tally.reindex(keys, names).sums
    whole = merge_sums([tuple(part[c] for part in each) for c in range(len(keys))])
    return np.concatenate([each[-1], whole[-1][None]])


def _compute_exactly(tally: Products, keys: Keys, names: Names) -> Array:
    """From sums without rounding; n, s and the products are in one unit, and so are all terms."""
    p = len(names)
    tally = tally.reindex(keys, (*names, *squared_names(names)))
    parts = [part.to_integers() for part in (tally.count, tally.sums, tally.products)]
    unit = min(power for _, power in parts)
    count, sums, products = (numbers * (1 << (power - unit)) for numbers, power in parts)
    total = [np.concatenate([part, part.sum(axis=0)[None]]) for part in (count, sums, products)]
    out = []
    for n, s, xy in zip(*total, strict=True):
        s = np.diagonal(s)
        a, b = slice(p, 2 * p), slice(2 * p, None)
        xq = xy[:p, a] + xy[:p, b]
        qq = xy[a, a] + xy[a, b] + xy[b, a] + xy[b, b]
        out.append(
            _centre_sums(n[0, 0], s[:p], q=s[a] + s[b], xx=xy[:p, :p], xq=xq, qq=qq, unit=unit)
        )
    return np.stack(out)


def _centre_sums(n: int, s: Array, q: Array, xx: Array, xq: Array, qq: Array, unit: int) -> Array:
    """Sums of q_i q_j around their means, with q = (x - s/n)^2: in integers (n x - s)^2."""
    if n == 0:
        return np.zeros(qq.shape)
    s2 = s * s
    third = s[:, None] * xq
    raw = n**4 * qq - 2 * n**3 * (third + third.T) + 4 * n**2 * s[:, None] * s * xx
    raw = raw + n**2 * (s2[:, None] * q + q[:, None] * s2) - 3 * n * s2[:, None] * s2
    level = n * (n * q - s2)
    return ratio(n * raw - level[:, None] * level, n**5, unit)
