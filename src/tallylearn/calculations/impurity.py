"""Entropy, Gini impurity, and what a split gains: the calculations of decision trees.

The working is that of the course notes: Entropy(S) - Σ |Sv|/|S| · Entropy(Sv). Numbers that are
shown are rounded to four digits; the value is not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np

from tallylearn.calculations.calculation import (
    Calculation,
    calculation,
    equation_chain,
    formula,
    number,
    read_columns,
)
from tallylearn.errors import InputError, KindError, OptionError, short_repr
from tallylearn.tables import Array, Codes
from tallylearn.workings import Formula, Grid, Sentence
from tallylearn.workings.split_steps import (
    ENTROPY,
    MAX_SHOWN_VALUES,
    STANDARD_DEVIATION,
    SplitSteps,
    count,
    entropy_sides,
    equal_decimals,
    gini_sides,
)

TIED = 1e-9  # relative: scores closer than this are equal, as in trees
UNITS = {2.0: " bits", math.e: " nats", 10.0: ""}


def entropy(values: Any, base: float = 2.0) -> Calculation:
    """Entropy of class counts, of labels, or of a distribution: H = -Σ p · log2 p.

    Parameters
    ----------
    values : sequence of numbers, sequence of labels, mapping, or float
        Numbers in a sequence are counts of the classes. Strings are labels, which are counted. A
        mapping has the count or the probability of each value. One number q between 0 and 1 is the
        probability of one of two values: B(q).
    base : float, default=2.0
        Base of the logarithm. 2 gives bits: the mean number of yes/no answers per symbol that an
        optimal code needs.

    Returns
    -------
    Calculation
        The entropy; ``float(...)`` is the number, ``show_work()`` the steps.

    Examples
    --------
    >>> import tallylearn as tl
    >>> print(tl.entropy([9, 5]))
    Entropy
    =======
    <BLANKLINE>
    Entropy([9, 5]) = -9/14 · log2(9/14) - 5/14 · log2(5/14) = 0.4098 + 0.5305 = 0.9403 bits
    >>> float(tl.entropy(0.5))
    1.0
    """
    parts, name = _parts_of(values, "entropy")
    if not (isinstance(base, Real) and base > 0 and base != 1):
        raise OptionError(f"entropy: base is {short_repr(base)}. Give a positive number, not 1.")
    value = _entropy(parts.counts) / math.log2(base)
    log = "log2" if base == 2 else "ln" if base == math.e else f"log{base:g}"
    sides = entropy_sides(parts.shares, parts.probabilities.tolist(), log, base)
    unit = UNITS.get(float(base), "")
    title = "Entropy"
    if parts.single:
        text = f"{name} = 0{unit}: all rows have the same class"
        return calculation(0.0, title, formula(text))
    text = equation_chain(name, *sides, number(value)) + unit
    return calculation(value, title, *_fold(text, parts, name, value, unit))


def gini(values: Any) -> Calculation:
    """Gini impurity of class counts, labels or a distribution: 1 - Σ p².

    Parameters
    ----------
    values : sequence of numbers, sequence of labels, mapping, or float
        As in `entropy`.

    Returns
    -------
    Calculation
        The impurity, between 0 (one class) and 1.

    Examples
    --------
    >>> import tallylearn as tl
    >>> round(float(tl.gini(["yes", "yes", "no", "no"])), 3)
    0.5
    """
    parts, name = _parts_of(values, "gini")
    name = name.replace("Entropy", "Gini").replace("B(", "Gini(")
    value = _gini(parts.counts)
    sides = gini_sides(parts.shares, parts.probabilities.tolist())
    text = equation_chain(name, *sides, number(value))
    return calculation(value, "Gini impurity", *_fold(text, parts, name, value, ""))


def information_gain(
    table: Any, attribute: str, target: str | None = None, *, threshold: float | None = None
) -> Calculation:
    """Information gain of an attribute: Entropy(S) - Σ |Sv|/|S| · Entropy(Sv).

    Parameters
    ----------
    table : table
        Whatever ``fit`` takes: a frame, a file, a ``tl.example``.
    attribute : str
        The column to split by: one part for each value of a category.
    target : str, optional
        The column of the classes; the declared target if None.
    threshold : float, optional
        Splits a numeric column into ``<= threshold`` and ``> threshold``. None takes the best of
        the thresholds half way between neighbouring values at which the class changes (no other
        threshold can be better).

    Returns
    -------
    Calculation
        The gain in bits.

    Examples
    --------
    >>> import tallylearn as tl
    >>> gain = tl.information_gain(tl.example("tennis"), "Wind", "PlayTennis")
    >>> round(float(gain), 3)
    0.048
    >>> print(gain)
    Information gain of Wind
    ========================
    <BLANKLINE>
    parts of S by Wind
    part    No  Yes  rows  Entropy
    S        5    9    14   0.9403
    Weak     2    6     8   0.8113
    Strong   3    3     6   1.0000
    <BLANKLINE>
    Gain(S, Wind) = Entropy(S) - 8/14 · Entropy(Weak) - 6/14 · Entropy(Strong)
    <BLANKLINE>
    Gain(S, Wind) = 0.9403 - 8/14 · 0.8113 - 6/14 · 1.0000 = 0.0481
    """
    split = _split_of(table, attribute, target, threshold, "information_gain")
    return calculation(split.gain, f"Information gain of {split.attribute}", *split.gain_steps())


def gain_ratio(
    table: Any, attribute: str, target: str | None = None, *, threshold: float | None = None
) -> Calculation:
    """Gain ratio of an attribute (C4.5): information gain divided by split information.

    Split information is the entropy of the sizes of the parts, -Σ |Sv|/|S| · log2(|Sv|/|S|). It
    corrects the preference of the gain for attributes with many values.

    Parameters
    ----------
    table : table
        Whatever ``fit`` takes.
    attribute : str
        The column to split by.
    target : str, optional
        The column of the classes; the declared target if None.
    threshold : float, optional
        As in `information_gain`.

    Returns
    -------
    Calculation
        The ratio.

    Examples
    --------
    >>> import tallylearn as tl
    >>> round(float(tl.gain_ratio(tl.example("tennis"), "Outlook", "PlayTennis")), 3)
    0.156
    """
    split = _split_of(table, attribute, target, threshold, "gain_ratio")
    steps = split.steps
    if steps.information == 0:
        raise InputError(
            f"gain_ratio: all rows have the same value of {split.attribute!r}, so the split "
            "information is 0 and the ratio is not defined. Choose another attribute."
        )
    return calculation(
        steps.ratio,
        f"Gain ratio of {split.attribute}",
        *split.gain_steps(),
        formula(steps.information_text()),
        formula(steps.ratio_text()),
    )


def standard_deviation_reduction(
    table: Any, attribute: str, target: str | None = None, *, threshold: float | None = None
) -> Calculation:
    """Standard deviation reduction (SDR) of an attribute: sd(T) - Σ |Ti|/|T| · sd(Ti).

    The criterion of regression and model trees in the notes. The divisor of sd is the number of
    rows.

    Parameters
    ----------
    table : table
        Whatever ``fit`` takes.
    attribute : str
        The column to split by.
    target : str, optional
        The numeric target; the declared target if None.
    threshold : float, optional
        Splits a numeric column; None takes the best threshold.

    Returns
    -------
    Calculation
        The reduction, in the unit of the target.

    Examples
    --------
    >>> import tallylearn as tl
    >>> rows = {"size": ["s", "s", "l", "l"], "price": [1.0, 3.0, 9.0, 11.0]}
    >>> round(float(tl.standard_deviation_reduction(rows, "size", "price")), 3)
    3.123
    """
    who = "standard_deviation_reduction"
    name, values, aim, y = read_columns(table, attribute, target, who)
    if isinstance(y, Codes):
        raise InputError(
            f"{who}: the target {aim!r} has classes, such as {y.values[0]!r}. Name a numeric "
            "column, or use information_gain."
        )
    known = np.isfinite(y)
    values, y = values[known], y[known]
    best: float | None = None
    if not isinstance(values, Codes):
        candidates = _between(np.unique(values[np.isfinite(values)]), who, name)
        best = threshold
        if best is None:
            best = max(candidates, key=lambda t: (_reduction(values <= t, y), -t))
    labels, members = _parted(values, best, name, who)
    parts = [y[member] for member in members]
    steps = SplitSteps(
        attribute=name,
        labels=labels,
        sizes=tuple(float(len(part)) for part in parts),
        impurities=tuple(float(part.std()) for part in parts),
        before=float(y.std()),
        measure=STANDARD_DEVIATION,
        cells=tuple((str(len(part)), number(float(part.mean()))) for part in parts),
    )
    steps = replace(steps, decimals=equal_decimals([steps]))
    whole = ("T", str(len(y)), number(float(y.mean())), steps.number(steps.before))
    grid = Grid(
        f"parts of T by {name}",
        ("part", "rows", "mean", "sd"),
        (whole, *steps.part_rows()),
        STANDARD_DEVIATION.definition,
    )
    title = f"Standard deviation reduction of {name}"
    return calculation(steps.gain, title, grid, steps.gain_formula())


@dataclass(frozen=True)
class _Parts:
    """Counts or probabilities of some values."""

    counts: Array
    shares: tuple[str, ...]  # as they are written: 9/14, or 0.25

    @property
    def probabilities(self) -> Array:
        return np.asarray(self.counts / self.counts.sum())

    @property
    def single(self) -> bool:
        return int((self.counts > 0).sum()) <= 1


@dataclass(frozen=True)
class _Split:
    """A table split by an attribute: the counts of the classes in every part."""

    attribute: str
    labels: tuple[str, ...]
    classes: tuple[str, ...]
    counts: Array  # (parts, classes)
    candidates: tuple[tuple[float, float], ...] = ()  # thresholds that were tried, and their gains

    @property
    def steps(self) -> SplitSteps:
        """The parts with their entropies."""
        sizes = self.counts.sum(axis=1)
        found = SplitSteps(
            attribute=self.attribute,
            labels=self.labels,
            sizes=tuple(map(float, sizes)),
            impurities=tuple(_entropy(row) for row in self.counts),
            before=_entropy(self.counts.sum(axis=0)),
            measure=ENTROPY,
            cells=tuple(
                (*map(count, row.tolist()), count(n))
                for row, n in zip(self.counts, sizes, strict=True)
            ),
        )
        return replace(found, decimals=equal_decimals([found]))

    @property
    def gain(self) -> float:
        return self.steps.gain

    def gain_steps(self) -> tuple[Grid | Formula | Sentence, ...]:
        """The parts with their entropies, then the gain."""
        steps, whole = self.steps, self.counts.sum(axis=0).tolist()
        first = ("S", *map(count, whole), count(sum(whole)), steps.number(steps.before))
        header = ("part", *self.classes, "rows", "Entropy")
        grid = Grid(f"parts of S by {self.attribute}", header, (first, *steps.part_rows()))
        few = len(self.labels) <= MAX_SHOWN_VALUES
        words = (steps.gain_in_words(),) if few else ()
        return (*self._tried(), grid, *words, steps.gain_formula())

    def _tried(self) -> tuple[Grid, ...]:
        if not self.candidates:
            return ()
        best = max(gain for _, gain in self.candidates)
        chosen = next(t for t, gain in self.candidates if gain >= best * (1 - TIED))
        cells = tuple(
            (f"{t:g}", number(gain), "best" if t == chosen else "") for t, gain in self.candidates
        )
        title = f"thresholds of {self.attribute.split(' <= ')[0]}, where the class changes"
        return (Grid(title, ("threshold", "gain", ""), cells),)


def _entropy(counts: Array) -> float:
    """Entropy of counts in bits; 0 · log2 0 is 0."""
    total = float(counts.sum())
    return math.fsum(-n / total * math.log2(n / total) for n in counts.tolist() if n > 0)


def _gini(counts: Array) -> float:
    total = Fraction(float(counts.sum()))
    return float(1 - sum((Fraction(float(n)) / total) ** 2 for n in counts.tolist()))


def _fold(
    text: str, parts: _Parts, name: str, value: float, unit: str
) -> tuple[Grid | Formula | Sentence, ...]:
    """One formula, or a table of the shares if there are many."""
    if len(parts.counts) <= MAX_SHOWN_VALUES:
        return (formula(text),)
    cells = tuple(
        (share, number(p)) for share, p in zip(parts.shares, parts.probabilities, strict=True)
    )
    return (Grid("shares", ("share", "p"), cells), formula(f"{name} = {number(value)}{unit}"))


def _parts_of(values: Any, who: str) -> tuple[_Parts, str]:
    """Counts or probabilities from what was given, and the name of the quantity."""
    if isinstance(values, Real) and not isinstance(values, bool):
        q = Fraction(values) if isinstance(values, int | Fraction) else float(values)
        if not 0 <= q <= 1:
            raise InputError(
                f"{who}: {short_repr(values)} is not a probability. Give a number between 0 and 1, "
                "or a list of class counts."
            )
        pair = (_share(q), _share(1 - q))
        return _Parts(np.array([float(q), float(1 - q)]), pair), f"B({_share(q)})"
    if isinstance(values, Mapping):
        names, given = [*map(str, values)], [*values.values()]
        whole, shown = sum(map(Fraction, map(_real(who), given))), ", ".join(names[:4])
        more = ", ..." if len(names) > 4 else ""
        if abs(float(whole) - 1) < TIED:
            return _Parts(np.array([*map(float, given)]), tuple(map(_share, given))), (
                f"Entropy({shown}{more})"
            )
        return _counted(given, f"Entropy({shown}{more})", who)
    try:
        items = [*values]
    except TypeError:
        raise KindError(
            f"{who}: {short_repr(values)} is not a list of counts or labels. Give one, such as [9, "
            "5]."
        ) from None
    if items and all(isinstance(one, Real) and not isinstance(one, bool) for one in items):
        shown = ", ".join(map(_share, items[:MAX_SHOWN_VALUES]))
        more = ", ..." if len(items) > MAX_SHOWN_VALUES else ""
        return _counted(items, f"Entropy([{shown}{more}])", who)
    if not items:
        raise InputError(f"{who}: there are no counts. Give at least one, such as [9, 5].")
    times = Counter(map(str, items))
    counts = [times[label] for label in sorted(times)]
    return _counted(counts, f"Entropy([{', '.join(map(str, counts[:MAX_SHOWN_VALUES]))}])", who)


def _counted(counts: Sequence[Any], name: str, who: str) -> tuple[_Parts, str]:
    found = np.array([float(_real(who)(one)) for one in counts])
    if (found < 0).any() or not np.isfinite(found).all() or not found.sum() > 0:
        raise InputError(
            f"{who}: the counts are {short_repr([*counts], 80)}. Counts are finite, not negative, "
            "and at least one is above 0."
        )
    total = count(found.sum())
    shares = tuple("0" if n == 0 else f"{count(n)}/{total}" for n in found.tolist())
    return _Parts(found, shares), name


def _real(who: str) -> Any:
    def read(value: Any) -> Any:
        if isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value):
            return value
        raise InputError(f"{who}: {short_repr(value)} is not a count. Give finite numbers.")

    return read


def _share(value: Any) -> str:
    if isinstance(value, Fraction):
        return str(value)
    return count(float(value))


def _split_of(
    table: Any, attribute: str, target: str | None, threshold: float | None, who: str
) -> _Split:
    """A table split by an attribute, with counted classes; incomplete rows are left out."""
    name, values, _, y = read_columns(table, attribute, target, who)
    truth = y if isinstance(y, Codes) else Codes.of([_named(one) for one in y.tolist()])
    missing = values.codes < 0 if isinstance(values, Codes) else ~np.isfinite(values)
    known = (truth.codes >= 0) & ~missing
    if not known.any():
        raise InputError(f"{who}: no row has both {name!r} and the target. Check the table.")
    values, truth = values[known], truth[known]
    seen = [at for at in range(len(truth.values)) if (truth.codes == at).any()]
    order = sorted(seen, key=lambda at: str(truth.values[at]))
    classes = tuple(str(truth.values[at]) for at in order)
    codes = np.array([order.index(code) for code in truth.codes.tolist()])
    candidates: tuple[tuple[float, float], ...] = ()
    if not isinstance(values, Codes):
        if threshold is None:
            candidates = _candidate_gains(values, codes, len(classes), who, name)
            best = max(gain for _, gain in candidates)
            threshold = next(t for t, gain in candidates if gain >= best * (1 - TIED))
        name = f"{name} <= {threshold:g}"
    labels, members = _parted(values, threshold, attribute, who)
    counts = np.array([np.bincount(codes[member], minlength=len(classes)) for member in members])
    return _Split(name, labels, classes, counts, candidates)


def _named(value: float) -> str | None:
    return None if math.isnan(value) else f"{value:g}"


def _parted(
    values: Codes | Array, threshold: float | None, attribute: str, who: str
) -> tuple[tuple[str, ...], list[Array]]:
    """The parts of the rows: their labels and, for each, which rows it has."""
    if isinstance(values, Codes):
        if threshold is not None:
            raise OptionError(
                f"{who}: column {attribute!r} has categories, such as {values.values[0]!r}, and "
                "takes no threshold. Leave threshold= out."
            )
        there = [at for at in range(len(values.values)) if (values.codes == at).any()]
        return tuple(str(values.values[at]) for at in there), [values.codes == at for at in there]
    if not (isinstance(threshold, Real) and math.isfinite(threshold)):
        raise OptionError(f"{who}: threshold is {short_repr(threshold)}. Give a finite number.")
    below = values <= threshold
    if below.all() or not below.any():
        raise OptionError(
            f"{who}: threshold {threshold:g} does not split column {attribute!r}: its values lie "
            f"between {values.min():g} and {values.max():g}."
        )
    return (f"<= {threshold:g}", f"> {threshold:g}"), [below, ~below]


def _between(distinct: Array, who: str, name: str) -> list[float]:
    if len(distinct) < 2:
        raise InputError(
            f"{who}: column {name!r} has only one value, so no threshold splits it. Choose another "
            "column."
        )
    return [float(t) for t in (distinct[1:] + distinct[:-1]) / 2]


def _candidate_gains(
    values: Array, codes: Array, k: int, who: str, name: str
) -> tuple[tuple[float, float], ...]:
    """Thresholds between neighbouring values whose classes differ, and their gains.

    U. Fayyad and K. Irani (1992) prove that a threshold of largest gain is always among them.
    """
    distinct = np.unique(values)
    middle = _between(distinct, who, name)
    classes = [frozenset(codes[values == value].tolist()) for value in distinct]
    changes = [
        threshold
        for threshold, left, right in zip(middle, classes[:-1], classes[1:], strict=True)
        if left != right or len(left) > 1
    ]
    found = []
    for threshold in changes or middle[:1]:
        below = values <= threshold
        counts = np.array([np.bincount(codes[part], minlength=k) for part in (below, ~below)])
        found.append((threshold, _Split(name, ("", ""), (), counts).gain))
    return tuple(found)


def _reduction(below: Array, y: Array) -> float:
    n = len(y)
    return float(y.std() - below.sum() / n * y[below].std() - (~below).sum() / n * y[~below].std())
