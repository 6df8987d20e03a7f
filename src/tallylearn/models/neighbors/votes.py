"""Votes: what each neighbour counts, all alike or the more the nearer it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tallylearn.errors import InputError, short_repr
from tallylearn.tables import Array
from tallylearn.tallies import Nearest

Weigh = Callable[[Array], Any]
MAX_DISTANCE = 1e300  # beyond, 1 / d or 1 / d² is not within a double, or loses digits


def votes(found: Nearest, weights: str, weigh: Weigh | None) -> Array:
    """(m,) the weight of every neighbour."""
    if weigh is not None:
        return _call_weights(found, weigh)
    if weights == "uniform":
        return np.ones(len(found.rows))
    matches = np.zeros(len(found), dtype=bool)
    matches[found.queries[found.distances == 0]] = True
    alone = matches[found.queries]  # an exact match decides alone
    nearest = np.repeat(found.distances[found.ends[:-1]], found.counts)
    share = np.where(alone, 1.0, nearest) / np.where(alone, 1.0, found.distances)
    power = 1 if weights == "distance" else 2
    with np.errstate(over="ignore"):
        scale = np.where(alone, 1.0, nearest) ** power
    # outside this range a vote is a share of the nearest one's
    held = (scale > 1 / MAX_DISTANCE) & (scale < MAX_DISTANCE)
    whole = share**power / np.where(held, scale, 1.0)  # alike for all of a row
    return np.where(alone, (found.distances == 0).astype(np.float64), whole)


def _call_weights(found: Nearest, weigh: Weigh) -> Array:
    """What a function makes of the distances: of all in one array, or query by query."""
    counts = found.counts
    if (counts == counts[0]).all():
        return _check_weights(found.distances.reshape(len(found), -1), weigh).ravel()
    parts = [found.distances[found.of_query(i)][None, :] for i in range(len(found))]
    return np.concatenate([_check_weights(part, weigh).ravel() for part in parts])


def _check_weights(distances: Array, weigh: Weigh) -> Array:
    shape = distances.shape
    try:
        given = weigh(distances)
    except Exception as error:
        raise InputError(
            f"the function weights= failed on distances of shape {shape}: {type(error).__name__}: "
            f"{error}. Correct it, or use weights='distance'."
        ) from error
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        found = np.full(0, np.nan)
    if found.shape != shape:
        raise InputError(
            f"the function weights= got distances of shape {shape}, and must return an array of "
            f"numbers of that shape. It returned {short_repr(given, 60)}."
        )
    if not np.isfinite(found).all() or (found < 0).any() or (found.sum(axis=1) == 0).any():
        odd = found[~(np.isfinite(found) & (found >= 0))]
        said = f"returned {odd[0]:g}" if len(odd) else "returned only zeros for a row"
        remedy = "Return weights that are finite and not negative."
        if not len(odd):
            remedy += (
                " All neighbors of some sample is getting zero weights. Please modify 'weights' to "
                "avoid this case if you are using a user-defined function."
            )
        raise InputError(f"the function weights= {said}. {remedy}")
    return found
