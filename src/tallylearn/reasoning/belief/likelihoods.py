"""Likelihoods P(observation | hypothesis): tables, functions, classifiers, Gaussian noise."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from tallylearn.errors import InputError, KindError, OptionError, quoted_list, short_repr
from tallylearn.reasoning.belief.score_products import ScoreProducts
from tallylearn.reasoning.names import call_user_function, check_name, distinct_names, is_among
from tallylearn.reasoning.probabilities import (
    Number,
    check_sums_to_one,
    exact_number,
    read_probability,
)
from tallylearn.reasoning.table_arguments import numbers_by_name, rows_by_name


class Likelihood(ABC):
    """P(observation | hypothesis)."""

    outcomes: tuple[Any, ...] = ()  # all that can be observed, where that is known

    @abstractmethod
    def of(self, outcome: Any, hypothesis: Any) -> Number: ...

    def allows(self, outcome: Any, hypothesis: Any) -> bool:
        """Whether the observation is possible under the hypothesis."""
        return self.of(outcome, hypothesis) > 0

    def scores(self, tally: Iterable[tuple[Any, int]], hypotheses: Iterable[Any]) -> ScoreProducts:
        """P(D | h) for every hypothesis: observations are independent, given h."""
        tally = list(tally)
        return ScoreProducts.of({h: [(self.of(d, h), n) for d, n in tally] for h in hypotheses})


@dataclass(frozen=True)
class ConditionalTable(Likelihood):
    """A table of class conditionals: the row of a hypothesis sums to one."""

    rows: Mapping[Any, Mapping[Any, Number]]  # hypothesis -> outcome -> probability

    @cached_property
    def outcomes(self) -> tuple[Any, ...]:  # type: ignore[override]
        return tuple(dict.fromkeys(outcome for row in self.rows.values() for outcome in row))

    def of(self, outcome: Any, hypothesis: Any) -> Number:
        check_known(outcome, self.outcomes)
        return self.rows[hypothesis].get(outcome, Fraction(0))


@dataclass(frozen=True)
class FunctionLikelihood(Likelihood):
    """A function of the observation and the hypothesis."""

    function: Callable[[Any, Any], Any]
    outcomes: tuple[Any, ...] = ()

    def of(self, outcome: Any, hypothesis: Any) -> Number:
        if self.outcomes:
            check_known(outcome, self.outcomes)
        found = call_user_function(self.function, outcome, hypothesis, who="the likelihood")
        said = outcome if isinstance(outcome, str) else short_repr(outcome)
        return read_probability(found, f"P({said} | {hypothesis})")


@dataclass(frozen=True)
class ColumnLikelihood(Likelihood):
    """Hypotheses that are the values of a column: what is observed is said of one of the rows."""

    space: Any  # the joint distribution of the rows
    column: str

    def of(self, outcome: Any, hypothesis: Any) -> Number:
        found: Number = self.space.P(outcome, given={self.column: hypothesis})
        return found


@dataclass(frozen=True)
class ClassifierLikelihood(Likelihood):
    """Hypotheses that classify: the observation (x, v) is as probable as the class v for x."""

    models: Mapping[Any, Any]
    # A trajectory asks for the same observation again and again, and a model takes its time.
    cache: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def of(self, outcome: Any, hypothesis: Any) -> Number:
        x, label = _pair(outcome)
        key = (id(outcome), hypothesis)
        if key not in self.cache:  # the outcome is kept, so that its id stays its own
            self._check_label(label)
            check_name(label, "the class")
            self.cache[key] = outcome, self.shares(x, hypothesis).get(label, Fraction(0))
        found: Number = self.cache[key][1]
        return found

    def shares(self, x: Any, hypothesis: Any) -> dict[Any, Number]:
        """P(v | x, h) for every class v."""
        found = call_user_function(
            _class_probabilities, self.models[hypothesis], x, who=f"the hypothesis {hypothesis}"
        )
        shares = {v: read_probability(p, f"P({v} | x, {hypothesis})") for v, p in found.items()}
        for v in shares:
            check_name(v, "the class")
        check_sums_to_one(shares, f"the class probabilities of {hypothesis}")
        return shares

    def _check_label(self, label: Any) -> None:
        """A class that no fitted model knows is a slip; functions may say anything."""
        known = [getattr(model, "classes_", None) for model in self.models.values()]
        if all(classes is not None for classes in known):
            names = tuple(dict.fromkeys(v for classes in known for v in _to_list(classes)))
            if not is_among(label, names):
                raise InputError(
                    f"{short_repr(label)} is not a class of the models. Choose from "
                    f"{quoted_list(names)}."
                )


@dataclass(frozen=True)
class GaussianNoise(Likelihood):
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
            said = call_user_function(
                self.functions[hypothesis], x, who=f"the hypothesis {hypothesis}"
            )
            error = exact_number(y, "y") - exact_number(said, f"{hypothesis}({short_repr(x)})")
            result += n * error * error  # a power of a float would overflow with an error
        return result

    def allows(self, outcome: Any, hypothesis: Any) -> bool:
        """A density far out is no zero, though a float may say so."""
        return self._log(1, self.squares([(outcome, 1)], hypothesis)) > -math.inf

    def scores(self, tally: Iterable[tuple[Any, int]], hypotheses: Iterable[Any]) -> ScoreProducts:
        tally = list(tally)
        m = sum(n for _, n in tally)
        return ScoreProducts.of_logs({h: self._log(m, self.squares(tally, h)) for h in hypotheses})

    def _log(self, m: int, squares: Number) -> float:
        """m log(1 / sqrt(2 pi s²)) - squares / (2 s²)."""
        return -m * math.log(math.sqrt(2 * math.pi) * self.sigma) - squares / (2 * self.sigma**2)


def _class_probabilities(model: Any, x: Any) -> Mapping[Any, Any]:
    """What a model or a function says of x, as probabilities of the classes."""
    rows = x if isinstance(x, Mapping) else [x]
    if callable(getattr(model, "predict_proba", None)):
        found = _to_list(model.predict_proba(rows)[0])
        return dict(zip(_to_list(model.classes_), found, strict=True))
    if callable(getattr(model, "predict", None)):
        return {_to_list(model.predict(rows))[0]: Fraction(1)}
    found = numbers_by_name(model(x))
    return found if isinstance(found, Mapping) else {found: Fraction(1)}


def _to_list(values: Any) -> list[Any]:
    return list(values.tolist() if hasattr(values, "tolist") else values)


def likelihood_of(given: Any, hypotheses: tuple[Any, ...], outcomes: Iterable[Any]) -> Likelihood:
    """A likelihood from a function, or from a table by hypothesis or by outcome."""
    if isinstance(given, Likelihood):
        return given
    outcomes = distinct_names(outcomes, "the outcome")
    given = rows_by_name(given)
    if isinstance(given, Mapping):
        return ConditionalTable(_read_rows(given, hypotheses))
    if not callable(given):
        raise KindError(
            f"likelihood is {short_repr(given)}. Pass a function of the observation "
            "and the hypothesis, or a dict "
            f"{{hypothesis: {{observation: probability}}}}."
        )
    found = FunctionLikelihood(given, outcomes)
    for h in hypotheses if outcomes else ():
        check_sums_to_one({d: found.of(d, h) for d in outcomes}, f"the likelihoods of {h}")
    return found


def _read_rows(
    table: Mapping[Any, Any], hypotheses: tuple[Any, ...]
) -> dict[Any, dict[Any, Number]]:
    if not table or not all(isinstance(row, Mapping) for row in table.values()):
        raise KindError(
            "likelihood has the row "
            f"{short_repr(next(iter(table.values()), None))}. Pass a dict "
            f"{{hypothesis: {{observation: probability}}}}."
        )
    if {*table} != {*hypotheses}:
        if any({*row} != {*hypotheses} for row in table.values()):
            raise OptionError(
                f"likelihood has rows for {quoted_list(table)}, but the hypotheses are "
                f"{quoted_list(hypotheses)}. Give one row for each hypothesis."
            )
        table = {h: {outcome: row[h] for outcome, row in table.items()} for h in hypotheses}
    read = {
        h: {d: read_probability(p, f"P({d} | {h})") for d, p in table[h].items()}
        for h in hypotheses
    }
    for h, row in read.items():
        check_sums_to_one(row, f"the likelihoods of {h}")
    return read


def check_known(outcome: Any, outcomes: tuple[Any, ...]) -> None:
    """An observation is one of those that can come."""
    if not is_among(outcome, outcomes):
        raise InputError(
            f"{short_repr(outcome)} is not a possible outcome. Choose from {quoted_list(outcomes)}."
        )


def _pair(outcome: Any) -> tuple[Any, Any]:
    if not isinstance(outcome, tuple) or len(outcome) != 2:
        raise InputError(f"the observation is {short_repr(outcome)}. Pass a pair (x, y).")
    return outcome
