"""Counterfactuals: the smallest change of one or two columns that gives another prediction.

Changes are measured in standard deviations of the training rows; a changed category, or a value in
the place of a missing one, counts as one. One column comes before two, then the smaller sum. A
column of numbers is piecewise where the model only compares it with thresholds: then each side of a
threshold is tried at its nearest value, and the result is exact. Elsewhere values of the training
rows are tried, and between two of them that differ in the prediction the border is found by
section. Where log-odds or predictions are quadratic in a column (linear models, logistic
regression, naive Bayes, discriminants), their roots are tried too, so that one column is exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from tallylearn.errors import (
    ColumnError,
    InputError,
    OptionError,
    did_you_mean,
    is_one_of,
    quoted_list,
    short_repr,
)
from tallylearn.reporting import formatting
from tallylearn.reporting.formatting import plain_data
from tallylearn.reporting.report import Report
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Codes, Column, day
from tallylearn.tallies import Moments
from tallylearn.workings import Sentence
from tallylearn.workings.units import format_value

Goal = tuple[Callable[[Block], Array], Callable[[Block], Array], str]  # see counterfactual()
PROBES = 33  # values of a smooth column that are tried: quantiles of the training rows
SECTIONS, ROUNDS = 17, 14  # points between two values, and how often: 16 ** 14 parts of a gap
MAX_PAIR_VALUES = 400  # of a column in pairs: of more, some
BATCH = 65_536  # rows that are predicted at a time
QUADRATIC = 1e-9  # how far a function may be from the parabola through three of its points
DIGITS = 6  # of a value that is shown, rounded away from the border
STANDARD_DEVIATION = "standard deviations of the training rows"
OF_TABLE = "standard deviations of the rows that were passed"
OF_TALLY = "standard deviations of the tally"
NAMED = "; a category counts as one"
OF_THRESHOLDS = "standard deviations of the thresholds of the trees"


@dataclass(frozen=True)
class ColumnChange:
    """The change of one column.

    Attributes
    ----------
    column : str
        The column.
    old, new : object
        Its value before and after: a number, a datetime or a category; None if it is missing.
    condition : str
        The change as a condition, such as "at most 0.78".
    size : float
        The change in standard deviations; 1 for a category.
    """

    column: str
    old: Any
    new: Any
    condition: str
    size: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        names = "column", "old", "new", "condition", "size"
        return {name: _plain(getattr(self, name)) for name in names}


@dataclass(frozen=True)
class Counterfactual(Report):
    """The smallest change of a row that gives another prediction.

    Attributes
    ----------
    target : str or None
        The name of the target.
    before, after : object
        The prediction for the row, and for the changed row.
    changes : tuple of ColumnChange
        One or two columns.
    row : dict
        The changed row.
    exact : bool
        Whether no smaller change of as many columns exists.
    unit : str
        What sizes are measured in.
    """

    target: str | None
    before: Any
    after: Any
    changes: tuple[ColumnChange, ...]
    row: Mapping[str, Any]
    exact: bool
    unit: str

    @property
    def size(self) -> float:
        """The sum of the sizes of the changes."""
        return sum(change.size for change in self.changes)

    def to_dict(self) -> dict[str, Any]:
        return {
            "target": self.target,
            "before": _plain(self.before),
            "after": _plain(self.after),
            "changes": [change.to_dict() for change in self.changes],
            "row": {name: _plain(value) for name, value in self.row.items()},
            "exact": self.exact,
            "unit": self.unit,
        }

    @staticmethod
    def _layout(found: dict[str, Any]) -> Sentence:
        parts = []
        for one in found["changes"]:
            old = formatting.format_number_or_blank(one["old"]).removesuffix(" 00:00:00")
            parts.append(f"{one['column']} were {one['condition']} (it is {old or 'missing'})")
        subject = found["target"] or "the prediction"
        after = formatting.format_number_or_blank(found["after"])
        before = formatting.format_number_or_blank(found["before"])
        size = formatting.format_number(sum(one["size"] for one in found["changes"]))
        least = "" if found["exact"] else " Smaller changes may exist."
        named = any(isinstance(one["new"], str) for one in found["changes"])
        return Sentence(
            f"{subject} would be {after} instead of {before} if {' and '.join(parts)}. "
            f"The change is {size} {found['unit']}{NAMED if named else ''}.{least}"
        )


@dataclass(frozen=True)
class Spread:
    """What is known of the training rows: values of the columns, or their deviations."""

    values: Mapping[str, Array]  # of numbers and dates, without missing ones
    levels: Mapping[str, tuple[Any, ...]]
    means: Mapping[str, tuple[float, float]]  # mean and standard deviation, from a tally
    unit: str

    def deviation(self, name: str) -> float | None:
        """The standard deviation of a column; 1 for a constant, None if nothing is known."""
        if len(x := self.values.get(name, np.zeros(0))):
            return float(np.std(x)) or 1.0
        return (self.means[name][1] or 1.0) if name in self.means else None

    def is_whole(self, name: str) -> bool:
        """Whether the column has whole numbers alone."""
        x = self.values.get(name, np.zeros(0))
        return bool(len(x)) and self.unit != OF_THRESHOLDS and bool((x == np.floor(x)).all())

    def probes(self, name: str) -> Array:
        """Values to try, sorted: from the least to the largest."""
        if len(x := self.values.get(name, np.zeros(0))):
            return np.unique(np.quantile(x, np.linspace(0, 1, PROBES), method="nearest"))
        mean, deviation = self.means[name]
        return np.linspace(mean - 3 * deviation, mean + 3 * deviation, PROBES)


@dataclass
class CounterfactualSearch:
    """The search for one row: ``reaches`` says which rows of a block have the wanted prediction."""

    block: Block  # one row
    spread: Spread
    thresholds: Mapping[str, Array] | None
    levels: Mapping[str, Sequence[Any]]
    reaches: Callable[[Block], Array]
    margins: Callable[[Block], Array]  # (n, k) functions that change sign where predictions change
    columns: tuple[Column, ...]
    exact: bool = True
    is_linear: bool = True  # whether all margins seen so far are lines

    @cached_property
    def places(self) -> dict[str, int]:
        return self.block.schema.places

    def value(self, name: str) -> Any:
        """The value of the row: a number, or a category; None where it is missing."""
        if name in self.places:
            x = float(self.block.numbers[0, self.places[name]])
            return None if np.isnan(x) else x
        return self.block.codes[name].items()[0]

    def rows(self, changes: Mapping[str, Array]) -> Block:
        """The row once for each value, with the values in the place of its own."""
        n = len(next(iter(changes.values())))
        found = self.block[np.zeros(n, np.int64)]
        numbers, codes = found.numbers.copy(), dict(found.codes)
        for name, values in changes.items():
            if name in self.places:
                numbers[:, self.places[name]] = values
            else:
                codes[name] = Codes.of(list(values), codes[name].declared)
        return replace(found, numbers=numbers, codes=codes)

    def tried(self, changes: Mapping[str, Array]) -> Array:
        """(n,) whether the rows with these values have the wanted prediction."""
        n, found = len(next(iter(changes.values()))), []
        for at in range(0, n, BATCH):
            check_halted()
            part = {name: values[at : at + BATCH] for name, values in changes.items()}
            found.append(self.reaches(self.rows(part)))
        return np.concatenate(found) if found else np.zeros(0, bool)

    def is_smooth(self, column: Column) -> bool:
        """Whether the prediction may change between any two values."""
        return column.kind != CATEGORY and self.thresholds is None

    def sizes(self, name: str, values: Array) -> Array:
        """(n,) how far values are from the row's, in deviations; 1 for a category."""
        old = self.value(name)
        if name not in self.places:
            return np.array([0.0 if value == old else 1.0 for value in values])
        if old is None:
            return np.ones(len(values))
        deviation = self.spread.deviation(name)
        if deviation is None:
            raise InputError(
                f"the spread of column {name!r} is not known, as a model file holds no training "
                "rows. Pass rows: table=training; tally explain takes them as FILE."
            )
        return np.asarray(np.abs(values - old) / deviation)

    def candidates(self, column: Column) -> Array:
        """The values to try: of categories all, of numbers the nearest on each side of a border."""
        name, old = column.name, self.value(column.name)
        if column.kind == CATEGORY:
            return np.array([one for one in self.levels.get(name, ()) if one != old], dtype=object)
        if self.thresholds is not None:
            cuts = np.asarray(self.thresholds.get(name, np.zeros(0)), dtype=float)
            whole = self.spread.is_whole(name)
            low = np.floor(cuts) if whole else cuts
            high = low + 1 if whole else np.nextafter(cuts, np.inf)
            if old is None:
                return np.unique(np.append(low, high[-1:]))
            return np.unique(np.append(low[cuts < old], high[cuts >= old]))
        self.sizes(name, np.zeros(1))  # an error where nothing is known
        probes = self.spread.probes(name)
        found = probes if old is None else np.append(probes, old)
        return np.unique(np.append(found, self.between_roots(name, probes[0], probes[-1])))

    def between_roots(self, name: str, low: float, high: float) -> Array:
        """A value between each two neighbouring roots of the margins that are parabolas."""
        if not low < high:
            return np.zeros(0)
        x = np.linspace(low, high, 5)
        y = self.margins(self.rows({name: x}))
        roots: list[Any] = [low, high]
        if not np.isfinite(y).all():
            self.exact = False
            return np.zeros(0)
        unit = np.linspace(-1.0, 1.0, 5)
        for each in y.T:
            a = (each[0] + each[4]) / 2 - each[2]
            b, c = (each[4] - each[0]) / 2, each[2]
            parabola = (a * unit + b) * unit + c
            if np.abs(parabola - each).max() > QUADRATIC * max(1.0, np.abs(each).max()):
                self.exact = False
                continue
            self.is_linear &= bool(abs(a) <= QUADRATIC * max(1.0, np.abs(each).max()))
            real = [root.real for root in np.roots([a, b, c]) if np.isreal(root)]
            roots += [low + (root + 1) / 2 * (high - low) for root in real if -1 < root < 1]
        ends = np.unique(roots)
        return np.asarray((ends[1:] + ends[:-1]) / 2)

    def nearest(self, name: str, inside: float, given: Mapping[str, Any]) -> float:
        """The border between a value that reaches the goal and the row's, to the last digit."""
        old = self.value(name)
        if old is None or old == inside:
            return inside
        outside = old
        for _ in range(ROUNDS):
            x = np.linspace(outside, inside, SECTIONS)
            at = int(np.argmax(self.tried(self._with(given, name, x))[1:])) + 1
            if x[at] == inside and x[at - 1] == outside:
                break
            outside, inside = float(x[at - 1]), float(x[at])
        if self.spread.is_whole(name):
            whole = np.floor(inside) if inside < old else np.ceil(inside)
            if whole != old and self.tried(self._with(given, name, np.array([whole])))[0]:
                return float(whole)
        step = np.copysign(np.spacing(max(abs(inside), abs(old))), inside - old)
        while not self.tried(self._with(given, name, np.array([inside])))[0]:
            inside, step = float(inside + step), 2 * step  # a row alone may be rounded otherwise
        return inside

    @staticmethod
    def _with(given: Mapping[str, Any], name: str, x: Array) -> dict[str, Array]:
        more = {other: np.full(len(x), value, dtype=object if isinstance(value, str) else None)
                for other, value in given.items()}  # fmt: skip
        return {**more, name: x}

    def one(self) -> dict[str, Any] | None:
        """The smallest change of one column."""
        found: list[tuple[float, int, dict[str, Any]]] = []
        for at, column in enumerate(self.columns):
            name, values = column.name, self.candidates(column)
            if not len(values):
                continue
            sizes = self.sizes(name, values)
            right = np.flatnonzero(self.tried({name: values}))
            if not len(right):
                continue
            ends = right[np.argsort(sizes[right], kind="stable")]
            best = values[ends[0]]
            if self.is_smooth(column):
                best = self._nearest_of(name, values, right)
            size = float(self.sizes(name, np.array([best], dtype=values.dtype))[0])
            found.append((size, at, {name: best}))
        return min(found, key=lambda one: one[:2])[2] if found else None

    def _nearest_of(self, name: str, values: Array, right: Array) -> float:
        """The nearest border on either side of the row's value."""
        old = self.value(name)
        if old is None:
            return float(values[right[0]])
        inside = values[right]
        ends = [*inside[inside < old][-1:], *inside[inside > old][:1]]
        borders = [self.nearest(name, float(end), {}) for end in ends]
        return min(borders, key=lambda x: (abs(x - old), x))

    def two(self) -> dict[str, Any] | None:
        """The smallest change of two columns; one column alone does not suffice."""
        found: tuple[float, dict[str, Any]] | None = None
        for first, second in itertools.combinations(self.columns, 2):
            least = np.inf if found is None else found[0]
            for size, pair in self._pairs(first, second, least):
                if found is None or size < found[0] - 1e-12:
                    found = size, pair
        return None if found is None else found[1]

    def _pairs(
        self, first: Column, second: Column, least: float
    ) -> Iterator[tuple[float, dict[str, Any]]]:
        values = [self._thinned(self.candidates(column)) for column in (first, second)]
        if not len(values[0]) or not len(values[1]):
            return
        one, two = (self.sizes(c.name, x) for c, x in zip((first, second), values, strict=True))
        smooth = [self.is_smooth(column) for column in (first, second)]
        if any(smooth):
            self.exact = self.exact and self.is_linear
            yield from self._smooth_pairs((first, second), values, least)
            return
        total = (one[:, None] + two).ravel()
        order = np.argsort(total, kind="stable")
        order = order[total[order] < least]
        for begin in range(0, len(order), BATCH):
            part = order[begin : begin + BATCH]
            i, j = np.unravel_index(part, (len(one), len(two)))
            right = self.tried({first.name: values[0][i], second.name: values[1][j]})
            if right.any():
                at = int(np.argmax(right))
                yield (
                    float(total[part[at]]),
                    {first.name: values[0][i[at]], second.name: values[1][j[at]]},
                )
                return

    def _smooth_pairs(
        self, pair: tuple[Column, Column], values: list[Array], least: float
    ) -> Iterator[tuple[float, dict[str, Any]]]:
        """Every value of one column with the border along the other one, where that is smooth."""
        i, j = (part.ravel() for part in np.indices((len(values[0]), len(values[1]))))
        right = self.tried({pair[0].name: values[0][i], pair[1].name: values[1][j]})
        table = right.reshape(len(values[0]), len(values[1]))
        for side in (0, 1):
            fixed, along = pair[side], pair[1 - side]
            if not self.is_smooth(along):
                continue
            grid = table if side == 0 else table.T
            fixed_sizes = self.sizes(fixed.name, values[side])
            for at in np.argsort(fixed_sizes, kind="stable").tolist():
                if fixed_sizes[at] >= least or not grid[at].any():
                    continue
                inside = values[1 - side][grid[at]]
                old, given = self.value(along.name), {fixed.name: values[side][at]}
                ends = [inside[0]]
                if old is not None:
                    ends = [*inside[inside < old][-1:], *inside[inside > old][:1]]
                for end in ends:
                    border = self.nearest(along.name, float(end), given)
                    size = float(fixed_sizes[at] + self.sizes(along.name, np.array([border]))[0])
                    if size < least:
                        least = size
                        yield size, {**given, along.name: border}

    def _thinned(self, values: Array) -> Array:
        if len(values) <= MAX_PAIR_VALUES:
            return values
        self.exact = False
        return np.asarray(values[np.linspace(0, len(values) - 1, MAX_PAIR_VALUES).astype(int)])

    def condition(self, name: str, changes: Mapping[str, Any]) -> str:
        """The change of a column as a condition, true for every value that it allows."""
        new, old = changes[name], self.value(name)
        column = next(one for one in self.columns if one.name == name)
        if column.kind == CATEGORY:
            return str(new)
        kind = column.kind
        if old is None:
            return format_value(float(new), kind)
        down = new < old
        others = {other: value for other, value in changes.items() if other != name}
        beyond = self.candidates(column)
        beyond = beyond[beyond < new] if down else beyond[beyond > new]
        open_end = not len(beyond) or bool(self.tried(self._with(others, name, beyond)).all())
        shown = _rounded(float(new), kind, down)
        if not open_end:
            return shown
        if not down and self.thresholds is not None and not self.spread.is_whole(name):
            return f"more than {_rounded(float(np.nextafter(new, -np.inf)), kind, down)}"
        return f"at most {shown}" if down else f"at least {shown}"


