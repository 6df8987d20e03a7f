"""``tally learn`` without ``--model``: compare the suited learners, and save the pick."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import command_tables, notices, output_files, terminal_text
from tallylearn.cli.model_places import ModelPlaces

if TYPE_CHECKING:
    from tallylearn.cli.command_tables import OpenedTable
    from tallylearn.evaluation.learn.learn_report import LearnReport
    from tallylearn.inspection.short_view import ShortView

MAX_LINES = 25  # of the printed result
MAX_LEADERS = 5  # rows of the printed leaderboard
COMPARISON = {  # the parameters of the comparison
    "prefer", "budget", "scoring", "cv", "repeats", "seed", "stratified", "order", "groups",
    "level",
}  # fmt: skip
SHORTENED = COMPARISON | {  # without which a shorter command does the same
    "files", "target", "output", "force", "no_save", "threads", "quiet", "verbose", "as_json",
    "tally",
}  # fmt: skip
FLAGS = {  # the candidates as --model fits them
    "naive Bayes": "bayes",
    "linear discriminant": "lda",
    "logistic regression": "logistic",
    "pruned tree": "tree --set ccp_alpha=1se",
    "C4.5 tree": "c45",
    "random forest": "forest",
    "extra-trees": "extra-trees",
    "boosted trees": "boosting",
    "additive model": "additive",
    "ridge": "ridge --set alpha=cv",
    "lasso": "lasso --set alpha=cv",
    "M5 model tree": "m5",
}


def compare_learners(
    opened: OpenedTable,
    left_out: dict[str, str],
    files: Sequence[str],
    places: ModelPlaces,
    cv: Any,
    threads: int | None,
    tally: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare the learners, save the pick and its page, and print the result."""
    import tallylearn
    from tallylearn.engines import engine

    with engine(threads):
        found = tallylearn.learn(opened.table, cv=cv, **options)
        _note_warnings(found, opened, left_out)
        if places.model is not None:
            output_files.save(found.model, places.model, tally)
        if places.page is not None:
            tallylearn.report(found, opened.table, cv=cv, level=found.level).save(places.page)
    if as_json:
        output_files.echo_json(_page(found, opened, left_out, places))
    else:
        output_files.echo(_printed(found, opened, files, places))


def _note_warnings(found: LearnReport, opened: OpenedTable, left_out: Mapping[str, str]) -> None:
    """Note what to know of the table; the columns that were left out have a note of their own."""
    from tallylearn.tables import TEXT

    used = {*found.model.schema_.names}
    for column in opened.table.schema.of_kind(TEXT):
        if column.name not in used and found.found:
            notices.note(f"left out {column.name}: it is text, which {found.pick} cannot use.")
    noted = {f"{name} is not used: {reason}" for name, reason in left_out.items()}
    for text in found.remarks:
        notices.note(terminal_text.options_in_report(text))
    for text in found.cautions:
        if text not in noted:
            notices.note(f"warning: {terminal_text.options_in_report(text)}.")


def _page(
    found: LearnReport, opened: OpenedTable, left_out: dict[str, str], places: ModelPlaces
) -> dict[str, Any]:
    """All that is known, as plain data."""
    data = terminal_text.options_in_data(found.to_dict())
    board = data.pop("rows")
    rows = {"rows": data.pop("n"), "leaderboard": board}
    made = terminal_text.facts(found.model) | command_tables.read_facts(opened, left_out)
    page: dict[str, Any] = made | data | rows
    return page | command_tables.provenance(opened) | places.to_dict()


def _printed(
    found: LearnReport, opened: OpenedTable, files: Sequence[str], places: ModelPlaces
) -> str:
    """The pick, the leaderboard, the trade-off and a short model, in 25 lines."""
    from tallylearn.evaluation.learn.learn_report import headline_of, leaderboard_grid
    from tallylearn.reporting.formatting import wrap_text

    data = found.to_dict()
    board = leaderboard_grid(data, MAX_LEADERS, times=False)
    parts = [wrap_text(headline_of(data)), str(board)]
    if found.found:
        parts.append(wrap_text(found.tradeoff))
    last = terminal_text.align_pairs(places.pairs())
    if found.found:
        taken = sum(part.count("\n") + 2 for part in parts) + last.count("\n") + bool(last)
        room = MAX_LINES - taken - bool(last)
        parts.append(_model_lines(found, opened, files, places, room))
    return "\n\n".join([*filter(None, parts), *filter(None, [last])])


def _model_lines(
    found: LearnReport, opened: OpenedTable, files: Sequence[str], places: ModelPlaces, room: int
) -> str:
    """The readable model in some lines; the last says how to see all of it."""
    from tallylearn.inspection.short_view import short_view
    from tallylearn.reporting.formatting import wrap_text

    model = found.readable_model
    block = next(iter(opened.table.blocks()), None)
    view: ShortView = short_view(model, block, room)
    if not view.left_out:
        return "\n".join(view.lines)
    where, hint = _where_all_is(found, files, places), ""
    for lines in (room - 1, room - 2, room - 3):
        view = short_view(model, block, lines)
        hint = wrap_text(f"… {view.left_out:,} more {view.what}: {where}")
        if lines + hint.count("\n") < room:
            break
    return "\n".join([*view.lines, hint])


def _where_all_is(found: LearnReport, files: Sequence[str], places: ModelPlaces) -> str:
    """What shows all of the readable model: the page, or the command that fits it."""
    flag = FLAGS.get(found.readable)
    if places.page is not None and (found.readable == found.pick or flag is None):
        return str(places.page)
    if flag is None:
        return f"--prefer {'simple' if found.readable == found.simplest else 'best'}"
    if given_options() - SHORTENED:
        return f"the same command with --model {flag}"
    return f"{shlex.join(['tally', 'learn', *files, '--target', found.target])} --model {flag}"


def few_rows(rows: Any) -> bool:
    """Whether a table has too few rows to compare learners, with a note that says so."""
    from tallylearn.evaluation.learn.learning import MIN_ROWS

    n = int(rows.n_with_target)
    if not rows.whole or n >= MIN_ROWS:
        return False
    notices.note(
        f"{n} {'row is' if n == 1 else 'rows are'} too few to compare learners ({MIN_ROWS} or "
        "more): one model is fitted, without a score."
    )
    return True


def refuse_options(names: Iterable[str], what: str) -> None:
    """Refuse options of the comparison where one model is named."""
    for name in sorted(given_options() & {*names}):
        option = next(p for p in click.get_current_context().command.params if p.name == name)
        raise click.UsageError(
            f"{option.opts[0]} is an option of the comparison, and {what} fits one model. Leave "
            f"{option.opts[0]} or {what} out."
        )


def given_options() -> set[str]:
    """The names of the parameters that the command line has."""
    from click.core import ParameterSource

    context = click.get_current_context()
    names = [param.name or "" for param in context.command.params]
    return {
        name for name in names
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }  # fmt: skip
