"""The design matrix of a formula: categories coded by treatment contrasts, interactions multiplied.

A column of the design is a product of factors, each a number, a polynomial of a basis or the
indicator of a category's level. Whether a category keeps its reference level in a term follows from
the terms before it, so that the columns are linearly independent: every subset of a term's
categories that no earlier term spans is coded, and two codings that differ by one category are
joined into one with all its levels.

Reference: N. Smith and others, patsy, section "How categorical data is coded" ("redundancy").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations, product
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import ColumnError, OptionError, quoted_list
from tallylearn.estimators.fit_input import FitInput
from tallylearn.estimators.formulas import SCALE, STANDARDIZE, Factor, ModelFormula, parse_factor
from tallylearn.estimators.missing_targets import DroppedRows
from tallylearn.estimators.passes import Learned, Passes
from tallylearn.estimators.tally_checks import within_doubles
from tallylearn.models.design.missing_values import missing_in, select_learnable
from tallylearn.models.design.polynomial_bases import PiecewisePolynomials, fit_basis
from tallylearn.tables import (
    NUMBER,
    Array,
    Block,
    Column,
    Schema,
    check_columns,
    check_shapes,
    field_schemas,
    plain,
    row_number,
)
from tallylearn.workings import format_number

ABSENT = -1  # in the coding of a column: the factor is no part of it
Coding = frozenset[tuple[int, bool]]  # categories of a term, and whether all their levels are kept


@dataclass(frozen=True)
class FormulaDesign:
    """A formula with the levels, means and standard deviations of its training rows.

    ``coding`` says what every column multiplies: `ABSENT` for a factor that is no part of it, 0 for
    a number, the place of the level for a category, and that of the polynomial for a basis.
    """

    text: str
    factors: tuple[str, ...]  # (f,) as written
    levels: tuple[tuple[str, ...], ...]  # (f,) of categories, the reference first; () of numbers
    centre: Array  # (f,) subtracted from a number
    scale: Array  # (f,) a number is divided by
    columns: tuple[str, ...]  # (p,) the names of the coefficients
    terms: tuple[str, ...]  # (p,) the term that every column belongs to
    coding: Array  # (p, f) int64
    numeric_categories: tuple[str, ...] = ()  # columns of numbers that are used as categories
    bases: tuple[PiecewisePolynomials, ...] | None = None  # of the factors such as bs(x, df=4)

    stored_if_set: ClassVar[tuple[str, ...]] = ("bases",)

    form: ClassVar[field_schemas.Form] = {
        "text": field_schemas.text(),
        "factors": field_schemas.names("f"),
        "levels": field_schemas.many(field_schemas.names()),
        "centre": field_schemas.floats("f"),
        "scale": field_schemas.floats("f"),
        "columns": field_schemas.names("p"),
        "terms": field_schemas.names("p", unique=False),
        "coding": field_schemas.integers("p", "f", least=ABSENT),
        "numeric_categories": field_schemas.names(),
        "bases": field_schemas.optional(
            field_schemas.many(field_schemas.one(PiecewisePolynomials))
        ),
    }

    def __post_init__(self) -> None:
        f = len(self.factors)
        if len(self.levels) != f:
            raise ValueError(f"a formula of {f} factors has levels of {len(self.levels)}")
        check_shapes("the factors of the formula", (self.centre, self.scale), f)
        check_shapes("the coding of the formula", (self.coding,), len(self.columns), f)

    def check(self, schema: Schema) -> None:
        """What a file says can be a formula of columns of this schema; a ValueError if not."""
        if len(self.basis_of) != len(self.bases or ()):
            raise ValueError("the formula has other bases than factors with a basis")
        for k, (factor, levels) in enumerate(zip(self.parsed_factors, self.levels, strict=True)):
            known = {*schema.numbers, *schema.categories} if levels else {*schema.numbers}
            check_columns("factors of the formula", factor.columns, known)
            if factor.is_category and not levels:
                raise ValueError(f"the category {factor.text!r} of the formula has no levels")
            basis = self.basis_of.get(k)
            width = len(levels) if basis is None else basis.width
            if self.coding[:, k].max(initial=ABSENT) >= max(1, width):
                raise ValueError(f"the formula has a column of no level of {factor.text!r}")
        check_columns("numeric categories", self.numeric_categories, {*schema.numbers})
        if not self.scale.all():
            raise ValueError("the formula has a scale of 0")

    @cached_property
    def parsed_factors(self) -> tuple[Factor, ...]:
        """(f,) the factors."""
        return tuple(map(parse_factor, self.factors))

    @cached_property
    def basis_of(self) -> dict[int, PiecewisePolynomials]:
        """The fitted basis of every factor that has one, by the factor's place."""
        places = (k for k, factor in enumerate(self.parsed_factors) if factor.basis is not None)
        return dict(zip(places, self.bases or (), strict=False))

    @cached_property
    def schema(self) -> Schema:
        """The columns of the design, as numbers of a table."""
        return Schema(tuple(Column(name, NUMBER) for name in self.columns))

    @cached_property
    def term_of(self) -> dict[str, str]:
        """The term of every column, by the column's name."""
        return dict(zip(self.columns, self.terms, strict=True))

    @property
    def used_columns(self) -> tuple[str, ...]:
        """The columns of the table that the formula needs."""
        return tuple(
            dict.fromkeys(name for factor in self.parsed_factors for name in factor.columns)
        )

    @property
    def category_values(self) -> dict[str, tuple[str, ...]]:
        """The levels of every column of categories that is not a column of numbers."""
        pairs = zip(self.parsed_factors, self.levels, strict=True)
        return {
            factor.column: levels
            for factor, levels in pairs
            if levels and factor.column not in self.numeric_categories
        }

    @property
    def references(self) -> dict[str, str]:
        """The reference level of every category that has one, by the name of its factor."""
        return {
            factor.name: levels[0]
            for k, (factor, levels) in enumerate(zip(self.parsed_factors, self.levels, strict=True))
            if levels and not (self.coding[:, k] == 0).any()
        }

    def matrix(self, block: Block) -> Array:
        """(n, p) the rows of the design; a ColumnError names a missing or infinite value."""
        self._check_complete(block)
        values = [self._factor(block, k) for k in range(len(self.factors))]
        out = np.ones((len(block), len(self.columns)))
        for j, row in enumerate(self.coding.tolist()):
            for k in (k for k, level in enumerate(row) if level != ABSENT):
                if k in self.basis_of:
                    out[:, j] *= values[k][:, row[k]]
                else:
                    out[:, j] *= values[k] == row[k] if self.levels[k] else values[k]
        return out

    def term_value_text(self, block: Block, i: int, term: str) -> str:
        """The value of a term in a row: numbers and levels of its factors, joined by colons."""
        row, j = block[i : i + 1], self.terms.index(term)
        found = []
        for k in np.flatnonzero(self.coding[j] != ABSENT).tolist():
            if self.levels[k]:
                found.append(level_labels(row, self.parsed_factors[k].column)[0])
            elif k in self.basis_of:
                found.append(format_number(float(factor_numbers(self.parsed_factors[k], row)[0])))
            else:
                found.append(format_number(float(self._factor(row, k)[0])))
        return ":".join(found)

    def _factor(self, block: Block, k: int) -> Array:
        """(n,) numbers, or places of levels, -1 for a level not seen; (n, q) of a basis."""
        factor = self.parsed_factors[k]
        if self.levels[k]:
            return level_codes(block, factor.column, self.levels[k])
        if k in self.basis_of:
            return self.basis_of[k](factor_numbers(factor, block))
        return np.asarray((factor_numbers(factor, block) - self.centre[k]) / self.scale[k])

    def _check_complete(self, block: Block) -> None:
        for name in self.used_columns:
            if len(rows := np.flatnonzero(missing_in(block, name))):
                raise ColumnError(
                    f"column {name!r} is missing in row {row_number(block.start, int(rows[0]))}, "
                    f"and the formula {self.text!r} needs it. Fill the value in, or drop the row. "
                    "Input X contains NaN."
                )


