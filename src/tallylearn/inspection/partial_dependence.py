"""Partial dependence and individual conditional expectation (ICE) of any model, by brute force.

All rows are predicted with a column set to a value; the mean is a point of the curve. The grid is
scikit-learn's: the distinct values of a column, or equal steps between two of its quantiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from tallylearn.errors import (
    ColumnError,
    InputError,
    OptionError,
    did_you_mean,
    error_context,
    items_of,
    quoted_list,
    short_repr,
)
from tallylearn.estimators.decision_threshold import positive_class
from tallylearn.estimators.estimator import Estimator
from tallylearn.folds.hashing import splitmix64
from tallylearn.inspection.partial_dependence_plot import plot_dependence
from tallylearn.reporting.charts import Plot
from tallylearn.reporting.formatting import align_decimals, format_column, plain_data
from tallylearn.reporting.report import Report, ReportLayout
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.sources.memory.joined_blocks import join_blocks
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Codes, Column, day
from tallylearn.workings import Grid
from tallylearn.workings.units import format_value

STEPS, PAIR_STEPS, MAX_STEPS = 100, 20, 10_000  # of a grid: one column, each of two, the largest
BATCH = 65_536  # rows that are predicted at a time
PRINTED, PRINTED_ACROSS = 12, 5  # grid points that are printed; to_dict() has all
PLOTTING_POSITION = 0.4  # of SciPy's mquantiles, whose quantiles are scikit-learn's


@dataclass(frozen=True, eq=False)
class PartialDependence(Report):
    """The mean prediction along one column, or over the grid of two.

    Attributes
    ----------
    columns : tuple of str
        One column, or two.
    kinds : tuple of str
        Their kinds: "number", "date" or "category".
    target : str or None
        The name of the target, where it is a column.
    outcome : object
        The class whose probability is shown; None for a regressor.
    n : int
        Rows of the table.
    grid : tuple of tuple
        The values of each column: numbers, datetimes or categories.
    average : ndarray of shape (g,) or (g, h)
        The mean prediction at each value, or at each pair of values.
    rows : tuple of int
        The sampled rows, numbered from 0; none for two columns.
    individual : ndarray of shape (rows, g)
        The prediction of each sampled row at each value.
    """

    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    target: str | None
    outcome: Any
    n: int
    grid: tuple[tuple[Any, ...], ...]
    average: Array
    rows: tuple[int, ...]
    individual: Array

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON.

        Returns
        -------
        dict
            The attributes; dates as text.
        """
        found: dict[str, Any] = plain_data(
            {name: getattr(self, name) for name in self.__dataclass_fields__}
        )
        return found

    @staticmethod
    def _layout(found: dict[str, Any]) -> ReportLayout:
        table = _pair_table(found) if len(found["columns"]) == 2 else _table(found)
        return ReportLayout(table, draw=lambda: plot_dependence(found).svg + table.to_html())

    def plot(self, title: str = "") -> Plot:
        """Draw the curve with those of the sampled rows, or the grid of two columns.

        Parameters
        ----------
        title : str, optional
            The title; by default the outcome and the columns.

        Returns
        -------
        Plot
            The picture.
        """
        with error_context("PartialDependence.plot"):
            return plot_dependence(self.to_dict(), str(title))


