"""Bayes nets: a joint distribution as one conditional table for each variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from tallylearn.errors import InputError, KindError, OptionError, quoted_list, short_repr
from tallylearn.reasoning.answers import Answer, WorkReport, make_answer
from tallylearn.reasoning.names import MAX_LISTED, check_name, distinct_names, is_among, list_items
from tallylearn.reasoning.probabilities import (
    Number,
    check_sums_to_one,
    number_text,
    read_probability,
)
from tallylearn.reasoning.table_arguments import numbers_by_name, rows_by_name
from tallylearn.reporting.charts import Plot, draw_network
from tallylearn.workings import Derivation, Grid, Sentence

Tables = Mapping[str, Mapping[Any, Any]]
Parents = dict[str, tuple[str, ...]]
Values = dict[str, tuple[Any, ...]]


@dataclass(frozen=True, repr=False)
class Network(WorkReport):
    """Which variable depends on which: the parents of each, and its values.

    >>> net = Network.naive("Y", ["F1", "F2"])
    >>> net
    Network(Y; F1 | Y; F2 | Y)
    >>> net.separated("F1", "F2", given="Y").value, net.separated("F1", "F2").value
    (True, False)
    """

    parents: Mapping[str, tuple[str, ...]]
    values: Mapping[str, Sequence[Any]]

    def __post_init__(self) -> None:
        parents, values = read_structure(self.parents, self.values)
        object.__setattr__(self, "parents", parents)
        object.__setattr__(self, "values", values)
        list(self.order())

    @classmethod
    def naive(
        cls, label: str, features: Sequence[str], values: Mapping[str, Sequence[Any]] | None = None
    ) -> Network:
        """Naive Bayes: the label is the one parent of every feature."""
        named = distinct_names(features, "the feature")
        if is_among(label, named):
            raise OptionError(
                f"{short_repr(label)} is both the label and a feature. Leave it out of "
                "the features."
            )
        check_name(label, "the label")
        return cls({label: (), **dict.fromkeys(named, (label,))}, {} if values is None else values)

    @classmethod
    def of(cls, edges: Any, values: Mapping[str, Sequence[Any]] | None = None) -> Network:
        """Any edges: {child: parents}, or pairs (parent, child)."""
        return cls(read_edges(edges), {} if values is None else values)

    def with_edge(self, parent: str, child: str) -> Network:
        """One more dependence: fewer assumptions, larger tables."""
        self._check_variables(parent, child)
        more = (*self.parents[child], parent)
        return replace(self, parents={**self.parents, child: tuple(dict.fromkeys(more))})

    def order(self) -> Iterator[str]:
        """The variables, parents first."""
        left = dict(self.parents)
        while left:
            ready = [name for name, above in left.items() if not {*above} & {*left}]
            if not ready:
                raise OptionError(
                    f"the network has a cycle through {quoted_list(left)}. Remove one of its edges."
                )
            yield from ready
            left = {name: above for name, above in left.items() if name not in ready}

    def table_sizes(self) -> Answer:
        """Entries of the joint table and of the network's tables, and how many are free."""
        sizes = {name: len(values) for name, values in self.values.items()}
        rows = {name: prod(sizes[p] for p in above) for name, above in self.parents.items()}
        joint = prod(sizes.values())
        entries = sum(sizes[name] * rows[name] for name in rows)
        free = sum((sizes[name] - 1) * rows[name] for name in rows)
        lines = tuple(
            (
                self._condition(name),
                str(sizes[name] * rows[name]),
                str((sizes[name] - 1) * rows[name]),
            )
            for name in rows
        )
        sums = (
            ("the network", str(entries), str(free)),
            ("the joint table", *(number_text(Fraction(n)) for n in (joint, joint - 1))),
        )
        steps = (
            Grid("", ("table", "entries", "free"), (*lines, *sums)),
            Sentence("A row of a table sums to 1, so one entry of it is not free."),
        )
        counts = {"joint": joint, "network": entries, "free": free}
        return replace(make_answer(entries, "Table sizes", *steps), scores=counts)

    def separated(self, a: str, b: str, given: str | Sequence[str] = ()) -> Answer:
        """Whether the structure alone makes two variables independent (d-separation).

        D. Koller, N. Friedman: Probabilistic Graphical Models, 2009, algorithm 3.1.
        """
        named = (given,) if isinstance(given, str) else list_items(given, "the condition")
        self._check_variables(a, b, *named)
        known = {*named}
        if a == b:
            raise OptionError(f"both variables are {short_repr(a)}. Name two different variables.")
        if {a, b} & known:
            raise OptionError(
                f"{quoted_list({a, b} & known)} is also in given. Leave it out of given."
            )
        trail = self._trail(a, b, known)
        bar = f" given {', '.join(sorted(known))}" if known else ""
        if trail is None:
            said = f"Every trail from {a} to {b} is blocked: they are independent{bar}."
        else:
            said = f"The trail {trail} is open: {a} and {b} may depend on each other{bar}."
        return make_answer(trail is None, f"d-separation of {a} and {b}{bar}", Sentence(said))

    def weights(self, tables: Tables) -> dict[tuple[Any, ...], Number]:
        """The joint table: every outcome has the product of its entries."""
        names = list(self.parents)
        if not isinstance(tables := numbers_by_name(tables), Mapping):
            raise KindError(
                f"tables is {short_repr(tables)}. Pass a dict "
                f"{{variable: {{value of the parent: {{value: probability}}}}}}."
            )
        if (size := prod(map(len, self.values.values()))) > MAX_LISTED:
            raise InputError(
                f"the joint table of {len(names)} variables has "
                f"{number_text(Fraction(size))} entries, and the limit is "
                f"{MAX_LISTED:,}. Use fewer variables."
            )
        read = {name: self._read(name, tables) for name in names}
        result = {}
        for outcome in product(*(self.values[name] for name in names)):
            at = dict(zip(names, outcome, strict=True))
            entries = (read[n][tuple(at[p] for p in self.parents[n])][at[n]] for n in names)
            result[outcome] = prod(entries, start=Fraction(1))
        return result

    def plot(self) -> Plot:
        """The variables, parents above their children, an arrow for every edge."""
        edges = [(parent, name) for name, above in self.parents.items() for parent in above]
        return draw_network(list(self.order()), edges, "Bayes net")

    def show_work(self) -> Derivation:
        """The structure and the sizes of its tables."""
        return Derivation(repr(self), self.table_sizes().work.steps)

    def __repr__(self) -> str:
        tables = [self._condition(name) for name in self.order()]
        rest = f"; … {len(tables) - 12} more" if len(tables) > 12 else ""
        return f"Network({'; '.join(tables[:12])}{rest})"

    def _condition(self, name: str) -> str:
        above = ", ".join(self.parents[name])
        return f"{name} | {above}" if above else name

    def _check_variables(self, *names: str) -> None:
        if unknown := [name for name in names if not is_among(name, self.parents)]:
            raise OptionError(
                f"the network has no variable {short_repr(unknown[0])}. Choose from "
                f"{quoted_list(self.parents)}."
            )

    def _read(self, name: str, tables: Tables) -> dict[tuple[Any, ...], dict[Any, Number]]:
        """The rows of a table, by the values of the parents."""
        if name not in tables:
            raise InputError(
                f"tables has no entry for P({self._condition(name)}). Add one with the "
                f"key {name!r}."
            )
        above = self.parents[name]
        if above:
            given = rows_by_name(tables[name], len(above))
        else:
            given = {(): numbers_by_name(tables[name])}
        if not isinstance(given, Mapping):
            raise KindError(
                f"the table of {name!r} is {short_repr(given)}. Give a row for each "
                "combination of values of the parents."
            )
        read = {}
        for case in product(*(self.values[parent] for parent in above)):
            key = case[0] if len(case) == 1 else case
            which = f"the probabilities of {name}{f' given {short_repr(key)}' if above else ''}"
            read[case] = self._row(name, given.get(key), which)
        return read

    def _row(self, name: str, row: Any, which: str) -> dict[Any, Number]:
        """P(value) for every value; of False and True the probability of True will do."""
        values = self.values[name]
        if row is not None and not isinstance(row, Mapping) and {*values} == {False, True}:
            p = read_probability(row, f"P({name} = True)")
            return {True: p, False: 1 - p}
        if not isinstance(row, Mapping) or {*row} != {*values}:
            raise InputError(
                f"{which} are {short_repr(row)}. Give one probability for each of "
                f"{quoted_list(values)}."
            )
        read = {v: read_probability(p, f"P({name} = {v})") for v, p in row.items()}
        check_sums_to_one(read, which)
        return read

    def _trail(self, a: str, b: str, known: set[str]) -> str | None:
        """An open trail: a fork or a chain is closed by what is given, a collider opened."""
        children = {n: [c for c, above in self.parents.items() if n in above] for n in self.parents}
        opening = self._ancestors(known)
        reached: dict[tuple[str, bool], str] = {(a, True): a}  # (where, whether from below)
        left = [(a, True)]
        for name, from_below in left:
            if name == b:
                return reached[name, from_below]
            up = name in opening if not from_below else name not in known
            steps = [(n, True, " ← ") for n in self.parents[name] if up]
            steps += [(n, False, " → ") for n in children[name] if name not in known]
            for n, below, arrow in steps:
                if (n, below) not in reached:
                    reached[n, below] = reached[name, from_below] + arrow + n
                    left.append((n, below))
        return None

    def _ancestors(self, names: set[str]) -> set[str]:
        found, left = set(names), list(names)
        while left:
            more = {*self.parents[left.pop()]} - found
            found |= more
            left += more
        return found


