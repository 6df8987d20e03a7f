"""The result of ``tl.learn``: the leaderboard, the pick, and the price of simplicity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tallylearn.evaluation.learn.candidates import BASELINE
from tallylearn.reporting.formatting import (
    format_interval,
    format_score,
    plain_data,
    score_format,
    wrap_text,
)
from tallylearn.reporting.report import Report, TableReport
from tallylearn.workings import Derivation, Grid, Sentence

MAX_PRINTED_ROWS = 10  # rows of the leaderboard in print
MAX_LINES = 25  # of the printed report
Found = Mapping[str, Any]


@dataclass(frozen=True)
class LeaderboardRow:
    """A candidate with its score over all folds, uncorrected."""

    learner: str
    value: float
    low: float
    high: float
    fit_seconds: float  # on all rows
    size: str
    count: int  # leaves, coefficients or stored numbers
    readable: str


@dataclass(frozen=True)
class Leaderboard(TableReport):
    """The candidates that ran on all folds, the best first."""

    scoring: str
    level: float
    pick: str
    rows: tuple[LeaderboardRow, ...]

    def records(self) -> list[dict[str, Any]]:
        """One row a candidate.

        Returns
        -------
        list of dict
            Score, interval, seconds of the fit, size, and how readable it is.
        """
        return [asdict(row) | {"pick": row.learner == self.pick} for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON.

        Returns
        -------
        dict
            The score, the level, the pick and the rows.
        """
        head = {"scoring": self.scoring, "level": self.level, "pick": self.pick}
        found: dict[str, Any] = plain_data(head | {"rows": self.records()})
        return found

    @staticmethod
    def _layout(found: dict[str, Any]) -> Grid:
        return leaderboard_grid(found, len(found["rows"]))


@dataclass(frozen=True)
class LearnReport(Report):
    """The result of ``tl.learn``.

    Attributes
    ----------
    target : str
        The name of the target.
    task : {"classifier", "regressor"}
        What was learned.
    scoring : str
        The score.
    n : int
        Number of rows.
    cv : str
        The folds, as text.
    level : float
        Confidence level of the intervals.
    rows : tuple of LeaderboardRow
        The candidates that ran on all folds, the best first.
    pick, best, simplest : str
        Names of the pick, of the best candidate, and of the most readable one within one standard
        error of the best.
    score, low, high : float
        The score of the pick with its interval, corrected for the choice among the candidates.
    found : bool
        Whether a candidate is significantly better than the baseline.
    prefer : {"best", "simple"}
        The rule of the pick.
    readable : str
        Name of the simplest, or of the best that fits on a few pages.
    tradeoff : str
        The readable candidate beside the best, in a sentence.
    members : tuple of str
        The members of the soft vote.
    stopped : dict
        Candidates that were stopped early: folds run, and the score on them.
    failed : dict
        Candidates that failed, with the reason.
    skipped : tuple of str
        Candidates that the budget did not reach.
    folds : int
        Models fitted per candidate.
    remarks, cautions : tuple of str
        Notes and warnings about the table.
    model, best_model, simplest_model : Estimator
        The pick, the best and the simplest, fitted to all rows.
    readable_model : Estimator
        The model of ``readable``; ``tradeoff`` compares it with the best.
    """

    target: str
    task: str
    scoring: str
    n: int
    cv: str
    level: float
    rows: tuple[LeaderboardRow, ...]
    pick: str
    best: str
    simplest: str
    score: float
    low: float
    high: float
    found: bool
    prefer: str
    readable: str
    tradeoff: str
    members: tuple[str, ...]
    stopped: dict[str, tuple[int, float]]
    failed: dict[str, str]
    skipped: tuple[str, ...]
    folds: int
    remarks: tuple[str, ...]
    cautions: tuple[str, ...]
    model: Any = field(compare=False)
    best_model: Any = field(compare=False)
    simplest_model: Any = field(compare=False)
    readable_model: Any = field(compare=False)

    @property
    def leaderboard(self) -> Leaderboard:
        """The candidates that ran on all folds, the best first."""
        return Leaderboard(self.scoring, self.level, self.pick, self.rows)

    def to_dict(self) -> dict[str, Any]:
        """All but the fitted models, as plain data for JSON.

        Returns
        -------
        dict
            The attributes; ``rows`` are those of the leaderboard.
        """
        names = [name for name in self.__dataclass_fields__ if not name.endswith("model")]
        page = {name: getattr(self, name) for name in names}
        found: dict[str, Any] = plain_data(page | {"rows": self.leaderboard.records()})
        return found

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        title = f"{found['target']}: {found['n']:,} rows, {found['cv']}"
        steps = (
            Sentence(headline_of(found)),
            leaderboard_grid(found, MAX_PRINTED_ROWS),
            Sentence(found["tradeoff"]),
        )
        room = MAX_LINES - len(str(Derivation(title, steps)).splitlines()) - 1
        notes = _fitting(notes_of(found), room)
        return Derivation(title, (*steps, *([Sentence(notes)] if notes else [])))


