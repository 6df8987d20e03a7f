"""Centred sums: counts, means and products of columns around a centre, for a scatter."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tallylearn.kernels import centring
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import Array

FEWEST, ROWS = 1024, 4096  # centred and multiplied together
CELLS = 1 << 21  # of them: they stay in the processor's cache
CENTRE_ROWS = 64  # rows that give a centre
ONCE = np.zeros(0)  # weights, where every row counts once


def whole(
    numbers: Array, beside: Array, rows: Array, weight: Array | None
) -> tuple[Array, Array, Array, Array]:
    """Count (1, 1), mean (p, 1), scatter (p, p) and the mean's low digits; of rows without gaps.

    The first rows give a centre to subtract before products are summed: their own distance from the
    mean is part of the scatter, so that what is taken off at the end cannot cancel it.
    """
    q, p = numbers.shape[1], numbers.shape[1] + beside.shape[1]
    root = ONCE if weight is None else np.sqrt(weight[rows])
    centre = np.empty(p)
    for part, out in ((numbers, centre[:q]), (beside, centre[q:])):
        _centre(part, rows, weight, out)
    step = max(FEWEST, min(ROWS, CELLS // (p + 1)))
    work = np.empty((min(step, len(rows)), p + 1))

    def parts() -> Iterator[Array]:
        for at in range(0, len(rows), step):
            here = rows[at : at + step]
            part = work[: len(here)]
            centring.centred(numbers, beside, here, centre, root[at : at + step], part)
            yield part

    sums = _products(parts())
    n = float(sums[p, p]) if weight is None else float(weight[rows].sum())
    mean, scatter = np.empty((2, p)), np.empty((p, p))
    centring.settled(sums, centre, n, mean, scatter)
    return np.full((1, 1), n), mean[0, :, None], scatter, mean[1, :, None]


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """a + b as a double, and what it lacks of it (D. E. Knuth, 1969)."""
    total = a + b
    rounded = total - a
    return total, (a - (total - rounded)) + (b - rounded)


def _products(parts: Iterator[Array]) -> Array:
    """(p, p) the sums of products, by NumPy: it adds up one half, and leaves the interpreter free.

    SciPy's BLAS would add where the sums are, and hold the interpreter: threads would wait.
    """
    first = next(parts)
    sums = np.asarray(first.T @ first)
    more = np.empty_like(sums)
    for part in parts:
        check_halted()  # of a broad table a product takes a fifth of a second
        sums += np.matmul(part.T, part, out=more)
    return sums


def mean_around(base: Array, x: Array, share: Array | None = None) -> Array:
    """(p,) the mean of rows, or of shares of them; of rows that equal ``base`` it is that."""
    away = x - base
    return np.asarray(base + (away.sum(axis=0) / len(x) if share is None else share @ away))


def _centre(numbers: Array, rows: Array, weight: Array | None, out: Array) -> None:
    """Write a number near the mean of every column to out."""
    if weight is None:
        centring.means(numbers.take(rows[:CENTRE_ROWS], axis=0), 0, out)
    else:
        some, share = numbers[rows], weight[rows] / weight[rows].sum()
        out[:] = mean_around(some[0], some, share)


def with_gaps(x: Array, weight: Array | None) -> tuple[Array, Array, Array, Array]:
    """The same (p, p) for every pair of columns, over the rows that show both."""
    root = np.ones((len(x), 1)) if weight is None else np.sqrt(weight)[:, None]
    shown = ~np.isnan(x)
    n = (shown * root**2).sum(axis=0)
    base = np.where(n == 0, 0.0, x[shown.argmax(axis=0), np.arange(x.shape[1])])
    away = np.where(shown, (x - base) * root**2, 0.0).sum(axis=0)
    centre = base + away / np.where(n == 0, 1, n)  # of a constant exactly that
    there = shown * root
    d = np.where(shown, x - centre, 0.0) * root
    count = there.T @ there
    each = np.where(count == 0, 1, count)
    left = d.T @ there / each
    mean, low = (np.where(count == 0, 0.0, part) for part in two_sum(centre[:, None], left))
    return count, mean, d.T @ d - left * left.T * each, low
