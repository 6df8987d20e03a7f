"""Discretisation: numbers become intervals by width, quantiles, k-means or the classes (MDL)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import nan
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np

from tallylearn.errors import ColumnError, InputError, OptionError, items_of, quoted_list
from tallylearn.estimators.finite_rows import check_finite
from tallylearn.estimators.options import NONE, SEED, Allowed, either, fitted, option, whole
from tallylearn.estimators.output_containers import output_columns
from tallylearn.estimators.passes import Learned, Passes
from tallylearn.estimators.tally_state import TallyState
from tallylearn.expressions import (
    BinnedNumber,
    Category,
    CategoryIndicator,
    CategoryLookup,
    Number,
    NumberColumn,
)
from tallylearn.preprocessing.mdl_cuts import mdl_cuts, mdl_decisions
from tallylearn.preprocessing.preprocessing_working import (
    MDL_RULES,
    bin_counts,
    centre_steps,
    decision_table,
    order_statistic_table,
    width_steps,
    with_steps,
    worked_columns,
)
from tallylearn.preprocessing.scalings import check_width
from tallylearn.preprocessing.stored_transforms import check_rows, check_values
from tallylearn.preprocessing.transformer import (
    DTYPE,
    Preprocessor,
    ReversibleTransform,
    rows_of,
    sparse_matrix,
)
from tallylearn.sources.columns.class_labels import Aim
from tallylearn.tables import (
    CATEGORY,
    NUMBER,
    Array,
    Block,
    Codes,
    Column,
    Schema,
    check_columns,
    field_schemas,
    row_number,
)  # fmt: skip
from tallylearn.tallies import Bundle, Counts, Extent, Values
from tallylearn.tallies.values import quantile_of
from tallylearn.workings import Derivation, Formula, Grid, Sentence

MAX_BINS = 1 << 12  # intervals of one column
KMEANS_TOLERANCE = 1e-4  # of the column's variance: scikit-learn's KMeans stops below it
KMEANS_ITERATIONS = 300  # scikit-learn's max_iter

# Hyndman and Fan (1996), in NumPy's names: order statistic n q + a + q (1 - a - b) - 1
PLOTTING_POSITIONS = {
    "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8),
}  # fmt: skip
QUANTILE_METHODS = (
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "linear", *PLOTTING_POSITIONS,
)  # fmt: skip


@dataclass(frozen=True)
class IntervalTransform(ReversibleTransform):
    """The cuts between the intervals of every column; a cut belongs to the interval above it."""

    names: tuple[str, ...]
    cuts: tuple[Array, ...]  # of every column, rising
    labelled: bool  # intervals are categories; else the numbers of the intervals
    ends: tuple[Array, ...] = ()  # least and greatest number of every column; empty: not known
    one_hot: bool = False  # a column of 0 and 1 for every interval

    form: ClassVar[field_schemas.Form] = {
        "names": field_schemas.names("p"),
        "cuts": field_schemas.many(field_schemas.floats(None), "p"),
        "labelled": field_schemas.truth,
        "ends": field_schemas.many(field_schemas.floats(2), "e"),
        "one_hot": field_schemas.truth,
    }

    def check(self, schema: Schema) -> None:
        """Raise a ValueError where a file has other columns, or cuts that do not rise."""
        numbers = {column.name for column in schema.of_kind(NUMBER)}
        check_columns("cuts", self.names, numbers)
        if len(self.names) != len(numbers) or any((np.diff(c) <= 0).any() for c in self.cuts):
            raise ValueError("a column of numbers has no cuts, or they do not rise")
        if self.ends and len(self.ends) != len(self.names):
            raise ValueError("a column of numbers has no ends")
        for cuts, (low, high) in zip(self.cuts, self.ends, strict=False):
            if low > high or (len(cuts) and not low <= cuts[0] <= cuts[-1] <= high):
                raise ValueError("a column has cuts beyond its ends")

    def columns(self, schema: Schema) -> list[Column]:
        out: list[Column] = []
        for column in schema.columns:
            if column.kind != NUMBER or column.name not in self.names:
                out.append(column)
            elif self.one_hot:
                out += [Column(name, NUMBER) for name in self.indicators(column.name)]
            else:
                out.append(Column(column.name, CATEGORY if self.labelled else NUMBER))
        return out

    def indicators(self, name: str, display_name: str | None = None) -> list[str]:
        """The names of a column's indicators: x0_0.0, x0_1.0, ... as in scikit-learn."""
        n_bins = len(self.cuts[self.names.index(name)]) + 1
        return [f"{display_name or name}_{float(bin)}" for bin in range(n_bins)]

    def transform_block(self, block: Block) -> Block:
        schema = self.schema(block.schema)
        codes = {name: self._bin_codes(block, name) for name in self.names}
        kept = {name: block.numbers[:, at] for name, at in block.schema.places.items()}
        if self.one_hot:
            for name, coded in codes.items():
                for bin, output in enumerate(self.indicators(name)):
                    kept[output] = (coded.codes == bin).astype(np.float64)
        elif not self.labelled:
            kept |= {n: np.where(c.codes < 0, np.nan, c.codes) for n, c in codes.items()}
        numbers = [kept[name] for name in schema.numbers]
        return replace(
            block,
            schema=schema,
            numbers=np.column_stack(numbers) if numbers else np.empty((len(block), 0)),
            codes={n: codes[n] if n in codes else block.codes[n] for n in schema.categories},
        )

    def expressions(self, schema: Schema) -> dict[str, Number | Category]:
        """The interval of every number: its label, its place, or an indicator."""
        found: dict[str, Number | Category] = {}
        for name, cuts in zip(self.names, self.cuts, strict=True):
            labels = self.labels(name)
            interval = BinnedNumber(NumberColumn(name), tuple(cuts.tolist()), labels)
            places = tuple(map(float, range(len(labels))))
            if self.one_hot:
                pairs = zip(self.indicators(name), labels, strict=True)
                found |= {output: CategoryIndicator(interval, label) for output, label in pairs}
            elif self.labelled:
                found[name] = interval
            else:
                found[name] = CategoryLookup(interval, labels, places, other=nan, missing=nan)
        return found

    def edges(self, name: str) -> Array:
        """The ends and the cuts of a column; infinite ends where it has one interval."""
        at = self.names.index(name)
        if not len(self.cuts[at]):
            return np.array([-np.inf, np.inf])
        return np.concatenate([self.ends[at][:1], self.cuts[at], self.ends[at][1:]])

    def inverse_block(self, block: Block, schema: Schema) -> Block:
        """The middle of every interval."""
        numbers = np.empty((len(block), len(schema.numbers)))
        for j, name in enumerate(schema.numbers):
            if name not in self.names:
                numbers[:, j] = block.numbers[:, block.schema.places[name]]
                continue
            edges, codes = self.edges(name), self._codes_of(block, name)
            middles = (edges[1:] + edges[:-1]) * 0.5
            if not np.isfinite(middles).all():  # one interval: all numbers are equal
                middles = self.ends[self.names.index(name)][:1]
            numbers[:, j] = np.append(middles, np.nan)[codes]
        codes_kept = {name: block.codes[name] for name in schema.categories}
        return replace(block, schema=schema, numbers=numbers, codes=codes_kept)

    def _codes_of(self, block: Block, name: str) -> Array:
        """(n,) the interval of every transformed row; -1 where it is missing."""
        if self.one_hot:
            at = [block.schema.places[output] for output in self.indicators(name)]
            ones = block.numbers[:, at]
            return np.where((ones != 0).any(axis=1), ones.argmax(axis=1), -1)
        if self.labelled:
            codes = block.codes[name].recode(self.labels(name))
        else:
            numbers = block.numbers[:, block.schema.places[name]]
            whole = np.isin(numbers, np.arange(len(self.labels(name))))
            codes = np.where(np.isnan(numbers), -1, np.where(whole, numbers, -2)).astype(int)
        if (codes == -2).any():
            row = int((codes == -2).argmax())
            raise ColumnError(
                f"column {name!r} has a value in row {row_number(block.start, row)} that is not "
                f"one of its {len(self.labels(name))} intervals. Pass the output of transform."
            )
        return np.asarray(codes)

    def labels(self, name: str) -> tuple[str, ...]:
        """The intervals of a column, in rising order."""
        cuts = [f"{cut:.6g}" for cut in self.cuts[self.names.index(name)]]
        if len({*cuts}) < len(cuts):  # two cuts have the same six digits
            cuts = [repr(float(cut)) for cut in self.cuts[self.names.index(name)]]
        if not cuts:
            return ("all",)
        between = [f"{a} to {b}" for a, b in pairwise(cuts)]
        return (f"< {cuts[0]}", *between, f"≥ {cuts[-1]}")

    def derivation(self, schema: Schema) -> Derivation:
        """The intervals of every column."""
        rows = tuple((name, label) for name in self.names for label in self.labels(name))
        return Derivation("Discretisation", (Grid("intervals", ("column", "interval"), rows),))

    def _bin_codes(self, block: Block, name: str) -> Codes:
        column = block.numbers[:, block.schema.places[name]]
        places = np.searchsorted(self.cuts[self.names.index(name)], column, side="right")
        codes = np.where(np.isnan(column), -1, places).astype(np.int32)
        return Codes(self.labels(name), codes)


