"""Subsets by their size: what the best set of every number of columns leaves, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError, OptionError, listed, told
from tallylearn.reporting.charts import Plot, draw_lines
from tallylearn.reporting.report import TableReport
from tallylearn.tables import Array, check_shape, field_schemas
from tallylearn.workings import Derivation, Grid, Sentence, short

CRITERIA = ("aic", "bic", "folds")
HEADS = {"aic": "AIC", "bic": "BIC", "folds": "error"}
ROUNDING = 1e-14  # of the target's squares: what is less is nothing


@dataclass(frozen=True)
class Subsets:
    """For every size, from none, the columns of the best set and the squares it leaves."""

    taken: Array  # (m, p) 1 where a column is in
    rest: Array  # (m,)
    used: Array  # (m,) weights that are free, the intercept among them
    chosen: int = 0  # the size of the model's own

    form: ClassVar[field_schemas.Form] = {
        "taken": field_schemas.integers("m", "p", least=0),
        "rest": field_schemas.floats("m", least=0.0),
        "used": field_schemas.integers("m", least=0),
        "chosen": field_schemas.count(),
    }

    def __post_init__(self) -> None:
        check_shape("the sets", self.rest, len(self.taken))
        check_shape("the sets", self.used, len(self.taken))
        if not self.chosen < len(self.taken):
            raise ValueError("the set that was chosen is none of those found")

    def criterion(self, name: str, rows: float, whole: float) -> Array:
        """(m,) AIC or BIC: 2k, or k log n, less twice the log-likelihood."""
        rest = np.maximum(self.rest, ROUNDING * whole if whole > 0 else 1.0)
        likely = -rows / 2 * (np.log(2 * np.pi * rest / rows) + 1)
        return np.asarray((2.0 if name == "aic" else np.log(rows)) * self.used - 2 * likely)


@dataclass(frozen=True)
class SubsetPath(TableReport):
    """The best set of every size, with what it leaves and every criterion."""

    method: str
    criterion: str
    chosen: int  # the size
    columns: tuple[tuple[str, ...], ...]  # (m,) of every set
    used: Array  # (m,)
    share: Array  # (m,) R²
    aic: Array  # (m,)
    bic: Array  # (m,)
    error: Array  # (m,) mean squared error over folds; empty without folds
    deviation: Array  # (m,)

    def records(self) -> list[dict[str, Any]]:
        """A row for every size."""
        named = {"weights": self.used, "R2": self.share, "AIC": self.aic, "BIC": self.bic}
        if len(self.error):
            named |= {"error": self.error, "deviation": self.deviation}
        return [
            {"size": m, "columns": list(some), **{name: part[m].item() for name, part in
                                                  named.items()}}
            for m, some in enumerate(self.columns)
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "criterion": self.criterion,
            "chosen": self.chosen,
            "sizes": self.records(),
        }

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        rows, folds = found["sizes"], "error" in found["sizes"][0]
        numbers = ("R2", "AIC", "BIC", *(("error",) if folds else ()))
        cells = tuple(
            (str(row["size"]), *(short(row[name]) for name in numbers), ", ".join(row["columns"]))
            for row in rows
        )
        heads = ("columns", *(name.replace("R2", "R²") for name in numbers), "which")
        said = f"{HEADS[found['criterion']]} chooses {found['chosen']} of {len(rows) - 1} columns."
        grid = Grid(f"best sets, {found['method']}", heads, cells)
        return Derivation("Subsets of columns", (grid, Sentence(said)))

    def plot(self, criterion: str | None = None) -> Plot:
        """A criterion against the number of columns; that which chose unless another is named."""
        name = self.criterion if criterion is None else criterion
        if not isinstance(name, str) or name not in CRITERIA:
            raise OptionError(f"criterion is one of {listed(CRITERIA)}, not {told(name)}.")
        if name == "folds" and not len(self.error):
            raise InputError("no folds have judged these sets. Fit with criterion='folds'.")
        label = HEADS[name]
        size = np.arange(len(self.columns), dtype=np.float64)
        y = {"aic": self.aic, "bic": self.bic, "folds": self.error}[name]
        line: tuple[Array, ...] = (size, y)
        if name == "folds":
            line = (size, y, y - self.deviation, y + self.deviation)
        return draw_lines({label: line}, "Subsets of columns", "columns", label)
