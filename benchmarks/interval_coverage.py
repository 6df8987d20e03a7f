"""How often intervals hold the truth and tests find it: exact sums, and simulation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import bdtr, ndtr
from simulated_learners import (
    nested,
    ratios_of_counts,
    ratios_of_numbers,
    sizes_of_ratios,
    without_signal,
)
from simulated_tests import coverages, grouped_sizes, powers, sizes

import tallylearn as tl
from tallylearn.statistics.confidence_intervals import (
    Interval,
    clopper_pearson,
    corrected_t,
    mean_interval,
    wilson,
    z_interval,
)
from tallylearn.statistics.resampling import bootstrap
from tallylearn.statistics.roc_area import delong, delong_difference

SIZES = (50, 100, 150, 199, 200, 500, 1000, 2000, 5000)
SHARES = {
    "z": lambda s, n: z_interval(s / n, n),
    "Wilson": wilson,
    "Clopper-Pearson": clopper_pearson,
}
BANDS = (((50, 199), 0.925, 0.975), ((200, 1000), 0.935, 0.965))
SETS = 2000  # simulated data sets
COLUMNS, SHIFT = 5, 0.65  # the classes' means lie SHIFT apart in each of the COLUMNS


def ends(method: Callable[[int, int], Interval], n: int) -> np.ndarray:
    """(n + 1, 2) the interval of every count of successes."""
    return np.array([[*method(successes, n)] for successes in range(n + 1)])


def chance(interval: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The chance that the interval holds p: the counts that do are neighbours."""
    n = len(interval) - 1
    low = np.minimum.accumulate(interval[::-1, 0])[::-1]  # the z interval narrows near 0 and n
    high = np.maximum.accumulate(interval[:, 1])
    first = np.searchsorted(high, p, "left")
    last = np.searchsorted(low, p, "right") - 1
    before = np.where(first > 0, bdtr(np.maximum(first - 1, 0), n, p), 0.0)
    return np.asarray(bdtr(last, n, p) - before)


def points(interval: np.ndarray, low: float, high: float) -> np.ndarray:
    """A fine grid of shares, and those just outside every end: there the chance is least."""
    beside = np.concatenate([interval[:, 0] * (1 - 1e-12), interval[:, 1] * (1 + 1e-12)])
    grid = np.linspace(low, high, round((high - low) * 1000) + 1)
    return np.concatenate([grid, beside[(beside >= low) & (beside <= high)]])


def shares() -> None:
    """Least, mean and greatest coverage of three intervals of a share."""
    print("95 % intervals of a share, p from 0.1 to 0.9 in steps of 0.001 and beside every end")
    print(f"{'n':>6}" + "".join(f"{name:>24}" for name in SHARES))
    print(" " * 6 + "     least   mean   most" * len(SHARES))
    for n in SIZES:
        line = f"{n:>6}"
        for method in SHARES.values():
            interval = ends(method, n)
            found = chance(interval, points(interval, 0.1, 0.9))
            mean = chance(interval, np.linspace(0.1, 0.9, 801)).mean()
            three = (found.min(), mean, found.max())
            line += "   " + "".join(f"{100 * value:7.2f}" for value in three)
        print(line)


def dips() -> None:
    """Where Wilson's interval leaves its band, for every n."""
    for (first, last), low, high in BANDS:
        rows = []
        for n in range(first, last + 1):
            interval = ends(wilson, n)
            p = points(interval, 0.1, 0.9)
            rows += [(c, n, at) for c, at in zip(chance(interval, p), p, strict=True)]
        outside = [row for row in rows if not low <= row[0] <= high]
        print(f"\nWilson, every n from {first} to {last}, p from 0.1 to 0.9: {len(rows):,} points,")
        print(f"{len(outside)} of them outside {low:.1%} to {high:.1%}.")
        for word, (covered, n, p) in (("least", min(rows)), ("most", max(rows))):
            print(f"  {word:<5} {covered:.2%} at n = {n}, p = {p:.4f}")
        for covered, n, p in sorted(outside)[:20]:
            print(f"  outside: {covered:.2%} at n = {n}, p = {p:.4f}")
    print("\nWilson nearer to 0 (and, mirrored, to 1): least coverage for p below 0.1")
    for n in SIZES:
        interval = ends(wilson, n)
        p = points(interval, 0.0, 0.1)
        found = chance(interval, p)
        print(f"  n = {n:<5} {found.min():.2%} at p = {p[found.argmin()]:.5f}")


