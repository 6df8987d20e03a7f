"""Print an expression as statements of a programming language, one for each shared or long part.

A ``Language`` gives the syntax. The functions that the statements call, such as ``softmax`` and
``walk``, are in the file of the language in ``runtimes``; a program contains those that it calls.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from functools import cache, singledispatch
from importlib.resources import files
from typing import Any, ClassVar

from tallylearn.errors import KindError
from tallylearn.expressions import (
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
    Number,
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
    Vector,
    VectorEntry,
    VectorOf,
    VectorTree,
    WeightedMean,
    WordCountAtLeast,
    WordSum,
    children_of,
)
from tallylearn.sources.type_inference.missing_markers import MISSING
from tallylearn.tables import CATEGORY, DATE, Column, Schema

MAX_LENGTH = 100  # characters of an expression that is written inside another one
MAX_TERMS = 40  # of a sum in one statement: parsers recurse into long ones
ATOM = re.compile(r"[\w.]+(\([\w., ]*\))?")  # text that needs no parentheses as a factor


class Language(ABC):
    """The syntax of a language, as text."""

    runtime: ClassVar[str]  # the file with its functions
    sections: ClassVar[str]  # a regular expression: the start of a function, and its name
    names: ClassVar[dict[str, str]] = {}  # of functions that have another name in this language

    def call(self, function: str, *arguments: str) -> str:
        """The call of a function."""
        return f"{self.names.get(function, function)}({', '.join(arguments)})"

    def quotient(self, numerator: str, denominator: str) -> str:
        """A division that follows IEEE 754."""
        return f"{numerator} / {denominator}"

    @abstractmethod
    def read(self, column: Column | None, name: str, part: str) -> tuple[str, list[str]]:
        """The function that reads a column of the row, and its arguments."""

    @abstractmethod
    def number(self, value: float) -> str:
        """A number."""

    @abstractmethod
    def string(self, value: str | None) -> str:
        """A string."""

    @abstractmethod
    def constant(self, kind: str, name: str, value: Any) -> tuple[str, str]:
        """The declaration of a constant, and how it is passed to a function.

        The kinds are "numbers", "integers", "strings", "matrix" (rows of numbers), "cells" (rows
        of strings and None), "lookup" (strings and numbers), "sets" and "tree".
        """

    @abstractmethod
    def scalar(self, kind: str, name: str, text: str) -> str:
        """The statement that a number, a category or a choice has a value."""

    @abstractmethod
    def vector(self, name: str, size: int, function: str, arguments: Sequence[str]) -> str:
        """The statement that a vector is the result of a function."""

    @abstractmethod
    def literal_vector(self, name: str, items: Sequence[str], kind: str) -> str:
        """The statement that a vector, or a list of categories, has these items."""

    @abstractmethod
    def item(self, constant: str, at: str) -> str:
        """An entry of a constant or a vector."""

    @abstractmethod
    def condition(self, test: str, then: str, otherwise: str) -> str:
        """A choice between two numbers."""


class CodeWriter:
    """The statements and constants of one program."""

    def __init__(self, language: Language, schema: Schema) -> None:
        self.language = language
        self.statements: list[str] = []
        self.constants: list[str] = []
        self._read: set[str] = set()
        self._schema = {column.name: column for column in schema.columns}
        self._parts = {
            f"{name}.{part}": (name, part) for name, parts in schema.parts for part in parts
        }
        self._texts: dict[int, tuple[Expression, str]] = {}
        self._known: dict[tuple[Any, ...], str] = {}
        self._uses: Counter[int] = Counter()
        self._counts: Counter[str] = Counter()

    @property
    def columns(self) -> list[str]:
        """The columns that the program reads, in the order of the table."""
        names = (self._parts.get(name, (name,))[0] for name in self._schema)
        return [name for name in dict.fromkeys(names) if name in self._read]

    def texts(self, roots: Sequence[Expression]) -> list[str]:
        """The text of some nodes; what they need is in the statements."""
        for root in roots:
            self._count(root)
        return [self.text(root) for root in roots]

    def text(self, node: Expression) -> str:
        """The text of a node: a name, a constant, or a short expression."""
        if id(node) not in self._texts:
            found = code(node, self)
            if (self._uses[id(node)] > 1 or len(found) > MAX_LENGTH) and not found.isidentifier():
                if isinstance(node, Number) and not isinstance(node, Literal):
                    found = self.scalar("number", found)
                elif isinstance(node, Category):
                    found = self.scalar("category", found)
            self._texts[id(node)] = node, found
        return self._texts[id(node)][1]

    def factor(self, node: Expression) -> str:
        """The same, in parentheses where it is the operand of a product."""
        found = self.text(node)
        return found if ATOM.fullmatch(found) else f"({found})"

    def scalar(self, kind: str, text: str) -> str:
        """A new variable with a value, or the one that has it."""
        return self._named(
            kind[0], (kind, text), lambda name: self.language.scalar(kind, name, text)
        )

    def vector(self, size: int, function: str, *arguments: str) -> str:
        """A new vector, the result of a function."""
        return self._named(
            "v",
            ("vector", function, *arguments),
            lambda name: self.language.vector(name, size, function, arguments),
        )

    def items(self, texts: Sequence[str], kind: str = "number") -> str:
        """A vector of these numbers, or a list of categories."""
        return self._named(
            "v", (kind, *texts), lambda name: self.language.literal_vector(name, texts, kind)
        )

    def constant(self, kind: str, value: Any) -> str:
        """A constant, declared once however often it is used."""
        key = (kind, repr(value))
        if key not in self._known:
            name = self._name(kind.upper() + "_")
            declared, self._known[key] = self.language.constant(kind, name, value)
            self.constants.append(declared)
        return self._known[key]

    def call(self, function: str, *arguments: str) -> str:
        """The call of a function."""
        return self.language.call(function, *arguments)

    def column(self, name: str, kind: str) -> str:
        """The variable with the value of a column."""
        origin, part = self._parts.get(name, (name, ""))
        self._read.add(origin)
        function, arguments = self.language.read(self._schema.get(name), origin, part)
        key = (kind, function, *arguments)
        if key not in self._known:
            plain = "x_" + re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()[:40]
            taken = self._counts[plain]
            self._counts[plain] += 1
            variable = f"{plain}__{taken}" if taken else plain
            text = self.language.call(function, *arguments)
            self.statements.append(self.language.scalar(kind, variable, text))
            self._known[key] = variable
        return self._known[key]

    def terms(self, name: str, tokens: Tokens) -> str:
        """The variable with the counted terms of a document."""
        self._read.add(name)
        string, number = self.language.string, self.language.number
        arguments = (string(name), number(tokens.shortest), number(tokens.longest))
        return self.scalar("terms", self.call("words", "row", *arguments))

    def _named(self, prefix: str, key: tuple[Any, ...], statement: Any) -> str:
        if key not in self._known:
            name = self._name(prefix)
            self.statements.append(statement(name))
            self._known[key] = name
        return self._known[key]

    def _name(self, prefix: str) -> str:
        self._counts[prefix] += 1
        return f"{prefix}{self._counts[prefix]}"

    def _count(self, root: Expression) -> None:
        """Count the places of every node, so that shared ones get a variable."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            self._uses[id(node)] += 1
            if self._uses[id(node)] == 1:
                waiting.extend(children_of(node))


