"""Of whom an interval speaks: of the models that were tested, or of their learner."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

import tallylearn as tl

COLUMNS, SHIFT = 5, 0.65  # the classes' means lie SHIFT apart in each of the COLUMNS
SCORES = ("accuracy", "recall", "precision", "f1", "balanced_accuracy", "roc_auc")
SETTINGS = ((50, 0.5), (200, 0.5), (1000, 0.5), (200, 0.2))  # rows, and the share of positives


def true_scores(model: tl.LinearDiscriminantAnalysis, share: float) -> np.ndarray:
    """The scores of a linear rule on all rows of two normal classes."""
    weights, length = model.coef_[0], np.linalg.norm(model.coef_[0])
    apart = SHIFT * weights.sum()
    right = float(ndtr((apart + model.intercept_[0]) / length))  # of the positives
    wrong = float(ndtr(model.intercept_[0] / length))  # of the others, called positive
    called = share * right + (1 - share) * wrong
    return np.array([
        share * right + (1 - share) * (1 - wrong),
        right,
        share * right / called,
        2 * share * right / (share + called),
        (right + 1 - wrong) / 2,
        float(ndtr(apart / length / np.sqrt(2))),
    ])  # fmt: skip


def drawn(rng: np.random.Generator, n: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """The ends (scores, whose, 2) of both intervals, and the models' true mean scores."""
    y = rng.permutation(n) < share * n
    x = rng.normal(size=(n, COLUMNS)) + SHIFT * y[:, None]
    learner = tl.LinearDiscriminantAnalysis()
    found = tl.evaluate(learner, x, y, positive=True, scoring=list(SCORES))
    ends = [[[*(interval or (np.nan, np.nan))] for interval in (e.interval, e.over_folds)]
            for e in map(found.__getitem__, SCORES)]  # fmt: skip
    fitted = (learner.fit(x[train], y[train]) for train, _ in tl.Folds.k(10).split(x, y))
    return np.array(ends), np.mean([true_scores(model, share) for model in fitted], axis=0)


def of_both(runs: int = 400) -> None:
    """How often ten folds' two intervals hold the models' mean score, and the learner's."""
    print(f"\nTen folds, {runs} tables each, two normal classes: how often an interval of the")
    print("report holds the mean score of these ten models, and that of the learner over tables")
    print(f"{'':<34}{'95 % interval':>24}{'of the learner':>24}")
    head = ("models", "learner") * 2
    print(f"{'n':>5} {'positive':>9} {'':<20}" + "".join(f"{word:>12}" for word in head))
    for n, share in SETTINGS:
        pairs = [drawn(np.random.default_rng(seed), n, share) for seed in range(runs)]
        ends, models = (np.array(side) for side in zip(*pairs, strict=True))
        for at, name in enumerate(SCORES):
            line = ""
            for whose in (0, 1):
                low, high = ends[:, at, whose].T
                known = np.isfinite(low)
                for truth in (models[:, at], models[:, at].mean()):
                    line += f"{((low <= truth) & (truth <= high))[known].mean():>12.1%}"
            print(f"{n:>5} {share:>9.0%} {name:<20}{line}", flush=True)


if __name__ == "__main__":
    of_both()
