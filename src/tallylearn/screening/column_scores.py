"""Scores of single columns, and of several together, by which a leak is told from a good predictor.

Both are out-of-sample and quick, not the scores of a certain learner. A single column predicts the
mean or the most frequent class of the other rows of its value, or of its bin of eight rows; a
numeric target also by a straight line. Several columns predict by ridge regression on binned and
one-hot columns, or by five nearest neighbours, whichever scores better. Numeric targets have R2,
classes the accuracy. Large tables are sampled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tallylearn.screening.table_sample import SampledRows, is_missing
from tallylearn.tables import Array, Codes

MAX_ROWS_SINGLE = 2048  # of a large table, evenly spaced: those that single columns are scored by
MAX_ROWS_JOINT = 768  # those that several columns are scored by, in time that grows with their cube
MAX_JOINT_COLUMNS = 48  # columns that are scored together: those that score best by themselves
BIN = 8  # rows: neighbours along a number that predict each other
BINS = 8  # of a number in the ridge regression
LEVELS = 24  # of a category in the ridge regression: its most frequent values
FOLDS = 5
NEIGHBOURS = 5
PENALTIES = (0.1, 3.0, 100.0)
MAX_CLASSES = 64  # of more classes no column is scored
MIN_ROWS = 20  # rows: of fewer no column is said to predict the target
SKILL = 0.05  # of the baseline's error
MIN_Z_SCORE = 3.3  # standard deviations from what rows in random order have: one column of 2,000


@dataclass(frozen=True)
class ColumnScores:
    """The rows of a table that have a target, and the scores of its columns."""

    rows: SampledRows
    at: Array  # (m,) the rows that are scored
    classes: Array | None  # (m,) class codes, or None where the target is numeric
    y: Array  # (m, k) one column for every class, or the numeric target, centred

    @classmethod
    def of(cls, rows: SampledRows) -> ColumnScores:
        """With the target of at most ``MAX_ROWS_SINGLE`` rows."""
        if rows.classes is not None:
            known = rows.classes.codes >= 0
        else:
            known = np.isfinite(np.asarray(rows.target, dtype=np.float64))
        at = _thin(np.flatnonzero(known), MAX_ROWS_SINGLE)
        if rows.classes is not None:
            found, codes = np.unique(rows.classes.codes[at], return_inverse=True)
            y = np.zeros((len(at), len(found)))
            y[np.arange(len(at)), codes] = 1.0
            return cls(rows, at, codes, y - y.mean(axis=0))
        y = np.asarray(rows.target, dtype=np.float64)[at, None]
        with np.errstate(all="ignore"):  # numbers beyond the doubles have no score
            y = y - y.mean(axis=0)
            y = y / np.abs(y).max(initial=0.0)
        return cls(rows, at, None, y)

    def __len__(self) -> int:
        return len(self.at)

    @property
    def is_scored(self) -> bool:
        """Whether the target is finite, not constant, and no name of its rows."""
        small = len(self) > 0 and self.y.shape[1] <= MAX_CLASSES
        return bool(small and np.isfinite(self.y).all() and (self.y != self.y[0]).any())

    @property
    def metric(self) -> str:
        """What the scores are."""
        return "R2" if self.classes is None else "accuracy"

    @cached_property
    def baseline(self) -> float:
        """The score of the mean, or of the most frequent class."""
        if self.classes is None:
            return 0.0
        return float(np.bincount(self.classes).max()) / len(self)

    def skill(self, score: float) -> float:
        """The share of the baseline's error that a score removes: 1 is perfect, 0 the baseline."""
        return 1 - (1 - score) / max(1 - self.baseline, 1e-12)

    def score_alone(self, column: Codes | Array) -> float:
        """The leave-one-out score of one column."""
        column = column[self.at]
        group = _group_rows(column)
        if self.classes is not None:
            return _vote_score(group, self.classes)
        y = self.y[:, 0]
        n, total = np.bincount(group), np.bincount(group, weights=y)
        others = n[group] - 1.0
        predicted = np.where(others > 0, (total[group] - y) / np.maximum(others, 1), 0.0)
        score = _r2(y, predicted)
        return score if isinstance(column, Codes) else max(score, _line_score(column, y))

    def by_order(self, x: Array) -> float | None:
        """The score of a column along which the target is serially dependent; None where it is not.

        Neighbours along the column have one class, or similar ranks, more often than in a random
        order of the rows: Wald and Wolfowitz's test of runs, and the rank version of von Neumann's
        ratio (Bartels, 1982).
        """
        if not self.is_scored or len(self) < MIN_ROWS:
            return None
        shown = self.at[~is_missing(x[self.at])]
        order = np.argsort(x[shown], kind="stable")
        place = np.searchsorted(self.at, shown)[order]
        if len(place) < MIN_ROWS:
            return None
        if self.classes is not None:
            sure = _runs(self.classes[place])
        else:
            sure = _serial_correlation(self.y[place, 0])
        score = self.score_alone(x)
        return score if sure > MIN_Z_SCORE and self.skill(score) > SKILL else None

    def score_jointly(self, names: Iterable[str]) -> float:
        """The score of several columns together."""
        columns = {name: self.rows.columns[name] for name in names}
        if len(columns) > MAX_JOINT_COLUMNS:
            best = sorted(columns, key=lambda name: -self.score_alone(columns[name]))[
                :MAX_JOINT_COLUMNS
            ]
            columns = {name: columns[name] for name in best}
        some = _thin(np.arange(len(self)), MAX_ROWS_JOINT)
        design = [_design(column[self.at[some]]) for column in columns.values()]
        if not design:
            return self.baseline
        plain = _standardise(np.column_stack([x for x, _ in design]))
        full = _standardise(np.column_stack([part for pair in design for part in pair]))
        y = self.y[some]
        return max(self.baseline, *(
            self._score(predicted, some)
            for predicted in (*_ridge(full, y), _neighbours(plain, y))
        ))  # fmt: skip

    def _score(self, predicted: Array, some: Array) -> float:
        if self.classes is None:
            return _r2(self.y[some, 0], predicted[:, 0])
        shares = predicted + np.bincount(self.classes) / len(self)  # as y was centred
        return float(np.mean(shares.argmax(axis=1) == self.classes[some]))


