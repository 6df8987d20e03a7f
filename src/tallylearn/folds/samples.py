"""Samples: whether a part has the classes in the shares of the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import InputError, TargetError, error_context, short_repr
from tallylearn.folds.fold_checks import check_length
from tallylearn.folds.rows import strata_of
from tallylearn.tables import Array, check_shape


@dataclass(frozen=True)
class Shares:
    """How often every class comes in every part."""

    classes: tuple[Any, ...]
    parts: tuple[int, ...]
    counts: Array  # (parts, k)

    def __post_init__(self) -> None:
        check_shape("the counts", self.counts, len(self.parts), len(self.classes))

    @property
    def whole(self) -> Array:
        """(k,) the classes' shares in all rows."""
        return np.asarray(self.counts.sum(axis=0) / self.counts.sum())

    @property
    def shares(self) -> Array:
        """(parts, k) the classes' shares in every part."""
        return np.asarray(self.counts / self.counts.sum(axis=1, keepdims=True))

    @property
    def chi2(self) -> float:
        """Pearson's statistic: squared differences from the counts that equal shares would give."""
        expected = self.counts.sum(axis=1)[:, None] * self.whole
        return float(((self.counts - expected) ** 2 / expected).sum())

    @property
    def p_value(self) -> float:
        """How probable differences as large are where rows are dealt out at random."""
        from scipy.special import chdtrc

        free = (len(self.counts) - 1) * (len(self.classes) - 1)
        return float(chdtrc(free, self.chi2)) if free else 1.0

    def __str__(self) -> str:
        width = max(8, *(len(str(name)) for name in self.classes))
        rows = [("whole", self.counts.sum(), self.whole)]
        rows += [
            (f"part {at}", count.sum(), share)
            for at, count, share in zip(self.parts, self.counts, self.shares, strict=True)
        ]
        lines = [
            "".join([f"{'':8}{'rows':>8}", *(f"  {name!s:>{width}}" for name in self.classes)])
        ]
        lines += [
            "".join([f"{name:8}{count:8}", *(f"  {share:{width}.3f}" for share in shares)])
            for name, count, shares in rows
        ]
        return "\n".join([*lines, f"chi-square {self.chi2:.4g}, p = {self.p_value:.3g}"])


def _part_numbers(part: Any) -> Array:
    """The number of every row's part."""
    try:
        found = np.asarray(part)
    except Exception:  # whatever an object raises that is no list
        found = np.empty(0)
    if found.ndim != 1 or found.dtype.kind not in "biu":
        raise InputError(
            f"part is {short_repr(part)}. Give the number of the part of each row, "
            "such as [0, 0, 1]."
        )
    return found


def representative(y: Any, part: Any) -> Shares:
    """The classes of the rows, counted by the part that each is in."""
    with error_context("representative"):
        strata, part = strata_of(y), _part_numbers(part)
        if strata is None:
            raise TargetError(
                "y has numbers that are not classes. Pass classes, as text or whole numbers."
            )
        check_length("part", len(part), len(strata))
        found, at = np.unique(part, return_inverse=True)
        k = len(strata.values)
        counts = np.bincount(at.ravel() * k + strata.codes, minlength=len(found) * k)
        parts = tuple(map(int, found))
        return Shares(strata.values, parts, counts.reshape(len(found), k))
