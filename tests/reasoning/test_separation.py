"""d-separation against brute force: independence in joint distributions of the structure."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

from tallylearn.reasoning.probability.bayes_nets import Network

NAMES = ("a", "b", "c", "d")
EDGES = tuple(combinations(NAMES, 2))


def structures() -> list[Network]:
    """All 64 structures of four variables whose edges go ahead in the alphabet."""
    found = []
    for chosen in product((False, True), repeat=len(EDGES)):
        edges = [edge for edge, there in zip(EDGES, chosen, strict=True) if there]
        parents = {name: tuple(p for p, child in edges if child == name) for name in NAMES}
        found.append(Network(parents, dict.fromkeys(NAMES, (0, 1))))
    return found


def filled(net: Network, lot: random.Random) -> dict[tuple[int, ...], int]:
    """A joint distribution of the structure, times a constant, its numbers by lot.

    Numbers of no relation: what is not separated is dependent, but for luck of one in thousands.
    """
    rows: dict[tuple[str, tuple[int, ...]], int] = {}
    joint = {}
    for outcome in product((0, 1), repeat=len(NAMES)):
        at = dict(zip(NAMES, outcome, strict=True))
        weight = 1
        for name in NAMES:
            key = name, tuple(at[parent] for parent in net.parents[name])
            share = rows.setdefault(key, lot.randrange(100, 9900))
            weight *= share if at[name] else 10_000 - share
        joint[outcome] = weight
    return joint


def independent(joint: dict[tuple[int, ...], int], x: str, y: str, known: tuple[str, ...]) -> bool:
    """P(x, y, z) P(z) = P(x, z) P(y, z), for all values."""
    both, left, right, rest = Counter(), Counter(), Counter(), Counter()  # type: ignore[var-annotated]
    for outcome, weight in joint.items():
        at = dict(zip(NAMES, outcome, strict=True))
        z = tuple(at[name] for name in known)
        both[at[x], at[y], z] += weight
        left[at[x], z] += weight
        right[at[y], z] += weight
        rest[z] += weight
    return all(n * rest[z] == left[u, z] * right[v, z] for (u, v, z), n in both.items())


@pytest.mark.parametrize("number", range(2 ** len(EDGES)))
def test_what_is_separated_is_independent_and_what_is_not_is_dependent(number: int) -> None:
    net = structures()[number]
    joint = filled(net, random.Random(number))
    for x, y in combinations(NAMES, 2):
        others = [name for name in NAMES if name not in (x, y)]
        for known in (k for n in range(3) for k in combinations(others, n)):
            found = net.separated(x, y, given=known)
            assert found.value is independent(joint, x, y, known), (net, x, y, known)
            assert net.separated(y, x, given=known).value is found.value


CASES: dict[str, tuple[Any, list[tuple[tuple[str, ...], bool]]]] = {
    "chain": ({"b": "a", "c": "b"}, [((), False), (("b",), True)]),
    "fork": ({"a": "b", "c": "b"}, [((), False), (("b",), True)]),
    "collider": ({"b": ["a", "c"]}, [((), True), (("b",), False)]),
    "child of a collider": ({"b": ["a", "c"], "e": "b"}, [((), True), (("e",), False)]),
    "grandchild": ({"b": ["a", "c"], "e": "b", "f": "e"}, [(("f",), False), (("e",), False)]),
    "collider behind a fork": (
        {"a": "u", "b": ["u", "v"], "c": "v"},
        [
            ((), True),
            (("b",), False),
            (("b", "u"), True),
            (("b", "v"), True),
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_collider_is_closed_until_it_or_what_follows_is_known(name: str) -> None:
    edges, asked = CASES[name]
    net = Network.of(edges)
    for known, expected in asked:
        assert net.separated("a", "c", given=known).value is expected, known


def test_the_open_trail_is_one() -> None:
    net = Network.of({"b": ["a", "c"], "e": "b"})
    assert "The trail a → b ← c is open" in str(net.separated("a", "c", given="b"))
    assert "Every trail from a to c is blocked" in str(net.separated("a", "c"))
    assert Fraction(net.separated("a", "c")) == 1
