"""``tally explain``: the calculation of predictions, or of the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import notices, output_files, shared_options
from tallylearn.cli.predict_command import load_model, open_for_model
from tallylearn.cli.typed_rows import table_of
from tallylearn.cli.what_if_rows import what_if_of

if TYPE_CHECKING:
    from tallylearn.sources import Files
    from tallylearn.workings import Evidence

DEFAULT_ROWS = 20  # rows of a file that are explained without --rows
FORMATS = ("text", "markdown", "html", "json")
HEADINGS = {"text": "Row {}", "markdown": "### Row {}", "html": '<h4 class="tally-row">Row {}</h4>'}

EXAMPLES = """\b
Examples:
  tally explain loans.tally loans.csv --rows 2-4
  tally explain loans.tally --row amount=9000,income=40000  # others missing
  tally explain tennis.tally --row Sunny,Cool,High,Strong
  tally explain loans.tally loans.csv --rows 3 --counterfactual
  tally explain loans.tally --row income=40000 --what-if income=50000
  tally explain loans.tally                    # the calculation of the model
"""


def _span(
    context: click.Context, option: click.Parameter, text: str | None
) -> tuple[int, int] | None:
    """Rows as 3 or 2-6, with the numbers that messages give them."""
    if text is None:
        return None
    first, dash, last = text.partition("-")
    try:
        span = int(first), int(last if dash else first)
    except ValueError:
        span = (1, 0)
    if not 0 <= span[0] <= span[1]:
        raise click.BadParameter(
            f"{text!r} is not a range of rows. For example: --rows 3 or --rows 2-6."
        )
    return span


@shared_options.command(epilog=EXAMPLES)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("file", required=False)
@shared_options.option(
    "--row", "rows", multiple=True, metavar="VALUES",
    help="One row: the values in the order of the model's columns, or column=value.",
)  # fmt: skip
@shared_options.option(
    "--rows", "span", callback=_span, metavar="2-6",
    help="Which rows of FILE, by line; the header is line 1. Of a file without lines, by "
    "position from 0. By default the first 20.",
)  # fmt: skip
@shared_options.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True,
    help="The format of the output.",
)  # fmt: skip
@click.option(
    "--counterfactual",
    is_flag=True,
    help="The smallest change of one or two columns that changes the prediction.",
)
@click.option("--to", "target", metavar="CLASS", help="The class that --counterfactual looks for.")
@click.option(
    "--at-least",
    type=float,
    metavar="NUMBER",
    help="The least prediction that --counterfactual looks for.",
)
@click.option(
    "--at-most",
    type=float,
    metavar="NUMBER",
    help="The largest prediction that --counterfactual looks for.",
)
@click.option(
    "--fixed",
    multiple=True,
    metavar="COLUMN",
    help="A column that --counterfactual may not change.",
)
@click.option(
    "--what-if",
    "what_if",
    multiple=True,
    metavar="COLUMN=VALUE",
    help="Predict the row with other values, too.",
)
@shared_options.as_json
@notices.verbose
@shared_options.read_options
def explain(
    model: Path,
    file: str | None,
    rows: tuple[str, ...],
    span: tuple[int, int] | None,
    form: str,
    counterfactual: bool,
    target: str | None,
    at_least: float | None,
    at_most: float | None,
    fixed: tuple[str, ...],
    what_if: tuple[str, ...],
    as_json: bool,
    **dialect: Any,
) -> None:
    """Explain the predictions of a model, or show how the model was calculated.

    The rows come from FILE or from --row; - is standard input. Without either, the calculation of
    the model is printed. A counterfactual is measured by the spread of FILE, where there is one.
    """
    if (rows and file and not counterfactual) or (span and not file):
        raise click.UsageError(
            "give the rows either as FILE, with --rows if only some are wanted, or with --row."
        )
    wanted = {"target": target, "at_least": at_least, "at_most": at_most, "fixed": fixed}
    if not counterfactual and any(value not in (None, ()) for value in wanted.values()):
        raise click.UsageError("--to, --at-least, --at-most and --fixed need --counterfactual.")
    if (counterfactual or what_if) and not rows and not span:
        raise click.UsageError("give one row: --row, or FILE with --rows 3.")
    estimator = load_model(model, [file] if file else [])
    form = "json" if as_json else form
    if counterfactual or what_if:
        source = None
        if file:
            source = open_for_model(estimator, shared_options.find_paths([file]), **dialect)
        changes = wanted if counterfactual else None
        output_files.echo(
            _change_row(estimator, source, (rows, span), changes, what_if=what_if, form=form)
        )
        return
    if not rows and not file:
        output_files.echo(_format(estimator.show_work(), form))
    elif file:
        source = open_for_model(estimator, shared_options.find_paths([file]), **dialect)
        output_files.echo(_join(list(_explain_file(estimator, source, *(span or (0, None)))), form))
    else:
        found = estimator.explain(table_of(rows, estimator.schema_))
        numbers = range(1, len(rows) + 1) if len(rows) > 1 else [None]
        output_files.echo(_join(list(zip(numbers, found, strict=True)), form))


def _change_row(
    estimator: Any,
    source: Files | None,
    chosen: tuple[tuple[str, ...], tuple[int, int] | None],
    changes: dict[str, Any] | None,
    *,
    what_if: tuple[str, ...],
    form: str,
) -> str:
    """The prediction of one row with other values, and what would change it."""
    rows, span = chosen
    table = table_of(rows, estimator.schema_) if rows else _rows_of_file(source, span)
    parts: list[Any] = []
    if what_if:
        parts.append(what_if_of(estimator, table, what_if))
    if changes is not None:
        given = {name: value for name, value in changes.items() if value is not None}
        if "target" in given:
            names = {str(name): name for name in estimator.classes_.tolist()}
            given["target"] = names.get(given["target"], given["target"])
        parts.append(estimator.counterfactual(table, **given, table=source))
    if form == "json":
        kinds = ["what_if"] * bool(what_if) + ["counterfactual"] * (changes is not None)
        found = {kind: part.to_dict() for kind, part in zip(kinds, parts, strict=True)}
        return output_files.as_line(found)
    return "\n\n".join(_format(part, form) for part in parts)


def _rows_of_file(source: Files | None, span: tuple[int, int] | None) -> Any:
    """The rows of a file that --rows names, as a table."""
    from tallylearn.errors import InputError
    from tallylearn.sources import Table
    from tallylearn.sources.declarations import declaration

    assert source is not None
    assert span is not None
    if span[0] != span[1]:
        raise click.UsageError("give one row of FILE, such as --rows 3.")
    seen = 0
    for block in source.blocks():
        if seen + len(block) >= span[0]:
            return Table(block[span[0] - 1 - seen : span[0] - seen], None, None, declaration())
        seen += len(block)
    raise InputError(f"--rows {span[0]}: the file has {seen:,} rows. Choose rows from 1 to {seen}.")


def _explain_file(
    estimator: Any, source: Files, first: int, last: int | None
) -> Iterator[tuple[int, Evidence]]:
    """The evidence of some rows; reading stops after the last."""
    from tallylearn.errors import InputError
    from tallylearn.sources import Table
    from tallylearn.sources.declarations import declaration

    start = number = source.first_row
    last = start + DEFAULT_ROWS - 1 if last is None else last
    if last < start:
        raise InputError(
            f"--rows {first}: the first row of the file is {start}; the lines before it, such as "
            f"the header, are counted. Choose rows from {start} up."
        )
    for block in source.blocks():
        part = block[max(first - number, 0) : max(last + 1 - number, 0)]
        here, number = max(first, number), number + len(block)
        if len(part):
            yield from enumerate(estimator.explain(Table(part, None, None, declaration())), here)
        if number > last:
            break
    if number <= first:
        raise InputError(
            f"--rows {first}: the rows of the file are {start} to {number - 1:,}. Choose some of "
            "these."
        )


def _join(found: Sequence[tuple[int | None, Evidence]], form: str) -> str:
    """The evidence of several rows, each under its number if it has one."""
    if form == "json":
        rows = [
            evidence.to_dict() | ({"row": number} if number is not None else {})
            for number, evidence in found
        ]
        return output_files.as_line({"rows": rows})
    parts = []
    for number, evidence in found:
        parts += [HEADINGS[form].format(number)] if number is not None else []
        parts.append(_format(evidence, form))
    return "\n\n".join(parts)


def _format(working: Any, form: str) -> str:
    if form == "json":
        return output_files.as_line(working.to_dict())
    return str(working) if form == "text" else str(getattr(working, f"to_{form}")())
