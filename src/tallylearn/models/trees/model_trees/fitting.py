"""Fitting model trees: grow, put a linear model at every node, cut what the models do not need."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tallylearn.errors import ColumnError
from tallylearn.models.trees.growing.coded_columns import code_columns
from tallylearn.models.trees.growing.grower import grow_by_impurity
from tallylearn.models.trees.growing.impurity import fall
from tallylearn.models.trees.growing.node_target import of_measures
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.model_trees.attributes import Attributes
from tallylearn.models.trees.model_trees.linear_models import Line, expected_error, fit_linear_model
from tallylearn.models.trees.model_trees.model_tree import ModelTree
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import FREQUENCY, Array, Block

COEFFICIENT_PENALTY = 2.0  # of a coefficient in a tree, whose splits were chosen of many (M5')
MAX_CELLS = 2**29  # 4 GB of doubles
MORE_THAN = 1 + 1e-12  # times a share of the rows: a branch has more than that
NEGLIGIBLE_ERROR = 1e-5  # of the target's deviation: an error below needs no tree


@dataclass(frozen=True)
class Growth:
    """When a model tree stops, and what is done to it then."""

    min_split: float  # rows of a node
    min_leaf: float
    min_share: float
    min_deviation: float
    max_depth: int
    prune: bool
    smooth: float
    criterion: str  # "fifth_root" or "sdr"
    min_category: float = 1  # rows of a value, see Attributes
    smoothing: float = 0.0
    indicators: bool = True  # whether missing values have an attribute of their own


def model_tree(block: Block, growth: Growth) -> ModelTree:
    """The model tree of a table."""
    attributes = Attributes.of(block, growth.min_category, growth.smoothing, growth.indicators)
    _check_size(len(block), attributes)
    x = attributes.matrix(block)
    weight = np.ones(len(block)) if block.weight is None else block.weight
    order = np.lexsort((*x.T, weight, block.target))  # sums in floats, the same for any order
    block, x, weight = block[order], x[order], weight[order]
    tree, ends = _grow(attributes.as_numbers(x, block), growth)
    by_leaf = np.argsort(ends, kind="stable")
    often = weight[by_leaf] if block.weight_kind == FREQUENCY else np.ones(len(block))
    rows = _LeafOrderedRows(
        *_scale_columns(x[by_leaf]), y=block.target[by_leaf], weight=weight[by_leaf], often=often,
        leaf=ends[by_leaf],
    )  # fmt: skip
    lines = _node_models(tree, rows, len(attributes))
    cut = _nodes_to_prune(tree, lines) if growth.prune else []
    kept = _remaining_nodes(tree, cut)
    found = [line for line, here in zip(lines, kept, strict=True) if here]
    return ModelTree(
        attributes.table_tree(tree).without(cut),
        attributes,
        *rows.in_units(found, attributes.fill),
        np.array([line.error for line in found]),
        growth.smooth,
    )


def _check_size(n: int, attributes: Attributes) -> None:
    """A category of k values is k - 1 numbers a row: of very many, no memory holds them."""
    if n * len(attributes) <= MAX_CELLS:
        return
    widest = max(attributes.columns, key=lambda column: len(column.values))
    raise ColumnError(
        f"{n} rows of {len(attributes)} attributes are too many for linear models: column "
        f"{widest.name!r} alone has {len(widest.values)} categories. Leave it out with "
        f"tl.table(..., ignore=[{widest.name!r}]), or join rare categories."
    )


def _grow(block: Block, growth: Growth) -> tuple[Tree, Array]:
    """A tree, and the leaf of every row."""
    target = of_measures(block.target, block.weight, True)
    tree = _in_deviations(grow_by_impurity(code_columns(block), target, plan_of(block, growth)))
    tree = replace(tree, weight_kind=block.weight_kind if target.weighed else FREQUENCY)
    few = tree.counted_rows < growth.min_split
    alike = tree.impurity < growth.min_deviation * tree.impurity[0]
    tree = tree.without(np.flatnonzero(few | alike).tolist())
    return tree, tree.end_nodes(block)


def plan_of(block: Block, growth: Growth) -> TreePlan:
    """How the tree grows: least rows of a branch are frequencies, or rows whatever they weigh."""
    plan = TreePlan(
        criterion=growth.criterion,
        min_share=growth.min_share * MORE_THAN,
        max_depth=growth.max_depth,
    )
    if block.weight_kind == FREQUENCY or block.weight is None:
        return replace(plan, min_weight=growth.min_leaf)
    return replace(plan, min_leaf=int(np.ceil(growth.min_leaf)), share_of_rows=True)


def _in_deviations(tree: Tree) -> Tree:
    """The tree with the standard deviations of its nodes, whatever its questions were chosen by."""
    if tree.criterion == "sdr":
        return tree
    spread, gain = tree.impurity**2.5, np.zeros(len(tree))
    for i in np.flatnonzero(tree.test != LEAF).tolist():
        gain[i] = fall(i, tree.children(i), tree.n, spread)
    return replace(tree, criterion="sdr", impurity=spread, gain=gain)


@dataclass(frozen=True)
class _LeafOrderedRows:
    """Rows by leaf, so that those of a node are a run; attributes around 0, none beyond 1."""

    x: Array  # (n, f)
    centre: Array  # (f,)
    scale: Array  # (f,)
    y: Array  # (n,)
    weight: Array  # (n,)
    often: Array  # (n,) how many rows each stands for
    leaf: Array  # (n,) sorted

    def line(self, first: int, last: int, which: Array) -> Line:
        """The linear model of the nodes from first to last."""
        lo, hi = np.searchsorted(self.leaf, (first, last))
        here = slice(lo, hi)
        rows = float(self.often[here].sum())
        return fit_linear_model(self.x[here], self.y[here], self.weight[here], which, rows)

    def in_units(self, lines: list[Line], origin: Array) -> tuple[Array, Array]:
        """What models say at an origin, and their coefficients, in the units of the table."""
        coef = np.array([line.coef for line in lines]).reshape(len(lines), len(origin))
        away = (origin - self.centre) / self.scale
        return np.array([line.intercept for line in lines]) + (coef * away).sum(
            1
        ), coef / self.scale


def _scale_columns(x: Array) -> tuple[Array, Array, Array]:
    low, high = x.min(axis=0), x.max(axis=0)
    centre, scale = low / 2 + high / 2, high / 2 - low / 2
    scale = np.where(scale > 0, scale, 1.0)
    return (x - centre) / scale, centre, scale


def _node_models(tree: Tree, rows: _LeafOrderedRows, f: int) -> list[Line]:
    """A model for every node; those of leaves are means until pruning makes leaves of others."""
    asked, bare = _attributes_below(tree, f), np.zeros(f)
    return [
        Line(float(tree.answer[i]), bare, float(tree.impurity[i]), 1)
        if tree.test[i] == LEAF
        else rows.line(i, i + int(tree.sizes[i]), np.flatnonzero(asked[i]))
        for i in range(len(tree))
    ]


def _attributes_below(tree: Tree, f: int) -> Array:
    """(m, f) whether an attribute is asked for at a node or below it; none at leaves."""
    asks = tree.test != LEAF
    asked = np.zeros((len(tree), f), dtype=bool)
    asked[asks, tree.column[asks]] = True
    for i in range(len(tree) - 1, 0, -1):
        asked[tree.parent[i]] |= asked[i]
    return asked


def _nodes_to_prune(tree: Tree, lines: list[Line]) -> list[int]:
    """The nodes whose model promises at least as much as the models below it, all together."""
    error = np.array([line.error for line in lines])
    used = np.array([line.used for line in lines], dtype=np.float64)
    least, cut, rows = NEGLIGIBLE_ERROR * float(tree.impurity[0]), list[int](), tree.counted_rows
    for i in range(len(tree) - 1, -1, -1):
        if tree.test[i] == LEAF:
            continue
        kids, n = list(tree.children(i)), float(rows[i])
        below = float(np.sqrt((tree.n[kids] * error[kids] ** 2).sum() / float(tree.n[i])))
        many = float(used[kids].sum()) + 1
        alone = expected_error(error[i], n, used[i], COEFFICIENT_PENALTY)
        if alone <= expected_error(below, n, many, COEFFICIENT_PENALTY) or alone < least:
            cut.append(i)
        else:
            error[i], used[i] = below, many
    return cut


def _remaining_nodes(tree: Tree, cut: list[int]) -> Array:
    """Which nodes are left when some become leaves."""
    kept = np.ones(len(tree), dtype=bool)
    for i in cut:
        kept[i + 1 : i + int(tree.sizes[i])] = False
    return kept
