"""The fitted model of boosting: a baseline, and trees whose values add up to raw scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from tallylearn import engines
from tallylearn.estimators import RegressionModel
from tallylearn.estimators.model import ScoringModel, build_score_expression
from tallylearn.expressions import (
    ClassifierExpression,
    Exponential,
    Literal,
    Number,
    NumberTree,
    RegressorExpression,
    Sum,
    VectorOf,
)
from tallylearn.kernels import tree_predict
from tallylearn.models.boosting.binned_columns import BinnedColumns
from tallylearn.models.boosting.losses import (
    EXPONENTIAL,
    IDENTITY,
    LINKS,
    LOGISTIC,
    class_scores,
    linked_numbers,
)
from tallylearn.models.boosting.shapley_evidence import shapley_evidence
from tallylearn.models.boosting.tree_growth import COLUMN, CUT, LEFT, MISSING_LEFT, GrownTree
from tallylearn.models.forests.forest_expression import tree_splits
from tallylearn.models.forests.stored_forest import check_walkable
from tallylearn.models.trees.routing import ANY, category_codes
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import (
    CATEGORY,
    DATE,
    NUMBER,
    Array,
    Block,
    Column,
    Schema,
    check_shape,
    field_schemas,
)
from tallylearn.workings import Derivation, Evidence, Grid, Sentence, format_number
from tallylearn.workings.reasons import (
    AT_MEAN_SCORE,
    LOG_ODDS,
    LOGARITHM,
    ON_AVERAGE,
    Contributions,
)
from tallylearn.workings.reasons import NUMBER as NUMBERS

RUN = 4096  # rows that go down all trees on one thread: they stay in the cache meanwhile
LANES = 8  # rows that go down a tree side by side
TREES_A_CALL = 100  # between two looks for an interrupt
CATEGORICAL_SPLIT = 8  # column of the kernel's nodes


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Trees, one after the other in the order of the rounds; tree t is of output t % outputs.

    ``steps``, ``threshold`` and ``leads`` are as in ``kernels.tree_predict``. The children of a
    node are ``left`` and the one behind it; a leaf has -1.
    """

    columns: tuple[Column, ...]  # of a category, ``values`` are those seen or declared, sorted
    classes: tuple[Any, ...]
    loss: str
    link: str
    baseline: Array  # (outputs,) raw scores before the first tree
    roots: Array  # (t,) int64
    steps: Array  # (m, 4) int32
    threshold: Array  # (m,) float64
    leads: Array  # (2, l) int32
    left: Array  # (m,) int32
    values: Array  # (m,) float64: the learning rate included
    rows: Array  # (m,) int64: training rows at each node
    gains: Array  # (m,) float64: how much a split lowers the loss
    train_scores: Array = field(
        default_factory=lambda: np.zeros(0)
    )  # (rounds + 1,), where rounds could stop early
    validation_scores: Array = field(default_factory=lambda: np.zeros(0))

    form: ClassVar[field_schemas.Form] = {
        "columns": field_schemas.many(field_schemas.one(Column)),
        "classes": field_schemas.keys("k"),
        "loss": field_schemas.text(),
        "link": field_schemas.text(*LINKS),
        "baseline": field_schemas.floats("o"),
        "roots": field_schemas.integers("t", least=0),
        "steps": field_schemas.array(np.int32),
        "threshold": field_schemas.array(np.float64),
        "leads": field_schemas.array(np.int32),
        "left": field_schemas.array(np.int32),
        "values": field_schemas.floats("m"),
        "rows": field_schemas.integers("m", least=0),
        "gains": field_schemas.floats("m", least=0.0),
        "train_scores": field_schemas.floats("a"),
        "validation_scores": field_schemas.floats("b"),
    }

    def __post_init__(self) -> None:
        m = len(self.values)
        check_shape("steps", self.steps, m, 4)
        for name in ("threshold", "left", "rows", "gains"):
            check_shape(name, getattr(self, name), m)
        check_shape("leads", self.leads, 2, self.leads.shape[-1])
        check_walkable(self)
        self._check_children()

    def _check_children(self) -> None:
        """The children of a node are behind it in its tree, and its steps lead to them alone."""
        m, at = len(self.values), np.arange(len(self.values))
        end = np.repeat(self.ends, self.ends - self.roots)
        inner = self.left >= 0
        if ((self.left[inner] <= at[inner]) | (self.left[inner] + 1 >= end[inner])).any():
            raise ValueError("a node of the trees has children elsewhere")
        number = inner & (self.steps[:, 0] >= 0)
        to = np.concatenate([self.steps[number, 1:].T, self.steps[inner, 3][None]], axis=None)
        of = np.concatenate([*[self.left[number]] * 3, self.left[inner]])
        coded = np.flatnonzero(inner & ~number)
        lengths = (self.steps[coded, 2] - self.steps[coded, 1]).astype(np.int64)
        starts = np.repeat(self.steps[coded, 1] - (np.cumsum(lengths) - lengths), lengths)
        leads = self.leads[:, starts + np.arange(lengths.sum())]
        ends = self.leads[0, np.maximum(self.steps[coded, 2] - 1, 0)] if len(coded) else leads[0]
        strays = (to != of) & (to != of + 1)
        strays_of = (leads[1] - np.repeat(self.left[coded], lengths)) >> 1 != 0
        if strays.any() or strays_of.any() or (lengths < 1).any() or (ends != ANY).any():
            raise ValueError("a step of the trees leads to no child of its node")
        if self.outputs < 1 or len(self.roots) % self.outputs or m < len(self.roots):
            raise ValueError("the trees are not of whole rounds")

    def check(self, schema: Schema) -> None:
        """What a file says can be trees over columns of this schema."""
        own = [(column.name, column.kind, column.origin) for column in self.columns]
        if own != [(column.name, column.kind, column.origin) for column in schema.columns]:
            raise ValueError("the trees split other columns than the schema's")
        if any(column.values and column.kind != CATEGORY for column in self.columns):
            raise ValueError("a column has values, and is no category")
        expected = 1 if len(self.classes) in (0, 2) else len(self.classes)
        if len(self.baseline) != expected:
            raise ValueError("the raw scores are of other classes")

    def __len__(self) -> int:
        return len(self.roots)

    @property
    def outputs(self) -> int:
        """Raw scores of a row."""
        return len(self.baseline)

    @property
    def rounds(self) -> int:
        return len(self.roots) // self.outputs

    @cached_property
    def ends(self) -> Array:
        """(t,) where the nodes of every tree end."""
        return np.append(self.roots[1:], len(self.values))

    @cached_property
    def places(self) -> dict[int, int]:
        """The column of a place in ``steps``: numbers from 0 up, categories from -1 down."""
        kinds = [column.kind for column in self.columns]
        numbers = [j for j, kind in enumerate(kinds) if kind in (NUMBER, DATE)]
        coded = [j for j, kind in enumerate(kinds) if kind == CATEGORY]
        return dict(enumerate(numbers)) | {-1 - at: j for at, j in enumerate(coded)}

    @cached_property
    def split_columns(self) -> Array:
        """(m,) the column of every split; of a leaf -1."""
        found = [self.places.get(place, -1) for place in self.steps[:, 0].tolist()]
        return np.where(self.left >= 0, np.array(found, dtype=np.int64), -1)

    @cached_property
    def category_numbers(self) -> dict[str, tuple[tuple[Any, ...], dict[Any, int]]]:
        """The values of every category, and their numbers."""
        found = [column for column in self.columns if column.kind == CATEGORY]
        return {c.name: (c.values, {v: at for at, v in enumerate(c.values)}) for c in found}

    @property
    def category_values(self) -> dict[str, tuple[str, ...]]:
        """The values of the categories, as the trees were grown with them."""
        return {name: values for name, (values, _) in self.category_numbers.items()}

    @cached_property
    def importances(self) -> Array:
        """(p,) the share of every column in what all splits gain."""
        inner = self.left >= 0
        total = np.bincount(
            self.split_columns[inner], self.gains[inner], minlength=len(self.columns)
        )
        return np.asarray(total / total.sum() if total.sum() > 0 else total)

    def table(self, block: Block) -> tuple[Array, Array]:
        """The rows as the kernel reads them: numbers, and categories by their numbers."""
        if not self.category_numbers:
            return block.numbers, np.full((len(block), 1), -1, np.int32)
        coded = [
            category_codes(*numbers, block.codes[name])
            for name, numbers in self.category_numbers.items()
        ]
        return block.numbers, np.stack(coded, axis=1)

    def raw_scores(self, block: Block, first: int = 0, before: Array | None = None) -> Array:
        """(n, outputs) the sums of the trees, from round ``first`` on added to ``before``."""
        numbers, categories = self.table(block)
        out = np.empty((self.outputs, len(block), 1))
        out[:] = self.baseline[:, None, None] if before is None else before.T[:, :, None]
        plan, values = (self.steps, self.threshold, self.leads), self.values[:, None]

        def add(at: slice) -> None:
            room = np.empty(LANES, np.int64), np.empty(len(out[0, at]), np.int64)
            for c in range(self.outputs):
                of_class = self.roots[c + first * self.outputs :: self.outputs]
                for begin in range(0, len(of_class), TREES_A_CALL):
                    check_halted()
                    roots = np.ascontiguousarray(of_class[begin : begin + TREES_A_CALL])
                    tree_predict.vote(
                        numbers[at], categories[at], plan, roots, values, room, out[c, at]
                    )

        engines.map_threads(add, [slice(i, i + RUN) for i in range(0, len(block), RUN)])
        return np.ascontiguousarray(out[:, :, 0].T)

    def first_rounds(self, rounds: int) -> Self:
        """The model after some rounds."""
        t = rounds * self.outputs
        m = int(self.roots[t]) if t < len(self.roots) else len(self.values)
        parts = {
            name: getattr(self, name)[:m]
            for name in ("steps", "threshold", "left", "values", "rows", "gains")
        }
        return type(self)(**{**vars_of(self), **parts, "roots": self.roots[:t]})

    def evidence(self, block: Block) -> list[Evidence]:
        """What every column adds to the raw score, by exact Shapley values."""
        return shapley_evidence(self, block)

    def contributions(self, block: Block, found: list[Evidence]) -> list[Contributions]:
        """The Shapley values: the terms of the evidence."""
        scale = LOGARITHM if self.link == EXPONENTIAL else LOG_ODDS if self.classes else NUMBERS
        origin = AT_MEAN_SCORE if scale != NUMBERS else ON_AVERAGE
        return [
            Contributions(tuple(line.terms for line in row.lines), scale, origin) for row in found
        ]

    def split_thresholds(self) -> Mapping[str, Array]:
        """The thresholds of the splits, by column."""
        at = np.isfinite(self.threshold)
        return {
            column.name: np.unique(self.threshold[at & (self.split_columns == j)])
            for j, column in enumerate(self.columns)
        }

    def derivation(self, schema: Schema) -> Derivation:
        """The trees in numbers, and what the splits on every column gain."""
        order = np.argsort(-self.importances, kind="stable").tolist()
        splits = np.bincount(
            self.split_columns[self.left >= 0], minlength=len(self.columns)
        ).tolist()
        table = tuple(
            (self.columns[j].name, format_number(float(self.importances[j])), str(splits[j]))
            for j in order
        )
        leaves = np.add.reduceat((self.left < 0).astype(np.int64), self.roots)
        start = ", ".join(format_number(float(one)) for one in self.baseline)
        sentence = (
            f"{self.rounds} rounds, {len(self)} trees of {int(leaves.min())} to "
            f"{int(leaves.max())} leaves. Raw scores start at {start}, and every tree adds the "
            "value of the leaf that a row reaches."
        )
        steps: list[Any] = [Sentence(sentence)]
        if len(self.validation_scores):
            best = int(np.argmax(self.validation_scores))
            steps.append(
                Sentence(
                    "Score on the validation rows (minus the mean loss, unless scoring=None): "
                    f"{format_number(float(self.validation_scores[0]))} at the start, "
                    f"{format_number(float(self.validation_scores[best]))} after {best} rounds, "
                    "the best."
                )
            )
        header = ("column", "share of the gain", "splits")
        return Derivation("Gradient boosting", (*steps, Grid("columns", header, table)))

    def _raw_expressions(self) -> list[Number]:
        """The raw scores as sums of trees."""
        bounds = zip(self.roots.tolist(), self.ends.tolist(), strict=True)
        trees = [
            NumberTree(
                tree_splits(self, first, end), tuple(map(Literal, self.values[first:end].tolist()))
            )
            for first, end in bounds
        ]
        return [
            Sum((Literal(float(self.baseline[c])), *trees[c :: self.outputs]))
            for c in range(self.outputs)
        ]


