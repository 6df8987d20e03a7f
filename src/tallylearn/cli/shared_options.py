"""Options that several commands share, and how their values are parsed."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

Command = TypeVar("Command", bound=Callable[..., Any])
DELIMITER_NAMES = {"tab": "\t", r"\t": "\t", "space": " "}
PYTHON_WORDS = {"True": True, "False": False, "None": None, "inf": float("inf")}
READING = "Reading the table"  # the heading of options in --help


class TallyOption(click.Option):
    """An option with a heading in --help, and with older names that --help does not list."""

    def __init__(
        self, *declared: Any, heading: str = "Options", aliases: Sequence[str] = (), **settings: Any
    ) -> None:
        super().__init__(*declared, **settings)
        self.heading, self.aliases = heading, tuple(aliases)

    def add_to_parser(self, parser: Any, context: click.Context) -> None:
        shown = self.opts
        self.opts = [*shown, *self.aliases]
        super().add_to_parser(parser, context)
        self.opts = shown


class TallyCommand(click.Command):
    """A command whose --help lists its options under headings."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        records: dict[str, list[tuple[str, str]]] = {"Options": []}
        for option in self.get_params(context):
            if isinstance(option, click.Argument):
                continue
            if (record := option.get_help_record(context)) is not None:
                heading = getattr(option, "heading", "Options")
                records.setdefault(heading, []).append(record)
        for heading, lines in records.items():
            with formatter.section(heading):
                formatter.write_dl(lines)


command = partial(click.command, cls=TallyCommand)
option = partial(click.option, cls=TallyOption)
_reading = partial(click.option, cls=TallyOption, heading=READING)


def _apply_schema(
    context: click.Context, option: click.Parameter, path: Path | None
) -> Path | None:
    """The columns that a schema names are the defaults of the options that name them."""
    from tallylearn.sources.schema_files import schema_in

    if path is not None and path.exists():  # where it is not, check writes one
        schema = schema_in(path)
        context.default_map = {name: schema[name] for name in ROLE_OPTIONS if name in schema}
    return path


ROLE_OPTIONS = ("target", "weight", "importance", "groups")
READ_OPTIONS = {  # by the names of the commands' parameters; all of them go with a model file
    "kinds": _reading(
        "--as",
        "kinds",
        multiple=True,
        metavar="COLUMN=KIND",
        help="Read a column as number, category, text, date, identifier or ignore; or by an "
        "example of how it is written: price=1.234,5 or day=%d/%m/%Y.",
    ),
    "missing": _reading(
        "--missing", multiple=True, metavar="VALUE", help="A value that means missing."
    ),
    "delimiter": _reading(
        "--delimiter", metavar="CHAR", help="Delimiter of a CSV file; also 'tab' and 'space'."
    ),
    "decimal": _reading(
        "--decimal", type=click.Choice([".", ","]), help="Decimal mark of a CSV file."
    ),
    "thousands": _reading(
        "--thousands",
        type=click.Choice([",", ".", "'", " "]),
        help="Thousands separator of a CSV file.",
    ),
    "date_format": _reading(
        "--date-format",
        metavar="FORMAT",
        help="%d/%m/%Y or %m/%d/%Y, for dates in which the day could be the month.",
    ),
    "schema": _reading(
        "--schema",
        type=click.Path(path_type=Path),
        metavar="FILE",
        is_eager=True,  # before the options that it gives defaults for
        callback=_apply_schema,
        help="TOML file with all of these settings; `tally check` writes one.",
    ),
    "encoding": _reading(
        "--encoding", metavar="NAME", help="Encoding of a CSV or ARFF file, such as latin-1."
    ),
    "header": _reading(
        "--header/--no-header",
        default=None,
        help="Whether the first row of a CSV file or a sheet holds the column names.",
    ),
    "names": _reading("--names", metavar="A,B", help="Names of all columns of a file without any."),
    "skip": _reading(
        "--skip", type=click.IntRange(min=0), metavar="LINES", help="Lines above the table to skip."
    ),
    "footer": _reading(
        "--footer",
        type=click.IntRange(min=0),
        metavar="LINES",
        help="Lines below the table to skip.",
    ),
    "widths": _reading(
        "--widths", metavar="N,N", help="Widths of all fixed-width columns but the last."
    ),
    "comment": _reading("--comment", metavar="MARK", help="Mark that begins a comment line: '#'."),
    "quote": _reading("--quote", metavar="CHAR", help="Quote of a CSV file; '' for none."),
    "sheet": _reading(
        "--sheet", metavar="NAME", help="Sheet of a workbook: name or number from 1."
    ),
}

