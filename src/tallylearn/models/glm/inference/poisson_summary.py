"""The summary of a Poisson regression, with the headings that statsmodels' GLM prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.models.glm.inference.summary_layout import (
    INTERCEPT,
    coefficient_rows,
    interval_headings,
    summary_layout,
)
from tallylearn.models.glm.poisson_model import PoissonModel
from tallylearn.reporting.formatting import plain_data
from tallylearn.reporting.report import Report, TableReport
from tallylearn.statistics.confidence_intervals import check_level, z_value
from tallylearn.tables import Array, Schema
from tallylearn.workings import Grid, Sentence, format_number
from tallylearn.workings.terms import intercept_name


@dataclass(frozen=True)
class PoissonSummary(TableReport):
    """Coefficients, standard errors and the fit of a Poisson regression."""

    target: str
    rows: tuple[dict[str, Any], ...]  # name, coef, std_err, z, p, lower, upper
    fit: dict[str, Any]
    level: float
    notes: tuple[str, ...] = ()
    converged: bool = True

    def records(self) -> list[dict[str, Any]]:
        return [*self.rows]

    def to_dict(self) -> dict[str, Any]:
        return {
            "target": self.target, "rows": plain_data(self.rows), "fit": plain_data(self.fit),
            "level": self.level, "notes": [*self.notes], "converged": self.converged,
        }  # fmt: skip

    @staticmethod
    def _layout(found: dict[str, Any]) -> Report:
        rows = found["rows"]
        keys: tuple[str, ...] = ("coef", "std_err", "z", "p", "lower", "upper")
        heads: tuple[str, ...] = (
            "",
            "coef",
            "std err",
            "z",
            "P>|z|",
            *interval_headings(found["level"]),
        )
        if all(row["std_err"] is None for row in rows):
            keys, heads = keys[:1], heads[:2]
        if any("vif" in row for row in rows):
            keys, heads = (*keys, "vif"), (*heads, "VIF")
        columns = [[row[key] for row in rows] for key in keys]
        cells = coefficient_rows(
            [row["name"] for row in rows],
            columns,
            p_column=keys.index("p") if "p" in keys else None,
        )
        table = Grid(f"{found['target']}: Poisson regression, log link", heads, cells)
        notes = [*map(Sentence, found["notes"])]
        return summary_layout("Poisson regression", (table,), _statistics(found), (), notes)


def _statistics(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The labels and values of the fit statistics.

    The log-likelihood of the null model follows from the deviances: both are twice the distance
    from that of the saturated model.
    """
    fit = found["fit"]
    n, full = fit["No. Observations"], fit["Log-Likelihood"]
    null = full - (fit["Null deviance"] - fit["Deviance"]) / 2
    values: dict[str, Any] = {"n": n, "Log-likelihood": full, "LL-Null": null}
    if null:
        values["Pseudo R-squared (McFadden)"] = 1 - full / null
    if "AIC" in fit:
        values["AIC"] = fit["AIC"]
        values["BIC"] = float(np.log(n)) * (n - fit["Df Residuals"]) - 2 * full
    for name in ("Deviance", "Null deviance", "D²", "Pearson chi2", "Df Residuals"):
        values[name] = fit[name]
    values["Iterations"] = fit["No. Iterations"]
    figures = [(name, format_number(float(value))) for name, value in values.items()]
    if "converged" in found:
        figures.append(("Converged", "yes" if found["converged"] else "no"))
    return figures


def summarize(
    model: PoissonModel, schema: Schema, target: str, level: float, notes: tuple[str, ...] = (),
    inflation: Array | None = None,
) -> PoissonSummary:  # fmt: skip
    """The summary of a fitted model; standard errors are those of maximum likelihood alone."""
    check_level("summary", level)
    order = model.design.order(schema).tolist()
    places = [(model.design.names[j], float(model.coef[j]), 1 + j) for j in order]
    if model.has_intercept:
        places.insert(0, (intercept_name(model.design.names, INTERCEPT), model.intercept, 0))
    rows = tuple(_row(model, name, coef, at, level) for name, coef, at in places)
    if inflation is not None:
        factors = [float(inflation[at - 1]) if at else None for _, _, at in places]
        rows = tuple(row | {"vif": vif} for row, vif in zip(rows, factors, strict=True))
    n_coef = len(places)
    fit: dict[str, Any] = {
        "No. Observations": model.rows,
        "Df Residuals": model.rows - n_coef,
        "Df Model": n_coef - int(model.has_intercept),
        "Log-Likelihood": model.log_likelihood,
        "Deviance": model.deviance,
        "Null deviance": model.null_deviance,
        "D²": model.d2,
        "Pearson chi2": model.pearson,
    }
    if model.alpha:
        notes += (f"alpha = {model.alpha:g}: penalised coefficients have no standard errors.",)
    else:
        fit["AIC"] = 2 * n_coef - 2 * model.log_likelihood
    if not (model.alpha or model.errors.size):
        notes += ("There are no standard errors: the Hessian is singular.",)
    fit["No. Iterations"] = model.steps
    return PoissonSummary(
        target, rows, fit, level, (*notes, *model.notes()), converged=model.converged
    )


def _row(model: PoissonModel, name: str, coef: float, at: int, level: float) -> dict[str, Any]:
    from scipy.special import ndtr

    empty = dict.fromkeys(("std_err", "z", "p", "lower", "upper"))
    if not model.errors.size:
        return {"name": name, "coef": coef, **empty}
    error = float(model.errors[at])
    with np.errstate(divide="ignore", invalid="ignore"):
        z = float(np.divide(coef, error))
    wide = z_value(level) * error
    return {
        "name": name, "coef": coef, "std_err": error, "z": z, "p": float(2 * ndtr(-abs(z))),
        "lower": coef - wide, "upper": coef + wide,
    }  # fmt: skip
