"""How often intervals over folds hold the truth, by simulation: 2,000 tables of every size.

Least squares and linear discriminants have scores on all rows that follow from their coefficients,
so what an interval estimates is known: the mean score of the ten models that were tested, and the
mean over tables, which is the learner's. All tables of a size are fitted at once with NumPy; value
and interval come from the functions that `tl.evaluate` calls, and `check` compares them with those
of `tl.evaluate` itself. Class shares vary from table to table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import ndtr, stdtr

import tallylearn as tl
from tallylearn.evaluation.compare.paired_rows import LearnerResult, Pair, PairedTest
from tallylearn.evaluation.evaluate.evaluation import Evaluation
from tallylearn.evaluation.scores.estimate import Estimate, estimate_score
from tallylearn.evaluation.scores.predictions import Predictions, tally_by_group
from tallylearn.evaluation.scores.tested_rows import RowPredictions, ScoredSample
from tallylearn.statistics.confidence_intervals import wilson
from tallylearn.tables import Codes

Array = np.ndarray
TABLES, AT_ONCE, FOLDS = 2000, 200, 10
RATIOS = ("recall", "precision", "f1", "balanced_accuracy", "mcc")
NUMBERS = ("r2", "explained_variance", "rmse")
CLASSES = ("accuracy", "recall", "precision", "f1", "balanced_accuracy", "mcc", "roc_auc")
COLUMNS, SHIFT = 5, 0.65  # the classes' means lie SHIFT apart in each of the COLUMNS
NOISE: dict[str, Callable[[np.random.Generator, tuple[int, int]], Array]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "t(5)": lambda rng, shape: rng.standard_t(5, size=shape) * np.sqrt(3 / 5),
}
REGRESSIONS = (  # columns, R-squared of the truth, errors
    (3, 0.5, "normal"), (5, 0.8, "normal"), (5, 0.2, "normal"), (10, 0.5, "normal"),
    (5, 0.0, "normal"), (5, 0.8, "t(5)"),
)  # fmt: skip


def least_squares(x: Array, y: Array) -> Array:
    """(r, p + 1) intercept and coefficients of many tables at once."""
    x = np.concatenate([np.ones((*x.shape[:2], 1)), x], axis=2)
    gram, right = np.einsum("rni,rnj->rij", x, x), np.einsum("rni,rn->ri", x, y)
    return np.asarray(np.linalg.solve(gram, right[..., None])[..., 0])


def discriminant(x: Array, y: Array) -> Array:
    """(r, p + 1) intercept and weights of linear discriminants, of many tables at once."""
    ones, rows = y.sum(axis=1), y.shape[1]
    second = np.einsum("rnp,rn->rp", x, y) / ones[:, None]
    first = np.einsum("rnp,rn->rp", x, 1 - y) / (rows - ones)[:, None]
    apart = x - np.where(y[..., None] > 0, second[:, None], first[:, None])
    within = np.einsum("rni,rnj->rij", apart, apart) / rows
    w = np.linalg.solve(within, (second - first)[..., None])[..., 0]
    middle = np.einsum("rp,rp->r", w, (first + second) / 2)
    return np.column_stack([np.log(ones / (rows - ones)) - middle, w])


def crossed(
    x: Array, y: Array, fold: Array, fit: Callable[[Array, Array], Array], truth: Callable
) -> tuple[Array, Array]:
    """(r, n) out-of-fold predictions, and (r, scores) the mean true scores of the models."""
    said, true = np.empty(y.shape), []
    for part in range(int(fold.max()) + 1):
        test = fold == part
        w = fit(x[:, ~test], y[:, ~test])
        said[:, test] = w[:, :1] + np.einsum("rnp,rp->rn", x[:, test], w[:, 1:])
        true.append(truth(w))
    return said, np.mean(true, axis=0)


def regressions(
    rng: np.random.Generator, runs: int, n: int, setting: tuple[int, float, str]
) -> tuple[Array, Array, Array, Array]:
    """Columns, targets, out-of-fold predictions of least squares, and what is true of its models.

    True are the mean over the models of R-squared, explained variance, and root mean squared error.
    """
    p, share, noise = setting
    beta = np.full(p, np.sqrt(share / p))
    x = rng.normal(size=(runs, n, p))
    y = x @ beta + np.sqrt(1 - share) * NOISE[noise](rng, (runs, n))

    def truth(w: Array) -> Array:
        left = 1 - share + ((w[:, 1:] - beta) ** 2).sum(axis=1)
        return np.column_stack([1 - left - w[:, 0] ** 2, 1 - left, np.sqrt(left + w[:, 0] ** 2)])

    return x, y, *crossed(x, y, np.arange(n) % FOLDS, least_squares, truth)


def classifications(
    rng: np.random.Generator, runs: int, n: int, setting: tuple[float, float]
) -> tuple[Array, Array, Array, Array]:
    """The same of linear discriminants.

    The setting is the probability of the positive class, and how far apart the classes' means lie
    in each column.
    """
    share, shift = setting
    y = rng.random((runs, n)) < share
    while (few := np.minimum(y.sum(axis=1), (~y).sum(axis=1)) < 3).any():
        y[few] = rng.random((int(few.sum()), n)) < share
    y = np.sort(y, axis=1)[:, ::-1].astype(float)  # so that row numbers deal every class evenly
    x = rng.normal(size=(runs, n, COLUMNS)) + shift * y[..., None]

    def truth(w: Array) -> Array:
        return true_scores(w, share, shift)

    return x, y, *crossed(x, y, np.arange(n) % FOLDS, discriminant, truth)


def true_scores(w: Array, share: float, shift: float) -> Array:
    """(r, scores) of linear rules on all rows of two normal classes."""
    start, weights = w[:, 0], w[:, 1:]
    length, apart = np.linalg.norm(weights, axis=1), shift * weights.sum(axis=1)
    right, wrong = ndtr((apart + start) / length), ndtr(start / length)
    called = share * right + (1 - share) * wrong
    with np.errstate(invalid="ignore"):
        mcc = share * (right - called) / np.sqrt(share * (1 - share) * called * (1 - called))
        precision = share * right / called
    return np.column_stack([
        share * right + (1 - share) * (1 - wrong), right, precision,
        2 * share * right / (share + called), (right + 1 - wrong) / 2, mcc,
        ndtr(apart / length / np.sqrt(2)),
    ])  # fmt: skip


def numbers(y: Array, said: Array) -> Predictions:
    return Predictions(y, said)


def classes(y: Array, decision: Array) -> Predictions:
    """The predictions of two classes, as a model with a decision function gives them."""
    p = 1 / (1 + np.exp(-decision))
    made = Codes((0, 1), (decision > 0).astype(np.int32), (0, 1))
    truth = Codes((0, 1), y.astype(np.int32), (0, 1))
    return Predictions(truth, made, (0, 1), np.column_stack([1 - p, p]))


def estimates(
    predictions: Predictions, names: tuple[str, ...], searched: bool = False
) -> list[Estimate]:
    """Value and intervals of every score over ten folds."""
    n, positive = len(predictions), 1 if predictions.known_classes else None
    fold = np.arange(n) % FOLDS
    sample = ScoredSample(
        n, n, 1 / FOLDS, (RowPredictions(0, np.arange(n), fold, predictions),), searched=searched
    )
    places = Codes(tuple(range(FOLDS)), fold.astype(np.int32))
    parts = tuple(tally_by_group(predictions, places, names, positive).values())
    whole = sum(parts[1:], start=parts[0])
    return [estimate_score(name, whole, parts, (), sample, positive, 0.95) for name in names]


def check(seed: int = 0) -> None:
    """The intervals of one table of every kind are those of `tl.evaluate` on the same folds."""
    fold = np.arange(60) % FOLDS
    splits = [(np.flatnonzero(fold != part), np.flatnonzero(fold == part)) for part in range(FOLDS)]
    rng = np.random.default_rng(seed)
    for made, learner, names, options in (
        ((regressions(rng, 1, 60, REGRESSIONS[0]), numbers), tl.LinearRegression(), NUMBERS, {}),
        ((classifications(rng, 1, 60, (0.4, SHIFT)), classes), tl.LinearDiscriminantAnalysis(),
         CLASSES, {"positive": 1}),
    ):  # fmt: skip
        (x, y, said, _), predictions = made
        target = y[0] if not options else y[0].astype(int)
        found = tl.evaluate(learner, x[0], target, cv=splits, scoring=[*names], **options)
        for own in estimates(predictions(y[0], said[0]), names):
            for ours, theirs in ((own.interval, found[own.name].interval),
                                 (own.over_folds, found[own.name].over_folds)):  # fmt: skip
                np.testing.assert_allclose([*ours], [*theirs], rtol=1e-7, atol=1e-9)


def drawn(
    make: Callable, of: Callable, names: tuple[str, ...], n: int, setting: object, tables: int
) -> tuple[Array, Array]:
    """(tables, scores, 2, 2) the ends of both intervals, and (tables, scores) what is true."""
    rng, ends, true = np.random.default_rng(n), [], []
    for _ in range(0, tables, AT_ONCE):
        _, y, said, truth = make(rng, min(AT_ONCE, tables), n, setting)
        true.append(truth)
        for one, other in zip(y, said, strict=True):
            ends.append([[[*(e.interval or (np.nan,) * 2)], [*(e.over_folds or (np.nan,) * 2)]]
                         for e in estimates(of(one, other), names)])  # fmt: skip
    return np.array(ends), np.concatenate(true)


def line(ends: Array, models: Array) -> str:
    """Coverage of the models' mean by the first interval, of the learner's by the second."""
    text, learner = "", np.nanmean(models)
    for (low, high), truth in zip(ends.transpose(1, 2, 0), (models, learner), strict=True):
        known = np.isfinite(low) & np.isfinite(truth)
        held = int(((low <= truth) & (truth <= high))[known].sum())
        runs = int(known.sum())
        width = np.mean((high - low)[known])
        text += f"{held / runs:>7.1%} {f'{wilson(held, runs):.1%}':<16}{width:>6.3f}  "
    return text.rstrip()


def heading(tables: int, more: str = "") -> None:
    print(f"\nTen folds, {tables:,} tables each{more}:")
    print(
        "how often the 95 % interval holds the mean true score of the ten models, and that of the"
    )
    print("learner its mean over tables; the interval of the coverage itself; and the mean width")
    print(f"{'n':>5} {'':<46}{'of the models':<32}of the learner")


def ratios_of_numbers(tables: int = TABLES) -> None:
    """R-squared and its like over ten folds of least squares."""
    check()
    heading(tables, f", {tables // 5} of the last two kinds")
    for setting in REGRESSIONS:
        p, share, noise = setting
        runs = tables if setting in REGRESSIONS[:4] else tables // 5
        names = NUMBERS if setting == REGRESSIONS[0] else NUMBERS[:1]
        lines = dict.fromkeys(names, "")
        for n in (30, 50, 80, 200, 1000):
            ends, true = drawn(regressions, numbers, names, n, setting, runs)
            for at, name in enumerate(names):
                what = f"{name}, {p} columns, {share:g}, {noise}"
                lines[name] += f"{n:>5} {what:<46}{line(ends[:, at], true[:, at])}\n"
        print("".join(lines.values()), end="", flush=True)


def ratios_of_counts(tables: int = TABLES // 2) -> None:
    """F1 and its like over ten folds of linear discriminants, whose class shares vary.

    The means of the classes lie ``SHIFT`` apart in each of five columns; then less, and nothing,
    where what a model finds is mostly noise.
    """
    heading(tables)
    for shift, shares, sizes in (
        (SHIFT, (0.5, 0.2), (30, 50, 100, 200, 1000)),
        (0.2, (0.5, 0.2), (50, 200)),
        (0.0, (0.5, 0.2), (50, 200)),
    ):
        for share in shares:
            lines = dict.fromkeys(CLASSES, "")
            for n in sizes:
                ends, true = drawn(classifications, classes, CLASSES, n, (share, shift), tables)
                for at, name in enumerate(CLASSES):
                    what = f"{name}, {share:.0%} positive, {shift:g} apart"
                    lines[name] += f"{n:>5} {what:<46}{line(ends[:, at], true[:, at])}\n"
            print("".join(lines.values()), end="", flush=True)


def without_signal(tables: int = TABLES // 10) -> None:
    """Columns that say nothing of two equally likely classes: every model has the score 0.5."""
    names = ("accuracy", "balanced_accuracy", "roc_auc")
    print(f"\nNaive Bayes on three columns of noise, two equally likely classes, {tables:,} tables")
    print("each, so that every model has the score 0.5: how often the 95 % interval holds it")
    print(f"{'n':>5} {'':<14}" + "".join(f"{name:<24}" for name in names).rstrip())
    for n in (50, 200):
        for cv in (10, "loo", "holdout"):
            rng, held = np.random.default_rng(n), np.zeros(len(names), dtype=int)
            for _ in range(tables):
                X, y = rng.normal(size=(n, 3)), rng.integers(0, 2, n)
                found = tl.evaluate(tl.NaiveBayes(), X, y, cv=cv, scoring=[*names])
                ends = [found[name].interval for name in names]
                held += [end is not None and 0.5 in end for end in ends]
            text = "".join(f"{f'{k / tables:.1%} {wilson(k, tables):.1%}':<24}" for k in held)
            what = f"{cv} folds" if isinstance(cv, int) else cv
            print(f"{n:>5} {what:<14}{text}".rstrip(), flush=True)


def nested(tables: int = TABLES // 10) -> None:
    """A nested search among candidates that are all noise: accuracy 0.5 is the truth of each."""
    print(f"\nNested search, ten outer folds, {tables:,} tables each; all candidates are noise, so")
    print("that every model has accuracy 0.5: how often the interval of the nested score holds it")
    print(f"{'n':>5} {'candidates':>11}{'nested':>10}{'as if not nested':>28}")
    for n in (50, 200, 1000):
        for candidates in (2, 5, 20, 100):
            rng, held = np.random.default_rng(n + candidates), np.zeros(2, dtype=int)
            fold = np.arange(n) % FOLDS
            for _ in range(tables):
                right = rng.random((n, candidates)) < 0.5
                best = [right[fold != part].sum(axis=0).argmax() for part in range(FOLDS)]
                y = rng.integers(0, 2, n)
                said = np.where(right[np.arange(n), np.array(best)[fold]], y, 1 - y)
                truth, made = (Codes((0, 1), v.astype(np.int32), (0, 1)) for v in (y, said))
                predictions = Predictions(truth, made, (0, 1))
                held += [0.5 in estimates(predictions, ("accuracy",), searched)[0].interval
                         for searched in (True, False)]  # fmt: skip
            text = "".join(f"{k / tables:>10.1%} {wilson(k, tables):.1%}" for k in held)
            print(f"{n:>5} {candidates:>11}{text}", flush=True)


def evaluation(
    predictions: Predictions, tests: list[tuple[Array, Array]], score: str
) -> Evaluation:
    """What `tl.compare` has of a learner; ``tests``: rows and folds of every repeat."""
    positive = 1 if predictions.known_classes else None
    n, told, folds, start = len(tests[0][0]), [], [], 0
    for repeat, (rows, fold) in enumerate(tests):
        part = predictions[start : start + n]
        told.append(RowPredictions(repeat, rows, fold, part))
        places = Codes(tuple(range(int(fold.max()) + 1)), fold.astype(np.int32))
        folds += [(repeat, at, bundle)
                  for at, bundle
                  in tally_by_group(part, places, [score], positive).items()]  # fmt: skip
        start += n
    bundles = [bundle for *_, bundle in folds]
    sample = ScoredSample(n, n * len(tests), 1 / (int(tests[0][1].max()) + 1), tuple(told))
    return Evaluation(
        "", "", predictions.task, n, predictions.known_classes, (score,), positive, 0.95,
        tuple(folds), sum(bundles[1:], start=bundles[0]), (), {}, None, tuple(told), (), sample,
    )  # fmt: skip


def dealt(rng: np.random.Generator, y: Array, k: int) -> Array:
    """(r, n) the folds of every table's rows, sorted by class, dealt out at random."""
    order = np.argsort(rng.random(y.shape) - 10 * (y if set(np.unique(y)) <= {0, 1} else 0), axis=1)
    fold = np.empty(y.shape, dtype=int)
    np.put_along_axis(fold, order, np.broadcast_to(np.arange(y.shape[1]) % k, y.shape), axis=1)
    return fold


