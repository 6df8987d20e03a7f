"""Rankings: learners compared over several tables, by their ranks on each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.errors import InputError, OptionError
from tallylearn.evaluation.compare.comparison import Comparison
from tallylearn.evaluation.result import Result
from tallylearn.evaluation.scores.score import SCORES, remedy
from tallylearn.reporting.charts import Plot, draw_ranks
from tallylearn.reporting.formatting import format_score, number_of, p_value_relation, score_format
from tallylearn.statistics.significance_tests import (
    Friedman,
    SignedRank,
    friedman,
    nemenyi,
    wilcoxon_signed_rank,
)
from tallylearn.tables import Array
from tallylearn.workings import Derivation, Grid, Sentence


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Result):
    """The result of ``tl.compare`` on several tables: learners by their mean rank, the best first.

    Attributes
    ----------
    score : str
        The score that is compared.
    level : float
        Confidence level of the tests.
    names : tuple of str
        The learners, the best mean rank first.
    sets : tuple of str
        The tables.
    table : ndarray of shape (tables, learners)
        The scores.
    baseline : ndarray of shape (tables,)
        The scores of the baseline.
    comparisons : dict of str to Comparison
        The comparison on each table.
    """

    score: str
    level: float
    names: tuple[str, ...]  # (k,)
    sets: tuple[str, ...]  # (n,)
    table: Array  # (n, k) scores
    baseline: Array  # (n,)
    comparisons: dict[str, Comparison]  # of every table

    @property
    def title(self) -> str:
        """The number of learners and of tables."""
        return f"{len(self.names)} learners on {len(self.sets)} tables"

    @property
    def better(self) -> str:
        """Whether a "high" or a "low" score is better."""
        return SCORES[self.score].better

    @cached_property
    def _higher_is_better(self) -> Array:
        """The scores, so that high is better."""
        return self.table if self.better == "high" else -self.table

    @cached_property
    def friedman(self) -> Friedman:
        """The Friedman test, with the mean ranks."""
        return friedman(self._higher_is_better)

    @property
    def ranks(self) -> dict[str, float]:
        """The mean rank of every learner; 1 is the best."""
        return dict(zip(self.names, self.friedman.ranks, strict=True))

    @cached_property
    def wilcoxon(self) -> SignedRank | None:
        """Wilcoxon's signed-rank test of two learners; None for more."""
        if len(self.names) > 2:
            return None
        return wilcoxon_signed_rank(self.table[:, 0] - self.table[:, 1])

    @cached_property
    def critical(self) -> float | None:
        """Nemenyi's critical difference of mean ranks; None for two learners."""
        k, n = len(self.names), len(self.sets)
        return nemenyi(k, n, self.level) if k > 2 else None

    @property
    def verdict(self) -> str:
        """Which learners differ, as a sentence."""
        return self._of_two() if self.wilcoxon is not None else self._of_many()

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        """The verdict, the scores, the ranks."""
        score, spec = found["score"], score_format([x for row in found["table"] for x in row])
        head = ("table", *found["names"], f"{found['baseline_name']} (baseline)")
        lines = zip(found["sets"], found["table"], found["baseline"], strict=True)
        rows = [(name, *(format_score(number_of(x), spec) for x in (*row, base)))
                for name, row, base in lines]  # fmt: skip
        rows.append(("mean rank", *(f"{rank:.2f}" for rank in found["ranks"].values()), ""))
        notes = [
            f"On each table, learners are ranked by {score}, and 1 is the best. All learners had "
            "the same folds."
        ]
        if found["of"] == "positive":  # not by the name: a user's own score is known by itself
            of = (f"{c!r} on {name}" for name, c in found["positive"].items())
            notes.append(f"Positive class of {score}: {', '.join(of)}.")
        notes += found.get("remarks", ())
        if found["critical"] is not None:
            notes.append(
                f"Nemenyi critical difference: {found['critical']:.2f}. If the Friedman test is "
                "significant, learners differ when their mean ranks are at least so far apart."
            )
        grid = Grid(score, head, tuple(rows))
        return Derivation(found["title"], (Sentence(found["verdict"]), grid, *map(Sentence, notes)))

    def facts(self) -> dict[str, Any]:
        """The scores of every table, the mean ranks, and the test of them."""
        named = ("title", "verdict", "score", "level", "names", "sets", "table", "baseline",
                 "ranks", "critical")  # fmt: skip
        test = self.friedman if self.wilcoxon is None else self.wilcoxon
        return {name: getattr(self, name) for name in named} | {
            "kind": "ranking",
            "of": SCORES[self.score].of,
            "baseline_name": next(iter(self.comparisons.values())).baseline.learner,
            "positive": {name: c.baseline.positive for name, c in self.comparisons.items()},
            "p": test.p,
            "remarks": [f"On {name}: {note}" for name, c in self.comparisons.items()
                      for note in c.remarks],
        }  # fmt: skip

    def records(self) -> list[dict[str, Any]]:
        """One row a table and learner."""
        return [
            {"table": name, "learner": learner, "score": self.score, "value": float(value),
             "mean_rank": self.ranks[learner]}
            for name, row in zip(self.sets, self.table, strict=True)
            for learner, value in zip(self.names, row, strict=True)
        ]  # fmt: skip

    def plots(self) -> dict[str, Plot]:
        """The critical-difference diagram, where three or more learners are compared."""
        if self.critical is None:
            return {}
        title = f"Mean ranks on {len(self.sets)} tables"
        return {"ranks": draw_ranks(self.names, [*self.ranks.values()], self.critical, title)}

    def _of_two(self) -> str:
        test, (a, b), n = self.wilcoxon, self.names, len(self.sets)
        assert test is not None
        middle = float(np.median(self.table[:, 0] - self.table[:, 1]))
        spec = score_format(self.table.ravel().tolist())
        median = f"median difference in {self.score} {format_score(middle, spec)}"
        by = f"{median}, Wilcoxon signed-rank test, p {p_value_relation(test.p)}"
        if test.p > 1 - self.level:
            return f"No difference shown between {a} and {b} over {n} tables: {by}."
        better, worse = (a, b) if (test.plus > test.minus) == (self.better == "high") else (b, a)
        return f"{better} is better than {worse} over {n} tables: {by}."

    def _of_many(self) -> str:
        test, ranks, n = self.friedman, self.ranks, len(self.sets)
        by = f"Friedman test, Iman-Davenport F = {test.f:.4g}, p {p_value_relation(test.p)}"
        if test.p > 1 - self.level:
            return f"No difference shown among {len(ranks)} learners over {n} tables: {by}."
        first, best = next(iter(ranks.items()))
        assert self.critical is not None
        worse = [name for name, rank in ranks.items() if rank - best >= self.critical]
        alike = [name for name in ranks if name != first and name not in worse]
        text = f"The learners differ over {n} tables ({by}). {first} has the best mean rank, "
        text += f"{best:.2f}."
        text += f" It is better than {_join_names(worse)}." if worse else ""
        return text + (
            f" No difference shown between it and {_join_names(alike)}." if alike else ""
        )


