"""``tally check``: how a table is read, and what somebody has to decide before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tallylearn.cli import command_tables, output_files, shared_options, terminal_text
from tallylearn.cli.reading_progress import watched

EXAMPLES = """\b
Examples:
  tally check sales.csv
  tally check sales.csv --schema sales.toml     # written once, edited by hand, then followed
  tally check sales.csv --as day=%d/%m/%Y --fix clean.parquet
  tally check sales.csv --json | jq .decisions
"""


@click.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--target", metavar="COLUMN", help="The column to predict; --schema may name it.")
@shared_options.table
@shared_options.threads
@click.option(
    "--fix", type=click.Path(path_type=Path), metavar="FILE",
    help="Write the table as it is read: .parquet, .pq or .csv.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace the file of --fix where it is there.")
@shared_options.as_json
def check(
    files: tuple[str, ...],
    threads: int | None,
    fix: Path | None,
    force: bool,
    as_json: bool,
    schema: Path | None,
    **table: Any,
) -> None:
    """Say how a table is read: every column, its gaps, its odd cells.

    All rows are read once. Where something has to be decided, such as whether the day or the
    month comes first, the exit code is 1. --schema names a TOML file: it is written if it is not
    there, and followed, never replaced, if it is.
    """
    from tallylearn.inspection.check import check_ending, checked_files, write_table

    output_files.check_place(fix, files, force)
    if fix is not None:
        check_ending(fix)
    known = schema if schema is not None and schema.exists() else None
    output_files.check_place(None if known else schema, files, force=False)
    declared = command_tables.declared_as(**table, schema=known)
    paths = shared_options.paths(files)
    with watched(paths, threads):
        found, source = checked_files(paths, declared)
    if schema is not None and known is None:
        found.write_schema(schema)
        output_files.note(f"wrote {schema}; --schema {schema} follows it.")
    if fix is not None and found.decisions:
        output_files.note(f"{fix} is not written: something has to be decided first.")
    elif fix is not None:
        rows = write_table(source, fix)
        output_files.note(f"wrote {rows:,} rows as they were read to {fix}.")
    if as_json:
        output_files.echo_json(found.to_dict())
    else:
        output_files.echo(terminal_text.reported(str(found)))
    if found.decisions:
        raise click.exceptions.Exit(1)
