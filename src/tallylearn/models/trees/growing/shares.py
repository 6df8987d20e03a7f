"""Shares: a row with a gap goes down every branch, with a part of its weight down each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.tables import Array


@dataclass(frozen=True)
class Share:
    """Some rows, each with the weight that has come down to it."""

    rows: Array
    units: Array  # int64, see Target

    def where(self, here: Array) -> Share:
        """Some of them."""
        at = np.flatnonzero(here)
        return Share(self.rows[at], self.units[at])

    def with_parts(self, lost: Share, units: Array) -> Share:
        """And parts of rows that have no answer, as far as a part is anything."""
        if not units.all():
            lost, units = lost.where(units > 0), units[units > 0]
        return Share(np.concatenate([self.rows, lost.rows]), np.concatenate([self.units, units]))
