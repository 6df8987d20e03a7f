"""One-hot and ordinal encoding: categories become columns of 0 and 1, or the numbers 0, 1, ..."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from tallylearn.errors import ColumnError, OptionError, items_of, quoted_list, short_repr
from tallylearn.estimators.options import (
    NONE,
    Allowed,
    either,
    fitted,
    number,
    one_of,
    option,
)
from tallylearn.estimators.output_containers import BOOLEANS, output_columns
from tallylearn.estimators.passes import Learned, Passes
from tallylearn.estimators.tally_state import TallyState
from tallylearn.expressions import (
    BinnedNumber,
    Category,
    CategoryColumn,
    CategoryIndicator,
    CategoryLookup,
    MissingIndicator,
    Number,
    NumberColumn,
)
from tallylearn.preprocessing.stored_transforms import check_counts, check_rows, check_values
from tallylearn.preprocessing.transformer import (  # fmt: skip
    DTYPE,
    Preprocessor,
    ReversibleTransform,
    rows_of,
    sparse_matrix,
)
from tallylearn.tables import (
    CATEGORY,
    DATE,
    NUMBER,
    TEXT,
    Array,
    Block,
    Codes,
    Column,
    Schema,
    check_columns,
    field_schemas,
    row_number,
)  # fmt: skip
from tallylearn.tallies import Bundle, Counts, Values
from tallylearn.workings import Derivation, Grid, Sentence
from tallylearn.workings.split_steps import count

MAX_INDICATORS = 1 << 12  # of one column
INFREQUENT = "infrequent_sklearn"  # scikit-learn's label of all infrequent categories together
MISSING_LABEL = "nan"  # of a missing value that is a category of its own
MISSING_CODE, UNKNOWN_CODE = -1, -2
ROUNDING = 2.0**-48  # relative: weights that differ by less are equal


@dataclass(frozen=True, kw_only=True)
class Encoding(ReversibleTransform):
    """The categories of every encoded column.

    The code of a value is its place among the categories of its column; a missing value that is a
    category has the last code. Columns of categories come first, then columns of numbers.
    """

    names: tuple[str, ...]  # encoded columns of categories
    values: tuple[tuple[str, ...], ...]  # their values, sorted or in the order that was given
    strict: bool  # whether a value that fit has not seen is an error
    numbers: tuple[str, ...] = ()  # encoded columns of numbers
    levels: tuple[Array, ...] = ()  # their values, rising
    missing: tuple[str, ...] = ()  # columns where a missing value is a category
    missing_is_value: bool = False  # whether a missing value that fit has not seen is unknown
    infrequent: tuple[Array, ...] = ()  # the codes of every column's infrequent values; or empty
    unknown: str = ""  # "infrequent_if_exist" or "warn": unknown values are infrequent ones

    form: ClassVar[field_schemas.Form] = {
        "names": field_schemas.names("c"),
        "values": field_schemas.many(field_schemas.names(), "c"),
        "strict": field_schemas.truth,
        "numbers": field_schemas.names("p"),
        "levels": field_schemas.many(field_schemas.floats(None), "p"),
        "missing": field_schemas.names(),
        "missing_is_value": field_schemas.truth,
        "infrequent": field_schemas.many(field_schemas.array(np.int64), "i"),
        "unknown": field_schemas.text("", "infrequent_if_exist", "warn"),
    }

    def check(self, schema: Schema) -> None:
        """Raise a ValueError where a file has other columns or codes than the schema allows."""
        check_columns("values", self.names, {*schema.categories})
        check_columns("levels", self.numbers, {*schema.numbers})
        check_columns("missing", self.missing, {*self.encoded_columns})
        if len(self.names) != len(schema.categories):
            raise ValueError("a column of categories has no values")
        if any((np.diff(levels) <= 0).any() for levels in self.levels):
            raise ValueError("the values of a column of numbers do not rise")
        if self.infrequent and len(self.infrequent) != len(self.encoded_columns):
            raise ValueError("a column does not tell its infrequent values")
        for name, codes in zip(self.encoded_columns, self.infrequent, strict=False):
            known = np.arange(len(self.labels(name)))
            if codes.ndim != 1 or (np.diff(codes) <= 0).any() or not np.isin(codes, known).all():
                raise ValueError(f"column {name!r} has infrequent values that it does not have")

    @property
    def encoded_columns(self) -> tuple[str, ...]:
        """The columns that are encoded."""
        return (*self.names, *self.numbers)

    def labels(self, name: str) -> tuple[str, ...]:
        """The categories of a column as text, by code."""
        if name in self.names:
            found = self.values[self.names.index(name)]
        else:
            found = tuple(map(repr, self.levels[self.numbers.index(name)].tolist()))
        return (*found, MISSING_LABEL) if name in self.missing else found

    def infrequent_codes(self, name: str) -> Array:
        """The codes of the infrequent values of a column."""
        if not self.infrequent:
            return np.empty(0, dtype=np.int64)
        return self.infrequent[self.encoded_columns.index(name)]

    def groups(self, name: str) -> tuple[tuple[str, ...], Array]:
        """The labels of a column, infrequent values as one, and the place of every code in them."""
        labels, rare = self.labels(name), self.infrequent_codes(name)
        if not len(rare):
            return labels, np.arange(len(labels))
        places = np.cumsum(~np.isin(np.arange(len(labels)), rare)) - 1
        frequent = tuple(np.delete(np.array(labels, dtype=object), rare).tolist())
        places[rare] = len(frequent)
        return (*frequent, INFREQUENT), places

    def codes(self, block: Block, name: str) -> Array:
        """(n,) the code of every row; MISSING_CODE and UNKNOWN_CODE where it has none."""
        if name in self.names:
            codes = block.codes[name].recode(self.values[self.names.index(name)])
        else:
            codes = self._number_codes(block, name)
        if name in self.missing:
            codes = np.where(codes == MISSING_CODE, len(self.labels(name)) - 1, codes)
        elif self.missing_is_value:
            codes = np.where(codes == MISSING_CODE, UNKNOWN_CODE, codes)
        if (self.strict or self.unknown == "warn") and (codes == UNKNOWN_CODE).any():
            self._report_unknown(block, name, int((codes == UNKNOWN_CODE).argmax()))
        return codes

    def _number_codes(self, block: Block, name: str) -> Array:
        levels = self.levels[self.numbers.index(name)]
        column = block.numbers[:, block.schema.places[name]]
        if not len(levels):
            return np.where(np.isnan(column), MISSING_CODE, UNKNOWN_CODE)
        at = np.minimum(np.searchsorted(levels, column), len(levels) - 1)
        codes = np.where(levels[at] == column, at, UNKNOWN_CODE)
        return np.where(np.isnan(column), MISSING_CODE, codes)

    def _report_unknown(self, block: Block, name: str, row: int) -> None:
        if name in self.names:
            column = block.codes[name]
            found = column.values[column.codes[row]] if column.codes[row] >= 0 else None
        else:
            number = float(block.numbers[row, block.schema.places[name]])
            found = None if isnan(number) else number
        what = "a missing value" if found is None else short_repr(found)
        where = f"column {name!r} has {what} in row {row_number(block.start, row)}"
        if not self.strict:
            warnings.warn(
                f"OneHotEncoder.transform: {where}, an unknown category. It is encoded as "
                "infrequent, or as zeros where the column has no infrequent category.",
                stacklevel=2,
            )
            return
        raise ColumnError(
            f"{where}. Found unknown categories: fit has seen {quoted_list(self.labels(name))}. "
            f"Fit on rows with all categories, or set {self.remedy}."
        )

    remedy: ClassVar[str] = ""  # the option that allows unknown values

    def category(self, name: str) -> Category:
        """A column as an expression with its labels; a number is the label of its value."""
        if name in self.names:
            return CategoryColumn(name)
        levels = self.levels[self.numbers.index(name)].tolist()
        cuts = [cut for level in levels for cut in (level, np.nextafter(level, np.inf))]
        texts = [text for i, level in enumerate(levels) for text in (f"other {i}", repr(level))]
        labels = (*(str(text) for text in texts), f"other {len(levels)}")
        return BinnedNumber(NumberColumn(name), tuple(map(float, cuts)), labels)

    def rebuilt(self, block: Block, columns: Mapping[str, Array]) -> Block:
        """The block with new columns of numbers in the place of the encoded ones."""
        schema = self.schema(block.schema)
        numbers = np.empty((len(block), len(schema.numbers)))
        for j, name in enumerate(schema.numbers):
            new = columns.get(name)
            numbers[:, j] = block.numbers[:, block.schema.places[name]] if new is None else new
        codes = {name: block.codes[name] for name in schema.categories}
        return replace(block, schema=schema, numbers=numbers, codes=codes)

    def decode(self, block: Block, schema: Schema, places: Mapping[str, Array]) -> Block:
        """Rows of the old columns; ``places`` are those of ``groups``, -1 where missing."""
        numbers = np.empty((len(block), len(schema.numbers)))
        for j, name in enumerate(schema.numbers):
            if name not in self.numbers:
                numbers[:, j] = block.numbers[:, block.schema.places[name]]
                continue
            table = np.full(len(self.groups(name)[0]) + 1, nan)  # the last: missing, infrequent
            levels = self.levels[self.numbers.index(name)]
            frequent = np.setdiff1d(np.arange(len(levels)), self.infrequent_codes(name))
            table[: len(frequent)] = levels[frequent]
            numbers[:, j] = table[places[name]]
        codes = {name: self._decoded_codes(name, places[name]) for name in schema.categories}
        return replace(block, schema=schema, numbers=numbers, codes=codes)

    def _decoded_codes(self, name: str, places: Array) -> Codes:
        labels, by_code = self.groups(name)
        at = int(by_code[-1]) if name in self.missing else -1
        if at >= 0 and labels[at] == MISSING_LABEL:  # not among the infrequent values
            places = np.where(places == at, -1, places - (places > at))
            labels = (*labels[:at], *labels[at + 1 :])
        return Codes(labels, places.astype(np.int32))


@dataclass(frozen=True, kw_only=True)
class OrdinalTransform(Encoding):
    """Every value becomes its code."""

    unknown_value: float = nan
    missing_value: float = nan

    remedy: ClassVar[str] = "handle_unknown='use_encoded_value', unknown_value=-1"
    form: ClassVar[field_schemas.Form] = {
        **Encoding.form,
        "unknown_value": field_schemas.plain,
        "missing_value": field_schemas.plain,
    }

    def columns(self, schema: Schema) -> list[Column]:
        return [
            Column(c.name, NUMBER) if c.name in self.encoded_columns else c for c in schema.columns
        ]

    def groups(self, name: str) -> tuple[tuple[str, ...], Array]:
        """The labels without the missing value, which has a number of its own: place -1."""
        if name not in self.missing:
            return super().groups(name)
        present = replace(self, missing=tuple(one for one in self.missing if one != name))
        labels, places = present.groups(name)
        return labels, np.append(places, -1)

    def _numbers_of_codes(self, name: str) -> Array:
        """The number of every code, then of UNKNOWN_CODE and of MISSING_CODE."""
        found = self.groups(name)[1].astype(np.float64)
        if name in self.missing:
            found[-1] = self.missing_value
        return np.append(found, [self.unknown_value, self.missing_value])

    def transform_block(self, block: Block) -> Block:
        names = [name for name in self.encoded_columns if name in block.schema.names]
        found = {name: self._numbers_of_codes(name)[self.codes(block, name)] for name in names}
        return self.rebuilt(block, found)

    def expressions(self, schema: Schema) -> dict[str, Number | Category]:
        """The code of every value; other values have the unknown value."""
        found: dict[str, Number | Category] = {}
        for name in self.encoded_columns:
            amounts = self._numbers_of_codes(name)[:-2]
            labels = self.labels(name)
            if name in self.missing:
                labels, amounts = labels[:-1], amounts[:-1]
            found[name] = CategoryLookup(
                self.category(name), labels, tuple(amounts.tolist()),
                other=float(self.unknown_value), missing=float(self.missing_value),
            )  # fmt: skip
        return found

    def inverse_block(self, block: Block, schema: Schema) -> Block:
        names = [name for name in self.encoded_columns if name in schema.names]
        return self.decode(block, schema, {name: self._places(block, name) for name in names})

    def _places(self, block: Block, name: str) -> Array:
        """(n,) the place of every code among the groups; -1 where it is missing or unknown."""
        labels = self.groups(name)[0]
        codes = block.numbers[:, block.schema.places[name]]
        gaps = np.isnan(codes) | (codes == self.unknown_value) | (codes == self.missing_value)
        odd = ~gaps & ~np.isin(codes, np.arange(len(labels)))
        if odd.any():
            row = int(odd.argmax())
            raise ColumnError(
                f"column {name!r} has {codes[row]:g} in row {row_number(block.start, row)}, which "
                f"is not a code. Its codes are 0 to {len(labels) - 1}: {quoted_list(labels)}. Pass "
                "the output of transform."
            )
        return np.where(gaps, -1, codes).astype(np.int64)

    encoded_heading: ClassVar[str] = "code"

    def describe_encoding(self, name: str) -> list[str]:
        """The number of every value of a column, as text."""
        return [f"{code:g}" for code in self._numbers_of_codes(name)[:-2]]

    def derivation(self, schema: Schema) -> Derivation:
        """The number of every value."""
        rows = tuple(
            (name, value, code)
            for name in self.encoded_columns
            for value, code in zip(self.labels(name), self.describe_encoding(name), strict=True)
        )
        return Derivation("Ordinal encoding", (Grid("", ("column", "value", "code"), rows),))


NOT_A_NUMBER = Allowed(("nan",), lambda value: isinstance(value, float) and isnan(value))


@dataclass(frozen=True, kw_only=True)
class OneHotTransform(Encoding):
    """Every value becomes a column of 0 and 1."""

    drop: str  # "", "first", "if_binary"; "given": those of ``dropped``
    dropped: tuple[str, ...] = ()  # the label without an indicator, by encoded column
    outputs: tuple[tuple[str, ...], ...] = ()  # the names of indicators; empty: colour=red

    remedy: ClassVar[str] = "handle_unknown='ignore'"
    form: ClassVar[field_schemas.Form] = {
        **Encoding.form,
        "drop": field_schemas.text("", "first", "if_binary", "given"),
        "dropped": field_schemas.names(unique=False),
        "outputs": field_schemas.many(field_schemas.names(), "o"),
    }

    def check(self, schema: Schema) -> None:
        super().check(schema)
        if self.drop == "given" and len(self.dropped) != len(self.encoded_columns):
            raise ValueError("a column does not tell its dropped value")
        if self.outputs and len(self.outputs) != len(self.encoded_columns):
            raise ValueError("a column has no names of indicators")
        for name in self.encoded_columns if self.outputs else ():
            if len(self.indicators(name)) != len(self.kept_places(name)):
                raise ValueError(f"column {name!r} has other indicators than values")

    def dropped_place(self, name: str) -> int | None:
        """The place of the label that has no indicator, if there is one."""
        labels = self.groups(name)[0]
        if self.drop == "given":
            label = self.dropped[self.encoded_columns.index(name)]
            return labels.index(label) if label in labels else None
        binary = self.drop == "if_binary" and len(labels) == 2
        return 0 if labels and (self.drop == "first" or binary) else None

    def kept_places(self, name: str) -> list[int]:
        """The places of the labels that have an indicator."""
        places = [*range(len(self.groups(name)[0]))]
        if (dropped := self.dropped_place(name)) is not None:
            places.remove(dropped)
        return places

    def indicators(self, name: str) -> tuple[str, ...]:
        """The names of a column's indicators."""
        if self.outputs:
            return self.outputs[self.encoded_columns.index(name)]
        labels = self.groups(name)[0]
        return tuple(f"{name}={labels[place]}" for place in self.kept_places(name))

    def columns(self, schema: Schema) -> list[Column]:
        out: list[Column] = []
        for column in schema.columns:
            if column.name in self.encoded_columns:
                out += [Column(name, NUMBER) for name in self.indicators(column.name)]
            else:
                out.append(column)
        names = [column.name for column in out]
        if len({*names}) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ColumnError(
                f"two columns would be called {twice!r}: the table has a column of this name, or "
                "two categories have the same label. Rename the column, or pass a function as "
                "feature_name_combiner."
            )
        return out

    def transform_block(self, block: Block) -> Block:
        found = {}
        for name in self.encoded_columns:
            labels, places = self.groups(name)
            pooled = bool(self.unknown) and INFREQUENT in labels[-1:]
            table = np.append(places, [len(labels) - 1 if pooled else -1, -1])
            at = table[self.codes(block, name)]
            for output, place in zip(self.indicators(name), self.kept_places(name), strict=True):
                found[output] = (at == place).astype(np.float64)
        return self.rebuilt(block, found)

    def expressions(self, schema: Schema) -> dict[str, Number | Category]:
        """1 where the column has the value, else 0."""
        found: dict[str, Number | Category] = {}
        for name in self.encoded_columns:
            labels, places = self.groups(name)
            for output, place in zip(self.indicators(name), self.kept_places(name), strict=True):
                codes = np.flatnonzero(places == place)
                found[output] = self._indicator(name, codes, labels[place] == INFREQUENT)
        return found

    def _indicator(self, name: str, codes: Array, pooled: bool) -> Number:
        labels, column = self.labels(name), self.category(name)
        missing = name in self.missing and len(labels) - 1 in codes
        known = tuple(labels[code] for code in codes if not missing or code < len(labels) - 1)
        if not known and not pooled:
            return MissingIndicator(column)
        if len(known) == 1 and not pooled:
            return CategoryIndicator(column, known[0])
        unknown = float(pooled and bool(self.unknown))
        unknown_missing = unknown and self.missing_is_value and name not in self.missing
        every = labels[:-1] if name in self.missing else labels
        return CategoryLookup(
            column, every, tuple(float(label in known) for label in every), other=unknown,
            missing=1.0 if missing or unknown_missing else 0.0,
        )  # fmt: skip

    def inverse_block(self, block: Block, schema: Schema) -> Block:
        found = {}
        for name in self.encoded_columns:
            at = [block.schema.places[output] for output in self.indicators(name)]
            ones = block.numbers[:, at]
            dropped = self.dropped_place(name)
            places = np.full(len(block), -1 if dropped is None else dropped)
            rows = (ones != 0).any(axis=1)
            places[rows] = np.array(self.kept_places(name))[ones[rows].argmax(axis=1)]
            found[name] = places
        return self.decode(block, schema, found)

    encoded_heading: ClassVar[str] = "indicator"

    def describe_encoding(self, name: str) -> list[str]:
        """The indicator of every value of a column."""
        indicators = dict(zip(self.kept_places(name), self.indicators(name), strict=True))
        return [indicators.get(place, "none: all are 0") for place in self.groups(name)[1]]

    def derivation(self, schema: Schema) -> Derivation:
        """The new columns."""
        rows = tuple(
            (name, quoted_list(self.labels(name), 20), quoted_list(self.indicators(name), 20))
            for name in self.encoded_columns
        )
        return Derivation("One-hot encoding", (Grid("", ("column", "values", "indicators"), rows),))


