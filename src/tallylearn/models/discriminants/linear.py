"""Linear discriminant analysis: Gaussian classes with one covariance, so the borders are lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import ColumnError, OptionError
from tallylearn.estimators.finite_rows import check_representable
from tallylearn.estimators.model import build_score_expression, log_shares
from tallylearn.estimators.options import fitted, option
from tallylearn.estimators.transformers import Transformer
from tallylearn.expressions import ClassifierExpression, VectorOf, linear_sum
from tallylearn.models.design.expression import design_expressions
from tallylearn.models.design.filled_scatter import solve_filled, too_wide
from tallylearn.models.design.matrix import FAR, FROM_MEANS, Design
from tallylearn.models.design.rare_categories import RareValues
from tallylearn.models.discriminants.covariance import (
    ZERO,
    ClassScatter,
    axes,
    check_finite_matrix,
    describe_degenerate,
    spread_of,
)
from tallylearn.models.discriminants.discriminant_working import (
    DIVISOR,
    NEARLY_ZERO,
    inverse_steps,
    matrix_grid,
    pooled_steps,
    score_formula,
    several_class_steps,
    share_formula,
    two_class_steps,
)
from tallylearn.models.discriminants.gaussian_classes import (
    Discriminant,
    GaussianModel,
    mean_grid,
)
from tallylearn.models.discriminants.solvers import (
    DiscriminantRule,
    around_mean,
    by_eigen,
    by_least_squares,
    by_svd,
)
from tallylearn.models.naive_bayes.class_priors import Priors
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array, Block, Schema, check_shape, field_schemas
from tallylearn.tallies import Bundle
from tallylearn.workings import (
    Derivation,
    Evidence,
    EvidenceLine,
    Formula,
    Grid,
    Sentence,
    Term,
    format_number,
)
from tallylearn.workings.evidence_table import MAX_EXPLAINED_ROWS
from tallylearn.workings.terms import intercept_name

PRECISE = 1e4  # terms of that size leave a discriminant 12 digits behind the point
POOLED = Formula("Σ = Σ_k N_k/N S_k", r"\Sigma = \sum_k \frac{N_k}{N} S_k")
GIVEN = Formula(
    "Σ = Σ_k p_k S_k (with solver='svd': N_k/N for p_k)",
    r"\Sigma = \sum_k p_k S_k",
)
TWO = (
    Formula("a(x) = w·x + w0", r"a(x) = w^T x + w_0"),
    Formula("w = Σ⁻¹(μ1 - μ2)", r"w = \Sigma^{-1}(\mu_1-\mu_2)"),
    Formula(
        "w0 = -½(μ1ᵀΣ⁻¹μ1 - μ2ᵀΣ⁻¹μ2) + ln(p1 / p2)",
        r"w_0 = -\tfrac12(\mu_1^T\Sigma^{-1}\mu_1 - \mu_2^T\Sigma^{-1}\mu_2)"
        r" + \ln\frac{p_1}{p_2}",
    ),
    Formula("P(c1 | x) = 1 / (1 + exp(-a))", r"P(c_1 \mid x) = \frac{1}{1 + e^{-a(x)}}"),
)
SEVERAL = (
    Formula("a_k(x) = w_k·x + w_k0", r"a_k(x) = w_k^T x + w_{k0}"),
    Formula("w_k = Σ⁻¹(μ_k - μ)", r"w_k = \Sigma^{-1}(\mu_k - \mu)"),
    Formula("w_k0 = ln p_k - ½ w_k·(μ_k + μ)", r"w_{k0} = \ln p_k - \tfrac12 w_k^T (\mu_k + \mu)"),
    Formula(
        "P(c_k | x) = exp(a_k) / Σ_i exp(a_i)",
        r"P(c_k \mid x) = \frac{e^{a_k}}{\sum_i e^{a_i}}",
    ),
    Sentence("μ is the mean of the class means, weighted by P(class)."),
)


@dataclass(frozen=True)
class LinearDiscriminants(GaussianModel):
    """a_k(x) = weights_k · x + bias_k, out of the classes' means and their common covariance."""

    priors: Priors
    design: Design
    mean: Array  # (k, p)
    within: Array  # (k, p, p) covariance of each class
    covariance: Array  # (p, p)
    weights: Array  # (k, p)
    bias: Array  # (k,)
    scalings: Array  # (p, r)
    ratio: Array  # (r,)
    rank: int
    low: Array = field(default_factory=lambda: np.zeros(0))  # (k, p) digits of the means beyond
    centre: Array = field(default_factory=lambda: np.zeros(0))  # (p,) near the mean of all
    level: Array = field(default_factory=lambda: np.zeros(0))  # (k,) the discriminants there

    form: ClassVar[field_schemas.Form] = {
        "priors": field_schemas.one(Priors),
        "design": field_schemas.one(Design),
        "mean": field_schemas.floats("k", "p"),
        "within": field_schemas.floats("k", "p", "p"),
        "covariance": field_schemas.floats("p", "p"),
        "weights": field_schemas.floats("k", "p"),
        "bias": field_schemas.floats("k", bottomless=True),
        "scalings": field_schemas.floats("p", "r"),
        "ratio": field_schemas.floats("q"),
        "rank": field_schemas.count(),
        "low": field_schemas.floats("k", "p"),
        "centre": field_schemas.floats("p"),
        "level": field_schemas.floats("k", bottomless=True),
    }

    def check(self, schema: Schema) -> None:
        """What a file says can have been learned from columns of this schema."""
        self.priors.check()
        self.design.check(schema)

    def __post_init__(self) -> None:
        k, p = len(self.priors.classes), len(self.design.columns)
        self._set_low()
        if not self.centre.size:  # a file from before it was kept
            object.__setattr__(self, "centre", np.zeros(p))
            object.__setattr__(self, "level", self.bias)
        check_shape("the centre", self.centre, p)
        check_shape("the discriminants at the centre", self.level, k)
        for part in (self.mean, self.low, self.weights):
            check_shape("the means and weights", part, k, p)
        check_shape("the covariances", self.within, k, p, p)
        check_shape("the covariance", self.covariance, p, p)
        check_shape("the bias", self.bias, k)
        check_shape("the scalings", self.scalings, p, *self.scalings.shape[1:])

    @property
    def n_parameters(self) -> int:
        """K - 1 priors, K d means, d (d + 1) / 2 covariances."""
        k, d = len(self.classes), len(self.design.columns)
        return k - 1 + k * d + d * (d + 1) // 2

    def scores(self, block: Block) -> Array:
        """The discriminants (n, k)."""
        return np.concatenate([self._linear_scores(part) for part in self.design.pieces(block)])

    def _linear_scores(self, block: Block) -> Array:
        with one_thread(), np.errstate(invalid="ignore", over="ignore"):
            if self._offset > PRECISE:
                out = self.design.centred_product(block, self.centre, self.weights, self.level)
            else:
                out = self.design.product(block, self.weights) + self.bias
            if not np.isfinite(out).all():  # a missing value or an infinity shows in the sums
                out = (self.design.filled_matrix(block) - self.centre) @ self.weights.T + self.level
        check_representable(out[:, np.isfinite(self.level)], block, "discriminant")
        return out

    @cached_property
    def _offset(self) -> float:
        """How large the terms are that cancel when discriminants are summed from zero."""
        return float(np.abs(self.weights * self.centre).sum(axis=1).max(initial=0.0))

    def joint(self, block: Block) -> Array:
        """log P(x, c) for every row and class: (n, k).

        A singular covariance has a density on the span of the columns alone, as
        scipy.stats.multivariate_normal(allow_singular=True) defines it. A row off the span, where
        the columns break their linear dependence, has density 0.
        """
        with solve_filled(lambda: self.design.columns):
            values, vectors = axes(self.covariance)
            spanned = values > ZERO * values[-1]
            white, off = vectors[:, spanned] / np.sqrt(values[spanned]), vectors[:, ~spanned]
            centre = self.mean.mean(axis=0)
            mean = (self.mean - centre) + self.low
            whitened, largest = mean @ white, np.sqrt(ZERO * values[-1])
            parts = []
            for part in self.design.pieces(block):
                rows = self.design.filled_matrix(part) - centre
                near = _squared_distances(rows @ white, whitened)
                if off.size:
                    near[(np.abs(rows @ off - mean[0] @ off) > largest).any(axis=1)] = np.inf
                parts.append(near)
        size = float(np.log(2 * np.pi * values[spanned]).sum())
        return np.asarray(self.priors.log - 0.5 * (np.concatenate(parts) + size))

    def draw_rows(self, classes: Array, noise: Array) -> Array:
        """Rows of these classes out of standard normal noise (n, p)."""
        values, vectors = axes(self.covariance)
        half = vectors * np.sqrt(values.clip(0))
        return np.asarray(self.mean[classes] + noise @ half.T)

    def expression(self, schema: Schema) -> ClassifierExpression:
        """The linear discriminants around the centre of the columns."""
        terms, centre = design_expressions(self.design), self.centre.tolist()
        classes = zip(self.level.tolist(), self.weights.tolist(), strict=True)
        scores = tuple(linear_sum(level, terms, weights, centre) for level, weights in classes)
        return build_score_expression(self.classes, VectorOf(scores))

    def evidence(self, block: Block) -> list[Evidence]:
        """Every column's summand w x in every discriminant."""
        scores = self.scores(block)
        chosen, shares = self.choose(scores), np.exp(log_shares(scores))
        x, groups = self.design.filled_matrix(block), self.design.groups(block.schema)
        x, notes = (x - self.centre, (FROM_MEANS,)) if self._far else (x, ())
        return [
            Evidence(tuple(
                EvidenceLine(name, self._terms(block, i, x[i], c, groups), float(shares[i, c]))
                for c, name in enumerate(self.classes)
            ), self.classes[chosen[i]], "softmax", notes,
                self._working(x[i], chosen[i], shares[i])
                if i < MAX_EXPLAINED_ROWS else (), terms_shown=True)
            for i in range(len(block))
        ]  # fmt: skip

    def _working(self, x: Array, best: int, shares: Array) -> tuple[Grid | Formula | Sentence, ...]:
        """The discriminants of a row, and the probability of its class."""
        start = self.level if self._far else self.bias
        scores = start + self.weights @ x
        rules = [
            score_formula(name, float(start[c]), self.weights[c], x, float(scores[c]))
            for c, name in enumerate(self.classes)
        ]
        return (*rules, share_formula(self.classes, scores, int(best), float(shares[best])))

    def _terms(
        self, block: Block, i: int, x: Array, c: int, groups: dict[str, list[int]]
    ) -> tuple[Term, ...]:
        terms = [Term("", "", float((self.level if self._far else self.bias)[c]))]
        return (*terms, *self.design.evidence_terms(block, i, groups, self.weights[c] * x))

    @property
    def _far(self) -> bool:
        """Whether terms from zero are so large that rounding hides what they add up to."""
        level = self.level[np.isfinite(self.level)]
        return bool(self._offset > FAR * (1 + np.abs(level).max(initial=0.0)))

    def derivation(self, schema: Schema) -> Derivation:
        """Priors, means, covariance, and the discriminants that follow."""
        order, names = self.design.order(schema), self.design.names
        steps: list[Grid | Formula | Sentence] = [*self.design.remarks(schema), self.priors.grid()]
        steps.append(mean_grid(self, self.classes, schema))
        if len(self.classes) * len(names) <= 12:
            steps += [
                matrix_grid(f"covariance S of class {name}", self.within[c], names, order)
                for c, name in enumerate(self.classes)
            ]
        steps += [
            Sentence(DIVISOR),
            POOLED if self.priors.counted else GIVEN,
            *pooled_steps(self.priors, self.within, self.covariance, names, order),
            matrix_grid("covariance Σ", self.covariance, names, order),
            *inverse_steps("Σ", self.covariance, names, order),
        ]
        pooled = np.tensordot(self.priors.share, self.within, 1)
        if self.priors.counted and not np.allclose(pooled, self.covariance):
            steps.append(Sentence("Every S_k is shrunk first, as shrinkage= says."))
        if self.rank < len(names):
            why = (
                describe_degenerate(self.covariance, names)
                or "a column is nearly collinear with others"
            )
            steps.append(Sentence(f"Only {self.rank} of {len(names)} directions vary: {why}."))
        steps += self._rules(order)
        free = f"{self.n_parameters} free parameters: priors, means and one covariance."
        return Derivation("Linear discriminant analysis", (*steps, Sentence(free)))

    def _rules(self, order: Array) -> list[Grid | Formula | Sentence]:
        names, name = self.design.names, intercept_name(self.design.names)
        if len(self.classes) == 2:
            one, two = map(str, self.classes)
            w, w0 = self.weights[0] - self.weights[1], self.bias[0] - self.bias[1]
            w = self._without_rounding(w[None, :])[0]
            rows = tuple((names[j], format_number(float(w[j]))) for j in order)
            title = f"w and w0: a(x) = ln P({one} | x) / P({two} | x)"
            steps = two_class_steps(
                self.mean, self.covariance, w,
                start=float(w0), shares=self.priors.share, names=names, order=order,
            )  # fmt: skip
            grid = Grid(title, ("", "weight"), (*rows, (name, format_number(float(w0)))))
            return [*TWO, *steps, grid]
        weights = self._without_rounding(self.weights)
        rows = tuple((names[j], *(format_number(float(w)) for w in weights[:, j])) for j in order)
        last = (name, *(format_number(float(b)) for b in self.bias))
        steps = several_class_steps(
            self.classes, self.mean, self.covariance, weights,
            bias=self.bias, shares=self.priors.share, names=names, order=order,
        )  # fmt: skip
        grid = Grid("weights of the discriminants", ("", *map(str, self.classes)), (*rows, last))
        return [*SEVERAL, *steps, grid]

    def _without_rounding(self, weights: Array) -> Array:
        """Weights (k, p) with 0 for those that only rounding keeps from 0."""
        size = np.abs(weights) * np.sqrt(np.diag(self.covariance).clip(0))
        return np.where(size <= NEARLY_ZERO * size.max(initial=0.0), 0.0, weights)


