"""Scores: numbers that say how good predictions are, each solved from a tally of the predictions.

A score goes by scikit-learn's name where that is short. Three things differ, so that nothing is
hidden. A score that should be low is given as it is (``log_loss``), never negated
(``neg_log_loss``). 0/0 is NaN, with its reason, and so is an average over classes that holds one;
scikit-learn says 0 and warns. The log loss of a row whose true class has probability 0 is infinite,
and so is the relative error of a row whose truth is 0; scikit-learn divides by 2e-16.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from math import inf, nan, sqrt
from typing import Any

from tallylearn.estimators.decision_threshold import positive_class
from tallylearn.evaluation.scores import confusion_matrix, losses
from tallylearn.evaluation.scores.confusion_matrix import Hits, ScoreValue
from tallylearn.evaluation.scores.losses import Measure
from tallylearn.tables import plain
from tallylearn.tallies import Bundle

CLASSIFIER, REGRESSOR = "classifier", "regressor"

PROBABILITIES, RANKING = "probabilities", "ranking"

TIED = 1e-9  # relative: scores closer than this are equal but for rounding


@dataclass(frozen=True)
class Score:
    """A score: which part of the tally it needs, and how it follows from that.

    ``measure(bundle, positive)`` gives the value with its reason, ``value`` the number alone.

    >>> score = SCORES["log_loss"]
    >>> score.part, score.better, score.kind
    ('losses', 'low', 'mean')
    """

    name: str
    task: str  # "classifier" or "regressor"
    part: str  # "confusion", "losses", "distances", "ranks", "calibration" or "kept"
    measure: Measure
    better: str  # "high" or "low"
    kind: str  # "share" of rows, "mean" of rows, "ratio" or "rank"
    columns: tuple[str, ...] = ()  # of the part, where that is moments
    of: str = "all"  # "positive": of one class; "each": of every class against the rest
    needs: str = ""  # PROBABILITIES, RANKING, or nothing beside the predictions
    bounds: tuple[float, float] = (0.0, 1.0)  # the least and the greatest value that there is

    def value(self, bundle: Bundle, positive: Any = None) -> float:
        return self.measure(bundle, positive).value

    def title(self, positive: Any) -> str:
        """The name, and of which class it is.

        >>> SCORES["recall"].title("fraud")
        'recall (fraud)'
        """
        return score_title(self.name, positive if self.of == "positive" else None)

    @property
    def is_pooled(self) -> bool:
        """Whether its value over folds is the score of all out-of-fold predictions together.

        A ratio of sums is biased where a fold has few rows: R-squared divides by the variance of
        that fold, F1 by its positives. Means over rows need no pooling; ranks of different models
        cannot be pooled; a function of the user's own is averaged, as scikit-learn does.
        G. Forman and M. Scholz, Apples-to-apples in cross-validation studies, SIGKDD
        Explorations 12, 2010.

        >>> [name for name in ("accuracy", "f1", "roc_auc", "mae", "r2") if SCORES[name].is_pooled]
        ['f1', 'r2']
        """
        rates = (confusion_matrix.accuracy, confusion_matrix.error)
        mean_of_rows = self.measure in rates or (self.kind == "share" and bool(self.columns))
        ratio = self.kind in ("ratio", "share") and self.part in ("confusion", "losses")
        return ratio and not mean_of_rows

    @property
    def key(self) -> str:
        """The name, which brings the score along where no list holds it."""
        return CustomScoreName(self) if self.part == "kept" else self.name


class CustomScoreName(str):
    """The name of a score that no list holds, with the score: a function of the user's own."""

    score: Score

    def __new__(cls, score: Score) -> CustomScoreName:
        found = super().__new__(cls, score.name)
        found.score = score
        return found

    def __reduce__(self) -> tuple[type[CustomScoreName], tuple[Score]]:
        return CustomScoreName, (self.score,)


class Scores(dict[str, Score]):
    """The scores by their names; those with a number in the name are made as they are asked for.

    >>> SCORES["f0.5"].name, SCORES["top_3_accuracy"].columns, SCORES["pinball_0.9"].better
    ('f0.5', ('top 3',), 'low')
    """

    def __getitem__(self, name: str) -> Score:
        return name.score if isinstance(name, CustomScoreName) else super().__getitem__(name)

    def __missing__(self, name: str) -> Score:
        if (found := _with_number(name)) is None:
            raise KeyError(name)
        return found

    def knows(self, name: Any) -> bool:
        """Whether there is a score of this name."""
        listed = isinstance(name, str) and name in self
        return listed or isinstance(name, CustomScoreName) or _with_number(name) is not None


