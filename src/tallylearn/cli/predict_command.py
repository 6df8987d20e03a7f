"""``tally predict``: the answers for a file, block by block."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import answer_forms, output_files, shared_options
from tallylearn.cli.answer_forms import Answered
from tallylearn.cli.reading_progress import PATIENCE, watched
from tallylearn.cli.typed_rows import table_of
from tallylearn.errors import ColumnError, FileError, quoted_list

if TYPE_CHECKING:
    from tallylearn.sources import Files, Part, Table
    from tallylearn.tables import Block

MODEL = ".tally"  # the ending of a model file
EXAMPLES = """\b
Examples:
  tally predict t.tally new.csv > answers.csv
  tally predict t.tally 'new-*.parquet' --proba -o answers.parquet
  tally predict t.tally new.csv --keep id,name -o answers.csv
  tally predict t.tally new.csv --json | head -3
  cat new.csv | tally predict t.tally -
"""


@click.command(epilog=EXAMPLES)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("file", required=False)
@click.option(
    "--row",
    "typed",
    multiple=True,
    metavar="VALUES",
    help="Values in the order of the model's columns, or column=value, instead of FILE.",
)
@click.option("--proba", is_flag=True, help="Add the probability of every class.")
@shared_options.columns("--keep", "Columns of FILE to carry through, as they stand in it.")
@click.option(
    "--spreadsheet",
    is_flag=True,
    help="Put ' before text that a spreadsheet would run as a formula: = + - @ in front.",
)
@shared_options.output(
    what="The file to write, instead of standard output: CSV, or by its ending Parquet (.parquet) "
    "or Arrow (.arrow, .feather)."
)
@shared_options.reading
@shared_options.threads
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object a line.")
def predict(
    model: Path,
    file: str | None,
    typed: tuple[str, ...],
    proba: bool,
    keep: Sequence[str],
    spreadsheet: bool,
    output: Path | None,
    force: bool,
    threads: int | None,
    as_json: bool,
    **dialect: Any,
) -> None:
    """Predict every row of FILE, a path or a glob, with MODEL.

    FILE may be a pipe, and - is standard input; what comes is kept in a temporary file meanwhile.
    Columns are found by name and others are ignored. Memory does not grow with the file.
    The output is CSV: prediction, and with --proba a column P(class) for every class; with --keep
    other columns of FILE before them, cell by cell as they stand there. There is a row for every
    row of FILE, in its order; an empty line is a row where FILE has one column, and none where it
    has more. In Parquet and Arrow files numbers are numbers.
    Classes are written as they are; with --spreadsheet no text starts a formula.
    Rows can be typed instead: --row; values that were never seen are named on standard error.
    """
    if bool(typed) == bool(file):
        raise click.UsageError("rows come from FILE, or from --row.")
    if typed and keep:
        raise click.UsageError("--keep names columns of FILE, and rows of --row have no others.")
    columns = answer_forms.columnar(output)
    if columns and (as_json or spreadsheet):
        other = "--json" if as_json else "--spreadsheet"
        raise click.UsageError(f"{other} is about text, and {output} is written as columns.")
    estimator = loaded(model, [file] if file else [])
    if proba and estimator.task != "classifier":
        raise click.UsageError(
            f"--proba goes with classes, and a {type(estimator).__name__} has none."
        )
    output_files.check_apart(output, [model] if file is None else [model, file], force)
    paths = [] if file is None else shared_options.paths([file])
    source = opened(estimator, paths, **dialect) if paths else _typed(estimator, typed)
    rows = Carrying(source, _checked(keep, source, estimator, proba))
    seen = output is None and sys.stdout.isatty()  # then the answers themselves are the progress
    answer = _caller(estimator, proba)
    with (
        watched(paths, threads, math.inf if seen else PATIENCE),
        output_files.written(output) as out,
    ):
        if columns and output is not None:
            tables = _mapped(lambda item: answer_forms.as_table(answer(item)), rows, estimator)
            answer_forms.write_columns(tables, out, output)
            return
        write = _written(as_json, spreadsheet, seen)
        texts = _mapped(lambda item: write(answer(item)), rows, estimator)
        answer_forms.write_lines(texts, out, headed=not as_json)


def _checked(
    keep: Sequence[str], source: Files | Table, estimator: Any, proba: bool
) -> tuple[str, ...]:
    """The columns to carry through: they are there, and none is called as an answer is."""
    if odd := [name for name in keep if name not in source.names]:
        raise ColumnError(
            f"--keep names {quoted_list(odd)}, and the table has {quoted_list(source.names)}."
        )
    taken = {answer_forms.PREDICTION, *(f"P({c})" for c in (estimator.classes_ if proba else ()))}
    if odd := [name for name in keep if name in taken]:
        raise ColumnError(
            f"--keep names {quoted_list(odd)}, and so is a column of the answers called. Rename it "
            "in "
            "the table."
        )
    return tuple(dict.fromkeys(keep))


def _written(
    as_json: bool, spreadsheet: bool, seen: bool
) -> Callable[[Answered], tuple[list[str], str]]:
    """How answers become text, under which names; on a terminal nothing that it would obey."""
    form = answer_forms.as_objects if as_json else answer_forms.as_rows
    form = answer_forms.as_guarded_rows if spreadsheet and not as_json else form

    def write(found: Answered) -> tuple[list[str], str]:
        text, heads = form(found), found.heads
        heads = answer_forms.guarded(heads) if spreadsheet and not as_json else heads
        if not seen:
            return heads, text
        return [output_files.visible(head) for head in heads], output_files.visible(text)

    return write


def _typed(estimator: Any, typed: Sequence[str]) -> Table:
    """Rows as they are typed; values that the model does not know are told."""
    from tallylearn.estimators.unseen_categories import unseen_values

    rows = table_of(typed, estimator.schema_)
    for number, notes in enumerate(unseen_values(estimator.model_, rows.block), 1):
        for note in notes:
            output_files.note(f"row {number}: {note}" if len(typed) > 1 else note)
    return rows


def loaded(model: Path, files: Sequence[str] = ()) -> Any:
    """The model of a file, unless that of a table was named in its place."""
    import tallylearn

    check_order(model, files)
    return tallylearn.load(model)


def check_order(model: Path, files: Sequence[str]) -> None:
    """Refuse a table that is named before its model."""
    late = [file for file in files if Path(file).suffix == MODEL]
    if late and model.suffix != MODEL:
        command = click.get_current_context().info_name or ""
        said = shlex.join(["tally", command, late[0], str(model)])
        raise click.UsageError(f"the model comes before the table: {said}.")


def opened(
    estimator: Any, paths: list[Path], target: str | None = None, weight: str | None = None,
    importance: str | None = None, groups: str | None = None, kinds: Sequence[str] = (),
    missing: Sequence[str] = (), schema: Path | None = None, **dialect: Any,
) -> Files:  # fmt: skip
    """Files to be read as the model learned: its columns, their kinds, missing markers, classes.

    How they are written is said by the options, and by a schema, whose target, weight and groups
    count only where a target is read.
    """
    from tallylearn.sources import Files
    from tallylearn.sources.columns.schema_matching import with_labels
    from tallylearn.sources.declarations import declaration

    said = shared_options.told_kinds(kinds)
    told = declaration(
        weight=weight, importance=importance, groups=groups, kinds=said, schema=schema,
        missing=shared_options.markers(missing), dialect=shared_options.dialect(**dialect),
    )  # fmt: skip
    told = replace(told, targets=() if target is None else (target,))
    if target is None:
        told = replace(told, weight=told.weight if weight or importance else None, groups=None)
    elif estimator.task == "classifier":
        told = with_labels(told, target, estimator.classes_.tolist())
    learned = estimator.schema_
    missing_too = tuple(dict.fromkeys((*learned.missing, *told.missing)))
    source = Files(paths, replace(told, missing=missing_too), learned)
    if odd := [name for name in said if name not in source.names]:
        raise ColumnError(
            f"--as names {quoted_list(odd)}, and the table has {quoted_list(source.names)}."
        )
    return source.require_unambiguous()


def target_of(estimator: Any, model: Path, said: str | None) -> str:
    """The target's column: the one that is said, or the one that the model file names."""
    if estimator.task is None:
        raise click.UsageError(f"{model} holds a {type(estimator).__name__}, which has no target.")
    name: str | None = said or estimator.target_name_
    if name is None:
        raise click.UsageError(
            f"--target: {model} does not name its target, since an earlier version saved it, or it "
            "was learned from arrays. Say which column it is."
        )
    return name


