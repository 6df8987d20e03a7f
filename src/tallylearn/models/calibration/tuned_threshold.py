"""Tuned thresholds: from which probability on a row is called positive, chosen on rows held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError, OptionError, quoted_list, short_repr
from tallylearn.estimators import ClassificationModel
from tallylearn.estimators.decision_threshold import positive_class
from tallylearn.estimators.estimator import Estimator, constructor_call
from tallylearn.estimators.options import fitted, option
from tallylearn.estimators.passes import Learned, Passes, in_memory
from tallylearn.expressions import (
    ClassifierExpression,
    ClassIndex,
    Literal,
    ModelExpression,
    NumberTree,
    ThresholdSplit,
    TreeSplits,
    VectorEntry,
)
from tallylearn.models.calibration.held_out import (
    NAME,
    HeldOut,
    HeldOutClassifier,
    check_members,
    member_expression,
)
from tallylearn.models.voting.members import member_probabilities
from tallylearn.tables import Array, Block, Schema, field_schemas
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Grid, Sentence, Term
from tallylearn.workings.equations import number
from tallylearn.workings.evidence_table import MAX_EXPLAINED_ROWS

MAX_THRESHOLDS = 100_000  # candidates
MAX_SHOWN_THRESHOLDS = 10  # candidates in show_work()


@dataclass(frozen=True)
class Confusion:
    """Weights of rows at several thresholds: true and false positives, and their negatives."""

    true_positive: Array
    false_positive: Array
    false_negative: Array
    true_negative: Array

    @classmethod
    def of(cls, p: Array, positive: Array, weight: Array, thresholds: Array) -> Confusion:
        """Rows with a probability of at least the threshold are called positive."""
        order = np.argsort(p, kind="stable")
        below = np.searchsorted(p[order], thresholds, side="left")
        ones = np.append(0.0, np.cumsum((weight * positive)[order]))
        zeros = np.append(0.0, np.cumsum((weight * ~positive)[order]))
        return cls(ones[-1] - ones[below], zeros[-1] - zeros[below], ones[below], zeros[below])

    @property
    def recall(self) -> Array:
        return _ratio(self.true_positive, self.true_positive + self.false_negative)

    @property
    def specificity(self) -> Array:
        return _ratio(self.true_negative, self.true_negative + self.false_positive)

    @property
    def precision(self) -> Array:
        return _ratio(self.true_positive, self.true_positive + self.false_positive)

    @property
    def rows(self) -> Array:
        return self.true_positive + self.false_positive + self.false_negative + self.true_negative

    @property
    def mcc(self) -> Array:
        """Matthews's correlation coefficient."""
        tp, fp, fn, tn = vars(self).values()
        return _ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def _ratio(above: Array, below: Array) -> Array:
    return np.asarray(np.divide(above, below, out=np.zeros_like(below), where=below > 0))


SCORES: dict[str, Callable[[Confusion], Array]] = {
    "accuracy": lambda c: _ratio(c.true_positive + c.true_negative, c.rows),
    "balanced_accuracy": lambda c: (c.recall + c.specificity) / 2,
    "f1": lambda c: _ratio(
        2 * c.true_positive, 2 * c.true_positive + c.false_positive + c.false_negative
    ),
    "matthews_corrcoef": lambda c: c.mcc,
    "mcc": lambda c: c.mcc,
    "precision": lambda c: c.precision,
    "recall": lambda c: c.recall,
}


