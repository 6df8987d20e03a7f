"""``tally report``: a model and a table on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tallylearn.cli import notices, output_files, shared_options, terminal_text
from tallylearn.cli.evaluate_command import class_of
from tallylearn.cli.fold_options import parse_scheme
from tallylearn.cli.predict_command import check_order, load_model, open_for_model, target_of
from tallylearn.cli.reading_progress import show_progress

EXAMPLES = """\b
Examples:
  tally report loans.tally new-loans.csv -o report.html
  tally report loans.tally loans.csv --cv 10 --by purpose -o loans.html
  tally report loans.tally new-loans.csv --include-rows --force -o report.html
"""
PASSES = 6  # over the rows: to score, and to describe the columns


@shared_options.command(epilog=EXAMPLES)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@shared_options.option(
    "--target", metavar="COLUMN", help="The target, if the model file does not name it."
)
@shared_options.option(
    "--cv", metavar="FOLDS", default=None, callback=lambda context, option, text:
    None if text is None else parse_scheme(context, option, text),
    help="Score copies of the model by cross-validation on FILE, its training rows: a number of "
    "folds, loo, holdout or bootstrap. Without it, the model predicts FILE as it is.",
)  # fmt: skip
@shared_options.option("--by", metavar="COLUMN", help="Compare the groups of a column.")
@shared_options.option(
    "--positive", metavar="CLASS", help="The positive class; the rarer of two unless given."
)
@shared_options.option(
    "--include-rows", is_flag=True,
    help="Show the values of the rows with the largest errors; without it, no row is shown.",
)  # fmt: skip
@shared_options.option("--level", type=float, default=0.95, show_default=True, metavar="X",
                       help="Confidence level of the intervals.")  # fmt: skip
@shared_options.output(
    what="The page to write: .html; or .json, .md, .txt. MODEL.html unless given."
)
@shared_options.threads
@notices.verbose
@shared_options.read_options
def report(
    model: Path,
    files: tuple[str, ...],
    target: str | None,
    cv: Any,
    by: str | None,
    positive: str | None,
    include_rows: bool,
    level: float,
    output: Path | None,
    force: bool,
    threads: int | None,
    **table: Any,
) -> None:
    """Report a model on one page: score, cautions, what-if, errors, columns.

    The page is one file that opens without a network. FILE has rows that the model was not
    fitted to; with --cv, it has the training rows, and copies of the model are scored.
    """
    import tallylearn

    place = model.with_suffix(".html") if output is None else output
    output_files.check_report(place, [model, *files], force)
    check_order(model, files)
    estimator = load_model(model, files)
    named = target_of(estimator, model, target)
    source = open_for_model(estimator, shared_options.find_paths(files), target=named, **table)
    chosen = None if positive is None else class_of(source, positive)
    with show_progress(source.paths, threads, passes=PASSES):
        found = tallylearn.report(
            estimator, source, cv=cv, by=by, positive=chosen, level=level,
            include_rows=include_rows,
        )  # fmt: skip
    found.save(place)
    saved = terminal_text.align_pairs([("saved", str(place))])
    output_files.echo(f"{found.report().title}\n{found.headline}\n{saved}")
