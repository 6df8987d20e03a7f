"""Paths: why a row got its answer, and how the tree came to ask what it asks."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tallylearn.models.trees.texts import answered, counted, worded
from tallylearn.models.trees.trees import LEAF, Tree
from tallylearn.tables import Block
from tallylearn.workings import Derivation, Evidence, Grid, Line, Sentence, Term
from tallylearn.workings.rendering import short


@dataclass(frozen=True)
class Tie:
    """A node where several questions were equally good."""

    node: int
    path: str  # how one gets there
    candidates: tuple[tuple[str, float], ...]  # column and threshold (NaN: categories)
    chosen: str  # the column that was asked


def ties(tree: Tree) -> tuple[Tie, ...]:
    """All ties, from the root down."""
    found = np.flatnonzero(np.diff(tree.tie_ends, prepend=0))
    return tuple(
        Tie(i, route(tree, i), tree.ties(i), tree.columns[tree.column[i]].name)
        for i in found.tolist()
    )


def route(tree: Tree, i: int) -> str:
    """The answers that lead to a node."""
    return " & ".join(worded(tree, tree.branch(j)) for j in tree.above(i)[1:]) or "root"


def evidence(tree: Tree, block: Block) -> list[Evidence]:
    """For every row what each answer on its path adds: factors of the shares, or steps of means."""
    if tree.fractional:
        return _spread(tree, block)
    found = tree.landed(block).tolist()
    if tree.classes:
        return [
            Evidence(_shares(tree, node), tree.said(node), "product", _notes(tree, node))
            for node in found
        ]
    return [
        Evidence((_means(tree, node),), tree.said(node), "sum", _notes(tree, node))
        for node in found
    ]


def _notes(tree: Tree, node: int) -> tuple[str, ...]:
    """The path, and why it ends before a leaf where it does."""
    path = f"path: {route(tree, node)}"
    if tree.test[node] == LEAF:
        return (path,)
    name = tree.columns[tree.column[node]].name
    return (path, f"ends there: {name} is missing, or a value that no row had there")


def _shares(tree: Tree, node: int) -> tuple[Line, ...]:
    path = tree.above(node)
    return tuple(_line(tree, path, c) for c in range(len(tree.classes)))


def _line(tree: Tree, path: tuple[int, ...], c: int) -> Line:
    """A class's share at the root, times how far each answer raises or lowers it."""
    shares = [Fraction(tree.counts[i, c]) / (Fraction(tree.n[i]) or 1) for i in path]
    terms = [Term("", "", _log(shares[0]), Fraction(tree.counts[0, c]), Fraction(tree.n[0]))]
    for before, share, node in zip(shares, shares[1:], path[1:], strict=False):
        if before == 0:
            terms.append(_term(tree, node, 0.0, note="the share is 0 already"))
            continue
        ratio = share / before
        above, below = Fraction(ratio.numerator), Fraction(ratio.denominator)
        terms.append(_term(tree, node, _log(ratio), above=above, below=below))
    return Line(tree.classes[c], tuple(terms), float(shares[-1]))


def _log(share: Fraction) -> float:
    return math.log(share.numerator) - math.log(share.denominator) if share else -math.inf


def _means(tree: Tree, node: int) -> Line:
    path = tree.above(node)
    terms = [Term("", f"{tree.answers_with} of all", float(tree.answer[0]))]
    for before, after in itertools.pairwise(path):
        terms.append(_term(tree, after, float(tree.answer[after] - tree.answer[before])))
    return Line("ŷ", tuple(terms))


def _term(tree: Tree, node: int, amount: float, **rest: Any) -> Term:
    """What the answer that leads to a node adds."""
    branch = tree.branch(node)
    value = answered(tree, branch)
    if branch.relation == "in":
        return Term(branch.column, f"{{{value}}}", amount, sign="in", **rest)
    sign = "=" if branch.relation == "=" else ""
    return Term(branch.column, value, amount, sign=sign, **rest)


def _spread(tree: Tree, block: Block) -> list[Evidence]:
    """Rows with gaps go down several branches: their shares are told as they come out."""
    shares = tree.shares(block)
    if not tree.classes:
        return [
            Evidence((Line(x, (Term("", "all branches", x),)),), x, "sum")
            for x in shares[:, 0].tolist()
        ]
    best = tree.chosen(shares)
    return [
        Evidence(
            tuple(
                Line(name, (Term("", "", math.log(x) if x > 0 else -math.inf),), x)
                for name, x in zip(tree.classes, row, strict=True)
            ),
            tree.classes[best[i]],
            "product",
        )
        for i, row in enumerate(shares.tolist())
    ]


def derivation(tree: Tree) -> Derivation:
    """Every question, with what it gained."""
    asked = np.flatnonzero(tree.test != LEAF).tolist()
    rows = tuple(
        (
            str(i), route(tree, i), tree.columns[tree.column[i]].name, counted(float(tree.n[i])),
            short(float(tree.impurity[i])), short(float(tree.gain[i])),
            ", ".join(dict.fromkeys(name for name, _ in tree.ties(i))),
        )
        for i in asked[:1000]
    )  # fmt: skip
    header = ("node", "path", "question", "rows", tree.criterion, "gain", "tied")
    kind = "Decision tree" if tree.classes else "Regression tree"
    said = f"{len(tree)} nodes, {len(tree.leaves)} leaves, depth {tree.depth}."
    return Derivation(kind, (Grid("questions", header, rows), Sentence(said)))