ARRAYS = ("roots", "steps", "threshold", "leads", "left", "values", "rows", "gains")


def tree_arrays(model: BoostedTrees) -> dict[str, Array]:
    """The arrays of the trees of a model."""
    return {name: getattr(model, name) for name in ARRAYS}


def vars_of(model: BoostedTrees) -> dict[str, Any]:
    """The fields of a model."""
    return {name: getattr(model, name) for name in model.form}


@dataclass(frozen=True, eq=False)
class BoostedClassTrees(BoostedTrees, ScoringModel):
    """Boosted trees of classes: of two classes the raw score is the log odds of the second."""

    def scores(self, block: Block) -> Array:
        """(n, k) the raw scores; of two classes 0 for the first."""
        return class_scores(self.link, self.raw_scores(block))

    def expression(self, schema: Schema) -> ClassifierExpression:
        """The softmax of the sums of trees; the first of two classes has 0."""
        raw = self._raw_expressions()
        scores = raw if self.link != LOGISTIC else [Literal(0.0), raw[0]]
        return build_score_expression(self.classes, VectorOf(tuple(scores)))


@dataclass(frozen=True, eq=False)
class BoostedNumberTrees(BoostedTrees, RegressionModel):
    """Boosted trees of numbers: the raw score, or its exponential, is the prediction."""

    def predictions(self, block: Block) -> Array:
        """(n,) the predicted numbers."""
        return linked_numbers(self.link, self.raw_scores(block))

    def expression(self, schema: Schema) -> RegressorExpression:
        """The sum of the trees, or its exponential."""
        raw = self._raw_expressions()[0]
        return RegressorExpression((raw if self.link == IDENTITY else Exponential(raw),))


