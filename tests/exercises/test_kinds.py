"""Every kind of exercise: the values are right by another calculation of the same question."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn import linear_model, metrics, naive_bayes, neighbors

import tallylearn as tl
from tallylearn.exercises.exercise import Exercise
from tests.soak import SOAK

SEEDS = range(1000 if SOAK else 10)
Found = dict[str, Any]


def impurity(labels: list[str], criterion: str) -> float:
    _, counts = np.unique(labels, return_counts=True)
    if criterion == "entropy":
        return float(stats.entropy(counts, base=2))
    return 1 - float(np.sum((counts / counts.sum()) ** 2))


def parts_of(data: Any) -> dict[str, list[str]]:
    return {x: [c for value, c in data["rows"] if value == x] for x in data["counts"]}


def decrease(data: Any, criterion: str) -> Found:
    """The impurities of all rows and of the parts, and their weighted difference."""
    prefix = "entropy" if criterion == "entropy" else "gini"
    labels = [c for _, c in data["rows"]]
    found = {f"{prefix}_S": impurity(labels, criterion)}
    found |= {f"{prefix}_{x}": impurity(part, criterion) for x, part in parts_of(data).items()}
    weights = [len(part) / len(labels) for part in parts_of(data).values()]
    after = np.dot(weights, [found[f"{prefix}_{x}"] for x in data["counts"]])
    return found | {"gain": found[f"{prefix}_S"] - after}


def entropy(data: Any) -> Found:
    counts = [data["positive"], data["negative"]]
    return {"p": counts[0] / sum(counts), "entropy": stats.entropy(counts, base=2)}


def information_gain(data: Any) -> Found:
    values, labels = zip(*data["rows"], strict=True)
    mutual = metrics.mutual_info_score(values, labels) / math.log(2)
    found = decrease(data, "entropy")
    assert found["gain"] == pytest.approx(mutual)
    return found


def gain_ratio(data: Any) -> Found:
    values, labels = zip(*data["rows"], strict=True)
    gain = metrics.mutual_info_score(values, labels) / math.log(2)
    split = impurity([*values], "entropy")
    return {"gain": gain, "split_information": split, "gain_ratio": gain / split}


def sdr(data: Any) -> Found:
    every = np.concatenate([*data["parts"].values()])
    found = {"sd_T": np.std(every)}
    found |= {f"sd_{x}": np.std(ys) for x, ys in data["parts"].items()}
    sizes = {x: len(ys) / len(every) for x, ys in data["parts"].items()}
    return found | {"sdr": np.std(every) - sum(sizes[x] * found[f"sd_{x}"] for x in sizes)}


def pruning(data: Any) -> Found:
    """Every row is classified, one by one."""

    def majority(rows: list[str]) -> str:
        return max("+-", key=rows.count)

    train = [["+"] * p + ["-"] * n for p, n in data["train"]]
    valid = [["+"] * p + ["-"] * n for p, n in data["valid"]]
    leaves = sum(label != majority(rows) for rows, tested in zip(train, valid, strict=True)
                 for label in tested)  # fmt: skip
    whole = majority(train[0] + train[1])
    leaf = sum(label != whole for label in valid[0] + valid[1])
    return {
        "errors_subtree": leaves,
        "errors_leaf": leaf,
        "pruned": "no" if leaf > leaves else "yes",
    }


def bayes(alpha: float) -> Callable[[Any], Found]:
    def solve(data: Any) -> Found:
        columns = {n: [row[at] for row in data["rows"]] for at, n in enumerate(data["names"])}
        labels = [row[-1] for row in data["rows"]]
        model = tl.NaiveBayes(alpha=alpha).fit(columns | {"class": labels}, "class")
        row = dict(zip(data["names"], data["query"], strict=True))
        joint = dict(zip(model.classes_, model.predict_joint_log_proba([row])[0], strict=True))
        share = dict(zip(model.classes_, model.predict_proba([row])[0], strict=True))
        scores = {f"score_{c}": math.exp(joint[c]) for c in ("yes", "no")}
        return scores | {"p_yes": share["yes"], "class": model.predict([row])[0]}

    return solve


def gaussian(data: Any) -> Found:
    found: Found = {}
    x, y = [], []
    for label, values in data["groups"].items():
        mean, sd = np.mean(values), np.std(values)
        found |= {f"mean_{label}": mean, f"variance_{label}": sd**2}
        found |= {f"density_{label}": stats.norm(mean, sd).pdf(data["x"])}
        x, y = [*x, *values], [*y, *[label] * len(values)]
    model = naive_bayes.GaussianNB(priors=[0.5, 0.5]).fit(np.reshape(x, (-1, 1)), y)
    return found | {"class": model.predict([[data["x"]]])[0]}


def bayes_rule(data: Any) -> Found:
    """Counted over a population in which every number of patients is whole."""
    n = 1_000_000
    ill = n * data["prior"]
    positive_ill, positive_healthy = ill * data["hit"], (n - ill) * data["false"]
    positive = positive_ill + positive_healthy
    assert all(number.denominator == 1 for number in (ill, positive_ill, positive))
    return {
        "joint": positive_ill / n,
        "evidence": positive / n,
        "posterior": positive_ill / positive,
    }


def coins(data: Any) -> Found:
    theta, names = data["theta"], [*data["theta"]]
    like = [stats.binom(data["n"], float(theta[h])).pmf(data["heads"]) for h in names]
    joint = np.multiply(like, [float(data["prior"][h]) for h in names])
    best = int(np.argmax(joint))
    return {"h_ML": names[int(np.argmax(like))], "h_MAP": names[best],
            "posterior": joint[best] / joint.sum()}  # fmt: skip


def hypotheses(rows: Any) -> list[tuple[str, ...]]:
    """All conjunctions that agree with the rows, from the values that the rows have."""
    columns = [sorted({x[at] for x, _ in rows}) for at in range(4)]
    return [h for h in product(*([*values, "?"] for values in columns))
            if all(all(a in (b, "?") for a, b in zip(h, x, strict=True)) == (c == "+")
                   for x, c in rows)]  # fmt: skip


def specific(rows: Any) -> tuple[str, ...]:
    """What all positive rows have in common."""
    columns = zip(*(x for x, c in rows if c == "+"), strict=True)
    return tuple(values[0] if len({*values}) == 1 else "?" for values in columns)


def find_s(data: Any) -> Found:
    plus = [row for row in data["rows"] if row[1] == "+"]
    return {"h_after_second": specific(plus[:2]), "h": specific(plus)}


def elimination(data: Any) -> Found:
    rows = data["rows"]
    space = hypotheses(rows)
    questions = {h: h.count("?") for h in space}

    def more_general(g: Any, h: Any) -> bool:
        return g != h and all(a in (b, "?") for a, b in zip(g, h, strict=True))

    general = {h for h in space if not any(more_general(g, h) for g in space)}
    least = [h for h in space if questions[h] == min(questions.values())]
    table = {str(at): [x[at] for x, _ in rows] for at in range(4)}
    ours = tl.VersionSpace.conjunctions().fit(table, [c for _, c in rows], positive="+")
    assert len(ours.members) == len(space)
    assert len(ours.general) == len(general)
    assert least == [specific(rows)]
    return {"S": least[0], "G": frozenset(",".join(g) for g in general), "size": len(space)}


def perceptron(data: Any) -> Found:
    """scikit-learn's perceptron, row by row, where no score is 0; else by its definition."""
    w, found = np.array(data["w"], float), {}
    for at, (x, y) in enumerate(data["rows"]):
        score = w @ x
        if score:
            model = linear_model.Perceptron(shuffle=False, fit_intercept=False)
            model.partial_fit([x], [y], classes=[-1, 1])  # makes the arrays that are set next
            model.coef_[:] = w
            model.t_ = 1.0
            w = model.partial_fit([x], [y]).coef_[0].copy()
        elif y < 0:
            w = w - x
        found[f"w{at + 1}"] = tuple(w)
    return found


