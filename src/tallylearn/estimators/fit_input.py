"""The arguments of ``fit`` and ``predict``, read into blocks that match the fitted columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import CellError, OptionError, TargetError, quoted_list
from tallylearn.estimators.call_style import CallStyle
from tallylearn.estimators.formulas import (
    ModelFormula,
    formula_target,
    is_formula,
    parse_formula,
)
from tallylearn.estimators.matched_columns import matched
from tallylearn.screening.identifiers import find_identifiers
from tallylearn.sources import (
    DeclaredTable,
    Part,
    Table,
    as_source,
    declared_table,
    is_out_of_memory,
    open_table,
    with_roles,
)
from tallylearn.sources.columns.class_labels import Aim, TargetReading, flat
from tallylearn.sources.columns.kinds import check_long_integers
from tallylearn.sources.columns.schema_matching import (
    check_target_unit,
    target_spelling,
    with_labels,
)
from tallylearn.sources.declarations import BARE, Declaration
from tallylearn.sources.memory.arrays import array_of_items
from tallylearn.sources.memory.frame_reading import block_of
from tallylearn.sources.memory.frames import Frame, as_frame
from tallylearn.sources.memory.joined_blocks import join_blocks
from tallylearn.tables import (
    FREQUENCY,
    SAMPLE_WEIGHT,
    UNKNOWN,
    Block,
    Codes,
    Schema,
    Start,
)

Array = NDArray[Any]
Result = TypeVar("Result")


@dataclass(frozen=True)
class FitInputPart:
    """A part of the rows of fit, without those of weight zero and those without a target."""

    rows: Part[Block]
    weight_kind: str = FREQUENCY

    def blocks(self) -> Iterator[Block]:
        blocks = (block.taught() for block in self.rows.blocks())
        if self.weight_kind == FREQUENCY:
            return blocks
        return (replace(block, weight_kind=self.weight_kind) for block in blocks)


@dataclass(frozen=True)
class FitInput:
    """Rows to learn from: a source, read as a learner aims at its target.

    ``aim`` is "classifier" or "regressor", and blocks have classes or measures as their target; a
    tuple of those, one for each target or one for all, and they have a tuple; or None, and they
    have no target. Where the target is a column, rows that lack it are left out; ``fit(X, y)``
    raises for them, as scikit-learn does.
    """

    source: DeclaredTable
    call_style: CallStyle
    aim: Aim = None
    weighed: bool = False
    sizes: tuple[int, ...] = ()  # of the parts, where their rows were counted
    only: Array | None = None  # the rows of a table in memory that are learned from; None: all
    formula: ModelFormula | None = None  # what the columns become, for learners that take one

    @property
    def schema(self) -> Schema:
        """The columns, and how they and the target are written."""
        schema, judged = self.source.schema, target_spelling(self.source)
        if judged is None or self.target in schema.spellings:
            return schema
        return replace(schema, spellings={**schema.spellings, str(self.target): judged})

    @property
    def weight_kind(self) -> str:
        """What the weights mean, as the table declares it or the call says it."""
        return self.source.declared.weight_kind

    @property
    def parsed(self) -> bool:
        """Whether to read the rows is to parse text."""
        return self.source.is_text

    def parts(self) -> Iterator[FitInputPart]:
        """Parts of blocks with the rows that are learned from, and their target."""
        return (FitInputPart(part, self.weight_kind) for part in self.coded.parts())

    def blocks(self) -> Iterator[Block]:
        return (block for part in self.parts() for block in part.blocks())

    def whole(self, watch: Callable[[int], None] | None = None) -> Block:
        """All rows that are learned from in one block, and only the classes that they have."""
        found = self.coded.whole(watch)
        block = found.taught()
        if block is not found and isinstance(block.target, Codes) and not block.target.declared:
            block = replace(block, target=_seen(block.target))
        kind = self.weight_kind
        return block if kind == FREQUENCY else replace(block, weight_kind=kind)

    @cached_property
    def coded(self) -> DeclaredTable:
        """The source, all rows of it, with the target that is learned."""
        declared = self.source.declared
        aimed = TargetReading(self.aim, declared.classes, gaps=bool(declared.targets))
        found = self.source.with_coded_target(aimed)
        return found if self.only is None else found.with_coded_target(self._blank)

    def _blank(self, target: Any, start: Start) -> Codes | Array:
        """A target that is missing in the rows that are not learned from."""
        if isinstance(target, Codes):
            codes = np.full(len(target), -1, dtype=np.int32)
            codes[self.only] = target.codes[self.only]
            return replace(target, codes=codes)
        found = np.full(len(target), np.nan)
        found[self.only] = target[self.only]
        return found

    @cached_property
    def beside(self) -> tuple[Block, ...]:
        """For every part all its rows without their columns: target, weight and group alone."""
        narrow = self.coded.with_schema(Schema(()))
        return tuple(join_blocks([*part.blocks()], narrow.schema) for part in narrow.parts())

    def within(self, most: int) -> int | None:
        """How many rows there are, and None where they are more: files are read no further."""
        rows, size = 0, self.source.size
        blocks = self.coded.with_schema(Schema(())).blocks() if size is None else ()
        for block in blocks:
            rows += len(block)
            if rows > most:
                return None
        rows = rows if size is None else size
        return rows if rows <= most else None

    def counted(self) -> FitInput:
        """The same rows, their parts counted: files are read for that, once."""
        return self if self.sizes else replace(self, sizes=tuple(map(len, self.beside)))

    @property
    def rows(self) -> Array:
        """The numbers of the rows that are learned from, from 0."""
        return join_blocks(self.beside, Schema(())).counting()

    @property
    def target(self) -> str | None:
        """The name of the target, where it is a column."""
        return self.call_style.target

    def amended(self, odd: CellError) -> FitInput:
        """The same rows, one column read otherwise after a cell was unlike the others."""
        return replace(self, source=self.source.reinfer(odd))


def retry_reading(read: FitInput, call: Callable[[FitInput], Result]) -> Result:
    """Call with the input; again from the start, with the column read otherwise, at an odd cell."""
    while True:
        try:
            return call(read)
        except CellError as odd:
            read = read.amended(odd)


def read_fit_input(
    X: Any, y: Any, weight: Any, who: str, aim: Aim, schema: Schema | None = None,
    more: bool = False, classes: Sequence[Any] = (), groups: str | None = None,
) -> FitInput:  # fmt: skip
    """Read the arguments of ``fit``; with a schema, rows that must match what was learned.

    Where the target is a column, those of unique strings are identifiers; unless
    ``more`` rows may come, in which their values are repeated. A column of ``groups`` is not
    learned from. Labels in files go by the names of
    the ``classes`` that a model knows, however they are written there. The target may be a formula,
    such as "mpg ~ log(hp) * origin": then only the columns that it names are read.
    """
    formula = y if is_formula(y, getattr(X, "columns", ())) else None
    if formula is not None:
        y = formula_target(formula)
        if more:
            raise OptionError(
                f"partial_fit takes no formula ({formula!r}): the values of categories are known "
                "after all rows. Use fit."
            )
    targets, column = _names(y, aim), weight if isinstance(weight, str) else None
    source, by_name = declared_table(X), bool(targets)
    if source is not None:
        source = with_roles(source, targets, column, groups)
        if schema is not None and source.schema != schema:
            source = source.with_schema(_refined(schema, source.schema))
    else:
        _check_named(targets, y, aim, who)  # before the target counts as a column too many
        X = as_source(X)
        if not (apart := is_out_of_memory(X)):
            X = as_frame(X)
            X = X if schema is None else matched(X, schema, by_name or groups is not None, who)
        missing = () if schema is None else schema.missing
        said = targets or column or groups or missing
        declared = Declaration(targets, column, groups, missing=missing) if said else BARE
        if column is not None:
            declared = replace(declared, weight_kind=SAMPLE_WEIGHT)
        if apart and len(classes) and len(targets) == 1:
            declared = with_labels(declared, targets[0], [*classes])
        if schema is not None and schema.of_kind(UNKNOWN):
            schema = _refined(schema, open_table(X, declared).schema)
        source = (
            open_table(X, declared, schema)
            if apart
            else Table.of(X, declared, schema).require_unambiguous()
        )
    if schema is None and source.declared.targets and not more:
        source = find_identifiers(source)
    if schema is None:
        _check_names(source)
    else:
        check_target_unit(source, schema)
    _check_targets(source.declared.targets, y, aim, who)
    parsed = None
    if formula is not None and schema is None:
        parsed = parse_formula(formula, source.schema)
        kept = {*parsed.columns}
        source = source.with_schema(
            source.schema.of_columns(c for c in source.schema.columns if c.name in kept)
        )
    weighed = weight is not None or source.declared.weight is not None
    target = None if aim is None or targets or y is None else _columns(y, aim)
    source = source.with_target(target, None if column else weight)
    by_name = by_name or not isinstance(X, Frame)
    named = None if aim is None else source.declared.target
    several = (source.declared.targets or _named(y, target)) if isinstance(aim, tuple) else ()
    several = several if len(several) > 1 else ()
    call_style = CallStyle(by_name, _label_type(target), named, several)
    return FitInput(source, call_style, aim, weighed, formula=parsed)


def _check_names(source: DeclaredTable) -> None:
    """Integers that no double holds are identifiers; who learns them as names has to say so."""
    if learned := [name for name in source.long_integers if name in source.schema.categories]:
        first, _ = source.first_block()
        check_long_integers(learned[0], first.codes[learned[0]], first.start)


def _names(y: Any, aim: Aim) -> tuple[str, ...]:
    """The columns that a call names as its target; one unless several are learned."""
    if isinstance(y, str):
        return (y,)
    several = isinstance(aim, tuple) and isinstance(y, list | tuple)
    return tuple(y) if several and all(isinstance(name, str) for name in y) else ()


def _check_targets(declared: tuple[str, ...], y: Any, aim: Aim, who: str) -> None:
    """As many targets as are aimed at."""
    _check_named(declared, y, aim, who)
    if isinstance(aim, str) and len(declared) > 1:
        raise TargetError(
            f"the table declares the targets {quoted_list(declared)}, and one is learned."
        )


def _check_named(declared: tuple[str, ...], y: Any, aim: Aim, who: str) -> None:
    if aim is not None and y is None and not declared:
        raise TargetError(
            "the call names no target. Pass y, or the target column's name as in fit(table, 'y'). "
            f"{who} requires y to be passed, but the target y is None."
        )


def _columns(y: Any, aim: Aim) -> Array | tuple[Array, ...]:
    """A target that is no column; several are the columns of an array."""
    if not isinstance(aim, tuple):
        return flat(y)
    try:
        found = array_of_items(y)
    except ValueError:
        raise TargetError("the rows of the target have different lengths.") from None
    return tuple(map(flat, found.T)) if found.ndim == 2 else (flat(y),)


def _named(y: Any, target: Array | tuple[Array, ...] | None) -> tuple[str, ...]:
    """The names of several targets that are no columns of the table: a frame has some."""
    names = tuple(getattr(y, "column_names", getattr(y, "columns", ())))
    if len({name for name in names if isinstance(name, str)}) == len(names) > 1:
        return names
    return ("",) * len(target) if isinstance(target, tuple) else ()


def _label_type(target: Array | tuple[Array, ...] | None) -> str:
    if not isinstance(target, np.ndarray) or target.dtype.kind == "U":
        return ""
    return target.dtype.str


def _seen(target: Codes) -> Codes:
    found = np.unique(target.codes)
    values = tuple(target.values[code] for code in found)
    return Codes(values, target.among(values))


def _refined(schema: Schema, seen: Schema) -> Schema:
    """The schema that was learned, with the kinds of columns that were empty then."""
    kinds = {column.name: column for column in seen.columns}
    columns = (kinds.get(c.name, c) if c.kind == UNKNOWN else c for c in schema.columns)
    return replace(schema, columns=tuple(columns))


def read_rows(X: Any, schema: Schema, by_name: bool, who: str) -> DeclaredTable:
    """The rows to predict."""
    if (source := declared_table(X)) is not None:
        return source.without_target().with_schema(schema)
    X = as_source(X)
    if is_out_of_memory(X):
        return open_table(X, Declaration(missing=schema.missing), schema)
    block = block_of(matched(as_frame(X), schema, by_name, who), schema, learned=True)
    return Table(block, None, None, BARE)
