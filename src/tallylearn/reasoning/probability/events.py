"""Events: sets of outcomes, with the operations of propositional logic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tallylearn.errors import InputError, KindError, short_repr
from tallylearn.reasoning.names import is_among

MAX_SHOWN_OUTCOMES = 8  # outcomes of a set that are written out


@dataclass(frozen=True, eq=False)
class Event:
    """A set of outcomes, or the proposition that the outcome is one of them.

    ``&``, ``|``, ``~`` and ``-`` are and, or, not, and-not.

    >>> low, odd = Event(frozenset({1, 2}), (1, 2, 3), "low"), Event(frozenset({1, 3}), (1, 2, 3))
    >>> ~low | odd
    Event(¬low ∨ {1, 3}: {1, 3})
    """

    outcomes: frozenset[Any]
    sample: tuple[Any, ...]  # all outcomes of the space, in its order
    name: str = ""
    sign: str = ""  # the outermost sign of the name

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", outcomes_text(self))

    def __and__(self, other: Event) -> Event:
        return self._combine(other, "∧", self.outcomes & self._other_outcomes(other))

    def __or__(self, other: Event) -> Event:
        return self._combine(other, "∨", self.outcomes | self._other_outcomes(other))

    def __sub__(self, other: Event) -> Event:
        self._other_outcomes(other)
        return self & ~other

    def __invert__(self) -> Event:
        rest = frozenset(self.sample) - self.outcomes
        if self.sign == "¬":
            return Event(rest, self.sample, self.name[1:])
        name = f"({self.name})" if self.sign else self.name
        return Event(rest, self.sample, f"¬{name}", "¬")

    def __bool__(self) -> bool:
        raise KindError(
            "an event is neither true nor false before the outcome is known. "
            "Combine events with &, | and ~, not with 'and', 'or' and 'not'."
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Event):
            return NotImplemented
        return self.outcomes == other.outcomes and self.sample == other.sample

    def __hash__(self) -> int:
        return hash(self.outcomes)

    def __len__(self) -> int:
        return len(self.outcomes)

    def __iter__(self) -> Iterator[Any]:
        return (outcome for outcome in self.sample if outcome in self.outcomes)

    def __contains__(self, outcome: Any) -> bool:
        return is_among(outcome, self.outcomes)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        inside = outcomes_text(self)
        return f"Event({self.name}: {inside})" if self.name != inside else f"Event({inside})"

    def _other_outcomes(self, other: Event) -> frozenset[Any]:
        if not isinstance(other, Event):
            raise KindError(
                f"{short_repr(other)} is not an event. Create one with "
                f"space.event({short_repr(other)})."
            )
        if self.sample is not other.sample and self.sample != other.sample:
            raise InputError(
                f"the events {self.name} and {other.name} belong to different spaces. "
                "Take both from one space."
            )
        return other.outcomes

    def _combine(self, other: Event, sign: str, outcomes: frozenset[Any]) -> Event:
        apart = "∨" if sign == "∧" else "∧"
        names = [
            f"({event.name})" if event.sign == apart else event.name for event in (self, other)
        ]
        return Event(outcomes, self.sample, f" {sign} ".join(names), sign)


def outcomes_text(event: Event) -> str:
    """The outcomes in braces, the first eight of them."""
    if not event.outcomes:
        return "∅"
    if len(event.outcomes) == len(event.sample):
        return "Ω"
    inside = [str(outcome) for outcome in event]
    rest = ", …" if len(inside) > MAX_SHOWN_OUTCOMES else ""
    return f"{{{', '.join(inside[:MAX_SHOWN_OUTCOMES])}{rest}}}"
