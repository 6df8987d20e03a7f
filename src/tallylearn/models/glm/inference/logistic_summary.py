"""Summaries of logistic regressions: log-odds, odds ratios, and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.models.design.terms import CategoryTerm
from tallylearn.models.glm.logistic_model import TOP, Ending, LogisticModel
from tallylearn.reporting.formatting import plain_data
from tallylearn.reporting.report import TableReport
from tallylearn.statistics.confidence_intervals import check_level, z_value
from tallylearn.tables import Schema
from tallylearn.workings import Derivation, Grid, Sentence, format_number
from tallylearn.workings.terms import intercept_name

SQUARED = "half the squared errors"  # that loss="squared" made least, and no likelihood

WEIGHED = (
    "The classes are weighed: errors, tests and likelihoods take a row for as many as its class "
    "weighs."
)


@dataclass(frozen=True)
class LogisticSummary(TableReport):
    """A row for every class but the reference, and every column."""

    reference: str
    rows: tuple[dict[str, Any], ...]
    figures: dict[str, Any]
    remarks: tuple[str, ...]
    level: float
    words: int = 0  # of texts, the last rows of every class

    def records(self) -> list[dict[str, Any]]:
        return [*self.rows]

    def to_dict(self) -> dict[str, Any]:
        return {
            "reference": self.reference, "rows": plain_data(self.rows), "figures": self.figures,
            "remarks": [*self.remarks], "level": self.level, "words": self.words,
        }  # fmt: skip

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        grids = [_grid(found, name) for name in dict.fromkeys(r["class"] for r in found["rows"])]
        figures = tuple((name, _figure(value)) for name, value in found["figures"].items())
        return Derivation(
            "Logistic regression",
            (*grids, Grid("fit", ("", ""), figures), *map(Sentence, found["remarks"])),
        )


def _grid(found: dict[str, Any], name: str) -> Grid:
    rows = [row for row in found["rows"] if row["class"] == name]
    sure = rows[0]["error"] is not None
    percent = f"{100 * found['level']:g} %"
    more = ("error", "z", "p", f"{percent} low", f"{percent} high") if sure else ()
    keys = ("log_odds", "odds_ratio", *(("error", "z", "p", "low", "high") if sure else ()))
    shown, some = _shown(rows, found["words"])
    cells = tuple((row["column"], *(_figure(row[key]) for key in keys)) for row in shown)
    title = f"odds of {name} against {found['reference']}, the reference"
    note = f"{some} low and high are of the odds ratio.".strip() if sure else some
    return Grid(title, ("", "log-odds", "odds ratio", *more), cells, note)


def _shown(rows: list[dict[str, Any]], words: int) -> tuple[list[dict[str, Any]], str]:
    """The columns, and of many words those with the largest weights; and what that leaves out."""
    if words <= TOP:
        return rows, ""
    first = len(rows) - words
    size = np.abs([row["log_odds"] for row in rows[first:]])
    most = sorted(np.argsort(-size, kind="stable")[:TOP].tolist())
    said = f"Of {words} words those {TOP} with the largest weights."
    return [*rows[:first], *(rows[first + j] for j in most)], said


def _figure(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else format_number(float(value))


def summarised(model: LogisticModel, schema: Schema, level: float = 0.95) -> LogisticSummary:
    """From a model: every class compared with the first."""
    check_level("summary", level)
    two = len(model.classes) == 2
    weights, bias = model.weights, model.bias
    if not two:
        weights, bias = weights[1:] - weights[0], bias[1:] - bias[0]
    rows: list[dict[str, Any]] = []
    constant = intercept_name(model.names, "(constant)")
    for c, name in enumerate(model.classes[1:]):
        errors = model.ending.errors[c] if model.ending.errors.size else None
        if model.ending.intercept:
            error = None if errors is None else float(errors[0])
            rows.append(_row(name, constant, float(bias[c]), error, level))
        for j in model.order(schema).tolist():
            error = None if errors is None else float(errors[1 + j])
            rows.append(_row(name, model.names[j], float(weights[c, j]), error, level))
    return LogisticSummary(
        str(model.classes[0]), tuple(rows), _figures(model), tuple(_remarks(model, schema)), level,
        model.width - len(model.design.columns),
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
    found: dict[str, Any] = {"rows": end.learned}
    if not np.isclose(end.rows, end.learned, rtol=1e-9):
        found["weight of the rows, by class"] = end.rows
    found |= _likelihood(end, free) if end.loss_name == "cross-entropy" else {SQUARED: end.loss}
    penalty = "none" if not end.penalised else f"C = {end.C:g}, l1_ratio = {end.l1_ratio:g}"
    return found | {"penalty": penalty, "steps": str(end.steps)}


def _likelihood(end: Ending, free: int) -> dict[str, Any]:
    found = {"log-likelihood": -end.loss, "log-likelihood without columns": -end.null}
    if end.null > 0:
        found["McFadden's R²"] = 1 - end.loss / end.null
    if not end.penalised and end.converged:  # both compare maxima
        found["AIC"] = 2 * end.loss + 2 * free
        found["BIC"] = 2 * end.loss + float(np.log(end.learned)) * free
    return found


def _remarks(model: LogisticModel, schema: Schema) -> list[str]:
    said = []
    if model.ending.penalised:
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
        if name in shown
    ]
    return said + model.said()