def _is_n_bins(value: Any) -> bool:
    return all(BIN_COUNT.includes(one) for one in (items_of(value) or [value]))


BIN_COUNT = whole(2, MAX_BINS)


class KBinsDiscretizer(Preprocessor):
    """Put numbers into intervals (bins).

    Missing values stay missing; with one-hot encoding all columns of a missing value are 0. Other
    columns and dates pass unchanged. The tally has every number, or the ends of every column for
    ``strategy="uniform"``: all rows are used, whatever ``subsample`` says.

    Attributes
    ----------
    bin_edges_ : ndarray of ndarray
        The edges of every column's bins, ends included; infinite ends where there is one bin.
    n_bins_ : ndarray of int
        The number of bins of every column.

    See Also
    --------
    OneHotEncoder : Columns of 0 and 1 from categories.

    References
    ----------
    .. [1] U. Fayyad and K. Irani, "Multi-interval discretization of continuous-valued attributes
       for classification learning", IJCAI 1993.
    .. [2] R. Hyndman and Y. Fan, "Sample quantiles in statistical packages", The American
       Statistician 50 (4), 1996.

    Examples
    --------
    >>> import tallylearn as tl
    >>> X = [[1.0], [2.0], [9.0]]
    >>> tl.KBinsDiscretizer(2, strategy="uniform", encode="ordinal").fit_transform(X).ravel()
    array([0., 0., 1.])
    >>> tl.KBinsDiscretizer(2, strategy="uniform", encode="interval").fit_transform(X).tolist()
    [['< 5'], ['< 5'], ['≥ 5']]
    """

    transformed_kinds: ClassVar[tuple[str, ...]] = (NUMBER,)
    shaping: ClassVar[tuple[str, ...]] = ("strategy",)
    listed: ClassVar[tuple[str, ...]] = ("n_bins",)
    stored: ClassVar[tuple[type, ...]] = (IntervalTransform,)
    reversible: ClassVar[bool] = True
    model_: IntervalTransform = fitted()

    n_bins: Any = option(
        default=5,
        kw_only=False,
        takes=Allowed((*BIN_COUNT.phrases, "a list of them, one for every column"), _is_n_bins),
        type_name="int or list of int",
        doc='Largest number of bins of a column, or of every column; "mdl" finds it itself. Bins '
        "between equal edges are left out.",
    )
    encode: str = option(
        default="onehot",
        choices=("onehot", "onehot-dense", "ordinal", "interval"),
        doc='"onehot": a column of 0 and 1 for every bin, a sparse matrix where the rows came as '
        'an array; "onehot-dense": the same, never sparse; "ordinal": the number of the bin; '
        '"interval": categories such as "2.5 to 3.1".',
    )
    strategy: str = option(
        default="quantile",
        choices=("uniform", "quantile", "kmeans", "mdl"),
        doc='"uniform": bins of equal width; "quantile": the same number of rows in each, as far '
        'as equal numbers allow; "kmeans": by k-means in one dimension; "mdl": where the classes '
        "of the target change, as long as a cut is worth its description length [1]_, so that "
        "``fit(X, y)`` needs classes.",
    )
    quantile_method: str = option(
        default="averaged_inverted_cdf",
        choices=QUANTILE_METHODS,
        doc='Definition of a quantile, one of NumPy\'s, for ``strategy="quantile"`` [2]_. Rows '
        'with fractional weights have "averaged_inverted_cdf" or "inverted_cdf".',
    )
    dtype: Any = option(
        default=None,
        takes=either(NONE, DTYPE),
        type_name="dtype or None",
        doc="Type of the numbers in an array; None is float64.",
    )
    subsample: int | None = option(
        default=200_000, low=1, doc="For compatibility with scikit-learn: all rows are used."
    )
    random_state: Any = option(
        default=None,
        takes=SEED,
        type_name="int, RandomState or None",
        doc="For compatibility with scikit-learn: nothing is random.",
    )

    @classmethod
    def from_deprecated(
        cls, bins: int = 5, *, strategy: str = "width", labels: str = "interval"
    ) -> Self:
        """The discretizer of ``Discretizer(bins, strategy=, labels=)``, its deprecated name."""
        return cls(
            bins,
            encode="ordinal" if labels == "code" else labels,
            strategy={"width": "uniform", "frequency": "quantile"}.get(strategy, strategy),
            quantile_method="linear",
        )

    def _aim(self, X: Any, y: Any) -> Aim:
        return "classifier" if self.strategy == "mdl" else None

    def tally(self, block: Block) -> Bundle:
        """The ends of every column, or how often each number was seen, by class for "mdl"."""
        check_finite(block)
        names = tuple(column.name for column in block.schema.of_kind(NUMBER))
        numbers = block.numbers[:, [block.schema.places[name] for name in names]]
        by, rows = block.counting_keys(), rows_of(block)
        if self.strategy == "mdl":
            by, rows = block.target, Counts.of(block.target, weight=block.weight)
        if self.strategy == "uniform":
            return Bundle({"target": rows, "ends": Extent.of(numbers, by, names)})
        columns = zip(names, numbers.T, strict=True)
        each = {name: Values.of(column, by, block.weight) for name, column in columns}
        return Bundle({"target": rows, "values": Bundle(each)})

    def fit_passes(self, passes: Passes) -> Learned:
        tally = self.sum_passes(passes)
        return Learned(self.solve(self._in_rows(tally), passes.schema), tally)

    def _solve_state(self, state: TallyState) -> Any:
        return self.solve(self._in_rows(state.tally), state.schema)

    def solve(self, tally: Bundle, schema: Schema | None = None) -> IntervalTransform:
        """The cuts of every column."""
        cuts: dict[str, Array] = {}
        ends: dict[str, Array] = {}
        n_bins = self._bins_by_column(sorted(self._list_counted_columns(tally)), schema)
        if (extent := tally.get("ends")) is not None:
            check_width(extent)
            pairs = zip(extent.least[0], extent.greatest[0], strict=True)
            for name, (low, high) in zip(map(str, extent.columns), pairs, strict=True):
                cuts[name] = _inner_edges(np.linspace(low, high, n_bins[name] + 1))
                ends[name] = np.array([low, high])
        for name, values in tally["values"].parts.items() if "values" in tally else ():
            ends[name] = values.numbers[[0, -1]]
            if self.strategy == "mdl":
                cuts[name] = mdl_cuts(values)
            elif self.strategy == "kmeans":
                cuts[name] = _inner_edges(kmeans_edges(values, n_bins[name]))
            else:
                edges = quantile_edges(values, n_bins[name], self.quantile_method)
                cuts[name] = _inner_edges(edges)
        return IntervalTransform(
            tuple(cuts),
            tuple(cuts.values()),
            self.encode == "interval",
            ends=tuple(ends[name] for name in cuts),
            one_hot=self.encode in ("onehot", "onehot-dense"),
        )

    def _bins_by_column(self, names: Sequence[str], schema: Schema | None) -> dict[str, int]:
        if isinstance(self.n_bins, Integral):
            return dict.fromkeys(names, int(self.n_bins))
        if schema is not None:
            names = [column.name for column in schema.of_kind(NUMBER)]
        given = [int(one) for one in self.n_bins]
        if len(given) != len(names):
            raise OptionError(
                f"n_bins has {len(given)} entries, and the table has {len(names)} columns of "
                f"numbers: {quoted_list(names)}. Give one number, or one for each column."
            )
        return dict(zip(names, given, strict=True))

    def _working(self, full: bool) -> Derivation:
        """With the edges' arithmetic and the rows of every bin, where the tally has them."""
        if self.tally_ is None:
            return super()._working(full)
        model, schema = self.model_, self.schema_
        n_bins = self._bins_by_column(sorted(self._list_counted_columns(self.tally_)), schema)
        if "ends" in self.tally_:
            ends = {
                n: (float(e[0]), float(e[1])) for n, e in zip(model.names, model.ends, strict=True)
            }
            return with_steps(super()._working(full), width_steps(ends, n_bins, schema, full))
        parts = self.tally_["values"].parts if "values" in self.tally_ else {}
        bins = [
            (name, label, rows)
            for name in model.names
            for label, rows in zip(
                model.labels(name),
                bin_counts(model.cuts[model.names.index(name)], parts[name]),
                strict=True,
            )
        ]
        steps: list[Grid | Formula | Sentence] = [
            Grid("intervals", ("column", "interval", "rows"), tuple(bins))
        ]
        shown, more = worked_columns([*parts], schema, full)
        if self.strategy == "mdl" and shown:
            steps += MDL_RULES
        for name in shown:
            steps += self._edge_steps(name, parts[name], n_bins[name])
        return Derivation("Discretisation", (*steps, *more))

    def _edge_steps(
        self, name: str, values: Values, n_bins: int
    ) -> list[Grid | Formula | Sentence]:
        """The arithmetic behind the edges of a column."""
        if len(values.numbers) < 2:
            return []
        if self.strategy == "mdl":
            return [decision_table(name, values.keys, mdl_decisions(values))]
        if self.strategy == "kmeans":
            return centre_steps(name, kmeans_centres(values, n_bins))
        if values.weights.sum(-2).low < 0:  # fractional weights: no order statistics
            return []
        shares = np.linspace(0, 100, n_bins + 1) / 100
        found = order_statistics(values, shares, self.quantile_method)
        line = position_line(float(values.floats().sum()), self.quantile_method)
        return [order_statistic_table(name, shares, line, found)]

    @property
    def bin_edges_(self) -> Array:
        """ndarray of ndarray : The edges of every column's bins, in the order of the table."""
        self._check_fitted()
        if self.model_.names and not self.model_.ends:
            raise InputError(
                f"{type(self).__name__}.bin_edges_: the model comes from a file of an earlier "
                "version, which does not contain the minimum and maximum of the columns. Fit "
                "again."
            )
        names = [name for name in self.schema_.names if name in self.model_.names]
        found = np.empty(len(names), dtype=object)
        for j, name in enumerate(names):
            found[j] = self.model_.edges(name)
        return found

    @property
    def n_bins_(self) -> Array:
        """ndarray of int : The number of bins of every column, in the order of the table."""
        self._check_fitted()
        names = [name for name in self.schema_.names if name in self.model_.names]
        return np.array([len(self.model_.labels(name)) for name in names], dtype=np.int64)

    def _names_out(self, given: Any) -> list[str]:
        if given is None or self.schema_.named or not self.model_.one_hot:
            return super()._names_out(given)
        names = dict(zip(self.schema_.names, map(str, given), strict=True))
        found: list[str] = []
        for column in output_columns(self.schema_):
            new = names[column.name]
            binned = column.name in self.model_.names
            found += self.model_.indicators(column.name, new) if binned else [new]
        return found

    def _as_array(self, array: Array) -> Any:
        if array.dtype == object:
            return array
        found = array if self.dtype is None else array.astype(np.dtype(self.dtype), copy=False)
        return sparse_matrix(found) if self.encode == "onehot" else found

    def _list_counted_columns(self, tally: Bundle) -> set[str]:
        ends, values = tally.get("ends"), tally.get("values")
        found = set() if ends is None else {*map(str, ends.columns)}
        return found | (set() if values is None else {*values.parts})

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        check_rows(tally, {"ends": Extent, "values": Bundle})
        numbers = {column.name for column in schema.of_kind(NUMBER)}
        if "ends" in tally:
            tally["ends"].check()
            check_columns("ends", tally["ends"].columns, numbers)
        check_values(tally.get("values"), numbers)

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        tags.target_tags.required = self.strategy == "mdl"


