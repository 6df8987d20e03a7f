"""The working of preprocessors: the arithmetic of their means, ranges, quantiles and counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from tallylearn.preprocessing.mdl_cuts import MdlDecision
from tallylearn.tables import DATE, Array, Schema
from tallylearn.tallies import Moments, Values
from tallylearn.workings import Derivation, Formula, Grid, Sentence
from tallylearn.workings.distance_steps import difference
from tallylearn.workings.equations import equation_chain, formula, number, signed_sum
from tallylearn.workings.split_steps import count

MAX_SHOWN_COLUMNS = 3  # columns whose arithmetic is written out; full=True writes all
MAX_SHOWN_VALUES = 5  # values of a column whose rows are counted; full=True counts all
Step = Grid | Formula | Sentence


def with_steps(work: Derivation, steps: Sequence[Step]) -> Derivation:
    """A derivation with more steps at its end."""
    return Derivation(work.title, (*work.steps, *steps))


def worked_columns(
    names: Sequence[str], schema: Schema, full: bool
) -> tuple[list[str], list[Step]]:
    """The columns whose arithmetic is written out, without dates, and a note on the others."""
    dates = {column.name for column in schema.of_kind(DATE)}
    found = [name for name in schema.names if name in names and name not in dates]
    left = 0 if full else len(found) - MAX_SHOWN_COLUMNS
    if left <= 0:
        return found, []
    what = f"{left} more columns" if left > 1 else "1 more column"
    return found[:MAX_SHOWN_COLUMNS], [Sentence(f"{what}; show_work(full=True) writes all out.")]


def mean_steps(
    moments: Moments, schema: Schema, ddof: int | None = None, full: bool = False
) -> list[Step]:
    """The mean of every column and, with ``ddof``, its standard deviation.

    Parameters
    ----------
    moments : Moments
        The sums of the columns.
    schema : Schema
        The columns of the table.
    ddof : int, optional
        What the divisor of the variance subtracts from the number of values.
    full : bool, default False
        Whether to write out all columns.

    Returns
    -------
    list of Grid, Formula or Sentence
    """
    names = [*map(str, moments.columns)]
    counts, means, variances = (
        part.reshape(-1).tolist()
        for part in (moments.count.floats(), moments.mean, moments.variance)
    )
    shown, more = worked_columns(names, schema, full)
    steps: list[Step] = []
    for name in shown:
        j = names.index(name)
        n, mean, squares = counts[j], means[j], counts[j] * variances[j]
        steps.append(
            formula(equation_chain(f"μ({name})", f"{number(n * mean)} / {count(n)}", number(mean)))
        )
        if ddof is not None:
            divisor = n - ddof if n > 1 else n
            below = f"({count(n)} - {ddof})" if ddof and n > 1 else count(n)
            root = f"sqrt({number(squares)} / {below})"
            sigma = math.sqrt(squares / divisor) if squares else 0.0
            steps.append(formula(f"σ({name}) = {root} = {number(sigma)}"))
    if not steps:
        return []
    rule = formula("μ = Σ x / N")
    if ddof is None:
        return [rule, *steps, *more]
    below = "N" if not ddof else f"(N - {ddof})"
    said = "The sums leave missing values out: N is the number of values of a column."
    return [rule, formula(f"σ = sqrt(Σ (x - μ)² / {below})"), *steps, *more, Sentence(said)]


def range_steps(
    ends: Mapping[str, tuple[float, float]], schema: Schema, full: bool = False
) -> list[Step]:
    """The range of every column: its maximum minus its minimum."""
    shown, more = worked_columns([*ends], schema, full)
    steps: list[Step] = []
    for name in shown:
        low, high = ends[name]
        side = difference(high, low)
        steps.append(formula(f"max({name}) - min({name}) = {side} = {number(high - low)}"))
    return [*steps, *more]


def median_steps(columns: Mapping[str, Values], schema: Schema, full: bool = False) -> list[Step]:
    """The median of every column: the number, or the two numbers, in the middle."""
    shown, more = worked_columns([*columns], schema, full)
    steps: list[Step] = []
    for name in shown:
        values = columns[name]
        weights = values.weights.sum(-2)
        if weights.low < 0:  # fractional weights: no order statistics
            continue
        upto = np.cumsum(weights.floats())
        n = int(upto[-1])
        middle = [(n - 1) // 2, n // 2]
        low, high = values.numbers[np.searchsorted(upto, middle, side="right")].tolist()
        median = number(values.quantile(0.5))
        if n % 2:
            sides = [f"x({n // 2 + 1})", median]
        else:
            mean = f"({signed_sum([number(low), number(high)])}) / 2"
            sides = [f"(x({n // 2}) + x({n // 2 + 1})) / 2", mean, median]
        steps.append(formula(equation_chain(f"median({name})", *sides)))
    if not steps:
        return []
    said = "x(1), x(2), ... are the values of a column in rising order, without missing values."
    return [Sentence(said), *steps, *more]


def count_table(
    title: str, counts: Mapping[str, Sequence[tuple[str, float]]], full: bool = False
) -> list[Step]:
    """How many rows have every value of every column, the most frequent values first."""
    rows: list[tuple[str, ...]] = []
    left = 0
    for name, pairs in counts.items():
        order = sorted(pairs, key=lambda pair: -pair[1])
        kept = order if full else order[:MAX_SHOWN_VALUES]
        left += len(order) - len(kept)
        rows += [(name, value, count(weight)) for value, weight in kept]
    note = f"{left} less frequent values; show_work(full=True) has them." if left else ""
    return [Grid(title, ("column", "value", "rows"), tuple(rows), note)] if rows else []


def number_counts(values: Values) -> list[tuple[str, float]]:
    """The numbers of a column, rising, and the weight of each."""
    return [
        (number(value), float(weight))
        for value, weight in zip(values.numbers, values.floats().sum(axis=0), strict=True)
    ]


def width_steps(
    columns: Mapping[str, tuple[float, float]],
    n_bins: Mapping[str, int],
    schema: Schema,
    full: bool = False,
) -> list[Step]:
    """Edges of equal width: the width of the bins, and every inner edge."""
    shown, more = worked_columns([*columns], schema, full)
    steps: list[Step] = [formula("width = (max - min) / bins")] if shown else []
    for name in shown:
        (low, high), bins = columns[name], n_bins[name]
        width = (high - low) / bins
        steps.append(Sentence(f"{name}: {bins} bins"))
        steps.append(formula(f"width = ({difference(high, low)}) / {bins} = {number(width)}"))
        edges = range(1, bins) if full or bins <= MAX_SHOWN_VALUES else range(1, MAX_SHOWN_VALUES)
        for k in edges if width else ():
            side = f"{number(low)} + {k} · {number(width)}"
            steps.append(formula(f"edge {k} = {side} = {number(low + k * width)}"))
        if (rest := bins - 1 - len(edges)) > 0 and width:
            steps.append(Sentence(f"{rest} more edges; show_work(full=True) has them."))
    return [*steps, *more]


def order_statistic_table(
    name: str,
    shares: Array,
    line: tuple[float, float],
    found: tuple[Array, Array, Array, Array],
) -> Grid:
    """Inner edges at quantiles: the position of each, and the values on both sides of it."""
    rows = []
    inner = zip(shares[1:-1], *(part[1:-1] for part in found), strict=True)
    for share, at, low, high, part in inner:
        if part in (0.0, 1.0) or low == high:
            value = high if part else low
            text = number(value)
        elif part == 0.5:
            text = f"({signed_sum([number(low), number(high)])}) / 2 = {number((low + high) / 2)}"
        else:
            side = f"{number(low)} + {number(part)} · ({difference(high, low)})"
            text = f"{side} = {number(low + part * (high - low))}"
        slope, offset = line
        place = signed_sum([f"{number(slope)} · {number(share)}", number(offset)])
        place = place.removesuffix(" + 0")
        place = f"{place} = {number(at + 1)}"
        rows.append((number(share), place, number(low), number(high), text))
    header = ("quantile", "position", "value below", "value above", "edge")
    return Grid(f"{name}: edges between values in rising order", header, tuple(rows))


def centre_steps(name: str, centres: Array) -> list[Step]:
    """Edges of k-means: halfway between the centres of the clusters."""
    steps: list[Step] = [
        Sentence(f"{name}: k-means ends with the centres {', '.join(map(number, centres))}.")
    ]
    for k, (low, high) in enumerate(pairwise(centres.tolist()), start=1):
        side = f"({signed_sum([number(low), number(high)])}) / 2"
        steps.append(formula(f"edge {k} = {side} = {number((low + high) / 2)}"))
    return steps


def decision_table(name: str, classes: Sequence[object], decisions: Sequence[MdlDecision]) -> Grid:
    """The best cut of every interval: its gain, and the gain that pays for its description."""
    rows = tuple(
        (
            number(one.cut),
            *("-".join(map(count, part.tolist())) for part in (one.below, one.above)),
            number(one.gain),
            number(one.least),
            "yes" if one.worth else "no",
        )
        for one in decisions
    )
    listed = "-".join(map(str, classes))
    return Grid(
        f"{name}: the best cut of every interval, with rows by class {listed}",
        ("cut", "below", "above", "Gain", "least gain", "taken"),
        rows,
    )


MDL_RULES = (
    formula("least gain = (log2(N - 1) + Δ) / N"),
    formula("Δ = log2(3^k - 2) - (k · Entropy(S) - k1 · Entropy(S1) - k2 · Entropy(S2))"),
    Sentence(
        "S1 and S2 are the rows below and above the cut; k, k1 and k2 are the numbers of classes "
        "in S, S1 and S2. A cut is taken where its gain is larger."
    ),
)


def bin_counts(cuts: Array, values: Values) -> list[str]:
    """The rows of every interval."""
    at = np.searchsorted(cuts, values.numbers, side="right")
    sums = np.bincount(at, values.floats().sum(axis=0), minlength=len(cuts) + 1)
    return [count(float(n)) for n in sums]
