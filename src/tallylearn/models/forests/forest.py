"""A forest is its trees, one after the other: each tells what it knows of a row, and all count.

The nodes of all trees stand in one set of arrays, in as few bytes as they need, as
``kernels.walking`` goes down them. A forest never changes: more trees are another one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tallylearn import forms
from tallylearn.doors import ClassificationModel, RegressionModel
from tallylearn.doors.model import choice
from tallylearn.kernels import walking
from tallylearn.models.forests import votes
from tallylearn.models.forests.stored_forest import check_walkable
from tallylearn.models.trees.least_loss import answer_of
from tallylearn.models.trees.routing import laid_out, numbered
from tallylearn.models.trees.showing.importances import shares_of
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import CATEGORY, Array, Block, Column, Schema, check_shape
from tallylearn.workings import Derivation, Evidence

VOTES = ("soft", "majority")
LANES = 8  # rows that walk side by side: fewer than in one tree, for the next tree comes soon


class Stem(NamedTuple):
    """One tree, as a forest keeps it; its nodes count from 0."""

    steps: Array  # (m, 4) int32, see kernels.walking
    threshold: Array  # (m,) float64
    leads: Array  # (2, l) int32
    told: Array  # (m, k) float64: the share of every class, or the mean
    gained: Array  # (p,) float64: the share of every column in what the tree gained

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self)

    def moved(self, nodes: int, leads: int) -> Stem:
        """The same behind so many nodes and leads of other trees."""
        steps = self.steps.copy()
        coded = steps[:, 0] < 0
        steps[:, 3] += nodes
        steps[~coded, 1:3] += nodes
        steps[coded, 1:3] += leads
        onward = np.stack([self.leads[0], self.leads[1] + np.int32(nodes)])
        return self._replace(steps=steps, leads=onward)


def stem_of(tree: Tree) -> Stem:
    """A tree as its forest keeps it."""
    named = [column.kind == CATEGORY for column in tree.columns]
    coded, number = np.cumsum(named), np.cumsum(~np.array(named))
    kept = np.append(np.where(named, -coded, number - 1), -1 if all(named) else 0)
    steps, threshold, leads = laid_out(tree, kept)
    return Stem(steps, threshold, leads, np.ascontiguousarray(tree.told), shares_of(tree))


@dataclass(frozen=True, eq=False)
class Forest(ClassificationModel, RegressionModel):
    """Trees of classes, or (no ``classes``) of numbers.

    ``seed`` and ``rate`` tell the bags again that the trees grew from: see ``bags``.
    """

    columns: tuple[Column, ...]  # of a category, ``values`` are those seen or declared, sorted
    classes: tuple[Any, ...]
    roots: Array  # (t,) int64: the first node of every tree
    steps: Array  # (m, 4) int32, see kernels.walking
    threshold: Array  # (m,) float64
    leads: Array  # (2, l) int32
    told: Array  # (m, k) float64: the share of every class at each node; (m, 1) its mean
    gained: Array  # (t, p) float64: the share of every column in what each tree gained
    rows: int  # that it was grown from
    rate: float
    seed: int
    vote: str = "soft"
    loss: Array = field(default_factory=lambda: np.zeros((0, 0)))  # (k, k) or empty, see answer_of

    form: ClassVar[forms.Form] = {
        "columns": forms.many(forms.one(Column)),
        "classes": forms.keys("k"),
        "roots": forms.integers("t", least=0),
        "steps": forms.array(np.int32),
        "threshold": forms.array(np.float64),
        "leads": forms.array(np.int32),
        "told": forms.floats("m", "w"),
        "gained": forms.floats("t", "p", least=0.0),
        "rows": forms.count(),
        "rate": forms.number(least=0.0),
        "seed": forms.count(),
        "vote": forms.text(*VOTES),
        "loss": forms.floats("c", "c", least=0.0),
    }

    @classmethod
    def of(cls, stems: list[Stem], before: Forest | None = None, **rest: Any) -> Forest:
        """The trees together, behind those that a forest has."""
        parts, roots, nodes, leads = list[Stem](), list[int](), 0, 0
        if before is not None:
            parts.append(Stem(before.steps, before.threshold, before.leads, before.told,
                              before.gained))  # fmt: skip
            roots, nodes, leads = before.roots.tolist(), len(before.told), before.leads.shape[1]
        for stem in stems:
            parts.append(stem.moved(nodes, leads))
            roots.append(nodes)
            nodes, leads = nodes + len(stem.told), leads + stem.leads.shape[1]
        if nodes >= 2**31 or leads >= 2**31:
            raise ValueError("a forest has at most 2^31 nodes. Grow fewer trees, or set max_depth.")
        return cls(
            roots=np.array(roots, np.int64), steps=np.concatenate([p.steps for p in parts]),
            threshold=np.concatenate([p.threshold for p in parts]),
            leads=np.concatenate([p.leads for p in parts], axis=1),
            told=np.concatenate([p.told for p in parts]),
            gained=np.concatenate([np.atleast_2d(p.gained) for p in parts]), **rest,
        )  # fmt: skip

    def __post_init__(self) -> None:
        m, t, p = len(self.told), len(self.roots), len(self.columns)
        check_shape("steps", self.steps, m, 4)
        check_shape("threshold", self.threshold, m)
        check_shape("leads", self.leads, 2, self.leads.shape[-1])
        check_shape("told", self.told, m, len(self.classes) or 1)
        check_shape("gained", self.gained, t, p)
        check_walkable(self)

    def check(self, schema: Schema) -> None:
        """What a file says can be a forest over columns of this schema."""
        told = [(column.name, column.kind, column.origin) for column in self.columns]
        if told != [(column.name, column.kind, column.origin) for column in schema.columns]:
            raise ValueError("the forest asks other columns than the schema's")
        if any(column.values and column.kind != CATEGORY for column in self.columns):
            raise ValueError("a column has values, and is no category")
        if self.loss.shape not in ((0, 0), (len(self.classes),) * 2):
            raise ValueError("the losses are of other classes")
        if self.classes and ((self.told < 0).any() or (self.told > 1 + 1e-9).any()):
            raise ValueError("a share of a class is no share")

    def __len__(self) -> int:
        return len(self.roots)

    @cached_property
    def ends(self) -> Array:
        """(t,) where the nodes of every tree end."""
        return np.append(self.roots[1:], len(self.told))

    @cached_property
    def plan(self) -> tuple[Array, Array, Array]:
        """The nodes as the kernel walks them."""
        return self.steps, self.threshold, self.leads

    @cached_property
    def counted(self) -> Array:
        """(m, k) what every node adds to the vote: its shares, or one for its largest class."""
        if self.vote == "soft" or not self.classes:
            return self.told
        return np.asarray(np.eye(len(self.classes))[self.told.argmax(axis=1)])

    @cached_property
    def numbers_of(self) -> dict[str, tuple[tuple[Any, ...], dict[Any, int]]]:
        """The values of every category, and their numbers."""
        found = [column for column in self.columns if column.kind == CATEGORY]
        return {c.name: (c.values, {v: at for at, v in enumerate(c.values)}) for c in found}

    @cached_property
    def places(self) -> dict[int, int]:
        """The column of a place that a step may ask: numbers from 0 up, categories from -1 down."""
        named = [column.kind == CATEGORY for column in self.columns]
        numbers = [j for j, category in enumerate(named) if not category]
        coded = [j for j, category in enumerate(named) if category]
        return dict(enumerate(numbers)) | {-1 - at: j for at, j in enumerate(coded)}

    def above(self, root: int, end: int) -> tuple[int, ...]:
        """The nodes from a root to a node: of the children on the way always the last before it."""
        found = [root]
        while (at := found[-1]) < end:
            column, first, last, gap = self.steps[at].tolist()
            kids = [first, last] if column >= 0 else self.leads[1, first:last].tolist()
            found.append(max(kid for kid in (*kids, gap) if at < kid <= end))
        return tuple(found)

    def table(self, block: Block) -> tuple[Array, Array]:
        """The rows as the kernel walks them: numbers, and categories by their numbers."""
        if not self.numbers_of:
            return block.numbers, np.empty((len(block), 0), np.int32)
        coded = [numbered(*told, block.codes[name]) for name, told in self.numbers_of.items()]
        return block.numbers, np.stack(coded, axis=1)

    def sums(self, block: Block) -> Array:
        """(n, k) the votes of all trees, added up in their order."""
        numbers, categories = self.table(block)
        out = np.zeros((len(block), self.told.shape[1]))
        room = np.empty(LANES, np.int64), np.empty(len(block), np.int64)
        walking.vote(
            numbers, categories, self.plan, self.roots, self.counted, room, out,
        )  # fmt: skip
        return out

    def landed(self, block: Block) -> Array:
        """(n, t) the node of each tree where each row ends, counted from the tree's root."""
        numbers, categories = self.table(block)
        out = np.empty((len(block), len(self)), np.int64)
        for t, root in enumerate(self.roots.tolist()):
            ends = np.full(len(block), root)
            walking.walk(numbers, categories, *self.plan, np.empty(LANES, np.int64), ends)
            out[:, t] = ends - root
        return out

    def shares(self, block: Block) -> Array:
        """(n, k) the mean over the trees: of shares, or of votes."""
        return self.sums(block) / len(self)

    def answers(self, block: Block) -> Array:
        """(n,) the mean of the trees' means."""
        return np.ascontiguousarray(self.shares(block)[:, 0])

    def decided(self, block: Block) -> Array:
        """(n,) the class of most votes, or of least loss; of tied ones the first."""
        return self.settled(self.shares(block))

    def judged(self, block: Block) -> tuple[Array, Array]:
        shares = self.shares(block)
        return self.settled(shares), shares

    def settled(self, shares: Array) -> Array:
        """(n,) the class that shares decide for."""
        if self.loss.size:
            return answer_of(shares, self.loss).astype(np.int64)
        return choice(shares)

    def evidence(self, block: Block) -> list[Evidence]:
        """What every column moved the vote by, and the trees that agree."""
        return votes.evidence(self, block)

    def derivation(self, schema: Schema) -> Derivation:
        """The trees in numbers, and what the columns gained."""
        return votes.derivation(self)

    @property
    def known(self) -> dict[str, tuple[str, ...]]:
        """The values of the categories, as the trees were grown with them."""
        return {name: values for name, (values, _) in self.numbers_of.items()}
