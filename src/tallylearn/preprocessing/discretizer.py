"""Discretisation: numbers become intervals, of equal width, of equal frequency, or by the class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import nan
from typing import Any, ClassVar

import numpy as np

from tallylearn.estimators.finite_rows import check_finite
from tallylearn.estimators.options import fitted, option
from tallylearn.expressions import BinnedNumber, Category, CategoryLookup, Number, NumberColumn
from tallylearn.preprocessing.mdl_cuts import mdl_cuts
from tallylearn.preprocessing.scalings import check_width
from tallylearn.preprocessing.stored_transforms import check_rows
from tallylearn.preprocessing.transformer import Preprocessor, TableTransform, rows_of
from tallylearn.sources.columns.class_labels import Aim
from tallylearn.tables import (
    CATEGORY,
    NUMBER,
    Array,
    Block,
    Codes,
    Column,
    Schema,
    check_columns,
    field_schemas,
)  # fmt: skip
from tallylearn.tallies import Bundle, Counts, Extent, Values
from tallylearn.workings import Derivation, Grid

MOST = 1 << 12  # intervals of one column


@dataclass(frozen=True)
class Intervals(TableTransform):
    """The cuts between the intervals of every column; a cut belongs to the interval above it."""

    names: tuple[str, ...]
    cuts: tuple[Array, ...]  # of every column, rising
    named: bool  # intervals are categories; else the numbers of the intervals

    form: ClassVar[field_schemas.Form] = {
        "names": field_schemas.names("p"),
        "cuts": field_schemas.many(field_schemas.floats(None), "p"),
        "named": field_schemas.truth,
    }

    def check(self, schema: Schema) -> None:
        """What a file says is of all columns of numbers, each of them once."""
        numbers = {column.name for column in schema.of_kind(NUMBER)}
        check_columns("cuts", self.names, numbers)
        if len(self.names) != len(numbers) or any((np.diff(c) <= 0).any() for c in self.cuts):
            raise ValueError("a column of numbers has no cuts, or they do not rise")

    def columns(self, schema: Schema) -> list[Column]:
        kind = CATEGORY if self.named else NUMBER
        return [Column(c.name, kind) if c.kind == NUMBER else c for c in schema.columns]

    def transform_block(self, block: Block) -> Block:
        schema = self.schema(block.schema)
        codes = {name: self._coded(block, name) for name in self.names}
        kept = {name: block.numbers[:, at] for name, at in block.schema.places.items()}
        if not self.named:
            kept |= {n: np.where(c.codes < 0, np.nan, c.codes) for n, c in codes.items()}
        numbers = [kept[name] for name in schema.numbers]
        return replace(
            block,
            schema=schema,
            numbers=np.column_stack(numbers) if numbers else np.empty((len(block), 0)),
            codes={n: codes[n] if n in codes else block.codes[n] for n in schema.categories},
        )

    def expressions(self, schema: Schema) -> dict[str, Number | Category]:
        """The interval of every number, by its label or by its place."""
        found: dict[str, Number | Category] = {}
        for name, cuts in zip(self.names, self.cuts, strict=True):
            labels = self.labels(name)
            interval = BinnedNumber(NumberColumn(name), tuple(cuts.tolist()), labels)
            places = tuple(map(float, range(len(labels))))
            found[name] = interval
            if not self.named:
                found[name] = CategoryLookup(interval, labels, places, other=nan, missing=nan)
        return found

    def labels(self, name: str) -> tuple[str, ...]:
        """The intervals of a column, in rising order."""
        cuts = [f"{cut:.6g}" for cut in self.cuts[self.names.index(name)]]
        if len({*cuts}) < len(cuts):  # six digits do not tell them apart
            cuts = [repr(float(cut)) for cut in self.cuts[self.names.index(name)]]
        if not cuts:
            return ("all",)
        between = [f"{a} to {b}" for a, b in pairwise(cuts)]
        return (f"< {cuts[0]}", *between, f"≥ {cuts[-1]}")

    def derivation(self, schema: Schema) -> Derivation:
        """The intervals of every column."""
        rows = tuple((name, label) for name in self.names for label in self.labels(name))
        return Derivation("Discretisation", (Grid("intervals", ("column", "interval"), rows),))

    def _coded(self, block: Block, name: str) -> Codes:
        column = block.numbers[:, block.schema.places[name]]
        places = np.searchsorted(self.cuts[self.names.index(name)], column, side="right")
        codes = np.where(np.isnan(column), -1, places).astype(np.int32)
        return Codes(self.labels(name), codes)


class Discretizer(Preprocessor):
    """Numbers become intervals; gaps stay gaps, and other columns and dates pass as they are.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.Discretizer(2, labels="code").fit_transform([[1.0], [2.0], [9.0]]).ravel()
    array([0., 0., 1.])

    References
    ----------
    U. Fayyad and K. Irani, Multi-interval discretization of continuous-valued attributes, IJCAI
    1993.
    """

    transformed_kinds: ClassVar[tuple[str, ...]] = (NUMBER,)
    shaping: ClassVar[tuple[str, ...]] = ("strategy",)
    stored: ClassVar[tuple[type, ...]] = (Intervals,)
    model_: Intervals = fitted()

    bins: int = option(
        default=5,
        kw_only=False,
        low=2,
        high=MOST,
        doc='Number of intervals of a column, at most; "mdl" finds it itself.',
    )
    strategy: str = option(
        default="width",
        choices=("width", "frequency", "mdl"),
        doc='"width": intervals of equal width; "frequency": the same number of rows in each, as '
        'far as equal numbers allow; "mdl": where the classes of the target change, as long as a '
        "cut is worth its description length (Fayyad and Irani), so that ``fit(X, y)`` needs "
        "classes.",
    )
    labels: str = option(
        default="interval",
        choices=("interval", "code"),
        doc='"interval" gives categories such as "2.5 to 3.1", "code" numbers 0, 1, ...',
    )

    def _aim(self, X: Any, y: Any) -> Aim:
        return "classifier" if self.strategy == "mdl" else None

    def tally(self, block: Block) -> Bundle:
        """The ends of every column, or how often each number was seen, by class for "mdl"."""
        check_finite(block)
        names = tuple(column.name for column in block.schema.of_kind(NUMBER))
        numbers = block.numbers[:, [block.schema.places[name] for name in names]]
        by, rows = block.keyed(), rows_of(block)
        if self.strategy == "mdl":
            by, rows = block.target, Counts.of(block.target, weight=block.weight)
        if self.strategy == "width":
            return Bundle({"target": rows, "ends": Extent.of(numbers, by, names)})
        columns = zip(names, numbers.T, strict=True)
        each = {name: Values.of(column, by, block.weight) for name, column in columns}
        return Bundle({"target": rows, "values": Bundle(each)})

    def solve(self, tally: Bundle) -> Intervals:
        """The cuts of every column."""
        found: dict[str, Array] = {}
        if (ends := tally.get("ends")) is not None:
            check_width(ends)
            pairs = zip(ends.least[0], ends.greatest[0], strict=True)
            found = {
                str(name): _inner(np.linspace(low, high, int(self.bins) + 1))
                for name, (low, high) in zip(ends.columns, pairs, strict=True)
            }
        shares = np.linspace(0, 1, int(self.bins) + 1)
        for name, values in tally["values"].parts.items() if "values" in tally else ():
            if self.strategy == "mdl":
                found[name] = mdl_cuts(values)
            else:
                found[name] = _inner(np.array([values.quantile(share) for share in shares]))
        return Intervals(tuple(found), tuple(found.values()), self.labels == "interval")

    def _counted_columns(self, tally: Bundle) -> set[str]:
        ends, values = tally.get("ends"), tally.get("values")
        found = set() if ends is None else {*map(str, ends.columns)}
        return found | (set() if values is None else {*values.parts})

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        check_rows(tally, {"ends": Extent, "values": Bundle})
        numbers = {column.name for column in schema.of_kind(NUMBER)}
        if "ends" in tally:
            tally["ends"].check()
            check_columns("ends", tally["ends"].columns, numbers)
        for name, part in tally["values"].parts.items() if "values" in tally else ():
            check_columns("values", [name], numbers)
            if not isinstance(part, Values):
                raise ValueError(f"column {name!r} has no values")
            part.check()

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        tags.target_tags.required = self.strategy == "mdl"


def _inner(edges: Array) -> Array:
    """The cuts inside: those between the ends, each of them once."""
    inside = edges[1:-1]
    return np.unique(inside[(inside > edges[0]) & (inside < edges[-1])])