def score_title(name: str, of: Any) -> str:
    """A score's name, and the class that it is of, if it is of one."""
    return name if of is None else f"{name} ({plain(of)})"


def remedy(name: str) -> str:
    """What to do where a score is infinite; nothing where it cannot be.

    >>> remedy("log_loss")
    " Use scoring='brier', which is always finite, or smooth the probabilities."
    """
    finite = {"log_loss": ("brier", ", or smooth the probabilities"), "mape": ("mae", "")}
    if name not in finite:
        return ""
    other, more = finite[name]
    return f" Use scoring={other!r}, which is always finite{more}."


def _confusion_scores() -> Iterable[Score]:
    """From the confusion matrix."""
    make = partial(Score, task=CLASSIFIER, part="confusion", better="high")
    yield make(name="accuracy", measure=confusion_matrix.accuracy, kind="share")
    yield Score(
        name="error",
        task=CLASSIFIER,
        part="confusion",
        measure=confusion_matrix.error,
        better="low",
        kind="share",
    )
    yield make(name="balanced_accuracy", measure=confusion_matrix.balanced_accuracy, kind="ratio")
    for rate in (*confusion_matrix.RATES, "f0.5", "f2"):
        yield from (_rate(rate, over) for over in ("", "_macro", "_weighted", "_micro"))
    between = partial(make, kind="ratio", bounds=(-1.0, 1.0))
    yield between(name="mcc", measure=confusion_matrix.mcc)
    for name, power in (("kappa", 0), ("kappa_linear", 1), ("kappa_quadratic", 2)):
        yield between(name=name, measure=partial(confusion_matrix.kappa, power))


def _rate(rate: str, over: str) -> Score:
    """A rate of one class, or over all."""
    make = partial(Score, f"{rate}{over}", CLASSIFIER, "confusion", better="high", kind="ratio")
    if over == "_micro":  # every row has one answer: over all classes it is the share of right ones
        return make(measure=confusion_matrix.accuracy, kind="share")
    if over:
        averaged = (
            confusion_matrix.macro if over == "_macro" else confusion_matrix.weighted_mean_rate
        )
        return make(measure=partial(averaged, rate))
    kind = "share" if rate in ("precision", "recall") else "ratio"
    return make(measure=partial(confusion_matrix.of_positive, rate), kind=kind, of="positive")


def _probable() -> Iterable[Score]:
    """From probabilities, or from anything that ranks the rows."""
    of = partial(
        Score, task=CLASSIFIER, part="losses", better="low", kind="mean", needs=PROBABILITIES
    )
    yield of(name="log_loss", measure=losses.log_loss, columns=("log loss",), bounds=(0.0, inf))
    yield of(name="brier", measure=losses.brier, columns=("brier",), bounds=(0.0, 2.0))
    for name, part, one, better, kind, needs in (
        ("roc_auc", "ranks", losses.area, "high", "rank", RANKING),
        ("average_precision", "ranks", losses.average_precision, "high", "ratio", RANKING),
        ("ece", "calibration", losses.miscalibration, "low", "ratio", PROBABILITIES),
    ):
        each = partial(losses.one_versus_rest, one)
        yield Score(
            name=name,
            task=CLASSIFIER,
            part=part,
            measure=one,
            better=better,
            kind=kind,
            of="positive",
            needs=needs,
        )
        yield Score(
            name=f"{name}_ovr",
            task=CLASSIFIER,
            part=part,
            measure=each,
            better=better,
            kind=kind,
            of="each",
            needs=needs,
        )
    yield _top(2)


def _top(k: int) -> Score:
    return Score(
        name=f"top_{k}_accuracy",
        task=CLASSIFIER,
        part="losses",
        measure=partial(losses.share, f"top {k}"),
        better="high",
        kind="share",
        columns=(f"top {k}",),
        needs=RANKING,
    )


