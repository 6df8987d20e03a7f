"""Seeding: where centres start.

k-means++ draws each centre among the rows, far ones sooner: by the squared distance to the nearest
centre that there is. Of a few draws the one is taken that leaves the least inertia.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np

from tallylearn.errors import InputError, OptionError, call_user_function, quoted_list, short_repr
from tallylearn.models.clustering.coded_rows import Coding
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array

Draw = Callable[[Array, Array, int, np.random.Generator], Array]


def plus_plus(x: Array, weight: Array, k: int, rng: np.random.Generator) -> Array:
    """(k, p) centres by k-means++.

    D. Arthur and S. Vassilvitskii, k-means++: the advantages of careful seeding, SODA 2007.
    """
    chosen = [int(rng.choice(len(x), p=weight / weight.sum()))]
    n_trials = 2 + int(log(k))
    work = np.empty(x.shape)  # allocated once: new pages cost more than the distances
    nearest, cumulated = np.empty(len(x)), np.empty(len(x))
    candidates = np.empty((n_trials, len(x)))
    _write_squares(x, x[chosen[0]], work, nearest)
    for _ in range(1, k):
        np.cumsum(np.multiply(weight, nearest, out=cumulated), out=cumulated)
        drawn = np.searchsorted(cumulated, rng.random(n_trials) * cumulated[-1], side="right")
        drawn = np.minimum(drawn, len(x) - 1)
        for row, squares in zip(drawn, candidates, strict=True):
            _write_squares(x, x[row], work, squares)
            np.minimum(nearest, squares, out=squares)
        with one_thread():
            best = int(np.argmin(candidates @ weight))
        chosen.append(int(drawn[best]))
        nearest[:] = candidates[best]
    return np.array(x[chosen])


def at_random(x: Array, weight: Array, k: int, rng: np.random.Generator) -> Array:
    """(k, p) different rows, each as probable as it is frequent."""
    share = weight / weight.sum()
    return np.array(x[rng.choice(len(x), k, replace=False, p=share)])


def by_function(init: Any, coding: Coding) -> Draw:
    """Centres by a function of a user's: of rows as the table has them, k and random numbers."""

    def draw(x: Array, weight: Array, k: int, rng: np.random.Generator) -> Array:
        seeded = np.random.RandomState(rng.integers(1 << 32, dtype=np.uint32))
        return read_centres(
            call_user_function("init", init, coding.unscale_points(x), k, random_state=seeded),
            k,
            coding,
        )

    return draw


def read_centres(init: Any, k: int, coding: Coding) -> Array:
    """(k, p) centres that a user gives."""
    try:
        found = np.array(init, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (k, coding.width) or not np.isfinite(found).all():
        many = found.shape[:1] != (k,)
        wrong = f"clusters {k}" if many else f"features of the data {coding.width}"
        shaped = f" The shape of the initial centers {found.shape} does not match the number of "
        raise OptionError(
            f"init is 'k-means++', 'random', or {k} rows of {coding.width} finite numbers, one for "
            f"each of {quoted_list(coding.names, 6)}; not {short_repr(init)}."
            + (shaped + wrong + "." if found.ndim == 2 and found.shape != (k, coding.width) else "")
        )
    return coding.scale_points(found)


def check_different(rows: int, k: int) -> None:
    """There are as many different rows as clusters."""
    if rows < k:
        seen = f"the table has {rows} distinct row{'s' * (rows != 1)}"
        raise InputError(
            f"{seen}, fewer than n_clusters={k}. Use n_clusters={rows} or fewer. n_samples={rows} "
            f"should be >= n_clusters={k}."
        )


def _write_squares(x: Array, centre: Array, work: Array, out: Array) -> None:
    """Write the squared distances (n,) of rows (n, p) to a centre; ``work`` is (n, p)."""
    np.subtract(x, centre, out=work)
    np.einsum("ij,ij->i", work, work, out=out)


METHODS: dict[Any, Draw] = {"k-means++": plus_plus, "random": at_random}