def lms(data: Any) -> Found:
    w, x, y = np.array(data["w"], float), np.array(data["x"], float), data["y"]
    step = 1e-6  # the gradient of half the squared error, numerically
    slopes = [((y - (w + d) @ x) ** 2 - (y - (w - d) @ x) ** 2) / (4 * step)
              for d in np.eye(3) * step]  # fmt: skip
    new = w - float(data["rate"]) * np.array(slopes)
    return {"prediction": w @ x, "error": y - w @ x, "w_new": tuple(new)}


def line(data: Any) -> Found:
    fit = stats.linregress(data["x"], data["y"])
    model = tl.LinearRegression().fit([[x] for x in data["x"]], data["y"])
    assert model.coef_[0] == pytest.approx(fit.slope, abs=1e-9)
    return {
        "mean_x": np.mean(data["x"]), "mean_y": np.mean(data["y"]), "slope": fit.slope,
        "intercept": fit.intercept, "prediction": model.predict([[data["at"]]])[0],
    }  # fmt: skip


def ridge(data: Any) -> Found:
    x, y = np.array(data["x"]), np.array(data["y"])
    options: Any = {"alpha": data["penalty"], "fit_intercept": False}
    ours = tl.Ridge(**options).fit(x[:, None], y).coef_[0]
    assert linear_model.Ridge(**options).fit(x[:, None], y).coef_[0] == pytest.approx(ours)
    return {"sum_xy": x @ y, "sum_xx": x @ x, "w": ours}