def level_labels(block: Block, name: str) -> list[str]:
    """The values of a column that is used as a category, as text."""
    if name in block.codes:
        return [str(value) for value in block.codes[name].items()]
    return [plain(x) for x in block.numbers[:, block.schema.places[name]].tolist()]


def level_codes(block: Block, name: str, levels: Sequence[str]) -> Array:
    """(n,) the places of a column's values among levels; -1 where a value is none of them."""
    if name in block.codes:
        return np.maximum(block.codes[name].recode(levels), -1)
    place = {level: at for at, level in enumerate(levels)}
    values, at = np.unique(block.numbers[:, block.schema.places[name]], return_inverse=True)
    codes = np.array([place.get(plain(x), -1) for x in values.tolist()], dtype=np.int64)
    return codes[at] if len(codes) else np.zeros(0, dtype=np.int64)


def factor_numbers(factor: Factor, block: Block) -> Array:
    """(n,) a numeric factor before it is standardised; a ColumnError where it is not finite."""
    found = factor.value(lambda name: block.numbers[:, block.schema.places[name]])
    found = np.broadcast_to(found, (len(block),))
    if len(rows := np.flatnonzero(~np.isfinite(found))):
        row = int(rows[0])
        given = ", ".join(
            f"{name} is {block.numbers[row, block.schema.places[name]]:g}"
            for name in factor.columns
        )
        raise ColumnError(
            f"{factor.name} of the formula is {found[row]:g} in row {row_number(block.start, row)}"
            f", where {given}. Correct the value, drop the row, or use another function."
        )
    return found


