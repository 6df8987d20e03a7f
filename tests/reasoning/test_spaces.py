"""Probability spaces: axioms, events, variables, joint tables, on random and hostile input."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, KindError, OptionError

Space = Any
WEIGHTS = st.lists(st.integers(0, 20), min_size=1, max_size=8).filter(any)


def space_of(weights: list[int]) -> Space:
    return tl.ProbabilitySpace({i: Fraction(w, sum(weights)) for i, w in enumerate(weights)})


@st.composite
def spaces_with_events(draw: st.DrawFn, events: int = 2) -> tuple[Any, ...]:
    space = space_of(draw(WEIGHTS))
    sets = st.sets(st.sampled_from(list(space)))
    return space, *(space.event(draw(sets), name=f"e{i}") for i in range(events))


@given(spaces_with_events())
def test_the_axioms_and_corollaries_hold(case: tuple[Any, ...]) -> None:
    space, a, b = case
    assert space.axioms(a, b).value is True
    assert 0 <= space.P(a) <= 1
    assert space.P(a | b) == space.P(a) + space.P(b) - space.P(a & b)
    assert space.P(a) == space.P(a & b) + space.P(a - b)
    assert space.P(~a) == 1 - space.P(a)


@given(spaces_with_events())
def test_events_are_sets(case: tuple[Any, ...]) -> None:
    _, a, b = case
    assert {*(a & b)} == {*a} & {*b}
    assert {*(a | b)} == {*a} | {*b}
    assert {*(a - b)} == {*a} - {*b}
    assert ~(a | b) == ~a & ~b
    assert ~~a == a
    assert hash(~~a) == hash(a)


@given(spaces_with_events())
def test_bayes_is_the_direct_conditional(case: tuple[Any, ...]) -> None:
    space, h, e = case
    if not space.P(h) or not space.P(e):
        with pytest.raises(InputError, match="is not defined: P"):
            space.bayes(h, given=e)
        return
    answer = space.bayes(h, given=e)
    assert answer.value == space.P(h, given=e) == space.P(h & e) / space.P(e)
    text = str(answer)
    assert all(word in text for word in ("prior", "likelihood", "evidence", "posterior"))


@given(spaces_with_events(3))
def test_the_chain_rule_multiplies_to_the_conjunction(case: tuple[Any, ...]) -> None:
    space, a, b, c = case
    if space.P(a & b):
        assert space.chain_rule(a, b, c).value == space.P(a, b, c) == space.P(a & b & c)
        assert space.product_rule(a, b).value == space.P(a & b)


@given(spaces_with_events(3))
def test_total_probability_over_a_partition(case: tuple[Any, ...]) -> None:
    space, a, b, c = case
    parts = [b & c, b - c, c - b, ~(b | c)]
    assert space.total_probability(a, parts).value == space.P(a)


@given(spaces_with_events())
def test_independence_is_the_product_and_all_its_complements(case: tuple[Any, ...]) -> None:
    space, a, b = case
    answer = space.independent(a, b)
    assert answer.value is (space.P(a & b) == space.P(a) * space.P(b))
    assert answer.value is space.independent(~a, b).value is space.independent(~a, ~b).value
    assert ("A witness" in str(answer)) is not answer.value


@given(WEIGHTS, st.lists(st.integers(-50, 50), min_size=8, max_size=8))
def test_expectation_and_variance_by_the_outcomes(weights: list[int], values: list[int]) -> None:
    space = space_of(weights)
    gain = space.variable(lambda w: values[w])
    mean = sum(p * values[w] for w, p in space.weights.items())
    assert gain.expectation() == mean
    assert gain.variance() == sum(p * values[w] ** 2 for w, p in space.weights.items()) - mean**2
    assert sum(gain.distribution().values()) == 1
    assert all(space.P(gain == x) == p for x, p in gain.distribution().items())
    assert space.variable_rules(gain, {*space}).value is True


@given(WEIGHTS)
def test_floats_give_what_fractions_give(weights: list[int]) -> None:
    exact = space_of(weights)
    rounded = tl.ProbabilitySpace({w: float(p) for w, p in exact.weights.items()})
    event = {w for w in exact if w % 2}
    assert isinstance(rounded.P({*rounded}), float)
    assert rounded.P(event) == pytest.approx(float(exact.P(event)), abs=1e-12)
    assert rounded.independent(event, {0}).value is exact.independent(event, {0}).value


@given(spaces_with_events())
def test_a_power_set_is_a_sigma_algebra_and_a_part_of_it_is_not(case: tuple[Any, ...]) -> None:
    space, a, _ = case
    everything = {*space}
    assert space.is_sigma_algebra([everything, [], a, ~a]).value is True
    if 0 < len(a) < len(space):
        missing = space.is_sigma_algebra([everything, [], a])
        assert missing.value is False
        assert "the complement of e0" in str(missing)


def test_a_missing_union_is_named() -> None:
    dice = tl.ProbabilitySpace.uniform(range(1, 7))
    one, two = dice.event({1}), dice.event({2})
    answer = dice.is_sigma_algebra([{*dice}, [], one, ~one, two, ~two])
    assert "the union of {1} and {2} is {1, 2}, and is missing." in str(answer)


def test_propositions_are_events_and_print_as_sentences() -> None:
    coins = tl.ProbabilitySpace.uniform(
        [(a, b, c) for a in (True, False) for b in (True, False) for c in (True, False)],
        names=["x1", "x2", "x3"],
    )
    x1, x2, x3 = coins.propositions()
    phi = (x1 | x2) & ~x3
    assert str(phi) == "(x1 ∨ x2) ∧ ¬x3"
    assert str(~phi) == "¬((x1 ∨ x2) ∧ ¬x3)"
    assert str(x1 & x2 | x3) == "(x1 ∧ x2) ∨ x3"
    answer = coins.enumerate(phi)
    assert answer.value == coins.P(phi) == Fraction(3, 8)
    assert len(answer.to_dict()["steps"][1]["rows"]) == 3
    assert coins.enumerate(phi, given=~x1).value == Fraction(1, 4)
    assert coins.P(~x1 | x2) == Fraction(3, 4)


def test_a_product_of_spaces_is_independent() -> None:
    coin = tl.ProbabilitySpace({"head": "1/3", "tail": "2/3"}, "coin")
    dice = tl.ProbabilitySpace.uniform(range(1, 7), ["dice"])
    both = coin * dice
    assert both.names == ("coin", "dice")
    assert both.independent(both["coin"], both["dice"]).value is True
    assert both.marginal("coin").weights == coin.weights
    assert both.given({"dice": 6}).P({"coin": "head"}) == Fraction(1, 3)
    three = tl.ProbabilitySpace.uniform((1, 2)) * tl.ProbabilitySpace.uniform((3, 4)) * coin
    assert next(iter(three)) == (1, 3, "head")


def test_conditional_independence_hides_behind_a_common_cause() -> None:
    net = tl.ProbabilitySpace.naive_bayes("C", ["A", "B"])
    rows = {False: {True: "1/10", False: "9/10"}, True: {True: "8/10", False: "2/10"}}
    space = tl.ProbabilitySpace.from_network(
        net, {"C": {True: "1/2", False: "1/2"}, "A": rows, "B": rows}
    )
    assert space.independent(space["A"], space["B"]).value is False
    assert space.independent(space["A"], space["B"], given=space["C"]).value is True
    a, b, c = space.propositions("A", "B", "C")
    assert space.independent(a, b, given=c).value is True
    assert space.P(a, given=b & c) == space.P(a, given=c)


@given(st.lists(st.tuples(st.sampled_from("xy"), st.integers(0, 2)), min_size=1, max_size=30))
def test_a_joint_table_is_the_share_of_the_rows(rows: list[tuple[str, int]]) -> None:
    space = tl.ProbabilitySpace.from_table([{"a": a, "b": b} for a, b in rows])
    expected = {key: Fraction(n, len(rows)) for key, n in Counter(rows).items()}
    assert space.weights == expected
    assert space.names == ("a", "b")


def test_a_joint_table_keeps_truth_values_numbers_and_the_target() -> None:
    frame = pd.DataFrame({"t": [True, False, True], "x": [0.5, 2.0, 0.5], "y": ["u", "v", "u"]})
    space = tl.ProbabilitySpace.from_table(tl.table(frame, target="y"))
    assert space.weights == {(False, 2, "v"): Fraction(1, 3), (True, 0.5, "u"): Fraction(2, 3)}
    (t,) = space.propositions("t")
    assert space.P(t) == Fraction(2, 3)


def test_weights_count_as_rows() -> None:
    frame = pd.DataFrame({"x": ["a", "b"], "w": [3, 1]})
    space = tl.ProbabilitySpace.from_table(tl.table(frame, weight="w"))
    assert space.weights == {"a": Fraction(3, 4), "b": Fraction(1, 4)}


def test_a_file_counts_as_its_rows(tmp_path: Any) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\nx,1\ny,2\nx,1\n")
    space = tl.ProbabilitySpace.from_table(str(path), ["b", "a"])
    assert space.weights == {(1, "x"): Fraction(2, 3), (2, "y"): Fraction(1, 3)}


DICE = tl.ProbabilitySpace.uniform(range(1, 7))
ODD = DICE.event(lambda w: w % 2, name="odd")


def test_one_column_may_be_named_without_a_list() -> None:
    space = tl.ProbabilitySpace.from_table([{"ab": "x"}, {"ab": "y"}], "ab")
    assert space.P({"ab": "x"}) == Fraction(1, 2)


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "no sum": (lambda: tl.ProbabilitySpace({"a": "1/2", "b": "1/3"}), InputError, "sum to 5/6"),
    "above one": (lambda: tl.ProbabilitySpace({"a": 1.5}), InputError, r"P\(a\) is 1.5"),
    "below zero": (lambda: tl.ProbabilitySpace({"a": "-1/2", "b": "3/2"}), InputError, "is -1/2"),
    "nan": (lambda: tl.ProbabilitySpace({"a": float("nan")}), InputError, "finite"),
    "not a number": (lambda: tl.ProbabilitySpace({"a": None}), KindError, "not a number"),
    "words": (lambda: tl.ProbabilitySpace({"a": "half"}), InputError, "'half'.*Write it as"),
    "by zero": (lambda: tl.ProbabilitySpace({"a": "1/0"}), InputError, "'1/0'"),
    "long": (lambda: tl.ProbabilitySpace({"a": "1e-999999999"}), InputError, "Write it as"),
    "long decimal": (
        lambda: tl.ProbabilitySpace({"a": Decimal("1e-999999")}), InputError, "Write it as",
    ),
    "array": (lambda: tl.ProbabilitySpace({"a": np.ones(2)}), KindError, "not a number"),
    "huge": (lambda: tl.ProbabilitySpace({"a": 10**400}), InputError, "between 0 and 1"),
    "empty": (lambda: tl.ProbabilitySpace({}), InputError, "no outcomes"),
    "none": (lambda: tl.ProbabilitySpace.uniform([]), InputError, "no outcomes"),
    "list": (lambda: tl.ProbabilitySpace([1, 2]), KindError, "ProbabilitySpace.uniform"),
    "twice": (lambda: tl.ProbabilitySpace.uniform([1, 1]), InputError, "1 occurs twice"),
    "places": (lambda: tl.ProbabilitySpace({"a": 1}, ["x", "y"]), InputError, "2 values"),
    "unknown": (lambda: DICE.P({7}), InputError, "7 is not an outcome. Choose from 1, 2"),
    "unknown text": (lambda: DICE.P("six"), InputError, "'six' is not an outcome"),
    "foreign": (
        lambda: DICE.P(tl.ProbabilitySpace({1: 1}).event({1})), InputError, "another space",
    ),
    "mixed": (
        lambda: ODD & tl.ProbabilitySpace({1: 1}).event({1}), InputError, "different spaces",
    ),
    "raw set": (lambda: ODD & {1}, KindError, r"space.event\(\{1\}\)"),
    "and": (lambda: ODD and ODD, KindError, "not with 'and'"),
    "zero": (
        lambda: DICE.P(ODD, given=[]), InputError, r"P\(odd \| ∅\) is not defined: P\(∅\) = 0",
    ),
    "zero given": (lambda: DICE.given([]), InputError, "not defined"),
    "zero mean": (
        lambda: DICE.variable(lambda w: w).expectation(given=DICE.event([])), InputError, "∅",
    ),
    "no variable": (lambda: DICE["x"], ColumnError, "no variable 'x'"),
    "text mean": (lambda: DICE.variable(lambda w: "a").expectation(), InputError, "value of X"),
    "overlap": (lambda: DICE.total_probability(ODD, [{1, 2}, {2, 3}]), InputError, "both.* 2"),
    "gap": (lambda: DICE.total_probability(ODD, [{1, 2}]), InputError, "outcome 3"),
    "missing value": (
        lambda: tl.ProbabilitySpace.from_table([{"a": "x"}, {"a": None}]),
        ColumnError, "column 'a' has a missing value in row 1",
    ),
    "no column": (
        lambda: tl.ProbabilitySpace.from_table([{"a": "x"}], ["b"]), ColumnError, "no column 'b'",
    ),
    "no rows": (
        lambda: tl.ProbabilitySpace.from_table(pd.DataFrame({"a": []})), InputError, "no rows",
    ),
    "too large": (
        lambda: tl.ProbabilitySpace.uniform(range(2000)) * tl.ProbabilitySpace.uniform(range(2000)),
        InputError, "4,000,000 outcomes.*1,048,576",
    ),
    "other names": (
        lambda: DICE.factored(tl.ProbabilitySpace.naive_bayes("Y", ["F"])), OptionError, "'Y', 'F'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name: str) -> None:
    call, kind, message = BAD[name]
    with pytest.raises(kind, match=message):
        call()


def test_numbers_come_in_many_forms() -> None:
    forms = ["1/4", "0.25", "25 %", "25%", 0.25, Fraction(1, 4), np.float64(0.25)]
    for form in forms:
        space = tl.ProbabilitySpace({"a": form, "b": "3/4"})
        assert space.P("a") == Fraction(1, 4)
    assert tl.ProbabilitySpace({"a": np.int64(1)}).P("a") == 1
    assert tl.ProbabilitySpace({"a": Decimal("0.1"), "b": "0.9"}).P("a") == Fraction(1, 10)


def test_every_answer_reads_in_text_markdown_html_and_data() -> None:
    answer = DICE.bayes(ODD, given={1, 2, 3})
    assert r"\frac{2}{3}" in answer.to_markdown()
    assert "Bayes&#x27; theorem" in answer.to_html()
    assert answer.to_dict()["title"] == "Bayes' theorem"
    assert "1/6" in DICE._repr_html_()
    assert repr(DICE) == "ProbabilitySpace(6 outcomes)"
    assert bool(DICE.independent(ODD, {1, 2}))