def _thin(rows: Array, most: int) -> Array:
    if len(rows) <= most:
        return rows
    return np.asarray(rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)])


def _group_rows(column: Codes | Array) -> Array:
    """(m,) groups of rows: by value, or by bins of eight neighbours; missing values are equal."""
    if isinstance(column, Codes):
        return np.unique(column.codes, return_inverse=True)[1]
    ordered = np.sort(column)  # missing values last
    return np.asarray(np.searchsorted(ordered, column) // BIN)  # equal numbers stay together


def _vote_score(group: Array, classes: Array) -> float:
    """How many rows have the class that most other rows of their group have; of equals the half."""
    k = int(classes.max()) + 1
    n = np.bincount(group * k + classes, minlength=(int(group.max()) + 1) * k).reshape(-1, k)
    others = n[group]
    others[np.arange(len(group)), classes] -= 1
    own = others[np.arange(len(group)), classes]
    most = others.max(axis=1)
    ties = np.maximum((others == most[:, None]).sum(axis=1), 1)
    return float(np.where((own == most) & (most > 0), 1 / ties, 0.0).mean())


def _runs(classes: Array) -> float:
    """By how many standard deviations there are fewer runs of a class than in a random order."""
    n, counts = float(len(classes)), np.bincount(classes).astype(np.float64)
    squares, cubes = (counts**2).sum(), (counts**3).sum()
    runs = 1 + np.count_nonzero(classes[1:] != classes[:-1])
    expected = n + 1 - squares / n
    variance = (squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / (n * n * (n - 1))
    return float((expected - runs) / np.sqrt(variance)) if variance > 0 else 0.0


def _serial_correlation(y: Array) -> float:
    """How surely the ranks of neighbours are alike, in standard deviations."""
    n, places = len(y), np.unique(y, return_inverse=True)[1]
    times = np.bincount(places)
    rank = (np.cumsum(times) - times / 2)[places]
    rank = rank - rank.mean()
    spread = rank @ rank
    return float((rank[1:] @ rank[:-1] / spread + 1 / n) * np.sqrt(n)) if spread > 0 else 0.0


def _line_score(x: Array, y: Array) -> float:
    """The leave-one-out R2 of a straight line (PRESS), missing values at the mean."""
    gaps = is_missing(x)
    with np.errstate(all="ignore"):
        x = np.where(gaps, x[~gaps].mean() if not gaps.all() else 0.0, x)
        x = x - x.mean()
        squares = x @ x
        if not np.isfinite(squares) or squares <= 0:
            return 0.0
        leverage = 1 / len(x) + x * x / squares
        residual = (y - y.mean() - x * (x @ y) / squares) / np.maximum(1 - leverage, 1e-9)
    return _r2(y, y - residual)


def _r2(y: Array, predicted: Array) -> float:
    with np.errstate(all="ignore"):
        found = 1 - ((y - predicted) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    return float(found) if np.isfinite(found) else 0.0  # a sample may be constant


def _design(column: Codes | Array) -> tuple[Array, Array]:
    """Columns for neighbours, (m, a), and more of them for the regression, (m, b)."""
    if isinstance(column, Codes):
        n = np.bincount(column.codes[column.codes >= 0], minlength=1)
        common = np.argsort(-n, kind="stable")[:LEVELS]
        hot = (column.codes[:, None] == common[n[common] > 1]).astype(np.float64)
        return hot, (column.codes[:, None] < 0).astype(np.float64)
    gaps = is_missing(column)
    if gaps.all():
        return np.zeros((len(column), 1)), np.zeros((len(column), 1))
    edges = np.unique(np.quantile(column[~gaps], np.arange(1, BINS) / BINS, method="lower"))
    steps = (column[:, None] > edges).astype(np.float64)  # a missing value is above none
    with np.errstate(all="ignore"):
        filled = np.where(gaps, column[~gaps].mean(), column)
    return filled[:, None], np.column_stack([steps, gaps])


def _standardise(x: Array) -> Array:
    """Columns of mean 0 and variance 1; those that are constant or not finite are 0."""
    with np.errstate(all="ignore"):
        x = x - x.mean(axis=0)
        spread = x.std(axis=0)
        x = x / np.where(spread > 0, spread, 1.0)
    return np.where(np.isfinite(x), x, 0.0)


def _ridge(x: Array, y: Array) -> list[Array]:
    """Cross-validated predictions of ridge regression, one array for every penalty."""
    fold = np.random.default_rng(0).permutation(len(x)) % FOLDS
    found = [np.zeros(y.shape) for _ in PENALTIES]
    for out in range(FOLDS):
        train, test = x[fold != out], x[fold == out]
        mean, target = train.mean(axis=0), y[fold != out]
        centre = target.mean(axis=0)
        u, s, v = np.linalg.svd(train - mean, full_matrices=False)
        scores, bases = u.T @ (target - centre), (test - mean) @ v.T
        for predicted, penalty in zip(found, PENALTIES, strict=True):
            shrunk = (s / (s * s + penalty))[:, None]
            predicted[fold == out] = centre + bases @ (shrunk * scores)
    return found


def _neighbours(x: Array, y: Array) -> Array:
    """The mean of the five nearest other rows."""
    squares = (x * x).sum(axis=1)
    distance = squares[:, None] + squares - 2 * x @ x.T
    np.fill_diagonal(distance, np.inf)
    nearest = np.argpartition(distance, min(NEIGHBOURS, len(x) - 1) - 1, axis=1)[:, :NEIGHBOURS]
    return np.asarray(y[nearest].mean(axis=1))