def joined_trees(table: BinnedColumns, trees: Sequence[GrownTree]) -> dict[str, Array]:
    """The arrays of trees that were grown on binned columns."""
    numbers = [column.kind in (NUMBER, DATE) for column in table.columns]
    coded = [column.kind == CATEGORY for column in table.columns]  # identifiers are neither
    places = np.where(numbers, np.cumsum(numbers) - 1, -np.cumsum(coded))
    leaf_place = 0 if any(numbers) else -1
    sizes = [len(tree.values) for tree in trees]
    roots = np.cumsum([0, *sizes[:-1]]).astype(np.int64)
    steps: list[tuple[int, ...]] = []
    threshold: list[float] = []
    codes: list[int] = []
    kids: list[int] = []
    for tree, root in zip(trees, roots.tolist(), strict=True):
        for at, node in enumerate(tree.nodes.tolist()):
            here, left = root + at, root + node[LEFT]
            if node[LEFT] < 0:
                ends = (here, here) if leaf_place == 0 else (0, 0)
                steps.append((leaf_place, *ends, here))
                threshold.append(np.inf)
                continue
            j, missing = node[COLUMN], left if node[MISSING_LEFT] == 1 else left + 1
            if not node[CATEGORICAL_SPLIT]:
                steps.append((places[j], left, left + 1, missing))
                threshold.append(table.threshold(j, node[CUT]))
                continue
            goes = tree.goes_left[at] == 1
            larger = left + int(tree.rows[node[LEFT] + 1] > tree.rows[node[LEFT]])
            listed = table.values_of(j, goes if larger != left else ~goes)
            steps.append((places[j], len(codes), len(codes) + len(listed) + 1, missing))
            threshold.append(np.inf)
            codes += [*listed.tolist(), ANY]
            kids += [left + (larger == left)] * len(listed) + [larger]
    return {
        "roots": roots,
        "steps": np.array(steps, dtype=np.int32).reshape(-1, 4),
        "threshold": np.array(threshold),
        "leads": np.array([codes, kids], dtype=np.int32).reshape(2, -1),
        "left": np.concatenate(
            [
                np.where(t.nodes[:, LEFT] < 0, -1, t.nodes[:, LEFT] + r)
                for t, r in zip(trees, roots, strict=True)
            ]
        ).astype(np.int32),
        "values": np.concatenate([tree.values for tree in trees]),
        "rows": np.concatenate([tree.rows for tree in trees]),
        "gains": np.concatenate([tree.gains for tree in trees]),
    }


def extended(model: BoostedTrees, parts: dict[str, Array]) -> dict[str, Array]:
    """The arrays of a model with more trees behind its own."""
    m, leads = len(model.values), model.leads.shape[1]
    steps = parts["steps"].copy()
    number = steps[:, :1] >= 0
    has_leads = steps[:, 1:2] < steps[:, 2:3]
    steps[:, 1:3] += np.where(number, m, leads * has_leads)
    steps[:, 3] += m
    moved = {
        "roots": parts["roots"] + m,
        "steps": steps,
        "leads": parts["leads"] + np.array([[0], [m]], np.int32),
        "left": np.where(parts["left"] < 0, -1, parts["left"] + m).astype(np.int32),
    }
    return {
        name: np.concatenate([getattr(model, name), value], axis=int(name == "leads"))
        for name, value in (parts | moved).items()
    }
