"""``tally learn``: a table becomes a model."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import options, outputs, wording
from tallylearn.cli.progress import watched

if TYPE_CHECKING:
    from tallylearn.description import Rows
    from tallylearn.problems import Problem
    from tallylearn.sources import Files
    from tallylearn.sources.declarations import Declaration

MODELS = {
    "bayes": "NaiveBayes",
    "lda": "LinearDiscriminantAnalysis",
    "qda": "QuadraticDiscriminantAnalysis",
    "centroid": "NearestCentroid",
    "tree": "DecisionTreeClassifier",
    "id3": "ID3",
    "c45": "C45",
    "cart": "CART",
    "majority": "DummyClassifier",
    "mean": "DummyRegressor",
}

MOST = 3  # cautions that are printed

EXAMPLES = """\b
Examples:
  tally learn tennis.csv --target PlayTennis --model bayes --alpha 0 -o t.tally
  tally learn 'sales-*.parquet' --target bought --model bayes -o s.tally
  tally learn tennis.csv --target PlayTennis --model bayes     # shows the working
  tally learn prices.csv --target price --model mean --set strategy=median
"""


@click.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--target", required=True, metavar="COLUMN", help="The column to predict.")
@click.option(
    "--model", required=True, type=click.Choice(list(MODELS)),
    help="Naive Bayes, linear or quadratic discriminants, nearest centroid, decision trees (cart "
    "also of numbers: --set task=regression), the largest class, or the mean of numbers.",
)  # fmt: skip
@click.option("--alpha", type=float, help="Of bayes: added to every count (1 unless said).")
@click.option("--m", type=float, help="Of bayes: the m-estimate instead of alpha.")
@click.option(
    "--set", "pairs", multiple=True, metavar="NAME=VALUE", help="Any other option of the model."
)
@click.option("--weight", metavar="COLUMN", help="How much each row counts.")
@options.columns("--categories", "Columns to read as categories.")
@options.columns("--text", "Columns to read as text.")
@options.columns("--dates", "Columns to read as dates; when=year+weekday takes parts of one.")
@click.option("--missing", multiple=True, metavar="MARK", help="A value that stands for nothing.")
@options.columns("--ignore", "Columns to leave out.")
@options.columns("--keep", "Columns to learn from though they look like identifiers.")
@options.reading
@options.threads
@click.option(
    "--tally/--no-tally", default=True,
    help="Whether the model file keeps the counts; without them it cannot merge or forget.",
)  # fmt: skip
@options.output()
@options.as_json
def learn(
    files: tuple[str, ...],
    model: str,
    alpha: float | None,
    m: float | None,
    pairs: tuple[str, ...],
    keep: Sequence[str],
    threads: int | None,
    tally: bool,
    output: Path | None,
    as_json: bool,
    **table: Any,
) -> None:
    """Learn a model from CSV, Parquet or Arrow files.

    Several files, or a glob, are one table; FILE may be a pipe, and - is standard input.
    Without -o nothing is saved and the working is shown.
    Columns that only tell the rows apart are left out and named; --keep brings them back.
    """
    estimator = _learner(model, options.settings({"alpha": alpha, "m": m}, pairs))
    outputs.check_place(output)
    source, rows, left_out = _opened(options.paths(files), _declared(**table), keep, estimator)
    found = _problem(rows, source)
    _tell(source, left_out)
    _tell_problem(found)
    with watched(source.paths, threads) as progress:
        estimator.fit(source)
    if output is not None:
        outputs.save(estimator, output, tally)
    if as_json:
        page = {"problem": None if found is None else found.to_dict()}
        _show_json(estimator, source, left_out, progress.rows, output, page)
    else:
        click.echo(_summary(estimator, progress.rows, output) if output else estimator.show_work())


def _learner(model: str, settings: dict[str, Any]) -> Any:
    import tallylearn

    kind = getattr(tallylearn, MODELS[model])
    known = kind.options() if hasattr(kind, "options") else _of_preset(kind)
    for name in settings:
        if name not in known:
            raise click.UsageError(
                f"the option {name} does not go with --model {model}, "
                f"whose options are {', '.join(known)}."
            )
    return kind(**settings)


def _of_preset(preset: Callable[..., Any]) -> tuple[str, ...]:
    """The options of a preset: its own, and those of the learner that it returns."""
    own = [p.name for p in inspect.signature(preset).parameters.values() if p.kind != p.VAR_KEYWORD]
    return (*own, *type(preset()).options())


def _declared(
    target: str, weight: str | None, categories: list[str], text: list[str], dates: list[str],
    missing: tuple[str, ...], ignore: list[str], **dialect: Any,
) -> Declaration:  # fmt: skip
    from tallylearn.sources.declarations import declaration

    return declaration(
        target=target, weight=weight, categories=categories, text=text,
        dates=options.parts(dates), missing=options.markers(missing), ignore=ignore,
        dialect=options.dialect(**dialect),
    )  # fmt: skip


def _opened(
    paths: Sequence[Path], declared: Declaration, keep: Sequence[str], estimator: Any
) -> tuple[Files, Rows, dict[str, str]]:
    """The table without its identifiers, and its first rows.

    A column that is declared is meant to be learned from.
    """
    from tallylearn.description import Rows
    from tallylearn.errors import ColumnError, listed
    from tallylearn.sources import Files

    source = Files(paths, declared)
    if odd := [name for name in keep if name not in source.names]:
        raise ColumnError(f"--keep names {listed(odd)}, and the table has {listed(source.names)}.")
    wanted = {*keep, *declared.categories, *declared.text, *declared.dates}
    rows = Rows.of(source, answer=estimator.task)
    left_out = {name: why for name, why in rows.identifiers.items() if name not in wanted}
    if left_out:
        source = Files(paths, replace(declared, ignore=(*declared.ignore, *left_out)))
    return source, rows.without(left_out), left_out


def _problem(rows: Rows, source: Files) -> Problem | None:
    """What the first rows say of the problem; a table that has no answers is for the learner."""
    from tallylearn.problems import posed

    if not rows.answered or not rows.schema.columns:
        return None
    return posed(rows, str(source.declared.target))


def _tell(source: Files, left_out: dict[str, str]) -> None:
    """How the table was read, on standard error."""
    if source.dialect is not None:
        what = source.paths[0].name if len(source.paths) == 1 else f"{len(source.paths)} files"
        outputs.note(f"read {what} as {source.dialect}.")
    kinds = [
        f"{kind} {wording.cut(names)}" for kind, names in wording.by_kind(source.schema).items()
    ]
    outputs.note("; ".join([*kinds, f"target {source.declared.target}"]) + ".")
    for name, reason in left_out.items():
        outputs.note(f"left out {name}: {reason}. --keep {shlex.quote(name)} brings it back.")


def _tell_problem(found: Problem | None) -> None:
    """The problem in a few lines, on standard error."""
    from tallylearn.tables import BLOCK
    from tallylearn.workings.rendering import plain

    if found is None:
        return
    seen = "" if found.whole else f" (as the first {BLOCK:,} rows show)"
    outputs.note(plain(f"{found.name}: {found.task}{seen}."))
    outputs.note(plain(f"{found.performance}."))
    for text in found.cautions[:MOST]:
        outputs.note(plain(f"caution: {text}."))
    if len(found.cautions) > MOST:
        outputs.note(f"cautions: {len(found.cautions) - MOST} more; tl.problem(...) prints them.")


def _summary(estimator: Any, rows: int, output: Path) -> str:
    head = f"{estimator!r} learned from {rows:,} {'row' if rows == 1 else 'rows'}"
    pairs = [*wording.lines(estimator), ("saved", str(output))]
    return f"{head}\n{wording.aligned(pairs)}"


def _show_json(
    estimator: Any, source: Files, left_out: dict[str, str], rows: int, output: Path | None,
    page: dict[str, Any],
) -> None:  # fmt: skip
    page |= wording.facts(estimator) | {
        "target": source.declared.target,
        "rows": rows,
        "left_out": left_out,
        "dialect": None if source.dialect is None else str(source.dialect),
        "saved": None if output is None else str(output),
    }
    if output is None:
        page["working"] = estimator.show_work().to_dict()
    outputs.echo_json(page)
