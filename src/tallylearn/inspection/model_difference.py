"""The difference of two models: the rows that they predict differently, and their coefficients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import KindError, OptionError, error_context
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.inspection.short_view import coefficients
from tallylearn.models.trees.differences.difference import TreeDifference, check_names
from tallylearn.models.trees.differences.difference import diff as diff_of_trees
from tallylearn.models.trees.learner import tree_in
from tallylearn.reporting.formatting import format_number, plain_data
from tallylearn.reporting.report import Report
from tallylearn.sources import Table
from tallylearn.sources.declarations import declaration
from tallylearn.tables import Array, Codes
from tallylearn.workings import Derivation, Grid, Sentence

MAX_ROWS = 20  # rows that are listed
TOLERANCE = 1e-9  # relative difference below which two numbers are equal
Found = Mapping[str, Any]


@dataclass(frozen=True)
class ModelDifference(Report):
    """The result of ``tl.diff`` of two models that are not both trees.

    Attributes
    ----------
    names : tuple of two str
        The names of the models.
    learners : tuple of two str
        The calls that make them.
    n : int
        Rows of the table; 0 without one.
    differing : int
        Rows that the models predict differently.
    pairs : tuple
        Prediction of the first, prediction of the second, and how many rows have them, for classes.
    rows : tuple
        The first of these rows: number from 0, both predictions, and the true value or None.
    largest : float or None
        The largest difference of two predicted numbers.
    coefficients : tuple
        Name, coefficient of the first and of the second, where they differ; None where a model
        has no such coefficient.
    """

    names: tuple[str, str]
    learners: tuple[str, str]
    n: int
    differing: int
    pairs: tuple[tuple[Any, Any, int], ...]
    rows: tuple[tuple[int, Any, Any, Any], ...]
    largest: float | None
    coefficients: tuple[tuple[str, float | None, float | None], ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON.

        Returns
        -------
        dict
            The attributes.
        """
        found: dict[str, Any] = plain_data(
            {name: getattr(self, name) for name in self.__dataclass_fields__}
        )
        return found

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        title = f"{found['names'][0]} and {found['names'][1]}"
        return Derivation(title, tuple(_steps(found)))


def _steps(found: Found) -> Iterator[Any]:
    yield Sentence(f"{found['learners'][0]} and {found['learners'][1]}.")
    if found["n"]:
        share = found["differing"] / found["n"]
        more = ""
        if found["largest"]:
            more = f" The largest difference is {format_number(found['largest'])}."
        yield Sentence(
            f"{found['differing']:,} of {found['n']:,} rows ({share:.1%}) are predicted "
            f"differently.{more}"
        )
    names = tuple(found["names"])
    if found["pairs"]:
        lines = tuple((_cell(a), _cell(b), f"{n:,}") for a, b, n in found["pairs"])
        yield Grid("predictions that differ", (*names, "rows"), lines)
    if found["rows"]:
        listed = tuple((str(row), *map(_cell, rest)) for row, *rest in found["rows"])
        left = found["differing"] - len(listed)
        note = f"and {left:,} more" if left else ""
        yield Grid("rows, numbered from 0", ("row", *names, "true"), listed, note)
    if found["coefficients"]:
        cells = tuple((name, _cell(a), _cell(b)) for name, a, b in found["coefficients"])
        yield Grid("coefficients that differ", ("coefficient", *names), cells)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return format_number(value) if isinstance(value, float) else str(value)


