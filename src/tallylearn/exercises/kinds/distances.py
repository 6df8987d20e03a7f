"""Exercises on nearest neighbours and k-means."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

from tallylearn.calculations.calculation import formula
from tallylearn.calculations.vectors import distance
from tallylearn.exercises.exercise import Data, ExerciseKind, ExerciseStep
from tallylearn.workings import Derivation, Grid, Sentence

Point = tuple[int, int]


def _euclid(a: Any, b: Any) -> float:
    return math.dist(a, b)


def _draw_knn(random: Random) -> dict[str, Any]:
    while True:
        points = {name: (random.randint(0, 7), random.randint(0, 7)) for name in "ABCDE"}
        query = (random.randint(1, 6), random.randint(1, 6))
        labels = {name: random.choice(("+", "-")) for name in points}
        gaps = sorted(_euclid(query, p) for p in points.values())
        distinct = all(b - a > 0.01 for a, b in pairwise(gaps))
        if distinct and gaps[0] > 0 and len({*labels.values()}) == 2:
            return {"points": points, "labels": labels, "query": query}


def _knn_question(data: Data) -> tuple[Grid | Sentence, ...]:
    cells = tuple(
        (name, str(p[0]), str(p[1]), data["labels"][name]) for name, p in data["points"].items()
    )
    text = (
        f"Classify {data['query']} by its 3 nearest neighbours (Euclidean distance, one vote each)."
    )
    return (Sentence(text), Grid("", ("row", "x", "y", "class"), cells))


def _nearest(gaps: dict[str, float], k: int = 3) -> frozenset[str]:
    return frozenset(sorted(gaps, key=lambda name: gaps[name])[:k])


def _vote(names: Any, labels: dict[str, str]) -> str:
    found = Counter(labels[str(name).upper()] for name in names if str(name).upper() in labels)
    return max(sorted(found), key=lambda label: found[label]) if found else "+"


def _knn_steps(data: Data) -> tuple[ExerciseStep, ...]:
    points, query, labels = data["points"], data["query"], data["labels"]
    gaps = {name: _euclid(query, p) for name, p in points.items()}
    manhattan = {name: abs(p[0] - query[0]) + abs(p[1] - query[1]) for name, p in points.items()}
    nearest = min(gaps, key=lambda name: gaps[name])
    steps = [
        ExerciseStep(
            f"d_{name}",
            f"distance to {name}",
            lambda v, d=gap: d,
            {
                "Manhattan distance in place of the Euclidean": lambda v, n=name: manhattan[n],
                "square root left out": lambda v, d=gap: d * d,
            }
            if name == _first_slanted(points, query)
            else {},
        )
        for name, gap in gaps.items()
    ]
    return (
        *steps,
        ExerciseStep(
            "neighbours",
            "the three nearest rows, such as {A, B, C}",
            lambda v: _nearest({name: float(v[f"d_{name}"]) for name in points}),
            {
                "farthest rows in place of the nearest": lambda v: _nearest(
                    {name: -float(v[f"d_{name}"]) for name in points}
                ),
                "two rows in place of three": lambda v: _nearest(gaps, 2),
            },
        ),
        ExerciseStep(
            "class",
            "predicted class",
            lambda v: _vote(v["neighbours"], labels),
            {
                "minority of the neighbours": lambda v: (
                    "-" if _vote(v["neighbours"], labels) == "+" else "+"
                )
            },
        ),
        ExerciseStep(
            "share",
            "share of the votes for the predicted class",
            lambda v: Fraction(_votes(data, v["neighbours"]), 3),
            {"votes divided by all rows": lambda v: Fraction(_votes(data, v["neighbours"]), 5)},
        ),
        ExerciseStep("class_1nn", "class by the nearest row alone", lambda v: labels[nearest]),
    )


def _votes(data: Data, names: Any) -> int:
    labels = data["labels"]
    chosen = _vote(names, labels)
    return sum(labels.get(str(name).upper()) == chosen for name in names)


def _first_slanted(points: dict[str, Point], query: Point) -> str:
    """The first row that differs in both coordinates: there the metrics differ."""
    slanted = (n for n, p in points.items() if p[0] != query[0] and p[1] != query[1])
    return next(slanted, "A")


def _knn_work(data: Data) -> Derivation:
    steps: list[Any] = []
    for name, p in data["points"].items():
        text = distance(data["query"], p).show_work().steps[0]
        steps.append(formula(f"d_{name}{text.text[1:]}"))  # type: ignore[union-attr]
    gaps = {name: _euclid(data["query"], p) for name, p in data["points"].items()}
    names = sorted(_nearest(gaps), key=lambda name: gaps[name])
    votes = ", ".join(f"{name} {data['labels'][name]}" for name in names)
    steps.append(Sentence(f"Nearest: {votes}. The majority is {_vote(names, data['labels'])}."))
    return Derivation("Nearest neighbours", tuple(steps))


KNN = ExerciseKind(
    name="knn-vote",
    title="A vote of nearest neighbours",
    draw=_draw_knn,
    question=_knn_question,
    steps=_knn_steps,
    work=_knn_work,
)


def _draw_kmeans(random: Random) -> dict[str, Any]:
    while True:
        points = {name: (random.randint(0, 9), random.randint(0, 9)) for name in "ABCDEF"}
        centres = random.sample([(x, y) for x in range(10) for y in range(10)], 2)
        data = {"points": points, "centres": centres}
        gaps = [abs(_euclid(p, centres[0]) - _euclid(p, centres[1])) for p in points.values()]
        size = len(_members(data, 0))
        if min(gaps) > 0.05 and 2 <= size <= 4 and len({*points.values()}) == 6:
            return data


def _members(data: Data, at: int, centres: Any = None) -> frozenset[str]:
    first, second = centres or data["centres"]
    near = {n for n, p in data["points"].items() if _euclid(p, first) < _euclid(p, second)}
    return frozenset(near if at == 0 else {*data["points"]} - near)


def _kmeans_question(data: Data) -> tuple[Grid | Sentence, ...]:
    cells = tuple((name, str(p[0]), str(p[1])) for name, p in data["points"].items())
    first, second = data["centres"]
    text = (
        f"One round of k-means with the centres c1 = {first} and c2 = {second}: assign every row "
        "to "
        "its nearest centre, then move each centre to the mean of its rows."
    )
    return (Sentence(text), Grid("", ("row", "x", "y"), cells))


def _mean(data: Data, names: Any, divisor: int | None = None) -> tuple[Fraction, Fraction]:
    chosen = [data["points"][str(n).upper()] for n in names if str(n).upper() in data["points"]]
    below = divisor or max(len(chosen), 1)
    return tuple(Fraction(sum(p[at] for p in chosen), below) for at in (0, 1))  # type: ignore[return-value]


def _with_centre(data: Data, names: Any, at: int) -> tuple[Fraction, Fraction]:
    centre = data["centres"][at]
    chosen = [data["points"][str(n).upper()] for n in names if str(n).upper() in data["points"]]
    every = [*chosen, centre]
    return tuple(Fraction(sum(p[k] for p in every), len(every)) for k in (0, 1))  # type: ignore[return-value]


def _kmeans_steps(data: Data) -> tuple[ExerciseStep, ...]:
    return (
        ExerciseStep(
            "cluster_1",
            "rows assigned to c1, such as {A, B}",
            lambda v: _members(data, 0),
            {"rows assigned to the farther centre": lambda v: _members(data, 1)},
        ),
        ExerciseStep(
            "c1",
            "new centre c1",
            lambda v: _mean(data, v["cluster_1"]),
            {
                "sum not divided by the number of rows": lambda v: _mean(data, v["cluster_1"], 1),
                "old centre averaged in": lambda v: _with_centre(data, v["cluster_1"], 0),
                "divided by all rows in place of the rows of the cluster": lambda v: _mean(
                    data, v["cluster_1"], 6
                ),
            },
        ),
        ExerciseStep(
            "c2",
            "new centre c2",
            lambda v: _mean(data, {*data["points"]} - {str(n).upper() for n in v["cluster_1"]}),
        ),
    )


def _kmeans_work(data: Data) -> Derivation:
    cells = []
    for name, p in data["points"].items():
        first, second = (_euclid(p, c) for c in data["centres"])
        chosen = "c1" if first < second else "c2"
        cells.append((name, f"{first:.3f}", f"{second:.3f}", chosen))
    grid = Grid("distances", ("row", "to c1", "to c2", "nearest"), tuple(cells))
    lines = []
    for at in (0, 1):
        names = sorted(_members(data, at))
        x, y = _mean(data, names)
        lines.append(formula(f"c{at + 1} = mean of {', '.join(names)} = ({x}, {y})"))
    return Derivation("k-means", (grid, *lines))


KMEANS = ExerciseKind(
    name="k-means-round",
    title="A round of k-means",
    draw=_draw_kmeans,
    question=_kmeans_question,
    steps=_kmeans_steps,
    work=_kmeans_work,
)

KINDS = (KNN, KMEANS)
