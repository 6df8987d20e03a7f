"""Tasks: what classifiers and regressors do with a model, once for all of them."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from tallylearn.errors import InputError, OptionError, TargetError, quoted_list, short_repr
from tallylearn.estimators.conformal import (
    ConformalIntervals,
    check_level,
    cross_conformal,
    input_of_block,
)
from tallylearn.estimators.decision_threshold import positive_place
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.finite_rows import check_representable
from tallylearn.estimators.fit_input import FitInput, read_fit_input
from tallylearn.estimators.kept_rows import AUTO, MAX_KEPT_CELLS, copied_input
from tallylearn.estimators.missing_targets import NONE, DroppedRows
from tallylearn.estimators.model import ClassificationModel, JointModel, RegressionModel
from tallylearn.estimators.options import fitted
from tallylearn.estimators.passes import NO_TRAINING_INPUT, TrainingInput
from tallylearn.estimators.sklearn_interface import AvailableIf
from tallylearn.sources import Table
from tallylearn.sources.columns.class_labels import flat, labels
from tallylearn.sources.declarations import BARE
from tallylearn.sources.memory.table import check_size
from tallylearn.statistics.resampling import generator
from tallylearn.tables import Array, Block
from tallylearn.tallies import Bundle, Counts

MAX_CLASS_NAME_BYTES = 1 << 28  # bytes of the names of all classes, each as wide as the longest
LABEL_TYPE = re.compile(r"[<>|=]([biuf](1|2|4|8|16)|O|T16|M8(\[\w{1,3}\])?)")


class Predictor(Estimator):
    """Predicts row by row, neither a class nor a number: clusters, for instance."""

    predicts: ClassVar[bool] = True


class Classifier(Estimator):
    """Predicts a class."""

    predicts: ClassVar[bool] = True
    task: ClassVar[str | None] = "classifier"
    generative: ClassVar[bool] = False  # whether it models P(x, c), so that rows can be drawn
    model_: ClassificationModel = fitted()
    classes_: Array = fitted()

    def predict(self, X: Any, threshold: float | None = None, *, positive: Any = None) -> Array:
        """Predict the class of every row; of two classes, by a threshold if one is given.

        Parameters
        ----------
        X : table
            Rows with the columns of ``fit``; one row may be a dict.
        threshold : float, optional
            A row is predicted positive if its probability of the positive class is at least this.
            An infinite threshold predicts no row positive. None: the model decides as usual.
        positive : Any, optional
            The positive class; by default the second of ``classes_``.

        Returns
        -------
        ndarray of shape (n,)
            Classes in the type of ``classes_``.
        """
        if threshold is None and positive is None:
            return self._map_rows(X, self.predictions, "predict")
        with self._error_context("predict"):
            self._check_fitted()
            place = positive_place(self.model_.classes, threshold, positive)
        shares = self.predict_proba(X)[:, place]
        return np.asarray(self.classes_[np.where(shares >= threshold, place, 1 - place)])

    def predict_log_proba(self, X: Any) -> Array:
        """Predict the logarithm of the probability of every class.

        Parameters
        ----------
        X : table
            Rows to predict.

        Returns
        -------
        ndarray of shape (n, classes)
            One column per class, in the order of ``classes_``.
        """
        return self._map_rows(X, lambda block: self.model_.log_shares(block), "predict_log_proba")

    def predict_proba(self, X: Any) -> Array:
        """Predict the probability of every class.

        Parameters
        ----------
        X : table
            Rows to predict.

        Returns
        -------
        ndarray of shape (n, classes)
            One column per class, in the order of ``classes_``.
        """
        return self._map_rows(X, lambda block: self.model_.shares(block), "predict_proba")

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy: the share of rows whose class is predicted correctly.

        Rows without a class do not count.

        Parameters
        ----------
        X : table
            The rows, as for ``fit``.
        y : array-like or str, optional
            Their classes, or the name of the column.
        sample_weight : array-like, number or str, optional
            The weights of the rows.

        Returns
        -------
        float
            A number from 0 to 1.
        """
        with self._error_context("score"):
            self._check_fitted()
            name = type(self).__name__
            X, known = self._table(X), self.model_.classes
            read = read_fit_input(
                X,
                y,
                weight=sample_weight,
                who=name,
                aim=self.task,
                schema=self.schema_,
                classes=known,
            )
            right, whole, left_out = 0.0, 0.0, NONE
            for block in read.blocks():
                left_out += DroppedRows.in_block(block)
                self._check_labels(block.target.values)
                truth = block.target.recode(self.model_.classes)
                weight = np.ones(len(block)) if block.weight is None else block.weight
                right += float(weight[self.predict_classes(block) == truth].sum())
                whole += float(weight.sum())
            left_out.check(read.target)
            check_size(int(whole > 0), self.n_features_in_, sample_weight is not None)
        return right / whole

    @AvailableIf("generative")
    def predict_joint_log_proba(self, X: Any) -> Array:
        """Compute log P(x, c) for every class: prior times likelihood, not normalised.

        Parameters
        ----------
        X : table
            Rows to predict.

        Returns
        -------
        ndarray of shape (n, classes)
            One column per class, in the order of ``classes_``.
        """
        return self._map_rows(X, self._joint_model.joint, "predict_joint_log_proba")

    @AvailableIf("generative")
    def score_samples(self, X: Any) -> Array:
        """Compute the log density log P(x) of every row: the sum of P(x, c) over the classes.

        A row with a low density is unlike the training rows. A quantile of their densities is a
        threshold for what counts as normal.

        Parameters
        ----------
        X : table
            The rows.

        Returns
        -------
        ndarray of shape (n,)
            Logarithms of probabilities, or of densities where columns are numbers.
        """
        joint = self._map_rows(X, self._joint_model.joint, "score_samples")
        return np.asarray(np.logaddexp.reduce(joint, axis=1))

    @AvailableIf("generative")
    def log_likelihood(self, X: Any, y: Any = None) -> float:
        """Compute the log-likelihood of rows and their classes: the sum of log P(x, c).

        Parameters
        ----------
        X : table
            The rows, as for ``fit``.
        y : array-like or str, optional
            Their classes, or the name of the column.

        Returns
        -------
        float
            Logarithm of a probability, or of a density where columns are numbers.
        """
        total = 0.0
        with self._error_context("log_likelihood"):
            self._check_fitted()
            read = read_fit_input(
                X, y, weight=None, who=type(self).__name__, aim=self.task, schema=self.schema_
            )
            for block in read.blocks():
                at = block.target.recode(self.model_.classes)
                if (at < 0).any():
                    odd = block.target.items()[int(np.argmax(at < 0))]
                    raise TargetError(
                        f"the target has the class {odd!r}, which the model was not fitted to. Its "
                        f"classes are {quoted_list(self.model_.classes)}. Drop rows of other "
                        "classes."
                    )
                total += float(self._joint_model.joint(block)[np.arange(len(block)), at].sum())
        return total

    @AvailableIf("generative")
    def sample(
        self, n: int = 1, random_state: int | None = None
    ) -> tuple[list[dict[str, Any]], Array]:
        """Draw random rows and their classes from the fitted distribution P(x, c).

        Parameters
        ----------
        n : int, default 1
            Number of rows.
        random_state : int, optional
            Seed of the random numbers.

        Returns
        -------
        rows : list of dict
            The rows; each is a dict of column to value.
        classes : ndarray of shape (n,)
            The class of every row.
        """
        with self._error_context("sample"):
            self._check_fitted()
            if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n < 1 << 48:
                raise OptionError(
                    f"{short_repr(n)} rows cannot be sampled. Give a whole number, 0 or more."
                )
            rows, drawn = self._sample_rows(n, generator(type(self).__name__, random_state))
        return rows, self.classes_[drawn]

    def _n_parameters(self) -> int:
        """The number of free parameters of a model of P(x, c)."""
        self._check_fitted()
        return self._joint_model.n_parameters

    n_parameters_ = AvailableIf("generative")(property(_n_parameters))

    @property
    def _joint_model(self) -> JointModel:
        assert isinstance(self.model_, JointModel)
        return self.model_

    def _sample_rows(self, n: int, rng: np.random.Generator) -> tuple[list[dict[str, Any]], Array]:
        """n rows of the table, and the places of their classes."""
        raise NotImplementedError

    def _check_labels(self, found: tuple[Any, ...]) -> None:
        """Labels of another type than the classes would all count as wrong."""
        known = self.model_.classes[0]
        if found and isinstance(found[0], str) != isinstance(known, str):
            raise TargetError(f"the classes are like {known!r}, and the target has {found[0]!r}.")

    def predictions(self, block: Block) -> Array:
        """Predict the class of every row of a block.

        Parameters
        ----------
        block : Block
            Rows that are read and coded.

        Returns
        -------
        ndarray of shape (n,)
            Classes.
        """
        return np.asarray(self.classes_[self.predict_classes(block)])

    def predict_classes(self, block: Block) -> Array:
        """Predict the position in ``classes_`` of the class of every row of a block.

        Parameters
        ----------
        block : Block
            Rows that are read and coded.

        Returns
        -------
        ndarray of shape (n,)
            Positions of classes.
        """
        return self.model_.predict_classes(block)

    def classes_and_probabilities(self, block: Block) -> tuple[Array, Array]:
        """Predict the class of every row of a block, and the probabilities of all classes.

        Parameters
        ----------
        block : Block
            Rows that are read and coded.

        Returns
        -------
        positions : ndarray of shape (n,)
            Positions of the predicted classes in ``classes_``.
        probabilities : ndarray of shape (n, classes)
            One column per class.
        """
        return self.model_.classes_and_probabilities(block)

    def _declare_classes(self, tally: Any, before: Any, classes: Any) -> Any:
        known = before["target"].declared[0] if before is not None else ()
        if classes is not None:
            known = labels(flat(classes)).values
            tally = tally + Bundle({"target": Counts.with_declared_keys(known)})
        if known and (odd := [key for key in tally["target"].keys[0] if key not in known]):
            raise TargetError(
                f"the target has the class {odd[0]!r}, which is not in classes= of the first "
                f"partial_fit: {quoted_list(known)}. Pass all classes as classes= at the first "
                "partial_fit."
            )
        return tally

    def _check_stored(self) -> None:
        super()._check_stored()
        classes = self.model_.classes
        if not classes:
            raise ValueError("the model has no classes")
        if 4 * len(classes) * max(len(str(name)) for name in classes) > MAX_CLASS_NAME_BYTES:
            raise ValueError("the classes have names that are too long")
        check_label_type(self._label_type, classes)

    def _derive(self) -> None:
        super()._derive()
        solved = self.model_ is not None
        classes = _array(self.model_.classes if solved else self.tally_["target"].keys[0])
        if self._label_type:
            with suppress(ValueError, TypeError, OverflowError):  # later classes may not fit it
                classes = classes.astype(self._label_type)
        self.classes_ = classes


