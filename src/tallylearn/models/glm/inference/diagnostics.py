"""Regression diagnostics: residuals, leverage, Cook's distance and tests of the assumptions.

The tests: linearity (Ramsey's RESET), equal variance (Breusch and Pagan, studentised by Koenker),
independence of neighbouring rows (Durbin and Watson) and normal residuals (Jarque and Bera).

References
----------
R. Cook and S. Weisberg, Residuals and Influence in Regression, 1982.
J. MacKinnon and H. White, Some heteroskedasticity-consistent covariance matrix estimators with
improved finite sample properties, J. Econometrics 29, 1985.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import chdtrc, fdtrc, ndtri

from tallylearn.errors import InputError
from tallylearn.models.glm.inference.linear_fit import LinearFit
from tallylearn.models.glm.inference.summary_layout import summary_layout
from tallylearn.reporting.charts import Plot, draw_lines, draw_points
from tallylearn.reporting.formatting import format_column, p_value_relation
from tallylearn.reporting.report import Report, TableReport
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array, Block
from tallylearn.workings import Grid, Sentence, format_number

# p-values below speak against an assumption.
SIGNIFICANCE = 0.05
# A Durbin-Watson statistic outside suggests autocorrelation, by the usual rule of thumb; it is 2
# without autocorrelation, and its distribution depends on the columns.
MIN_WATSON, MAX_WATSON = 1.5, 2.5
# Times the mean leverage: a row of high leverage (Hoaglin and Welsch suggest 2, Huber and others
# 3).
HIGH_LEVERAGE = 3
# Rows that a report lists, those with the largest Cook's distance.
MAX_ROWS_SHOWN = 5


COOK_TITLE = "influential rows (largest Cook's distance; rows are numbered from 0)"
# The keys of a row's record, and their headings.
ROW_HEADINGS = {
    "row": "row",
    "answer": "fitted",
    "residual": "residual",
    "leverage": "leverage",
    "student": "studentized",
    "cook": "Cook's D",
}
# Of every test the name as printed, the symbol of its statistic, and what it looks for.
TEST_NAMES = {
    "RESET": ("Ramsey RESET", "F", "nonlinearity"),
    "Breusch-Pagan": ("Breusch-Pagan", "LM", "heteroscedasticity"),
    "Durbin-Watson": ("Durbin-Watson", "d", "autocorrelation"),
    "Jarque-Bera": ("Jarque-Bera", "JB", "non-normal residuals"),
}


@dataclass(frozen=True)
class AssumptionTest:
    """One assumption: the statistic, and how likely one as large is where the assumption holds."""

    assumption: str
    test: str
    statistic: float
    p: float | None  # None where the statistic has no simple distribution
    verdict: str  # "ok", or what the test gives evidence of

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class Diagnostics(TableReport):
    """Rows as the model sees them: what it answers, misses, and how much each row leads it."""

    answer: Array  # (n,)
    residual: Array  # (n,)
    leverage: Array  # (n,)
    student: Array  # (n,) residuals in their own standard errors, the row itself left out
    cook: Array  # (n,) how far all answers move when the row is left out; both NaN of a row alone
    checks: tuple[AssumptionTest, ...]
    used: int  # weights
    row: Array  # (n,) their numbers from 0 in the table, whatever was left out of it

    def records(self) -> list[dict[str, Any]]:
        """A row for every row."""
        names = ("row", "answer", "residual", "leverage", "student", "cook")
        columns = [map(_finite, getattr(self, name).tolist()) for name in names]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def to_dict(self) -> dict[str, Any]:
        order = np.argsort(-self.cook, kind="stable")[:MAX_ROWS_SHOWN]
        order = order[np.isfinite(self.cook[order])]
        records = self.records()
        far = np.flatnonzero(self.leverage > HIGH_LEVERAGE * self.used / len(self.answer))
        return {
            "rows": len(self.answer),
            "checks": [check.to_dict() for check in self.checks],
            "leading": [records[i] for i in order.tolist()],
            "far": self.row[far].tolist(),
            "alone": self.row[_has_full_leverage(self.leverage)].tolist(),
        }

    @staticmethod
    def _layout(found: dict[str, Any]) -> Report:
        tests, more = diagnostics_layout(found)
        return summary_layout("Residual diagnostics", (), (), tests, more)

    def plots(self) -> dict[str, Plot]:
        """Residuals against answers, their size against answers, normal quantiles, leverage."""
        shown = np.isfinite(self.student)
        if not shown.any():
            raise InputError(
                f"no residual can be standardised: {len(self.answer)} rows are too few for the "
                "coefficients. Fit with more rows or fewer columns."
            )
        answer, lead, student = self.answer[shown], self.leverage[shown], self.student[shown]
        size, n = np.sqrt(np.abs(student)), len(student)
        normal = ndtri((np.arange(1, n + 1) - 0.5) / max(n, 1))
        return {
            "linearity": draw_points(self.answer, self.residual, "Residuals", "answer", "residual"),
            "variance": draw_points(answer, size, "Size of residuals", "answer", "√|student|"),
            "normality": draw_lines({"residuals": (normal, np.sort(student))}, "Normal quantiles",
                                    "normal", "residual", diagonal="normal"),
            "leverage": draw_points(lead, student, "Leverage", "leverage", "student"),
        }  # fmt: skip


@dataclass(frozen=True)
class SandwichMeat:
    """The middle of robust standard errors, in orthonormal columns."""

    middle: Array  # (k, k) the sum of x xᵀ e²; (4, k, k) the e weighed as HC0 to HC3 have it
    alone: Array  # (m, k) directions that one row alone decides, and leaves no e


def diagnose_rows(
    model: LinearFit, blocks: Iterable[tuple[Block, Array]], t: int = 0, compared: bool = False
) -> tuple[Diagnostics, SandwichMeat]:
    """What rows show of a model, and of its robust standard errors.

    Every block comes with the numbers of its rows. A weight counts rows that are alike, each with
    an error of its own; one that compares rows is a factor of a row's only error, and is squared.
    """
    parts, meat, seen, numbers, lone = (
        [],
        np.zeros((4, model.n_estimated, model.n_estimated)),
        [],
        [],
        [],
    )
    n, k = model.rows, model.n_estimated
    with one_thread():
        for block, row in blocks:
            z = _orthonormal_rows(model, block)
            answer = model.predictions(block).reshape(len(block), -1)[:, t]
            target = block.target[t] if isinstance(block.target, tuple) else block.target
            ones = np.ones(len(block))
            weight = ones if block.weight is None else block.weight
            once = (z**2).sum(axis=1)  # of one row, where the weight counts several alike
            lead = once * weight
            residual = model.residuals(block, target, t)
            own, times = (lead, weight**2) if compared else (once, weight)
            apart = np.where(_has_full_leverage(own), np.inf, 1 - own)
            for way, size in enumerate((ones, ones * n / max(n - k, 1), 1 / apart, 1 / apart**2)):
                scaled = z * (np.abs(residual) * np.sqrt(times * size))[:, None]
                meat[way] += scaled.T @ scaled
            lone.append(
                z[_has_full_leverage(own)] / np.sqrt(once[_has_full_leverage(own)])[:, None]
            )
            parts.append(np.column_stack([answer, residual, lead, weight]))
            seen.append(z)
            numbers.append(row)
    whole, z = np.concatenate(parts), np.concatenate(seen)
    answer, residual, lead, weight = whole.T
    free = max(n - k, 1.0)
    left = float((weight * residual**2).sum())
    apart = np.where(_has_full_leverage(lead), np.nan, 1 - lead)
    inner = weight * residual**2 / apart
    others = np.nan if free <= 1 else np.maximum((left - inner) / (free - 1), 1e-300)
    alone = np.sqrt(others * apart / weight)
    cook = inner * lead / apart / (k * max(left / free, 1e-300))
    checks = (
        _assumption_checks(z, answer, residual, weight, k)
        if min(n, len(lead)) > k + 2 and left > 0
        else ()
    )
    rows, student = np.concatenate(numbers), residual / alone
    found = Diagnostics(
        answer=answer, residual=residual, leverage=lead, student=student, cook=cook,
        checks=checks, used=k, row=rows,
    )  # fmt: skip
    return found, SandwichMeat(meat, np.concatenate(lone))


def diagnostics_layout(
    found: dict[str, Any],
) -> tuple[list[tuple[str, str, str]], list[Grid | Sentence]]:
    """The tests, and the table of influential rows with notes, from plain data."""
    tests = []
    for check in found["checks"]:
        name, symbol, finding = TEST_NAMES[check["test"]]
        value = f"{symbol} = {format_number(check['statistic'])}"
        if check["p"] is not None:
            value += f", p {p_value_relation(check['p'])}"
        doubt = check["verdict"]
        verdict = f"no evidence of {finding}" if doubt == "ok" else f"evidence of {doubt}"
        tests.append((name, value, verdict))
    more: list[Grid | Sentence] = []
    leading = found["leading"]
    if leading:
        numbers = [format_column([row[key] for row in leading]) for key in [*ROW_HEADINGS][1:]]
        rows = zip((str(row["row"]) for row in leading), *numbers, strict=True)
        more.append(Grid(COOK_TITLE, (*ROW_HEADINGS.values(),), tuple(rows)))
    many = f"{len(found['far'])} of {found['rows']} rows {_has(len(found['far']))}"
    more.append(Sentence(f"{many} more than {HIGH_LEVERAGE} times the mean leverage."))
    if found["alone"]:
        n = len(found["alone"])
        which = "1 row has leverage 1: it" if n == 1 else f"{n} rows have leverage 1: each"
        more.append(Sentence(f"{which} determines a coefficient alone and has residual 0."))
    return tests, more


def _has_full_leverage(leverage: Array) -> Array:
    """Which rows decide their own answer, but for rounding: what they miss says nothing."""
    return np.asarray(leverage > 1 - 1e-9)


def _orthonormal_rows(model: LinearFit, block: Block) -> Array:
    """(n, used) rows in orthonormal columns: products of all rows are the identity."""
    x = np.concatenate([model.centred_rows(part) for part in model.design.pieces(block)])
    away = ((x - model.low) / model.scale)[:, model.basis]
    inside = solve_triangular(model.free_root(), away.T, trans=1, check_finite=False).T
    ones = np.full((len(x), 1), 1 / np.sqrt(model.rows))
    return np.hstack([ones, inside]) if model.centred else np.asarray(inside)


def _assumption_checks(
    z: Array, answer: Array, e: Array, weight: Array, k: int
) -> tuple[AssumptionTest, ...]:
    n = float(weight.sum())
    root = np.sqrt(weight)
    left = float((weight * e**2).sum())
    zw = z * root[:, None]
    flat = root - zw @ (zw.T @ root)  # nothing, where there is an intercept
    level = float(flat @ flat)
    slopes = k - 1 if level < 1e-9 * n else k
    more = _powers_of_fitted(answer, weight, slopes < k) * root[:, None]
    more = more - zw @ (zw.T @ more)
    share = np.linalg.lstsq(more, e * root, rcond=None)[0]
    explained = float(((more @ share) ** 2).sum())
    free = n - k - 2
    reset = explained / 2 / max((left - explained) / max(free, 1.0), 1e-300)
    squares = e**2 - left / n
    fitted = float(((zw.T @ (squares * root)) ** 2).sum())
    fitted += 0.0 if slopes < k else float(flat @ (squares * root)) ** 2 / level
    bent = n * fitted / max(float((weight * squares**2).sum()), 1e-300)
    watson = float((np.diff(e) ** 2).sum() / max(float((e**2).sum()), 1e-300))
    centre = e - np.average(e, weights=weight)
    second, third, fourth = (np.average(centre**m, weights=weight) for m in (2, 3, 4))
    skew, excess = third / second**1.5, fourth / second**2 - 3
    bera = n / 6 * (skew**2 + excess**2 / 4)
    following = (
        "positive autocorrelation" if watson < MIN_WATSON
        else "negative autocorrelation" if watson > MAX_WATSON
        else "ok"
    )  # fmt: skip
    p_reset, p_bera = float(fdtrc(2, free, reset)), float(chdtrc(2, bera))
    p_pagan = float(chdtrc(max(slopes, 1), bent))
    sloping = (
        AssumptionTest("linear", "RESET", reset, p_reset, _verdict(p_reset, "nonlinearity")),
        AssumptionTest(
            "equal variance", "Breusch-Pagan", bent, p_pagan,
            _verdict(p_pagan, "heteroscedasticity"),
        ),
    )  # fmt: skip
    return (
        *(sloping if slopes else ()),
        AssumptionTest("independent", "Durbin-Watson", watson, None, following),
        AssumptionTest(
            "normal", "Jarque-Bera", bera, p_bera, _verdict(p_bera, "non-normal residuals")
        ),
    )


def _powers_of_fitted(answer: Array, weight: Array, constant: bool) -> Array:
    """(n, 2) the square and the cube of the answers, in units of the largest.

    With a constant among the columns, powers of the distance from the mean ask the same, and lose
    fewer digits; without one they would ask for another curve.
    """
    spread = answer - np.average(answer, weights=weight) if constant else answer
    spread = spread / max(float(np.abs(spread).max()), 1e-300)
    return np.column_stack([spread**2, spread**3])


def _verdict(p: float, doubt: str) -> str:
    return doubt if p < SIGNIFICANCE else "ok"


def _has(many: int) -> str:
    return "has" if many == 1 else "have"


def _finite(x: float) -> float | None:
    return x if np.isfinite(x) else None
