"""Probability spaces: outcomes, the probability of each, and all that follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import product
from typing import Any

from tallylearn.errors import InputError, KindError, OptionError, listed, speaking
from tallylearn.reasoning import axioms, independence, joints, rules
from tallylearn.reasoning.answers import Answer, Worked, formula
from tallylearn.reasoning.events import Event
from tallylearn.reasoning.networks import MOST, Network, Tables
from tallylearn.reasoning.probabilities import (
    Number,
    check_whole,
    distinct,
    probability,
    total,
    written,
)
from tallylearn.reasoning.propositions import check_places, event_of, place_of
from tallylearn.reasoning.variables import Variable, undefined
from tallylearn.workings import Derivation, Grid

WHO = "ProbabilitySpace"


@dataclass(frozen=True, repr=False)
class ProbabilitySpace(Worked):
    """A finite probability space (Ω, A, P): every set of outcomes is an event.

    ``weights`` gives every outcome its probability; text ("1/6", "10 %"), whole numbers and
    fractions are exact, floats stay floats. Where outcomes are tuples, ``names`` names their
    places: such a space is a joint distribution.

    >>> import tallylearn as tl
    >>> dice = tl.ProbabilitySpace.uniform(range(1, 7))
    >>> odd, low = dice.event(lambda w: w % 2, name="odd"), dice.event({1, 2}, name="low")
    >>> print(dice.P(odd), dice.P(odd & ~low), dice.P(odd, given=low))
    1/2 1/3 1/2
    >>> dice.independent(odd, low).value
    True

    A. N. Kolmogorov: Foundations of the Theory of Probability, 1933.
    """

    weights: Mapping[Any, Number]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        with speaking(WHO):
            if not isinstance(self.weights, Mapping):
                raise KindError(
                    f"outcomes come with their probabilities, as in {{'head': '1/2', 'tail': "
                    f"'1/2'}}; got {type(self.weights).__name__}. For equally likely outcomes: "
                    "ProbabilitySpace.uniform."
                )
            if not self.weights:
                raise InputError("there are no outcomes. Give one or more.")
            read = {w: probability(p, f"P({w})") for w, p in self.weights.items()}
            check_whole(read, "the probabilities")
            names = (self.names,) if isinstance(self.names, str) else self.names
            check_places(read, tuple(names))
        object.__setattr__(self, "weights", read)
        object.__setattr__(self, "names", distinct(names, "the name"))

    @classmethod
    def uniform(cls, outcomes: Iterable[Any], names: Sequence[str] = ()) -> ProbabilitySpace:
        """Outcomes that are equally likely."""
        with speaking(WHO):
            found = distinct(outcomes, "the outcome")
        return cls(dict.fromkeys(found, Fraction(1, max(1, len(found)))), tuple(names))

    @classmethod
    def from_table(cls, table: Any, columns: Sequence[str] | None = None) -> ProbabilitySpace:
        """The joint distribution of a table's columns: the share of the rows."""
        with speaking(WHO):
            names, tally = joints.counted(table, columns)
        shares = joints.shares(tally)
        return cls(shares if len(names) > 1 else {w: p for (w,), p in shares.items()}, names)

    @classmethod
    def from_network(cls, network: Network, tables: Tables) -> ProbabilitySpace:
        """The joint distribution of a Bayes net: {variable: {value of the parent: {value: P}}}."""
        with speaking(WHO):
            return cls(network.weights(tables), tuple(network.parents))

    @staticmethod
    def naive_bayes(
        label: str, features: Sequence[str], values: Mapping[str, Sequence[Any]] | None = None
    ) -> Network:
        """The structure of naive Bayes; the values are False and True unless given."""
        with speaking(WHO):
            return Network.naive(label, features, values)

    def event(self, what: Any, name: str = "") -> Event:
        """An event: a predicate, a set of outcomes, one outcome, or {variable: value}."""
        with speaking(WHO):
            return self._event(what, name)

    def variable(self, function: Callable[[Any], Any], name: str = "X") -> Variable:
        """A random variable: a function of the outcome."""
        return Variable(name, {w: function(w) for w in self.weights}, self.weights)

    def __getitem__(self, name: str) -> Variable:
        """The variable at a named place of the outcomes."""
        with speaking(WHO):
            at = place_of(name, self.names)
        return self.variable((lambda w: w[at]) if self._joint else (lambda w: w), name)

    def propositions(self, *names: str) -> tuple[Event, ...]:
        """The events that variables are true."""
        return tuple(
            Event((self[name] == True).outcomes, self._sample, name)  # noqa: E712
            for name in names or self.names
        )

    def P(self, *events: Any, given: Any = None) -> Number:  # noqa: N802  its name everywhere
        """The probability that all the events happen, given another."""
        with speaking(WHO):
            meant = [self._event(event) for event in events]
            if given is None:
                return self._sum(meant)
            condition = self._event(given)
            if not (below := self._sum([condition])):
                raise undefined(", ".join(event.name for event in meant), condition.name)
            return self._sum([*meant, condition]) / below

    def given(self, condition: Any) -> ProbabilitySpace:
        """The space that is left when the condition is known to hold."""
        with speaking(WHO):
            event = self._event(condition)
            if not (whole := self._sum([event])):
                raise undefined("ω", event.name)
        return ProbabilitySpace({w: self.weights[w] / whole for w in event}, self.names)

    def marginal(self, *names: str) -> ProbabilitySpace:
        """The joint distribution of some of the variables."""
        if len(names) == 1:
            return ProbabilitySpace(self[names[0]].distribution(), names)
        with speaking(WHO):
            at = [place_of(name, self.names) for name in names]
        return ProbabilitySpace(
            self.variable(lambda w: tuple(w[i] for i in at)).distribution(), names
        )

    def __mul__(self, other: ProbabilitySpace) -> ProbabilitySpace:
        """Two experiments that do not influence each other; named where both are."""
        if (size := len(self) * len(other)) > MOST:
            raise InputError(f"{WHO}: {size:,} outcomes; at most {MOST:,} are written out.")
        pairs = product(self.weights.items(), other.weights.items())
        names = (*self.names, *other.names) if self.names and other.names else ()
        weights = {self._parts(a) + other._parts(b): p * q for (a, p), (b, q) in pairs}
        return ProbabilitySpace(weights, names)

    def factored(self, network: Network) -> ProbabilitySpace:
        """The distribution that the structure of a Bayes net makes of this one."""
        with speaking(WHO):
            if {*network.parents} != {*self.names}:
                raise OptionError(
                    f"the network is about {listed(network.parents)}, and the space about "
                    f"{listed(self.names)}."
                )
        values = {name: tuple(self[name].distribution()) for name in network.parents}
        whole = Network(network.parents, values)
        return self.from_network(whole, {name: self._rows(whole, name) for name in values})

    def product_rule(self, a: Any, b: Any) -> Answer:
        """P(a, b) = P(a | b) P(b) = P(b | a) P(a)."""
        return rules.product_rule(self.P, self.event(a), self.event(b))

    def chain_rule(self, *events: Any) -> Answer:
        """P(A1, ..., An), one condition more at a time."""
        return rules.chain_rule(self.P, [self.event(event) for event in events])

    def total_probability(self, event: Any, partition: Any) -> Answer:
        """P(A) over a partition, which is a variable or a list of events."""
        if isinstance(partition, Variable):
            partition = [partition == value for value in partition.distribution()]
        with speaking(WHO):
            parts = [self._event(part) for part in partition]
            return rules.total_probability(self.P, self._event(event), parts)

    def bayes(self, hypothesis: Any, given: Any) -> Answer:
        """P(h | D) from the prior, the likelihood and the evidence."""
        with speaking(WHO):
            return rules.bayes(self.P, self._event(hypothesis), self._event(given))

    def enumerate(self, event: Any, given: Any = None) -> Answer:
        """The probability of a proposition, outcome by outcome."""
        condition = None if given is None else self.event(given)
        return rules.inference(self.P, self.weights, self.event(event), condition)

    def independent(self, a: Any, b: Any, given: Any = None) -> Answer:
        """Whether two events or variables are independent, given an event or a variable."""
        with speaking(WHO):
            first, second = (x if isinstance(x, Variable) else self._event(x) for x in (a, b))
            if given is not None and not isinstance(given, Variable):
                given = self._event(given)
            return independence.independent(self.P, first, second, given)

    def axioms(self, a: Any, b: Any) -> Answer:
        """The axioms and their corollaries, with the numbers of two events."""
        return axioms.axioms(self.P, self.event(a), self.event(b))

    def variable_rules(self, variable: Variable, event: Any) -> Answer:
        """The rules of a variable of several values, with the numbers of an event."""
        return axioms.variable_rules(self.P, variable, self.event(event))

    def is_sigma_algebra(self, events: Iterable[Any]) -> Answer:
        """Whether events are closed under complement and union; names what is missing."""
        return axioms.sigma_algebra(self._sample, [self.event(event) for event in events])

    def show_work(self) -> Derivation:
        """Every outcome with its probability, and their sum."""
        names = self.names or ("ω",)
        rows = tuple(
            (*map(str, w if self._joint else (w,)), written(p)) for w, p in self.weights.items()
        )
        whole = formula(f"P(Ω) = {written(total(self.weights.values()))}")
        title = f"Probability space of {len(self)} outcome{'s' if len(self) > 1 else ''}"
        return Derivation(title, (Grid("", (*names, "P"), rows), whole))

    def __len__(self) -> int:
        return len(self.weights)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.weights)

    def __repr__(self) -> str:
        about = f" of {', '.join(self.names)}" if self.names else ""
        return f"ProbabilitySpace({len(self)} outcomes{about})"

    @cached_property
    def _sample(self) -> tuple[Any, ...]:
        return tuple(self.weights)

    @property
    def _joint(self) -> bool:
        return len(self.names) > 1

    def _event(self, what: Any, name: str = "") -> Event:
        return event_of(self.weights, self.names, what, name)

    def _sum(self, events: Sequence[Event]) -> Number:
        inside = reduce(frozenset.__and__, [event.outcomes for event in events]) if events else self
        return total(self.weights[w] for w in inside)

    def _parts(self, outcome: Any) -> tuple[Any, ...]:
        whole = isinstance(outcome, tuple) and len(self.names) != 1
        return outcome if whole else (outcome,)

    def _rows(self, network: Network, name: str) -> Mapping[Any, Any]:
        """P(variable | parents) for every case of the parents."""
        above = network.parents[name]
        if not above:
            return self[name].distribution()
        found = {}
        for case in product(*(network.values[parent] for parent in above)):
            condition = self.event(dict(zip(above, case, strict=True)))
            row = {v: self.P({name: v}, given=condition) for v in network.values[name]}
            found[case[0] if len(case) == 1 else case] = row
        return found