def partial_dependence(
    model: Any,
    table: Any,
    columns: Any,
    *,
    positive: Any = None,
    grid_resolution: int | None = None,
    percentiles: tuple[float, float] = (0.05, 0.95),
    subsample: int = 50,
) -> PartialDependence:
    """Partial dependence of the prediction on one column or two, with individual curves (ICE).

    Every row of the table is predicted with the column set to a value of a grid. The mean is the
    partial dependence; the predictions of one row are its individual curve. The grid of a number
    has its distinct values, or equal steps between two quantiles. That of a category has all
    values that the model knows. Values and grid are those of scikit-learn with
    ``method="brute"``. Combinations of values that no row has are predicted too, so the curve of a
    column that is correlated with others may rest on unlikely rows.

    Parameters
    ----------
    model : Estimator
        A fitted classifier or regressor, or a pipeline that ends in one.
    table : table or array
        The rows, with the columns of ``fit``; further columns are ignored.
    columns : str, int or list of two
        A column, or two, by name or position.
    positive : Any, optional
        The class whose probability is shown; by default the last one.
    grid_resolution : int, optional
        The largest number of grid points of a number or date; by default 100, or 20 for each of two
        columns.
    percentiles : tuple of two float, default (0.05, 0.95)
        The quantiles between which the grid lies.
    subsample : int, default 50
        How many rows have an individual curve, chosen by a hash; all if there are fewer.

    Returns
    -------
    PartialDependence
        The grid, the means and the individual curves; ``plot()`` draws them.

    References
    ----------
    J. Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics
    29, 2001, section 8.2.
    A. Goldstein et al., Peeking inside the black box, Journal of Computational and Graphical
    Statistics 24, 2015.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tennis = tl.example("tennis")
    >>> model = tl.NaiveBayes().fit(tennis)
    >>> found = tl.partial_dependence(model, tennis, "Humidity")
    >>> print(found.outcome, found.grid[0], found.average.round(3))
    Yes ('High', 'Normal') [0.505 0.787]
    """
    with error_context("partial_dependence"):
        _check_model(model)
        chosen = _chosen_columns(model.schema_.columns, columns)
        ends = _check_percentiles(percentiles)
        steps = PAIR_STEPS if len(chosen) == 2 else STEPS
        if grid_resolution is not None:
            steps = _check_count("grid_resolution", grid_resolution, 2, MAX_STEPS)
        wanted = _check_count("subsample", subsample, 0, None)
        outcome, place = None, 0
        if model.task == "classifier":
            classes = tuple(model.classes_.tolist())
            outcome = classes[-1] if positive is None else positive_class(classes, positive)
            place = classes.index(outcome)
        elif positive is not None:
            raise OptionError("positive is for classifiers. Leave it out.")
        block = join_blocks([*model._read_blocks(table)], model.schema_)
        if not len(block):
            raise InputError("the table has no rows. Pass one or more.")
        grid = [_grid_of(model, block, column, steps, ends) for column in chosen]
        order = np.argsort(splitmix64(0, np.arange(len(block))), kind="stable")
        rows = np.sort(order[: wanted if len(chosen) == 1 else 0])
        points = [
            dict(zip((c.name for c in chosen), values, strict=True)) for values in _product(grid)
        ]
        means, curves = _predict_points(model, block, points, place, rows)
        return PartialDependence(
            columns=tuple(column.name for column in chosen),
            kinds=tuple(column.kind for column in chosen),
            target=model.target_name_ if isinstance(model.target_name_, str) else None,
            outcome=outcome,
            n=len(block),
            grid=tuple(tuple(_as_values(g, c.kind)) for g, c in zip(grid, chosen, strict=True)),
            average=means.reshape([len(one) for one in grid]),
            rows=tuple(rows.tolist()),
            individual=curves,
        )


def _check_model(model: Any) -> None:
    if not isinstance(model, Estimator) or model.task not in ("classifier", "regressor"):
        raise OptionError(
            f"model is {short_repr(model)}, which predicts no classes or numbers. Pass a fitted "
            "classifier or regressor, such as tl.ID3().fit(table, 'class')."
        )
    model._check_fitted()


def _chosen_columns(known: Sequence[Column], given: Any) -> tuple[Column, ...]:
    """One column or two, by name or position."""
    names = [column.name for column in known]
    single = isinstance(given, str | Integral) and not isinstance(given, bool)
    listed = [given] if single else items_of(given) or []
    found = []
    for one in listed:
        if isinstance(one, Integral) and not isinstance(one, bool) and 0 <= int(one) < len(names):
            column = known[int(one)]
        elif isinstance(one, str) and one in names:
            column = known[names.index(one)]
        else:
            hint = did_you_mean(one, names) if isinstance(one, str) else ""
            raise ColumnError(
                f"the model has no column {short_repr(one)}."
                f"{hint or f' Its columns: {quoted_list(names)}.'}"
            )
        if column.kind not in (NUMBER, DATE, CATEGORY):
            raise ColumnError(
                f"column {column.name!r} is of kind {column.kind}, which has no grid. Choose a "
                "number, a date or a category."
            )
        found.append(column)
    if len(found) not in (1, 2) or len({column.name for column in found}) < len(found):
        raise OptionError(
            f"columns is {short_repr(given)}. Pass the name of one column, or a list of two "
            "different ones."
        )
    return tuple(found)


