"""Votes: what every column moved the answer of a forest by, and which trees agree with it.

On its way down a tree a row passes from one share to the next: what an answer moves it by is given
to the column that was asked (A. Saabas, 2014). The mean of all roots and the sums of the columns
add up to the answer.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain, pairwise
from typing import Any

import numpy as np

from tallylearn.models.forests.packed_trees import Trees
from tallylearn.models.trees.shapley import value_text
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import Array, Block
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Grid, Sentence, Term
from tallylearn.workings.derivations import MAX_TABLE_ROWS
from tallylearn.workings.equations import number
from tallylearn.workings.split_steps import MAX_SHOWN_VALUES
from tallylearn.workings.units import ValueFormatter, value_formatter

MAX_PATHS = 5  # paths of trees that agree


def evidence(forest: Trees, block: Block) -> list[Evidence]:
    """For every row the mean of the roots, and what each column added."""
    ends = forest.end_nodes(block) + forest.roots
    shares = forest.shares(block)
    said = forest.decide(shares) if forest.classes else shares[:, 0]
    return [
        _explain_row(forest, ends[i], shares[i], said=said[i], block=block, row=i)
        for i in range(len(block))
    ]


def _explain_row(
    forest: Trees, ends: Array, shares: Array, said: Any, block: Block, row: int
) -> Evidence:
    start, moved, paths = _moves(forest, ends)
    names = [column.name for column in forest.columns]
    used = [j for j in range(len(names)) if moved[j].any()]
    told = value_formatter(block.schema, digits=4)
    values = {j: value_text(block, forest.columns[j], row, told) for j in used}
    used.sort(key=lambda j: -float(np.abs(moved[j]).max()))

    def line(c: int, outcome: Any, share: float | None) -> EvidenceLine:
        terms = [Term("", "mean of the roots", float(start[c]))]
        terms += [Term(names[j], values[j], float(moved[j, c])) for j in used]
        return EvidenceLine(outcome, tuple(terms), share)

    every = {j: value_text(block, forest.columns[j], row, told) for j in {*chain(*paths)}}
    notes = (
        *_notes(forest, ends, said, paths),
        *_disagreement(forest, ends, said, every, told),
    )
    if not forest.classes:
        found = (line(0, "ŷ", None),)
        return Evidence(found, float(said), "sum", notes, (_moves_table(found),))
    lines = tuple(line(c, name, float(shares[c])) for c, name in enumerate(forest.classes))
    chosen = forest.classes[int(said)]
    return Evidence(lines, chosen, "votes", notes, (_moves_table(lines),))


def _moves_table(lines: tuple[EvidenceLine, ...]) -> Grid:
    """What every column adds to the mean of the roots, for the outcomes of the largest shares."""
    order = sorted(range(len(lines)), key=lambda at: -(lines[at].share or 0.0))
    shown = [lines[at] for at in sorted(order[:MAX_SHOWN_VALUES])]
    labels = [term.label or term.value for term in lines[0].terms]
    cells = zip(labels, *([term.amount for term in one.terms] for one in shown), strict=True)
    rows = [(label, *map(number, amounts)) for label, *amounts in cells]
    if len(rows) >= MAX_TABLE_ROWS:  # the columns come in the order of what they add
        rest = [math.fsum(term.amount for term in one.terms[MAX_TABLE_ROWS - 2 :]) for one in shown]
        rows = [*rows[: MAX_TABLE_ROWS - 2], ("the other columns", *map(number, rest))]
    total = ("total", *(number(one.total) for one in shown))
    title = "mean over the trees: at their roots, and what the splits on each column add"
    return Grid(title, ("", *(str(one.outcome) for one in shown)), (*rows, total))


def _disagreement(
    forest: Trees, ends: Array, said: Any, values: dict[int, str], told: ValueFormatter
) -> tuple[str, ...]:
    """Two trees that disagree: of classes the first of each side, of numbers the extremes."""
    if forest.classes:
        votes = forest.node_values[ends].argmax(axis=1)
        others = Counter(votes[votes != int(said)].tolist())
        if not others or not (votes == int(said)).any():
            return ()
        other = min(others, key=lambda c: (-others[c], c))
        pair = [int(np.flatnonzero(votes == c)[0]) for c in (int(said), other)]
    else:
        answers = forest.node_values[ends, 0]
        pair = [int(answers.argmin()), int(answers.argmax())]
        if answers[pair[0]] == answers[pair[1]]:
            return ()
    return tuple(_vote_text(forest, t, int(ends[t]), values, told) for t in pair)


def _vote_text(
    forest: Trees, tree: int, end: int, values: dict[int, str], told: ValueFormatter
) -> str:
    """The path of a row in one tree, and what the tree says."""
    path = forest.path_to(int(forest.roots[tree]), end)
    last: dict[tuple[str, str], str] = {}
    for at, after in pairwise(path):
        place, first, second, _ = forest.steps[at].tolist()
        j = forest.places[place]
        name, sign, value = forest.columns[j].name, "=", values[j]
        if place >= 0 and value != "missing" and after in (first, second):
            sign, value = "<=" if after == first else ">", told(name, float(forest.threshold[at]))
        last[name, sign] = f"{name} {sign} {value}"
    condition = " and ".join(last.values()) or "no split"
    shares = forest.node_values[end]
    if not forest.classes:
        return f"tree {tree}: {condition}, so {format_number(float(shares[0]))}"
    c = int(shares.argmax())
    return f"tree {tree}: {condition}, so {forest.classes[c]} (share {format_number(shares[c])})"


def _moves(forest: Trees, ends: Array) -> tuple[Array, Array, list[tuple[int, ...]]]:
    """The mean at the roots, (p, k) what each column moves it by, and the columns of every path."""
    k, t = forest.vote_contributions.shape[1], len(forest)
    moved = np.zeros((len(forest.columns), k))
    paths, places = [], forest.places
    for root, end in zip(forest.roots.tolist(), ends.tolist(), strict=True):
        path = forest.path_to(root, end)
        asked = [places[int(forest.steps[node, 0])] for node in path[:-1]]
        steps = np.diff(forest.vote_contributions[list(path)], axis=0)
        np.add.at(moved, asked, steps / t)
        paths.append(tuple(asked))
    return forest.vote_contributions[forest.roots].sum(axis=0) / t, moved, paths


def _notes(forest: Trees, ends: Array, said: Any, paths: list[tuple[int, ...]]) -> tuple[str, ...]:
    names = [column.name for column in forest.columns]
    trees = f"{len(forest)} trees" if len(forest) > 1 else "1 tree"
    if forest.classes:
        votes = forest.node_values[ends].argmax(axis=1)
        agree = np.flatnonzero(votes == int(said)).tolist()
        counts = Counter(votes.tolist())
        told = ", ".join(f"{forest.classes[c]} {n}" for c, n in sorted(counts.items()))
        first = f"votes of {trees}: {told}"
    else:
        answers, agree = forest.node_values[ends, 0], [*range(len(forest))]
        low, high = np.quantile(answers, [0.05, 0.95])
        first = f"{trees}, nine in ten answer from {format_number(low)} to {format_number(high)}"
    ways = Counter(", ".join(dict.fromkeys(names[j] for j in paths[t])) for t in agree)
    common = sorted(ways.items(), key=lambda one: (-one[1], one[0]))[:MAX_PATHS]
    who = f"the {len(agree)} trees"
    if forest.classes:
        who = f"the {len(agree)} trees for {forest.classes[int(said)]}"
    return (first, *(_ways_text(n, way, who if len(agree) > 1 else "") for way, n in common))


def _ways_text(n: int, way: str, who: str) -> str:
    """How many trees look at which columns on the path of a row."""
    subject = f"{n} of {who}" if who else "the tree"
    if not way:
        return f"{subject} {'has' if n == 1 else 'have'} no split"
    return f"{subject} {'splits' if n == 1 else 'split'} by {way}"


def proximity_of(ends: Array) -> Array:
    """(n, n) the share of trees in which two rows end at one node, from those nodes (n, t)."""
    out = np.zeros((len(ends), len(ends)))
    for tree in ends.T:
        out += tree[:, None] == tree
    return np.asarray(out / ends.shape[1])


def derivation(forest: Trees) -> Derivation:
    """The trees in numbers, and what the columns gained."""
    sizes = np.diff(np.append(forest.roots, len(forest.node_values)))
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
