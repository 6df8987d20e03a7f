"""Nodes are frozen records: equal by their fields, hashable, and made with every field given."""

from __future__ import annotations

import copy
import pickle

import pytest

from tallylearn.expressions import (
    Literal,
    NumberColumn,
    Power,
    Product,
    Sum,
    TieRule,
    columns_in,
    substitute,
)

SQUARE = Product((Literal(2.0), Power(NumberColumn("x"), 2.0)))


def test_nodes_are_equal_by_type_and_fields() -> None:
    assert Sum((Literal(1.0),)) == Sum(terms=(Literal(1.0),)) != Product((Literal(1.0),))
    assert hash(Sum((Literal(1.0),))) == hash(Sum((Literal(1.0),)))
    assert Literal(1.0) != Literal(2.0)
    assert len({SQUARE, copy.deepcopy(SQUARE), pickle.loads(pickle.dumps(SQUARE))}) == 1


def test_a_node_shows_its_fields_and_has_defaults() -> None:
    assert repr(Power(NumberColumn("x"), 2.0)) == "Power(base=NumberColumn(name='x'), exponent=2.0)"
    assert TieRule(choose="last") == TieRule(0.0, 0.0, 0.0, "last")


def test_a_node_is_frozen() -> None:
    with pytest.raises(AttributeError, match="frozen"):
        SQUARE.factors = ()  # type: ignore[misc]  # that it is refused is the point
    with pytest.raises(AttributeError, match="frozen"):
        del SQUARE.factors


@pytest.mark.parametrize("fields", [{}, {"value": 1.0, "other": 2.0}, {"other": 2.0}])
def test_a_node_takes_its_fields_and_no_others(fields: dict[str, float]) -> None:
    with pytest.raises(TypeError, match="Literal takes value"):
        Literal(**fields)
    with pytest.raises(TypeError, match="Literal takes value"):
        Literal(1.0, 2.0)  # type: ignore[call-arg]  # that it is refused is the point
    with pytest.raises(TypeError, match="Literal takes value"):
        Literal(1.0, value=2.0)  # type: ignore[misc]  # that it is refused is the point


def test_columns_are_replaced_and_what_has_none_stays_itself() -> None:
    assert columns_in(SQUARE) == {"x"}
    moved = substitute(SQUARE, {"x": Sum((NumberColumn("y"), Literal(-1.0)))})
    assert columns_in(moved) == {"y"}
    assert substitute(SQUARE, {"z": Literal(0.0)}) is SQUARE