KIND_OPTIONS = ("categories", "text", "dates", "ignore", "keep")
target = option("--target", required=True, metavar="COLUMN", help="The column to predict.")
optional_target = option("--target", metavar="COLUMN", help="The column to predict.")
as_json = option("--json", "as_json", is_flag=True, help="Write JSON to standard output.")
threads = option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of threads; the result does not depend on it.",
)


def read_options(command: Command) -> Command:
    """Add the options on how a table is written, for files that are guessed wrongly."""
    return add_options(command, (*READ_OPTIONS.values(),))


def table_options(command: Command) -> Command:
    """Add the options on what the columns of a table are, and on how it is written."""
    return add_options(command, (
        option("--weight", metavar="COLUMN",
               help="Frequency weights: 2 counts a row twice."),
        option("--importance", metavar="COLUMN",
               help="Relative weights, such as survey weights, instead of --weight."),
        column_option("--ignore", "Columns to leave out.", heading=READING),
        column_option("--keep", "Columns to use though they look like identifiers.",
                      heading=READING),
        column_option("--categories", "Columns to read as categories.", heading=READING),
        column_option("--text", "Columns to read as text.", heading=READING),
        column_option("--dates", "Columns to read as dates; when=year+weekday uses these parts.",
                      heading=READING),
        *READ_OPTIONS.values(),
    ))  # fmt: skip


gaps = _reading(
    "--gaps", type=click.Choice(["keep", "drop"]), default="keep",
    help="drop: leave out rows with missing values (this reads the table into memory).",
)  # fmt: skip


def add_options(command: Command, more: Sequence[Callable[[Command], Command]]) -> Command:
    """Add options to a command, in their order."""
    for option in reversed(more):
        command = option(command)
    return command


def parse_dialect(
    delimiter: str | None = None, names: str | None = None, **given: Any
) -> dict[str, Any]:
    """The options on a file's dialect, as ``tl.table(dialect=)`` takes them."""
    given["delimiter"] = DELIMITER_NAMES.get(delimiter or "", delimiter)
    if (widths := given.get("widths")) is not None:
        if not all(one.strip().isdecimal() for one in widths.split(",")):
            raise click.UsageError(
                f"--widths: {widths!r} is not a list of whole numbers. For example: --widths 10,4."
            )
        given["widths"] = [int(one) for one in widths.split(",")]
    if names is not None:
        if given.get("header") is True:
            raise click.UsageError(
                "--names and --header exclude each other. To replace a header row: --names with "
                "--skip 1."
            )
        given["header"] = split_row(names)
    return {option: value for option, value in given.items() if value is not None}


def check_with_model(what: str, refused: Iterable[str] = KIND_OPTIONS) -> None:
    """Refuse options that a model file has settled, such as the kinds of its columns."""
    context, settled = click.get_current_context(), {*refused}
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if given and option.name in KIND_OPTIONS:
            raise click.UsageError(
                f"{option.opts[0]} cannot be combined with {what}: the model file sets the columns "
                "and their kinds. To say how a column is written: --as."
            )
        if given and option.name in settled:
            raise click.UsageError(
                f"{option.opts[0]} cannot be combined with {what}. Leave it out."
            )


