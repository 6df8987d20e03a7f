"""Evaluate an expression over the rows of a block: slow, obvious, and the meaning of every node.

Each node has one function here, which reads as its definition. Nodes that several others share are
evaluated once a call.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from tallylearn.expressions.nodes import (
    FIRST,
    LAST,
    NO_CHILD,
    UNDEFINED,
    Argmax,
    BinnedNumber,
    Category,
    CategoryColumn,
    CategoryIndicator,
    CategoryLookup,
    CategorySplit,
    ClassIndex,
    ClippedNumber,
    DistanceMetric,
    ElementaryFunction,
    Exponential,
    Expression,
    FallbackVector,
    FilledCategory,
    FilledNumber,
    GaussianLogDensity,
    Literal,
    MatrixProduct,
    MissingIndicator,
    NearestDistance,
    NeighborMean,
    NeighborVotes,
    NumberColumn,
    NumberIndicator,
    NumberTree,
    OneHot,
    PooledIndicator,
    Power,
    Product,
    Quotient,
    SelectedEntries,
    Softmax,
    Sum,
    TextColumn,
    ThresholdSplit,
    Tokens,
    TreeSplits,
    VectorEntry,
    VectorOf,
    VectorTree,
    WeightedMean,
    WordCountAtLeast,
    WordSum,
)
from tallylearn.tables import Array, Block, DocumentTerms

EQUAL_DISTANCES = 1e-12  # relative: distances closer than this are equal
SAME_DIRECTION = 1e-31  # a squared difference of unit vectors below is rounding, for each column
FAR_SCORE = 1e5  # log scores beyond have lost so many digits that close ones count as tied ...
TIED_SCORES = (1e-9, 1e-14)  # ... within this, absolutely and relatively
WORD_PATTERN = re.compile(r"\w+")
Parts = list[tuple[Array, Array, int]]  # rows, the part of each, and the node where they end


def evaluate(expression: Expression, block: Block) -> Array:
    """The value of a node for every row of a block.

    Returns
    -------
    array
        (n,) doubles of a ``Number``, NaN where missing; (n,) strings or None of a ``Category``;
        (n, k) doubles of a ``Vector``; (n,) integers of a ``Choice``, -1 where there is none.

    Examples
    --------
    >>> from tallylearn.expressions import FilledNumber, Literal, NumberColumn, Sum
    >>> from tallylearn.tables import NUMBER, Column, Schema
    >>> rows = Block(Schema((Column("x", NUMBER),)), np.array([[1.0], [np.nan]]))
    >>> evaluate(Sum((Literal(1.0), FilledNumber(NumberColumn("x"), Literal(5.0)))), rows)
    array([2., 6.])
    """
    with np.errstate(all="ignore"):
        return EvaluatedRows(block).value(expression)


class EvaluatedRows:
    """The rows of a block, and what nodes are worth there that were evaluated before."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self._known: dict[int, tuple[Expression, Array]] = {}
        self._terms: dict[tuple[str, Tokens], list[Counter[str] | None]] = {}

    def __len__(self) -> int:
        return len(self.block)

    def value(self, node: Expression) -> Array:
        """(n, ...) of a node."""
        if id(node) not in self._known:
            self._known[id(node)] = node, _value(node, self)
        return self._known[id(node)][1]

    def at(self, rows: Array) -> EvaluatedRows:
        """Some of the rows."""
        return EvaluatedRows(self.block[rows])

    def terms(self, column: str, tokens: Tokens) -> list[Counter[str] | None]:
        """The terms of every document, counted; None where the document is missing."""
        if (column, tokens) not in self._terms:
            self._terms[column, tokens] = _documents(self.block.text[column], tokens)
        return self._terms[column, tokens]


@singledispatch
def _value(node: Expression, rows: EvaluatedRows) -> Array:
    raise TypeError(f"evaluate: a node {type(node).__name__} has no value.")


# --- columns and arithmetic


@_value.register(NumberColumn)
def _(node: NumberColumn, rows: EvaluatedRows) -> Array:
    return np.asarray(rows.block.numbers[:, rows.block.schema.places[node.name]], dtype=np.float64)


