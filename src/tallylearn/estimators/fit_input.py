"""Read the arguments of ``fit`` and ``predict`` into blocks that match the fitted columns.

`read_fit_input` reads those of ``fit``, `read_rows` those of ``predict``.
"""

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
from tallylearn.estimators.matched_columns import match_columns
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
from tallylearn.sources.memory.frames import as_frame
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
        blocks = (block.training_rows() for block in self.rows.blocks())
        if self.weight_kind == FREQUENCY:
            return blocks
        return (replace(block, weight_kind=self.weight_kind) for block in blocks)


@dataclass(frozen=True)
class FitInput:
    """The training rows: a table, and how its target is read.

    ``aim`` says what the target of a block is: classes for "classifier", numbers for "regressor",
    a tuple for a tuple of those (one for each target or one for all), nothing for None. Where the
    target is a column, rows that lack it are left out; ``fit(X, y)`` raises for them, as
    scikit-learn does.
    """

    source: DeclaredTable
    call_style: CallStyle
    aim: Aim = None
    weighed: bool = False  # whether rows have weights
    sizes: tuple[int, ...] = ()  # rows of each part, where they were counted
    only: Array | None = None  # the rows of a table in memory that are fitted to; None: all
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
        """What the weights mean: frequencies, sample weights or importances."""
        return self.source.declared.weight_kind

    @property
    def needs_parsing(self) -> bool:
        """Whether reading the rows means parsing text."""
        return self.source.is_text

    def parts(self) -> Iterator[FitInputPart]:
        """Parts of blocks with the training rows and their target."""
        return (FitInputPart(part, self.weight_kind) for part in self.coded_table.parts())

    def blocks(self) -> Iterator[Block]:
        return (block for part in self.parts() for block in part.blocks())

    def whole(self, watch: Callable[[int], None] | None = None) -> Block:
        """All training rows in one block, and only the classes that they have."""
        found = self.coded_table.whole(watch)
        block = found.training_rows()
        if block is not found and isinstance(block.target, Codes) and not block.target.declared:
            block = replace(block, target=_observed_classes(block.target))
        kind = self.weight_kind
        return block if kind == FREQUENCY else replace(block, weight_kind=kind)

    @cached_property
    def coded_table(self) -> DeclaredTable:
        """All rows of the source, with the target as it is read."""
        declared = self.source.declared
        aimed = TargetReading(self.aim, declared.classes, gaps=bool(declared.targets))
        found = self.source.with_coded_target(aimed)
        return found if self.only is None else found.with_coded_target(self._blank)

    def _blank(self, target: Any, start: Start) -> Codes | Array:
        """The target, missing in the rows that are not fitted to."""
        if isinstance(target, Codes):
            codes = np.full(len(target), -1, dtype=np.int32)
            codes[self.only] = target.codes[self.only]
            return replace(target, codes=codes)
        found = np.full(len(target), np.nan)
        found[self.only] = target[self.only]
        return found

    @cached_property
    def role_blocks(self) -> tuple[Block, ...]:
        """For every part its rows with target, weight and group alone, without columns."""
        narrow = self.coded_table.with_schema(Schema(()))
        return tuple(join_blocks([*part.blocks()], narrow.schema) for part in narrow.parts())

    def count_rows_up_to(self, most: int) -> int | None:
        """The number of rows, or None for more than ``most``: files are read no further."""
        rows, size = 0, self.source.size
        blocks = self.coded_table.with_schema(Schema(())).blocks() if size is None else ()
        for block in blocks:
            rows += len(block)
            if rows > most:
                return None
        rows = rows if size is None else size
        return rows if rows <= most else None

    def with_sizes(self) -> FitInput:
        """The same rows, with the sizes of the parts: files are read once for them."""
        return self if self.sizes else replace(self, sizes=tuple(map(len, self.role_blocks)))

    @property
    def rows(self) -> Array:
        """The numbers of the training rows, from 0."""
        return join_blocks(self.role_blocks, Schema(())).training_indices()

    @property
    def target(self) -> str | None:
        """The name of the target, where it is a column."""
        return self.call_style.target

    def reinfer(self, odd: CellError) -> FitInput:
        """The same rows, with the kind of one column inferred again after an odd cell."""
        return replace(self, source=self.source.reinfer(odd))


def retry_reading(read: FitInput, call: Callable[[FitInput], Result]) -> Result:
    """Call with the input; at an odd cell again, with the kind of its column inferred anew."""
    while True:
        try:
            return call(read)
        except CellError as odd:
            read = read.reinfer(odd)


def read_fit_input(
    X: Any, y: Any, weight: Any, who: str, aim: Aim, schema: Schema | None = None,
    more: bool = False, classes: Sequence[Any] = (), groups: str | None = None,
) -> FitInput:  # fmt: skip
    """Read the arguments of ``fit``.

    Parameters
    ----------
    X, y, weight
        The table, the target and the weights, as a user passes them: ``fit(X, y)`` or
        ``fit(table, "target")``. Strings are names of columns. The target may be a formula, such as
        "mpg ~ log(hp) * origin": then only the columns that it names are read.
    who : str
        The class name, for messages.
    aim : str, tuple or None
        What the target is read as; see `FitInput`.
    schema : Schema or None
        The fitted columns, which the rows must match. None: they are inferred.
    more : bool
        Whether more rows may follow. If not, and the target is a column, columns of unique
        strings are identifiers.
    classes : sequence
        The fitted classes. Labels in files are matched with them, however they are written there.
    groups : str or None
        A column that is no feature.
    """
    formula = y if is_formula(y, X) else None
    if formula is not None:
        y = formula_target(formula)
        if more:
            raise OptionError(
                f"partial_fit takes no formula ({formula!r}): the values of categories are known "
                "after all rows. Use fit."
            )
    targets = _target_columns(y, aim)
    weight_column = weight if isinstance(weight, str) else None
    source = declared_table(X)
    if source is not None:
        source, by_name = with_roles(source, targets, weight_column, groups), True
        if schema is not None and source.schema != schema:
            source = source.with_schema(_fill_unknown_kinds(schema, source.schema))
    else:
        _check_target_given(targets, y, aim, who)  # before the target counts as a column too many
        declared = _declaration(targets, weight_column, groups, schema)
        source, by_name = _open_rows(X, declared, schema, who=who, classes=classes)
    if schema is None and source.declared.targets and not more:
        source = find_identifiers(source)
    if schema is None:
        _check_long_integers(source)
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
    is_weighted = weight is not None or source.declared.weight is not None
    target = None if aim is None or targets or y is None else _target_arrays(y, aim)
    source = source.with_target(target, None if weight_column else weight)
    call_style = CallStyle(
        by_name,
        _label_type(target),
        None if aim is None else source.declared.target,
        _several_targets(source.declared.targets, y, target, aim),
    )
    return FitInput(source, call_style, aim, is_weighted, formula=parsed)


