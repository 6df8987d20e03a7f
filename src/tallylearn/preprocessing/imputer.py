"""Imputation of missing values by a statistic, a constant, or the predictions of an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from tallylearn.errors import InputError, KindError, OptionError
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.finite_rows import check_finite
from tallylearn.estimators.options import Allowed, fitted, option
from tallylearn.estimators.passes import Learned, Passes
from tallylearn.expressions import (
    Category,
    CategoryColumn,
    FilledCategory,
    FilledNumber,
    Literal,
    MissingIndicator,
    Number,
    NumberColumn,
)
from tallylearn.preprocessing.predicted_values import (
    check_learners,
    fit_learners,
    missing_rows,
    predict_missing_values,
)
from tallylearn.preprocessing.preprocessing_working import (
    count_table,
    mean_steps,
    median_steps,
    number_counts,
    with_steps,
)
from tallylearn.preprocessing.stored_transforms import check_counts, check_rows, check_values
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
from tallylearn.workings import Derivation, Formula, Grid, Sentence
from tallylearn.workings.units import value_formatter

OWN_CATEGORY = "missing"  # the category of missing values, where they have one of their own
CONSTANT_NUMBER, CONSTANT_CATEGORY = 0.0, "missing_value"  # scikit-learn's default fill values
INDICATOR_PREFIX = "missingindicator_"  # scikit-learn's name of a missing indicator
MODE_TITLE = "rows of the values; the mode is the first of the most frequent ones"
ROUNDING = 2.0**-48  # relative: weights that differ by less are equal


@dataclass(frozen=True)
class Imputation(TableTransform):
    """The value that fills the missing values of every column."""

    names: tuple[str, ...]  # columns of numbers
    numbers: Array  # (p,)
    categories: tuple[str, ...]
    values: tuple[str, ...]
    how: tuple[str, str]  # of numbers, and of categories
    predicted: tuple[str, ...] = ()  # columns whose missing values an estimator predicts
    learners: tuple[Any, ...] = ()  # theirs, fitted
    marker: Any = None  # a value that is missing, beside those that are empty
    indicators: tuple[str, ...] = ()  # columns with a missing indicator
    empty_value: float = nan  # fills columns without any value; NaN: they are left out

    form: ClassVar[field_schemas.Form] = {
        "names": field_schemas.names("p"),
        "numbers": field_schemas.floats("p"),
        "categories": field_schemas.names("c"),
        "values": field_schemas.names("c", unique=False),
        "how": field_schemas.names(unique=False),
        "predicted": field_schemas.names("l"),
        "learners": field_schemas.many(field_schemas.one(Estimator), "l"),
        "marker": field_schemas.plain_or_none,
        "indicators": field_schemas.names(),
        "empty_value": field_schemas.plain,
    }

    def check(self, schema: Schema) -> None:
        """Raise a ValueError where a file does not fill every column once."""
        check_columns("fills", self.names, {*schema.numbers})
        check_columns("fills", self.categories, {*schema.categories})
        sizes = len(schema.numbers), len(schema.categories)
        if (len(self.names), len(self.categories)) != sizes or len(self.how) != 2:
            raise ValueError("a column has nothing to be filled with")
        check_columns("learners", self.predicted, {*self.names, *self.categories})
        if len(self.predicted) != len(self.learners):
            raise ValueError("a column has no learner")
        check_columns("indicators", self.indicators, {*schema.names})
        if not isinstance(self.empty_value, float):
            raise ValueError("empty columns are filled with no number")

    def columns(self, schema: Schema) -> list[Column]:
        kept = [self._column(column) for column in schema.columns if self._is_kept(column)]
        order = [name for name in schema.names if name in self.indicators]
        return kept + [Column(f"{INDICATOR_PREFIX}{name}", NUMBER) for name in order]

    def _is_kept(self, column: Column) -> bool:
        return column.kind != UNKNOWN or not isnan(self.empty_value)

    def _column(self, column: Column) -> Column:
        """A column that declares its values declares the one that fills it too."""
        if column.kind == UNKNOWN:
            return Column(column.name, NUMBER)
        if not column.values:
            return column
        value = self.values[self.categories.index(column.name)]
        return replace(column, values=tuple(sorted({*column.values, value})))

    def transform_block(self, block: Block) -> Block:
        block = mark_missing(block, self.marker)
        learners = dict(zip(self.predicted, self.learners, strict=True))
        found = self.fill(block)
        if learners:
            found = predict_missing_values(block, found, learners)
        return self._with_new_columns(block, found)

    def fill(self, block: Block) -> Block:
        """Every missing value replaced by the value of its column."""
        fills = dict(zip(self.names, self.numbers, strict=True))
        by = np.array([fills[name] for name in block.schema.numbers])
        numbers = np.where(np.isnan(block.numbers), by, block.numbers)
        codes = {name: self._fill_codes(name, column) for name, column in block.codes.items()}
        columns = [self._column(c) for c in block.schema.columns if c.kind != UNKNOWN]
        schema = Schema(tuple(columns), block.schema.named)
        return replace(with_numbers(block, schema, numbers), codes=codes)

    def _with_new_columns(self, block: Block, filled: Block) -> Block:
        """The filled block with missing indicators and columns that had no value."""
        schema = self.schema(block.schema)
        if schema.numbers == filled.schema.numbers:
            return filled
        numbers = np.empty((len(block), len(schema.numbers)))
        for j, name in enumerate(schema.numbers):
            if name in filled.schema.places:
                numbers[:, j] = filled.numbers[:, filled.schema.places[name]]
            elif name in block.schema.names:  # a column without any value
                numbers[:, j] = self.empty_value
            else:
                numbers[:, j] = missing_rows(block, name.removeprefix(INDICATOR_PREFIX))
        return with_numbers(filled, schema, numbers)

    def expressions(self, schema: Schema) -> dict[str, Number | Category]:
        """Every column, and what fills it where it is missing."""
        if self.predicted or self.marker is not None:
            raise KindError(
                "a SimpleImputer with learners= or missing_values= cannot be written as an "
                "expression. Leave these options out."
            )
        fills = zip(self.names, self.numbers.tolist(), strict=True)
        found: dict[str, Number | Category] = {
            name: FilledNumber(NumberColumn(name), Literal(value)) for name, value in fills
        }
        for name, value in zip(self.categories, self.values, strict=True):
            found[name] = FilledCategory(CategoryColumn(name), value)
        for column in schema.columns if not isnan(self.empty_value) else ():
            if column.kind == UNKNOWN:
                found[column.name] = Literal(self.empty_value)
        for name in self.indicators:
            kind = CategoryColumn if name in self.categories else NumberColumn
            found[f"{INDICATOR_PREFIX}{name}"] = MissingIndicator(kind(name))
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
        title = f"values that fill missing values: {numbers} of numbers, {categories} of categories"
        return Derivation("Imputation", (Grid(title, ("column", "value"), rows), *said))

    def _fill_codes(self, name: str, column: Codes) -> Codes:
        value = self.values[self.categories.index(name)]
        values = column.values if value in column.values else (*column.values, value)
        codes = np.where(column.codes < 0, values.index(value), column.codes).astype(np.int32)
        return Codes(values, codes, column.declared and tuple(sorted({*column.declared, value})))


def mark_missing(block: Block, marker: Any) -> Block:
    """The block with all values that equal ``marker`` missing; None and NaN change nothing."""
    if marker is None or marker != marker:
        return block
    if isinstance(marker, str):
        codes = {
            name: replace(
                column,
                codes=np.where(column.recode((marker,)) == 0, -1, column.codes).astype(np.int32),
            )
            for name, column in block.codes.items()
        }
        return replace(block, codes=codes)
    return replace(block, numbers=np.where(block.numbers == marker, np.nan, block.numbers))


class SimpleImputer(Preprocessor):
    """Fill missing values: numbers by their mean, categories by the most frequent one.

    A column without any value is left out, unless ``keep_empty_features=True``; text stays as it
    is. A column that had no missing value in ``fit`` is filled where later rows have some.

    Attributes
    ----------
    statistics_ : ndarray
        The value that fills every column, in the order of the table; NaN where it has none.

    See Also
    --------
    Pipeline : Imputation before an estimator, as one.

    Examples
    --------
    >>> import tallylearn as tl
    >>> X = [[1.0], [None], [2.0], [9.0]]
    >>> tl.SimpleImputer(strategy="median").fit_transform(X).ravel()
    array([1., 2., 2., 9.])
    >>> tl.SimpleImputer(add_indicator=True).fit_transform(X)
    array([[1., 0.],
           [4., 1.],
           [2., 0.],
           [9., 0.]])
    """

    kinds: ClassVar[tuple[str, ...]] = Preprocessor.kinds
    transformed_kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY)
    fills: ClassVar[bool] = True
    shaping: ClassVar[tuple[str, ...]] = ("strategy", "missing_values")
    stored: ClassVar[tuple[type, ...]] = (Imputation,)
    composed: ClassVar[bool] = True
    model_: Imputation = fitted()

    missing_values: Any = option(
        default=nan,
        takes=Allowed(
            ("a number", "a str", "None"), lambda value: isinstance(value, Real | str | None)
        ),
        type_name="number, str or None",
        doc="A value that counts as missing, beside values that are empty: a number for columns of "
        "numbers, a str for categories. NaN and None add nothing.",
    )
    strategy: str = option(
        default="mean",
        choices=("mean", "median", "most_frequent", "constant"),
        doc="What fills a column of numbers or dates; of several most frequent numbers the least. "
        '"constant" fills with ``fill_value``.',
    )
    fill_value: Any = option(
        default=None,
        takes=Allowed(
            ("a number", "a str", "None"), lambda value: isinstance(value, Real | str | None)
        ),
        type_name="number, str or None",
        doc='The value of ``strategy="constant"``; None is 0 for numbers and "missing_value" for '
        "categories.",
    )
    copy: bool = option(
        default=True, doc="For compatibility with scikit-learn: no table is ever changed."
    )
    add_indicator: bool = option(
        default=False,
        doc="Whether to append a column of 0 and 1, ``missingindicator_<column>``, for every "
        "column that has missing values in ``fit``.",
    )
    keep_empty_features: bool = option(
        default=False,
        doc="Whether columns without any value stay, filled with 0 or the constant.",
    )
    category_strategy: str = option(
        default="auto",
        choices=("auto", "most_frequent", "own"),
        doc='What fills a column of categories: "most_frequent", of several the first in sorted '
        'order; "own" makes missing values a category called "missing"; "auto" is the constant '
        'where ``strategy="constant"``, else the most frequent one.',
    )
    learners: Any = option(
        default=None,
        type_name="estimator, list of estimators or None",
        doc="A regressor for numbers, a classifier for categories, or both. Copies of them predict "
        "the missing values of a column from the other columns, which are filled as above. Then "
        "the imputer keeps no tally, and reads all rows into memory.",
    )

    @classmethod
    def from_deprecated(
        cls, numbers: str = "mean", *, categories: str = "mode", learners: Any = None
    ) -> Self:
        """The imputer of ``Imputer(numbers, categories=, learners=)``, its deprecated name."""
        return cls(
            strategy="most_frequent" if numbers == "mode" else numbers,
            category_strategy="most_frequent" if categories == "mode" else categories,
            learners=learners,
        )

    def shape(self) -> tuple[tuple[str, Any], ...]:
        return (
            ("strategy", self.strategy),
            ("missing_values", _plain_marker(self.missing_values)),  # NaN is not equal to itself
        )

    @property
    def uses_tally(self) -> bool:
        """Whether the imputer keeps a tally: with ``learners`` it does not."""
        return self.learners is None

    def fit_passes(self, passes: Passes) -> Learned:
        """Solve the tally; then, with learners, fit them to all rows."""
        if self.learners is None:
            return super().fit_passes(passes)
        tally = self.sum_passes(passes)
        schema = self._fitted_schema(passes.schema, tally)
        block = mark_missing(select_columns(passes.whole(), schema), self.missing_values)
        plain = self._solve_tally(tally)
        found = fit_learners(block, plain.fill(block), check_learners(self.learners))
        model = replace(plain, predicted=tuple(found), learners=tuple(found.values()))
        return Learned(model, schema=schema)

    def tally(self, block: Block) -> Bundle:
        """Moments, or how often each number was seen; and how often each category was."""
        check_finite(block)
        block = mark_missing(block, self.missing_values)
        tables = Bundle(dict(Counts.each(block.counting_keys(), block.codes, block.weight)))
        return Bundle({"target": rows_of(block), "tables": tables, **self._numbers(block)})

    def _numbers(self, block: Block) -> dict[str, Any]:
        names, by = block.schema.numbers, block.counting_keys()
        if self.strategy in ("mean", "constant"):
            return {"numbers": Moments.of(block.numbers, by, names, block.weight, block.start)}
        columns = zip(names, block.numbers.T, strict=True)
        each = {name: Values.of(column, by, block.weight) for name, column in columns}
        return {"values": Bundle(each)}

    def solve(self, tally: Bundle) -> Imputation:
        """What every column is filled with."""
        moments = tally.get("numbers") or Moments.empty()
        values = tally["values"].parts if "values" in tally else {}
        names = [*map(str, moments.columns)]
        found = dict(zip(names, moments.mean.reshape(-1).tolist(), strict=True))
        if self.strategy == "constant":
            found = dict.fromkeys(names, self._constant_number(names))
        median = self.strategy == "median"
        found |= {n: v.quantile(0.5) if median else v.mode() for n, v in values.items()}
        tables = tally["tables"].parts if "tables" in tally else {}
        filled = {name: self._value(name, counts) for name, counts in tables.items()}
        own = {"own": "a category of their own", "constant": "a constant"}
        how = {"most_frequent": "mode"}.get(self.strategy, self.strategy)
        empty = nan
        if self.keep_empty_features:
            empty = self._constant_number(()) if self.strategy == "constant" else 0.0
        return Imputation(
            names=tuple(found),
            numbers=np.array([*found.values()], float),
            categories=tuple(filled),
            values=tuple(filled.values()),
            how=(how, own.get(self._category_strategy(), "the mode")),
            marker=_plain_marker(self.missing_values),
            indicators=self._columns_with_missing_values(tally) if self.add_indicator else (),
            empty_value=empty,
        )

    def _category_strategy(self) -> str:
        if self.category_strategy != "auto":
            return self.category_strategy
        return "constant" if self.strategy == "constant" else "most_frequent"

    def _constant_number(self, names: Sequence[str]) -> float:
        if isinstance(self.fill_value, str) and names:
            raise OptionError(
                f"fill_value is {self.fill_value!r}, which cannot fill the numeric column "
                f"{names[0]!r}. Give a number, or impute the categorical columns alone."
            )
        given = None if isinstance(self.fill_value, str) else self.fill_value
        return CONSTANT_NUMBER if given is None else float(given)

    def _value(self, name: str, counts: Counts) -> str:
        keys = [str(key) for key in counts.keys[1]]
        how = self._category_strategy()
        if how == "most_frequent":
            return keys[int(counts.floats().sum(axis=0).argmax())]
        if how == "constant":
            return CONSTANT_CATEGORY if self.fill_value is None else str(self.fill_value)
        if OWN_CATEGORY in keys:
            raise InputError(
                f"column {name!r} has a category {OWN_CATEGORY!r} already, so missing values "
                "cannot be a category of that name. Rename it, or declare it missing with "
                f"tl.table(..., missing={OWN_CATEGORY!r})."
            )
        return OWN_CATEGORY

    def _columns_with_missing_values(self, tally: Bundle) -> tuple[str, ...]:
        """The columns that have fewer values than there are rows."""
        weights: dict[str, float] = {}
        if (moments := tally.get("numbers")) is not None:
            counts = moments.count.floats().sum(axis=0).tolist()
            weights |= dict(zip(map(str, moments.columns), counts, strict=True))
        for part in ("values", "tables"):
            for name, one in tally[part].parts.items() if part in tally else ():
                weights[name] = float(one.floats().sum())
        total = tally["target"].weight
        return tuple(n for n, weight in weights.items() if total - weight > ROUNDING * total)

    def _working(self, full: bool) -> Derivation:
        """With the means, medians or counts behind the values, where the tally has them."""
        work = super()._working(full)
        if self.tally_ is None:
            return work
        moments, values = self.tally_.get("numbers"), self.tally_.get("values")
        counts: dict[str, list[tuple[str, float]]] = {}
        steps: list[Grid | Formula | Sentence] = []
        if moments is not None and self.strategy == "mean":
            steps += mean_steps(moments, self.schema_, full=full)
        elif values is not None and self.strategy == "median":
            steps += median_steps(values.parts, self.schema_, full)
        elif values is not None:
            counts |= {name: number_counts(one) for name, one in values.parts.items()}
        if self._category_strategy() == "most_frequent":
            tables = self.tally_["tables"].parts if "tables" in self.tally_ else {}
            for name, table in tables.items():
                weights = table.floats().sum(axis=0).tolist()
                counts[name] = [*zip(map(str, table.keys[1]), weights, strict=True)]
        counts = {name: counts[name] for name in self.schema_.names if name in counts}
        return with_steps(work, [*steps, *count_table(MODE_TITLE, counts, full)])

    @property
    def statistics_(self) -> Array:
        """ndarray : The value that fills every column, in the order of the table."""
        self._check_fitted()
        model = self.model_
        fills: dict[str, Any] = dict(zip(model.names, model.numbers.tolist(), strict=True))
        fills |= dict(zip(model.categories, model.values, strict=True))
        found = [fills.get(name, model.empty_value) for name in self.schema_.names]
        return np.array(found, dtype=object if model.categories else np.float64)

    def _names_out(self, given: Any) -> list[str]:
        if given is None or self.schema_.named:
            return super()._names_out(given)
        new = dict(zip(self.schema_.names, map(str, given), strict=True))
        new |= {INDICATOR_PREFIX + old: INDICATOR_PREFIX + name for old, name in new.items()}
        return [new[name] for name in super()._names_out(None)]

    def _list_counted_columns(self, tally: Bundle) -> set[str]:
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
        check_values(tally.get("values"), {*schema.numbers})


def _plain_marker(value: Any) -> Any:
    """The value of ``missing_values`` as a file stores it; None where it adds nothing."""
    if value is None or value != value:
        return None
    return value if isinstance(value, str) else float(value)
