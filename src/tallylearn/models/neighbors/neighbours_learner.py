"""Learners by neighbours: their options, the examples that they keep, and who is near."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tallylearn import engines
from tallylearn.errors import (
    CellError,
    OptionError,
    TargetError,
    quoted_list,
    short_repr,
)
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.fit_input import FitInput
from tallylearn.estimators.options import JOBS, Allowed, fitted, number, option
from tallylearn.estimators.passes import Learned, Notes, Passes, in_memory
from tallylearn.models.design.informative_categories import KEEP, SKIP
from tallylearn.models.neighbors.compared_columns import ComparedColumns
from tallylearn.models.neighbors.distances import ALIASES, METRICS
from tallylearn.models.neighbors.example_survey import ExampleSurvey
from tallylearn.models.neighbors.examples import (
    WEIGHTS,
    Examples,
    check_number,
    check_rows,
    repeat_rows,
)
from tallylearn.models.neighbors.examples_in_files import (
    ExamplesInFiles,
    NumberedBlock,
    UncountedParts,
    find_compared_columns,
)
from tallylearn.runtime.memory_budget import MEMORY_VARIABLE, budget
from tallylearn.sources.columns.class_labels import flat, has_target, missing_target_error, weights
from tallylearn.sources.memory.table import check_size
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Schema
from tallylearn.tallies.nearest import Nearest, concatenate

ALGORITHMS = {"auto": "auto", "brute": "brute", "kd_tree": "tree", "ball_tree": "tree"}
COPIES = 4  # of the rows that are in memory at a time, where they are kept there
SCALES = (None, "minmax", "standard", "standard_sample")
VOTE_WEIGHTS = tuple(name for name in WEIGHTS if name != "callable")


class Neighbours(Estimator):
    """Base of the nearest-neighbour learners: options, training rows and the search."""

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY)
    formerly: ClassVar[Mapping[str, Any]] = {"chance": KEEP}
    model_: Any = fitted()

    n_neighbors: int = option(
        default=5, kw_only=False, low=1, doc="Number of neighbours that vote, k."
    )
    weights: Any = option(
        default="uniform",
        takes=Allowed(
            (*map(repr, VOTE_WEIGHTS), "a callable", "None"),
            lambda value: (
                callable(value)
                or value is None
                or (isinstance(value, str) and value in VOTE_WEIGHTS)
            ),
        ),
        type_name="{'uniform', 'distance', 'inverse_square'}, callable or None",
        doc='Weight of a vote at distance d: "uniform" or None is 1, "distance" 1 / d, '
        '"inverse_square" 1 / d². An exact match decides alone. Or a function of an array of '
        "distances.",
    )
    algorithm: str = option(
        default="auto",
        choices=ALGORITHMS,
        doc='"auto" takes what was measured to be the fastest; "kd_tree", "ball_tree" (which is a '
        'k-d tree too) or "brute". The neighbours are the same.',
    )
    leaf_size: int = option(
        default=30,
        takes=number(1.0),
        doc="Rows in a leaf of SciPy's k-d tree; leaves of the Euclidean k-d tree have 32.",
    )
    p: float = option(
        default=2, takes=number(1.0, infinite=True), doc='Power of the "minkowski" distance.'
    )
    metric: str = option(
        default="auto",
        takes=Allowed(
            tuple(map(repr, ("auto", *METRICS, *ALIASES))),
            lambda value: (
                callable(value)
                or (isinstance(value, str) and value in ("auto", *METRICS, *ALIASES))
            ),
            literal=True,
        ),
        doc='Distance between rows; "auto" is "gower" for a table with categories, and '
        '"euclidean" otherwise.',
    )
    metric_params: None = option(default=None, doc="For compatibility with scikit-learn.")
    n_jobs: int | None = option(
        default=None,
        takes=JOBS,
        doc="For compatibility with scikit-learn; the engine sets the number of threads "
        "(``tl.engine``).",
    )
    scale: str | None = option(
        default=None,
        choices=SCALES,
        doc='Scaling of numeric columns: None; "minmax", to the range from 0 to 1; "standard" or '
        '"standard_sample", by mean and standard deviation (divided by n, or by n - 1).',
    )
    ties: str = option(
        default="all",
        choices=("all", "first"),
        doc='"all": every row as far as the k-th nearest votes too. "first": of those the ones '
        "that come first in the table, so that there are k.",
    )
    examples: str = option(
        default="auto",
        choices=("auto", "files"),
        doc='"auto" keeps the rows in memory, unless they come from files and would take more '
        'than the budget (``TALLY_MEMORY``). "files" leaves the rows of files where they are: '
        "every prediction reads them again, and the model cannot be saved.",
    )
    chance: str = option(
        default=SKIP,
        choices=(SKIP, KEEP),
        doc="A category of many values (more than 64, or than a quarter of the rows, of which "
        "there are 50 or more) that predicts the target no better than chance counts in no "
        'distance: "skip". "keep" compares every column. ``show_work`` names it.',
    )

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Find the nearest training rows.

        Among rows at the same distance, those that come first in the table are returned.

        Parameters
        ----------
        X : table, optional
            The query rows. None: each training row, among all others.
        n_neighbors : int, optional
            The number of neighbours. The default is that of the estimator.
        return_distance : bool, default True
            Whether to return the distances.

        Returns
        -------
        distances : array of shape (n, k)
            The distances, in increasing order, if `return_distance` is true.
        rows : array of shape (n, k)
            The row numbers in the training table, from 0, including rows that were left out.
        """
        if not isinstance(return_distance, bool | np.bool_):
            raise OptionError(
                f"{type(self).__name__}.kneighbors: return_distance is True or False, not "
                f"{short_repr(return_distance)}."
            )
        found = self._nearest(X, n_neighbors, "kneighbors")
        rows = self.model_.examples.numbers_of(found).reshape(len(found), -1)
        return (found.distances.reshape(len(found), -1), rows) if return_distance else rows

    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> Any:
        """Return the graph of the nearest training rows as a sparse matrix.

        Parameters
        ----------
        X : table, optional
            The query rows. None: each training row, among all others.
        n_neighbors : int, optional
            The number of neighbours. The default is that of the estimator.
        mode : {"connectivity", "distance"}, default "connectivity"
            Whether an entry is 1 or the distance.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n, m)
            A row for each query, a column for each stored training row. Rows that were left out of
            the
            training table have no column.
        """
        from scipy.sparse import csr_matrix

        if not isinstance(mode, str) or mode not in ("connectivity", "distance"):
            raise OptionError(
                f"{type(self).__name__}.kneighbors_graph: mode is {short_repr(mode)}. Pass "
                "'connectivity' or 'distance'."
            )
        found = self._nearest(X, n_neighbors, "kneighbors_graph")
        data = found.distances if mode == "distance" else np.ones(len(found.rows))
        shape = len(found), len(self.model_.examples)
        return csr_matrix((data, found.rows, found.ends), shape=shape)

    @property
    def n_samples_fit_(self) -> int:
        """The number of training rows."""
        self._check_fitted()
        return len(self.model_.examples)

    @property
    def effective_metric_(self) -> str:
        """The distance that is used."""
        self._check_fitted()
        return str(self.model_.examples.metric)

    def fit_passes(self, passes: Passes) -> Learned:
        """Keep the rows, or where they are in files."""
        read = passes.read
        if self.examples == "files":
            ExamplesInFiles.check_source(read)
        if self.examples == "files" or self._too_many(read):
            return self._fit_to_files(passes)
        return in_memory(passes, partial(self._train_numbered, read))

    def _train_numbered(self, read: FitInput, block: Block) -> Any:
        """Train on rows that are numbered from 0 as in the table, whatever was left out of it."""
        if not read.source.dropped:  # else the rows have kept their numbers
            start = read.rows if isinstance(block.start, np.ndarray) else 0
            block = replace(block, start=start)
        return self.train(block)

    @abstractmethod
    def train(self, block: Block) -> Any:
        """The model of examples in memory."""

    def _too_many(self, read: FitInput) -> bool:
        """Whether the rows of files, as they are compared, would take more than the budget."""
        if read.source.size is not None or (read.needs_parsing and read.source.small):
            return False
        most, seen = budget() / COPIES, 0.0
        try:
            for block in read.blocks():
                seen += block.numbers.nbytes + 8.0 * len(block) * len(block.codes)
                if seen > most:
                    return True
        except CellError:  # said again by who reads the rows for good
            return False
        return False

    def _fit_to_files(self, passes: Passes) -> Learned:
        """A pass over the rows, of which none is kept; more where categories have many values."""
        read, schema = passes.read, passes.schema
        survey = self._survey_in(read, ComparedColumns())
        check_size(0 if survey is None else survey.read, len(schema.columns), read.weighed)
        assert survey is not None
        survey.unanswered.check(read.target)
        check_size(survey.rows, len(schema.columns), read.weighed)
        check_number(self.n_neighbors, survey.rows)
        compared = find_compared_columns(read, survey) if self.chance == SKIP else ComparedColumns()
        survey = self._survey_in(read, compared) if compared.chance else survey
        assert survey is not None
        examples = ExamplesInFiles(self._rule(schema, survey, compared), read, survey)
        return Learned(self._in_files(examples), notes=Notes(survey.unanswered))

    def _survey_in(self, read: FitInput, compared: ComparedColumns) -> ExampleSurvey | None:
        return engines.current_engine().total(
            partial(self._survey_of, compared), UncountedParts(read)
        )

    @property
    def _weigh(self) -> Any:
        return self.weights if callable(self.weights) else None

    def _survey_of(self, compared: ComparedColumns, item: NumberedBlock) -> ExampleSurvey:
        sizes = {item.part: np.array([item.read, len(item.block)])}
        found = self._survey_block(item.block, compared)
        return replace(found, sizes=sizes, unanswered=item.unanswered)

    @abstractmethod
    def _in_files(self, examples: ExamplesInFiles) -> Any:
        """The model of examples that stay in files."""

    def save(self, path: str | Path, tally: bool = True) -> None:
        """Write a model file, which holds all rows."""
        self._check_fitted()
        if isinstance(self.model_.examples, ExamplesInFiles):
            raise OptionError(
                f"{type(self).__name__}.save: the training rows ({self.model_.examples!r}) are not "
                "in the model, and a model file needs them. Fit with examples='memory', and with a "
                f"larger {MEMORY_VARIABLE} if the rows need it."
            )
        super().save(path, tally)

    def _query(self, X: Any, n_neighbors: int | None, method: str) -> Nearest:
        with self._error_context(method):
            self._check_fitted()
            examples = self.model_.examples
            k = examples.k if n_neighbors is None else n_neighbors
            check_number(k, len(examples))
            if X is None:
                found: Nearest = examples.search_among(k)
                return found
            parts = [examples.search(block, k) for block in self._read_blocks(X)]
            if not sum(map(len, parts)):
                check_size(0, self.n_features_in_)
            return concatenate(parts)

    def _own(self, y: Any, weight: Any, n: int) -> tuple[Array, Array]:
        """The answers of the examples, which who asks them about each other knows; the weights."""
        if y is None or isinstance(y, str) or len(np.shape(y)) != 1 or len(y) != n:
            raise TargetError(
                f"{type(self).__name__}.score: score(None, y) takes the target of all {n} training "
                "rows, in their order."
            )
        with self._error_context("score"):
            truth = flat(y)
            if not (there := has_target(truth)).all():
                raise missing_target_error(int(np.argmin(there)))
            return truth, np.ones(n) if weight is None else weights(weight, n)

    def _nearest(self, X: Any, n_neighbors: int | None, method: str) -> Nearest:
        """As many as are asked for, those level with the last of them left out."""
        found = self._query(X, n_neighbors, method)
        return found.first(self.model_.examples.k if n_neighbors is None else int(n_neighbors))

    def _examples(self, block: Block) -> Examples:
        """The rows, as they are compared."""
        block = repeat_rows(block)
        gower = ComparedColumns().metric(self.metric, self.p, block.schema) == "gower"
        compared = ComparedColumns.of(block) if gower and self.chance == SKIP else ComparedColumns()
        survey = self._survey_block(block, compared)
        check_number(self.n_neighbors, survey.rows)
        return self._rule(block.schema, survey, compared).holding(block)

    def _survey_block(self, block: Block, compared: ComparedColumns) -> ExampleSurvey:
        """What a block shows of all rows."""
        metric = compared.metric(self.metric, self.p, block.schema)
        block = compared.select(block)
        check_rows(block, metric, compared.chance)
        return ExampleSurvey.of(block, "minmax" if metric == "gower" else self.scale)

    def _rule(self, schema: Schema, survey: ExampleSurvey, compared: ComparedColumns) -> Examples:
        """How rows are compared, without any of them."""
        metric = compared.metric(self.metric, self.p, schema)
        schema = compared.compared_schema(schema)
        shift, scale = survey.scales(schema.numbers, metric, self.scale)
        values = tuple(tuple(sorted(survey.values[name])) for name in schema.categories)
        return Examples(
            columns=schema.numbers,
            numbers=np.empty((0, len(schema.numbers))),
            shift=shift,
            scale=scale,
            categories=schema.categories,
            values=values,
            codes=np.empty((0, len(values)), np.int64),
            rows=np.empty(0, np.int64),
            metric=metric,
            p=float(min(self.p, 1e308)),
            algorithm=ALGORITHMS[self.algorithm],
            leaf=int(self.leaf_size),
            k=int(self.n_neighbors),
            weights="callable" if callable(self.weights) else self.weights or "uniform",
            ties=self.ties,
            chance=compared.chance,
        )

    def _check_combinations(self) -> None:
        if callable(self.metric):
            raise OptionError(
                "metric is a Python function, which is not supported. Use one of "
                f"{quoted_list(METRICS, 20)} (with p= for 'minkowski')."
            )

    def _count_training_rows(self) -> float | None:
        return float(len(self.model_.examples))

    def _add_tags(self, tags: Any) -> None:
        tags.input_tags.allow_nan = self.metric == "gower"
        tags.input_tags.categorical = self.metric == "gower"  # the checks would round the numbers