def runtime_functions(language: Language, program: str) -> str:
    """The functions that a program calls, and those that they call, in the order of their file."""
    sections = _sections(language.runtime, language.sections)
    needed: set[str] = set()
    waiting = [program]
    while waiting:
        words = {*re.findall(r"\w+", waiting.pop())}
        new = (words & {*sections}) - needed
        needed |= new
        waiting.extend(sections[name] for name in new)
    return "\n".join(text for name, text in sections.items() if name in needed)


@cache
def _sections(file: str, pattern: str) -> dict[str, str]:
    """The text of each function of a runtime file, by its name."""
    text = (files("tallylearn.exporters") / "runtimes" / file).read_text("utf-8")
    starts = [*re.finditer(pattern, text, re.MULTILINE)]
    ends = [*(one.start() for one in starts[1:]), len(text)]
    return {
        one["name"]: text[one.start() : end].strip() + "\n"
        for one, end in zip(starts, ends, strict=True)
    }


def size_of(node: Vector) -> int:
    """The number of entries of a vector."""
    match node:
        case VectorOf(items=items):
            return len(items)
        case Softmax(scores=of) | FallbackVector(operand=of):
            return size_of(of)
        case MatrixProduct(matrix=matrix):
            return len(matrix[0])
        case SelectedEntries(places=places):
            return len(places)
        case OneHot(classes=k) | NeighborVotes(classes=k):
            return k
        case WeightedMean(members=members):
            return size_of(members[0])
        case VectorTree(outcomes=outcomes):
            return len(outcomes[0])
    raise TypeError(f"{type(node).__name__} is no vector")


