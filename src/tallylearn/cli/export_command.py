"""``tally export``: a model as a program or a document."""

from __future__ import annotations

from pathlib import Path

import click

from tallylearn.cli import notices, output_files, shared_options
from tallylearn.cli.predict_command import load_model

DIALECTS = ("duckdb", "postgres", "sqlite", "spark", "bigquery", "snowflake")
FORMATS = ("javascript", "python", "sql", "rules", "json")
EXAMPLES = """\b
Examples:
  tally export loans.tally --to python -o loans_model.py
  tally export loans.tally --to javascript > loans.js
  tally export loans.tally --to sql --dialect postgres --table loans
  tally export tree.tally --to rules
"""


@shared_options.command(epilog=EXAMPLES)
@click.argument("model", type=click.Path(path_type=Path))
@shared_options.option(
    "--to", "form", type=click.Choice(FORMATS), required=True,
    help="The format: a program in a language, a query, the rules of a tree, or plain data.",
)  # fmt: skip
@shared_options.option(
    "--dialect", type=click.Choice(DIALECTS), help="The dialect of SQL; duckdb unless given."
)
@shared_options.option("--table", help="The table that the query reads; rows unless given.")
@shared_options.option(
    "--columns",
    help="Columns that the query returns beside the prediction, such as a key: id,date.",
)
@shared_options.output(what="The file to write; standard output unless given.")
@notices.verbose
def export(
    model: Path,
    form: str,
    dialect: str | None,
    table: str | None,
    columns: str | None,
    output: Path | None,
    force: bool,
) -> None:
    """Export a model as a program that needs no tallylearn, or as a document."""
    import tallylearn

    output_files.check_place(output, [model], force)
    names = None if columns is None else [name.strip() for name in columns.split(",")]
    text = tallylearn.export(
        load_model(model, ()), form, dialect=dialect, table=table, columns=names
    )
    with output_files.open_output(output) as stream:
        stream.write(text.encode())
    if output is not None:
        notices.note(f"saved {output}.")
