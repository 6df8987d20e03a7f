"""Examples: the rows that were learned, all of them, and how near others lie to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError, OptionError, short_repr
from tallylearn.estimators.finite_rows import check_finite, check_scaled
from tallylearn.models.neighbors.distances import FORMULAS, METRICS
from tallylearn.models.neighbors.gower_search import GowerSearch
from tallylearn.models.neighbors.search_choice import choose_search
from tallylearn.reporting.formatting import format_number
from tallylearn.runtime.memory_budget import check_memory
from tallylearn.tables import Array, Block, Schema, check_columns, field_schemas, places, row_number
from tallylearn.tallies import Nearest
from tallylearn.workings import Derivation, Grid, Sentence, equation
from tallylearn.workings.units import value_formatter

Asked = tuple[Array, Array]  # numbers, moved, and codes of rows to find the neighbours of
REMEDY = (
    "Fill missing values with tl.SimpleImputer() before, in a tl.Pipeline, or set metric='gower', "
    "which leaves them out."
)
MAX_ROWS = 1e15  # rows, which nobody holds; more are not told apart
MAX_SHOWN_COLUMNS = 6  # columns of a neighbour, in an explanation
BY_CHANCE = "has many values, tells the target no better than chance, and counts in no distance"
WEIGHTS = {
    "uniform": "Every neighbour has one vote.",
    "distance": "A neighbour votes with 1 / d; one at distance 0 decides alone.",
    "inverse_square": "A neighbour votes with 1 / d²; one at distance 0 decides alone.",
    "callable": "A neighbour votes with what a function makes of its distance.",
}


@dataclass(frozen=True)
class Examples:
    """Rows of numbers and codes; each number is shifted and scaled before it is compared."""

    columns: tuple[str, ...]
    numbers: Array  # (m, p) as in the table
    shift: Array  # (p,)
    scale: Array  # (p,)
    categories: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]  # of every category
    codes: Array  # (m, c) int64, -1 where missing
    rows: Array  # (m,) int64, the numbers of the rows in their table
    metric: str
    p: float
    algorithm: str
    leaf: int
    k: int
    weights: str
    ties: str
    chance: tuple[str, ...] = ()  # categories that count in no distance

    form: ClassVar[field_schemas.Form] = {
        "columns": field_schemas.names("p"),
        "numbers": field_schemas.floats("m", "p", gaps=True),
        "shift": field_schemas.floats("p"),
        "scale": field_schemas.floats("p", least=0.0),
        "categories": field_schemas.names("c"),
        "values": field_schemas.many(field_schemas.names(), "c"),
        "codes": field_schemas.integers("m", "c", least=-1),
        "rows": field_schemas.integers("m", least=0),
        "metric": field_schemas.text(*METRICS),
        "p": field_schemas.number(least=0.0),
        "algorithm": field_schemas.text("auto", "tree", "brute"),
        "leaf": field_schemas.count(1),
        "k": field_schemas.count(1),
        "weights": field_schemas.text(*WEIGHTS),
        "ties": field_schemas.text("all", "first"),
        "chance": field_schemas.names("s"),
    }

    def __len__(self) -> int:
        return len(self.numbers)

    def check(self, schema: Schema) -> None:
        """What a file says can have been learned from columns of this schema."""
        check_columns("numbers", self.columns, {*schema.numbers})
        check_columns("categories", [*self.categories, *self.chance], {*schema.categories})
        sizes = np.array([len(values) for values in self.values], dtype=np.int64)
        if (self.codes >= sizes).any() or self.k > len(self) or (self.scale == 0).any():
            raise ValueError("the examples are fewer than k, or have values that are not there")
        if self.metric != "gower" and (self.categories or np.isnan(self.numbers).any()):
            raise ValueError("the metric does not fit the columns")
        if self.weights == "callable":
            raise ValueError("a file holds no function")

    def holding(self, block: Block) -> Examples:
        """The rows of a block, as these are compared."""
        rows = places(block.start, np.arange(len(block)))
        numbers = np.ascontiguousarray(self._numbers(block))
        return replace(self, numbers=numbers, codes=self._codes(block), rows=rows)

    def encode_queries(self, block: Block) -> Asked:
        """Rows to find the neighbours of."""
        with np.errstate(over="ignore"):
            numbers, codes = self._scale_numbers(self._numbers(block)), self._codes(block)
        check_scaled(numbers, block)
        if self.metric == "gower":
            check_shown(np.hstack([numbers, np.where(codes == -1, np.nan, codes)]), block)
        return numbers, codes

    def itself(self) -> Asked:
        """The examples, to find their neighbours."""
        return self._points, self.codes

    def nearest(self, asked: Asked, k: int) -> Nearest:
        """For every row k neighbours, or more where some are level with the k-th; or too few."""
        numbers, codes = asked
        if not len(self) or not len(numbers):
            return Nearest.of(*(np.zeros(0, dtype=np.int64),) * 2, np.zeros(0), len(numbers), k)
        if self.metric == "gower":
            return self._sieve.nearest(numbers, codes, k)
        found: Nearest = self._finder.nearest(numbers, k)
        return found

    def search(self, block: Block, k: int | None = None) -> Nearest:
        """The neighbours of every row: k of them, or more where some are level with the k-th."""
        found = self.nearest(self.encode_queries(block), self.k if k is None else k).complete()
        return found if self.ties == "all" else found.first(found.k)

    def search_among(self, k: int | None = None) -> Nearest:
        """The neighbours of every example among all others."""
        k = self.k if k is None else k
        self.check_others(k, len(self))
        found = self.nearest(self.itself(), k + 1).leave_out(np.arange(len(self))).complete()
        return found if self.ties == "all" else found.first(k)

    def numbers_of(self, found: Nearest) -> Array:
        """The numbers that neighbours have in their table."""
        return np.asarray(self.rows[found.rows])

    def check_others(self, k: int, m: int) -> None:
        """Each of m rows has k others."""
        if k >= m:
            raise InputError(
                f"each of the {m} rows has {m - 1} others, fewer than n_neighbors={k}. Use "
                f"n_neighbors={m - 1} or fewer. Expected n_neighbors < n_samples_fit, but "
                f"n_neighbors = {k}, n_samples_fit = {m}."
            )

    def describe_row(self, place: int, schema: Schema) -> str:
        """What an example holds, as the table has it."""
        figure = value_formatter(schema)
        pairs = [
            f"{name} {'?' if np.isnan(x) else figure(name, float(x))}"
            for name, x in zip(self.columns, self.numbers[place], strict=True)
        ]
        for name, known, code in zip(self.categories, self.values, self.codes[place], strict=True):
            pairs.append(f"{name} {known[code] if code >= 0 else '?'}")
        more = (
            f", and {len(pairs) - MAX_SHOWN_COLUMNS} more" if len(pairs) > MAX_SHOWN_COLUMNS else ""
        )
        return ", ".join(pairs[:MAX_SHOWN_COLUMNS]) + more

    @property
    def category_values(self) -> dict[str, tuple[str, ...]]:
        """The values of every category that some example has."""
        return dict(zip(self.categories, self.values, strict=True))

    def derivation(self, answer: str, schema: Schema, kept: str = "") -> Derivation:
        """The rule, as there is nothing to be worked out before a row comes."""
        level = ", and all that are as far as the last of them" if self.ties == "all" else ""
        kept = kept or f"All {len(self):,} rows are kept."
        said = f"{kept} A row gets {answer} of its {self.k} nearest{level}."
        steps: list[Any] = [equation(FORMULAS[self.metric])]
        if self.metric == "minkowski":
            steps.append(equation(f"p = {self.p:g}"))
        if self.is_scaled and len(self.columns):
            pairs = zip(self.columns, self.shift.tolist(), self.scale.tolist(), strict=True)
            figure = value_formatter(schema, digits=4)
            rows = tuple((name, figure(name, a), format_number(b)) for name, a, b in pairs)
            steps.append(Grid("columns, before they are compared", ("column", "less", "by"), rows))
        over = [Sentence(f"Column {name!r} {BY_CHANCE}.") for name in self.chance]
        return Derivation("Nearest neighbours", (Sentence(said), *steps, *over,
                                                 Sentence(WEIGHTS[self.weights])))  # fmt: skip

    @property
    def is_scaled(self) -> bool:
        """Whether numbers are shifted or scaled before they are compared."""
        return bool((self.shift != 0).any() or (self.scale != 1).any())

    def points(self, places: Array) -> Array:
        """(m, p) some examples, as they are compared."""
        return self._scale_numbers(self.numbers[places])

    @cached_property
    def _points(self) -> Array:
        return self._scale_numbers(self.numbers)

    @cached_property
    def _finder(self) -> Any:
        return choose_search(self._points, self.metric, self.p, self.algorithm, self.leaf)

    @cached_property
    def _sieve(self) -> GowerSearch:
        return GowerSearch.of(self.numbers, self.codes, self.scale)

    def _scale_numbers(self, numbers: Array) -> Array:
        if not self.is_scaled or self.metric == "gower":  # which divides the differences
            return np.ascontiguousarray(numbers)
        return np.ascontiguousarray((numbers - self.shift) / self.scale)

    def _numbers(self, block: Block) -> Array:
        check_finite(block)
        numbers = block.numbers[:, [block.schema.places[name] for name in self.columns]]
        if self.metric != "gower":
            check_complete(numbers, self.columns, block)
        return numbers

    def _codes(self, block: Block) -> Array:
        out = np.empty((len(block), len(self.categories)), dtype=np.int64)
        for j, (name, known) in enumerate(zip(self.categories, self.values, strict=True)):
            out[:, j] = block.codes[name].recode(known)
        return out


def check_number(k: Any, rows: int) -> None:
    """So many neighbours can be asked for among so many rows."""
    whole = isinstance(k, int | np.integer) and not isinstance(k, bool)
    if not whole or k < 1:
        raise OptionError(
            f"n_neighbors={short_repr(k)} is not a whole number of at least 1. Pass one."
        )
    if k > rows:
        raise InputError(
            f"n_neighbors={k}, and the table has {rows} row{'s' if rows != 1 else ''}. Use "
            f"n_neighbors={rows} or fewer. Expected n_neighbors <= n_samples_fit, but n_neighbors "
            f"= {k}, n_samples_fit = {rows}, n_samples = {rows}."
        )


def check_rows(block: Block, metric: str, chance: tuple[str, ...] = ()) -> None:
    """Rows can be compared by a metric: without gaps, or with a value at least.

    Where they cannot, the error names a category beside them that counts in no distance.
    """
    try:
        _check_rows(block, metric)
    except InputError as error:
        if chance:
            said = f"Column {chance[0]!r} {BY_CHANCE}; chance='keep' compares it."
            error.args = (f"{error} {said}",)
        raise


def _check_rows(block: Block, metric: str) -> None:
    check_finite(block)
    if metric != "gower":
        check_complete(block.numbers, block.schema.numbers, block)
        return
    codes = (np.where(code.codes < 0, np.nan, 0.0) for code in block.codes.values())
    check_shown(np.column_stack([block.numbers, *codes]), block)


def check_complete(
    numbers: Array, columns: tuple[str, ...], block: Block, remedy: str = REMEDY
) -> None:
    """Without gaps: only Gower's distance leaves a column out."""
    if not (gaps := np.isnan(numbers)).any():
        return
    row, j = (int(at[0]) for at in np.nonzero(gaps))
    raise InputError(
        f"column {columns[j]!r} is missing in row {row_number(block.start, row)}, and this "
        f"distance needs every number. {remedy} Input X contains NaN."
    )


