"""Rules say what the tree says: one for every row, in words, JSON and Python."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn.errors import InputError, OptionError
from tallylearn.models.trees.showing.conditions import CategorySet, Condition, NumberRange
from tests.models.trees.forest import COLUMNS, LEARNERS, asked_for, fitted, rows, target

WHOLE = [name for name in LEARNERS if name not in ("c45", "parts with loss", "regression in parts")]


def holds(condition: Condition, value: Any) -> bool:
    """The slow, obvious reading of a condition."""
    gap = value is None or value != value
    if gap:
        return condition.missing
    if isinstance(condition, CategorySet):
        return (str(value) in condition.values) != condition.others
    if condition.kind == "date":
        value = (value - pd.Timestamp(1970, 1, 1)) / pd.Timedelta(days=1)
    return bool(condition.low < value <= condition.high)


def run(source: str) -> Any:
    space: dict[str, Any] = {}
    exec(source, space)
    return space["predict"]


@pytest.mark.parametrize("name", WHOLE)
def test_every_row_meets_exactly_one_rule_and_gets_its_answer(name: str) -> None:
    tree, asked = fitted(name), asked_for(200, seed=5)
    for rules in (tree.rules(), tree.rules().simplified(), tree.rules(order="support")):
        found = []
        for row in asked:
            met = [
                rule
                for rule in (*rules.rules, *rules.ends)
                if all(holds(c, row[c.column]) for c in rule.conditions)
            ]
            assert len(met) == 1, row
            found.append(met[0].answer)
        assert found == tree.predict(asked).tolist()


@pytest.mark.parametrize("name", LEARNERS)
def test_rules_in_python_answer_as_the_tree_does(name: str) -> None:
    tree, asked = fitted(name), asked_for(300, seed=9)
    for rules in (tree.rules(), tree.rules().simplified()):
        predict = run(rules.to_python())
        found = [predict(row) for row in asked]
        if target(name) == "class":
            assert found == tree.predict(asked).tolist()
        else:
            assert found == pytest.approx(tree.predict(asked).tolist(), rel=1e-15)


@pytest.mark.parametrize("name", LEARNERS)
def test_leaves_share_out_all_rows(name: str) -> None:
    tree = fitted(name)
    for rules in (tree.rules(), tree.rules().simplified()):
        assert sum(rule.n for rule in rules) == pytest.approx(300)
        nodes = sorted(node for rule in rules for node in rule.nodes)
        if rules is not tree.rules():
            assert len(nodes) == len({*nodes})


def test_simplified_rules_are_fewer_and_no_two_can_be_joined() -> None:
    tree = tl.CART(max_depth=8).fit(rows(400)[[*COLUMNS, "class"]], "class")
    full, less = tree.rules(), tree.rules().simplified()
    assert len(less) < len(full)
    for one in less:
        for two in less:
            if one is two or one.answer != two.answer:
                continue
            apart = {*one.conditions} ^ {*two.conditions}
            if len({c.column for c in apart}) == 1 and len(apart) == 2:
                a, b = apart
                assert a.union(b) is None  # type: ignore[arg-type]


def test_a_question_that_changes_no_answer_is_left_out() -> None:
    table = pd.DataFrame({"x": [1.0] * 3 + [2.0] * 3 + [3.0] * 4, "y": [*"nnnnnyyyyy"]})
    tree = tl.CART().fit(table, "y")
    assert [rule.answer for rule in tree.rules()] == ["n", "n", "y"]
    less = tree.rules().simplified()
    assert [*map(str, less)] == [
        "IF x <= 2.5 THEN n (5 of 6, [0.44, 0.97])", "IF x > 2.5 THEN y (4 of 4, [0.51, 1.00])",
    ]  # fmt: skip
    assert less.rules[0].nodes == (1, 2, 3)
    assert tree.rules().formula("n") == "(x <= 2.5)"


def test_the_rules_of_the_notes_read_as_sentences() -> None:
    rules = tl.ID3().fit(tl.example("tennis")).rules()
    assert "IF Outlook = Sunny AND Humidity = High THEN No (3 of 3, [0.44, 1.00])" in rules.text()
    assert rules.formula("Yes") == (
        "(Outlook = Overcast) ∨ (Outlook = Rain ∧ Wind = Weak) ∨ "
        "(Outlook = Sunny ∧ Humidity = Normal)"
    )
    with pytest.raises(OptionError, match=r"'Maybe'.*'No', 'Yes'"):
        rules.formula("Maybe")
    assert [rule.n for rule in tl.ID3().fit(tl.example("tennis")).rules("support")] == [
        4, 3, 3, 2, 2,
    ]  # fmt: skip
    with pytest.raises(OptionError, match=r"'size'.*'leaf', 'support'"):
        tl.ID3().fit(tl.example("tennis")).rules("size")


def test_conditions_on_one_column_meet_in_one_range() -> None:
    x = np.arange(8.0)
    tree = tl.CART(task="regression").fit(x[:, None], x**2)
    assert [str(rule.conditions[0]) for rule in tree.rules()][:3] == [
        "x0 <= 0.5", "0.5 < x0 <= 1.5", "1.5 < x0 <= 2.5",
    ]  # fmt: skip
    assert all(len(rule.conditions) == 1 for rule in tree.rules())


def test_regression_rules_tell_mean_spread_and_interval() -> None:
    table = pd.DataFrame({"x": [1.0, 1, 1, 2, 2], "y": [1.0, 2, 3, 7, 7]})
    low, high = tl.CART(task="regression", max_depth=1).fit(table, "y").rules()
    assert (low.answer, low.n) == (2, 3)
    assert low.sd == pytest.approx(math.sqrt(2 / 3))
    half = 4.302652729911275 * 1 / math.sqrt(3)  # t of 2 degrees, s = 1
    assert [*low.interval] == pytest.approx([2 - half, 2 + half])  # type: ignore[misc]
    assert str(high) == "IF x > 1.5 THEN 7 ± 0 (2 rows, [7, 7])"


def test_json_is_complete_and_plain() -> None:
    for name in LEARNERS:
        rules = fitted(name).rules()
        told = json.loads(rules.to_json())
        assert len(told["rules"]) == len(rules)
        assert told == json.loads(json.dumps(rules.to_dict()))
        assert rules.to_html().count("<tr>") == min(len(rules), 40) + 1


def test_the_rule_that_answers_a_row_is_named() -> None:
    tree = fitted("id3")
    asked = asked_for(50, seed=3)
    assert [rule.answer for rule in tree.fired(asked)] == tree.predict(asked).tolist()
    with pytest.raises(InputError, match=r"DecisionTreeClassifier.fired: row 1 has a missing"):
        tl.C45().fit(tl.example("tennis")).fired(
            [{"Outlook": o, "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
             for o in ("Sunny", None)]
        )  # fmt: skip


def test_declared_gaps_are_gaps_in_python_too() -> None:
    table = pd.DataFrame({"x": [1.0, 2, -9, 4] * 5, "c": ["a", "n/a", "b", "b"] * 5})
    table["y"] = [*"nynn"] * 5
    tree = tl.ID3().fit(tl.table(table, target="y", missing=[-9, "n/a"]))
    predict = run(tree.rules().to_python())
    asked = [{"x": x, "c": c} for x in (1.0, -9, 2.0) for c in ("a", "n/a", "b")]
    assert [predict(row) for row in asked] == tree.predict(asked).tolist()


def test_a_single_leaf_always_answers() -> None:
    rules = tl.ID3(max_depth=0).fit(tl.example("tennis")).rules()
    assert str(rules) == "ALWAYS Yes (9 of 14, [0.39, 0.84])"
    assert rules.formula("Yes") == "true"
    assert rules.formula("No") == "false"


SPANS = st.builds(
    lambda a, b, m: NumberRange("x", min(a, b), max(a, b) if a != b else math.inf, m),
    st.integers(-3, 3), st.integers(-3, 3), st.booleans(),
)  # fmt: skip
SETS = st.builds(
    lambda v, o, m: CategorySet("x", frozenset(v), o, m),
    st.sets(st.sampled_from("abc")), st.booleans(), st.booleans(),
)  # fmt: skip


@given(st.one_of(st.tuples(SPANS, SPANS), st.tuples(SETS, SETS)))
def test_conditions_meet_and_join_as_sets_do(pair: tuple[Any, Any]) -> None:
    a, b = pair
    values = [None, *"abcd"] if isinstance(a, CategorySet) else [math.nan, *np.arange(-4, 5, 0.5)]
    both, either = a & b, a.union(b)
    for value in values:
        assert holds(both, value) == (holds(a, value) and holds(b, value))
        if either is not None:
            assert holds(either, value) == (holds(a, value) or holds(b, value))
    assert both.empty == (not any(holds(both, value) for value in values))


def test_ranges_that_touch_are_one_range() -> None:
    low, high = (
        NumberRange("x", high=2.0, missing=False),
        NumberRange("x", low=2.0, high=5.0, missing=False),
    )
    assert low.union(high) == high.union(low) == NumberRange("x", high=5.0, missing=False)
    assert low.union(NumberRange("x", low=3.0)) is None


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_rules_that_are_joined_spread_as_all_their_rows_do(criterion: str) -> None:
    c, y = [*"aaabbddddd"], [0.0, 1.0, 2.0, 9.0, 9.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    tree = tl.DecisionTreeRegressor(criterion=criterion, category_split="multiway")
    rules = tree.fit(pd.DataFrame({"c": c}), y).rules().simplified()
    joined = next(rule for rule in rules if rule.answer == 1.0)
    rows = np.array([value for value in y if value != 9.0])
    assert joined.n == 8.0
    expected = rows.std() if criterion == "squared_error" else np.abs(rows - 1.0).mean()
    assert joined.sd == pytest.approx(expected)
