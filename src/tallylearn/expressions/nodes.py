"""The nodes of an expression tree: frozen dataclasses without callables.

A node is one of four types, by what it gives for a row:

- ``Number``: a double, NaN where it is missing;
- ``Category``: a string, None where it is missing;
- ``Vector``: k doubles, one for each class;
- ``Choice``: the index of a class, or -1 where a tie has no answer.

A model's decision function is a ``ClassifierExpression``, a ``RegressorExpression`` or a
``ClusterExpression``. ``evaluate`` says what every node means; a printer needs one case a node.
Missing values spread through arithmetic, as NULL does in SQL; ``FilledNumber`` ends that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

FIRST, LAST, UNDEFINED = "first", "last", "undefined"  # which class of tied ones is chosen
NO_CHILD = -1  # in the place of a node's child: a row ends at the node itself


@dataclass(frozen=True)
class Expression:
    """A node of an expression tree."""

    def to_dict(self) -> dict[str, Any]:
        """The node and all below it as plain data for JSON; ``node`` is the name of its class."""
        found = {field.name: _plain(getattr(self, field.name)) for field in fields(self)}
        return {"node": type(self).__name__, **found}


class Number(Expression):
    """A double for every row; NaN where it is missing."""


class Category(Expression):
    """A string for every row; None where it is missing."""


class Vector(Expression):
    """k doubles for every row, one for each class."""


class ClassChoice(Expression):
    """The index of a class for every row; -1 where a tie has no answer."""


# --- columns of the table


@dataclass(frozen=True)
class NumberColumn(Number):
    """A column of numbers, or of dates as days since 1970."""

    name: str


@dataclass(frozen=True)
class CategoryColumn(Category):
    """A column of categories."""

    name: str


@dataclass(frozen=True)
class TextColumn(Expression):
    """A column of documents."""

    name: str


# --- arithmetic


@dataclass(frozen=True)
class Literal(Number):
    """A constant."""

    value: float


@dataclass(frozen=True)
class Sum(Number):
    """The sum of its terms, from left to right."""

    terms: tuple[Number, ...]


@dataclass(frozen=True)
class Product(Number):
    """The product of its factors, from left to right."""

    factors: tuple[Number, ...]


@dataclass(frozen=True)
class Quotient(Number):
    """Numerator divided by denominator."""

    numerator: Number
    denominator: Number


@dataclass(frozen=True)
class Power(Number):
    """A number raised to a constant exponent."""

    base: Number
    exponent: float


@dataclass(frozen=True)
class Exponential(Number):
    """e raised to a number."""

    operand: Number


@dataclass(frozen=True)
class ClippedNumber(Number):
    """A number limited to the range from low to high."""

    operand: Number
    low: float
    high: float


@dataclass(frozen=True)
class FilledNumber(Number):
    """A number, and another one where it is missing."""

    operand: Number
    otherwise: Number


@dataclass(frozen=True)
class GaussianLogDensity(Number):
    """The log density of a normal distribution: -(x - mean)² / (2 sd²) - log(sd √(2π))."""

    operand: Number
    mean: float
    deviation: float


# --- categories, missing values and words as numbers


@dataclass(frozen=True)
class CategoryIndicator(Number):
    """1 where the category has a value, 0 where it has another one."""

    operand: Category
    value: str
    missing: float = 0.0


@dataclass(frozen=True)
class PooledIndicator(Number):
    """1 where the category has none of the known values: a rare or unseen one; else 0."""

    operand: Category
    known: tuple[str, ...]
    missing: float = 0.0


@dataclass(frozen=True)
class CategoryLookup(Number):
    """The amount of the category's value; ``other`` for a value that is not listed."""

    operand: Category
    values: tuple[str, ...]
    amounts: tuple[float, ...]
    other: float
    missing: float


@dataclass(frozen=True)
class MissingIndicator(Number):
    """1 where the operand is missing, else 0."""

    operand: Number | Category | TextColumn