@dataclass(frozen=True, eq=False)
class ThresholdedClassifier(ClassificationModel):
    """A fitted classifier of two classes, and the threshold that its positive class needs."""

    form: ClassVar[field_schemas.Form] = {
        "classifier": field_schemas.one(Estimator),
        "classes": field_schemas.keys("k"),
        "positive": field_schemas.count(most=1),
        "threshold": field_schemas.number(),
        "thresholds": field_schemas.floats("t"),
        "scores": field_schemas.floats("t"),
        "rows": field_schemas.count(),
    }
    classifier: Any
    classes: tuple[Any, ...]
    positive: int  # the place of the positive class
    threshold: float  # a probability of this or above is called positive
    thresholds: Array  # (t,) the candidates, increasing
    scores: Array  # (t,) their mean score over the folds
    rows: int  # that it was fitted to

    def shares(self, block: Block) -> Array:
        """(n, 2) the probabilities of the classifier."""
        return member_probabilities(NAME, self.classifier, block, self.classes)

    def predict_classes(self, block: Block) -> Array:
        """(n,) the positive class where its probability reaches the threshold."""
        return self.decide(self.shares(block))

    def decide(self, shares: Array) -> Array:
        reached = shares[:, self.positive] >= self.threshold
        return np.where(reached, self.positive, 1 - self.positive).astype(np.int64)

    def classes_and_probabilities(self, block: Block) -> tuple[Array, Array]:
        shares = self.shares(block)
        return self.decide(shares), shares

    def evidence(self, block: Block) -> list[Evidence]:
        """The probability of the positive class beside the threshold, after the classifier's."""
        shares = self.shares(block)
        chosen, found = self.decide(shares), []
        inside = (
            self.classifier.model_.evidence(block) if isinstance(self.classifier, Estimator) else ()
        )
        name = self.classes[self.positive]
        for i, p in enumerate(shares[:, self.positive].tolist()):
            amounts = {self.positive: p, 1 - self.positive: self.threshold}
            lines = tuple(
                EvidenceLine(label, (Term("", "", amounts[c]),), float(shares[i, c]))
                for c, label in enumerate(self.classes)
            )
            row = Evidence(lines, self.classes[int(chosen[i])], "score")
            if i < MAX_EXPLAINED_ROWS:
                sign = "at least" if p >= self.threshold else "below"
                said = f"P({name}) is {number(p)}, {sign} the threshold {number(self.threshold)}."
                before = inside[i].working if inside else ()
                row = replace(row, working=(*before, Sentence(said)), terms_shown=True)
            found.append(row)
        return found

    def expression(self, schema: Schema) -> ModelExpression:
        """A split of the probability at the threshold."""
        shares, at = member_expression(self.classifier, self.classes), self.positive
        below = float(np.nextafter(self.threshold, -np.inf))  # splits take values up to theirs
        split = ThresholdSplit(VectorEntry(shares, at), below, 1, 2)
        outcomes = (Literal(0.0), Literal(float(1 - at)), Literal(float(at)))
        choice = ClassIndex(NumberTree(TreeSplits((split, None, None)), outcomes))
        return ClassifierExpression(self.classes, choice, shares)

    def derivation(self, schema: Schema) -> Derivation:
        """The best candidates, and their scores."""
        best = np.argsort(-self.scores, kind="stable")[:MAX_SHOWN_THRESHOLDS]
        rows = tuple(
            (number(float(self.thresholds[i])), number(float(self.scores[i]))) for i in sorted(best)
        )
        many = len(self.scores) - len(rows)
        note = f"{many:,} more thresholds have lower scores." if many else ""
        grid = Grid("mean scores over the folds", ("threshold", "score"), rows, note)
        said = (
            f"{constructor_call(self.classifier)} calls a row {self.classes[self.positive]!r} from "
            f"the probability {number(self.threshold)} on."
        )
        return Derivation("Threshold", (Sentence(said), grid))

    def check(self, schema: Schema) -> None:
        """What a file says can be a threshold of a classifier of this schema."""
        check_members([self.classifier], self.classes, schema)
        if len(self.classes) != 2:
            raise ValueError("a threshold is not of two classes")


