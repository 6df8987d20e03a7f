"""Voting: several learners answer, and the most votes, or the mean of their answers, count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from tallylearn.errors import KindError, OptionError, quoted_list, short_repr
from tallylearn.estimators import Classifier, Regressor
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.option_values import by_label, is_finite_number
from tallylearn.estimators.options import fitted, option
from tallylearn.estimators.passes import Learned, Passes, in_memory
from tallylearn.models.trees.least_loss import UNDEFINED
from tallylearn.models.voting.ballots import Ballots
from tallylearn.models.voting.members import (
    FitMember,
    check_probabilities,
    check_task,
    member_names,
)
from tallylearn.preprocessing.steps import SIGN, options_of, with_options
from tallylearn.tables import CATEGORY, DATE, NUMBER, TEXT, Array, Block


def _weight(one: Any) -> float:
    if isinstance(one, bool) or not isinstance(one, Real) or not is_finite_number(one) or one < 0:
        raise OptionError(f"a weight is {short_repr(one)}. Pass finite numbers, 0 or more.")
    return float(one)


class Voting(Estimator):
    """Several estimators that are fitted to the same rows, and vote."""

    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY, TEXT)
    stored: ClassVar[tuple[type, ...]] = (Ballots,)
    composed: ClassVar[bool] = True
    model_: Ballots = fitted()
    estimators: Any = option(
        kw_only=False,
        type_name="list of estimators, or of pairs (name, estimator)",
        doc="The members, of this library or of scikit-learn. Copies of them are fitted.",
    )
    weights: Any = option(
        default=None,
        type_name="list, mapping, pandas.Series or None",
        doc="Weight of each member: in their order, or by their names in a mapping or a Series. "
        "None weighs all members equally.",
    )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options; ``deep``, every member by its name and its options as ``name__option``."""
        own = super().get_params(deep=False)
        return {**(options_of(self._readable_members()) if deep else {}), **own}

    def set_params(self, **params: Any) -> Self:
        """Change options, a member, or options of a member; they act at the next ``fit``."""
        own = {name: params.pop(name) for name in self.options() if name in params}
        super().set_params(**own)
        known = dict(self._readable_members())
        odd = {name: value for name, value in params.items() if name.split(SIGN)[0] not in known}
        super().set_params(**odd)  # which refuses them
        if params:
            self.estimators = with_options(
                self._readable_members(), params, self.constructor_call()
            )
        return self

    def _readable_members(self) -> list[tuple[str, Any]]:
        """The members by name, as far as they are any: ``fit`` tells what is wrong with them."""
        try:
            return member_names(self.estimators)
        except (OptionError, KindError):
            given = self.estimators if isinstance(self.estimators, list) else []
            pairs = [one for one in given if isinstance(one, tuple) and len(one) == 2]
            return pairs if len(pairs) == len(given) else []  # a member can be put back by name

    def fit_passes(self, passes: Passes) -> Learned:
        """Fit a copy of every member to all rows in memory."""
        return in_memory(passes, partial(self._fit_block, passes))

    def _fit_block(self, passes: Passes, block: Block) -> Ballots:
        members = member_names(self.estimators)
        models = passes.each(FitMember(block), members)
        names = tuple(name for name, _ in members)
        return Ballots(names, tuple(models), self._shares(names), len(block))

    def _count_training_rows(self) -> float | None:
        return float(self.model_.rows)

    def _shares(self, names: Sequence[str]) -> Array:
        """(members,) what each counts, as shares of all."""
        if self.weights is None:
            return np.full(len(names), 1 / len(names))
        found = np.array([_weight(one) for one in self._weights_by_member(names)])
        if not found.any():
            raise OptionError("all weights are 0. Give at least one member a positive weight.")
        found = found / found.max()  # so that no sum is beyond a double
        return np.asarray(found / found.sum())

    def _weights_by_member(self, names: Sequence[str]) -> list[Any]:
        """The weights in the order of the members; where they have labels, by their names."""
        weights = by_label(self.weights)
        if isinstance(weights, Mapping):
            if {*weights} == {*range(len(names))}:  # a Series that was never given names
                return [weights[at] for at in range(len(names))]
            if {*weights} != {*names}:
                raise OptionError(
                    f"weights names {quoted_list(weights)}, and the members are "
                    f"{quoted_list(names)}. Name every member once, or pass a list in their order."
                )
            return [weights[name] for name in names]
        several = hasattr(weights, "__iter__") and getattr(weights, "ndim", 1) == 1
        given = [*weights] if several and not isinstance(weights, str) else []
        if len(given) != len(names):
            raise OptionError(
                f"Number of `estimators` and weights must be equal: pass {len(names)} weights, one "
                f"per member, not {short_repr(self.weights)}."
            )
        return given

    def _check_combinations(self) -> None:
        members = member_names(self.estimators)
        check_task(members, self.task)
        self._shares([name for name, _ in members])

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