def _rounded(value: float, kind: str, down: bool) -> str:
    """A value in few digits, rounded away from the border."""
    if kind == DATE:
        days = np.floor(value) if down else np.ceil(value)
        return format_value(float(days), DATE)
    context = Context(prec=DIGITS, rounding=ROUND_FLOOR if down else ROUND_CEILING)
    return format_value(float(context.create_decimal_from_float(value)), NUMBER)


def spread_of(estimator: Any, table: Any) -> Spread:
    """What is known of the training rows of a fitted estimator, or of the rows that are passed."""
    if table is not None:
        return _of_blocks([*estimator._read_blocks(table)], OF_TABLE)
    kept = getattr(estimator, "kept_rows_", None)
    if kept is not None:
        blocks = [kept] if isinstance(kept, Block) else [*kept.blocks()]
        return _of_blocks(blocks, STANDARD_DEVIATION)
    if (read := estimator.notes_.sample.read) is not None:
        columns = read().columns
        values = {n: x[~np.isnan(x)] for n, x in columns.items() if isinstance(x, np.ndarray)}
        levels = {n: x.values for n, x in columns.items() if isinstance(x, Codes)}
        return Spread(values, levels, {}, STANDARD_DEVIATION)
    means: dict[str, tuple[float, float]] = {}
    for part in getattr(estimator.tally_, "parts", {}).values():
        if isinstance(part, Moments):
            pooled = part.pool()
            pairs = zip(pooled.columns, pooled.mean[0], pooled.variance[0], strict=True)
            means |= {str(n): (float(m), float(np.sqrt(v))) for n, m, v in pairs}
    thresholds = estimator.model_.split_thresholds()
    if thresholds is not None:
        return Spread({n: np.asarray(x) for n, x in thresholds.items()}, {}, means, OF_THRESHOLDS)
    return Spread({}, {}, means, OF_TALLY)


