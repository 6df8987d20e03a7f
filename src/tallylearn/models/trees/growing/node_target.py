"""Targets: what is counted at the nodes, in whole numbers, so that no order of rows matters."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallylearn.errors import InputError, TargetError
from tallylearn.models.trees.least_loss import answer_of
from tallylearn.tables import Array, Codes

LIMBS = 4  # of 32 bits: a square times a weight
FINEST = 45  # bits of y beside its sign: its square fits the limbs
WEIGHT_BITS = 52  # bits of all weights together
SHARED = 36  # for medians, whose sums of w |y - median| have 61 bits: the rest is left to y
PARTED = 42  # and where there are parts of rows, which are rounded again and again
COARSEST = 40  # bits of y beside weights, whose sums have a limb more
LARGEST = 1e150  # half a range: its square is a double
SMALLEST = 1074  # of the powers of two: every double is a multiple of 2 ** -1074
MASK = np.int64(0xFFFFFFFF)


@dataclass(frozen=True)
class Target:
    """Classes or measures, and weights, as integers.

    A weight is an integer times 2^-power; fractions are rounded once, so that all weights together
    stay below 2^52, and to no less than 1, so that no row is lost. A measure is ``centre`` plus an
    integer times ``unit``, a power of two, which rounds y once, by 2^-40 of its range for a million
    rows: sums over all rows stay below 2^62, or below 2^94 in two limbs where rows are weighed. For
    medians weights stay below 2^36, or 2^42 with rows in parts, so that their sums, which have no
    second limb, round y by 2^-24 or 2^-18 of its range and no more.
    """

    classes: tuple[Any, ...]  # () for measures
    labels: Array  # (n,) int32, all zero for measures
    amounts: Array  # (n, q) int64, what a row adds: see kernels.trees.settings
    weighed: bool
    power: int
    line: int  # how many of the amounts a table needs
    loss: Array  # (k, k) what it costs to answer column j for row i; empty: all mistakes alike
    total: float = 1.0  # weight
    centre: float = 0.0
    unit: float = 1.0
    levels: Array = field(default_factory=lambda: np.zeros(0, np.int64))  # (n,) y in units
    measures: Array = field(default_factory=lambda: np.zeros(0))  # (n,) as given, for medians
    tie: str = "first"  # of classes at a node, see answer_of
    seed: int = 0
    counted: bool = False  # whether y log y stands in the place of the squares, for Poisson
    row_units: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    # (n,) how many rows each row stands for, times 2^row_power; empty: as many as it weighs
    row_power: int = 0

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def width(self) -> int:
        """Columns of the totals of a node."""
        return len(self.classes) + self.weighed if self.classes else 2 + LIMBS + 2 * self.weighed

    @property
    def units(self) -> Array:
        """(n,) int64: the weight of every row."""
        return self.amounts[:, 0] if len(self.amounts) else np.ones(len(self), np.int64)

    @property
    def weights(self) -> Array:
        """(n,) float64: the weight of every row, as it is counted."""
        return np.asarray(self.units * 2.0**-self.power)

    @property
    def row(self) -> float:
        """One unit of the numbers of rows."""
        return 2.0 ** -(self.row_power if len(self.row_units) else self.power)

    def with_rows(self, frequency: Array | None) -> Target:
        """The same where rows stand for so many rows, whatever they weigh; None: as they weigh."""
        if frequency is None:
            return self
        units, power = whole(frequency, parts=True)
        return replace(self, row_units=units, row_power=power)

    def rows_in(self, lines: Array) -> Array:
        """(...,) how many rows are in lines (..., q) of parts of rows."""
        if len(self.row_units):
            return np.asarray(lines[..., -1] * self.row)
        k = len(self.classes)
        return np.asarray((lines[..., :k].sum(axis=-1) if k else lines[..., 0]) * self.row)

    def count_units(self, rows: Array, units: Array) -> Array:
        """(m,) int64: as what some rows, with weights of their own, are counted."""
        if not len(self.row_units):
            return np.ones_like(units)
        part = units / np.maximum(self.units[rows], 1)
        return np.rint(self.row_units[rows] * part).astype(np.int64)

    def lines(self, rows: Array, units: Array) -> Array:
        """(m, q) int64: what some rows amount to, with weights of their own.

        The last column counts rows; parts of rows count as parts where ``row_units`` are known.
        """
        ones = self.count_units(rows, units)
        if not self.classes:
            found = _summands(self.levels[rows], units, self.weighed, self.counted)
            if self.weighed:
                found[:, -1] = ones
            return found
        counts = np.zeros((len(rows), len(self.classes)), np.int64)
        counts[np.arange(len(rows)), self.labels[rows]] = units
        return np.column_stack([counts, *([ones] if self.weighed else [])])

    def node_statistics(self, totals: Array) -> tuple[Array, Array, Array]:
        """The counts of every class, the weight and the answer of nodes."""
        one = 2.0**-self.power
        if not self.classes:
            n = totals[:, 0].astype(np.float64)
            mean = self.centre + sums_of(totals) / np.where(n > 0, n, 1) * self.unit
            return np.zeros((len(totals), 0)), n * one, mean
        counts = totals[:, : len(self.classes)] * one
        return counts, counts.sum(axis=1), answer_of(counts, self.loss, self.tie, self.seed)


def of_classes(
    target: Codes, weight: Array | None, loss: Array | None = None, parts: bool = False
) -> Target:
    """Classes to count; in ``parts`` where a row may go down several branches."""
    labels = np.ascontiguousarray(target.codes, dtype=np.int32)
    losses = np.zeros((0, 0)) if loss is None else loss
    k = len(target.values)
    weight = np.ones(len(labels)) if weight is None and parts else weight
    if weight is None:
        none = np.zeros((0, 0), np.int64)
        return Target(
            target.values,
            labels,
            none,
            weighed=False,
            power=0,
            line=k,
            loss=losses,
            total=float(len(labels)),
        )
    units, power = whole(weight, parts)
    amounts = np.stack([units, np.ones_like(units)], axis=1)
    total = float(units.sum()) * 2.0**-power
    return Target(
        target.values,
        labels,
        amounts,
        weighed=True,
        power=power,
        line=k + 1,
        loss=losses,
        total=total,
    )


def of_measures(
    y: Array,
    weight: Array | None,
    squares: bool = False,
    parts: bool = False,
    medians: bool = False,
) -> Target:
    """Measures to sum; tables need the squares for standard deviations only."""
    weight = np.ones(len(y)) if weight is None and parts else weight
    weighed, bits = weight is not None, (PARTED if parts else SHARED) if medians else WEIGHT_BITS
    units, power = (np.ones(len(y), np.int64), 0) if weight is None else whole(weight, parts, bits)
    centre, shift = _scale(y, int(units.sum()), weighed)
    levels = np.rint(np.ldexp(y - centre, shift)).astype(np.int64)
    amounts = _summands(levels, units, weighed)
    line = amounts.shape[1] if squares or weighed else 2
    return Target(
        (),
        np.zeros(len(y), np.int32),
        amounts,
        weighed=weighed,
        power=power,
        line=line,
        loss=np.zeros((0, 0)),
        total=float(units.sum()) * 2.0**-power,
        centre=centre,
        unit=2.0**-shift,
        levels=levels,
        measures=y,
    )


def of_counts(y: Array, weight: Array | None, parts: bool = False) -> Target:
    """Measures from 0 on, whose Poisson deviance is asked for: y log y in place of the squares."""
    _check_counts(y)
    weight = np.ones(len(y)) if weight is None and parts else weight
    weighed = weight is not None
    units, power = (np.ones(len(y), np.int64), 0) if weight is None else whole(weight, parts)
    room = 61 - int(units.sum()).bit_length()
    room = max(room, COARSEST) if weighed else room
    shift = min(min(room, FINEST) - int(np.frexp(float(y.max()))[1]) - 1, SMALLEST)
    levels = np.rint(np.ldexp(y, shift)).astype(np.int64)
    amounts = _summands(levels, units, weighed, logs=True)
    return Target(
        (),
        np.zeros(len(y), np.int32),
        amounts,
        weighed=weighed,
        power=power,
        line=amounts.shape[1] if weighed else 2,
        loss=np.zeros((0, 0)),
        total=float(units.sum()) * 2.0**-power,
        centre=0.0,
        unit=2.0**-shift,
        levels=levels,
        measures=y,
        counted=True,
    )


def _check_counts(y: Array) -> None:
    """Poisson's means are above zero."""
    if (y < 0).any():
        row = int(np.argmax(y < 0))
        raise TargetError(
            f'criterion="poisson" needs targets of 0 or more, and the target is {y[row]:g} in row '
            f'{row}. Use "squared_error". Some value(s) of y are negative which is not allowed for '
            "Poisson regression."
        )
    if not y.any():
        raise TargetError(
            'criterion="poisson" needs a positive target in at least one row, and all are 0. Use '
            '"squared_error". Sum of y is not positive which is necessary for Poisson regression.'
        )


