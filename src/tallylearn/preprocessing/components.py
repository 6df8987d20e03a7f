"""Principal components: directions in which rows differ most, each at right angles to others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import ColumnError
from tallylearn.estimators.finite_rows import check_representable
from tallylearn.expressions import (
    Category,
    FilledNumber,
    Literal,
    Number,
    NumberColumn,
    Quotient,
    Sum,
    linear_sum,
)
from tallylearn.preprocessing.transformer import ReversibleTransform
from tallylearn.reporting.charts import Plot, draw_lines
from tallylearn.reporting.report import TableReport
from tallylearn.tables import (
    DATE,
    NUMBER,
    Array,
    Block,
    Column,
    Schema,
    check_columns,
    check_shape,
    field_schemas,
)  # fmt: skip
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
from tallylearn.workings.equations import factor, formula, number, signed_product, signed_sum

RULE = Formula("z = Vᵀ(x − x̄)", r"z = V^T (x - \bar x)")
WHITE = Formula("z = Vᵀ(x − x̄) / σ", r"z = V^T (x - \bar x) / \sigma")
MAX_SHOWN_COLUMNS = 12  # columns of a working
WORKED = 6  # columns whose covariances are written out; full=True writes those of MAX_SHOWN_COLUMNS
ROUNDING = 1e-12  # relative: what is smaller is zero up to rounding
NOTHING = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Components(ReversibleTransform):
    """The mean of every column, and unit vectors by how much the rows vary along them."""

    names: tuple[str, ...]
    mean: Array  # (p,)
    vectors: Array  # (k, p)
    variance: Array  # (q,) along all directions, the largest first; the first k are kept
    rows: float
    white: bool  # whether every component is divided by its standard deviation
    low: Array = field(default_factory=lambda: np.zeros(0))  # (p,) digits of the means beyond

    form: ClassVar[field_schemas.Form] = {
        "names": field_schemas.names("p"),
        "mean": field_schemas.floats("p"),
        "vectors": field_schemas.floats("k", "p"),
        "variance": field_schemas.floats("q", least=0.0),
        "rows": field_schemas.number(0.0),
        "white": field_schemas.truth,
        "low": field_schemas.floats("o"),
    }

    def __post_init__(self) -> None:
        if not self.low.size:  # a file from before they were kept
            object.__setattr__(self, "low", np.zeros(len(self.names)))
        for part in (self.mean, self.low):
            check_shape("the means", part, len(self.names))
        check_shape("the components", self.vectors, len(self.vectors), len(self.names))
        if len(self.variance) < len(self.vectors):
            raise ValueError("a component has no variance")

    def check(self, schema: Schema) -> None:
        """What a file says is of all columns of numbers, each of them once."""
        check_columns("means", self.names, {*schema.numbers})
        if len(self.names) != len(schema.numbers):
            raise ValueError("a column of numbers has no mean")

    @property
    def scale(self) -> Array:
        """(k,) what components are divided by."""
        if not self.white:
            return np.ones(len(self.vectors))
        return np.sqrt(np.maximum(self.variance[: len(self.vectors)], NOTHING))

    @property
    def share(self) -> Array:
        """(q,) of all variance, along every direction."""
        total = float(self.variance.sum())
        return np.asarray(self.variance / total if total > 0 else np.zeros(len(self.variance)))

    def columns(self, schema: Schema) -> list[Column]:
        made = [Column(f"pca{k}", NUMBER) for k in range(len(self.vectors))]
        others = [c for c in schema.columns if c.kind not in (NUMBER, DATE)]
        for taken in {c.name for c in made} & {c.name for c in others}:
            raise ColumnError(
                f"the table has a column {taken!r}, the name of a component. Rename it."
            )
        return [*made, *others]

    def transform_block(self, block: Block) -> Block:
        away = self._deviations(block)
        with np.errstate(over="ignore", invalid="ignore"):
            numbers = away @ self.vectors.T / self.scale
        check_representable(numbers, block, "component")
        return replace(block, schema=self.schema(block.schema), numbers=numbers)

    def expressions(self, schema: Schema) -> dict[str, Number | Category]:
        """Vᵀ(x - x̄), divided by the standard deviation where components are whitened."""
        means = zip(self.names, self.mean.tolist(), self.low.tolist(), strict=True)
        away = [
            FilledNumber(Sum((NumberColumn(name), Literal(-m), Literal(-low))), Literal(0.0))
            for name, m, low in means
        ]
        zero = [0.0] * len(away)
        return {
            f"pca{k}": Quotient(linear_sum(0.0, away, vector.tolist(), zero), Literal(scale))
            for k, (vector, scale) in enumerate(zip(self.vectors, self.scale.tolist(), strict=True))
        }

    def inverse_block(self, block: Block, schema: Schema) -> Block:
        found = block.numbers * self.scale @ self.vectors + self.low + self.mean
        at = [self.names.index(name) for name in schema.numbers]
        return replace(block, schema=schema, numbers=np.ascontiguousarray(found[:, at]))

    def _deviations(self, block: Block) -> Array:
        """(n, p) from the mean; a gap is at the mean."""
        at = [block.schema.places[name] for name in self.names]
        away = (block.numbers[:, at] - self.mean) - self.low
        return np.where(np.isnan(away), 0.0, away)

    def evidence(self, block: Block) -> list[Evidence]:
        """Every component's summands."""
        away, x = self._deviations(block), block.numbers
        at = [block.schema.places[name] for name in self.names]
        order = np.argsort(at)
        found = []
        for i in range(len(block)):
            lines = tuple(
                EvidenceLine(
                    f"pca{k}", tuple(self._term(x[i, at[j]], away[i, j], k, j) for j in order)
                )
                for k in range(len(self.vectors))
            )
            found.append(Evidence(lines, tuple(line.total for line in lines), "sum"))
        return found

    def _term(self, x: float, away: float, k: int, j: int) -> Term:
        note = "missing, at the mean" if np.isnan(x) else ""
        amount = float(self.vectors[k, j] * away / self.scale[k])
        return Term(self.names[j], "?" if note else f"{x:.6g}", amount, note=note)

    def derivation(
        self, schema: Schema, scatter: Array | None = None, full: bool = False
    ) -> Derivation:
        """The covariances, the directions, and how much the rows vary along each.

        Parameters
        ----------
        schema : Schema
            The columns of the table.
        scatter : (p, p) array, optional
            Sums of products of the columns around their means; without it, no covariances.
        full : bool, default False
            Whether to write out the equations of all components.
        """
        names = [name for name in schema.numbers if name in self.names]
        shown = names if full else names[:MAX_SHOWN_COLUMNS]
        at = [self.names.index(name) for name in shown]
        heads = ("component", "variance", "share", *shown)
        rows = tuple(
            (f"pca{k}", number(float(self.variance[k])), f"{100 * self.share[k]:.1f} %",
             *(number(float(v)) for v in vector[at]))
            for k, vector in enumerate(self.vectors)
        )  # fmt: skip
        left = len(names) - len(shown)
        note = f"{left} more columns; show_work(full=True) prints them." if left else ""
        kept = 100 * float(self.share[: len(self.vectors)].sum())
        said = f"{len(rows)} of {len(self.variance)} directions hold {kept:.4g} % of the variance "
        text = Sentence(f"{said}of {self.rows:g} rows around their means.")
        steps = (
            WHITE if self.white else RULE,
            *([] if scatter is None else self._covariances(names, scatter, full)),
            Grid("components: eigenvalues (variance) and eigenvectors", heads, rows, note),
            *self._shares(),
            text,
        )
        return Derivation("Principal components", steps)

    def _covariances(
        self, names: list[str], scatter: Array, full: bool
    ) -> list[Grid | Formula | Sentence]:
        """The covariances, with their divisor, and the equations that eigenvectors solve."""
        n = number(self.rows)
        at = [self.names.index(name) for name in names]
        covariance = scatter[np.ix_(at, at)] / (self.rows - 1)
        size = np.sqrt(np.outer(covariance.diagonal(), covariance.diagonal()))
        covariance = np.where(np.abs(covariance) <= ROUNDING * size, 0.0, covariance)
        rule = formula("C_ij = Σ (x_i - x̄_i)(x_j - x̄_j) / (N - 1)")
        divisor = Sentence(f"The divisor is N - 1 = {n} - 1, as in a sample.")
        if len(names) > (MAX_SHOWN_COLUMNS if full else WORKED):
            more = (
                f"show_work(full=True) prints the covariances of up to {MAX_SHOWN_COLUMNS} columns."
            )
            return [rule, divisor] if full else [rule, divisor, Sentence(more)]
        means = [number(float(m)) for m in self.mean[at]]
        rows = tuple(
            (name, *map(number, line), mean)
            for name, line, mean in zip(names, covariance, means, strict=True)
        )
        table = Grid("covariances C, and the means", ("", *names, "mean"), rows)
        steps: list[Grid | Formula | Sentence] = [rule, divisor, table]
        if len(names) == 2:
            steps += self._roots(covariance)
        shown = self.vectors if full else self.vectors[:1]
        steps.append(formula("C v = λ v"))
        for k, vector in enumerate(shown[:, at]):
            value = float(self.variance[k])
            steps.append(Sentence(f"For pca{k}, with λ = {number(value)}, in every column:"))
            for line, own in zip(covariance, vector.tolist(), strict=True):
                products = zip(line.tolist(), vector.tolist(), strict=True)
                terms = [signed_product(c, v) for c, v in products]
                right = signed_product(value, own)
                steps.append(formula(f"{signed_sum(terms)} = {number(value * own)} = {right}"))
        return steps

    def _roots(self, covariance: Array) -> list[Formula | Sentence]:
        """The eigenvalues of two columns, from the characteristic equation."""
        (a, b), (_, d) = covariance.tolist()
        first, last = (number(float(v)) for v in self.variance[:2])
        trace, determinant = f"({number(a)} + {number(d)})", f"({number(a)} - {number(d)})"
        root = f"sqrt({determinant}² / 4 + {factor(b)}²)"
        return [
            Sentence("The eigenvalues solve (C_11 - λ)(C_22 - λ) - C_12² = 0:"),
            formula(f"λ of pca0 = {trace} / 2 + {root} = {first}"),
            formula(f"λ of pca1 = {trace} / 2 - {root} = {last}"),
        ]

    def _shares(self) -> list[Formula]:
        """The shares of the components in the total variance."""
        total = [number(float(v)) for v in self.variance if v > 0]
        if not 1 < len(total) <= WORKED:
            return []
        below = f"({' + '.join(total)})"
        return [
            formula(f"share of pca{k} = {number(float(self.variance[k]))} / {below} = "
                    f"{number(float(self.share[k]))}")
            for k in range(len(self.vectors))
        ]  # fmt: skip


