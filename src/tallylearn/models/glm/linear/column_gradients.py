"""Slopes: the products of columns and residuals, taken anew only where they may matter.

From residuals r to later ones s the product of a column x moves little: for any share c,
|xᵀs| <= c |xᵀr| + |x| |s - c r|. A column that this keeps below a level need not be looked at, and
along a path of penalties most columns are looked at once in a while instead of every time. (Rules
that screen columns by a sphere are of this kind: El Ghaoui et al., 2012; Fercoq et al., 2015.)
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tallylearn import engines
from tallylearn.kernels import coordinate_descent
from tallylearn.tables import Array

ROUNDING = float(np.finfo(np.float64).eps)  # a row: what a sum of products may be wrong by
KEPT = 64  # residuals: beyond, those that no column refers to are let go
SHARE = 1 << 20  # products of numbers that are worth a thread


class Slopes:
    """The slope of every column as it was when the column was last looked at."""

    def __init__(self, x: Array, length: Array, rest: Array) -> None:
        self.x, self.length = x, length  # (p, n) and (p,)
        self.known = np.zeros(len(x))  # (p,)
        self._whose = np.zeros(len(x), dtype=np.int64)  # (p,) which residuals it is the slope of
        self._seen = [rest.copy()]
        self._look(np.arange(len(x)))

    def look(self, rest: Array, level: float, some: Array) -> Array:
        """Which columns may have a slope of this level or more, and ``some``: known anew."""
        due = self._most(rest) >= level
        due[some] = True
        found = np.flatnonzero(due)
        if not np.array_equal(rest, self._seen[-1]):
            self._tidy()
            self._seen.append(rest.copy())
        self._look(found[self._whose[found] != len(self._seen) - 1])
        return found

    def _most(self, rest: Array) -> Array:
        """(p,) no slope is larger."""
        seen = np.array(self._seen)
        share = seen @ rest / np.maximum(np.einsum("kn,kn->k", seen, seen), 1e-300)
        off = rest - share[:, None] * seen
        wrong = ROUNDING * len(rest) * np.sqrt(rest @ rest)
        apart = np.sqrt(np.einsum("kn,kn->k", off, off)) + wrong
        at = self._whose
        return np.asarray(np.abs(share[at] * self.known) + self.length * apart[at])

    def _look(self, some: Array) -> None:
        """The last residuals' slopes, each column by itself: the same on any number of threads."""
        rest, n = self._seen[-1], max(1, self.x.shape[1])
        step = max(1, SHARE // n)
        parts = [some[at : at + step] for at in range(0, len(some), step)]
        engines.map_threads(partial(self._products, rest), parts)
        self._whose[some] = len(self._seen) - 1

    def _products(self, rest: Array, some: Array) -> None:
        coordinate_descent.products(self.x, some, rest, self.known)

    def _tidy(self) -> None:
        if len(self._seen) < KEPT:
            return
        used, self._whose = np.unique(self._whose, return_inverse=True)
        self._seen = [self._seen[at] for at in used]
