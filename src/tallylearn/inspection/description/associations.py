"""The second pass: how columns go together, two by two, and with the target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.engines.ordered_sum import PairwiseSum
from tallylearn.inspection.description.pair_sums import PairSums
from tallylearn.inspection.description.passing_columns import Numbers
from tallylearn.inspection.description.surveys import TableSurvey, weighted_rows
from tallylearn.inspection.description.target_classes import TargetClasses
from tallylearn.kernels import quantile_sketch
from tallylearn.sources import DeclaredTable, Part
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
    """What is added up of rows; the tables are of a part, and none of a block."""

    pearson: PairSums
    spearman: PairSums
    tables: Mapping[str, Array] = field(default_factory=dict)  # (k, places + 1) rows, by class

    def __add__(self, other: Pass) -> Pass:
        tables = {name: table + other.tables[name] for name, table in self.tables.items()}
        return Pass(self.pearson + other.pearson, self.spearman + other.spearman, tables)


class Associations:
    """Pairs of columns, and every column by the classes of the target, over all rows."""

    def __init__(self, survey: TableSurvey, classes: TargetClasses | None) -> None:
        self.survey, self.classes = survey, classes
        self.names = survey.schema.numbers
        check_wide(1, tuple((name, "") for name in self.names), PAIR)
        self._centre, self._scale = _centres(survey)
        self._ranks = [_ranks(survey.numbers[name]) for name in self.names]
        self.tables: Mapping[str, Array] = {}
        self._values = {
            name: {value: at for at, value in enumerate(survey.values[name].counts or ())}
            for name in self._widths()
            if name in survey.values
        }

    def matrices(self, source: DeclaredTable) -> Matrices:
        """All pairs, and with them the ``tables`` of every column by the classes."""
        survey, scale = self.survey, self._scale
        with engines.report_stage("pairs of columns"):
            found = (
                self._pass_in_memory(survey.block)
                if survey.block is not None
                else self._pass_over(source)
            )
        self.tables = found.tables
        spearman = found.spearman.correlation()
        if survey.block is not None:
            spearman = _ranked_again(survey, spearman, found.spearman.rows)
        with np.errstate(over="ignore", invalid="ignore"):
            less, all_ = (found.pearson.covariance(by) * scale[:, None] * scale for by in (1, 0))
        pearson = found.pearson.correlation()
        return Matrices(
            names=self.names,
            rows=found.pearson.rows,
            covariance=less,
            covariance_n=all_,
            pearson=pearson,
            spearman=spearman,
        )

    def _pass_over(self, source: DeclaredTable) -> Pass:
        asked = {*self.names, *self._widths()}  # what is crossed with nothing is not read again
        if self.classes is not None:
            asked.add(self.classes.target)
        if not asked:
            return self._none()
        columns = (column for column in source.schema.columns if column.name in asked)
        narrow = source.with_columns(source.schema.of_columns(columns))
        found = engines.current_engine().total_parts(self._of_part, narrow)
        return self._none() if found is None else found

    def _pass_in_memory(self, block: Block) -> Pass:
        """Of rows that are held a column is crossed at once: it may have as many values as rows."""
        pairs = (
            engines.current_engine().total(self._pairs, engines.SinglePart(block.split()))
            or self._none()
        )
        tables = self._empty()
        places = self._places(block)
        classes = None if self.classes is None else self.classes.of(block, places)

        def cross(name: str) -> None:
            self._cross(block, name, places, classes, tables[name])

        engines.map_threads(cross, tables)
        return replace(pairs, tables=tables)

    def _of_part(self, part: Part[Block]) -> Pass:
        """The rows of a part, wherever it is read."""
        pairs, tables = PairwiseSum(), self._empty()
        for block in (weighted_rows(block, self.survey.weighing) for block in part.blocks()):
            places = self._places(block)
            classes = None if self.classes is None else self.classes.of(block, places)
            for name, table in tables.items():
                self._cross(block, name, places, classes, table)
            pairs.add(self._pairs(block, places))
        return replace(pairs.total() or self._none(), tables=tables)

    def _none(self) -> Pass:
        nothing = PairSums.of(np.empty((0, len(self.names))), None)
        return Pass(nothing, nothing, self._empty())

    def _places(self, block: Block) -> dict[str, Array]:
        start = block.start if isinstance(block.start, int) else 0  # of rows that are held
        return {
            name: self.survey.numbers[name].places_in(block.numbers[:, at], start)
            for name, at in block.schema.places.items()
        }

    def _pairs(self, block: Block, places: Mapping[str, Array] | None = None) -> Pass:
        places = self._places(block) if places is None else places
        ranks = np.empty((len(self.names), len(block)))
        for table, name, row in zip(self._ranks, self.names, ranks, strict=True):
            np.take(table, places[name], out=row, mode="clip")
        with np.errstate(invalid="ignore", over="ignore"):
            x = block.numbers / self._scale
            x -= self._centre / self._scale
        return Pass(PairSums.of(x, block.weight), PairSums.of(ranks.T, block.weight))

    def _cross(
        self, block: Block, name: str, places: Mapping[str, Array], classes: Any, table: Array
    ) -> None:
        codes = places[name] if name in places else self._value_codes(block, name)
        quantile_sketch.cross(codes, classes, ONCE if block.weight is None else block.weight, table)

    def _value_codes(self, block: Block, name: str) -> Array:
        known, codes = self._values[name], block.codes[name]
        at = [*(known.get(value, len(known)) for value in codes.values), len(known)]
        return np.array(at, dtype=np.int32)[codes.codes]

    def _most(self) -> int:
        """Of more values than this a category has no gain: each would have too few rows."""
        return int(min(MOST_VALUES, max(FEW_VALUES, self.survey.weight / ROWS_EACH)))

    def _widths(self) -> dict[str, int]:
        """How many places every column has that is counted by class."""
        if self.classes is None:
            return {}
        found = {name: len(c.all_points().values) for name, c in self.survey.numbers.items()}
        for name in self.survey.schema.categories:
            counts = self.survey.values[name].counts if name in self.survey.values else None
            if counts is not None and len(counts) <= self._most():
                found[name] = len(counts)
        return found

    def _empty(self) -> dict[str, Array]:
        """Room for the rows of every class at every place; the last place is that of the gaps."""
        k = 0 if self.classes is None else len(self.classes.names)
        return {name: np.zeros((k, width + 1)) for name, width in self._widths().items()}


def _centres(survey: TableSurvey) -> tuple[Array, Array]:
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
    points = column.all_points()
    total = max(points.total, 1e-300)
    return np.append((points.midranks() - 0.5) / total - 0.5, np.nan)


def _ranked_again(survey: TableSurvey, found: Array, rows: Array) -> Array:
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
