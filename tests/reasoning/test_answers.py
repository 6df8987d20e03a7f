"""An answer is its number; a prior is a dict, a Series or a frame; a misspelt value is an error."""

from __future__ import annotations

import math
import operator
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn.errors import InputError, KindError, OptionError
from tallylearn.reasoning.answers import NumericAnswer
from tallylearn.workings import Derivation
from tests.printed_text import unwrapped

DICE = tl.ProbabilitySpace.uniform(range(1, 7))
DAYS = tl.ProbabilitySpace.from_table(tl.example("tennis"))
HALF = DICE.bayes({1}, given={1, 2})
NUMBERS = st.one_of(
    st.fractions(-5, 5, max_denominator=9), st.floats(-5, 5), st.integers(-5, 5), st.booleans()
)
SIGNS: list[Callable[[Any, Any], Any]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]
PLAIN: list[Callable[[Any], Any]] = [
    float,
    int,
    abs,
    bool,
    hash,
    round,
    math.floor,
    math.ceil,
    math.trunc,
    operator.neg,
    operator.pos,
    complex,
    Fraction,
    lambda x: round(x, 2),
    lambda x: f"{float(x):.3f}",
    lambda x: math.fabs(x),
]


def outcome(do: Callable[..., Any], *numbers: Any) -> Any:
    try:
        found = do(*numbers)
    except (ArithmeticError, ValueError) as error:
        return type(error)
    return type(found), repr(found)


@given(NUMBERS, NUMBERS)
def test_an_answer_calculates_as_its_number(x: Any, y: Any) -> None:
    a, b = NumericAnswer(x, Derivation("", ())), NumericAnswer(y, Derivation("", ()))
    for sign in SIGNS:
        expected = outcome(sign, x, y)
        assert outcome(sign, a, y) == outcome(sign, x, b) == outcome(sign, a, b) == expected, sign
    for do in PLAIN:
        assert outcome(do, a) == outcome(do, x), do
    assert f"{a:.3f}" == f"{float(x):.3f}"
    assert a.as_integer_ratio() == Fraction(x).as_integer_ratio()


def test_an_answer_is_found_where_its_number_is() -> None:
    assert HALF == Fraction(1, 2) == HALF
    assert HALF in {Fraction(1, 2)}
    assert {HALF: "x"}[Fraction(1, 2)] == "x"
    assert sum([HALF, HALF]) == 1
    assert max(HALF, 0.2) is HALF
    assert np.array([HALF, 1], dtype=float).tolist() == [0.5, 1.0]
    assert (np.array([0.5, 1.0]) == HALF).tolist() == [True, False]
    assert pickle.loads(pickle.dumps(HALF)) == HALF
    assert f"{HALF}" == str(HALF)
    assert f"{HALF:.0%}" == "50%"
    assert f"{HALF:>6.2f}" == "  0.50"
    assert DICE.total_probability({1}, [{1, 2}, {3, 4, 5, 6}]) + 1 == Fraction(7, 6)
    assert DICE.independent({1, 2}, {2, 4, 6}) == True  # noqa: E712
    assert tl.ProbabilitySpace({"a": HALF, "b": 1 - HALF}).P("a") == HALF


def test_an_answer_that_is_a_name_is_that_name() -> None:
    best = DAYS.bayes("PlayTennis", given={"Outlook": "Overcast"})
    assert best == "Yes" != best.ties
    assert hash(best) == hash("Yes")
    assert {best: 1}["Yes"] == 1
    assert best != "No"
    assert repr(best) == "Answer('Yes')"


NAMED = {"a": "1/4", "b": "3/4"}
ROWS = {"a": {"x": "1/3", "y": "2/3"}, "b": {"x": "1/2", "y": "1/2"}}
PRIORS: dict[str, Any] = {
    "Series": pd.Series(NAMED),
    "one column": pd.DataFrame({"p": NAMED}),
    "two columns": pd.DataFrame({"h": ["a", "b"], "p": ["1/4", "3/4"]}),
    "polars": pl.DataFrame({"h": ["a", "b"], "p": ["1/4", "3/4"]}),
    "Arrow": pa.table({"h": ["a", "b"], "p": ["1/4", "3/4"]}),
}
TABLES: dict[str, Any] = {
    "by row": pd.DataFrame(ROWS).T,
    "by column": pd.DataFrame(ROWS),
    "Series": {name: pd.Series(row) for name, row in ROWS.items()},
    "Series of Series": pd.Series({name: pd.Series(row) for name, row in ROWS.items()}),
    "polars": pl.DataFrame({"h": ["a", "b"], "x": ["1/3", "1/2"], "y": ["2/3", "1/2"]}),
}


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("table", TABLES)
def test_series_and_frames_are_priors_and_likelihoods_as_dicts_are(prior: str, table: str) -> None:
    found = tl.Hypotheses(PRIORS[prior], TABLES[table]).observe("x", "y")
    expected = tl.Hypotheses(NAMED, ROWS).observe("x", "y")
    assert found.prior == {"a": Fraction(1, 4), "b": Fraction(3, 4)}
    assert found.posterior() == expected.posterior()
    assert tl.ProbabilitySpace(PRIORS[prior]).weights == found.prior
    loss = {"go": {"a": 1, "b": 3}, "stay": {"a": 2, "b": 0}}
    assert found.decide(pd.DataFrame(loss).T) == expected.decide(loss) == "stay"


