"""``tally check``: how a table is read, and which columns need a decision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tallylearn.cli import command_tables, notices, output_files, shared_options, terminal_text
from tallylearn.cli.reading_progress import show_progress

EXAMPLES = """\b
Examples:
  tally check loans.csv --target denied
  tally check loans.csv --schema loans.toml   # write a schema, or follow it
  tally check loans.csv --as applied=%Y-%m-%d --fix clean.parquet
  tally check loans.csv --json | jq .decisions
"""


@shared_options.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@shared_options.optional_target
@shared_options.option(
    "--fix", type=click.Path(path_type=Path), metavar="FILE",
    help="Write the table as it is read: .parquet, .pq or .csv.",
)  # fmt: skip
@shared_options.option("--force", is_flag=True, help="Overwrite an existing file of --fix.")
@shared_options.threads
@shared_options.as_json
@notices.verbose
@shared_options.table_options
def check(
    files: tuple[str, ...],
    threads: int | None,
    fix: Path | None,
    force: bool,
    as_json: bool,
    schema: Path | None,
    **table: Any,
) -> None:
    """Check how a table is read: the kind of each column, missing values, odd values.

    Reads all rows once. Exits with 1 if a column can be read in two ways, for example if the day
    could be the month. --schema writes a TOML file with the settings, or follows it if the file
    exists.
    """
    from tallylearn.inspection.check import check_ending, checked_files, write_table

    output_files.check_place(fix, files, force)
    if fix is not None:
        check_ending(fix)
    known = schema if schema is not None and schema.exists() else None
    output_files.check_place(None if known else schema, files, force=False)
    declared = command_tables.declare(**table, schema=known)
    paths = shared_options.find_paths(files)
    with show_progress(paths, threads):
        found, source = checked_files(paths, declared)
    if schema is not None and known is None:
        found.write_schema(schema)
        notices.note(f"wrote {schema}. To follow it: --schema {schema}.")
    if fix is not None and found.decisions:
        notices.note(f"{fix} is not written: first decide how the columns below are read.")
    elif fix is not None:
        rows = write_table(source, fix)
        notices.note(f"wrote {rows:,} rows to {fix}.")
    data = terminal_text.options_in_data(found.to_dict())
    if as_json:
        output_files.echo_json(data)
    else:
        output_files.echo(terminal_text.options_in_report(str(found.report_of(data))))
    if found.decisions:
        raise click.exceptions.Exit(1)