class VotingClassifier(Voting, Classifier, options=("estimators", "voting", "weights", "tie")):
    """Majority vote of several classifiers.

    The members are estimators of ours or of scikit-learn, as a list or as (name, estimator) pairs.
    A vote of our estimators can be saved; the file has its members without their tallies.

    References
    ----------
    T. Dietterich, Ensemble methods in machine learning, 2000.

    Examples
    --------
    >>> import tallylearn as tl
    >>> vote = tl.VotingClassifier([tl.C45(), tl.NaiveBayes(), tl.RandomForestClassifier(20)])
    >>> vote = vote.fit(tl.example("tennis"))
    >>> row = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    >>> print(vote.explain(row))
    → No   0.3333 + 0.3333 + 0.3333 = 1   100.0 %
      Yes       0 +      0 +      0 = 0     0.0 %
    <BLANKLINE>
    votes of the members
    member                  weight  vote
    DecisionTreeClassifier  0.3333    No
    NaiveBayes              0.3333    No
    RandomForestClassifier  0.3333    No
    <BLANKLINE>
    share(No) = 0.3333 · 1 + 0.3333 · 1 + 0.3333 · 1 = 1
    share(Yes) = 0.3333 · 0 + 0.3333 · 0 + 0.3333 · 0 = 0
    """

    model_: Ballots = fitted()
    voting: str = option(
        default="hard",
        choices=("hard", "soft"),
        doc='"hard": one vote per member. "soft": the mean of the probabilities of the members, '
        "which all must have predict_proba.",
    )
    tie: str = option(
        default="first",
        choices=("first", UNDEFINED),
        doc='Prediction where classes have equally many votes: the "first" in order, or the word '
        '"undefined".',
    )

    def _fit_block(self, passes: Passes, block: Block) -> Ballots:
        classes = block.target.values
        if self.tie == UNDEFINED and UNDEFINED in classes:
            raise OptionError(
                'tie="undefined" predicts the word "undefined" for ties, and a class has this '
                "name. Rename the class."
            )
        found = super()._fit_block(passes, block)
        if self.voting == "soft":
            check_probabilities(found.names, found.models)
        return replace(found, classes=classes, voting=self.voting, tie=self.tie)

    def predictions(self, block: Block) -> Array:
        """Predict the class of every row; an array of objects if ties are "undefined"."""
        if self.model_.tie != UNDEFINED:
            return super().predictions(block)
        return np.append(self.classes_.astype(object), UNDEFINED)[self.predict_classes(block)]


class VotingRegressor(Voting, Regressor):
    """Mean of the predictions of several regressors.

    Examples
    --------
    >>> import tallylearn as tl
    >>> vote = tl.VotingRegressor([tl.DummyRegressor(), tl.DecisionTreeRegressor()], weights=[1, 3])
    >>> vote.fit([[1], [2], [3]], [0.0, 0, 3]).predict([[3]])
    array([2.5])
    """

    model_: Ballots = fitted()