@_value.register(CategoryColumn)
def _(node: CategoryColumn, rows: EvaluatedRows) -> Array:
    return _strings(rows.block.codes[node.name].items())


@_value.register(Literal)
def _(node: Literal, rows: EvaluatedRows) -> Array:
    return np.full(len(rows), node.value)


@_value.register(Sum)
def _(node: Sum, rows: EvaluatedRows) -> Array:
    total = np.zeros(len(rows))
    for term in node.terms:
        total = total + rows.value(term)
    return total


@_value.register(Product)
def _(node: Product, rows: EvaluatedRows) -> Array:
    total = np.ones(len(rows))
    for factor in node.factors:
        total = total * rows.value(factor)
    return total


@_value.register(Quotient)
def _(node: Quotient, rows: EvaluatedRows) -> Array:
    return np.asarray(rows.value(node.numerator) / rows.value(node.denominator))


@_value.register(Power)
def _(node: Power, rows: EvaluatedRows) -> Array:
    return np.asarray(rows.value(node.base) ** node.exponent)


@_value.register(Exponential)
def _(node: Exponential, rows: EvaluatedRows) -> Array:
    return np.asarray(np.exp(rows.value(node.operand)))


@_value.register(ElementaryFunction)
def _(node: ElementaryFunction, rows: EvaluatedRows) -> Array:
    return np.asarray(getattr(np, node.name)(rows.value(node.operand)))


@_value.register(NumberIndicator)
def _(node: NumberIndicator, rows: EvaluatedRows) -> Array:
    return np.where(rows.value(node.operand) == node.value, 1.0, 0.0)


@_value.register(ClippedNumber)
def _(node: ClippedNumber, rows: EvaluatedRows) -> Array:
    return np.clip(rows.value(node.operand), node.low, node.high)


@_value.register(FilledNumber)
def _(node: FilledNumber, rows: EvaluatedRows) -> Array:
    operand = rows.value(node.operand)
    gone = np.isnan(operand)
    return np.where(gone, rows.value(node.otherwise), operand) if gone.any() else operand


@_value.register(GaussianLogDensity)
def _(node: GaussianLogDensity, rows: EvaluatedRows) -> Array:
    away = (rows.value(node.operand) - node.mean) / node.deviation
    return np.asarray(-0.5 * away**2 - np.log(node.deviation) - 0.5 * np.log(2 * np.pi))


# --- categories, missing values and words as numbers


@_value.register(CategoryIndicator)
def _(node: CategoryIndicator, rows: EvaluatedRows) -> Array:
    return _look_up(rows.value(node.operand), {node.value: 1.0}, 0.0, node.missing)


@_value.register(PooledIndicator)
def _(node: PooledIndicator, rows: EvaluatedRows) -> Array:
    return _look_up(rows.value(node.operand), dict.fromkeys(node.known, 0.0), 1.0, node.missing)


@_value.register(CategoryLookup)
def _(node: CategoryLookup, rows: EvaluatedRows) -> Array:
    table = dict(zip(node.values, node.amounts, strict=True))
    return _look_up(rows.value(node.operand), table, node.other, node.missing)


@_value.register(MissingIndicator)
def _(node: MissingIndicator, rows: EvaluatedRows) -> Array:
    if isinstance(node.operand, TextColumn):
        missing = [one is None for one in rows.terms(node.operand.name, Tokens())]
    elif isinstance(node.operand, Category):
        missing = [value is None for value in rows.value(node.operand)]
    else:
        missing = np.isnan(rows.value(node.operand)).tolist()
    return np.array(missing, dtype=np.float64)


@_value.register(WordSum)
def _(node: WordSum, rows: EvaluatedRows) -> Array:
    amount = dict(zip(node.words, node.amounts, strict=True))
    found = []
    for terms in rows.terms(node.operand.name, node.tokens):
        known = {word: n for word, n in (terms or {}).items() if word in amount}
        found.append(sum(amount[word] * (1 if node.binary else n) for word, n in known.items()))
    return np.array(found, dtype=np.float64)


