"""How often tests find what is there, and what is not; and how often scores' intervals hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt

import numpy as np
from scipy.special import stdtr

import tallylearn as tl
from tallylearn.evaluation.scores.estimate import estimate_score
from tallylearn.evaluation.scores.predictions import Predictions, tally_by_group
from tallylearn.evaluation.scores.score import SCORES
from tallylearn.evaluation.scores.tested_rows import RowPredictions, ScoredSample, UnitInfluence
from tallylearn.statistics.confidence_intervals import wilson
from tallylearn.statistics.significance_tests import five_by_two, mcnemar
from tallylearn.tables import Codes

Array = np.ndarray
Fit = Callable[[Array, Array, Array], Array]  # x (r, n, p), y (r, n), others (r, m, p) -> (r, m)
COLUMNS = 3  # of each learner, its own
SCHEMES = {"five folds, twice": (5, 2), "ten folds, once": (10, 1)}


def discriminant(x: Array, y: Array, others: Array) -> Array:
    """Linear discriminants of many data sets at once."""
    first, second = (_mean(x, side) for side in (1 - y, y))
    apart = x - np.where(y[..., None] > 0, second[:, None], first[:, None])
    within = np.einsum("rni,rnj->rij", apart, apart) / (x.shape[1] - 2)
    w = np.linalg.solve(within, (second - first)[..., None])[..., 0]
    middle = np.einsum("rp,rp->r", w, (first + second) / 2) - np.log(y.mean(1) / (1 - y).mean(1))
    return np.asarray(np.einsum("rnp,rp->rn", others, w) > middle[:, None], dtype=int)


def naive_bayes(x: Array, y: Array, others: Array) -> Array:
    """Gaussian naive Bayes of many data sets at once."""
    found = []
    for side in (1 - y, y):
        mean = _mean(x, side)
        spread = _mean((x - mean[:, None]) ** 2, side)
        away = (others - mean[:, None]) ** 2 / (2 * spread[:, None])
        found.append(-(away + np.log(spread)[:, None] / 2).sum(2) + np.log(side.mean(1))[:, None])
    return np.asarray(found[1] > found[0], dtype=int)


def least_squares(x: Array, y: Array, others: Array) -> Array:
    """Linear regression of many data sets at once."""
    x, others = (np.concatenate([np.ones((*z.shape[:2], 1)), z], 2) for z in (x, others))
    gram, right = np.einsum("rni,rnj->rij", x, x), np.einsum("rni,rn->ri", x, y)
    w = np.linalg.solve(gram, right[..., None])[..., 0]
    return np.asarray(np.einsum("rnp,rp->rn", others, w))


def tree(x: Array, y: Array, others: Array) -> Array:
    """Trees of depth three."""
    from sklearn.tree import DecisionTreeClassifier

    made = (
        DecisionTreeClassifier(max_depth=3, random_state=0).fit(*pair)
        for pair in zip(x, y, strict=True)
    )
    return np.stack([model.predict(z) for model, z in zip(made, others, strict=True)])


def neighbours(x: Array, y: Array, others: Array) -> Array:
    """The majority of the five nearest rows."""
    from sklearn.neighbors import KNeighborsClassifier

    made = (KNeighborsClassifier(5).fit(*pair) for pair in zip(x, y, strict=True))
    return np.stack([model.predict(z) for model, z in zip(made, others, strict=True)])


def _mean(x: Array, side: Array) -> Array:
    return np.asarray((x * side[..., None]).sum(1) / side.sum(1)[:, None])


def drawn(rng: np.random.Generator, runs: int, n: int, fit: Fit, gap: float) -> tuple[Array, Array]:
    """Data sets whose last columns tell as much as the first, or ``gap`` less."""
    x = rng.normal(size=(runs, n, 2 * COLUMNS))
    if fit is least_squares:
        return x, x @ np.repeat([0.4, 0.4 - gap], COLUMNS) + rng.normal(size=(runs, n))
    y = np.tile(np.arange(n) % 2, (runs, 1))
    return x + np.repeat([0.65, 0.65 - gap], COLUMNS) * y[..., None], y


def differences(
    rng: np.random.Generator, fit: Fit, n: int, runs: int, k: int, repeats: int, gap: float = 0.0
) -> tuple[Array, Array]:
    """(runs, repeats, n) the loss of one learner less that of the other; and every row's fold."""
    x, y = drawn(rng, runs, n, fit, gap)
    apart, dealt = np.empty((runs, repeats, n)), np.empty((repeats, n), dtype=int)
    for repeat in range(repeats):
        halves = (rng.permutation(n // 2) % k for _ in range(2))
        dealt[repeat] = np.stack([*halves], 1).ravel()  # each class dealt out evenly
        for fold in range(k):
            train, test = dealt[repeat] != fold, dealt[repeat] == fold
            said = (
                fit(x[:, train][..., columns], y[:, train], x[:, test][..., columns])
                for columns in (slice(COLUMNS), slice(COLUMNS, None))
            )
            losses = [np.abs(one - y[:, test]) for one in said]
            apart[:, repeat, test] = losses[0] - losses[1]
    return apart, dealt


def paired(apart: Array) -> float:
    """p of the headline test, from (repeats, n) differences of the rows."""
    repeats, n = apart.shape
    moved = (apart - apart.mean()) / (n * repeats)
    again = (np.tile(np.arange(n), repeats), moved.ravel()) if repeats > 1 else None
    found = UnitInfluence(np.arange(n), moved.sum(0), again)
    error = found.learner_standard_error(n)
    return 2 * float(stdtr(found.free, -abs(apart.mean()) / error)) if error else 1.0


def corrected(apart: Array, dealt: Array) -> float:
    """p of the corrected resampled t."""
    folds = _by_fold(apart, dealt).ravel()
    k, spread = int(dealt.max()) + 1, folds.std(ddof=1)
    error = spread * sqrt(1 / len(folds) + 1 / (k - 1))
    return 2 * float(stdtr(len(folds) - 1, -abs(folds.mean()) / error)) if error else 1.0


def _by_fold(apart: Array, dealt: Array) -> Array:
    k = int(dealt.max()) + 1
    return np.array([[row[part == fold].mean() for fold in range(k)]
                     for row, part in zip(apart, dealt, strict=True)])  # fmt: skip


def sizes() -> None:
    """How often two learners that are equally good are called different."""
    print(
        "\nSize: two learners that are equally good, called different at 5 % (and its own interval)"
    )
    print(f"{'':<16}{'n':>6}  runs" + "".join(f"{name:>26}" for name in SCHEMES)
          + f"{'corrected t, ten folds':>26}")  # fmt: skip
    for fit, ns, runs in (
        (discriminant, (50, 100, 400, 2000), 2000),
        (naive_bayes, (50, 100, 400, 2000), 2000),
        (least_squares, (50, 100, 400, 2000), 2000),
        (tree, (100, 400), 400),
        (neighbours, (100, 400), 400),
    ):
        for n in ns:
            rng, line, last = np.random.default_rng(n), "", 0.0
            for k, repeats in SCHEMES.values():
                found, other = 0, 0
                for _ in range(runs // 100):
                    apart, dealt = differences(rng, fit, n, 100, k, repeats)
                    found += sum(paired(one) <= 0.05 for one in apart)
                    other += sum(corrected(one, dealt) <= 0.05 for one in apart)
                line += f"{found / runs:>11.1%} {wilson(found, runs):.1%}"
                last = other / runs
            print(f"{fit.__name__:<16}{n:>6} {runs:>5}{line}{last:>26.1%}", flush=True)


def powers() -> None:
    """How often a difference that is there is found."""
    print("\nPower: a true difference at n = 500, found at 5 %, in 1,000 data sets")
    print(f"{'':<16}{'true difference':>16}" + "".join(f"{name:>22}" for name in (
        "five folds, twice", "ten folds, once", "ten folds, 5 times", "corrected t, once",
        "corrected t, 5 times", "McNemar, once", "5x2cv, F")))  # fmt: skip
    for fit, gap in ((discriminant, 0.21), (naive_bayes, 0.21), (least_squares, 0.11)):
        rng, found = np.random.default_rng(1), np.zeros(7)
        mean = 0.0
        for _ in range(10):
            twice, _ = differences(rng, fit, 500, 100, 5, 2, gap)
            often, dealt = differences(rng, fit, 500, 100, 10, 5, gap)
            halves, halved = differences(rng, fit, 500, 100, 2, 5, gap)
            mean += abs(often.mean()) / 10
            for a, b, c in zip(twice, often, halves, strict=True):
                wrong = int((b[0] > 0.5).sum()), int((b[0] < -0.5).sum())
                mark = mcnemar(*wrong).p if fit is not least_squares else np.nan
                found += np.array([paired(a), paired(b[:1]), paired(b), corrected(b[:1], dealt[:1]),
                                   corrected(b, dealt), mark,
                                   five_by_two(_by_fold(c, halved)).p]) <= 0.05  # fmt: skip
        shares = (f"{x / 1000:>22.1%}" if x else f"{'':>22}" for x in found)
        print(f"{fit.__name__:<16}{mean:>16.3f}" + "".join(shares), flush=True)


Made = tuple[Predictions, Array | None]


def binary(rng: np.random.Generator, n: int, share: float = 0.5) -> Made:
    truth = (rng.random(n) < share).astype(int)
    score = 1.5 * truth + rng.normal(size=n) + np.log(share / (1 - share)) - 0.75
    return _answers(truth, np.column_stack([1 - (p := 1 / (1 + np.exp(-1.5 * score))), p])), None


def imbalanced(rng: np.random.Generator, n: int) -> Made:
    return binary(rng, n, 0.15)


def ten_classes(rng: np.random.Generator, n: int) -> Made:
    truth = rng.integers(0, 10, n)
    score = rng.normal(size=(n, 10)) + 2.5 * np.eye(10)[truth]
    return _answers(truth, np.exp(score) / np.exp(score).sum(1, keepdims=True)), None


def numbers(rng: np.random.Generator, n: int) -> Made:
    truth = rng.normal(size=n)
    return Predictions(truth, 0.7 * truth + rng.normal(size=n) * 0.5), None


def groups(rng: np.random.Generator, n: int) -> Made:
    """Groups of ten rows, in which a model does well or badly."""
    at = np.arange(n) // 10
    truth = rng.integers(0, 2, n)
    own = rng.normal(size=int(at.max()) + 1)[at]
    p = 1 / (1 + np.exp(-((2 * truth - 1) * (0.8 + own) + 0.8 * rng.normal(size=n))))
    return _answers(truth, np.column_stack([1 - p, p])), at


def _answers(truth: Array, proba: Array) -> Predictions:
    names = tuple(range(proba.shape[1]))
    said = Codes(names, proba.argmax(1).astype(np.int32), names)
    return Predictions(Codes(names, truth.astype(np.int32), names), said, names, proba)


KINDS: dict[Callable[[np.random.Generator, int], Made], tuple[str, ...]] = {
    binary: ("accuracy", "recall", "precision", "f1", "balanced_accuracy", "roc_auc", "log_loss",
             "brier"),
    imbalanced: ("accuracy", "recall", "precision", "f1", "balanced_accuracy", "roc_auc",
                 "log_loss"),
    ten_classes: ("accuracy", "recall_macro", "f1_macro", "log_loss"),
    numbers: ("mae", "mse", "rmse", "r2"),
    groups: ("accuracy", "f1", "roc_auc", "log_loss"),
}  # fmt: skip


def estimates(
    made: Made, names: tuple[str, ...], folds: int
) -> Iterator[tuple[float, bool, tuple]]:
    """Value and interval of every score of simulated predictions; NaN where there is none."""
    predictions, groups = made
    n = len(predictions)
    fold = np.arange(n) * folds // n if groups is None else groups * folds // (groups.max() + 1)
    told = RowPredictions(0, np.arange(n), fold, predictions)
    sample = ScoredSample(n, n, 1 / max(folds, 2), (told,), groups)
    positive = 1 if len(predictions.known_classes) == 2 else None
    codes = Codes(tuple(range(folds)), fold.astype(np.int32))
    parts = tuple(tally_by_group(predictions, codes, names, positive).values()) if folds > 1 else ()
    whole = predictions.tally(names, positive)
    for name in names:
        found = estimate_score(name, whole, parts, (), sample, positive, 0.95)
        value = found.value if np.isfinite(found.value) else found.pooled
        yield (
            value,
            np.isfinite(found.value) and not SCORES[name].is_pooled,
            ((np.nan, np.nan) if found.interval is None else tuple(found.interval)),
        )


def coverages(runs: int = 400) -> None:
    """How often the interval beside a score holds that score of the same models on all rows."""
    print(f"\n95 % intervals of scores in a report, {runs} samples each; of these models")
    for folds, sizes in ((1, (50, 200, 1000)), (10, (200,))):
        print(f"\n{'one test part' if folds == 1 else 'ten folds'}")
        print(f"{'':<32}" + "".join(f"   n = {n:<6}" for n in sizes))
        for make, names in KINDS.items():
            lines = dict.fromkeys(names, "")
            large = [e[0] for e in estimates(make(np.random.default_rng(0), 200_000), names, 1)]
            for n in sizes:
                found = [[*estimates(make(np.random.default_rng(seed), n), names, folds)]
                         for seed in range(1, runs + 1)]  # fmt: skip
                for at, name in enumerate(names):
                    ours = [line[at] for line in found if np.isfinite(line[at][2]).all()]
                    kept = [value for value, mean, _ in ours if mean]
                    true = large[at] if folds == 1 or not kept else float(np.mean(kept))
                    held = sum(low <= true <= high for _, _, (low, high) in ours)
                    lines[name] += f"{held / max(1, len(ours)):>9.1%}   "
            for name, line in lines.items():
                print(f"{make.__name__.replace('_', ' '):<12}{name:<20}{line}", flush=True)


def grouped_sizes(runs: int = 400) -> None:
    """Equal learners on groups, through the public names."""

    class Column:
        _estimator_type = "classifier"

        def __init__(self, at: int) -> None:
            self.at = at

        def fit(self, x: Array, y: Array) -> Column:
            self.classes_ = np.array([0, 1])
            return self

        def predict(self, x: Array) -> Array:
            return x[:, self.at].astype(int)

    print(f"\nThrough tl.compare: 30 groups of 20 rows, equal learners, {runs} data sets")
    for cv in ("holdout", tl.Folds.k(5)):
        shown = {"groups given": 0, "groups forgotten": 0}
        for seed in range(runs):
            rng = np.random.default_rng(seed)
            at, y = np.repeat(np.arange(30), 20), np.arange(600) % 2
            right = rng.random((600, 2)) < rng.beta(8, 3, (30, 2))[at]
            x = np.where(right, y[:, None], 1 - y[:, None]).astype(float)
            for name, given in zip(shown, (at, None), strict=True):
                found = tl.compare({"a": Column(0), "b": Column(1)}, x, y, cv=cv, groups=given)
                shown[name] += found.pairs[0, 1].better is not None
        said = "  ".join(f"{name} {100 * k / runs:.1f} %" for name, k in shown.items())
        print(f"{cv!s:<42}{said}", flush=True)
