"""K-means round by round: the assignments, the means and the inertia."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tallylearn.reporting.charts import (
    Layer,
    LineLayer,
    Plot,
    PointLayer,
    axis_ends,
    draw_layers,
    draw_lines,
)
from tallylearn.reporting.charts.svg_elements import SHAPES
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import Array
from tallylearn.workings import Formula, Grid, equation
from tallylearn.workings.derivations import MAX_TABLE_ROWS
from tallylearn.workings.step_sequence import AlgorithmStep, StepSequence

MAX_ROUNDS = 50  # rounds that are told


def round_steps(
    names: Sequence[str], x: Array, weight: Array, rounds: Sequence[Array]
) -> StepSequence:
    """The states of Lloyd's algorithm.

    Parameters
    ----------
    names : the columns.
    x : (n, p) the rows, in the units of the table.
    weight : (n,) their weights.
    rounds : (k, p) the initial centres, and those after every round.
    """
    nearest = [_assign(x, centres) for centres in rounds]
    inertia = [float((weight * squares).sum()) for _, squares in nearest]
    steps = [
        AlgorithmStep(
            "Start: the initial centres, and the rows nearest to each",
            _numbers(rounds[0], nearest[0][0], inertia[0]),
            (_assignments(names, x, rounds[0], nearest[0][0]), _inertia(inertia[0])),
            _drawing(names, x, rounds, 0, labels=nearest[0][0], inertia=inertia),
        )
    ]
    for at in range(1, min(len(rounds), MAX_ROUNDS + 1)):
        before, labels = nearest[at - 1][0], nearest[at][0]
        changed = int((before != labels).sum())
        still = "no row changes its cluster" if not changed else (
            f"{changed} row{'s' if changed > 1 else ''} change{'s' if changed == 1 else ''} cluster"
        )  # fmt: skip
        parts = (
            _means(names, x, weight, before, rounds[at]),
            _assignments(names, x, rounds[at], labels),
            _inertia(inertia[at]),
        )
        steps.append(AlgorithmStep(
            f"Round {at}: move each centre to the mean of its rows; {still}",
            _numbers(rounds[at], labels, inertia[at]), parts,
            _drawing(names, x, rounds, at, labels=labels, inertia=inertia),
        ))  # fmt: skip
    return StepSequence(f"k-means with {len(rounds[0])} clusters", tuple(steps))


def lloyd_rounds(x: Array, weight: Array, start: Array, n_rounds: int) -> list[Array]:
    """The centres before and after every round; an empty cluster keeps its centre."""
    rounds = [np.array(start, dtype=float)]
    for _ in range(n_rounds):
        labels, _squares = _assign(x, rounds[-1])
        centres = rounds[-1].copy()
        for c in range(len(centres)):
            own = labels == c
            if weight[own].sum() > 0:
                centres[c] = np.average(x[own], axis=0, weights=weight[own])
        rounds.append(centres)
    return rounds


def _assign(x: Array, centres: Array) -> tuple[Array, Array]:
    """(n,) the nearest centre of every row, and its squared distance."""
    squares = ((x[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    labels = squares.argmin(axis=1)
    return labels, squares[np.arange(len(x)), labels]


def _numbers(centres: Array, labels: Array, inertia: float) -> dict[str, object]:
    return {"centres": centres.tolist(), "labels": labels.tolist(), "inertia": inertia}


def _inertia(value: float) -> Formula:
    return equation(f"inertia = Σ d(row, its centre)^2 = {format_number(value)}")


def _means(names: Sequence[str], x: Array, weight: Array, labels: Array, centres: Array) -> Grid:
    """The new centres: the sum of the rows of each cluster, divided by their number."""
    rows = []
    for c, centre in enumerate(centres):
        own = labels == c
        size = float(weight[own].sum())
        sums = (weight[own, None] * x[own]).sum(axis=0)
        cells = [f"{format_number(float(s))} / {format_number(size)} = {format_number(float(m))}"
                 if size else format_number(float(m))
                 for s, m in zip(sums, centre, strict=True)]  # fmt: skip
        rows.append((f"cluster {c}", *cells))
    return Grid("new centres: sum of the rows / their number", ("centre", *names), tuple(rows))


def _assignments(names: Sequence[str], x: Array, centres: Array, labels: Array) -> Grid:
    """The distances of the rows to every centre."""
    shown = x[:MAX_TABLE_ROWS]
    far = np.sqrt(((shown[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2))
    rows = tuple(
        (str(i), *(format_number(float(v)) for v in row),
         *(format_number(float(d)) for d in distances), f"cluster {labels[i]}")
        for i, (row, distances) in enumerate(zip(shown, far, strict=True))
    )  # fmt: skip
    head = ("row", *names, *(f"d(cluster {c})" for c in range(len(centres))), "nearest")
    left = len(x) - len(shown)
    note = f"The first {len(shown)} of {len(x)} rows." if left else ""
    return Grid("distances to the centres", head, rows, note)


def _drawing(
    names: Sequence[str], x: Array, rounds: Sequence[Array], at: int, *, labels: Array,
    inertia: Sequence[float],
) -> Plot:  # fmt: skip
    """Rows and the paths of the centres in two columns; else the inertia by round."""
    if x.shape[1] != 2 or len(rounds[-1]) > len(SHAPES):
        told = range(at + 1)
        return draw_lines({"inertia": (told, inertia[: at + 1])}, "Inertia", "round", "inertia",
                          x_range=(0, len(rounds) - 1), y_range=(0, max(inertia)))  # fmt: skip
    layers: list[Layer] = []
    for c, centre in enumerate(rounds[at]):
        own = x[labels == c]
        if len(own):
            layers.append(PointLayer(f"cluster {c}", own[:, 0], own[:, 1], c))
        path = np.array([one[c] for one in rounds[: at + 1]])
        layers.append(LineLayer("", path[:, 0], path[:, 1], width=1.2))
        layers.append(
            PointLayer("centres" if not c else "", [centre[0]], [centre[1]], 4, solid=True, shape=3)
        )
    every = np.vstack([x, *rounds])
    ends = [axis_ends(every[:, axis]) for axis in (0, 1)]
    return draw_layers(layers, f"Round {at}", *names[:2],
                       x_range=ends[0], y_range=ends[1])  # fmt: skip
