"""Summaries of logistic regressions: log-odds, odds ratios, and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.models.design.terms import CategoryTerm
from tallylearn.models.glm.inference.summary_layout import (
    coefficient_names,
    coefficient_rows,
    interval_headings,
    summary_layout,
)
from tallylearn.models.glm.logistic_model import TOP, LogisticModel, SolverOutcome
from tallylearn.reporting.formatting import plain_data
from tallylearn.reporting.report import Report, TableReport
from tallylearn.statistics.confidence_intervals import check_level, z_value
from tallylearn.tables import Array, Schema
from tallylearn.workings import Grid, Sentence, format_number
from tallylearn.workings.terms import intercept_name

CONSTANT = "(constant)"  # the intercept in records(); printed as Intercept
SQUARED = "half the squared errors"  # that loss="squared" made least, and no likelihood

WEIGHED = (
    "The classes are weighed: errors, tests and likelihoods take a row for as many as its class "
    "weighs."
)


@dataclass(frozen=True)
class LogisticSummary(TableReport):
    """Coefficients of every class but the reference, with odds ratios and standard errors."""

    reference: str
    rows: tuple[dict[str, Any], ...]
    figures: dict[str, Any]
    remarks: tuple[str, ...]
    level: float
    words: int = 0  # of texts, the last rows of every class
    has_intercept: bool = True  # the first row of every class is the intercept
    converged: bool = True

    def records(self) -> list[dict[str, Any]]:
        return [*self.rows]

    def to_dict(self) -> dict[str, Any]:
        return {
            "reference": self.reference, "rows": plain_data(self.rows), "figures": self.figures,
            "remarks": [*self.remarks], "level": self.level, "words": self.words,
            "intercept": self.has_intercept, "converged": self.converged,
        }  # fmt: skip

    @staticmethod
    def _layout(found: dict[str, Any]) -> Report:
        grids = [_grid(found, name) for name in dict.fromkeys(r["class"] for r in found["rows"])]
        notes = [*map(Sentence, found["remarks"])]
        return summary_layout("Logistic regression", grids, _statistics(found), (), notes)


# The printed labels of figures.
LABELS = {
    "rows": "n",
    "weight of the rows, by class": "Sum of class weights",
    "log-likelihood": "Log-likelihood",
    "log-likelihood without columns": "LL-Null",
    "McFadden's R²": "Pseudo R-squared (McFadden)",
    SQUARED: "Half the squared errors",
    "penalty": "Penalty",
    "steps": "Iterations",
}


def _statistics(found: dict[str, Any]) -> list[tuple[str, str]]:
    figures = [(LABELS.get(name, name), _figure(value)) for name, value in found["figures"].items()]
    if "converged" in found:
        figures.append(("Converged", "yes" if found["converged"] else "no"))
    return figures


def _grid(found: dict[str, Any], name: str) -> Grid:
    rows = [row for row in found["rows"] if row["class"] == name]
    sure = rows[0]["error"] is not None
    names = [row["column"] for row in rows]
    first = names[:1] == [intercept_name(names[1:], CONSTANT)]
    names = coefficient_names(names, bool(found.get("intercept", first)))
    shown, some = _select_rows(rows, found["words"])
    keys = ("log_odds", "odds_ratio", *(("error", "z", "p") if sure else ()))
    has_vif = any("vif" in row for row in rows)
    columns = [[rows[j][key] for j in shown] for key in keys]
    heads: tuple[str, ...] = ("", "coef", "odds ratio")
    if sure:
        heads += ("std err", "z", "P>|z|", *interval_headings(found["level"]))
        wide = [z_value(found["level"]) * rows[j]["error"] for j in shown]
        columns += [
            [rows[j]["log_odds"] + sign * w for j, w in zip(shown, wide, strict=True)]
            for sign in (-1, 1)
        ]
    if has_vif:
        heads += ("VIF",)
        columns.append([rows[j]["vif"] for j in shown])
    cells = coefficient_rows(
        [names[j] for j in shown], columns, p_column=keys.index("p") if sure else None
    )
    title = f"log-odds of {name} against {found['reference']} (reference)"
    note = f"{some} The interval is that of the coefficient.".strip() if sure else some
    return Grid(title, heads, cells, note)


def _select_rows(rows: list[dict[str, Any]], words: int) -> tuple[list[int], str]:
    """The places of the coefficients that are listed, and a note on words that are not."""
    if words <= TOP:
        return [*range(len(rows))], ""
    first = len(rows) - words
    size = np.abs([row["log_odds"] for row in rows[first:]])
    most = sorted(np.argsort(-size, kind="stable")[:TOP].tolist())
    said = f"{TOP} of {words} words are listed, those with the largest coefficients."
    return [*range(first), *(first + j for j in most)], said


def _figure(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else format_number(float(value))


def summarise(
    model: LogisticModel, schema: Schema, level: float = 0.95, inflation: Array | None = None
) -> LogisticSummary:
    """From a model: every class compared with the first; ``inflation`` (m, p) if it is shown."""
    check_level("summary", level)
    two = len(model.classes) == 2
    weights, bias = model.weights, model.bias
    if not two:
        weights, bias = weights[1:] - weights[0], bias[1:] - bias[0]
    rows: list[dict[str, Any]] = []
    constant = intercept_name(model.names, CONSTANT)
    for c, name in enumerate(model.classes[1:]):
        errors = model.ending.errors[c] if model.ending.errors.size else None
        if model.ending.intercept:
            error = None if errors is None else float(errors[0])
            row = _row(name, constant, float(bias[c]), error, level)
            rows.append(row if inflation is None else row | {"vif": None})
        for j in model.order(schema).tolist():
            error = None if errors is None else float(errors[1 + j])
            row = _row(name, model.names[j], float(weights[c, j]), error, level)
            rows.append(row if inflation is None else row | {"vif": float(inflation[c, j])})
    return LogisticSummary(
        reference=str(model.classes[0]), rows=tuple(rows), figures=_figures(model),
        remarks=tuple(_remarks(model, schema)), level=level,
        words=model.width - len(model.design.columns), has_intercept=model.ending.intercept,
        converged=model.ending.converged,
    )  # fmt: skip


def _row(
    name: Any, column: str, weight: float, error: float | None, level: float
) -> dict[str, Any]:
    found: dict[str, Any] = {"class": str(name), "column": column, "log_odds": weight}
    found["odds_ratio"] = _exp(weight)
    if error is None:
        return found | dict.fromkeys(("error", "z", "p", "low", "high"))
    from scipy.special import ndtr

    z = weight / error if error else 0.0
    wide = z_value(level) * error
    p = float(2 * ndtr(-abs(z))) if error else None
    ends = {"low": _exp(weight - wide), "high": _exp(weight + wide)}
    return found | {"error": error, "z": z, "p": p, **ends}


def _exp(log: float) -> float:
    with np.errstate(over="ignore", under="ignore"):
        return float(np.exp(log))  # 0 and infinity where no double is nearer


def _figures(model: LogisticModel) -> dict[str, Any]:
    end = model.ending
    free = max(1, len(model.bias) - 1) * (model.width + int(end.intercept))
    found: dict[str, Any] = {"rows": end.n_training_rows}
    if not np.isclose(end.rows, end.n_training_rows, rtol=1e-9):
        found["weight of the rows, by class"] = end.rows
    found |= _likelihood(end, free) if end.loss_name == "cross-entropy" else {SQUARED: end.loss}
    penalty = "none" if not end.is_penalised else f"C = {end.C:g}, l1_ratio = {end.l1_ratio:g}"
    return found | {"penalty": penalty, "steps": str(end.steps)}


def _likelihood(end: SolverOutcome, free: int) -> dict[str, Any]:
    found = {"log-likelihood": -end.loss, "log-likelihood without columns": -end.null}
    if end.null > 0:
        found["McFadden's R²"] = 1 - end.loss / end.null
    if not end.is_penalised and end.converged:  # both compare maxima
        found["AIC"] = 2 * end.loss + 2 * free
        found["BIC"] = 2 * end.loss + float(np.log(end.n_training_rows)) * free
    return found


def _remarks(model: LogisticModel, schema: Schema) -> list[str]:
    said = []
    if model.ending.is_penalised:
        said.append("Penalised coefficients are shrunk towards 0, and have no standard errors.")
    elif not model.ending.errors.size and model.ending.loss_name == "cross-entropy":
        said.append(
            "There are no standard errors: they belong to maximum-likelihood estimates, which "
            "Newton's method finds where it converges."
        )
    shown = {t.column for t in model.design.terms if isinstance(t, CategoryTerm)}
    said += [
        f"Column {name!r} is compared with {base}."
        for name, base in model.design.references.items()
        if name in shown or model.design.formula is not None
    ]
    return said + model.convergence_notes()
