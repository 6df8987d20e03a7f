"""Drawings: all samples of a size with their probabilities, or, where they are many, some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, factorial, prod

import numpy as np

from tallylearn.statistics.confidence_intervals import check_count
from tallylearn.statistics.resampling import generator
from tallylearn.tables import Array

Number = Fraction | float
MAX_ENUMERATED = 1000  # samples that are all looked at


@dataclass(frozen=True)
class Drawings:
    """Samples, each as the numbers of what is drawn, with their probabilities."""

    samples: tuple[Array, ...]  # (n,) each
    weights: tuple[Number, ...]  # they sum to one
    complete: bool  # whether there are no others

    def __len__(self) -> int:
        return len(self.samples)

    def mean(self, values: Sequence[Number]) -> Number:
        """The expectation over the samples."""
        pairs = zip(self.weights, values, strict=True)
        return sum((weight * value for weight, value in pairs), start=Fraction(0))

    @property
    def description(self) -> str:
        return f"all {len(self)} samples" if self.complete else f"{len(self)} samples drawn"


def drawings(p: Sequence[Number], n: int, draws: int, seed: int) -> Drawings:
    """Samples of n things, drawn with replacement by their probabilities.

    All, where there are at most 1000: the order within a sample does not count, so that k things
    make C(k + n - 1, n) samples, each of multinomial probability. Else as many as ``draws``.

    >>> found = drawings((Fraction(1, 4), Fraction(3, 4)), 2, 100, 0)
    >>> [(sample.tolist(), str(weight)) for sample, weight in zip(found.samples, found.weights)]
    [([0, 0], '1/16'), ([0, 1], '3/8'), ([1, 1], '9/16')]
    """
    check_count("a sample", "n", n, 1)
    check_count("a simulation", "draws", draws, 2)
    n, draws = int(n), int(draws)
    if comb(len(p) + n - 1, n) <= MAX_ENUMERATED:
        samples, chances = zip(*_list_samples(p, n), strict=True)
        return Drawings(samples, chances, complete=True)
    weights = np.array([float(one) for one in p])
    drawn = generator("Population", seed).choice(len(p), (draws, n), p=weights / weights.sum())
    return Drawings(tuple(drawn), (Fraction(1, draws),) * draws, complete=False)


def _list_samples(p: Sequence[Number], n: int) -> Iterator[tuple[Array, Number]]:
    for sample in combinations_with_replacement(range(len(p)), n):
        orders = factorial(n) // prod(map(factorial, Counter(sample).values()))
        yield np.array(sample), prod((p[at] for at in sample), start=Fraction(orders))
