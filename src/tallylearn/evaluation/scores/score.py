"""Scores: numbers that say how good answers are, each solved from a tally of the answers.

A score goes by scikit-learn's name where that has one. Three things differ, so that nothing is
hidden. A score that should be low is given as it is (``log_loss``), never negated
(``neg_log_loss``). 0/0 is NaN, with its reason, and so is an average over classes that holds one;
scikit-learn says 0 and warns. The log loss of a row whose true class has probability 0 is infinite;
scikit-learn raises the probability to 2e-16.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from math import inf, nan, sqrt
from typing import Any

from tallylearn.errors import OptionError, listed
from tallylearn.evaluation.scores import confusion_matrix, losses
from tallylearn.evaluation.scores.confusion_matrix import Hits, Measured, positive_class
from tallylearn.evaluation.scores.losses import Measure
from tallylearn.tables import plain
from tallylearn.tallies import Bundle

CLASSIFIER, REGRESSOR = "classifier", "regressor"

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
    part: str  # "confusion", "losses", "distances", "ranks" or "calibration"
    measure: Measure
    better: str  # "high" or "low"
    kind: str  # "share" of rows, "mean" of rows, "ratio" or "rank"
    columns: tuple[str, ...] = ()  # of the part, where that is moments
    of: str = "all"  # "positive": of one class; "each": of every class against the rest

    def value(self, bundle: Bundle, positive: Any = None) -> float:
        return self.measure(bundle, positive).value

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value that there is."""
        if self.better == "low":
            return 0.0, 1.0 if self.part in ("confusion", "calibration") else inf
        return (0.0 if self.task == CLASSIFIER else -inf), 1.0

    def titled(self, positive: Any) -> str:
        """The name, and of which class it is.

        >>> SCORES["recall"].titled("fraud")
        'recall of class fraud'
        """
        if self.of != "positive" or positive is None:
            return self.name
        return f"{self.name} of class {plain(positive)}"

    @property
    def needs_proba(self) -> bool:
        return self.task == CLASSIFIER and self.part != "confusion"


def _counted() -> Iterable[Score]:
    """From the confusion matrix."""
    make = partial(Score, task=CLASSIFIER, part="confusion", better="high")
    yield make(name="accuracy", measure=confusion_matrix.accuracy, kind="share")
    yield Score("error", CLASSIFIER, "confusion", confusion_matrix.error, "low", "share")
    yield make(name="balanced_accuracy", measure=confusion_matrix.balanced, kind="ratio")
    for rate in confusion_matrix.RATES:
        kind = "ratio" if rate == "f1" else "share"
        one = partial(confusion_matrix.of_positive, rate)
        yield make(name=rate, measure=one, kind=kind, of="positive")
        yield make(
            name=f"{rate}_macro", measure=partial(confusion_matrix.macro, rate), kind="ratio"
        )
        yield make(
            name=f"{rate}_weighted", measure=partial(confusion_matrix.weighted, rate), kind="ratio"
        )
        # every row has one answer, so over all classes each rate is the share of right answers
        yield make(name=f"{rate}_micro", measure=confusion_matrix.accuracy, kind="share")


def _probable() -> Iterable[Score]:
    """From probabilities."""
    of = partial(Score, task=CLASSIFIER, part="losses", better="low", kind="mean")
    yield of(name="log_loss", measure=losses.log_loss, columns=("log loss",))
    yield of(name="brier", measure=losses.brier, columns=("brier",))
    for name, part, one, better, kind in (
        ("roc_auc", "ranks", losses.area, "high", "rank"),
        ("ece", "calibration", losses.miscalibration, "low", "ratio"),
    ):
        each = partial(losses.one_versus_rest, one)
        yield Score(name, CLASSIFIER, part, one, better, kind, of="positive")
        yield Score(f"{name}_ovr", CLASSIFIER, part, each, better, kind, of="each")


def _numeric() -> Iterable[Score]:
    """From the errors of numbers."""
    low = partial(Score, task=REGRESSOR, part="losses", better="low")
    high = partial(Score, task=REGRESSOR, part="losses", better="high", kind="ratio")
    for name, column in (("mae", "absolute"), ("mse", "squared")):
        yield low(name=name, measure=partial(losses.mean, column), kind="mean", columns=(column,))
    yield low(name="rmse", measure=losses.root, kind="ratio", columns=("squared",))
    for name, left in (("r2", "squared"), ("explained_variance", "error")):
        yield high(name=name, measure=partial(losses.explained, left), columns=("truth", left))
    yield Score("euclidean", REGRESSOR, "distances", losses.distance, "low", "mean", ("distance",))