def _numeric_scores() -> Iterable[Score]:
    """From the errors of numbers."""
    low = partial(Score, task=REGRESSOR, part="losses", better="low", bounds=(0.0, inf))
    high = partial(
        Score, task=REGRESSOR, part="losses", better="high", kind="ratio", bounds=(-inf, 1.0)
    )
    for name, column in (("mae", "absolute"), ("mse", "squared")):
        yield low(name=name, measure=partial(losses.mean, column), kind="mean", columns=(column,))
    yield low(name="mape", measure=losses.relative, kind="mean", columns=("relative",))
    yield _pinball("pinball", "0.5")
    yield low(name="rmse", measure=losses.root, kind="ratio", columns=("squared",))
    for name, left in (("r2", "squared"), ("explained_variance", "error")):
        yield high(
            name=name, measure=partial(losses.explained_variance, left), columns=("truth", left)
        )
    yield Score(
        name="euclidean",
        task=REGRESSOR,
        part="distances",
        measure=losses.distance,
        better="low",
        kind="mean",
        columns=("distance",),
        bounds=(0.0, inf),
    )


def _pinball(name: str, quantile: str) -> Score:
    column = f"{losses.PINBALL}{quantile}"
    return Score(
        name=name,
        task=REGRESSOR,
        part="losses",
        measure=partial(losses.mean, column),
        better="low",
        kind="mean",
        columns=(column,),
        bounds=(0.0, inf),
    )


def _with_number(name: Any) -> Score | None:
    """A score whose name has a number in it: f2, f0.5_macro, top_3_accuracy, pinball_0.9."""
    said = name if isinstance(name, str) else ""
    if found := re.fullmatch(r"(f(?:[1-9]\d{0,5}|\d?\.\d{1,6}))(_macro|_weighted|_micro)?", said):
        return _rate(found[1], found[2] or "") if float(found[1][1:]) > 0 else None
    if found := re.fullmatch(r"top_([1-9]\d{0,5})_accuracy", said):
        return _top(int(found[1]))
    if found := re.fullmatch(r"pinball_(0?\.\d{1,9})", said):
        return _pinball(said, found[1]) if float(found[1]) > 0 else None
    return None


SCORES = Scores(
    (score.name, score)
    for group in (_confusion_scores, _probable, _numeric_scores)
    for score in group()
)


def measure(bundle: Bundle, name: str, positive: Any = None) -> ScoreValue:
    """A score by its name, with the reason where it has no value.

    >>> from tallylearn.evaluation.scores.predictions import Predictions
    >>> from tallylearn.tables import Codes
    >>> truth, said = Codes.of(["no", "no", "yes"]), Codes.of(["no", "no", "no"])
    >>> bundle = Predictions(truth, said).tally()
    >>> measure(bundle, "accuracy")
    ScoreValue(value=0.6666666666666666, reason='', share=(2.0, 3.0))
    >>> measure(bundle, "precision").reason
    "class 'yes' was never predicted"
    """
    return SCORES[name].measure(bundle, positive)


def standard_error(bundle: Bundle, name: str, positive: Any = None, share: float = 1.0) -> float:
    """The standard error of a score, over tables drawn alike; NaN where the tally has none.

    Of a mean it is sqrt(variance / (n - 1)), of a share sqrt(p (1 - p) / n), of the area under the
    ROC curve DeLong's (Biometrics 44, 1988). A unit of weight counts as so many rows: ``share``.

    >>> from tallylearn.evaluation.scores.predictions import Predictions
    >>> standard_error(Predictions([1.0, 2.0, 6.0], [1.0, 1.0, 4.0]).tally("mae"), "mae")
    0.5773502691896257
    """
    score, found = SCORES[name], measure(bundle, name, positive)
    if found.share is not None:
        above, below = found.share
        return sqrt(above * max(below - above, 0.0) / (below * share)) / below
    if not abs(found.value) < inf:
        return nan
    if score.kind == "rank" and score.of == "positive":
        chosen = positive_class(Hits.of(bundle).classes, positive)
        return float(bundle["ranks"][chosen].standard_error(share))
    return _mean_error(bundle, score, share) if score.kind == "mean" else nan


def _mean_error(bundle: Bundle, score: Score, share: float) -> float:
    moments = bundle[score.part]
    at = moments.columns.index(score.columns[0])
    rows = share * float(moments.count.floats()[0, at])
    if len(moments.keys) > 1 or rows <= 1:
        return nan
    times = losses.scale(bundle) if score.name == "brier" else 1.0
    try:
        return times * sqrt(float(moments.variance[0, at]) / (rows - 1))
    except OverflowError:  # errors of 1e200 and more
        return nan
