"""Supports: a rule, and the rows that speak for it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tallylearn.intervals import Interval, t_interval, wilson
from tallylearn.models.trees.showing.conditions import Condition
from tallylearn.models.trees.showing.regions import sentence
from tallylearn.models.trees.wording import counted, rows_of
from tallylearn.workings.rendering import plain, plain_data, short


@dataclass(frozen=True)
class Rule:
    """One rule: conditions, an answer, and the rows that speak for it.

    ``interval`` holds, at 95 %, the share of the answer among all rows like these (Wilson), or
    their mean (Student's t); a weight of 2 counts as two rows.
    """

    conditions: tuple[Condition, ...]  # one a column, in the order of the questions
    answer: Any  # a class, a mean, or a median
    n: float  # the weight of the rows
    counts: tuple[tuple[Any, float], ...]  # of every class; () in a regression
    sd: float  # of the target in a regression (of medians: its absolute error), else NaN
    nodes: tuple[int, ...]  # where its rows end
    kind: str = "mean"  # of the answer: "class", "mean", "median"

    @property
    def support(self) -> float:
        """The weight of the rows that have the answer's class; of all rows in a regression."""
        return float(dict(self.counts).get(self.answer, 0.0 if self.counts else self.n))

    @property
    def share(self) -> float:
        """The share of the answer's class."""
        return self.support / self.n if self.counts and self.n > 0 else math.nan

    @property
    def interval(self) -> Interval | None:
        """None for a median, and where there are too few rows to say."""
        if self.counts:
            return wilson(min(self.support, self.n), self.n) if self.n > 0 else None
        if self.n < 2 or self.kind == "median" or math.isnan(self.sd):
            return None
        error = self.sd / math.sqrt(self.n - 1)
        return t_interval(self.answer, error, int(self.n) - 1, 0.95, "t", "the mean of such rows")

    @property
    def condition(self) -> str:
        """The conditions in one line."""
        return sentence(self.conditions)

    def __str__(self) -> str:
        head = f"IF {self.condition} THEN" if self.conditions else "ALWAYS"
        return plain(f"{head} {self._said()}")

    def cells(self) -> tuple[str, str, str, str]:
        """The answer, its rows, its share or spread, and the interval: a row of a table."""
        between = self.interval
        said = "" if between is None else format(between, ".2f" if self.counts else ".4g")
        if self.counts:
            return str(self.answer), counted(self.n), short(self.share), said
        apart = "" if math.isnan(self.sd) else short(self.sd)
        return short(self.answer), counted(self.n), apart, said

    def _said(self) -> str:
        between = self.interval
        shown = "" if between is None else f", {format(between, '.2f' if self.counts else '.4g')}"
        if self.counts:
            return f"{self.answer} ({counted(self.support)} of {counted(self.n)}{shown})"
        apart = "" if math.isnan(self.sd) else f" ± {short(self.sd)}"
        return f"{short(self.answer)}{apart} ({rows_of(self.n)}{shown})"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        between = self.interval
        told: dict[str, Any] = {
            "conditions": [condition.to_dict() for condition in self.conditions],
            "answer": plain_data(self.answer), "n": self.n, "nodes": [*self.nodes],
        }  # fmt: skip
        if self.counts:
            told |= {"support": self.support, "share": plain_data(self.share)}
            told["counts"] = [[plain_data(name), n] for name, n in self.counts]
        else:
            name = "absolute_error" if self.kind == "median" else "sd"
            told[name] = plain_data(self.sd)
        told["interval"] = None if between is None else [*map(plain_data, between)]
        return told
