"""Soundness: is what a file calls a forest one? Kernels walk it without looking."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.models.trees.routing import ANY
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array


def check_walkable(forest: Any) -> None:
    """Every step leads on to a later node of its tree, or ends where it is."""
    roots, m = forest.roots, len(forest.steps)
    if not len(roots) or roots[0] != 0 or (np.diff(roots) <= 0).any() or roots[-1] >= m:
        raise ValueError("the trees of the forest do not follow each other")
    at, ends = np.arange(m, dtype=np.int32), np.append(roots[1:], m)
    end = np.repeat(ends.astype(np.int32), ends - roots)
    column, first, second, gap = forest.steps.T
    named = sum(one.kind == CATEGORY for one in forest.columns)
    numbers = sum(one.kind in (NUMBER, DATE) for one in forest.columns)
    lone = not numbers and not named  # trees of one node, which look at what is always missing
    if (column >= numbers).any() or (column < -max(named, lone)).any() or (lone and m > len(roots)):
        raise ValueError("a node of the forest asks no column")
    number = column >= 0
    for to, steps in ((first, number), (second, number), (gap, True)):
        if (((to < at) | (to >= end)) & steps).any():
            raise ValueError("a step of the forest leads to no later node of its tree")
    if np.isnan(forest.threshold[number & (first != at)]).any():
        raise ValueError("a node of the forest has no threshold")
    _check_leads(forest, np.flatnonzero(~number), end)


def _check_leads(forest: Any, at: Array, end: Array) -> None:
    """The categories of a node are sorted, and lead on within its tree."""
    first, last = forest.steps[at, 1].astype(np.int64), forest.steps[at, 2].astype(np.int64)
    whole = forest.leads.shape[1]
    if (first < 0).any() or (last < first).any() or (last > whole).any():
        raise ValueError("the categories of a node of the forest are not there")
    lengths = last - first
    if int(lengths.sum()) > whole:
        raise ValueError("nodes of the forest share their categories")
    owner = np.repeat(np.arange(len(at)), lengths)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    codes, leads = forest.leads[:, first[owner] + place]
    if (leads <= at[owner]).any() or (leads >= end[at][owner]).any():
        raise ValueError("a category of the forest leads to no later node of its tree")
    inside = owner[1:] == owner[:-1]
    if (codes < 0).any() or (codes > ANY).any() or (inside & (np.diff(codes) <= 0)).any():
        raise ValueError("the categories of a node of the forest are out of order")
