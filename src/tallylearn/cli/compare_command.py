"""``tally compare``: which learners differ on the same folds, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tallylearn.cli import command_tables, learner_names, output_files, shared_options
from tallylearn.cli.evaluate_command import PASSES, class_of, show
from tallylearn.cli.fold_options import dealing, folds
from tallylearn.cli.reading_progress import watched

EXAMPLES = """\b
Examples:
  tally compare sales.csv --target bought --models bayes,lda,centroid
  tally compare sales.csv --target bought --models bayes,lda --repeats 10 -o report.html
  tally compare tennis.csv --target PlayTennis --models bayes,majority --cv 5 --scoring log_loss
"""


@click.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@shared_options.target
@shared_options.columns("--models", f"Two or more of {', '.join(learner_names.MODELS)}.")
@dealing(5, repeats=2)
@click.option(
    "--scoring", "--score", "score", metavar="NAME",
    help="What is compared: accuracy or mae unless said.",
)  # fmt: skip
@click.option(
    "--positive",
    metavar="CLASS",
    help="The class that precision, F1 and ROC speak of; the rarer of two.",
)
@click.option(
    "--alike", type=float, metavar="MARGIN",
    help="How far apart models may lie and count as alike, such as 0.01.",
)  # fmt: skip
@click.option("--details", is_flag=True, help="Print what other tests say, too.")
@shared_options.table
@shared_options.gaps
@shared_options.threads
@shared_options.output(what="The report to write: .html, .json, .md or .txt.")
@shared_options.as_json
def compare(
    files: tuple[str, ...],
    models: Sequence[str],
    score: str | None,
    positive: str | None,
    alike: float | None,
    details: bool,
    level: float,
    on_error: str,
    threads: int | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    **table: Any,
) -> None:
    """Say which models differ on the same folds, and how sure that is.

    Files larger than memory are read in blocks, twice for every model.
    Columns of unique strings are left out and named; --keep brings them back.
    """
    import tallylearn

    asked = learner_names.several(models)
    dealt = folds(table, repeats=2)
    output_files.check_report(output, files, force)
    source, left_out, rows = command_tables.opened(files, **table)
    chosen = {name: one.suited(rows, table["target"]) for name, one in asked.items()}
    cv = dealt(next(iter(chosen.values())).task)
    spoken = None if positive is None else class_of(source.table, positive)
    with watched(source.paths, threads, passes=(len(chosen) + 1) * PASSES):
        found = tallylearn.compare(
            chosen, source.table, cv=cv, score=score, positive=spoken, level=level, alike=alike,
            on_error=on_error,
        )  # fmt: skip
    show(found, found.verdict, output, as_json, command_tables.facts(source, left_out))
    if details and not as_json:  # that has them
        output_files.echo(f"\n{found.details()}")
