"""Substitution: put the expressions of a pipeline's steps in the place of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from tallylearn.expressions.nodes import (
    Category,
    CategoryColumn,
    Expression,
    Number,
    NumberColumn,
    TextColumn,
)

Node = TypeVar("Node", bound=Expression)


def substitute(node: Node, columns: Mapping[str, Number | Category]) -> Node:
    """The tree with its columns replaced by expressions; columns without one stay."""
    done: dict[int, Any] = {}
    found: Node = _replace(node, columns, done)
    return found


def columns_in(node: Expression) -> frozenset[str]:
    """The names of the columns that an expression reads."""
    kinds = NumberColumn | CategoryColumn | TextColumn
    return frozenset(one.name for one in _nodes(node) if isinstance(one, kinds))


def children_of(node: Expression) -> list[Expression]:
    """The nodes in the fields of a node, from left to right."""
    found: list[Expression] = []
    waiting: list[Any] = [*vars(node).values()][::-1]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Expression):
            found.append(value)
        elif isinstance(value, tuple):
            waiting.extend(value[::-1])
    return found


def _replace(value: Any, columns: Mapping[str, Number | Category], done: dict[int, Any]) -> Any:
    if isinstance(value, NumberColumn | CategoryColumn):
        return columns.get(value.name, value)
    if isinstance(value, tuple):
        items = tuple(_replace(item, columns, done) for item in value)
        same = all(a is b for a, b in zip(items, value, strict=True))
        return value if same else items
    if not isinstance(value, Expression):
        return value
    if id(value) not in done:  # what is shared stays shared: it is evaluated once
        new = {name: _replace(item, columns, done) for name, item in vars(value).items()}
        same = all(item is getattr(value, name) for name, item in new.items())
        done[id(value)] = value if same else type(value)(**new)
    return done[id(value)]


def _nodes(root: Expression) -> Iterator[Expression]:
    """All nodes of a tree, a shared one once."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting.extend(children_of(node))
