"""Structures: which variable has which parents, as they are given and as they are checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallylearn.errors import KindError, OptionError, listed, told
from tallylearn.reasoning.names import distinct, several, within

Parents = dict[str, tuple[str, ...]]
Values = dict[str, tuple[Any, ...]]


def read_edges(edges: Any) -> Parents:
    """The parents of every variable, from {child: parents} or from pairs (parent, child)."""
    if isinstance(edges, Mapping):
        found = {child: _names(above) for child, above in edges.items()}
    else:
        found = {}
        for parent, child in map(_pair, several(edges, "the edge")):
            found.setdefault(parent, ())
            found[child] = (*found.get(child, ()), parent)
    roots = (parent for above in found.values() for parent in above)
    return {**found, **{root: () for root in roots if root not in found}}


def read_structure(parents: Any, values: Any) -> tuple[Parents, Values]:
    """Parents that are variables, and the values of each: False and True unless given."""
    if not isinstance(parents, Mapping) or not isinstance(values, Mapping):
        odd = parents if not isinstance(parents, Mapping) else values
        raise KindError(
            f"a network is {{variable: its parents}}, and values are {{variable: values}}; got "
            f"{told(odd)}."
        )
    read = {_name(name): _names(above) for name, above in parents.items()}
    if not read:
        raise OptionError("the network has no variables. Name one or more.")
    if unknown := [name for name in values if not within(name, read)]:
        raise OptionError(
            f"{told(unknown[0])} has values, and is no variable of the network, which has "
            f"{listed(read)}."
        )
    for name, above in read.items():
        if odd := [parent for parent in above if parent not in read]:
            raise OptionError(
                f"{told(odd[0])} is a parent of {told(name)}, and no variable of the network, "
                f"which has {listed(read)}."
            )
    return read, {name: _domain(name, values.get(name, (False, True))) for name in read}


def _domain(name: str, values: Any) -> tuple[Any, ...]:
    found = distinct(values, f"the value of {name}")
    if not found:
        raise OptionError(f"{name} has no values. Give one or more.")
    return found


def _names(above: Any) -> tuple[str, ...]:
    names = (
        (above,) if isinstance(above, str) else several(() if above is None else above, "parent")
    )
    return distinct(map(_name, names), "the parent")


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise KindError(f"the variables of a network have names, which are text; got {told(name)}.")
    return name


def _pair(edge: Any) -> tuple[str, str]:
    if not isinstance(edge, tuple | list) or len(edge) != 2:
        raise KindError(f"an edge is a pair (parent, child); got {told(edge)}.")
    return _name(edge[0]), _name(edge[1])
