"""A prediction of nearest neighbours, neighbour by neighbour."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tallylearn.reporting.charts import Layer, LineLayer, Plot, PointLayer, axis_ends, draw_layers
from tallylearn.reporting.charts.svg_elements import SHAPES
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import Array
from tallylearn.workings import Evidence, Formula, Grid
from tallylearn.workings.step_sequence import AlgorithmStep, StepSequence
from tallylearn.workings.terms import Term

MAX_DRAWN_ROWS = 1000


def neighbour_steps(
    evidence: Evidence,
    names: Sequence[str],
    rows: Array,
    classes: Sequence[str],
    query: Array,
) -> StepSequence:
    """The neighbours from the nearest on, and the votes so far.

    Parameters
    ----------
    evidence : the explanation of the prediction: a line for each class, a term for each neighbour.
    rows : (n, p) the training rows, and ``classes`` their classes.
    query : (p,) the row that is predicted.
    """
    votes = [(line.outcome, term) for line in evidence.lines for term in line.terms]
    votes.sort(key=lambda pair: _distance(pair[1]))
    formulas = [part for part in evidence.working if isinstance(part, Formula)]
    totals = dict.fromkeys(sorted({*classes}), 0.0)
    seen: list[tuple[str, Array]] = []
    drawn = _Scatter(names, rows, classes, query)
    start = {"votes": dict(totals), "neighbours": []}
    steps = [AlgorithmStep("Start: the row to predict", start, (), drawn.plot(seen))]
    found: list[dict[str, object]] = []
    for at, (outcome, term) in enumerate(votes, 1):
        totals[str(outcome)] += term.amount
        found.append({"neighbour": term.column, "class": outcome, "distance": term.value,
                      "vote": term.amount})  # fmt: skip
        number = int(term.column.removeprefix("row "))
        seen.append((str(outcome), rows[number] if number < len(rows) else query))
        parts = [part for part in formulas if part.text.startswith(f"d({term.column}) ")]
        counted = tuple((name, format_number(total)) for name, total in totals.items())
        steps.append(AlgorithmStep(
            f"Neighbour {at}: {term.column} at distance {term.value}, class {outcome}",
            {"votes": dict(totals), "neighbours": [*found]},
            (*parts, Grid("votes so far", ("class", "votes"), counted)), drawn.plot(seen),
        ))  # fmt: skip
    shares = dict.fromkeys(totals, 0.0)
    shares |= {str(line.outcome): float(line.share or 0.0) for line in evidence.lines}
    last = tuple(part for part in formulas if part.text.startswith("P("))
    steps.append(AlgorithmStep(
        f"Count the votes: the prediction is {evidence.chosen}",
        {"votes": dict(totals), "shares": shares, "prediction": evidence.chosen}, last,
        drawn.plot(seen),
    ))  # fmt: skip
    return StepSequence(f"{len(votes)} nearest neighbours of a row", tuple(steps))


def _distance(term: Term) -> float:
    return float(term.value)


class _Scatter:
    """The training rows and the query in two columns of numbers."""

    def __init__(
        self, names: Sequence[str], rows: Array, classes: Sequence[str], query: Array
    ) -> None:
        self.names, self.rows, self.query = names, rows, query
        self.classes = np.array(classes, dtype=object)
        self.known = sorted({*classes})

    def plot(self, neighbours: Sequence[tuple[str, Array]]) -> Plot | None:
        shape = self.rows.shape
        if shape[1] != 2 or shape[0] > MAX_DRAWN_ROWS or len(self.known) > len(SHAPES) - 1:
            return None
        layers: list[Layer] = [
            LineLayer("", [self.query[0], row[0]], [self.query[1], row[1]], width=1.2)
            for _, row in neighbours
        ]
        for code, name in enumerate(self.known):
            own = self.rows[self.classes == name]
            near = np.array([row for outcome, row in neighbours if outcome == name])
            layers.append(PointLayer(name, own[:, 0], own[:, 1], code))
            if len(near):
                layers.append(PointLayer("", near[:, 0], near[:, 1], code, True))
        layers.append(
            PointLayer("row to predict", [self.query[0]], [self.query[1]], 4, solid=True, shape=5)
        )
        every = np.vstack([self.rows, self.query])
        ends = [axis_ends(every[:, axis]) for axis in (0, 1)]
        return draw_layers(layers, f"Neighbours found: {len(neighbours)}", *self.names[:2],
                           x_range=ends[0], y_range=ends[1])  # fmt: skip
