"""The pick among candidates, and its score corrected for the choice.

The out-of-fold losses of all candidates are a table of units (rows, or groups) by candidates.
Bootstrap bias-corrected cross-validation repeats the choice on bootstrap samples of the units, and
scores each choice on the units that are not in its sample (I. Tsamardinos, E. Greasidou and
G. Borboudakis, Bootstrapping the out-of-sample predictions for efficient and accurate
cross-validation, Machine Learning 107, 2018). No model is fitted again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tallylearn.evaluation.learn.race import standard_error
from tallylearn.evaluation.scores.tested_rows import TRAINING_ROWS
from tallylearn.tables import Array

BOOTSTRAPS = 1000
VOTERS = 3  # members of the soft vote
NULL_LEVEL = 0.05  # of tables without any relation to the target, on which a model is picked


@dataclass
class Selection:
    """Out-of-fold losses of candidates, and the rule of the pick.

    ``vote`` gives the losses of the soft vote of some candidates by unit; None where there is none.
    The columns are in the order of readability, so that the first of equal candidates is the
    simplest. Column 0 is the baseline.
    """

    losses: Array  # (u, m) sums of w·loss
    scales: Array  # (u,) sums of w·scale
    simple: bool  # whether the pick is the simplest within one standard error of the best
    voters: tuple[int, ...] = ()  # the columns that may vote
    vote: Callable[[tuple[int, ...]], Array] | None = None
    evidence: Array | None = None  # (u, k) how much less each loses than the baseline, by units
    seed: int = 0
    _votes: dict[tuple[int, ...], Array] = field(default_factory=dict)

    def members(self, ratios: Array) -> tuple[int, ...]:
        """The members of the vote: the best few by these scores, (m,)."""
        if self.vote is None or len(self.voters) < 2:
            return ()
        order = sorted(self.voters, key=lambda at: (ratios[at], at))
        return tuple(sorted(order[:VOTERS]))

    def vote_losses(self, members: tuple[int, ...]) -> Array:
        """(u,) what the vote of these members loses."""
        if members not in self._votes:
            assert self.vote is not None
            self._votes[members] = self.vote(members)
        return self._votes[members]

    def table(self, members: tuple[int, ...]) -> Array:
        """(u, m + 1) the losses, with those of the vote."""
        if not members:
            return self.losses
        return np.column_stack([self.losses, self.vote_losses(members)])

    @cached_property
    def ratios(self) -> Array:
        """(m,) the loss of every candidate."""
        return np.asarray(self.losses.sum(axis=0) / self.scales.sum())

    @cached_property
    def voted(self) -> tuple[int, ...]:
        """The members of the vote on all units."""
        return self.members(self.ratios)

    @cached_property
    def all_losses(self) -> Array:
        """(u, m + 1) on all units."""
        return self.table(self.voted)

    @cached_property
    def best(self) -> int:
        """The candidate of the smallest loss; of equal ones the first."""
        return int(self.all_losses.sum(axis=0).argmin())

    @cached_property
    def simplest(self) -> int:
        """The first candidate within one standard error of the best, the baseline left out."""
        return self._first_within_one_error(self.all_losses, np.ones(len(self.scales)), self.best)

    def _first_within_one_error(self, losses: Array, counts: Array, best: int) -> int:
        """By paired differences from the best, over units that count so often."""
        total, n = counts @ self.scales, len(counts)
        for at in range(1, best):
            behind = losses[:, at] - losses[:, best]
            mean = counts @ behind / total
            moved = (behind - mean * self.scales) / total
            variance = counts @ moved**2 * (1 + TRAINING_ROWS / n)
            if mean <= np.sqrt(variance):
                return at
        return best

    @cached_property
    def finds_something(self) -> bool:
        """Whether a candidate is significantly better than the baseline.

        The score is tested, and ``evidence``: for classes the Brier score, which sees a relation
        that does not change the predicted class. The largest of the paired t statistics is compared
        with its distribution where no candidate differs from the baseline, by the multiplier
        bootstrap (V. Chernozhukov, D. Chetverikov and K. Kato, Annals of Statistics 41, 2013).
        """
        ahead = self.all_losses[:, :1] - self.all_losses[:, 1:]
        if self.evidence is not None:
            ahead = np.column_stack([ahead, self.evidence])
        total, n = self.scales.sum(), len(self.scales)
        means = ahead.sum(axis=0) / total
        moved = (ahead - means * self.scales[:, None]) / total
        errors = np.sqrt((moved**2).sum(axis=0))
        differs = errors > 0
        if not differs.any():
            return bool((means > 0).any())
        moved, errors, means = moved[:, differs], errors[differs], means[differs]
        largest = (means / (errors * np.sqrt(1 + TRAINING_ROWS / n))).max()
        rng = np.random.default_rng(self.seed)
        drawn = np.array(
            [(rng.standard_normal(n) @ moved / errors).max() for _ in range(BOOTSTRAPS)]
        )
        return bool(largest > np.quantile(drawn, 1 - NULL_LEVEL))

    @cached_property
    def pick(self) -> int:
        """The candidate that is chosen."""
        if not self.finds_something:
            return 0
        return self.simplest if self.simple else self.best

    @cached_property
    def corrected(self) -> tuple[Array, Array]:
        """(u,) losses and scales of the units outside of the samples whose choice was tested."""
        n, rng = len(self.scales), np.random.default_rng(self.seed)
        lost, times = np.zeros(n), np.zeros(n)
        for _ in range(BOOTSTRAPS):
            counts = np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)
            ratios = counts @ self.losses
            members = self.members(ratios)
            losses = self.table(members)
            sums = np.append(ratios, counts @ losses[:, -1]) if members else ratios
            at = int(sums.argmin())
            if self.simple:
                at = self._first_within_one_error(losses, counts, at)
            out = counts == 0
            lost[out] += losses[out, at]
            times[out] += 1
        kept = times > 0
        return lost[kept] / times[kept], self.scales[kept]

    def score(self, at: int) -> tuple[float, float, int]:
        """The loss of a candidate, its standard error and the number of units."""
        return _measured(self.all_losses[:, at], self.scales)

    @cached_property
    def pick_score(self) -> tuple[float, float, int]:
        """The same of the pick, corrected for the choice where there was one."""
        return self.score(0) if self.pick == 0 else _measured(*self.corrected)

    def difference(self, at: int, other: int) -> tuple[float, float]:
        """How much more a candidate loses than another, and the standard error."""
        behind = self.all_losses[:, at] - self.all_losses[:, other]
        return _measured(behind, self.scales)[:2]


def _measured(losses: Array, scales: Array) -> tuple[float, float, int]:
    return float(losses.sum() / scales.sum()), standard_error(losses, scales), len(losses)