def logistic(data: Any) -> Found:
    w, x = np.array(data["w"], float), np.array(data["x"], float)
    sign = 1 if data["y"] else -1

    def loss(weights: Any) -> float:
        return float(np.logaddexp(0, -sign * (weights @ x)))

    step = 1e-5
    slopes = [(loss(w + d) - loss(w - d)) / (2 * step) for d in np.eye(3) * step]
    return {"score": w @ x, "h": stats.logistic.cdf(w @ x),
            "w_new": tuple(w - 0.5 * np.array(slopes))}  # fmt: skip


def knn(data: Any) -> Found:
    names = [*data["points"]]
    points, labels = [*data["points"].values()], [*data["labels"].values()]
    model = neighbors.KNeighborsClassifier(3).fit(points, labels)
    far, at = model.kneighbors([data["query"]], 5)
    ours = tl.KNeighborsClassifier(n_neighbors=1).fit(np.array(points, float), labels)
    found = {f"d_{names[i]}": d for d, i in zip(far[0], at[0], strict=True)}
    return found | {
        "neighbours": frozenset(names[i] for i in at[0][:3]),
        "class": model.predict([data["query"]])[0],
        "share": model.predict_proba([data["query"]]).max(),
        "class_1nn": ours.predict(np.array([data["query"]], float))[0],
    }


def kmeans(data: Any) -> Found:
    names, points = [*data["points"]], np.array([*data["points"].values()], float)
    gaps = ((points[:, None] - np.array(data["centres"], float)) ** 2).sum(axis=2)
    first = gaps.argmin(axis=1) == 0
    return {"cluster_1": frozenset(n for n, one in zip(names, first, strict=True) if one),
            "c1": tuple(points[first].mean(axis=0)),
            "c2": tuple(points[~first].mean(axis=0))}  # fmt: skip


def confusion(data: Any) -> Found:
    counts = [data[name] for name in ("TP", "FP", "FN", "TN")]
    truth, predicted = np.repeat([1, 0, 1, 0], counts), np.repeat([1, 1, 0, 0], counts)
    scores = {"accuracy": metrics.accuracy_score, "precision": metrics.precision_score,
              "recall": metrics.recall_score, "f1": metrics.f1_score}  # fmt: skip
    return {name: score(truth, predicted) for name, score in scores.items()}