def test_floats_of_a_series_stay_what_they_are() -> None:
    found = tl.Hypotheses(pd.Series([0.3, 0.7], index=["a", "b"]))
    assert found.prior == {"a": 0.3, "b": 0.7}
    assert tl.Hypotheses(pd.Series([0.25, 0.75])).prior == {0: 0.25, 1: 0.75}


def test_a_joint_table_of_pandas_keeps_its_names() -> None:
    frame = pd.DataFrame({"A": ["u", "v", "u", "u"], "B": [1, 2, 2, 2]})
    space = tl.ProbabilitySpace(frame.value_counts(normalize=True))
    assert space.names == ("A", "B")
    assert space.P({"A": "u", "B": 2}) == 0.5
    assert space.P(frame.iloc[0]) == 0.25  # a row is {variable: value}


def test_numbers_without_names_are_no_prior() -> None:
    for nameless in (pl.Series([0.3, 0.7]), np.array([0.25, 0.75])):
        with pytest.raises(InputError, match="pandas Series with the hypotheses"):
            tl.Hypotheses(nameless)
    assert len(tl.Hypotheses(np.linspace(0, 1, 5)).prior) == 5  # these are hypotheses
    with pytest.raises(InputError, match="'a' occurs twice"):
        tl.Hypotheses(pd.Series([0.5, 0.5], index=["a", "a"]))


ALARM = {
    "Burglary": "0.001",
    "Earthquake": {True: "0.002", False: "0.998"},
    "Alarm": {
        (True, True): "0.95",
        (True, False): "0.94",
        (False, True): "0.29",
        (False, False): "0.001",
    },
    "JohnCalls": {True: "0.90", False: "0.05"},
    "MaryCalls": {True: "0.70", False: "0.01"},
}


def test_the_tables_of_a_network_may_be_frames() -> None:
    net = tl.ProbabilitySpace.network({"B": "A"}, {"A": ["u", "v"], "B": [0, 1]})
    rows = pd.DataFrame([["1/2", "1/2"], ["1/3", "2/3"]], index=["u", "v"], columns=[0, 1])
    first = pd.Series({"u": "1/4", "v": "3/4"})
    space = tl.ProbabilitySpace.from_network(net, {"A": first, "B": rows})
    assert space.P({"B": 1}) == Fraction(1, 8) + Fraction(1, 2)


MISSPELT: dict[str, tuple[Callable[[], Any], str]] = {
    "dict": (
        lambda: DAYS.P({"Outlook": "Suny"}),
        "'Outlook' has no value 'Suny'. Choose from 'Overcast',",
    ),
    "given": (lambda: DAYS.P({"Wind": "Weak"}, given={"Outlook": "Suny"}), "no value 'Suny'"),
    "number": (
        lambda: tl.ProbabilitySpace.uniform([1, 2], "d").P({"d": 3}),
        "no value 3. Choose from 1, 2",
    ),
    "equals": (lambda: DAYS["Outlook"] == "Suny", "'Outlook' has no value 'Suny'"),
    "differs": (lambda: DAYS["Outlook"] != "Suny", "'Outlook' has no value 'Suny'"),
    "proposition": (lambda: DAYS.propositions("Wind"), "'Wind' has no value True"),
    "observed": (
        lambda: tl.Hypotheses.from_table(tl.example("tennis")).observe({"Wind": "Wek"}),
        "'Wek'",
    ),
    "class": (
        lambda: tl.Hypotheses.classifiers(
            {"h": tl.NaiveBayes().fit([{"c": "x"}, {"c": "z"}], ["u", "v"])}
        ).observe(({"c": "x"}, "w")),
        "'w' is not a class of the models. Choose from 'u', 'v'",
    ),
}


@pytest.mark.parametrize("name", MISSPELT)
def test_a_misspelt_value_is_named_with_the_known_ones(name: str) -> None:
    call, message = MISSPELT[name]
    with pytest.raises(InputError, match=message):
        call()