@dataclass(frozen=True)
class Scree(TableReport):
    """How much the rows vary along every direction."""

    variance: Array  # (q,)
    kept: int

    def records(self) -> list[dict[str, Any]]:
        """A row for every direction."""
        total = float(self.variance.sum()) or 1.0
        share = self.variance / total
        return [
            {"component": f"pca{k}", "variance": float(v), "share": float(share[k]),
             "together": float(share[: k + 1].sum()), "kept": k < self.kept}
            for k, v in enumerate(self.variance)
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        return {"kept": self.kept, "components": self.records()}

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        cells = tuple(
            (row["component"], format_number(row["variance"]), f"{100 * row['share']:.1f} %",
             f"{100 * row['together']:.1f} %")
            for row in found["components"]
        )  # fmt: skip
        grid = Grid("variance", ("component", "variance", "share", "together"), cells)
        return Derivation("Scree", (grid, Sentence(f"{found['kept']} are kept.")))

    def plot(self) -> Plot:
        """The share of the variance against the component, alone and together."""
        rows = self.records()
        at = np.arange(1.0, len(rows) + 1)
        lines = {name: (at, np.array([row[name] for row in rows])) for name in
                 ("share", "together")}  # fmt: skip
        return draw_lines(lines, "Scree", "component", "share of the variance", y_range=(0, 1))
