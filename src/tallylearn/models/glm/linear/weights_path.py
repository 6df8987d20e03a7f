"""Weights along a path of penalties: which columns stay when weights become dear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.reporting.charts import Plot, draw_lines
from tallylearn.reporting.report import TableReport
from tallylearn.tables import Array
from tallylearn.workings import Derivation, Grid, Sentence, short

SHOWN = 12  # penalties that are written down
MOST = 12  # weights that are drawn: the largest


@dataclass(frozen=True)
class Path(TableReport):
    """The weights for every penalty, the largest penalty first."""

    columns: tuple[str, ...]  # (p,)
    penalty: Array  # (m,)
    intercept: Array  # (m,)
    coef: Array  # (m, p)
    chosen: float
    gap: Array  # (m,) duality gap of each, relative; zeros where weights have a closed form
    error: Array  # (m,) mean squared error over folds; empty without folds
    deviation: Array  # (m,)

    def to_dict(self) -> dict[str, Any]:
        return {
            "chosen": self.chosen,
            "penalties": self.records(),
            "columns": list(self.columns),
            "folds": bool(len(self.error)),
        }

    def records(self) -> list[dict[str, Any]]:
        """A row for every penalty."""
        out = []
        for m, penalty in enumerate(self.penalty.tolist()):
            row: dict[str, Any] = {"alpha": penalty, "intercept": float(self.intercept[m])}
            if len(self.error):
                row |= {"error": float(self.error[m]), "deviation": float(self.deviation[m])}
            row["gap"] = float(self.gap[m])
            named = zip(self.columns, self.coef[m].tolist(), strict=True)
            out.append({**row, "weights": dict(named)})
        return out

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        rows = found["penalties"]
        at = sorted({*np.linspace(0, len(rows) - 1, min(SHOWN, len(rows))).astype(int).tolist()})
        heads = ("alpha", "weights not 0", "largest", *(("error",) if found["folds"] else ()))
        cells = []
        for row in (rows[i] for i in at):
            weights: Mapping[str, float] = row["weights"]
            big = max(weights, key=lambda name: abs(weights[name])) if weights else ""
            used = sum(w != 0 for w in weights.values())
            told = (short(row["alpha"]), str(used), f"{big} {short(weights.get(big, 0.0))}")
            cells.append((*told, short(row["error"])) if found["folds"] else told)
        note = Sentence(f"{len(rows)} penalties; alpha is {short(found['chosen'])}{_end(found)}.")
        return Derivation("Path of penalties", (Grid("weights", heads, tuple(cells)), note))

    def plot(self) -> Plot:
        """The weights against the penalty, those that grow largest."""
        order = np.argsort(-np.abs(self.coef).max(axis=0))[:MOST]
        up = np.argsort(self.penalty)
        x = self.penalty[up]
        log = bool(x[0] > 0)
        lines = {self.columns[j]: (x, self.coef[up, j]) for j in sorted(order.tolist())}
        return draw_lines(lines, "Path of penalties", "alpha", "weight", log_x=log)

    def plot_error(self) -> Plot:
        """The mean squared error over folds against the penalty, with its standard error."""
        if not len(self.error):
            raise InputError(
                "no folds have judged these penalties. Fit with alpha='cv', and alphas=[...] for "
                "penalties of your own; then path() without any has the error of each."
            )
        up = np.argsort(self.penalty)
        y, off = self.error[up], self.deviation[up]
        band = (self.penalty[up], y, y - off, y + off)
        return draw_lines({"folds": band}, "Error over folds", "alpha", "mean squared error",
                          log_x=bool(self.penalty.min() > 0))  # fmt: skip


def _end(found: dict[str, Any]) -> str:
    """Whether folds would have gone on: the best may be a penalty that was not tried."""
    tried = [row["alpha"] for row in found["penalties"]]
    if not found["folds"] or len(tried) < 2 or found["chosen"] not in (min(tried), max(tried)):
        return ""
    return f", the {'smallest' if found['chosen'] == min(tried) else 'largest'} that was tried"