@dataclass(frozen=True)
class Carried:
    """A block, and the columns of its rows that are carried through."""

    block: Block
    kept: dict[str, Any]  # Arrow's columns

    def __len__(self) -> int:
        return len(self.block)


@dataclass(frozen=True)
class CarriedPart:
    """A part of a source, and what its rows carry."""

    rows: Part[Block]
    kept: Iterator[Any] | None  # tables of as many rows as the blocks

    def blocks(self) -> Iterator[Carried]:
        if self.kept is None:
            yield from (Carried(block, {}) for block in self.rows.blocks())
            return
        for block, table in zip_longest(self.rows.blocks(), self.kept):
            if block is None or table is None or len(block) != len(table):
                raise FileError(
                    "the table changed while it was read: its rows do not go with the columns of "
                    "--keep. Run the command again when the file is whole."
                )
            yield Carried(block, dict(zip(table.column_names, table.columns, strict=True)))


@dataclass(frozen=True)
class Carrying:
    """The rows of a source with columns that the model does not look at."""

    source: Any  # Files; or a table, which carries nothing
    names: tuple[str, ...]

    def parts(self) -> Iterator[CarriedPart]:
        if not self.names:
            return (CarriedPart(part, None) for part in self.source.parts())
        return map(CarriedPart, self.source.parts(), self.source.written(self.names))


def _mapped(call: Callable[[Carried], Any], rows: Carrying, estimator: Any) -> Iterator[Any]:
    """What a call makes of every block; a table without rows is an error."""
    from tallylearn import engines
    from tallylearn.sources.memory.table import check_size

    begun = False
    for found in engines.current_engine().map(call, rows):
        begun = True
        yield found
    if not begun:
        check_size(0, len(estimator.schema_.columns))


def _caller(estimator: Any, proba: bool) -> Callable[[Carried], Answered]:
    from tallylearn.sources import Table
    from tallylearn.sources.declarations import declaration

    classes = estimator.classes_.tolist() if estimator.task == "classifier" else []

    def call(item: Carried) -> Answered:
        rows = Table(item.block, None, None, declaration())
        shares = estimator.predict_proba(rows) if proba else None
        return Answered(item.kept, estimator.predict(rows).tolist(), shares, classes)

    return call