def _of_blocks(blocks: Sequence[Block], unit: str) -> Spread:
    values, levels = {}, {}
    for name, at in blocks[0].schema.places.items():
        x = np.concatenate([block.numbers[:, at] for block in blocks])
        values[name] = x[np.isfinite(x)]
    for name in blocks[0].codes:
        levels[name] = tuple(sorted({v for block in blocks for v in block.codes[name].values}))
    return Spread(values, levels, {}, unit)


def find_counterfactual(
    estimator: Any,
    X: Any,
    goal: Goal,
    choice: tuple[Sequence[str] | str | None, Collection[str] | str],
    table: Any,
) -> Counterfactual:
    """The smallest change of one or two columns of a row that reaches a goal.

    ``goal``: which rows of a block reach it, its margins, and the goal as text; ``choice``: the
    columns that may change, and those that may not.
    """
    blocks = [block for block in estimator._read_blocks(X) if len(block)]
    if sum(map(len, blocks)) != 1:
        raise InputError(
            f"a counterfactual is of one row, and the table has {sum(map(len, blocks)):,}. Pass "
            "one: table[3:4], or a dict."
        )
    block, (reaches, margins, wanted) = blocks[0], goal
    if reaches(block)[0]:
        raise InputError(f"the prediction of the row is {wanted} already. Choose another target.")
    columns = _choose(estimator.schema_.columns, *choice)
    spread = spread_of(estimator, table)
    levels = {c.name: c.values for c in columns if c.kind == CATEGORY}
    levels |= {n: v for n, v in spread.levels.items() if v}
    levels |= {n: tuple(v) for n, v in estimator.model_.category_values.items() if v}
    search = CounterfactualSearch(
        block, spread, estimator.model_.split_thresholds(), levels,
        reaches=reaches, margins=margins, columns=columns,
    )  # fmt: skip
    changes = search.one() or search.two()
    if changes is None:
        raise InputError(
            f"no change of one or two columns makes the prediction {wanted}. Columns that may "
            f"change: {quoted_list(c.name for c in columns)}. Choose another target, or other "
            "columns."
        )
    changed = search.rows({
        n: np.array([v], dtype=object if isinstance(v, str) else None) for n, v in changes.items()
    })  # fmt: skip
    found = []
    for name, value in changes.items():
        kind = next(c.kind for c in columns if c.name == name)
        values = np.array([value], dtype=object if kind == CATEGORY else None)
        old, size = search.value(name), float(search.sizes(name, values)[0])
        found.append(
            ColumnChange(
                name, _as_value(old, kind), _as_value(value, kind),
                search.condition(name, changes), size=size,
            )
        )  # fmt: skip
    return Counterfactual(
        estimator.target_name_, estimator.predictions(block).tolist()[0],
        estimator.predictions(changed).tolist()[0], tuple(found),
        row=_as_row(changed), exact=search.exact, unit=spread.unit,
    )  # fmt: skip