def rank_learners(found: Mapping[str, Comparison]) -> Ranking:
    """Comparisons of the same learners on several tables, as one."""
    if len(found) < 2:
        raise OptionError(
            "there is only one table. Pass two or more tables in the dict, or pass "
            "the table itself as X."
        )
    first = next(iter(found.values()))
    names = sorted(first.names)
    for at, comparison in found.items():
        if comparison.failed:
            raise InputError(f"table {at!r}: {next(iter(comparison.failed.values()))}")
    table = np.array([[c[name][c.score].value for name in names] for c in found.values()])
    if not np.isfinite(table).all():
        row, column = (int(place) for place in np.argwhere(~np.isfinite(table))[0])
        raise InputError(
            f"the {first.score} of {names[column]} on table {[*found][row]!r} is "
            f"{table[row, column]}.{remedy(first.score) or ' Choose another score.'}"
        )
    turned = table if SCORES[first.score].better == "high" else -table
    order = np.argsort(friedman(turned).ranks, kind="stable")
    base = np.array([c.baseline[c.score].value for c in found.values()])
    return Ranking(
        score=first.score,
        level=first.level,
        names=tuple(names[i] for i in order),
        sets=tuple(map(str, found)),
        table=table[:, order],
        baseline=base,
        comparisons=dict(found),
    )


def _join_names(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