def check_shown(rows: Array, block: Block) -> None:
    """Every row has a value, or nothing is near it."""
    if rows.shape[1] and (empty := np.isnan(rows).all(axis=1)).any():
        raise InputError(
            f"row {row_number(block.start, int(empty.argmax()))} has only missing values in the "
            "columns that are compared, so it has no distances. Drop the row, or fill its values."
        )


def repeat_rows(block: Block) -> Block:
    """Rows by their weights, which are frequencies: 2 is the row twice."""
    if block.weight is None:
        return block
    if (odd := np.round(block.weight) != block.weight).any():
        row = int(odd.argmax())
        raise InputError(
            f"the weight of row {row_number(block.start, row)} is {block.weight[row]:g}, and rows "
            "are repeated by whole numbers here. Round the weights, or fit without them."
        )
    rows = min(float(block.weight.sum()), MAX_ROWS)
    each = 8 * (16 + 3 * (block.numbers.shape[1] + len(block.codes)))  # bytes, as measured
    check_memory(rows * each, f"{rows:,.0f} rows, each as often as it weighs,",
        "Weigh by smaller numbers, or leave the weights out.")  # fmt: skip
    times = block.weight.astype(np.int64)
    at = np.repeat(np.arange(len(block)), times)
    return replace(block[at], start=places(block.start, at))
