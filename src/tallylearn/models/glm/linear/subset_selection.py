"""Subset selection: least squares on the subset of columns with the best AIC, BIC or fold error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError, OptionError, quoted_list, short_repr
from tallylearn.estimators.options import option
from tallylearn.models.design.matrix import Design
from tallylearn.models.glm.linear.linear_estimator import LinearEstimator
from tallylearn.models.glm.linear.linear_model import LinearModel
from tallylearn.models.glm.penalty_cross_validation import (
    CrossValidationErrors,
    cross_validate,
    folds_with_rows,
)
from tallylearn.models.glm.solvers.best_subsets import (
    MAX_SEARCHED_GROUPS,
    ColumnGroups,
    Subsets,
    best_subsets_by_size,
    coefficients_of_subsets,
)
from tallylearn.models.glm.solvers.least_squares import LeastSquaresProblem, LeastSquaresSolution
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
OPTIONS = (
    "method", "criterion", "max_size", "unit", "folds", "rule", "fit_intercept", "degree",
    "missing", "reference", "min_samples_category", "solver", "exact", "keep_rows",
)  # fmt: skip


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
            raise OptionError(
                f"criterion={short_repr(name)} is not an option. Pass one of "
                f"{quoted_list(CRITERIA)}."
            )
        if name == "folds" and not len(self.error):
            raise InputError(
                "the subsets have no cross-validation error. Fit with criterion='folds'."
            )
        label = CRITERION_HEADS[name]
        size = np.arange(len(self.columns), dtype=np.float64)
        y = {"aic": self.aic, "bic": self.bic, "folds": self.error}[name]
        line: tuple[Array, ...] = (size, y)
        if name == "folds":
            line = (size, y, y - self.deviation, y + self.deviation)
        return draw_lines({label: line}, "Subsets of columns", "columns", label)


class SubsetSelection(LinearEstimator, options=OPTIONS):
    """Least squares on the subset of columns with the smallest AIC, BIC or cross-validation error.

    The products of columns and target, summed in one pass, hold every regression on a subset of the
    columns: all subsets of all sizes are compared without another pass over the rows. ``path()``
    has the best subset of every size. Coefficients of columns left out are 0. There are no standard
    errors: they would ignore the selection.

    References
    ----------
    G. Furnival and R. Wilson, Regressions by leaps and bounds, Technometrics 16, 1974.
    C. Gatu and E. Kontoghiorghes, Branch-and-bound algorithms for computing the best-subset
    regression models, J. Computational and Graphical Statistics 15, 2006.

    Examples
    --------
    >>> import tallylearn as tl
    >>> x = [[1, 5, 0], [2, 3, 1], [3, 8, 0], [4, 1, 0], [5, 9, 1], [6, 2, 1]]
    >>> model = tl.SubsetSelection().fit(x, [1, 3.9, 3.1, 4, 6.8, 8.1])
    >>> model.subset_
    ('x0', 'x2')
    """

    stored: ClassVar[tuple[type, ...]] = (*LinearEstimator.stored, CrossValidationErrors, Subsets)

    method: str = option(
        default="best",
        kw_only=False,
        choices=METHODS,
        doc='"best" searches all subsets of up to 30 columns by branch and bound, "forward" adds '
        'the column that helps most, "backward" drops the one that is missed least.',
    )
    criterion: str = option(
        default="bic",
        choices=CRITERIA,
        doc='What chooses the number of columns: "aic", "bic", or "folds", the error of a '
        "cross-validation.",
    )
    max_size: int | None = option(
        default=None,
        low=0,
        doc="The largest number of columns; None is all that leave a degree of freedom.",
    )
    unit: str = option(
        default="column",
        choices=("column", "weight"),
        doc='"column": the indicators of a category, the powers of a number and its missing-value '
        'indicator enter together; "weight": every coefficient enters by itself.',
    )

    @property
    def _cross_validates(self) -> bool:
        return isinstance(self.criterion, str) and self.criterion == "folds"

    @property
    def _has_closed_form(self) -> bool:
        return False

    def _aim(self, X: Any, y: Any) -> Aim:
        return "regressor"

    def _solve_problem(self, problem: LeastSquaresProblem, moments: FoldMoments) -> LinearModel:
        groups = self._groups(problem)
        choice = self._cross_validate_sizes(moments, groups) if self._cross_validates else None
        if choice is None:
            largest = self._largest_size(groups, problem.rows)
        else:
            largest = len(choice.penalty) - 1
        sets = best_subsets_by_size(problem, groups, largest, self.method)
        coef, free = coefficients_of_subsets(problem, groups, sets)
        taken = np.array([np.isin(groups.of, some) for some in sets]).astype(np.int64)
        rest = np.array([problem.sums_of_squares(each)[0, 0] for each in coef])
        used = np.array([len(some) for some in free]) + int(problem.centred)
        found = Subsets(taken.reshape(len(sets), problem.p), rest, used)
        if choice is None:
            whole = float(problem.whole[0])
            at = int(found.criterion(self.criterion, problem.rows, whole).argmin())
        else:
            at = len(groups.width) - round(choice.choose(self.rule))
        name = f"{self.method} subset, {CRITERION_HEADS[self.criterion].replace('error', 'folds')}"
        model = LinearModel.of(problem, LeastSquaresSolution(coef[at], free[at]), name, choice)
        return replace(model, subsets=replace(found, chosen=at))

    def _groups(self, problem: LeastSquaresProblem) -> ColumnGroups:
        """The coefficients that enter together, in the order of the design."""
        names = problem.design.columns
        alone = self.unit == "weight"
        of = np.arange(len(names)) if alone else np.unique(names, return_inverse=True)[1]
        cost = {"aic": 2.0, "bic": float(np.log(problem.rows)), "folds": 0.0}[self.criterion]
        found = ColumnGroups(np.asarray(of, dtype=np.int64).ravel(), max(cost, 0.0))
        if self.method == "best" and len(found.width) > MAX_SEARCHED_GROUPS:
            raise InputError(
                f"method='best' searches all subsets of up to {MAX_SEARCHED_GROUPS} columns, and "
                f"there are {len(found.width)}. Take method='forward' or 'backward', or leave "
                "columns out."
            )
        return found

    def _largest_size(self, groups: ColumnGroups, rows: float) -> int:
        """How many columns a subset may have: a degree of freedom is left, and limits are kept."""
        most = groups.most(rows - 1 - int(bool(self.fit_intercept)))
        if self.method == "best":
            self._check_search(len(groups.width), most, rows)
        return most if self.max_size is None else min(most, int(self.max_size))

    def _check_search(self, columns: int, most: int, rows: float) -> None:
        """Refuse a search through too many subsets that fit perfectly: nothing bounds it."""
        free = sum(comb(columns, size) for size in range(most + 1, columns + 1))
        if free > MAX_UNBOUNDED_SETS:
            raise InputError(
                f"{free:.1g} subsets of {columns} columns fit {rows:g} rows perfectly, so that "
                "branch and bound cannot exclude any of them. Take method='forward' or "
                "'backward', or leave columns out."
            )

    def _cross_validate_sizes(
        self, moments: FoldMoments, groups: ColumnGroups
    ) -> CrossValidationErrors:
        """The errors of every size; its penalty is the number of columns that are left out."""
        folds = folds_with_rows(moments, "criterion='folds'", "Use criterion='bic'.")
        most = self._largest_size(groups, float(folds.rows.sum() - folds.rows.max()))

        def coefficients_of(problem: LeastSquaresProblem) -> Array:
            sets = best_subsets_by_size(problem, groups, most, self.method)
            return coefficients_of_subsets(problem, groups, sets)[0]

        left_out = np.arange(len(groups.width), len(groups.width) - most - 1, -1.0)
        return cross_validate(folds, left_out, coefficients_of, bool(self.fit_intercept))

    def path(self) -> SubsetPath:
        """The best subset of columns of every size.

        Returns
        -------
        SubsetPath
            The columns of each subset, with R-squared, AIC, BIC and the cross-validation error.
        """
        self._check_fitted()
        model, found = self.model_, self.model_.subsets
        assert found is not None
        whole, choice = float(model.whole[0]), model.choice
        by = {name: found.criterion(name, model.rows, whole) for name in ("aic", "bic")}
        share = 1 - found.rest / whole if whole > 0 else np.ones(len(found.rest))
        sets = tuple(self._entering_names(row) for row in found.taken)
        return SubsetPath(
            method=self.method,
            criterion=self.criterion,
            chosen=found.chosen,
            columns=sets,
            used=found.used,
            share=share,
            aic=by["aic"],
            bic=by["bic"],
            error=np.empty(0) if choice is None else choice.error,
            deviation=np.empty(0) if choice is None else choice.deviation,
        )

    def _entering_names(self, taken: Array) -> tuple[str, ...]:
        """What enters together, by name, in the table's order."""
        design: Design = self.model_.design
        names = design.names if self.unit == "weight" else design.columns
        return tuple(dict.fromkeys(names[j] for j in design.order(self.schema_) if taken[j]))

    @property
    def subset_(self) -> tuple[str, ...]:
        """The columns that were chosen."""
        self._check_fitted()
        assert self.model_.subsets is not None
        return self._entering_names(self.model_.subsets.taken[self.model_.subsets.chosen])

    @property
    def folds_(self) -> CrossValidationErrors:
        """The cross-validation error of every size, with criterion="folds"."""
        self._check_fitted()
        if self.model_.choice is None:
            raise AttributeError("there is no 'folds_' without criterion='folds'")
        return self.model_.choice

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        tags.target_tags.multi_output = False