class SeenValues(NamedTuple):
    """The values of a column that fit has seen, sorted, and their weights."""

    values: tuple[Any, ...]  # str or float
    weights: Array
    missing: float  # the weight of rows where the column is missing


CATEGORIES = Allowed(
    ("'auto'", "a list of categories for every encoded column", "a dict of lists by column"),
    lambda value: value == "auto" if isinstance(value, str) else items_of(value) is not None,
)
MIN_FREQUENCY = Allowed(
    ("an int in the range [1, inf)", "a float in the range (0, 1)", "None"),
    lambda value: (
        value is None
        or (isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1)
        or (isinstance(value, Real) and not isinstance(value, Integral) and 0 < float(value) < 1)
    ),
)


class Encoder(Preprocessor):
    """The options and the tally that both encoders have."""

    transformed_kinds: ClassVar[tuple[str, ...]] = (CATEGORY,)
    reversible: ClassVar[bool] = True
    shaping: ClassVar[tuple[str, ...]] = ("columns",)
    missing_can_be_infrequent: ClassVar[bool] = True
    model_: Any = fitted()

    categories: Any = option(
        default="auto",
        takes=CATEGORIES,
        type_name="'auto', list of lists or dict of lists",
        doc='The categories of every encoded column: "auto" takes those that ``fit`` sees, sorted; '
        "a list has a list of categories for every encoded column, in the order of the table; a "
        "dict has the column names as keys. Numbers must rise.",
    )
    dtype: Any = option(
        default="float64", takes=DTYPE, type_name="dtype", doc="Type of the numbers in an array."
    )
    min_frequency: Any = option(
        default=None,
        takes=MIN_FREQUENCY,
        type_name="int, float or None",
        doc="A value is infrequent below this number of rows, or below this share of the rows. "
        "All infrequent values of a column form one category.",
    )
    max_categories: int | None = option(
        default=None,
        low=1,
        doc="Largest number of categories of a column; the rarest values are infrequent and form "
        "one of them.",
    )
    columns: str = option(
        default="auto",
        choices=("auto", "category", "all"),
        doc='Columns to encode. "category": the columns of categories; "all": columns of numbers '
        'too; "auto": the columns of categories or, in a table that has only numbers, all of them '
        "as in scikit-learn. Other columns pass unchanged.",
    )
    missing: str = option(
        default="category",
        choices=("category", "ignore"),
        doc='"category": missing values are a category, the last, where ``fit`` has seen one, as '
        'in scikit-learn; "ignore": they are no category and never unknown.',
    )

    def tally(self, block: Block) -> Bundle:
        """Count the rows of every category."""
        parts: dict[str, Any] = {"target": rows_of(block)}
        by, weight = block.counting_keys(), block.weight
        parts["tables"] = Bundle(dict(Counts.each(by, block.codes, weight)))
        if names := self._number_columns(block.schema):
            columns = {name: block.numbers[:, block.schema.places[name]] for name in names}
            each = {name: Values.of(column, by, weight) for name, column in columns.items()}
            parts["values"] = Bundle(each)
        return Bundle(parts)

    def _number_columns(self, schema: Schema) -> tuple[str, ...]:
        """The columns of numbers that are encoded."""
        others = any(column.kind in (CATEGORY, TEXT, DATE) for column in schema.columns)
        if self.columns == "category" or (self.columns == "auto" and others):
            return ()
        return tuple(column.name for column in schema.of_kind(NUMBER))

    def fit_passes(self, passes: Passes) -> Learned:
        tally = self.sum_passes(passes)
        return Learned(self.solve(self._in_rows(tally), passes.schema), tally)

    def _solve_state(self, state: TallyState) -> Any:
        return self.solve(self._in_rows(state.tally), state.schema)

    def solve(self, tally: Bundle, schema: Schema | None = None) -> Any:
        """The encoding of a tally; lists of categories go by the columns of the schema."""
        raise NotImplementedError

    def _encoding(self, tally: Bundle, schema: Schema | None) -> dict[str, Any]:
        """The fields of an ``Encoding``."""
        seen = self._seen_values(tally, schema)
        given = self._option_by_column(self.categories, "categories", [*seen])
        strict = getattr(self, "handle_unknown") == "error"  # noqa: B009  each encoder has its own
        missing, infrequent = [], []
        for name, found in seen.items():
            if name in given:
                found = self._with_given_categories(name, found, given[name], strict)
                seen[name] = found
            weights = found.weights
            if self.missing == "category" and found.missing > 0:
                missing.append(name)
                if self.missing_can_be_infrequent:
                    weights = np.append(weights, found.missing)
            infrequent.append(self._find_infrequent(weights, tally["target"].weight))
        texts = {n: one.values for n, one in seen.items() if n not in self._numbers_in(tally)}
        numbers = {n: np.array(one.values, float) for n, one in seen.items() if n not in texts}
        order = [*seen]
        return {
            "names": tuple(texts),
            "values": tuple(texts.values()),
            "strict": strict,
            "numbers": tuple(numbers),
            "levels": tuple(numbers.values()),
            "missing": tuple(missing),
            "missing_is_value": self.missing == "category",
            "infrequent": tuple(infrequent[order.index(name)] for name in (*texts, *numbers))
            if any(map(len, infrequent))
            else (),
        }

    def _numbers_in(self, tally: Bundle) -> set[str]:
        return {*tally["values"].parts} if "values" in tally else set()

    def _seen_values(self, tally: Bundle, schema: Schema | None) -> dict[str, SeenValues]:
        """What was seen of every encoded column, in the order of the table."""
        total, found = tally["target"].weight, {}
        for name, counts in tally["tables"].parts.items() if "tables" in tally else ():
            weights = counts.floats().sum(axis=0)
            found[name] = SeenValues(tuple(map(str, counts.keys[1])), weights, total)
        for name, values in tally["values"].parts.items() if "values" in tally else ():
            numbers = tuple(values.numbers.tolist())
            found[name] = SeenValues(numbers, values.floats().sum(axis=0), total)
        if schema is not None:
            numbers_too = {*schema.categories, *self._number_columns(schema)}
            found = {name: found[name] for name in schema.names if name in {*found} & numbers_too}
        return {
            name: one._replace(missing=_difference(total, float(one.weights.sum())))
            for name, one in found.items()
        }

    def _option_by_column(
        self, lists: Any, which: str, names: Sequence[str]
    ) -> dict[str, list[Any]]:
        """An option that has one entry for every encoded column, by column."""
        if isinstance(lists, str | type(None)):
            return {}
        if isinstance(lists, Mapping):
            if odd := [name for name in lists if name not in names]:
                raise OptionError(
                    f"{which} names {short_repr(odd[0])}, which is not an encoded column. The "
                    f"encoded columns are {quoted_list(names)}."
                )
            return dict(lists)
        given = items_of(lists) or []
        if len(given) != len(names):
            raise OptionError(
                f"{which} has {len(given)} entries, and {len(names)} columns are encoded: "
                f"{quoted_list(names)}. Give one entry for each."
            )
        return dict(zip(names, given, strict=True))

    def _with_given_categories(
        self, name: str, seen: SeenValues, given: Any, strict: bool
    ) -> SeenValues:
        """The given categories with the weights of those that were seen."""
        items = [item.item() if isinstance(item, np.generic) else item for item in given]
        is_number = bool(seen.values) and isinstance(seen.values[0], float)
        gaps = [item for item in items if item is None or item != item]
        items = [item for item in items if not (item is None or item != item)]
        values = tuple(float(item) if is_number else str(item) for item in items)
        if len({*values}) < len(values) or (is_number and [*values] != sorted(values)):
            raise OptionError(
                f"categories of column {name!r} are {short_repr([*given])}. Give every category "
                "once, and numbers in increasing order."
            )
        if strict and (odd := [value for value in seen.values if value not in values]):
            raise ColumnError(
                f"column {name!r} has {odd[0]!r}, which is not among its categories= "
                f"{quoted_list(values)}. Found unknown categories: add it, or set handle_unknown."
            )
        weights = dict(zip(seen.values, seen.weights.tolist(), strict=True))
        found = np.array([weights.get(value, 0.0) for value in values])
        return SeenValues(values, found, max(seen.missing, float(bool(gaps))))

    def _working(self, full: bool) -> Derivation:
        """With the rows of every value, where the tally has them."""
        work = super()._working(full)
        if self.tally_ is None:
            return work
        rows: list[tuple[str, ...]] = []
        model = self.model_
        for name, seen in self._seen_values(self.tally_, self.schema_).items():
            labels = model.labels(name)
            texts = map(repr, seen.values) if name in model.numbers else map(str, seen.values)
            weights = dict(zip(texts, seen.weights.tolist(), strict=True))
            if name in model.missing:
                weights[labels[-1]] = seen.missing
            new = model.describe_encoding(name)
            rows += [
                (name, label, count(weights.get(label, 0.0)), code)
                for label, code in zip(labels, new, strict=True)
            ]
        table = Grid("", ("column", "value", "rows", model.encoded_heading), tuple(rows))
        notes = [Sentence(f"{INFREQUENT}: {self._infrequent_rule()}.")] if model.infrequent else []
        return Derivation(work.title, (table, *notes))

    def _infrequent_rule(self) -> str:
        """Which values are infrequent."""
        rules = []
        if isinstance(self.min_frequency, Integral):
            rules.append(f"values of less than {self.min_frequency} rows")
        elif self.min_frequency is not None:
            rules.append(f"values of less than {100 * float(self.min_frequency):.4g} % of the rows")
        if self.max_categories is not None:
            kept = int(self.max_categories) - 1
            rules.append(f"all but the {kept} most frequent values of a column with more")
        return "; ".join(rules)

    def _find_infrequent(self, weights: Array, total: float) -> Array:
        """The codes of values below ``min_frequency``, or not among the most frequent ones."""
        rare = np.zeros(len(weights), dtype=bool)
        if self.min_frequency is not None:
            least = self.min_frequency
            rare = weights < (least if isinstance(least, Integral) else least * total)
        if self.max_categories is not None and self.max_categories < len(weights) - rare.sum() + 1:
            n_frequent = int(self.max_categories) - 1
            order = np.argsort(weights, kind="stable")
            rare[order[: len(order) - n_frequent]] = True
        return np.flatnonzero(rare).astype(np.int64)

    @property
    def categories_(self) -> list[Array]:
        """list of ndarray : The categories of every encoded column, in the order of the table."""
        self._check_fitted()
        model: Encoding = self.model_
        found = []
        for column in self.schema_.columns:
            if column.name in model.numbers:
                levels = model.levels[model.numbers.index(column.name)]
                found.append(np.append(levels, [nan] * (column.name in model.missing)))
            elif column.name in model.names:
                values: list[Any] = [*model.values[model.names.index(column.name)]]
                if column.origin == "truth":
                    values = [BOOLEANS.get(value, value) for value in values]
                values += [nan] * (column.name in model.missing)
                found.append(np.array(values, dtype=object))
        return found

    @property
    def infrequent_categories_(self) -> list[Array | None]:
        """list : The infrequent categories of every encoded column; None where there are none."""
        names = [name for name in self.schema_.names if name in self.model_.encoded_columns]
        codes = [self.model_.infrequent_codes(name) for name in names]
        pairs = zip(self.categories_, codes, strict=True)
        return [values[at] if len(at) else None for values, at in pairs]

    def _as_array(self, array: Array) -> Any:
        return array if array.dtype == object else array.astype(np.dtype(self.dtype), copy=False)

    def _list_counted_columns(self, tally: Bundle) -> set[str]:
        parts = (tally[part].parts for part in ("tables", "values") if part in tally)
        return {name for part in parts for name in part}

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        check_rows(tally, {"tables": Bundle, "values": Bundle})
        check_counts(tally.get("tables"), schema.categories, str)
        check_values(tally.get("values"), {column.name for column in schema.of_kind(NUMBER)})

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        tags.input_tags.categorical = True


