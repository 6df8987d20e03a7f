"""Tables as the commands open them, and the notices on how they were read."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import notices, shared_options, terminal_text

if TYPE_CHECKING:
    from tallylearn.cli.learner_names import ModelChoice
    from tallylearn.inspection.problem import Problem
    from tallylearn.screening.table_sample import SampledRows
    from tallylearn.sources import DeclaredTable, Files
    from tallylearn.sources.declarations import Declaration

ADJECTIVES = {"number": "numeric", "category": "categorical", "unknown": "empty"}


@dataclass(frozen=True)
class OpenedTable:
    """A table of files; in memory where rows with missing values are dropped."""

    table: DeclaredTable
    files: Files

    @classmethod
    def of(cls, files: Files, gaps: str) -> OpenedTable:
        return cls(files.without_gaps() if gaps == "drop" else files, files)

    @property
    def paths(self) -> tuple[Path, ...]:
        return self.files.paths


def open_files(
    files: Sequence[str], keep: Sequence[str], gaps: str, **declared: Any
) -> tuple[OpenedTable, dict[str, str], SampledRows]:
    """The table in the files, the columns that were left out, and a sample of its rows."""
    found = read_files(files, keep, gaps, **declared)
    note_columns(found[0])
    return found


def read_files(
    files: Sequence[str], keep: Sequence[str], gaps: str, **declared: Any
) -> tuple[OpenedTable, dict[str, str], SampledRows]:
    """``open_files`` without the notes on columns."""
    from tallylearn.screening.identifiers import find_identifiers
    from tallylearn.screening.table_sample import SampledRows
    from tallylearn.sources import Files

    read = Files(
        shared_options.find_paths(files), declare(keep=keep, **declared)
    ).require_unambiguous()
    found = OpenedTable.of(read, gaps)
    found = replace(found, table=find_identifiers(found.table))
    _note_reading(found)
    return found, dict(found.table.identifier_reasons or {}), SampledRows.of(found.table)


def open_for_learning(
    files: Sequence[str], keep: Sequence[str], choice: ModelChoice, **declared: Any
) -> tuple[Any, OpenedTable, dict[str, str], Problem | None]:
    """The learner for a table, the table, the columns left out, and the learning problem."""
    return suit_learner(*read_files(files, keep, **declared), choice)


def suit_learner(
    source: OpenedTable, left_out: dict[str, str], rows: SampledRows, choice: ModelChoice
) -> tuple[Any, OpenedTable, dict[str, str], Problem | None]:
    """``open_for_learning`` of a table that is read."""
    learner = choice.build_for(rows, str(source.table.declared.target))
    source, rows, left_out = drop_text_columns(source, rows, left_out, learner)
    found = _problem(replace(rows, answer=learner.task), source.table, learner)
    _note_warnings(found, left_out)
    note_columns(source)
    _note_task(found)
    return learner, source, left_out, found


def drop_text_columns(
    source: OpenedTable, rows: SampledRows, left_out: dict[str, str], learner: Any
) -> tuple[OpenedTable, SampledRows, dict[str, str]]:
    """The table without the text columns that a learner cannot use, where others are left."""
    from tallylearn.tables import IDENTIFIER, TEXT, UNKNOWN

    schema = source.table.schema
    text = [column.name for column in schema.of_kind(TEXT)]
    rest = [column for column in schema.columns if column.kind not in (TEXT, IDENTIFIER, UNKNOWN)]
    if not text or not rest or TEXT in learner.kinds:
        return source, rows, left_out
    kept = schema.of_columns(column for column in schema.columns if column.name not in text)
    reason = f"it is text, which {type(learner).__name__} cannot use"
    for name in text:
        more = "" if learner.task == "regressor" else "; --model bayes and --model logistic can"
        notices.note(f"left out {name}: {reason}{more}.")
    source = replace(source, table=source.table.with_columns(kept))
    return source, replace(rows, schema=kept), left_out | dict.fromkeys(text, reason)


def open_like_model(
    like: Path, files: Sequence[str], model: str | None, settings: dict[str, Any],
    target: str | None, weight: str | None, importance: str | None, gaps: str, **declared: Any,
) -> tuple[Any, OpenedTable, dict[str, str], Problem | None]:  # fmt: skip
    """The same for --like: the table is read as the model file's training table was."""
    import tallylearn
    from tallylearn.cli.learner_names import CLUSTERS, ModelChoice
    from tallylearn.cli.predict_command import open_for_model, target_of
    from tallylearn.screening.table_sample import SampledRows

    shared_options.check_with_model("--like")
    said = {name: declared[name] for name in shared_options.READ_OPTIONS}
    known = tallylearn.load(like)
    clusters = known.task is None if model is None else model in CLUSTERS
    if target is not None or not clusters:
        target = target_of(known, like, target)
    said |= {"target": target, "weight": weight, "importance": importance}
    source = OpenedTable.of(open_for_model(known, shared_options.find_paths(files), **said), gaps)
    _note_reading(source)
    note_columns(source)
    rows = SampledRows.of(source.table)
    if model is None and settings:
        raise click.UsageError(
            "--alpha, --m and --set need --model: without it, --like takes the model's own "
            "parameters."
        )
    learner = (
        type(known)(**known.get_params())
        if model is None
        else ModelChoice(model, settings).build_for(rows, str(target))
    )
    found = _problem(replace(rows, answer=learner.task), source.table, learner)
    return learner, source, {}, found


