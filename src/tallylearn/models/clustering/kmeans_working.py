"""The working of k-means: in every round the assignments, the inertia, and the new means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tallylearn.models.clustering.coded_rows import INDICATOR, Coding
from tallylearn.models.clustering.lloyd import ClusterSums, PointSums
from tallylearn.models.clustering.nearest_centres import CodedPoints, NearestCentre
from tallylearn.reporting.formatting import format_number, more_note
from tallylearn.tables import Array, Block
from tallylearn.workings import Formula, Grid, Sentence
from tallylearn.workings.distance_steps import MAX_SHOWN_COLUMNS, difference, distance_formula
from tallylearn.workings.equations import equation_chain, formula, number, signed_sum

MAX_FULL_ROUNDS = 3  # rounds that are written out; full=True writes all
MAX_SHOWN_ROWS = 20  # rows of a table of assignments, unless full=True
MAX_SUMMED = 10  # numbers that a formula adds up
MAX_WORKED_MEANS = 12  # means of a round that are written out, unless full=True
MAX_WORKED_COLUMNS = 3  # columns and clusters whose distances fit a table
Step = Grid | Formula | Sentence


class KMeansWorking:
    """The rounds of Lloyd's algorithm, from the training rows and the initial centres."""

    def __init__(self, coding: Coding, block: Block, start: Array, rounds: int) -> None:
        self.coding, self.start, self.rounds = coding, start, rounds
        self.points, self.weight = CodedPoints.of(coding, block), block.weight
        x = self.points.at(...)
        self.shift = find_display_shift(coding)
        self.x = x + self.shift
        weight = np.ones(len(x)) if self.weight is None else self.weight
        self.sums = PointSums(float(weight.sum()), np.einsum("ij,ij,i->j", x, x, weight))

    def steps(self, full: bool = False) -> Iterator[Step]:
        """The scaling, the initial centres, the first rounds, and a table of all rounds."""
        yield from scaling_steps(self.coding)
        yield self._centres("initial centres", self.start)
        centres, rows = self.start, list[tuple[str, ...]]()
        before: Array | None = None
        tracked = self.sums.track(self.points, self.weight)
        for at in range(1, self.rounds + 1):
            labels = NearestCentre.labels(self.points, centres)[0]
            found = ClusterSums.of(tracked, centres)
            if found.has_empty_cluster:
                found = ClusterSums.of(tracked, centres, seek_farthest=True)
            inertia = found.inertia(centres, float(self.sums.squares.sum()))
            if full or at <= MAX_FULL_ROUNDS:
                yield from self._round(at, labels, centres, found, inertia=inertia, full=full)
            moved = len(labels) if before is None else int((labels != before).sum())
            rows.append((str(at), number(inertia), str(moved)))
            before, centres = labels, found.means(centres)
        title = "J before the means of every round move, and the rows that change their cluster"
        yield Grid(title, ("round", "J", "rows"), tuple(rows))
        if self.rounds > MAX_FULL_ROUNDS and not full:
            yield Sentence("show_work(full=True) writes out all rounds.")

    def _round(
        self, at: int, labels: Array, centres: Array, found: ClusterSums, inertia: float, full: bool
    ) -> Iterator[Step]:
        yield Sentence(f"Round {at}: every row goes to its nearest centre.")
        shown = len(labels) if full else min(len(labels), MAX_SHOWN_ROWS)
        squares = np.stack([
            ((self.points.at(i) - centres) ** 2).sum(axis=1) for i in range(shown)
        ])  # fmt: skip
        yield self._assignments(labels, squares, centres)
        sides = [number(inertia)]
        if self.weight is None and len(labels) <= MAX_SUMMED:
            least = squares[np.arange(len(labels)), labels]
            sides = [signed_sum([*map(number, least.tolist())]), *sides]
        yield formula(equation_chain("J", *sides))
        if found.has_empty_cluster:
            yield Sentence("A cluster without rows takes the row that is farthest from its centre.")
            return
        yield Sentence("Every centre moves to the mean of its rows: mean(column, cluster).")
        yield from self._means(labels, found, full)

    def _assignments(self, labels: Array, squares: Array, centres: Array) -> Grid:
        """The squared distances of rows to the centres."""
        (k, p), shown = centres.shape, len(squares)
        worked = k <= MAX_WORKED_COLUMNS and p <= 2
        rows = []
        for i in range(shown):
            cells = [number(float(s)) for s in squares[i]]
            if worked:
                ends = centres + self.shift
                cells = [
                    distance_formula("", self.x[i].tolist(), end, "squared").text.removeprefix(
                        " = "
                    )
                    for end in ends.tolist()
                ]
                cells = [_shorten_equation(cell) for cell in cells]
            rows.append((str(i), str(labels[i]), *cells))
        header = ("row", "cluster", *(f"d² to {c}" for c in range(k)))
        note = more_note(len(labels) - shown) if shown < len(labels) else ""
        return Grid("squared distances to the centres", header, tuple(rows), note)

    def _means(self, labels: Array, found: ClusterSums, full: bool) -> Iterator[Step]:
        """Every new centre is the mean of its rows."""
        sums, (k, p) = found.sums, self.start.shape
        if k * p > MAX_WORKED_MEANS and not full:
            means = found.means(self.start)
            yield self._centres("the means of the clusters, the new centres", means)
            return
        for c in range(k):
            count = float(sums[c, -1])
            for j, name in enumerate(self.coding.names):
                total = float(sums[c, j] + count * self.shift[j])
                sides = [f"{number(total)} / {number(count)}", number(total / count)]
                values = self.x[labels == c, j]
                if self.weight is None and len(values) <= MAX_SUMMED:
                    each = signed_sum([*map(number, values.tolist())])
                    sides = [f"({each}) / {len(values)}", *sides]
                yield formula(equation_chain(f"mean({name}, {c})", *sides))

    def _centres(self, title: str, centres: Array) -> Grid:
        rows = tuple(
            (str(c), *map(number, row)) for c, row in enumerate((centres + self.shift).tolist())
        )
        return Grid(title, ("centre", *self.coding.names), rows)


