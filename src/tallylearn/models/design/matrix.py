"""The design matrix: a table as columns of numbers, with indicators and filled missing values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from tallylearn.estimators.finite_rows import check_finite
from tallylearn.kernels import evidence_sums
from tallylearn.models.design.formula_design import FormulaDesign
from tallylearn.models.design.missing_values import check_complete, missing_in
from tallylearn.models.design.rare_categories import NO_RARE, RareValues
from tallylearn.models.design.terms import (
    CategoryTerm,
    DesignTerm,
    IndicatorTerm,
    MissingTerm,
    NumericTerm,
    PooledTerm,
    PowerTerm,
    parse_term,
)
from tallylearn.tables import (
    DATE,
    Array,
    Block,
    Schema,
    check_columns,
    check_shapes,
    day,
    field_schemas,
)
from tallylearn.workings import Sentence, Term
from tallylearn.workings.units import model_value_formatter

NONE = "has no values"
FAR = 1e7  # times an answer: terms of that size leave it half the digits of a double
FROM_MEANS = "The columns lie far from zero: terms are those of the distance from their means."
ROOM = 1 << 25  # numbers that the rows of a block may become at a time: 256 MiB


@dataclass(frozen=True)
class Design:
    """The columns of numbers that a model sees, and what fills their gaps.

    Of a category's values one has no indicator, the first in sorted order unless another is wanted:
    where all others are 0, it is 1. Rare values of a category with many have one together, which is
    that of values never seen. The gaps of a column may have an indicator too, beside being filled.
    """

    columns: tuple[str, ...]  # (p,) the table's column
    values: tuple[str, ...]  # (p,) codes, as stored and tallied: see `terms`
    fill: Array  # (p,) the mean of the values that are present
    gaps: Array  # (p,) rows whose gap was filled
    based: tuple[str, ...]  # columns of categories
    base: tuple[str, ...]  # their reference values, without an indicator
    rare: RareValues = NO_RARE
    constant: tuple[str, ...] = ()  # columns of numbers that were passed over
    complete: bool = False  # whether a row with a gap is refused
    dropped: int = 0  # rows that were left out for a gap, where somebody counted
    formula: FormulaDesign | None = None  # where the columns are terms of a formula

    stored_if_set: ClassVar[tuple[str, ...]] = ("formula",)

    form: ClassVar[field_schemas.Form] = {
        "columns": field_schemas.names("p", unique=False),
        "values": field_schemas.names("p", unique=False),
        "fill": field_schemas.floats("p"),
        "gaps": field_schemas.floats("p", least=0.0),
        "based": field_schemas.names("b"),
        "base": field_schemas.names("b", unique=False),
        "rare": field_schemas.one(RareValues),
        "constant": field_schemas.names("c"),
        "complete": field_schemas.truth,
        "dropped": field_schemas.count(),
        "formula": field_schemas.one(FormulaDesign, none=True),
    }

    def check(self, schema: Schema) -> None:
        """What a file says can be columns of this schema: numbers once, categories by value."""
        if self.formula is not None:
            self.formula.check(schema)
            schema = self.formula.schema
        check_columns("categories", self.based, {*schema.categories})
        terms = self.terms
        numbers = [term.column for term in terms if isinstance(term, NumericTerm)]
        check_columns("constants", self.constant, {*schema.numbers} - {*numbers})
        check_columns("numbers", numbers, {*schema.numbers})
        if len({*terms}) < len(terms) or not terms:
            raise ValueError("the design has a column twice, or none")
        check_columns("rare values", sorted({*self.rare.columns}), {*self.based})
        if any(isinstance(t, CategoryTerm) and t.column not in self.based for t in terms):
            raise ValueError("the design has an indicator of no category")
        powers = {term.column for term in terms if isinstance(term, PowerTerm)}
        check_columns("powers", sorted(powers), {*schema.numbers})
        missing = [term.column for term in terms if isinstance(term, MissingTerm)]
        check_columns("gaps", missing, {*schema.categories, *schema.numbers})

    def __post_init__(self) -> None:
        p = len(self.columns)
        if len(self.values) != p or len(self.base) != len(self.based):
            raise ValueError(f"a design of {p} columns has {len(self.values)} values")
        check_shapes("the design", (self.fill, self.gaps), p)

    @cached_property
    def terms(self) -> tuple[DesignTerm, ...]:
        """(p,) what every column is made of."""
        return tuple(map(parse_term, self.columns, self.values))

    @property
    def plain(self) -> bool:
        """Whether all columns are numbers of the table, as they are: their codes are empty."""
        return not self.based and self.formula is None and not any(self.values)

    @cached_property
    def numeric(self) -> Array:
        """(p,) which columns are numbers of the table, as they are."""
        return np.array([not code for code in self.values], dtype=bool)

    @property
    def powers(self) -> dict[int, int]:
        """The degree of every column that is a power, by its place."""
        if self.plain:
            return {}
        return {j: term.degree for j, term in enumerate(self.terms) if isinstance(term, PowerTerm)}

    @property
    def names(self) -> tuple[str, ...]:
        if self.plain:
            return self.columns
        pairs = [(term.column, term.suffix) for term in self.terms]
        taken = {*self.columns}  # where the table has a column x^2 itself, that of x is (x)^2
        return tuple(f"({c}){v}" if v and c + v in taken else c + v for c, v in pairs)

    def select_columns(self, at: Array, constant: tuple[str, ...]) -> Design:
        """Only these columns; those of numbers that are left out for they are constant."""
        places = at.tolist()
        columns, values = (tuple(part[j] for j in places) for part in (self.columns, self.values))
        fill, gaps = self.fill[at], self.gaps[at]
        return replace(
            self, columns=columns, values=values, fill=fill, gaps=gaps, constant=constant
        )

    def matrix(self, block: Block) -> Array:
        """The rows as numbers (n, p); NaN where missing."""
        if self.formula is not None:
            places = [self.formula.columns.index(name) for name in self.columns]
            return self.formula.matrix(block)[:, places]
        places = [block.schema.places[name] for name in self._numbers(block)]
        if self.plain:
            same = places == list(range(block.numbers.shape[1]))
            return block.numbers if same else block.numbers[:, places]
        out = np.empty((len(block), len(self.columns)))
        out[:, self.numeric] = block.numbers[:, places]
        for j, term in enumerate(self.terms):
            if isinstance(term, MissingTerm):
                out[:, j] = missing_in(block, term.column)
            elif isinstance(term, PowerTerm):
                with np.errstate(over="ignore"):  # infinite: who sums them refuses the row
                    x = block.numbers[:, block.schema.places[term.column]]
                    out[:, j] = x**term.degree
        for name in {*self.columns} & {*self.based}:
            at = self._indicators(name)
            alone = [j for j in at if isinstance(self.terms[j], IndicatorTerm)]
            base = self.base[self.based.index(name)]
            codes = block.codes[name].recode([base, *self._own_indicator_values(name)])
            out[:, alone] = codes[:, None] == np.arange(1, len(alone) + 1)
            out[:, [j for j in at if j not in alone]] = (codes == -2)[:, None]
            out[np.ix_(codes == -1, at)] = np.nan
        return out

    def product(self, block: Block, weights: Array) -> Array:
        """matrix(block) @ weights.T (n, k); numbers stay in their order, and the weights move."""
        if not self.plain:
            return np.asarray(self.matrix(block) @ weights.T)
        moved = np.zeros((len(weights), block.numbers.shape[1]))
        moved[:, [block.schema.places[name] for name in self.columns]] = weights
        return np.asarray(block.numbers @ moved.T)

    def centred_product(self, block: Block, centre: Array, weights: Array, level: Array) -> Array:
        """(n, k) level + (matrix(block) - centre) @ weights.T: far from 0 no digits cancel."""
        x = block.numbers if self.plain else self.matrix(block)
        if self.plain:  # numbers stay in their order, and the weights move
            at = [block.schema.places[name] for name in self.columns]
            moved = np.zeros((1 + len(weights), x.shape[1]))
            moved[0, at], moved[1:, at] = centre, weights
            centre, weights = moved[0], moved[1:]
        out = np.empty((len(block), len(weights)))
        evidence_sums.weigh(
            np.ascontiguousarray(x), centre, np.ascontiguousarray(weights), level, out
        )
        return out

    def pieces(self, block: Block) -> Iterator[Block]:
        """The block, a few rows at a time where categories make many columns of it."""
        rows = len(block) if self.plain else max(1, ROOM // max(1, len(self.columns)))
        for at in range(0, max(1, len(block)), max(1, rows)):
            yield block[at : at + rows] if rows < len(block) else block

    def filled_matrix(self, block: Block) -> Array:
        """The rows as numbers, every gap filled by its column's mean."""
        x = self.matrix(block)
        if np.isfinite(x).all():
            return x
        check_finite(block)
        if self.complete:
            check_complete(block, {*self.columns})
        return np.where(np.isnan(x), self.fill, x)

    def order(self, schema: Schema) -> Array:
        """The places of the columns in the order of a table."""
        names = schema.names if self.formula is None else self.formula.columns
        place = {name: at for at, name in enumerate(names)}
        return np.argsort([place[name] for name in self.columns], kind="stable")

    def groups(self, schema: Schema) -> dict[str, list[int]]:
        """The places of each column of the table, or term of the formula, in its order."""
        found: dict[str, list[int]] = {}
        terms = {} if self.formula is None else self.formula.term_of
        for j in self.order(schema):
            name = self.columns[j]
            found.setdefault(terms.get(name, name), []).append(int(j))
        return found

    def evidence_terms(
        self, block: Block, i: int, groups: dict[str, list[int]], amounts: Array
    ) -> list[Term]:
        """The terms of a row, one for every column of the table, out of the design's (p,).

        Where a column's missing values have an indicator, that has a term of its own.
        """
        if self.formula is not None:
            values = {name: self.formula.term_value_text(block, i, name) for name in groups}
            return [
                Term(name, values[name], float(amounts[at].sum())) for name, at in groups.items()
            ]
        found = []
        for name, at in groups.items():
            value, note = self.value_and_note(block, i, name, at[0])
            gap = [j for j in at if isinstance(self.terms[j], MissingTerm)]
            own = [j for j in at if j not in gap] or gap
            found.append(Term(name, value, float(amounts[own].sum()), note=note))
            if gap != own and (amount := float(amounts[gap].sum())):
                found.append(Term(name, "missing", amount, sign="is"))
        return found

    def value_and_note(self, block: Block, i: int, name: str, j: int) -> tuple[str, str]:
        """A row's value in a column as text, and what is to be said about it."""
        if name not in self.based:
            x = block.numbers[i, block.schema.numbers.index(name)]
            gap = bool(np.isnan(x))
            if gap and isinstance(self.terms[j], MissingTerm):
                return "?", "missing"  # of a constant only the gaps count
            told = model_value_formatter(block.schema)(name, float(self.fill[j] if gap else x))
            return told, "missing, filled by the mean" if gap else ""
        value = block.codes[name][i : i + 1].items()[0]
        base = self.base[self.based.index(name)]
        if value is None:
            return "?", "missing, filled by the share of every value"
        found = [self.terms[k] for k in self._indicators(name)]
        rare = self.rare.by_column.get(name, ())
        if IndicatorTerm(name, str(value)) in found or (value == base and base not in rare):
            return str(value), ""
        seen = "rare" if value in rare else "never seen"
        if PooledTerm(name) in found or base in rare:
            return str(value), "rare" if seen == "rare" else f"{seen}, counts as rare"
        return str(value), f"{seen}, counts as {base!r}"

    @property
    def references(self) -> dict[str, str]:
        """What the values of every category are compared with, in words."""
        if self.formula is not None:
            return {name: repr(level) for name, level in self.formula.references.items()}
        rare = self.rare.by_column
        return {
            name: "the rare ones" if base in rare.get(name, ()) else repr(base)
            for name, base in zip(self.based, self.base, strict=True)
        }

    @property
    def category_values(self) -> dict[str, tuple[str, ...]]:
        """The values that every column of categories was seen with."""
        if self.formula is not None:
            return self.formula.category_values
        rare = self.rare.by_column
        return {
            name: tuple(
                dict.fromkeys((base, *self._own_indicator_values(name), *rare.get(name, ())))
            )
            for name, base in zip(self.based, self.base, strict=True)
        }

    def remarks(self, schema: Schema) -> list[Sentence]:
        """What was done to the table before the sums."""
        if self.formula is not None:
            return self._formula_remarks(self.formula)
        told, fill = model_value_formatter(schema), self.fill.tolist()
        said = [
            f"Column {name!r} is missing in {self.gaps[at[0]]:g} of the rows: filled by the mean"
            + (f" {told(name, fill[at[0]])}" if self.numeric[at[0]] else " of its indicators")
            + (", with an indicator of the gap." if self._has_missing_term(at) else ".")
            for name, at in self.groups(schema).items()
            if self.gaps[at[0]] > 0
        ]
        said += [
            f"Column {name!r} is a category: a column of 0 and 1 for every value but {base}."
            for name, base in self.references.items()
            if self._indicators(name)
        ]
        rare = self.rare.sentences(
            "which have one column together, or none as what others are compared with"
        )
        known = {*self.columns, *self.based} - {*self.constant}
        said += [
            f"Column {name!r} {'is the same in every row' if name in self.constant else NONE} and "
            f"says nothing{' but by its gaps' if name in self.columns else ''}."
            for name in schema.names
            if name not in known and name not in schema.identifiers
        ]
        if self.dropped:
            had = "row has a gap and is" if self.dropped == 1 else "rows have a gap and are"
            said.insert(0, f"{self.dropped:,} {had} left out.")
        return [*(Sentence(text) for text in said), *rare]

    def _formula_remarks(self, formula: FormulaDesign) -> list[Sentence]:
        """The formula, its reference values, and the rows that were dropped."""
        said = [f"Formula: {formula.text}."]
        if self.dropped:
            rows = "row was" if self.dropped == 1 else "rows were"
            said.append(f"{self.dropped:,} {rows} dropped for a missing value.")
        said += [
            f"The reference value of {name} is {level!r}."
            for name, level in formula.references.items()
        ]
        return [Sentence(text) for text in said]

    def rows(self, x: Array, schema: Schema) -> list[dict[str, object]]:
        """Rows of numbers (n, p) as rows of the table; of a category's values the largest."""
        out: list[dict[str, object]] = [{} for _ in x]
        dates = {column.name for column in schema.of_kind(DATE)}
        for name in schema.names:
            at = self._indicators(name) or self._of(name)
            if name in self.based:
                pooled = self.rare.by_column.get(name, ("",))[0]
                values = [self.base[self.based.index(name)]]
                terms = [self.terms[j] for j in at]
                values += [t.value if isinstance(t, IndicatorTerm) else pooled for t in terms]
                whole = np.column_stack([1 - x[:, at].sum(axis=1), x[:, at]])
                found: list[object] = [values[c] for c in whole.argmax(axis=1)]
            else:
                found = x[:, at[0]].tolist() if at else [None] * len(x)
            if name in dates:
                found = [day(days) for days in found]
            for row, value in zip(out, found, strict=True):
                row[name] = value
        return out

    def own_values(self, name: str) -> tuple[str, ...]:
        """The reference value of a category, and the values that have an indicator of their own."""
        return (self.base[self.based.index(name)], *self._own_indicator_values(name))

    def _own_indicator_values(self, name: str) -> list[str]:
        """The values of a category that have an indicator alone."""
        terms = (self.terms[j] for j in self._indicators(name))
        return [term.value for term in terms if isinstance(term, IndicatorTerm)]

    def _has_missing_term(self, at: list[int]) -> bool:
        return any(isinstance(self.terms[j], MissingTerm) for j in at)

    def _indicators(self, name: str) -> list[int]:
        """The places of a category's values, not that of its gaps."""
        return [j for j in self._of(name) if isinstance(self.terms[j], CategoryTerm)]

    def _of(self, name: str) -> list[int]:
        return [j for j, column in enumerate(self.columns) if column == name]

    def _numbers(self, block: Block) -> list[str]:
        return [self.columns[j] for j in np.flatnonzero(self.numeric)]
