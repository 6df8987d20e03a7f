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
from tallylearn.evaluation.running.outside_columns import take_rows
from tallylearn.evaluation.theory.all_samples import Drawings, Number, drawings
from tallylearn.evaluation.theory.distribution import (
    distribution,
    in_order,
    look_up,
    rows_of,
    targets,
    to_plain_value,
    total,
    values,
)
from tallylearn.evaluation.theory.sample_error import Resubstitution, SampleError
from tallylearn.runtime.deprecation import DeprecatedAttribute
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
    rows : dict or sequence
        The probability of each row, as a dict; or the rows alone. A row is a value, a tuple of
        values, or a dict of columns.
    probabilities : sequence, optional
        One probability per row, where ``rows`` is not a dict. Whole numbers, fractions and strings
        such as "1/10" are exact and must sum to 1 exactly; floats within 1e-9.
    target : callable, dict or sequence
        The true outcome of a row: a function of the row, a dict of row to outcome, or one outcome
        per row. A random outcome is a dict of outcome to P(outcome | row).

    References
    ----------
    T. Mitchell, Machine Learning, 1997, section 5.2.

    Examples
    --------
    >>> import tallylearn as tl
    >>> dice = tl.Population({face: "1/6" for face in range(1, 7)}, target=lambda x: x % 2 == 0)
    >>> dice.error(lambda x: x > 3)
    Fraction(1, 3)
    >>> dice.estimates(lambda x: x > 3, n=8).variance
    Fraction(1, 36)
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
        """The rows in the form that a learner takes.

        Parameters
        ----------
        learner : Estimator or None
            The learner that will be fitted.

        Returns
        -------
        list of dict or ndarray of shape (n, p)
            Dicts for rows that are dicts, if the learner is one of ours; else an array.
        """
        ours = learner is None or isinstance(learner, Estimator)
        return list(self.rows) if ours and isinstance(self.rows[0], Mapping) else self._matrix

    @cached_property
    def _matrix(self) -> Array:
        lines = [tuple(map(to_plain_value, values(row))) for row in self.rows]
        if len({*map(len, lines)}) > 1:
            raise InputError(
                f"the rows have different lengths: {quoted_list(self.rows, 3)}. Give "
                "every row the same number of values."
            )
        return array_of_items(lines)

    def error(self, h: Any) -> Number:
        """Compute the true error: P(f(x) != h(x)) for a row drawn by its probability.

        Parameters
        ----------
        h : callable, dict or fitted model
            The hypothesis: a function of the row, a dict of row to prediction, or a model.

        Returns
        -------
        Fraction or float
            The true error; exact if all probabilities are.
        """
        with error_context("Population.error"):
            return total(c.p for c, w in zip(self.cells, self._wrong(h), strict=True) if w)

    def sample(self, n: int, seed: int = 0) -> tuple[Any, Array]:
        """Draw random rows with replacement.

        Parameters
        ----------
        n : int
            Number of rows.
        seed : int, default 0
            Seed of the random numbers.

        Returns
        -------
        X : list of dict or ndarray of shape (n, p)
            The columns, as ``fit`` takes them.
        y : ndarray of shape (n,)
            The target.
        """
        check_count("Population.sample", "n", n, 1)
        with error_context("Population.sample"):
            rng = generator("Population", seed)
            return self.lesson(rng.choice(len(self.cells), int(n), p=self.weights))

    def estimates(self, h: Any, n: int, draws: int = 1000, seed: int = 0) -> SampleError:
        """Compute the mean and variance of the sample error of a fixed hypothesis.

        Both are exact. For comparison, the error is also measured on random samples.

        Parameters
        ----------
        h : callable, dict or fitted model
            The hypothesis, chosen before the samples are drawn.
        n : int
            Rows in a sample.
        draws : int, default 1000
            Number of random samples.
        seed : int, default 0
            Seed of the random numbers.

        Returns
        -------
        SampleError
            The true error, and the mean and variance of the error on n rows.
        """
        check_count("Population.estimates", "n", n, 1)
        check_count("Population.estimates", "draws", draws, 2)
        with error_context("Population.estimates"):
            wrong = np.array(self._wrong(h))
            rng = generator("Population", seed)
            cells = rng.choice(len(self.cells), (int(draws), int(n)), p=self.weights)
        return SampleError(self.error(h), n, tuple(wrong[cells].mean(axis=1).tolist()))

    def bias(self, learner: Any, n: int, draws: int = 1000, seed: int = 0) -> Resubstitution:
        """Compare the error on the n training rows with the true error (resubstitution bias).

        Parameters
        ----------
        learner : Estimator
            The learner; a copy of it is fitted to every sample.
        n : int
            Rows in a sample.
        draws : int, default 1000
            Number of random samples, if there are more than 1000 different ones.
        seed : int, default 0
            Seed of the random numbers.

        Returns
        -------
        Resubstitution
            Both errors of every sample, and their expected difference.
        """
        with error_context("Population.bias"):
            task_of(learner)
            found = self.drawings(n, draws, seed)
            pairs = [self._both_errors(learner, cells) for cells in found.samples]
        seen, true = zip(*pairs, strict=True)
        return Resubstitution(learner_text(learner), n, found, tuple(seen), tuple(true))

    def drawings(self, n: int, draws: int = 1000, seed: int = 0) -> Drawings:
        """List all samples of n rows, or draw some of them at random.

        Parameters
        ----------
        n : int
            Rows in a sample.
        draws : int, default 1000
            Number of random samples, if there are more than 1000 different ones.
        seed : int, default 0
            Seed of the random numbers.

        Returns
        -------
        Drawings
            The samples and their probabilities.
        """
        return drawings([cell.p for cell in self.cells], n, draws, seed)

    @cached_property
    def weights(self) -> Array:
        """(cells,) probabilities as floats that sum to one."""
        p = np.array([float(cell.p) for cell in self.cells])
        return np.asarray(p / p.sum())

    def lesson(self, cells: Array, learner: Any = None) -> tuple[Any, Array]:
        """The columns and the target of a sample.

        Parameters
        ----------
        cells : ndarray of int
            Positions in ``cells``: pairs of a row and an outcome.
        learner : Estimator, optional
            The learner that will be fitted, which decides the form of the columns.

        Returns
        -------
        X : list of dict or ndarray of shape (n, p)
            The columns.
        y : ndarray of shape (n,)
            The target.
        """
        rows = np.array([self.cells[at].row for at in cells])
        y = [to_plain_value(self.cells[at].outcome) for at in cells]
        return take_rows(self.columns(learner), rows), np.array(y)

    learned = DeprecatedAttribute("learned", "fit_learner")
    said = DeprecatedAttribute("said", "predict")

    def fit_learner(self, learner: Any, cells: Array) -> Any:
        """Fit a copy of a learner to a sample.

        Parameters
        ----------
        learner : Estimator
            The learner; it is not changed.
        cells : ndarray of int
            The sample, as positions in ``cells``.

        Returns
        -------
        Estimator
            The fitted copy.
        """
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
        wrong = self._wrong(self.fit_learner(learner, cells))
        true = total(c.p for c, w in zip(self.cells, wrong, strict=True) if w)
        return Fraction(sum(wrong[at] for at in cells), len(cells)), true

    def _wrong(self, h: Any) -> list[bool]:
        """For every cell, whether h errs there."""
        said = self.predict(h)
        return [bool(said[cell.row] != cell.outcome) for cell in self.cells]

    def predict(self, h: Any) -> list[Any]:
        """Predict every row of the population by a hypothesis.

        Parameters
        ----------
        h : callable, dict or fitted model
            The hypothesis.

        Returns
        -------
        list
            One prediction per row.
        """
        with error_context("Population"):
            predicts = hasattr(h, "predict")
        if predicts:
            return list(np.asarray(h.predict(self.columns(h))).tolist())
        if isinstance(h, Mapping):
            return [look_up(h, row, "h") for row in self.rows]
        if callable(h):
            return [call_user_function("h", h, row) for row in self.rows]
        raise KindError(
            f"h is {short_repr(h)}. Give a function of a row, a dict, or a fitted model."
        )
