"""Populations: rows whose probabilities are known, so that the true error is a finite sum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.errors import (
    InputError,
    KindError,
    call_user_function,
    error_context,
    quoted_list,
    short_repr,
)
from tallylearn.estimators.estimator import Estimator, clone_estimator
from tallylearn.evaluation.result import learner_text
from tallylearn.evaluation.running.dataset import task_of
from tallylearn.evaluation.running.outside_columns import picked
from tallylearn.evaluation.theory.all_samples import Drawings, Number, drawings
from tallylearn.evaluation.theory.distribution import (
    distribution,
    in_order,
    looked_up,
    plain,
    rows_of,
    targets,
    total,
    values,
)
from tallylearn.evaluation.theory.sample_error import Resubstitution, SampleError
from tallylearn.sources.memory.arrays import array_of_items
from tallylearn.statistics.confidence_intervals import check_count
from tallylearn.statistics.resampling import generator
from tallylearn.tables import Array


@dataclass(frozen=True)
class Cell:
    """A row with one of its outcomes, and the probability of both together."""

    row: int
    outcome: Any
    p: Number


class Population:
    """A finite distribution over rows that is known, with the target of every row.

    Parameters
    ----------
    rows : row -> probability; or the rows alone. A row is a value, a tuple of values, or a dict
        of columns.
    probabilities : one for every row, where ``rows`` is no dict. Whole numbers, fractions and
        strings such as "1/10" are exact and must sum to 1 exactly; floats within 1e-9.
    target : what is true of a row: a function of the row, a dict row -> outcome, or one outcome a
        row. Where chance decides, the outcome is a dict outcome -> P(outcome | row).

    Examples
    --------
    >>> import tallylearn as tl
    >>> dice = tl.Population({face: "1/6" for face in range(1, 7)}, target=lambda x: x % 2 == 0)
    >>> dice.error(lambda x: x > 3)
    Fraction(1, 3)
    >>> dice.estimates(lambda x: x > 3, n=8).variance
    Fraction(1, 36)

    References
    ----------
    T. Mitchell, Machine Learning, 1997, section 5.2.
    """

    def __init__(self, rows: Any, probabilities: Any = None, target: Any = None) -> None:
        with error_context("Population"):
            self.rows, given = rows_of(rows, probabilities)
            self.p = distribution(given, [f"row {row!r}" for row in self.rows])
            self.cells = tuple(
                Cell(at, outcome, self.p[at] * share)
                for at, outcomes in enumerate(targets(self.rows, target))
                for outcome, share in outcomes.items()
                if share * self.p[at]
            )
            self.outcomes = in_order({cell.outcome for cell in self.cells})

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Population({len(self.rows)} rows, target {quoted_list(self.outcomes, 4)})"

    @property
    def exact(self) -> bool:
        """Whether all probabilities are fractions."""
        return all(isinstance(cell.p, Fraction) for cell in self.cells)

    def columns(self, learner: Any) -> Any:
        """The rows as a learner takes them: dicts as they are for one of ours, else (n, p)."""
        ours = learner is None or isinstance(learner, Estimator)
        return list(self.rows) if ours and isinstance(self.rows[0], Mapping) else self._matrix

    @cached_property
    def _matrix(self) -> Array:
        lines = [tuple(map(plain, values(row))) for row in self.rows]
        if len({*map(len, lines)}) > 1:
            raise InputError(
                f"the rows have different lengths: {quoted_list(self.rows, 3)}. Give "
                "every row the same number of values."
            )
        return array_of_items(lines)

    def error(self, h: Any) -> Number:
        """The true error: P(f(x) != h(x)) for a row drawn by its probability.

        ``h`` is a function of the row, a dict row -> answer, or a fitted model.
        """
        with error_context("Population.error"):
            return total(c.p for c, w in zip(self.cells, self._wrong(h), strict=True) if w)

    def sample(self, n: int, seed: int = 0) -> tuple[Any, Array]:
        """n rows drawn with replacement: their columns and target, as ``fit`` takes them."""
        check_count("Population.sample", "n", n, 1)
        with error_context("Population.sample"):
            rng = generator("Population", seed)
            return self.lesson(rng.choice(len(self.cells), int(n), p=self.weights))

    def estimates(self, h: Any, n: int, draws: int = 1000, seed: int = 0) -> SampleError:
        """What the error on n rows is on average, and how it spreads, for an ``h`` fixed before.

        Exactly, and for comparison on ``draws`` samples.
        """
        check_count("Population.estimates", "n", n, 1)
        check_count("Population.estimates", "draws", draws, 2)
        with error_context("Population.estimates"):
            wrong = np.array(self._wrong(h))
            rng = generator("Population", seed)
            cells = rng.choice(len(self.cells), (int(draws), int(n)), p=self.weights)
        return SampleError(self.error(h), n, tuple(wrong[cells].mean(axis=1).tolist()))

    def bias(self, learner: Any, n: int, draws: int = 1000, seed: int = 0) -> Resubstitution:
        """How far the error on the n rows that were learned from lies from the true error.

        Over all samples of n rows where there are at most 1000, else over ``draws`` of them.
        """
        with error_context("Population.bias"):
            task_of(learner)
            found = self.drawings(n, draws, seed)
            pairs = [self._both_errors(learner, cells) for cells in found.samples]
        seen, true = zip(*pairs, strict=True)
        return Resubstitution(learner_text(learner), n, found, tuple(seen), tuple(true))

    def drawings(self, n: int, draws: int = 1000, seed: int = 0) -> Drawings:
        """All samples of n rows, or some of them."""
        return drawings([cell.p for cell in self.cells], n, draws, seed)

    @cached_property
    def weights(self) -> Array:
        """(cells,) probabilities as floats that sum to one."""
        p = np.array([float(cell.p) for cell in self.cells])
        return np.asarray(p / p.sum())

    def lesson(self, cells: Array, learner: Any = None) -> tuple[Any, Array]:
        """Columns and target of some cells."""
        rows = np.array([self.cells[at].row for at in cells])
        y = [plain(self.cells[at].outcome) for at in cells]
        return picked(self.columns(learner), rows), np.array(y)

    def learned(self, learner: Any, cells: Array) -> Any:
        """The learner, fitted on a sample."""
        X, y = self.lesson(cells, learner)
        try:
            return clone_estimator(learner).fit(X, y)
        except Exception as error:
            sample = [(self.rows[self.cells[at].row], self.cells[at].outcome) for at in cells]
            raise InputError(
                f"{type(learner).__name__} failed on the sample {quoted_list(sample)}: "
                f"{type(error).__name__}: {error}"
            ) from error

    def _both_errors(self, learner: Any, cells: Array) -> tuple[Fraction, Number]:
        """On the sample, and on the population."""
        wrong = self._wrong(self.learned(learner, cells))
        true = total(c.p for c, w in zip(self.cells, wrong, strict=True) if w)
        return Fraction(sum(wrong[at] for at in cells), len(cells)), true

    def _wrong(self, h: Any) -> list[bool]:
        """For every cell, whether h errs there."""
        said = self.said(h)
        return [bool(said[cell.row] != cell.outcome) for cell in self.cells]

    def said(self, h: Any) -> list[Any]:
        """What a hypothesis says about every row."""
        with error_context("Population"):
            predicts = hasattr(h, "predict")
        if predicts:
            return list(np.asarray(h.predict(self.columns(h))).tolist())
        if isinstance(h, Mapping):
            return [looked_up(h, row, "h") for row in self.rows]
        if callable(h):
            return [call_user_function("h", h, row) for row in self.rows]
        raise KindError(
            f"h is {short_repr(h)}. Give a function of a row, a dict, or a fitted model."
        )
