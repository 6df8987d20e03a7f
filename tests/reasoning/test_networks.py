"""Bayes nets: d-separation against a second way to it, tables against the joint."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn.errors import InputError, OptionError
from tallylearn.reasoning.probability.bayes_nets import Network

NAMES = ("a", "b", "c", "d", "e")


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Edges only from earlier names to later ones, so there is no circle."""
    edges = draw(st.sets(st.sampled_from(list(combinations(NAMES, 2)))))
    parents = {n: tuple(a for a, b in sorted(edges) if b == n) for n in NAMES}
    return Network(parents, dict.fromkeys(NAMES, (False, True)))


def separated_by_moralising(net: Network, x: str, y: str, known: set[str]) -> bool:
    """S. Lauritzen and others, 1990: no path in the moral graph of the ancestors."""
    kept, left = {x, y, *known}, [x, y, *known]
    while left:
        for parent in net.parents[left.pop()]:
            if parent not in kept:
                kept.add(parent)
                left.append(parent)
    edges = {(p, n) for n in kept for p in net.parents[n]}
    edges |= {pair for n in kept for pair in combinations(net.parents[n], 2)}
    reached, left = {x}, [x]
    while left:
        here = left.pop()
        for a, b in edges:
            for there in ({a, b} - {here}) if here in (a, b) else ():
                if there not in reached | known:
                    reached.add(there)
                    left.append(there)
    return y not in reached


@given(networks(), st.data())
def test_d_separation_agrees_with_the_moral_graph(net: Network, data: st.DataObject) -> None:
    x, y, *rest = data.draw(st.permutations(NAMES))
    known = data.draw(st.sets(st.sampled_from(rest)))
    answer = net.separated(x, y, given=sorted(known))
    assert answer.value is separated_by_moralising(net, x, y, known)
    assert answer.value is net.separated(y, x, given=sorted(known)).value


@given(networks(), st.data())
def test_what_is_separated_is_independent_in_every_table(net: Network, data: st.DataObject) -> None:
    def row() -> dict[bool, Fraction]:
        p = Fraction(data.draw(st.integers(1, 6)), 7)
        return {False: 1 - p, True: p}

    tables: dict[str, Any] = {}
    for name, above in net.parents.items():
        cases = [()]
        for _ in above:
            cases = [(*case, v) for case in cases for v in (False, True)]
        tables[name] = (
            {case[0] if len(case) == 1 else case: row() for case in cases} if above else row()
        )
    space = tl.ProbabilitySpace.from_network(net, tables)
    assert sum(space.weights.values()) == 1
    x, y, z = data.draw(st.permutations(NAMES))[:3]
    if net.separated(x, y, given=z):
        assert space.independent(space[x], space[y], given=space[z]).value is True
    assert space.factored(net).weights == space.weights


def test_table_sizes_are_exponential_and_linear() -> None:
    for n in (1, 10, 100):
        sizes = tl.ProbabilitySpace.naive_bayes("Y", [f"F{i}" for i in range(n)]).table_sizes()
        assert sizes.scores == {"joint": 2 ** (n + 1), "network": 4 * n + 2, "free": 2 * n + 1}


def test_one_more_edge_opens_a_trail_and_doubles_a_table() -> None:
    net = tl.ProbabilitySpace.naive_bayes("Y", ["F1", "F2"])
    more = net.with_edge("F1", "F2")
    assert more.table_sizes().scores["network"] == 2 + 4 + 8
    assert "F1 → F2 is open" in str(more.separated("F1", "F2", given="Y"))
    assert "F1 ← Y → F2 is open" in str(net.separated("F1", "F2"))


def test_naive_bayes_predicts_what_its_joint_table_says() -> None:
    tennis = tl.example("tennis")
    net = tl.ProbabilitySpace.naive_bayes("PlayTennis", ["Outlook", "Wind"])
    joint = tl.ProbabilitySpace.from_table(tennis, ["PlayTennis", "Outlook", "Wind"]).factored(net)
    seen = {"Outlook": "Sunny", "Wind": "Strong"}
    expected = joint.P({"PlayTennis": "No"}, given=seen)
    rows = tl.table(_rows(tennis), target="PlayTennis")
    model = tl.NaiveBayes(alpha=0).fit(rows)
    assert model.predict_proba(seen)[0, 0] == pytest.approx(float(expected), abs=1e-12)


def _rows(tennis: Any) -> list[dict[str, Any]]:
    block = tennis.block
    columns = {name: block.codes[name].items() for name in ("Outlook", "Wind")}
    columns["PlayTennis"] = tennis.target.to_pylist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


Y = {"Y": {False: "1/2", True: "1/2"}}
BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "label twice": (lambda: Network.naive("Y", ["Y"]), OptionError, "'Y' is both the label"),
    "feature twice": (lambda: Network.naive("Y", ["F", "F"]), InputError, "'F' occurs twice"),
    "one variable": (
        lambda: Network.naive("Y", ["F"]).separated("F", "F"), OptionError, "both .* are 'F'",
    ),
    "circle": (
        lambda: Network.naive("Y", ["F"]).with_edge("F", "Y"), OptionError, "cycle through",
    ),
    "parent": (lambda: Network({"a": ("b",)}, {"a": (0, 1)}), OptionError, "'b' is a parent"),
    "unknown": (
        lambda: Network.naive("Y", ["F"]).separated("F", "G"), OptionError, "no variable 'G'",
    ),
    "given": (
        lambda: Network.naive("Y", ["F"]).separated("F", "Y", given="Y"), OptionError, "'Y' is",
    ),
    "no table": (
        lambda: tl.ProbabilitySpace.from_network(Network.naive("Y", ["F"]), Y),
        InputError, r"no entry for P\(F \| Y\).*'F'",
    ),
    "short row": (
        lambda: tl.ProbabilitySpace.from_network(
            Network.naive("Y", ["F"]), Y | {"F": {False: {True: 1}}}
        ),
        InputError, "given False are .*each of False, True",
    ),
    "no sum": (
        lambda: tl.ProbabilitySpace.from_network(
            Network.naive("Y", []), {"Y": {False: "1/2", True: "1/3"}}
        ),
        InputError, "probabilities of Y sum to 5/6",
    ),
    "too large": (
        lambda: tl.ProbabilitySpace.from_network(
            Network.naive("Y", [f"F{i}" for i in range(20)]), {}
        ),
        InputError, "2097152 entries.*1,048,576",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name: str) -> None:
    call, kind, message = BAD[name]
    with pytest.raises(kind, match=message):
        call()
