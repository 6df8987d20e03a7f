"""Answers: what a model said about some rows, and what is true."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.evaluation.scores.confusion_matrix import positive_class
from tallylearn.evaluation.scores.losses import BINS, RULED_OUT
from tallylearn.evaluation.scores.prediction_checks import (
    check_classes,
    check_lengths,
    check_near,
    check_numbers,
    check_proba,
    check_rows,
)
from tallylearn.evaluation.scores.score import CLASSIFIER, REGRESSOR, SCORES
from tallylearn.evaluation.scores.score import wanted as check_wanted
from tallylearn.tables import BLOCK, Array, Codes
from tallylearn.tallies import Bundle, Counts, Moments, Ranks
from tallylearn.tallies.keys import Keys


@dataclass(frozen=True)
class Answers:
    """The truth of some rows beside what a model said; classes, or numbers.

    Parameters
    ----------
    truth, said : codes of classes; or numbers, (n,), or (n, d) where the target is a vector.
        Classes that the truth declares are counted against the rest even where they are not seen:
        declare those of the whole table, and the parts of a table add up to the whole.
    classes : the columns of ``proba``. A true class that is not among them has probability 0.
    proba : the probability of every class in every row, (n, k); within 1e-6 each is in [0, 1] and
        a row sums to 1.
    weight : of the rows, from zero up.
    log_true : the logarithm of the true class's probability, for rows where that is too small for a
        double; NaN elsewhere.
    start : the number of the first row, or the numbers of all, for messages.

    Examples
    --------
    >>> truth, said = Codes.of(["a", "b", "b"]), Codes.of(["a", "b", "a"])
    >>> bundle = Answers(truth, said).tally(["accuracy"])
    >>> SCORES["accuracy"].value(bundle + bundle)
    0.6666666666666666
    """

    truth: Any  # Codes, or numbers
    said: Any
    classes: tuple[Any, ...] = ()
    proba: Array | None = None  # (n, k)
    weight: Array | None = None  # (n,)
    start: Any = 0
    log_true: Array | None = None  # (n,)

    def __post_init__(self) -> None:
        for name in ("truth", "said", "proba", "weight"):
            if (found := getattr(self, name)) is not None and not isinstance(found, Codes):
                object.__setattr__(self, name, np.asarray(found, dtype=np.float64))
        check_lengths(self.truth, said=self.said, proba=self.proba, weight=self.weight)
        if self.task == REGRESSOR:
            check_numbers(self.truth, self.said, self.start)
        else:
            check_classes(self.truth, self.said, self.classes, self.start)
        if self.proba is not None:
            check_proba(self.proba, self.classes, self.start)
        if (weight := self.weight) is not None:
            check_rows("weight", (weight >= 0) & (weight < np.inf), weight, self.start)

    def __len__(self) -> int:
        return len(self.truth)

    def __getitem__(self, rows: Any) -> Answers:
        """Some of the rows."""
        named = {"truth": self.truth[rows], "said": self.said[rows]}
        for name in ("proba", "weight", "log_true"):
            if (found := getattr(self, name)) is not None:
                named[name] = found[rows]
        if isinstance(self.start, np.ndarray):
            return replace(self, **named, start=self.start[rows])
        first = rows.start or 0 if isinstance(rows, slice) else 0
        return replace(self, **named, start=self.start + first)

    @property
    def task(self) -> str:
        return CLASSIFIER if isinstance(self.truth, Codes) else REGRESSOR

    @property
    def known(self) -> tuple[Any, ...]:
        """All classes that the model or the truth knows, sorted."""
        if self.task == REGRESSOR:
            return ()
        return tuple(sorted({*self.classes, *self.truth.values, *self.truth.declared}))

    def tally(self, wanted: str | Iterable[str] = (), positive: Any = None) -> Bundle:
        """What the wanted scores need, as parts that add up; classes are always counted."""
        known = self.known
        names = check_wanted(wanted, self.task, len(known), self.proba is not None, positive)
        scores = [SCORES[name] for name in names]
        columns = {(score.part, column) for score in scores for column in score.columns}
        if self.task == REGRESSOR:
            return _errors(self, columns)
        truth, said = (Codes(c.values, c.codes, known) for c in (self.truth, self.said))
        parts: dict[str, Any] = {"confusion": Counts.of(truth, said, self.weight)}
        if columns:
            parts["losses"] = _losses(self, sorted(name for _, name in columns))
        for part, make in (("ranks", _ranks), ("calibration", _calibration)):
            spoken = {score.of for score in scores if score.part == part}
            if spoken:
                chosen = known if "each" in spoken else (positive_class(known, positive),)
                parts[part] = Bundle({value: make(self, value) for value in chosen})
        return Bundle(parts)


def joined(parts: Sequence[Answers]) -> Answers:
    """Answers about several runs of rows as one; their classes are the same."""
    first = parts[0]
    if len(parts) == 1:
        return first
    named: dict[str, Any] = {}
    if any(part.log_true is not None for part in parts):
        named["log_true"] = np.concatenate([
            np.full(len(part), np.nan) if part.log_true is None else part.log_true for part in parts
        ])  # fmt: skip
    for name in ("truth", "said", "proba", "weight"):
        found = [getattr(part, name) for part in parts]
        if isinstance(found[0], Codes):
            codes = np.concatenate([one.codes for one in found])
            named[name] = Codes(found[0].values, codes, found[0].declared)
        elif found[0] is not None:
            named[name] = np.concatenate(found)
    start = np.concatenate([np.broadcast_to(part.start, len(part)) for part in parts])
    return replace(first, **named, start=start)


def grouped(
    answers: Answers, groups: Codes, wanted: str | Iterable[str] = (), positive: Any = None
) -> dict[Any, Bundle]:
    """One tally a group, so that scores can be told group by group; they add up to the whole.

    Rows without a group stand under None, last.

    >>> truth, said = Codes.of(["a", "b", "b"]), Codes.of(["a", "b", "a"])
    >>> found = grouped(Answers(truth, said), Codes.of(["north", "south", "south"]))
    >>> [(group, SCORES["accuracy"].value(bundle)) for group, bundle in found.items()]
    [('north', 1.0), ('south', 0.5)]
    """
    if len(groups) != len(answers):
        raise InputError(
            f"there are {len(groups)} groups for {len(answers)} answers: give one for every row."
        )
    wanted = wanted if isinstance(wanted, str) else tuple(wanted)
    order = np.argsort(groups.codes, kind="stable")
    ends = np.searchsorted(groups.codes[order], np.arange(-1, len(groups.values) + 1))
    rows = {
        value: order[ends[at + 1] : ends[at + 2]]
        for at, value in (*sorted(enumerate(groups.values), key=itemgetter(1)), (-1, None))
    }
    return {value: answers[at].tally(wanted, positive) for value, at in rows.items() if len(at)}


def _column(answers: Answers, value: Any) -> Array:
    """The probability of a class; zero where the model does not know it."""
    if answers.proba is None or value not in answers.classes:
        return np.zeros(len(answers))
    return answers.proba[:, answers.classes.index(value)]


def _is(answers: Answers, value: Any) -> Array:
    truth = answers.truth
    place = truth.values.index(value) if value in truth.values else -2
    return np.asarray(truth.codes == place)


def _ranks(answers: Answers, value: Any) -> Ranks:
    return Ranks.of(_column(answers, value), _is(answers, value), answers.weight)


def _calibration(answers: Answers, value: Any) -> Moments:
    """The probability and the truth of a class in ten equal bins of the probability."""
    p = _column(answers, value)
    bins = np.clip(p * BINS, 0, BINS - 1).astype(np.int32)
    numbers = np.column_stack([p, _is(answers, value)])
    by = Codes(tuple(range(BINS)), bins)
    return _moments(numbers, by, ("probability", "true"), answers.weight)


def loss_columns(answers: Answers, wanted: Iterable[str]) -> dict[str, Array]:
    """The wanted losses row by row; (n, d) where the answers are numbers, of d outputs."""
    if answers.task == REGRESSOR:
        truth, said = answers.truth, answers.said
        return _error_columns(truth if truth.ndim == 2 else truth[:, None],
                              said if said.ndim == 2 else said[:, None])  # fmt: skip
    return _probable_columns(answers, wanted)


def _losses(answers: Answers, wanted: list[str]) -> Moments:
    columns = _probable_columns(answers, wanted)
    numbers = np.column_stack(list(columns.values()))
    return _moments(numbers, _one(len(answers)), tuple(columns), answers.weight)


def _probable_columns(answers: Answers, wanted: Iterable[str]) -> dict[str, Array]:
    """Log loss and Brier score; rows of probability 0 stand in a column of their own."""
    proba = np.asarray(answers.proba)
    at = answers.truth.among(answers.classes)
    rows = np.flatnonzero(at >= 0)
    columns: dict[str, Array] = {}
    if "log loss" in wanted:
        p = np.zeros(len(answers))
        p[rows] = proba[rows, at[rows]]
        none = p <= 0
        loss = -np.log(np.where(none, np.nan, p))
        if answers.log_true is not None:
            loss = np.where(none & np.isfinite(answers.log_true), -answers.log_true, loss)
            none = np.isnan(loss)
        columns["log loss"] = loss
        if none.any():
            columns[RULED_OUT] = np.where(none, 1.0, np.nan)
    if "brier" in wanted:
        apart = proba.copy()
        apart[rows, at[rows]] -= 1
        columns["brier"] = np.einsum("ij,ij->i", apart, apart) + (at < 0)
    return columns


def _error_columns(truth: Array, said: Array) -> dict[str, Array]:
    """The errors of numbers, output by output, and their length as vectors."""
    with np.errstate(over="ignore"):
        error = truth - said
        length = np.sqrt((error**2).sum(axis=1))
        return {"truth": truth, "error": error, "absolute": np.abs(error), "squared": error**2,
                "distance": length}  # fmt: skip


def _errors(answers: Answers, wanted: set[tuple[str, str]]) -> Bundle:
    """The errors of numbers, output by output, and their length as vectors."""
    truth, said = answers.truth, answers.said
    if truth.ndim == 1:
        truth, said = truth[:, None], said[:, None]
    found = _error_columns(truth, said)
    error, length = found["error"], found["distance"]
    names = sorted({name for part, name in wanted if part == "losses"} | {"truth"})
    far = ("distances", "distance") in wanted or "squared" in names
    near = np.isfinite(length) if far else np.asarray(np.isfinite(error).all(axis=1))
    check_near(near, answers.truth, answers.said, answers.start)
    parts = {"losses": _by_output([found[name] for name in names], tuple(names), answers.weight)}
    if ("distances", "distance") in wanted:
        one = _one(len(answers))
        parts["distances"] = _moments(length[:, None], one, ("distance",), answers.weight)
    return Bundle(parts)


def _by_output(columns: list[Array], names: Keys, weight: Array | None) -> Moments:
    """Moments of columns (n, d) each, keyed by the number of the output."""
    n, d = columns[0].shape
    by = Codes(tuple(range(d)), np.tile(np.arange(d, dtype=np.int32), n))
    numbers = np.column_stack([column.ravel() for column in columns])
    return _moments(numbers, by, names, None if weight is None else np.repeat(weight, d))


def _one(n: int) -> Codes:
    return Codes(("all",), np.zeros(n, dtype=np.int32))


def _moments(numbers: Array, by: Codes, columns: Keys, weight: Array | None) -> Moments:
    """Blocks of rows, summed: one call adds up no more without overflow."""
    total = Moments.empty()
    for start in range(0, len(numbers), BLOCK):
        rows = slice(start, start + BLOCK)
        some = None if weight is None else weight[rows]
        total = total + Moments.of(numbers[rows], by[rows], columns, some)
    return total
