"""Votes: what every column moved the answer of a forest by, and which trees agree with it.

On its way down a tree a row passes from one share to the next: what an answer moves it by is given
to the column that was asked (A. Saabas, 2014). The mean of all roots and the sums of the columns
add up to the answer.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from tallylearn.models.forests.packed_trees import Trees
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import CATEGORY, Array, Block
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Grid, Sentence, Term
from tallylearn.workings.units import ValueFormatter, value_formatter

MAX_PATHS = 5  # paths of trees that agree


def evidence(forest: Trees, block: Block) -> list[Evidence]:
    """For every row the mean of the roots, and what each column added."""
    ends = forest.landed(block) + forest.roots
    shares = forest.shares(block)
    said = forest.settled(shares) if forest.classes else shares[:, 0]
    return [
        _of_row(forest, ends[i], shares[i], said[i], block, i) for i in range(len(block))
    ]  # fmt: skip


def _of_row(
    forest: Trees, ends: Array, shares: Array, said: Any, block: Block, row: int
) -> Evidence:
    start, moved, paths = _moves(forest, ends)
    names = [column.name for column in forest.columns]
    used = [j for j in range(len(names)) if moved[j].any()]
    told = value_formatter(block.schema, digits=4)
    values = {j: _value(block, forest.columns[j], row, told) for j in used}
    used.sort(key=lambda j: -float(np.abs(moved[j]).max()))

    def line(c: int, outcome: Any, share: float | None) -> EvidenceLine:
        terms = [Term("", "mean of the roots", float(start[c]))]
        terms += [Term(names[j], values[j], float(moved[j, c])) for j in used]
        return EvidenceLine(outcome, tuple(terms), share)

    order = ", ".join(f"{names[j]} = {values[j]}" for j in used) or "no column"
    moves = f"after the mean of the roots, in order: {order}"
    notes = (moves, *_notes(forest, ends, said, paths))
    if not forest.classes:
        return Evidence((line(0, "ŷ", None),), float(said), "sum", notes)
    lines = tuple(line(c, name, float(shares[c])) for c, name in enumerate(forest.classes))
    return Evidence(lines, forest.classes[int(said)], "votes", notes)


def _moves(forest: Trees, ends: Array) -> tuple[Array, Array, list[tuple[int, ...]]]:
    """The mean at the roots, (p, k) what each column moves it by, and the columns of every path."""
    k, t = forest.counted.shape[1], len(forest)
    moved = np.zeros((len(forest.columns), k))
    paths, places = [], forest.places
    for root, end in zip(forest.roots.tolist(), ends.tolist(), strict=True):
        path = forest.above(root, end)
        asked = [places[int(forest.steps[node, 0])] for node in path[:-1]]
        steps = np.diff(forest.counted[list(path)], axis=0)
        np.add.at(moved, asked, steps / t)
        paths.append(tuple(asked))
    return forest.counted[forest.roots].sum(axis=0) / t, moved, paths


def _notes(forest: Trees, ends: Array, said: Any, paths: list[tuple[int, ...]]) -> tuple[str, ...]:
    names = [column.name for column in forest.columns]
    trees = f"{len(forest)} trees" if len(forest) > 1 else "1 tree"
    if forest.classes:
        votes = forest.told[ends].argmax(axis=1)
        agree = np.flatnonzero(votes == int(said)).tolist()
        counts = Counter(votes.tolist())
        told = ", ".join(f"{forest.classes[c]} {n}" for c, n in sorted(counts.items()))
        first = f"votes of {trees}: {told}"
    else:
        answers, agree = forest.told[ends, 0], [*range(len(forest))]
        low, high = np.quantile(answers, [0.05, 0.95])
        first = f"{trees}, nine in ten answer from {format_number(low)} to {format_number(high)}"
    ways = Counter(", ".join(dict.fromkeys(names[j] for j in paths[t])) for t in agree)
    common = sorted(ways.items(), key=lambda one: (-one[1], one[0]))[:MAX_PATHS]
    return (first, *(f"{n} of them ask{'s' * (n == 1)}: {way or 'nothing'}" for way, n in common))


def _value(block: Block, column: Any, row: int, told: ValueFormatter) -> str:
    if column.kind == CATEGORY:
        codes = block.codes[column.name]
        code = int(codes.codes[row])
        return "missing" if code < 0 else str(codes.values[code])
    number = float(block.numbers[row, block.schema.places[column.name]])
    return "missing" if math.isnan(number) else told(column.name, number)


def proximity_of(ends: Array) -> Array:
    """(n, n) the share of trees in which two rows end at one node, from those nodes (n, t)."""
    out = np.zeros((len(ends), len(ends)))
    for tree in ends.T:
        out += tree[:, None] == tree
    return np.asarray(out / ends.shape[1])


def derivation(forest: Trees) -> Derivation:
    """The trees in numbers, and what the columns gained."""
    sizes = np.diff(np.append(forest.roots, len(forest.told)))
    mean = forest.gained.mean(axis=0)
    spread = forest.gained.std(axis=0)
    order = np.argsort(-mean, kind="stable").tolist()
    rows = tuple(
        (forest.columns[j].name, format_number(float(mean[j])), format_number(float(spread[j])))
        for j in order
    )
    header = ("column", "share of the gain", "± over trees")
    said = (
        f"{len(forest)} trees, {int(sizes.mean())} nodes each on average, "
        f"{int(sizes.min())} to {int(sizes.max())}."
    )
    return Derivation("Forest", (Grid("columns", header, rows), Sentence(said)))
