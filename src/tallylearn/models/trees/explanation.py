"""Explanations: the path to a prediction, and the splits of a tree with their gains."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from tallylearn.models.trees.least_loss import UNDEFINED
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.nodes import Nodes
from tallylearn.models.trees.wording import branch_text, branch_value, format_count, path_text
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import FREQUENCY, Array
from tallylearn.workings import (
    Derivation,
    Evidence,
    EvidenceLine,
    Formula,
    Grid,
    Sentence,
    Term,
)
from tallylearn.workings.derivations import MAX_TABLE_ROWS
from tallylearn.workings.equations import formula, number, signed_sum
from tallylearn.workings.split_steps import MAX_SHOWN_VALUES

MAX_SPLITS = 1000  # rows of the table of splits
MAX_PATH_ROWS = 30  # nodes of a path that a table shows
MAX_LABEL = 60  # characters of a branch in a table


@dataclass(frozen=True)
class Tie:
    """A node where several splits were equally good."""

    node: int
    candidates: tuple[tuple[str, float], ...]  # column and threshold (NaN: categories)
    chosen: str  # the column of the split that was taken
    tree: Nodes = field(repr=False, compare=False)

    @property
    def path(self) -> str:
        """The path to the node; made on demand, as a deep tree has long paths."""
        return path_text(self.tree, self.node)


def ties(tree: Nodes) -> tuple[Tie, ...]:
    """All ties, from the root down."""
    found = np.flatnonzero(np.diff(tree.tie_ends, prepend=0))
    return tuple(
        Tie(i, tree.ties(i), tree.columns[tree.column[i]].name, tree) for i in found.tolist()
    )


def of_end(tree: Nodes, node: int, missing: Collection[str] = ()) -> Evidence:
    """What each branch on the path to a node adds: factors of the shares, or steps of means.

    ``missing`` names the columns that the row has no value of.
    """
    notes, said = (
        (*_notes(tree, node), *_missing_value_notes(tree, node, missing)),
        tree.prediction_of(node),
    )
    if tree.classes:
        notes = (*notes, *_tie_note(tree, said))
        return Evidence(_shares(tree, node), said, "product", notes, (_counts_on_path(tree, node),))
    line = _means(tree, node)
    return Evidence((line,), said, "sum", notes, tuple(_means_on_path(tree, node, line)))


def rule_text(tree: Nodes, node: int) -> str:
    """The path to a node as a rule, with the training rows behind it."""
    said, rows = tree.prediction_of(node), format_count(float(tree.n[node]))
    condition = condition_text(tree, node) or "all rows"
    unit = "training rows" if tree.weight_kind == FREQUENCY else "the weight of the training rows"
    if not tree.classes:
        unit = "training row" if rows == "1" else unit
        of = f"of {rows} {unit}" if tree.weight_kind == FREQUENCY else f"of weight {rows}"
        return f"{condition}, so {format_number(said)} (the {tree.answers_with} {of})"
    if said not in tree.classes:
        return f"{condition}, so {said}"
    here = format_count(float(tree.counts[node, tree.classes.index(said)]))
    return f"{condition}, so {said} ({here} of {rows} {unit})"


def _counts_on_path(tree: Nodes, node: int) -> Grid:
    """The counts of the classes after every split on the path, and the shares at its end."""
    order = np.argsort(-tree.node_values[node], kind="stable")[:MAX_SHOWN_VALUES]
    shown = sorted(order.tolist())
    rows = [
        (label, *(format_count(float(tree.counts[i, c])) for c in shown), format_count(tree.n[i]))
        for label, i in _path_labels(tree, node)
    ]
    shares = ("share", *(f"{100 * float(tree.node_values[node, c]):.1f} %" for c in shown), "")
    names = tuple(str(tree.classes[c]) for c in shown)
    left = len(tree.classes) - len(shown)
    note = f"and {left} more classes" if left else ""
    return Grid("training rows on the path", ("", *names, "rows"), (*rows, shares), note)


def _means_on_path(tree: Nodes, node: int, line: EvidenceLine) -> Iterable[Grid | Formula]:
    """The mean after every split on the path, and how the changes add up."""
    labels = _path_labels(tree, node)
    means = [float(tree.answer[i]) for _, i in labels]
    changes = ["", *(format_number(after - before) for before, after in itertools.pairwise(means))]
    rows = tuple(
        (label, format_count(float(tree.n[i])), format_number(mean), change)
        for (label, i), mean, change in zip(labels, means, changes, strict=True)
    )
    header = ("", "rows", tree.answers_with, "change")
    yield Grid("training rows on the path", header, rows)
    amounts = [number(term.amount) for term in line.terms]
    if 1 < len(amounts) <= MAX_SHOWN_VALUES:
        yield formula(f"ŷ = {signed_sum(amounts)} = {number(line.total)}")


def _path_labels(tree: Nodes, node: int) -> list[tuple[str, int]]:
    """The nodes of a path and what leads to them; of a long path the root and the last nodes."""
    path = tree.above(node)
    if len(path) > MAX_PATH_ROWS:
        path = (0, *path[1 - MAX_PATH_ROWS :])
    texts = ["all rows", *(branch_text(tree, tree.branch(i)) for i in path[1:])]
    cut = [t if len(t) <= MAX_LABEL else f"{t[: MAX_LABEL - 1]}…" for t in texts]
    return [*zip(cut, path, strict=True)]


def _missing_value_notes(tree: Nodes, node: int, missing: Collection[str]) -> tuple[str, ...]:
    """The columns on the path whose value is missing in the row."""
    if not missing:
        return ()
    branches = [tree.branch(i) for i in tree.above(node)[1:]]
    names = dict.fromkeys(
        branch.column
        for branch in branches
        if branch.column in missing and branch.relation not in ("missing", "present")
    )
    return tuple(f"{name} is missing, and follows the branches named in the path" for name in names)


def _notes(tree: Nodes, node: int) -> tuple[str, ...]:
    """The path, and why it ends before a leaf where it does."""
    path = rule_text(tree, node)
    if tree.test[node] == LEAF:
        return (path,)
    name = tree.columns[tree.column[node]].name
    return (path, f"ends there: {name} is missing, or has a value that no training row had there")


def _shares(tree: Nodes, node: int) -> tuple[EvidenceLine, ...]:
    path = tree.above(node)
    return tuple(_line(tree, path, c) for c in range(len(tree.classes)))


def _line(tree: Nodes, path: tuple[int, ...], c: int) -> EvidenceLine:
    """The share of a class at the root, times the factor by which each branch changes it."""
    shares = [Fraction(tree.counts[i, c]) / (Fraction(tree.n[i]) or 1) for i in path]
    terms = [Term("", "", _log(shares[0]), Fraction(tree.counts[0, c]), Fraction(tree.n[0]))]
    for before, share, node in zip(shares, shares[1:], path[1:], strict=False):
        if before == 0:
            terms.append(_term(tree, node, 0.0, note="the share is 0 already"))
            continue
        ratio = share / before
        above, below = Fraction(ratio.numerator), Fraction(ratio.denominator)
        terms.append(_term(tree, node, _log(ratio), above=above, below=below))
    return EvidenceLine(tree.classes[c], tuple(terms), float(shares[-1]))


def _log(share: Fraction) -> float:
    return math.log(share.numerator) - math.log(share.denominator) if share else -math.inf


def _means(tree: Nodes, node: int) -> EvidenceLine:
    path = tree.above(node)
    terms = [Term("", f"{tree.answers_with} of all", float(tree.answer[0]))]
    for before, after in itertools.pairwise(path):
        terms.append(_term(tree, after, float(tree.answer[after] - tree.answer[before])))
    return EvidenceLine("ŷ", tuple(terms))


def _term(tree: Nodes, node: int, amount: float, **rest: Any) -> Term:
    """What the branch that leads to a node adds."""
    branch = tree.branch(node)
    value = branch_value(tree, branch)
    if branch.relation == "in":
        return Term(branch.column, f"{{{value}}}", amount, sign="in", **rest)
    sign = "=" if branch.relation == "=" else ""
    return Term(branch.column, value, amount, sign=sign, **rest)


def of_parts(
    tree: Nodes, parts: Iterable[tuple[Array, Array, Array]], shares: Array, answers: Array
) -> list[Evidence]:
    """Rows with missing values go down several branches: each leaf by its share of the row."""
    ends: list[list[tuple[float, int]]] = [[] for _ in range(len(shares))]
    for each in parts:
        for row, part, node in zip(*(array.tolist() for array in each), strict=True):
            ends[row].append((part, node))
    return [
        of_end(tree, found[0][1])
        if len(found) == 1
        else _evidence_of_parts(tree, found, told, answer)
        for found, told, answer in zip(ends, shares.tolist(), answers.tolist(), strict=True)
    ]


def _evidence_of_parts(
    tree: Nodes, ends: list[tuple[float, int]], shares: list[float], answer: Any
) -> Evidence:
    """The evidence of a row that reaches several nodes: each counts by its part of the row."""
    order = sorted(ends, key=lambda end: -end[0])
    notes = [
        f"{format_number(part)} of the row: {path_text(tree, i)}: {_outcome(tree, i)}"
        for part, i in order
    ]
    if len(notes) > MAX_TABLE_ROWS:
        rest = math.fsum(part for part, _ in order[MAX_TABLE_ROWS:])
        more = f"{len(notes) - MAX_TABLE_ROWS} more, {format_number(rest)} of the row in all"
        notes = [*notes[:MAX_TABLE_ROWS], more]
    if tree.classes:
        lines = tuple(
            EvidenceLine(name, (Term("", "", math.log(x) if x > 0 else -math.inf),), x)
            for name, x in zip(tree.classes, shares, strict=True)
        )
        said = tree.class_label(answer)
        notes += _tie_note(tree, said)
        return Evidence(lines, said, "product", tuple(notes), tuple(_shares_of_parts(tree, order)))
    terms = tuple(
        Term(
            "",
            f"{format_number(part)} · {format_number(float(tree.answer[i]))}",
            part * float(tree.answer[i]),
        )
        for part, i in ends
    )
    side = "Σ part · mean"
    if len(order) <= MAX_SHOWN_VALUES:
        parts = [(number(part), number(float(tree.answer[i]))) for part, i in order]
        side = " + ".join(
            f"{part} · {f'({mean})' if mean[0] == '-' else mean}" for part, mean in parts
        )
    work = (formula(f"ŷ = {side} = {number(answer)}"),)
    return Evidence((EvidenceLine("ŷ", terms),), answer, "sum", tuple(notes), work)


def _shares_of_parts(tree: Nodes, ends: list[tuple[float, int]]) -> Iterable[Formula]:
    """The probability of every class: the shares at the nodes, times the parts of the row."""
    told = [math.fsum(part * float(tree.node_values[i, c]) for part, i in ends)
            for c in range(len(tree.classes))]  # fmt: skip
    order = sorted(range(len(told)), key=lambda c: -told[c])[:MAX_SHOWN_VALUES]
    for c in sorted(order):
        side = "Σ part · share"
        if len(ends) <= MAX_SHOWN_VALUES:
            side = " + ".join(
                f"{number(part)} · {number(float(tree.node_values[i, c]))}" for part, i in ends
            )
        yield formula(f"P({tree.classes[c]}) = {side} = {number(told[c])}")


def _tie_note(tree: Nodes, said: Any) -> tuple[str, ...]:
    """A note where classes tie and the prediction is "undefined"."""
    tied = tree.tie == UNDEFINED and said == UNDEFINED
    return ("classes tie: the prediction is undefined",) if tied else ()


def _outcome(tree: Nodes, i: int) -> str:
    """The shares of the classes at a node, or its mean."""
    if not tree.classes:
        return format_number(float(tree.answer[i]))
    shares = zip(tree.classes, tree.node_values[i].tolist(), strict=True)
    return ", ".join(f"{name} {format_number(x)}" for name, x in shares if x > 0)


def condition_text(tree: Nodes, node: int) -> str:
    """The path to a node as a condition; of several bounds of a column the tightest, the last."""
    branches = [tree.branch(i) for i in tree.above(node)[1:]]
    last = {(branch.column, branch.relation): branch for branch in branches}
    return " and ".join(branch_text(tree, branch) for branch in last.values())


def split_rows(
    tree: Nodes, nodes: Iterable[int]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The header and the rows of a table of splits."""
    rows = tuple(
        (
            str(i), path_text(tree, i), tree.columns[tree.column[i]].name,
            format_count(float(tree.n[i])),
            format_number(float(tree.impurity[i])), format_number(float(tree.gain[i])),
            ", ".join(dict.fromkeys(name for name, _ in tree.ties(i))),
        )
        for i in itertools.islice(nodes, MAX_SPLITS)
    )  # fmt: skip
    return ("node", "path", "split", "rows", tree.criterion, "gain", "tied"), rows


def derivation(tree: Nodes) -> Derivation:
    """Every split, with its gain."""
    header, rows = split_rows(tree, np.flatnonzero(tree.test != LEAF).tolist())
    kind = "Decision tree" if tree.classes else "Regression tree"
    nodes, leaves = len(tree), len(tree.leaves)
    said = f"{nodes} node{'s' * (nodes != 1)}, {leaves} {'leaf' if leaves == 1 else 'leaves'}, "
    said += f"depth {tree.depth}."
    return Derivation(kind, (Grid("splits", header, rows), Sentence(said)))
