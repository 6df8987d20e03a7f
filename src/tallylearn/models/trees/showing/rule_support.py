"""A rule of a tree, and its support in the training rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tallylearn.models.trees.showing.conditions import Condition
from tallylearn.models.trees.showing.regions import sentence
from tallylearn.models.trees.wording import format_count, format_rows
from tallylearn.reporting.formatting import (
    format_number,
    more_note,
    number_of,
    plain_data,
    printable_text,
)
from tallylearn.statistics.confidence_intervals import Interval, t_interval, wilson

MAX_RULES = 200  # rules of a printed text


@dataclass(frozen=True)
class TreeRule:
    """One rule: conditions, a prediction, and its support in the training rows.

    ``interval`` is the 95 % confidence interval of the share of the predicted class (Wilson), or of
    the mean (Student's t); a weight of 2 counts as two rows.
    """

    conditions: tuple[Condition, ...]  # one per column, in the order of the splits
    answer: Any  # the prediction: a class, a mean, or a median
    n: float  # the weight of the rows
    counts: tuple[tuple[Any, float], ...]  # of every class; () in a regression
    sd: float  # of the target in a regression (of medians: its absolute error), else NaN
    nodes: tuple[int, ...]  # the leaves of its rows
    kind: str = "mean"  # of the prediction: "class", "mean", "median"

    @property
    def support(self) -> float:
        """The weight of the rows of the predicted class; of all rows in a regression."""
        return float(dict(self.counts).get(self.answer, 0.0 if self.counts else self.n))

    @property
    def share(self) -> float:
        """The share of the predicted class."""
        return self.support / self.n if self.counts and self.n > 0 else math.nan

    @property
    def interval(self) -> Interval | None:
        """The 95 % confidence interval; None for a median, and where there are too few rows."""
        if self.counts:
            return wilson(min(self.support, self.n), self.n) if self.n > 0 else None
        if self.n < 2 or self.kind == "median" or math.isnan(self.sd):
            return None
        error = self.sd / math.sqrt(self.n - 1)
        return t_interval(
            self.answer,
            error,
            int(self.n) - 1,
            level=0.95,
            method="t",
            about="the mean of such rows",
        )

    @property
    def condition(self) -> str:
        """The conditions in one line."""
        return sentence(self.conditions)

    def __str__(self) -> str:
        return rule_line(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        between = self.interval
        told: dict[str, Any] = {
            "conditions": [condition.to_dict() for condition in self.conditions],
            "condition": self.condition, "answer": plain_data(self.answer), "n": self.n,
            "nodes": [*self.nodes],
        }  # fmt: skip
        if self.counts:
            told |= {"support": self.support, "share": plain_data(self.share)}
            told["counts"] = [[plain_data(name), n] for name, n in self.counts]
        else:
            name = "absolute_error" if self.kind == "median" else "sd"
            told[name] = plain_data(self.sd)
        told["interval"] = None if between is None else [*map(plain_data, between)]
        return told


def rule_line(rule: Mapping[str, Any]) -> str:
    """A rule in one line, from plain data."""
    _, answer, rows, apart, between = rule_cells(rule)
    between = between and f", {between}"
    if "counts" in rule:
        said = f"{answer} ({format_count(rule['support'])} of {rows}{between})"
    else:
        said = f"{answer}{apart and f' ± {apart}'} ({format_rows(rule['n'])}{between})"
    return rule_sentence(rule, said)


def rule_sentence(rule: Mapping[str, Any], said: str) -> str:
    """A rule as a sentence: IF condition THEN prediction."""
    head = f"IF {rule['condition']} THEN" if rule["condition"] else "ALWAYS"
    return printable_text(f"{head} {said}")


def rule_cells(rule: Mapping[str, Any]) -> tuple[str, str, str, str, str]:
    """The condition, the prediction, its rows, its share or spread, and the interval."""
    classes = "counts" in rule
    answer = str(rule["answer"]) if classes else format_number(number_of(rule["answer"]))
    apart = rule["share"] if classes else rule.get("sd", rule.get("absolute_error"))
    ends = [format(number_of(end), ".2f" if classes else ".4g") for end in rule["interval"] or ()]
    return (
        rule["condition"] or "always", answer, format_count(rule["n"]),
        format_number(number_of(apart)) if classes or apart is not None else "",
        f"[{', '.join(ends)}]" if ends else "",
    )  # fmt: skip


def rules_text(lines: Iterable[str], notes: Iterable[str], n: int = 0) -> str:
    """Rules, one per line, how many more of ``n`` there are, and notes."""
    shown = [*lines]
    left = n - len(shown)
    cut = [more_note(left, "rules") + ": .text() has all"] if left > 0 else []
    return "\n".join([*shown, *cut, *notes])