def _check_percentiles(given: Any) -> tuple[float, float]:
    ends = items_of(given) or []
    numbers = [isinstance(x, Real) and not isinstance(x, bool) for x in ends]
    if len(ends) != 2 or not all(numbers) or not 0 <= ends[0] < ends[1] <= 1:
        raise OptionError(
            f"percentiles is {short_repr(given)}. Pass two numbers from 0 to 1, the lower first."
        )
    return float(ends[0]), float(ends[1])


def _check_count(name: str, given: Any, least: int, most: int | None) -> int:
    whole = isinstance(given, Integral) and not isinstance(given, bool)
    if not whole or given < least or (most is not None and given > most):
        limit = f"from {least} up" if most is None else f"from {least} to {most:,}"
        raise OptionError(f"{name} is {short_repr(given)}. Pass a whole number {limit}.")
    return int(given)


def _grid_of(
    model: Any, block: Block, column: Column, steps: int, ends: tuple[float, float]
) -> list[Any]:
    """The values of one column."""
    if column.kind == CATEGORY:
        seen = [v for v in block.codes[column.name].items() if v is not None]
        own = model.model_.category_values.get(column.name) or column.values
        if values := sorted(own) or sorted({*seen}):
            return values
    else:
        x = block.numbers[:, block.schema.places[column.name]]
        distinct = np.unique(x[np.isfinite(x)])
        if 0 < len(distinct) < steps:
            return [*map(float, distinct)]
        if len(distinct):
            low, high = (_quantile(np.sort(x[np.isfinite(x)]), end) for end in ends)
            if low == high:  # most rows have one value
                low, high = float(distinct[0]), float(distinct[-1])
            return [*map(float, np.linspace(low, high, steps))]
    raise InputError(
        f"column {column.name!r} has no value in the table. Pass rows in which it is not missing."
    )


def _quantile(x: Array, p: float) -> float:
    """A quantile of sorted numbers, as SciPy's ``mquantiles`` has it.

    >>> round(_quantile(np.arange(10.0), 0.05), 6)
    0.0
    >>> round(_quantile(np.arange(10.0), 0.5), 6)
    4.5
    """
    n = len(x)
    at = n * p + PLOTTING_POSITION + p * (1 - 2 * PLOTTING_POSITION)
    k = int(np.floor(min(max(at, 1), n - 1)))
    share = min(max(at - k, 0.0), 1.0)
    return float((1.0 - share) * x[k - 1] + share * x[k])


