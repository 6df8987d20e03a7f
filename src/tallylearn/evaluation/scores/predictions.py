"""Predictions of some rows beside the truth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.estimators.decision_threshold import positive_class
from tallylearn.evaluation.scores.kept_rows import KeptRows
from tallylearn.evaluation.scores.losses import BINS, OF_ZERO
from tallylearn.evaluation.scores.prediction_checks import (
    check_classes,
    check_decision,
    check_lengths,
    check_near,
    check_numbers,
    check_proba,
    check_rows,
)
from tallylearn.evaluation.scores.row_losses import error_columns, probable_columns
from tallylearn.evaluation.scores.score import (
    CLASSIFIER,
    PROBABILITIES,
    RANKING,
    REGRESSOR,
    SCORES,
    Score,
)
from tallylearn.evaluation.scores.score_names import read_scores as check_wanted
from tallylearn.tables import BLOCK, Array, Codes
from tallylearn.tallies import Bundle, Counts, Moments, Ranks
from tallylearn.tallies.keys import Keys

BESIDE = "proba", "weight", "decision", "log_true"  # arrays of all rows, where they are given


@dataclass(frozen=True)
class Predictions:
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
    decision : how much speaks for every class in every row, (n, k), where there is no ``proba``:
        the rows can be ranked by it. -inf is a class that the model does not know.

    Examples
    --------
    >>> truth, said = Codes.of(["a", "b", "b"]), Codes.of(["a", "b", "a"])
    >>> bundle = Predictions(truth, said).tally(["accuracy"])
    >>> SCORES["accuracy"].value(bundle + bundle)
    0.6666666666666666
    """

    truth: Any  # Codes, or numbers
    said: Any
    classes: tuple[Any, ...] = ()
    proba: Array | None = None  # (n, k)
    weight: Array | None = None  # (n,)
    start: Any = 0
    decision: Array | None = None  # (n, k)
    log_true: Array | None = None  # (n,)

    def __post_init__(self) -> None:
        for name in ("truth", "said", *BESIDE):
            if (found := getattr(self, name)) is not None and not isinstance(found, Codes):
                object.__setattr__(self, name, np.asarray(found, dtype=np.float64))
        check_lengths(self.truth, said=self.said, **{name: getattr(self, name) for name in BESIDE})
        if self.task == REGRESSOR:
            check_numbers(self.truth, self.said, self.start)
        else:
            check_classes(self.truth, self.said, self.classes, self.start)
        if self.proba is not None:
            check_proba(self.proba, self.classes, self.start)
        if self.decision is not None:
            check_decision(self.decision, self.classes, self.start)
        if (weight := self.weight) is not None:
            check_rows("weight", (weight >= 0) & (weight < np.inf), weight, self.start)

    def __len__(self) -> int:
        return len(self.truth)

    def __getitem__(self, rows: Any) -> Predictions:
        """Some of the rows."""
        named = {"truth": self.truth[rows], "said": self.said[rows]}
        for name in BESIDE:
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
    def ranking(self) -> Array | None:
        """(n, k) what the rows are ranked by for every class: probabilities, or the decision."""
        return self.decision if self.proba is None else self.proba

    @property
    def gives(self) -> tuple[str, ...]:
        """What scores may need beside the predictions."""
        proba = () if self.proba is None else (PROBABILITIES,)
        return (*proba, *(() if self.ranking is None else (RANKING,)))

    @property
    def known_classes(self) -> tuple[Any, ...]:
        """All classes that the model or the truth knows, sorted."""
        if self.task == REGRESSOR:
            return ()
        return tuple(sorted({*self.classes, *self.truth.values, *self.truth.declared}))

    def tally(self, wanted: str | Iterable[str] = (), positive: Any = None) -> Bundle:
        """What the wanted scores need, as parts that add up; classes are always counted."""
        known = self.known_classes
        names = check_wanted(wanted, self.task, len(known), self.gives, positive)
        scores = [SCORES[name] for name in names]
        columns = {(score.part, column) for score in scores for column in score.columns}
        kept = {"kept": KeptRows.of(self)} if any(score.part == "kept" for score in scores) else {}
        if self.task == REGRESSOR:
            return Bundle(_errors(self, columns) | kept)
        return Bundle(self._class_tallies(scores, known, positive) | kept)

    def _class_tallies(
        self, scores: list[Score], known: tuple[Any, ...], positive: Any
    ) -> dict[str, Any]:
        """The confusion, and what probabilities say."""
        truth, said = (Codes(c.values, c.codes, known) for c in (self.truth, self.said))
        parts: dict[str, Any] = {"confusion": Counts.of(truth, said, self.weight)}
        if columns := {column for score in scores for column in score.columns}:
            parts["losses"] = _losses(self, sorted(columns))
        for part, make in (("ranks", _ranks), ("calibration", _calibration)):
            spoken = {score.of for score in scores if score.part == part}
            if spoken:
                chosen = known if "each" in spoken else (positive_class(known, positive),)
                parts[part] = Bundle({value: make(self, value) for value in chosen})
        return parts


