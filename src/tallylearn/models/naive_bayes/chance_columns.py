"""Chance: a category of many values that foretells no row's class by the other rows says nothing.

Every value that few rows have agrees with their classes, by chance. So the column is judged as it
would be used: each row is left out of the counts that foretell its class, which come apart again
from the tally, a cell of it at a time. Noise makes the classes less probable than they are without
it, by many powers of e; what repeats itself, as the ticket of a family, makes them more probable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.models.design.informative_categories import STRONG
from tallylearn.models.design.rare_categories import most_values
from tallylearn.models.naive_bayes.class_priors import Priors
from tallylearn.models.naive_bayes.leave_one_out import Added, prior_of_others, value_of_others
from tallylearn.tables import Array, Codes
from tallylearn.tallies import Bundle, Counts


def categories(tally: Bundle) -> Mapping[str, Any]:
    """The counts of every column of categories."""
    found = tally.get("categories")
    return found.parts if found is not None else {}


def find_uninformative(tally: Bundle, priors: Priors, added: Added) -> tuple[str, ...]:
    """The categories that tell the class no better than chance."""
    rows, columns = tally["target"].weight, categories(tally)
    return tuple(name for name in columns if _by_chance(columns[name], rows, priors, added))


def silent_by_others(
    counts: Counts, priors: Priors, codes: Codes, own: Array, added: Added
) -> Array:
    """(n,) whether a column tells no better than chance by all other rows than this one.

    Values that as many rows of every class have are alike in this, and one of them speaks for all.
    """
    if len(counts.keys[1]) <= most_values(len(own) - 1):
        return np.zeros(len(own), dtype=bool)
    told = np.column_stack([own, _rows_of_values(counts, priors, codes)])
    _, first, inside = np.unique(told, axis=0, return_index=True, return_inverse=True)
    found = []
    for c, v in np.column_stack([own, codes.codes])[first].astype(np.int32):
        row = Codes(priors.classes, c[None]), Codes(codes.values, v[None])
        others = replace(priors, count=priors.count - (np.arange(len(priors.count)) == c))
        others = others if priors.counted else priors
        found.append(_by_chance(counts - Counts.of(*row), len(own) - 1, others, added))
    return np.array(found)[inside.ravel()]


def _rows_of_values(counts: Counts, priors: Priors, codes: Codes) -> Array:
    """(n, k + 1) how many rows of every class have a row's value, and whether it is declared."""
    values = counts.keys[1]
    at = codes.recode(tuple(map(str, values)))
    known = np.flatnonzero((at >= 0) & (at < len(values)))
    out = np.full((len(codes), len(priors.classes) + 1), -1.0)
    out[known, :-1] = counts.reindex(priors.classes, values).floats()[:, at[known]].T
    declared = {*counts.declared[1]}
    out[known, -1] = np.array([value in declared for value in values])[at[known]]
    return out


def _by_chance(counts: Counts, rows: float, priors: Priors, added: Added) -> bool:
    """Whether no two rows share a value, or those that do speak strongly against the column."""
    if len(counts.keys[1]) <= most_values(rows):
        return False
    shared = bool((counts.table.sum(-2).floats() > 1).any())
    return not shared or foretold(counts, priors, added) < -STRONG


def foretold(counts: Counts, priors: Priors, added: Added) -> float:
    """How much more probable, in nats, a column makes the classes of the rows that share a value.

    Each row is foretold by all others: by the prior alone, and with what they say about its value.
    Of a value that no other row has, they say nothing.
    """
    values = tuple(map(str, counts.keys[1]))
    count = counts.reindex(priors.classes, counts.keys[1]).floats()
    own, at = np.nonzero(count * (count.sum(axis=0) > 1))  # a row for every cell of the table
    prior = np.broadcast_to(prior_of_others(priors, own), (len(own), len(count)))
    codes = Codes(values, at.astype(np.int32))
    factors = value_of_others(counts, priors.classes, codes, own, added)
    mine = np.arange(len(count)) == own[:, None]
    gain = _log_share(prior + factors, mine) - _log_share(prior, mine)
    return float((count[own, at] * gain)[np.isfinite(prior[mine])].sum())


def _log_share(scores: Array, mine: Array) -> Array:
    """(n,) the logarithm of the share that the row's own class has."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = scores[mine] - np.logaddexp.reduce(scores, axis=1)
    return np.where(np.isnan(share), 0.0, share)
