"""``tally rules`` and ``tally prune``: the rules of a tree, and a smaller tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tallylearn.cli import notices, output_files, shared_options, terminal_text
from tallylearn.cli.predict_command import check_order, load_model, open_for_model, target_of
from tallylearn.cli.reading_progress import show_progress

RULES = """\b
Examples:
  tally rules tree.tally
  tally rules tree.tally --order support --json
"""
PRUNE = """\b
Examples:
  tally prune tree.tally new-loans.csv -o small.tally
  tally prune tree.tally loans.csv --how reduced_error_greedy -o s.tally
"""
BY_TABLE = ("reduced_error", "reduced_error_greedy")


@shared_options.command(epilog=RULES)
@click.argument("model", type=click.Path(path_type=Path))
@shared_options.option(
    "--order", type=click.Choice(["leaf", "support"]), default="leaf", show_default=True,
    help="From left to right, or by the number of training rows.",
)  # fmt: skip
@shared_options.as_json
def rules(model: Path, order: str, as_json: bool) -> None:
    """Print the rules of a tree: the conditions, prediction and rows of each leaf."""
    found = _tree(load_model(model), model).rules(order)
    output_files.echo_json(found.to_dict()) if as_json else output_files.echo(found)


@shared_options.command(epilog=PRUNE)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@shared_options.option(
    "--target", metavar="COLUMN", help="The target, if the model file does not name it."
)
@shared_options.option(
    "--how", type=click.Choice(BY_TABLE), default=BY_TABLE[0], show_default=True,
    help="The method: branches go bottom up, or the one that helps most goes first.",
)  # fmt: skip
@shared_options.output(required=True)
@shared_options.threads
@shared_options.as_json
@notices.verbose
@shared_options.read_options
def prune(
    model: Path,
    files: tuple[str, ...],
    target: str | None,
    how: str,
    output: Path,
    force: bool,
    threads: int | None,
    as_json: bool,
    **table: Any,
) -> None:
    """Prune a tree by its errors on rows that it was not trained on.

    FILE has the validation rows. A branch is replaced by a leaf where that makes no more errors
    on them.
    """
    output_files.check_place(output, [model, *files], force)
    check_order(model, files)
    tree = _tree(load_model(model, files), model)
    named = target_of(tree, model, target)
    source = open_for_model(tree, shared_options.find_paths(files), target=named, **table)
    with show_progress(source.paths, threads):
        pruned = tree.prune(how, source)
    output_files.save(pruned, output)
    leaves = [int(one.get_n_leaves()) for one in (tree, pruned)]
    if as_json:
        counts = {"leaves_before": leaves[0], "leaves": leaves[1], "saved": str(output)}
        output_files.echo_json(terminal_text.facts(pruned) | counts)
        return
    pairs = [("leaves", f"{leaves[0]:,} before, {leaves[1]:,} now"), ("saved", str(output))]
    output_files.echo(f"{pruned}\n\n{terminal_text.align_pairs(pairs)}")


def _tree(estimator: Any, model: Path) -> Any:
    """The estimator, if it is a single tree."""
    if not hasattr(estimator, "rules"):
        raise click.UsageError(f"{model} holds a {type(estimator).__name__}, which is no tree.")
    return estimator