def _squared_distances(x: Array, mean: Array) -> Array:
    """(n, k) the squared distance of every row from every mean."""
    return np.asarray(((x[:, None, :] - mean) ** 2).sum(axis=2))


class LinearDiscriminantAnalysis(
    Discriminant,
    Transformer,
    options=(
        "solver", "shrinkage", "priors", "n_components", "store_covariance", "tol",
        "covariance_estimator", "exact", "min_samples_category",
    ),
):  # fmt: skip
    """Linear discriminant analysis: Gaussian classes with a common covariance matrix.

    The decision boundaries are linear. Categories become indicators, one for every value but the
    first; dates are days. A missing value is replaced by the mean of its column over all classes,
    in ``fit`` and in ``predict``; `show_work` reports where.

    References
    ----------
    C. Bishop, Pattern Recognition and Machine Learning, 2006, chapter 4.2.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.LinearDiscriminantAnalysis().fit([[1], [3], [5], [7], [9]], [1, 1, 2, 2, 2])
    >>> model.predict_proba([[4]]).round(6)
    array([[0.699419, 0.300581]])
    >>> print(model.explain([[4]]))
    → 1   4.334 - 6 = -1.666   69.9 %
      2  -6.511 + 4 = -2.511   30.1 %
    <BLANKLINE>
    a(1) = 4.334 - 1.5 · 4 = -1.666
    a(2) = -6.511 + 1 · 4 = -2.511
    P(1 | x) = 1 / (1 + e^(-2.511 - (-1.666))) = 1 / (1 + 0.4298) = 0.6994
    """

    shaping: ClassVar[tuple[str, ...]] = ("exact",)
    stored: ClassVar[tuple[type, ...]] = (LinearDiscriminants, Priors, Design, RareValues)
    model_: LinearDiscriminants = fitted()

    solver: str = option(
        default="svd",
        kw_only=False,
        choices=("svd", "lsqr", "eigen"),
        doc='"svd" leaves directions out in which no class varies, "lsqr" takes the coefficients '
        'of least norm there, "eigen" refuses them.',
    )
    shrinkage: float | str | None = option(default=None, kw_only=False)
    priors: Any = option(default=None, kw_only=False)
    n_components: int | None = option(
        default=None, kw_only=False, low=1, doc="Number of columns that ``transform`` gives."
    )
    store_covariance: bool = option(
        default=False, kw_only=False, doc='Whether to give ``covariance_`` with "svd" too.'
    )
    tol: float = option(
        default=1e-4,
        kw_only=False,
        doc='"svd" leaves out directions with a smaller deviation, in standard deviations.',
    )
    covariance_estimator: Any = option(default=None, kw_only=False)

    def solve(self, tally: Bundle) -> LinearDiscriminants:
        """Means and covariance, and the discriminants from them."""
        priors = self._priors(tally)
        with solve_filled(lambda: self._list_counted_columns(tally)):
            spread = spread_of(tally, float(self.min_samples_category))
            if not spread.scatter.any():
                raise ColumnError(
                    "no column varies within any class (as with n_samples = 1, or one row per "
                    "class), so the covariance is 0. Add rows. The number of samples must be more "
                    "than the number of classes."
                )
            rule = self._rule(spread, priors)
        if not (np.isfinite(rule.weights).all() and np.isfinite(rule.scalings).all()):
            raise too_wide(spread.design.columns)
        model = LinearDiscriminants(
            priors=priors, design=spread.design, mean=spread.mean, low=spread.low,
            within=spread.covariance, covariance=rule.covariance, weights=rule.weights,
            bias=rule.bias, centre=rule.centre, level=rule.level, scalings=rule.scalings,
            ratio=rule.ratio, rank=rule.rank,
        )  # fmt: skip
        self._components(model)
        return model

    def _rule(self, spread: ClassScatter, priors: Priors) -> DiscriminantRule:
        if self.solver == "svd":
            return by_svd(spread, priors, float(self.tol))
        solve = by_least_squares if self.solver == "lsqr" else by_eigen
        return solve(spread, priors, self.shrinkage)

    def decision_function(self, X: Any) -> Array:
        """The discriminants X coef_ᵀ + intercept_; with two classes, the second minus the first."""
        self._check_fitted()
        if self.solver == "svd" or len(self.model_.classes) == 2:
            return super().decision_function(X)
        shared, constant = self._shared_term()
        return self._map_rows(
            X, lambda block: self._with_shared_term(block, shared, constant), "decision_function"
        )

    def _with_shared_term(self, block: Block, shared: Array, constant: float) -> Array:
        scores = self.model_.scores(block)
        with np.errstate(over="ignore", invalid="ignore"):
            common = self.model_.design.filled_matrix(block) @ shared + constant
            out = np.asarray(scores + common[:, None])
        check_representable(out[:, self.model_.priors.share > 0], block, "discriminant")
        return out

    def _shared_term(self) -> tuple[Array, float]:
        """What scikit-learn's "lsqr" and "eigen" add to all discriminants alike: Σ⁻¹μ x - ½ μΣ⁻¹μ.

        Files of the first release have it in their weights already.
        """
        model, prior = self.model_, self.model_.priors.share
        centre = prior @ model.mean
        with solve_filled(lambda: model.design.columns):
            shared = np.linalg.lstsq(check_finite_matrix(model.covariance), centre, rcond=None)[0]
        shared = shared - prior @ model.weights
        return shared, float(-0.5 * shared @ centre)

    @property
    def coef_(self) -> Array:
        """(k, p) the coefficients; (1, p), their difference, for two classes."""
        self._check_fitted()
        weights = self.model_.weights
        if len(weights) == 2:
            return self._in_table_order(weights[1:] - weights[:1], 1)
        return self._in_table_order(
            weights if self.solver == "svd" else weights + self._shared_term()[0], 1
        )

    @property
    def intercept_(self) -> Array:
        """(k,) the intercepts; (1,), their difference, for two classes."""
        self._check_fitted()
        bias: Array = self.model_.bias
        if len(bias) == 2:
            return bias[1:] - bias[:1]
        return bias if self.solver == "svd" else bias + self._shared_term()[1]

    @property
    def covariance_(self) -> Array:
        """(p, p) the covariance within the classes, weighted by the priors."""
        if self.solver == "svd" and not self.store_covariance:
            raise AttributeError("there is no 'covariance_' without store_covariance=True")
        self._check_fitted()
        found = self.model_.covariance
        if self.solver == "svd":
            found = np.tensordot(self.priors_, self.model_.within, 1)
        return self._in_table_order(found, 0, 1)

    @property
    def scalings_(self) -> Array:
        """(p, r) the directions that separate the classes."""
        self._check_fitted()
        return self._in_table_order(self.model_.scalings, 0)

    @property
    def explained_variance_ratio_(self) -> Array:
        """The share of the variance between the classes along each direction."""
        self._check_fitted()
        return np.asarray(self.model_.ratio[: self._components(self.model_)])

    @property
    def xbar_(self) -> Array:
        """(p,) the overall mean, weighted by the priors."""
        self._check_fitted()
        return np.asarray(self.priors_ @ self.means_)

    def _transform_array(self, block: Block) -> Array:
        model = self.model_
        x = model.design.filled_matrix(block)
        if self.solver == "svd":
            centre, rest, _ = around_mean(model.mean, model.low, model.priors.share)
            x = (x - centre) - rest
        with np.errstate(over="ignore", invalid="ignore"):
            out = (x @ model.scalings)[:, : self._components(model)]
        return np.asarray(check_representable(out, block, "transformed row"))

    def _n_columns_out(self) -> int:
        return min(self._components(self.model_), int(self.model_.scalings.shape[1]))

    def _components(self, model: LinearDiscriminants) -> int:
        most = min(len(model.classes) - 1, len(model.design.columns))
        wanted = most if self.n_components is None else int(self.n_components)
        if wanted > most:
            raise OptionError(
                f"n_components={wanted}, and {len(model.classes)} classes in "
                f"{len(model.design.columns)} columns have {most} discriminants. Use {most} or "
                "fewer. n_components cannot be larger than min(n_features, n_classes - 1)."
            )
        return wanted

    def _check_combinations(self) -> None:
        self._check_covariance(self.solver, "solver='lsqr' or 'eigen'")
