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
    """Queries to anything that has events and their probabilities."""

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
        """Apply the product rule: P(a, b) = P(a | b) P(b) = P(b | a) P(a).

        Parameters
        ----------
        a : event
            The first event, in any form that ``event`` takes.
        b : event
            The second event.

        Returns
        -------
        Answer
            P(a, b), with its derivation.
        """
        return calculation_rules.product_rule(self.P, self.event(a), self.event(b))

    def chain_rule(self, *events: Any, given: Any = None) -> Answer:
        """Apply the chain rule: P(A1, ..., An) as a product of conditional probabilities.

        Parameters
        ----------
        *events : event
            The events, in any form that ``event`` takes.
        given : event, optional
            A condition of all factors.

        Returns
        -------
        Answer
            The joint probability, with its derivation.
        """
        condition = None if given is None else self.event(given)
        return calculation_rules.chain_rule(
            self.P, [self.event(event) for event in events], condition
        )

    def total_probability(self, event: Any, partition: Any) -> Answer:
        """Apply the law of total probability: P(A) as a sum over a partition.

        Parameters
        ----------
        event : event
            The event A, in any form that ``event`` takes.
        partition : RandomVariable, str or list of events
            A variable, its name, or events that exclude each other and cover everything.

        Returns
        -------
        Answer
            P(A), with its derivation.
        """
        parts = self.partition(partition)
        with error_context(WHO):
            return calculation_rules.total_probability(self.P, self.event(event), parts)

    def partition(self, parts: Any) -> tuple[Event, ...]:
        """Partition the outcomes: by the values of a variable, or by events, which are checked.

        Parameters
        ----------
        parts : RandomVariable, str or list of events
            A variable, its name, or events that exclude each other and cover everything.

        Returns
        -------
        tuple of Event
            The parts.
        """
        with error_context(WHO):
            if isinstance(variable := self._thing(parts, lists=True), RandomVariable):
                parts = [variable == value for value in variable.distribution()]
            found = tuple(self.event(part) for part in list_items(parts, "the part"))
            calculation_rules.check_partition(found)
        return found

    def bayes(self, hypothesis: Any, given: Any) -> Answer:
        """Apply Bayes' theorem: P(h | D) from the prior, the likelihood and the evidence.

        Parameters
        ----------
        hypothesis : event, RandomVariable or str
            An event; or a variable or its name, whose values are then the hypotheses.
        given : event
            The evidence D.

        Returns
        -------
        Answer
            P(h | D), with its derivation. For a variable, its most probable value; ``scores`` has
            all posteriors.
        """
        with error_context(WHO):
            h, evidence = self._thing(hypothesis), self.event(given)
            if isinstance(h, RandomVariable):
                return calculation_rules.bayes_over(self.P, h, evidence)
            return calculation_rules.bayes(self.P, h, evidence)

    def enumerate(self, event: Any, given: Any = None) -> Answer:
        """Compute a probability by enumeration: the sum over the outcomes of an event.

        Parameters
        ----------
        event : event
            The event, in any form that ``event`` takes.
        given : event, optional
            The condition.

        Returns
        -------
        Answer
            The probability, with every outcome that adds to it.
        """
        condition = None if given is None else self.event(given)
        with error_context(WHO):
            return calculation_rules.inference(self.P, self.weights, self.event(event), condition)

    def independent(self, *things: Any, given: Any = None) -> Answer:
        """Test whether events or variables are mutually independent.

        Parameters
        ----------
        *things : event, RandomVariable or str
            Events, variables, or names of variables.
        given : event, RandomVariable or str, optional
            The condition, for conditional independence.

        Returns
        -------
        Answer
            True or False, with its derivation.
        """
        with error_context(WHO):
            found = [self._thing(thing) for thing in things]
            condition = None if given is None else self._thing(given)
            return independence.independent(self.P, found, condition)

    def axioms(self, a: Any, b: Any) -> Answer:
        """Check the axioms of probability and their corollaries with two events.

        Parameters
        ----------
        a : event
            The first event, in any form that ``event`` takes.
        b : event
            The second event.

        Returns
        -------
        Answer
            Each rule with both sides as numbers.
        """
        return axioms.axioms(self.P, self.event(a), self.event(b))

    def variable_rules(self, variable: RandomVariable, event: Any) -> Answer:
        """Check the rules of a discrete random variable with an event.

        Parameters
        ----------
        variable : RandomVariable or str
            The variable, or its name.
        event : event
            The event, in any form that ``event`` takes.

        Returns
        -------
        Answer
            Each rule with both sides as numbers.
        """
        with error_context(WHO):
            found = self._thing(variable)
            if not isinstance(found, RandomVariable):
                raise KindError(
                    f"{found.name} is an event, not a random variable. Pass space[name], or "
                    "a variable from space.variable(function)."
                )
            return axioms.variable_rules(self.P, found, self.event(event))

    def is_sigma_algebra(self, events: Iterable[Any]) -> Answer:
        """Test whether events form a sigma-algebra: closed under complement and union.

        Parameters
        ----------
        events : iterable of event
            The events, in any form that ``event`` takes.

        Returns
        -------
        Answer
            True or False; the derivation names the events that are missing.
        """
        with error_context(WHO):
            found = [self.event(event) for event in list_items(events, "the event")]
        return axioms.sigma_algebra(tuple(self.weights), found)
