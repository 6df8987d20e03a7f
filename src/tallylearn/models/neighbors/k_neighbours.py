"""k nearest neighbours: a row gets the class that most of its neighbours have, or their mean."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError
from tallylearn.estimators import Classifier, Regressor
from tallylearn.estimators.estimator import one_explanation
from tallylearn.estimators.model import choice
from tallylearn.estimators.predictors import r_squared
from tallylearn.models.neighbors.examples import Examples, repeat_rows
from tallylearn.models.neighbors.examples_in_files import ExamplesInFiles
from tallylearn.models.neighbors.neighbour_models import NeighbourClassModel, NeighbourMeanModel
from tallylearn.models.neighbors.neighbour_steps import neighbour_steps
from tallylearn.models.neighbors.neighbours_learner import Neighbours
from tallylearn.tables import Array, Block
from tallylearn.workings.step_sequence import StepSequence


class KNeighborsClassifier(Neighbours, Classifier):
    """K nearest neighbours: a row gets the class of most of its neighbours.

    The model keeps all training rows. The default distance is Euclidean for numbers; for a table
    with categories it is Gower's, which skips missing values. ``predict(None)`` predicts every
    training row from all others: leave-one-out cross-validation at the cost of one search.

    References
    ----------
    T. Cover and P. Hart, Nearest neighbor pattern classification, IEEE Transactions on Information
    Theory 13, 1967.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.KNeighborsClassifier(3, weights="inverse_square")
    >>> print(model.fit([[1.0], [2.0], [2.5]], ["a", "b", "b"]).explain([[0.0]]))
    → a  1               =    1   70.9 %
      b      0.25 + 0.16 = 0.41   29.1 %
    a, row 0 at 1: x0 1
    b, row 1 at 2: x0 2
    b, row 2 at 2.5: x0 2.5
    <BLANKLINE>
    d(row 0) = sqrt((0 - 1)²) = sqrt(1) = 1
    d(row 1) = sqrt((0 - 2)²) = sqrt(4) = 2
    d(row 2) = sqrt((0 - 2.5)²) = sqrt(6.25) = 2.5
    vote(row 0) = 1 / 1² = 1
    vote(row 1) = 1 / 2² = 0.25
    vote(row 2) = 1 / 2.5² = 0.16
    P(a) = 1 / (1 + 0.25 + 0.16) = 1 / 1.41 = 0.7092
    P(b) = (0.25 + 0.16) / (1 + 0.25 + 0.16) = 0.41 / 1.41 = 0.2908
    """

    stored: ClassVar[tuple[type, ...]] = (NeighbourClassModel, Examples)

    def train(self, block: Block) -> NeighbourClassModel:
        """Keep the rows."""
        target = repeat_rows(block).target
        order = sorted(range(len(target.values)), key=target.values.__getitem__)
        classes = tuple(target.values[c] for c in order)
        coded = target.recode(classes).astype(np.int64)
        return NeighbourClassModel(classes, self._examples(block), coded, self._weigh)

    def _in_files(self, examples: ExamplesInFiles) -> NeighbourClassModel:
        return NeighbourClassModel(examples.classes, examples, np.empty(0, np.int64), self._weigh)

    def steps(self, X: Any) -> StepSequence:
        """The prediction of one row, neighbour by neighbour, as a page to step through.

        Parameters
        ----------
        X : table or dict
            The row to predict.

        Returns
        -------
        StepSequence
            A state for each neighbour, with its distance; the last is the vote.
        """
        evidence = one_explanation(self, X)
        with self._error_context("steps"):
            model: NeighbourClassModel = self.model_
            if isinstance(model.examples, ExamplesInFiles):
                raise InputError(
                    "the training rows are in files. Fit with examples='memory' to see the steps."
                )
            [block] = [block for block in self._read_blocks(X) if len(block)]
            names, examples = model.examples.columns, model.examples
            query = block.numbers[0][[block.schema.places[name] for name in names]]
            outcomes = [str(model.classes[code]) for code in model.target]
            return neighbour_steps(evidence, names, examples.numbers, outcomes, query)

    def predict(self, X: Any, threshold: float | None = None, *, positive: Any = None) -> Array:
        """Predict the class of every row; with ``X=None``, of each training row from all others."""
        if X is not None or threshold is not None or positive is not None:
            return super().predict(X, threshold, positive=positive)
        return np.asarray(self.classes_[choice(self.predict_proba(None))])

    def predict_proba(self, X: Any) -> Array:
        """Predict the class shares; with ``X=None``, for each training row from all others."""
        if X is not None:
            return super().predict_proba(X)
        model, found = self.model_.holding(self._query(None, None, "predict_proba"))
        return np.asarray(model.vote_shares(found))

    def by_others(self) -> tuple[Array, Array | None] | None:
        """Predict each training row from all others, if that needs no new fit.

        Returns
        -------
        tuple of arrays, or None
            The predicted classes as codes, and the class shares. None if leaving a row out would
            change the distances.
        """
        if not _is_distance_pairwise(self):
            return None
        shares = self.predict_proba(None)
        return choice(shares), shares

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy; with ``X=None``, that of predicting every training row from all others."""
        if X is not None:
            return super().score(X, y, sample_weight)
        answers = self.predict(None)
        truth, weight = self._own(y, sample_weight, len(answers))
        return float(np.average(answers == truth, weights=weight))


class KNeighborsRegressor(Neighbours, Regressor):
    """K nearest neighbours: a row gets the mean target of its neighbours.

    Options and neighbours are those of `KNeighborsClassifier`.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.KNeighborsRegressor(2).fit([[1.0], [2.0], [9.0]], [10.0, 20.0, 90.0])
    >>> model.predict([[0.0]])
    array([15.])
    """

    stored: ClassVar[tuple[type, ...]] = (NeighbourMeanModel, Examples)

    def train(self, block: Block) -> NeighbourMeanModel:
        """Keep the rows."""
        target = np.array(repeat_rows(block).target)  # the caller may write over his own
        return NeighbourMeanModel(self._examples(block), target, self._weigh)

    def _in_files(self, examples: ExamplesInFiles) -> NeighbourMeanModel:
        return NeighbourMeanModel(examples, np.empty(0), self._weigh)

    def predict(self, X: Any) -> Array:
        """Predict the mean of the neighbours; with ``X=None``, for each training row.

        A training row is predicted from all others.
        """
        if X is not None:
            return super().predict(X)
        model, found = self.model_.holding(self._query(None, None, "predict"))
        return np.asarray(model.mean_targets(found))

    def by_others(self) -> tuple[Array, Array | None] | None:
        """Predict each training row from all others, if that needs no new fit.

        Returns
        -------
        tuple of an array and None, or None
            The predictions. None if leaving a row out would change the distances.
        """
        return (self.predict(None), None) if _is_distance_pairwise(self) else None

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R-squared; with ``X=None``, that of predicting every training row from all others."""
        if X is not None:
            return super().score(X, y, sample_weight)
        answers = self.predict(None)
        truth, weight = self._own(y, sample_weight, len(answers))
        return r_squared(truth.astype(np.float64), answers, weight)


def _is_distance_pairwise(learner: Neighbours) -> bool:
    """Whether the distance of two examples, which are at hand, is a matter of these two alone."""
    plain = learner.scale is None and learner.effective_metric_ != "gower"
    return plain and not isinstance(learner.model_.examples, ExamplesInFiles)