@_value.register(WordCountAtLeast)
def _(node: WordCountAtLeast, rows: EvaluatedRows) -> Array:
    found = [
        sum(word in (terms or {}) for word in node.words) >= node.count
        for terms in rows.terms(node.operand.name, node.tokens)
    ]
    return np.where(found, node.then, node.otherwise)


@_value.register(FilledCategory)
def _(node: FilledCategory, rows: EvaluatedRows) -> Array:
    operand = rows.value(node.operand)
    if isinstance(node.otherwise, str):
        other = [node.otherwise] * len(rows)
    else:
        other = rows.value(node.otherwise).tolist()
    return _strings([b if a is None else a for a, b in zip(operand, other, strict=True)])


@_value.register(BinnedNumber)
def _(node: BinnedNumber, rows: EvaluatedRows) -> Array:
    operand = rows.value(node.operand)
    side: Any = "right" if node.closed == "left" else "left"
    places = np.searchsorted(np.array(node.cuts), operand, side=side)
    pairs = zip(operand.tolist(), places.tolist(), strict=True)
    return _strings([None if x != x else node.labels[at] for x, at in pairs])


# --- trees


@_value.register(NumberTree)
def _(node: NumberTree, rows: EvaluatedRows) -> Array:
    total = np.zeros(len(rows))
    for at, part, end in _ends(node.splits, rows):
        total[at] += part * rows.at(at).value(node.outcomes[end])
    return total


@_value.register(VectorTree)
def _(node: VectorTree, rows: EvaluatedRows) -> Array:
    total = np.zeros((len(rows), len(node.outcomes[0])))
    for at, part, end in _ends(node.splits, rows):
        total[at] += part[:, None] * np.array(node.outcomes[end])
    return total


def _ends(tree: TreeSplits, rows: EvaluatedRows) -> Parts:
    """Where the rows end, in parts where missing values go down every branch."""
    found: Parts = []
    waiting = [(np.arange(len(rows)), np.ones(len(rows)), 0)]
    while waiting:
        at, part, place = waiting.pop()
        split = tree.nodes[place]
        if split is None or not len(at):
            found.append((at, part, place))
            continue
        child, gone = _children(split, rows, at)
        if tree.weights:
            child[gone] = NO_CHILD
        ending = (child == NO_CHILD) & ~(gone if tree.weights else np.zeros(len(at), bool))
        found.append((at[ending], part[ending], place))
        weight = {kid: tree.weights[kid] for kid in _children_of(split)} if tree.weights else {}
        for kid in _children_of(split):
            here = child == kid
            waiting.append((at[here], part[here], kid))
            if tree.weights and gone.any():
                share = weight[kid] / sum(weight.values())
                waiting.append((at[gone], part[gone] * share, kid))
    return found


def _children(
    split: ThresholdSplit | CategorySplit, rows: EvaluatedRows, at: Array
) -> tuple[Array, Array]:
    """(n,) the child that each row goes to, and where the value is missing."""
    value = rows.value(split.operand)[at]
    if isinstance(split, ThresholdSplit):
        gone = np.isnan(value)
        child = np.where(value <= split.threshold, split.low, split.high)
    else:
        gone = np.array([one is None for one in value], dtype=bool)
        table = dict(zip(split.values, split.children, strict=True))
        child = np.array([table.get(one, split.other) for one in value], dtype=np.int64)
    return np.where(gone, split.missing, child), gone


def _children_of(split: ThresholdSplit | CategorySplit) -> list[int]:
    if isinstance(split, ThresholdSplit):
        every = {split.low, split.high, split.missing}
    else:
        every = {*split.children, split.other, split.missing}
    return sorted(every - {NO_CHILD})


# --- distances and neighbours


@_value.register(NearestDistance)
def _(node: NearestDistance, rows: EvaluatedRows) -> Array:
    return np.asarray(_distances(node.distance, node.examples, rows).min(axis=1))


@_value.register(NeighborVotes)
def _(node: NeighborVotes, rows: EvaluatedRows) -> Array:
    label = np.array(node.labels)
    out = np.zeros((len(rows), node.classes))
    distances = _distances(node.distance, node.examples, rows)
    for i, (near, weight) in enumerate(_neighbors(distances, node.k, node.weights, node.ties)):
        np.add.at(out[i], label[near], weight)
    return np.asarray(out / out.sum(axis=1, keepdims=True))