def _logs(levels: Array, units: Array) -> list[Array]:
    """w y log(y) / 64, whose sum stays as small as that of w y, in limbs of 32 bits."""
    size = levels.astype(np.float64)
    told = np.rint(units * (size * np.log(np.maximum(size, 1)) / 64))
    high, low = (part.astype(np.int64) for part in np.divmod(told, 2.0**32))
    return [low, high, *(np.zeros_like(low) for _ in range(LIMBS - 2))]


def sums_of(lines: Array) -> Array:
    """(...,) float64: the sums of weight times y of lines (..., q) of measures."""
    high = lines[..., 1].astype(np.float64)
    return high if lines.shape[-1] == 2 + LIMBS else high * 2.0**32 + lines[..., 2 + LIMBS]


def whole(weight: Array, parts: bool = False, bits: int = WEIGHT_BITS) -> tuple[Array, int]:
    """Weights as integers times 2^-power, of so many bits in all.

    With room for parts of them where that is asked for.
    """
    top = check_weights(weight)
    if not parts and (weight == np.floor(weight)).all() and top < 2.0**bits:
        return weight.astype(np.int64), 0
    power = bits - 1 - int(np.ceil(np.log2(top)))
    units = np.rint(np.ldexp(weight, power)).astype(np.int64)
    return np.maximum(units, weight > 0), power