def class_goal(estimator: Any, X: Any, target: Any, bounds: Mapping[str, Any]) -> Goal:
    """Which rows have the class that is wanted, the log-odds that decide, and the goal as text."""
    known = estimator.model_.classes
    if odd := [name for name, bound in bounds.items() if bound is not None]:
        raise OptionError(f"{odd[0]} is for regressors. Pass target, one of {quoted_list(known)}.")
    if target is not None and not is_one_of(target, known):
        raise OptionError(
            f"target is {short_repr(target)}, which is no class. The classes are "
            f"{quoted_list(known)}."
        )
    now = [y for block in estimator._read_blocks(X) for y in estimator.predictions(block).tolist()]

    def reaches(block: Block) -> Array:
        found = estimator.predictions(block)
        return np.asarray(found != now[0] if target is None else found == target, dtype=bool)

    def margins(block: Block) -> Array:
        logs = estimator.model_.log_shares(block)
        first, second = np.triu_indices(logs.shape[1], 1)
        with np.errstate(invalid="ignore"):
            return np.asarray(logs[:, first] - logs[:, second])

    return reaches, margins, repr(target) if target is not None else "another class"


def number_goal(estimator: Any, target: Any, at_least: Any, at_most: Any) -> Goal:
    """Which rows have a prediction within the bounds, its distances from them, and the goal."""
    bounds = {"at_least": at_least, "at_most": at_most}
    given = {name: float(x) for name, x in bounds.items() if _is_finite(x)}
    odd = [name for name, x in bounds.items() if x is not None and name not in given]
    if target is not None:
        raise OptionError("target is for classifiers. Pass at_least or at_most, a number.")
    if odd or not given:
        name = odd[0] if odd else "at_least"
        raise OptionError(
            f"{name} is {short_repr(bounds[name])}. Pass at_least or at_most, a finite number."
        )
    low, high = given.get("at_least", -np.inf), given.get("at_most", np.inf)

    def reaches(block: Block) -> Array:
        found = estimator.predictions(block)
        return np.asarray((found >= low) & (found <= high))

    def margins(block: Block) -> Array:
        found = estimator.predictions(block)
        return np.stack([found - bound for bound in given.values()], axis=1)

    words = (f"{name.replace('_', ' ')} {x:g}" for name, x in given.items())
    return reaches, margins, " and ".join(words)


