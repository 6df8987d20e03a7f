"""Random variables: functions of the outcome and their distributions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tallylearn.errors import InputError, KindError, quoted_list, short_repr
from tallylearn.reasoning.answers import WorkReport, WorkStep
from tallylearn.reasoning.names import call_user_function, check_name
from tallylearn.reasoning.probabilities import Number, exact_number, exact_sum, number_text
from tallylearn.reasoning.probability.events import Event
from tallylearn.workings import Derivation, Grid, equation


@dataclass(frozen=True, eq=False, repr=False)
class RandomVariable(WorkReport):
    """A value for every outcome. Compared with a value it is an event: ``X == 30``, ``X > 0``.

    >>> from fractions import Fraction
    >>> weights = {"head": Fraction(1, 3), "tail": Fraction(2, 3)}
    >>> X = RandomVariable("X", {"head": 1, "tail": 0}, weights)
    >>> X.expectation(), X.variance(), X == 1
    (Fraction(1, 3), Fraction(2, 9), Event(X = 1: {head}))
    """

    name: str
    values: Mapping[Any, Any]  # outcome -> value
    weights: Mapping[Any, Number]  # outcome -> probability
    domain: tuple[Any, ...] = ()  # values that it could have, where more is known than the values

    def distribution(self, given: Event | None = None) -> dict[Any, Number]:
        """P(X = x) for every value, in the order of the outcomes."""
        inside = self._weights(given)
        found: dict[Any, list[Number]] = {}
        for outcome, weight in inside.items():
            found.setdefault(self.values[outcome], []).append(weight)
        whole = Fraction(1) if given is None else exact_sum(inside.values())
        return {value: exact_sum(weights) / whole for value, weights in found.items()}

    def expectation(self, given: Event | None = None) -> Number:
        """The sum of x P(X = x)."""
        return exact_sum(x * p for x, p in self._numbers(given))

    def variance(self, given: Event | None = None) -> Number:
        """The sum of (x - E[X])² P(X = x)."""
        mean = self.expectation(given)
        return exact_sum((x - mean) ** 2 * p for x, p in self._numbers(given))

    def show_work(self) -> Derivation:
        """The induced distribution, and the expectation where the values are numbers."""
        shares = self.distribution()
        where = (Event(frozenset((self == x).outcomes), tuple(self.values)) for x in shares)
        rows = [
            (str(x), event.name, number_text(p))
            for (x, p), event in zip(shares.items(), where, strict=True)
        ]
        header = ("x", "outcomes", f"P({self.name} = x)")
        steps: list[WorkStep] = [
            equation(f"P({self.name} = x) = Σ P(ω), ω with {self.name}(ω) = x"),
            Grid("", header, tuple(rows)),
        ]
        if all(isinstance(x, int | float | Fraction) for x in shares):
            terms = " + ".join(f"{_bracket(x)} · {number_text(p)}" for x, p in self._numbers(None))
            mean, spread = (
                number_text(self.expectation()),
                number_text(self.variance()),
            )
            steps.append(equation(f"E[{self.name}] = Σ x P({self.name} = x) = {terms} = {mean}"))
            steps.append(equation(f"Var[{self.name}] = {spread}"))
        return Derivation(f"Random variable {self.name}", tuple(steps))

    def __repr__(self) -> str:
        return f"Variable({self.name}, {len({*self.values.values()})} values)"

    def _weights(self, given: Event | None) -> Mapping[Any, Number]:
        if given is None:
            return self.weights
        if not isinstance(given, Event):
            raise KindError(
                f"the condition is {short_repr(given)}, not an event. Create one with "
                "space.event(...)."
            )
        if given.sample != tuple(self.weights):
            raise InputError(
                f"the event {given.name} belongs to another space than the variable "
                f"{self.name!r}. Take both from one space."
            )
        inside = {outcome: self.weights[outcome] for outcome in given}
        if not exact_sum(inside.values()):
            raise zero_condition_error(self.name, given.name)
        return inside

    def _numbers(self, given: Event | None) -> list[tuple[Number, Number]]:
        shares = self.distribution(given)
        return [(exact_number(x, f"a value of {self.name}"), p) for x, p in shares.items()]

    def _compare(self, sign: str, test: Callable[[Any, Any], Any], other: Any) -> Event:
        if isinstance(other, RandomVariable):
            beside, name = check_same_space(other, tuple(self.values)).values, other.name
        else:
            self._check_value(sign, other)
            beside, name = dict.fromkeys(self.values, other), str(other)
        what = f"{self.name} {sign} {name}"
        pairs = [(w, value, beside[w]) for w, value in self.values.items()]
        inside = frozenset(
            w for w, x, y in pairs if call_user_function(_truth(test), x, y, who=what)
        )
        return Event(inside, tuple(self.values), what, "=")

    def _check_value(self, sign: str, value: Any) -> None:
        """A number may be compared with any other; a name that no outcome has is a slip."""
        check_name(value, f"the value of {self.name}")
        known = dict.fromkeys((*self.values.values(), *self.domain))
        if sign not in "=≠" or value in known or _are_comparable(value, known):
            return
        raise InputError(
            f"variable {self.name!r} has no value {short_repr(value)}. Choose from "
            f"{quoted_list(known)}."
        )

    def __eq__(self, other: Any) -> Event:  # type: ignore[override]
        return self._compare("=", operator.eq, other)

    def __ne__(self, other: Any) -> Event:  # type: ignore[override]
        return self._compare("≠", operator.ne, other)

    def __lt__(self, other: Any) -> Event:
        return self._compare("<", operator.lt, other)

    def __le__(self, other: Any) -> Event:
        return self._compare("≤", operator.le, other)

    def __gt__(self, other: Any) -> Event:
        return self._compare(">", operator.gt, other)

    def __ge__(self, other: Any) -> Event:
        return self._compare("≥", operator.ge, other)

    __hash__ = object.__hash__


def check_same_space(variable: RandomVariable, sample: tuple[Any, ...]) -> RandomVariable:
    """The variable, if it belongs to a space of these outcomes."""
    if tuple(variable.values) != sample:
        raise InputError(
            f"the variable {variable.name!r} belongs to another space. Create it "
            "with variable() of this space."
        )
    return variable


def _truth(test: Callable[[Any, Any], Any]) -> Callable[[Any, Any], bool]:
    return lambda x, y: bool(test(x, y))


def _are_comparable(value: Any, known: Iterable[Any]) -> bool:
    """Truth values among truth values, numbers among numbers."""
    both = (value, *known)
    if any(isinstance(x, bool) for x in both):
        return all(isinstance(x, bool) for x in both)
    return all(isinstance(x, int | float | Fraction) for x in both)


def zero_condition_error(what: str, condition: str) -> InputError:
    """The error for a condition of probability zero."""
    return InputError(
        f"P({what} | {condition}) is not defined: P({condition}) = 0. "
        "Use a condition with a positive probability."
    )


def _bracket(value: Number) -> str:
    text = number_text(value)
    return f"({text})" if value < 0 else text
