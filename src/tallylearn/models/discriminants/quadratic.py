"""Quadratic discriminant analysis: Gaussian classes, each with a covariance of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import ColumnError, TargetError
from tallylearn.estimators.finite_rows import check_representable
from tallylearn.estimators.model import build_score_expression, log_shares
from tallylearn.estimators.options import fitted, option
from tallylearn.expressions import (
    ClassifierExpression,
    Literal,
    Number,
    Power,
    Product,
    Sum,
    VectorOf,
    linear_sum,
)
from tallylearn.models.design.expression import design_expressions
from tallylearn.models.design.filled_scatter import solve_filled
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.rare_categories import RareValues
from tallylearn.models.discriminants.covariance import (
    ClassScatter,
    axes,
    describe_degenerate,
    spread_of,
)
from tallylearn.models.discriminants.discriminant_working import (
    DIVISOR,
    gaussian_score_steps,
    inverse_steps,
    matrix_grid,
    share_formula,
)
from tallylearn.models.discriminants.gaussian_classes import (
    Discriminant,
    GaussianModel,
    mean_grid,
)
from tallylearn.models.discriminants.shrinkage import class_covariances
from tallylearn.models.discriminants.solvers import fix_signs
from tallylearn.models.naive_bayes.class_priors import Priors
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array, Block, Schema, check_shape, field_schemas
from tallylearn.tallies import Bundle
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Formula, Grid, Sentence, Term
from tallylearn.workings.evidence_table import MAX_EXPLAINED_ROWS

RULE = (
    Formula(
        "a_k(x) = ln p_k - ½ ln |2π Σ_k| - ½ (x - μ_k)ᵀ Σ_k⁻¹ (x - μ_k)",
        r"a_k(x) = \ln p_k - \tfrac12\ln|2\pi\Sigma_k| - \tfrac12(x-\mu_k)^T\Sigma_k^{-1}(x-\mu_k)",
    ),
    Formula(
        "P(c_k | x) = exp(a_k) / Σ_i exp(a_i)",
        r"P(c_k \mid x) = \frac{e^{a_k}}{\sum_i e^{a_i}}",
    ),
)


@dataclass(frozen=True)
class QuadraticDiscriminants(GaussianModel):
    """A Gaussian for every class, by the axes of its covariance and the variances along them."""

    priors: Priors
    design: Design
    mean: Array  # (k, p)
    rotations: Array  # (k, p, p) the axes, as columns
    scalings: Array  # (k, p) the variances along them
    low: Array = field(default_factory=lambda: np.zeros(0))  # (k, p) digits of the means beyond

    form: ClassVar[field_schemas.Form] = {
        "priors": field_schemas.one(Priors),
        "design": field_schemas.one(Design),
        "mean": field_schemas.floats("k", "p"),
        "rotations": field_schemas.floats("k", "p", "p"),
        "scalings": field_schemas.floats("k", "p", least=float(np.finfo(np.float64).tiny)),
        "low": field_schemas.floats("k", "p"),
    }

    def check(self, schema: Schema) -> None:
        """What a file says can have been learned from columns of this schema."""
        self.priors.check()
        self.design.check(schema)

    def __post_init__(self) -> None:
        k, p = len(self.priors.classes), len(self.design.columns)
        self._set_low()
        for part in (self.mean, self.low):
            check_shape("the means", part, k, p)
        check_shape("the axes", self.rotations, k, p, p)
        check_shape("the variances", self.scalings, k, p)

    @property
    def n_parameters(self) -> int:
        """K - 1 priors, K d means, K d (d + 1) / 2 covariances."""
        k, d = len(self.classes), len(self.design.columns)
        return k - 1 + k * d + k * d * (d + 1) // 2

    @property
    def covariance(self) -> Array:
        """(k, p, p)."""
        scaled = self.rotations * self.scalings[:, None, :]
        return np.asarray(scaled @ self.rotations.swapaxes(1, 2))

    @property
    def start(self) -> Array:
        """(k,) the log joint density at the means."""
        size = np.log(2 * np.pi * self.scalings).sum(axis=1)
        return np.asarray(self.priors.log - 0.5 * size)

    def scores(self, block: Block) -> Array:
        """The discriminants (n, k): log P(x, c) without the constant p/2 ln 2π."""
        p = len(self.design.columns)
        return np.asarray(self.joint(block) + 0.5 * p * np.log(2 * np.pi))

    def joint(self, block: Block) -> Array:
        """log P(x, c) for every row and class: (n, k)."""
        return np.concatenate([self._joint(part) for part in self.design.pieces(block)])

    def _joint(self, block: Block) -> Array:
        with one_thread(), np.errstate(invalid="ignore", over="ignore"):
            near = self._squared_distances(self.design.filled_matrix(block))
        check_representable(near, block, "distance from the classes")
        return np.asarray(self.start - 0.5 * near)

    def _squared_distances(self, x: Array) -> Array:
        """The squared distance to every mean, in deviations."""
        out = np.empty((len(x), len(self.classes)))
        for c, mean in enumerate(self.mean):
            white = self.rotations[c] / np.sqrt(self.scalings[c])
            turned = ((x - mean) - self.low[c]) @ white
            out[:, c] = np.einsum("ij,ij->i", turned, turned)
        return out

    def draw_rows(self, classes: Array, noise: Array) -> Array:
        """Rows of these classes out of standard normal noise (n, p)."""
        scaled = noise * np.sqrt(self.scalings[classes])
        return np.asarray(self.mean[classes] + np.einsum("ijk,ik->ij", self.rotations[classes],
                                                         scaled))  # fmt: skip

    def expression(self, schema: Schema) -> ClassifierExpression:
        """ln p - ½ ln |Σ| - ½ Σ z², where z are the whitened differences from the mean."""
        terms = design_expressions(self.design)
        start = self.start + 0.5 * len(terms) * np.log(2 * np.pi)
        return build_score_expression(
            self.classes,
            VectorOf(tuple(self._score(terms, c, float(s)) for c, s in enumerate(start))),
        )

    def _score(self, terms: tuple[Number, ...], c: int, start: float) -> Number:
        away = [
            Sum((term, Literal(-mean), Literal(-low)))
            for term, mean, low in zip(
                terms, self.mean[c].tolist(), self.low[c].tolist(), strict=True
            )
        ]
        whitened = (self.rotations[c] / np.sqrt(self.scalings[c])).T.tolist()
        zero = [0.0] * len(away)
        squares = (Power(linear_sum(0.0, away, axis, zero), 2.0) for axis in whitened)
        return Sum((Literal(start), Product((Literal(-0.5), Sum(tuple(squares))))))

    def evidence(self, block: Block) -> list[Evidence]:
        """Every column's share of the distance: -½ d_j (Σ⁻¹ d)_j, with d = x - μ."""
        scores = self.scores(block)
        chosen, shares = self.choose(scores), np.exp(log_shares(scores))
        x = self.design.filled_matrix(block)
        apart = (x[:, None, :] - self.mean) - self.low
        turned = np.einsum("nkp,kpq->nkq", apart, self.rotations) / self.scalings
        parts = -0.5 * apart * np.einsum("nkq,kpq->nkp", turned, self.rotations)
        groups = self.design.groups(block.schema)
        return [
            Evidence(
                tuple(
                    EvidenceLine(
                        name, self._terms(block, i, parts[i, c], c, groups), float(shares[i, c])
                    )
                    for c, name in enumerate(self.classes)
                ),
                self.classes[chosen[i]],
                "softmax",
                working=self._working(x[i], int(chosen[i]), shares[i], block.schema)
                if i < MAX_EXPLAINED_ROWS
                else (),
                terms_shown=True,
            )
            for i in range(len(block))
        ]

    def _working(
        self, x: Array, best: int, shares: Array, schema: Schema
    ) -> tuple[Grid | Formula | Sentence, ...]:
        """The discriminants of a row, and the probability of its class."""
        order, joint = (
            self.design.order(schema),
            self.start - 0.5 * self._squared_distances(x[None, :])[0],
        )
        steps = [
            step
            for c, name in enumerate(self.classes)
            for step in gaussian_score_steps(
                name, x, self.mean[c], self.covariance[c],
                prior=float(self.priors.share[c]), score=float(joint[c]),
                names=self.design.names, order=order,
            )
        ]  # fmt: skip
        return (*steps, share_formula(self.classes, joint, best, float(shares[best])))

    def _terms(
        self, block: Block, i: int, parts: Array, c: int, groups: dict[str, list[int]]
    ) -> tuple[Term, ...]:
        terms = [Term("", "", float(self.start[c]))]
        return (*terms, *self.design.evidence_terms(block, i, groups, parts))

    def derivation(self, schema: Schema) -> Derivation:
        """Priors, means and covariances."""
        order, names = self.design.order(schema), self.design.names
        steps: list[Grid | Formula | Sentence] = [*self.design.remarks(schema), self.priors.grid()]
        steps.append(mean_grid(self, self.classes, schema))
        for c, name in enumerate(self.classes):
            covariance = self.covariance[c]
            steps.append(matrix_grid(f"covariance Σ of class {name}", covariance, names, order))
            if len(self.classes) * len(names) <= 12:
                steps += inverse_steps("Σ", covariance, names, order)
        steps.append(Sentence(DIVISOR))
        free = f"{self.n_parameters} free parameters: priors, means and a covariance a class."
        return Derivation("Quadratic discriminant analysis", (*steps, *RULE, Sentence(free)))


