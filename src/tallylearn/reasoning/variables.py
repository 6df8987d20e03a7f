"""Random variables: functions of the outcome, and the distributions they induce."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tallylearn.errors import InputError
from tallylearn.reasoning.answers import Step, Worked, formula
from tallylearn.reasoning.events import Event
from tallylearn.reasoning.probabilities import Number, number, total, written
from tallylearn.workings import Derivation, Grid


@dataclass(frozen=True, eq=False, repr=False)
class Variable(Worked):
    """A value for every outcome. Compared with a value it is an event: ``X == 30``, ``X > 0``.

    >>> from fractions import Fraction
    >>> X = Variable("X", {"head": 1, "tail": 0}, {"head": Fraction(1, 3), "tail": Fraction(2, 3)})
    >>> X.expectation(), X.variance(), X == 1
    (Fraction(1, 3), Fraction(2, 9), Event(X = 1: {head}))
    """

    name: str
    values: Mapping[Any, Any]  # outcome -> value
    weights: Mapping[Any, Number]  # outcome -> probability

    def distribution(self, given: Event | None = None) -> dict[Any, Number]:
        """P(X = x) for every value, in the order of the outcomes."""
        inside = self._weights(given)
        found: dict[Any, list[Number]] = {}
        for outcome, weight in inside.items():
            found.setdefault(self.values[outcome], []).append(weight)
        whole = Fraction(1) if given is None else total(inside.values())
        return {value: total(weights) / whole for value, weights in found.items()}

    def expectation(self, given: Event | None = None) -> Number:
        """The sum of x P(X = x)."""
        return total(x * p for x, p in self._numbers(given))

    def variance(self, given: Event | None = None) -> Number:
        """The sum of (x - E[X])² P(X = x)."""
        mean = self.expectation(given)
        return total((x - mean) ** 2 * p for x, p in self._numbers(given))

    def show_work(self) -> Derivation:
        """The induced distribution, and the expectation where the values are numbers."""
        shares = self.distribution()
        where = (Event(frozenset((self == x).outcomes), tuple(self.values)) for x in shares)
        rows = [
            (str(x), event.name, written(p))
            for (x, p), event in zip(shares.items(), where, strict=True)
        ]
        header = ("x", "outcomes", f"P({self.name} = x)")
        steps: list[Step] = [
            formula(f"P({self.name} = x) = Σ P(ω), ω with {self.name}(ω) = x"),
            Grid("", header, tuple(rows)),
        ]
        if all(isinstance(x, int | float | Fraction) for x in shares):
            terms = " + ".join(f"{_bare(x)} · {written(p)}" for x, p in self._numbers(None))
            mean, spread = written(self.expectation()), written(self.variance())
            steps.append(formula(f"E[{self.name}] = Σ x P({self.name} = x) = {terms} = {mean}"))
            steps.append(formula(f"Var[{self.name}] = {spread}"))
        return Derivation(f"Random variable {self.name}", tuple(steps))

    def __repr__(self) -> str:
        return f"Variable({self.name}, {len({*self.values.values()})} values)"

    def _weights(self, given: Event | None) -> Mapping[Any, Number]:
        if given is None:
            return self.weights
        inside = {outcome: self.weights[outcome] for outcome in given}
        if not total(inside.values()):
            raise undefined(self.name, given.name)
        return inside

    def _numbers(self, given: Event | None) -> list[tuple[Number, Number]]:
        shares = self.distribution(given)
        return [(number(x, f"a value of {self.name}"), p) for x, p in shares.items()]

    def _compared(self, sign: str, test: Callable[[Any, Any], Any], other: Any) -> Event:
        beside = other.values if isinstance(other, Variable) else dict.fromkeys(self.values, other)
        inside = frozenset(w for w, value in self.values.items() if test(value, beside[w]))
        name = other.name if isinstance(other, Variable) else other
        return Event(inside, tuple(self.values), f"{self.name} {sign} {name}", "=")

    def __eq__(self, other: Any) -> Event:  # type: ignore[override]
        return self._compared("=", operator.eq, other)

    def __ne__(self, other: Any) -> Event:  # type: ignore[override]
        return self._compared("≠", operator.ne, other)

    def __lt__(self, other: Any) -> Event:
        return self._compared("<", operator.lt, other)

    def __le__(self, other: Any) -> Event:
        return self._compared("≤", operator.le, other)

    def __gt__(self, other: Any) -> Event:
        return self._compared(">", operator.gt, other)

    def __ge__(self, other: Any) -> Event:
        return self._compared("≥", operator.ge, other)

    __hash__ = object.__hash__


def undefined(what: str, condition: str) -> InputError:
    """The error for a condition of probability zero."""
    return InputError(
        f"P({what} | {condition}) is not defined: P({condition}) = 0. "
        "Condition on something that can happen."
    )


def _bare(value: Number) -> str:
    text = written(value)
    return f"({text})" if value < 0 else text
