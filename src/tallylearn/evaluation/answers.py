"""Answers: what a model said about some rows, and what is true."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallylearn.errors import InputError, TargetError
from tallylearn.evaluation.confusions import positive_class
from tallylearn.evaluation.losses import BINS, RULED_OUT
from tallylearn.evaluation.scores import CLASSIFIER, REGRESSOR, SCORES
from tallylearn.tables import BLOCK, Array, Codes
from tallylearn.tallies import Bundle, Counts, Moments, Ranks
from tallylearn.tallies.keys import Keys

TOLERANCE = 1e-6  # by which a probability may leave [0, 1], and a row's sum may miss 1


@dataclass(frozen=True)
class Answers:
    """The truth of some rows beside what a model said; classes, or numbers.

    Parameters
    ----------
    truth, said : codes of classes; or numbers, (n,), or (n, d) where the target is a vector.
    classes : the columns of ``proba``. A true class that is not among them has probability 0.
    proba : the probability of every class in every row, (n, k); within 1e-6 each is in [0, 1] and
        a row sums to 1.
    weight : of the rows, from zero up.
    start : the number of the first row, for messages.

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
    start: int = 0

    def __post_init__(self) -> None:
        if self.task == REGRESSOR:
            for name in ("truth", "said"):
                numbers = np.asarray(getattr(self, name), dtype=np.float64)
                object.__setattr__(self, name, numbers)
        for name in ("proba", "weight"):
            if (found := getattr(self, name)) is not None:
                object.__setattr__(self, name, np.asarray(found, dtype=np.float64))
        _check(self)

    def __len__(self) -> int:
        return len(self.truth)

    def __getitem__(self, rows: Any) -> Answers:
        """Some of the rows."""
        named = {"truth": self.truth[rows], "said": self.said[rows]}
        for name in ("proba", "weight"):
            if (found := getattr(self, name)) is not None:
                named[name] = found[rows]
        first = rows.start or 0 if isinstance(rows, slice) else 0
        return replace(self, **named, start=self.start + first)

    @property
    def task(self) -> str:
        return CLASSIFIER if isinstance(self.truth, Codes) else REGRESSOR

    @property
    def known(self) -> tuple[Any, ...]:
        """All classes that the model or the truth knows, sorted."""
        return tuple(sorted({*self.classes, *self.truth.values, *self.truth.declared}))

    def tally(self, wanted: Iterable[str] = (), positive: Any = None) -> Bundle:
        """What the wanted scores need, as parts that add up; classes are always counted."""
        scores = [SCORES[name] for name in wanted]
        columns = {(score.part, column) for score in scores for column in score.columns}
        if self.task == REGRESSOR:
            return _errors(self, columns)
        known = self.known
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


def grouped(
    answers: Answers, groups: Codes, wanted: Iterable[str] = (), positive: Any = None
) -> dict[Any, Bundle]:
    """One tally a group, so that scores can be told group by group; they add up to the whole.

    >>> truth, said = Codes.of(["a", "b", "b"]), Codes.of(["a", "b", "a"])
    >>> found = grouped(Answers(truth, said), Codes.of(["north", "south", "south"]))
    >>> [(group, SCORES["accuracy"].value(bundle)) for group, bundle in found.items()]
    [('north', 1.0), ('south', 0.5)]
    """
    if len(groups) != len(answers):
        raise InputError(f"there are {len(groups)} groups for {len(answers)} answers.")
    wanted = tuple(wanted)
    order = np.argsort(groups.codes, kind="stable")
    ends = np.searchsorted(groups.codes[order], np.arange(len(groups.values) + 1))
    return {
        value: answers[order[ends[at] : ends[at + 1]]].tally(wanted, positive)
        for at, value in sorted(enumerate(groups.values), key=lambda pair: pair[1])
        if ends[at] < ends[at + 1]
    }


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


def _losses(answers: Answers, wanted: list[str]) -> Moments:
    """Log loss and Brier score row by row; rows of probability 0 stand in a column of their own."""
    proba = answers.proba
    if proba is None:
        raise InputError("the answers hold no probabilities, and the scores need them.")
    at = answers.truth.among(answers.classes)
    rows = np.flatnonzero(at >= 0)
    columns: dict[str, Array] = {}
    if "log loss" in wanted:
        p = np.zeros(len(answers))
        p[rows] = proba[rows, at[rows]]
        none = p <= 0
        columns["log loss"] = -np.log(np.where(none, np.nan, p))
        if none.any():
            columns[RULED_OUT] = np.where(none, 1.0, np.nan)
    if "brier" in wanted:
        apart = proba.copy()
        apart[rows, at[rows]] -= 1
        columns["brier"] = np.einsum("ij,ij->i", apart, apart) + (at < 0)
    numbers = np.column_stack(list(columns.values()))
    return _moments(numbers, _one(len(answers)), tuple(columns), answers.weight)


