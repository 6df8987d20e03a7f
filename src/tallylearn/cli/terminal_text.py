"""Text for a terminal: errors with the options of the command, and facts about models."""

from __future__ import annotations

import ast
import csv
import io
import re
import shlex
import textwrap
from collections.abc import Iterable
from functools import partial
from typing import Any

# Characters that a terminal obeys, or shows in another place: all control characters but the
# line end and the tab, and the marks that change the direction of writing.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
MAX_WIDTH = 80  # columns of a terminal
MAX_NAMES_IN_LINE = 8
PLURALS = {"number": "numbers", "category": "categories", "date": "dates", "unknown": "no values"}
_ANY = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""  # a string as Python writes it
_ITEM = rf"(?:{_ANY}|-?\d[\d.e+-]*)"
_LIST = rf"\[{_ITEM}(?:, {_ITEM})*\]"
_ENTRY = rf"\{{{_ANY}: {_ANY}\}}"
_DIALECT = (
    "delimiter|decimal|encoding|header|skip|comment|quote|sheet|thousands|date_format|footer|widths"
)
_COLUMNS = "categories|text|dates|ignore|keep|target|weight|importance|groups"
_HINTS = (
    rf"tl\.table\(\.\.\., (\w+)=({_LIST}|{_ENTRY})\)",
    rf"\b(categories|text|dates|ignore|missing|weight|importance)=({_LIST}|{_ANY})",
    rf"\b(kinds)=(\{{{_ANY}: {_ANY}\}})",
    rf"(?:dialect=)?\{{\"({_DIALECT})\": ({_ANY}|\d+)\}}",
)
_SKIP_AND_NAMES = rf"dialect=\{{\"skip\": (\d+), \"header\": ({_LIST})\}}"
_SPEAKERS = (  # options that a message begins with
    (r"\bkinds: ", "--as: "),
    (rf"(?<!-)\b({_COLUMNS}): the table has no column", r"--\1: the table has no column"),
    (rf"\bdialect: ({_DIALECT})\b", r"--\1"),
    (r"--date_format", "--date-format"),
)
_MARKED = re.compile(r"(missing with|means missing,) $")  # before what marks cells
_NAMES = {
    'dialect={"header": False}': "--no-header",
    'dialect={"header": True}': "--header",
    "stratified=False": "--no-stratified",
    "on_error='keep'": "--on-error keep",
    "positive=": "--positive",
    "with force=True": "with --force",
    "tl.exercise_kinds()": "tally exercise list",
    "metric='gower'": "--set metric=gower",
    "tl.table(importance=...)": "--importance",
}
_REPORTED = (  # what a report tells to do
    (r"\bcv=tl\.Folds\.k\((\d+), repeats=(\d+)\)", r"--cv \1 --repeats \2"),
    (r"\bscoring='(\w+)'", r"--scoring \1"),
    (r"\bdetails\(\)(?=\s+has\b)", "--details"),
    (r"\bpass nested=(\d+) or cv=tl\.Folds\.three\(\)", r"use --nested \1"),
    (r"\btask='(classification|regression)'", r"--set task=\1"),
)
_FORWARD = rf"\bcv=tl\.Folds\.forward\(\d+, order=({_ANY})\)"
_ASIDES = (  # scikit-learn's own sentences, which follow ours
    r" Found array with 0 [^.]*\.",
    r" Input [Xy] contains \w+\.",
    r", or drop such rows with tl\.table\(\.\.\., gaps='drop'\)",  # if it has no option
    r" Unknown label type: .*",
    r" [a-z, ]+ (?:is an option|are options) of tl\.table\(\.\.\.\)\.",
)


def visible(text: object) -> str:
    r"""Text that is safe on a terminal: control characters are written out.

    >>> print(visible("\x1b[31mred"))
    \x1b[31mred
    """
    return CONTROLS.sub(lambda sign: sign[0].encode("unicode_escape").decode(), str(text))


def sentence(error: BaseException, known: frozenset[str] | None = None) -> str:
    """An error in one line, with the options of the command in place of Python's.

    An option that the command does not have belongs to ``tally learn``, and the text says so.

    >>> sentence(ValueError("a: text in row 3. Say text=['a'] or ignore=['a', 'b']."))
    'a: text in row 3. Say --text a or --ignore a,b.'
    """
    text = re.sub(_SKIP_AND_NAMES, _skip_and_names, " ".join(str(error).split()))
    for pattern in _HINTS:
        text = re.sub(pattern, partial(_as_option, known=known), text)
    if known is None or "--gaps" in known:
        text = text.replace("tl.table(..., gaps='drop')", "--gaps drop")
    for python, option in _NAMES.items():
        text = text.replace(python, option)
    for pattern, option in _SPEAKERS:
        text = re.sub(pattern, option, text)
    for pattern in _ASIDES:
        text = re.sub(pattern, "", text)
    return options_in_report(text)


