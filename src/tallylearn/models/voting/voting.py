"""Voting: several learners answer, and the most votes, or the mean of their answers, count."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from tallylearn import engines
from tallylearn.doors import Classifier, Plain, Regressor
from tallylearn.errors import OptionError, told
from tallylearn.models.trees.least_loss import UNDEFINED
from tallylearn.models.voting.ballots import Ballots
from tallylearn.models.voting.members import fitted, named
from tallylearn.tables import CATEGORY, DATE, NUMBER, TEXT, Array, Block


class Voting(Plain):
    """Members that are fitted to the same rows."""

    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY, TEXT)
    stored: ClassVar[tuple[type, ...]] = (Ballots,)
    composed: ClassVar[bool] = True
    model_: Ballots
    estimators: Any
    weights: Any

    def _ballots(self, block: Block, **rest: Any) -> Ballots:
        members = named(self.estimators)
        models = engines.each(lambda one: fitted(one[1], block), members)
        names = tuple(name for name, _ in members)
        return Ballots(names, tuple(models), self._shares(len(members)), len(block), **rest)

    def _counted_rows(self) -> float | None:
        return float(self.model_.rows)

    def _shares(self, members: int) -> Array:
        """(members,) what each counts, as shares of all."""
        if self.weights is None:
            return np.full(members, 1 / members)
        several = hasattr(self.weights, "__iter__") and getattr(self.weights, "ndim", 1) == 1
        given = [*self.weights] if several else None
        if given is None or len(given) != members:
            raise OptionError(
                "Number of `estimators` and weights must be equal: give one weight a member, "
                f"{members} in all, not {told(self.weights)}."
            )
        for one in given:
            if isinstance(one, bool) or not isinstance(one, Real) or not 0 <= float(one) < np.inf:
                raise OptionError(f"a weight is {told(one)}. Weights are numbers, 0 or more.")
        found = np.array([float(one) for one in given])
        if not found.any():
            raise OptionError("all weights are 0: nobody votes. Give one of them more.")
        return np.asarray(found / found.sum())

    def _check_options(self) -> None:
        self._shares(len(named(self.estimators)))

    @property
    def estimators_(self) -> list[Any]:
        """The fitted members."""
        self._check_fitted()
        return [*self.model_.models]

    @property
    def named_estimators_(self) -> dict[str, Any]:
        """The fitted members by name."""
        self._check_fitted()
        return dict(zip(self.model_.names, self.model_.models, strict=True))


class VotingClassifier(Voting, Classifier):
    """Several classifiers answer, and the class of most votes is chosen.

    Members are learners of ours or scikit-learn's, as a list, or as pairs of a name and a learner.
    Copies of them are fitted. A vote of ours is saved with its members, without their tallies.

    Parameters
    ----------
    voting : "hard" (one vote a member) or "soft" (the mean of their probabilities).
    weights : what each member counts; all alike unless said.
    tie : of classes with as many votes "first" in order is answered, or the word "undefined".

    Examples
    --------
    >>> import tallylearn as tl
    >>> vote = tl.VotingClassifier([tl.C45(), tl.NaiveBayes(), tl.RandomForestClassifier(20)])
    >>> vote = vote.fit(tl.example("tennis"))
    >>> row = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    >>> print(vote.explain(row))
    → No   0.3333 + 0.3333 + 0.3333 = 1   100.0 %
      Yes       0 +      0 +      0 = 0     0.0 %

    References
    ----------
    T. Dietterich, Ensemble methods in machine learning, 2000.
    """

    def __init__(
        self,
        estimators: Any,
        *,
        voting: str = "hard",
        weights: Any = None,
        tie: str = "first",
    ) -> None:
        self.estimators = estimators
        self.voting = voting
        self.weights = weights
        self.tie = tie

    model_: Ballots

    def train(self, block: Block) -> Ballots:
        """Fit every member."""
        classes = block.target.values
        if self.tie == UNDEFINED and UNDEFINED in classes:
            raise OptionError('tie="undefined" says what a class is called here. Rename the class.')
        return self._ballots(block, classes=classes, voting=self.voting, tie=self.tie)

    def answers(self, block: Block) -> Array:
        """Classes; where a tie has no answer, objects."""
        if self.model_.tie != UNDEFINED:
            return super().answers(block)
        return np.append(self.classes_.astype(object), UNDEFINED)[self.decided(block)]

    def _check_options(self) -> None:
        super()._check_options()
        self._one_of("voting", ("hard", "soft"))
        self._one_of("tie", ("first", UNDEFINED))


class VotingRegressor(Voting, Regressor):
    """Several regressors answer, and the mean of their answers counts.

    Parameters
    ----------
    estimators, weights : as in ``VotingClassifier``.

    Examples
    --------
    >>> import tallylearn as tl
    >>> vote = tl.VotingRegressor([tl.DummyRegressor(), tl.DecisionTreeRegressor()], weights=[1, 3])
    >>> vote.fit([[1], [2], [3]], [0.0, 0, 3]).predict([[3]])
    array([2.5])
    """

    def __init__(self, estimators: Any, *, weights: Any = None) -> None:
        self.estimators = estimators
        self.weights = weights

    model_: Ballots

    def train(self, block: Block) -> Ballots:
        """Fit every member."""
        return self._ballots(block)
