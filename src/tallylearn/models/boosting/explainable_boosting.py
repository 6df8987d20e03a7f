"""Explainable boosting: estimators of additive models, with interpret's parameters."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import OptionError, items_of, quoted_list, short_repr
from tallylearn.estimators import Classifier, Regressor
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.finite_rows import check_finite
from tallylearn.estimators.options import SEED, Allowed, fitted, option, rows
from tallylearn.estimators.passes import Learned, Passes, in_memory
from tallylearn.models.boosting.additive_model import (
    OTHER_CELLS,
    AdditiveClassModel,
    AdditiveModel,
    AdditiveNumberModel,
    ColumnCurve,
    PairTable,
)
from tallylearn.models.boosting.binned_columns import BinnedColumns
from tallylearn.models.boosting.boosting_rounds import MASK
from tallylearn.models.boosting.curve_plot import plot_curves
from tallylearn.models.boosting.cyclic_boosting import (
    AdditiveFit,
    CyclicPlan,
    coded_rows,
    fit_additive,
)
from tallylearn.models.boosting.losses import BoostingLoss
from tallylearn.models.boosting.term_importances import TermImportance, TermImportances
from tallylearn.models.boosting.training_rows import (
    row_hashes,
    with_counted_rows,
    with_positive_weights,
)
from tallylearn.models.trees.class_weights import check_class_weight, class_weights, weigh_rows
from tallylearn.models.trees.monotonic_options import slopes_of
from tallylearn.models.trees.tree_options import seed_of
from tallylearn.reporting.charts import Plot
from tallylearn.runtime.progress import progress_bar, should_show
from tallylearn.sources.memory.sparse_matrices import dense
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Column, Schema

MIN_PROGRESS_CELLS = 20_000_000  # rows times columns times bags: about ten seconds
MAX_BAGS = 1000
TIMES = re.compile(r"\d+(\.\d+)?x")


def _is_interactions(value: Any) -> bool:
    if isinstance(value, str):
        return TIMES.fullmatch(value) is not None
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value) >= 0
    return isinstance(value, list | tuple)


INTERACTIONS = Allowed(
    ("an int in the range [0, inf)", 'a string such as "2x"', "a list of pairs of columns"),
    _is_interactions,
)


class ExplainableBoosting(Estimator):
    """Options and ``fit`` of additive models; see ``ExplainableBoostingClassifier``."""

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY)
    max_bins: int = option(
        default=255,
        low=2,
        high=255,
        doc="Largest number of bins of a column, of equal weight; missing values have one more. Of "
        "a category with more values, the rarest share a bin.",
    )
    max_interaction_bins: int = option(
        default=32,
        low=2,
        high=128,
        doc="Largest number of bins of a column in a pair. Small tables have fewer: a cell of a "
        "pair has four rows in the mean.",
    )
    interactions: Any = option(
        default=10,
        takes=INTERACTIONS,
        doc='Largest number of pairs of columns: an int, or "2x" for twice as many as columns; or '
        "a list of pairs, by name or position. Pairs stay that lower the loss of the validation "
        "rows.",
    )
    outer_bags: int = option(
        default=8,
        low=1,
        high=MAX_BAGS,
        doc="Number of bags. Each leaves out other rows to validate on; curves are their means.",
    )
    inner_bags: int = option(
        default=0,
        low=0,
        high=MAX_BAGS,
        doc="Bootstrap samples that every step of a bag averages over; 0: all rows of the bag.",
    )
    learning_rate: float = option(
        default=0.1,
        low=0.0,
        high=1.0,
        open_low=True,
        doc="What the values of every tree are multiplied by.",
    )
    validation_size: Any = option(
        default=0.15,
        takes=rows(0),
        doc="Share, or number, of the rows that a bag leaves out and validates on, chosen by a "
        "hash of their content. 0: none, and all rounds run.",
    )
    early_stopping_rounds: int = option(
        default=50, low=1, doc="Rounds without improvement after which a bag ends."
    )
    early_stopping_tolerance: float = option(
        default=1e-4,
        low=0.0,
        doc="Smallest improvement that counts, as a share of the loss of a constant.",
    )
    max_rounds: int = option(
        default=5000, low=0, doc="Largest number of rounds; each boosts every column once."
    )
    min_samples_leaf: int = option(
        default=4, low=1, doc="Smallest number of rows in a leaf of a tree."
    )
    max_leaves: int = option(
        default=2, low=2, high=255, doc="Largest number of leaves of a tree of one column."
    )
    monotone_constraints: Any = option(
        default=None,
        type_name="array, dict or None",
        doc="1 where the raw score may only rise with a number or date, -1 where it may only fall, "
        "0 for no constraint: a list with one for each column, or a dict by name. Such columns are "
        "in no pair.",
    )
    random_state: Any = option(
        default=None, takes=SEED, doc="Seed of the hash that chooses the rows of bags; None is 0."
    )

    def fit_passes(self, passes: Passes) -> Learned:
        """Bin the columns of all rows in memory once, and boost the bags."""
        return in_memory(passes, partial(self._fit_block))

    def _fit_block(self, block: Block) -> Learned:
        check_finite(block)
        block = with_counted_rows(block)
        block, weights = with_positive_weights(block, self._row_weights(block))
        loss, unit = self._loss(block, weights)
        table = BinnedColumns.of(block, int(self.max_bins))
        targets = loss.y if loss.n_classes else np.asarray(block.target, dtype=np.float64) / unit[1]
        unweighted = replace(loss, y=np.ascontiguousarray(targets), weights=np.zeros(0))
        hashes = row_hashes(table, unweighted, seed_of(self.random_state) & MASK)
        rows_ = coded_rows(table, loss, hashes, int(self.inner_bags))
        plan = self._plan(block.schema, loss)
        shown = should_show(len(block) * len(table.bins) * plan.bags, MIN_PROGRESS_CELLS)
        with progress_bar(plan.bags, f"{type(self).__name__}: bags", shown) as done:
            found = fit_additive(rows_, plan, self._wanted_pairs(block.schema, plan), done)
        return Learned(self._model(table, loss, found, plan, unit))

    def _plan(self, schema: Schema, loss: BoostingLoss) -> CyclicPlan:
        n = len(loss.y)
        size = self.validation_size
        if isinstance(size, Integral):
            held = int(size)
            if held >= n:
                raise OptionError(
                    f"validation_size={held} takes all of the {n} rows, and none are left to train "
                    "on. Use a smaller one, or 0 for no validation rows."
                )
        else:
            held = min(max(round(float(size) * n), 1), n - 1)
        slopes = slopes_of(self.monotone_constraints, schema, loss.classes, "monotone_constraints")
        return CyclicPlan(
            learning_rate=float(self.learning_rate),
            max_leaves=int(self.max_leaves),
            max_rounds=int(self.max_rounds),
            min_leaf=int(self.min_samples_leaf),
            patience=int(self.early_stopping_rounds),
            tol=float(self.early_stopping_tolerance),
            bags=int(self.outer_bags),
            inner_bags=int(self.inner_bags),
            validation=held,
            interaction_bins=int(self.max_interaction_bins),
            monotonic=np.array(slopes or (0,) * len(schema.columns), np.int8),
        )

    def _wanted_pairs(self, schema: Schema, plan: CyclicPlan) -> list[tuple[int, int]] | int:
        """The pairs that ``interactions`` lists, or how many are to be found."""
        given = self.interactions
        if isinstance(given, str):
            return math.ceil(float(given[:-1]) * len(schema.columns))
        if isinstance(given, Integral):
            return int(given)
        return listed_pairs(given, schema, plan.monotonic)

    def _model(
        self,
        table: BinnedColumns,
        loss: BoostingLoss,
        found: AdditiveFit,
        plan: CyclicPlan,
        unit: tuple[float, float],
    ) -> AdditiveModel:
        """The means and standard deviations of the bags, in the units of the target."""
        shift, scale = unit
        bins = table.bins.tolist()
        other = [OTHER_CELLS.get(column.kind, 1) for column in table.columns]
        sizes = np.array([b + more for b, more in zip(bins, other, strict=True)], np.int64)
        values, spread, weights, groups = self._cells(table, found, sizes)
        pairs = np.array(found.pairs, np.int64).reshape(-1, 2)
        of_pairs = self._pair_cells(table, found)
        edges = [
            [table.threshold(j, cut) for cut in range(b - 1)] if scale_.number else []
            for j, (b, scale_) in enumerate(zip(bins, table.scales, strict=True))
        ]
        category_bins = [
            np.arange(scale_.width) if joined is None else joined
            for scale_, joined in zip(table.scales, table.pooled, strict=True)
            if not scale_.number
        ]
        made = AdditiveClassModel if loss.n_classes else AdditiveNumberModel
        losses = found.losses if plan.validation else np.zeros((0, 3))
        return made(
            columns=table.columns, classes=loss.classes, link=loss.link,
            intercept=found.intercepts.mean(axis=0) * scale + shift, sizes=sizes,
            edges=np.array([x for own in edges for x in own]),
            category_bins=np.concatenate([np.zeros(0, np.int64), *category_bins]).astype(np.int64),
            values=values * scale, spread=spread * scale, rows=weights, groups=groups, pairs=pairs,
            pair_values=of_pairs[0] * scale, pair_spread=of_pairs[1] * scale,
            pair_rows=of_pairs[2], rounds=found.rounds.astype(np.int64),
            losses=losses * scale**2 if not loss.n_classes else losses,
        )  # fmt: skip

    @staticmethod
    def _cells(
        table: BinnedColumns, found: AdditiveFit, sizes: Array
    ) -> tuple[Array, Array, Array, Array]:
        """Values, spread, weights and groups of all cells, with one for unseen categories.

        Such values are in the bin of the rarest categories, where there is one; elsewhere they add
        nothing.
        """
        mean, deviation = bag_means(found.curves)
        cells = int(sizes.sum())
        values, spread = np.zeros((len(mean), cells)), np.zeros((len(mean), cells))
        weights, groups = np.zeros(cells), np.zeros(cells, np.int64)
        at = own = 0
        for j, (size, bins) in enumerate(zip(sizes.tolist(), table.bins.tolist(), strict=True)):
            to, of = slice(at, at + bins + 1), slice(own, own + bins + 1)
            values[:, to], spread[:, to] = mean[:, of], deviation[:, of]
            weights[to], groups[to] = found.curve_weights[of], found.groups[of]
            if size > bins + 1:
                groups[at + bins + 1] = groups[at + bins] + 1
                if table.pooled[j] is not None:
                    last, other = at + bins - 1, at + bins + 1
                    values[:, other], spread[:, other] = values[:, last], spread[:, last]
                    groups[other] = groups[last]
            at, own = at + size, own + bins + 1
        if not found.pairs:
            groups[:] = 0
        return values, spread, weights, groups

    @staticmethod
    def _pair_cells(table: BinnedColumns, found: AdditiveFit) -> tuple[Array, Array, Array]:
        """Values, spread and weights of the cells of pairs, with zeros for unseen categories."""
        mean, deviation = bag_means(found.pair_tables)
        starts = np.cumsum([0, *(table.bins + 1).tolist()])
        weights = np.repeat(found.pair_weights[None], len(mean), axis=0)
        at = 0
        parts: list[list[Array]] = [[one[:, :0]] for one in (mean, deviation, weights)]
        for pair in found.pairs:
            shape = [int(found.groups[starts[j + 1] - 1]) + 1 for j in pair]
            more = [int(not table.scales[j].number and table.pooled[j] is None) for j in pair]
            end = at + shape[0] * shape[1]
            for part, one in zip(parts, (mean, deviation, weights), strict=True):
                padded = np.pad(
                    one[:, at:end].reshape(-1, *shape), [(0, 0), (0, more[0]), (0, more[1])]
                )
                part.append(padded.reshape(len(mean), -1))
            at = end
        values, spread, counted = (np.concatenate(part, axis=1) for part in parts)
        return values, spread, counted[0]

    def _loss(
        self, block: Block, weights: Array | None
    ) -> tuple[BoostingLoss, tuple[float, float]]:
        """The loss and its targets, and the shift and scale of the target."""
        raise NotImplementedError

    def _row_weights(self, block: Block) -> Array | None:
        """(n,) the weights of the rows; None: all are 1."""
        return block.weight

    @property
    def intercept_(self) -> Any:
        """The intercept: a number, or one for each of more than two classes."""
        self._check_fitted()
        found = np.asarray(self.model_.intercept)
        return float(found[0]) if len(found) == 1 else found

    @property
    def term_names_(self) -> list[str]:
        """The names of the terms: the columns, then the pairs."""
        self._check_fitted()
        model: AdditiveModel = self.model_
        return [model.term_name(t) for t in range(len(model.columns) + len(model.pairs))]

    @property
    def curves_(self) -> dict[str, ColumnCurve]:
        """The curve of every column: bins, values, band and rows."""
        self._check_fitted()
        model: AdditiveModel = self.model_
        return {c.name: model.curve(j, self.schema_) for j, c in enumerate(model.columns)}

    @property
    def pairs_(self) -> list[PairTable]:
        """The tables of the pairs."""
        self._check_fitted()
        model: AdditiveModel = self.model_
        return [model.pair(t, self.schema_) for t in range(len(model.pairs))]

    def importances(self) -> TermImportances:
        """The importance of every term: the mean distance of its values from 0.

        Returns
        -------
        TermImportances
            Columns and pairs, the largest first.
        """
        with self._error_context("importances"):
            self._check_fitted()
            names, sizes = self.term_names_, self.model_.importances
            order = np.argsort(-sizes, kind="stable").tolist()
            return TermImportances(tuple(TermImportance(names[t], float(sizes[t])) for t in order))

    def plot(self, title: str = "Additive model") -> Plot:
        """Draw the whole model: a curve for every column, with its band, and all pairs.

        Parameters
        ----------
        title : str, default "Additive model"
            The text above the picture.

        Returns
        -------
        Plot
            The largest term first. All curves have the same vertical scale.
        """
        with self._error_context("plot"):
            self._check_fitted()
            return plot_curves(self.model_, self.schema_, str(title))

    @property
    def feature_importances_(self) -> Array:
        """(p,) the share of every column in all terms; a pair counts half for each of the two."""
        self._check_fitted()
        model: AdditiveModel = self.model_
        p = len(model.columns)
        out = model.importances[:p].copy()
        for (a, b), size in zip(model.pairs.tolist(), model.importances[p:].tolist(), strict=True):
            out[a] += size / 2
            out[b] += size / 2
        return np.asarray(out / out.sum() if out.sum() > 0 else out)

    def _check_stored(self) -> None:
        super()._check_stored()
        if bool(self.model_.classes) != (self.task == "classifier"):
            raise ValueError("the curves predict classes, or numbers, and their estimator does not")

    def _count_training_rows(self) -> float | None:
        model: AdditiveModel = self.model_
        return float(round(model.rows[model.cells(0)].sum()))

    def _table(self, X: Any) -> Any:
        return dense(X)

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        tags.input_tags.sparse = True


class ExplainableBoostingClassifier(ExplainableBoosting, Classifier):
    """Generalised additive model for classification, by cyclic boosting (explainable boosting).

    The log odds of a row are an intercept plus one curve a column, and tables of a few pairs of
    columns. A prediction is a sum of lookups, and the curves are the whole model. Every round fits
    one small tree a column to the gradient of the log loss. Bags of rows make the curves smooth and
    give their bands. Categories, dates and missing values need no preparation. Of more than two
    classes each has its own curves. Parameter names are those of the package interpret.

    Every bag has its rows in the order of a hash of their content, so the curves are the same bits
    for every order of the rows and every number of threads.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    intercept_ : float or ndarray
        The mean raw score of the training rows.
    curves_ : dict of str to ColumnCurve
        Bins, values, band and rows of every column. The band is 1.96 standard deviations of the
        bags to each side: it shows how far they differ, and is no confidence interval.
    pairs_ : list of PairTable
        The tables of the pairs.
    term_names_ : list of str
        The names of the terms.
    feature_importances_ : ndarray
        The share of every column in all terms.

    References
    ----------
    Y. Lou, R. Caruana, J. Gehrke, Intelligible models for classification and regression, KDD 2012.
    Y. Lou, R. Caruana, J. Gehrke, G. Hooker, Accurate intelligible models with pairwise
    interactions, KDD 2013.

    Examples
    --------
    >>> import tallylearn as tl
    >>> X, y = [[i] for i in range(60)], ["mid" if 20 <= i < 40 else "end" for i in range(60)]
    >>> tl.ExplainableBoostingClassifier().fit(X, y).predict([[5], [30], [50]])
    array(['end', 'mid', 'end'], dtype='<U3')
    """

    stored: ClassVar[tuple[type, ...]] = (AdditiveClassModel, Column)
    model_: AdditiveClassModel = fitted()
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
            Rows to predict.

        Returns
        -------
        ndarray of shape (n,) or (n, classes)
            The sums of the terms.
        """

        def scores(block: Block) -> Array:
            raw = self.model_.raw_scores(block)
            return raw[:, 0] if raw.shape[1] == 1 else raw

        return self._map_rows(X, scores, "decision_function")

    def _loss(
        self, block: Block, weights: Array | None
    ) -> tuple[BoostingLoss, tuple[float, float]]:
        values = sorted(block.target.values)
        labels = block.target.recode(values)
        own = np.zeros(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        loss = BoostingLoss("log_loss", labels.astype(np.float64), labels, tuple(values), own)
        return loss, (0.0, 1.0)

    def _row_weights(self, block: Block) -> Array | None:
        return weigh_rows(block, self.class_weight, by_weight=True)

    def _check_combinations(self) -> None:
        super()._check_combinations()
        check_class_weight(self.class_weight)


class ExplainableBoostingRegressor(ExplainableBoosting, Regressor):
    """Generalised additive model for regression, by cyclic boosting (explainable boosting).

    See ``ExplainableBoostingClassifier``. The prediction is the sum of the terms; the loss is the
    squared error.

    Attributes
    ----------
    intercept_ : float
        The mean prediction of the training rows.
    curves_ : dict of str to ColumnCurve
        Bins, values, band and rows of every column. The band is 1.96 standard deviations of the
        bags to each side: it shows how far they differ, and is no confidence interval.
    pairs_ : list of PairTable
        The tables of the pairs.
    term_names_ : list of str
        The names of the terms.
    feature_importances_ : ndarray
        The share of every column in all terms.

    Examples
    --------
    >>> import tallylearn as tl
    >>> X, y = [[i] for i in range(60)], [i // 20 for i in range(60)]
    >>> tl.ExplainableBoostingRegressor().fit(X, y).predict([[5], [50]]).round(1)
    array([0., 2.])
    """

    stored: ClassVar[tuple[type, ...]] = (AdditiveNumberModel, Column)
    model_: AdditiveNumberModel = fitted()

    def _loss(
        self, block: Block, weights: Array | None
    ) -> tuple[BoostingLoss, tuple[float, float]]:
        y = np.ascontiguousarray(block.target, dtype=np.float64)
        own = np.zeros(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        mean = float(BoostingLoss("squared_error", y, weights=own).baseline()[0])
        top = float(np.abs(y - mean).max())
        scale = math.ldexp(1.0, math.frexp(top)[1]) if top > 0 else 1.0
        return BoostingLoss("squared_error", (y - mean) / scale, weights=own), (mean, scale)


def bag_means(tables: Array) -> tuple[Array, Array]:
    """The means and the standard deviations over the bags."""
    return tables.mean(axis=0), tables.std(axis=0)


def listed_pairs(given: Any, schema: Schema, monotonic: Array) -> list[tuple[int, int]]:
    """Pairs of columns, given by name or position."""
    names = [column.name for column in schema.columns]
    found: list[tuple[int, int]] = []
    for one in given:
        two = None if isinstance(one, str) else items_of(one)
        places = [place for name in two or () for place in _places(name, names)]
        if two is None or len(two) != 2 or len(set(places)) != 2:
            raise OptionError(
                f"interactions has {short_repr(one)}. Give pairs of two of the columns "
                f"{quoted_list(names)}, by name or position."
            )
        for j in places:
            if monotonic[j]:
                raise OptionError(
                    f"interactions has {names[j]!r}, which is in monotone_constraints: a pair "
                    "could break the constraint. Leave out one of the two."
                )
        pair = (min(places), max(places))
        if pair not in found:
            found.append(pair)
    return found


def _places(given: Any, names: list[str]) -> list[int]:
    """The position of a column that is named, or counted from 0; none of a stranger."""
    if isinstance(given, str):
        return [names.index(given)] if given in names else []
    if isinstance(given, Integral) and not isinstance(given, bool):
        return [int(given)] if 0 <= int(given) < len(names) else []
    return []