def output(
    required: bool = False, what: str = "The model file to write.", aliases: Sequence[str] = ()
) -> Callable[[Command], Command]:
    """Add the options on the output file; an existing file stays, unless --force is given."""

    def add(command: Command) -> Command:
        return add_options(command, (
            option(
                "-o", "--output", type=click.Path(path_type=Path), metavar="FILE",
                required=required, help=what, aliases=aliases,
            ),
            option("--force", is_flag=True, help="Overwrite an existing output file."),
        ))  # fmt: skip

    return add


def column_option(
    name: str, what: str, *declared: str, **settings: Any
) -> Callable[[Command], Command]:
    """An option that names columns: separated by commas, or given several times."""
    return option(
        name, *declared, help=what, metavar="A,B", multiple=True, callback=_split_names, **settings
    )


def split_row(text: str) -> list[str]:
    """The cells of one row of CSV; quotes keep a comma inside a cell."""
    rows = list(csv.reader([text], skipinitialspace=True))
    return [cell.strip() for cell in rows[0]] if rows and rows[0] else [""]


def _split_names(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> list[str]:
    return [name for text in given for name in split_row(text) if name]


def parse_dates(dates: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Columns of dates, with the parts to use: when=year+weekday."""
    from tallylearn.sources.declarations import PARTS

    found: dict[str, tuple[str, ...]] = {}
    for text in dates:
        name, equals, wanted = text.rpartition("=")
        parts = tuple(wanted.split("+"))
        has_parts = bool(equals) and all(part in PARTS for part in parts)
        found |= {name: parts} if has_parts else {text: ()}
    return found


def parse_kinds(given: Iterable[str]) -> dict[str, str]:
    """Columns and their kinds: price=number."""
    from tallylearn.errors import OptionError

    found: dict[str, str] = {}
    for text in given:
        name, equals, kind = text.rpartition("=")
        if not equals or not name:
            raise OptionError(
                f"--as {text}: a column and its kind are needed. For example: --as price=number."
            )
        if name in found:
            raise OptionError(f"--as names the column {name!r} twice. Give it one kind.")
        found[name] = kind
    return found


def parse_missing(missing: Iterable[str]) -> tuple[Any, ...]:
    """Missing markers as text, and as numbers where they are: Parquet has no text -999."""
    found: list[Any] = []
    for text in missing:
        found.append(text)
        try:
            found += [float(text)] if math.isfinite(float(text)) else []
        except ValueError:
            continue
    return tuple(found)


def parse_settings(given: Mapping[str, Any], pairs: Iterable[str]) -> dict[str, Any]:
    """The options of a learner: --alpha, --m and ``--set name=value``."""
    found = {name: value for name, value in given.items() if value is not None}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise click.UsageError(
                f"--set {pair}: write name=value. For example: --set fit_prior=false."
            )
        if name in found:
            raise click.UsageError(f"--set {pair}: {name} is given twice. Give it once.")
        found[name] = parse_value(text)
    if found.get("m") is not None and "alpha" in found:
        raise click.UsageError(
            "--alpha and --m exclude each other: the m-estimate replaces alpha. Give one."
        )
    return found


def parse_value(text: str) -> Any:
    """A value of --set: JSON, a word of Python, or text."""
    try:
        return json.loads(text)
    except ValueError:
        return PYTHON_WORDS.get(text, text)


def find_paths(named: Iterable[str]) -> list[Path]:
    """The files that paths and globs name, sorted; a pipe is stored in a temporary file."""
    from tallylearn.cli.piped_input import store_pipes
    from tallylearn.sources.files.path_lists import each_once

    return sorted(each_once(path for name in store_pipes(named) for path in _find_files(name)))


def _find_files(name: str) -> list[Path]:
    """The files of a path, a glob or a URL; a download is deleted when the command ends."""
    from tallylearn.sources.files.paths import find_files
    from tallylearn.sources.streamed_rows import StoredRows, store_stream

    files = store_stream(name)
    if not isinstance(files, StoredRows):
        return find_files(name)
    click.get_current_context().meta.setdefault(__name__, []).append(files)
    return files.paths