def _inner_edges(edges: Array) -> Array:
    """The distinct edges between the ends."""
    inside = edges[1:-1]
    return np.unique(inside[(inside > edges[0]) & (inside < edges[-1])])


def quantile_edges(values: Values, n_bins: int, method: str) -> Array:
    """(n_bins + 1,) quantiles at equal steps, as ``numpy.percentile`` defines them."""
    weights = values.weights.sum(-2)
    fractional = weights.low < 0
    if method == "linear" and not fractional:
        return np.array([values.quantile(share) for share in np.linspace(0, 1, n_bins + 1)])
    shares = np.linspace(0, 100, n_bins + 1) / 100
    if fractional:
        average = method != "inverted_cdf"
        found = [quantile_of(values.numbers, weights, share, average=average) for share in shares]
        return np.array(found)
    _, low, high, part = order_statistics(values, shares, method)
    with np.errstate(over="ignore"):
        apart = high - low
    if not np.isfinite(apart).all():
        return np.asarray(low * (1 - part) + high * part)
    # as NumPy interpolates, from the nearer end
    return np.asarray(np.where(part < 0.5, low + apart * part, high - apart * (1 - part)))


def position_line(n: float, method: str) -> tuple[float, float]:
    """The slope and the offset of a quantile's position, counted from 1, by its share."""
    if method == "linear" or method in PLOTTING_POSITIONS:
        a, b = PLOTTING_POSITIONS.get(method, (1.0, 1.0))
        return n + 1 - a - b, a
    return n, -0.5 if method == "closest_observation" else 0.0


