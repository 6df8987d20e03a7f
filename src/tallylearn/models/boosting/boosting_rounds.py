"""The rounds of gradient boosting: every tree fits the gradient of the loss at the sum so far."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tallylearn import engines
from tallylearn.kernels.boosting import binned_predict
from tallylearn.models.boosting.binned_columns import BinnedColumns
from tallylearn.models.boosting.losses import SOFTMAX, BoostingLoss
from tallylearn.models.boosting.tree_growth import GrownTree, GrowthPlan, TreeGrower
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import Array

SALT = 0x9E3779B97F4A7C15  # odd, and without a pattern: the salts of two trees share no bits
MASK = (1 << 64) - 1


@dataclass(frozen=True)
class BoostingRows:
    """Some rows of the table, their loss, and the raw scores that their trees add up to."""

    table: BinnedColumns
    loss: BoostingLoss
    raw: Array  # (outputs, n)
    hashes: Array  # (n,) uint64: a number for every row, from its content


@dataclass(frozen=True)
class Stopping:
    """When rounds end: no improvement by more than ``tol`` in the last ``patience`` rounds."""

    patience: int
    tol: float
    score: Callable[[BoostingRows], float] | None = None  # larger is better; None: minus the loss

    def of(self, rows: BoostingRows) -> float:
        return -rows.loss.mean_loss(rows.raw) if self.score is None else self.score(rows)

    def ends(self, scores: list[float]) -> bool:
        """Whether none of the last scores is better than the one before them."""
        if len(scores) <= self.patience:
            return False
        reference = scores[-self.patience - 1] + self.tol
        return not any(score > reference for score in scores[-self.patience :])


@dataclass(frozen=True)
class Boosted:
    """The trees, and the scores after every round where they were computed."""

    trees: list[GrownTree]
    train_scores: list[float]
    validation_scores: list[float]


def boost(
    train: BoostingRows,
    validation: BoostingRows | None,
    plan: GrowthPlan,
    stopping: Stopping | None,
    *,
    rounds: range,
    seed: int,
    done: Callable[[int], None] | None = None,
) -> Boosted:
    """Run the rounds: gradients, a tree for every output, new raw scores, the scores."""
    threads = engines.current_engine().n_threads
    outputs, n = train.loss.outputs, train.raw.shape[1]
    growers = _Growers(train, plan)
    found = Boosted([], [], [])
    several = train.loss.link == SOFTMAX
    shares = np.empty((outputs, n)) if several else np.empty((0, 0))
    if stopping is not None:
        _note_scores(found, train, validation, stopping)
    for number in rounds:
        check_halted()
        if several:
            step = 1 << 14
            slices = [slice(i, min(i + step, n)) for i in range(0, n, step)]
            engines.map_threads(lambda at: train.loss.probabilities(train.raw, shares, at), slices)

        def tree_of(output: int, number: int = number) -> GrownTree:
            salt = (seed + (number * outputs + output + 1) * SALT) & MASK
            inner = threads if outputs == 1 else 1
            with growers as grower:
                return grower.grow(train.raw, shares, output, salt, inner)

        grown = engines.map_threads(tree_of, range(outputs)) if outputs > 1 else [tree_of(0)]
        found.trees.extend(grown)
        if done is not None:
            done(1)
        if stopping is not None:
            if validation is not None:
                for output, tree in enumerate(grown):
                    add_tree(tree, validation.table.codes, validation.raw[output])
            _note_scores(found, train, validation, stopping)
            watched = found.validation_scores if validation is not None else found.train_scores
            if stopping.ends(watched):
                break
    return found


def _note_scores(
    found: Boosted, train: BoostingRows, validation: BoostingRows | None, stopping: Stopping
) -> None:
    found.train_scores.append(stopping.of(train))
    if validation is not None:
        found.validation_scores.append(stopping.of(validation))


def add_tree(tree: GrownTree, codes: Array, raw: Array) -> None:
    """Add the values of a tree to the raw scores of rows that it was not grown from."""
    n, step = len(raw), 1 << 16

    def add(first: int) -> None:
        binned_predict.add_tree(
            codes, tree.nodes, tree.goes_left, tree.values, first, min(first + step, n), raw
        )

    engines.map_threads(add, range(0, n, step))


class _Growers:
    """Growers that wait for work: as many as threads grow trees at a time."""

    def __init__(self, train: BoostingRows, plan: GrowthPlan) -> None:
        self.train, self.plan = train, plan
        self.waiting: list[TreeGrower] = []
        self.local = threading.local()

    def __enter__(self) -> TreeGrower:
        try:
            self.local.grower = self.waiting.pop()
        except IndexError:
            train = self.train
            self.local.grower = TreeGrower(train.table, train.loss, self.plan, train.hashes)
        grower: TreeGrower = self.local.grower
        return grower

    def __exit__(self, *error: object) -> None:
        self.waiting.append(self.local.grower)
