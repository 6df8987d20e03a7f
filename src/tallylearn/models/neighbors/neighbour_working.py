"""The working of a prediction by neighbours: scaled columns, distances, votes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tallylearn.models.neighbors.examples import Examples
from tallylearn.tables import Array, Block
from tallylearn.workings import Formula, Grid, Sentence
from tallylearn.workings.distance_steps import (
    MAX_SHOWN_COLUMNS,
    bracket_negative,
    difference,
    distance_formula,
)
from tallylearn.workings.equations import equation_chain, formula, number, signed_sum

MAX_SHOWN_NEIGHBOURS = 10  # whose distances are written out, the nearest first
Step = Grid | Formula | Sentence


class NeighbourSteps:
    """The arithmetic behind the prediction of one row."""

    def __init__(
        self, examples: Examples, block: Block, at: int, places: Array, distances: Array
    ) -> None:
        one = block[at : at + 1]
        self.examples, self.places, self.distances = examples, places, distances
        numbers, codes = examples.encode_queries(one)
        self.numbers, self.codes = numbers[0], codes[0]
        columns = [block.schema.places[name] for name in examples.columns]
        self.raw = one.numbers[0, columns]

    def steps(self) -> Iterator[Step]:
        """The scaled columns and the distances."""
        shown = [*range(min(len(self.places), MAX_SHOWN_NEIGHBOURS))]
        few = len(self.examples.columns) <= MAX_SHOWN_COLUMNS
        if self.examples.metric == "gower":
            if len(self.examples.columns) + len(self.examples.categories) > MAX_SHOWN_COLUMNS:
                return
            yield Sentence(
                "Each column adds |x - z| / range for numbers, and 0 or 1 for equal or different "
                f"categories, in the order {', '.join(self._names())}. The distance is the mean."
            )
            for i in shown:
                yield self._gower(i)
        else:
            if few and self.examples.is_scaled:
                yield self._scaling_grid(shown)
            z = self.examples.points(self.places)
            for i in shown:
                name = f"d({self.row(i)})"
                x = self.numbers.tolist()
                examples = self.examples
                yield distance_formula(name, x, z[i].tolist(), examples.metric, examples.p)
        if more := len(self.places) - len(shown):
            yield Sentence(f"and {more} more neighbours")

    def weights(self, votes: Array, weights: str) -> Iterator[Step]:
        """How the votes follow from the distances."""
        if not self.distances.all():
            exact = [self.row(i) for i in np.flatnonzero(self.distances == 0).tolist()]
            alone = exact[:MAX_SHOWN_NEIGHBOURS]
            verb = "is" if len(exact) == 1 else "are"
            yield Sentence(f"{', '.join(alone)} {verb} at distance 0: no other row has a vote.")
            return
        power = "²" if weights == "inverse_square" else ""
        for i in range(min(len(votes), MAX_SHOWN_NEIGHBOURS)):
            distance = float(self.distances[i])
            found = 1 / distance / (distance if power else 1.0)
            shown = number(distance)  # "0" where it is tiny
            if shown != "0" and math.isclose(found, float(votes[i]), rel_tol=1e-9):
                side = f"1 / {shown}{power}"
                yield formula(f"vote({self.row(i)}) = {side} = {number(float(votes[i]))}")

    def row(self, i: int) -> str:
        """A neighbour by the number of its row."""
        return f"row {self.examples.rows[self.places[i]]}"

    def _names(self) -> tuple[str, ...]:
        return (*self.examples.columns, *self.examples.categories)

    def _scaling_grid(self, shown: Sequence[int]) -> Grid:
        """Every row that is compared, column by column."""
        examples = self.examples
        rows = [("this row", self.raw), *((self.row(i), examples.numbers[self.places[i]])
                                          for i in shown)]  # fmt: skip
        cells = tuple(
            (name, *(
                f"({difference(x, less)}) / {number(by)} = {number((x - less) / by)}"
                for x, less, by in zip(values.tolist(), examples.shift.tolist(),
                                       examples.scale.tolist(), strict=True)
            ))
            for name, values in rows
        )  # fmt: skip
        return Grid("columns, scaled", ("", *examples.columns), cells)

    def _gower(self, i: int) -> Formula:
        """The mean over the columns that both rows have a value of."""
        examples, place = self.examples, int(self.places[i])
        sides: list[str] = []
        amounts: list[float] = []
        for x, z, by in zip(
            self.numbers.tolist(), examples.numbers[place].tolist(), examples.scale.tolist(),
            strict=True,
        ):  # fmt: skip
            if x == x and z == z:
                amounts.append(abs(x - z) / by)
                sides.append(f"|{difference(x, z)}| / {number(by)}")
        for a, b in zip(self.codes.tolist(), examples.codes[place].tolist(), strict=True):
            if a != -1 and b != -1:
                amounts.append(float(a != b))
                sides.append(number(amounts[-1]))
        count = len(amounts)
        return formula(
            equation_chain(
                f"d({self.row(i)})",
                f"({signed_sum(sides)}) / {count}",
                f"({signed_sum([*map(number, amounts)])}) / {count}",
                number(math.fsum(amounts) / count),
            )
        )


def share_formulas(names: Sequence[Any], labels: Array, votes: Array) -> Iterator[Formula]:
    """The probability of every class that has a vote."""
    total = math.fsum(votes.tolist())
    for c in dict.fromkeys(sorted(labels.tolist())):
        mine = votes[labels == c]
        part = math.fsum(mine.tolist())
        sides = [f"{number(part)} / {number(total)}", number(part / total)]
        if len(votes) <= MAX_SHOWN_NEIGHBOURS and not (votes == 1).all():
            above, below = (signed_sum([*map(number, each.tolist())]) for each in (mine, votes))
            above = f"({above})" if len(mine) > 1 else above
            below = f"({below})" if len(votes) > 1 else below
            sides = [f"{above} / {below}", *sides]
        yield formula(equation_chain(f"P({names[c]})", *sides))


def mean_formula(votes: Array, targets: Array) -> Formula:
    """The mean of the neighbours' numbers, by their votes."""
    total, value = math.fsum(votes.tolist()), math.fsum((votes * targets).tolist())
    sides = [f"{number(value)} / {number(total)}", number(value / total)]
    if len(votes) <= MAX_SHOWN_NEIGHBOURS:
        pairs = [*zip(map(number, votes.tolist()), map(number, targets.tolist()), strict=True)]
        plain = bool((votes == 1).all())
        above = [y if plain else f"{w} · {bracket_negative(y)}" for w, y in pairs]
        below = number(total) if plain else f"({signed_sum([w for w, _ in pairs])})"
        sides = [f"({signed_sum(above)}) / {below}", *sides]
    return formula(equation_chain("ŷ", *sides))
