"""``tally diff``: where two models predict differently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tallylearn.cli import notices, output_files, shared_options
from tallylearn.cli.predict_command import load_model, open_for_model

EXAMPLES = """\b
Examples:
  tally diff tree.tally small.tally
  tally diff tree.tally small.tally --table loans.csv
  tally diff january.tally both.tally --table loans.csv --json
"""


@shared_options.command(epilog=EXAMPLES)
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@shared_options.option(
    "--table", "files", multiple=True, metavar="FILE",
    help="A table with the target: where do the models predict differently on its rows?",
)  # fmt: skip
@shared_options.output(what="The report to write: .html, .json, .md or .txt.")
@shared_options.as_json
@notices.verbose
@shared_options.read_options
def diff(
    first: Path,
    second: Path,
    files: tuple[str, ...],
    output: Path | None,
    force: bool,
    as_json: bool,
    **table: Any,
) -> None:
    """Compare two models: where they predict differently, and what changed.

    Of two trees, the regions of different predictions are compared for every possible row; of two
    linear models, the coefficients. With --table, the rows that the models predict differently
    are counted, and the first are shown.
    """
    import tallylearn
    from tallylearn.errors import KindError

    output_files.check_report(output, [first, second, *files], force)
    models = load_model(first, files), load_model(second, files)
    rows = None
    if files:
        target = models[0].target_name_
        paths = shared_options.find_paths(files)
        rows = open_for_model(models[0], paths, target=target, **table)
    try:
        found = tallylearn.diff(*models, rows, names=(first.stem, second.stem))
    except KindError:
        if files:
            raise
        raise click.UsageError(
            "--table is missing: these models are compared on the rows of a table. For example: "
            "--table FILE."
        ) from None
    if output is not None:
        found.save(output)
        notices.note(f"wrote {output}.")
    output_files.echo_json(found.to_dict()) if as_json else output_files.echo(found)
