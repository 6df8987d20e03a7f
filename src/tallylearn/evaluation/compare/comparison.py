"""Comparisons: which learners differ on the same folds, by how much, and how sure that is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from math import nan
from typing import Any

from tallylearn.errors import OptionError, is_one_of, quoted_list, short_repr
from tallylearn.evaluation.compare import comparison_report
from tallylearn.evaluation.compare.other_tests import PairTestResult, test_results
from tallylearn.evaluation.compare.paired_difference import Difference, difference, said, turned
from tallylearn.evaluation.compare.paired_rows import LearnerResult, Pair
from tallylearn.evaluation.evaluate.evaluation import Evaluation
from tallylearn.evaluation.result import Result
from tallylearn.reporting.charts import Plot
from tallylearn.reporting.formatting import plain_data, score_format
from tallylearn.workings import Derivation


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Learners on the same folds of one table, the best first; frozen.

    ``comparison.difference("a", "b")`` is a pair, ``comparison["a"]`` the evaluation of one
    learner; ``print`` shows the verdicts, ``details()`` what other tests say.
    """

    score: str
    cv: str
    n: int
    level: float
    results: tuple[LearnerResult, ...]  # the best first
    baseline: Evaluation
    failed: dict[str, str]  # learners that answered no fold, and why
    remarks: tuple[str, ...] = ()  # rows that were left out, classes with few
    cautions: tuple[str, ...] = ()  # what to look at before the scores
    alike: float | None = None  # how far apart learners may lie and count as alike

    @property
    def names(self) -> tuple[str, ...]:
        """The learners, the best first."""
        return tuple(result.name for result in self.results)

    @property
    def title(self) -> str:
        return f"{len(self.results)} learners on {self.n:,} rows, {self.cv}"

    def __getitem__(self, name: str) -> Evaluation:
        return self.results[self._place(name)].found

    def difference(self, a: str, b: str) -> Difference:
        """A pair: the score of a less that of b, and the error of a less that of b."""
        i, j = self._place(a), self._place(b)
        if i == j:
            raise OptionError(
                f"Comparison.difference: {a!r} is given twice. Name two different learners."
            )
        pair = self.pairs[min(i, j), max(i, j)]
        return pair if i < j else turned(pair)

    @cached_property
    def pairs(self) -> dict[tuple[int, int], Difference]:
        """All pairs by their places, p adjusted over all: the best was not known beforehand."""
        k = len(self.results)
        return {(i, j): difference(self.results[i], self.results[j], k, self.alike)
                for i, j in combinations(range(k), 2)}  # fmt: skip

    @cached_property
    def other_tests(self) -> tuple[PairTestResult, ...]:
        """What other tests say of every pair, each with the question that it answers."""
        found = (Pair(self.results[i], self.results[j]) for i, j in self.pairs)
        return tuple(one for pair in found
                     for one in test_results(pair, len(self.results), self.alike))  # fmt: skip

    def tests(self, a: str, b: str) -> dict[str, PairTestResult]:
        """What other tests say of a pair, by their names."""
        self.difference(a, b)
        return {one.test: one for one in self.other_tests if {one.a, one.b} == {a, b}}

    def details(self) -> Derivation:
        """Every pair by every test, under the question that the test answers."""
        return comparison_report.details(plain_data({
            "title": self.title, "pairs": [pair.record() for pair in self.pairs.values()],
            "tests": [answer.record() for answer in self.other_tests], "score": self.score,
        }))  # fmt: skip

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The best against each of the others, in words."""
        spec = score_format([result.found[self.score].value for result in self.results])
        return tuple(said(self.pairs[0, at], spec) for at in range(1, len(self.results)))

    @property
    def verdict(self) -> str:
        return " ".join(self.verdicts)

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        """The verdict, the learners, and how the tests are to be read."""
        return comparison_report.report(found)

    @staticmethod
    def _folded(found: dict[str, Any]) -> Derivation:
        """The other tests, which are one click away."""
        return comparison_report.details(found)

    def records(self) -> list[dict[str, Any]]:
        """One row a learner, beside the best; the baseline last."""
        rows = [
            _record(self.score, result.name, result.found, self.pairs[0, at] if at else None)
            for at, result in enumerate(self.results)
        ]
        base = _record(self.score, self.baseline.learner, self.baseline, None)
        return [row | {"baseline": False} for row in rows] + [base | {"baseline": True}]

    def facts(self) -> dict[str, Any]:
        """What was compared and how, every pair, and what failed."""
        named = ("title", "score", "cv", "n", "level", "verdicts", "failed", "remarks", "cautions")
        failures = ((result.name, result.found.failures[:1]) for result in self.results)
        return {name: getattr(self, name) for name in named} | {
            "kind": "comparison",
            "task": self.baseline.task,
            "class": self.baseline[self.score].of,
            "pairs": [pair.record() for pair in self.pairs.values()],
            "tests": [answer.record() for answer in self.other_tests],
            "groups": self._groups,
            "several": self.baseline.sample.several,
            "folds": len(self.baseline.folds),
            "tested": len(self.baseline.sample.together.rows) if self.baseline.sample.tests else 0,
            "failures": [{"learner": name, **asdict(one)} for name, few in failures for one in few],
        }

    def plots(self) -> dict[str, Plot]:
        """The scores of all learners, with their intervals and folds."""
        return comparison_report.plots(self._without_plots())

    @property
    def _groups(self) -> int | None:
        """How many groups the sample has, where it has some."""
        codes = self.baseline.sample.groups
        return None if codes is None else int(codes.max()) + 1

    def _place(self, name: str) -> int:
        if not is_one_of(name, self.names):
            raise OptionError(
                f"Comparison: {short_repr(name)} is not among the compared learners. Choose from "
                f"{quoted_list(self.names, 20)}."
            )
        return self.names.index(name)


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
        "pooled": estimate.pooled,
        "low": low,
        "high": high,
        "difference": nan if pair is None else 0.0 - pair.mean,
        "difference_low": 0.0 - high_end,
        "difference_high": 0.0 - low_end,
        "p": nan if pair is None else pair.p,
        "p_adjusted": nan if pair is None else pair.adjusted,
        "test": "" if pair is None else pair.test,
        "by_fold": list(estimate.by_fold),
    }
