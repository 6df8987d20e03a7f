"""Imputation: a gap gets the value that the column has elsewhere, in the middle or most often."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError, KindError
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.finite_rows import check_finite
from tallylearn.estimators.options import fitted, option
from tallylearn.estimators.passes import Learned, Passes
from tallylearn.expressions import (
    Category,
    CategoryColumn,
    FilledCategory,
    FilledNumber,
    Literal,
    Number,
    NumberColumn,
)
from tallylearn.preprocessing import predicted_values
from tallylearn.preprocessing.predicted_values import check_learners
from tallylearn.preprocessing.stored_transforms import check_counts, check_rows
from tallylearn.preprocessing.transformer import Preprocessor, TableTransform, rows_of, with_numbers
from tallylearn.sources.columns.schema_matching import select_columns
from tallylearn.tables import (
    CATEGORY,
    DATE,
    NUMBER,
    UNKNOWN,
    Array,
    Block,
    Codes,
    Column,
    Schema,
    check_columns,
    field_schemas,
)  # fmt: skip
from tallylearn.tallies import Bundle, Counts, Moments, Values
from tallylearn.workings import Derivation, Grid, Sentence
from tallylearn.workings.units import value_formatter

OWN = "missing"  # the category of gaps, where they have one of their own


@dataclass(frozen=True)
class Filling(TableTransform):
    """What every column's gaps are filled with."""

    names: tuple[str, ...]  # columns of numbers
    numbers: Array  # (p,)
    categories: tuple[str, ...]
    values: tuple[str, ...]
    how: tuple[str, str]  # of numbers, and of categories
    predicted: tuple[str, ...] = ()  # columns whose gaps a learner of the others fills
    learners: tuple[Any, ...] = ()  # theirs, fitted

    form: ClassVar[field_schemas.Form] = {
        "names": field_schemas.names("p"),
        "numbers": field_schemas.floats("p"),
        "categories": field_schemas.names("c"),
        "values": field_schemas.names("c", unique=False),
        "how": field_schemas.names(unique=False),
        "predicted": field_schemas.names("l"),
        "learners": field_schemas.many(field_schemas.one(Estimator), "l"),
    }

    def check(self, schema: Schema) -> None:
        """What a file says fills all columns of this schema, each of them once."""
        check_columns("fills", self.names, {*schema.numbers})
        check_columns("fills", self.categories, {*schema.categories})
        sizes = len(schema.numbers), len(schema.categories)
        if (len(self.names), len(self.categories)) != sizes or len(self.how) != 2:
            raise ValueError("a column has nothing to be filled with")
        check_columns("learners", self.predicted, {*self.names, *self.categories})
        if len(self.predicted) != len(self.learners):
            raise ValueError("a column has no learner")

    def columns(self, schema: Schema) -> list[Column]:
        return [self._grown(column) for column in schema.columns if column.kind != UNKNOWN]

    def transform_block(self, block: Block) -> Block:
        learners = dict(zip(self.predicted, self.learners, strict=True))
        found = self.plainly(block)
        return predicted_values.predicted(block, found, learners) if learners else found

    def plainly(self, block: Block) -> Block:
        """Every gap by one value a column."""
        filled = dict(zip(self.names, self.numbers, strict=True))
        by = np.array([filled[name] for name in block.schema.numbers])
        numbers = np.where(np.isnan(block.numbers), by, block.numbers)
        codes = {name: self._filled(name, column) for name, column in block.codes.items()}
        return replace(with_numbers(block, self.schema(block.schema), numbers), codes=codes)

    def expressions(self, schema: Schema) -> dict[str, Number | Category]:
        """Every column, and what fills it where it is missing."""
        fills = zip(self.names, self.numbers.tolist(), strict=True)
        found: dict[str, Number | Category] = {
            name: FilledNumber(NumberColumn(name), Literal(value)) for name, value in fills
        }
        for name, value in zip(self.categories, self.values, strict=True):
            found[name] = FilledCategory(CategoryColumn(name), value)
        if self.predicted:
            raise KindError(
                "an Imputer with learners= predicts missing values, which is no expression. Leave "
                "learners out."
            )
        return found

    def derivation(self, schema: Schema) -> Derivation:
        """The value that fills every column."""
        figure = value_formatter(schema, digits=4)
        pairs = [*zip(self.names, map(figure, self.names, self.numbers.tolist()), strict=True)]
        pairs += [*zip(self.categories, self.values, strict=True)]
        told = dict(pairs)
        rows = tuple((name, told[name]) for name in schema.names if name in told)
        left = [name for name in schema.names if name not in told]
        said = [
            Sentence(f"Column {name!r} has no values, is text or an identifier: not filled.")
            for name in left
        ]
        pairs_of = zip(self.predicted, self.learners, strict=True)
        said += [
            Sentence(
                f"Column {name!r} is predicted from the others by {one.constructor_call()} instead."
            )
            for name, one in pairs_of
        ]
        numbers, categories = self.how
        title = f"gaps are filled by the {numbers} of numbers, and of categories by {categories}"
        return Derivation("Imputation", (Grid(title, ("column", "value"), rows), *said))

    def _filled(self, name: str, column: Codes) -> Codes:
        value = self.values[self.categories.index(name)]
        values = column.values if value in column.values else (*column.values, value)
        codes = np.where(column.codes < 0, values.index(value), column.codes).astype(np.int32)
        return Codes(values, codes, column.declared and tuple(sorted({*column.declared, value})))

    def _grown(self, column: Column) -> Column:
        """A column that declares its values declares what fills it too."""
        if not column.values:
            return column
        value = self.values[self.categories.index(column.name)]
        return replace(column, values=tuple(sorted({*column.values, value})))