def _is_finite(x: Any) -> bool:
    try:
        return isinstance(x, Real) and not isinstance(x, bool) and bool(np.isfinite(float(x)))
    except OverflowError:  # of an integer beyond the doubles
        return False


def _choose(
    known: Sequence[Column], wanted: Sequence[str] | str | None, fixed: Collection[str] | str
) -> tuple[Column, ...]:
    """The columns that may change, in the order of the table."""
    usable = [c for c in known if c.kind in (NUMBER, DATE, CATEGORY)]
    names = [c.name for c in usable]
    given = [] if wanted is None else [wanted] if isinstance(wanted, str) else [*wanted]
    kept = [fixed] if isinstance(fixed, str) else [*fixed]
    for name in (*given, *kept):
        if name not in names:
            hint = did_you_mean(name, names) or f" Its columns: {quoted_list(names)}."
            raise ColumnError(f"the model has no column {name!r} that can change.{hint}")
    found = [c for c in usable if (wanted is None or c.name in given) and c.name not in kept]
    if not found:
        raise OptionError("no column may change. Pass fewer in fixed, or more in columns.")
    return tuple(found)


def _as_value(value: Any, kind: str) -> Any:
    """A value as the table has it."""
    if value is None or kind == CATEGORY:
        return value
    return day(float(value)) if kind == DATE else float(value)


def _as_row(block: Block) -> dict[str, Any]:
    """A row as a dict."""
    dates = {c.name for c in block.schema.of_kind(DATE)}
    found: dict[str, Any] = {}
    for name, at in block.schema.places.items():
        x = float(block.numbers[0, at])
        found[name] = None if np.isnan(x) else _as_value(x, DATE if name in dates else NUMBER)
    found |= {name: codes.items()[0] for name, codes in block.codes.items()}
    return {name: found[name] for name in block.schema.names if name in found}


def _plain(value: Any) -> Any:
    return value.isoformat(sep=" ") if hasattr(value, "isoformat") else plain_data(value)