def equal_learners(
    rng: np.random.Generator, runs: int, n: int, share: float | None, k: int, repeats: int
) -> Iterator[list[tuple[Predictions, list[tuple[Array, Array]]]]]:
    """Pairs of learners, each on three columns of its own that tell as much as the other's."""
    x = rng.normal(size=(runs, n, 6))
    if share is None:
        fit, of, y = least_squares, numbers, x @ np.full(6, 0.4) + rng.normal(size=(runs, n))
    else:
        fit, of, y = discriminant, classes, (rng.random((runs, n)) < share).astype(float)
        while (few := np.minimum(y.sum(axis=1), (1 - y).sum(axis=1)) < 5).any():
            y[few] = rng.random((int(few.sum()), n)) < share
        x += 0.8 * y[..., None]
    said, folds = np.empty((2, runs, repeats, n)), np.empty((runs, repeats, n), dtype=int)
    rows = np.arange(runs)[:, None]
    for repeat in range(repeats):
        folds[:, repeat] = dealt(rng, y, k)
        order = np.argsort(folds[:, repeat], axis=1, kind="stable")
        sizes = np.bincount(np.arange(n) % k, minlength=k)
        for start, size in zip(np.cumsum(sizes) - sizes, sizes, strict=True):
            test = order[:, start : start + size]
            train = np.concatenate([order[:, :start], order[:, start + size :]], axis=1)
            for side in (0, 1):
                own = x[..., 3 * side : 3 * side + 3]
                w = fit(own[rows, train], y[rows, train])
                found = w[:, :1] + np.einsum("rnp,rp->rn", own[rows, test], w[:, 1:])
                said[side][rows, repeat, test] = found
    for run in range(runs):
        truth = np.tile(y[run], repeats)
        tests = [(np.arange(n), folds[run, repeat]) for repeat in range(repeats)]
        yield [(of(truth, said[side, run].ravel()), tests) for side in (0, 1)]