@singledispatch
def code(node: Expression, writer: CodeWriter) -> str:
    """The text of a node, after the statements that it needs."""
    raise KindError(f"{type(node).__name__} cannot be written as code.")


# --- columns and arithmetic


@code.register
def _(node: NumberColumn, writer: CodeWriter) -> str:
    return writer.column(node.name, "number")


@code.register
def _(node: CategoryColumn, writer: CodeWriter) -> str:
    return writer.column(node.name, "category")


@code.register
def _(node: Literal, writer: CodeWriter) -> str:
    return writer.language.number(node.value)


@code.register
def _(node: Sum, writer: CodeWriter) -> str:
    terms = [
        f"({text})" if isinstance(term, Sum) and not ATOM.fullmatch(text) else text
        for term, text in ((term, writer.text(term)) for term in node.terms)
    ] or [writer.language.number(0.0)]
    while len(terms) > MAX_TERMS:
        terms[:MAX_TERMS] = [writer.scalar("number", _added(terms[:MAX_TERMS]))]
    return _added(terms)


def _added(terms: Sequence[str]) -> str:
    """a + b - c: to subtract a number is the same as to add its negative."""
    first, *rest = terms
    return first + "".join(f" - {t[1:]}" if t.startswith("-") else f" + {t}" for t in rest)


@code.register
def _(node: Product, writer: CodeWriter) -> str:
    factors = [writer.factor(factor) for factor in node.factors]
    if factors and isinstance(node.factors[0], Literal):
        factors[0] = writer.text(node.factors[0])
    return " * ".join(factors) or writer.language.number(1.0)


@code.register
def _(node: Quotient, writer: CodeWriter) -> str:
    divisor = node.denominator
    parts = writer.factor(node.numerator), writer.factor(divisor)
    if isinstance(divisor, Literal) and divisor.value != 0:
        return " / ".join(parts)
    return writer.language.quotient(*parts)


@code.register
def _(node: Power, writer: CodeWriter) -> str:
    base, exponent = writer.text(node.base), node.exponent
    if exponent == 2:
        base = base if base.isidentifier() else writer.scalar("number", base)
        return f"{base} * {base}"
    return writer.call("power", base, writer.language.number(exponent))


@code.register
def _(node: Exponential, writer: CodeWriter) -> str:
    return writer.call("exp", writer.text(node.operand))


@code.register
def _(node: ElementaryFunction, writer: CodeWriter) -> str:
    return writer.call(node.name, writer.text(node.operand))


@code.register
def _(node: NumberIndicator, writer: CodeWriter) -> str:
    return writer.call("equals", writer.text(node.operand), writer.language.number(node.value))


@code.register
def _(node: ClippedNumber, writer: CodeWriter) -> str:
    ends = map(writer.language.number, (node.low, node.high))
    return writer.call("clip", writer.text(node.operand), *ends)


@code.register
def _(node: FilledNumber, writer: CodeWriter) -> str:
    return writer.call("fill", writer.text(node.operand), writer.text(node.otherwise))


@code.register
def _(node: GaussianLogDensity, writer: CodeWriter) -> str:
    numbers = map(writer.language.number, (node.mean, node.deviation))
    return writer.call("gaussian", writer.text(node.operand), *numbers)


# --- categories, missing values and words as numbers


@code.register
def _(node: CategoryIndicator, writer: CodeWriter) -> str:
    same = CategoryLookup(node.operand, (node.value,), (1.0,), other=0.0, missing=node.missing)
    return code(same, writer)


@code.register
def _(node: PooledIndicator, writer: CodeWriter) -> str:
    zeros = (0.0,) * len(node.known)
    same = CategoryLookup(node.operand, node.known, zeros, other=1.0, missing=node.missing)
    return code(same, writer)


@code.register
def _(node: CategoryLookup, writer: CodeWriter) -> str:
    table = writer.constant("lookup", (node.values, node.amounts))
    others = map(writer.language.number, (node.other, node.missing))
    return writer.call("lookup", writer.text(node.operand), table, *others)


