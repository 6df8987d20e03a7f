"""What the weights of rows mean to what is counted, and how weights become numbers of rows.

- A frequency (``tl.table(weight=)``) counts: 2 is the row twice.
- An importance (``tl.table(importance=)``) has no unit: importances are scaled to sum to the number
  of rows when a tally is solved.
- A sample weight (``fit(sample_weight=)``) multiplies the row's term of the loss, as in
  scikit-learn. Where a penalty, a prior or smoothing is set against the loss, weights are taken as
  they are given. Elsewhere only their ratios matter, and they are scaled as importances are, so
  that degrees of freedom and thresholds count rows.

The tally keeps the weights as they came, beside the number of rows, so that it merges and forgets;
it is scaled when it is solved. No rule looks at whether weights exceed 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import fsum, log
from typing import Any

import numpy as np

from tallylearn.tables import FREQUENCY, Array, Block, Codes
from tallylearn.tables import IMPORTANCE as COMPARED
from tallylearn.tallies.bundles import IMPORTANCE, LIGHT, ONCE, SAMPLE_WEIGHT, Bundle
from tallylearn.tallies.counts import Counts
from tallylearn.tallies.exact import LIMB, Exact
from tallylearn.tallies.moments import Moments
from tallylearn.tallies.pairs import Names
from tallylearn.tallies.triangle import Triangle
from tallylearn.tallies.values import Values

DIGITS = 128  # bits of a scale: a count of rows, weighed alike and scaled back, is that count
VALUES = "values"  # of rows with sample weights: the values of their categories
WEIGHED = "weighed"
LOGS = "logs"  # of the weights, for the likelihood of weighted least squares
ROWS_BY_VALUE = "rows by value"  # of a tally that is solved, not of one that is kept
ASIDE = (IMPORTANCE, SAMPLE_WEIGHT, LIGHT)


def worth(weight: Array) -> float:
    """How many rows of equal weight are as precise (Kish, Survey Sampling, 1965).

    >>> worth(np.array([2.0, 2.0])), worth(np.array([1.0, 3.0]))
    (2.0, 1.6)
    """
    weight = _of_any_size(weight)
    return float(weight.sum() ** 2 / (weight**2).sum())


def tally_row_counts(block: Block, target: Any, values: bool = False) -> Bundle:
    """What a tally needs to be scaled: rows whose weights are no frequencies, counted once too.

    A sample weight of 1 is the row once. By its weights the ``target`` has counted all rows of a
    block already, where it is of classes. With ``values`` the values of categories are counted,
    for learners that compare their number of rows with a threshold.
    """
    assert block.weight is not None
    if block.weight_kind == FREQUENCY:
        return Bundle()
    every = block.weight_kind == COMPARED
    some = np.arange(len(block)) if every else np.flatnonzero(block.weight != 1)
    if not len(some):
        return Bundle()
    classes, weight = isinstance(block.target, Codes), block.weight[some]
    by = replace((block.target if classes else block.counting_keys())[some], declared=())
    known = classes and not block.target.declared and len(some) == len(block)
    found = {ONCE: Counts.of(by), WEIGHED: target if known else Counts.of(by, weight=weight)}
    if values and block.codes and not every:
        codes = {name: replace(column[some], declared=()) for name, column in block.codes.items()}
        found[VALUES] = Bundle({
            ONCE: Bundle(dict(Counts.each(by, codes, None))),
            WEIGHED: Bundle(dict(Counts.each(by, codes, weight))),
        })  # fmt: skip
    return Bundle({IMPORTANCE if every else SAMPLE_WEIGHT: Bundle(found)})


@dataclass(frozen=True)
class InRows:
    """How weights are scaled to sum to the number of rows; frequencies stay as they are."""

    power: int = 0  # of two: it is taken off first, so that sums stay within doubles
    scale: float = 1.0
    equal: bool = False  # all are one: they are none
    worth: float | None = None  # rows of equal weight that are as precise, where rows are compared

    @classmethod
    def of(cls, weights: Iterable[Array], kind: str) -> InRows:
        """From the weights of all rows, some at a time."""
        rows, least, most, total, squares = 0, np.inf, 0.0, Fraction(0), Fraction(0)
        for weight in weights if kind != FREQUENCY else ():
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


def scale_weights_to_rows(block: Block) -> Block:
    """The rows of a whole table for a learner without a tally that counts rows by their weights.

    Importances and sample weights sum to the number of rows then; if all are equal there are none.

    >>> from tallylearn.tables import IMPORTANCE, Schema
    >>> weight = np.array([0.1, 0.3])
    >>> rows = Block(Schema(()), np.zeros((2, 0)), weight=weight, weight_kind=IMPORTANCE)
    >>> scale_weights_to_rows(rows).weight
    array([0.5, 1.5])
    """
    if block.weight is None or not len(block):
        return block
    return InRows.of([block.weight], block.weight_kind)(block)


def number_of_rows(tally: Bundle) -> Fraction:
    """How many rows a tally is of: frequencies count, other rows count once."""
    rows = _weight(tally["target"])
    for part in _counted_once(tally):
        rows += _weight(part[ONCE]) - _weight(part[WEIGHED])
    return rows


def compares(tally: Bundle) -> bool:
    """Whether rows of a tally have weights that are no frequencies."""
    return bool(_counted_once(tally))


def kind_of_weights(tally: Bundle) -> str:
    """What the weights of a tally's rows mean."""
    if not _counted_once(tally):
        return FREQUENCY
    return SAMPLE_WEIGHT if IMPORTANCE not in tally else COMPARED