def order_statistics(
    values: Values, shares: Array, method: str
) -> tuple[Array, Array, Array, Array]:
    """Positions of quantiles among sorted numbers, counted from 0, and what they lie between.

    Returns
    -------
    positions, low, high, part : ndarray
        (q,) the position, the order statistics on both sides, and the share of the upper one.
    """
    upto = np.cumsum(values.weights.sum(-2).floats())
    n = upto[-1]
    if method == "linear" or method in PLOTTING_POSITIONS:
        a, b = PLOTTING_POSITIONS.get(method, (1.0, 1.0))
        at = n * shares + (a + shares * (1 - a - b)) - 1
        part = at - np.floor(at)
    else:  # steps of the empirical distribution function
        at = n * shares - (1.5 if method == "closest_observation" else 1.0)
        part = (at > np.floor(at)).astype(float)
        if method == "averaged_inverted_cdf":
            part = np.where(part > 0, 1.0, 0.5)
        elif method == "closest_observation":  # halves go to the even order statistic, from 1
            part = np.where((part > 0) | (np.floor(at) % 2 == 0), 1.0, 0.0)
    below = np.clip(np.floor(at), 0, n - 1)
    above = np.clip(np.floor(at) + 1, 0, n - 1)
    low, high = (values.numbers[np.searchsorted(upto, x, side="right")] for x in (below, above))
    return at, low, high, np.where(at < 0, 0.0, np.where(at >= n - 1, 1.0, part))