@code.register
def _(node: MissingIndicator, writer: CodeWriter) -> str:
    operand = node.operand
    if isinstance(operand, Number):
        return writer.call("is_missing", writer.text(operand))
    text = (
        writer.terms(operand.name, Tokens())
        if isinstance(operand, TextColumn)
        else writer.text(operand)
    )
    return writer.call("has_no_value", text)


@code.register
def _(node: WordSum, writer: CodeWriter) -> str:
    terms = writer.terms(node.operand.name, node.tokens)
    table = writer.constant("lookup", (node.words, node.amounts))
    return writer.call("word_sum", terms, table, writer.language.number(int(node.binary)))


@code.register
def _(node: WordCountAtLeast, writer: CodeWriter) -> str:
    words = writer.constant("strings", node.words)
    found = writer.call("word_count", writer.terms(node.operand.name, node.tokens), words)
    number = writer.language.number
    test = f"{found} >= {number(node.count)}"
    return writer.language.condition(test, number(node.then), number(node.otherwise))


@code.register
def _(node: FilledCategory, writer: CodeWriter) -> str:
    other = node.otherwise
    text = writer.language.string(other) if isinstance(other, str) else writer.text(other)
    return writer.call("fill_category", writer.text(node.operand), text)


@code.register
def _(node: BinnedNumber, writer: CodeWriter) -> str:
    cuts, labels = writer.constant("numbers", node.cuts), writer.constant("strings", node.labels)
    closed = writer.language.string(node.closed)
    return writer.call("bin_label", writer.text(node.operand), cuts, labels, closed)


# --- trees


@code.register
def _(node: NumberTree, writer: CodeWriter) -> str:
    constant = all(isinstance(outcome, Literal) for outcome in node.outcomes)
    if node.splits.weights:
        if not constant:
            raise KindError(
                "a tree with missing='fractional' and a model at each leaf cannot be written as "
                "code. Fit with missing='branch'."
            )
        rows = tuple((outcome.value,) for outcome in node.outcomes if isinstance(outcome, Literal))
        mixed = writer.vector(1, "mix", *_mixed(writer, node.splits, rows))
        return writer.language.item(mixed, "0")
    end = _end(writer, node.splits)
    if constant:
        values = tuple(one.value for one in node.outcomes if isinstance(one, Literal))
        return writer.language.item(writer.constant("numbers", values), end)
    return writer.language.item(writer.items([writer.text(one) for one in node.outcomes]), end)


@code.register
def _(node: VectorTree, writer: CodeWriter) -> str:
    size = len(node.outcomes[0])
    if node.splits.weights:
        return writer.vector(size, "mix", *_mixed(writer, node.splits, node.outcomes))
    rows = writer.constant("matrix", node.outcomes)
    return writer.vector(size, "entry", rows, _end(writer, node.splits))


def _end(writer: CodeWriter, splits: TreeSplits) -> str:
    """The node where the row ends."""
    return writer.scalar("choice", writer.call("walk", *_tree(writer, splits)))


def _mixed(
    writer: CodeWriter, splits: TreeSplits, outcomes: Sequence[tuple[float, ...]]
) -> tuple[str, ...]:
    tree, *operands = _tree(writer, splits)
    weights = writer.constant("numbers", splits.weights)
    return (tree, weights, *operands, writer.constant("matrix", tuple(outcomes)))


def _tree(writer: CodeWriter, splits: TreeSplits) -> tuple[str, str, str]:
    """The tree, the numbers and the categories that its splits test."""
    operands: dict[type, dict[str, int]] = {ThresholdSplit: {}, CategorySplit: {}}
    nodes: list[tuple[Any, ...] | None] = []
    for split in splits.nodes:
        if split is None:
            nodes.append(None)
            continue
        known = operands[type(split)]
        at = known.setdefault(writer.text(split.operand), len(known))
        if isinstance(split, ThresholdSplit):
            nodes.append((at, split.threshold, split.low, split.high, split.missing))
        else:
            nodes.append((at, (split.values, split.children), split.other, split.missing))
    tree = writer.constant("tree", tuple(nodes))
    numbers = writer.items([*operands[ThresholdSplit]])
    return tree, numbers, writer.items([*operands[CategorySplit]], "category")


# --- distances and neighbours


@code.register
def _(node: NearestDistance, writer: CodeWriter) -> str:
    return writer.call("nearest", _distances(writer, node.distance, node.examples))