def diff(
    first: Any,
    second: Any,
    X: Any = None,
    y: Any = None,
    *,
    on: Mapping[str, Any] | None = None,
    names: tuple[str, str] = ("T", "T'"),
    limit: int = 20_000,
) -> TreeDifference | ModelDifference:
    """Compare two fitted models: where they predict differently, and what changed.

    Of two trees, the regions are intersected, so the result holds for every possible row, not only
    for those of a table. Of other models, the rows of a table are predicted by both, and the
    coefficients of linear models are compared.

    Parameters
    ----------
    first, second : Estimator
        Two fitted models of the same task.
    X, y : table or array, optional
        A table to compare both on, as for ``fit``; needed unless both are trees or linear models.
    on : dict, optional
        For trees, several tables by name: ``{"D": (table, "target"), "S": other_table}``.
    names : tuple of two str
        The names of the models in the result.
    limit : int
        For trees, how many intersections of regions are compared.

    Returns
    -------
    TreeDifference or ModelDifference
        Of trees, the regions of different predictions, and the scores on every table. Of others,
        the number of rows with different predictions, the first of them, and the coefficients
        that differ.

    References
    ----------
    T. Mitchell, Machine Learning, 1997, section 3.7.1: one noisy example, two trees.

    Examples
    --------
    >>> import tallylearn as tl
    >>> table = tl.example("tennis")
    >>> found = tl.diff(tl.ID3().fit(table), tl.ID3(max_depth=1).fit(table), table)
    >>> for one in found.regions[:2]:
    ...     print(one, one.first, one.second)
    Outlook = Rain AND Wind = Strong No Yes
    Outlook = Sunny AND Humidity = Normal Yes No
    >>> found["X"].scores
    (1.0, 0.7142857142857143)
    >>> tl.diff(tl.NaiveBayes().fit(table), tl.DummyClassifier().fit(table), table).differing
    4
    """
    models = first, second
    if not all(isinstance(one, Estimator) and one.__sklearn_is_fitted__() for one in models) or all(
        tree_in(one) is not None for one in models
    ):
        return diff_of_trees(first, second, X, y, on=on, names=names, limit=limit)
    with error_context("diff"):
        check_names(names)
        if on is not None:
            raise OptionError("on is for two trees. Pass one table as X.")
        if first.task != second.task or first.task is None:
            raise OptionError(
                f"{type(first).__name__} and {type(second).__name__} predict different things. "
                "Pass two classifiers, or two regressors."
            )
        moved = _moved(first, second)
        if X is None and moved is None:
            raise KindError(
                "these models are compared on rows. Pass a table: diff(first, second, table)."
            )
        compared = _Predicted(first, second, X, y)
        return ModelDifference(
            names=(names[0], names[1]),
            learners=(first.constructor_call(), second.constructor_call()),
            n=len(compared),
            differing=len(compared.rows),
            pairs=compared.pairs(),
            rows=compared.first_rows(),
            largest=compared.largest(),
            coefficients=moved or (),
        )


class _Predicted:
    """The predictions of two models for the rows of a table."""

    def __init__(self, first: Any, second: Any, X: Any, y: Any) -> None:
        self.task = first.task
        self.said: tuple[Array, Array] = (np.empty(0), np.empty(0))
        self.truth: Any = None
        if X is not None:
            target = y if y is not None else first.target_name_
            read = read_fit_input(
                X, target, weight=None, who="diff", aim=self.task, schema=first.schema_
            )
            block = read.coded_table.whole()
            rows = Table(block, None, None, declaration())
            self.said = first.predict(rows), second.predict(rows)
            self.truth = block.target
        if self.task == "classifier":
            self.rows = np.flatnonzero(self.said[0] != self.said[1])
        else:
            a, b = self.said
            scale = np.maximum(np.abs(a), np.abs(b))
            self.rows = np.flatnonzero(np.abs(a - b) > TOLERANCE * scale)

    def __len__(self) -> int:
        return len(self.said[0])

    def pairs(self) -> tuple[tuple[Any, Any, int], ...]:
        """The different classes, and how many rows have them; the most frequent first."""
        if self.task != "classifier":
            return ()
        found: dict[tuple[Any, Any], int] = {}
        for pair in zip(*(one[self.rows].tolist() for one in self.said), strict=True):
            found[pair] = found.get(pair, 0) + 1
        return tuple((*pair, n) for pair, n in sorted(found.items(), key=lambda one: -one[1]))

    def first_rows(self) -> tuple[tuple[int, Any, Any, Any], ...]:
        """The first rows that are predicted differently, with their true value."""
        a, b = (one.tolist() for one in self.said)
        return tuple(
            (row, a[row], b[row], self._true(row)) for row in self.rows[:MAX_ROWS].tolist()
        )

    def _true(self, row: int) -> Any:
        if isinstance(self.truth, Codes):
            code = int(self.truth.codes[row])
            return None if code < 0 else self.truth.values[code]
        return None if self.truth is None else float(self.truth[row])

    def largest(self) -> float | None:
        """The largest difference of two numbers."""
        if self.task == "classifier" or not len(self):
            return None
        return float(np.abs(self.said[0] - self.said[1]).max())


def _moved(first: Any, second: Any) -> tuple[tuple[str, float | None, float | None], ...] | None:
    """The coefficients that differ; None unless both models have one for each column."""
    sides = []
    for model in (first, second):
        if not (hasattr(model, "coef_") and hasattr(model, "intercept_")):
            return None
        names, values = coefficients(model)
        if len(values) > 1:
            return None
        constant = float(np.ravel(model.intercept_)[0])
        sides.append({"Intercept": constant, **dict(zip(names, values[0].tolist(), strict=True))})
    one, two = sides
    return tuple(
        (name, one.get(name), two.get(name))
        for name in {**one, **two}
        if _differ(one.get(name), two.get(name))
    )


def _differ(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return True
    return abs(a - b) > TOLERANCE * max(abs(a), abs(b))
