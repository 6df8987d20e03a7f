"""``tally explain``: the working of predictions, and of the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import output_files, shared_options
from tallylearn.cli.predict_command import loaded, opened
from tallylearn.cli.typed_rows import table_of

if TYPE_CHECKING:
    from tallylearn.sources import Files
    from tallylearn.workings import Evidence

FIRST = (1, 20)  # the rows of a file that are explained unless others are asked for
FORMATS = ("text", "markdown", "html", "json")
HEADINGS = {"text": "Row {}", "markdown": "### Row {}", "html": '<h4 class="tally-row">Row {}</h4>'}

EXAMPLES = """\b
Examples:
  tally explain t.tally --row Sunny,Cool,High,Strong
  tally explain t.tally --row Outlook=Sunny,Wind=Strong      # the others are missing
  tally explain t.tally new.csv --rows 1-5 --format markdown
  tally explain t.tally                                      # the working of the model
"""


def _span(
    context: click.Context, option: click.Parameter, text: str | None
) -> tuple[int, int] | None:
    """Rows as 3 or 1-5, numbered from 1."""
    if text is None:
        return None
    first, dash, last = text.partition("-")
    try:
        span = int(first), int(last if dash else first)
    except ValueError:
        span = (0, 0)
    if not 1 <= span[0] <= span[1]:
        raise click.BadParameter(f"{text!r} is not a range of rows. Write 3 or 1-5.")
    return span


@click.command(epilog=EXAMPLES)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("file", required=False)
@click.option(
    "--row", "rows", multiple=True, metavar="VALUES",
    help="Values in the order of the model's columns, or column=value; nothing and ? are missing.",
)  # fmt: skip
@click.option("--rows", "span", callback=_span, metavar="1-5", help="Which rows of FILE.")
@click.option("--format", "how", type=click.Choice(FORMATS), default="text", show_default=True)
@shared_options.reading
@shared_options.as_json
def explain(
    model: Path,
    file: str | None,
    rows: tuple[str, ...],
    span: tuple[int, int] | None,
    how: str,
    as_json: bool,
    **dialect: Any,
) -> None:
    """Show why MODEL predicts what it predicts, or how it came out of the counts.

    The rows come from --row or from FILE; without either the working of the model is shown.
    FILE may be a pipe, and - is standard input.
    """
    if (rows and file) or (span and not file):
        raise click.UsageError("rows come from --row, or from FILE and --rows.")
    estimator = loaded(model, [file] if file else [])
    how = "json" if as_json else how
    if not rows and not file:
        output_files.echo(_written(estimator.show_work(), how))
    elif file:
        source = opened(estimator, shared_options.paths([file]), **dialect)
        output_files.echo(_together(list(_of_file(estimator, source, *(span or FIRST))), how))
    else:
        found = estimator.explain(table_of(rows, estimator.schema_))
        numbers = range(1, len(rows) + 1) if len(rows) > 1 else [None]
        output_files.echo(_together(list(zip(numbers, found, strict=True)), how))


def _of_file(
    estimator: Any, source: Files, first: int, last: int
) -> Iterator[tuple[int, Evidence]]:
    """The evidence of some rows; reading stops behind the last."""
    from tallylearn.errors import InputError
    from tallylearn.sources import Table
    from tallylearn.sources.declarations import declaration

    seen = 0
    for block in source.blocks():
        part = block[max(first - 1 - seen, 0) : max(last - seen, 0)]
        start, seen = max(first, seen + 1), seen + len(block)
        if len(part):
            yield from enumerate(estimator.explain(Table(part, None, None, declaration())), start)
        if seen >= last:
            return
    if seen < first:
        raise InputError(f"the file has {seen} rows, and --rows asks for row {first}.")


def _together(found: Sequence[tuple[int | None, Evidence]], how: str) -> str:
    """The evidence of several rows, each under its number; alone where it has none."""
    if how == "json":
        rows = [
            evidence.to_dict() | ({"row": number} if number else {}) for number, evidence in found
        ]
        return output_files.as_line({"rows": rows})
    parts = []
    for number, evidence in found:
        parts += [HEADINGS[how].format(number)] if number else []
        parts.append(_written(evidence, how))
    return "\n\n".join(parts)


def _written(working: Any, how: str) -> str:
    if how == "json":
        return output_files.as_line(working.to_dict())
    return str(working) if how == "text" else str(getattr(working, f"to_{how}")())