@code.register
def _(node: NeighborVotes, writer: CodeWriter) -> str:
    labels = writer.constant("integers", node.labels)
    distances = _distances(writer, node.distance, node.examples)
    number, string = writer.language.number, writer.language.string
    options = (number(node.classes), number(node.k), string(node.weights), string(node.ties))
    return writer.vector(node.classes, "votes", distances, labels, *options)


@code.register
def _(node: NeighborMean, writer: CodeWriter) -> str:
    targets = writer.constant("numbers", node.targets)
    distances = _distances(writer, node.distance, node.examples)
    options = map(writer.language.string, (node.weights, node.ties))
    k = writer.language.number(node.k)
    return writer.call("neighbour_mean", distances, targets, k, *options)


def _distances(
    writer: CodeWriter, metric: DistanceMetric, examples: Sequence[tuple[Any, ...]]
) -> str:
    """The vector of distances from the row to every example."""
    p, m = len(metric.numbers), len(examples)
    numbers = writer.items([writer.text(one) for one in metric.numbers])
    matrix = tuple(tuple(math.nan if v is None else v for v in one[:p]) for one in examples)
    rows = writer.constant("matrix", matrix)
    if metric.metric != "gower":
        name, power = writer.language.string(metric.metric), writer.language.number(metric.p)
        return writer.vector(m, "distances", name, power, numbers, rows)
    scale = writer.constant("numbers", metric.scale)
    categories = writer.items([writer.text(one) for one in metric.categories], "category")
    known = writer.constant("sets", metric.known if metric.unseen_missing else ())
    cells = writer.constant("cells", tuple(one[p:] for one in examples))
    return writer.vector(m, "gower", scale, numbers, categories, known, rows, cells)


# --- vectors and choices


@code.register
def _(node: VectorOf, writer: CodeWriter) -> str:
    return writer.items([writer.text(item) for item in node.items])


@code.register
def _(node: VectorEntry, writer: CodeWriter) -> str:
    return writer.language.item(writer.text(node.operand), str(node.place))


@code.register
def _(node: Softmax, writer: CodeWriter) -> str:
    return writer.vector(size_of(node), "softmax", writer.text(node.scores))


@code.register
def _(node: FallbackVector, writer: CodeWriter) -> str:
    operands = writer.text(node.operand), writer.text(node.otherwise)
    return writer.vector(size_of(node), "fallback", *operands)


@code.register
def _(node: MatrixProduct, writer: CodeWriter) -> str:
    matrix = writer.constant("matrix", node.matrix)
    return writer.vector(size_of(node), "matrix_product", writer.text(node.operand), matrix)


@code.register
def _(node: SelectedEntries, writer: CodeWriter) -> str:
    places = writer.constant("integers", node.places)
    return writer.vector(size_of(node), "select", writer.text(node.operand), places)


@code.register
def _(node: OneHot, writer: CodeWriter) -> str:
    size = writer.language.number(node.classes)
    return writer.vector(node.classes, "one_hot", writer.text(node.choice), size)


@code.register
def _(node: WeightedMean, writer: CodeWriter) -> str:
    size, total = size_of(node), ""
    for member, weight in zip(node.members, node.weights, strict=True):
        text, number = writer.text(member), writer.language.number(weight)
        if total:
            total = writer.vector(size, "added", total, text, number)
        else:
            total = writer.vector(size, "scaled", text, number)
    return total


@code.register
def _(node: Argmax, writer: CodeWriter) -> str:
    rule, number = node.ties, writer.language.number
    slack = map(number, (rule.absolute, rule.relative, rule.largest))
    chosen = writer.language.string(rule.choose)
    return writer.scalar("choice", writer.call("argmax", writer.text(node.scores), *slack, chosen))


@code.register
def _(node: ClassIndex, writer: CodeWriter) -> str:
    return writer.scalar("choice", writer.call("index", writer.text(node.operand)))


def column_reader(column: Column | None) -> str:
    """The function that reads a column: as numbers, days, or categories of its origin."""
    if column is None or column.kind not in (CATEGORY, DATE):
        return "number"
    if column.kind == DATE:
        return "days"
    return {"number": "numeral", "truth": "truth"}.get(column.origin, "category")


def missing_markers(schema: Schema) -> tuple[Any, ...]:
    """The texts and numbers that stand for a missing value."""
    declared = (one for one in schema.missing if isinstance(one, str | int | float))
    return tuple(dict.fromkeys([*MISSING, *declared]))