class TunedThresholdClassifierCV(
    HeldOutClassifier, options=("estimator", "scoring", "thresholds", "cv", "costs", "positive")
):
    """A classifier of two classes whose decision threshold has the best score on rows held out.

    A copy of the classifier is fitted to all folds but one, and predicts the probabilities of that
    fold. Each candidate threshold is scored on every fold; the one with the best mean is chosen.
    The classifier itself is fitted to all rows, and its probabilities are unchanged. Parameters and
    results are scikit-learn's; ``costs`` chooses the threshold of the least cost.

    References
    ----------
    C. Elkan, The foundations of cost-sensitive learning, IJCAI 2001.

    Examples
    --------
    >>> import tallylearn as tl
    >>> rows = [[x, x % 3] for x in range(60)]
    >>> y = ["yes" if x % 7 + x // 10 > 8 else "no" for x in range(60)]
    >>> model = tl.TunedThresholdClassifierCV(tl.NaiveBayes(), costs=(1, 10)).fit(rows, y)
    >>> round(model.best_threshold_, 2)
    0.02
    """

    stored: ClassVar[tuple[type, ...]] = (ThresholdedClassifier,)
    model_: ThresholdedClassifier = fitted()
    scoring: Any = option(
        default="balanced_accuracy",
        type_name="str or function",
        doc='What to maximise: "accuracy", "balanced_accuracy", "f1", "mcc", "precision" or '
        '"recall" of the positive class, or a function of the true and the predicted classes.',
    )
    thresholds: Any = option(
        default=100,
        type_name="int or list of floats",
        doc="The candidates: so many, evenly spaced over the predicted probabilities, or a list.",
    )
    costs: Any = option(
        default=None,
        type_name="pair, 2 x 2 table or None",
        doc="Costs of mistakes, in the place of ``scoring``: of a false positive and of a false "
        "negative, or a table with a row for each true class and a column for each predicted one. "
        "The threshold with the least mean cost is chosen.",
    )
    positive: Any = option(
        default=None,
        type_name="class or None",
        doc="The positive class; by default the second of two.",
    )

    def fit_passes(self, passes: Passes) -> Learned:
        """Fit the copies, and the classifier, to all rows in memory."""
        return in_memory(passes, partial(self._fit_block, passes))

    def _fit_block(self, passes: Passes, block: Block) -> ThresholdedClassifier:
        classes = block.target.values
        if len(classes) > 2:
            raise OptionError(
                f"a threshold decides between two classes, and the target has {len(classes)}: "
                f"{quoted_list(classes)}. Join classes. Only binary classification is supported."
            )
        at = classes.index(positive_class(classes, self.positive)) if len(classes) == 2 else 0
        found = self._hold_out(passes, block)
        given = None if isinstance(self.thresholds, Integral) else self._given_thresholds()
        grids = [self._grid(one, at, given) for one in found]
        scores = [self._score(one, block, at, grid) for one, grid in zip(found, grids, strict=True)]
        every = given
        if every is None:
            low, high = min(grid[0] for grid in grids), max(grid[-1] for grid in grids)
            every = np.linspace(low, high, int(self.thresholds))
        mean = np.mean(
            [np.interp(every, grid, each) for grid, each in zip(grids, scores, strict=True)], axis=0
        )
        best = float(every[int(mean.argmax())])
        model = self._fit_whole(block)
        return ThresholdedClassifier(
            model, classes, positive=at, threshold=best, thresholds=every, scores=mean,
            rows=len(block),
        )  # fmt: skip

    def _grid(self, found: HeldOut, at: int, given: Array | None) -> Array:
        """(t,) the candidates of one fold."""
        if given is not None:
            return given
        p = found.probabilities[:, at]
        grid = np.linspace(p.min(), p.max(), int(self.thresholds))
        if np.isclose(grid[0], grid[-1]):
            raise InputError(
                "the classifier gives all rows of a fold the same probability, so no threshold "
                "tells them apart. Pass another classifier, or fewer folds with cv=."
            )
        return grid

    def _score(self, found: HeldOut, block: Block, at: int, grid: Array) -> Array:
        """(t,) the scores of one fold at its candidates."""
        p, codes = found.probabilities[:, at], block.target.codes[found.rows]
        if self.costs is None and callable(self.scoring):
            names = np.array(block.target.values)
            said = (self.scoring(names[codes], names[np.where(p >= t, at, 1 - at)]) for t in grid)
            return np.array([_checked_score(one) for one in said])
        weight = np.ones(len(p)) if block.weight is None else block.weight[found.rows]
        confusion = Confusion.of(p, codes == at, weight, grid)
        if self.costs is None:
            return SCORES[self.scoring](confusion)
        right, missed, alarm, known = self._costs_of(at)  # of positives, then of negatives
        total = right * confusion.true_positive + missed * confusion.false_negative
        total += alarm * confusion.false_positive + known * confusion.true_negative
        return np.asarray(-_ratio(total, confusion.rows))

    def _costs_of(self, at: int) -> tuple[float, float, float, float]:
        """Of a true positive, a false negative, a false positive and a true negative."""
        table = np.asarray(self.costs, dtype=np.float64)
        if table.shape == (2,):
            return 0.0, float(table[1]), float(table[0]), 0.0
        other = 1 - at
        return tuple(  # type: ignore[return-value]  # of four
            float(table[i, j]) for i, j in ((at, at), (at, other), (other, at), (other, other))
        )

    def _given_thresholds(self) -> Array:
        return np.asarray(self.thresholds, dtype=np.float64)

    def _check_combinations(self) -> None:
        super()._check_combinations()
        if not callable(self.scoring) and not (
            isinstance(self.scoring, str) and self.scoring in SCORES
        ):
            raise OptionError(
                f"scoring is {short_repr(self.scoring)}. Pass one of {quoted_list(SCORES, 10)}, or "
                "a function of the true and the predicted classes."
            )
        self._check_thresholds()
        if self.costs is None:
            return
        if self.scoring != type(self)._declared["scoring"].default:
            raise OptionError("costs choose the threshold in the place of scoring. Pass only one.")
        if not _are_costs(self.costs):
            raise OptionError(
                f"costs is {short_repr(self.costs)}. Pass the cost of a false positive and that of "
                "a false negative, such as (1, 5), or a 2 x 2 table of numbers."
            )

    def _check_thresholds(self) -> None:
        given = self.thresholds
        if isinstance(given, Integral) and not isinstance(given, bool):
            if 2 <= int(given) <= MAX_THRESHOLDS:
                return
        elif _are_increasing(given):
            return
        raise OptionError(
            f"thresholds is {short_repr(given)}. Pass a number from 2 to {MAX_THRESHOLDS:,}, or "
            "probabilities in increasing order."
        )

    def _add_tags(self, tags: Any) -> None:
        tags.classifier_tags.multi_class = False

    def _count_training_rows(self) -> float | None:
        return float(self.model_.rows)

    @property
    def estimator_(self) -> Any:
        """The classifier, fitted to all rows."""
        self._check_fitted()
        return self.model_.classifier

    @property
    def best_threshold_(self) -> float:
        """The probability of the positive class from which on a row is called positive."""
        self._check_fitted()
        return self.model_.threshold

    @property
    def best_score_(self) -> float:
        """The mean score of that threshold over the folds; of costs, minus the mean cost a row."""
        self._check_fitted()
        return float(self.model_.scores.max())

    @property
    def cv_results_(self) -> dict[str, Array]:
        """The candidate thresholds, and their mean scores over the folds."""
        self._check_fitted()
        return {"thresholds": self.model_.thresholds, "scores": self.model_.scores}


def _are_increasing(given: Any) -> bool:
    """Whether these are numbers in increasing order, one or more."""
    if not isinstance(given, list | tuple | np.ndarray):
        return False
    try:
        found = np.asarray(given)
    except ValueError:  # lists of different lengths
        return False
    if found.ndim != 1 or not len(found) or found.dtype.kind not in "iuf":
        return False
    return bool(np.isfinite(found).all() and (np.diff(found) > 0).all())


def _are_costs(costs: Any) -> bool:
    try:
        table = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    pair = table.shape == (2,) and bool((table >= 0).all() and table.any())
    return bool(np.isfinite(table).all()) and (pair or table.shape == (2, 2))


def _checked_score(found: Any) -> float:
    if not isinstance(found, Real) or not np.isfinite(float(found)):
        raise OptionError(
            f"scoring returned {short_repr(found)}. It should return a number; larger is better."
        )
    return float(found)