def _difference(total: float, part: float) -> float:
    """``total - part``; 0 where only rounding makes them differ."""
    return total - part if total - part > ROUNDING * total else 0.0


class OrdinalEncoder(
    Encoder,
    options=("categories", "dtype", "handle_unknown", "unknown_value", "encoded_missing_value",
             "min_frequency", "max_categories", "columns", "missing"),
):  # fmt: skip
    """Encode categories as the numbers 0, 1, ... in sorted order.

    The other columns of a table pass unchanged; in a table that has only numbers, every column is
    encoded, as in scikit-learn. Missing values stay missing unless ``encoded_missing_value`` says
    otherwise. ``inverse_transform`` returns the categories.

    Attributes
    ----------
    categories_ : list of ndarray
        The categories of every encoded column, in the order of the table.
    infrequent_categories_ : list
        The infrequent categories of every encoded column; None where there are none.

    See Also
    --------
    OneHotEncoder : A column of 0 and 1 for every category.

    Examples
    --------
    >>> import tallylearn as tl
    >>> encoder = tl.OrdinalEncoder().fit([["no"], ["yes"]])
    >>> encoder.transform([["yes"], ["no"]])
    array([[1.],
           [0.]])
    >>> encoder.inverse_transform([[1.0]])
    array([['yes']], dtype=object)
    """

    stored: ClassVar[tuple[type, ...]] = (OrdinalTransform,)
    missing_can_be_infrequent: ClassVar[bool] = False  # they have a number of their own

    handle_unknown: str = option(
        default="error",
        choices=("error", "use_encoded_value"),
        doc='What ``transform`` does with a value that ``fit`` has not seen: "error" raises, '
        '"use_encoded_value" encodes it as ``unknown_value``.',
    )
    unknown_value: Any = option(
        default=None,
        takes=either(number(), NOT_A_NUMBER, NONE),
        type_name="float or None",
        doc='The number of unknown values, where ``handle_unknown="use_encoded_value"``; not the '
        "code of a category.",
    )
    encoded_missing_value: Any = option(
        default=nan,
        takes=either(number(), NOT_A_NUMBER),
        type_name="float",
        doc="The number of missing values.",
    )

    @classmethod
    def from_deprecated(cls, *, unseen: str = "error") -> Self:
        """The encoder of ``LabelCoder(unseen=)``, its deprecated name."""
        return cls(
            handle_unknown="use_encoded_value" if unseen == "gap" else unseen,
            unknown_value=nan if unseen == "gap" else None,
            columns="category",
            missing="ignore",
        )

    def solve(self, tally: Bundle, schema: Schema | None = None) -> OrdinalTransform:
        """The codes of all categories."""
        model = OrdinalTransform(
            **self._encoding(tally, schema),
            unknown_value=nan if self.unknown_value is None else float(self.unknown_value),
            missing_value=float(self.encoded_missing_value),
        )
        for name in model.encoded_columns:
            codes = range(len(model.groups(name)[0]))
            used = {"unknown_value": self.unknown_value}
            if name in model.missing:
                used["encoded_missing_value"] = self.encoded_missing_value
            for which, value in used.items():
                if value in codes:
                    raise OptionError(
                        f"{which} is {value!r}, which is the code of a category of column "
                        f"{name!r}. Choose a number outside 0 to {len(codes) - 1}."
                    )
        return model

    def _check_combinations(self) -> None:
        if (self.handle_unknown == "use_encoded_value") != (self.unknown_value is not None):
            raise OptionError(
                "unknown_value goes with handle_unknown='use_encoded_value': pass both or "
                f"neither. Got handle_unknown={self.handle_unknown!r}, "
                f"unknown_value={self.unknown_value!r}."
            )


