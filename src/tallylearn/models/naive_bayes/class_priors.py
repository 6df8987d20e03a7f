"""Priors: how probable each class is before a row is seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import OptionError, quoted_list, short_repr
from tallylearn.tables import Array, check_last_axes, field_schemas
from tallylearn.tallies import Counts
from tallylearn.workings import Grid, Term

LONGEST = 10**12  # the largest count that is written as a fraction: weights may be 1e300


@dataclass(frozen=True)
class Priors:
    """P(c) = share of the rows, or as given."""

    classes: tuple[Any, ...]
    count: Array  # (..., k) rows of each class, or the given weights
    counted: bool

    form: ClassVar[field_schemas.Form] = {
        "classes": field_schemas.keys("k", least=1),
        "count": field_schemas.floats("k", least=0.0),
        "counted": field_schemas.truth,
    }

    def check(self) -> None:
        """What a file says can be: some class has a share."""
        if not 0 < float(self.count.sum()) < np.inf:
            raise ValueError("the classes have no shares")

    def __post_init__(self) -> None:
        check_last_axes("the priors", self.count, len(self.classes))

    @classmethod
    def of(cls, counts: Counts, given: Any, fitted: bool, option: str = "class_prior") -> Priors:
        """From the counts, unless probabilities are given or all are to be equal.

        A class without rows has no share, whatever is given: nothing is known of its rows, so that
        none is answered with it. The others share what it leaves.
        """
        classes, count = counts.keys[0], counts.floats()
        if given is None and fitted:
            return cls(classes, count, True)
        weights = np.ones_like(count) if given is None else _check_priors(given, classes, option)
        kept = np.where(count > 0, weights, 0.0)
        if not kept.any(axis=-1).all():
            raise OptionError(
                f"{option} gives probability 0 to every class that has rows. Give a positive "
                "probability to one of them."
            )
        return cls(classes, kept, False)

    @property
    def share(self) -> Array:
        """P(c), rounded once: the same bits on every processor, unlike a logarithm."""
        return np.asarray(self.count / self.count.sum(axis=-1, keepdims=True))

    @property
    def log(self) -> Array:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.share))

    def term(self, c: int) -> Term:
        """The prior as a factor: 9/14."""
        above, below = (Fraction(str(float(x))) for x in (self.count[c], self.count.sum()))
        if not self.counted and below == 1:
            above, below = Fraction(above.numerator), Fraction(above.denominator)
        if below > LONGEST:
            return Term("", "", float(self.log[c]))
        return Term("", "", float(self.log[c]), above, below)

    def grid(self) -> Grid:
        """The classes, their rows and their shares."""
        share = self.share
        rows = tuple(
            (str(name), f"{self.count[c]:g}", f"{share[c]:.4g}")
            for c, name in enumerate(self.classes)
        )
        return Grid("P(class)", ("class", "rows" if self.counted else "weight", "share"), rows)


def _check_priors(given: Any, classes: tuple[Any, ...], option: str) -> Array:
    """Given probabilities: one a class, not negative, summing to 1."""
    if hasattr(given, "index") and hasattr(given, "to_dict"):  # a Series: labels, not places
        given = given.to_dict()
    if isinstance(given, Mapping):
        if {*given} != {*classes}:
            raise OptionError(
                f"{option} names {quoted_list(given)}, and the classes are {quoted_list(classes)}. "
                "Give each of them a probability."
            )
        given = [given[key] for key in classes]
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(
            f"{option} is {short_repr(given)}. Pass a probability for each class."
        ) from None
    if array.shape != (len(classes),):
        raise OptionError(
            f"{option} has {array.size} values for {len(classes)} classes. Pass one for each. "
            "Number of priors must match number of classes."
        )
    if not (array >= 0).all() or abs(array.sum() - 1) > 1e-9:
        raise OptionError(
            f"{option} is {array.tolist()}, with the sum {array.sum():.6g}. Pass probabilities of "
            "0 or more that sum to 1."
        )
    return array


def shares(values: Iterable[Any]) -> bool:
    """Whether these are probabilities that sum to one."""
    numbers = list(values)
    if not all(isinstance(share, Real) and float(share) >= 0 for share in numbers):
        return False
    return bool(abs(sum(numbers) - 1) <= 1e-9)
