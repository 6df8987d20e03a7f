"""Comparisons: which learners differ on the same folds, by how much, and how sure that is."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from math import nan
from typing import Any

from tallylearn.errors import OptionError, among, listed, told
from tallylearn.evaluation.compare import comparison_report
from tallylearn.evaluation.compare.paired_difference import (
    Difference,
    Paper,
    difference,
    said,
)
from tallylearn.evaluation.evaluate.evaluation import Evaluation
from tallylearn.evaluation.result import Result, spec_of
from tallylearn.plots import Plot
from tallylearn.significance import holm, simultaneous
from tallylearn.workings import Derivation


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Learners on the same folds of one table, the best first; frozen.

    ``comparison.difference("a", "b")`` is a pair with all its tests, ``comparison["a"]`` the
    evaluation of one learner; ``print`` shows all.
    """

    score: str
    cv: str
    n: int
    level: float
    papers: tuple[Paper, ...]  # the best first
    baseline: Evaluation
    failed: dict[str, str]  # learners that answered no fold, and why
    remarks: tuple[str, ...] = ()  # rows that were left out, classes with few
    cautions: tuple[str, ...] = ()  # what to look at before the scores

    @property
    def names(self) -> tuple[str, ...]:
        """The learners, the best first."""
        return tuple(paper.name for paper in self.papers)

    @property
    def title(self) -> str:
        return f"{len(self.papers)} learners on {self.n:,} rows, {self.cv}"

    def __repr__(self) -> str:
        return f"Comparison({self.title})"

    def __getitem__(self, name: str) -> Evaluation:
        return self.papers[self._place(name)].found

    def difference(self, a: str, b: str) -> Difference:
        """A pair: the score of a less that of b, and the error of a less that of b."""
        i, j = self._place(a), self._place(b)
        if i == j:
            raise OptionError(f"{a!r} does not differ from itself. Name two learners.")
        pair = self.pairs[min(i, j), max(i, j)]
        if i < j:
            return pair
        own = None if pair.interval is None else pair.interval.level
        turned = difference(self.papers[i], self.papers[j], own)
        return _adjusted(turned, pair.adjusted, pair.mcnemar_adjusted, pair.pairs)

    @cached_property
    def pairs(self) -> dict[tuple[int, int], Difference]:
        """All pairs by their places, p adjusted over all: the best was not known beforehand."""
        places = list(combinations(range(len(self.papers)), 2))
        found = [difference(self.papers[i], self.papers[j]) for i, j in places]
        levels = simultaneous([d.p for d in found], self.level)
        found = [
            difference(self.papers[i], self.papers[j], level)
            for (i, j), level in zip(places, levels, strict=True)
        ]
        adjusted, marked = holm([d.p for d in found]), holm([d.mcnemar_adjusted for d in found])
        return {
            at: _adjusted(pair, p, q, len(found))
            for at, pair, p, q in zip(places, found, adjusted, marked, strict=True)
        }

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The best against each of the others, in words."""
        spec = spec_of([paper.found[self.score].value for paper in self.papers])
        return tuple(said(self.pairs[0, at], spec) for at in range(1, len(self.papers)))

    @property
    def verdict(self) -> str:
        return " ".join(self.verdicts)

    @staticmethod
    def _told(found: dict[str, Any]) -> Derivation:
        """The verdict, the learners, and how the tests are to be read."""
        return comparison_report.report(found)

    def records(self) -> list[dict[str, Any]]:
        """One row a learner, beside the best; the baseline last."""
        rows = [
            _record(self.score, paper.name, paper.found, self.pairs[0, at] if at else None)
            for at, paper in enumerate(self.papers)
        ]
        base = _record(self.score, self.baseline.learner, self.baseline, None)
        return [row | {"baseline": False} for row in rows] + [base | {"baseline": True}]

    def facts(self) -> dict[str, Any]:
        """What was compared and how, every pair, and what failed."""
        named = ("title", "score", "cv", "n", "level", "verdicts", "failed", "remarks", "cautions")
        failures = ((paper.name, paper.found.failures[:1]) for paper in self.papers)
        return {name: getattr(self, name) for name in named} | {
            "kind": "comparison",
            "task": self.baseline.task,
            "class": self.baseline[self.score].of,
            "pairs": [pair.record() for pair in self.pairs.values()],
            "failures": [{"learner": name, **asdict(one)} for name, few in failures for one in few],
        }

    def plots(self) -> dict[str, Plot]:
        """The scores of all learners, with their intervals and folds."""
        return comparison_report.plots(self._without_plots())

    def _place(self, name: str) -> int:
        if not among(name, self.names):
            raise OptionError(f"compared were {listed(self.names, 20)}, not {told(name)}.")
        return self.names.index(name)


def _adjusted(pair: Difference, p: float, marked: float, pairs: int) -> Difference:
    return replace(pair, adjusted=p, mcnemar_adjusted=marked, pairs=pairs)


def _record(
    score: str, name: str, evaluation: Evaluation, pair: Difference | None
) -> dict[str, Any]:
    """A learner as plain values; ``difference`` is its score less that of the best."""
    estimate = evaluation[score]
    low, high = (nan, nan) if estimate.interval is None else estimate.interval
    low_end, high_end = (nan, nan) if pair is None or pair.interval is None else pair.interval
    return {
        "learner": name,
        "score": score,
        "value": estimate.value,
        "low": low,
        "high": high,
        "difference": nan if pair is None else 0.0 - pair.mean,
        "difference_low": 0.0 - high_end,
        "difference_high": 0.0 - low_end,
        "p": nan if pair is None else pair.p,
        "p_holm": nan if pair is None else pair.adjusted,
        "test": "" if pair is None else pair.test,
        "mcnemar_p": nan if pair is None or pair.mcnemar is None else pair.mcnemar.p,
        "mcnemar_p_holm": nan if pair is None else pair.mcnemar_adjusted,
        "only_best_wrong": None if pair is None or pair.mcnemar is None else pair.only_a_wrong,
        "only_this_wrong": None if pair is None or pair.mcnemar is None else pair.only_b_wrong,
        "by_fold": list(estimate.by_fold),
    }