SCORES = {score.name: score for group in (_counted, _probable, _numeric) for score in group()}
THEIRS = {  # scikit-learn's other names
    "accuracy_score": "accuracy",
    "brier_score": "brier",
    "brier_score_loss": "brier",
    "mean_absolute_error": "mae",
    "mean_squared_error": "mse",
    "root_mean_squared_error": "rmse",
    "r2_score": "r2",
}


def measure(bundle: Bundle, name: str, positive: Any = None) -> Measured:
    """A score by its name, with the reason where it has no value.

    >>> from tallylearn.evaluation.scores.predictions import Answers
    >>> from tallylearn.tables import Codes
    >>> truth, said = Codes.of(["no", "no", "yes"]), Codes.of(["no", "no", "no"])
    >>> bundle = Answers(truth, said).tally()
    >>> measure(bundle, "accuracy")
    Measured(value=0.6666666666666666, reason='', share=(2.0, 3.0))
    >>> measure(bundle, "precision").reason
    "class 'yes' was never predicted"
    """
    return SCORES[name].measure(bundle, positive)


def spread(bundle: Bundle, name: str, positive: Any = None, share: float = 1.0) -> float:
    """The standard error of a score, over tables drawn alike; NaN where the tally has none.

    Of a mean it is sqrt(variance / (n - 1)), of a share sqrt(p (1 - p) / n), of the area under the
    ROC curve DeLong's (Biometrics 44, 1988). A unit of weight counts as so many rows: ``share``.

    >>> from tallylearn.evaluation.scores.predictions import Answers
    >>> spread(Answers([1.0, 2.0, 6.0], [1.0, 1.0, 4.0]).tally("mae"), "mae")
    0.5773502691896257
    """
    score, found = SCORES[name], measure(bundle, name, positive)
    if found.share is not None:
        above, below = found.share
        return sqrt(above * max(below - above, 0.0) / (below * share)) / below
    if not abs(found.value) < inf:
        return nan
    if score.part == "ranks" and score.of == "positive":
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


def wanted(
    names: str | Iterable[str],
    task: str,
    n_classes: int = 0,
    has_proba: bool = True,
    positive: Any = None,
) -> tuple[str, ...]:
    """The names of scores, checked: known, and fit for the task, its classes and its answers.

    >>> wanted(["accuracy", "f1_macro"], "classifier", 3)
    ('accuracy', 'f1_macro')
    """
    if isinstance(names, str):
        names = (names,)
    elif not isinstance(names, Iterable):
        raise OptionError(f"scores are names, such as ['accuracy', 'f1'], not {names!r:.60}.")
    names = tuple(dict.fromkeys(names))
    single = n_classes <= 2 or positive is not None
    fit = [
        score.name
        for score in SCORES.values()
        if score.task == task
        and (has_proba or not score.needs_proba)
        and (single or score.of != "positive")
    ]
    for name in names:
        if name not in fit:
            raise OptionError(
                f"{_misfit(name, task, n_classes, single)} Choose from {listed(fit, 99)}."
            )
    return names


def need_proba(scores: Any) -> bool:
    """Whether any of the scores looks at probabilities; the usual ones do."""
    names = () if scores is None else (scores,) if isinstance(scores, str) else tuple(scores)
    return not names or any(name not in SCORES or SCORES[name].needs_proba for name in names)


def _misfit(name: str, task: str, n_classes: int, single: bool) -> str:
    """Why a score does not fit."""
    bare = str(name).removeprefix("neg_")
    bare = THEIRS.get(bare, bare)
    if name not in SCORES and bare in SCORES:
        turned = " and is not negated" if SCORES[bare].better == "low" else ""
        return f"the score {name!r} is called {bare!r} here{turned}."
    if name not in SCORES:
        return f"there is no score {name!r}."
    score = SCORES[name]
    if score.task != task:
        return f"the score {name!r} is for a {score.task}, and this is a {task}."
    if score.of == "positive" and not single:
        return f"the score {name!r} is of one class of {n_classes}: name it with positive=."
    return f"the score {name!r} needs probabilities, and this model gives none."
