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
from tallylearn.evaluation.compare.paired_difference import (
    PairedDifference,
    difference,
    reverse,
    verdict_text,
)
from tallylearn.evaluation.compare.paired_rows import LearnerResult, Pair
from tallylearn.evaluation.evaluate.evaluation import Evaluation
from tallylearn.evaluation.result import Result
from tallylearn.reporting.charts import Plot
from tallylearn.reporting.formatting import plain_data, score_format
from tallylearn.workings import Derivation


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """The result of ``tl.compare`` on one table: learners on the same folds, the best first.

    ``comparison.difference("a", "b")`` is the difference of two learners. ``comparison["a"]`` is
    the evaluation of one. ``print`` shows the verdicts, and ``details()`` the other tests.

    Attributes
    ----------
    score : str
        The score that is compared.
    cv : str
        The folds, as text.
    n : int
        Number of rows.
    level : float
        Confidence level of the intervals.
    results : tuple of LearnerResult
        The learners with their evaluations, the best first.
    baseline : Evaluation
        The evaluation of the baseline.
    failed : dict
        Learners that failed on every fold, with the reason.
    remarks : tuple of str
        Notes about rows that were left out and about rare classes.
    cautions : tuple of str
        Warnings about the table.
    alike : float or None
        The largest difference that counts as practically equal.
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
        """The names of the learners, the best first."""
        return tuple(result.name for result in self.results)

    @property
    def title(self) -> str:
        """The number of learners, the rows and the folds."""
        return f"{len(self.results)} learners on {self.n:,} rows, {self.cv}"

    def __getitem__(self, name: str) -> Evaluation:
        return self.results[self._place(name)].found

    def difference(self, a: str, b: str) -> PairedDifference:
        """The difference between two learners.

        Parameters
        ----------
        a : str
            The name of a learner.
        b : str
            The name of another learner.

        Returns
        -------
        Difference
            The score of a minus that of b, with interval and p-value.
        """
        i, j = self._place(a), self._place(b)
        if i == j:
            raise OptionError(
                f"Comparison.difference: {a!r} is given twice. Name two different learners."
            )
        pair = self.pairs[min(i, j), max(i, j)]
        return pair if i < j else reverse(pair)

    @cached_property
    def pairs(self) -> dict[tuple[int, int], PairedDifference]:
        """All pairs by their places, p adjusted over all: the best was not known beforehand."""
        k = len(self.results)
        return {(i, j): difference(self.results[i], self.results[j], k, self.alike)
                for i, j in combinations(range(k), 2)}  # fmt: skip

    @cached_property
    def other_tests(self) -> tuple[PairTestResult, ...]:
        """The results of the other tests for every pair, each with the question that it answers."""
        found = (Pair(self.results[i], self.results[j]) for i, j in self.pairs)
        return tuple(one for pair in found
                     for one in test_results(pair, len(self.results), self.alike))  # fmt: skip

    def tests(self, a: str, b: str) -> dict[str, PairTestResult]:
        """The results of the other tests for two learners.

        Parameters
        ----------
        a : str
            The name of a learner.
        b : str
            The name of another learner.

        Returns
        -------
        dict of str to PairTestResult
            Results by the name of the test.
        """
        self.difference(a, b)
        return {one.test: one for one in self.other_tests if {one.a, one.b} == {a, b}}

    def details(self) -> Derivation:
        """The results of all tests for every pair.

        Returns
        -------
        Derivation
            A table per test, under the question that it answers.
        """
        return comparison_report.details(plain_data({
            "title": self.title, "pairs": [pair.record() for pair in self.pairs.values()],
            "tests": [answer.record() for answer in self.other_tests], "score": self.score,
        }))  # fmt: skip

    @property
    def verdicts(self) -> tuple[str, ...]:
        """A sentence for each other learner: how it compares with the best."""
        spec = score_format([result.found[self.score].value for result in self.results])
        return tuple(verdict_text(self.pairs[0, at], spec) for at in range(1, len(self.results)))

    @property
    def verdict(self) -> str:
        """All verdicts as one text."""
        return " ".join(self.verdicts)

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        """The verdict, the learners, and how the tests are to be read."""
        return comparison_report.report(found)

    @staticmethod
    def _details(found: dict[str, Any]) -> Derivation:
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
            "tested": len(self.baseline.sample.all_tests.rows) if self.baseline.sample.tests else 0,
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
    score: str, name: str, evaluation: Evaluation, pair: PairedDifference | None
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
