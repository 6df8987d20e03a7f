"""``tally predict``: the predictions for a file, block by block."""

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

from tallylearn.cli import (
    notices,
    output_files,
    prediction_files,
    shared_options,
    terminal_text,
)
from tallylearn.cli.prediction_files import PredictedRows
from tallylearn.cli.reading_progress import SECONDS_BEFORE_BAR, show_progress
from tallylearn.cli.typed_rows import table_of
from tallylearn.errors import ColumnError, FileError, did_you_mean, quoted_list

if TYPE_CHECKING:
    from tallylearn.sources import Files, Part, Table
    from tallylearn.tables import Block

MODEL = ".tally"  # the extension of a model file
EXAMPLES = """\b
Examples:
  tally predict loans.tally loans.csv > predictions.csv
  tally predict loans.tally loans.csv --proba --keep loan_id -o p.parquet
  tally predict loans.tally --row amount=9000,income=40000
  tally predict loans.tally loans.csv --json | head -3
  tally predict loans.tally loans.csv --threshold 0.2 --positive yes
  cat loans.csv | tally predict loans.tally -
"""


@shared_options.command(epilog=EXAMPLES)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("file", required=False)
@shared_options.option(
    "--row",
    "typed",
    multiple=True,
    metavar="VALUES",
    help="One row instead of FILE: the values in the order of the model's columns, or "
    "column=value.",
)
@shared_options.option("--proba", is_flag=True, help="Add the probability of each class.")
@shared_options.option(
    "--threshold",
    type=float,
    metavar="P",
    help="Of two classes: predict the positive one from this probability on.",
)
@shared_options.option(
    "--positive",
    metavar="CLASS",
    help="The positive class of --threshold; the second in order unless given.",
)
@shared_options.column_option("--keep", "Columns of FILE to copy to the output.")
@shared_options.option(
    "--spreadsheet",
    is_flag=True,
    help="Put ' before text that a spreadsheet would run as a formula.",
)
@shared_options.output(
    what="The file to write: CSV, or Parquet (.parquet) or Arrow (.arrow, .feather)."
)
@shared_options.threads
@shared_options.option("--json", "as_json", is_flag=True, help="Write one JSON object per line.")
@notices.verbose
@shared_options.read_options
def predict(
    model: Path,
    file: str | None,
    typed: tuple[str, ...],
    proba: bool,
    threshold: float | None,
    positive: str | None,
    keep: Sequence[str],
    spreadsheet: bool,
    output: Path | None,
    force: bool,
    threads: int | None,
    as_json: bool,
    **dialect: Any,
) -> None:
    """Predict each row of FILE with a model.

    FILE is a path or a glob; - is standard input. Columns are found by name, and others are
    ignored. Files larger than memory are read in blocks.

    The output has one row for each row of FILE, in its order: the columns of --keep, prediction,
    and with --proba a column P(class) for each class. A blank line of a file with one column is a
    row with a missing value; of a file with more columns it is skipped.
    """
    if bool(typed) == bool(file):
        raise click.UsageError("give the rows either as FILE or with --row.")
    if typed and keep:
        raise click.UsageError(
            "--keep copies columns of FILE, so it cannot be combined with --row."
        )
    columns = prediction_files.columnar(output)
    if columns and (as_json or spreadsheet):
        other = "--json" if as_json else "--spreadsheet"
        raise click.UsageError(
            f"{other} applies to text output, and {output} is a binary file. Leave it out."
        )
    estimator = load_model(model, [file] if file else [])
    if proba and estimator.task != "classifier":
        raise click.UsageError(
            f"--proba needs a classifier, and {model} holds a {type(estimator).__name__}."
        )
    by_threshold = _threshold_options(estimator, model, threshold, positive)
    output_files.check_apart(output, [model] if file is None else [model, file], force)
    paths = [] if file is None else shared_options.find_paths([file])
    source = (
        open_for_model(estimator, paths, **dialect) if paths else _typed_table(estimator, typed)
    )
    rows = RowsWithColumns(source, _check_kept(keep, source, estimator, proba))
    seen = output is None and sys.stdout.isatty()  # the predictions show the progress
    answer = _predictor(estimator, proba, by_threshold)
    with (
        show_progress(paths, threads, math.inf if seen else SECONDS_BEFORE_BAR),
        output_files.open_output(output) as out,
    ):
        if columns and output is not None:
            tables = _map_blocks(
                lambda item: prediction_files.as_table(answer(item)), rows, estimator
            )
            prediction_files.write_columns(tables, out, output)
        else:
            write = _text_writer(as_json, spreadsheet, seen)
            texts = _map_blocks(lambda item: write(answer(item)), rows, estimator)
            prediction_files.write_lines(texts, out, headed=not as_json)
    if output is not None and str(output) != "-":
        notices.note(f"wrote {output}.")


