"""Out of bag: every row is answered by the trees that have not seen it, and by no other.

What they get right is an honest estimate without a test set, of a forest of about a third as many
trees (L. Breiman, Out-of-bag estimation, 1996).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.kernels import tree_predict
from tallylearn.models.forests.bootstrap import BootstrapSamples
from tallylearn.models.forests.forest import Forest
from tallylearn.models.forests.packed_trees import LANES
from tallylearn.reporting.report import Report
from tallylearn.statistics.confidence_intervals import Interval, t_interval, wilson
from tallylearn.tables import Array, Block
from tallylearn.workings import Formula, Grid, Sentence
from tallylearn.workings.equations import formula, number
from tallylearn.workings.split_steps import MAX_SHOWN_VALUES

MAX_ROWS_SHOWN = 5  # rows whose votes show_work() prints; full=True prints all
TREES_PER_BATCH = 16  # trees whose answers wait for their turn to be added: they are added in order


@dataclass(frozen=True)
class OutOfBagReport(Report):
    """The out-of-bag score of a forest: every row is predicted by the trees that have not seen it.

    Attributes
    ----------
    score : str
        "accuracy" or "R²".
    value : float
        The score.
    interval : Interval or None
        Its confidence interval; None with too few rows.
    rows : int
        Rows that some tree has not seen.
    seen : int
        Rows that all trees have seen, which have no prediction.
    answers : ndarray of shape (n, k)
        Class shares, or means in one column; NaN for rows that all trees have seen.
    decided : ndarray of shape (n,)
        Positions of the predicted classes; -1 for rows that all trees have seen.
    """

    score: str  # "accuracy" or "R²"
    value: float
    interval: Interval | None  # None: too few rows
    rows: int  # that some tree has not seen
    seen: int  # that all trees have seen: they have no answer here
    answers: Array = field(repr=False, compare=False)  # (n, k) shares or (n, 1) means, NaN: none
    decided: Array = field(repr=False, compare=False)  # (n,) classes by their number, -1: none

    def to_dict(self) -> dict[str, Any]:
        ends = None if self.interval is None else [self.interval.low, self.interval.high]
        return {
            "score": self.score, "value": self.value, "interval": ends, "rows": self.rows,
            "seen": self.seen,
        }  # fmt: skip

    @staticmethod
    def _layout(found: dict[str, Any]) -> Sentence:
        ends = found["interval"]
        between = f" [{ends[0]:.3f}, {ends[1]:.3f}]" if ends else ""
        more = f"; {found['seen']:,} more were seen by all trees" if found["seen"] else ""
        return Sentence(
            f"{found['score']} {found['value']:.3f}{between} on {found['rows']:,} rows, each by "
            f"the trees that have not seen it{more}"
        )

    def __repr__(self) -> str:
        return str(self)


def bags_of(forest: Forest, block: Block, weights: Array | None) -> BootstrapSamples:
    """The bags that the trees grew from, for the table that they grew from, drawn by weights."""
    if len(block) != forest.rows:
        raise InputError(
            f"the forest was grown from {forest.rows:,} rows, and this table has {len(block):,}. "
            "Pass the training table, with its rows in the same order: out-of-bag rows are "
            "identified by position."
        )
    if forest.rate == 0:
        raise InputError(
            "with bootstrap=False every tree is trained on every row, so there are no out-of-bag "
            "rows. Fit with bootstrap=True, or use tl.evaluate."
        )
    return BootstrapSamples(np.zeros(len(block), np.int32), forest.rate, forest.seed, weights)


def out_of_bag(forest: Forest, block: Block, bags: BootstrapSamples) -> OutOfBagReport:
    """The answers of the trees that have not seen a row, and how good they are."""
    sums, voters = votes_of(forest, block, bags)
    answered = np.flatnonzero(voters)
    answers = np.full(sums.shape, np.nan)
    answers[answered] = sums[answered] / voters[answered, None]
    if not len(answered):
        remedy = "Grow more trees" if len(block) > 1 else "The table has one row: add others"
        raise InputError(
            f"every tree was trained on every row, so there are no out-of-bag rows. {remedy}."
        )
    seen, decided = len(block) - len(answered), np.full(len(block), -1)
    if forest.classes:
        truth = block.target.recode(forest.classes)[answered]
        decided[answered] = forest.decide(answers[answered])
        right = int((decided[answered] == truth).sum())
        value, ends = right / len(answered), wilson(right, len(answered))
        return OutOfBagReport(
            "accuracy", value, ends, rows=len(answered), seen=seen, answers=answers, decided=decided
        )
    value, interval = r_squared(block.target[answered], answers[answered, 0])
    return OutOfBagReport(
        "R²", value, interval, rows=len(answered), seen=seen, answers=answers, decided=decided
    )


def out_of_bag_steps(
    forest: Forest, block: Block, bags: BootstrapSamples, full: bool
) -> list[Grid | Formula | Sentence]:
    """The first rows with the votes of the trees that have not seen them, and the score."""
    sums, voters = votes_of(forest, block, bags)
    answered = np.flatnonzero(voters)
    if not len(answered):
        return [Sentence("Every tree has seen every row: no row is out of bag.")]
    answers = sums[answered] / voters[answered, None]
    names = [*map(str, forest.classes)][:MAX_SHOWN_VALUES] or ["prediction"]
    shown = len(answered) if full else min(MAX_ROWS_SHOWN, len(answered))
    cells = [
        [
            f"{number(sums[row, c])} / {voters[row]} = {number(answers[at, c])}"
            for c in range(len(names))
        ]
        for at, row in enumerate(answered[:shown].tolist())
    ]
    if forest.classes:
        truth = block.target.recode(forest.classes)[answered]
        decided = forest.decide(answers)
        ends = [
            [str(forest.classes[c]), str(forest.classes[t])]
            for c, t in zip(decided[:shown], truth[:shown], strict=True)
        ]
        right = int((decided == truth).sum())
        score = f"accuracy = {right} / {len(answered)} = {number(right / len(answered))}"
        header = ("row", "trees", *names, "prediction", "true class")
    else:
        truth = block.target[answered]
        ends = [[number(value)] for value in truth[:shown]]
        lost = math.fsum((truth - answers[:, 0]) ** 2)
        whole = math.fsum((truth - truth.mean()) ** 2)
        side = f"1 - {number(lost)} / {number(whole)}"
        score = f"R² = 1 - Σ (y - ŷ)² / Σ (y - ȳ)² = {side} = {number(1 - lost / whole)}"
        if whole == 0:
            score = "Σ (y - ȳ)² = 0"
        header = ("row", "trees", *names, "true value")
    rows = tuple(
        (str(row), str(voters[row]), *mean, *end)
        for row, mean, end in zip(answered.tolist(), cells, ends, strict=False)
    )
    left = len(answered) - shown
    note = f"{left} more rows; show_work(full=True) has them." if left else ""
    title = "out of bag: the mean over the trees that have not seen the row"
    return [Grid(title, header, rows, note), formula(score)]


def r_squared(truth: Array, answer: Array) -> tuple[float, Interval | None]:
    """The share of the variance that is explained, its interval by the delta method.

    1 - a / b, of means over the rows of squared errors and of squares about the mean, has the
    standard error of the mean of (error² - a / b · deviation²) / b.
    """
    error, spread = (truth - answer) ** 2, (truth - truth.mean()) ** 2
    whole = float(spread.mean())
    if whole == 0:
        return (1.0 if not error.any() else 0.0), None
    lost = float(error.mean()) / whole
    n = len(truth)
    if n < 3:
        return 1 - lost, None
    deviation = float(((error - lost * spread) / whole).std(ddof=1)) / math.sqrt(n)
    return 1 - lost, t_interval(
        1 - lost, deviation, n - 1, level=0.95, method="delta method", about="R²"
    )


def votes_of(forest: Forest, block: Block, bags: BootstrapSamples) -> tuple[Array, Array]:
    """(n, k) the sum of the votes of the trees that have not seen a row, and (n,) how many."""
    sums, voters = (
        np.zeros((len(block), forest.node_values.shape[1])),
        np.zeros(len(block), np.int64),
    )
    for rows, ends in find_unseen_rows(forest, block, bags):
        sums[rows] += forest.vote_contributions[ends]
        voters[rows] += 1
    return sums, voters


@dataclass(frozen=True)
class UnseenRows:
    """The call that finds the rows that a tree has not seen, and the leaves that they reach."""

    forest: Forest
    bags: BootstrapSamples
    numbers: Array
    categories: Array

    def __call__(self, tree: int) -> tuple[Array, Array]:
        rows = self.bags.find_out_of_bag_rows(tree)
        return rows, ends_of(self.forest, tree, self.numbers[rows], self.categories[rows])


def find_unseen_rows(
    forest: Forest, block: Block, bags: BootstrapSamples
) -> Iterator[tuple[Array, Array]]:
    """For every tree, in order: the rows that it has not seen, and the leaves that they reach."""
    call = UnseenRows(forest, bags, *forest.table(block))
    for first in range(0, len(forest), TREES_PER_BATCH):
        trees = range(first, min(first + TREES_PER_BATCH, len(forest)))
        yield from engines.current_engine().each(call, trees)


def ends_of(forest: Forest, tree: int, numbers: Array, categories: Array) -> Array:
    """(n,) the nodes of a tree where rows end."""
    out = np.full(len(numbers), forest.roots[tree])
    tree_predict.walk(numbers, categories, *forest.plan, np.empty(LANES, np.int64), out)
    return out