def test_a_value_that_a_condition_left_out_is_known_and_impossible() -> None:
    sunny = DAYS.given({"Outlook": "Sunny"})
    assert sunny.P({"Outlook": "Rain"}) == 0 == sunny.P(sunny["Outlook"] == "Rain")
    assert sunny.marginal("Outlook", "Wind").P({"Outlook": "Rain"}) == 0
    assert DICE.P(DICE.variable(lambda w: w) == 7) == 0  # a number may be any
    coins = tl.ProbabilitySpace.uniform([(True, 1), (True, 2)], ["x", "n"])
    assert coins.P(coins["x"] == False) == 0  # noqa: E712  truth values are two


WRONG: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "uniform": (
        lambda: tl.ProbabilitySpace.uniform(6),
        KindError,
        r"6 is not.*range\(1, 7\)",
    ),
    "times": (lambda: DICE * 3, KindError, r"is 3. .*dice \* dice"),
    "times before": (lambda: 3 * DICE, KindError, r"is 3. .*dice \* dice"),
    "partition": (lambda: DICE.total_probability({1}, 5), KindError, "part: 5 is not a list"),
    "network": (
        lambda: tl.ProbabilitySpace.from_network("x", {}),
        KindError,
        "pair .parent, child",
    ),
    "tables": (
        lambda: tl.ProbabilitySpace.from_network({"a": []}, 5),
        KindError,
        "tables is 5",
    ),
    "classifiers": (
        lambda: tl.Hypotheses.classifiers({"a": abs}, prior={"b": 1}),
        OptionError,
        "models are 'a', but prior has 'b'",
    ),
    "functions": (
        lambda: tl.Hypotheses.functions({"a": abs}, prior={"b": 1}),
        OptionError,
        "functions are 'a', but prior has 'b'",
    ),
    "swapped": (lambda: tl.Hypotheses(ROWS, NAMED), KindError, "P.a. is {'x': '1/3'"),
    "swapped rules": (
        lambda: DAYS.variable_rules({"Wind": "Weak"}, "Wind"),
        KindError,
        "Wind = Weak is an event",
    ),
    "variable": (lambda: DAYS.P(DAYS["Wind"]), KindError, "Wind is a random variable"),
    "raises": (
        lambda: DICE.event(lambda w: w["x"]),
        InputError,
        "predicate failed on 1: TypeError",
    ),
    "one thing": (lambda: DICE.independent({1}), InputError, "two or more events"),
    "no chain": (lambda: DICE.chain_rule(), InputError, "no events"),
    "other space": (lambda: DICE.bayes(DAYS["Wind"], given={1}), InputError, "another space"),
    "mute": (
        lambda: tl.Hypotheses([type("M", (), {"__repr__": lambda self: 1 / 0})()]),
        KindError,
        "<M, which",
    ),
    "more than seen": (lambda: tl.Hypotheses(NAMED, ROWS).first(9), OptionError, "from 0 to 0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_argument_is_named(name: str) -> None:
    call, kind, message = WRONG[name]
    with pytest.raises(kind, match=message):
        call()


def test_the_alarm_network_answers_as_in_the_book() -> None:
    """S. Russell, P. Norvig: Artificial Intelligence, 2010, 14.4: P(B | j, m) = 0.284."""
    edges = [
        ("Burglary", "Alarm"),
        ("Earthquake", "Alarm"),
        ("Alarm", "JohnCalls"),
        ("Alarm", "MaryCalls"),
    ]
    net = tl.ProbabilitySpace.network(edges)
    by_child = {"Alarm": ["Burglary", "Earthquake"], "JohnCalls": "Alarm", "MaryCalls": ["Alarm"]}
    assert {*net.parents.items()} == {*tl.ProbabilitySpace.network(by_child).parents.items()}
    space = tl.ProbabilitySpace.from_network(net, ALARM)
    calls = {"JohnCalls": True, "MaryCalls": True}
    both = Fraction("0.9") * Fraction("0.7"), Fraction("0.05") * Fraction("0.01")
    joint = {}
    for b, prior in ((True, Fraction("0.001")), (False, Fraction("0.999"))):
        rings = sum(
            Fraction(ALARM["Alarm"][b, e]) * p  # type: ignore[index]
            for e, p in ((True, Fraction("0.002")), (False, Fraction("0.998")))
        )
        joint[b] = prior * (rings * both[0] + (1 - rings) * both[1])
    assert space.P({"Burglary": True}, given=calls) == joint[True] / sum(joint.values())
    answer = space.bayes("Burglary", given=calls)
    assert answer == False  # noqa: E712
    assert round(float(answer.scores[True]), 3) == 0.284
    assert net.separated("Burglary", "Earthquake")
    assert not net.separated("Burglary", "Earthquake", given="JohnCalls")
    picture = net.plot()
    assert picture.data["nodes"] == [*net.order()]
    assert len(picture.data["edges"]) == 4
    assert picture.svg.count("<polygon") == 4
    assert picture.svg.count("<ellipse") == 5


@given(st.lists(st.integers(0, 9), min_size=8, max_size=8).filter(any), st.data())
def test_the_chain_rule_holds_under_a_condition(weights: list[int], data: st.DataObject) -> None:
    space = tl.ProbabilitySpace({i: Fraction(w, sum(weights)) for i, w in enumerate(weights)})
    a, b, c, d = (data.draw(st.sets(st.integers(0, 7))) for _ in range(4))
    if not space.P(space.event(a) & space.event(b) & space.event(d)):
        return
    found = space.chain_rule(a, b, c, given=d)
    assert found == space.P(a, b, c, given=d)
    assert len(found.work.steps[1].rows) == 3
    assert " | " in found.work.steps[1].rows[0][0]


def test_three_coins_may_be_independent_in_pairs_and_not_together() -> None:
    """S. Bernstein's example: the third is whether the first two agree."""
    two = tl.ProbabilitySpace.uniform([(x, y) for x in (0, 1) for y in (0, 1)], ["x", "y"])
    a, b = two.event({"x": 1}), two.event({"y": 1})
    same = two.event(lambda w: w[0] == w[1], name="same")
    assert two.independent(a, b)
    assert two.independent(a, same)
    assert two.independent(b, same)
    together = two.independent(a, b, same)
    assert together == False  # noqa: E712
    assert "P(x = 1, y = 1, same)" in str(together)
    three = two.variable(lambda w: w[0] == w[1], name="S")
    assert not two.independent("x", "y", three)
    assert tl.ProbabilitySpace.uniform(
        [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], ["x", "y", "z"]
    ).independent("x", "y", "z")


def test_events_may_be_independent_only_given_another() -> None:
    rows = {False: "1/10", True: "8/10"}
    net = tl.ProbabilitySpace.naive_bayes("C", ["A", "B", "D"])
    space = tl.ProbabilitySpace.from_network(net, {"C": "1/2", "A": rows, "B": rows, "D": rows})
    a, b, d, c = space.propositions("A", "B", "D", "C")
    assert space.independent(a, b, d, given=c)
    assert not space.independent(a, b, d)
    assert space.independent("A", "B", "D", given="C")
    assert not space.independent("A", "B", "D")


def test_bayes_over_a_variable_is_bayes_of_every_value() -> None:
    seen = {"Outlook": "Sunny", "Wind": "Strong"}
    found = DAYS.bayes("PlayTennis", given=seen)
    assert found.scores == {
        v: DAYS.bayes({"PlayTennis": v}, given=seen).value for v in ("No", "Yes")
    }
    assert found.ties == ("No", "Yes")
    assert "(MAP); the largest likelihood has No (ML)." in unwrapped(found)
    assert DAYS.bayes(DAYS["PlayTennis"], given={"Outlook": "Overcast"}) == "Yes"
    with pytest.raises(InputError, match="not defined"):
        DAYS.bayes("Wind", given=DAYS.event({"Wind": "Weak"}) & DAYS.event({"Wind": "Strong"}))


def test_map_and_ml_come_straight_from_a_table() -> None:
    days = tl.example("tennis")[:12]
    after = tl.Hypotheses.from_table(days).observe({"Outlook": "Sunny", "Wind": "Strong"})
    assert after.likelihoods() == {"No": Fraction(1, 4), "Yes": Fraction(1, 8)}
    assert after.ml() == "No"
    assert after.ties() == {"MAP": ("No", "Yes")}
    few = tl.Hypotheses.from_table(days, "PlayTennis", columns="Wind").observe({"Wind": "Weak"})
    assert few.map() == few.ml() == "Yes"
    with pytest.raises(InputError, match="no variable 'Outlook'"):
        few.observe({"Outlook": "Sunny"})
    with pytest.raises(KindError, match=r"column is None. Give the name of the column"):
        tl.Hypotheses.from_table([{"a": "x"}])


def test_observing_one_by_one_is_observing_at_once() -> None:
    bags = tl.Hypotheses(NAMED, ROWS)
    step = bags
    for outcome in "xyyx" * 50:
        step = step.observe(outcome)
    whole = bags.observe(*"xyyx" * 50)
    assert step.posterior() == whole.posterior()
    assert step.seen == whole.seen
    assert step.alive == whole.alive == ("a", "b")
    assert step.trajectory()[-1] == step.posterior()
    assert len(step.trajectory()) == 201
    certain = tl.Hypotheses(
        {"a": "1/2", "b": "1/2"}, {"a": {"x": 1, "y": 0}, "b": {"x": "1/2", "y": "1/2"}}
    )
    assert certain.observe("x").observe("y").alive == ("b",)
    far = tl.Hypotheses.functions({"u": lambda x: x, "v": lambda x: -x}).observe((0, 1000))
    assert far.posterior() == {
        "u": 0.5,
        "v": 0.5,
    }  # densities below the smallest float are no zeros
