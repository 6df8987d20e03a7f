"""Reports of an evaluation: scores beside the baseline, the confusion, the classes.

What is said is made of plain data, so that a file of it gives the same report.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from tallylearn.evaluation.evaluate import bootstrap_632
from tallylearn.evaluation.scores.estimate import Estimate
from tallylearn.evaluation.scores.score import SCORES
from tallylearn.reporting.formatting import number_of
from tallylearn.tables import Array, plain
from tallylearn.workings import Derivation, Grid, Sentence

LEARNER = "of the learner"  # the column of the other interval: not of the models that were tested
COVERAGE = (
    "In simulations such 95 % intervals hold the truth in 90 to 99 % of tables of 50 rows and "
    "more, and less often where a class has few rows: see docs/guide/intervals.md."
)
MOST_CLASSES = 12  # of a confusion matrix that is written out
Found = Mapping[str, Any]


def report(found: Found) -> Derivation:
    """All that there is to say."""
    scores = [Estimate.read(record) for record in found["records"]]
    steps: list[Any] = [*warned(found), Sentence(f"{found['headline']}."), _scores(found, scores)]
    if again := found.get("bootstrapped"):
        steps.append(bootstrap_632.grid(again))
    if found["groups"]:
        steps.append(_groups(found))
    if found["task"] == "classifier":
        if len(found["classes"]) <= MOST_CLASSES:
            steps.append(_confusion(found))
        steps.append(_classes(found))
    steps += [Sentence(text) for text in _remarks(found, scores)]
    return Derivation(found["title"], tuple(steps))


def warned(found: Found) -> list[Sentence]:
    """The cautions, which come first."""
    return [Sentence(f"Caution: {text}.") for text in found.get("cautions", ())]


def _scores(found: Found, scores: list[Estimate]) -> Grid:
    level = f"{100 * found['level']:g} % interval"
    several = found["folds"] > 1
    learner = any(e.over_folds is not None for e in scores)
    rows = tuple(
        (
            e.title,
            *([_number(e.mean_of_folds, e.spec)] if several else []),
            _number(e.pooled, e.spec),
            "" if e.interval is None else f"{e.interval:{e.spec}}",
            "" if e.interval is None else e.interval.method,
            *(["" if e.over_folds is None else f"{e.over_folds:{e.spec}}"] if learner else []),
            _number(e.baseline, e.spec),
        )
        for e in scores
    )
    value = ("mean of folds", "all rows") if several else ("value",)
    head = ("score", *value, level, "method", *([LEARNER] if learner else []), found["baseline"])
    remarks = [f"{e.name}: {e.reason}." for e in scores if e.reason]
    return Grid("", head, rows, " ".join(remarks))


def _groups(found: Found) -> Grid:
    name, by = found["records"][0]["score"], str(found["by"])
    scores = [(record["group"], Estimate.read(record)) for record in found["groups"]]
    rows = tuple(
        ("missing" if value is None else plain(value), _number(e.value, e.spec),
         "" if e.interval is None else f"{e.interval:{e.spec}}", _number(e.baseline, e.spec))
        for value, e in scores
    )  # fmt: skip
    return Grid(f"{name} by {by}", (by, name, "interval", found["baseline"]), rows)


def _confusion(found: Found) -> Grid:
    names = tuple(str(name) for name in found["classes"])
    rows = tuple(
        (name, *(_count(count) for count in line))
        for name, line in zip(names, matrix_of(found), strict=True)
    )
    return Grid("confusion: rows are true, columns predicted", ("", *names), rows)


def matrix_of(found: Found) -> Array:
    """(k, k) rows of every class (true) that were called so (predicted)."""
    matrix = np.zeros((len(found["classes"]), len(found["classes"])))
    for true, predicted, rows in found["confusion"]:
        matrix[true, predicted] = rows
    return matrix


def _classes(found: Found) -> Grid:
    rows = tuple(
        (str(line["class"]), _count(line["rows"]),
         *(_number(number_of(line[rate])) for rate in ("precision", "recall", "f1")))
        for line in found["by_class"]
    )  # fmt: skip
    return Grid("by class", ("class", _counted(found), "precision", "recall", "F1"), rows)


def _counted(found: Found) -> str:
    """What was counted: rows, or tests, where rows were tested more than once."""
    return str(found.get("counted", "rows"))


def _remarks(found: Found, scores: list[Estimate]) -> list[str]:
    first, said = scores[0], [*found.get("remarks", ())]
    if of_one := [e.name for e in scores if e.of is not None]:
        rows: defaultdict[int, float] = defaultdict(float)
        for true, _, count in found["confusion"]:
            rows[true] += count
        own = rows[found["classes"].index(found["positive"])]
        said.append(
            f"Of class {found['positive']!r}, {_count(own)} of {_count(sum(rows.values()))} "
            f"{'tests' if _counted(found) == 'tests' else 'rows tested'}: {', '.join(of_one)}. "
            "Another class can be named positive."
        )
    if len(found["classes"]) == 1:
        said.append(f"All rows have the class {found['classes'][0]!r}: nothing was told apart.")
    if first.interval is not None:
        level, about = 100 * found["level"], first.interval.about
        more = "; that of any other score likewise" if len(scores) > 1 else ""
        said.append(f"The {level:g} % interval estimates {about}{more}. {COVERAGE}")
    said += _of_ratios(found, scores)
    if any(e.over_folds is not None for e in scores):
        said.append(
            "The interval of the learner is of its mean score over training sets like these, "
            "corrected for the training rows that the folds share."
        )
    if len(first.by_fold) > 1 and isfinite(first.value):
        low, high = min(first.by_fold), max(first.by_fold)
        said.append(
            f"Over {len(first.by_fold)} folds the {first.name} is from "
            f"{low:{first.spec}} to {high:{first.spec}}."
        )
    if failures := found["failures"]:
        many = f"{len(failures)} folds" if len(failures) > 1 else "1 fold"
        one = failures[0]
        said.append(f"Failed on {many}, left out; fold {one['fold']}: {one['reason']}")
    return said


def _of_ratios(found: Found, scores: list[Estimate]) -> list[str]:
    """Which intervals are of all rows together, where others are of the mean of folds."""
    names = [e.name for e in scores if SCORES.knows(e.name) and SCORES[e.name].pooled]
    if found["folds"] < 2 or not names:
        return []
    some = "All values and intervals" if len(names) == len(scores) else "Value and interval of "
    some += "" if len(names) == len(scores) else ", ".join(names)
    return [f"{some} are of all rows together, because a ratio is biased in folds of few rows."]


def _count(weight: Any) -> str:
    """Rows as they are; weights that are fractions to a tenth of a row, or to four digits."""
    weight = float(weight)
    if weight.is_integer():
        return plain(weight)
    return f"{weight:.1f}" if weight >= 1000 else f"{weight:.4g}"


def _number(value: float, spec: str = "z.3f") -> str:
    return "" if value != value else f"{value:{spec}}"
