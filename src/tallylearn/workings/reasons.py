"""The reasons for a prediction as sentences: how far each column raised or lowered it, ranked.

A model gives the terms of every outcome: a start, then an amount for each column. They add up to
probabilities (Shapley values of trees), to scores whose softmax the probabilities are (naive Bayes,
logistic regression, boosting), to a number, or to its logarithm. Here the terms are added in the
order of their size, and every step is shown on the scale of the prediction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallylearn.reporting import formatting
from tallylearn.reporting.formatting import number_of, plain_data
from tallylearn.reporting.report import Report
from tallylearn.tables import Array
from tallylearn.workings.terms import Term

PROBABILITY, LOG_ODDS = "probability", "log-odds"  # what effects are measured in
NUMBER, LOGARITHM = "prediction", "log prediction"
ON_AVERAGE = "on average over the training rows"  # where terms start from
AT_MEAN_SCORE = "at the mean score of the training rows"
AT_MEANS, AT_ZERO = "at the mean of every column", "where every column is 0"
MAX_REASONS = 8  # that are printed; to_dict() has all
NEGLIGIBLE = 1e-12  # of the largest effect: what rounding leaves of none
MISSING = ("missing", "?")  # values that stand for a missing one


@dataclass(frozen=True)
class Contributions:
    """The terms of every outcome of one row: the first is the start, the others add to it."""

    lines: tuple[tuple[Term, ...], ...]
    scale: str
    origin: str  # what the start is, such as "on average over the training rows"


@dataclass(frozen=True)
class Reason:
    """What one column did to a prediction.

    Attributes
    ----------
    column : str
        The column.
    value : str
        Its value in the row, as text.
    effect : float
        How far it moved the prediction, in the unit of ``Reasons.scale``.
    before, after : float
        The probability or number before and after, where the columns come in the order of their
        effects.
    """

    column: str
    value: str
    effect: float
    before: float
    after: float
    label: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        names = "column", "value", "label", "effect", "before", "after"
        return {name: plain_data(getattr(self, name)) for name in names}


@dataclass(frozen=True)
class Reasons(Report):
    """The reasons for one prediction, the largest effect first.

    Attributes
    ----------
    outcome : object
        The predicted class; None in a regression.
    target : str or None
        The name of the target, where it is a column.
    scale : str
        What effects are measured in: "probability", "log-odds", "prediction" or "log prediction".
    start, end : float
        The probability or number before any column is known, and the predicted one.
    origin : str
        What the start is.
    """

    outcome: Any
    target: str | None
    scale: str
    start: float
    end: float
    origin: str
    reasons: tuple[Reason, ...]

    def __len__(self) -> int:
        return len(self.reasons)

    def __iter__(self) -> Iterator[Reason]:
        return iter(self.reasons)

    def __getitem__(self, place: int) -> Reason:
        return self.reasons[place]

    def to_dict(self) -> dict[str, Any]:
        names = "outcome", "target", "scale", "start", "end", "origin"
        found = {name: plain_data(getattr(self, name)) for name in names}
        return {**found, "reasons": [reason.to_dict() for reason in self.reasons]}

    @staticmethod
    def _layout(found: dict[str, Any]) -> ReasonSentences:
        return ReasonSentences(found)


@dataclass(frozen=True)
class ReasonSentences(Report):
    """The sentences of reasons, from their plain data."""

    data: dict[str, Any]

    @staticmethod
    def _layout(found: dict[str, Any]) -> ReasonSentences:
        return ReasonSentences(found)

    def to_dict(self) -> dict[str, Any]:
        return self.data

    def __str__(self) -> str:
        lines = [self.opening(), *(f"- {one}" for one in self.sentences())]
        wrapped = (formatting.wrap_text(formatting.printable_text(line)) for line in lines)
        return "\n".join(wrapped)

    def to_markdown(self) -> str:
        items = (f"- {formatting.escape_markdown(one)}" for one in self.sentences())
        return "\n".join([formatting.escape_markdown(self.opening()), "", *items])

    def to_html(self) -> str:
        items = "".join(f"<li>{formatting.escape_html(one)}</li>" for one in self.sentences())
        opening = formatting.escape_html(self.opening())
        return f'<div class="tally-reasons"><p>{opening}</p><ul>{items}</ul></div>'

    @property
    def _subject(self) -> str:
        """What the columns move: the probability of a class, or the prediction."""
        target, outcome = self.data["target"], self.data["outcome"]
        if self.data["scale"] in (NUMBER, LOGARITHM):
            return f"the predicted {target}" if target else "the prediction"
        return f"the probability of {f'{target} = {outcome}' if target else outcome}"

    def opening(self) -> str:
        """What is predicted, and where the reasons start from."""
        start, end = self._amounts(number_of(self.data["start"]), number_of(self.data["end"]))
        subject = self._subject
        first = f"{subject[0].upper()}{subject[1:]} is {end}"
        if not self.data["reasons"]:
            return f"{first}, as {self.data['origin']}: no column moves it."
        first += f"; it is {start} {self.data['origin']}"
        if len(self.data["reasons"]) == 1:
            return f"{first}. The reason:"
        return f"{first}. Reasons, the largest effect first:"

    def sentences(self) -> Iterator[str]:
        """One for every column; the small ones together."""
        reasons = self.data["reasons"]
        shown = reasons if len(reasons) <= MAX_REASONS else reasons[: MAX_REASONS - 1]
        for one in shown:
            yield self._sentence(one["label"], one["before"], one["after"], one["effect"])
        if rest := reasons[len(shown) :]:
            total = math.fsum(number_of(one["effect"]) for one in rest)
            what = "terms" if any(" × " in one["column"] for one in rest) else "columns"
            label = f"the other {len(rest)} {what}"
            yield self._sentence(label, rest[0]["before"], rest[-1]["after"], total)

    def _sentence(self, label: str, before: Any, after: Any, effect: Any) -> str:
        """In probabilities that leave 0 to 1 on the way, the effect stands in their place."""
        old, new, moved = number_of(before), number_of(after), number_of(effect)
        verb = "raised" if moved > 0 else "lowered"
        if self.data["scale"] == PROBABILITY and not self._inside:
            return f"{label} {verb} it by {100 * abs(moved):.1f} percentage points"
        first, second = self._amounts(old, new)
        if first == second:
            return f"{label} {verb} it by less than is shown ({second})"
        return f"{label} {verb} it from {first} to {second}"

    @property
    def _inside(self) -> bool:
        """Whether all probabilities on the way are some."""
        levels = [number_of(one["after"]) for one in self.data["reasons"]]
        return all(-1e-9 <= level <= 1 + 1e-9 for level in levels)

    def _amounts(self, before: float, after: float) -> tuple[str, str]:
        """Two probabilities in per cent, or numbers with digits that show their difference."""
        if self.data["scale"] in (PROBABILITY, LOG_ODDS):
            return f"{100 * before + 0.0:.1f} %", f"{100 * after + 0.0:.1f} %"
        found = formatting.format_number(before), formatting.format_number(after)
        if found[0] == found[1] and before != after:
            return f"{before:.8g}", f"{after:.8g}"
        return found


def reasons_of(
    found: Contributions, classes: Sequence[Any], chosen: Any, target: str | None
) -> Reasons | None:
    """The reasons for the chosen class, or for the number; None where nothing adds up.

    >>> def term(column: str, value: str, amount: float) -> Term:
    ...     return Term(column, value, amount)
    >>> lines = ((), (term("", "", -2.0), term("debt", "0.48", 1.2), term("age", "30", -0.1)))
    >>> found = Contributions(lines, "log-odds", "on average")
    >>> print(reasons_of(found, ("no", "yes"), chosen="yes", target="deny"))
    The probability of deny = yes is 28.9 %; it is 11.9 % on average. Reasons, the
    largest effect first:
    - debt = 0.48 raised it from 11.9 % to 31.0 %
    - age = 30 lowered it from 31.0 % to 28.9 %
    """
    if classes and chosen not in classes:
        return None
    c = classes.index(chosen) if classes else 0
    names: dict[str, Term] = {}
    columns = [*map(_merged, found.lines)]
    for line in columns:
        names |= {_label(term): term for term in line}
    start = np.array([sum(t.amount for t in line if not t.column) for line in found.lines])
    amounts = np.zeros((len(names), len(start)))
    places = {name: j for j, name in enumerate(names)}
    for at, line in enumerate(columns):
        for term in line:
            amounts[places[_label(term)], at] += term.amount
    total = start + amounts.sum(axis=0)
    if np.isneginf(total).all() or np.isnan(total).any():
        return None
    alone = np.array([_effect(found.scale, start, start + one, c) for one in amounts])
    largest = np.abs(alone).max(initial=0.0)
    kept = [j for j in range(len(names)) if abs(alone[j]) > NEGLIGIBLE * min(largest, 1e300)]
    kept.sort(key=lambda j: -abs(alone[j]))
    labels, terms = list(names), list(names.values())
    level, reasons = start, []
    for j in kept:
        after = level + amounts[j]
        reasons.append(
            Reason(
                terms[j].column, "missing" if _is_missing(terms[j]) else terms[j].value,
                _effect(found.scale, level, after, c),
                before=_shown(found.scale, level, c), after=_shown(found.scale, after, c),
                label=labels[j],
            )
        )  # fmt: skip
        level = after
    return Reasons(
        chosen if classes else None, target, found.scale,
        start=_shown(found.scale, start, c), end=_shown(found.scale, level, c),
        origin=found.origin, reasons=tuple(reasons),
    )  # fmt: skip


def _label(term: Term) -> str:
    return f"{term.column} missing" if _is_missing(term) else term.label


def _is_missing(term: Term) -> bool:
    return term.value in MISSING or term.note.startswith("missing")


def _merged(line: tuple[Term, ...]) -> list[Term]:
    """The terms of the columns; the indicator of a missing value is part of its column's."""
    found: list[Term] = []
    for term in line:
        if term.sign == "is" and found and found[-1].column == term.column:
            found[-1] = replace(found[-1], amount=found[-1].amount + term.amount)
        elif term.column:
            found.append(term)
    return found


def _effect(scale: str, before: Array, after: Array, c: int) -> float:
    """How far a step moves the outcome, on the scale on which terms add up."""
    if scale != LOG_ODDS:
        return float(after[c] - before[c])
    return _log_odds(after, c) - _log_odds(before, c)


def _log_odds(scores: Array, c: int) -> float:
    """The log-odds of a class against all others."""
    others = np.delete(scores, c)
    total = float(np.logaddexp.reduce(others)) if len(others) else -math.inf
    score = float(scores[c])
    if math.isinf(score) and score == total:
        return 0.0
    return score - total


def _shown(scale: str, level: Array, c: int) -> float:
    """The probability, or the number."""
    if scale == LOG_ODDS:
        odds = _log_odds(level, c)
        return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0
    with np.errstate(over="ignore"):
        return float(np.exp(level[c])) if scale == LOGARITHM else float(level[c])