def _threshold_options(
    estimator: Any, model: Path, threshold: float | None, positive: str | None
) -> dict[str, Any]:
    """What ``predict`` is passed for --threshold and --positive."""
    if threshold is None and positive is None:
        return {}
    if estimator.task != "classifier":
        raise click.UsageError(
            f"--threshold needs a classifier, and {model} holds a {type(estimator).__name__}."
        )
    if threshold is None:
        raise click.UsageError("--positive names the class of --threshold. Pass both, or neither.")
    classes = estimator.classes_.tolist()
    named = next((value for value in classes if str(value) == positive), positive)
    return {"threshold": threshold, "positive": named}


def _check_kept(
    keep: Sequence[str], source: Files | Table, estimator: Any, proba: bool
) -> tuple[str, ...]:
    """The columns of --keep: the table has them, and no output column has their name."""
    if odd := [name for name in keep if name not in source.names]:
        raise ColumnError(
            f"--keep: the table has no column {quoted_list(odd)}."
            f"{did_you_mean(odd[0], source.names) or f' It has {quoted_list(source.names)}.'}"
        )
    taken = {
        prediction_files.PREDICTION,
        *(f"P({c})" for c in (estimator.classes_ if proba else ())),
    }
    if odd := [name for name in keep if name in taken]:
        raise ColumnError(
            f"--keep: the output already has a column {quoted_list(odd)}. Rename the column of the "
            "table."
        )
    return tuple(dict.fromkeys(keep))


def _text_writer(
    as_json: bool, spreadsheet: bool, seen: bool
) -> Callable[[PredictedRows], tuple[list[str], str]]:
    """A function from predictions to column names and text, safe on a terminal."""
    form = prediction_files.as_objects if as_json else prediction_files.as_rows
    form = prediction_files.as_guarded_rows if spreadsheet and not as_json else form

    def write(found: PredictedRows) -> tuple[list[str], str]:
        text, names = form(found), found.names
        names = prediction_files.escape_formulas(names) if spreadsheet and not as_json else names
        if not seen:
            return names, text
        return [terminal_text.visible(name) for name in names], terminal_text.visible(text)

    return write


def _typed_table(estimator: Any, typed: Sequence[str]) -> Table:
    """The rows of --row; a notice for each value that the model has never seen."""
    from tallylearn.estimators.unseen_categories import unseen_values

    rows = table_of(typed, estimator.schema_)
    for number, notes in enumerate(unseen_values(estimator.model_, rows.block), 1):
        for note in notes:
            notices.note(f"row {number}: {note}" if len(typed) > 1 else note)
    return rows


def load_model(model: Path, files: Sequence[str] = ()) -> Any:
    """Load a model file; refuse a table in its place."""
    import tallylearn

    check_order(model, files)
    return tallylearn.load(model)


def check_order(model: Path, files: Sequence[str]) -> None:
    """Refuse a table before its model file."""
    late = [file for file in files if Path(file).suffix == MODEL]
    if late and model.suffix != MODEL:
        command = click.get_current_context().info_name or ""
        said = shlex.join(["tally", command, late[0], str(model)])
        raise click.UsageError(f"the model file comes before the table: {said}.")