def in_rows(tally: Bundle, as_given: bool = False) -> Bundle:
    """The tally as it is solved: weights that are no frequencies sum to the number of rows.

    With ``as_given`` sample weights stay as they are.
    """
    apart = _counted_once(tally)
    if not apart:
        return tally
    found = Bundle({name: part for name, part in tally.parts.items() if name not in ASIDE})
    rows, by = number_of_rows(tally), Fraction(1)
    if not as_given or SAMPLE_WEIGHT not in tally or IMPORTANCE in tally:
        by = rows / _weight(tally["target"])
        found = times(found, by)
    more = _rows_by_value(tally)
    values = {ROWS_BY_VALUE: RowsByValue(float(rows), float(by), more)} if more else {}
    return Bundle({**found.parts, **values})


@dataclass(frozen=True)
class RowsByValue:
    """How many rows have a value of a category, where a tally that is solved has their weights."""

    rows: float  # in all
    scale: float  # of the weights in the tally
    more: Mapping[tuple[str, str], float]  # (column, value) -> rows less their weight

    nothing = False  # a part of a bundle that is always there

    @staticmethod
    def of(tally: Bundle, names: Names, weight: Array, rows: float) -> tuple[Array, float]:
        """The rows (p,) of every name "=value" that have these weights, and all rows."""
        part = tally.get(ROWS_BY_VALUE)
        if part is None:
            return weight, rows
        more = [part.more.get((name, value[1:]), 0.0) for name, value in names]
        return weight / part.scale + more, part.rows


def _rows_by_value(tally: Bundle) -> dict[tuple[str, str], float]:
    """For every (column, value), by how much its rows are more than their sample weight."""
    found: dict[tuple[str, str], float] = {}
    part = tally.get(SAMPLE_WEIGHT)
    both = None if part is None else part.get(VALUES)
    if both is None:
        return found
    for sign, name in ((1.0, ONCE), (-1.0, WEIGHED)):
        for column, counts in both[name].parts.items():
            for value, count in zip(counts.keys[1], counts.floats().sum(axis=0), strict=True):
                key = column, str(value)
                found[key] = found.get(key, 0.0) + sign * float(count)
    return found


def tally_counted_once(tally: Bundle, categories: str) -> Bundle | None:
    """The target and the values of categories by class, every row with a sample weight once.

    ``categories`` names the part that counts the values by weight. None: there are no such rows.
    """
    part = tally.get(SAMPLE_WEIGHT)
    if part is None:
        return None
    weighed, once = ({"target": part[name]} for name in (WEIGHED, ONCE))
    if (values := part.get(VALUES)) is not None:
        weighed[categories], once[categories] = values[WEIGHED], values[ONCE]
    kept = {name: tally[name] for name in ("target", categories) if name in tally}
    return Bundle(kept) - Bundle(weighed) + Bundle(once)


def with_log_weights(tally: Bundle, block: Block) -> Bundle:
    """A tally of rows, with the sum of log w where weights are no frequencies."""
    if not (names := [name for name in (IMPORTANCE, SAMPLE_WEIGHT) if name in tally]):
        return tally
    assert block.weight is not None
    every = block.weight_kind == COMPARED
    some = slice(None) if every else np.flatnonzero(block.weight != 1)
    logs = np.log(block.weight[some])[:, None]
    found = Moments.of(logs, block.counting_keys()[some], ("log weight",), None)
    part = Bundle({**tally[names[0]].parts, LOGS: found})
    return Bundle({**tally.parts, names[0]: part})