@_value.register(NeighborMean)
def _(node: NeighborMean, rows: EvaluatedRows) -> Array:
    target = np.array(node.targets)
    distances = _distances(node.distance, node.examples, rows)
    found = _neighbors(distances, node.k, node.weights, node.ties)
    return np.array([(weight * target[near]).sum() / weight.sum() for near, weight in found])


def _neighbors(distances: Array, k: int, weights: str, ties: str) -> list[tuple[Array, Array]]:
    """For every row the k nearest examples, and their weights."""
    found = []
    for d in distances:
        near = np.flatnonzero(d <= np.sort(d)[k - 1] * (1 + EQUAL_DISTANCES))
        near = near[np.argsort(d[near], kind="stable")]
        group = np.cumsum(d[near] > np.append(np.inf, d[near][:-1] * (1 + EQUAL_DISTANCES)))
        near = near[np.lexsort((near, group))]  # equal distances: the first example comes first
        near = near[:k] if ties == "first" else near
        found.append((near, _vote_weights(d[near], weights)))
    return found


def _vote_weights(d: Array, weights: str) -> Array:
    if weights == "uniform":
        return np.ones(len(d))
    if (d == 0).any():
        return np.asarray(d == 0, dtype=np.float64)
    nearest = d.min()  # only the ratios count, and these are never infinite
    return np.asarray((nearest / d) ** (1 if weights == "distance" else 2))


def _distances(
    metric: DistanceMetric, examples: Sequence[tuple[Any, ...]], rows: EvaluatedRows
) -> Array:
    """(n, m) from every row to every example."""
    p = len(metric.numbers)
    x = np.array([rows.value(one) for one in metric.numbers]).reshape(p, -1).T
    z = np.array([[np.nan if v is None else v for v in one[:p]] for one in examples], dtype=float)
    z = z.reshape(len(examples), p)
    if metric.metric == "gower":
        return _gower(metric, x, z, [one[p:] for one in examples], rows)
    if metric.metric == "cosine":
        return _cosine(x, z)
    apart = np.abs(x[:, None, :] - z[None, :, :])
    if metric.metric == "euclidean":
        return np.asarray(np.sqrt((apart**2).sum(axis=2)))
    if metric.metric == "manhattan":
        return np.asarray(apart.sum(axis=2))
    if metric.metric == "chebyshev":
        return np.asarray(apart.max(axis=2, initial=0.0))
    return np.asarray((apart**metric.p).sum(axis=2) ** (1 / metric.p))


def _gower(
    metric: DistanceMetric,
    x: Array,
    z: Array,
    values: Sequence[tuple[Any, ...]],
    rows: EvaluatedRows,
) -> Array:
    """The mean difference over the columns that both have; infinite where there is none."""
    apart = np.abs(x[:, None, :] - z[None, :, :]) / np.array(metric.scale)
    total, shared = np.nansum(apart, axis=2), (~np.isnan(apart)).sum(axis=2)
    for j, (operand, known) in enumerate(zip(metric.categories, metric.known, strict=True)):
        for i, value in enumerate(rows.value(operand)):
            if value is None or (metric.unseen_missing and value not in known):
                continue
            for m, example in enumerate(values):
                if example[j] is not None:
                    total[i, m] += value != example[j]
                    shared[i, m] += 1
    return np.where(shared > 0, total / np.maximum(shared, 1), np.inf)


def _cosine(x: Array, z: Array) -> Array:
    """1 - cos(x, z); a row of zeros has no direction, and is 1 from all others."""
    u, v = (one / np.linalg.norm(one, axis=1, keepdims=True) for one in (x, z))
    apart = ((u[:, None, :] - v[None, :, :]) ** 2).sum(axis=2) / 2
    apart[apart < SAME_DIRECTION * x.shape[1]] = 0.0
    return np.where(np.isnan(apart), 1.0, apart)


# --- vectors and choices