def check_weights(weight: Array) -> float:
    """What no sum of the weights is above; an error where that is beyond doubles."""
    top = len(weight) * float(weight.max() / LARGEST)
    if not 1 / LARGEST**2 <= top <= 1:
        raise InputError(
            f"the greatest weight is {weight.max():g}, so sums of weights are outside the range of "
            "a double. Divide all weights by the greatest; the tree stays the same."
        )
    return top * LARGEST


def _scale(y: Array, total: int, weighed: bool) -> tuple[float, int]:
    """The middle of the range, and the power of two that y is multiplied by.

    The middle is rounded to a coarse power of two, so that whole numbers stay exact. No order of
    the rows moves it, unlike a mean in floats.
    """
    low, high = float(y.min()), float(y.max())
    half = high / 2 - low / 2 or high - low  # half of the smallest double is 0
    if half > LARGEST:
        raise TargetError(
            f"the target ranges from {low:g} to {high:g}, so its variance overflows a double. "
            "Divide it by a constant."
        )
    if half == 0:
        return low, 0
    top = int(np.frexp(half)[1])
    grid = 2.0 ** max(top - 16, -SMALLEST)
    centre = float(np.rint((low / 2 + high / 2) / grid) * grid)
    room = 61 - int(total).bit_length()
    room = max(room, COARSEST) if weighed else room
    return centre, min(min(room, FINEST) - top - 1, SMALLEST)


def _summands(levels: Array, units: Array, weighed: bool, logs: bool = False) -> Array:
    """(n, q) int64: what rows add to a line, see kernels.trees.settings."""
    powers = _logs(levels, units) if logs else _squares(levels, units)
    if not weighed:
        return np.column_stack([units, levels, *powers])
    high, low = _product(levels, units)
    return np.column_stack([units, high, *powers, low, np.ones_like(units)])


def _product(levels: Array, units: Array) -> tuple[Array, Array]:
    """w y without its lowest 32 bits, and those."""
    low = (levels & MASK).astype(np.uint64) * (units & MASK).astype(np.uint64)
    carry = (low >> np.uint64(32)).astype(np.int64)
    high = (levels >> 32) * units + (levels & MASK) * (units >> 32) + carry
    return high, (low & np.uint64(MASK)).astype(np.int64)


def _squares(measure: Array, units: Array) -> list[Array]:
    """w y^2 in limbs of 32 bits, the lowest first."""
    size = np.abs(measure)
    a, b = size >> 32, size & MASK
    low, cross = (b.view(np.uint64) * b.view(np.uint64)).view(np.int64), 2 * a * b
    parts = [low & MASK, ((low >> 32) & MASK) + (cross & MASK), (cross >> 32) + a * a]
    if int(units.max(initial=1)) == int(units.min(initial=1)) == 1:
        return [*parts, np.zeros_like(measure)]
    limbs = [np.zeros_like(measure) for _ in range(LIMBS + 2)]
    for at, part in enumerate(parts):
        for half, shift in ((units & MASK, 0), (units >> 32, 1)):
            for bits, place in ((part & MASK, 0), (part >> 32, 1)):
                product = (bits.astype(np.uint64) * half.astype(np.uint64)).view(np.int64)
                limbs[at + shift + place] += product & MASK
                if at + shift + place + 1 < len(limbs):
                    limbs[at + shift + place + 1] += (product >> 32) & MASK
    for at in range(LIMBS - 1):
        limbs[at + 1] += limbs[at] >> 32
        limbs[at] &= MASK
    limbs[LIMBS - 1] += limbs[LIMBS] << 32
    return limbs[:LIMBS]