@dataclass(frozen=True)
class DistinctValues:
    """The distinct values of a variable in increasing order, and the number of rows of each."""

    values: Array  # (k,)
    counts: Array  # (k,)

    @classmethod
    def of(cls, numbers: Array) -> DistinctValues:
        return cls(*np.unique(numbers, return_counts=True))

    def __add__(self, other: DistinctValues) -> DistinctValues:
        both = np.concatenate([self.values, other.values])
        values, place = np.unique(both, return_inverse=True)
        counts = np.concatenate([self.counts, other.counts])
        return DistinctValues(values, np.bincount(place, counts, len(values)).astype(np.int64))


@dataclass(frozen=True)
class FactorSurvey:
    """What the training rows say of the factors: levels of categories, moments of numbers."""

    levels: tuple[frozenset[str], ...]  # (f,)
    rows: int
    mean: Array  # (f,)
    squares: Array  # (f,) of the deviations from the mean
    values: tuple[DistinctValues | None, ...]  # (f,) of the variables of bases

    def __add__(self, other: FactorSurvey) -> FactorSurvey:
        rows = self.rows + other.rows
        share = other.rows / max(rows, 1)
        apart = other.mean - self.mean
        return FactorSurvey(
            tuple(one | two for one, two in zip(self.levels, other.levels, strict=True)),
            rows, self.mean + share * apart,
            self.squares + other.squares + self.rows * share * apart**2,
            tuple(
                None if one is None or two is None else one + two
                for one, two in zip(self.values, other.values, strict=True)
            ),
        )  # fmt: skip


def survey_factors(
    block: Block, factors: tuple[Factor, ...], categories: tuple[bool, ...], missing: str
) -> FactorSurvey:
    """The survey of a block; ``categories`` (f,) says which factors are."""
    block, f = select_learnable(block, missing), len(factors)
    mean, squares = np.zeros(f), np.zeros(f)
    levels: list[frozenset[str]] = [frozenset()] * f
    values: list[DistinctValues | None] = [None] * f
    for k, (factor, is_category) in enumerate(zip(factors, categories, strict=True)):
        if is_category and factor.column in block.codes:
            codes = block.codes[factor.column]
            found = np.unique(codes.codes[codes.codes >= 0])
            levels[k] = frozenset(str(codes.values[at]) for at in found.tolist())
        elif is_category:
            x = np.unique(block.numbers[:, block.schema.places[factor.column]])
            levels[k] = frozenset(plain(each) for each in x.tolist())
        elif factor.basis is not None:
            values[k] = DistinctValues.of(factor_numbers(factor, block))
        elif factor.standardised and len(block):
            numbers = factor_numbers(factor, block)
            mean[k] = numbers.mean()
            squares[k] = ((numbers - mean[k]) ** 2).sum()
    return FactorSurvey(tuple(levels), len(block), mean, squares, tuple(values))


