"""``tally learn``: fit a model to a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tallylearn.cli import (
    command_tables,
    learner_comparison,
    learner_names,
    notices,
    output_files,
    shared_options,
    terminal_text,
)
from tallylearn.cli.fold_options import fold_options, make_folds
from tallylearn.cli.model_places import ModelPlaces
from tallylearn.cli.reading_progress import show_progress

EXAMPLES = f"""\b
Examples:
  tally learn loans.csv --target denied                 # compares learners
  tally learn loans.csv --target denied --prefer simple --scoring log_loss
  tally learn loans.csv --target denied --model logistic -o denied.tally
  tally learn loans.csv --target amount --model linear --no-save
  tally learn loans.csv --target denied --model forest --set n_estimators=50
  tally learn loans.csv --model kmeans --ignore denied --gaps drop
  tally learn february.csv --like january.tally

{learner_names.MODEL_LIST}{learner_names.CLUSTER_LIST}"""
COMPARING = "The comparison, without --model"  # the heading of options in --help


@shared_options.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@shared_options.optional_target
@shared_options.output(what="The model file to write; FILE.tally in this folder unless given.")
@shared_options.option("--no-save", is_flag=True, help="Write no files.")
@shared_options.threads
@shared_options.as_json
@notices.verbose
@shared_options.option(
    "--prefer", type=click.Choice(["best", "simple"]), default="best", show_default=True,
    heading=COMPARING,
    help="simple: save the most readable model within one standard error of the best.",
)  # fmt: skip
@shared_options.option(
    "--budget", metavar="TIME", heading=COMPARING,
    help="Time for the comparison, such as '2 min': learners that it does not reach are named.",
)  # fmt: skip
@shared_options.option(
    "--scoring", metavar="NAME", aliases=("--score", "--scores"), heading=COMPARING,
    help="accuracy (default), error, log_loss or brier; for numbers r2 (default), rmse, mse or "
    "mae.",
)  # fmt: skip
@fold_options(5, on_error=False)
@learner_names.learner_options(clusters=True)
@shared_options.option(
    "--like",
    type=click.Path(path_type=Path),
    metavar="MODEL",
    heading=learner_names.FITTING,
    help="A model file: read the table and fit the model as it was, so that both can be merged.",
)
@shared_options.option(
    "--tally/--no-tally", default=True, heading=learner_names.FITTING,
    help="Whether the model file keeps the tally, which merge and forget need (yes).",
)  # fmt: skip
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
    no_save: bool,
    as_json: bool,
    prefer: str,
    budget: str | None,
    scoring: str | None,
    level: float,
    **table: Any,
) -> None:
    """Choose a model for a table and save it; or fit the one that --model names.

    FILE is CSV, Parquet, Arrow, Excel, JSON, ARFF, SAS, Stata or SPSS; several files or a glob
    are one table; - is standard input. The learners that suit the table are compared on the same
    folds. The best is fitted to all rows and saved, with a page about it: loans.csv gives
    loans.tally and loans.html in the working folder, or loans-2.tally if they exist. The score is
    corrected for the choice. If no learner is better than the baseline, the output says so.

    With --model one model is fitted and saved, and the calculation is printed. Identifier columns
    are left out; --keep uses them. Text columns are left out if the model cannot use them.
    --like MODEL takes the columns, the target, the model and its parameters from a model file, so
    that `tally merge` can add the two models.
    """
    settings = shared_options.parse_settings({"alpha": alpha, "m": m}, pairs)
    learner_names.check_target(model, target)
    one = model is not None or like is not None
    if one:
        learner_comparison.refuse_options(
            learner_comparison.COMPARISON, "--model" if like is None else "--like"
        )
    if like is None and target is None and model not in learner_names.CLUSTERS:
        raise click.UsageError(
            "--target is missing. Name the column to predict. For clusters, which have no "
            "target: --model kmeans."
        )
    if not one:
        _check_settings(settings)
    inputs = [] if like is None else [like]
    places = ModelPlaces.of(files, output, save=not no_save, force=force, inputs=inputs,
                            page=not one)  # fmt: skip
    folds_for, groups = make_folds(table), table.pop("groups")
    if like is not None:
        opened = command_tables.open_like_model(like, files, model, settings, target, **table)
    elif model is not None:
        choice = learner_names.ModelChoice.of(model, settings)
        opened = command_tables.open_for_learning(files, keep, choice, target=target, **table)
    else:
        source, left_out, rows = command_tables.read_files(
            files, keep, target=target, groups=groups, **table
        )
        if not learner_comparison.few_rows(rows):
            command_tables.note_columns(source)
            task = settings.get("task") or (
                "classification" if rows.target_classes is not None else "regression"
            )
            learner_comparison.compare_learners(
                source, left_out, files, places, cv=_folds(folds_for, task, groups),
                threads=threads, tally=tally, as_json=as_json, prefer=prefer, budget=budget,
                scoring=scoring, level=level, task=settings.get("task"),
            )  # fmt: skip
            return
        places = replace(places, page=None)
        choice = learner_names.ModelChoice.of(None, settings)
        opened = command_tables.suit_learner(source, left_out, rows, choice)
    _fit(opened, places, named=output is not None, threads=threads, tally=tally, as_json=as_json)


def _check_settings(settings: dict[str, Any]) -> None:
    """Refuse parameters that belong to one model."""
    if {*settings} - {"task"}:
        raise click.UsageError(
            "--alpha, --m and --set need --model. Without it, learners are compared, each with "
            "its own parameters."
        )
    if settings.get("task") not in (None, "classification", "regression"):
        raise click.UsageError(
            f"--set task={settings['task']}: the task is classification or regression."
        )


def _folds(folds_for: Any, task: str, groups: str | None) -> Any:
    """The folds of the comparison; groups are not stratified unless that is asked for."""
    if click.get_current_context().params["cv"] == "oob":
        raise click.UsageError(
            "--cv oob scores forests only. Give a number of folds, loo, holdout, bootstrap or "
            "forward."
        )
    found = folds_for({"classification": "classifier", "regression": "regressor"}[task])
    usual = "stratified" not in learner_comparison.given_options()
    if groups is not None and usual and getattr(found, "scheme", "") == "k":
        return replace(found, stratified=False)
    return found


def _fit(
    opened: Any, places: ModelPlaces, named: bool, threads: int | None, tally: bool, as_json: bool
) -> None:
    """Fit one model, save it, and print it: a summary if the file is ``named``, or the working."""
    estimator, source, left_out, problem = opened
    with show_progress(source.paths, threads):
        estimator.fit(source.table)
    output_files.note_unanswered(estimator)
    if places.model is not None:
        output_files.save(estimator, places.model, tally)
    if as_json:
        page = command_tables.read_facts(source, left_out) | command_tables.provenance(source)
        page["problem"] = None if problem is None else problem.to_dict()
        _show_json(estimator, page | places.to_dict(), named)
        return
    output_files.echo(_summary(estimator, places) if named else estimator.show_work())
    if hasattr(estimator, "tree_"):
        output_files.echo(f"\n{estimator}")  # at most 200 lines of it
    if getattr(estimator, "bootstrap", False):
        output_files.echo(f"\nout of bag: {estimator.oob}")
    if hasattr(estimator, "summary"):
        output_files.echo(f"\n{estimator.summary()}")
    if not named and places.model is not None:
        output_files.echo(f"\n{terminal_text.align_pairs(places.pairs())}")


def _dropped_rows(estimator: Any) -> int:
    """How many rows the learner left out because of missing values."""
    design = getattr(estimator.model_, "design", None)
    return int(getattr(design, "dropped", 0))


def _summary(estimator: Any, places: ModelPlaces) -> str:
    rows = estimator.unanswered_.answered - _dropped_rows(estimator)
    head = f"{estimator.constructor_call()} fitted to {rows:,} {'row' if rows == 1 else 'rows'}"
    return (
        f"{head}\n{terminal_text.align_pairs([*terminal_text.lines(estimator), *places.pairs()])}"
    )


def _show_json(estimator: Any, page: dict[str, Any], named: bool) -> None:
    page, counted = terminal_text.facts(estimator) | page, estimator.unanswered_
    dropped = _dropped_rows(estimator)
    page |= {"rows": counted.answered - dropped, "unanswered": counted.rows, "dropped": dropped}
    if getattr(estimator, "bootstrap", False):
        page["out_of_bag"] = estimator.oob.to_dict()
    if hasattr(estimator, "summary"):
        page["summary"] = estimator.summary().to_dict()
    if not named:
        page["working"] = estimator.show_work().to_dict()
    output_files.echo_json(page)