def _fitting(notes: list[str], lines: int) -> str:
    """As many of the notes as fit into some lines, and where the others are."""
    shown = notes
    while shown and len(wrap_text(_joined(shown, notes)).splitlines()) > lines:
        shown = shown[:-1]
    return _joined(shown, notes) if shown else ""


def _joined(shown: list[str], notes: list[str]) -> str:
    more = [] if len(shown) == len(notes) else ["More notes: to_dict()."]
    return " ".join([*shown, *more])


def headline_of(found: Found) -> str:
    """The pick, why it was picked, and its score on new rows."""
    spec = score_format([found["score"]])
    score = f"{found['scoring']} {format_score(found['score'], spec)}"
    interval = format_interval(found["low"], found["high"], spec)
    if not found["found"]:
        return (
            f"Nothing was found: no candidate is significantly better than the baseline. The pick "
            f"is the baseline, {score} {interval}."
        )
    why = "the best score" if found["prefer"] == "best" else "simplest within one standard error"
    return (
        f"Pick: {found['pick']} ({why}), {score} {interval} on new rows, corrected for the choice "
        f"among {len(found['rows']) + len(found['stopped'])} candidates."
    )


def leaderboard_grid(found: Found, most: int, times: bool = True) -> Grid:
    """The best few candidates, with the pick and the baseline; ``times``: with the fit times."""
    rows = found["rows"]
    kept = [row["pick"] or row["learner"] == BASELINE for row in rows]
    free = most - sum(kept)
    shown = []
    for row, always in zip(rows, kept, strict=True):
        free -= not always
        if always or free >= 0:
            shown.append(row)
    spec = score_format([row["value"] for row in rows])
    timed = ("fit s",) if times else ()
    head = ("learner", found["scoring"], f"{found['level']:.0%} interval", *timed, "size",
            "readable")  # fmt: skip
    cells = tuple(
        (
            f"{'→' if row['pick'] else ' '} {row['learner']}",
            format_score(row["value"], spec),
            format_interval(row["low"], row["high"], spec),
            *((f"{row['fit_seconds']:.2f}",) if times else ()),
            row["size"],
            row["readable"],
        )
        for row in shown
    )
    left = len(rows) - len(shown)
    note = f"and {left} other{'s' * (left > 1)}" if left else ""
    return Grid("", head, cells, note)


def notes_of(found: Found) -> list[str]:
    """What did not run to the end, and what to know of the table, a sentence each."""
    notes = []
    if found["members"]:
        notes.append(f"Soft vote of {', '.join(found['members'])}.")
    if found["stopped"]:
        names = (f"{name} (after {run[0]} of {found['folds']} folds)"
                 for name, run in found["stopped"].items())  # fmt: skip
        notes.append(f"Stopped early: {', '.join(names)}.")
    if found["skipped"]:
        notes.append(f"Not reached within the budget: {', '.join(found['skipped'])}.")
    notes += [f"{name} failed: {reason}" for name, reason in found["failed"].items()]
    return [*notes, *found["remarks"], *(f"Warning: {c}." for c in found["cautions"])]