def encode_formula(formula: ModelFormula, survey: FactorSurvey, schema: Schema) -> FormulaDesign:
    """The design of a formula, by what the training rows say of its factors."""
    factors = formula.factors
    levels = tuple(map(partial(_ordered_levels, schema), factors, survey.levels))
    lost = np.array([factor.standardised == SCALE for factor in factors])  # degrees of freedom
    deviation = np.sqrt(survey.squares / np.maximum(survey.rows - lost, 1))
    is_scaled = np.array([factor.standardised in (SCALE, STANDARDIZE) for factor in factors])
    for factor, spread in zip(factors, np.where(is_scaled, deviation, 1).tolist(), strict=True):
        if not spread > 0:
            raise ColumnError(
                f"{factor.name} of the formula divides by a standard deviation of 0: the column is "
                "constant. Leave it out of the formula."
            )
    bases = {
        k: fit_basis(factor.basis, found.values, found.counts, factor.name)
        for k, (factor, found) in enumerate(zip(factors, survey.values, strict=True))
        if factor.basis is not None and found is not None
    }
    widths = {k: basis.width for k, basis in bases.items()}
    columns, terms, coding = [], [], []
    for name, term, row in _coded_columns(formula, levels, widths):
        columns.append(name)
        terms.append(term)
        coding.append(row)
    if not columns:
        raise ColumnError(
            f"no column of the formula {formula.text!r} varies. Add a column with several values."
        )
    return FormulaDesign(
        text=formula.text, factors=tuple(factor.text for factor in factors), levels=levels,
        centre=survey.mean, scale=np.where(is_scaled, deviation, 1.0), columns=tuple(columns),
        terms=tuple(terms), coding=np.array(coding, dtype=np.int64),
        numeric_categories=tuple(
            factor.column
            for factor, found in zip(factors, levels, strict=True)
            if found and factor.column in schema.numbers
        ),
        bases=tuple(bases.values()) or None,
    )  # fmt: skip


def _ordered_levels(schema: Schema, factor: Factor, found: frozenset[str]) -> tuple[str, ...]:
    """The levels of a category, the reference first, the others sorted; numbers by their size."""
    is_number = factor.column in schema.numbers
    levels = sorted(found, key=float) if is_number else sorted(found)
    if factor.reference is None or not levels:
        return tuple(levels)
    if factor.reference not in levels:
        raise OptionError(
            f"the factor {factor.text!r} of the formula has the reference {factor.reference!r}, "
            f"and the values of the column are {quoted_list(levels)}. Name one of them."
        )
    return (factor.reference, *(level for level in levels if level != factor.reference))


def _coded_columns(
    formula: ModelFormula, levels: tuple[tuple[str, ...], ...], widths: Mapping[int, int]
) -> Iterator[tuple[str, str, list[int]]]:
    """The name, the term and the coding of every column; the first factor varies fastest.

    ``widths`` has the number of polynomials of the factors with a basis, by their places.
    """
    place = {factor.text: k for k, factor in enumerate(formula.factors)}
    names = [factor.name for factor in formula.factors]
    spanned: dict[frozenset[int], set[frozenset[int]]] = {}
    if formula.has_intercept:
        spanned[frozenset()] = {frozenset()}
    for term in formula.terms:
        members = [place[factor.text] for factor in term]
        categories = [k for k in members if levels[k]]
        numbers = frozenset(members) - {*categories}
        title = ":".join(names[k] for k in members)
        for coding in _codings(categories, spanned.setdefault(numbers, set())):
            full = dict(coding)
            here = [k for k in members if k in full or k in numbers]
            choices = [
                [*range(widths[k])] if k in widths else _choices(levels[k], full.get(k, True))
                for k in here
            ]
            for picked in product(*reversed(choices)):
                row, label = [ABSENT] * len(names), []
                for k, at in zip(here, reversed(picked), strict=True):
                    row[k] = at
                    mark = "" if full.get(k, True) else "T."
                    if k in widths:
                        label.append(f"{names[k]}[{at + 1}]")
                    else:
                        level = f"[{mark}{levels[k][at]}]" if levels[k] else ""
                        label.append(f"{names[k]}{level}")
                yield ":".join(label), title, row


def _choices(levels: tuple[str, ...], is_full: bool) -> list[int]:
    return [0] if not levels else [*range(0 if is_full else 1, len(levels))]


