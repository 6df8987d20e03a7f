"""``tally tune``: search for the parameters with the best cross-validated score."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from tallylearn.cli import command_tables, learner_names, notices, output_files, shared_options
from tallylearn.cli.evaluate_command import PASSES, show
from tallylearn.cli.fold_options import fold_options, make_folds
from tallylearn.cli.reading_progress import show_progress

GRIDS: dict[str, dict[str, list[Any]]] = {  # what is tried without --grid
    "bayes": {"alpha": [0.1, 0.5, 1, 2, 5]},
    "tree": {"max_depth": [2, 3, 5, 8, None], "min_samples_leaf": [1, 5, 20]},
    "cart": {"max_depth": [2, 3, 5, 8, None], "min_samples_leaf": [1, 5, 20]},
    "forest": {"max_features": ["sqrt", 0.5, 1.0], "min_samples_leaf": [1, 5]},
    "extra-trees": {"max_features": ["sqrt", 0.5, 1.0], "min_samples_leaf": [1, 5]},
    "boosting": {"learning_rate": [0.03, 0.1, 0.3], "max_leaf_nodes": [7, 31]},
    "knn": {"n_neighbors": [1, 3, 5, 9, 15, 25], "scale": ["standard"]},
    "logistic": {"C": [0.01, 0.1, 1, 10, 100]},
    "ridge": {"alpha": [0.01, 0.1, 1, 10, 100]},
    "lasso": {"alpha": [0.001, 0.01, 0.1, 1, 10]},
    "elastic-net": {"alpha": [0.001, 0.01, 0.1, 1, 10], "l1_ratio": [0.2, 0.5, 0.8]},
}
EXAMPLES = f"""\b
Examples:
  tally tune loans.csv --target denied --model tree
  tally tune loans.csv --target denied --model bayes --grid alpha=0.1,1,10
  tally tune loans.csv --target denied --model bayes --nested 5 -o tuned.html

{learner_names.MODEL_LIST}"""


@shared_options.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@shared_options.target
@learner_names.learner_options()
@shared_options.option(
    "--grid", "grids", multiple=True, metavar="NAME=A,B", heading=learner_names.FITTING,
    help="A parameter and the values to try; without it, a few usual ones of the model.",
)  # fmt: skip
@shared_options.option(
    "--nested", type=click.IntRange(min=2), metavar="FOLDS",
    help="Repeat the search on the training rows of so many outer folds, for an unbiased score.",
)  # fmt: skip
@shared_options.option(
    "--scoring", "scoring", metavar="NAME", aliases=("--score", "--scores"),
    help="The score to choose by: accuracy or mae unless given.",
)  # fmt: skip
@fold_options(5, on_error=False)
@shared_options.output(what="The report to write: .html, .json, .md or .txt.")
@shared_options.threads
@shared_options.as_json
@notices.verbose
@shared_options.table_options
@shared_options.gaps
def tune(
    files: tuple[str, ...],
    target: str,
    model: str | None,
    alpha: float | None,
    m: float | None,
    pairs: tuple[str, ...],
    grids: tuple[str, ...],
    nested: int | None,
    scoring: str | None,
    level: float,
    threads: int | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    **table: Any,
) -> None:
    """Search for the parameters of a model with the best score on the same folds.

    Prints the best parameters, their score and all that was tried. The best score of a search is
    optimistic; --nested measures it on rows that did not choose. The last line fits the best.
    """
    import tallylearn

    settings = shared_options.parse_settings({"alpha": alpha, "m": m}, pairs)
    choice = learner_names.ModelChoice.of(model, settings)
    grid = _grid(choice.model, grids)
    learner_names.ModelChoice(choice.model, {**settings, **dict.fromkeys(grid)})  # checks names
    folds_for = make_folds(table)
    output_files.check_report(output, files, force)
    source, left_out, rows = command_tables.open_files(files, target=target, **table)
    learner = choice.build_for(rows, target)
    source, _, left_out = command_tables.drop_text_columns(source, rows, left_out, learner)
    passes = PASSES * (1 if nested is None else nested)
    with show_progress(source.paths, threads, passes=passes):
        found = tallylearn.tune(
            learner, grid, source.table, cv=folds_for(learner.task), scoring=scoring,
            nested=nested, level=level,
        )  # fmt: skip
    words = ["tally", "learn", *files, "--target", target, "--model", choice.model]
    best = {**settings, **found.best}
    for name, value in best.items():
        words += ["--set", f"{name}={_text(value)}"]
    command = shlex.join(words)
    facts = command_tables.read_facts(source, left_out) | {"fit_with": command}
    options = ", ".join(f"{name}={value!r}" for name, value in found.best.items())
    in_short = f"best: {options}; {found.by} {found.score.value:{found.score.spec}}"
    show(found, in_short, output, as_json, facts)
    if not as_json:
        output_files.echo(f"\nTo fit it: {command}")


def _grid(model: str, given: Iterable[str]) -> dict[str, list[Any]]:
    """The values by parameter: those of --grid, or the usual ones of the model."""
    found: dict[str, list[Any]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals or not name or not values:
            raise click.UsageError(
                f"--grid {text}: write NAME=VALUES. For example: --grid max_depth=2,4,8."
            )
        if name in found:
            raise click.UsageError(f"--grid {text}: {name} is given twice. Give it once.")
        found[name] = [shared_options.parse_value(one) for one in shared_options.split_row(values)]
    if not found and model not in GRIDS:
        raise click.UsageError(
            f"--grid is missing: --model {model} has no usual values. For example: --grid "
            "NAME=VALUE,VALUE with its parameters."
        )
    return found or dict(GRIDS[model])


def _text(value: Any) -> str:
    """A value as --set takes it."""
    return value if isinstance(value, str) else json.dumps(value)
