"""``tally describe``: statistics of the columns, correlations, changes between tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import command_tables, notices, output_files, shared_options
from tallylearn.cli.reading_progress import show_progress

if TYPE_CHECKING:
    from tallylearn.inspection.description import Description

EXAMPLES = """\b
Examples:
  tally describe loans.csv
  tally describe loans.csv --target denied -o loans.html
  tally describe january.csv --against february.csv
  tally describe loans.csv --json | jq '.columns[] | {name, median}'
"""


@shared_options.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@shared_options.option(
    "--target", metavar="COLUMN", help="Show how each column relates to this one."
)
@shared_options.option(
    "--against", multiple=True, metavar="FILE",
    help="A second table: show what changed from the first to it, with tests.",
)  # fmt: skip
@shared_options.output(
    what="A report to write: .html (with charts), .json, .md or .txt.", aliases=("--html",)
)
@shared_options.threads
@shared_options.as_json
@notices.verbose
@shared_options.table_options
def describe(
    files: tuple[str, ...],
    target: str | None,
    against: tuple[str, ...],
    keep: tuple[str, ...],
    threads: int | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    **table: Any,
) -> None:
    """Describe a table: statistics of each column, correlations, relation to a target.

    Reads all rows, files of any size in blocks. Sums are exact. Quartiles of a large table come
    from a sketch, with a relative error of at most 0.1 %. No column is left out.
    """
    if target is not None and against:
        raise click.UsageError("--target and --against exclude each other. Give one.")
    output_files.check_report(output, (*files, *against), force)
    found: Any = _describe(files, table, threads, target)
    if against:
        found = found.compare(_describe(against, table, threads, None))
    if output is not None:
        found.save(output.resolve())
        notices.note(f"wrote {output}.")
    output_files.echo_json(found.to_dict()) if as_json else output_files.echo(found)


def _describe(
    files: tuple[str, ...], table: dict[str, Any], threads: int | None, target: str | None
) -> Description:
    from tallylearn.inspection.description import describe
    from tallylearn.sources import Files

    paths = shared_options.find_paths(files)
    source = Files(paths, command_tables.declare(target=None, **table)).require_unambiguous()
    with show_progress(paths, threads):
        return describe(source, target)
