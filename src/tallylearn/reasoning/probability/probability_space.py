"""Probability spaces: outcomes, the probability of each, and all that follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, reduce
from itertools import product
from typing import Any

from tallylearn.errors import (
    InputError,
    KindError,
    OptionError,
    error_context,
    quoted_list,
    short_repr,
)
from tallylearn.reasoning.names import (
    MAX_LISTED,
    call_user_function,
    check_name,
    distinct_names,
    is_among,
)
from tallylearn.reasoning.probabilities import (
    Number,
    exact_sum,
    number_text,
    read_distribution,
)
from tallylearn.reasoning.probability import joint_tables
from tallylearn.reasoning.probability.bayes_nets import Network, Tables, network_of
from tallylearn.reasoning.probability.events import Event
from tallylearn.reasoning.probability.probability_queries import WHO, ProbabilityQueries
from tallylearn.reasoning.probability.propositions import Domains, domains_of, event_of, place_of
from tallylearn.reasoning.probability.random_variables import (
    RandomVariable,
    check_same_space,
    zero_condition_error,
)
from tallylearn.reasoning.table_arguments import key_names, numbers_by_name
from tallylearn.workings import Derivation, Grid, equation


@dataclass(frozen=True, repr=False)
class ProbabilitySpace(ProbabilityQueries):
    """A finite probability space (Ω, A, P): every set of outcomes is an event.

    Parameters
    ----------
    weights : dict
        The probability of every outcome. Text ("1/6", "10 %"), whole numbers and fractions are
        exact; floats stay floats.
    names : sequence of str, optional
        If outcomes are tuples, the names of their places: the space is then a joint distribution.
    domains : dict, optional
        All values of each named variable, including those of no outcome.

    References
    ----------
    A. N. Kolmogorov: Foundations of the Theory of Probability, 1933.

    Examples
    --------
    >>> import tallylearn as tl
    >>> dice = tl.ProbabilitySpace.uniform(range(1, 7))
    >>> odd, low = dice.event(lambda w: w % 2, name="odd"), dice.event({1, 2}, name="low")
    >>> print(dice.P(odd), dice.P(odd & ~low), dice.P(odd, given=low))
    1/2 1/3 1/2
    >>> dice.independent(odd, low).value
    True
    """

    weights: Mapping[Any, Number]
    names: Sequence[str] = ()
    domains: Domains = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        with error_context(WHO):
            unnamed = isinstance(self.names, tuple) and not self.names
            names = key_names(self.weights) if unnamed else self.names
            weights = numbers_by_name(self.weights)
            if not isinstance(weights, Mapping):
                raise KindError(
                    f"the outcomes are of type {type(weights).__name__}, without "
                    f"probabilities. Pass a dict, such as {{'head': '1/2', 'tail': '1/2'}}. "
                    "For equally likely outcomes use ProbabilitySpace.uniform."
                )
            read = _weights(weights)
            named = _read_names(names)
            if not isinstance(self.domains, Mapping):
                raise KindError(
                    f"domains is {short_repr(self.domains)}. Pass a dict {{name: values}}."
                )
            domains = domains_of(read, named, self.domains)
        object.__setattr__(self, "weights", read)
        object.__setattr__(self, "names", named)
        object.__setattr__(self, "domains", domains)

    @classmethod
    def uniform(cls, outcomes: Iterable[Any], names: Sequence[str] = ()) -> ProbabilitySpace:
        """Make a space of equally likely outcomes.

        Parameters
        ----------
        outcomes : iterable
            The outcomes, all different.
        names : sequence of str, optional
            If outcomes are tuples, the names of their places.

        Returns
        -------
        ProbabilitySpace
            The space.
        """
        with error_context(WHO):
            found = distinct_names(outcomes, "the outcome")
        return cls(dict.fromkeys(found, Fraction(1, max(1, len(found)))), names)

    @classmethod
    def from_table(cls, table: Any, columns: Sequence[str] | None = None) -> ProbabilitySpace:
        """Make the joint distribution of a table's columns: the shares of the rows.

        Parameters
        ----------
        table : table
            The rows to count.
        columns : sequence of str, optional
            The columns to use; by default all.

        Returns
        -------
        ProbabilitySpace
            The joint distribution.
        """
        with error_context(WHO):
            names, tally = joint_tables.count_rows(table, columns)
        shares = joint_tables.row_shares(tally)
        return cls(shares if len(names) > 1 else {w: p for (w,), p in shares.items()}, names)

    @classmethod
    def from_network(cls, network: Any, tables: Tables) -> ProbabilitySpace:
        """Make the joint distribution of a Bayesian network.

        Parameters
        ----------
        network : Network, dict or list of pairs
            The structure, or its edges as in ``network``.
        tables : dict
            Conditional probabilities: {variable: {value of the parent: {value: P}}}. For a variable
            of False and True, the probability of True may replace the last dict.

        Returns
        -------
        ProbabilitySpace
            The joint distribution.
        """
        with error_context(WHO):
            net = network_of(network)
            values = tuple(net.parents)
            weights = net.weights(tables)
            return cls(
                weights if len(values) > 1 else {w: p for (w,), p in weights.items()}, values
            )

    @staticmethod
    def network(edges: Any, values: Mapping[str, Sequence[Any]] | None = None) -> Network:
        """Make the structure of a Bayesian network.

        Parameters
        ----------
        edges : dict or list of pairs
            {child: its parents}, or pairs (parent, child).
        values : dict, optional
            The values of each variable; False and True by default.

        Returns
        -------
        Network
            The structure, without probabilities.
        """
        with error_context(WHO):
            return Network.of(edges, values)

    @staticmethod
    def naive_bayes(
        label: str, features: Sequence[str], values: Mapping[str, Sequence[Any]] | None = None
    ) -> Network:
        """Make the structure of naive Bayes: the label is the only parent of every feature.

        Parameters
        ----------
        label : str
            The variable of the class.
        features : sequence of str
            The variables of the features.
        values : dict, optional
            The values of each variable; False and True by default.

        Returns
        -------
        Network
            The structure, without probabilities.
        """
        with error_context(WHO):
            return Network.naive(label, features, values)

    def event(self, what: Any, name: str = "") -> Event:
        """An event: a predicate, a set of outcomes, one outcome, or {variable: value}."""
        with error_context(WHO):
            return self._event(what, name)

    def variable(self, function: Callable[[Any], Any], name: str = "X") -> RandomVariable:
        """Make a random variable: a function of the outcome.

        Parameters
        ----------
        function : callable
            The value of an outcome.
        name : str, default "X"
            The name in formulas.

        Returns
        -------
        RandomVariable
            The variable.
        """
        with error_context(WHO):
            if not callable(function):
                raise KindError(
                    f"function is {short_repr(function)}. Pass a function of the outcome."
                )
            values = {
                w: call_user_function(function, w, who=f"the variable {short_repr(name)}")
                for w in self.weights
            }
            for value in values.values():
                check_name(value, f"the value of {short_repr(name)}")
        return RandomVariable(str(name), values, self.weights)

    def __getitem__(self, name: str) -> RandomVariable:
        """The variable at a named place of the outcomes."""
        with error_context(WHO):
            at = place_of(name, self.domains)
        values = {w: w[at] if self._joint else w for w in self.weights}
        return RandomVariable(name, values, self.weights, self.domains[name])

    def propositions(self, *names: str) -> tuple[Event, ...]:
        """The events that Boolean variables are true.

        Parameters
        ----------
        *names : str
            Names of variables; by default all.

        Returns
        -------
        tuple of Event
            One event per variable.
        """
        with error_context(WHO):
            return tuple(
                Event((self[name] == True).outcomes, self._sample, name)  # noqa: E712
                for name in names or self.names
            )

    def P(self, *events: Any, given: Any = None) -> Number:  # noqa: N802  its name everywhere
        """The probability that all the events happen, given another."""
        with error_context(WHO):
            meant = [self._event(event) for event in events]
            if given is None:
                return self._sum(meant)
            condition = self._event(given)
            if not (below := self._sum([condition])):
                raise zero_condition_error(", ".join(event.name for event in meant), condition.name)
            return self._sum([*meant, condition]) / below

    def given(self, condition: Any) -> ProbabilitySpace:
        """Condition the space on an event.

        Parameters
        ----------
        condition : event
            An event of positive probability, in any form that ``event`` takes.

        Returns
        -------
        ProbabilitySpace
            The outcomes of the event, with their conditional probabilities.
        """
        with error_context(WHO):
            event = self._event(condition)
            if not (whole := self._sum([event])):
                raise zero_condition_error("ω", event.name)
        left = {w: self.weights[w] / whole for w in event}
        return ProbabilitySpace(left, self.names, self.domains)

    def marginal(self, *names: str) -> ProbabilitySpace:
        """The marginal distribution of some of the variables.

        Parameters
        ----------
        *names : str
            Names of variables.

        Returns
        -------
        ProbabilitySpace
            Their joint distribution.
        """
        if len(names) == 1:
            return ProbabilitySpace(self[names[0]].distribution(), names, self.domains)
        with error_context(WHO):
            if not names:
                raise OptionError(f"no variable is named. Choose from {quoted_list(self.names)}.")
            at = [place_of(name, self.domains) for name in names]
        joint = self.variable(lambda w: tuple(w[i] for i in at)).distribution()
        return ProbabilitySpace(joint, names, self.domains)

    def __mul__(self, other: ProbabilitySpace) -> ProbabilitySpace:
        """Two experiments that do not influence each other; named where both are."""
        if not isinstance(other, ProbabilitySpace):
            raise KindError(
                f"{WHO}: the other factor is {short_repr(other)}. Multiply two spaces, "
                "as in dice * dice."
            )
        if (size := len(self) * len(other)) > MAX_LISTED:
            raise InputError(
                f"{WHO}: the product has {size:,} outcomes, and the limit is "
                f"{MAX_LISTED:,}. Multiply smaller spaces."
            )
        pairs = product(self.weights.items(), other.weights.items())
        names = (*self.names, *other.names) if self.names and other.names else ()
        weights = {self._parts(a) + other._parts(b): p * q for (a, p), (b, q) in pairs}
        return ProbabilitySpace(weights, names, {**self.domains, **other.domains})

    __rmul__ = __mul__

    def factored(self, network: Network) -> ProbabilitySpace:
        """The distribution that factors as a Bayesian network, with the conditionals of this space.

        It equals this space if the independence assumptions of the network hold.

        Parameters
        ----------
        network : Network
            The structure, over the same variables.

        Returns
        -------
        ProbabilitySpace
            The joint distribution of the network.
        """
        with error_context(WHO):
            net = network_of(network)
            if {*net.parents} != {*self.names}:
                raise OptionError(
                    f"the variables of the network are {quoted_list(net.parents)}, but the "
                    f"space has {quoted_list(self.names)}. Use the same variables in both."
                )
        values = {name: tuple(self[name].distribution()) for name in net.parents}
        whole = Network(net.parents, values)
        return self.from_network(whole, joint_tables.conditional_tables(self.P, whole))

    def show_work(self) -> Derivation:
        """Every outcome with its probability, and their sum."""
        names = self.names or ("ω",)
        rows = tuple(
            (*map(str, w if self._joint else (w,)), number_text(p)) for w, p in self.weights.items()
        )
        whole = equation(f"P(Ω) = {number_text(exact_sum(self.weights.values()))}")
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
        if not isinstance(name, str):
            raise KindError(
                f"the name of an event is {short_repr(name)}. Use text, such as 'even'."
            )
        return event_of(self.weights, self.domains, what, name)

    def _thing(self, what: Any, lists: bool = False) -> Any:
        """A variable, by itself or by its name; else an event, or a list that is read later."""
        if isinstance(what, RandomVariable):
            return check_same_space(what, self._sample)
        if isinstance(what, str) and what in self.names and not is_among(what, self.weights):
            return self[what]
        return what if lists else self._event(what)

    def _sum(self, events: Sequence[Event]) -> Number:
        inside = reduce(frozenset.__and__, [event.outcomes for event in events]) if events else self
        return exact_sum(self.weights[w] for w in inside)

    def _parts(self, outcome: Any) -> tuple[Any, ...]:
        whole = isinstance(outcome, tuple) and len(self.names) != 1
        return outcome if whole else (outcome,)


def _weights(given: Mapping[Any, Any]) -> dict[Any, Number]:
    if not given:
        raise InputError("there are no outcomes. Give one or more.")
    return read_distribution(given, "the outcome", "the probabilities")


def _read_names(names: Any) -> tuple[str, ...]:
    found = distinct_names((names,) if isinstance(names, str) else names, "the name")
    if odd := [name for name in found if not isinstance(name, str)]:
        raise KindError(f"the name of a variable is {short_repr(odd[0])}. Use text, such as 'X'.")
    return found
