"""``tally describe``: every column in numbers, what goes together, what changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import command_tables, output_files, shared_options
from tallylearn.cli.reading_progress import watched

if TYPE_CHECKING:
    from tallylearn.inspection.description import Description

EXAMPLES = """\b
Examples:
  tally describe sales.parquet
  tally describe sales.csv --target churn -o sales.html
  tally describe january.csv --against february.csv
  tally describe sales.csv --json | jq '.columns[] | {name, median}'
"""


@click.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--target", metavar="COLUMN", help="What each column says about this one.")
@click.option(
    "--against", multiple=True, metavar="FILE",
    help="A second table: what changed from the first to it, with tests.",
)  # fmt: skip
@shared_options.table
@shared_options.threads
@click.option(
    "-o", "--output", "--html", "output", type=click.Path(path_type=Path), metavar="FILE",
    help="A report to write: .html (with charts), .json, .md or .txt.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace the output where it is there.")
@shared_options.as_json
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
    """Describe a table: its columns, how they go together, what they say of a target.

    All rows are read, files of any size block by block and twice. No column is left out. Sums are
    exact; where the table is large, quartiles are those of a sketch, within 0.1 %.
    """
    if target is not None and against:
        raise click.UsageError("--target or --against, not both.")
    output_files.check_report(output, (*files, *against), force)
    found: Any = _described(files, table, threads, target)
    if against:
        found = found.compare(_described(against, table, threads, None))
    if output is not None:
        found.save(output.resolve())
        output_files.note(f"wrote {output}.")
    output_files.echo_json(found.to_dict()) if as_json else output_files.echo(found)


def _described(
    files: tuple[str, ...], table: dict[str, Any], threads: int | None, target: str | None
) -> Description:
    from tallylearn.inspection.description import describe
    from tallylearn.sources import Files

    paths = shared_options.paths(files)
    source = Files(paths, command_tables.declared_as(target=None, **table)).require_unambiguous()
    with watched(paths, threads):
        return describe(source, target)