@dataclass(frozen=True)
class Tokens(Expression):
    """How a document becomes terms: lower case, runs of letters, digits and underscores.

    Every ``shortest`` to ``longest`` of them in a row, joined by blanks, are a term (n-grams).
    """

    shortest: int = 1
    longest: int = 1


@dataclass(frozen=True)
class WordSum(Number):
    """The sum over the terms of a document of an amount for each; 0 for a missing document.

    A term that comes twice counts twice, unless ``binary``. Terms that are not listed add nothing.
    """

    operand: TextColumn
    tokens: Tokens
    words: tuple[str, ...]
    amounts: tuple[float, ...]
    binary: bool = False


@dataclass(frozen=True)
class WordCountAtLeast(Number):
    """``then`` where a document has at least so many of the words, each counted once; else ``otherwise``."""  # noqa: E501

    operand: TextColumn
    tokens: Tokens
    words: tuple[str, ...]
    count: int
    then: float
    otherwise: float


# --- numbers as categories, and categories filled


@dataclass(frozen=True)
class FilledCategory(Category):
    """A category, and another one where it is missing."""

    operand: Category
    otherwise: Category | str


@dataclass(frozen=True)
class BinnedNumber(Category):
    """The label of the interval that a number lies in: ``labels[i]`` from ``cuts[i - 1]`` on.

    A number equal to a cut lies in the interval above it, or below it where ``closed`` is "right".
    """

    operand: Number
    cuts: tuple[float, ...]
    labels: tuple[str, ...]
    closed: str = "left"


# --- trees


@dataclass(frozen=True)
class ThresholdSplit(Expression):
    """At most the threshold: to ``low``; above it: to ``high``; missing: to ``missing``."""

    operand: Number
    threshold: float
    low: int
    high: int
    missing: int = NO_CHILD


@dataclass(frozen=True)
class CategorySplit(Expression):
    """``values[i]`` leads to ``children[i]``, every other value to ``other``."""

    operand: Category
    values: tuple[str, ...]
    children: tuple[int, ...]
    other: int = NO_CHILD
    missing: int = NO_CHILD


@dataclass(frozen=True)
class TreeSplits(Expression):
    """The splits of a decision tree, node 0 being the root and None a leaf.

    A row ends at a leaf, or at a node that has no child (-1) for its value. With ``weights``, a
    row with a missing value goes down every branch in parts, in proportion to the weights of the
    children (Quinlan, C4.5, 1993, chapter 3), and the outcomes are averaged by the parts.
    """

    nodes: tuple[ThresholdSplit | CategorySplit | None, ...]
    weights: tuple[float, ...] = ()


@dataclass(frozen=True)
class NumberTree(Number):
    """The outcome of the node where a row ends."""

    splits: TreeSplits
    outcomes: tuple[Number, ...]


@dataclass(frozen=True)
class VectorTree(Vector):
    """The same for vectors of constants."""

    splits: TreeSplits
    outcomes: tuple[tuple[float, ...], ...]


# --- distances and neighbours


@dataclass(frozen=True)
class DistanceMetric(Expression):
    """How far a row is from an example.

    ``numbers`` and ``categories`` are the coordinates of the row. ``metric`` is "euclidean",
    "manhattan", "chebyshev", "minkowski" (of power ``p``), "cosine" or "gower": the mean, over the
    coordinates that both have, of |x - z| / scale for numbers and of [x ≠ z] for categories. A
    category that is not ``known`` differs from all, or is missing where ``unseen_missing``.
    """

    metric: str
    numbers: tuple[Number, ...]
    categories: tuple[Category, ...] = ()
    known: tuple[tuple[str, ...], ...] = ()
    scale: tuple[float, ...] = ()
    p: float = 2.0
    unseen_missing: bool = False


@dataclass(frozen=True)
class NearestDistance(Number):
    """The distance to the nearest of some examples: numbers, then categories; None is missing."""

    distance: DistanceMetric
    examples: tuple[tuple[float | str | None, ...], ...]


