"""Hypotheses: exact posteriors, evidence in any order, merged evidence, decisions, bad input."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn.errors import InputError, KindError, MergeError, OptionError

Belief = Any
PRIOR = {"h1": "10 %", "h2": "20 %", "h3": "40 %", "h4": "20 %", "h5": "10 %"}
LIME = dict(zip(PRIOR, map(Fraction, ("0", "1/4", "1/2", "3/4", "1")), strict=True))


def share(candy: str, bag: str) -> Fraction:
    return LIME[bag] if candy == "lime" else 1 - LIME[bag]


BAGS = tl.Hypotheses(PRIOR, likelihood=share, outcomes=["lime", "cherry"])
ROWS = st.lists(st.integers(1, 9), min_size=2, max_size=2)


@st.composite
def beliefs(draw: st.DrawFn) -> Belief:
    """Hypotheses over x and y, each of which allows both."""
    weights = draw(st.lists(st.integers(0, 9), min_size=1, max_size=4).filter(any))
    rows = [draw(ROWS) for _ in weights]
    table = {
        f"h{i}": {"x": Fraction(a, a + b), "y": Fraction(b, a + b)} for i, (a, b) in enumerate(rows)
    }
    prior = {f"h{i}": Fraction(w, sum(weights)) for i, w in enumerate(weights)}
    return tl.Hypotheses(prior, table)


SEEN = st.lists(st.sampled_from("xy"), max_size=12)


@given(beliefs(), SEEN)
def test_the_posterior_is_bayes_theorem(belief: Belief, seen: list[str]) -> None:
    joint = {
        h: p * math.prod((belief.likelihood.of(d, h) for d in seen), start=Fraction(1))
        for h, p in belief.prior.items()
    }
    after = belief.observe(*seen)
    assert after.evidence() == sum(joint.values())
    assert after.posterior() == {h: x / sum(joint.values()) for h, x in joint.items()}
    assert sum(after.predictive().values()) == 1


@given(beliefs(), SEEN, st.randoms())
def test_the_order_of_the_evidence_does_not_matter(
    belief: Belief, seen: list[str], random: Any
) -> None:
    shuffled = random.sample(seen, len(seen))
    assert belief.observe(*seen).posterior() == belief.observe(*shuffled).posterior()
    rounded = tl.Hypotheses(
        {h: float(p) for h, p in belief.prior.items()},
        {h: {d: float(p) for d, p in row.items()} for h, row in belief.likelihood.rows.items()},
    )
    one, other = rounded.observe(*seen), rounded.observe(*shuffled)
    assert one.posterior() == other.posterior()  # to the last bit: only the counts matter
    for h, p in belief.observe(*seen).posterior().items():
        assert one.posterior()[h] == pytest.approx(float(p), rel=1e-9, abs=1e-12)


@given(beliefs(), SEEN, SEEN)
def test_merging_is_observing_both(belief: Belief, mine: list[str], yours: list[str]) -> None:
    merged = belief.observe(*mine) + belief.observe(*yours)
    assert merged.posterior() == belief.observe(*mine, *yours).posterior()
    assert merged.posterior() == (belief.observe(*yours) + belief.observe(*mine)).posterior()
    assert dict(merged.tally) == {d: n for d in "xy" if (n := [*mine, *yours].count(d))}


@given(beliefs(), SEEN)
def test_todays_posterior_is_tomorrows_prior(belief: Belief, seen: list[str]) -> None:
    stepwise = belief
    for outcome in seen:
        stepwise = tl.Hypotheses(stepwise.posterior(), belief.likelihood).observe(outcome)
    assert stepwise.posterior() == belief.observe(*seen).posterior()
    assert belief.observe(*seen).trajectory()[-1] == stepwise.posterior()


def test_candy_is_what_the_notes_say() -> None:
    after = BAGS.observe("lime", "lime", "lime")
    assert [*after.posterior().values()] == [
        0, Fraction(1, 76), Fraction(4, 19), Fraction(27, 76), Fraction(8, 19),
    ]  # fmt: skip
    assert BAGS.predict("lime") == Fraction(1, 2)
    assert after.predict("lime") == Fraction(121, 152)
    assert after.map() == after.ml() == "h5"
    assert share("lime", after.map()) == 1
    text = str(after.show_work())
    for word in ("P(h | D) = P(D | h) P(h) / P(D)", "19/80", "121/152", "h_MAP = h5", "27/76"):
        assert word in text
    assert after.plot().data["series"]["h5"]["y"][-1] == pytest.approx(8 / 19)


def test_the_trajectory_asks_a_model_once_an_observation() -> None:
    asked = []

    def always(x: int) -> str:
        asked.append(x)
        return "+"

    after = tl.Hypotheses.classifiers({"h": always}).observe(*((x, "+") for x in range(5)))
    assert [*map(dict, after.trajectory())] == [{"h": 1}] * 6
    assert asked == [0, 1, 2, 3, 4]


def test_what_can_be_observed_is_known_from_the_table() -> None:
    belief = tl.Hypotheses(["a", "b"], PAIR)
    assert belief.outcomes == belief.observe("x").outcomes == ("x", "y")
    assert belief.observe("x").first(0).posterior() == belief.posterior()


def test_a_table_may_be_written_by_observation_or_by_hypothesis() -> None:
    by_outcome = {d: {h: share(d, h) for h in PRIOR} for d in ("lime", "cherry")}
    by_bag = {h: {d: share(d, h) for d in ("lime", "cherry")} for h in PRIOR}
    one, other = tl.Hypotheses(PRIOR, by_outcome), tl.Hypotheses(PRIOR, by_bag)
    assert one.observe("lime").posterior() == other.observe("lime").posterior()
    assert (one.observe("lime") + other.observe("lime")).predict("lime") == BAGS.observe(
        "lime", "lime"
    ).predict("lime")


def test_ties_are_reported_and_the_first_is_taken() -> None:
    third = {"x": "1/3", "y": "2/3"}
    same = tl.Hypotheses(["a", "b", "c"], {"a": third, "b": third, "c": {"x": 0, "y": 1}})
    after = same.observe("x")
    assert (after.map(), after.ml()) == ("a", "a")
    assert after.ties() == {"MAP": ("a", "b"), "ML": ("a", "b")}
    assert "a and b tie; the first is taken." in str(after)
    rounded = tl.Hypotheses({"a": 0.5, "b": 0.5}, {"a": {"x": 0.1 + 0.2, "y": 0.7},
                                                   "b": {"x": 0.3, "y": 0.7}})  # fmt: skip
    assert rounded.observe("x").ties()["MAP"] == ("a", "b")  # 0.1 + 0.2 is not 0.3


def test_long_evidence_of_floats_does_not_underflow() -> None:
    belief = tl.Hypotheses([0.5, 0.6], lambda d, h: h if d else 1 - h, outcomes=[True, False])
    after = belief.observe(*[True, False] * 3000)
    odds = (0.25 / 0.24) ** 3000
    assert after.map() == 0.5
    assert after.posterior()[0.6] == pytest.approx(1 / (1 + odds), rel=1e-9)
    assert "e-" in str(after.show_work())


def test_the_optimal_classifier_overrules_the_best_hypothesis() -> None:
    voters = {"h1": lambda x: "+", "h2": lambda x: "-", "h3": lambda x: {"-": 1, "+": 0}}
    belief = tl.Hypotheses.classifiers(voters, prior={"h1": "0.4", "h2": "0.3", "h3": "0.3"})
    answer = belief.classify("anything")
    assert (answer.value, belief.map()) == ("-", "h1")
    assert answer.scores == {"+": Fraction(2, 5), "-": Fraction(3, 5)}
    assert belief.observe((0, "-")).posterior()["h1"] == 0


def test_fitted_models_are_hypotheses() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, "right", "left")
    models = {
        "both": tl.NaiveBayes().fit(X, y),
        "noise": tl.NaiveBayes().fit(X[:, ::-1], y),
        "centre": tl.NearestCentroid().fit(X, y),
    }
    belief = tl.Hypotheses.classifiers(models)
    seen = [
        (tuple(row), label) for row, label in zip(X[:20].tolist(), y[:20].tolist(), strict=True)
    ]
    shares = belief.observe(*seen).posterior()
    expected = {
        name: np.prod([m.predict_proba([x])[0][list(m.classes_).index(v)] for x, v in seen])
        for name, m in models.items()
    }
    for name in models:
        assert shares[name] == pytest.approx(expected[name] / sum(expected.values()), rel=1e-9)
    answer = belief.observe(*seen).classify((2.0, 0.0))
    assert answer.value == "right"
    assert sum(answer.scores.values()) == pytest.approx(1)


def test_rows_by_name_are_evidence_too() -> None:
    tennis = tl.example("tennis")
    row = {"Outlook": "Overcast", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    models = {k: tl.NaiveBayes(alpha=k).fit(tennis) for k in (1, 100)}
    after = tl.Hypotheses.classifiers(models).observe((row, "Yes"), (dict(row), "Yes"))
    p = {k: m.predict_proba(row)[0, 1] ** 2 for k, m in models.items()}
    assert after.posterior()[1] == pytest.approx(p[1] / sum(p.values()))


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=8))
def test_the_likeliest_function_under_gaussian_noise_has_the_least_squares(
    points: list[tuple[int, int]],
) -> None:
    lines = {f"{a}x": (lambda x, a=a: a * x) for a in (-1, 0, 1, 2)}
    after = tl.Hypotheses.functions(lines, sigma=2.0).observe(*points)
    squares = {name: sum((y - h(x)) ** 2 for x, y in points) for name, h in lines.items()}
    assert squares[after.ml()] == min(squares.values())
    m, s = len(points), 2.0
    for name, value in squares.items():
        expected = m * math.log(1 / math.sqrt(2 * math.pi * s**2)) - value / (2 * s**2)
        assert after.likely.logs[name] == pytest.approx(expected)


@given(beliefs(), st.lists(st.integers(-5, 5), min_size=8, max_size=8))
def test_the_chosen_action_loses_least(belief: Belief, numbers: list[int]) -> None:
    names = list(belief.prior)
    loss = {a: dict(zip(names, numbers[4 * i :], strict=False)) for i, a in enumerate("uv")}
    answer = belief.decide(loss)
    risks = {a: sum(row[h] * belief.prior[h] for h in names) for a, row in loss.items()}
    assert answer.scores == risks
    assert risks[answer.value] == min(risks.values())
    assert (answer.ties == ("u", "v")) is (risks["u"] == risks["v"])


@given(beliefs())
def test_no_rule_errs_less_than_the_bayes_error(belief: Belief) -> None:
    names = list(belief.prior)
    rules = [(a, b) for a in names for b in names]  # what to say after x, and after y
    errors = [
        1 - sum(belief.prior[h] * belief.likelihood.of(d, h) for d, h in zip("xy", r, strict=True))
        for r in rules
    ]
    assert belief.bayes_error().value == min(errors)


PAIR = {"a": {"x": 1}, "b": {"y": 1}}


def test_one_long_observation_is_counted_in_the_singular() -> None:
    seen = tl.Hypotheses(["a"], lambda d, h: 1).observe("x" * 100)
    assert str(seen).startswith("Posterior after 1 observation\n")


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "empty": (lambda: tl.Hypotheses({}), InputError, "there are no hypotheses"),
    "empty list": (lambda: tl.Hypotheses([]), InputError, "there are no hypotheses"),
    "text": (lambda: tl.Hypotheses("ab"), KindError, "a list of hypotheses"),
    "number": (lambda: tl.Hypotheses(3), KindError, "prior is 3"),
    "twice": (lambda: tl.Hypotheses(["a", "a"]), InputError, "'a' occurs twice"),
    "no sum": (lambda: tl.Hypotheses({"a": "1/2"}), InputError, "priors sum to 1/2"),
    "no sum in floats": (lambda: tl.Hypotheses({"a": 0.3, "b": 0.6}), InputError, "sum to 0.9"),
    "outside": (lambda: tl.Hypotheses({"a": 2, "b": -1}), InputError, r"P\(a\) is 2"),
    "row": (lambda: tl.Hypotheses(["a"], {"a": {"x": 0.5}}), InputError, "of a sum to 0.5"),
    "flat": (lambda: tl.Hypotheses(["a"], {"a": 0.5}), KindError, "the row 0.5"),
    "other rows": (lambda: tl.Hypotheses(["a", "c"], PAIR), OptionError, "each hypothesis"),
    "kind": (lambda: tl.Hypotheses(["a"], 7), KindError, "likelihood is 7"),
    "outcomes": (
        lambda: tl.Hypotheses(["a"], lambda d, h: 0.4, outcomes="xy"), InputError, "sum to 0.8",
    ),
    "unknown": (lambda: BAGS.observe("mint"), InputError, "'mint' is not a possible outcome"),
    "unknown next": (lambda: BAGS.predict("mint"), InputError, "'mint' is not a possible outcome"),
    "never": (
        lambda: tl.Hypotheses(["a"], lambda d, h: 0).observe("x"), InputError,
        "'x' is impossible under every hypothesis \\('a'\\)",
    ),
    "no one": (
        lambda: tl.Hypotheses(["a", "b"], PAIR).observe("x", "y"), InputError,
        r"P\('y' \| a\) = 0, P\('x' \| b\) = 0",
    ),
    "ruled out before": (
        lambda: tl.Hypotheses({"a": 1, "b": 0}, PAIR).observe("y"), InputError,
        "'y' is impossible under every hypothesis \\('a'\\)",
    ),
    "above one": (
        lambda: tl.Hypotheses(["a"], lambda d, h: 2).observe("x"), InputError, r"P\(x \| a\) is 2",
    ),
    "merged": (
        lambda: tl.Hypotheses(["a", "b"], PAIR).observe("x")
        + tl.Hypotheses(["a", "b"], PAIR).observe("y"), InputError, "impossible under every",
    ),
    "other prior": (
        lambda: tl.Hypotheses(["a", "b"], PAIR) + tl.Hypotheses({"a": 1, "b": 0}, PAIR),
        MergeError, "different priors",
    ),
    "other likelihood": (
        lambda: BAGS + tl.Hypotheses(PRIOR, lambda d, h: 1), MergeError, "different likelihoods",
    ),
    "no likelihood": (lambda: tl.Hypotheses(["a"]).observe(1), OptionError, "likelihood="),
    "no outcomes": (
        lambda: tl.Hypotheses(["a"], lambda d, h: 1).predictive(), OptionError, "outcomes=",
    ),
    "no classifiers": (lambda: BAGS.classify(1), OptionError, "Hypotheses.classifiers"),
    "no pair": (
        lambda: tl.Hypotheses.classifiers({"h": lambda x: 1}).observe(1), InputError, "pair",
    ),
    "votes": (
        lambda: tl.Hypotheses.classifiers({"h": lambda x: {"+": 0.5}}).classify(1),
        InputError, "class probabilities of h sum to 0.5",
    ),
    "sigma": (lambda: tl.Hypotheses.functions({"h": abs}, sigma=0), OptionError, "sigma is 0"),
    "sigma in words": (
        lambda: tl.Hypotheses.functions({"h": abs}, sigma="a"), InputError, "sigma is 'a'",
    ),
    "unhashable": (lambda: tl.Hypotheses([["a"], ["b"]]), KindError, r"the hypothesis \['a'\]"),
    "loss": (lambda: BAGS.decide({"eat": {"h1": 1}}), OptionError, "action 'eat' are for 'h1'"),
    "no actions": (lambda: BAGS.decide({}), OptionError, "no actions"),
    "loss kind": (lambda: BAGS.decide({"eat": 1}), KindError, "loss is {'eat': 1}"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name: str) -> None:
    call, kind, message = BAD[name]
    with pytest.raises(kind, match=message):
        call()