def kmeans_edges(values: Values, n_bins: int) -> Array:
    """(n_bins + 1,) edges halfway between the centres of k-means in one dimension."""
    low, high = values.numbers[0], values.numbers[-1]
    if low == high:
        return np.array([low, high])
    centres = kmeans_centres(values, n_bins)
    return np.concatenate([[low], (centres[1:] + centres[:-1]) * 0.5, [high]])


def kmeans_centres(values: Values, n_bins: int) -> Array:
    """(n_bins,) the centres of k-means in one dimension, rising, of numbers that are not all equal.

    Lloyd's algorithm from centres at equal distances, with scikit-learn's tolerance: an empty
    cluster takes the number that is farthest from its centre.
    """
    numbers, weights = values.numbers, values.floats().sum(axis=0)
    uniform = np.linspace(numbers[0], numbers[-1], n_bins + 1)
    mean = np.average(numbers, weights=weights)
    least = KMEANS_TOLERANCE * np.average((numbers - mean) ** 2, weights=weights)
    centres = (uniform[1:] + uniform[:-1]) * 0.5
    labels = np.full(len(numbers), -1)
    for _ in range(KMEANS_ITERATIONS):
        before, old = labels, centres
        order = np.argsort(centres)
        cuts = (centres[order][1:] + centres[order][:-1]) * 0.5
        labels = order[np.searchsorted(cuts, numbers, side="left")]
        sums = np.bincount(labels, weights * numbers, minlength=n_bins)
        sizes = np.bincount(labels, weights, minlength=n_bins)
        empty = np.flatnonzero(sizes == 0)
        farthest = np.argsort(-((numbers - centres[labels]) ** 2), kind="stable")
        for cluster, at in zip(empty, farthest, strict=False):
            sums[cluster], sizes[cluster] = numbers[at], 1.0
            sums[labels[at]] -= numbers[at]
            sizes[labels[at]] -= 1.0
        centres = np.where(sizes > 0, sums / np.where(sizes > 0, sizes, 1.0), centres)
        if np.array_equal(labels, before) or ((centres - old) ** 2).sum() <= least:
            break
    return np.sort(centres)