class Truth:
    """A linear rule on two normal classes, whose error and area are known."""

    def __init__(self, model: tl.LinearDiscriminantAnalysis) -> None:
        weights, length = model.coef_[0], np.linalg.norm(model.coef_[0])
        apart = SHIFT * weights.sum()
        bounds = np.array([-model.intercept_[0], apart + model.intercept_[0]]) / length
        self.error = float(ndtr(-bounds).mean())
        self.area = float(ndtr(apart / length / np.sqrt(2)))


def rows(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """n rows of two classes, as many of each."""
    y = np.arange(n) % 2
    return rng.normal(size=(n, COLUMNS)) + SHIFT * y[:, None], y


def held_out(rng: np.random.Generator) -> Iterator[tuple[str, Interval, float]]:
    """Learned from 60 rows, tested on 100 others drawn freely."""
    x, y = rows(rng, 60)
    model = tl.LinearDiscriminantAnalysis().fit(x, y)
    small = tl.LinearDiscriminantAnalysis().fit(x[:, :3], y)
    truth = Truth(model)
    y = rng.integers(0, 2, 100)
    x = rng.normal(size=(100, COLUMNS)) + SHIFT * y[:, None]
    wrong, score = int((model.predict(x) != y).sum()), model.decision_function(x)
    for name, method in SHARES.items():
        yield f"error on 100 rows, this model's: {name}", method(wrong, 100), truth.error
    yield "AUC on 100 rows, this model's: DeLong", delong(score, y).interval, truth.area
    between = delong_difference(score, small.decision_function(x[:, :3]), y)
    apart = truth.area - Truth(small).area
    yield "AUC of 5 columns less that of 3: DeLong", between.interval, apart


def folded(
    rng: np.random.Generator, means: list[float]
) -> Iterator[tuple[str, Interval, float | None]]:
    """Tenfold cross-validation on 100 rows; None stands for the mean over training sets."""
    x, y = rows(rng, 100)
    fold = rng.permutation(100) % 10
    errors = []
    for part in range(10):
        model = tl.LinearDiscriminantAnalysis().fit(x[fold != part], y[fold != part])
        errors.append(float((model.predict(x[fold == part]) != y[fold == part]).mean()))
        means.append(Truth(model).error)
    own = Truth(tl.LinearDiscriminantAnalysis().fit(x, y)).error
    found = {
        "corrected t": corrected_t(errors, 0.1),
        "plain t": mean_interval(errors),
        "pooled Wilson": wilson(round(sum(errors) * 10), 100),
    }
    for name, interval in found.items():
        yield f"10 folds of 100 rows, the learner's mean error: {name}", interval, None
        yield f"10 folds of 100 rows, this model's error: {name}", interval, own


def numbers(rng: np.random.Generator) -> Iterator[tuple[str, Interval, float]]:
    """Means of independent numbers."""
    normal, skew = rng.normal(size=30), rng.exponential(size=30)
    yield "mean of 30 normal numbers: t", mean_interval(normal), 0.0
    yield "mean of 30 exponential numbers: t", mean_interval(skew), 1.0
    again = bootstrap(lambda counts: counts @ skew / 30, 30)
    yield "mean of 30 exponential numbers: bootstrap, BCa", again, 1.0


def simulated() -> None:
    """How often every interval held the truth, and how wide it was."""
    found: dict[str, list[tuple[Interval, float | None]]] = {}
    means: list[float] = []
    for seed in range(SETS):
        rng = np.random.default_rng(seed)
        for name, *pair in (*held_out(rng), *folded(rng, means), *numbers(rng)):
            found.setdefault(name, []).append(tuple(pair))
    mean = float(np.mean(means))
    print(
        f"\n95 % intervals over {SETS:,} simulated data sets; the learner is linear discriminants,"
    )
    print(f"on two normal classes {SHIFT} apart in each of {COLUMNS} columns")
    print(f"{'':<62} covered  its own interval  width")
    for name, pairs in found.items():
        held = sum((mean if truth is None else truth) in interval for interval, truth in pairs)
        width = np.mean([interval.high - interval.low for interval, _ in pairs])
        print(f"{name:<62} {held / SETS:7.1%}  {wilson(held, SETS):.1%}   {width:6.3f}")


if __name__ == "__main__":
    warnings.simplefilter("error")
    shares()
    dips()
    simulated()
    coverages()
    ratios_of_numbers()
    ratios_of_counts()
    without_signal()
    nested()
    sizes()
    sizes_of_ratios()
    powers()
    grouped_sizes()
