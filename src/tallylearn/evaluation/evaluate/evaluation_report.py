"""The printed report of an evaluation: scores, confusion matrix, classification report.

The report is a function of plain data, so a saved JSON file gives the same report.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import isfinite, nan
from typing import Any

import numpy as np

from tallylearn.evaluation.evaluate import bootstrap_632
from tallylearn.evaluation.scores.estimate import Estimate
from tallylearn.evaluation.scores.score import SCORES
from tallylearn.reporting.formatting import align_decimals, number_of
from tallylearn.tables import Array, plain
from tallylearn.workings import Derivation, Grid, Sentence

COVERAGE = (
    "In simulations, 95 % intervals covered the true value in 90 to 99 % of tables with 50 rows or "
    "more, and less often with rare classes: see docs/guide/intervals.md."
)
MAX_MATRIX_CLASSES = 12  # a confusion matrix with more classes is not printed
Found = Mapping[str, Any]


def report(found: Found) -> Derivation:
    """The whole report, from the plain data of an evaluation."""
    scores = [Estimate.of_record(record) for record in found["records"]]
    steps: list[Any] = [
        *caution_sentences(found), Sentence(f"{found['headline']}."), _score_table(found, scores)
    ]  # fmt: skip
    if again := found.get("bootstrapped"):
        steps.append(bootstrap_632.grid(again))
    if found["groups"]:
        steps.append(_group_table(found))
    if found["task"] == "classifier":
        if len(found["classes"]) <= MAX_MATRIX_CLASSES:
            steps.append(_confusion_table(found))
        steps.append(_classification_report(found))
    steps += [Sentence(text) for text in _notes(found, scores)]
    return Derivation(found["title"], tuple(steps))


def caution_sentences(found: Found) -> list[Sentence]:
    """Warnings about the table and the folds, which come first."""
    return [Sentence(f"Caution: {text}.") for text in found.get("cautions", ())]


def interval_heading(level: float) -> str:
    """The heading of a column of confidence intervals.

    >>> interval_heading(0.95)
    '95 % CI'
    """
    return f"{100 * level:g} % CI"


def _score_table(found: Found, scores: list[Estimate]) -> Grid:
    """One row a score: value, interval for these models, interval for the learner, baseline."""
    interval = interval_heading(found["level"])
    columns = {
        "score": [e.title for e in scores],
        "value": align_decimals([_number(e.centre, e.spec) for e in scores]),
        interval: ["" if e.interval is None else f"{e.interval:{e.spec}}" for e in scores],
    }
    if any(e.over_folds is not None for e in scores):
        columns[f"learner {interval}"] = [
            "" if e.over_folds is None else f"{e.over_folds:{e.spec}}" for e in scores
        ]
    columns["baseline"] = align_decimals([_number(e.baseline, e.spec) for e in scores])
    reasons = [f"{e.name}: {e.reason}." for e in scores if e.reason]
    return Grid("", tuple(columns), tuple(zip(*columns.values(), strict=True)), " ".join(reasons))


def _group_table(found: Found) -> Grid:
    name, by = found["records"][0]["score"], str(found["by"])
    scores = [(record["group"], Estimate.of_record(record)) for record in found["groups"]]
    rows = tuple(
        ("missing" if value is None else plain(value), _number(e.value, e.spec),
         "" if e.interval is None else f"{e.interval:{e.spec}}", _number(e.baseline, e.spec))
        for value, e in scores
    )  # fmt: skip
    head = (by, name, interval_heading(found["level"]), "baseline")
    return Grid(f"{name} by {by}", head, rows)


def _confusion_table(found: Found) -> Grid:
    names = tuple(str(name) for name in found["classes"])
    rows = tuple(
        (name, *(_count(count) for count in line))
        for name, line in zip(names, matrix_of(found), strict=True)
    )
    title = "Confusion matrix (rows: true class, columns: predicted class)"
    return Grid(title, ("", *names), rows)


def matrix_of(found: Found) -> Array:
    """(k, k) rows of every class (true) that were called so (predicted)."""
    matrix = np.zeros((len(found["classes"]), len(found["classes"])))
    for true, predicted, rows in found["confusion"]:
        matrix[true, predicted] = rows
    return matrix


def _classification_report(found: Found) -> Grid:
    """Precision, recall, F1 and support of every class and their averages, as scikit-learn's.

    A ratio 0/0 is blank, and so are averages over it; scikit-learn prints 0.
    """
    lines = found["by_class"]
    support = np.array([float(line["rows"]) for line in lines])
    # a class that is neither true nor predicted has no F1, and is left out of the averages
    known = np.array([line["f1"] is not None for line in lines], dtype=bool)
    rates = np.array(
        [[number_of(line[rate]) for rate in ("precision", "recall", "f1")] for line in lines]
    )
    matrix = matrix_of(found)
    rows = [
        (str(line["class"]), *map(_number, rate), _count(line["rows"]))
        for line, rate in zip(lines, rates.tolist(), strict=True)
    ]
    total = float(matrix.sum())
    averages = {
        "accuracy": (nan, nan, float(np.trace(matrix)) / total if total else nan),
        "macro avg": rates[known].mean(axis=0) if known.any() else (nan,) * 3,
        "weighted avg": _weighted_rates(rates, support),
    }
    rows += [(name, *map(_number, map(float, mean)), _count(total))
             for name, mean in averages.items()]  # fmt: skip
    head = ("", "precision", "recall", "f1-score", "support")
    return Grid("Classification report", head, tuple(rows))


def _weighted_rates(rates: Array, support: Array) -> Any:
    """(3,) the mean rates over rows, each with the rate of its true class."""
    seen = support > 0
    return np.average(rates[seen], axis=0, weights=support[seen]) if seen.any() else (nan,) * 3


def _notes(found: Found, scores: list[Estimate]) -> list[str]:
    """What the numbers of the report are, one sentence or two each."""
    first, notes = scores[0], [*found.get("remarks", ())]
    if of_one := [e.name for e in scores if e.of is not None]:
        rows: defaultdict[int, float] = defaultdict(float)
        for true, _, count in found["confusion"]:
            rows[true] += count
        own = rows[found["classes"].index(found["positive"])]
        notes.append(
            f"Positive class: {found['positive']!r}, {_count(own)} of "
            f"{_count(sum(rows.values()))} {_counted_noun(found)}. It is the class of "
            f"{_join_names(of_one)}. Change it with the option positive."
        )
    if _counted_noun(found) == "tests":
        notes.append("Rows were tested more than once: counts are tests, not rows.")
    if len(found["classes"]) == 1:
        notes.append(f"All rows have the class {found['classes'][0]!r}.")
    if first.interval is not None:
        interval = interval_heading(found["level"])
        notes.append(f"{interval}: {_interval_meaning(first, len(scores) > 1)}. {COVERAGE}")
        if any(e.over_folds is not None for e in scores):
            notes.append(
                f"learner {interval}: for the mean score of models trained on other tables like "
                "this one. It is corrected for training rows that the folds share."
            )
        notes.append(f"Methods: {_methods(scores)}.")
    notes += _pooled_note(found, scores)
    if len(first.by_fold) > 1 and isfinite(first.value):
        low, high = min(first.by_fold), max(first.by_fold)
        notes.append(
            f"{len(first.by_fold)} folds: {first.name} from {low:{first.spec}} to "
            f"{high:{first.spec}}."
        )
    if failures := found["failures"]:
        many = f"{len(failures)} folds" if len(failures) > 1 else "1 fold"
        one = failures[0]
        notes.append(f"Failed on {many}, left out. Fold {one['fold']}: {one['reason']}")
    return notes


def _counted_noun(found: Found) -> str:
    """What was counted: rows, or tests, where rows were tested more than once."""
    return "tests" if found.get("counted", "rows") == "tests" else "rows"


def _interval_meaning(first: Estimate, several: bool) -> str:
    """What the interval estimates."""
    assert first.interval is not None
    about = first.interval.about
    return about.replace(f"the {first.name}", "the score", 1) if several else about


def _methods(scores: list[Estimate]) -> str:
    """The methods of the intervals, each with its scores."""
    methods: dict[str, list[str]] = {}
    for e in scores:
        if e.interval is not None:
            methods.setdefault(e.interval.method, []).append(e.name)
    return "; ".join(f"{method} ({', '.join(names)})" for method, names in methods.items())


def _pooled_note(found: Found, scores: list[Estimate]) -> list[str]:
    """Which scores are computed from all out-of-fold predictions together."""
    names = [e.name for e in scores if SCORES.knows(e.name) and SCORES[e.name].is_pooled]
    if found["folds"] < 2 or not names:
        return []
    are = "are" if len(names) > 1 else "is"
    return [
        f"{_join_names(names)} {are} computed from all out-of-fold predictions together, because "
        "ratios are biased in small folds. For scikit-learn's mean over folds: "
        f"evaluation[{names[0]!r}].mean_of_folds."
    ]


def _join_names(names: list[str]) -> str:
    """Names in a sentence: a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _count(weight: Any) -> str:
    """Rows as they are; weights that are fractions to a tenth of a row, or to four digits."""
    weight = float(weight)
    if weight.is_integer():
        return plain(weight)
    return f"{weight:.1f}" if weight >= 1000 else f"{weight:.4g}"


def _number(value: float, spec: str = "z.3f") -> str:
    return "" if value != value else f"{value:{spec}}"
