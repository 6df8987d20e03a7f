"""Learners by neighbours: their options, the examples that they keep, and who is near."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.budgets import ask
from tallylearn.doors import Plain
from tallylearn.doors.asking import Asked
from tallylearn.doors.finite_rows import check_finite
from tallylearn.doors.intake import Lesson
from tallylearn.errors import ColumnError, InputError, OptionError, listed, speaking, told
from tallylearn.models.neighbours.distances import ALIASES, METRICS, named
from tallylearn.models.neighbours.examples import WEIGHTS, Examples, check_complete
from tallylearn.models.neighbours.found_neighbours import Found, joined
from tallylearn.sources import Table
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Schema, places

ALGORITHMS = {"auto": "auto", "brute": "brute", "kd_tree": "tree", "ball_tree": "tree"}
MANY = 1e15  # rows, which nobody holds; more are not told apart
SCALES = (None, "minmax", "standard", "standard_sample")


class Neighbours(Plain, Asked):
    """What both learners have in common: their options, their examples, and who is near."""

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY)
    model_: Any

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Any = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: str = "auto",
        metric_params: None = None,
        n_jobs: int | None = None,
        scale: str | None = None,
        ties: str = "all",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.scale = scale
        self.ties = ties

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Distances (n, k) and places (n, k) of the nearest examples; None asks the examples.

        Of examples that are equally far those come that were first in the table.
        """
        if not isinstance(return_distance, bool | np.bool_):
            raise OptionError(
                f"{type(self).__name__}: return_distance is True or False, not "
                f"{told(return_distance)}."
            )
        found = self._nearest(X, n_neighbors)
        rows = found.rows.reshape(len(found), -1)
        return (found.distances.reshape(len(found), -1), rows) if return_distance else rows

    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> Any:
        """A sparse matrix (n, m): 1, or the distance (``mode="distance"``), at each neighbour."""
        from scipy.sparse import csr_matrix

        if not isinstance(mode, str) or mode not in ("connectivity", "distance"):
            raise OptionError(
                f"{type(self).__name__}: mode is 'connectivity' or 'distance', not {told(mode)}."
            )
        found = self._nearest(X, n_neighbors)
        data = found.distances if mode == "distance" else np.ones(len(found.rows))
        shape = len(found), len(self.model_.examples)
        return csr_matrix((data, found.rows, found.ends), shape=shape)

    @property
    def n_samples_fit_(self) -> int:
        """How many examples there are."""
        self._check_fitted()
        return len(self.model_.examples)

    @property
    def effective_metric_(self) -> str:
        """The distance that is taken."""
        self._check_fitted()
        return str(self.model_.examples.metric)

    def _taught(self, read: Lesson) -> tuple[Schema, Block]:
        """All rows, numbered from 0 as they stand in the table, whatever was left out of it."""
        schema, block = super()._taught(read)
        if isinstance(read.source, Table) and read.source.dropped:
            return schema, block  # whose rows have kept their numbers
        start = read.rows if isinstance(block.start, np.ndarray) else 0
        return schema, replace(block, start=start)

    def _asked(self, X: Any, n_neighbors: int | None) -> Found:
        self._check_fitted()
        with speaking(type(self).__name__):
            examples = self.model_.examples
            k = examples.k if n_neighbors is None else n_neighbors
            self._check_number(k, len(examples))
            if X is None:
                found: Found = examples.found_among(k)
                return found
            return joined([examples.found(block, k) for block in self._blocks(X)])

    def _nearest(self, X: Any, n_neighbors: int | None) -> Found:
        """As many as are asked for, those level with the last of them left out."""
        found = self._asked(X, n_neighbors)
        return found.first(self.model_.examples.k if n_neighbors is None else int(n_neighbors))

    def _examples(self, block: Block) -> Examples:
        """The rows, as they are compared."""
        block = repeated(block)
        check_finite(block)
        schema, metric = block.schema, self._metric(block.schema)
        categories = schema.categories
        if metric != "gower":
            check_complete(block.numbers, schema.numbers, block)
        self._check_number(self.n_neighbors, len(block))
        shift, scale = self._scales(block.numbers, metric)
        values = [tuple(sorted(block.codes[name].values)) for name in categories]
        columns = [
            block.codes[name].among(known).astype(np.int64)
            for name, known in zip(categories, values, strict=True)
        ]
        return Examples(
            schema.numbers, np.ascontiguousarray(block.numbers), shift, scale, categories,
            tuple(values),
            np.column_stack(columns) if columns else np.empty((len(block), 0), np.int64),
            places(block.start, np.arange(len(block))), metric,
            float(min(self.p, 1e308)), ALGORITHMS[self.algorithm],
            int(self.leaf_size), int(self.n_neighbors),
            self.weights if isinstance(self.weights, str) else "callable", self.ties,
        )  # fmt: skip

    def _metric(self, schema: Schema) -> str:
        """The distance that suits the columns, or the one that is asked for if it does."""
        if self.metric == "auto":
            return "gower" if schema.categories else named("minkowski", self.p)
        metric = named(self.metric, self.p)
        if metric != "gower" and schema.categories:
            raise ColumnError(
                f"column {schema.categories[0]!r} holds categories, and metric={self.metric!r} "
                "compares numbers. Take metric='gower', or make columns of 0 and 1 by Indicator()."
            )
        return metric

    def _scales(self, numbers: Array, metric: str) -> tuple[Array, Array]:
        """What is taken away from every column, and what it is divided by."""
        p = numbers.shape[1]
        if metric == "gower" or self.scale == "minmax":
            seen = np.where(np.isnan(numbers).all(axis=0), 0.0, numbers)
            least, greatest = np.nanmin(seen, axis=0), np.nanmax(seen, axis=0)
            shift = np.zeros(p) if metric == "gower" else least
            return shift, np.where(greatest > least, greatest - least, 1.0)
        if self.scale is None:
            return np.zeros(p), np.ones(p)
        ddof = int(self.scale == "standard_sample" and len(numbers) > 1)
        sigma = numbers.std(axis=0, ddof=ddof)
        constant = numbers.min(axis=0) == numbers.max(axis=0)
        return numbers.mean(axis=0), np.where(constant, 1.0, sigma)

    def _check_number(self, k: Any, rows: int) -> None:
        whole = isinstance(k, int | np.integer) and not isinstance(k, bool)
        if not whole or k < 1:
            raise OptionError(f"n_neighbors is a whole number from 1 on, not {told(k)}.")
        if k > rows:
            raise InputError(
                f"n_neighbors={k}, and the table has {rows} row{'s' if rows != 1 else ''}. Take "
                f"fewer neighbours. Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, "
                f"n_samples_fit = {rows}, n_samples = {rows}."
            )

    def _check_options(self) -> None:
        self._check_number(self.n_neighbors, 1 << 62)
        if not callable(self.weights):
            self._one_of("weights", [name for name in WEIGHTS if name != "callable"])
        self._one_of("algorithm", ALGORITHMS)
        self._check_metric()
        self._one_of("scale", SCALES)
        self._one_of("ties", ("all", "first"))
        self._in_range("leaf_size", 1)
        if not (isinstance(self.p, float) and self.p == np.inf):
            self._in_range("p", 1.0)
        if self.n_jobs is not None and not isinstance(self.n_jobs, int | np.integer):
            raise OptionError(f"n_jobs is None or a whole number, not {told(self.n_jobs)}.")

    def _check_metric(self) -> None:
        if callable(self.metric) or self.metric_params is not None:
            raise OptionError(
                "metrics that are functions, and metric_params, are not taken. Name one of "
                f"{listed(METRICS, 20)}, with p= for Minkowski's; scikit-learn's "
                f"{type(self).__name__} takes functions."
            )
        self._one_of("metric", ("auto", *METRICS, *ALIASES))

    def _counted_rows(self) -> float | None:
        return float(len(self.model_.examples))

    def _add_tags(self, tags: Any) -> None:
        tags.input_tags.allow_nan = self.metric == "gower"
        tags.input_tags.categorical = self.metric == "gower"  # the checks would round the numbers


def repeated(block: Block) -> Block:
    """Rows by their weights, which are frequencies: 2 is the row twice."""
    if block.weight is None:
        return block
    if (np.round(block.weight) != block.weight).any():
        raise InputError(
            "rows have weights that are no whole numbers, and a neighbour is there or not. Weigh "
            "by whole numbers, or leave the weights out."
        )
    rows = min(float(block.weight.sum()), MANY)
    each = 8 * (16 + 3 * (block.numbers.shape[1] + len(block.codes)))  # bytes, as measured
    ask(rows * each, f"{rows:,.0f} rows, each as often as it weighs,",
        "Weigh by smaller numbers, or leave the weights out.")  # fmt: skip
    times = block.weight.astype(np.int64)
    at = np.repeat(np.arange(len(block)), times)
    return replace(block[at], start=places(block.start, at))
