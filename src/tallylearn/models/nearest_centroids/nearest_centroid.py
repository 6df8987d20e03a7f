"""Nearest centroid: every class is remembered by its mean."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from tallylearn.errors import OptionError
from tallylearn.estimators import Classifier
from tallylearn.estimators.finite_rows import check_finite
from tallylearn.estimators.fit_input import FitInput
from tallylearn.estimators.options import (
    either,
    fitted,
    number,
    one_of,
    option,
    whole,
)
from tallylearn.estimators.passes import Learned, Passes
from tallylearn.models.naive_bayes.class_priors import Priors
from tallylearn.models.naive_bayes.column_factors import in_table_order
from tallylearn.models.nearest_centroids.centroids import Centroids
from tallylearn.models.nearest_centroids.exemplars import (
    KINDS,
    Exemplars,
    check_different,
    check_positive,
    choose_exemplars,
)
from tallylearn.models.nearest_centroids.mixed_space import Space
from tallylearn.models.neighbors.distances import (
    ALIASES,
    METRICS,
    check_kinds,
    check_squares,
    resolve_metric,
)
from tallylearn.models.neighbors.examples import check_complete, check_shown, repeat_rows
from tallylearn.models.stored_tallies import check_classes, check_parts
from tallylearn.sources.memory.table import check_size
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Schema, check_columns
from tallylearn.tallies import Bundle, Counts, Moments
from tallylearn.tallies.centred_sums import two_sum


class NearestCentroid(Classifier):
    """Nearest centroid: a row gets the class whose mean is nearest.

    Missing numbers are left out of the means and of the distances. A declared class without rows
    is never predicted.

    References
    ----------
    R. Tibshirani et al., Diagnosis of multiple cancer types by shrunken centroids of gene
    expression, PNAS 2002.

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
    <BLANKLINE>
    d²(a) = (2.5 - 0)² = 6.25
    d²(b) = (2.5 - 0.75)² = 3.062
    """

    family: ClassVar[str] = "discriminative"
    stored: ClassVar[tuple[type, ...]] = (Centroids, Exemplars, Space)
    model_: Centroids = fitted()

    metric: str = option(
        default="euclidean",
        kw_only=False,
        choices=(*METRICS, *ALIASES),
        doc='Distance between a row and a centroid. "gower" takes categories too and leaves '
        "missing values out: |x - z| / range of numbers, 0 or 1 of categories.",
    )
    shrink_threshold: float | None = option(
        default=None,
        low=0.0,
        open_low=True,
        doc="Moves the centroids towards the overall mean by so many standard errors: columns "
        "that differ less are equal to it (shrunken centroids).",
    )
    priors: Any = option(
        default="uniform",
        type_name="{'uniform', 'empirical'} or array-like of shape (n_classes,)",
        doc='"empirical" are the shares of the classes; or probabilities in the order of '
        "``classes_``.",
    )
    centroids_per_class: Any = option(
        default=1,
        takes=either(whole(1), one_of("cv")),
        doc='Number of centroids, one for every cluster of the class by k-means; "cv" takes the '
        "number, up to 10, that is right most often in five-fold cross-validation. A number above "
        'the distinct rows of a class is an error; "cv" takes as many as there are.',
    )
    exemplar: str = option(
        default="auto",
        choices=("auto", *KINDS),
        doc='What stands for a class, or a cluster of it: the "mean", the "median" of every '
        'column, the "geometric_mean", the "geometric_median" (least sum of Euclidean distances) '
        'or the "medoid", the row with the least sum of distances; "auto" is the median for '
        '"manhattan" and the mean otherwise, as in scikit-learn. Of a category it is the most '
        "frequent value. All but one mean a class keep no tally, and take missing values with "
        "Gower's distance only.",
    )
    p: float = option(
        default=2,
        takes=number(1.0, infinite=True),
        doc='Power of the "minkowski" distance.',
    )

    @property
    def kinds(self) -> tuple[str, ...]:  # type: ignore[override]
        """Numbers; categories by Gower's distance."""
        return (NUMBER, DATE, CATEGORY) if self.metric == "gower" else (NUMBER, DATE)

    @property
    def uses_tally(self) -> bool:
        """Whether the model is one mean per class by Euclidean distance, which is a sum."""
        one = not isinstance(self.centroids_per_class, str) and self.centroids_per_class == 1
        return one and self._metric == "euclidean" and self.exemplar in ("auto", "mean")

    @property
    def _metric(self) -> str:
        """Minkowski's distance of some powers has a name of its own."""
        return resolve_metric(self.metric, self.p) if isinstance(self.metric, str) else ""

    def learn(self, read: FitInput) -> Self:
        check_kinds(self.metric, read.schema)  # with a remedy, before columns are checked
        return super().learn(read)

    def fit_passes(self, passes: Passes) -> Learned:
        """Solve the means from a tally, or find exemplars among all rows."""
        if self.uses_tally:
            return super().fit_passes(passes)
        block = repeat_rows(passes.whole())
        check_size(len(block), len(passes.schema.columns), passes.read.weighed)
        return Learned(self._find_exemplars(block))

    def _find_exemplars(self, block: Block) -> Centroids:
        metric, columns = self._metric, block.schema.numbers
        check_finite(block)
        if metric != "gower":
            check_complete(block.numbers, columns, block)
            check_squares(block.numbers)
        classes = tuple(Counts.of(block.target).keys[0])
        kind = self.exemplar
        if kind == "auto":
            kind = "median" if metric == "manhattan" else "mean"
        if kind == "geometric_mean":
            check_positive(block.numbers, columns, block)
        y, k, number = block.target.recode(classes), len(classes), self.centroids_per_class
        space = Space.of(block, metric, self.p)
        rows = space.rows(block.numbers, block)
        check_shown(rows, block)
        check_different(rows, y, classes, number, space)
        found = choose_exemplars(rows, y, k=k, number=number, space=space, kind=kind)
        x = np.nan_to_num(block.numbers)  # the means are not used for predictions
        means = np.array([x[y == c].mean(axis=0) for c in range(k)])
        within = np.sqrt(((x - means[y]) ** 2).sum(axis=0) / max(len(x) - k, 1))
        prior = np.full(k, 1 / k)
        return Centroids(
            classes=classes, columns=columns, mean=means, within=within, prior=prior,
            exemplars=found,
        )  # fmt: skip

    def tally(self, block: Block) -> Bundle:
        """Rows by class, and moments by class."""
        if not self.uses_tally:
            raise OptionError(
                "only one mean per class and the Euclidean distance can be computed from a tally. "
                "Call fit with all rows, or leave out centroids_per_class, exemplar and metric."
            )
        names = block.schema.numbers
        moments = Moments.of(block.numbers, block.target, names, block.weight, block.start)
        return Bundle({"target": Counts.of(block.target, weight=block.weight), "numbers": moments})

    def solve(self, tally: Bundle) -> Centroids:
        """The class means; shrunk if ``shrink_threshold`` is set."""
        classes = tally["target"].keys[0]
        moments = tally.get("numbers") or Moments.empty()
        moments = moments.reindex(classes, moments.columns)
        rows = tally["target"].floats()
        seen = moments.count.nonzero()
        pooled, variance = moments.pool(), moments.variance
        overall = pooled.mean
        below = pooled.mean_low(overall, pooled.variance)
        mean = moments.mean
        low = np.where(seen, moments.mean_low(mean, variance), below)
        mean = np.where(seen, mean, overall)
        check_squares(mean)
        within = _within_class_deviation(
            moments.count.floats(), variance, int(np.count_nonzero(rows))
        )
        if self.shrink_threshold:
            apart = (mean - overall) + (low - below)
            apart = _shrink_deviations(apart, within, rows, float(self.shrink_threshold))
            mean, low = two_sum(overall, below + apart)
            low = np.where(below == 0, 0.0, low)  # near zero a double has all the digits needed
        names, prior = tuple(map(str, moments.columns)), self._prior(tally["target"])
        return Centroids(classes, names, mean, within, prior, low=low)

    @property
    def centroids_(self) -> Array:
        """(k, p) the means, in the table's order; NaN where a column has no values.

        If exemplars represent the classes, (m, p) the exemplars, ordered by class.
        """
        self._check_fitted()
        exemplars = self.model_.exemplars
        points = self.model_.mean if exemplars is None else exemplars.points
        return in_table_order(
            points[:, : len(self.model_.columns)], self.model_.columns, self.schema_
        )

    @property
    def class_prior_(self) -> Array:
        """(k,) the prior probabilities of the classes."""
        self._check_fitted()
        return self.model_.prior

    @property
    def within_class_std_dev_(self) -> Array:
        """(p,) the standard deviations around the means of the classes, in the table's order."""
        self._check_fitted()
        return np.asarray(
            in_table_order(self.model_.within[None], self.model_.columns, self.schema_)[0]
        )

    def decision_function(self, X: Any) -> Array:
        """Return the discriminants of the classes.

        Parameters
        ----------
        X : table
            The rows.

        Returns
        -------
        array of shape (n, k), or (n,) for two classes
            The score of each class; for two classes, the score of the second minus that of the
            first.
        """
        return self._map_rows(X, lambda block: self.model_.decision(block), "decision_function")

    def _count_training_rows(self) -> float | None:
        found = self.model_.exemplars
        return (
            float(found.rows)
            if found is not None and found.rows
            else super()._count_training_rows()
        )

    def _list_counted_columns(self, tally: Bundle) -> set[str]:
        moments = tally.get("numbers")
        return set() if moments is None else {*map(str, moments.columns)}

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        check_classes(tally["target"], self.model_.classes)
        check_parts(tally, {"numbers": Moments})
        if "numbers" in tally:
            tally["numbers"].check()
            check_columns("moments", tally["numbers"].columns, {*schema.numbers})

    def _check_combinations(self) -> None:
        if isinstance(self.priors, str):
            self._one_of("priors", ("uniform", "empirical"))
        if self.metric == "gower" and self.exemplar == "geometric_median":
            raise OptionError(
                "exemplar='geometric_median' minimises Euclidean distances, and metric is 'gower'. "
                "Use exemplar='medoid', or metric='euclidean'."
            )
        uniform = isinstance(self.priors, str) and self.priors == "uniform"
        if not self.uses_tally and (self.shrink_threshold is not None or not uniform):
            raise OptionError(
                "shrink_threshold and priors need one mean per class and the Euclidean distance. "
                "Leave them out, or leave out centroids_per_class, exemplar and metric."
            )

    def _prior(self, counts: Counts) -> Array:
        given = None if isinstance(self.priors, str) else self.priors
        empirical = isinstance(self.priors, str) and self.priors == "empirical"
        return Priors.of(counts, given, empirical, "priors").share


def _within_class_deviation(count: Array, variance: Array, k: int) -> Array:
    """The standard deviation around the class means, with n - k degrees of freedom."""
    free = np.maximum(count.sum(axis=0) - k, 1)
    result: Array = np.sqrt((variance * count).sum(axis=0) / free)
    return result


def _shrink_deviations(apart: Array, within: Array, rows: Array, threshold: float) -> Array:
    """Soft thresholding of the means' deviations in standard errors (equations 1 to 5)."""
    total = rows.sum()
    rows = np.where(rows > 0, rows, total)  # a class without rows is nowhere
    error = np.sqrt(1 / rows - 1 / total)[:, None] * (within + np.median(within))
    kept = np.maximum(np.abs(apart) - threshold * error, 0)
    return np.asarray(np.sign(apart) * kept)
