"""``tally learn``: fit a model to a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tallylearn.cli import (
    command_tables,
    learner_names,
    notices,
    output_files,
    shared_options,
    terminal_text,
)
from tallylearn.cli.reading_progress import show_progress

EXAMPLES = f"""\b
Examples:
  tally learn loans.csv --target denied                 # prints a tree
  tally learn loans.csv --target denied --model logistic -o loans.tally
  tally learn loans.csv --target amount --model linear  # prints a summary
  tally learn loans.csv --target denied --model forest --set n_estimators=50
  tally learn loans.csv --model kmeans --ignore denied --gaps drop
  tally learn february.csv --like january.tally -o february.tally

{learner_names.MODEL_LIST}{learner_names.CLUSTER_LIST}"""


@shared_options.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@shared_options.optional_target
@learner_names.learner_options(clusters=True)
@shared_options.option(
    "--like",
    type=click.Path(path_type=Path),
    metavar="MODEL",
    help="A model file: read the table and fit the model as it was, so that both can be merged.",
)
@shared_options.output()
@shared_options.option(
    "--tally/--no-tally", default=True,
    help="Whether the model file keeps the tally, which merge and forget need (yes).",
)  # fmt: skip
@shared_options.threads
@shared_options.as_json
@notices.verbose
@shared_options.table_options
@shared_options.gaps
def learn(
    files: tuple[str, ...],
    target: str | None,
    model: str | None,
    like: Path | None,
    alpha: float | None,
    m: float | None,
    pairs: tuple[str, ...],
    keep: Sequence[str],
    threads: int | None,
    tally: bool,
    output: Path | None,
    force: bool,
    as_json: bool,
    **table: Any,
) -> None:
    """Fit a model to a table, and save it with -o.

    FILE is CSV, Parquet, Arrow, Excel, JSON, ARFF, SAS, Stata or SPSS; several files or a glob
    are one table; - is standard input. Without --model a decision tree is fitted, or naive Bayes
    if all columns are text. Without -o the calculation is printed and nothing is saved.

    Identifier columns are left out; --keep uses them. Text columns are left out if the model
    cannot use them. --like MODEL takes the columns, the target, the model and its parameters from
    a model file, so that `tally merge` can add the two models.
    """
    settings = shared_options.parse_settings({"alpha": alpha, "m": m}, pairs)
    learner_names.check_target(model, target)
    output_files.check_place(output, files if like is None else [like, *files], force)
    if like is None:
        if target is None and model not in learner_names.CLUSTERS:
            raise click.UsageError(
                "--target is missing. Name the column to predict. For clusters, which have no "
                "target: --model kmeans."
            )
        choice = learner_names.ModelChoice.of(model, settings)
        opened = command_tables.open_for_learning(files, keep, choice, target=target, **table)
    else:
        opened = command_tables.open_like_model(like, files, model, settings, target, **table)
    estimator, source, left_out, problem = opened
    with show_progress(source.paths, threads):
        estimator.fit(source.table)
    output_files.note_unanswered(estimator)
    if output is not None:
        output_files.save(estimator, output, tally)
    if as_json:
        page = command_tables.read_facts(source, left_out)
        page["problem"] = None if problem is None else problem.to_dict()
        _show_json(estimator, page, output)
    else:
        output_files.echo(_summary(estimator, output) if output else estimator.show_work())
        if hasattr(estimator, "tree_"):
            output_files.echo(f"\n{estimator}")  # at most 200 lines of it
        if getattr(estimator, "bootstrap", False):
            output_files.echo(f"\nout of bag: {estimator.oob}")
        if hasattr(estimator, "summary"):
            output_files.echo(f"\n{estimator.summary()}")


def _dropped_rows(estimator: Any) -> int:
    """How many rows the learner left out because of missing values."""
    design = getattr(estimator.model_, "design", None)
    return int(getattr(design, "dropped", 0))


def _summary(estimator: Any, output: Path) -> str:
    rows = estimator.unanswered_.answered - _dropped_rows(estimator)
    head = f"{estimator.constructor_call()} fitted to {rows:,} {'row' if rows == 1 else 'rows'}"
    pairs = [*terminal_text.lines(estimator), ("saved", str(output))]
    return f"{head}\n{terminal_text.align_pairs(pairs)}"


def _show_json(estimator: Any, page: dict[str, Any], output: Path | None) -> None:
    page, counted = terminal_text.facts(estimator) | page, estimator.unanswered_
    dropped = _dropped_rows(estimator)
    page |= {"rows": counted.answered - dropped, "unanswered": counted.rows, "dropped": dropped}
    page["saved"] = None if output is None else str(output)
    if hasattr(estimator, "summary"):
        page["summary"] = estimator.summary().to_dict()
    if output is None:
        page["working"] = estimator.show_work().to_dict()
    output_files.echo_json(page)
