"""``tally learn``: a table becomes a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tallylearn.cli import (
    command_tables,
    learner_names,
    output_files,
    shared_options,
    terminal_text,
)
from tallylearn.cli.reading_progress import watched

EXAMPLES = """\b
Examples:
  tally learn tennis.csv --target PlayTennis --model bayes --alpha 0 -o t.tally
  tally learn 'sales-*.parquet' --target bought --model bayes -o s.tally
  tally learn tennis.csv --target PlayTennis --model bayes     # shows the working
  tally learn prices.csv --target price --model linear         # and the summary of its weights
  tally learn prices.csv --target price --model mean --set strategy=median
  tally learn big.csv --target y --model forest --set n_estimators=300 -o y.tally
  tally learn shop.csv --model kmeans --set n_clusters=4 --set scale=standard -o k.tally
  tally learn february.csv --like january.tally -o february.tally
"""


@click.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--target", metavar="COLUMN", help="The column to predict; --schema may name it.")
@shared_options.model(required=False, clusters=True)
@click.option(
    "--like",
    type=click.Path(path_type=Path),
    metavar="MODEL",
    help="A model file: read the table as it did, and learn the same, so that the two merge.",
)
@shared_options.table
@shared_options.gaps
@shared_options.threads
@click.option(
    "--tally/--no-tally", default=True,
    help="Whether the model file keeps the counts; without them it cannot merge or forget.",
)  # fmt: skip
@shared_options.output()
@shared_options.as_json
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
    """Learn a model from files: CSV, Parquet, Arrow, Excel, JSON, ARFF, SAS, Stata, SPSS.

    Several files, or a glob, are one table; FILE may be a pipe, and - is standard input.
    Without -o nothing is saved and the working is shown. A tree is drawn, its upper levels where
    it is large, and learned where no --model is named (naive Bayes where all columns are text).
    Of linear models the summary is shown. Columns of unique strings are left out and named, and
    --keep brings them back; so are text columns that the learner cannot take.
    Clusters (--model kmeans) are found in all other columns, without a --target.
    With --like MODEL the columns, their kinds, the target, the learner and its options are those
    of MODEL, unless --target or --model say otherwise, so that `tally merge` adds the two up.
    """
    settings = shared_options.settings({"alpha": alpha, "m": m}, pairs)
    learner_names.check_target(model, target)
    output_files.check_place(output, files if like is None else [like, *files], force)
    if like is None:
        if target is None and model not in learner_names.CLUSTERS:
            raise click.UsageError(
                "say --target, or --like MODEL; or --model kmeans, which has no target."
            )
        asked = learner_names.Asked.named(model, settings)
        posed = command_tables.posed(files, keep, asked, target=target, **table)
    else:
        posed = command_tables.alike(like, files, model, settings, target, **table)
    estimator, source, left_out, problem = posed
    with watched(source.paths, threads):
        estimator.fit(source.table)
    output_files.note_unanswered(estimator)
    if output is not None:
        output_files.save(estimator, output, tally)
    if as_json:
        page = command_tables.facts(source, left_out)
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


def _dropped(estimator: Any) -> int:
    """The rows that a learner left out for their gaps, where it does."""
    design = getattr(estimator.model_, "design", None)
    return int(getattr(design, "dropped", 0))


def _summary(estimator: Any, output: Path) -> str:
    rows = estimator.unanswered_.answered - _dropped(estimator)
    head = f"{estimator.constructor_call()} learned from {rows:,} {'row' if rows == 1 else 'rows'}"
    pairs = [*terminal_text.lines(estimator), ("saved", str(output))]
    return f"{head}\n{terminal_text.aligned(pairs)}"


def _show_json(estimator: Any, page: dict[str, Any], output: Path | None) -> None:
    page, counted = terminal_text.facts(estimator) | page, estimator.unanswered_
    dropped = _dropped(estimator)
    page |= {"rows": counted.answered - dropped, "unanswered": counted.rows, "dropped": dropped}
    page["saved"] = None if output is None else str(output)
    if hasattr(estimator, "summary"):
        page["summary"] = estimator.summary().to_dict()
    if output is None:
        page["working"] = estimator.show_work().to_dict()
    output_files.echo_json(page)