def read_facts(source: OpenedTable, left_out: dict[str, str]) -> dict[str, Any]:
    """How the table was read, as plain data for JSON."""
    dialect = source.files.dialect
    return {
        "target": source.table.declared.target,
        "left_out": left_out,
        "dialect": None if dialect is None else str(dialect),
        "read_as": terminal_text.options_in_data([*source.table.notes]),
    }


def provenance(source: OpenedTable) -> dict[str, Any]:
    """Where and when a model was fitted, as plain data for JSON."""
    from tallylearn.modelfile import versions

    return {
        "source": [str(path) for path in source.paths],
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
    }


def declare(
    target: str | None, weight: str | None, importance: str | None, categories: list[str],
    text: list[str], dates: list[str], missing: tuple[str, ...], ignore: list[str],
    groups: str | None = None, kinds: tuple[str, ...] = (), schema: Path | None = None,
    keep: Sequence[str] = (), **dialect: Any,
) -> Declaration:  # fmt: skip
    from tallylearn.sources.declarations import declaration

    return declaration(
        target=target, weight=weight, importance=importance, groups=groups,
        categories=categories, text=text, dates=shared_options.parse_dates(dates),
        missing=shared_options.parse_missing(missing), ignore=ignore,
        dialect=shared_options.parse_dialect(**dialect), kinds=shared_options.parse_kinds(kinds),
        schema=schema, keep=keep,
    )  # fmt: skip


def _problem(rows: SampledRows, source: DeclaredTable, learner: Any) -> Problem | None:
    """The learning problem, from a sample; None where the learner will refuse the table."""
    from tallylearn.inspection.problem import pose_problem

    if not rows.n_with_target or not rows.schema.columns:
        return None
    return pose_problem(rows, str(source.declared.target), learner)


def note_dropped_rows(found: OpenedTable) -> None:
    """Note how many rows with missing values were left out."""
    for text in found.table.remarks if found.table is not found.files else ():
        notices.note(f"{text}.")


def _note_reading(found: OpenedTable) -> None:
    """Note how the table was read, in one line."""
    source, dialect, paths = found.table, found.files.dialect, found.paths
    what = paths[0].name if len(paths) == 1 else f"{len(paths)} files"
    target = "" if source.declared.target is None else f"; target {source.declared.target}"
    notices.note(f"read {what}: {_count_kinds(source.schema)}{target}.")
    if dialect is not None:
        notices.detail(f"{what}: {dialect}.")
    for kind, names in terminal_text.by_kind(source.schema).items():
        notices.detail(f"{kind}: {', '.join(names)}.")


def note_columns(found: OpenedTable) -> None:
    """Note which columns were left out, and which were not read as they look."""
    from tallylearn.tables.string_formats import WORDS

    source, left_out = found.table, found.table.identifier_reasons or {}
    identifiers = tuple(f"{name}: an identifier," for name in left_out)
    formats = {name for name, one in source.inferred.items() if one.format.kind != WORDS}
    for name, reason in left_out.items():
        notices.note(f"left out {name}: {reason}. To use it: --keep {shlex.quote(name)}.")
    for text in source.notes:
        if not text.startswith(identifiers):
            show = notices.detail if text.partition(":")[0] in formats else notices.note
            show(f"{terminal_text.options_in_report(text)}.")


def _count_kinds(schema: Any) -> str:
    """How many columns there are of each kind: 5 numeric, 2 categorical, 1 date column."""
    counts: dict[str, int] = {}
    for column in schema.columns:
        kind = ADJECTIVES.get(column.kind, column.kind)
        counts[kind] = counts.get(kind, 0) + 1
    found = ", ".join(f"{n:,} {kind}" for kind, n in counts.items()) or "no"
    return f"{found} column{'s' * ([*counts.values()][-1:] != [1])}"


def _note_warnings(found: Problem | None, left_out: Mapping[str, str]) -> None:
    """Note the warnings on the table; the columns that were left out have a note of their own."""
    from tallylearn.reporting.formatting import printable_text

    noted = {f"{name} is not used: {reason}" for name, reason in left_out.items()}
    for text in () if found is None else found.cautions:
        if text not in noted:
            notices.note(terminal_text.options_in_report(printable_text(f"warning: {text}.")))


def _note_task(found: Problem | None) -> None:
    """Note the task and its baseline."""
    from tallylearn.reporting.formatting import printable_text
    from tallylearn.tables import BLOCK

    if found is None:
        return
    sample = "" if found.whole else f" (in the first {BLOCK:,} rows)"
    notices.detail(printable_text(f"{found.name}: {found.task}{sample}."))
    notices.note(printable_text(f"{found.name}: {found.performance}{sample}."))
