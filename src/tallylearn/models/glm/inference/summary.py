"""Regression summaries: coefficients with standard errors, t, p and intervals, and measures of fit.

The standard errors come from ``standard_errors``, the tests of the residuals from ``diagnostics``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import fdtrc, stdtr, stdtrit

from tallylearn.errors import InputError
from tallylearn.models.design.terms import CategoryTerm
from tallylearn.models.glm.inference.diagnostics import (
    Diagnostics,
    SandwichMeat,
    diagnostics_layout,
)
from tallylearn.models.glm.inference.estimability import (
    collinearity_notes,
    intercept_is_shared,
    not_identified,
)
from tallylearn.models.glm.inference.linear_fit import LinearFit
from tallylearn.models.glm.inference.standard_errors import least_squares_standard_errors
from tallylearn.models.glm.inference.summary_layout import (
    INTERCEPT,
    coefficient_names,
    coefficient_rows,
    interval_headings,
    summary_layout,
)
from tallylearn.models.glm.solvers.least_squares import EPS
from tallylearn.reporting.formatting import p_value_relation
from tallylearn.reporting.report import Report, TableReport
from tallylearn.tables import Array, Schema
from tallylearn.workings import Grid, Sentence, format_number
from tallylearn.workings.terms import intercept_name

# Relative to the target's sum of squares: a residual sum of squares that is rounding of R.
PERFECT_FIT = 1e-30
# With more coefficients than this, zeros of a lasso are counted, not listed.
MAX_COEFFICIENTS_LISTED = 30


ONE_VALUE = "it has only one value"


RARE_VALUES = "all of its values are rare"


ROBUST_ERRORS = ("HC0", "HC1", "HC2", "HC3")


@dataclass(frozen=True)
class Summary(TableReport):
    """Coefficients with standard errors, tests and intervals, and fit statistics."""

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
    has_intercept: bool = True  # the first coefficient is the intercept
    vif: Array | None = None  # (k,) variance inflation factors, NaN for the intercept

    def records(self) -> list[dict[str, Any]]:
        """A row for every coefficient."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = self.weight / self.error
        p = 2 * stdtr(max(self.free, 1.0), -np.abs(t))
        wide = stdtrit(max(self.free, 1.0), 0.5 + self.level / 2) * self.error
        columns: tuple[Array, ...] = (
            self.weight, self.error, t, p, self.weight - wide, self.weight + wide,
        )  # fmt: skip
        heads: tuple[str, ...] = ("weight", "error", "t", "p", "low", "high")
        if self.vif is not None:
            columns, heads = (*columns, self.vif), (*heads, "vif")
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
            "intercept": self.has_intercept,
            "remarks": list(self.remarks),
            "diagnostics": None if self.diagnostics is None else self.diagnostics.to_dict(),
        }

    @staticmethod
    def _layout(found: dict[str, Any]) -> Report:
        rows, has_intercept = found["weights"], _has_intercept(found)
        names = coefficient_names([row["name"] for row in rows], has_intercept)
        keys: tuple[str, ...] = ("weight", "error", "t", "p", "low", "high")
        heads: tuple[str, ...] = (
            "",
            "coef",
            "std err",
            "t",
            "P>|t|",
            *interval_headings(found["level"]),
        )
        listed = [*range(len(rows))]
        if all(row["error"] is None for row in rows):
            keys, heads = keys[:1], heads[:2]
            if len(rows) > MAX_COEFFICIENTS_LISTED:  # nearly all of a lasso's are 0
                listed = [j for j in listed if rows[j]["weight"]]
        if any("vif" in row for row in rows):
            keys, heads = (*keys, "vif"), (*heads, "VIF")
        columns = [[rows[j][key] for j in listed] for key in keys]
        cells = coefficient_rows(
            [names[j] for j in listed], columns, p_column=keys.index("p") if "p" in keys else None
        )
        kind = "" if found["errors"] == "usual" else f", {found['errors']} standard errors"
        table = Grid(f"{found['target']}: {found['method']}{kind}", heads, cells)
        zeros = len(rows) - len(listed)
        notes = [f"{zeros:,} coefficients are 0 and not listed."] if zeros else []
        notes += found["remarks"]
        diagnostics = found["diagnostics"]
        tests, rows_shown = ([], []) if diagnostics is None else diagnostics_layout(diagnostics)
        more = [*map(Sentence, notes), *rows_shown]
        return summary_layout("Summary", (table,), _statistics(found), tests, more)


def _has_intercept(found: dict[str, Any]) -> bool:
    """Whether the first coefficient is the intercept; data of earlier versions do not say so."""
    names = [row["name"] for row in found["weights"]]
    return bool(found.get("intercept", names[:1] == [intercept_name(names[1:])]))


# The printed labels of fit statistics; σ² is the square of sigma, and F has its p-value with it.
LABELS = {
    "R²": "R-squared",
    "adjusted R²": "Adj. R-squared",
    "F": "F",
    "rows": "n",
    "log-likelihood": "Log-likelihood",
    "AIC": "AIC",
    "BIC": "BIC",
    "σ": "sigma",
    "alpha": "alpha",
    "condition": "Cond. no.",
}


