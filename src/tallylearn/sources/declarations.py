"""Declarations: what a user says about a table, in one place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

from tallylearn.errors import (
    ColumnError,
    OptionError,
    did_you_mean,
    is_one_of,
    quoted_list,
    short_repr,
)
from tallylearn.sources.memory.arrays import as_float
from tallylearn.sources.schema_files import schema_in
from tallylearn.tables import FREQUENCY, IMPORTANCE, SAMPLE_WEIGHT, plain
from tallylearn.tables import PARTS as PARTS
from tallylearn.tables.string_formats import DATES, NUMBERS, TRUTHS, StringFormat

KINDS = ("number", "category", "text", "date", "identifier", "ignore")
WEIGHTS = ("weight", "importance")
OF_VALUES = ("missing", "date_format")  # the options of a dialect that any file may need
TRUE = ("False", "True")  # the model of truth values
ORIGIN_NAMES = {
    "number": "numbers",
    "date": "dates",
    "truth": "truth values",
    "text": "categories of text",
}
TAKES = {  # the kinds that values of a type can have
    "number": ("number", "category", "text", "identifier"),
    "date": ("date", "category", "text", "identifier"),
    "truth": ("category", "text", "identifier", "/".join(TRUE)),
    "text": ("number", "category", "text", "date", "identifier"),
}


@dataclass(frozen=True)
class Declaration:
    """Which columns are what; the rest is seen from the table itself."""

    targets: tuple[str, ...] = ()
    weight: str | None = None
    groups: str | None = None
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # name -> values
    text: tuple[str, ...] = ()
    dates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # name -> parts
    missing: tuple[Any, ...] = ()
    ignore: tuple[str, ...] = ()
    dialect: Mapping[str, Any] = field(default_factory=dict)
    classes: tuple[Any, ...] = ()  # that the target may have
    numbers: tuple[str, ...] = ()
    spellings: Mapping[str, StringFormat] = field(default_factory=dict)  # name -> how it is written
    identifiers: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()  # columns to learn from, though their strings are unique
    weight_kind: str = FREQUENCY  # what the weights mean, see tables
    lent: frozenset[str] = frozenset()  # the options of the dialect that only a schema says

    def foreign(self, options: Sequence[str]) -> tuple[str, ...]:
        """The dialect of a schema, where that is one for another kind of file than takes these."""
        if self.lent <= {*options, *OF_VALUES}:
            return ()
        return tuple(name for name in self.dialect if name in self.lent - {*OF_VALUES})

    def dialect_for(self, options: Sequence[str]) -> dict[str, Any]:
        """The dialect for a kind of file that takes these options."""
        foreign = self.foreign(options)
        return {name: one for name, one in self.dialect.items() if name not in foreign}

    def check(self, names: Sequence[str]) -> None:
        """Every declared column must be in the table."""
        for option in ("categories", "text", "dates", "numbers", "identifiers", "ignore", "keep"):
            for name in getattr(self, option):
                argument = "kinds" if option in ("numbers", "identifiers") else option
                check_present(argument, name, names)
        for name in self.spellings:
            check_present("kinds", name, names)
        for name in self.targets:
            check_present("target", name, names)
        for option in ("weight", "groups"):
            if (name := getattr(self, option)) is not None:
                check_present(self.weighs if option == "weight" else option, name, names)

    @property
    def weighs(self) -> str:
        """The option that names the weight."""
        return "importance" if self.importance else "weight"

    @property
    def importance(self) -> bool:
        """Whether the weights are declared importances."""
        return self.weight_kind == IMPORTANCE

    @property
    def described_columns(self) -> tuple[str, ...]:
        """The columns of which is said what they are, or how they are written."""
        kinds = (*self.categories, *self.text, *self.numbers, *self.dates)
        return tuple(dict.fromkeys((*kinds, *self.spellings)))

    def check_type(self, name: str, origin: str) -> None:
        """Refuse a kind that values of a type do not have."""
        words = self.answers.get(name, ())
        if (written := self.spelling(name)) is not None and written.kind == TRUTHS:
            words = TRUE
        said = "/".join(words) or self.kind(name)
        if (
            (takes := TAKES.get(origin))
            and said not in takes
            and (origin != "text" or words == TRUE)
        ):
            raise ColumnError(
                f"column {name!r} holds {ORIGIN_NAMES[origin]}, so it cannot be {said}. It can be "
                f"{', '.join(takes[:-1])} or {takes[-1]}. Convert its values for anything else."
            )

    def with_categories(self, found: Mapping[str, tuple[str, ...]]) -> Declaration:
        """The same, with the categories that a file declares, where nothing else is said."""
        aside = {*self.described_columns, *self.identifiers, *self.ignore, self.weight}
        own = {name: values for name, values in found.items() if name not in aside}
        return replace(self, categories={**self.categories, **own}) if own else self

    def kind(self, name: str) -> str | None:
        """The declared kind of a column."""
        if name in self.categories:
            return "category"
        if name in self.text:
            return "text"
        if name in self.numbers:
            return "number"
        if name in self.identifiers:
            return "identifier"
        return "date" if name in self.dates else None

    def spelling(self, name: str) -> StringFormat | None:
        """How a column is declared to be written."""
        return self.spellings.get(name)

    @property
    def feature_columns(self) -> set[str]:
        """The columns that are learned from, whatever they hold: a declared one is meant to be."""
        return {*self.categories, *self.text, *self.dates, *self.numbers, *self.keep}

    @property
    def answers(self) -> dict[str, tuple[str, ...]]:
        """The columns that are declared to hold two words and no others."""
        return {name: one.words for name, one in self.spellings.items() if one.words}

    @property
    def target(self) -> str | None:
        """The target, where there is one and no other."""
        return self.targets[0] if len(self.targets) == 1 else None

    def with_roles(
        self, targets: tuple[str, ...], weight: str | None, groups: str | None = None
    ) -> Declaration:
        """The same with other targets, another weight, and the groups where some are named.

        A weight that the table does not declare is the ``sample_weight`` of a call.
        """
        kind = self.weight_kind if weight == self.weight else SAMPLE_WEIGHT
        groups = groups or self.groups
        return replace(self, targets=targets, weight=weight, groups=groups, weight_kind=kind)

    @property
    def role_columns(self) -> tuple[str, ...]:
        """The columns that are read beside those that are learned from."""
        return (*self.targets, *(name for name in (self.weight, self.groups) if name))

    @property
    def non_features(self) -> set[str]:
        """The columns that are not learned from."""
        return {*self.role_columns, *self.ignore}


BARE = Declaration()  # nothing is said


def declaration(
    *,
    target: str | None = None,
    weight: str | None = None,
    importance: str | None = None,
    groups: str | None = None,
    categories: Sequence[str] | Mapping[str, Sequence[Any]] = (),
    text: Sequence[str] = (),
    dates: Sequence[str] | Mapping[str, Sequence[str]] = (),
    missing: Any = (),
    ignore: Sequence[str] = (),
    dialect: Mapping[str, Any] | None = None,
    classes: Sequence[Any] = (),
    kinds: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    schema: Any = None,
) -> Declaration:
    """Bring the forms that ``tl.table`` takes to one; what a call says goes before a schema."""
    if schema is not None:
        told_here = {"target": target, "weight": weight, "importance": importance,
                     "groups": groups, "missing": missing, "kinds": kinds,
                     "categories": categories, "text": text, "dates": dates, "ignore": ignore,
                     "dialect": dialect, "keep": keep}  # fmt: skip
        found = declaration(**_merge_options(schema_in(schema), told_here), classes=classes)
        return replace(found, lent=frozenset(found.dialect).difference(_options(dialect)))
    beside = {"target": target, "weight": weight, "importance": importance, "groups": groups}
    for option, name in beside.items():
        if name is not None and not isinstance(name, str):
            raise OptionError(
                f"{option}={short_repr(name)} is not the name of a column. Pass a str."
            )
    if weight is not None and importance is not None:
        raise OptionError(
            f"weight={weight!r} and importance={importance!r} exclude each other. Use "
            "weight= for frequencies and importance= for relative weights."
        )
    said = _read_kinds(kinds)
    values = {
        name: tuple(map(plain, values)) for name, values in columns_by_name(categories).items()
    }
    parts = {name: tuple(chosen) for name, chosen in columns_by_name(dates).items()}
    for name, chosen in parts.items():
        if unknown := [part for part in chosen if not is_one_of(part, PARTS)]:
            raise OptionError(
                f"dates: {short_repr(unknown[0])} is not a part of the date {name!r}. The parts "
                f"are {quoted_list(PARTS)}."
            )
    for mark in as_tuple(missing):
        _check_mark(mark)
    for names in (text, ignore, keep):
        for name in as_tuple(names):
            name_of(name)
    if values or parts or said:
        clear = [name for name in said if name not in parts or said[name][0] != "date"]
        check_once({"categories": values, "text": as_tuple(text), "dates": parts, "kinds": clear})
    of: dict[str, list[str]] = {kind: [n for n in said if said[n][0] == kind] for kind in KINDS}
    check_once({"kinds": of["identifier"], "keep": as_tuple(keep)})
    return Declaration(
        targets=as_tuple(target),
        weight=weight or importance,
        groups=groups,
        categories=values | dict.fromkeys(of["category"], ()),
        text=(*as_tuple(text), *of["text"]),
        dates=dict.fromkeys(of["date"], ()) | parts,
        missing=as_tuple(missing),
        ignore=(*as_tuple(ignore), *of["ignore"]),
        dialect=dict(_options(dialect)),
        classes=as_tuple(classes),
        numbers=(*of["number"],),
        spellings={name: found for name, (_, found) in said.items() if found is not None},
        identifiers=tuple(n for n in of["identifier"] if n not in as_tuple(target)),
        keep=as_tuple(keep),
        weight_kind=FREQUENCY if importance is None else IMPORTANCE,
    )


def _merge_options(schema: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """A schema, and over it what a call says; a column's kind is said in one place."""
    kinds = {**schema.get("kinds", {}), **(given["kinds"] or {})}
    for option in ("categories", "text", "dates", "ignore"):
        for name in columns_by_name(given[option]):
            kinds.pop(name, None)
    if given["weight"] is not None or given["importance"] is not None:
        schema = {name: one for name, one in schema.items() if name not in WEIGHTS}
    for name in as_tuple(given["keep"]):
        if schema.get("kinds", {}).get(name) == "identifier":
            kinds.pop(name, None)
    found = {
        **schema,
        **{name: one for name, one in given.items() if one not in (None, (), [], {})},
    }
    dialect = {**schema.get("dialect", {}), **_options(given["dialect"])}
    return {**found, "kinds": kinds, "dialect": dialect}


