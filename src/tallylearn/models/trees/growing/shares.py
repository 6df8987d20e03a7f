"""Shares: a row with a missing value goes down every branch, with a part of its weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tallylearn.tables import Array


@dataclass(frozen=True)
class Share:
    """Some rows, each with the weight that has come down to it."""

    rows: Array
    units: Array  # int64, see Target

    def select(self, here: Array) -> Share:
        """Some of them."""
        at = np.flatnonzero(here)
        return Share(self.rows[at], self.units[at])

    def distribute(self, branches: Sequence[Share]) -> list[Share]:
        """The branches with parts of these rows, which have no answer, each by its weight."""
        known = [float(branch.units.sum()) for branch in branches]
        return [
            branch._with(self, np.rint(self.units * (each / sum(known))).astype(np.int64))
            for branch, each in zip(branches, known, strict=True)
        ]

    def _with(self, lost: Share, units: Array) -> Share:
        """And parts of other rows, as far as a part is anything."""
        if not units.all():
            lost, units = lost.select(units > 0), units[units > 0]
        return Share(np.concatenate([self.rows, lost.rows]), np.concatenate([self.units, units]))
