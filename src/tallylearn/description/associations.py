"""The second pass: how columns go together, two by two, and with the target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

import numpy as np

from tallylearn import engines
from tallylearn.description.pair_sums import PairSums
from tallylearn.description.passing_columns import Numbers
from tallylearn.description.surveys import Survey, counting
from tallylearn.description.target_classes import TargetClasses
from tallylearn.kernels import sketching
from tallylearn.sources import Declared
from tallylearn.tables import Array, Block
from tallylearn.tallies.pairs import check_wide
from tallylearn.tallies.quantile_sketch import ONCE

MOST_VALUES = 10_000  # of a category that is counted by class
PAIR = 256  # bytes that a pair of columns takes
MOST_RANKED = 2e9  # rows times pairs that are ranked again, for their gaps: a minute
FEW_VALUES, ROWS_EACH = 10, 5  # more than ten values have five rows each, on average


@dataclass(frozen=True)
class Matrices:
    """Of all columns of numbers, in their order."""

    names: tuple[str, ...]
    rows: Array
    covariance: Array  # divided by n - 1
    covariance_n: Array
    pearson: Array
    spearman: Array


@dataclass(frozen=True)
class Pass:
    """What is added up of a block."""

    pearson: PairSums
    spearman: PairSums

    def __add__(self, other: Pass) -> Pass:
        return Pass(self.pearson + other.pearson, self.spearman + other.spearman)


class Associations:
    """Pairs of columns, and every column by the classes of the target, over all rows."""

    def __init__(self, survey: Survey, classes: TargetClasses | None) -> None:
        self.survey, self.classes = survey, classes
        self.names = survey.schema.numbers
        check_wide(1, tuple((name, "") for name in self.names), PAIR)
        self._centre, self._scale = _centres(survey)
        self._ranks = [_ranks(survey.numbers[name]) for name in self.names]
        self.tables: dict[str, Array] = {} if classes is None else self._empty(len(classes.names))
        self._locks = {name: Lock() for name in self.tables}
        self._values = {
            name: {value: at for at, value in enumerate(survey.values[name].counts or ())}
            for name in self.tables
            if name in survey.values
        }

    def matrices(self, source: Declared) -> Matrices:
        """All pairs, and ``tables`` filled on the way."""
        survey, scale = self.survey, self._scale
        rows = source if survey.block is None else engines.Given(survey.block.cut())
        with engines.during("pairs of columns"):
            found = engines.here().total(self._block, rows)
        if found is None:
            found = Pass(*[PairSums.of(np.empty((0, len(self.names))), None)] * 2)
        spearman = found.spearman.correlation()
        if survey.block is not None:
            spearman = _ranked_again(survey, spearman, found.spearman.rows)
        with np.errstate(over="ignore", invalid="ignore"):
            less, all_ = (found.pearson.covariance(by) * scale[:, None] * scale for by in (1, 0))
        pearson = found.pearson.correlation()
        return Matrices(self.names, found.pearson.rows, less, all_, pearson, spearman)

    def _block(self, block: Block) -> Pass:
        block = counting(block)
        start = block.start if isinstance(block.start, int) else 0  # of rows that are held
        places = {
            name: self.survey.numbers[name].places_in(block.numbers[:, at], start)
            for name, at in block.schema.places.items()
        }
        if self.classes is not None:
            self._crossed(block, places)
        ranks = np.empty((len(self.names), len(block)))
        for table, name, row in zip(self._ranks, self.names, ranks, strict=True):
            np.take(table, places[name], out=row, mode="clip")
        with np.errstate(invalid="ignore", over="ignore"):
            x = block.numbers / self._scale
            x -= self._centre / self._scale
        return Pass(PairSums.of(x, block.weight), PairSums.of(ranks.T, block.weight))

    def _crossed(self, block: Block, places: Mapping[str, Array]) -> None:
        assert self.classes is not None
        classes = self.classes.of(block, places)
        weight = ONCE if block.weight is None else block.weight
        for name, table in self.tables.items():
            codes = places[name] if name in places else self._coded(block, name)
            with self._locks[name]:
                sketching.cross(codes, classes, weight, table)

    def _coded(self, block: Block, name: str) -> Array:
        known, codes = self._values[name], block.codes[name]
        at = [*(known.get(value, len(known)) for value in codes.values), len(known)]
        return np.array(at, dtype=np.int32)[codes.codes]

    def _most(self) -> int:
        """Of more values than this a category has no gain: each would have too few rows."""
        return int(min(MOST_VALUES, max(FEW_VALUES, self.survey.weight / ROWS_EACH)))

    def _empty(self, k: int) -> dict[str, Array]:
        """Room for the rows of every class at every place; the last place is that of the gaps."""
        found = {
            n: np.zeros((k, len(c.ordered().values) + 1)) for n, c in self.survey.numbers.items()
        }
        for name in self.survey.schema.categories:
            counts = self.survey.values[name].counts if name in self.survey.values else None
            if counts is not None and len(counts) <= self._most():
                found[name] = np.zeros((k, len(counts) + 1))
        return found


def _centres(survey: Survey) -> tuple[Array, Array]:
    """The mean of every column, and a power of two about as large as its distances from there.

    NaN for a column that shows an infinity: it goes together with nothing.
    """
    centre, scale = [], []
    for name in survey.schema.numbers:
        sums, points = survey.sums[name], survey.numbers[name].points
        if sums is None or not np.isfinite([points.low, points.high]).all():
            centre.append(np.nan)
            scale.append(1.0)
            continue
        centre.append(float(sums.total / sums.count))
        far = max(points.high / 2 - centre[-1] / 2, centre[-1] / 2 - points.low / 2)
        power = min(max(int(np.frexp(far)[1]) + 1, -1021), 1023)
        scale.append(2.0**power if far > 0 else 1.0)
    return np.array(centre), np.array(scale)


def _ranks(column: Numbers) -> Array:
    """(places + 1) the mean rank at every place, from -1/2 to 1/2; NaN for the gaps."""
    points = column.ordered()
    total = max(points.total, 1e-300)
    return np.append((points.midranks() - 0.5) / total - 0.5, np.nan)


def _ranked_again(survey: Survey, found: Array, rows: Array) -> Array:
    """Of columns with gaps: the rows that show both are ranked among themselves.

    In a table so large and wide that this takes minutes, ranks stay those among all rows that show
    the column, as they are beyond memory.
    """
    columns = [survey.numbers[name] for name in survey.schema.numbers]
    if survey.rows * len(columns) ** 2 / 2 > MOST_RANKED:
        return found
    weight = survey.block.weight if survey.block is not None else None
    alone = np.diag(rows)
    for i in range(len(columns)):
        for j in range(i):
            if rows[i, j] < max(alone[i], alone[j]):
                found[i, j] = found[j, i] = _pair(columns[i], columns[j], weight)
    return found


def _pair(one: Numbers, two: Numbers, weight: Array | None) -> float:
    """Spearman's correlation over the rows that show both columns."""
    assert one.places is not None
    assert two.places is not None
    both = (one.places < len(one.points.values)) & (two.places < len(two.points.values))
    weighed = None if weight is None else weight[both]
    ranks = []
    for column in (one, two):
        assert column.places is not None
        places = column.places[both]
        counts = np.bincount(places, weighed, minlength=len(column.points.values) + 1)
        middle = np.cumsum(counts) - counts / 2
        ranks.append((middle / max(counts.sum(), 1e-300) - 0.5)[places])
    return float(PairSums.of(np.column_stack(ranks), weighed).correlation()[0, 1])