def network_of(given: Any) -> Network:
    """A network, or the edges of one."""
    return given if isinstance(given, Network) else Network.of(given)


def read_edges(edges: Any) -> Parents:
    """The parents of every variable, from {child: parents} or from pairs (parent, child)."""
    if isinstance(edges, Mapping):
        found = {child: _names(above) for child, above in edges.items()}
    else:
        found = {}
        for parent, child in map(_pair, list_items(edges, "the edge")):
            found.setdefault(parent, ())
            found[child] = (*found.get(child, ()), parent)
    roots = (parent for above in found.values() for parent in above)
    return {**found, **{root: () for root in roots if root not in found}}


def read_structure(parents: Any, values: Any) -> tuple[Parents, Values]:
    """Parents that are variables, and the values of each: False and True unless given."""
    if not isinstance(parents, Mapping) or not isinstance(values, Mapping):
        odd = parents if not isinstance(parents, Mapping) else values
        raise KindError(
            f"the network or its values are {short_repr(odd)}. Pass a dict "
            f"{{variable: parents}}, and values={{variable: values}}."
        )
    read = {_name(name): _names(above) for name, above in parents.items()}
    if not read:
        raise OptionError("the network has no variables. Give one or more.")
    if unknown := [name for name in values if not is_among(name, read)]:
        raise OptionError(
            f"values has {short_repr(unknown[0])}, which is not a variable of the "
            f"network. Choose from {quoted_list(read)}."
        )
    for name, above in read.items():
        if odd := [parent for parent in above if parent not in read]:
            raise OptionError(
                f"{short_repr(odd[0])} is a parent of {short_repr(name)}, but it is not "
                "a variable of the network. Add it to the network, or choose from "
                f"{quoted_list(read)}."
            )
    return read, {name: _domain(name, values.get(name, (False, True))) for name in read}


def _domain(name: str, values: Any) -> tuple[Any, ...]:
    found = distinct_names(values, f"the value of {name}")
    if not found:
        raise OptionError(f"variable {name!r} has no values. Give one or more.")
    return found


def _names(above: Any) -> tuple[str, ...]:
    names = (
        (above,) if isinstance(above, str) else list_items(() if above is None else above, "parent")
    )
    return distinct_names(map(_name, names), "the parent")


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise KindError(
            f"a variable of the network has the name {short_repr(name)}. Use text, such as 'Rain'."
        )
    return name


def _pair(edge: Any) -> tuple[str, str]:
    if not isinstance(edge, tuple | list) or len(edge) != 2:
        raise KindError(
            f"an edge of the network is {short_repr(edge)}. Pass a pair (parent, child)."
        )
    return _name(edge[0]), _name(edge[1])
