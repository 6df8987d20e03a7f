"""Histogram-based gradient boosting: estimators with scikit-learn's parameters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError, OptionError, quoted_list, short_repr
from tallylearn.estimators import Classifier, Regressor
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.finite_rows import check_finite
from tallylearn.estimators.model import log_shares
from tallylearn.estimators.options import (
    NONE,
    SEED,
    TRUTH,
    VERBOSE,
    either,
    fitted,
    one_of,
    option,
    rows,
)
from tallylearn.estimators.passes import Learned, Passes, in_memory
from tallylearn.models.boosting.binned_columns import BinnedColumns
from tallylearn.models.boosting.boosted_trees import (
    BoostedClassTrees,
    BoostedNumberTrees,
    BoostedTrees,
    extended,
    joined_trees,
    tree_arrays,
)
from tallylearn.models.boosting.boosting_rounds import MASK, Boosted, BoostingRows, Stopping, boost
from tallylearn.models.boosting.losses import (
    EXPONENTIAL,
    REGRESSION_LOSSES,
    BoostingLoss,
    class_scores,
    exponentials,
    linked_numbers,
    weighted_mean,
)
from tallylearn.models.boosting.shapley_evidence import mean_values, shapley_values
from tallylearn.models.boosting.training_rows import (
    row_hashes,
    with_counted_rows,
    with_positive_weights,
)
from tallylearn.models.boosting.tree_growth import GrowthPlan
from tallylearn.models.trees.class_weights import check_class_weight, class_weights, weigh_rows
from tallylearn.models.trees.monotonic_options import slopes_of
from tallylearn.models.trees.tree_options import seed_of
from tallylearn.runtime.progress import progress_bar, should_show
from tallylearn.sources.memory.sparse_matrices import dense
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Column, Schema

MIN_EARLY_STOPPING_ROWS = 10_000  # as in scikit-learn: early_stopping="auto" needs more
MIN_PROGRESS_CELLS = 100_000_000  # rows times columns times rounds: about ten seconds
ENDLESS = 1 << 40  # a depth, or a number of leaves, that no tree has
FROM_DTYPE = "from_dtype"
PAIRWISE, NO_INTERACTIONS = "pairwise", "no_interactions"


class HistGradientBoosting(Estimator):
    """Options and ``fit`` of boosted trees; see ``HistGradientBoostingClassifier``."""

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY)
    learning_rate: float = option(
        default=0.1, low=0.0, open_low=True, doc="What the values of every tree are multiplied by."
    )
    max_iter: int = option(
        default=100, low=1, doc="Largest number of rounds: of trees, or of trees for every class."
    )
    max_leaf_nodes: int | None = option(
        default=31, low=2, doc="Largest number of leaves of a tree; None: no limit."
    )
    max_depth: int | None = option(default=None, low=1, doc="Largest depth; None: no limit.")
    min_samples_leaf: int = option(default=20, low=1, doc="Smallest number of rows in a leaf.")
    l2_regularization: float = option(
        default=0.0, low=0.0, doc="Added to the Hessian of a leaf: larger values shrink its value."
    )
    max_features: float = option(
        default=1.0,
        low=0.0,
        high=1.0,
        open_low=True,
        doc="Share of the columns that a node considers, drawn at random for each node.",
    )
    max_bins: int = option(
        default=255,
        low=2,
        high=255,
        doc="Largest number of bins of a column, of equal weight; missing values have one more. Of "
        "a category with more values, the rarest share a bin.",
    )
    categorical_features: Any = option(
        default=FROM_DTYPE,
        type_name='"from_dtype", array or None',
        doc='Which columns are categories. "from_dtype" and None: those that are categories in the '
        "table. A list of columns is checked against the table: convert columns of numbers first.",
    )
    monotonic_cst: Any = option(
        default=None,
        type_name="array, dict or None",
        doc="1 where the raw score may only rise with a number or date, -1 where it may only fall, "
        "0 for no constraint: a list with one for each column, or a dict by name.",
    )
    interaction_cst: Any = option(
        default=None,
        type_name='list of sets, "pairwise", "no_interactions" or None',
        doc="Groups of columns, by name or position: a branch of a tree splits on columns of one "
        'group only. Columns in no group are a group. "no_interactions": each column is one; '
        '"pairwise": every pair is.',
    )
    warm_start: bool = option(
        default=False,
        doc="Whether ``fit`` adds rounds to those that are there, until ``max_iter``.",
    )
    early_stopping: Any = option(
        default="auto",
        takes=either(TRUTH, one_of("auto")),
        doc="Whether rounds end when the score on validation rows does not improve. "
        '"auto": on tables with more than 10,000 rows.',
    )
    scoring: Any = option(
        default="loss",
        takes=either(one_of("loss"), NONE),
        doc='Score that early stopping looks at: "loss"; None: accuracy or R-squared.',
    )
    validation_fraction: Any = option(
        default=0.1,
        takes=either(rows(1), NONE),
        doc="Share, or number, of the rows that early stopping is decided on, chosen by a hash of "
        "their content. None: the training rows.",
    )
    n_iter_no_change: int = option(
        default=10, low=1, doc="Rounds without improvement after which early stopping ends."
    )
    tol: float = option(default=1e-7, low=0.0, doc="Smallest improvement of the score that counts.")
    verbose: int = option(
        default=0, takes=VERBOSE, doc="Whether to show a progress bar; a terminal shows it anyway "
        "where the fit takes a while.",
    )  # fmt: skip
    random_state: Any = option(
        default=None,
        takes=SEED,
        doc="Seed of the validation rows and of the columns that nodes draw; None is 0.",
    )

    def fit_passes(self, passes: Passes) -> Learned:
        """Bin the columns of all rows in memory once, and run the rounds."""
        return in_memory(passes, partial(self._fit_block))

    def _fit_block(self, block: Block) -> Learned:
        check_finite(block)
        block = with_counted_rows(block)
        block, weights = with_positive_weights(block, self._row_weights(block))
        loss = self._loss(block, weights)
        loss.check()
        table = BinnedColumns.of(block, int(self.max_bins))
        seed = seed_of(self.random_state) & MASK
        hashes = row_hashes(table, loss, seed)
        before = self._before(table.columns, loss)
        raw = np.repeat(loss.baseline()[:, None], len(block), axis=1)
        if before is not None:
            raw = np.ascontiguousarray(before.raw_scores(block).T)
        whole_table = BoostingRows(table, loss, raw, hashes)
        stopping = self._stopping(len(block))
        train, validation = whole_table, None
        if stopping is not None and self.validation_fraction is not None:
            train, validation = self._validation_split(whole_table)
        plan = self._plan(block.schema, table, loss)
        first = before.rounds if before is not None else 0
        number = int(self.max_iter) - first
        shown = bool(self.verbose) or should_show(
            len(block) * len(table.bins) * number, MIN_PROGRESS_CELLS
        )
        with progress_bar(number, f"{type(self).__name__}: rounds", shown) as done:
            rounds = range(first, int(self.max_iter))
            found = boost(train, validation, plan, stopping, rounds=rounds, seed=seed, done=done)
        baseline = loss.baseline() if before is None else before.baseline
        return Learned(self._model(table, loss, baseline, found, before))

    def _model(
        self,
        table: BinnedColumns,
        loss: BoostingLoss,
        baseline: Array,
        found: Boosted,
        before: BoostedTrees | None,
    ) -> BoostedTrees:
        """The trees in the form that predictions need."""
        parts = joined_trees(table, found.trees) if found.trees else {}
        if before is not None:
            parts = extended(before, parts) if parts else tree_arrays(before)
        made = BoostedClassTrees if loss.n_classes else BoostedNumberTrees
        scores = (np.array(found.train_scores), np.array(found.validation_scores))
        return made(
            columns=table.columns, classes=loss.classes, loss=loss.name, link=loss.link,
            baseline=baseline, **parts, train_scores=scores[0], validation_scores=scores[1],
        )  # fmt: skip

    def _loss(self, block: Block, weights: Array | None) -> BoostingLoss:
        """The loss and the targets that it is of."""
        raise NotImplementedError

    def _row_weights(self, block: Block) -> Array | None:
        """(n,) the weights of the rows; None: all are 1."""
        return block.weight

    def _plan(self, schema: Schema, table: BinnedColumns, loss: BoostingLoss) -> GrowthPlan:
        """The options that shape trees, as the kernel takes them."""
        p = len(table.bins)
        n = table.codes.shape[1]
        leaves = min(int(self.max_leaf_nodes or ENDLESS), max(n // int(self.min_samples_leaf), 1))
        depth = ENDLESS if self.max_depth is None else int(self.max_depth)
        if depth < 40:
            leaves = min(leaves, 1 << depth)
        _check_categories(self.categorical_features, schema)
        slopes = slopes_of(self.monotonic_cst, schema, loss.classes)
        return GrowthPlan(
            learning_rate=float(self.learning_rate),
            max_leaves=leaves,
            min_leaf=int(self.min_samples_leaf),
            max_depth=depth,
            max_features=max(int(float(self.max_features) * p), 1),
            l2=float(self.l2_regularization),
            monotonic=np.array(slopes or (0,) * p, np.int8),
            groups=interaction_groups(self.interaction_cst, schema),
        )

    def _stopping(self, n: int) -> Stopping | None:
        """When rounds end before ``max_iter``; None: never."""
        early = self.early_stopping
        if isinstance(early, str):
            early = n > MIN_EARLY_STOPPING_ROWS
        if not early:
            return None
        score = None if self.scoring == "loss" else self._default_score
        return Stopping(int(self.n_iter_no_change), float(self.tol), score)

    @staticmethod
    def _default_score(rows: BoostingRows) -> float:
        """Accuracy or R-squared of some rows."""
        raise NotImplementedError

    def _validation_split(self, whole: BoostingRows) -> tuple[BoostingRows, BoostingRows]:
        """Training and validation rows: those of the least hashes validate, class by class."""
        n = whole.raw.shape[1]
        fraction = self.validation_fraction
        size = (
            int(fraction) if isinstance(fraction, Integral) else max(round(float(fraction) * n), 1)
        )
        if size >= n:
            raise OptionError(
                f"validation_fraction={fraction} takes {size} of {n} rows, which leaves none to "
                "train on. Use a smaller share, or early_stopping=False."
            )
        chosen = np.zeros(n, bool)
        labels = whole.loss.labels if whole.loss.n_classes else np.zeros(n, np.int32)
        for c, part in enumerate(_shares(np.bincount(labels), size)):
            of_class = np.flatnonzero(labels == c)
            chosen[of_class[np.argsort(whole.hashes[of_class], kind="stable")[:part]]] = True

        def rows_at(at: Array) -> BoostingRows:
            table = whole.table.at(at)
            raw = np.ascontiguousarray(whole.raw[:, at])
            return BoostingRows(table, whole.loss.at(at), raw, whole.hashes[at])

        return rows_at(np.flatnonzero(~chosen)), rows_at(np.flatnonzero(chosen))

    def _before(self, columns: tuple[Column, ...], loss: BoostingLoss) -> BoostedTrees | None:
        """The model that rounds are added to, with ``warm_start``."""
        if not self.warm_start or not self.__sklearn_is_fitted__():
            return None
        model: BoostedTrees = self.model_
        if (model.columns, model.classes, model.loss) != (
            columns, loss.classes, loss.name,
        ):  # fmt: skip
            raise InputError(
                "warm_start=True continues a fit with the same columns, classes and loss, but "
                "these have changed. Fit with warm_start=False."
            )
        if int(self.max_iter) < model.rounds:
            raise OptionError(
                f"max_iter={self.max_iter} must be larger than or equal to n_iter_={model.rounds} "
                "when warm_start==True. Raise max_iter, or fit with warm_start=False."
            )
        return model

    @property
    def n_iter_(self) -> int:
        """The number of rounds."""
        self._check_fitted()
        return int(self.model_.rounds)

    @property
    def n_trees_per_iteration_(self) -> int:
        """The trees of a round: one, or one for each of more than two classes."""
        self._check_fitted()
        return int(self.model_.outputs)

    @property
    def do_early_stopping_(self) -> bool:
        """Whether early stopping was in force."""
        self._check_fitted()
        return bool(len(self.model_.train_scores))

    @property
    def train_score_(self) -> Array:
        """The scores on the training rows, before the first round and after each."""
        self._check_fitted()
        return np.asarray(self.model_.train_scores)

    @property
    def validation_score_(self) -> Array:
        """The scores on the validation rows, before the first round and after each."""
        self._check_fitted()
        return np.asarray(self.model_.validation_scores)

    @property
    def is_categorical_(self) -> Array | None:
        """(p,) whether a column is a category; None where none is."""
        self._check_fitted()
        found = np.array([column.kind == CATEGORY for column in self.model_.columns])
        return found if found.any() else None

    @property
    def feature_importances_(self) -> Array:
        """(p,) the share of every column in what all splits gain."""
        self._check_fitted()
        return np.asarray(self.model_.importances)

    def shap_values(self, X: Any) -> Array:
        """Exact Shapley values: what every column adds to the raw score of a row.

        Parameters
        ----------
        X : table
            BoostingRows to explain.

        Returns
        -------
        ndarray of shape (n, columns) or (n, columns, classes)
            With the mean raw score of the training rows, ``expected_value_``, they add up to the
            raw score. With more than two classes there is one for each class.
        """

        def values(block: Block) -> Array:
            found = shapley_values(self.model_, block)[1]
            return found if self.model_.outputs > 1 else found[:, :, 0]

        return self._map_rows(X, values, "shap_values")

    @property
    def expected_value_(self) -> Array:
        """(outputs,) the mean raw score of the training rows, as the leaves count them."""
        self._check_fitted()
        return np.asarray(self.model_.baseline + mean_values(self.model_))

    def _staged(self, X: Any, method: str, call: Any) -> Iterator[Array]:
        """``call(model, raw scores)`` after every round, each from the one before it."""
        self._check_fitted()
        blocks = self._map_blocks(X, lambda block: block, method)
        model = self.model_
        raws = [np.repeat(model.baseline[None], len(block), axis=0) for block in blocks]
        for number in range(model.rounds):
            one = model.first_rounds(number + 1)
            raws = [
                one.raw_scores(block, first=number, before=raw)
                for block, raw in zip(blocks, raws, strict=True)
            ]
            yield np.concatenate([call(one, raw) for raw in raws])

    def _check_stored(self) -> None:
        super()._check_stored()
        if bool(self.model_.classes) != (self.task == "classifier"):
            raise ValueError("the trees predict classes, or numbers, and their estimator does not")

    def _count_training_rows(self) -> float | None:
        return float(self.model_.rows[0])

    def _table(self, X: Any) -> Any:
        return dense(X)

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        tags.input_tags.sparse = True


class HistGradientBoostingClassifier(HistGradientBoosting, Classifier):
    """Gradient boosted trees for classification, grown from histograms.

    Every round fits a tree to the gradient of the log loss at the sum of the trees before it, one
    tree for each class where there are more than two. Categories, dates and missing values need no
    preparation: categories are split into two groups by their mean gradients, and missing values go
    to the side that lowers the loss more. Parameters and defaults are scikit-learn's.

    Gradients are rounded to integers once a round, so the trees are the same bits for every order
    of the rows and every number of threads.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    n_iter_ : int
        The number of rounds.
    feature_importances_ : ndarray
        The share of every column in what all splits gain.

    References
    ----------
    J. Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics
    29, 2001. G. Ke et al., LightGBM, NeurIPS 2017.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.HistGradientBoostingClassifier(min_samples_leaf=2).fit(tl.example("tennis"))
    >>> row = {"Outlook": "Overcast", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    >>> model.predict(row)
    array(['Yes'], dtype='<U3')
    """

    stored: ClassVar[tuple[type, ...]] = (BoostedClassTrees, Column)
    model_: BoostedClassTrees = fitted()
    loss: str = option(default="log_loss", kw_only=False, choices=("log_loss",), doc="The loss.")
    class_weight: Any = option(
        default=None,
        takes=class_weights("balanced"),
        doc='Weights of the classes; "balanced": all classes weigh alike.',
    )

    def decision_function(self, X: Any) -> Array:
        """Compute the raw scores: log odds of the second of two classes, or one score a class.

        Parameters
        ----------
        X : table
            BoostingRows to predict.

        Returns
        -------
        ndarray of shape (n,) or (n, classes)
            The sums of the trees.
        """
        return self._map_rows(
            X, lambda block: _flat(self.model_.raw_scores(block)), "decision_function"
        )

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """Compute the raw scores after every round.

        Parameters
        ----------
        X : table
            BoostingRows to predict.

        Returns
        -------
        iterator of ndarray of shape (n,) or (n, classes)
            The sums of the trees so far.
        """
        return self._staged(X, "staged_decision_function", lambda model, raw: _flat(raw))

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """Predict the probabilities of all classes after every round.

        Parameters
        ----------
        X : table
            BoostingRows to predict.

        Returns
        -------
        iterator of ndarray of shape (n, classes)
            The probabilities.
        """
        return self._staged(
            X,
            "staged_predict_proba",
            lambda model, raw: np.exp(log_shares(class_scores(model.link, raw))),
        )

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Predict the classes after every round.

        Parameters
        ----------
        X : table
            BoostingRows to predict.

        Returns
        -------
        iterator of ndarray of shape (n,)
            The predicted classes.
        """
        return self._staged(
            X,
            "staged_predict",
            lambda model, raw: self.classes_[model.choose(class_scores(model.link, raw))],
        )

    @staticmethod
    def _default_score(rows: BoostingRows) -> float:
        raw = rows.raw
        chosen = raw.argmax(axis=0) if len(raw) > 1 else (raw[0] > 0).astype(np.int64)
        return weighted_mean((chosen == rows.loss.labels).astype(np.float64), rows.loss.weights)

    def _loss(self, block: Block, weights: Array | None) -> BoostingLoss:
        values = sorted(block.target.values)
        labels = block.target.recode(values)
        return BoostingLoss(
            "log_loss", labels.astype(np.float64), labels, tuple(values), _weights(weights)
        )

    def _row_weights(self, block: Block) -> Array | None:
        return weigh_rows(block, self.class_weight, by_weight=True)

    def _check_combinations(self) -> None:
        super()._check_combinations()
        check_class_weight(self.class_weight)


class HistGradientBoostingRegressor(HistGradientBoosting, Regressor):
    """Gradient boosted trees for regression, grown from histograms.

    See ``HistGradientBoostingClassifier``. The losses: ``"squared_error"`` predicts means,
    ``"absolute_error"`` medians, ``"quantile"`` the quantile ``quantile``, ``"poisson"`` and
    ``"gamma"`` positive means, whose logarithm is the sum of the trees.

    Attributes
    ----------
    n_iter_ : int
        The number of rounds.
    feature_importances_ : ndarray
        The share of every column in what all splits gain.

    Examples
    --------
    >>> import tallylearn as tl
    >>> X, y = [[i] for i in range(60)], [i // 20 for i in range(60)]
    >>> tl.HistGradientBoostingRegressor().fit(X, y).predict([[5], [50]]).round(3)
    array([0., 2.])
    """

    stored: ClassVar[tuple[type, ...]] = (BoostedNumberTrees, Column)
    model_: BoostedNumberTrees = fitted()
    loss: str = option(
        default="squared_error",
        kw_only=False,
        choices=REGRESSION_LOSSES,
        doc="The loss, see above.",
    )
    quantile: float | None = option(
        default=None, low=0.0, high=1.0, doc='The quantile that loss="quantile" predicts.'
    )

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Predict the target after every round.

        Parameters
        ----------
        X : table
            BoostingRows to predict.

        Returns
        -------
        iterator of ndarray of shape (n,)
            The predictions.
        """
        return self._staged(X, "staged_predict", lambda model, raw: linked_numbers(model.link, raw))

    @staticmethod
    def _default_score(rows: BoostingRows) -> float:
        loss, raw = rows.loss, rows.raw[0]
        predicted = exponentials(raw) if loss.link == EXPONENTIAL else raw
        mean = weighted_mean(loss.y, loss.weights)
        spread = weighted_mean((loss.y - mean) ** 2, loss.weights)
        missed = weighted_mean((loss.y - predicted) ** 2, loss.weights)
        return 1 - missed / spread if spread else float(missed == 0)

    def _loss(self, block: Block, weights: Array | None) -> BoostingLoss:
        y = np.ascontiguousarray(block.target, dtype=np.float64)
        quantile = 0.5 if self.quantile is None else float(self.quantile)
        return BoostingLoss(self.loss, y, weights=_weights(weights), quantile=quantile)

    def _check_combinations(self) -> None:
        super()._check_combinations()
        if self.loss == "quantile" and self.quantile is None:
            raise OptionError(
                'loss="quantile" needs quantile=, the quantile to predict. For the median, set '
                "quantile=0.5."
            )


def interaction_groups(given: Any, schema: Schema) -> Array:
    """(q, p) which columns each group has; no rows where all columns may interact."""
    names = [column.name for column in schema.columns]
    p = len(names)
    if given is None:
        return np.zeros((0, p), np.uint8)
    if isinstance(given, str):
        if given == NO_INTERACTIONS:
            return np.eye(p, dtype=np.uint8)
        if given == PAIRWISE:
            out = np.zeros((p * (p - 1) // 2, p), np.uint8)
            first, second = np.triu_indices(p, 1)
            out[np.arange(len(out)), first] = out[np.arange(len(out)), second] = 1
            return out if p > 1 else np.eye(p, dtype=np.uint8)
        raise OptionError(
            f"interaction_cst is {short_repr(given)}. Use {PAIRWISE!r}, {NO_INTERACTIONS!r}, or a "
            "list of groups of columns."
        )
    try:
        groups = [list(group) for group in given]
    except TypeError:
        raise OptionError(
            f"interaction_cst is {short_repr(given)}. Pass a list of groups, each a set of columns."
        ) from None
    out = np.zeros((len(groups), p), np.uint8)
    for number, group in enumerate(groups):
        for one in group:
            out[number, _place(one, names)] = 1
    rest = np.asarray(out.sum(axis=0) == 0)
    return np.vstack([out, rest.astype(np.uint8)[np.newaxis]]) if rest.any() else out


def _place(given: Any, names: list[str]) -> int:
    """The position of a column that is named, or counted from 0."""
    if given in names:
        return names.index(given)
    if isinstance(given, Integral) and not isinstance(given, bool) and 0 <= int(given) < len(names):
        return int(given)
    raise OptionError(
        f"interaction_cst has {short_repr(given)}, and the columns are {quoted_list(names)}. Give "
        f"their names, or integers from 0 to {len(names) - 1}."
    )


def _check_categories(given: Any, schema: Schema) -> None:
    """Columns that are called categories are categories in the table."""
    if given is None or (isinstance(given, str) and given == FROM_DTYPE):
        return
    names = [column.name for column in schema.columns]
    try:
        listed = np.asarray(given)
        chosen = np.flatnonzero(listed).tolist() if listed.dtype == bool else listed.tolist()
        at = [
            names.index(one) if isinstance(one, str) else range(len(names))[one] for one in chosen
        ]
    except (TypeError, ValueError, IndexError):
        raise OptionError(
            f"categorical_features is {short_repr(given)}, and the columns are "
            f'{quoted_list(names)}. Use "from_dtype", or list some of them.'
        ) from None
    for j in at:
        if schema.columns[j].kind != CATEGORY:
            raise OptionError(
                f"categorical_features names {names[j]!r}, and that column is numeric. Convert it "
                "to strings or to a pandas category."
            )


def _shares(counts: Array, size: int) -> list[int]:
    """How many rows of every class validate: in proportion, the largest remainders first."""
    exact = counts * (size / counts.sum())
    parts = np.floor(exact).astype(np.int64)
    order = np.lexsort((np.arange(len(counts)), -(exact - parts)))
    parts[order[: size - int(parts.sum())]] += 1
    return [int(part) for part in np.minimum(parts, counts)]


def _weights(weights: Array | None) -> Array:
    return np.zeros(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)


def _flat(raw: Array) -> Array:
    return raw[:, 0] if raw.shape[1] == 1 else raw