@_value.register(VectorOf)
def _(node: VectorOf, rows: EvaluatedRows) -> Array:
    return np.stack([rows.value(item) for item in node.items], axis=1)


@_value.register(VectorEntry)
def _(node: VectorEntry, rows: EvaluatedRows) -> Array:
    return np.asarray(rows.value(node.operand)[:, node.place])


@_value.register(Softmax)
def _(node: Softmax, rows: EvaluatedRows) -> Array:
    scores = rows.value(node.scores)
    best = scores.max(axis=1, keepdims=True)
    slack = TIED_SCORES[0] + TIED_SCORES[1] * np.abs(best)
    tied = (np.abs(best) > FAR_SCORE) & (scores >= best - slack)
    shares = np.exp(np.where(tied, 0.0, scores - best))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


@_value.register(FallbackVector)
def _(node: FallbackVector, rows: EvaluatedRows) -> Array:
    found = rows.value(node.operand)
    empty = np.isneginf(found).all(axis=1, keepdims=True)
    return np.where(empty, rows.value(node.otherwise), found)


@_value.register(MatrixProduct)
def _(node: MatrixProduct, rows: EvaluatedRows) -> Array:
    return np.asarray(rows.value(node.operand) @ np.array(node.matrix))


@_value.register(SelectedEntries)
def _(node: SelectedEntries, rows: EvaluatedRows) -> Array:
    found = rows.value(node.operand)
    return np.append(found, np.zeros((len(found), 1)), axis=1)[:, list(node.places)]


@_value.register(OneHot)
def _(node: OneHot, rows: EvaluatedRows) -> Array:
    chosen = rows.value(node.choice)[:, None] == np.arange(node.classes)
    return np.asarray(chosen, dtype=np.float64)


@_value.register(WeightedMean)
def _(node: WeightedMean, rows: EvaluatedRows) -> Array:
    parts = [w * rows.value(one) for one, w in zip(node.members, node.weights, strict=True)]
    return np.asarray(sum(parts))


@_value.register(Argmax)
def _(node: Argmax, rows: EvaluatedRows) -> Array:
    scores, rule = rows.value(node.scores), node.ties
    best = scores.max(axis=1, keepdims=True)
    slack = rule.absolute + rule.relative * np.abs(best)
    if rule.largest:
        slack = slack + rule.largest * np.abs(scores).max(axis=1, keepdims=True)
    tied = (scores >= best - slack) | (scores == best)
    if rule.choose == LAST:
        return np.asarray(scores.shape[1] - 1 - tied[:, ::-1].argmax(axis=1))
    first = tied.argmax(axis=1)
    if rule.choose == UNDEFINED:
        return np.where(tied.sum(axis=1) > 1, -1, first)
    assert rule.choose == FIRST
    return np.asarray(first)


@_value.register(ClassIndex)
def _(node: ClassIndex, rows: EvaluatedRows) -> Array:
    return np.asarray(rows.value(node.operand), dtype=np.int64)


# --- what nodes share


def _look_up(values: Array, table: dict[str, float], other: float, missing: float) -> Array:
    return np.array([missing if v is None else table.get(v, other) for v in values], dtype=float)


def _strings(values: Sequence[str | None]) -> Array:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _documents(text: Any, tokens: Tokens) -> list[Counter[str] | None]:
    """The terms of documents: Arrow strings, or documents that were counted already."""
    if isinstance(text, DocumentTerms):
        return [_word_counts(text, i) if text.present[i] else None for i in range(len(text))]
    return [None if one is None else Counter(_terms(one, tokens)) for one in text.to_pylist()]


def _word_counts(bags: DocumentTerms, i: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for at in range(int(bags.ends[i]), int(bags.ends[i + 1])):
        found[bags.terms[bags.ids[at]]] += int(bags.times[at]) if len(bags.times) else 1
    return found


def _terms(document: str, tokens: Tokens) -> list[str]:
    words = WORD_PATTERN.findall(document.lower())
    return [
        " ".join(words[at : at + length])
        for length in range(tokens.shortest, tokens.longest + 1)
        for at in range(len(words) - length + 1)
    ]
