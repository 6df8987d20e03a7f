"""Subset selection: least squares on the subset of columns with the best AIC, BIC or fold error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError, OptionError, listed, told
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.rare_categories import MIN_ROWS
from tallylearn.models.glm.linear.cross_validated_penalty import Folded
from tallylearn.models.glm.linear.linear_model import LinearModel
from tallylearn.models.glm.paths import CrossValidated
from tallylearn.models.glm.solvers.best_subsets import (
    MAX_SEARCHED_GROUPS,
    ColumnGroups,
    Subsets,
    best_subsets_by_size,
    coefficients_of_subsets,
)
from tallylearn.models.glm.solvers.least_squares import LeastSquaresProblem, Solution
from tallylearn.models.glm.sufficient_statistics import FoldMoments
from tallylearn.reporting.charts import Plot, draw_lines
from tallylearn.reporting.report import TableReport
from tallylearn.sources.columns.class_labels import Aim
from tallylearn.tables import Array
from tallylearn.workings import Derivation, Grid, Sentence, format_number

# Subsets as large as the number of rows fit perfectly, and bound nothing: as many are searched in
# about 10 seconds.
MAX_UNBOUNDED_SETS = 1 << 24

CRITERIA = ("aic", "bic", "folds")
CRITERION_HEADS = {"aic": "AIC", "bic": "BIC", "folds": "error"}
METHODS = ("best", "forward", "backward")


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
            (
                str(row["size"]),
                *(format_number(row[name]) for name in numbers),
                ", ".join(row["columns"]),
            )
            for row in rows
        )
        heads = ("columns", *(name.replace("R2", "R²") for name in numbers), "which")
        criterion = CRITERION_HEADS[found["criterion"]]
        said = f"{criterion} chooses {found['chosen']} of {len(rows) - 1} columns."
        grid = Grid(f"best sets, {found['method']}", heads, cells)
        return Derivation("Subsets of columns", (grid, Sentence(said)))

    def plot(self, criterion: str | None = None) -> Plot:
        """A criterion against the number of columns; that which chose unless another is named."""
        name = self.criterion if criterion is None else criterion
        if not isinstance(name, str) or name not in CRITERIA:
            raise OptionError(f"criterion is one of {listed(CRITERIA)}, not {told(name)}.")
        if name == "folds" and not len(self.error):
            raise InputError("no folds have judged these sets. Fit with criterion='folds'.")
        label = CRITERION_HEADS[name]
        size = np.arange(len(self.columns), dtype=np.float64)
        y = {"aic": self.aic, "bic": self.bic, "folds": self.error}[name]
        line: tuple[Array, ...] = (size, y)
        if name == "folds":
            line = (size, y, y - self.deviation, y + self.deviation)
        return draw_lines({label: line}, "Subsets of columns", "columns", label)


class SubsetSelection(Folded):
    """Of all subsets of the columns the one with the least AIC, BIC or error over folds.

    The products of columns and target, summed in one pass, hold every regression on some of the
    columns: all sets of all sizes are compared without another look at the rows. ``path()`` has the
    best set of every size; the weights of columns left out are 0. Standard errors are not given,
    for they would not know of the choice.

    Parameters
    ----------
    method : "best" looks, by branch and bound, through all subsets of up to 30 columns; "forward"
        adds the column that helps most, one after the other; "backward" drops the one that is
        missed least.
    criterion : "aic", "bic" or "folds", which chooses the number of columns by their error.
    max_size : the most columns; None is all that leave a row free.
    unit : "column", and the values of a category, the powers of a number and the indicator of its
        gaps enter together; "weight", and each enters alone.
    folds, rule : how many folds choose, and "1se" takes the fewest columns within one standard
        error of the best.
    fit_intercept, degree, missing, reference, min_samples_category, solver, exact : as for
        ``LinearRegression``.

    Examples
    --------
    >>> import tallylearn as tl
    >>> x = [[1, 5, 0], [2, 3, 1], [3, 8, 0], [4, 1, 0], [5, 9, 1], [6, 2, 1]]
    >>> model = tl.SubsetSelection().fit(x, [1, 3.9, 3.1, 4, 6.8, 8.1])
    >>> model.subset_
    ('x0', 'x2')

    References
    ----------
    G. Furnival and R. Wilson, Regressions by leaps and bounds, Technometrics 16, 1974.
    C. Gatu and E. Kontoghiorghes, Branch-and-bound algorithms for computing the best-subset
    regression models, J. Computational and Graphical Statistics 15, 2006.
    """

    stored: ClassVar[tuple[type, ...]] = (*Folded.stored, Subsets)

    def __init__(
        self,
        method: str = "best",
        *,
        criterion: str = "bic",
        max_size: int | None = None,
        unit: str = "column",
        folds: int = 10,
        rule: str = "best",
        fit_intercept: bool = True,
        degree: int = 1,
        missing: str = "indicator",
        reference: Any = None,
        min_samples_category: int = MIN_ROWS,
        solver: str = "auto",
        exact: bool = False,
    ) -> None:
        self.method = method
        self.criterion = criterion
        self.max_size = max_size
        self.unit = unit
        self.folds = folds
        self.rule = rule
        self.fit_intercept = fit_intercept
        self.degree = degree
        self.missing = missing
        self.reference = reference
        self.min_samples_category = min_samples_category
        self.solver = solver
        self.exact = exact

    @property
    def _by_folds(self) -> bool:
        return isinstance(self.criterion, str) and self.criterion == "folds"

    @property
    def _asked(self) -> str:
        return "criterion='folds'"

    @property
    def closed(self) -> bool:
        return False

    def _aim(self, X: Any, y: Any) -> Aim:
        return "regressor"

    def _solved(self, normal: LeastSquaresProblem, sums: FoldMoments) -> LinearModel:
        groups = self._groups(normal)
        choice = self._judged_sizes(sums, groups) if self._by_folds else None
        most = self._most(groups, normal.rows) if choice is None else len(choice.penalty) - 1
        sets = best_subsets_by_size(normal, groups, most, self.method)
        coef, free = coefficients_of_subsets(normal, groups, sets)
        taken = np.array([np.isin(groups.of, some) for some in sets]).astype(np.int64)
        rest = np.array([normal.explained(each)[0, 0] for each in coef])
        used = np.array([len(some) for some in free]) + int(normal.centred)
        found = Subsets(taken.reshape(len(sets), normal.p), rest, used)
        if choice is None:
            whole = float(normal.whole[0])
            at = int(found.criterion(self.criterion, normal.rows, whole).argmin())
        else:
            at = len(groups.width) - round(self._picked(choice))
        name = f"{self.method} subset, {CRITERION_HEADS[self.criterion].replace('error', 'folds')}"
        model = LinearModel.of(normal, Solution(coef[at], free[at]), name, choice)
        return replace(model, subsets=replace(found, chosen=at))

    def _groups(self, normal: LeastSquaresProblem) -> ColumnGroups:
        """The weights that enter together, in the order of the design."""
        names = normal.design.columns
        alone = self.unit == "weight"
        of = np.arange(len(names)) if alone else np.unique(names, return_inverse=True)[1]
        cost = {"aic": 2.0, "bic": float(np.log(normal.rows)), "folds": 0.0}[self.criterion]
        found = ColumnGroups(np.asarray(of, dtype=np.int64).ravel(), max(cost, 0.0))
        if self.method == "best" and len(found.width) > MAX_SEARCHED_GROUPS:
            raise InputError(
                f"method='best' searches all subsets of up to {MAX_SEARCHED_GROUPS} columns, and "
                f"there are {len(found.width)}. Take method='forward' or 'backward', or leave "
                "columns out."
            )
        return found

    def _most(self, groups: ColumnGroups, rows: float) -> int:
        """How many columns a set may have: a row is left free, and limits are kept."""
        most = groups.most(rows - 1 - int(bool(self.fit_intercept)))
        if self.method == "best":
            self._check_bounds(len(groups.width), most, rows)
        return most if self.max_size is None else min(most, int(self.max_size))

    def _check_bounds(self, columns: int, most: int, rows: float) -> None:
        """Refuse a search through so many sets that leave no row free: what is 0 bounds nothing."""
        free = sum(comb(columns, size) for size in range(most + 1, columns + 1))
        if free > MAX_UNBOUNDED_SETS:
            raise InputError(
                f"{free:.1g} sets of {columns} columns leave none of {rows:g} rows free, and "
                "nothing tells which of them need not be looked at. Take method='forward' or "
                "'backward', or leave columns out."
            )

    def _judged_sizes(self, sums: FoldMoments, groups: ColumnGroups) -> CrossValidated:
        """The errors of every size; its penalty is the number of columns that are left out."""
        parts = self._parts(sums)
        most = self._most(groups, float(parts.rows.sum() - parts.rows.max()))

        def weighed(normal: LeastSquaresProblem) -> Array:
            return coefficients_of_subsets(
                normal, groups, best_subsets_by_size(normal, groups, most, self.method)
            )[0]

        left_out = np.arange(len(groups.width), len(groups.width) - most - 1, -1.0)
        return self._judged(parts, left_out, weighed)

    def path(self) -> SubsetPath:
        """The best set of every size, with R², AIC, BIC and the error over folds."""
        self._check_fitted()
        model, found = self.model_, self.model_.subsets
        assert found is not None
        whole, choice = float(model.whole[0]), model.choice
        by = {name: found.criterion(name, model.rows, whole) for name in ("aic", "bic")}
        share = 1 - found.rest / whole if whole > 0 else np.ones(len(found.rest))
        judged = (np.empty(0),) * 2 if choice is None else (choice.error, choice.deviation)
        sets = tuple(self._named(row) for row in found.taken)
        return SubsetPath(self.method, self.criterion, found.chosen, sets, found.used, share,
                          by["aic"], by["bic"], *judged)  # fmt: skip

    def _named(self, taken: Array) -> tuple[str, ...]:
        """What enters together, by name, in the table's order."""
        design: Design = self.model_.design
        names = design.names if self.unit == "weight" else design.columns
        return tuple(dict.fromkeys(names[j] for j in design.order(self.schema_) if taken[j]))

    @property
    def subset_(self) -> tuple[str, ...]:
        """The columns that were chosen."""
        self._check_fitted()
        assert self.model_.subsets is not None
        return self._named(self.model_.subsets.taken[self.model_.subsets.chosen])

    @property
    def folds_(self) -> CrossValidated:
        """How the folds judged every size, with criterion="folds"."""
        self._check_fitted()
        if self.model_.choice is None:
            raise AttributeError("there is no 'folds_' without criterion='folds'")
        return self.model_.choice

    def _check_options(self) -> None:
        super()._check_options()
        self._one_of("method", METHODS)
        self._one_of("criterion", CRITERIA)
        self._one_of("unit", ("column", "weight"))
        given = self.max_size
        whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
        if given is not None and not (whole and given >= 0):
            raise OptionError(
                f"The 'max_size' parameter of {type(self).__name__} must be an int in the range "
                f"[0, inf), or None. Got {told(given)} instead."
            )

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        tags.target_tags.multi_output = False