def concatenate(parts: Sequence[Predictions]) -> Predictions:
    """Predictions about several runs of rows as one; their classes are the same."""
    first = parts[0]
    if len(parts) == 1:
        return first
    named: dict[str, Any] = {}
    if any(part.log_true is not None for part in parts):
        named["log_true"] = np.concatenate([
            np.full(len(part), np.nan) if part.log_true is None else part.log_true for part in parts
        ])  # fmt: skip
    for name in ("truth", "said", "proba", "weight", "decision"):
        found = [getattr(part, name) for part in parts]
        if isinstance(found[0], Codes):
            codes = np.concatenate([one.codes for one in found])
            named[name] = Codes(found[0].values, codes, found[0].declared)
        elif found[0] is not None:
            named[name] = np.concatenate(found)
    start = np.concatenate([np.broadcast_to(part.start, len(part)) for part in parts])
    return replace(first, **named, start=start)


def tally_by_group(
    predictions: Predictions, groups: Codes, wanted: str | Iterable[str] = (), positive: Any = None
) -> dict[Any, Bundle]:
    """One tally a group, so that scores can be told group by group; they add up to the whole.

    Rows without a group stand under None, last.

    >>> truth, said = Codes.of(["a", "b", "b"]), Codes.of(["a", "b", "a"])
    >>> found = tally_by_group(Predictions(truth, said), Codes.of(["north", "south", "south"]))
    >>> [(group, SCORES["accuracy"].value(bundle)) for group, bundle in found.items()]
    [('north', 1.0), ('south', 0.5)]
    """
    if len(groups) != len(predictions):
        raise InputError(
            f"there are {len(groups):,} groups for {len(predictions):,} "
            "predictions. Give one group per row."
        )
    wanted, codes = wanted if isinstance(wanted, str) else tuple(wanted), groups.codes
    if (codes[1:] < codes[:-1]).any():  # folds most often come one after the other
        order = np.argsort(codes, kind="stable")
        predictions, codes = predictions[order], codes[order]
    ends = np.searchsorted(codes, np.arange(-1, len(groups.values) + 1))
    rows = {
        value: slice(*ends[at + 1 : at + 3])
        for at, value in (*sorted(enumerate(groups.values), key=itemgetter(1)), (-1, None))
    }
    return {
        value: predictions[some].tally(wanted, positive)
        for value, some in rows.items()
        if some.start < some.stop
    }


def _column(predictions: Predictions, value: Any) -> Array:
    """The probability of a class, or what speaks for it; zero where the model knows it not."""
    ranking = predictions.ranking
    if ranking is None or value not in predictions.classes:
        return np.zeros(len(predictions))
    return ranking[:, predictions.classes.index(value)]


def _equals_value(predictions: Predictions, value: Any) -> Array:
    truth = predictions.truth
    place = truth.values.index(value) if value in truth.values else -2
    return np.asarray(truth.codes == place)


def _ranks(predictions: Predictions, value: Any) -> Ranks:
    return Ranks.of(
        _column(predictions, value), _equals_value(predictions, value), predictions.weight
    )


def _calibration(predictions: Predictions, value: Any) -> Moments:
    """The probability and the truth of a class in ten equal bins of the probability."""
    p = _column(predictions, value)
    bins = np.clip(p * BINS, 0, BINS - 1).astype(np.int32)
    numbers = np.column_stack([p, _equals_value(predictions, value)])
    by = Codes(tuple(range(BINS)), bins)
    return _moments(numbers, by, ("probability", "true"), predictions.weight)


def _losses(predictions: Predictions, wanted: list[str]) -> Moments:
    columns = probable_columns(predictions, wanted)
    numbers = np.column_stack(list(columns.values()))
    return _moments(numbers, _make_one_class(len(predictions)), tuple(columns), predictions.weight)


def _errors(predictions: Predictions, wanted: set[tuple[str, str]]) -> dict[str, Any]:
    """The errors of numbers, output by output, and their length as vectors."""
    truth, said = predictions.truth, predictions.said
    if truth.ndim == 1:
        truth, said = truth[:, None], said[:, None]
    names = sorted({name for part, name in wanted if part == "losses"} | {"truth"})
    found = error_columns(truth, said, names)
    error, length = found["error"], found["distance"]
    far = ("distances", "distance") in wanted or "squared" in names
    near = np.isfinite(length) if far else np.asarray(np.isfinite(error).all(axis=1))
    check_near(near, predictions.truth, predictions.said, predictions.start)
    names += [OF_ZERO] if OF_ZERO in found else []
    parts = {
        "losses": _by_output([found[name] for name in names], tuple(names), predictions.weight)
    }
    if ("distances", "distance") in wanted:
        one = _make_one_class(len(predictions))
        parts["distances"] = _moments(length[:, None], one, ("distance",), predictions.weight)
    return parts


def _by_output(columns: list[Array], names: Keys, weight: Array | None) -> Moments:
    """Moments of columns (n, d) each, keyed by the number of the output."""
    n, d = columns[0].shape
    by = Codes(tuple(range(d)), np.tile(np.arange(d, dtype=np.int32), n))
    numbers = np.column_stack([column.ravel() for column in columns])
    return _moments(numbers, by, names, None if weight is None else np.repeat(weight, d))


def _make_one_class(n: int) -> Codes:
    return Codes(("all",), np.zeros(n, dtype=np.int32))


def _moments(numbers: Array, by: Codes, columns: Keys, weight: Array | None) -> Moments:
    """Blocks of rows, summed: one call adds up no more without overflow."""
    total = Moments.empty()
    for start in range(0, len(numbers), BLOCK):
        rows = slice(start, start + BLOCK)
        some = None if weight is None else weight[rows]
        total = total + Moments.of(numbers[rows], by[rows], columns, some)
    return total