def _read_kinds(kinds: Any) -> dict[str, tuple[str, StringFormat | None]]:
    """Kinds by name, each with the way it is written where a model of that is given.

    >>> _read_kinds({"price": "$1,234.5", "day": "%d.%m.%Y", "zip": "category"})["zip"]
    ('category', None)
    """
    if kinds is not None and not isinstance(kinds, Mapping):
        raise OptionError(
            f"kinds={short_repr(kinds)} is not a dict. Pass columns and their kinds, for "
            "example kinds={'zip': 'category'}."
        )
    return {name_of(name): _read_kind(name, kind) for name, kind in (kinds or {}).items()}


def _read_kind(name: str, kind: Any) -> tuple[str, StringFormat | None]:
    if is_one_of(kind, KINDS):
        return kind, None
    found = StringFormat.of_model(kind) if isinstance(kind, str) else None
    if found is None:
        raise OptionError(
            f"kinds: {short_repr(kind)} is not a kind for the column {name!r}. Use "
            f"{quoted_list(KINDS)}; or an example of how it is written: '1,234.5', "
            "'1.234,5' or '$1,234.5' for numbers, '%d.%m.%Y' for dates, 'No/Yes' for two "
            "answers, 'False/True' for booleans."
        )
    if found.words == TRUE:
        return TRUTHS, StringFormat(TRUTHS)
    return {NUMBERS: "number", DATES: "date"}.get(found.kind, "category"), found