def _errors(answers: Answers, wanted: set[tuple[str, str]]) -> Bundle:
    """The errors of numbers, output by output, and their length as vectors."""
    n = len(answers)
    truth, said = (side.reshape(n, -1) for side in (answers.truth, answers.said))
    with np.errstate(over="ignore", invalid="ignore"):
        error = truth - said
        found = {"truth": truth, "error": error, "absolute": np.abs(error), "squared": error**2}
        columns = sorted({name for part, name in wanted if part == "losses"} | {"truth"})
        losses = np.column_stack([found[name].ravel() for name in columns])
        length = np.sqrt((error**2).sum(axis=1))
    _check_far(answers, np.isfinite(losses).all(axis=1).reshape(n, -1).all(axis=1))
    d = truth.shape[1]
    by = Codes(tuple(range(d)), np.tile(np.arange(d, dtype=np.int32), n))
    weight = None if answers.weight is None else np.repeat(answers.weight, d)
    parts = {"losses": _moments(losses, by, tuple(columns), weight)}
    if ("distances", "distance") in wanted:
        _check_far(answers, np.isfinite(length))
        parts["distances"] = _moments(length[:, None], _one(n), ("distance",), answers.weight)
    return Bundle(parts)


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


def _check(answers: Answers) -> None:
    """Lengths agree, and every answer, probability and weight is one."""
    n = len(answers.truth)
    for name in ("said", "proba", "weight"):
        found = getattr(answers, name)
        if found is not None and len(found) != n:
            raise InputError(f"there are {n} rows of truth, and {len(found)} of {name!r}.")
    if answers.task == CLASSIFIER:
        _check_classes(answers)
    else:
        if answers.truth.shape != answers.said.shape:
            shapes = answers.truth.shape, answers.said.shape
            raise InputError(f"the truth has the shape {shapes[0]}, and the answers {shapes[1]}.")
        for name in ("truth", "said"):
            numbers = getattr(answers, name)
            _check_rows(answers, np.isfinite(numbers).reshape(n, -1).all(axis=1), name, numbers)
    if (weight := answers.weight) is not None:
        _check_rows(answers, (weight >= 0) & (weight < np.inf), "weight", weight)


def _check_classes(answers: Answers) -> None:
    for name in ("truth", "said"):
        codes = getattr(answers, name)
        _check_rows(answers, codes.codes >= 0, name, np.full(len(codes), None))
    kinds = [isinstance(v, str) for v in (*answers.known, *answers.said.values)]
    if any(kinds) and not all(kinds):
        raise TargetError(
            f"the truth has classes like {answers.truth.values[0]!r}, and the answers are like "
            f"{(*answers.said.values, *answers.classes)[0]!r}. Bring both to one type."
        )
    if (proba := answers.proba) is None:
        return
    if proba.ndim != 2 or proba.shape[1] != len(answers.classes):
        raise InputError(
            f"the probabilities have the shape {proba.shape}, and there are "
            f"{len(answers.classes)} classes: give one column a class."
        )
    inside = (proba >= -TOLERANCE) & (proba <= 1 + TOLERANCE)  # not so where it is NaN
    if not inside.all():
        row, column = np.argwhere(~inside)[0]
        raise InputError(
            f"row {answers.start + row} has the probability {proba[row, column]} for class "
            f"{answers.classes[column]!r}. Probabilities lie between 0 and 1."
        )
    sums = proba.sum(axis=1)
    if (off := np.abs(sums - 1) > TOLERANCE).any():
        row = int(np.argmax(off))
        raise InputError(
            f"the probabilities of row {answers.start + row} sum to {sums[row]}, not to 1 "
            f"(within {TOLERANCE:g}). Divide every row by its sum."
        )


def _check_rows(answers: Answers, right: Array, name: str, values: Array) -> None:
    if not right.all():
        row = int(np.argmin(right))
        raise InputError(
            f"{name!r} has {values[row]} in row {answers.start + row}. Leave the row out, or "
            "replace the value."
        )


def _check_far(answers: Answers, right: Array) -> None:
    if not right.all():
        row = int(np.argmin(right))
        raise InputError(
            f"row {answers.start + row}: the truth {answers.truth[row]} and the answer "
            f"{answers.said[row]} are so far apart that their difference, or its square, is "
            "beyond every double."
        )