def _product(grid: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """The points of the grid, the last column moving fastest."""
    if len(grid) == 1:
        yield from ((value,) for value in grid[0])
    else:
        yield from ((first, second) for first in grid[0] for second in grid[1])


def _predict_points(
    model: Any, block: Block, points: Sequence[dict[str, Any]], place: int, rows: Array
) -> tuple[Array, Array]:
    """The mean prediction at every point, and the predictions of some rows: (rows, points)."""
    n, means, curves = len(block), np.empty(len(points)), np.empty((len(rows), len(points)))
    step = max(1, BATCH // n)
    for at in range(0, len(points), step):
        batch = points[at : at + step]
        found = np.concatenate([
            _predict(model, _with_values(block[start : start + BATCH], batch), place)
            .reshape(len(batch), -1)
            for start in range(0, n, BATCH)
        ], axis=1)  # fmt: skip
        means[at : at + step] = found.mean(axis=1)
        curves[:, at : at + step] = found[:, rows].T
    return means, curves


def _with_values(block: Block, points: Sequence[dict[str, Any]]) -> Block:
    """The rows once for each point, with the values of the point."""
    n, m = len(block), len(points)
    found = block[np.tile(np.arange(n), m)]
    numbers, codes = found.numbers.copy(), dict(found.codes)
    for name in points[0]:
        values = [point[name] for point in points]
        if name in block.schema.places:
            numbers[:, block.schema.places[name]] = np.repeat(values, n)
        else:
            own = Codes.of(values, codes[name].declared)
            codes[name] = own[np.repeat(np.arange(m), n)]
    return replace(found, numbers=numbers, codes=codes)


def _predict(model: Any, block: Block, place: int) -> Array:
    """(n,) numbers, or probabilities of one class."""
    check_halted()
    if model.task == "classifier":
        return np.asarray(model.model_.shares(block)[:, place])
    found = np.asarray(model.predictions(block))
    if found.ndim != 1:
        raise InputError("the model has several targets. Fit a model of one target, and pass that.")
    return found


def _as_values(grid: Sequence[Any], kind: str) -> Iterator[Any]:
    yield from (day(value) if kind == DATE else value for value in grid)


def _subject(found: dict[str, Any]) -> str:
    target, outcome = found["target"], found["outcome"]
    if outcome is None:
        return str(target or "prediction")
    return f"probability of {target} = {outcome}" if target else f"probability of {outcome}"


def _texts(values: Sequence[Any], kind: str) -> list[str]:
    """Values of a column as they are printed."""
    if kind == CATEGORY:
        return [*map(str, values)]
    if kind == DATE:
        return [str(value)[:16].removesuffix(" 00:00") for value in values]
    return align_decimals([format_value(float(v), NUMBER) for v in values])


def _shown(values: Sequence[Any], kind: str, most: int) -> list[int]:
    """The places of the values that are printed: all, or evenly spaced ones."""
    if kind == CATEGORY:
        return [*range(min(len(values), 5 * most if most == PRINTED else most))]
    return sorted({*np.linspace(0, len(values) - 1, min(len(values), most)).round().astype(int)})


def _note(found: dict[str, Any], printed: int, points: int) -> str:
    told = f"Mean over {found['n']:,} {'row' if found['n'] == 1 else 'rows'}."
    if printed < points:
        told += f" {printed} of {points:,} grid points; to_dict() has all."
    return told


def _table(found: dict[str, Any]) -> Grid:
    """The means along one column, with the range of the sampled rows."""
    (column,), (values,), (kind,) = found["columns"], found["grid"], found["kinds"]
    at = _shown(values, kind, PRINTED)
    cells = [_texts([values[i] for i in at], kind)]
    cells.append(format_column([found["average"][i] for i in at]))
    header = [column, _subject(found)]
    if found["individual"]:
        curves = np.array(found["individual"], dtype=float)
        for name, ends in (("lowest row", curves.min(axis=0)), ("highest", curves.max(axis=0))):
            cells.append(format_column([float(ends[i]) for i in at]))
            header.append(name)
    note = _note(found, len(at), len(values))
    if found["individual"]:
        note += f" Lowest and highest of {len(found['rows']):,} sampled rows."
    return Grid("Partial dependence", tuple(header), tuple(zip(*cells, strict=True)), note)


def _pair_table(found: dict[str, Any]) -> Grid:
    """The means of a grid: the first column down, the second across."""
    first, second = found["grid"]
    down = _shown(first, found["kinds"][0], PRINTED)
    across = _shown(second, found["kinds"][1], PRINTED_ACROSS)
    names = _texts([first[i] for i in down], found["kinds"][0])
    head = [text.strip() for text in _texts([second[j] for j in across], found["kinds"][1])]
    header = (f"{found['columns'][0]} \\ {found['columns'][1]}", *head)
    columns = [format_column([found["average"][i][j] for i in down]) for j in across]
    note = f"{_subject(found)}. {_note(found, len(down) * len(across), len(first) * len(second))}"
    cells = tuple(zip(names, *columns, strict=True))
    return Grid("Partial dependence", header, cells, note[0].upper() + note[1:])
