"""Options that several commands share, and how they are read."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from tallylearn.cli.learner_names import ALSO, CLUSTERS, MODELS, WHAT

Command = TypeVar("Command", bound=Callable[..., Any])
TAB = {"tab": "\t", r"\t": "\t", "space": " "}
WORDS = {"True": True, "False": False, "None": None, "inf": float("inf")}


def _of_schema(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """What a schema says of these columns stands for the options that name them."""
    from tallylearn.sources.schema_files import schema_in

    if path is not None and path.exists():  # where it is not, check writes one
        said = schema_in(path)
        context.default_map = {name: said[name] for name in BESIDE if name in said}
    return path


BESIDE = ("target", "weight", "importance", "groups")
READING = {  # by the names that the commands have them under; all go with a model, too
    "kinds": click.option(
        "--as",
        "kinds",
        multiple=True,
        metavar="COLUMN=KIND",
        help="number, category, text, date, identifier or ignore; or how a column is written, as "
        "in price=1.234,5 and day=%d/%m/%Y.",
    ),
    "missing": click.option(
        "--missing", multiple=True, metavar="MARK", help="A value that stands for nothing."
    ),
    "delimiter": click.option(
        "--delimiter", metavar="CHAR", help="Between the cells of a CSV file, or 'tab', 'space'."
    ),
    "decimal": click.option(
        "--decimal", type=click.Choice([".", ","]), help="The decimal mark of a CSV file."
    ),
    "thousands": click.option(
        "--thousands",
        type=click.Choice([",", ".", "'", " "]),
        help="The mark of thousands in a CSV file.",
    ),
    "date_format": click.option(
        "--date-format",
        metavar="FORM",
        help="Of dates that do not tell day from month: %d/%m/%Y or %m/%d/%Y.",
    ),
    "schema": click.option(
        "--schema",
        type=click.Path(path_type=Path),
        metavar="FILE",
        is_eager=True,  # before the options that it stands for
        callback=_of_schema,
        help="A TOML file that says how the table is read; tally check writes one.",
    ),
    "encoding": click.option(
        "--encoding", metavar="NAME", help="Of a CSV or ARFF file: utf-8, utf-16, latin-1 …"
    ),
    "header": click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first row of a CSV file or a sheet names the columns.",
    ),
    "names": click.option(
        "--names", metavar="A,B", help="Names for all columns, where no row of the file has them."
    ),
    "skip": click.option(
        "--skip", type=click.IntRange(min=0), help="Lines above the table, titles for instance."
    ),
    "footer": click.option(
        "--footer", type=click.IntRange(min=0), help="Lines below the table, notes for instance."
    ),
    "widths": click.option(
        "--widths", metavar="N,N", help="Characters of columns of fixed width, but the last."
    ),
    "comment": click.option(
        "--comment", metavar="MARK", help="What lines begin with that are no rows: '#'."
    ),
    "quote": click.option(
        "--quote", metavar="CHAR", help="Around the cells of a CSV file; '' for none."
    ),
    "sheet": click.option(
        "--sheet", metavar="NAME", help="Of a workbook: its name, or its number from 1."
    ),
}

WHAT_COLUMNS_ARE = ("categories", "text", "dates", "ignore", "keep")
target = click.option(
    "--target", required=True, metavar="COLUMN", help="The column to predict; --schema may name it."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Write JSON to standard output.")
threads = click.option(
    "--threads", type=click.IntRange(min=1), help="Threads to work on; the result is the same."
)


def reading(command: Command) -> Command:
    """Add the options that say how a table is written, where the guess is wrong."""
    return added(command, (*READING.values(),))


def model(required: bool = True, clusters: bool = False) -> Callable[[Command], Command]:
    """The options that choose a learner: of a target, or also of clusters."""
    names, what = ([*MODELS, *CLUSTERS], WHAT + ALSO) if clusters else ([*MODELS], WHAT)

    def add(command: Command) -> Command:
        return added(command, (
            click.option("--model", required=required, type=click.Choice(names), help=what),
            click.option("--alpha", type=float,
                         help="Of bayes: added to every count; of ridge, lasso, elastic-net: the "
                              "penalty (1 unless said)."),
            click.option("--m", type=float, help="Of bayes: the m-estimate instead of alpha."),
            click.option("--set", "pairs", multiple=True, metavar="NAME=VALUE",
                         help="Any other option of the model."),
        ))  # fmt: skip

    return add


def table(command: Command) -> Command:
    """Add the options that say what a table is."""
    return added(command, (
        click.option("--weight", metavar="COLUMN", help="How often each row counts."),
        click.option("--importance", metavar="COLUMN",
                     help="Or how rows compare: weights without a unit, as of a survey."),
        columns("--categories", "Columns to read as categories."),
        columns("--text", "Columns to read as text."),
        columns("--dates", "Columns to read as dates; when=year+weekday takes parts of one."),
        columns("--ignore", "Columns to leave out."),
        columns("--keep", "Columns to learn from though they look like identifiers."),
        *READING.values(),
    ))  # fmt: skip


gaps = click.option(
    "--gaps", type=click.Choice(["keep", "drop"]), default="keep",
    help="drop: leave rows with gaps out, and read the table into memory for it.",
)  # fmt: skip


def added(command: Command, more: Sequence[Callable[[Command], Command]]) -> Command:
    """Add options to a command, in their order."""
    for option in reversed(more):
        command = option(command)
    return command


def dialect(delimiter: str | None = None, names: str | None = None, **given: Any) -> dict[str, Any]:
    """What was said about the dialect, as ``tl.table`` takes it."""
    given["delimiter"] = TAB.get(delimiter or "", delimiter)
    if (widths := given.get("widths")) is not None:
        if not all(one.strip().isdecimal() for one in widths.split(",")):
            raise click.UsageError(f"--widths is a list of numbers such as 10,4, not {widths!r}.")
        given["widths"] = [int(one) for one in widths.split(",")]
    if names is not None:
        if given.get("header") is True:
            raise click.UsageError("--names or --header, not both: skip the row with --skip 1.")
        given["header"] = cells(names)
    return {option: value for option, value in given.items() if value is not None}


def check_with_model(what: str, refused: Iterable[str] = WHAT_COLUMNS_ARE) -> None:
    """Refuse options that a model has settled: what its columns are, above all."""
    context, odd = click.get_current_context(), {*refused}
    for option in context.command.params:
        said = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if said and option.name in WHAT_COLUMNS_ARE:
            raise click.UsageError(
                f"{option.opts[0]} does not go with {what}: the model knows its columns and what "
                "they are, and ignores all others. How they are written is said with --as."
            )
        if said and option.name in odd:
            raise click.UsageError(f"{option.opts[0]} does not go with {what}.")


def output(
    required: bool = False, what: str = "The model file to write."
) -> Callable[[Command], Command]:
    """Where the result goes; what is there already stays, unless the command says otherwise."""

    def add(command: Command) -> Command:
        return added(command, (
            click.option(
                "-o", "--output", type=click.Path(path_type=Path), required=required, help=what
            ),
            click.option("--force", is_flag=True, help="Replace the output where it is there."),
        ))  # fmt: skip

    return add


def columns(option: str, what: str, *older: str) -> Callable[[Command], Command]:
    """An option that names columns: several with commas between them, or given several times."""
    return click.option(option, *older, metavar="A,B", multiple=True, callback=_names, help=what)


def cells(text: str) -> list[str]:
    """One row of CSV; quotes keep a comma inside a cell."""
    rows = list(csv.reader([text], skipinitialspace=True))
    return [cell.strip() for cell in rows[0]] if rows and rows[0] else [""]


def _names(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> list[str]:
    return [name for text in given for name in cells(text) if name]


def parts(dates: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Dates as columns, or with the parts to take: when=year+weekday."""
    from tallylearn.sources.declarations import PARTS

    found: dict[str, tuple[str, ...]] = {}
    for text in dates:
        name, equals, wanted = text.rpartition("=")
        taken = tuple(wanted.split("+"))
        apart = bool(equals) and all(part in PARTS for part in taken)
        found |= {name: taken} if apart else {text: ()}
    return found


