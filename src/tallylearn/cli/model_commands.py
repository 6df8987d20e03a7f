"""Models as files: ``tally merge``, ``tally forget``, ``tally show``; and ``tally example``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from tallylearn.cli import output_files, shared_options, terminal_text
from tallylearn.cli.predict_command import loaded, opened, target_of
from tallylearn.cli.reading_progress import watched

MERGE = """\b
Example:
  tally merge monday.tally tuesday.tally -o both.tally
"""
FORGET = """\b
Examples:
  tally forget t.tally withdrawn.csv
  tally forget t.tally withdrawn.csv -o less.tally
"""
SHOW = """\b
Examples:
  tally show t.tally
  tally show t.tally --json
"""
EXAMPLE = """\b
Examples:
  tally example
  tally example tennis > tennis.csv
"""


@click.command(epilog=MERGE)
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@shared_options.output(required=True)
@shared_options.as_json
def merge(models: tuple[str, ...], output: Path, force: bool, as_json: bool) -> None:
    """Add models up: the same as one model that learned from all their rows."""
    output_files.check_place(output, models, force)
    merged = _merged(shared_options.paths(models), models[0])
    output_files.save(merged, output)
    head = f"{len(models)} models merged into {merged.constructor_call()}"
    _report(merged, head, output, as_json, {"merged": list(models)})


def _merged(paths: list[Path], named: str) -> Any:
    """The sum; models whose columns were judged differently are told how to be learned alike."""
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
            f"{error} Or learn the other files as {one} was learned: tally learn FILE --like {one} "
            "-o OTHER."
        ) from None


@click.command(epilog=FORGET)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--target", metavar="COLUMN", help="The column that was predicted, if not the one in MODEL."
)
@click.option("--weight", metavar="COLUMN", help="The weights that the rows were learned with.")
@click.option("--importance", metavar="COLUMN", help="Or the importances, if they were those.")
@shared_options.reading
@shared_options.threads
@shared_options.output(what="The model file to write, instead of MODEL itself.")
@shared_options.as_json
def forget(
    model: Path,
    files: tuple[str, ...],
    threads: int | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    **table: Any,
) -> None:
    """Make MODEL forget the rows of FILE: the same as never having seen them.

    MODEL itself is changed, unless -o names another file to write.
    All or nothing: forgetting every row is refused, and so are rows that cannot have been learned.
    The tally holds counts and sums, and no rows: FILE is subtracted a second time without an error
    as long as the counts and sums of the remaining rows allow it. Forget a file once.
    FILE may be a pipe, and - is standard input.
    """
    from tallylearn.errors import ForgetError

    place = output or model
    output_files.check_place(
        place, files if output is None else [model, *files], force or not output
    )
    estimator = loaded(model, files)
    table["target"] = target_of(estimator, model, table["target"])
    source = opened(estimator, shared_options.paths(files), **table)
    with watched(source.paths, threads):
        estimator.forget(source)
    output_files.note_unanswered(estimator)
    if not estimator.__sklearn_is_fitted__():
        raise ForgetError(
            "these are all the rows that the model learned, and nothing would be left of it. "
            f"Nothing was changed; to be rid of the model, delete {model}."
        )
    output_files.save(estimator, place)
    rows = estimator.unanswered_.answered
    head = f"{rows:,} {'row' if rows == 1 else 'rows'} forgotten by {estimator.constructor_call()}"
    counts = {"forgotten": rows, "unanswered": estimator.unanswered_.rows}
    _report(estimator, head, place, as_json, counts)


@click.command(epilog=SHOW)
@click.argument("model", type=click.Path(path_type=Path))
@shared_options.as_json
def show(model: Path, as_json: bool) -> None:
    """Say what MODEL is: its options, target, columns, classes, digest and versions."""
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
    kept_or_not = "kept" if estimator.tally_ is not None else "left out: cannot merge or forget"
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
    output_files.echo(terminal_text.aligned([*ours, *files, ("versions", versions)]))


@click.command(epilog=EXAMPLE)
@click.argument("name", required=False)
@shared_options.as_json
def example(name: str | None, as_json: bool) -> None:
    """Print a table of the course notes as CSV; without a NAME, list them."""
    from tallylearn.sources.example_tables import TARGETS, text_of

    if name is not None:
        output_files.echo(text_of(name), nl=False)
        return
    pages = [_described(one, text_of(one), target) for one, target in TARGETS.items()]
    if as_json:
        output_files.echo_json(pages)
        return
    for page in pages:
        size = f"{page['rows']:>3} rows, {len(page['columns']):>2} columns, target {page['target']}"
        output_files.echo(f"{page['name']:<12}{size}")


def _described(name: str, text: str, target: str) -> dict[str, Any]:
    header, *rows = text.splitlines()
    return {"name": name, "rows": len(rows), "columns": header.split(","), "target": target}


def _report(estimator: Any, head: str, place: Path, as_json: bool, more: dict[str, Any]) -> None:
    if as_json:
        output_files.echo_json(terminal_text.facts(estimator) | more | {"saved": str(place)})
        return
    output_files.echo(
        f"{head}\n{terminal_text.aligned([*terminal_text.lines(estimator), ('saved', str(place))])}"
    )
