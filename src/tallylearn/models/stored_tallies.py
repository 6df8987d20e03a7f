"""Stored tallies: has a file the parts that its learner counts, and nothing else?"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from tallylearn.tables import check_columns
from tallylearn.tallies import Bundle, Counts
from tallylearn.tallies.bundles import ONCE
from tallylearn.tallies.moments import Moments
from tallylearn.tallies.weight_kinds import ASIDE, LOGS, VALUES, WEIGHED
from tallylearn.tallies.words import KINDS

MORE = (LOGS, VALUES)  # what a tally may know of rows whose weights are no frequencies


def check_parts(tally: Bundle, kinds: Mapping[str, type | tuple[type, ...]]) -> None:
    """Beside its target a tally has these parts, or some of them, each of its kind."""
    for name, part in tally.parts.items():
        if name in ASIDE:
            _check_apart(part)
        elif name != "target" and not isinstance(part, kinds.get(name, ())):
            raise ValueError(f"its tally has a part {name!r} that is none of this learner's")


def _check_apart(part: Any) -> None:
    """Rows whose weights are no frequencies, once each and by their weights."""
    both = ONCE, WEIGHED
    if not isinstance(part, Bundle) or {*both} - {*part.parts} or {*part.parts} - {*both, *MORE}:
        raise ValueError("its tally does not count the rows of its weights")
    for counts in (part[name] for name in both):
        if not isinstance(counts, Counts):
            raise ValueError("its tally does not count the rows of its weights")
        counts.check(1)
    if part[ONCE].keys != part[WEIGHED].keys or part[ONCE].table.low < 0:
        raise ValueError("its tally counts other rows than it weighs")
    if (logs := part.get(LOGS)) is not None:
        if not isinstance(logs, Moments) or logs.columns != ("log weight",):
            raise ValueError("its tally has no logarithms of weights")
        logs.check()
    if (values := part.get(VALUES)) is not None:
        if not isinstance(values, Bundle) or {*values.parts} != {*both}:
            raise ValueError("its tally does not count the values of weighed rows")
        for counted in values.parts.values():
            if not isinstance(counted, Bundle):
                raise ValueError("its tally does not count the values of weighed rows")
            check_tables(counted, [*counted.parts])


def check_classes(counts: Any, classes: tuple[Any, ...]) -> None:
    """The rows of every class of the model, and of no other."""
    if not isinstance(counts, Counts):
        raise ValueError("its tally counts no classes")
    counts.check(1)
    if not counts:
        raise ValueError("its tally counts no rows")
    if counts.keys[0] != classes:
        raise ValueError("its tally counts other classes than the model has")


def check_tables(tables: Bundle | None, columns: Collection[str]) -> None:
    """For columns of the schema rows by class and value; values are text."""
    for name, counts in tables.parts.items() if tables is not None else ():
        check_columns("counts", [name], columns)
        if not isinstance(counts, Counts):
            raise ValueError(f"column {name!r} has no counts")
        counts.check(2)
        _check_text(counts.keys[1])


def check_words(texts: Bundle | None, columns: Collection[str]) -> None:
    """For columns of text documents by class, and terms by class in documents and in tokens."""
    for name, part in texts.parts.items() if texts is not None else ():
        check_columns("words", [name], columns)
        if not isinstance(part, Bundle) or ("weighed" in part) != ("once" in part):
            raise ValueError(f"column {name!r} has no words")
        inner = {key: part[key] for key in ("weighed", "once") if key in part}
        _check_documents(name, part.parts.keys() - inner.keys(), part, KINDS)
        for counted in inner.values():
            if not isinstance(counted, Bundle):
                raise ValueError(f"column {name!r} has no documents")
            _check_documents(name, counted.parts.keys(), counted, KINDS[:1])


def _check_documents(
    name: str, parts: Collection[str], counted: Bundle, kinds: tuple[str, ...]
) -> None:
    """The documents of every class, and the terms in them."""
    if {*parts} - {"terms", "rows"}:
        raise ValueError(f"column {name!r} has no words")
    if "rows" not in counted or not all(isinstance(counted[part], Counts) for part in parts):
        raise ValueError(f"column {name!r} has no documents")
    counted["rows"].check(1)
    if "terms" in counted:
        counted["terms"].check(3)
        _check_text(counted["terms"].keys[2])
        if counted["terms"].keys[0] not in (kinds, ()):
            raise ValueError(f"column {name!r} counts words in other ways than it should")


def _check_text(keys: tuple[Any, ...]) -> None:
    if keys and not isinstance(keys[0], str):
        raise ValueError("values and words are text")