def told_kinds(given: Iterable[str]) -> dict[str, str]:
    """Columns and their kinds: price=number."""
    from tallylearn.errors import OptionError

    found: dict[str, str] = {}
    for text in given:
        name, equals, kind = text.rpartition("=")
        if not equals or not name or name in found:
            raise OptionError(f"--as says {text!r}. Say COLUMN=KIND, once for every column.")
        found[name] = kind
    return found


def markers(missing: Iterable[str]) -> tuple[Any, ...]:
    """Missing markers as text, and as numbers where they are: Parquet has no text -999."""
    found: list[Any] = []
    for text in missing:
        found.append(text)
        try:
            found += [float(text)] if math.isfinite(float(text)) else []
        except ValueError:
            continue
    return tuple(found)


def settings(given: Mapping[str, Any], pairs: Iterable[str]) -> dict[str, Any]:
    """The options of a learner: those with a name of their own, and ``--set name=value``."""
    found = {name: value for name, value in given.items() if value is not None}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise click.UsageError(f"--set {pair}: write name=value, as in --set fit_prior=false.")
        if name in found:
            raise click.UsageError(f"--set {pair}: {name} is given twice.")
        found[name] = _value(text)
    if found.get("m") is not None and "alpha" in found:
        raise click.UsageError("--alpha or --m, not both: the m-estimate takes alpha's place.")
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return WORDS.get(text, text)


def paths(named: Iterable[str]) -> list[Path]:
    """The files that paths and globs name, sorted, none of them twice; pipes are kept in files."""
    from tallylearn.cli.piped_input import settled
    from tallylearn.sources.files.path_lists import each_once

    return sorted(each_once(path for name in settled(named) for path in _found(name)))


def _found(name: str) -> list[Path]:
    """The files that a path, a glob or a URL names; what was downloaded goes with the command."""
    from tallylearn.sources.files.paths import find_files
    from tallylearn.sources.streamed_rows import StoredRows, store_stream

    files = store_stream(name)
    if not isinstance(files, StoredRows):
        return find_files(name)
    click.get_current_context().meta.setdefault(__name__, []).append(files)
    return files.paths
