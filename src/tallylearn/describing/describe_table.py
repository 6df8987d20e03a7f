"""Describe a table: one pass for its columns, one for what goes together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tallylearn.describing.associations import Associations
from tallylearn.describing.described_columns import described
from tallylearn.describing.description_report import Description
from tallylearn.describing.surveys import surveyed
from tallylearn.describing.target_classes import TargetClasses
from tallylearn.describing.target_links import links
from tallylearn.errors import CellError, KindError, OptionError, listed, speaking, told
from tallylearn.sources import Declared, Files, Table, given, read_table
from tallylearn.tables import Block


def describe(table: Any, target: str | None = None) -> Description:
    """Every column of a table in numbers, how they go together, and what each says of a target.

    ``table`` is anything that ``tl.table`` takes, or what it gave. Sums are exact and rounded once.
    A table in memory is described exactly; one in large files is read twice, block by block, in
    little memory: its medians and quartiles then come from a sketch with a relative error below
    0.1 % (``quantile_error``; exact for a column of up to 100 000 values), and the ranks of
    Spearman's correlation are those of its buckets. Weights are frequencies: 2 is the row twice.

    With a ``target`` each column has its information gain, its AUC for each class, or its
    correlation with the target where that is a number, with 95 % intervals.

    >>> found = describe({"x": [1, 2, 4, 9], "colour": ["red", "blue", None, "red"]})
    >>> found["x"]["mean"], found["x"]["median"], found["x"]["variance"], found["x"]["variance_n"]
    (4.0, 3.0, 12.666666666666666, 9.5)
    >>> found["colour"]["top"][0]
    {'value': 'red', 'count': 2.0}
    """
    with speaking("describe"):
        if target is not None and not isinstance(target, str):
            raise OptionError(f"target is the name of a column, and not {told(target)}.")
        source = _opened(table, target)
        target = target or source[1]
        return _described(source[0], target)


def _described(source: Declared, target: str | None) -> Description:
    while True:
        try:
            return _of(source, target)
        except CellError as odd:
            source = source.amended(odd)


def _of(source: Declared, target: str | None) -> Description:
    survey = surveyed(source)
    classes = None if target is None else TargetClasses.of_survey(survey, target)
    pairs = Associations(survey, classes)
    matrices = pairs.matrices(source)
    found = None if classes is None else links(pairs, matrices, classes)
    columns = tuple(described(survey, column) for column in survey.schema.columns)
    return Description.of(_what(source), survey, columns, matrices, classes, found)


def _opened(table: Any, target: str | None) -> tuple[Declared, str | None]:
    """A source whose target is a column as all others, and the target that it declares."""
    source = given(table)
    if source is None:
        if isinstance(table, Description):
            raise KindError("a Description is described already. Call its compare with a table.")
        return read_table(table).settled(), None
    if not (names := source.declared.targets):
        return source, None
    if len(names) > 1 or target not in (None, names[0]):
        raise OptionError(f"the table declares the target {listed(names)}. Describe it without.")
    if isinstance(source, Table):
        return _with_target(source, names[0]), names[0]
    if isinstance(source, Files):
        found = type(source)(source.paths, replace(source.declared, targets=()))
        found.kept = source.kept
        return found, names[0]
    raise OptionError("describe takes the target of this table as target=, undeclared.")


def _with_target(source: Table, name: str) -> Table:
    """A table in memory whose target is a column again."""
    column = Table.of({name: source.target}, replace(source.declared, targets=(), weight=None,
                      groups=None, categories={}, text=(), dates={}, ignore=(), classes=(),
                      numbers=(), spellings={})).block  # fmt: skip
    declared = replace(source.declared, targets=())
    return Table(_beside(source.block, column), None, source.weight, declared)


def _beside(block: Block, more: Block) -> Block:
    import numpy as np

    schema = block.schema.of_columns((*block.schema.columns, *more.schema.columns))
    return replace(
        block, schema=schema, numbers=np.hstack([block.numbers, more.numbers]),
        codes={**block.codes, **more.codes}, text={**block.text, **more.text},
    )  # fmt: skip


def _what(source: Declared) -> str:
    if not isinstance(source, Files):
        return "a table in memory"
    more = f" and {len(source.paths) - 1} more" if len(source.paths) > 1 else ""
    return f"{source.paths[0].name}{more}"
