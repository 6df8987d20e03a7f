"""``tally evaluate``: scores on rows that a model was not trained on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import (
    command_tables,
    learner_names,
    notices,
    output_files,
    shared_options,
    terminal_text,
)
from tallylearn.cli.fold_options import fold_options, make_folds
from tallylearn.cli.predict_command import MODEL, check_order, open_for_model, target_of
from tallylearn.cli.reading_progress import show_progress

if TYPE_CHECKING:
    from tallylearn.cli.command_tables import OpenedTable
    from tallylearn.sources import DeclaredTable

MODEL_FILE_OPTIONS = {  # the options that go with a model file
    "files", "target", "weight", "importance", "groups", "scores", "by", "positive", "level",
    "threads", "output", "force", "as_json", "gaps", *shared_options.READ_OPTIONS,
}  # fmt: skip
PASSES = 2  # over the rows in cross-validation: one to fit, one to test
EXAMPLES = f"""\b
Examples:
  tally evaluate loans.csv --target denied --model bayes
  tally evaluate loans.csv --target denied --model tree --cv 5 -o report.html
  tally evaluate loans.csv --target denied --model bayes --by purpose
  tally evaluate loans.csv --target denied --model bayes --scoring f1,roc_auc
  tally evaluate loans.tally new-loans.csv     # a fitted model on new rows

{learner_names.MODEL_LIST}"""


@shared_options.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="[MODEL] FILE...")
@shared_options.option(
    "--target", metavar="COLUMN", help="The column to predict; a model file names its own."
)
@learner_names.learner_options()
@shared_options.column_option(
    "--scoring", "Scores such as accuracy,f1,log_loss,mae; the usual ones unless given.",
    "scores", aliases=("--scores", "--score"),
)  # fmt: skip
@shared_options.option("--by", metavar="COLUMN", help="Scores for each value of a column, too.")
@shared_options.option(
    "--positive", metavar="CLASS", help="The positive class; the rarer of two unless given."
)
@fold_options()
@shared_options.output(what="The report to write: .html, .json, .md or .txt.")
@shared_options.threads
@shared_options.as_json
@notices.verbose
@shared_options.table_options
@shared_options.gaps
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
    """Evaluate a model by cross-validation, or a model file on new rows.

    Scores have confidence intervals, and a baseline that ignores the features beside them.
    Files larger than memory are read in blocks, twice. Identifier columns are left out; --keep
    uses them. With a MODEL file nothing is fitted: the model predicts the rows of FILE.
    """
    import tallylearn

    output_files.check_report(output, files, force)
    left_out: dict[str, str] = {}
    check_order(Path(files[0]), files[1:])
    if Path(files[0]).suffix == MODEL:
        learning = {*context.params} - MODEL_FILE_OPTIONS
        shared_options.check_with_model("a model file", learning)
        learner, cv = tallylearn.load(files[0]), None
        source = _rows_for(learner, files, target, table)
        command_tables.note_dropped_rows(source)
    else:
        if target is None:
            raise click.UsageError(
                "--target is missing. Name the column to predict, or a model file before FILE."
            )
        settings = shared_options.parse_settings({"alpha": alpha, "m": m}, pairs)
        choice, folds_for = learner_names.ModelChoice.of(model, settings), make_folds(table)
        source, left_out, rows = command_tables.open_files(files, target=target, **table)
        learner = choice.build_for(rows, target)
        source, _, left_out = command_tables.drop_text_columns(source, rows, left_out, learner)
        cv = folds_for(learner.task)
    chosen = None if positive is None else class_of(source.table, positive)
    with show_progress(source.paths, threads, passes=2 * PASSES):
        found = tallylearn.evaluate(
            learner, source.table, cv=cv, scores=scores or None, by=by, positive=chosen,
            level=level, on_error=on_error,
        )  # fmt: skip
    show(found, found.headline, output, as_json, command_tables.read_facts(source, left_out))


def _rows_for(learner: Any, files: tuple[str, ...], target: str | None, table: Any) -> OpenedTable:
    """The files after a model file, read as the model's training table was."""
    if len(files) < 2:
        raise click.UsageError(
            f"the table is missing. For example: tally evaluate {files[0]} FILE."
        )
    said = {
        name: table[name]
        for name in ("weight", "importance", "groups", *shared_options.READ_OPTIONS)
    }
    named = target_of(learner, Path(files[0]), target)
    read = open_for_model(learner, shared_options.find_paths(files[1:]), target=named, **said)
    return command_tables.OpenedTable.of(read, table["gaps"])


def class_of(source: DeclaredTable, text: str) -> Any:
    """A class as the target has it, from its text: classes may be numbers or booleans."""
    from tallylearn.sources.columns.class_labels import TargetReading

    first = next(source.blocks(), None)
    read = TargetReading("classifier", gaps=True)
    classes = () if first is None else read(first.target, first.start).values  # type: ignore[union-attr]
    return next((value for value in classes if str(value) == text), text)


def show(
    found: Any, in_short: str, output: Path | None, as_json: bool, facts: dict[str, Any]
) -> None:
    """Print a report; or write it to a file and print its headline."""
    if output is not None:
        found.save(output)
    if output is not None or as_json:  # otherwise the report has them
        for text in found.remarks:
            notices.note(terminal_text.options_in_report(text))
    if as_json:
        place = None if output is None else str(output)
        output_files.echo_json(found.to_dict() | facts | {"saved": place})
    elif output is None:
        output_files.echo(terminal_text.options_in_report(str(found)))
    else:
        saved = terminal_text.align_pairs([("saved", str(output))])
        output_files.echo(f"{found.report().title}\n{in_short}\n{saved}")
