"""Bundles: a tally made of named tallies, lawful because its parts are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tallylearn.tables import field_schemas
from tallylearn.tallies.counts import Counts
from tallylearn.tallies.tally import Tally

ONCE = "once"  # a part that counts rows once each, whatever they weigh
IMPORTANCE = "importance"  # a part of rows whose weights were declared to be of importance
SAMPLE_WEIGHT = "sample_weight"  # a part of rows whose sample weights are not 1
LIGHT = "light"  # in files of earlier versions, a part of rows that weigh less than 1
BESIDE = (ONCE, IMPORTANCE, SAMPLE_WEIGHT, LIGHT)  # that count in their own way


@dataclass(frozen=True)
class Bundle(Tally):
    """Named parts, added name by name; a part that one side lacks is empty there.

    A part without any key is left out, so that forgetting leaves no trace.
    """

    parts: Mapping[str, Any] = field(default_factory=dict)  # in the order of the names

    form: ClassVar[field_schemas.Form] = {"parts": field_schemas.named_parts}

    def __post_init__(self) -> None:
        kept = {name: part for name, part in sorted(self.parts.items()) if not part.nothing}
        object.__setattr__(self, "parts", kept)

    @property
    def nothing(self) -> bool:
        return not self.parts

    def __getitem__(self, name: str) -> Any:
        return self.parts[name]

    def get(self, name: str) -> Any:
        """A part, or None where there is nothing."""
        return self.parts.get(name)

    def __contains__(self, name: object) -> bool:
        return name in self.parts

    def __bool__(self) -> bool:
        return any(self.parts.values())

    def __add__(self, other: Bundle) -> Bundle:
        return self._combine(other, lambda a, b: a + b)

    def __sub__(self, other: Bundle) -> Bundle:
        return self._combine(other, lambda a, b: a - b)

    def impossible(self) -> str | None:
        """The first reason that a part gives, with the part's name.

        A part that counts the rows is compared with all others: none shows more rows of a class.
        """
        for name, part in self.parts.items():
            if reason := part.impossible():
                return f"{name}: {reason}"
        for whole in ("target", "rows"):
            if isinstance(target := self.parts.get(whole), Counts):
                return self.contradiction(target)
        return None

    def contradiction(self, target: Counts) -> str | None:
        """The first part that cannot be among the rows of the target, and why."""
        for name, part in self.parts.items():
            if name not in BESIDE and part is not target and (reason := part.contradiction(target)):
                return f"{name}: {reason}"
        return None

    def split_folds(self, k: int) -> list[Bundle]:
        """The tallies of k parts of the rows, where classes are pairs (part, class)."""
        each = {name: part.split_folds(k) for name, part in self.parts.items()}
        return [Bundle({name: parts[f] for name, parts in each.items()}) for f in range(k)]

    def _combine(self, other: Bundle, combine: Callable[[Any, Any], Any]) -> Bundle:
        names = sorted({*self.parts, *other.parts})
        return Bundle(
            {name: combine(self._part(name, other), other._part(name, self)) for name in names}
        )

    def _part(self, name: str, other: Bundle) -> Any:
        if name in self.parts:
            return self.parts[name]
        theirs = other.parts[name]
        return theirs - theirs
