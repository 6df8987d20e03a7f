"""How a linear model was learned: the rule, what was done to the table, and the weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tallylearn.models.design.matrix import Design
from tallylearn.models.glm.linear.dependent_columns import said_of_dependencies
from tallylearn.models.glm.linear.subset_path import Subsets
from tallylearn.tables import Array, Schema
from tallylearn.workings import Derivation, Formula, Grid, Sentence, short
from tallylearn.workings.terms import constant_name
from tallylearn.workings.units import as_learned

SUM = Formula("ŷ = w0 + Σ w_i · x_i", r"\hat y = w_0 + \sum_i w_i x_i")
BARE = Formula("ŷ = Σ w_i · x_i", r"\hat y = \sum_i w_i x_i")
NORMAL = Formula("w = (XᵀX)⁻¹ Xᵀy", r"w = (X^T X)^{-1} X^T y")
RIDGE = Formula("w = (XᵀX + λI)⁻¹ Xᵀy", r"w = (X^T X + \lambda I)^{-1} X^T y")
FREE = Formula("w0 = ȳ − Σ w_i x̄_i", r"w_0 = \bar y - \sum_i w_i \bar x_i")
SLOPE = Formula(
    "w1 = cov(x, y) / var(x),  w0 = ȳ − w1 x̄",
    r"w_1 = \frac{\mathrm{cov}(x, y)}{\mathrm{var}(x)},\; w_0 = \bar y - w_1 \bar x",
)


class Learned(Protocol):
    """A linear model, as far as its working shows it."""

    @property
    def design(self) -> Design: ...
    @property
    def method(self) -> str: ...
    @property
    def centred(self) -> bool: ...
    @property
    def rows(self) -> float: ...
    @property
    def alpha(self) -> float: ...
    @property
    def rounds(self) -> int: ...
    @property
    def dependent(self) -> tuple[str, ...]: ...
    @property
    def cancelled(self) -> Sequence[str]: ...
    @property
    def unrested(self) -> Sequence[str]: ...
    @property
    def explained(self) -> Sequence[float | None]: ...
    @property
    def subsets(self) -> Subsets | None: ...
    @property
    def coef(self) -> Array: ...
    @property
    def intercept(self) -> Array: ...
    @property
    def mean(self) -> Array: ...
    @property
    def scale(self) -> Array: ...
    @property
    def root(self) -> Array: ...
    @property
    def answer(self) -> Array: ...
    @property
    def rest(self) -> Array: ...
    @property
    def whole(self) -> Array: ...
    @property
    def penalty(self) -> Array: ...
    @property
    def gap(self) -> Array: ...


def derived(model: Learned, schema: Schema) -> Derivation:
    """The rule, what was done to the table, and the weights."""
    names, order = model.design.names, model.design.order(schema)
    steps: list[Grid | Formula | Sentence] = [*model.design.remarks(schema)]
    steps.append(SUM if model.centred else BARE)
    steps += _rule(model)
    steps += map(Sentence, said_of_dependencies(model.dependent))
    steps += map(Sentence, model.cancelled)
    heads = ("w",) if len(model.coef) == 1 else tuple(f"w{t + 1}" for t in range(len(model.coef)))
    figure, given = as_learned(schema, digits=4), model.design
    own = ["" if value else given.columns[j] for j, value in enumerate(given.values)]
    means = [figure(name, mean) for name, mean in zip(own, model.mean.tolist(), strict=True)]
    rows = [(names[j], means[j], *map(_short, model.coef[:, j])) for j in order]
    heads = ("column", "mean", *heads)
    if model.centred:
        rows.insert(0, (constant_name(names), "", *map(_short, model.intercept)))
    else:  # no mean was subtracted, and the model keeps none
        heads, rows = (heads[0], *heads[2:]), [(row[0], *row[2:]) for row in rows]
    steps.append(Grid("weights", heads, tuple(rows)))
    share = ", ".join("none" if r is None else short(r) for r in model.explained)
    told = f", R² {share}" if model.whole.any() else ""
    many = f"{model.rows:g} row{'s' if model.rows != 1 else ''}"
    left = ", ".join(map(_short, model.rest))
    steps.append(Sentence(f"{many}; squared residuals {left}{told}."))
    return Derivation(f"Linear regression by {model.method}", tuple(steps))


def _rule(model: Learned) -> list[Grid | Formula | Sentence]:
    if len(model.gap):
        rest = f"alpha = {short(model.alpha)}; after {model.rounds} rounds the loss of a row is"
        near = f"{rest} at most {short(float(model.gap.max()))} above its least."
        return [Sentence(near), *map(Sentence, model.unrested)]
    if model.subsets is not None:
        some = f"{model.subsets.chosen} of {len(model.subsets.rest) - 1} columns"
        return [Sentence(f"{some} are worth their weights; those of the others are 0."), NORMAL]
    if model.method.removeprefix("exact ") not in ("least squares", "ridge"):
        return []
    if model.penalty.any():
        told = Sentence(f"λ = {', '.join(map(_short, model.penalty))}; w0 is not penalised.")
        return [RIDGE, told, FREE] if model.centred else [RIDGE, told]
    if len(model.design.columns) == 1 and model.centred:
        spread = float(model.root[0, 0] * model.scale[0]) ** 2 / model.rows
        sizes = [("x̄", short(float(model.mean[0]))), ("ȳ", short(float(model.answer[0])))]
        sizes += [("var(x)", short(spread)), ("cov(x, y)", short(spread * model.coef[0, 0]))]
        return [SLOPE, Grid("moments", ("", "value"), tuple(sizes))]
    return [NORMAL, FREE] if model.centred else [NORMAL]


def _short(x: float) -> str:
    return short(float(x))