def _declaration(
    targets: tuple[str, ...], weight: str | None, groups: str | None, schema: Schema | None
) -> Declaration:
    """What a call says of a table that declares nothing itself."""
    missing = () if schema is None else schema.missing
    if not (targets or weight or groups or missing):
        return BARE
    declared = Declaration(targets, weight, groups, missing=missing)
    return declared if weight is None else replace(declared, weight_kind=SAMPLE_WEIGHT)


def _open_rows(
    X: Any, declared: Declaration, schema: Schema | None, *, who: str, classes: Sequence[Any]
) -> tuple[DeclaredTable, bool]:
    """A table, and whether its columns are matched by name from now on."""
    X, by_name = as_source(X), bool(declared.targets)
    in_memory = not is_out_of_memory(X)
    if in_memory:
        X = as_frame(X)
        if schema is not None:
            X = match_columns(X, schema, by_name or declared.groups is not None, who)
    elif len(classes) and len(declared.targets) == 1:
        declared = with_labels(declared, declared.targets[0], [*classes])
    if schema is not None and schema.of_kind(UNKNOWN):
        schema = _fill_unknown_kinds(schema, open_table(X, declared).schema)
    if in_memory:
        return Table.of(X, declared, schema).require_unambiguous(), by_name
    return open_table(X, declared, schema), True


def _check_long_integers(source: DeclaredTable) -> None:
    """Raise for categories that are integers beyond a double: they are identifiers."""
    if learned := [name for name in source.long_integers if name in source.schema.categories]:
        first, _ = source.first_block()
        check_long_integers(learned[0], first.codes[learned[0]], first.start)


def _target_columns(y: Any, aim: Aim) -> tuple[str, ...]:
    """The columns that a call names as its target; several only where ``aim`` is a tuple."""
    if isinstance(y, str):
        return (y,)
    several = isinstance(aim, tuple) and isinstance(y, list | tuple)
    return tuple(y) if several and all(isinstance(name, str) for name in y) else ()


def _check_targets(declared: tuple[str, ...], y: Any, aim: Aim, who: str) -> None:
    """Raise a TargetError unless there are as many targets as the learner takes."""
    _check_target_given(declared, y, aim, who)
    if isinstance(aim, str) and len(declared) > 1:
        raise TargetError(
            f"the table declares {len(declared)} targets ({quoted_list(declared)}), and {who} "
            f"takes one. Name it in the call: fit(table, {declared[0]!r})."
        )


def _check_target_given(declared: tuple[str, ...], y: Any, aim: Aim, who: str) -> None:
    if aim is not None and y is None and not declared:
        raise TargetError(
            "no target was passed. Pass y, or the name of the target column: fit(table, 'y'). "
            f"{who} requires y to be passed, but the target y is None."
        )


def _target_arrays(y: Any, aim: Aim) -> Array | tuple[Array, ...]:
    """A target that is no column; several are the columns of an array."""
    if not isinstance(aim, tuple):
        return flat(y)
    try:
        found = array_of_items(y)
    except ValueError:
        raise TargetError(
            "the rows of y have different lengths. Pass as many values for every row."
        ) from None
    return tuple(map(flat, found.T)) if found.ndim == 2 else (flat(y),)


def _several_targets(
    declared: tuple[str, ...], y: Any, target: Array | tuple[Array, ...] | None, aim: Aim
) -> tuple[str, ...]:
    """The names of several targets, "" without a name; () for one target."""
    found = (declared or _target_names(y, target)) if isinstance(aim, tuple) else ()
    return found if len(found) > 1 else ()


def _target_names(y: Any, target: Array | tuple[Array, ...] | None) -> tuple[str, ...]:
    """The names of several targets that are no columns of the table: a frame has some."""
    names = tuple(getattr(y, "column_names", getattr(y, "columns", ())))
    if len({name for name in names if isinstance(name, str)}) == len(names) > 1:
        return names
    return ("",) * len(target) if isinstance(target, tuple) else ()


def _label_type(target: Array | tuple[Array, ...] | None) -> str:
    if not isinstance(target, np.ndarray) or target.dtype.kind == "U":
        return ""
    return target.dtype.str


def _observed_classes(target: Codes) -> Codes:
    found = np.unique(target.codes)
    values = tuple(target.values[code] for code in found)
    return Codes(values, target.recode(values))


def _fill_unknown_kinds(schema: Schema, seen: Schema) -> Schema:
    """The fitted schema, with the kinds of columns that were empty in ``fit``."""
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
    block = block_of(match_columns(as_frame(X), schema, by_name, who), schema, learned=True)
    return Table(block, None, None, BARE)