class Imputer(Preprocessor):
    """Gaps are filled: numbers by their mean, categories by the one that comes most often.

    A column without any value has nothing to fill it, and is left out of the table; text stays as
    it is. A column that had no gaps when it was learned is filled when later rows have some.
    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.Imputer(numbers="median").fit_transform([[1.0], [None], [2.0], [9.0]]).ravel()
    array([1., 2., 2., 9.])
    """

    kinds: ClassVar[tuple[str, ...]] = Preprocessor.kinds
    transformed_kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY)
    fills: ClassVar[bool] = True
    shaping: ClassVar[tuple[str, ...]] = ("numbers",)
    stored: ClassVar[tuple[type, ...]] = (Filling,)
    composed: ClassVar[bool] = True
    model_: Filling = fitted()

    numbers: str = option(
        default="mean",
        kw_only=False,
        choices=("mean", "median", "mode"),
        doc="Statistic that fills a column of numbers; of several modes the least.",
    )
    categories: str = option(
        default="mode",
        choices=("mode", "own"),
        doc='"mode" fills a category by its most frequent value, the first of several in sorted '
        'order. "own" makes of missing values a category called "missing".',
    )
    learners: Any = option(
        default=None,
        type_name="estimator, list of estimators or None",
        doc="A regressor for numbers, a classifier for categories, or both: copies of them predict "
        "the missing values of every column that had some from the other columns, which are filled "
        "as above. Then no tally is kept, and all rows are read into memory.",
    )

    @property
    def uses_tally(self) -> bool:
        """What a learner makes of the rows is no sum."""
        return self.learners is None

    def fit_passes(self, passes: Passes) -> Learned:
        """Solve the tally; then, with learners, fit them to all rows."""
        if self.learners is None:
            return super().fit_passes(passes)
        tally = self.sum_passes(passes)
        schema = self._fitted_schema(passes.schema, tally)
        block, plain = select_columns(passes.whole(), schema), self._solve_tally(tally)
        learners = check_learners(self.learners)
        found = predicted_values.fitted(block, plain.plainly(block), learners)
        model = replace(plain, predicted=tuple(found), learners=tuple(found.values()))
        return Learned(model, schema=schema)

    def tally(self, block: Block) -> Bundle:
        """Moments, or how often each number was seen; and how often each category was."""
        check_finite(block)
        by, weight = block.keyed(), block.weight
        tables = Bundle(dict(Counts.each(by, block.codes, weight)))
        return Bundle({"target": rows_of(block), "tables": tables, **self._numbers(block)})

    def _numbers(self, block: Block) -> dict[str, Any]:
        names, by = block.schema.numbers, block.keyed()
        if self.numbers == "mean":
            return {"numbers": Moments.of(block.numbers, by, names, block.weight, block.start)}
        columns = zip(names, block.numbers.T, strict=True)
        each = {name: Values.of(column, by, block.weight) for name, column in columns}
        return {"values": Bundle(each)}

    def solve(self, tally: Bundle) -> Filling:
        """What every column is filled with."""
        moments = tally.get("numbers") or Moments.empty()
        values = tally["values"].parts if "values" in tally else {}
        found = dict(zip(map(str, moments.columns), moments.mean.reshape(-1).tolist(), strict=True))
        middle = self.numbers == "median"
        found |= {n: v.quantile(0.5) if middle else v.mode() for n, v in values.items()}
        tables = tally["tables"].parts if "tables" in tally else {}
        how = self.numbers, "the mode" if self.categories == "mode" else "one of their own"
        filled = {name: self._value(name, counts) for name, counts in tables.items()}
        return Filling(tuple(found), np.array([*found.values()], float), tuple(filled),
                       tuple(filled.values()), how)  # fmt: skip

    def _value(self, name: str, counts: Counts) -> str:
        keys = [str(key) for key in counts.keys[1]]
        if self.categories == "mode":
            return keys[int(counts.floats().sum(axis=0).argmax())]
        if OWN in keys:
            raise InputError(
                f"column {name!r} has a category {OWN!r} already, so that gaps cannot be one of "
                f"their own. Rename it, or declare it a gap with tl.table(..., missing={OWN!r})."
            )
        return OWN

    def _counted_columns(self, tally: Bundle) -> set[str]:
        parts = (tally.get("tables"), tally.get("values"))
        found = {name for part in parts if part is not None for name in part.parts}
        moments = tally.get("numbers")
        return found | (set() if moments is None else {*map(str, moments.columns)})

    def _check_combinations(self) -> None:
        for one in check_learners(self.learners).values():
            one._check_options()

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        check_rows(tally, {"tables": Bundle, "numbers": Moments, "values": Bundle})
        check_counts(tally.get("tables"), schema.categories, str)
        if "numbers" in tally:
            tally["numbers"].check()
            check_columns("moments", tally["numbers"].columns, {*schema.numbers})
        for name, part in tally["values"].parts.items() if "values" in tally else ():
            check_columns("values", [name], {*schema.numbers})
            if not isinstance(part, Values):
                raise ValueError(f"column {name!r} has no values")
            part.check()
