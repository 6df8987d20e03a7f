"""The nodes of an expression tree: frozen records without callables.

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
from inspect import get_annotations
from typing import Any, ClassVar, dataclass_transform

FIRST, LAST, UNDEFINED = "first", "last", "undefined"  # which class of tied ones is chosen
NO_CHILD = -1  # in the place of a node's child: a row ends at the node itself


@dataclass_transform(frozen_default=True)
class Expression:
    """A node of an expression tree: a frozen record of its annotated fields.

    It behaves as a frozen dataclass does (keyword and positional construction, equality, hash,
    repr), and costs a twentieth of one to define: importing the package creates all
    nodes, and fifty dataclasses take 50 ms.
    """

    field_names: ClassVar[tuple[str, ...]] = ()  # the names of the fields

    def __init_subclass__(cls) -> None:
        cls.field_names = (*cls.field_names, *get_annotations(cls))

    def __init__(self, *args: Any, **options: Any) -> None:
        names = self.field_names
        given = dict(zip(names, args, strict=False)) | options
        missing = [name for name in names if name not in given and not hasattr(type(self), name)]
        if len(given) < len(args) + len(options) or missing or not {*given} <= {*names}:
            raise TypeError(f"{type(self).__name__} takes {', '.join(names)}: got {[*given]}.")
        self.__dict__.update({n: given[n] if n in given else getattr(type(self), n) for n in names})

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted.")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({values})"

    def to_dict(self) -> dict[str, Any]:
        """The node and all below it as plain data for JSON; ``node`` is the name of its class."""
        found = {name: _to_plain(value) for name, value in self.__dict__.items()}
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


class NumberColumn(Number):
    """A column of numbers, or of dates as days since 1970."""

    name: str


class CategoryColumn(Category):
    """A column of categories."""

    name: str


class TextColumn(Expression):
    """A column of documents."""

    name: str


# --- arithmetic


class Literal(Number):
    """A constant."""

    value: float


class Sum(Number):
    """The sum of its terms, from left to right."""

    terms: tuple[Number, ...]


class Product(Number):
    """The product of its factors, from left to right."""

    factors: tuple[Number, ...]


class Quotient(Number):
    """Numerator divided by denominator."""

    numerator: Number
    denominator: Number


class Power(Number):
    """A number raised to a constant exponent."""

    base: Number
    exponent: float


class Exponential(Number):
    """e raised to a number."""

    operand: Number


class ElementaryFunction(Number):
    """A function of a number by NumPy's name: log, log2, log10, log1p, expm1, sqrt, abs, sin ..."""

    name: str
    operand: Number


class ClippedNumber(Number):
    """A number limited to the range from low to high."""

    operand: Number
    low: float
    high: float


class FilledNumber(Number):
    """A number, and another one where it is missing."""

    operand: Number
    otherwise: Number


class GaussianLogDensity(Number):
    """The log density of a normal distribution: -(x - mean)² / (2 sd²) - log(sd √(2π))."""

    operand: Number
    mean: float
    deviation: float


# --- categories, missing values and words as numbers


class CategoryIndicator(Number):
    """1 where the category has a value, 0 where it has another one."""

    operand: Category
    value: str
    missing: float = 0.0


class NumberIndicator(Number):
    """1 where the number is equal to a value, else 0."""

    operand: Number
    value: float


class PooledIndicator(Number):
    """1 where the category has none of the known values: a rare or unseen one; else 0."""

    operand: Category
    known: tuple[str, ...]
    missing: float = 0.0


class CategoryLookup(Number):
    """The amount of the category's value; ``other`` for a value that is not listed."""

    operand: Category
    values: tuple[str, ...]
    amounts: tuple[float, ...]
    other: float
    missing: float


class MissingIndicator(Number):
    """1 where the operand is missing, else 0."""

    operand: Number | Category | TextColumn


class Tokens(Expression):
    """How a document becomes terms: lower case, runs of letters, digits and underscores.

    Every ``shortest`` to ``longest`` of them in a row, joined by blanks, are a term (n-grams).
    """

    shortest: int = 1
    longest: int = 1


class WordSum(Number):
    """The sum over the terms of a document of an amount for each; 0 for a missing document.

    A term that comes twice counts twice, unless ``binary``. Terms that are not listed add nothing.
    """

    operand: TextColumn
    tokens: Tokens
    words: tuple[str, ...]
    amounts: tuple[float, ...]
    binary: bool = False


class WordCountAtLeast(Number):
    """``then`` where a document has at least so many of the words, each counted once; else ``otherwise``."""  # noqa: E501

    operand: TextColumn
    tokens: Tokens
    words: tuple[str, ...]
    count: int
    then: float
    otherwise: float


