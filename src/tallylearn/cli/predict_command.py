"""``tally predict``: the answers for a file, block by block."""

from __future__ import annotations

import csv
import io
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import output_files, shared_options
from tallylearn.cli.reading_progress import PATIENCE, watched
from tallylearn.cli.typed_rows import table_of

if TYPE_CHECKING:
    from tallylearn.sources import Files, Table
    from tallylearn.tables import Block

FORMULA = ("=", "+", "-", "@", "\t", "\r")
EXAMPLES = """\b
Examples:
  tally predict t.tally new.csv > answers.csv
  tally predict t.tally 'new-*.parquet' --proba -o answers.csv
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
@click.option(
    "--spreadsheet",
    is_flag=True,
    help="Put ' before classes that a spreadsheet would run as a formula: = + - @ in front.",
)
@shared_options.output(what="The CSV file to write, instead of standard output.")
@shared_options.reading
@shared_options.threads
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object a line.")
def predict(
    model: Path,
    file: str | None,
    typed: tuple[str, ...],
    proba: bool,
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
    The output is CSV: prediction, and with --proba a column P(class) for every class.
    Classes are written as they are; with --spreadsheet none of them starts a formula.
    Rows can be typed instead: --row; values that were never seen are named on standard error.
    """
    import tallylearn

    if bool(typed) == bool(file):
        raise click.UsageError("rows come from FILE, or from --row.")
    estimator = tallylearn.load(model)
    if proba and estimator.task != "classifier":
        raise click.UsageError(
            f"--proba goes with classes, and a {type(estimator).__name__} answers with numbers."
        )
    output_files.check_apart(output, [model] if file is None else [model, file], force)
    paths = [] if file is None else shared_options.paths([file])
    source = opened(estimator, paths, **dialect) if paths else _typed(estimator, typed)
    seen = output is None and sys.stdout.isatty()  # then the answers themselves are the progress
    patience = math.inf if seen else PATIENCE
    write = _objects if as_json else _guarded_rows if spreadsheet else _rows
    with watched(paths, threads, patience), output_files.written(output) as out:
        for text in _texts(estimator, source, proba, write):
            text = output_files.visible(text) if seen else text
            out.write(text.encode("utf-8", "backslashreplace"))


def _typed(estimator: Any, typed: Sequence[str]) -> Table:
    """Rows as they are typed; values that the model does not know are told."""
    from tallylearn.doors.unseen import unseen

    rows = table_of(typed, estimator.schema_)
    for number, notes in enumerate(unseen(estimator.model_, rows.block), 1):
        for note in notes:
            output_files.note(f"row {number}: {note}" if len(typed) > 1 else note)
    return rows


def opened(
    estimator: Any, paths: list[Path], target: str | None = None, weight: str | None = None,
    **dialect: Any,
) -> Files:  # fmt: skip
    """Files to be read as the model learned: its columns, its kinds, its missing markers."""
    from tallylearn.sources import Files
    from tallylearn.sources.declarations import declaration

    schema = estimator.schema_
    said = shared_options.dialect(**dialect)
    declared = declaration(target=target, weight=weight, missing=schema.missing, dialect=said)
    return Files(paths, declared, schema)


def _texts(
    estimator: Any, source: Files | Table, proba: bool, write: Callable[[Any, list[Any], Any], str]
) -> Iterator[str]:
    """The header, then the answers of every block; nothing before there is a first block."""
    from tallylearn import engines
    from tallylearn.sources.memory_table import check_size

    header = ["prediction", *(_heads(estimator) if proba else [])]
    begun = False
    call = _caller(estimator, proba, write)
    for text in engines.here().map(call, source):
        yield text if begun or write is _objects else _lines([header]) + text
        begun = True
    if not begun:
        check_size(0, len(estimator.schema_.columns))


def _caller(
    estimator: Any, proba: bool, write: Callable[[Any, list[Any], Any], str]
) -> Callable[[Block], str]:
    from tallylearn.sources import Table
    from tallylearn.sources.declarations import declaration

    def call(block: Block) -> str:
        rows = Table(block, None, None, declaration())
        shares = estimator.predict_proba(rows) if proba else None
        return write(estimator, estimator.predict(rows).tolist(), shares)

    return call


def _rows(estimator: Any, answers: list[Any], shares: Any) -> str:
    return _lines(zip(answers, *([] if shares is None else shares.T.tolist()), strict=True))


def _guarded_rows(estimator: Any, answers: list[Any], shares: Any) -> str:
    """Classes that are text and begin as a formula does get a quote in front."""
    kept = [f"'{a}" if isinstance(a, str) and a.startswith(FORMULA) else a for a in answers]
    return _rows(estimator, kept, shares)


def _objects(estimator: Any, answers: list[Any], shares: Any) -> str:
    found = [{"prediction": answer} for answer in answers]
    if shares is not None:
        names = [str(name) for name in estimator.classes_]
        for one, row in zip(found, shares.tolist(), strict=True):
            one["probabilities"] = dict(zip(names, row, strict=True))
    return "".join(f"{output_files.as_line(one)}\n" for one in found)


def _heads(estimator: Any) -> list[str]:
    return [f"P({name})" for name in estimator.classes_]


def _lines(rows: Any) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
