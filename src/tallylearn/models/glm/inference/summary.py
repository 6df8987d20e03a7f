"""Regression summaries: coefficients with standard errors, t, p and intervals, and measures of fit.

Standard errors of least squares are σ √diag((XᵀX)⁻¹), computed from the inverse of the triangle R;
heteroskedasticity-consistent ones (HC0 to HC3) replace σ²I by the squared residuals of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import fdtrc, stdtr, stdtrit

from tallylearn.models.design.terms import CategoryTerm
from tallylearn.models.glm.inference.diagnostics import Diagnostics, SandwichMeat
from tallylearn.models.glm.inference.estimability import (
    collinear_shares,
    collinearity_notes,
    intercept_is_shared,
)
from tallylearn.models.glm.inference.linear_fit import LinearFit
from tallylearn.models.glm.solvers.least_squares import EPS, MIN_SHARE
from tallylearn.reporting.formatting import format_number_or_blank, format_p_value
from tallylearn.reporting.report import TableReport
from tallylearn.tables import Array, Schema
from tallylearn.workings import Derivation, Grid, Sentence, format_number
from tallylearn.workings.terms import intercept_name

# Relative to the target's sum of squares: a residual sum of squares that is rounding of R.
PERFECT_FIT = 1e-30
# With more coefficients than this, zeros of a lasso are counted, not listed.
MAX_COEFFICIENTS_LISTED = 30


ONE_VALUE = "it has one value alone"


RARE_VALUES = "too few rows have any one of its values"


ROBUST_ERRORS = ("HC0", "HC1", "HC2", "HC3")


@dataclass(frozen=True)
class Summary(TableReport):
    """Weights, standard errors, and the sizes of the fit."""

    target: str
    method: str
    names: tuple[str, ...]  # (k,) "w0" first where there is an intercept
    weight: Array  # (k,)
    error: Array  # (k,) NaN where a weight has no standard error
    level: float
    errors: str  # "usual", or HC0 to HC3
    rows: float
    free: float  # degrees of freedom that are left
    sizes: dict[str, float | None]
    remarks: tuple[str, ...]
    diagnostics: Diagnostics | None

    def records(self) -> list[dict[str, Any]]:
        """A row for every weight."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = self.weight / self.error
        p = 2 * stdtr(max(self.free, 1.0), -np.abs(t))
        wide = stdtrit(max(self.free, 1.0), 0.5 + self.level / 2) * self.error
        columns = (self.weight, self.error, t, p, self.weight - wide, self.weight + wide)
        heads = ("weight", "error", "t", "p", "low", "high")
        return [
            {"name": name, **{head: _plain(c[j]) for head, c in zip(heads, columns, strict=True)}}
            for j, name in enumerate(self.names)
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        return {
            "target": self.target,
            "method": self.method,
            "errors": self.errors,
            "level": self.level,
            "rows": self.rows,
            "free": self.free,
            "sizes": self.sizes,
            "weights": self.records(),
            "remarks": list(self.remarks),
            "diagnostics": None if self.diagnostics is None else self.diagnostics.to_dict(),
        }

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        percent = f"{100 * found['level']:g} %"
        heads: tuple[str, ...] = ("", "weight", "std error", "t", "p", f"low {percent}", "high")
        rows: tuple[tuple[str, ...], ...] = tuple(
            (
                row["name"],
                *(format_number_or_blank(row[name]) for name in ("weight", "error", "t")),
                format_p_value(row["p"]),
                format_number_or_blank(row["low"]),
                format_number_or_blank(row["high"]),
            )
            for row in found["weights"]
        )
        zero = [not row["weight"] for row in found["weights"]]
        if all(row["error"] is None for row in found["weights"]):
            heads, rows = heads[:2], tuple(row[:2] for row in rows)
            if (
                len(rows) > MAX_COEFFICIENTS_LISTED
            ):  # a lasso's are nearly all 0, and hide the others
                rows = tuple(row for row, no in zip(rows, zero, strict=True) if not no)
        none = {"condition": "∞, but for rounding"}
        sizes = tuple(
            (name, none.get(name, "") if size is None else format_number(float(size)))
            for name, size in found["sizes"].items()
        )
        unseen = len(zero) - len(rows)
        left = [Sentence(f"Weights that are 0: {unseen:,}, not listed.")] if unseen else []
        many = f"{found['rows']:g} row{'s' if found['rows'] != 1 else ''}"
        kind = "" if found["errors"] == "usual" else f", {found['errors']} standard errors"
        steps: list[Any] = [
            Grid(f"{found['target']}: {many}, {found['method']}{kind}", heads, rows),
            *left,
            Grid("fit", ("", "value"), sizes),
            *(Sentence(said) for said in found["remarks"]),
        ]
        if found["diagnostics"] is not None:
            steps += Diagnostics._layout(found["diagnostics"]).steps
        return Derivation("Summary", tuple(steps))


def summarize(
    model: LinearFit, schema: Schema, target: str, t: int, *, level: float,
    robust: str | None = None, diagnostics: Diagnostics | None = None,
    meat: SandwichMeat | None = None, why: str = "",
) -> Summary:  # fmt: skip
    """The summary of a target's weights; with what its rows show, where they are at hand."""
    order = model.design.order(schema)
    names = [model.design.names[j] for j in order]
    weight = model.coef[t, order]
    error = np.full(len(order) + int(model.centred), np.nan)
    plain = model.is_least_squares
    free = model.rows - model.used
    if meat is not None:
        picked = meat.middle[ROBUST_ERRORS.index(robust)] if robust is not None else None
        meat = None if picked is None else replace(meat, middle=picked)
    if plain and free > 0:
        found = _standard_errors(model, t, meat)
        error = found[np.concatenate([[0], order + 1]) if model.centred else order]
    if model.centred:
        names = [intercept_name(names), *names]
        weight = np.concatenate([[model.intercept[t]], weight])
    kind = "usual" if robust is None else robust
    sizes, said = (
        _fit_statistics(model, t, plain, meat),
        _remarks(model, t, plain, diagnostics, why),
    )
    if plain and free > 0 and meat is not None and len(meat.alone):
        said.append(f"{robust} errors come from residuals, and a row that alone decides a weight "
                    "leaves none: such weights have no error, and all together no F.")  # fmt: skip
    return Summary(target, model.method, tuple(names), weight, error, level, kind, model.rows,
                   free, sizes, tuple(said), diagnostics)  # fmt: skip


def _standard_errors(model: LinearFit, t: int, meat: SandwichMeat | None) -> Array:
    """(p + 1,) standard errors in the order of the design, that of the intercept first."""
    p, r = len(model.design.columns), len(model.basis)
    sigma = np.sqrt(model.rest[t] / (model.rows - model.used))
    inverse = solve_triangular(model.free_root(), np.eye(r), check_finite=False)
    inverse = inverse / model.scale[model.basis][:, None]  # (r, r) weights from orthonormal columns
    back = inverse
    if model.centred:
        back = np.zeros((r + 1, r + 1))
        back[1:, 1:] = inverse
        back[0, 0] = 1 / np.sqrt(model.rows)
        back[0, 1:] = -model.mean[model.basis] @ inverse
    unit = np.abs(back).max(axis=1, initial=0.0)  # whose square may be no double
    back = back / unit[:, None]
    length = np.sqrt((back**2).sum(axis=1))
    found = sigma * length
    if meat is not None:
        found = np.sqrt(np.einsum("ij,jk,ik->i", back, meat.middle, back).clip(0))
        found[(np.abs(back @ meat.alone.T) > MIN_SHARE * length[:, None]).any(axis=1)] = np.nan
    found = found * unit
    out = np.full(p + int(model.centred), np.nan)
    first = int(model.centred)
    out[:first] = np.nan if intercept_is_shared(model) else found[:first]
    out[first + model.basis] = np.where(_not_identified(model), np.nan, found[first:])
    return out


def _not_identified(model: LinearFit) -> Array:
    """(r,) which columns of the basis others follow from: their weights are not their own."""
    return np.asarray((np.abs(collinear_shares(model)[1]) > MIN_SHARE).any(axis=1))


def _robust_f(model: LinearFit, t: int, meat: SandwichMeat) -> float | None:
    """F of all slopes by the robust covariance of the weights; None where that has no inverse.

    In orthonormal columns the slopes are g, and their covariance is the middle of the sandwich.
    """
    first = int(model.centred)
    some, inside = model.root[:, model.basis], model.root @ (model.coef[t] * model.scale)
    g = solve_triangular(model.free_root(), some.T @ inside, trans=1, check_finite=False)
    values, vectors = np.linalg.eigh(meat.middle[first:, first:])
    if len(meat.alone) or values[0] <= len(g) * EPS * values[-1]:
        return None
    return float(((vectors.T @ g) ** 2 / values).mean())


def _fit_statistics(
    model: LinearFit, t: int, plain: bool, meat: SandwichMeat | None
) -> dict[str, float | None]:
    n, rest, whole = model.rows, float(model.rest[t]), float(model.whole[t])
    k, free = model.used, model.rows - model.used
    slopes = k - int(model.centred)
    share = model.explained[t]
    condition = 1 / model.certain if model.certain > 0 else None
    sizes: dict[str, float | None] = {"R²": share}
    if not plain:
        alpha = model.alpha or float(model.penalty[t])
        return {**sizes, **({"alpha": alpha} if alpha else {}), "condition": condition}
    off = None if share is None else 1 - share
    sizes["adjusted R²"] = (
        1 - off * (n - int(model.centred)) / free if off is not None and free > 0 else None
    )
    sizes["σ²"] = rest / free if free > 0 else None
    sizes["σ"] = float(np.sqrt(rest / free)) if free > 0 else None
    if free > 0 and slopes and rest > 0:
        usual = (whole - rest) / slopes / (rest / free)
        sizes["F"] = found = usual if meat is None else _robust_f(model, t, meat)
        sizes["p of F"] = None if found is None else float(fdtrc(slopes, free, max(found, 0.0)))
    if free > 0 and rest > 0:
        # of weighted least squares: the variance of row i is σ² / w_i
        likely = -n / 2 * (np.log(2 * np.pi * rest / n) + 1) + model.log_weights / 2
        sizes["log-likelihood"] = float(likely)
        sizes["AIC"] = float(2 * k - 2 * likely)
        sizes["BIC"] = float(np.log(n) * k - 2 * likely)
    return {**sizes, "condition": condition}


def _remarks(
    model: LinearFit, t: int, plain: bool, diagnostics: Diagnostics | None, why: str
) -> list[str]:
    design = model.design
    shown = {term.column for term in design.terms if isinstance(term, CategoryTerm)}
    said = [
        f"{name} is compared with {base}."
        if name in shown
        else f"{name} has no weight: {ONE_VALUE if len(design.known[name]) == 1 else RARE_VALUES}."
        for name, base in design.references.items()
    ]
    size = model.whole[t] + model.rows * model.answer[t] ** 2
    if plain and model.rows > model.used and 0 < model.rest[t] <= PERFECT_FIT * size:
        said.append("The columns tell the target, but for rounding: its size is all that standard "
                    "errors and tests speak of.")  # fmt: skip
    said += collinearity_notes(model.dependent)
    if plain and model.rows > model.used and intercept_is_shared(model):
        name = intercept_name(design.names)
        said.append(f"{name} is not its own either: a column follows from others at a distance.")
    said += [*model.cancelled, *model.unrested]
    if not plain:
        said.append("Standard errors belong to least squares without penalty, bounds or choice.")
    elif model.rows <= model.used:
        said.append(
            f"Weights: {model.used}, rows: {model.rows:g}. Nothing is left to tell errors by; take "
            "fewer columns, or a penalty: Ridge or Lasso."
        )
    elif diagnostics is None:
        said.append(why or "Residual checks need the rows: summary(X, y).")
    return said


def _plain(x: float) -> float | None:
    return float(x) if np.isfinite(x) else None
