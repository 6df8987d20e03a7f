"""Exercises on Bayes' rule, hypotheses and naive Bayes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from tallylearn.calculations.calculation import formula
from tallylearn.calculations.estimates import bayes_rule
from tallylearn.exercises.exercise import Data, ExerciseKind, ExerciseStep
from tallylearn.models.naive_bayes.naive_bayes import NaiveBayes
from tallylearn.workings import Derivation, Grid, Sentence

VALUES = {
    "Outlook": ("Sunny", "Overcast", "Rain"),
    "Wind": ("Weak", "Strong"),
    "Humidity": ("High", "Normal"),
}
NO_PRIOR = "prior left out"
MIN_MARGIN = 0.002  # between two classes, so that rounded values decide for the same one


def _draw_table(random: Random) -> dict[str, Any]:
    """8 to 12 rows of two attributes and a class, and a row to classify whose values occur."""
    names = random.sample(sorted(VALUES), 2)
    while True:
        rows = [
            (*(random.choice(VALUES[name]) for name in names), random.choice(("yes", "no")))
            for _ in range(random.randint(8, 12))
        ]
        query = tuple(random.choice(VALUES[name]) for name in names)
        data = {"names": names, "rows": rows, "query": query}
        full = all({row[at] for row in rows} == {*VALUES[name]} for at, name in enumerate(names))
        sizes = {_size(data, c) for c in ("yes", "no")}
        if (
            full
            and len(sizes) == 2
            and all(_count(data, c, at) for c in ("yes", "no") for at in (0, 1))
            and all(_margin(data, alpha) > MIN_MARGIN for alpha in (0, 1))
        ):
            return data


def _margin(data: Data, alpha: int) -> float:
    yes, no = (_score(data, label, alpha) for label in ("yes", "no"))
    return float(abs(yes - no) / (yes + no))


def _size(data: Data, label: str) -> int:
    return sum(row[-1] == label for row in data["rows"])


def _count(data: Data, label: str, at: int) -> int:
    return sum(row[-1] == label and row[at] == data["query"][at] for row in data["rows"])


def _table_question(smoothing: str) -> Any:
    def question(data: Data) -> tuple[Grid | Sentence, ...]:
        cells = tuple((str(i + 1), *row) for i, row in enumerate(data["rows"]))
        row = ", ".join(f"{n} = {x}" for n, x in zip(data["names"], data["query"], strict=True))
        text = f"Classify the row {row} by naive Bayes {smoothing}."
        return (Sentence(text), Grid("training rows", ("row", *data["names"], "class"), cells))

    return question


def _score(data: Data, label: str, alpha: int = 0, prior: bool = True, rows: bool = False) -> Any:
    """P(class) times the product of P(value | class)."""
    total = len(data["rows"])
    found = Fraction(_size(data, label), total) if prior else Fraction(1)
    for at, name in enumerate(data["names"]):
        below = total if rows else _size(data, label) + alpha * len(VALUES[name])
        found *= Fraction(_count(data, label, at) + alpha, below)
    return found


def _posterior_steps(score: Any, mistakes: Mapping[str, Any]) -> tuple[ExerciseStep, ...]:
    first = [
        ExerciseStep(
            f"score_{label}",
            f"P({label}) · P(values | {label})",
            lambda v, c=label: score(c),
            {text: (lambda v, c=label, f=made: f(c)) for text, made in mistakes.items()},
            4,
        )
        for label in ("yes", "no")
    ]

    def share(v: Data) -> Any:
        return v["score_yes"] / (v["score_yes"] + v["score_no"])

    return (
        *first,
        ExerciseStep(
            "p_yes",
            "P(yes | values), normalised",
            share,
            {
                "probability not normalised": lambda v: v["score_yes"],
                "probability of the other class": lambda v: 1 - share(v),
            },
        ),
        ExerciseStep(
            "class",
            "predicted class",
            lambda v: "yes" if v["p_yes"] > 0.5 else "no",
            {"less probable class chosen": lambda v: "no" if v["p_yes"] > 0.5 else "yes"},
        ),
    )


def _nb_steps(data: Data) -> tuple[ExerciseStep, ...]:
    return _posterior_steps(
        lambda c: _score(data, c),
        {
            NO_PRIOR: lambda c: _score(data, c, prior=False),
            "counts divided by all rows in place of the rows of the class": lambda c: _score(
                data, c, rows=True
            ),
        },
    )


def _laplace_steps(data: Data) -> tuple[ExerciseStep, ...]:
    def half_smoothed(label: str) -> Any:
        found = Fraction(_size(data, label), len(data["rows"]))
        for at in (0, 1):
            found *= Fraction(_count(data, label, at) + 1, _size(data, label) + 1)
        return found

    return _posterior_steps(
        lambda c: _score(data, c, 1),
        {
            "smoothing left out": lambda c: _score(data, c),
            "1 added to the denominator in place of the number of values": half_smoothed,
            NO_PRIOR: lambda c: _score(data, c, 1, prior=False),
        },
    )


def _nb_work(alpha: int) -> Any:
    def work(data: Data) -> Any:
        columns = {n: [row[at] for row in data["rows"]] for at, n in enumerate(data["names"])}
        table = columns | {"class": [row[-1] for row in data["rows"]]}
        model = NaiveBayes(alpha=alpha).fit(table, "class")
        row = dict(zip(data["names"], data["query"], strict=True))
        lines = str(model.explain(row)).splitlines()
        return Derivation("Naive Bayes", (*model.show_work().steps, *map(Sentence, lines)))

    return work


NAIVE_BAYES = ExerciseKind(
    name="naive-bayes",
    title="Naive Bayes without smoothing",
    draw=_draw_table,
    question=_table_question("without smoothing"),
    steps=_nb_steps,
    work=_nb_work(0),
)
NAIVE_BAYES_LAPLACE = ExerciseKind(
    name="naive-bayes-laplace",
    title="Naive Bayes with Laplace smoothing",
    draw=_draw_table,
    question=_table_question("with Laplace smoothing (1 is added to every count of a value)"),
    steps=_laplace_steps,
    work=_nb_work(1),
)


def _draw_gaussian(random: Random) -> dict[str, Any]:
    groups = {
        label: sorted(random.sample(range(1, 12), random.choice((3, 4)))) for label in ("a", "b")
    }
    return {"groups": groups, "x": random.randint(3, 9)}


def _drawn_gaussian(random: Random) -> dict[str, Any]:
    while True:  # densities that differ by more than they are rounded
        data = _draw_gaussian(random)
        moments = [_moments(values) for values in data["groups"].values()]
        a, b = (_density(data["x"], float(mean), float(variance)) for mean, variance in moments)
        if abs(a - b) > MIN_MARGIN:
            return data


def _moments(values: list[int], divisor: int = 0) -> tuple[Fraction, Fraction]:
    mean = Fraction(sum(values), len(values))
    squares = sum(((x - mean) ** 2 for x in values), Fraction(0))
    return mean, squares / (len(values) - divisor)


def _density(x: float, mean: float, variance: float) -> float:
    return math.exp(-((x - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)


def _gaussian_question(data: Data) -> tuple[Grid | Sentence, ...]:
    cells = tuple((label, ", ".join(map(str, xs))) for label, xs in data["groups"].items())
    text = (
        f"Gaussian naive Bayes with equal priors: which class has x = {data['x']}? The variance "
        "has "
        "the divisor n."
    )
    return (Sentence(text), Grid("values of x", ("class", "x"), cells))


def _gaussian_steps(data: Data) -> tuple[ExerciseStep, ...]:
    x = data["x"]
    steps: list[ExerciseStep] = []
    for label, values in data["groups"].items():
        mean, variance = _moments(values)
        steps += [
            ExerciseStep(f"mean_{label}", f"mean of class {label}", lambda v, m=mean: m),
            ExerciseStep(
                f"variance_{label}",
                f"variance of class {label}",
                lambda v, s=variance: s,
                {
                    "divisor n - 1 in place of n": lambda v, xs=values: _moments(xs, 1)[1],
                    "standard deviation in place of the variance": lambda v, s=variance: math.sqrt(
                        s
                    ),
                },
            ),
            ExerciseStep(
                f"density_{label}",
                f"density of x in class {label}",
                lambda v, c=label: _density(x, float(v[f"mean_{c}"]), float(v[f"variance_{c}"])),
                {
                    "factor 1 / sqrt(2π variance) left out": lambda v, c=label: math.exp(
                        -((x - float(v[f"mean_{c}"])) ** 2) / (2 * float(v[f"variance_{c}"]))
                    ),
                    "2 left out of the exponent": lambda v, c=label: (
                        math.exp(-((x - float(v[f"mean_{c}"])) ** 2) / float(v[f"variance_{c}"]))
                        / math.sqrt(2 * math.pi * float(v[f"variance_{c}"]))
                    ),
                },
                4,
            ),
        ]
    last = ExerciseStep(
        "class",
        "class of x",
        lambda v: "a" if v["density_a"] >= v["density_b"] else "b",
        {
            "class of the smaller density": lambda v: (
                "b" if v["density_a"] >= v["density_b"] else "a"
            )
        },
    )
    return (*steps, last)


def _gaussian_work(data: Data) -> Derivation:
    lines = []
    for label, values in data["groups"].items():
        mean, variance = _moments(values)
        x, m, s = data["x"], float(mean), float(variance)
        lines += [
            formula(f"mean of {label} = {sum(values)}/{len(values)} = {m:.4g}"),
            formula(f"variance of {label} = Σ (x - {m:.4g})² / {len(values)} = {s:.4g}"),
            formula(
                f"density of {x} in {label} = e^(-({x} - {m:.4g})² / (2 · {s:.4g})) / "
                f"sqrt(2 · 3.142 · {s:.4g}) = {_density(x, m, s):.4g}"
            ),
        ]
    return Derivation("Gaussian factors", tuple(lines))


GAUSSIAN = ExerciseKind(
    name="gaussian-factors",
    title="Gaussian naive Bayes in one column",
    draw=_drawn_gaussian,
    question=_gaussian_question,
    steps=_gaussian_steps,
    work=_gaussian_work,
)


def _draw_test(random: Random) -> dict[str, Any]:
    return {
        "prior": Fraction(random.randint(1, 20), 100),
        "hit": Fraction(random.randint(80, 99), 100),
        "false": Fraction(random.randint(2, 20), 100),
    }


def _test_question(data: Data) -> tuple[Sentence, ...]:
    text = (
        f"{float(data['prior']):.0%} of the patients are ill. The test is positive for "
        f"{float(data['hit']):.0%} of the ill and for {float(data['false']):.0%} of the healthy. "
        "It is positive. How probable is the illness?"
    )
    return (Sentence(text),)


def _test_steps(data: Data) -> tuple[ExerciseStep, ...]:
    p, hit, false = data["prior"], data["hit"], data["false"]
    return (
        ExerciseStep("joint", "P(positive, ill)", lambda v: p * hit, {NO_PRIOR: lambda v: hit}, 4),
        ExerciseStep(
            "evidence",
            "P(positive)",
            lambda v: Fraction(v["joint"]) + (1 - p) * false,
            {
                "specificity used in place of the false positive rate": lambda v: (
                    Fraction(v["joint"]) + (1 - p) * (1 - false)
                ),
                "rates added without the priors": lambda v: hit + false,
            },
            4,
        ),
        ExerciseStep(
            "posterior",
            "P(ill | positive)",
            lambda v: float(v["joint"]) / float(v["evidence"]),
            {
                "base rate ignored: P(positive | ill) given in place of P(ill | positive)": (
                    lambda v: hit
                ),
                "not divided by P(positive)": lambda v: v["joint"],
            },
        ),
    )


def _test_work(data: Data) -> Any:
    prior = {"ill": data["prior"], "healthy": 1 - data["prior"]}
    return bayes_rule(prior, {"ill": data["hit"], "healthy": data["false"]})


BAYES_RULE = ExerciseKind(
    name="bayes-rule",
    title="Bayes' rule for a test",
    draw=_draw_test,
    question=_test_question,
    steps=_test_steps,
    work=_test_work,
)


def _draw_coins(random: Random) -> dict[str, Any]:
    while True:
        shares = random.sample((1, 2, 3, 4, 5, 6, 7, 8, 9), 3)
        weights = [random.randint(1, 6) for _ in range(3)]
        n = random.randint(3, 5)
        data: dict[str, Any] = {
            "heads": random.randint(1, n - 1),
            "n": n,
            "theta": {f"h{i + 1}": Fraction(t, 10) for i, t in enumerate(shares)},
            "prior": {f"h{i + 1}": Fraction(w, sum(weights)) for i, w in enumerate(weights)},
        }
        like = _likelihoods(data)
        joint = [like[h] * p for h, p in data["prior"].items()]
        if all(_has_one_maximum(one) for one in (like.values(), joint, weights)):
            return data


def _has_one_maximum(values: Any) -> bool:
    found = sorted(values)
    return bool(found[-1] > found[-2])


def _likelihoods(data: Data) -> dict[str, Fraction]:
    k, n = data["heads"], data["n"]
    return {h: t**k * (1 - t) ** (n - k) for h, t in data["theta"].items()}


def _coins_question(data: Data) -> tuple[Grid | Sentence, ...]:
    cells = tuple((h, str(data["prior"][h]), str(t)) for h, t in data["theta"].items())
    text = (
        f"A coin shows heads {data['heads']} times in {data['n']} throws, in a known order. Which "
        "hypothesis is most likely (ML), which most probable (MAP)?"
    )
    return (Sentence(text), Grid("", ("h", "P(h)", "P(heads | h)"), cells))


def _coins_steps(data: Data) -> tuple[ExerciseStep, ...]:
    like = _likelihoods(data)
    joint = {h: like[h] * data["prior"][h] for h in like}
    return (
        ExerciseStep(
            "h_ML",
            "maximum likelihood hypothesis",
            lambda v: max(like, key=lambda h: like[h]),
            {"priors used for the likelihood": lambda v: max(joint, key=lambda h: joint[h])},
        ),
        ExerciseStep(
            "h_MAP",
            "maximum a posteriori hypothesis",
            lambda v: max(joint, key=lambda h: joint[h]),
            {
                NO_PRIOR: lambda v: max(like, key=lambda h: like[h]),
                "largest prior, without the data": lambda v: max(
                    like, key=lambda h: data["prior"][h]
                ),
            },
        ),
        ExerciseStep(
            "posterior",
            "P(h_MAP | D)",
            lambda v: joint.get(v["h_MAP"].replace("H", "h"), Fraction(0)) / sum(joint.values()),
            {
                "posterior not normalised": lambda v: max(joint.values()),
                "likelihoods normalised without the priors": lambda v: (
                    max(like.values()) / sum(like.values())
                ),
            },
        ),
    )


MAP_ML = ExerciseKind(
    name="map-ml",
    title="Maximum likelihood and maximum a posteriori",
    draw=_draw_coins,
    question=_coins_question,
    steps=_coins_steps,
    work=lambda data: bayes_rule(data["prior"], _likelihoods(data)),
)

KINDS = (NAIVE_BAYES, NAIVE_BAYES_LAPLACE, GAUSSIAN, BAYES_RULE, MAP_ML)
