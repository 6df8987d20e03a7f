"""Declarations: what a user says about a table, in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tallylearn.errors import ColumnError, OptionError, listed
from tallylearn.tables import PARTS as PARTS
from tallylearn.tables import plain


@dataclass(frozen=True)
class Declaration:
    """Which columns are what; the rest is seen from the table itself."""

    target: str | None = None
    weight: str | None = None
    groups: str | None = None
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # name -> values
    text: tuple[str, ...] = ()
    dates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # name -> parts
    missing: tuple[Any, ...] = ()
    ignore: tuple[str, ...] = ()
    dialect: Mapping[str, Any] = field(default_factory=dict)
    classes: tuple[Any, ...] = ()  # that the target may have

    def check(self, names: Sequence[str]) -> None:
        """Every declared column must be in the table."""
        for option in ("categories", "text", "dates", "ignore"):
            for name in getattr(self, option):
                _present(option, name, names)
        for option in ("target", "weight", "groups"):
            if (name := getattr(self, option)) is not None:
                _present(option, name, names)

    def kind(self, name: str) -> str | None:
        """The declared kind of a column."""
        if name in self.categories:
            return "category"
        if name in self.text:
            return "text"
        return "date" if name in self.dates else None

    @property
    def aside(self) -> set[str]:
        """The columns that are not learned from."""
        return {name for name in (self.target, self.weight, self.groups, *self.ignore) if name}


def declaration(
    *,
    target: str | None = None,
    weight: str | None = None,
    groups: str | None = None,
    categories: Sequence[str] | Mapping[str, Sequence[Any]] = (),
    text: Sequence[str] = (),
    dates: Sequence[str] | Mapping[str, Sequence[str]] = (),
    missing: Any = (),
    ignore: Sequence[str] = (),
    dialect: Mapping[str, Any] | None = None,
    classes: Sequence[Any] = (),
) -> Declaration:
    """Bring the forms that ``tl.table`` takes to one."""
    for option, name in (("target", target), ("weight", weight), ("groups", groups)):
        if name is not None and not isinstance(name, str):
            raise OptionError(f"{option} is a column's name, not {name!r}.")
    kinds = {name: tuple(map(plain, values)) for name, values in _named(categories).items()}
    parts = {name: tuple(chosen) for name, chosen in _named(dates).items()}
    for name, chosen in parts.items():
        if unknown := [part for part in chosen if part not in PARTS]:
            raise OptionError(
                f"the date {name!r} has no part {unknown[0]!r}. Its parts: {listed(PARTS)}."
            )
    if kinds or parts:
        _check_once({"categories": kinds, "text": _several(text), "dates": parts})
    return Declaration(
        target, weight, groups, kinds, _several(text), parts, _several(missing),
        _several(ignore), dict(dialect or {}), _several(classes),
    )  # fmt: skip


def _check_once(kinds: Mapping[str, Sequence[str] | Mapping[str, Any]]) -> None:
    """A column has one kind."""
    seen: dict[str, str] = {}
    for option, names in kinds.items():
        for name in names:
            if name in seen:
                raise OptionError(
                    f"{seen[name]} and {option} both name the column {name!r}. Leave one out."
                )
            seen[name] = option


def _several(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        return (value,)
    return tuple(value)


def _named(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else dict.fromkeys(_several(value), ())


def _present(option: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise ColumnError(f"{option} names the column {name!r}, and the table has {listed(names)}.")