@dataclass(frozen=True)
class NeighborVotes(Vector):
    """The share of the votes of the k nearest examples that every class gets.

    ``weights`` is "uniform", "distance" (1 / d) or "inverse_square" (1 / d²); examples at distance
    0 decide alone. Distances are equal that differ by 1e-12, relatively. With ``ties`` "all",
    examples as far as the k-th vote too; with "first", the first ones in order.
    """

    distance: DistanceMetric
    examples: tuple[tuple[float | str | None, ...], ...]
    labels: tuple[int, ...]
    classes: int
    k: int
    weights: str = "uniform"
    ties: str = "all"


@dataclass(frozen=True)
class NeighborMean(Number):
    """The mean of the targets of the k nearest examples, weighted as in ``NeighborVotes``."""

    distance: DistanceMetric
    examples: tuple[tuple[float | str | None, ...], ...]
    targets: tuple[float, ...]
    k: int
    weights: str = "uniform"
    ties: str = "all"


# --- vectors and choices


@dataclass(frozen=True)
class VectorOf(Vector):
    """A vector of numbers."""

    items: tuple[Number, ...]


@dataclass(frozen=True)
class Softmax(Vector):
    """exp(score), normalised to sum to one; the largest score is subtracted first."""

    scores: Vector


@dataclass(frozen=True)
class FallbackVector(Vector):
    """A vector, and another one where all its entries are minus infinity."""

    operand: Vector
    otherwise: Vector


@dataclass(frozen=True)
class MatrixProduct(Vector):
    """A row vector times a matrix: expected losses, for example."""

    operand: Vector
    matrix: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class SelectedEntries(Vector):
    """``places[i]`` of the operand as entry i; 0 where the place is -1."""

    operand: Vector
    places: tuple[int, ...]


@dataclass(frozen=True)
class OneHot(Vector):
    """1 for the chosen class, 0 for the others; all 0 where there is no answer."""

    choice: ClassChoice
    classes: int


@dataclass(frozen=True)
class WeightedMean(Vector):
    """The sum of the members times their weights: a vote, soft or (of ``OneHot``) hard."""

    members: tuple[Vector, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True)
class TieRule(Expression):
    """When scores are tied, and which of the tied classes is chosen: the first, the last, or none.

    A score is tied with the best one within ``absolute + relative · |best| + largest · max |score|``.
    """  # noqa: E501

    absolute: float = 0.0
    relative: float = 0.0
    largest: float = 0.0
    choose: str = FIRST


@dataclass(frozen=True)
class Argmax(ClassChoice):
    """The class of the largest score."""

    scores: Vector
    ties: TieRule = TieRule()


@dataclass(frozen=True)
class ClassIndex(ClassChoice):
    """A class by a number that is its index, as the nodes of a tree hold it."""

    operand: Number


# --- models


@dataclass(frozen=True)
class ClassifierExpression(Expression):
    """The decision function of a classifier."""

    classes: tuple[Any, ...]
    choice: ClassChoice
    probabilities: Vector


@dataclass(frozen=True)
class RegressorExpression(Expression):
    """The decision function of a regressor: one number for each target."""

    values: tuple[Number, ...]


@dataclass(frozen=True)
class ClusterExpression(Expression):
    """The index of the cluster that a row belongs to."""

    choice: ClassChoice


ModelExpression = ClassifierExpression | RegressorExpression | ClusterExpression


def linear_sum(
    level: float, terms: Sequence[Number], coefficients: Sequence[float], centre: Sequence[float]
) -> Sum:
    """level + Σ coefficient · (term - centre); coefficients of 0 are left out."""
    found: list[Number] = [Literal(float(level))]
    for term, coefficient, away in zip(terms, coefficients, centre, strict=True):
        if coefficient != 0:
            moved = Sum((term, Literal(-float(away)))) if away != 0 else term
            found.append(Product((Literal(float(coefficient)), moved)))
    return Sum(tuple(found))


def _plain(value: Any) -> Any:
    if isinstance(value, Expression):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
