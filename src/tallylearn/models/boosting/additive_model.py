"""The fitted additive model: a curve for every column, and tables of pairs of columns.

The raw score of a row is the intercept plus one value a column, looked up by the bin of the row,
plus one value a pair. A curve has the mean 0 over the training rows, so each value is what the bin
adds to the mean score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from tallylearn.estimators import RegressionModel
from tallylearn.estimators.model import ScoringModel, build_score_expression, choice, log_shares
from tallylearn.expressions import (
    BinnedNumber,
    CategoryColumn,
    CategoryLookup,
    CategorySplit,
    ClassifierExpression,
    Literal,
    Number,
    NumberColumn,
    NumberTree,
    RegressorExpression,
    Sum,
    ThresholdSplit,
    TreeSplits,
    VectorOf,
)
from tallylearn.expressions.nodes import NO_CHILD
from tallylearn.models.boosting.losses import (
    IDENTITY,
    LOGISTIC,
    SOFTMAX,
    class_scores,
    linked_numbers,
)
from tallylearn.models.trees.routing import category_codes
from tallylearn.models.trees.shapley import value_text
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
from tallylearn.workings import (
    Derivation,
    Evidence,
    EvidenceLine,
    Formula,
    Grid,
    Sentence,
    Term,
    format_number,
)
from tallylearn.workings.reasons import AT_MEAN_SCORE, LOG_ODDS, ON_AVERAGE, Contributions
from tallylearn.workings.reasons import NUMBER as NUMBERS
from tallylearn.workings.units import value_formatter

BAND = 1.959963984540054  # standard deviations of the bags to each side
MISSING, UNSEEN = "missing", "unseen"
OTHER_CELLS = {NUMBER: 1, DATE: 1, CATEGORY: 2}  # cells behind the bins: missing, unseen


@dataclass(frozen=True)
class ColumnCurve:
    """The term of one column.

    Attributes
    ----------
    column : str
    labels : tuple of str
        The bins: intervals of numbers, or categories; then missing, and unseen categories.
    edges : ndarray of shape (bins - 1,)
        The numbers between two bins; a number equal to an edge is in the lower bin. Empty for a
        category.
    values, lower, upper : ndarray of shape (outputs, labels)
        What a bin adds to the raw score, and 1.96 standard deviations of the bags around it.
    rows : ndarray of shape (labels,)
        The weight of the training rows in every bin.
    """

    column: str
    labels: tuple[str, ...]
    edges: Array
    values: Array
    lower: Array
    upper: Array
    rows: Array


@dataclass(frozen=True)
class PairTable:
    """The term of two columns beyond their curves; the last bins are of missing values."""

    columns: tuple[str, str]
    labels: tuple[tuple[str, ...], tuple[str, ...]]
    values: Array  # (outputs, first, second)
    lower: Array
    upper: Array
    rows: Array


@dataclass(frozen=True, eq=False)
class AdditiveModel:
    """An intercept, the curves of all columns side by side, and the tables of pairs.

    The cells of a column are its bins, one for missing values, and of a category one for values
    that training did not have. ``groups`` says for every cell which row or column of a pair's table
    it belongs to.
    """

    columns: tuple[Column, ...]  # of a category, ``values`` are those seen or declared, sorted
    classes: tuple[Any, ...]
    link: str
    intercept: Array  # (k,)
    sizes: Array  # (p,) cells of every column
    edges: Array  # (e,) numbers between two bins, column by column
    category_bins: Array  # (v,) the bin of every value of the categories, column by column
    values: Array  # (k, c)
    spread: Array  # (k, c) standard deviations over the bags
    rows: Array  # (c,) weight of the training rows
    groups: Array  # (c,)
    pairs: Array  # (q, 2) columns
    pair_values: Array  # (k, d)
    pair_spread: Array
    pair_rows: Array
    rounds: Array  # (bags, 2) of curves and of pairs
    losses: Array  # (bags or 0, 3) of the validation rows: at the start, of the curves, at the end

    form: ClassVar[field_schemas.Form] = {
        "columns": field_schemas.many(field_schemas.one(Column)),
        "classes": field_schemas.keys(),
        "link": field_schemas.text(IDENTITY, LOGISTIC, SOFTMAX),
        "intercept": field_schemas.floats("k"),
        "sizes": field_schemas.integers("p", least=1),
        "edges": field_schemas.floats("e"),
        "category_bins": field_schemas.integers("v", least=0),
        "values": field_schemas.floats("k", "c"),
        "spread": field_schemas.floats("k", "c", least=0.0),
        "rows": field_schemas.floats("c", least=0.0),
        "groups": field_schemas.integers("c", least=0),
        "pairs": field_schemas.integers("q", 2, least=0),
        "pair_values": field_schemas.floats("k", "d"),
        "pair_spread": field_schemas.floats("k", "d", least=0.0),
        "pair_rows": field_schemas.floats("d", least=0.0),
        "rounds": field_schemas.integers("b", 2, least=0),
        "losses": field_schemas.floats("a", 3),
    }

    def __post_init__(self) -> None:
        p = len(self.columns)
        check_shape("sizes", self.sizes, p)
        check_shape("values", self.values, len(self.intercept), int(self.sizes.sum()))
        kinds = [column.kind for column in self.columns]
        bins = [self.n_bins(j) for j in range(p)]
        numbers = sum(max(bins[j] - 1, 0) for j in range(p) if kinds[j] != CATEGORY)
        if min(bins, default=0) < 0 or len(self.edges) != numbers:
            raise ValueError("the edges are not those between the bins")
        check_shape(
            "category_bins", self.category_bins,
            sum(len(c.values) for c in self.columns if c.kind == CATEGORY),
        )  # fmt: skip
        for j, kind in enumerate(kinds):
            if (np.diff(self.edges_of(j)) <= 0).any():
                raise ValueError("the edges of a column do not rise")
            if kind == CATEGORY and len(own := self.bins_of(j)) and own.max() >= bins[j]:
                raise ValueError("a category is in a bin that is not there")
        if (self.pairs >= p).any():
            raise ValueError("a pair is of columns that are not there")
        cells = sum(math.prod(self.pair_shape(t)) for t in range(len(self.pairs)))
        check_shape("pair_values", self.pair_values, len(self.intercept), cells)

    def check(self, schema: Schema) -> None:
        """What a file says can be curves over columns of this schema."""
        own = [(column.name, column.kind, column.origin) for column in self.columns]
        if own != [(column.name, column.kind, column.origin) for column in schema.columns]:
            raise ValueError("the curves are of other columns than the schema's")
        if any(column.values and column.kind != CATEGORY for column in self.columns):
            raise ValueError("a column has values, and is no category")
        expected = 1 if len(self.classes) in (0, 2) else len(self.classes)
        if len(self.intercept) != expected:
            raise ValueError("the raw scores are of other classes")

    @property
    def outputs(self) -> int:
        """Raw scores of a row."""
        return len(self.intercept)

    @cached_property
    def starts(self) -> Array:
        """(p + 1,) where the cells of every column start."""
        return np.cumsum([0, *self.sizes.tolist()])

    @cached_property
    def pair_starts(self) -> Array:
        """(q + 1,) where the cells of every pair start."""
        sizes = [math.prod(self.pair_shape(t)) for t in range(len(self.pairs))]
        return np.cumsum([0, *sizes])

    @cached_property
    def _edge_starts(self) -> Array:
        kinds = [column.kind for column in self.columns]
        sizes = [
            0 if kind == CATEGORY else max(size - 2, 0)
            for size, kind in zip(self.sizes.tolist(), kinds, strict=True)
        ]
        return np.cumsum([0, *sizes])

    @cached_property
    def _value_starts(self) -> Array:
        sizes = [len(c.values) if c.kind == CATEGORY else 0 for c in self.columns]
        return np.cumsum([0, *sizes])

    def cells(self, j: int) -> slice:
        """The cells of a column."""
        return slice(int(self.starts[j]), int(self.starts[j + 1]))

    def edges_of(self, j: int) -> Array:
        """The numbers between the bins of a column."""
        return self.edges[self._edge_starts[j] : self._edge_starts[j + 1]]

    def bins_of(self, j: int) -> Array:
        """The bin of every value of a category."""
        return self.category_bins[self._value_starts[j] : self._value_starts[j + 1]]

    def n_bins(self, j: int) -> int:
        """The bins of a column, without those for missing and unseen values."""
        return int(self.sizes[j]) - OTHER_CELLS.get(self.columns[j].kind, 1)

    def pair_shape(self, t: int) -> tuple[int, int]:
        """The rows and columns of a pair's table."""
        first, second = (int(self.groups[self.cells(int(j))].max()) + 1 for j in self.pairs[t])
        return first, second

    def pair_table(self, t: int, values: Array) -> Array:
        """(..., first, second) what ``values`` has for the cells of a pair."""
        at = values[..., self.pair_starts[t] : self.pair_starts[t + 1]]
        return np.asarray(at.reshape(*values.shape[:-1], *self.pair_shape(t)))

    @property
    def category_values(self) -> dict[str, tuple[str, ...]]:
        """The values of the categories, as the curves have them."""
        return {c.name: c.values for c in self.columns if c.kind == CATEGORY}

    @cached_property
    def _category_numbers(self) -> dict[str, dict[Any, int]]:
        return {name: {v: i for i, v in enumerate(of)} for name, of in self.category_values.items()}

    def codes(self, block: Block, j: int) -> Array:
        """(n,) the cell of every row in a column, from 0 on."""
        column, bins = self.columns[j], self.n_bins(j)
        if column.kind == CATEGORY:
            number = category_codes(
                column.values, self._category_numbers[column.name], block.codes[column.name]
            )
            return np.asarray(np.append(self.bins_of(j), [bins + 1, bins])[number])  # -1: missing
        place = block.schema.places.get(column.name)
        if place is None or not bins:
            return np.full(len(block), bins)
        x = block.numbers[:, place]
        return np.where(np.isnan(x), bins, np.searchsorted(self.edges_of(j), x, side="left"))

    def terms(self, block: Block) -> tuple[Array, Array]:
        """(p, k, n) what every column adds, and (q, k, n) every pair."""
        n = len(block)
        codes = [self.codes(block, j) for j in range(len(self.columns))]
        out = np.empty((len(codes), self.outputs, n))
        for j, own in enumerate(codes):
            out[j] = self.values[:, self.starts[j] + own]
        pairs = np.empty((len(self.pairs), self.outputs, n))
        for t, (a, b) in enumerate(self.pairs.tolist()):
            rows, columns = (self.groups[self.starts[j] + codes[j]] for j in (a, b))
            pairs[t] = self.pair_table(t, self.pair_values)[:, rows, columns]
        return out, pairs

    def raw_scores(self, block: Block) -> Array:
        """(n, outputs) the intercept and all terms, in the order of the columns."""
        columns, pairs = self.terms(block)
        out = np.repeat(self.intercept[:, None], len(block), axis=1)
        for term in (*columns, *pairs):
            out += term
        return np.ascontiguousarray(out.T)

    @cached_property
    def importances(self) -> Array:
        """(p + q,) the mean distance from 0 of every term, over training rows and outputs."""
        weight = self.rows[self.cells(0)].sum() if len(self.columns) else 1.0
        columns = [
            float((np.abs(self.values[:, self.cells(j)]) @ self.rows[self.cells(j)]).mean())
            for j in range(len(self.columns))
        ]
        moved = np.abs(self.pair_values).mean(axis=0) * self.pair_rows
        pairs = [float(moved[a:b].sum()) for a, b in pairwise(self.pair_starts.tolist())]
        return np.array([*columns, *pairs]) / weight

    @property
    def used_columns(self) -> list[int]:
        """The columns whose curves are not 0 everywhere."""
        return [j for j in range(len(self.columns)) if self.values[:, self.cells(j)].any()]

    def term_name(self, t: int) -> str:
        """The name of a column, or of a pair behind the columns."""
        p = len(self.columns)
        if t < p:
            return self.columns[t].name
        return " × ".join(self.columns[j].name for j in self.pairs[t - p].tolist())

    def labels(self, j: int, schema: Schema | None = None) -> tuple[str, ...]:
        """The cells of a column in words."""
        column, bins = self.columns[j], self.n_bins(j)
        if column.kind == CATEGORY:
            own = self.bins_of(j)
            found = [
                ", ".join(str(column.values[v]) for v in np.flatnonzero(own == b))
                for b in range(bins)
            ]
            return (*found, MISSING, UNSEEN)
        told = value_formatter(schema, digits=4) if schema is not None else None
        ends = [
            told(column.name, float(x)) if told is not None else format_number(float(x))
            for x in self.edges_of(j)
        ]
        if not bins:
            return (MISSING,)
        if not ends:
            return ("all", MISSING)
        middle = [f"{low} to {high}" for low, high in pairwise(ends)]
        return (f"up to {ends[0]}", *middle, f"above {ends[-1]}", MISSING)

    def curve(self, j: int, schema: Schema | None = None) -> ColumnCurve:
        """The curve of a column."""
        at = self.cells(j)
        values, band = self.values[:, at], BAND * self.spread[:, at]
        return ColumnCurve(
            self.columns[j].name, self.labels(j, schema), self.edges_of(j),
            values=values, lower=values - band, upper=values + band, rows=self.rows[at],
        )  # fmt: skip

    def group_labels(self, j: int, schema: Schema | None = None) -> tuple[str, ...]:
        """The rows or columns of a pair's table in words."""
        labels, groups = self.labels(j, schema), self.groups[self.cells(j)]
        if self.columns[j].kind == CATEGORY:
            own = [np.flatnonzero(groups == g).tolist() for g in range(int(groups.max()) + 1)]
            return tuple(", ".join(labels[cell] for cell in cells) for cells in own)
        told = value_formatter(schema, digits=4) if schema is not None else None
        ends = [
            told(self.columns[j].name, float(x)) if told is not None else format_number(float(x))
            for x in self.group_edges(j)
        ]
        middle = [f"{low} to {high}" for low, high in pairwise(ends)]
        found = (f"up to {ends[0]}", *middle, f"above {ends[-1]}") if ends else ("all",)
        return (*found, MISSING)

    def group_edges(self, j: int) -> Array:
        """The numbers between the groups of a column."""
        groups = self.groups[self.cells(j)][: self.n_bins(j)]
        return self.edges_of(j)[np.diff(groups) > 0]

    def pair(self, t: int, schema: Schema | None = None) -> PairTable:
        """The table of a pair."""
        a, b = self.pairs[t].tolist()
        values = self.pair_table(t, self.pair_values)
        band = BAND * self.pair_table(t, self.pair_spread)
        return PairTable(
            (self.columns[a].name, self.columns[b].name),
            (self.group_labels(a, schema), self.group_labels(b, schema)),
            values=values, lower=values - band, upper=values + band,
            rows=self.pair_table(t, self.pair_rows),
        )  # fmt: skip

    def evidence(self, block: Block) -> list[Evidence]:
        """For every row the intercept and the term of every column and pair."""
        columns, pairs = self.terms(block)
        raw = self.raw_scores(block)
        formatter = value_formatter(block.schema, digits=4)
        found = []
        used = sorted({*self.used_columns, *self.pairs.ravel().tolist()})
        for i in range(len(block)):
            shown = {j: value_text(block, self.columns[j], i, formatter) for j in used}
            found.append(
                self._row_evidence(columns[:, :, i], pairs[:, :, i], shown, raw[i : i + 1])
            )
        return found

    def contributions(self, block: Block, found: list[Evidence]) -> list[Contributions]:
        """The terms of the evidence: curves and pairs, whose means over training rows are 0."""
        scale, origin = (LOG_ODDS, AT_MEAN_SCORE) if self.classes else (NUMBERS, ON_AVERAGE)
        return [
            Contributions(tuple(line.terms for line in row.lines), scale, origin) for row in found
        ]

    def _row_evidence(
        self, columns: Array, pairs: Array, shown: dict[int, str], raw: Array
    ) -> Evidence:
        p = len(self.columns)
        size = np.abs(np.concatenate([columns, pairs])).max(axis=1, initial=0.0)
        order = [t for t in np.argsort(-size, kind="stable").tolist() if size[t] > 0]

        def terms(c: int) -> tuple[Term, ...]:
            found = [Term("", "intercept", float(self.intercept[c]))]
            for t in order:
                if t < p:
                    found.append(Term(self.term_name(t), shown[t], float(columns[t, c])))
                    continue
                a, b = self.pairs[t - p].tolist()
                text = f"{shown[a]} × {shown[b]}"
                found.append(Term(self.term_name(t), text, float(pairs[t - p, c])))
            return tuple(found)

        if not self.classes:
            predicted = float(linked_numbers(self.link, raw)[0])
            return Evidence((EvidenceLine("ŷ", terms(0)),), predicted, "sum")
        scores = class_scores(self.link, raw)
        shares, chosen = np.exp(log_shares(scores))[0], int(choice(scores)[0])
        of_class: list[tuple[Term, ...]] = (
            [(), terms(0)]
            if self.link == LOGISTIC
            else [terms(c) for c in range(len(self.classes))]
        )
        lines = tuple(
            EvidenceLine(name, of, float(share))
            for name, of, share in zip(self.classes, of_class, shares, strict=True)
        )
        return Evidence(lines, self.classes[chosen], "softmax")

    def derivation(self, schema: Schema) -> Derivation:
        """The sum, how the bags were boosted, and the terms with their ranges."""
        p, q = len(self.used_columns), len(self.pairs)
        bags = len(self.rounds)
        rounds = self.rounds[:, 0]
        sentence = (
            f"{p} {'curve' if p == 1 else 'curves'} and {q} {'pair' if q == 1 else 'pairs'}, "
            f"each the mean of {bags} {'bag' if bags == 1 else 'bags'}. A bag boosted its curves "
            f"for {int(rounds.min())} to {int(rounds.max())} rounds"
        )
        if q:
            sentence += (
                f", its pairs for {int(self.rounds[:, 1].min())} to {int(self.rounds[:, 1].max())}"
            )
        steps: list[Any] = [
            Formula("f(x) = w0 + Σ_j f_j(x_j) + Σ_(j,k) f_jk(x_j, x_k)",
                    r"f(x) = w_0 + \sum_j f_j(x_j) + \sum_{(j,k)} f_{jk}(x_j, x_k)"),
            Sentence(sentence + "."),
        ]  # fmt: skip
        if len(self.losses):
            start, curves, end = (float(x) for x in self.losses.mean(axis=0))
            text = (
                f"Mean loss of the validation rows: {format_number(start)} of a constant, "
                f"{format_number(curves)} with the curves"
            )
            steps.append(Sentence(text + (f", {format_number(end)} with the pairs." if q else ".")))
        values = ", ".join(format_number(float(one)) for one in self.intercept)
        steps.append(Sentence(f"Intercept w0: {values}."))
        header = ("term", "mean distance from 0", "lowest", "where", "highest", "where")
        return Derivation(
            "Additive model", (*steps, Grid("Terms", header, tuple(self._term_rows(schema))))
        )

    def _term_rows(self, schema: Schema) -> list[tuple[str, ...]]:
        found: list[tuple[str, ...]] = []
        p = len(self.columns)
        for t in np.argsort(-self.importances, kind="stable").tolist():
            if self.importances[t] == 0:
                continue
            if t < p:
                values, labels = self.values[:, self.cells(t)], self.labels(t, schema)
                seen = self.rows[self.cells(t)] > 0
                shown = np.where(seen, values, np.nan)
                low, high = (int(of(shown)) % len(labels) for of in (np.nanargmin, np.nanargmax))
                places = (labels[low], labels[high])
            else:
                pair = self.pair(t - p, schema)
                shown = np.where(pair.rows > 0, pair.values, np.nan)
                ends = [np.unravel_index(int(of(shown)), shown.shape)[1:]
                        for of in (np.nanargmin, np.nanargmax)]  # fmt: skip
                places = tuple(
                    f"{pair.labels[0][int(a)]} × {pair.labels[1][int(b)]}" for a, b in ends
                )  # type: ignore[assignment]
            least, most = float(np.nanmin(shown)), float(np.nanmax(shown))
            found.append(
                (self.term_name(t), format_number(float(self.importances[t])),
                 format_number(least), places[0], format_number(most), places[1])
            )  # fmt: skip
        return found

    def _raw_expressions(self) -> list[Number]:
        """The raw scores as sums of lookups."""
        found: list[Number] = []
        for c in range(self.outputs):
            terms = [self._curve_expression(j, c) for j in self.used_columns]
            pairs = [self._pair_expression(t, c) for t in range(len(self.pairs))]
            found.append(Sum((Literal(float(self.intercept[c])), *terms, *pairs)))
        return found

    def _curve_expression(self, j: int, c: int) -> Number:
        """A curve as a lookup: of a category, or of the interval of a number."""
        column, bins = self.columns[j], self.n_bins(j)
        values = self.values[c, self.cells(j)]
        if column.kind == CATEGORY:
            amounts = tuple(values[self.bins_of(j)].tolist())
            return CategoryLookup(
                CategoryColumn(column.name), tuple(map(str, column.values)), amounts,
                other=float(values[bins + 1]), missing=float(values[bins]),
            )  # fmt: skip
        kept = np.append(np.diff(values[:bins]) != 0, True)  # equal neighbours are one interval
        edges, amounts = self.edges_of(j)[kept[:-1]], values[:bins][kept]
        names = tuple(f"{i}" for i in range(len(amounts)))
        interval = BinnedNumber(
            NumberColumn(column.name), tuple(edges.tolist()), names, closed="right"
        )
        return CategoryLookup(
            interval, names, tuple(amounts.tolist()), other=0.0, missing=float(values[bins])
        )

    def _pair_expression(self, t: int, c: int) -> Number:
        """A pair as a tree that splits on its first column, then on the second."""
        a, b = self.pairs[t].tolist()
        table = self.pair_table(t, self.pair_values)[c]
        nodes: list[ThresholdSplit | CategorySplit | None] = []
        outcomes: list[Number] = []

        def leaf(value: float) -> int:
            nodes.append(None)
            outcomes.append(Literal(value))
            return len(nodes) - 1

        def second(row: Array) -> int:
            return self._split(b, nodes, outcomes, lambda g: leaf(float(row[g])))

        self._split(a, nodes, outcomes, lambda g: second(table[g]))
        return NumberTree(TreeSplits(tuple(nodes)), tuple(outcomes))

    def _split(self, j: int, nodes: list[Any], outcomes: list[Number], below: Any) -> int:
        """Nodes that lead every value of a column to what ``below`` makes of its group."""
        column, bins = self.columns[j], self.n_bins(j)
        groups = self.groups[self.cells(j)]

        def place() -> int:
            nodes.append(None)
            outcomes.append(Literal(0.0))
            return len(nodes) - 1

        if column.kind == CATEGORY:
            here = place()
            made = {g: below(g) for g in sorted({*groups.tolist()})}
            nodes[here] = CategorySplit(
                CategoryColumn(column.name), tuple(map(str, column.values)),
                tuple(made[int(groups[b])] for b in self.bins_of(j)),
                other=made[int(groups[bins + 1])], missing=made[int(groups[bins])],
            )  # fmt: skip
            return here
        edges, last = self.group_edges(j), int(groups[bins])  # missing values leave at the root

        def between(low: int, high: int, root: bool = False) -> int:
            if high - low == 1:
                return int(below(low))
            here, middle = place(), (low + high) // 2
            left, right = between(low, middle), between(middle, high)
            nodes[here] = ThresholdSplit(
                NumberColumn(column.name), float(edges[middle - 1]), left, right,
                int(below(last)) if root else NO_CHILD,
            )  # fmt: skip
            return here

        if not len(edges):  # one group: present or missing
            here = place()
            nodes[here] = ThresholdSplit(
                NumberColumn(column.name), math.inf, below(0), NO_CHILD, below(last)
            )
            return here
        return between(0, len(edges) + 1, root=True)


@dataclass(frozen=True, eq=False)
class AdditiveClassModel(AdditiveModel, ScoringModel):
    """An additive model of classes: of two the raw score is the log odds of the second."""

    def scores(self, block: Block) -> Array:
        """(n, k) the raw scores; of two classes 0 for the first."""
        return class_scores(self.link, self.raw_scores(block))

    def expression(self, schema: Schema) -> ClassifierExpression:
        """The softmax of the sums; the first of two classes has 0."""
        raw = self._raw_expressions()
        scores = raw if self.link != LOGISTIC else [Literal(0.0), raw[0]]
        return build_score_expression(self.classes, VectorOf(tuple(scores)))


@dataclass(frozen=True, eq=False)
class AdditiveNumberModel(AdditiveModel, RegressionModel):
    """An additive model of numbers: the raw score is the prediction."""

    def predictions(self, block: Block) -> Array:
        """(n,) the predicted numbers."""
        return linked_numbers(self.link, self.raw_scores(block))

    def expression(self, schema: Schema) -> RegressorExpression:
        """The sum of the lookups."""
        return RegressorExpression((self._raw_expressions()[0],))