def options_in_report(text: str) -> str:
    """The remedies in a report, as options of the command.

    >>> text = "Rows have dates: cv=tl.Folds.forward(5, order='sold on') tests on later ones."
    >>> options_in_report(text)
    "Rows have dates: --cv forward --order 'sold on' tests on later ones."
    """
    for hint in (_HINTS[0], _HINTS[2]):
        text = re.sub(hint, _as_option, text)
    for pattern, option in _REPORTED:
        text = re.sub(pattern, option, text)
    return re.sub(_FORWARD, _forward, text)


def options_in_data(data: Any) -> Any:
    """Plain data with the remedies in its texts as options of the command.

    >>> options_in_data({"note": ["use tl.table(..., kinds={'zip': 'number'})"]})
    {'note': ['use --as zip=number']}
    """
    if isinstance(data, str):
        return options_in_report(data)
    if isinstance(data, dict):
        return {name: options_in_data(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [options_in_data(value) for value in data]
    return data


def _skip_and_names(hint: re.Match[str]) -> str:
    """Lines to skip and the names of all columns, which are one row of CSV."""
    row = io.StringIO()
    csv.writer(row, lineterminator="").writerow(ast.literal_eval(hint[2]))
    return f"--skip {hint[1]} --names {shlex.quote(row.getvalue())}"


def _forward(hint: re.Match[str]) -> str:
    return f"--cv forward --order {shlex.quote(ast.literal_eval(hint[1]))}"


def _as_option(hint: re.Match[str], known: frozenset[str] | None = None) -> str:
    value, option = ast.literal_eval(hint[2]), f"--{hint[1].replace('_', '-')}"
    of_table = hint[0].startswith("tl.table")
    if option == "--dialect":
        ((name, value),) = value.items()
        option = f"--{name.replace('_', '-')}"
    elif isinstance(value, dict):
        ((name, kind),) = value.items()
        value, option = f"{name}={kind}", "--as"
    if option == "--missing" and not of_table and not _MARKED.search(hint.string[: hint.start()]):
        value, option = f"missing={value}", "--set"  # of a learner, and no mark of a table
    if option == "--missing" and isinstance(value, list):  # a comma may be part of a cell
        said = " ".join(f"{option} {shlex.quote(str(mark))}" for mark in value)
    else:
        text = str(value) if isinstance(value, str | int) else ",".join(value)
        said = f"{option} {shlex.quote(text)}"
    return said if known is None or option in known else f"{said} when learning"


def shorten_names(names: Iterable[object], most: int = MAX_NAMES_IN_LINE) -> str:
    """Names in one line: a, b, c and 4 more."""
    items = [str(name) for name in names]
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


def by_kind(schema: Any) -> dict[str, list[str]]:
    """The columns' names under their kinds."""
    found: dict[str, list[str]] = {}
    for column in schema.columns:
        found.setdefault(PLURALS.get(column.kind, column.kind), []).append(column.name)
    return found


def facts(estimator: Any) -> dict[str, Any]:
    """What a model is, as plain data for JSON."""
    return {
        "learner": type(estimator).__name__,
        "options": estimator.get_params(),
        "target": estimator.target_name_,
        "columns": [{"name": c.name, "kind": c.kind} for c in estimator.schema_.columns],
        "classes": classes(estimator),
    } | ({"clusters": sizes(estimator), "inertia": estimator.inertia_}
         if hasattr(estimator, "inertia_") else {})  # fmt: skip


def sizes(estimator: Any) -> list[float | None]:
    """How many rows every cluster has."""
    return [_whole(n) for n in estimator.model_.sizes.tolist()]


def classes(estimator: Any) -> list[dict[str, Any]]:
    """The classes and their rows: none in a regression, no rows where the tally was left out."""
    if estimator.task != "classifier":
        return []
    names = estimator.classes_.tolist()
    rows = (
        [None] * len(names)
        if estimator.tally_ is None
        else estimator.tally_["target"].floats().tolist()
    )
    return [{"name": name, "rows": _whole(n)} for name, n in zip(names, rows, strict=True)]


def _whole(n: float | None) -> float | None:
    """Counts are whole numbers, unless the rows have weights."""
    return n if n is None or not n.is_integer() else int(n)


def lines(estimator: Any) -> list[tuple[str, str]]:
    """Classes or clusters, and columns, a line each."""
    found = []
    if hasattr(estimator, "inertia_"):
        counts = (f"{at} {n:,}" for at, n in enumerate(sizes(estimator)))
        found += [("clusters", shorten_names(counts)), ("inertia", f"{estimator.inertia_:.6g}")]
    if known := classes(estimator):
        rows = ["" if one["rows"] is None else f" {one['rows']:,}" for one in known]
        found.append(
            (
                "classes",
                shorten_names(f"{one['name']}{n}" for one, n in zip(known, rows, strict=True)),
            )
        )
    return found + [
        (kind, shorten_names(names)) for kind, names in by_kind(estimator.schema_).items()
    ]


def align_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """Lines of a word and its text, wrapped at 80 columns."""
    indent = 14
    return "\n".join(
        textwrap.fill(
            text, MAX_WIDTH, initial_indent=f"{word:<{indent}}", subsequent_indent=" " * indent,
            break_long_words=False, break_on_hyphens=False,
        ).rstrip() or word
        for word, text in pairs
    )  # fmt: skip