def scaling_steps(coding: Coding) -> Iterator[Step]:
    """How columns are scaled, and what categories become."""
    if (coding.scale != 1).any():
        rows = tuple(
            (name, format_number(less), format_number(by))
            for name, less, by in zip(
                coding.columns, coding.shift.tolist(), coding.scale.tolist(), strict=True
            )
        )
        title = "columns are scaled: (value - less) / by"
        yield Grid(title, ("column", "less", "by"), rows)
    if coding.categories:
        yield Sentence(
            f"A category is {number(INDICATOR)} in the column of its value and 0 in the others: "
            "two categories have the squared distance 1."
        )


def find_display_shift(coding: Coding) -> Array:
    """What is added to points to print them: columns that are not scaled keep their values."""
    shift = np.zeros(coding.width)
    if not (coding.scale != 1).any():
        shift[: len(coding.columns)] = coding.shift
    return shift


def distance_steps(coding: Coding, point: Array, centres: Array) -> list[Any]:
    """The squared distance of one row to every centre."""
    shift = find_display_shift(coding)
    x = (point + shift).tolist()
    scaled = []
    if (coding.scale != 1).any() and len(coding.columns) <= MAX_SHOWN_COLUMNS:
        for name, less, by, at in zip(
            coding.columns, coding.shift.tolist(), coding.scale.tolist(), x, strict=False
        ):
            side = f"({difference(at * by + less, less)}) / {number(by)}"
            scaled.append(formula(equation_chain(name, side, number(at))))
    return [
        *scaled, *(
        distance_formula(f"d²({c})", x, centre, "squared")
        for c, centre in enumerate((centres + shift).tolist()[:MAX_SUMMED])
        )
    ]  # fmt: skip


def _shorten_equation(equation: str) -> str:
    """The first and the last side of an equation."""
    sides = equation.split(" = ")
    return " = ".join(dict.fromkeys((sides[0], sides[-1])))