def _concat(feature: str, label: Any) -> str:
    return f"{feature}_{label}"


def _equals(feature: str, label: Any) -> str:
    return f"{feature}={label}"


COMBINERS: dict[str, Callable[[str, Any], str]] = {"concat": _concat, "equals": _equals}


class OneHotEncoder(
    Encoder,
    options=("categories", "drop", "sparse_output", "dtype", "handle_unknown", "min_frequency",
             "max_categories", "feature_name_combiner", "columns", "missing"),
):  # fmt: skip
    """Encode categories as columns of 0 and 1, one for every category.

    The other columns of a table pass unchanged; in a table that has only numbers, every column is
    encoded, as in scikit-learn. Frames come back as frames, arrays as sparse matrices unless
    ``sparse_output=False``.

    Attributes
    ----------
    categories_ : list of ndarray
        The categories of every encoded column, in the order of the table.
    drop_idx_ : ndarray or None
        The place in ``categories_`` of the dropped category of every encoded column.
    infrequent_categories_ : list
        The infrequent categories of every encoded column; None where there are none.

    See Also
    --------
    OrdinalEncoder : One column of codes for every column of categories.

    Examples
    --------
    >>> import tallylearn as tl
    >>> encoder = tl.OneHotEncoder(sparse_output=False).fit([["red"], ["blue"]])
    >>> encoder.get_feature_names_out().tolist(), encoder.transform([["red"]]).tolist()
    (['x0_blue', 'x0_red'], [[0.0, 1.0]])
    """

    stored: ClassVar[tuple[type, ...]] = (OneHotTransform,)

    drop: Any = option(
        default=None,
        takes=either(
            one_of(None, "first", "if_binary"),
            Allowed(
                ("a list with a category for every encoded column",),
                lambda value: not isinstance(value, str) and items_of(value) is not None,
            ),
        ),
        type_name="{None, 'first', 'if_binary'}, list or dict",
        doc='Categories without a column: none; the "first" of every column; with "if_binary" the '
        "first of columns that have two; or a list with one category for every encoded column.",
    )
    sparse_output: bool = option(
        default=True,
        doc="Whether arrays come back as a SciPy sparse matrix (CSR). Frames come back as frames.",
    )
    handle_unknown: str = option(
        default="error",
        choices=("error", "ignore", "infrequent_if_exist", "warn"),
        doc='What ``transform`` does with a value that ``fit`` has not seen: "error" raises; '
        '"ignore" sets all columns to 0; "infrequent_if_exist" takes it as infrequent where the '
        'column has infrequent values, else as "ignore" does; "warn" does the same and warns.',
    )
    feature_name_combiner: Any = option(
        default="concat",
        takes=either(one_of("concat", "equals"), Allowed(("a function",), callable)),
        type_name="{'concat', 'equals'} or callable",
        doc='Names of the new columns: "concat" gives ``colour_red``, "equals" ``colour=red``; a '
        "function gets the column and the category. A model with a function cannot be saved.",
    )

    @classmethod
    def from_deprecated(cls, *, drop: str | None = None, unseen: str = "error") -> Self:
        """The encoder of ``Indicator(drop=, unseen=)``, its deprecated name."""
        return cls(
            drop=drop,
            sparse_output=False,
            handle_unknown="ignore" if unseen == "gap" else unseen,
            feature_name_combiner="equals",
            columns="category",
            missing="ignore",
        )

    def solve(self, tally: Bundle, schema: Schema | None = None) -> OneHotTransform:
        """The indicators of all categories."""
        fields = self._encoding(tally, schema)
        unknown = self.handle_unknown if self.handle_unknown not in ("error", "ignore") else ""
        order = [*self._seen_values(tally, schema)]
        given = self._option_by_column(
            None if isinstance(self.drop, str) else self.drop, "drop", order
        )
        model = OneHotTransform(
            **fields, unknown=unknown, drop="given" if given else self.drop or ""
        )
        for name in model.encoded_columns:
            if len(labels := model.groups(name)[0]) > MAX_INDICATORS:
                raise ColumnError(
                    f"column {name!r} has {len(labels):,} values, more than the {MAX_INDICATORS:,} "
                    "indicators that are allowed. Set max_categories=100, leave the column out "
                    f"with tl.table(..., ignore=[{name!r}]), or use OrdinalEncoder."
                )
        if given:
            model = replace(
                model,
                dropped=tuple(self._dropped_label(model, n, given) for n in model.encoded_columns),
            )
        outputs = tuple(self._indicator_names(model, name, name) for name in model.encoded_columns)
        return replace(model, outputs=outputs)

    def _dropped_label(self, model: OneHotTransform, name: str, given: Mapping[str, Any]) -> str:
        """The label of the category that is dropped from a column."""
        value = given.get(name)
        text = str(value) if isinstance(value, str | Real) else ""
        if name in model.numbers and isinstance(value, Real):
            text = repr(float(value))
        if value is None or text not in model.labels(name):
            raise OptionError(
                f"drop has {short_repr(value)} for column {name!r}, which is not one of its "
                f"categories. Choose from {quoted_list(model.labels(name))}."
            )
        labels, places = model.groups(name)
        return str(labels[int(places[model.labels(name).index(text)])])

    def _indicator_names(
        self, model: OneHotTransform, name: str, display_name: str
    ) -> tuple[str, ...]:
        """The names of a column's indicators."""
        given = self.feature_name_combiner
        combine = COMBINERS[given] if isinstance(given, str) else given
        labels = model.groups(name)[0]
        found = [combine(display_name, labels[place]) for place in model.kept_places(name)]
        if odd := [one for one in found if not isinstance(one, str)]:
            raise OptionError(
                f"feature_name_combiner returned {short_repr(odd[0])}. Return the name of the new "
                "column as a str."
            )
        return tuple(found)

    @property
    def drop_idx_(self) -> Array | None:
        """ndarray or None : The place in ``categories_`` of every column's dropped category."""
        self._check_fitted()
        if not self.model_.drop:
            return None
        found: list[int | None] = []
        for name in (name for name in self.schema_.names if name in self.model_.encoded_columns):
            place = self.model_.dropped_place(name)
            codes = np.flatnonzero(self.model_.groups(name)[1] == place)
            found.append(None if place is None else int(codes[0]))
        return np.array(found, dtype=object)

    def _names_out(self, given: Any) -> list[str]:
        if given is None or self.schema_.named:
            return super()._names_out(given)
        names = dict(zip(self.schema_.names, map(str, given), strict=True))
        found: list[str] = []
        for column in output_columns(self.schema_):
            new = names[column.name]
            encoded = column.name in self.model_.encoded_columns
            found += self._indicator_names(self.model_, column.name, new) if encoded else [new]
        return found

    def _as_array(self, array: Array) -> Any:
        found = super()._as_array(array)
        return sparse_matrix(found) if self.sparse_output and found.dtype != object else found