def sizes_of_ratios(tables: int = TABLES) -> None:
    """How often `tl.compare` calls equally good learners different, by ratios."""
    print("\nSize: equally good learners called different at 5 %, and its own interval")
    print(f"{'':<46}{'n':>5}{'tables':>7}{'five folds, twice':>22}{'ten folds, once':>22}")
    for what, share, names, sizes in (
        ("least squares", None, ("r2", "rmse"), (50, 80, 200)),
        ("discriminants, 25% positive", 0.25, RATIOS, (80, 200)),
        ("discriminants, 50% positive", 0.5, RATIOS, (80, 200)),
    ):
        for n in sizes:
            lines = dict.fromkeys(names, "")
            for k, repeats in ((5, 2), (10, 1)):
                found = called_different(n, share, (k, repeats), names, tables)
                for name in names:
                    count = f"{found[name] / tables:.1%} {wilson(found[name], tables):.1%}"
                    lines[name] += f"{count:>22}"
            for name, text in lines.items():
                print(f"{f'{what}, {name}':<46}{n:>5}{tables:>7}{text}", flush=True)


def called_different(
    n: int, share: float | None, scheme: tuple[int, int], names: tuple[str, ...], tables: int
) -> dict[str, int]:
    """How often the paired t of two equally good learners has p <= 0.05, by score."""
    rng, found = np.random.default_rng(n + scheme[0]), dict.fromkeys(names, 0)
    for _ in range(0, tables, AT_ONCE):
        for pair in equal_learners(rng, AT_ONCE, n, share, *scheme):
            for name in names:
                a, b = (LearnerResult("", evaluation(*one, name), np.zeros((n, 2))) for one in pair)
                tested = PairedTest.of(Pair(a, b))
                if tested.error > 0:
                    p = 2 * float(stdtr(tested.free, -abs(tested.mean) / tested.error))
                    found[name] += p <= 0.05
    return found


if __name__ == "__main__":
    ratios_of_numbers()
    ratios_of_counts()
    nested()
    sizes_of_ratios()