def roc(data: Any) -> Found:
    plus, minus = data["positive"], data["negative"]
    truth = [1] * len(plus) + [0] * len(minus)
    wins = stats.mannwhitneyu(plus, minus).statistic
    area = metrics.roc_auc_score(truth, [*plus, *minus])
    return {"pairs": len(plus) * len(minus), "wins": wins, "area": area}


def interval(data: Any) -> Found:
    wrong = np.repeat([1, 0], [data["errors"], data["n"] - data["errors"]])
    error, spread = wrong.mean(), wrong.std() / math.sqrt(data["n"])
    lower, upper = stats.norm(error, spread).interval(0.95)
    return {"error": error, "standard_error": spread, "lower": lower, "upper": upper}


def mcnemar(data: Any) -> Found:
    """Pearson's chi-square of b and c against equal numbers, with Yates' correction."""
    observed = np.array([data["b"], data["c"]], float)
    expected = observed.sum() / 2
    shifted = np.maximum(np.abs(observed - expected) - 0.5, 0)
    statistic = float(np.sum(shifted**2 / expected))
    return {"statistic": statistic, "differ": "yes" if stats.chi2(1).sf(statistic) < 0.05 else "no"}


def folds(data: Any) -> Found:
    values = np.array(data["differences"], float)
    return {"mean": values.mean(), "sd": values.std(ddof=1),
            "t": stats.ttest_1samp(values, 0).statistic}  # fmt: skip


def complexity(data: Any) -> Found:
    """The least m with |H| e^(-epsilon m) <= delta, by search."""
    size, epsilon, delta = data["size"], float(data["epsilon"]), float(data["delta"])
    m = next(m for m in range(10**6) if size * math.exp(-epsilon * m) <= delta * (1 + 1e-9))
    return {"logarithms": math.log(size / delta), "m": m}


CALCULATIONS: dict[str, Callable[[Any], Found]] = {
    "entropy": entropy,
    "information-gain": information_gain,
    "gain-ratio": gain_ratio,
    "gini": lambda data: decrease(data, "gini"),
    "sdr": sdr,
    "reduced-error-pruning": pruning,
    "naive-bayes": bayes(0),
    "naive-bayes-laplace": bayes(1),
    "gaussian-factors": gaussian,
    "bayes-rule": bayes_rule,
    "map-ml": coins,
    "find-s": find_s,
    "candidate-elimination": elimination,
    "perceptron": perceptron,
    "lms-step": lms,
    "simple-regression": line,
    "ridge-one-variable": ridge,
    "logistic-step": logistic,
    "knn-vote": knn,
    "k-means-round": kmeans,
    "confusion-scores": confusion,
    "roc-area": roc,
    "error-interval": interval,
    "mcnemar": mcnemar,
    "t-test-folds": folds,
    "sample-complexity": complexity,
}  # fmt: skip


def same(found: Any, right: Any) -> bool:
    if isinstance(right, tuple) and not isinstance(right[0], str):
        return len(found) == len(right) and all(map(same, found, right))
    if isinstance(right, int | float | Fraction):
        return float(found) == pytest.approx(float(right), abs=2e-5)  # z of 95 % is 1.95996
    return bool(found == right)


def test_every_kind_has_another_calculation() -> None:
    assert {*CALCULATIONS} == {*tl.exercise_kinds()}
    assert len(CALCULATIONS) >= 25


@pytest.mark.parametrize("kind", CALCULATIONS)
def test_the_values_are_right_by_another_calculation(kind: str) -> None:
    for seed in SEEDS:
        exercise: Exercise = tl.exercise(kind, seed)
        found = CALCULATIONS[kind](exercise.data)
        assert {*found} == {*exercise.values}
        wrong = {n: (v, found[n]) for n, v in exercise.values.items() if not same(found[n], v)}
        assert wrong == {}, (seed, exercise.data)