class Regressor(Estimator):
    """Predicts a number."""

    predicts: ClassVar[bool] = True
    task: ClassVar[str | None] = "regressor"
    model_: RegressionModel = fitted()

    def _check_stored(self) -> None:
        super()._check_stored()
        if not isinstance(self._label_type, str):
            raise ValueError("the type of the target is no text")

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R-squared: the share of the target's variance that the predictions explain.

        With several targets, the mean of their values. Rows without a target do not count.

        Parameters
        ----------
        X : table
            The rows, as for ``fit``.
        y : array-like or str, optional
            Their target, or the name of its column.
        sample_weight : array-like, number or str, optional
            The weights of the rows.

        Returns
        -------
        float
            1 for perfect predictions; below 0 if the mean of the target predicts better.
        """
        with self._error_context("score"):
            self._check_fitted()
            name = type(self).__name__
            aim = self._aim(X, y)
            read = read_fit_input(
                self._table(X), y, weight=sample_weight, who=name, aim=aim, schema=self.schema_
            )
            pairs, left_out = [], NONE
            for block in read.blocks():
                left_out += DroppedRows.in_block(block)
                weight = np.ones(len(block)) if block.weight is None else block.weight
                truth = block.target
                truth = np.column_stack(truth) if isinstance(truth, tuple) else truth
                answers = self.predictions(block)
                _check_targets(truth, answers)
                pairs.append((truth, answers, weight))
            left_out.check(read.target)
            check_size(sum(len(truth) for truth, _, _ in pairs), self.n_features_in_)
        truth, answer, weight = (np.concatenate(column) for column in zip(*pairs, strict=True))
        if truth.ndim == 2:  # of several targets the mean, as scikit-learn has it
            both = zip(truth.T, answer.reshape(truth.shape).T, strict=True)
            return float(np.mean([self.goodness(y, found, weight) for y, found in both]))
        return self.goodness(truth, answer, weight)

    def predict_interval(self, X: Any, level: float = 0.95) -> Array:
        """Prediction intervals of rows: each holds the target of its row with this probability.

        They are cross-conformal (CV+): the first call fits copies of the estimator to all training
        rows but those of a fold, ten times. Forests of bootstrap samples use their out-of-bag
        predictions instead. The training rows of tables of at most 1,000,000 cells are kept in
        memory for it; pass others to ``fit_intervals``. Rows of a group that the table declares
        are in one fold.

        Parameters
        ----------
        X : table
            Rows to predict.
        level : float, default 0.95
            The share of rows whose target is to lie in its interval.

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper bounds.

        References
        ----------
        R. F. Barber, E. J. Candès, A. Ramdas and R. J. Tibshirani, Predictive inference with the
        jackknife+, Annals of Statistics 49, 2021.

        Examples
        --------
        >>> import tallylearn as tl
        >>> rows = [[x] for x in range(40)]
        >>> model = tl.DecisionTreeRegressor(max_depth=3).fit(rows, [x % 7 for x in range(40)])
        >>> model.predict_interval([[20]], level=0.9).shape
        (1, 2)
        """
        return self._map_conformal(X, level, 0)

    def fit_intervals(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        cv: Any = None,
        groups: Any = None,
    ) -> Self:
        """Compute what ``predict_interval`` needs, from the training rows or from other rows.

        Models that were loaded from a file, and those of large tables, have not kept their
        training rows. Neither a model file nor a pickle holds what is computed here.

        Parameters
        ----------
        X : table
            The training rows, as for ``fit``; for out-of-bag residuals of a forest in their order.
        y : array-like or str, optional
            Their target, or the name of its column.
        sample_weight : array-like, number or str, optional
            Their weights, or the name of the column.
        cv : int or Folds, optional
            The folds of CV+: a number, ``tl.Folds.k(...)``, or ``tl.Folds.leave_one_out()`` for the
            jackknife+. By default ten, and out-of-bag residuals for a forest that has them.
        groups : str, optional
            A column: rows with the same value are in one fold.

        Returns
        -------
        self
            The estimator, whose model is unchanged.

        Examples
        --------
        >>> import tallylearn as tl
        >>> rows, y = [[x] for x in range(40)], [x % 7 for x in range(40)]
        >>> model = tl.Ridge(keep_rows=False).fit(rows, y).fit_intervals(rows, y, cv=5)
        >>> model.predict_interval([[20]]).round(1)
        array([[-0.6,  6.2]])
        """
        with self._error_context("fit_intervals"):
            self._check_fitted()
            if groups is not None and not isinstance(groups, str):
                raise OptionError(
                    f"groups is {short_repr(groups)}. Pass the name of a column, or declare it: "
                    "tl.table(..., groups='column')."
                )
            read = read_fit_input(
                self._table(X), y, weight=sample_weight, who=type(self).__name__,
                aim=self._aim(X, y), schema=self.schema_, groups=groups,
            )  # fmt: skip
            found = self._conformal_intervals(read, cv)
            self.notes_ = self.notes_._replace(training=TrainingInput(intervals=found))
        return self

    def _map_conformal(self, X: Any, level: float, target: int) -> Array:
        """(n, 2) the conformal intervals of rows; ``target`` is the place of one of several."""
        with self._error_context("predict_interval"):
            self._check_fitted()
            check_level(level)
            found = self._fitted_intervals()
            found.check_level(level)
        call = partial(found.bounds, level=float(level), target=target)
        return self._map_rows(X, call, "predict_interval")

    def _fitted_intervals(self) -> ConformalIntervals:
        """What intervals are computed from, made of the rows that were kept at the first call."""
        training = self.notes_.training
        if training.intervals is None:
            read = self._rows_for_intervals()
            if read is None:
                raise InputError(
                    "the training rows were not kept: those of tables of at most "
                    f"{MAX_KEPT_CELLS:,} cells are, in memory, and not in files or pickles. Pass "
                    "the table: fit_intervals(table, 'target')."
                )
            training = TrainingInput(training.read, self._conformal_intervals(read, None))
            self.notes_ = self.notes_._replace(training=training)
        found: ConformalIntervals = training.intervals
        return found

    def _conformal_intervals(self, read: FitInput, cv: Any) -> ConformalIntervals:
        """The residuals of rows that the model, or a copy of it, has not seen."""
        return cross_conformal(self, read, cv)

    def _rows_for_intervals(self) -> FitInput | None:
        """The training rows, as an option ``keep_rows`` or else ``fit`` has kept them."""
        kept = getattr(self, "kept_rows_", None)
        if isinstance(kept, Block):
            table = Table(kept, None, None, BARE)
            return input_of_block(kept, FitInput(table, self.notes_.call_style, self.task))
        return self.notes_.training.read if kept is None else kept

    def _training_input(self, read: FitInput) -> TrainingInput:
        """Rows of small tables are kept, unless the option ``keep_rows`` is there to say so."""
        if self.task != "regressor" or hasattr(self, "keep_rows"):
            return NO_TRAINING_INPUT
        return TrainingInput(copied_input(AUTO, read))

    def goodness(self, truth: Array, predicted: Array, weight: Array) -> float:
        """What ``score`` computes from targets and predictions: R-squared unless overridden.

        Parameters
        ----------
        truth : ndarray of shape (n,)
            The targets.
        predicted : ndarray of shape (n,)
            The predictions.
        weight : ndarray of shape (n,)
            The weights of the rows.

        Returns
        -------
        float
            The score; larger is better.
        """
        return r_squared(truth, predicted, weight)

    def predictions(self, block: Block) -> Array:
        """Predict the target of every row of a block.

        Parameters
        ----------
        block : Block
            Rows that are read and coded.

        Returns
        -------
        ndarray of shape (n,) or (n, targets)
            Numbers.
        """
        return check_representable(self.model_.predictions(block), block)


def _check_targets(truth: Array, answers: Array) -> None:
    """The target has as many columns as the predictions have."""
    given, known = (1 if part.ndim == 1 else part.shape[1] for part in (truth, answers))
    if given != known:
        column, target = (
            ("column" if given == 1 else "columns"),
            ("target" if known == 1 else "targets"),
        )
        raise TargetError(
            f"y has {given} {column}, and the model was fitted to {known} {target}. Pass y with "
            "the columns that it was fitted to, in their order."
        )


def r_squared(truth: Array, answer: Array, weight: Array) -> float:
    """The share of a target's variance that predictions explain."""
    largest = float(max(np.abs(truth).max(initial=0.0), np.abs(answer).max(initial=0.0)))
    if largest > 1e150:  # whose squares would be beyond a double
        unit = np.ldexp(1.0, -int(np.frexp(largest)[1]) - 1)
        truth, answer = truth * unit, answer * unit
    mean = np.average(truth, weights=weight)
    whole = float((weight * (truth - mean) ** 2).sum())
    missed = float((weight * (truth - answer) ** 2).sum())
    if whole == 0:
        return 1.0 if missed == 0 else 0.0
    return 1 - missed / whole


def check_label_type(kind: Any, classes: tuple[Any, ...]) -> None:
    """What a file says is the type of the classes: one that fits them, and no wider."""
    if not isinstance(kind, str) or (kind and not LABEL_TYPE.fullmatch(kind)):
        raise ValueError(f"{str(kind)[:40]!r} is no type of classes")
    typed = _array(classes).astype(kind or "O")
    if kind and kind[1] not in "OTM" and typed.tolist() != list(classes):
        raise ValueError(f"the classes are not of the type {kind}")


def _array(classes: tuple[Any, ...]) -> Array:
    """Classes as NumPy's; whole numbers beyond 2^63 do not turn into floats."""
    array = np.array(classes)
    if array.dtype.kind == "f" and all(isinstance(key, int) for key in classes):
        return np.array(classes, dtype=np.uint64)
    return array