# --- numbers as categories, and categories filled


class FilledCategory(Category):
    """A category, and another one where it is missing."""

    operand: Category
    otherwise: Category | str


class BinnedNumber(Category):
    """The label of the interval that a number lies in: ``labels[i]`` from ``cuts[i - 1]`` on.

    A number equal to a cut lies in the interval above it, or below it where ``closed`` is "right".
    """

    operand: Number
    cuts: tuple[float, ...]
    labels: tuple[str, ...]
    closed: str = "left"


# --- trees


class ThresholdSplit(Expression):
    """At most the threshold: to ``low``; above it: to ``high``; missing: to ``missing``."""

    operand: Number
    threshold: float
    low: int
    high: int
    missing: int = NO_CHILD


class CategorySplit(Expression):
    """``values[i]`` leads to ``children[i]``, every other value to ``other``."""

    operand: Category
    values: tuple[str, ...]
    children: tuple[int, ...]
    other: int = NO_CHILD
    missing: int = NO_CHILD


class TreeSplits(Expression):
    """The splits of a decision tree, node 0 being the root and None a leaf.

    A row ends at a leaf, or at a node that has no child (-1) for its value. With ``weights``, a
    row with a missing value goes down every branch in parts, in proportion to the weights of the
    children (Quinlan, C4.5, 1993, chapter 3), and the outcomes are averaged by the parts.
    """

    nodes: tuple[ThresholdSplit | CategorySplit | None, ...]
    weights: tuple[float, ...] = ()


class NumberTree(Number):
    """The outcome of the node where a row ends."""

    splits: TreeSplits
    outcomes: tuple[Number, ...]


class VectorTree(Vector):
    """The same for vectors of constants."""

    splits: TreeSplits
    outcomes: tuple[tuple[float, ...], ...]


# --- distances and neighbours


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


class NearestDistance(Number):
    """The distance to the nearest of some examples: numbers, then categories; None is missing."""

    distance: DistanceMetric
    examples: tuple[tuple[float | str | None, ...], ...]


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


class NeighborMean(Number):
    """The mean of the targets of the k nearest examples, weighted as in ``NeighborVotes``."""

    distance: DistanceMetric
    examples: tuple[tuple[float | str | None, ...], ...]
    targets: tuple[float, ...]
    k: int
    weights: str = "uniform"
    ties: str = "all"


# --- vectors and choices


class VectorOf(Vector):
    """A vector of numbers."""

    items: tuple[Number, ...]


class VectorEntry(Number):
    """One entry of a vector."""

    operand: Vector
    place: int


class Softmax(Vector):
    """exp(score), normalised to sum to one; the largest score is subtracted first."""

    scores: Vector


class FallbackVector(Vector):
    """A vector, and another one where all its entries are minus infinity."""

    operand: Vector
    otherwise: Vector


class MatrixProduct(Vector):
    """A row vector times a matrix: expected losses, for example."""

    operand: Vector
    matrix: tuple[tuple[float, ...], ...]


class SelectedEntries(Vector):
    """``places[i]`` of the operand as entry i; 0 where the place is -1."""

    operand: Vector
    places: tuple[int, ...]


class OneHot(Vector):
    """1 for the chosen class, 0 for the others; all 0 where there is no answer."""

    choice: ClassChoice
    classes: int


class WeightedMean(Vector):
    """The sum of the members times their weights: a vote, soft or (of ``OneHot``) hard."""

    members: tuple[Vector, ...]
    weights: tuple[float, ...]


class TieRule(Expression):
    """When scores are tied, and which of the tied classes is chosen: the first, the last, or none.

    A score is tied with the best one within ``absolute + relative · |best| + largest · max |score|``.
    """  # noqa: E501

    absolute: float = 0.0
    relative: float = 0.0
    largest: float = 0.0
    choose: str = FIRST


class Argmax(ClassChoice):
    """The class of the largest score."""

    scores: Vector
    ties: TieRule = TieRule()


class ClassIndex(ClassChoice):
    """A class by a number that is its index, as the nodes of a tree hold it."""

    operand: Number


# --- models


class ClassifierExpression(Expression):
    """The decision function of a classifier."""

    classes: tuple[Any, ...]
    choice: ClassChoice
    probabilities: Vector


class RegressorExpression(Expression):
    """The decision function of a regressor: one number for each target."""

    values: tuple[Number, ...]


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


def _to_plain(value: Any) -> Any:
    if isinstance(value, Expression):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_to_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
