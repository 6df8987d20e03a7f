"""Clusters: centres, and which of them is nearest to a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from tallylearn.estimators.finite_rows import check_finite, check_representable
from tallylearn.estimators.model import Model, tie_rule
from tallylearn.expressions import Argmax, ClusterExpression, Literal, Power, Product, Sum, VectorOf
from tallylearn.models.clustering.coded_rows import Coding
from tallylearn.models.clustering.kmeans_working import Step, distance_steps
from tallylearn.models.clustering.nearest_centres import CodedPoints, NearestCentre
from tallylearn.models.neighbors.distances import power_of_two
from tallylearn.models.neighbors.examples import check_complete
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import Array, Block, Schema, field_schemas
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Grid, Sentence, Term, equation
from tallylearn.workings.evidence_table import MAX_EXPLAINED_ROWS
from tallylearn.workings.units import ValueFormatter, value_formatter

REMEDY = "Fill missing values with tl.SimpleImputer() before, in a tl.Pipeline."
MAX_SHOWN_COLUMNS = 6  # columns of a centre, in an explanation
MAX_SHOWN_ITERATIONS = 20  # rounds that are shown


@dataclass(frozen=True)
class Clusters(Model):
    """The centres that k-means found."""

    coding: Coding
    centres: Array  # (k, p) points
    sizes: Array  # (k,) how many rows are nearest to each
    inertia: float
    trace: Array  # (rounds,) the inertia before every round
    labels: Array | None = field(default=None, compare=False)  # of the rows, which no file holds
    start: Array | None = field(default=None, compare=False)  # (k, p) the centres of round 1

    form: ClassVar[field_schemas.Form] = {
        "coding": field_schemas.one(Coding),
        "centres": field_schemas.floats("k", "p"),
        "sizes": field_schemas.floats("k", least=0.0),
        "inertia": field_schemas.number(least=0.0),
        "trace": field_schemas.floats("t", least=0.0),
    }

    def check(self, schema: Schema) -> None:
        """What a file says can have been learned from columns of this schema."""
        self.coding.check(schema)
        if self.centres.shape[1] != self.coding.width or not len(self.centres):
            raise ValueError("the centres are of other columns, or there are none")
        with np.errstate(over="ignore"):
            if not self.sizes.sum() < np.inf:
                raise ValueError("the clusters have more rows than can be")

    @property
    def category_values(self) -> dict[str, tuple[str, ...]]:
        """The values of categories that were seen."""
        return dict(zip(self.coding.categories, self.coding.values, strict=True))

    def points(self, block: Block) -> Array:
        """(n, p) the rows of a block as points."""
        check_usable(block)
        return self.coding.points(block)

    def predictions(self, block: Block) -> Array:
        """(n,) the nearest centre."""
        labels, shown = NearestCentre.labels(CodedPoints.of(self.coding, block), self.centres)
        check_usable(block, shown)
        return labels

    def distances(self, block: Block) -> Array:
        """(n, k) to every centre."""
        from scipy.spatial.distance import cdist

        points = self.points(block)
        found = np.asarray(cdist(points, self.centres))
        if not np.isfinite(found).all():  # the squares are beyond a double: the distances may not
            largest = max(float(np.abs(part).max(initial=0.0)) for part in (points, self.centres))
            size = 0.5 / power_of_two(largest)
            with np.errstate(over="ignore"):
                found = np.asarray(cdist(points * size, self.centres * size) / size)
        return check_representable(found, block, "distance from the centres")

    def evidence(self, block: Block) -> list[Evidence]:
        """The squared distance to every centre, column by column: the smallest sum wins."""
        x, labels = self.points(block), self.predictions(block)
        apart = (x[:, None, :] - self.centres) ** 2  # (n, k, p)
        groups, figure = self.coding.groups, value_formatter(block.schema)
        centres = [self.describe_centre(c, block.schema) for c in range(len(self.centres))]
        order = [name for name in block.schema.names if name in groups]
        return [
            Evidence(
                tuple(
                    EvidenceLine(c, tuple(
                        Term(name, _value(block, name, i, figure),
                             float(apart[i, c, groups[name]].sum()))
                        for name in order
                    ))
                    for c in range(len(self.centres))
                ),
                int(labels[i]), "sum", (f"centre of {labels[i]}: {centres[labels[i]]}",),
                tuple(distance_steps(self.coding, x[i], self.centres))
                if i < MAX_EXPLAINED_ROWS else (),
                terms_shown=True,
            )
            for i in range(len(block))
        ]  # fmt: skip

    def expression(self, schema: Schema) -> ClusterExpression:
        """The centre with the least squared distance; of equal ones the first."""
        point = self.coding.expressions()
        scores = [
            Product((Literal(-1.0), Sum(tuple(
                Power(Sum((x, Literal(-at))), 2.0) for x, at in zip(point, centre, strict=True)
            ))))
            for centre in self.centres.tolist()
        ]  # fmt: skip
        return ClusterExpression(Argmax(VectorOf(tuple(scores)), tie_rule(tied=0.0)))

    def describe_centre(self, c: int, schema: Schema) -> str:
        """A centre as the table has it; of a category its most frequent value."""
        centre, parts = self.coding.unscale_points(self.centres[c : c + 1])[0], []
        figure = value_formatter(schema)
        for name, at in self.coding.groups.items():
            if name in self.coding.columns:
                parts.append(f"{name} {figure(name, float(centre[at[0]]))}")
            else:
                most = int(centre[at].argmax())
                parts.append(
                    f"{name} {self.category_values[name][most]} ({100 * centre[at[most]]:.0f} %)"
                )
        more = (
            f", and {len(parts) - MAX_SHOWN_COLUMNS} more" if len(parts) > MAX_SHOWN_COLUMNS else ""
        )
        return ", ".join(parts[:MAX_SHOWN_COLUMNS]) + more

    def derivation(self, schema: Schema, rounds: Sequence[Step] = ()) -> Derivation:
        """The centres, and how the inertia fell; or the rounds in its place."""
        told, k = self.coding.unscale_points(self.centres), len(self.centres)
        names = ("column", *map(str, range(k)))
        rows = [("rows", *(f"{size:.0f}" for size in self.sizes))]
        pairs = zip(self.coding.names, told.T, strict=True)
        figure = value_formatter(schema, digits=4)
        rows += [(name, *(figure(name, float(value)) for value in each)) for name, each in pairs]
        steps = tuple(
            (str(at), format_number(float(v)))
            for at, v in enumerate(self.trace[:MAX_SHOWN_ITERATIONS], 1)
        )
        left = len(self.trace) - MAX_SHOWN_ITERATIONS
        return Derivation(
            "k-means",
            (equation("J = Σ min |x - μ|²"),
             Sentence("Rows go to their nearest centre, and every centre to the mean of its rows, "
                      "until they stay. J, the inertia, never rises."),
             *(rounds or (Grid("J before every round", ("round", "J"), steps,
                               f"{left} more rounds." if left > 0 else ""),)),
             Grid("centres; of a category the share of every value", names, tuple(rows)),
             Sentence(f"At the end J = {format_number(self.inertia)}.")),
        )  # fmt: skip


def check_usable(block: Block, shown: float | None = None) -> None:
    """No gaps nor infinities, which a number made of all cells of the block would show."""
    with np.errstate(all="ignore"):
        told = block.numbers.sum() if shown is None else shown
    if not np.isfinite(told):
        check_finite(block)
        check_complete(block.numbers, block.schema.numbers, block, REMEDY)


def _value(block: Block, name: str, i: int, figure: ValueFormatter) -> str:
    if name in block.codes:
        return str(block.codes[name][i : i + 1].items()[0] or "?")
    return figure(name, float(block.numbers[i, block.schema.places[name]]))