def log_weights(tally: Bundle) -> float | None:
    """The sum of log w over all rows, of weights that sum to their number.

    The log-likelihood of weighted least squares has half of it. None: a file did not keep it.
    """
    rows, found = number_of_rows(tally), 0.0
    for part in _counted_once(tally):
        if LOGS not in part or _weight(part[LOGS]) != _weight(part[ONCE]):
            return None
        found += float(part[LOGS].sums.floats().sum())
    return found + float(rows) * log(rows / _weight(tally["target"]))


def upgrade(tally: Bundle) -> Bundle:
    """A tally of a file as it is counted today.

    Earlier versions counted rows that weigh less than 1 apart, and scaled them if there were no
    others: these have sample weights. Where there were others, all were frequencies.
    """
    if (light := tally.get(LIGHT)) is None:
        return tally
    parts = {name: part for name, part in tally.parts.items() if name != LIGHT}
    if _weight(light[WEIGHED]) == _weight(tally["target"]):
        parts[SAMPLE_WEIGHT] = light
    return Bundle(parts)


def as_counted_in(tally: Bundle, stored: Bundle) -> Bundle:
    """A tally of rows to forget, without what an older file did not count of weighed rows."""
    parts = dict(tally.parts)
    for name in (IMPORTANCE, SAMPLE_WEIGHT):
        if name in tally and name in stored:
            known = {n: p for n, p in tally[name].parts.items() if n in stored[name]}
            parts[name] = Bundle({**known, ONCE: tally[name][ONCE], WEIGHED: tally[name][WEIGHED]})
    return Bundle(parts)


def times(part: Any, by: Fraction) -> Any:
    """A tally of rows whose weights are multiplied by a number.

    Each tally names its ``weighted`` fields, which are sums of weights; all others are data.
    """
    return _times(part, _scale_exactly(by), float(by))


def _counted_once(tally: Bundle) -> list[Any]:
    """The parts that count rows once whose weights are no frequencies."""
    return [tally[name] for name in (IMPORTANCE, SAMPLE_WEIGHT) if name in tally]


def _of_any_size(weight: Array) -> Array:
    """Weights times a power of two, the same digits: sums and squares stay within doubles."""
    return np.asarray(np.ldexp(weight, -_power(weight)))


def _power(weight: Array) -> int:
    """Of two, just above all weights."""
    return int(np.frexp(weight.max())[1])


def _times(part: Any, exact: Exact, near: float) -> Any:
    if isinstance(part, Bundle):
        inner = part.parts.items()
        return Bundle({n: one if n == ONCE else _times(one, exact, near) for n, one in inner})
    if isinstance(part, Triangle):  # the square of its root is a sum
        return part.times(near)
    changed: dict[str, Any] = {}
    for name in part.weighted:
        value = getattr(part, name)
        changed[name] = value * exact if isinstance(value, Exact) else value * near
        if isinstance(part, Counts | Values):
            changed[name] = _drop_rounding(changed[name])
    return replace(part, **changed) if changed else part


def _drop_rounding(counts: Exact) -> Exact:
    """Counts that are whole but for the rounding of their scale, as they are without weights."""
    below = -counts.low
    if below <= 0 or counts.limbs[..., max(below - 2, 0) : below].any():
        return counts
    return Exact.from_limbs(counts.limbs[..., below:], 0)


def _weight(part: Any) -> Fraction:
    """All that was counted, exactly."""
    counts = part.count if isinstance(part, Moments) else part.table
    numbers, power = counts.to_integers()
    return Fraction(int(numbers.sum())) * Fraction(2) ** power


def _scale_exactly(by: Fraction) -> Exact:
    """A scale in limbs, rounded up to 128 bits; powers of two leave its digits alone."""
    above, below = by.numerator, by.denominator
    shift = DIGITS + below.bit_length() - above.bit_length()
    number = -(-(above << max(shift, 0)) // (below << max(-shift, 0)))
    size = number.bit_length() // LIMB + 1
    limbs = [number >> LIMB * at & (1 << LIMB) - 1 for at in range(size)]
    return Exact.from_limbs(np.array(limbs, dtype=np.int64), 0).shift(-shift)
