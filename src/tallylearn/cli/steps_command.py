"""``tally steps``: a page that steps through an algorithm on a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import command_tables, learner_names, notices, output_files, shared_options
from tallylearn.cli.predict_command import load_model
from tallylearn.cli.typed_rows import table_of

if TYPE_CHECKING:
    from tallylearn.workings.step_sequence import StepSequence

VERSION_SPACE = "version-space"
STEPPED = (
    "id3",
    "c45",
    "cart",
    "tree",
    "bayes",
    "knn",
    "perceptron",
    "lms",
    "kmeans",
    VERSION_SPACE,
)
OF_ONE_ROW = ("bayes", "knn")
EXAMPLES = f"""\b
Examples:
  tally steps id3 tennis.csv --target PlayTennis -o id3.html
  tally steps bayes tennis.csv --target PlayTennis --row Rain,Cool,High,Weak
  tally steps kmeans points.csv --set n_clusters=3 -o kmeans.html
  tally steps tennis.tally --row Sunny,Cool,High,Strong   # prints the steps

\b
Algorithms: {", ".join(STEPPED[:6])},
  {", ".join(STEPPED[6:])}
"""


@shared_options.command(epilog=EXAMPLES)
@click.argument("model", metavar="MODEL")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@shared_options.optional_target
@shared_options.option(
    "--row", "row", metavar="VALUES",
    help="For bayes and knn: the row to predict, in the order of the columns, or column=value.",
)  # fmt: skip
@shared_options.option(
    "--set", "pairs", multiple=True, metavar="NAME=VALUE",
    help="A parameter of the model, as in Python.",
)  # fmt: skip
@shared_options.output(what="The page to write: .html; or .json, .md, .txt.")
@shared_options.as_json
@notices.verbose
@shared_options.table_options
@shared_options.gaps
def steps(
    model: str,
    files: tuple[str, ...],
    target: str | None,
    row: str | None,
    pairs: tuple[str, ...],
    output: Path | None,
    force: bool,
    as_json: bool,
    **table: Any,
) -> None:
    """Step through an algorithm on a table, as a page with buttons and a slider.

    MODEL is an algorithm from the list below, which is fitted to FILE, or a model file of naive
    Bayes, of nearest neighbours, of a perceptron or of LMS. Without -o the steps are printed.
    """
    output_files.check_report(output, files, force)
    if model not in STEPPED and not model.endswith(".tally"):
        raise click.UsageError(
            f"MODEL: there is no algorithm {model!r}. Choose one of {', '.join(STEPPED)}, or name "
            "a model file that ends in .tally."
        )
    if model.endswith(".tally"):
        found = _steps_of(load_model(Path(model), list(files)), None, row)
    else:
        found = _fitted_steps(model, files, target, row, pairs, **table)
    if output is not None:
        found.save(output)
        output_files.echo(f"saved {output}: {len(found)} steps")
    elif as_json:
        output_files.echo_json(found.to_dict())
    else:
        output_files.echo(found)


def _fitted_steps(
    name: str,
    files: tuple[str, ...],
    target: str | None,
    row: str | None,
    pairs: tuple[str, ...],
    **table: Any,
) -> StepSequence:
    """Fit the algorithm to the files, and take its steps."""
    if not files:
        raise click.UsageError(f"FILE is missing: the table that {name} is fitted to.")
    if target is None and name not in learner_names.CLUSTERS:
        raise click.UsageError("--target is missing. Name the column to predict.")
    if row is not None and name not in OF_ONE_ROW:
        raise click.UsageError(f"--row goes with {' and '.join(OF_ONE_ROW)}, and not with {name}.")
    kind = "id3" if name == VERSION_SPACE else name
    choice = learner_names.ModelChoice.of(kind, shared_options.parse_settings({}, pairs))
    keep = table.pop("keep", ())
    estimator, source, _, _ = command_tables.open_for_learning(
        files, keep, choice, target=target, **table
    )
    if name == VERSION_SPACE:
        from tallylearn.reasoning.concepts.version_space import VersionSpace

        return VersionSpace.conjunctions().fit(source.table).steps()
    estimator.fit(source.table)
    output_files.note_unanswered(estimator)
    return _steps_of(estimator, source.table, row)


def _steps_of(estimator: Any, table: Any, row: str | None) -> StepSequence:
    """The steps of a fitted estimator; of a prediction where it predicts row by row."""
    found: StepSequence
    kind = type(estimator).__name__
    if kind in ("NaiveBayes", "KNeighborsClassifier"):
        if row is None:
            raise click.UsageError(
                f"--row is missing: {kind} shows the steps of one prediction. For example: --row "
                f"{','.join(f'{column.name}=...' for column in estimator.schema_.columns[:2])}."
            )
        found = estimator.steps(table_of((row,), estimator.schema_))
    elif kind == "LMS":
        found = estimator.descent() if table is None else estimator.descent(table)
    elif kind == "KMeans" and table is not None:
        found = estimator.steps(table)
    elif kind == "Perceptron":
        found = estimator.steps().sequence()
    elif hasattr(estimator, "tree_"):
        found = estimator.steps()
    else:
        raise click.UsageError(
            f"{kind} has no steps to show. Choose one of {', '.join(STEPPED)}, with a table."
        )
    return found
