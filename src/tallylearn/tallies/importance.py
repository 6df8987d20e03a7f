"""Importance: weights that say how rows compare, and not how often they occur.

A weight is a frequency: 2 is the row twice. Weights of importance (of a survey, inverse
propensities, of boosting) have no unit, and count as so many rows as there are. The tally keeps
what was seen, so that it merges and forgets; it is scaled when it is solved.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np

from tallylearn.tables import Array, Block, Codes
from tallylearn.tallies.bundles import IMPORTANCE, LIGHT, ONCE, Bundle
from tallylearn.tallies.counts import Counts
from tallylearn.tallies.exact import LIMB, Exact
from tallylearn.tallies.moments import Moments
from tallylearn.tallies.triangle import Triangle

DIGITS = 128  # bits of a scale: a count of rows, weighed alike and scaled back, is that count


def relative(weight: Array | None, declared: bool = False) -> bool:
    """Whether weights only compare rows: where it is declared, or where all are below one.

    A row that is there is there once at least, so that weights below one are no frequencies.

    >>> relative(np.array([0.25, 0.75])), relative(np.array([0.25, 1.0]))
    (True, False)
    """
    return weight is not None and (declared or bool(weight.max(initial=0.0) < 1))


def worth(weight: Array) -> float:
    """How many rows of equal weight are as precise (Kish, Survey Sampling, 1965).

    >>> worth(np.array([2.0, 2.0])), worth(np.array([1.0, 3.0]))
    (2.0, 1.6)
    """
    weight = _of_any_size(weight)
    return float(weight.sum() ** 2 / (weight**2).sum())


def counted_apart(block: Block, target: Any) -> Bundle:
    """What a tally needs to be scaled: rows whose weights are no frequencies, counted once too.

    By its weights the ``target`` has counted all rows of a block already, where it is of classes.
    """
    assert block.weight is not None
    some = np.arange(len(block)) if block.importance else np.flatnonzero(block.weight < 1)
    if not len(some):
        return Bundle()
    classes = isinstance(block.target, Codes)
    by = replace((block.target if classes else block.keyed())[some], declared=())
    known = classes and not block.target.declared and len(some) == len(block)
    weighed = target if known else Counts.of(by, weight=block.weight[some])
    both = {ONCE: Counts.of(by), "weighed": weighed}
    return Bundle({IMPORTANCE if block.importance else LIGHT: Bundle(both)})


@dataclass(frozen=True)
class InRows:
    """How weights become those of as many rows as there are; frequencies stay as they are."""

    power: int = 0  # of two: it is taken off first, so that sums stay within doubles
    scale: float = 1.0
    equal: bool = False  # all are one: they are none
    worth: float | None = None  # rows of equal weight that are as precise, where rows are compared

    @classmethod
    def of(cls, weights: Iterable[Array], declared: bool = False) -> InRows:
        """From the weights of all rows, some at a time; one of 1 or more may end the reading."""
        rows, least, most, total, squares = 0, np.inf, 0.0, Fraction(0), Fraction(0)
        for weight in weights:
            if not relative(weight, declared):
                return cls()
            if not (some := weight[weight > 0]).size:
                continue
            rows, least = rows + len(some), min(least, float(some.min()))
            most, unit = max(most, float(some.max())), Fraction(2) ** _power(some)
            some = _of_any_size(some)
            total += Fraction(fsum(some)) * unit
            squares += Fraction(fsum(some**2)) * unit**2
        if not rows:
            return cls()
        power = int(np.frexp(most)[1])
        scale = float(rows / total * Fraction(2) ** power)
        equal = least == most
        return cls(power, scale, equal, float(rows if equal else total**2 / squares))

    def __call__(self, block: Block) -> Block:
        """Rows with the weights that they count by."""
        if block.weight is None or self.worth is None:
            return block
        if self.equal and (block.weight > 0).all():
            return replace(block, weight=None)
        return replace(block, weight=np.ldexp(block.weight, -self.power) * self.scale)


def weighed_in_rows(block: Block) -> Block:
    """The rows of a whole table as they are learned from without a tally.

    Weights of importance sum to the number of rows then; those that are all equal are none.

    >>> from tallylearn.tables import Schema
    >>> rows = Block(Schema(()), np.zeros((2, 0)), weight=np.array([0.1, 0.3]))
    >>> weighed_in_rows(rows).weight
    array([0.5, 1.5])
    """
    if block.weight is None or not len(block):
        return block
    return InRows.of([block.weight], block.importance)(block)


def rows_compared(tally: Bundle) -> int | None:
    """How many rows a tally is of, where their weights only compare them."""
    apart, target = tally.get(IMPORTANCE) or tally.get(LIGHT), tally.get("target")
    if not apart or target is None or _weight(apart["weighed"]) != _weight(target):
        return None
    return int(_weight(apart[ONCE]))


def in_rows(tally: Bundle) -> Bundle:
    """The tally as it is solved: weights of importance sum to the number of rows."""
    rows = rows_compared(tally)
    if rows is None:
        return tally
    by = Fraction(rows) / _weight(tally["target"])
    kept = {name: part for name, part in tally.parts.items() if name not in (IMPORTANCE, LIGHT)}
    scaled: Bundle = _times(Bundle(kept), _exact(by), float(by))
    return scaled


def _of_any_size(weight: Array) -> Array:
    """Weights times a power of two, the same digits: sums and squares stay within doubles."""
    return np.asarray(np.ldexp(weight, -_power(weight)))


def _power(weight: Array) -> int:
    """Of two, just above all weights."""
    return int(np.frexp(weight.max())[1])


def _times(part: Any, exact: Exact, near: float) -> Any:
    """A tally times a number: all that it holds are sums over rows, but for means and keys."""
    if isinstance(part, Bundle):
        inner = part.parts.items()
        return Bundle({n: one if n == ONCE else _times(one, exact, near) for n, one in inner})
    if isinstance(part, Counts):
        return replace(part, table=_settled(part.table * exact))
    if isinstance(part, Triangle):
        return part.times(near)
    changed: dict[str, Any] = {}
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, Exact):
            changed[field.name] = value * exact
        elif isinstance(value, np.ndarray) and field.name not in ("mean", "low"):
            changed[field.name] = value * near
    return replace(part, **changed)


def _settled(counts: Exact) -> Exact:
    """Counts that are whole but for the rounding of their scale, as they are without weights."""
    below = -counts.low
    if below <= 0 or counts.limbs[..., max(below - 2, 0) : below].any():
        return counts
    return Exact.carried(counts.limbs[..., below:], 0)


def _weight(part: Any) -> Fraction:
    """All that was counted, exactly."""
    counts = part.count if isinstance(part, Moments) else part.table
    numbers, power = counts.scaled()
    return Fraction(int(numbers.sum())) * Fraction(2) ** power


def _exact(by: Fraction) -> Exact:
    """A scale in limbs, rounded up to 128 bits; powers of two leave its digits alone."""
    above, below = by.numerator, by.denominator
    shift = DIGITS + below.bit_length() - above.bit_length()
    number = -(-(above << max(shift, 0)) // (below << max(-shift, 0)))
    size = number.bit_length() // LIMB + 1
    limbs = [number >> LIMB * at & (1 << LIMB) - 1 for at in range(size)]
    return Exact.carried(np.array(limbs, dtype=np.int64), 0).shifted(-shift)