def _codings(categories: list[int], spanned: set[frozenset[int]]) -> list[Coding]:
    """The codings of a term's categories that span what no earlier term does."""
    codings: list[Coding] = []
    for size in range(len(categories) + 1):
        for subset in map(frozenset, combinations(categories, size)):
            if subset not in spanned:
                spanned.add(subset)
                codings.append(frozenset((k, False) for k in subset))
    while (pair := _find_joinable(codings)) is not None:
        short, longer = pair
        ((k, _),) = codings[longer] - codings[short]
        codings[longer] = codings[short] | {(k, True)}
        del codings[short]
    return codings


def _find_joinable(codings: list[Coding]) -> tuple[int, int] | None:
    """The places of two codings that differ by one category without its reference level."""
    for short, longer in combinations(range(len(codings)), 2):
        more = codings[longer] - codings[short]
        if codings[short] < codings[longer] and len(more) == 1 and not next(iter(more))[1]:
            return short, longer
    return None


def fit_formula(estimator: Any, read: FitInput) -> Learned:
    """Fit an estimator to the design of a formula; its model then takes rows of the table."""
    formula = read.formula
    assert formula is not None
    _check_options(estimator, formula)
    formula = replace(formula, has_intercept=bool(estimator.fit_intercept))
    missing = "refuse" if estimator.missing == "refuse" else "drop"
    with estimator._passes(read) as passes, within_doubles():
        schema = passes.schema
        factors = formula.factors
        categories = tuple(f.is_category or f.column in schema.categories for f in factors)
        call = partial(survey_factors, factors=factors, categories=categories, missing=missing)
        survey = passes.total(call, partial(_count_dropped_rows, missing=missing))
        design = encode_formula(formula, survey, schema)
        kept = () if formula.offset is None else formula.offset.columns
        inner = _design_passes(passes, design, missing, kept)
        learned = estimator.fit_passes(inner)
    model = learned.model
    dropped = passes.dropped_rows.gappy
    model = replace(model, design=replace(model.design, formula=design, dropped=dropped))
    return Learned(model, None, learned.notes._replace(unanswered=passes.dropped_rows), schema)


def _design_passes(
    passes: Passes, design: FormulaDesign, missing: str, kept: tuple[str, ...]
) -> Passes:
    """The rows as the design has them, with the column of an offset."""
    columns = (*design.schema.columns, *(Column(name, NUMBER) for name in kept))
    schema = Schema(columns)
    if len({*schema.names}) < len(schema.names):
        raise OptionError(
            f"the formula {design.text!r} has {kept[0]!r} both as an offset and as a term. Leave "
            "one out."
        )
    transform = partial(design_rows, design=design, missing=missing, schema=schema, kept=kept)
    return passes.mapped(transform, schema)


def design_rows(
    block: Block, design: FormulaDesign, missing: str, schema: Schema, kept: tuple[str, ...]
) -> Block:
    """The rows of a block without missing values, as the design has them."""
    block = select_learnable(block, missing)
    beside = block.numbers[:, [block.schema.places[name] for name in kept]]
    numbers = np.hstack([design.matrix(block), beside])
    return replace(block, schema=schema, numbers=numbers, codes={}, text={})


def _count_dropped_rows(block: Block, missing: str) -> DroppedRows:
    """The rows without a target, and those dropped for a missing value."""
    found, gappy = DroppedRows.in_block(block), len(block) - len(select_learnable(block, missing))
    return replace(found, gappy=gappy) if gappy else found


def _check_options(estimator: Any, formula: ModelFormula) -> None:
    """Refuse options that a formula says itself."""
    if not formula.has_intercept and estimator.fit_intercept:
        raise OptionError(
            f"the formula {formula.text!r} removes the intercept. Leave the '- 1' or '0 +' out, "
            f"and pass {type(estimator).__name__}(fit_intercept=False)."
        )
    if getattr(estimator, "degree", 1) != 1:
        raise OptionError(
            f"degree={estimator.degree} and the formula {formula.text!r} cannot be combined. Write "
            "powers in the formula, as in I(x**2)."
        )
    if estimator.reference is not None:
        raise OptionError(
            "reference= and a formula cannot be combined. Write the reference value in the "
            "formula, as in C(column, Treatment('value'))."
        )
    if formula.offset is not None and not hasattr(estimator, "offset"):
        raise OptionError(
            f"the formula {formula.text!r} has an offset, which only PoissonRegressor supports. "
            "Leave it out."
        )
