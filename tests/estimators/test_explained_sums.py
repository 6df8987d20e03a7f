"""The printed arithmetic of every explanation adds up to what is printed and predicted."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tests.learners import CASES, Case
from tests.tables import mixed_table

every_learner = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
NUMBER = re.compile(r"-?[\d,]+(?:\.\d+)?(?:e[+-]?\d+)?")


def step(text: str) -> float:
    """Half of the last place that a printed number has."""
    digits, _, power = text.partition("e")
    places = len(digits.partition(".")[2])
    whole = max(0, len(digits.strip("-").replace(",", "")) - 4) if not places else 0
    return 0.5 * 10.0 ** (int(power or 0) - places + whole)


def value(text: str) -> float:
    return float(text.replace(",", ""))


@every_learner
def test_terms_add_up_to_the_prediction(case: Case) -> None:
    frame = mixed_table()
    model = case.make().fit(case.table(frame), case.target)
    rows = case.rows(frame)[:12]
    found = model.predict(rows)
    for i, evidence in enumerate(model.explain(rows)):
        totals = [math.fsum(term.amount for term in line.terms) for line in evidence.lines]
        if case.target == "price":
            assert np.allclose(totals[0], found[i], rtol=1e-9, atol=1e-9)
            assert np.allclose(evidence.chosen, found[i], rtol=1e-12)
        else:
            assert str(evidence.chosen) == str(found[i])
        if evidence.how == "softmax":
            shares = np.exp(np.array(totals) - max(totals))
            shares /= shares.sum()
            given = [line.share for line in evidence.lines]
            assert np.allclose(shares, given, rtol=1e-6, atol=1e-9)


@every_learner
def test_printed_columns_add_up_to_the_printed_total(case: Case) -> None:
    """A sheet has a row for every term; its columns sum to the row named total."""
    frame = mixed_table()
    model = case.make().fit(case.table(frame), case.target)
    for row in model.explain(case.rows(frame)[:8]):
        lines = str(row).splitlines()
        last = next((at for at, line in enumerate(lines) if line.startswith("total")), None)
        if last is None or row.how == "votes":
            continue
        terms = [NUMBER.findall(line[len(label(line)) :]) for line in lines[1:last]]
        total = NUMBER.findall(lines[last])
        for column in range(len(total)):
            shown = [cells[column] for cells in terms if len(cells) == len(total)]
            if len(shown) < len(terms):
                continue  # a class that others are compared with has no terms
            slack = sum(map(step, shown)) + step(total[column])
            assert abs(sum(map(value, shown)) - value(total[column])) <= slack * 1.001, str(row)


SUM = re.compile(rf"  (?P<terms>{NUMBER.pattern}(?:\s+[+-]\s+{NUMBER.pattern})*)\s+=\s+"
                 rf"(?P<total>{NUMBER.pattern})(?:\s+[\d.]+ %)?$")  # fmt: skip


@every_learner
def test_sums_that_are_printed_in_a_line_are_right(case: Case) -> None:
    frame = mixed_table()
    model = case.make().fit(case.table(frame), case.target)
    for row in model.explain(case.rows(frame)[:8]):
        if row.how == "product":
            continue
        for found in filter(None, map(SUM.search, str(row).splitlines())):
            terms = re.sub(r"([+-])\s+", r"\1", found["terms"]).split()
            shown = [term.removeprefix("+") for term in terms]
            slack = sum(map(step, shown)) + step(found["total"])
            assert abs(sum(map(value, shown)) - value(found["total"])) <= slack * 1.001, str(row)


def label(line: str) -> str:
    """What stands before the amounts: two blanks follow it."""
    return line.partition("  ")[0]


@pytest.mark.parametrize(
    ("learner", "target"),
    [(tl.LogisticRegression, "kind"), (tl.LinearRegression, "price"), (tl.Perceptron, "kind")],
)
def test_the_indicator_of_a_missing_value_has_a_term_of_its_own(learner: Any, target: str) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=90), "b": rng.normal(size=90)})
    frame["kind"], frame["price"] = np.where(frame["a"] > 0, "p", "q"), 3 * frame["a"]
    frame.loc[::5, "a"] = np.nan
    model = learner().fit(frame[["a", "b", target]], target)
    names = model.model_.names if target == "kind" else model.model_.design.names
    weight = (model.model_.weights if target == "kind" else model.model_.coef)[0]
    by_name = dict(zip(names, weight.tolist(), strict=True))
    terms = model.explain(frame[:1])[0].lines[-1].terms
    told = {(term.column, term.value == "missing"): term.amount for term in terms}
    fill = model.model_.design.fill[model.model_.design.names.index("a")]
    assert np.isclose(told["a", False], by_name["a"] * fill)
    assert np.isclose(told["a", True], by_name["a missing"])
    assert "a is missing" in str(model.explain(frame[:1]))
    assert "a is missing" not in str(model.explain(frame[1:2]))


def test_a_model_without_an_intercept_shows_no_means_that_it_does_not_have() -> None:
    X = [[1.0, 5.0], [2.0, 5.5], [4.0, 7.0]]
    shown = str(tl.LinearRegression(fit_intercept=False).fit(X, [1.0, 2.0, 3.0]).show_work())
    assert "mean" not in shown
    assert "mean" in str(tl.LinearRegression().fit(X, [1.0, 2.0, 3.0]).show_work())


@every_learner
def test_the_repr_of_what_is_shown_is_its_text(case: Case) -> None:
    frame = mixed_table()
    model = case.make().fit(case.table(frame), case.target)
    shown = [model.explain(case.rows(frame)[:2]), model.show_work()]
    shown += [getattr(model, name)() for name in ("summary", "rules") if hasattr(model, name)]
    for one in shown:
        assert repr(one) == str(one), type(one)
