"""``tally merge``, ``tally forget``, ``tally show`` and ``tally example``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from tallylearn.cli import notices, output_files, shared_options, terminal_text
from tallylearn.cli.predict_command import load_model, open_for_model, target_of
from tallylearn.cli.reading_progress import show_progress

MERGE = """\b
Examples:
  tally merge january.tally february.tally -o both.tally
  tally merge january.tally february.tally -o both.tally --force --json
"""
FORGET = """\b
Examples:
  tally forget both.tally withdrawn.csv -o less.tally
  tally forget both.tally withdrawn.csv        # changes both.tally itself
"""
SHOW = """\b
Examples:
  tally show loans.tally
  tally show loans.tally --json
"""
EXAMPLE = """\b
Examples:
  tally example
  tally example loans > loans.csv
"""


@shared_options.command(epilog=MERGE)
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@shared_options.output(required=True)
@shared_options.as_json
def merge(models: tuple[str, ...], output: Path, force: bool, as_json: bool) -> None:
    """Merge models into one: the same as a model fitted to all their rows."""
    output_files.check_place(output, models, force)
    merged = _merge_files(shared_options.find_paths(models), models[0])
    output_files.save(merged, output)
    head = f"{len(models)} models merged into {merged.constructor_call()}"
    _report(merged, head, output, as_json, {"merged": list(models)})


def _merge_files(paths: list[Path], named: str) -> Any:
    """The merged model; an error says how to fit models with the same columns."""
    import tallylearn
    from tallylearn.errors import MergeError

    first, *others = (tallylearn.load(path) for path in paths)
    try:
        return tallylearn.merge(first, *others)
    except MergeError as error:
        if all(other.schema_ == first.schema_ for other in others):
            raise
        one = shlex.quote(named if Path(named) in paths else str(paths[0]))
        raise MergeError(
            f"{error} Or fit the other models like {one}: tally learn FILE --like {one} -o OTHER."
        ) from None


@shared_options.command(epilog=FORGET)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@shared_options.option(
    "--target", metavar="COLUMN", help="The target, if the model file does not name it."
)
@shared_options.option("--weight", metavar="COLUMN", help="The weights of the rows.")
@shared_options.option("--importance", metavar="COLUMN", help="Or their relative weights.")
@shared_options.output(what="The model file to write, instead of MODEL.")
@shared_options.threads
@shared_options.as_json
@notices.verbose
@shared_options.read_options
def forget(
    model: Path,
    files: tuple[str, ...],
    threads: int | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    **table: Any,
) -> None:
    """Remove the rows of FILE from a model: the same as a model that never had them.

    Changes MODEL itself, unless -o names another file. If some rows cannot have been training
    rows, nothing is changed. The model file keeps counts and sums, not rows, so forget each file
    only once: a second time is an error only if the counts show it. FILE - is standard input.
    """
    from tallylearn.errors import ForgetError

    place = output or model
    output_files.check_place(
        place, files if output is None else [model, *files], force or not output
    )
    estimator = load_model(model, files)
    table["target"] = target_of(estimator, model, table["target"])
    source = open_for_model(estimator, shared_options.find_paths(files), **table)
    with show_progress(source.paths, threads):
        estimator.forget(source)
    output_files.note_unanswered(estimator)
    if not estimator.__sklearn_is_fitted__():
        raise ForgetError(
            f"these are all training rows of {model}, so no model would be left. Nothing was "
            f"changed. Delete {model} instead."
        )
    output_files.save(estimator, place)
    rows = estimator.unanswered_.answered
    head = f"{rows:,} {'row' if rows == 1 else 'rows'} forgotten by {estimator.constructor_call()}"
    counts = {"forgotten": rows, "unanswered": estimator.unanswered_.rows}
    _report(estimator, head, place, as_json, counts)


@shared_options.command(epilog=SHOW)
@click.argument("model", type=click.Path(path_type=Path))
@shared_options.as_json
def show(model: Path, as_json: bool) -> None:
    """Show what a model file holds: model, parameters, target, columns, versions."""
    import tallylearn
    from tallylearn import modelfile

    estimator, page = tallylearn.load(model), modelfile.page(model)
    if as_json:
        kept = {
            key: page[key] for key in ("format", "digest", "tally_digest", "versions", "machine")
        }
        output_files.echo_json(
            terminal_text.facts(estimator) | kept | {"tally": estimator.tally_ is not None}
        )
        return
    settings = ", ".join(f"{name}={setting!r}" for name, setting in estimator.get_params().items())
    versions = ", ".join(f"{name} {version}" for name, version in page["versions"].items())
    kept_or_not = "kept"
    if estimator.tally_ is None:
        kept_or_not = "not kept: merge and forget do not work"
    ours = [
        ("learner", type(estimator).__name__),
        ("options", settings),
        *([] if estimator.task is None else [("target", estimator.target_name_ or "not named")]),
        *terminal_text.lines(estimator),
    ]
    files = [
        ("tally", kept_or_not),
        ("digest", page["digest"]),
        ("tally digest", page["tally_digest"]),
    ]
    output_files.echo(terminal_text.align_pairs([*ours, *files, ("versions", versions)]))


@shared_options.command(epilog=EXAMPLE)
@click.argument("name", required=False)
@shared_options.as_json
def example(name: str | None, as_json: bool) -> None:
    """Print an example table as CSV; without NAME, list the tables."""
    from tallylearn.sources.example_tables import TARGETS, text_of

    if name is not None:
        output_files.echo(text_of(name), nl=False)
        return
    pages = [_describe_table(one, text_of(one), target) for one, target in TARGETS.items()]
    if as_json:
        output_files.echo_json(pages)
        return
    for page in pages:
        size = f"{page['rows']:>3} rows, {len(page['columns']):>2} columns, target {page['target']}"
        output_files.echo(f"{page['name']:<12}{size}")


def _describe_table(name: str, text: str, target: str) -> dict[str, Any]:
    header, *rows = text.splitlines()
    return {"name": name, "rows": len(rows), "columns": header.split(","), "target": target}


def _report(estimator: Any, head: str, place: Path, as_json: bool, more: dict[str, Any]) -> None:
    if as_json:
        output_files.echo_json(terminal_text.facts(estimator) | more | {"saved": str(place)})
        return
    pairs = [*terminal_text.lines(estimator), ("saved", str(place))]
    output_files.echo(f"{head}\n{terminal_text.align_pairs(pairs)}")
