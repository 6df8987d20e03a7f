"""``tally plot``: a picture of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tallylearn.cli import notices, output_files, shared_options
from tallylearn.cli.predict_command import check_order, load_model, open_for_model

EXAMPLES = """\b
Examples:
  tally plot tree.tally -o tree.svg
  tally plot tree.tally --max-depth 2 -o tree.html
  tally plot flowers.tally flowers.csv -o regions.svg
"""
ENDINGS = (".svg", ".html")


@shared_options.command(epilog=EXAMPLES)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("files", nargs=-1, metavar="[FILE]...")
@shared_options.option(
    "--max-depth", type=click.IntRange(min=0), metavar="N", help="The levels of a tree to draw."
)
@shared_options.output(what="The picture: .svg or .html. MODEL.svg unless given.")
@notices.verbose
@shared_options.read_options
def plot(
    model: Path,
    files: tuple[str, ...],
    max_depth: int | None,
    output: Path | None,
    force: bool,
    **table: Any,
) -> None:
    """Draw a model: a tree, or its predictions over one or two columns.

    Without FILE: a tree. With FILE, a classifier of two numeric columns is drawn as the regions
    of its classes, and a model of one as its curve, with the rows of FILE.
    """
    place = model.with_suffix(".svg") if output is None else output
    output_files.check_place(place, [model, *files], force)
    if place.suffix.lower() not in ENDINGS:
        raise click.UsageError(f"-o {place}: a picture is .svg or .html. Name one of them.")
    check_order(model, files)
    estimator = load_model(model, files)
    if files:
        target = estimator.target_name_
        rows = open_for_model(
            estimator, shared_options.find_paths(files), target=target, **table
        ).load()
        drawn = _over_columns(estimator, rows)
    else:
        drawn = _alone(estimator, max_depth)
    drawn.save(place)
    output_files.echo(f"saved {place}")


def _alone(estimator: Any, max_depth: int | None) -> Any:
    """The picture of the model itself."""
    if hasattr(estimator, "tree_"):
        return estimator.plot(max_depth=max_depth)
    if max_depth is not None:
        raise click.UsageError("--max-depth is an option of trees. Leave it out.")
    raise click.UsageError(
        f"a {type(estimator).__name__} is not drawn without rows. Name a table with its columns "
        "after MODEL, or show it with tally report."
    )


def _over_columns(estimator: Any, rows: Any) -> Any:
    """The predictions over the columns of the model, with rows."""
    import tallylearn

    columns = len(estimator.feature_names_in_)
    if columns == 1:
        return tallylearn.plot_regression(estimator, rows)
    return tallylearn.plot_decision_regions(estimator, rows)