def _options(dialect: Any) -> Mapping[str, Any]:
    if dialect is not None and not isinstance(dialect, Mapping):
        raise OptionError(
            f"dialect={short_repr(dialect)} is not a dict. Pass options, for example "
            "dialect={'delimiter': ';'}."
        )
    return dialect or {}


def _check_mark(mark: Any) -> None:
    """What stands for nothing is text, or a number that a double can hold."""
    number = isinstance(mark, Real) and not math.isinf(as_float(mark))
    letters = isinstance(mark, str) and not any("\ud800" <= one <= "\udfff" for one in mark)
    if not (mark is None or letters or number):
        raise OptionError(
            f"missing: {short_repr(mark)} is not text or a finite number. Pass the values "
            "that mean missing."
        )


def check_present(option: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        hint = did_you_mean(name, names) or f" It has {quoted_list(names)}."
        apart = option == "dates" and "=" in name
        parts = f" The parts of a date are {quoted_list(PARTS)}." if apart else ""
        raise ColumnError(f"{option}: the table has no column {name!r}.{hint}{parts}")


def check_once(kinds: Mapping[str, Sequence[str] | Mapping[str, Any]]) -> None:
    """A column has one kind."""
    seen: dict[str, str] = {}
    for option, names in kinds.items():
        for name in names:
            if name in seen:
                raise OptionError(
                    f"{seen[name]} and {option} both name the column {name!r}. Name it in one of "
                    "them."
                )
            seen[name] = option


def as_tuple(value: Any) -> tuple[Any, ...]:
    """One value, or many."""
    if value is None:
        return ()
    if isinstance(value, str | bytes) or not isinstance(value, Iterable) or _is_single(value):
        return (value,)
    return tuple(value)


def _is_single(value: Any) -> bool:
    """An array without an axis is one value."""
    return getattr(value, "shape", None) == ()


def columns_by_name(value: Any) -> Mapping[str, Any]:
    """Columns by name, each with what is said of it; names alone say nothing more."""
    alone = not isinstance(value, Mapping)
    pairs = ((name, ()) for name in as_tuple(value)) if alone else value.items()
    return {name_of(name): as_tuple(chosen) for name, chosen in pairs}


def name_of(value: Any) -> str:
    """The name of a column."""
    if not isinstance(value, str):
        raise OptionError(f"{short_repr(value)} is not the name of a column. Pass a str.")
    return value
