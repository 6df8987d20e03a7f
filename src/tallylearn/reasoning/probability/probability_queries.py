"""Queries to a probability space: the calculation rules applied to its events."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from tallylearn.errors import KindError, error_context
from tallylearn.reasoning.answers import Answer, WorkReport
from tallylearn.reasoning.names import list_items
from tallylearn.reasoning.probabilities import Number
from tallylearn.reasoning.probability import axioms, calculation_rules, independence
from tallylearn.reasoning.probability.events import Event
from tallylearn.reasoning.probability.random_variables import RandomVariable

WHO = "ProbabilitySpace"


class ProbabilityQueries(WorkReport):
    """What can be asked of anything that has events and their probabilities."""

    weights: Mapping[Any, Number]

    @abstractmethod
    def P(self, *events: Any, given: Any = None) -> Number:  # noqa: N802  its name everywhere
        """The probability that all the events happen, given another."""

    @abstractmethod
    def event(self, what: Any, name: str = "") -> Event:
        """An event: a predicate, a set of outcomes, one outcome, or {variable: value}."""

    @abstractmethod
    def _thing(self, what: Any, lists: bool = False) -> Any:
        """A variable, by itself or by its name; else an event, or a list that is read later."""

    def product_rule(self, a: Any, b: Any) -> Answer:
        """P(a, b) = P(a | b) P(b) = P(b | a) P(a)."""
        return calculation_rules.product_rule(self.P, self.event(a), self.event(b))

    def chain_rule(self, *events: Any, given: Any = None) -> Answer:
        """P(A1, ..., An), one condition more at a time, all of it given another event."""
        condition = None if given is None else self.event(given)
        return calculation_rules.chain_rule(
            self.P, [self.event(event) for event in events], condition
        )

    def total_probability(self, event: Any, partition: Any) -> Answer:
        """P(A) over a partition, which is a variable or a list of events."""
        with error_context(WHO):
            if isinstance(variable := self._thing(partition, lists=True), RandomVariable):
                partition = [variable == value for value in variable.distribution()]
            parts = [self.event(part) for part in list_items(partition, "the part")]
            return calculation_rules.total_probability(self.P, self.event(event), parts)

    def bayes(self, hypothesis: Any, given: Any) -> Answer:
        """P(h | D) from the prior, the likelihood and the evidence.

        Of a variable, or its name, every value is a hypothesis: the answer is the most probable
        one, its ``scores`` are all posteriors.
        """
        with error_context(WHO):
            h, evidence = self._thing(hypothesis), self.event(given)
            if isinstance(h, RandomVariable):
                return calculation_rules.bayes_over(self.P, h, evidence)
            return calculation_rules.bayes(self.P, h, evidence)

    def enumerate(self, event: Any, given: Any = None) -> Answer:
        """The probability of a proposition, outcome by outcome."""
        condition = None if given is None else self.event(given)
        with error_context(WHO):
            return calculation_rules.inference(self.P, self.weights, self.event(event), condition)

    def independent(self, *things: Any, given: Any = None) -> Answer:
        """Whether events or variables are independent of each other, all of them together,
        given an event or a variable.
        """
        with error_context(WHO):
            found = [self._thing(thing) for thing in things]
            condition = None if given is None else self._thing(given)
            return independence.independent(self.P, found, condition)

    def axioms(self, a: Any, b: Any) -> Answer:
        """The axioms and their corollaries, with the numbers of two events."""
        return axioms.axioms(self.P, self.event(a), self.event(b))

    def variable_rules(self, variable: RandomVariable, event: Any) -> Answer:
        """The rules of a variable of several values, with the numbers of an event."""
        with error_context(WHO):
            found = self._thing(variable)
            if not isinstance(found, RandomVariable):
                raise KindError(
                    f"{found.name} is an event, not a random variable. Pass space[name], or "
                    "a variable from space.variable(function)."
                )
            return axioms.variable_rules(self.P, found, self.event(event))

    def is_sigma_algebra(self, events: Iterable[Any]) -> Answer:
        """Whether events are closed under complement and union; names what is missing."""
        with error_context(WHO):
            found = [self.event(event) for event in list_items(events, "the event")]
        return axioms.sigma_algebra(tuple(self.weights), found)
