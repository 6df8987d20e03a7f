"""Likelihoods: how probable an observation is, if a hypothesis holds."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from tallylearn.errors import InputError, KindError, OptionError, listed, told
from tallylearn.reasoning.probabilities import Number, check_whole, number, probability
from tallylearn.reasoning.scores import Scores


class Likelihood(ABC):
    """P(observation | hypothesis)."""

    outcomes: tuple[Any, ...] = ()  # all that can be observed, where that is known

    @abstractmethod
    def of(self, outcome: Any, hypothesis: Any) -> Number: ...

    def scores(self, tally: Iterable[tuple[Any, int]], hypotheses: Iterable[Any]) -> Scores:
        """P(D | h) for every hypothesis: observations are independent, given h."""
        tally = list(tally)
        return Scores.of({h: [(self.of(d, h), n) for d, n in tally] for h in hypotheses})


@dataclass(frozen=True)
class Conditionals(Likelihood):
    """A table of class conditionals: the row of a hypothesis sums to one."""

    rows: Mapping[Any, Mapping[Any, Number]]  # hypothesis -> outcome -> probability

    @cached_property
    def outcomes(self) -> tuple[Any, ...]:  # type: ignore[override]
        return tuple(dict.fromkeys(outcome for row in self.rows.values() for outcome in row))

    def of(self, outcome: Any, hypothesis: Any) -> Number:
        check_known(outcome, self.outcomes)
        return self.rows[hypothesis].get(outcome, Fraction(0))


@dataclass(frozen=True)
class Function(Likelihood):
    """A function of the observation and the hypothesis."""

    function: Callable[[Any, Any], Any]
    outcomes: tuple[Any, ...] = ()

    def of(self, outcome: Any, hypothesis: Any) -> Number:
        if self.outcomes:
            check_known(outcome, self.outcomes)
        return probability(self.function(outcome, hypothesis), f"P({outcome} | {hypothesis})")


@dataclass(frozen=True)
class Classifiers(Likelihood):
    """Hypotheses that classify: the observation (x, v) is as probable as the class v for x."""

    models: Mapping[Any, Any]
    # A trajectory asks for the same observation again and again, and a model takes its time.
    asked: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def of(self, outcome: Any, hypothesis: Any) -> Number:
        x, label = _pair(outcome)
        key = (id(outcome), hypothesis)
        if key not in self.asked:  # the outcome is kept, so that its id stays its own
            self.asked[key] = outcome, self.shares(x, hypothesis).get(label, Fraction(0))
        found: Number = self.asked[key][1]
        return found

    def shares(self, x: Any, hypothesis: Any) -> dict[Any, Number]:
        """P(v | x, h) for every class v."""
        model = self.models[hypothesis]
        if callable(getattr(model, "predict_proba", None)):
            row = model.predict_proba(x if isinstance(x, Mapping) else [x])[0].tolist()
            return dict(zip(model.classes_.tolist(), row, strict=True))
        if callable(getattr(model, "predict", None)):
            found = model.predict(x if isinstance(x, Mapping) else [x])[0]
            return {found.item() if hasattr(found, "item") else found: Fraction(1)}
        found = model(x)
        if not isinstance(found, Mapping):
            return {found: Fraction(1)}
        shares = {v: probability(p, f"P({v} | x, {hypothesis})") for v, p in found.items()}
        check_whole(shares, f"the class probabilities of {hypothesis}")
        return shares


@dataclass(frozen=True)
class Noise(Likelihood):
    """Hypotheses that are functions: y is h(x) and Gaussian noise."""

    functions: Mapping[Any, Callable[[Any], Any]]
    sigma: float

    def of(self, outcome: Any, hypothesis: Any) -> Number:
        """The density of (x, y)."""
        return math.exp(self._log(1, self.squares([(outcome, 1)], hypothesis)))

    def squares(self, tally: Iterable[tuple[Any, int]], hypothesis: Any) -> Number:
        """The sum of squared errors."""
        result: Number = Fraction(0)
        for outcome, n in tally:
            x, y = _pair(outcome)
            value = number(self.functions[hypothesis](x), f"{hypothesis}({x})")
            error = number(y, "y") - value
            result += n * error * error  # a power of a float would overflow with an error
        return result

    def scores(self, tally: Iterable[tuple[Any, int]], hypotheses: Iterable[Any]) -> Scores:
        tally = list(tally)
        m = sum(n for _, n in tally)
        return Scores.of_logs({h: self._log(m, self.squares(tally, h)) for h in hypotheses})

    def _log(self, m: int, squares: Number) -> float:
        """m log(1 / sqrt(2 pi s²)) - squares / (2 s²)."""
        return -m * math.log(math.sqrt(2 * math.pi) * self.sigma) - squares / (2 * self.sigma**2)


def likelihood_of(given: Any, hypotheses: tuple[Any, ...], outcomes: Iterable[Any]) -> Likelihood:
    """A likelihood from a function, or from a table by hypothesis or by outcome."""
    outcomes = tuple(outcomes)
    if isinstance(given, Likelihood):
        return given
    if isinstance(given, Mapping):
        return Conditionals(_rows(given, hypotheses))
    if not callable(given):
        raise KindError(
            f"the likelihood is {told(given)}. Give a function of the observation and the hypothesis, "
            "or a table {hypothesis: {observation: probability}}."
        )
    found = Function(given, outcomes)
    for h in hypotheses if outcomes else ():
        check_whole({d: found.of(d, h) for d in outcomes}, f"the likelihoods of {h}")
    return found


def _rows(table: Mapping[Any, Any], hypotheses: tuple[Any, ...]) -> dict[Any, dict[Any, Number]]:
    if not table or not all(isinstance(row, Mapping) for row in table.values()):
        raise KindError(
            "a table of likelihoods is {hypothesis: {observation: probability}}, "
            f"and this one has {told(next(iter(table.values()), None))} for a row."
        )
    if {*table} != {*hypotheses}:
        if any({*row} != {*hypotheses} for row in table.values()):
            raise OptionError(
                f"the table of likelihoods is about {listed(table)}, and the hypotheses are "
                f"{listed(hypotheses)}. Give every hypothesis its row."
            )
        table = {h: {outcome: row[h] for outcome, row in table.items()} for h in hypotheses}
    read = {
        h: {d: probability(p, f"P({d} | {h})") for d, p in table[h].items()} for h in hypotheses
    }
    for h, row in read.items():
        check_whole(row, f"the likelihoods of {h}")
    return read


def check_known(outcome: Any, outcomes: tuple[Any, ...]) -> None:
    """An observation is one of those that can come."""
    if not isinstance(outcome, Hashable) or outcome not in outcomes:
        raise InputError(f"{told(outcome)} cannot be observed here; there are {listed(outcomes)}.")


def _pair(outcome: Any) -> tuple[Any, Any]:
    if not isinstance(outcome, tuple) or len(outcome) != 2:
        raise InputError(f"an observation is a pair (x, y) here, not {told(outcome)}.")
    return outcome
