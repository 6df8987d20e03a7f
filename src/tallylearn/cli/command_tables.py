"""Tables as the command reads them: files, what is declared about them, without identifiers."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import output_files, shared_options, terminal_text

if TYPE_CHECKING:
    from tallylearn.cli.learner_names import Asked
    from tallylearn.inspection.problem import Problem
    from tallylearn.screening.table_sample import SampledRows
    from tallylearn.sources import DeclaredTable, Files
    from tallylearn.sources.declarations import Declaration

MAX_PRINTED_WARNINGS = 3  # cautions that are printed
MAX_PRINTED_NOTES = 12  # columns of which is told how they were read


@dataclass(frozen=True)
class Opened:
    """A table as the command reads it: files, or their rows in memory where some are dropped."""

    table: DeclaredTable
    files: Files

    @classmethod
    def of(cls, files: Files, gaps: str) -> Opened:
        return cls(files.without_gaps() if gaps == "drop" else files, files)

    @property
    def paths(self) -> tuple[Path, ...]:
        return self.files.paths


def opened(
    files: Sequence[str], keep: Sequence[str], gaps: str, **declared: Any
) -> tuple[Opened, dict[str, str], SampledRows]:
    """The table that files are, what was left out, told on standard error; its first rows."""
    from tallylearn.screening.identifiers import find_identifiers
    from tallylearn.screening.table_sample import SampledRows
    from tallylearn.sources import Files

    read = Files(
        shared_options.paths(files), declared_as(keep=keep, **declared)
    ).require_unambiguous()
    found = Opened.of(read, gaps)
    found = replace(found, table=find_identifiers(found.table))
    _tell(found)
    return found, dict(found.table.identifier_reasons or {}), SampledRows.of(found.table)


def posed(
    files: Sequence[str], keep: Sequence[str], asked: Asked, **declared: Any
) -> tuple[Any, Opened, dict[str, str], Problem | None]:
    """The learner that suits a table, the table, and the problem that its first rows pose."""
    source, left_out, rows = opened(files, keep, **declared)
    learner = asked.suited(rows, str(source.table.declared.target))
    source, rows, left_out = without_text(source, rows, left_out, learner)
    found = _problem(replace(rows, answer=learner.task), source.table, learner)
    _tell_problem(found, left_out)
    return learner, source, left_out, found


def without_text(
    source: Opened, rows: SampledRows, left_out: dict[str, str], learner: Any
) -> tuple[Opened, SampledRows, dict[str, str]]:
    """The table without text columns that a learner cannot take, where others are left."""
    from tallylearn.tables import IDENTIFIER, TEXT, UNKNOWN

    schema = source.table.schema
    text = [column.name for column in schema.of_kind(TEXT)]
    rest = [column for column in schema.columns if column.kind not in (TEXT, IDENTIFIER, UNKNOWN)]
    if not text or not rest or TEXT in learner.kinds:
        return source, rows, left_out
    kept = schema.of_columns(column for column in schema.columns if column.name not in text)
    reason = f"it is text, and {type(learner).__name__} learns from other columns alone"
    for name in text:
        more = "" if learner.task == "regressor" else "; --model bayes and logistic learn from it"
        output_files.note(f"left out {name}: {reason}{more}.")
    source = replace(source, table=source.table.with_columns(kept))
    return source, replace(rows, schema=kept), left_out | dict.fromkeys(text, reason)


def alike(
    like: Path, files: Sequence[str], model: str | None, settings: dict[str, Any],
    target: str | None, weight: str | None, importance: str | None, gaps: str, **declared: Any,
) -> tuple[Any, Opened, dict[str, str], Problem | None]:  # fmt: skip
    """The same, for a table that is read as a model file has learned another."""
    import tallylearn
    from tallylearn.cli.learner_names import CLUSTERS, Asked
    from tallylearn.cli.predict_command import opened as read_as
    from tallylearn.cli.predict_command import target_of
    from tallylearn.screening.table_sample import SampledRows

    shared_options.check_with_model("--like")
    said = {name: declared[name] for name in shared_options.READING}
    known = tallylearn.load(like)
    clusters = known.task is None if model is None else model in CLUSTERS
    if target is not None or not clusters:
        target = target_of(known, like, target)
    said |= {"target": target, "weight": weight, "importance": importance}
    source = Opened.of(read_as(known, shared_options.paths(files), **said), gaps)
    _tell(source)
    rows = SampledRows.of(source.table)
    if model is None and settings:
        raise click.UsageError("--alpha, --m and --set go with --model, and --like has its own.")
    learner = (
        type(known)(**known.get_params())
        if model is None
        else Asked(model, settings).suited(rows, str(target))
    )
    found = _problem(replace(rows, answer=learner.task), source.table, learner)
    return learner, source, {}, found


def facts(source: Opened, left_out: dict[str, str]) -> dict[str, Any]:
    """How the table was read, as plain data for JSON."""
    dialect = source.files.dialect
    return {
        "target": source.table.declared.target,
        "left_out": left_out,
        "dialect": None if dialect is None else str(dialect),
        "read_as": [*source.table.notes],
    }


def declared_as(
    target: str | None, weight: str | None, importance: str | None, categories: list[str],
    text: list[str], dates: list[str], missing: tuple[str, ...], ignore: list[str],
    groups: str | None = None, kinds: tuple[str, ...] = (), schema: Path | None = None,
    keep: Sequence[str] = (), **dialect: Any,
) -> Declaration:  # fmt: skip
    from tallylearn.sources.declarations import declaration

    return declaration(
        target=target, weight=weight, importance=importance, groups=groups,
        categories=categories, text=text, dates=shared_options.parts(dates),
        missing=shared_options.markers(missing), ignore=ignore,
        dialect=shared_options.dialect(**dialect), kinds=shared_options.told_kinds(kinds),
        schema=schema, keep=keep,
    )  # fmt: skip


def _problem(rows: SampledRows, source: DeclaredTable, learner: Any) -> Problem | None:
    """What the first rows say of the problem; a table that has no answers is for the learner."""
    from tallylearn.inspection.problem import posed

    if not rows.answered or not rows.schema.columns:
        return None
    return posed(rows, str(source.declared.target), learner)


def tell_dropped(found: Opened) -> None:
    """How many rows were left out for their gaps, on standard error."""
    for note in found.table.remarks if found.table is not found.files else ():
        output_files.note(f"{note}.")


def _tell(found: Opened) -> None:
    """How the table was read, on standard error."""
    source, dialect, paths = found.table, found.files.dialect, found.paths
    if dialect is not None:
        what = paths[0].name if len(paths) == 1 else f"{len(paths)} files"
        output_files.note(f"read {what} as {dialect}.")
    kinds = [
        f"{kind} {terminal_text.cut(names)}"
        for kind, names in terminal_text.by_kind(source.schema).items()
    ]
    aim = source.declared.target
    if said := [*kinds, *([f"target {aim}"] if aim else [])]:
        output_files.note("; ".join(said) + ".")
    left_out = source.identifier_reasons or {}
    named = tuple(f"{name}: an identifier," for name in left_out)
    told = [note for note in source.notes if not note.startswith(named)]
    for note in told[:MAX_PRINTED_NOTES]:
        output_files.note(f"{note}.")
    if len(told) > MAX_PRINTED_NOTES:
        output_files.note(f"{len(told) - MAX_PRINTED_NOTES} notes more; tally check prints all.")
    for name, reason in left_out.items():
        output_files.note(f"left out {name}: {reason}. --keep {shlex.quote(name)} brings it back.")


def _tell_problem(found: Problem | None, left_out: Mapping[str, str]) -> None:
    """The problem in a few lines, on standard error; what was left out is told before."""
    from tallylearn.reporting.formatting import printable_text
    from tallylearn.tables import BLOCK

    if found is None:
        return
    seen = "" if found.whole else f" (as the first {BLOCK:,} rows show)"
    output_files.note(printable_text(f"{found.name}: {found.task}{seen}."))
    output_files.note(printable_text(f"{found.performance}."))
    before = {f"{name} is not learned from: {reason}" for name, reason in left_out.items()}
    more = [text for text in found.cautions if text not in before]
    for text in more[:MAX_PRINTED_WARNINGS]:
        output_files.note(terminal_text.reported(printable_text(f"caution: {text}.")))
    if len(more) > MAX_PRINTED_WARNINGS:
        output_files.note(
            f"cautions: {len(more) - MAX_PRINTED_WARNINGS} more; --json has them all."
        )