def _statistics(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The labels and values of the fit statistics that are known, in the order of LABELS."""
    sizes = found["sizes"]
    values = {**sizes, "rows": found["rows"]}
    if "condition" in values and values["condition"] is None:
        values["condition"] = np.inf  # collinear up to rounding error
    texts = {
        name: format_number(float(value))
        for name in LABELS
        if (value := values.get(name)) is not None
    }
    labels = dict(LABELS)
    if "F" in texts:
        used = round(found["rows"] - found["free"])
        labels["F"] = f"F({used - int(_has_intercept(found))}, {found['free']:g})"
        texts["F"] += f", p {p_value_relation(sizes['p of F'])}"
    return [(labels[name], text) for name, text in texts.items()]


def summarize(
    model: LinearFit, schema: Schema, target: str, t: int, *, level: float,
    robust: str | None = None, diagnostics: Diagnostics | None = None,
    meat: SandwichMeat | None = None, why: str = "", vif: bool = False,
) -> Summary:  # fmt: skip
    """The summary of a target's weights; with what its rows show, where they are at hand."""
    order = model.design.order(schema)
    names = [model.design.names[j] for j in order]
    weight = model.coef[t, order]
    error = np.full(len(order) + int(model.centred), np.nan)
    plain = model.is_least_squares
    free = model.rows - model.n_estimated
    if meat is not None:
        picked = meat.middle[ROBUST_ERRORS.index(robust)] if robust is not None else None
        meat = None if picked is None else replace(meat, middle=picked)
    if plain and free > 0:
        found = least_squares_standard_errors(model, t, meat)
        error = found[np.concatenate([[0], order + 1]) if model.centred else order]
    inflation = variance_inflation_factors(model)[order] if vif else None
    if model.centred:
        names = [intercept_name(names), *names]
        inflation = None if inflation is None else np.insert(inflation, 0, np.nan)
        weight = np.concatenate([[model.intercept[t]], weight])
    kind = "usual" if robust is None else robust
    sizes, said = (
        _fit_statistics(model, t, plain, meat),
        _remarks(model, t, plain, diagnostics, why),
    )
    if plain and free > 0 and meat is not None and len(meat.alone):
        said.append(f"A coefficient that one row determines alone (leverage 1) has no {robust} "
                    "standard error, and the model no F.")  # fmt: skip
    return Summary(
        target=target, method=model.method, names=tuple(names), weight=weight, error=error,
        level=level, errors=kind, rows=model.rows, free=free, sizes=sizes, remarks=tuple(said),
        diagnostics=diagnostics, has_intercept=model.centred, vif=inflation,
    )  # fmt: skip


def variance_inflation_factors(model: LinearFit) -> Array:
    """(p,) 1 / (1 - R²) of every column regressed on the others; infinite where collinear.

    They are diag((ZᵀZ)⁻¹) diag(ZᵀZ) of the columns Z, centred if there is an intercept.

    Reference: D. Belsley, E. Kuh and R. Welsch, Regression Diagnostics, 1980, chapter 3.
    """
    if not model.root.size:
        raise InputError(
            "variance inflation factors need the products of all columns, which are not computed "
            "for more columns than rows. Call summary() without vif=True."
        )
    found = np.full(len(model.scale), np.inf)
    inverse = solve_triangular(model.free_root(), np.eye(len(model.basis)), check_finite=False)
    length = (model.root[:, model.basis] ** 2).sum(axis=0)
    inflation = (inverse**2).sum(axis=1) * length
    found[model.basis] = np.where(not_identified(model), np.inf, inflation)
    return found


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
    k, free = model.n_estimated, model.rows - model.n_estimated
    slopes = k - int(model.centred)
    share = model.r_squared[t]
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
        if name in shown or design.formula is not None
        else f"{name} has no coefficient: "
        f"{ONE_VALUE if len(design.category_values[name]) == 1 else RARE_VALUES}."
        for name, base in design.references.items()
    ]
    size = model.whole[t] + model.rows * model.answer[t] ** 2
    if plain and model.rows > model.n_estimated and 0 < model.rest[t] <= PERFECT_FIT * size:
        said.append("The columns determine the target up to rounding error, so standard errors and "
                    "tests describe the rounding only.")  # fmt: skip
    said += collinearity_notes(model.dependent)
    if plain and model.rows > model.n_estimated and intercept_is_shared(model):
        name = intercept_name(design.names, INTERCEPT)
        said.append(f"{name} has no standard error: a linear combination of columns is "
                    "constant, so the intercept is not unique.")  # fmt: skip
    said += [*model.cancellation_warnings, *model.convergence_warnings]
    if not plain:
        said.append("There are no standard errors: they require least squares without a penalty, "
                    "bounds or selection of columns.")  # fmt: skip
    elif model.rows <= model.n_estimated:
        said.append(
            f"The fit leaves no residual degrees of freedom (n = {model.rows:g}, "
            f"coefficients: {model.n_estimated}), so there are no standard errors. "
            "Use fewer columns, Ridge or Lasso."
        )
    elif diagnostics is None:
        said.append(
            why
            or "Residual diagnostics need the training rows: call summary(X, y), or fit "
            "with keep_rows=True."
        )
    return said


def _plain(x: float) -> float | None:
    return float(x) if np.isfinite(x) else None
