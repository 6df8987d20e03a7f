"""Nearest centroid: every class is remembered by its mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tallylearn import forms
from tallylearn.doors import ClassificationModel, Classifier, OnePass, ScoringModel
from tallylearn.doors.model import choice, log_shares
from tallylearn.kernels import scoring
from tallylearn.models.class_priors import Priors
from tallylearn.models.naive_bayes.column_factors import TILE, arranged, check_finite
from tallylearn.models.stored_tallies import check_classes, check_parts
from tallylearn.tables import DATE, NUMBER, Array, Block, Schema, check_columns, check_shape
from tallylearn.tallies import Bundle, Counts, Moments
from tallylearn.workings import Derivation, Evidence, Grid, Line, Sentence, Term
from tallylearn.workings.rendering import short


@dataclass(frozen=True)
class Centroids(ScoringModel):
    """The mean of every class, and the spread around the means that makes distances comparable."""

    classes: tuple[Any, ...]
    columns: tuple[str, ...]
    mean: Array  # (k, p)
    within: Array  # (p,) standard deviation around the class means
    prior: Array  # (k,)

    form: ClassVar[forms.Form] = {
        "classes": forms.keys("k", least=1),
        "columns": forms.names("p"),
        "mean": forms.floats("k", "p"),
        "within": forms.floats("p", least=0.0),
        "prior": forms.floats("k", least=0.0),
    }

    def check(self, schema: Schema) -> None:
        """What a file says can have been learned from columns of this schema."""
        check_columns("means", self.columns, {*schema.numbers})
        if not np.isclose(self.prior.sum(), 1):
            raise ValueError("the priors do not sum to 1")

    def __post_init__(self) -> None:
        check_shape("the means", self.mean, len(self.classes), len(self.columns))
        check_shape("the spreads", self.within, len(self.columns))
        check_shape("the priors", self.prior, len(self.classes))

    @property
    def plain(self) -> bool:
        """Whether the classes that there are are equally probable: the plain distance decides."""
        return bool(np.allclose(self.prior, np.where(self.prior > 0, self.prior.max(), 0)))

    def scores(self, block: Block) -> Array:
        """Minus the squared distance to every centroid; the discriminants where priors differ."""
        if not self.plain:
            return self.odds(block)
        out = self._less_distance(block, np.ones_like(self.within))
        out[:, self.prior == 0] = -np.inf
        return out

    def odds(self, block: Block) -> Array:
        """The discriminants: distances measured in standard deviations, and twice the log prior."""
        with np.errstate(divide="ignore"):
            prior = 2 * np.log(self.prior)
        return np.asarray(self._less_distance(block, self._scale()) + prior)

    def chosen(self, scores: Array) -> Array:
        """The place of the nearest class; distances are tied by rounding only."""
        return choice(scores, tied=0.0)

    def log_shares(self, block: Block) -> Array:
        """By the discriminants, whatever decides."""
        return log_shares(self.odds(block))

    def judged(self, block: Block) -> tuple[Array, Array]:
        """Distances decide, discriminants share."""
        return ClassificationModel.judged(self, block)

    def evidence(self, block: Block) -> list[Evidence]:
        """The squared distance, column by column: the smallest sum wins."""
        scale = np.ones_like(self.within) if self.plain else self._scale()
        names = block.schema.numbers
        at = {name: j for j, name in enumerate(self.columns)}
        order = [(at[name], i) for i, name in enumerate(names) if name in at]
        best = self.chosen(self.scores(block))
        return [
            Evidence(tuple(self._line(c, x, scale, order) for c in range(len(self.classes))),
                     self.classes[best[i]], "sum")
            for i, x in enumerate(block.numbers)
        ]  # fmt: skip

    def _line(self, c: int, x: Array, scale: Array, order: list[tuple[int, int]]) -> Line:
        with np.errstate(divide="ignore"):
            prior = float(-2 * np.log(self.prior[c]))
        terms = [] if self.plain and self.prior[c] else [Term("", "", prior)]
        terms += [
            Term(self.columns[j], f"{x[i]:.6g}", float((x[i] - self.mean[c, j]) ** 2 * scale[j]))
            for j, i in order
            if not np.isnan(x[i])
        ]
        return Line(self.classes[c], tuple(terms))

    def _scale(self) -> Array:
        flat = self.within == 0
        return np.asarray(1 / np.where(flat, 1.0, self.within) ** 2)

    def _less_distance(self, block: Block, scale: Array) -> Array:
        check_finite(block)
        at = [block.schema.numbers.index(name) for name in self.columns]
        mean = np.zeros((len(self.classes), len(block.schema.numbers)))
        scales = np.zeros_like(mean)
        mean[:, at], scales[:, at] = self.mean, np.sqrt(2 * scale)
        out = np.zeros((len(block), len(self.classes)))
        scoring.gaussian(block.numbers, mean, scales, np.empty((mean.shape[1] + 1, TILE)), out)
        if len(rows := np.flatnonzero(np.isnan(out[:, 0]))):
            some = np.zeros((len(rows), len(self.classes)))
            scoring.gaussian_present(block.numbers, mean, scales, np.zeros_like(mean), rows, some)
            out[rows] = some
        return out

    def derivation(self, schema: Schema) -> Derivation:
        """The means."""
        order = sorted(range(len(self.columns)), key=lambda j: schema.names.index(self.columns[j]))
        rows = tuple(
            (self.columns[j], *(short(float(value)) for value in self.mean[:, j])) for j in order
        )
        return Derivation(
            "Nearest centroid",
            (
                Grid("mean of every class", ("column", *map(str, self.classes)), rows),
                Sentence(
                    "A row gets the class whose mean is nearest, by the sum of squared differences."
                ),
            ),
        )


class NearestCentroid(OnePass, Classifier):
    """Nearest centroid: a row gets the class whose mean is nearest.

    Missing numbers are left out of the means and of the distances. A class that was declared and
    has no rows is nowhere, and never answered.

    Parameters
    ----------
    metric : "euclidean".
    shrink_threshold : moves the means towards the mean of all, and each column to zero that differs
        less than this many standard errors.
    priors : "uniform", "empirical" (the classes' shares), or probabilities in the order of
        ``classes_``.

    Examples
    --------
    >>> import tallylearn as tl
    >>> X, y = [[-3], [-2], [2], [3], [0.5], [1.0]], ["a", "a", "a", "a", "b", "b"]
    >>> model = tl.NearestCentroid().fit(X, y)
    >>> model.predict([[2.5]])
    array(['b'], dtype='<U1')
    >>> print(model.explain([[2.5]]))
      a  6.25 = 6.25
    → b  3.062 = 3.062

    References
    ----------
    R. Tibshirani et al., Diagnosis of multiple cancer types by shrunken centroids of gene
    expression, PNAS 2002.
    """

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE)
    stored: ClassVar[tuple[type, ...]] = (Centroids,)
    model_: Centroids

    def __init__(
        self,
        metric: str = "euclidean",
        *,
        shrink_threshold: float | None = None,
        priors: Any = "uniform",
    ) -> None:
        self.metric = metric
        self.shrink_threshold = shrink_threshold
        self.priors = priors

    def tally(self, block: Block) -> Bundle:
        """Rows by class, and moments by class."""
        names = block.schema.numbers
        moments = Moments.of(block.numbers, block.target, names, block.weight, block.start)
        return Bundle({"target": Counts.of(block.target, weight=block.weight), "numbers": moments})

    def solve(self, tally: Bundle) -> Centroids:
        """The means; shrunk where that is asked for."""
        classes = tally["target"].keys[0]
        moments = tally.get("numbers") or Moments.empty()
        moments = moments.over(classes, moments.columns)
        rows = tally["target"].floats()
        seen = moments.count.nonzero()
        overall = moments.pooled().mean[0]
        mean = np.where(seen, moments.mean, overall)
        within = _within(moments, int(np.count_nonzero(rows)))
        if self.shrink_threshold:
            mean = _shrunk(mean, overall, within, rows, float(self.shrink_threshold))
        return Centroids(
            classes, tuple(map(str, moments.columns)), mean, within, self._prior(tally["target"])
        )

    @property
    def centroids_(self) -> Array:
        """(k, p) the means, in the table's order; NaN where a column has no values."""
        self._check_fitted()
        return arranged(self.model_.mean, self.model_.columns, self.schema_)

    def decision_function(self, X: Any) -> Array:
        """The discriminants; for two classes, how far the second is ahead."""
        scores = self._mapped(X, lambda block: self.model_.odds(block))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def _counted(self, tally: Bundle) -> set[str]:
        moments = tally.get("numbers")
        return set() if moments is None else {*map(str, moments.columns)}

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        check_classes(tally["target"], self.model_.classes)
        check_parts(tally, {"numbers": Moments})
        if "numbers" in tally:
            tally["numbers"].check()
            check_columns("moments", tally["numbers"].columns, {*schema.numbers})

    def _check_options(self) -> None:
        self._one_of("metric", ("euclidean",))
        if self.shrink_threshold is not None:
            self._in_range("shrink_threshold", 0.0, open_low=True)
        if isinstance(self.priors, str):
            self._one_of("priors", ("uniform", "empirical"))

    def _prior(self, counts: Counts) -> Array:
        given = None if isinstance(self.priors, str) else self.priors
        empirical = isinstance(self.priors, str) and self.priors == "empirical"
        return Priors.of(counts, given, empirical, "priors").share


def _within(moments: Moments, k: int) -> Array:
    """The standard deviation around the class means, with n - k degrees of freedom."""
    count = moments.count.floats()
    free = np.maximum(count.sum(axis=0) - k, 1)
    result: Array = np.sqrt((moments.variance * count).sum(axis=0) / free)
    return result


def _shrunk(mean: Array, overall: Array, within: Array, rows: Array, threshold: float) -> Array:
    """Soft thresholding of the means' deviations in standard errors (equations 1 to 5)."""
    total = rows.sum()
    rows = np.where(rows > 0, rows, total)  # a class without rows is nowhere
    error = np.sqrt(1 / rows - 1 / total)[:, None] * (within + np.median(within))
    apart = mean - overall
    kept = np.maximum(np.abs(apart) - threshold * error, 0)
    return np.asarray(overall + np.sign(apart) * kept)
