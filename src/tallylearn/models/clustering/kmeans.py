"""k-means clustering: `lloyd.py` is the algorithm, `seeding.py` chooses where it starts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError, OptionError, short_repr
from tallylearn.estimators import Predictor
from tallylearn.estimators.estimator import clone_estimator
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.estimators.kept_rows import (
    AUTO,
    KEEP_ROWS,
    keeps_rows,
    picklable_state,
    rows_to_keep,
)
from tallylearn.estimators.options import (
    SEED,
    VERBOSE,
    either,
    fitted,
    instance_of,
    one_of,
    option,
    whole,
)
from tallylearn.estimators.passes import Learned, Passes
from tallylearn.estimators.tally_checks import checked_tally
from tallylearn.estimators.transformers import Transformer
from tallylearn.models.clustering import seeding
from tallylearn.models.clustering.cluster_steps import lloyd_rounds, round_steps
from tallylearn.models.clustering.clusters import Clusters, check_usable
from tallylearn.models.clustering.coded_rows import SCALES, Coding
from tallylearn.models.clustering.kmeans_working import KMeansWorking
from tallylearn.models.clustering.lloyd import PointSums, lloyd, lloyd_in_memory, track_block
from tallylearn.models.clustering.nearest_centres import CodedPoints, TrackedRows
from tallylearn.models.clustering.row_sample import RowSample
from tallylearn.models.clustering.silhouettes import silhouettes
from tallylearn.models.neighbors.distances import check_squares
from tallylearn.preprocessing.transformed_input import transform_rows
from tallylearn.reporting.charts import Plot, draw_lines
from tallylearn.sources.columns.class_labels import weights
from tallylearn.statistics.resampling import generator
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block
from tallylearn.tallies import Bundle, Counts, Extent, Moments
from tallylearn.workings import Derivation, Sentence
from tallylearn.workings.step_sequence import StepSequence

MAX_STEP_ROWS = 5000  # rows whose rounds are told step by step
SAMPLE_SEED = 20_077  # of the hashes that choose the rows to start from


class KMeans(Predictor, Transformer):
    """K-means clustering: k centres, each the mean of the rows that are nearest to it.

    Lloyd's algorithm reduces the inertia, the sum of the squared distances of rows to their
    nearest centre, until the centres stop moving. Rows are read in blocks, from memory or from
    files. Centres start among a sample of up to 16,384 distinct rows, which does not depend on
    the order of the rows; if the table has more, the algorithm runs on the sample first. A
    category becomes a column of 0 and 1 for every value, such that rows that differ there are 1
    apart. Missing numbers are refused.

    References
    ----------
    S. Lloyd, Least squares quantization in PCM, IEEE Transactions on Information Theory 28, 1982.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.KMeans(2).fit([[1.0], [2.0], [9.0], [10.0]])
    >>> model.cluster_centers_.ravel().tolist(), model.inertia_
    ([9.5, 1.5], 1.0)
    >>> print(model.explain([[8.0]]))
    → 0  2.25 = 2.25
      1  42.25 = 42.25
    centre of 0: x0 9.5
    <BLANKLINE>
    d²(0) = (8 - 9.5)² = 2.25
    d²(1) = (8 - 1.5)² = 42.25
    """

    family: ClassVar[str] = "clustering"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY)
    stored: ClassVar[tuple[type, ...]] = (Clusters, Coding)
    stored_if_changed: ClassVar[tuple[str, ...]] = ("keep_rows",)
    model_: Clusters = fitted()
    kept_rows_: Block | None = fitted(initial=None)

    n_clusters: int = option(default=8, kw_only=False, low=1, doc="Number of clusters, k.")
    init: Any = option(
        default="k-means++",
        type_name="{'k-means++', 'random'}, array-like of shape (n_clusters, n_features), callable",
        doc='Initial centres: "k-means++", "random" rows, or k rows as ``cluster_centers_`` has '
        "them: the columns of numbers, then the values of categories. A function is called as "
        "``init(rows, k, random_state=)``.",
    )
    n_init: Any = option(
        default="auto",
        takes=either(whole(1), one_of("auto")),
        doc='Number of starts, of which the one with the least inertia counts; "auto" is 1 for '
        '"k-means++" and 10 for "random".',
    )
    max_iter: int = option(default=300, low=1, doc="Maximum number of iterations.")
    tol: float = option(
        default=1e-4,
        low=0.0,
        doc="Iterations end when the squared movements of all centres sum to less than this share "
        "of the mean variance of the columns.",
    )
    verbose: int = option(
        default=0, takes=VERBOSE, doc="Whether to print the inertia of every iteration."
    )
    random_state: int | None = option(
        default=0,
        takes=either(SEED, instance_of(np.random.Generator, "a numpy.random.Generator")),
        doc="Seed of the initial centres; None draws them anew every time.",
    )
    copy_x: bool = option(
        default=True, doc="For compatibility with scikit-learn; the table is never changed."
    )
    algorithm: str = option(
        default="lloyd",
        choices=("lloyd", "elkan"),
        doc="For compatibility with scikit-learn; both give the same clusters here.",
    )
    scale: str | None = option(
        default=None,
        choices=SCALES,
        doc='Scaling of numeric columns: None; "minmax", to the range from 0 to 1; "standard" or '
        '"standard_sample", by mean and standard deviation (divided by n, or by n - 1).',
    )
    keep_rows: bool | str = option(
        default=AUTO,
        takes=KEEP_ROWS,
        doc="Whether to keep the training rows, in ``kept_rows_``, for ``show_work()``. "
        '"auto" keeps tables of at most 1,000,000 cells, but not in pickles. No model file has '
        "them.",
    )

    def survey(self, block: Block) -> Bundle:
        """Summarise a block: moments, extent, values, and some rows.

        Parameters
        ----------
        block : Block
            The rows.

        Returns
        -------
        Bundle
            The tallies from which the initial centres are chosen.
        """
        check_usable(block)
        by, names, drawn = block.counting_keys(), block.schema.numbers, self._draws_centres
        values = {n: Counts.of(c, weight=block.weight) for n, c in block.codes.items()}
        parts: dict[str, Any] = {
            "target": Counts.of(by, weight=block.weight),
            "numbers": Moments.of(block.numbers, by, names, block.weight, block.start),
            "categories": Bundle(values),
            "rows": RowSample.of(block, SAMPLE_SEED, None if drawn else int(self.n_clusters)),
        }
        if self.scale == "minmax":
            parts["extent"] = Extent.of(block.numbers, by, names)
        return Bundle(parts)

    def fit_passes(self, passes: Passes) -> Learned:
        """Survey the rows, choose initial centres, iterate, and label every row."""
        rows = passes.mapped(make_row_major)
        if passes.n_rows is None:
            rows = rows.cached()
        with engines.report_stage("survey"):
            survey = checked_tally(rows.total(self.survey), f"{type(self).__name__}.survey")
        sample: RowSample = survey["rows"]
        coding = Coding.of(survey, sample.rows.schema.numbers, self.scale)
        sums = PointSums(*coding.squares(survey))
        tolerance = float(self.tol) * float(coding.variances(survey).mean())
        start = self._initial_centres(sample, coding, tolerance)
        sums.check()
        with engines.report_stage("preparation"):
            points = rows.mapped(partial(track_block, coding=coding, sums=sums)).cached()
        centres, trace = lloyd(
            points.total, start, float(sums.squares.sum()),
            tolerance=tolerance, max_iter=int(self.max_iter), verbose=bool(self.verbose),
        )  # fmt: skip
        centres = coding.scale_points(
            coding.unscale_points(centres)
        )  # in the table's units: a row has distance 0
        found = [*points.map(partial(TrackedRows.finish, centres=centres))]
        labels = np.concatenate([labels for labels, _ in found])
        sizes = np.bincount(labels, minlength=len(centres)).astype(np.float64)
        model = Clusters(
            coding=coding, centres=np.ascontiguousarray(centres), sizes=sizes,
            inertia=float(sum(inertia for _, inertia in found)), trace=np.array(trace),
            labels=labels, start=start,
        )  # fmt: skip
        if passes.read.weighed:  # rows of no weight get a cluster too, though they move none
            preparations = getattr(passes.read, "preparations", ())
            call = partial(_labels, model=model, preparations=preparations)
            every = [*engines.current_engine().map(call, passes.read.coded_table)]
            model = replace(model, labels=np.concatenate(every))
        return Learned(model, kept={"kept_rows_": self._rows_to_keep(passes)})

    def _rows_to_keep(self, passes: Passes) -> Block | None:
        width = len(passes.schema.columns)
        if passes.n_rows is None or not keeps_rows(self.keep_rows, passes.n_rows, width):
            return None
        return rows_to_keep(self.keep_rows, passes.read.coded_table.whole())

    def _working(self, full: bool) -> Derivation:
        block, model = self.kept_rows_, self.model_
        if block is None or model.start is None:
            work = super()._working(full)
            note = Sentence(
                "The assignments of every round need the training rows: fit with keep_rows=True. "
                "Model files hold no rows."
            )
            return replace(work, steps=(*work.steps, note))
        working = KMeansWorking(model.coding, block, model.start, len(model.trace))
        return model.derivation(self.schema_, [*working.steps(full)])

    def __getstate__(self) -> dict[str, Any]:
        return picklable_state(self)

    def _initial_centres(self, sample: RowSample, coding: Coding, tolerance: float) -> Array:
        """(k, p) given, or the best of some starts among a sample of the rows.

        If the sample is not the whole table, the iterations begin where those on the sample end.
        """
        k = int(self.n_clusters)
        seeding.check_different(len(sample.hashes), k)
        x, weight = coding.points(sample.rows), sample.weight
        check_squares(x[:, : len(coding.columns)])
        if not self._draws_centres:
            return seeding.read_centres(self.init, k, coding)
        rng = generator(type(self).__name__, self.random_state)
        draw = seeding.METHODS.get(self.init) or seeding.by_function(self.init, coding)
        starts = [draw(x, weight, k, rng) for _ in range(self._starts())]
        if sample.whole and len(starts) == 1:
            return starts[0]
        points, max_iter = CodedPoints(x, np.zeros(coding.width)), int(self.max_iter)
        ends = [
            lloyd_in_memory(points, weight, start, tolerance=tolerance, max_iter=max_iter)
            for start in starts
        ]
        best = int(np.argmin([inertia for _, inertia in ends]))
        return starts[best] if sample.whole else ends[best][0]

    def predictions(self, block: Block) -> Array:
        """Return the cluster of each row of a block.

        Parameters
        ----------
        block : Block
            The rows.

        Returns
        -------
        array of shape (n,)
            The number of the nearest centre.
        """
        return self.model_.predictions(block)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Fit the clusters and return the cluster of each row.

        Parameters
        ----------
        X : table
            The rows.
        y : optional
            Ignored, for compatibility with scikit-learn.
        sample_weight : array-like, optional
            The weight of each row.

        Returns
        -------
        array of shape (n,)
            ``labels_``, the cluster of each row.
        """
        return self.fit(X, y, sample_weight).labels_

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the negative inertia of the rows.

        Parameters
        ----------
        X : table
            The rows.
        y : optional
            Ignored, for compatibility with scikit-learn.
        sample_weight : array-like, optional
            The weight of each row.

        Returns
        -------
        float
            Minus the sum of squared distances to the nearest centres.
        """
        squares = (
            self._map_rows(X, lambda block: self.model_.distances(block).min(axis=1), "score") ** 2
        )
        with self._error_context("score"):
            weight = 1.0 if sample_weight is None else weights(sample_weight, len(squares))
        return -float((weight * squares).sum())

    def steps(self, X: Any) -> StepSequence:
        """The rounds of the algorithm on the training rows, as a page to step through.

        Parameters
        ----------
        X : table
            The training rows: numbers, at most 5000 rows.

        Returns
        -------
        StepSequence
            A state for every round; the last has the centres of the fitted model.
        """
        with self._error_context("steps"):
            self._check_fitted()
            if self._draws_centres and self.random_state is None:
                raise InputError(
                    "the initial centres were drawn without a seed, so the iterations cannot be "
                    "repeated. Fit with random_state=0."
                )
            read = read_fit_input(X, None, None, type(self).__name__, None, schema=self.schema_)
            rows = read.whole()
            if rows.codes or self.scale is not None or len(rows) > MAX_STEP_ROWS:
                raise InputError(
                    f"steps() needs numeric columns only, scale=None and at most {MAX_STEP_ROWS:,} "
                    f"rows. This model has {len(rows):,} rows, {len(rows.codes)} categorical "
                    f"columns and scale={self.scale!r}. Fit KMeans(scale=None) to such a table."
                )
            passes = self._passes(read).mapped(make_row_major)
            survey = passes.total(self.survey)
            sample: RowSample = survey["rows"]
            coding = Coding.of(survey, sample.rows.schema.numbers, self.scale)
            tolerance = float(self.tol) * float(coding.variances(survey).mean())
            start = self._initial_centres(sample, coding, tolerance)
        weight = np.ones(len(rows)) if rows.weight is None else rows.weight
        rounds = lloyd_rounds(rows.numbers, weight, coding.unscale_points(start), self.n_iter_)
        return round_steps(rows.schema.numbers, rows.numbers, weight, rounds)

    def silhouettes(self, X: Any) -> Array:
        """Return the silhouette of each row.

        Parameters
        ----------
        X : table
            The rows. All pairs of rows are compared.

        Returns
        -------
        array of shape (n,)
            How much closer a row is to its own cluster than to the next, from -1 to 1.
        """
        points = self._map_rows(X, lambda block: self.model_.points(block), "silhouettes")
        with self._error_context("silhouettes"):
            return silhouettes(points, self.predict(X))

    def silhouette(self, X: Any) -> float:
        """Return the mean silhouette of the rows.

        Parameters
        ----------
        X : table
            The rows. All pairs of rows are compared.

        Returns
        -------
        float
            The mean of ``silhouettes``.
        """
        return float(self.silhouettes(X).mean())

    def elbow(self, X: Any, clusters: Iterable[int] = range(1, 11)) -> Plot:
        """Plot the inertia for several numbers of clusters.

        Choose the number at which the inertia stops falling fast.

        Parameters
        ----------
        X : table
            The rows.
        clusters : iterable of int, default range(1, 11)
            The numbers of clusters.

        Returns
        -------
        Plot
            The chart. ``save`` writes it to a file.
        """
        with self._error_context("elbow"):
            numbers = [*clusters] if isinstance(clusters, Iterable) else []
            if not numbers or not self._draws_centres:
                raise OptionError(
                    "elbow needs numbers of clusters, such as range(1, 11), and init='k-means++' "
                    f"or 'random', not {short_repr(clusters)} and {short_repr(self.init)}."
                )
        found = [clone_estimator(self).set_params(n_clusters=k).fit(X).inertia_ for k in numbers]
        return draw_lines(
            {"inertia": (numbers, found)},
            title="Inertia by the number of clusters", x_label="clusters", y_label="inertia",
        )  # fmt: skip

    @property
    def cluster_centers_(self) -> Array:
        """(k, p) in the units of the table: columns of numbers, then shares of values."""
        self._check_fitted()
        return self.model_.coding.unscale_points(self.model_.centres)

    @property
    def labels_(self) -> Array:
        """(n,) the cluster of every row of the table that was learned."""
        self._check_fitted()
        if self.model_.labels is None:
            raise InputError(
                f"{type(self).__name__}.labels_: the model file does not hold the clusters of the "
                "training rows. Call predict(X)."
            )
        return self.model_.labels

    @property
    def inertia_(self) -> float:
        """The sum of the squared distances of all rows to their centre."""
        self._check_fitted()
        return float(self.model_.inertia)

    @property
    def n_iter_(self) -> int:
        """The number of iterations."""
        self._check_fitted()
        return len(self.model_.trace)

    def _transform_array(self, block: Block) -> Array:
        return self.model_.distances(block)

    def _n_columns_out(self) -> int:
        return len(self.model_.centres)

    @property
    def _draws_centres(self) -> bool:  # centres start where the rows say
        return isinstance(self.init, str) or callable(self.init)

    def _starts(self) -> int:
        tried = 10 if isinstance(self.init, str) and self.init == "random" else 1
        return tried if isinstance(self.n_init, str) else int(self.n_init)

    def _count_training_rows(self) -> float | None:
        return float(self.model_.sizes.sum())

    def _check_combinations(self) -> None:
        if isinstance(self.init, str):
            self._one_of("init", seeding.METHODS)

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        tags.estimator_type = "clusterer"
        tags.input_tags.allow_nan = tags.input_tags.categorical = False  # checks would round


def make_row_major(block: Block) -> Block:
    """Numbers row by row, as every iteration reads them."""
    return replace(block, numbers=np.ascontiguousarray(block.numbers))


def _labels(block: Block, model: Clusters, preparations: tuple[Any, ...]) -> Array:
    return model.predictions(transform_rows(block, preparations))
