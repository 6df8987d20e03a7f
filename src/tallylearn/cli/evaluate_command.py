"""``tally evaluate``: how good a learner is on rows that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import (
    command_tables,
    learner_names,
    output_files,
    shared_options,
    terminal_text,
)
from tallylearn.cli.fold_options import dealing, folds
from tallylearn.cli.predict_command import MODEL, check_order, opened, target_of
from tallylearn.cli.reading_progress import watched

if TYPE_CHECKING:
    from tallylearn.cli.command_tables import Opened
    from tallylearn.sources import DeclaredTable

FITTED = {  # the options that go with a model file
    "files", "target", "weight", "importance", "groups", "scores", "by", "positive", "level",
    "threads", "output", "force", "as_json", "gaps", *shared_options.READING,
}  # fmt: skip
PASSES = 2  # over the rows, of a learner in cross-validation: one to learn, one to test
EXAMPLES = """\b
Examples:
  tally evaluate tennis.csv --target PlayTennis --model bayes --cv loo
  tally evaluate sales.csv --target bought --model bayes --by region -o report.html
  tally evaluate 'visits-*.parquet' --target ill --model lda --groups patient
  tally evaluate sales.csv --target bought --model bayes --scoring f1,roc_auc --json
  tally evaluate s.tally new-sales.csv                # a model that has learned, on other rows
"""


@click.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="[MODEL] FILE...")
@click.option("--target", metavar="COLUMN", help="The column to predict; MODEL may name it.")
@shared_options.model(required=False)
@dealing()
@shared_options.columns(
    "--scoring", "Scores such as accuracy,f1,log_loss,mae; the usual ones unless said.",
    "--scores", "scores",
)  # fmt: skip
@click.option("--by", metavar="COLUMN", help="Give the scores for every value of a column, too.")
@click.option(
    "--positive",
    metavar="CLASS",
    help="The class that precision, F1 and ROC speak of; the rarer of two.",
)
@shared_options.table
@shared_options.gaps
@shared_options.threads
@shared_options.output(what="The report to write: .html, .json, .md or .txt.")
@shared_options.as_json
@click.pass_context
def evaluate(
    context: click.Context,
    /,
    files: tuple[str, ...],
    target: str | None,
    model: str | None,
    alpha: float | None,
    m: float | None,
    pairs: tuple[str, ...],
    scores: Sequence[str],
    by: str | None,
    positive: str | None,
    level: float,
    on_error: str,
    threads: int | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    **table: Any,
) -> None:
    """Say how good a model is on rows that it has not learned from.

    Scores come with intervals, and with those of a baseline that does not look at the row.
    Files larger than memory are read twice, in blocks.
    Columns of unique strings are left out and named; --keep brings them back.
    With a model file in front nothing is learned: MODEL is asked about the rows of FILE as it is.
    """
    import tallylearn

    output_files.check_report(output, files, force)
    left_out: dict[str, str] = {}
    check_order(Path(files[0]), files[1:])
    if Path(files[0]).suffix == MODEL:
        learning = {*context.params} - FITTED  # and dealing rows into folds
        shared_options.check_with_model("a model that has learned already", learning)
        learner, cv = tallylearn.load(files[0]), None
        source = _rows_for(learner, files, target, table)
        command_tables.tell_dropped(source)
    else:
        if target is None:
            raise click.UsageError("say --target, or name a model file before FILE.")
        settings = shared_options.settings({"alpha": alpha, "m": m}, pairs)
        asked, dealt = learner_names.Asked.named(model, settings), folds(table)
        source, left_out, rows = command_tables.opened(files, target=target, **table)
        learner = asked.suited(rows, target)
        source, _, left_out = command_tables.without_text(source, rows, left_out, learner)
        cv = dealt(learner.task)
    chosen = None if positive is None else class_of(source.table, positive)
    with watched(source.paths, threads, passes=2 * PASSES):
        found = tallylearn.evaluate(
            learner, source.table, cv=cv, scores=scores or None, by=by, positive=chosen,
            level=level, on_error=on_error,
        )  # fmt: skip
    show(found, found.headline, output, as_json, command_tables.facts(source, left_out))


def _rows_for(learner: Any, files: tuple[str, ...], target: str | None, table: Any) -> Opened:
    """The files behind a model file, read as the model learned."""
    if len(files) < 2:
        raise click.UsageError(f"name the rows to ask {files[0]} about: tally evaluate MODEL FILE.")
    said = {
        name: table[name] for name in ("weight", "importance", "groups", *shared_options.READING)
    }
    named = target_of(learner, Path(files[0]), target)
    read = opened(learner, shared_options.paths(files[1:]), target=named, **said)
    return command_tables.Opened.of(read, table["gaps"])


def class_of(source: DeclaredTable, text: str) -> Any:
    """A class as the target has it: classes may be text, numbers or truth values."""
    from tallylearn.sources.columns.class_labels import TargetReading

    first = next(source.blocks(), None)
    read = TargetReading("classifier", gaps=True)
    classes = () if first is None else read(first.target, first.start).values  # type: ignore[union-attr]
    return next((value for value in classes if str(value) == text), text)


def show(
    found: Any, in_short: str, output: Path | None, as_json: bool, facts: dict[str, Any]
) -> None:
    """Say all of a finding, or write it to its file and say it in short."""
    if output is not None:
        found.save(output)
    if output is not None or as_json:  # else the report says it
        for text in found.remarks:
            output_files.note(terminal_text.reported(text))
    if as_json:
        place = None if output is None else str(output)
        output_files.echo_json(found.to_dict() | facts | {"saved": place})
    elif output is None:
        output_files.echo(terminal_text.reported(str(found)))
    else:
        saved = terminal_text.aligned([("saved", str(output))])
        output_files.echo(f"{found.report().title}\n{in_short}\n{saved}")
