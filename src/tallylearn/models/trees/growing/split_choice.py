"""The choice of a split: the one with the best score, and those tied with it."""

from __future__ import annotations

from dataclasses import replace

from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.growing.split_search import TIED, CandidateSplit
from tallylearn.models.trees.node import PRESENCE, THRESHOLD


def score_splits(
    found: list[list[CandidateSplit]], impurity: float, plan: TreePlan
) -> list[list[CandidateSplit]]:
    """Every question with its score: the gain, the gain ratio, or gain and cost in one.

    A gain ratio counts only where the gain is at least the mean of the columns' best gains.
    """
    best = [max(q.gain for q in column) for column in found if column]
    mean = sum(best) / len(best) - TIED * impurity if best else 0.0
    return [[_with_score(q, mean, plan) for q in column] for column in found]


def _with_score(q: CandidateSplit, mean: float, plan: TreePlan) -> CandidateSplit:
    score = q.gain
    if plan.scorer == "ratio":
        score = q.ratio if q.gain >= mean and q.information > 0 else -1.0
    elif plan.scorer != "gain":
        cost = plan.costs[q.column] if plan.costs else 1.0
        score = cost_score(q.gain, cost, plan.scorer, plan.exponent)
    return replace(q, score=score)


def cost_score(gain: float, cost: float, rule: str, exponent: float = 1.0) -> float:
    """Gain and cost in one number: gain^2 / cost, or (2^gain - 1) / (cost + 1)^w.

    >>> round(cost_score(0.2467498, 23, "(2^gain-1)/(cost+1)^w", 0.5), 4)
    0.0381
    """
    if rule == "gain2/cost":
        return gain * gain / cost
    return float((2.0**gain - 1.0) / (cost + 1.0) ** exponent)


def choose_splits(
    found: list[list[CandidateSplit]], impurity: float, plan: TreePlan
) -> list[CandidateSplit]:
    """The best questions, the asked one first: of the tied columns the first, by gain within."""
    best = [best_of(column, impurity)[0] for column in found if column]
    scores = [q.score for q in best]
    top = max(scores, default=-1.0)
    if top < 0:
        return []
    slack = TIED * (impurity if plan.scorer == "gain" else top)
    if plan.scorer == "ratio":
        slack = TIED * max(top, impurity)
    tied: list[CandidateSplit] = []
    for q in best:
        if q.score < top - slack:
            continue
        near = best_of(next(c for c in found if c and c[0].column == q.column), impurity)
        tied += near if q.test in (THRESHOLD, PRESENCE) else near[:1]
    return tied


def best_of(column: list[CandidateSplit], impurity: float) -> list[CandidateSplit]:
    """The questions of a column with the best gain, or tied with it."""
    top = max(q.gain for q in column)
    return [q for q in column if q.gain >= top - TIED * impurity]
