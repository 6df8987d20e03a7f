"""Separation: where columns tell the classes apart, no finite weights are the most likely.

Weights along the direction that separates make every row more likely, without end. A direction that
puts all rows on the side of their class, or some of them on the border, is the proof.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.errors import ColumnError, InputError, listed
from tallylearn.models.logistic.loss_slopes import Slope
from tallylearn.tables import Array

ON_THE_BORDER = 1e-6  # of a direction of length 1: a score that is nearer to 0 is on it
ALIKE = 1e-12  # the least eigenvalue, of 1 on average, of columns that follow from each other


@dataclass(frozen=True)
class Doubt:
    """A direction that may separate the classes: the rows are asked."""

    direction: Array
    asked: bool = True

    def answered(self, slope: Slope, names: tuple[str, ...]) -> None:
        """Raise where no row lies on the wrong side of the direction."""
        if slope.least >= -ON_THE_BORDER:
            raise separated(self.direction, names, "all but those of some rows on a border")

    @staticmethod
    def check(slope: Slope, names: tuple[str, ...], theta: Array) -> None:
        """Raise where the weights themselves put every row on the side of its class."""
        if slope.least > 0:
            raise separated(theta, names, "of all rows")


def separated(direction: Array, names: tuple[str, ...], whose: str) -> InputError:
    """Why there are no weights, and what to do."""
    size = np.abs(direction[:, 1:]).max(axis=0)
    most = [names[j] for j in np.argsort(-size)[:5] if size[j] > 0.01 * size.max()]
    return InputError(
        f"the classes are separated, {whose}, mostly by {listed(most)}: the longer the weights, "
        "the more likely are the rows, and no finite ones are the most likely. Take a penalty, "
        "such as C=1, leave those columns out, or take Perceptron or a tree for the border alone."
    )


def collinear(scaled: Array, names: tuple[str, ...]) -> None:
    """Raise where columns follow from each other, by a curvature (M, M) whose diagonal is 1."""
    values, vectors = np.linalg.eigh(scaled)
    null = vectors[:, values < ALIKE * len(scaled)]
    if not null.size:
        return
    width = len(names) + 1
    size = np.abs(null).max(axis=1).reshape(-1, width).max(axis=0)[1:]
    found = [name for name, share in zip(names, size, strict=True) if share > 1e-4]
    raise ColumnError(
        f"{listed(found)} {'does not vary' if len(found) == 1 else 'follow from each other'}, and "
        "without a penalty no weights are the only ones. Leave one out, or take a penalty, such "
        "as C=1."
    )
