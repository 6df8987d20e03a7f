"""``tally compare``: compare models on the same folds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tallylearn.cli import command_tables, learner_names, notices, output_files, shared_options
from tallylearn.cli.evaluate_command import PASSES, class_of, show
from tallylearn.cli.fold_options import fold_options, make_folds
from tallylearn.cli.reading_progress import show_progress

EXAMPLES = f"""\b
Examples:
  tally compare loans.csv --target denied --model bayes,tree,logistic
  tally compare loans.csv --target denied --model bayes,tree -o report.html
  tally compare loans.csv --target denied --model bayes,lda --scoring log_loss

{learner_names.MODEL_LIST}"""


@shared_options.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@shared_options.target
@learner_names.model_option(several=True)
@shared_options.option(
    "--scoring", "score", metavar="NAME", aliases=("--score", "--scores"),
    help="The score to compare: accuracy or mae unless given.",
)  # fmt: skip
@shared_options.option(
    "--positive", metavar="CLASS", help="The positive class; the rarer of two unless given."
)
@shared_options.option(
    "--alike", type=float, metavar="MARGIN",
    help="Equivalence margin: models closer than this count as equal (0.01).",
)  # fmt: skip
@shared_options.option("--details", is_flag=True, help="Print the results of other tests, too.")
@fold_options(5, repeats=2)
@shared_options.output(what="The report to write: .html, .json, .md or .txt.")
@shared_options.threads
@shared_options.as_json
@notices.verbose
@shared_options.table_options
@shared_options.gaps
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
    """Compare models on the same folds, with tests of the differences.

    Prints the score of each model with its interval, and whether the differences are
    significant. Files larger than memory are read in blocks, twice for each model.
    Identifier columns are left out; --keep uses them.
    """
    import tallylearn

    choices = learner_names.choose_models(models)
    folds_for = make_folds(table, repeats=2)
    output_files.check_report(output, files, force)
    source, left_out, rows = command_tables.open_files(files, **table)
    chosen = {name: one.build_for(rows, table["target"]) for name, one in choices.items()}
    cv = folds_for(next(iter(chosen.values())).task)
    positive_class = None if positive is None else class_of(source.table, positive)
    with show_progress(source.paths, threads, passes=(len(chosen) + 1) * PASSES):
        found = tallylearn.compare(
            chosen, source.table, cv=cv, score=score, positive=positive_class, level=level,
            alike=alike, on_error=on_error,
        )  # fmt: skip
    show(found, found.verdict, output, as_json, command_tables.read_facts(source, left_out))
    if details and not as_json:  # JSON has them
        output_files.echo(f"\n{found.details()}")