def open_for_model(
    estimator: Any, paths: list[Path], target: str | None = None, weight: str | None = None,
    importance: str | None = None, groups: str | None = None, kinds: Sequence[str] = (),
    missing: Sequence[str] = (), schema: Path | None = None, **dialect: Any,
) -> Files:  # fmt: skip
    """The files as the model's training table was read: columns, kinds, markers, classes.

    The options and a schema say how the files are written. The target, weight and groups of a
    schema count only where a target is read.
    """
    from tallylearn.sources import Files
    from tallylearn.sources.columns.schema_matching import with_labels
    from tallylearn.sources.declarations import declaration

    said = shared_options.parse_kinds(kinds)
    told = declaration(
        weight=weight, importance=importance, groups=groups, kinds=said, schema=schema,
        missing=shared_options.parse_missing(missing),
        dialect=shared_options.parse_dialect(**dialect),
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
            f"--as: the table has no column {quoted_list(odd)}."
            f"{did_you_mean(odd[0], source.names) or f' It has {quoted_list(source.names)}.'}"
        )
    return source.require_unambiguous()


def target_of(estimator: Any, model: Path, said: str | None) -> str:
    """The target: the one that is given, or the one that the model file names."""
    if estimator.task is None:
        raise click.UsageError(
            f"{model} holds a {type(estimator).__name__}, which has no target to compare with."
        )
    name: str | None = said or estimator.target_name_
    if name is None:
        raise click.UsageError(
            f"{model} does not name its target: it was fitted to arrays, or saved by an earlier "
            "version. Name the column with --target."
        )
    return name


@dataclass(frozen=True)
class BlockWithColumns:
    """A block, and the columns of --keep for its rows."""

    block: Block
    kept: dict[str, Any]  # Arrow columns

    def __len__(self) -> int:
        return len(self.block)


@dataclass(frozen=True)
class PartWithColumns:
    """A part of a source, and the columns of --keep for its rows."""

    rows: Part[Block]
    kept: Iterator[Any] | None  # tables of as many rows as the blocks

    def blocks(self) -> Iterator[BlockWithColumns]:
        if self.kept is None:
            yield from (BlockWithColumns(block, {}) for block in self.rows.blocks())
            return
        for block, table in zip_longest(self.rows.blocks(), self.kept):
            if block is None or table is None or len(block) != len(table):
                raise FileError(
                    "the table changed while it was read, so that its rows and the columns of "
                    "--keep do not match. Run the command again when the file is complete."
                )
            yield BlockWithColumns(block, dict(zip(table.column_names, table.columns, strict=True)))


@dataclass(frozen=True)
class RowsWithColumns:
    """The rows of a source with the columns of --keep."""

    source: Any  # Files; or a table, without columns of --keep
    names: tuple[str, ...]

    def parts(self) -> Iterator[PartWithColumns]:
        if not self.names:
            return (PartWithColumns(part, None) for part in self.source.parts())
        return map(PartWithColumns, self.source.parts(), self.source.raw_cells(self.names))


def _map_blocks(
    call: Callable[[BlockWithColumns], Any], rows: RowsWithColumns, estimator: Any
) -> Iterator[Any]:
    """The results of a call on each block; a table without rows is an error."""
    from tallylearn import engines
    from tallylearn.sources.memory.table import check_size

    begun = False
    for found in engines.current_engine().map(call, rows):
        begun = True
        yield found
    if not begun:
        check_size(0, len(estimator.schema_.columns))


def _predictor(
    estimator: Any, proba: bool, by_threshold: dict[str, Any]
) -> Callable[[BlockWithColumns], PredictedRows]:
    from tallylearn.sources import Table
    from tallylearn.sources.declarations import declaration

    classes = estimator.classes_.tolist() if estimator.task == "classifier" else []

    def call(item: BlockWithColumns) -> PredictedRows:
        rows = Table(item.block, None, None, declaration())
        shares = estimator.predict_proba(rows) if proba else None
        predicted = estimator.predict(rows, **by_threshold).tolist()
        return PredictedRows(item.kept, predicted, shares, classes)

    return call
