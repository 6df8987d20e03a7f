"""``tally compare``: which learners differ on the same folds, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tallylearn.cli import learners, options, outputs, tables
from tallylearn.cli.dealing import dealing, folds
from tallylearn.cli.evaluating import PASSES, class_of, show
from tallylearn.cli.progress import watched

EXAMPLES = """\b
Examples:
  tally compare sales.csv --target bought --models bayes,lda,centroid
  tally compare sales.csv --target bought --models bayes,lda --repeats 10 -o report.html
  tally compare tennis.csv --target PlayTennis --models bayes,majority --cv 5 --score log_loss
"""


@click.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options.target
@options.columns("--models", f"Two or more of {', '.join(learners.MODELS)}.")
@dealing
@click.option("--score", metavar="NAME", help="What is compared: accuracy or mae unless said.")
@click.option(
    "--positive",
    metavar="CLASS",
    help="The class that precision, F1 and ROC speak of; the rarer of two.",
)
@options.table
@options.threads
@options.output(what="The report to write: .html, .json, .md or .txt.")
@options.as_json
def compare(
    files: tuple[str, ...],
    models: Sequence[str],
    score: str | None,
    positive: str | None,
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
    Columns that only tell the rows apart are left out and named; --keep brings them back.
    """
    import tallylearn

    asked = learners.several(models)
    dealt = folds(table)
    outputs.check_report(output, files, force)
    source, left_out, rows = tables.opened(files, **table)
    chosen = {name: one.suited(rows, table["target"]) for name, one in asked.items()}
    cv = dealt(next(iter(chosen.values())).task)
    spoken = None if positive is None else class_of(source, positive)
    with watched(source.paths, threads, passes=(len(chosen) + 1) * PASSES):
        found = tallylearn.compare(
            chosen, source, cv=cv, score=score, positive=spoken, level=level, on_error=on_error
        )
    show(found, found.verdict, output, as_json, tables.facts(source, left_out))
