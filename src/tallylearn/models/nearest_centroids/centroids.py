"""Centroids: the mean of every class, or exemplars, and how far a row is from each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from tallylearn.estimators import ClassificationModel, ScoringModel
from tallylearn.estimators.finite_rows import check_finite, check_representable
from tallylearn.estimators.model import choice, log_shares, tie_rule
from tallylearn.expressions import (
    Argmax,
    CategoryColumn,
    ClassifierExpression,
    DistanceMetric,
    FilledNumber,
    Literal,
    NearestDistance,
    Number,
    NumberColumn,
    Power,
    Product,
    Softmax,
    Sum,
    VectorOf,
)
from tallylearn.kernels import evidence_sums
from tallylearn.models.naive_bayes.column_factors import TILE
from tallylearn.models.naive_bayes.far_rows import find_near_ties, relative_densities, rows_at
from tallylearn.models.nearest_centroids.exemplars import Exemplars
from tallylearn.models.neighbors.distances import FORMULAS
from tallylearn.models.neighbors.examples import check_complete, check_shown
from tallylearn.models.neighbors.neighbour_expression import plain_rows
from tallylearn.tables import Array, Block, Schema, check_columns, check_shape, field_schemas
from tallylearn.workings import (
    Derivation,
    Evidence,
    EvidenceLine,
    Formula,
    Grid,
    Sentence,
    Term,
    equation,
    format_number,
)
from tallylearn.workings.distance_steps import MAX_SHOWN_COLUMNS, distance_formula
from tallylearn.workings.evidence_table import MAX_EXPLAINED_ROWS
from tallylearn.workings.units import ValueFormatter, value_formatter


@dataclass(frozen=True)
class Centroids(ScoringModel):
    """The mean of every class, and the spread around the means that makes distances comparable."""

    classes: tuple[Any, ...]
    columns: tuple[str, ...]
    mean: Array  # (k, p)
    within: Array  # (p,) standard deviation around the class means
    prior: Array  # (k,)
    exemplars: Exemplars | None = None  # in the place of the means
    low: Array = field(default_factory=lambda: np.zeros(0))  # as mean: its digits beyond a double

    form: ClassVar[field_schemas.Form] = {
        "classes": field_schemas.keys("k", least=1),
        "columns": field_schemas.names("p"),
        "mean": field_schemas.floats("k", "p"),
        "within": field_schemas.floats("p", least=0.0),
        "prior": field_schemas.floats("k", least=0.0),
        "exemplars": field_schemas.one(Exemplars, none=True),
        "low": field_schemas.floats("k", "p"),
    }

    def check(self, schema: Schema) -> None:
        """What a file says can have been learned from columns of this schema."""
        check_columns("means", self.columns, {*schema.numbers})
        if not np.isclose(self.prior.sum(), 1):
            raise ValueError("the priors do not sum to 1")
        if self.exemplars is not None:
            self.exemplars.check(len(self.classes), len(self.columns))

    def __post_init__(self) -> None:
        if not self.low.size:  # a file from before they were kept
            object.__setattr__(self, "low", np.zeros(self.mean.shape))
        for part in (self.mean, self.low):
            check_shape("the means", part, len(self.classes), len(self.columns))
        check_shape("the spreads", self.within, len(self.columns))
        check_shape("the priors", self.prior, len(self.classes))

    @property
    def plain(self) -> bool:
        """Whether the classes that there are are equally probable: the plain distance decides."""
        return bool(np.allclose(self.prior, np.where(self.prior > 0, self.prior.max(), 0)))

    def scores(self, block: Block) -> Array:
        """Minus the squared distance to every centroid; the discriminants where priors differ."""
        if self.exemplars is not None:
            return -self.exemplars.nearest(self._complete(block), len(self.classes))[0]
        if not self.plain:
            return self.odds(block)
        out = self._less_distance(block, np.ones_like(self.within))
        out[:, self.prior == 0] = -np.inf
        return out

    def odds(self, block: Block) -> Array:
        """The discriminants: distances measured in standard deviations, and twice the log prior."""
        if self.exemplars is not None:
            with np.errstate(over="ignore"):
                out = np.asarray(-(self.scores(block) ** 2) / (self.exemplars.spread or 1.0))
            return check_representable(out, block, "distance from the classes")
        with np.errstate(divide="ignore"):
            prior = 2 * np.log(self.prior)
        out = np.asarray(self._less_distance(block, self._scale()) + prior)
        check_representable(out[:, self.prior > 0], block, "distance from the classes")
        return out

    def choose(self, scores: Array) -> Array:
        """The place of the nearest class; distances are tied by rounding only."""
        return choice(scores, tied=0.0)

    def predict_classes(self, block: Block) -> Array:
        """(n,) the place of the nearest class, of rows at any distance."""
        if self.exemplars is not None:
            return self.choose(-self._relative(block)[1])
        scale = np.ones_like(self.within) if self.plain else self._scale()
        return self.choose(self._compare(block, scale))

    def log_shares(self, block: Block) -> Array:
        """By the discriminants, whatever decides."""
        return log_shares(self._compare(block, self._scale()))

    def decision(self, block: Block) -> Array:
        """(n, k) the discriminants; of two classes (n,), how far the second is ahead."""
        if len(self.classes) != 2:
            return self.odds(block)
        found = self._compare(block, self._scale())
        ahead: Array = found[:, 1] - found[:, 0]
        if self.prior.all():  # a class without rows is infinitely far away
            check_representable(ahead, block, "distance from the classes")
        return ahead

    def _compare(self, block: Block, scale: Array) -> Array:
        """(n, k) minus the squared distances, and twice the log prior, up to a number of each row.

        Classes that differ by little beside their distance are compared by the difference.
        """
        if self.exemplars is not None:
            return self._compared_exemplars(block)
        with np.errstate(divide="ignore"):
            prior = 2 * np.log(self.prior)
        if self.plain:
            prior = np.where(self.prior > 0, 0.0, -np.inf)
        out = np.asarray(self._less_distance(block, scale) + prior)
        if len(rows := find_near_ties(out, least=0.0)):
            far = rows_at(block, rows)
            mean, low, scales = self._block_parameters(block.schema, scale)
            out[rows] = relative_densities(far, mean, low, scales) + prior
        return out

    def classes_and_probabilities(self, block: Block) -> tuple[Array, Array]:
        """Distances decide, discriminants share."""
        return ClassificationModel.classes_and_probabilities(self, block)

    def _compared_exemplars(self, block: Block) -> Array:
        """(n, k) minus the squared distances to exemplars in spreads, less that of the nearest."""
        assert self.exemplars is not None
        found, relative = self._relative(block)
        check_representable(found, block, "distance from the classes")
        best = found.min(axis=1, keepdims=True)
        with np.errstate(over="ignore"):  # d² - b², of which each may be beyond a double
            apart = relative * (0.5 * found + 0.5 * best)
            return np.asarray(-2 * apart / (self.exemplars.spread or 1.0))

    def _relative(self, block: Block) -> tuple[Array, Array]:
        """(n, k) the distances to the classes, and the same less that of the nearest class."""
        assert self.exemplars is not None
        x = self._complete(block)
        found = self.exemplars.nearest(x, len(self.classes))[0]
        check_representable(found.min(axis=1), block, "distance from the classes")
        return found, self.exemplars.relative(x, found)

    def evidence(self, block: Block) -> list[Evidence]:
        """The squared distance, column by column: the smallest sum wins."""
        if self.exemplars is not None:
            return self._by_exemplars(block)
        scale = np.ones_like(self.within) if self.plain else self._scale()
        names = block.schema.numbers
        at = {name: j for j, name in enumerate(self.columns)}
        order = [(at[name], i) for i, name in enumerate(names) if name in at]
        best, figure = self.predict_classes(block), value_formatter(block.schema)
        return [
            Evidence(
                tuple(self._line(c, x, scale, order, figure) for c in range(len(self.classes))),
                self.classes[best[i]], "sum",
                working=self._squares(x, order) if i < MAX_EXPLAINED_ROWS else (),
                terms_shown=True,
            )
            for i, x in enumerate(block.numbers)
        ]  # fmt: skip

    def _squares(self, x: Array, order: list[tuple[int, int]]) -> tuple[Formula, ...]:
        """The squared distance of a row to every mean, where these alone decide."""
        known = [(j, i) for j, i in order if not np.isnan(x[i])]
        if not self.plain or not known or len(self.classes) > MAX_SHOWN_COLUMNS:
            return ()
        row = [float(x[i]) for _, i in known]
        return tuple(
            distance_formula(
                f"d²({name})", row, [float(self.mean[c, j]) for j, _ in known], "squared"
            )
            for c, name in enumerate(self.classes)
        )

    def _by_exemplars(self, block: Block) -> list[Evidence]:
        """The distance to the nearest exemplar of every class, and what that exemplar is."""
        assert self.exemplars is not None
        k, schema = len(self.classes), block.schema
        least, which = self.exemplars.nearest(self._complete(block), k)
        best = self.predict_classes(block)
        return [
            Evidence(
                tuple(
                    EvidenceLine(
                        self.classes[c],
                        (
                            Term(
                                f"exemplar {which[i, c]}",
                                format_number(least[i, c]),
                                float(least[i, c]),
                                text=self._exemplar_text(which[i, c], schema),
                                sign="at",
                            ),
                        ),
                    )
                    for c in range(k)
                ),
                self.classes[best[i]],
                "sum",
            )
            for i in range(len(block))
        ]

    def _exemplar_text(self, m: int, schema: Schema) -> str:
        assert self.exemplars is not None
        figure = value_formatter(schema)
        pairs = zip(
            self.columns, self.exemplars.points[m, : len(self.columns)].tolist(), strict=True
        )
        space = self.exemplars.space
        return ", ".join([
            *(f"{name} {figure(name, x)}" for name, x in pairs),
            *(f"{name} {value}" for name, value in
              zip(space.categories, self._values(m), strict=True)),
        ])  # fmt: skip

    def _values(self, m: int) -> list[str]:
        """The categories of an exemplar, by name."""
        assert self.exemplars is not None
        codes = self.exemplars.points[m, len(self.columns) :]
        pairs = zip(self.exemplars.space.values, codes.tolist(), strict=True)
        return ["?" if code != code else known[int(code)] for known, code in pairs]

    @property
    def category_values(self) -> dict[str, tuple[str, ...]]:
        """The values of categories that were seen."""
        space = None if self.exemplars is None else self.exemplars.space
        return {} if space is None else dict(zip(space.categories, space.values, strict=True))

    def expression(self, schema: Schema) -> ClassifierExpression:
        """Minus the squared distance to every centroid, or to the nearest exemplar of a class."""
        if self.exemplars is not None:
            return self._exemplar_expression(self.exemplars)
        with np.errstate(divide="ignore"):
            prior = 2 * np.log(self.prior)
        if self.plain:
            prior = np.where(self.prior > 0, 0.0, -np.inf)
        scale = self._scale()
        odds = self._distance_expressions(scale, prior)
        decided = self._distance_expressions(np.ones_like(scale), prior) if self.plain else odds
        return ClassifierExpression(
            self.classes, Argmax(decided, tie_rule(tied=0.0)), Softmax(odds)
        )

    def _distance_expressions(self, scale: Array, prior: Array) -> VectorOf:
        """-Σ scale · (x - mean)² + prior for every class; missing numbers are left out."""
        return VectorOf(
            tuple(
                Sum((Literal(start), *self._ways(c, scale)))
                for c, start in enumerate(prior.tolist())
            )
        )

    def _ways(self, c: int, scale: Array) -> Iterator[Number]:
        for name, mean, low, by in zip(
            self.columns, self.mean[c].tolist(), self.low[c].tolist(), scale.tolist(), strict=True
        ):
            away = Sum((NumberColumn(name), Literal(-mean), Literal(-low)))
            way = Product((Literal(-by), Power(away, 2.0)))
            yield FilledNumber(way, Literal(0.0))

    def _exemplar_expression(self, exemplars: Exemplars) -> ClassifierExpression:
        space, p = exemplars.space, len(self.columns)
        distance = DistanceMetric(
            space.metric,
            tuple(map(NumberColumn, self.columns)),
            tuple(map(CategoryColumn, space.categories)),
            known=space.values,
            scale=tuple(space.scale.tolist()) if space.metric == "gower" else (),
            p=space.p,
            unseen_missing=True,
        )
        rows = plain_rows(exemplars.points[:, :p], exemplars.points[:, p:], space.values)
        nearest = [
            NearestDistance(
                distance,
                tuple(row for row, c in zip(rows, exemplars.labels, strict=True) if c == at),
            )
            for at in range(len(self.classes))
        ]
        decided = VectorOf(tuple(Product((Literal(-1.0), one)) for one in nearest))
        by = -1 / (exemplars.spread or 1.0)
        odds = VectorOf(tuple(Product((Literal(by), Power(one, 2.0))) for one in nearest))
        return ClassifierExpression(
            self.classes, Argmax(decided, tie_rule(tied=0.0)), Softmax(odds)
        )

    def _complete(self, block: Block) -> Array:
        """The rows in the order of the columns; only Gower's distance leaves gaps out."""
        assert self.exemplars is not None
        space = self.exemplars.space
        check_finite(block)
        if space.metric != "gower":
            check_complete(block.numbers, block.schema.numbers, block)
        numbers = block.numbers[:, [block.schema.numbers.index(name) for name in self.columns]]
        rows = space.rows(numbers, block)
        check_shown(rows, block)
        return rows

    def _line(
        self, c: int, x: Array, scale: Array, order: list[tuple[int, int]], figure: ValueFormatter
    ) -> EvidenceLine:
        with np.errstate(divide="ignore"):
            prior = float(-2 * np.log(self.prior[c]))
        terms = [] if self.plain and self.prior[c] else [Term("", "", prior)]
        terms += [
            Term(
                self.columns[j],
                figure(self.columns[j], x[i]),
                float(((x[i] - self.mean[c, j]) - self.low[c, j]) ** 2 * scale[j]),
            )
            for j, i in order
            if not np.isnan(x[i])
        ]
        return EvidenceLine(self.classes[c], tuple(terms))

    def _scale(self) -> Array:
        flat = self.within == 0
        return np.asarray(1 / np.where(flat, 1.0, self.within) ** 2)

    def _less_distance(self, block: Block, scale: Array) -> Array:
        check_finite(block)
        mean, low, scales = self._block_parameters(block.schema, scale)
        out = np.zeros((len(block), len(self.classes)))
        work = np.empty((mean.shape[1] + 1, TILE))
        evidence_sums.gaussian(block.numbers, mean, low, scales, work, out)
        if len(rows := np.flatnonzero(np.isnan(out[:, 0]))):
            some, normal = np.zeros((len(rows), len(self.classes))), np.zeros_like(mean)
            evidence_sums.gaussian_present(block.numbers, mean, low, scales, normal, rows, some)
            out[rows] = some
        return out

    def _block_parameters(self, schema: Schema, scale: Array) -> tuple[Array, Array, Array]:
        """(k, p) the means, their low digits, and √2 / deviation, in the order of a block."""
        at = [schema.numbers.index(name) for name in self.columns]
        mean, low, scales = np.zeros((3, len(self.classes), len(schema.numbers)))
        mean[:, at], low[:, at], scales[:, at] = self.mean, self.low, np.sqrt(2 * scale)
        return mean, low, scales

    def derivation(self, schema: Schema) -> Derivation:
        """The means, or the exemplars."""
        if self.exemplars is not None:
            return self._exemplars_shown(schema)
        order = sorted(range(len(self.columns)), key=lambda j: schema.names.index(self.columns[j]))
        figure, names = value_formatter(schema, digits=4), self.columns
        rows = tuple(
            (names[j], *(figure(names[j], float(v)) for v in self.mean[:, j])) for j in order
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

    def _exemplars_shown(self, schema: Schema) -> Derivation:
        assert self.exemplars is not None
        found, figure, p = self.exemplars, value_formatter(schema, digits=4), len(self.columns)
        rows = tuple(
            (str(m), str(self.classes[c]), *map(figure, self.columns, found.points[m, :p].tolist()),
             *self._values(m))
            for m, c in enumerate(found.labels.tolist())
        )  # fmt: skip
        said = (
            f"A row gets the class of the nearest exemplar, a {found.kind.replace('_', ' ')}, "
            f"by the {found.space.metric} distance."
        )
        header = ("exemplar", "class", *self.columns, *found.space.categories)
        steps: list[Any] = [Grid("exemplars", header, rows), equation(FORMULAS[found.space.metric])]
        if found.space.metric == "minkowski":
            steps.append(equation(f"p = {found.space.p:g}"))
        if found.space.categories and found.kind != "medoid":
            said += " Of a category it has the value that most rows have."
        return Derivation("Nearest centroid", (*steps, Sentence(said)))
