"""The summary of a Poisson regression, with the headings that statsmodels' GLM prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.models.glm.poisson_model import PoissonModel
from tallylearn.reporting.formatting import format_number_or_blank, format_p_value, plain_data
from tallylearn.reporting.report import TableReport
from tallylearn.statistics.confidence_intervals import check_level, z_value
from tallylearn.tables import Schema
from tallylearn.workings import Derivation, Grid, Sentence, format_number
from tallylearn.workings.terms import intercept_name


@dataclass(frozen=True)
class PoissonSummary(TableReport):
    """Coefficients, standard errors and the fit of a Poisson regression."""

    target: str
    rows: tuple[dict[str, Any], ...]  # name, coef, std_err, z, p, lower, upper
    fit: dict[str, Any]
    level: float
    notes: tuple[str, ...] = ()

    def records(self) -> list[dict[str, Any]]:
        return [*self.rows]

    def to_dict(self) -> dict[str, Any]:
        return {
            "target": self.target, "rows": plain_data(self.rows), "fit": plain_data(self.fit),
            "level": self.level, "notes": [*self.notes],
        }  # fmt: skip

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        tail = (1 - found["level"]) / 2
        heads: tuple[str, ...] = (
            "",
            "coef",
            "std err",
            "z",
            "P>|z|",
            f"[{tail:g}",
            f"{1 - tail:g}]",
        )
        cells: list[tuple[str, ...]] = [_cells(row) for row in found["rows"]]
        if all(row["std_err"] is None for row in found["rows"]):
            heads, cells = heads[:2], [cell[:2] for cell in cells]
        fit = tuple(
            (name, value if isinstance(value, str) else format_number(float(value)))
            for name, value in found["fit"].items()
        )
        grids = (Grid(f"{found['target']}: log-linear", heads, tuple(cells)),
                 Grid("fit", ("", "value"), fit))  # fmt: skip
        return Derivation("Poisson regression", (*grids, *map(Sentence, found["notes"])))


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    first = (format_number_or_blank(row[key]) for key in ("coef", "std_err", "z"))
    last = (format_number_or_blank(row[key]) for key in ("lower", "upper"))
    return (row["name"], *first, format_p_value(row["p"]), *last)


def summarize(
    model: PoissonModel, schema: Schema, target: str, level: float, notes: tuple[str, ...] = ()
) -> PoissonSummary:
    """The summary of a fitted model; standard errors are those of maximum likelihood alone."""
    check_level("summary", level)
    order = model.design.order(schema).tolist()
    places = [(model.design.names[j], float(model.coef[j]), 1 + j) for j in order]
    if model.has_intercept:
        places.insert(0, (intercept_name(model.design.names, "Intercept"), model.intercept, 0))
    rows = tuple(_row(model, name, coef, at, level) for name, coef, at in places)
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
    return PoissonSummary(target, rows, fit, level, (*notes, *model.notes()))


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