class QuadraticDiscriminantAnalysis(
    Discriminant,
    options=(
        "solver", "shrinkage", "priors", "reg_param", "store_covariance", "tol",
        "covariance_estimator", "exact", "min_samples_category",
    ),
):  # fmt: skip
    """Quadratic discriminant analysis: Gaussian classes, each with its own covariance matrix.

    The decision boundaries are quadratic. Categories become indicators, one for every value but
    the first; dates are days. A missing value is replaced by the mean of its column over all
    classes. ``fit(table, "target")`` skips a constant column; ``fit(X, y)`` refuses it, as in
    scikit-learn.

    References
    ----------
    T. Hastie, R. Tibshirani, J. Friedman, The Elements of Statistical Learning, 2009, chapter 4.3.

    Examples
    --------
    >>> import tallylearn as tl
    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> model = tl.QuadraticDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1]])
    array([1])
    """

    shaping: ClassVar[tuple[str, ...]] = ("exact",)
    stored: ClassVar[tuple[type, ...]] = (QuadraticDiscriminants, Priors, Design, RareValues)
    model_: QuadraticDiscriminants = fitted()

    solver: str = option(
        default="svd", choices=("svd", "eigen"), doc='"svd", or "eigen", which takes shrinkage.'
    )
    reg_param: float = option(
        default=0.0,
        low=0.0,
        high=1.0,
        doc='Share by which every covariance moves towards the identity ("svd").',
    )
    tol: float = option(
        default=1e-4,
        doc="A covariance with a smaller variance along any axis is refused as singular.",
    )

    def _solve_matched(self, tally: Bundle, by_name: bool) -> QuadraticDiscriminants:
        return self.solve(self._in_rows(tally), drop_constant=by_name)

    def solve(self, tally: Bundle, drop_constant: bool = False) -> QuadraticDiscriminants:
        """The axes of every class's covariance; constant columns are refused, or dropped."""
        priors = self._priors(tally)
        with solve_filled(lambda: self._list_counted_columns(tally)):
            spread = spread_of(tally, float(self.min_samples_category))
            if drop_constant:
                spread = spread.varying()
            covariance = spread.covariance
            if self.solver == "eigen" and self.shrinkage is not None:
                covariance = class_covariances(spread, self.shrinkage)
            found = [axes(each) for each in covariance]
            values = np.stack([each[::-1] for each, _ in found])
            if self.solver == "svd":
                share = float(self.reg_param)
                values = (1 - share) * values.clip(0) + share
            self._check_rank(priors.classes, spread, covariance, values)
            rotations = np.stack([fix_signs(vectors[:, ::-1]) for _, vectors in found])
        return QuadraticDiscriminants(
            priors, spread.design, spread.mean, rotations, values, low=spread.low
        )

    def _check_rank(
        self, classes: tuple[Any, ...], spread: ClassScatter, covariance: Array, values: Array
    ) -> None:
        names = spread.design.names
        remedy = "reg_param" if self.solver == "svd" else "shrinkage"
        for c, name in enumerate(classes):
            if values[c].min() <= self.tol and not spread.scatter[c].any():
                raise TargetError(
                    f"no column varies in class {name!r} (rows: {spread.rows[c]:g}; as with "
                    "n_samples = 1), so its covariance is 0. Merge it with another class, use "
                    "reg_param=0.1 with solver='svd', or use LinearDiscriminantAnalysis."
                )
            if values[c].min() <= self.tol:
                why = describe_degenerate(covariance[c], names)
                why = why or f"a variance is below tol={self.tol}"
                raise ColumnError(
                    f"the covariance of class {name!r} is singular ({spread.rows[c]:g} rows, "
                    f"{len(names)} columns): {why}. Raise {remedy}, lower tol, rescale or drop a "
                    f"column. The covariance matrix of class {name} is not full rank."
                )

    @property
    def covariance_(self) -> list[Array]:
        """(p, p) for every class, regularisation included; with store_covariance=True."""
        if not self.store_covariance:
            raise AttributeError("there is no 'covariance_' without store_covariance=True")
        self._check_fitted()
        return [self._in_table_order(each, 0, 1) for each in self.model_.covariance]

    @property
    def rotations_(self) -> list[Array]:
        """(p, p) the axes of every class's covariance, as columns."""
        self._check_fitted()
        return [self._in_table_order(each, 0) for each in self.model_.rotations]

    @property
    def scalings_(self) -> list[Array]:
        """(p,) the variances along the axes, for every class."""
        self._check_fitted()
        return list(self.model_.scalings)

    def _check_combinations(self) -> None:
        self._check_covariance(self.solver, "solver='eigen'")
