"""Classifiers around another one, which learn from its predictions of rows that were held out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from tallylearn.errors import InputError, KindError, OptionError, short_repr
from tallylearn.estimators import Classifier
from tallylearn.estimators.estimator import Estimator, constructor_call
from tallylearn.estimators.options import option
from tallylearn.estimators.passes import Passes
from tallylearn.expressions import ClassifierExpression, ModelExpression, SelectedEntries, Vector
from tallylearn.folds import Folds, GivenSplits, Split, keep_splits, read_cv
from tallylearn.folds.splits import in_folds
from tallylearn.models.voting.members import (
    check_probabilities,
    fit_member,
    member_probabilities,
)
from tallylearn.preprocessing.steps import SIGN, options_of, with_options
from tallylearn.tables import CATEGORY, DATE, NUMBER, TEXT, UNKNOWN, Array, Block, Schema

NAME = "estimator"


@dataclass(frozen=True)
class HeldOut:
    """A model, and the probabilities of the rows that were held out of its training."""

    model: Any
    rows: Array  # (m,) their numbers
    probabilities: Array  # (m, k)


@dataclass(frozen=True)
class _FitSplit:
    """The call that fits a copy of a learner to a part of the rows; it pickles."""

    learner: Any
    block: Block
    splits: tuple[Split, ...]

    def __call__(self, fold: int) -> HeldOut:
        split, classes = self.splits[fold], self.block.target.values
        train = self.block[split.train]
        model = fit_member(NAME, self.learner, replace(train, group=None))
        check_probabilities([NAME], [model])
        test = replace(self.block[split.test], target=None, weight=None)
        return HeldOut(model, split.test, member_probabilities(NAME, model, test, classes))


class HeldOutClassifier(Classifier):
    """A classifier that is fitted to predictions of another one, of rows it has not seen."""

    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY, TEXT)
    composed: ClassVar[bool] = True
    estimator: Any = option(
        kw_only=False,
        type_name="classifier",
        doc="The classifier, of this library or of scikit-learn. Copies of it are fitted.",
    )
    cv: Any = option(
        default=5,
        type_name="int, Folds, splitter or pairs of row numbers",
        doc="The folds whose rows are held out in turn: a number of stratified folds, "
        "``tl.Folds``, a splitter of scikit-learn, or pairs of row numbers. Rows of a group that "
        "the table declares stay together.",
    )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options; ``deep``, those of the classifier too, as ``estimator__option``."""
        own = super().get_params(deep=False)
        return {**(options_of([(NAME, self.estimator)]) if deep else {}), **own}

    def set_params(self, **params: Any) -> Self:
        """Change options, the classifier, or its options; they act at the next ``fit``."""
        inside = {name: params.pop(name) for name in [*params] if name.startswith(NAME + SIGN)}
        super().set_params(**params)
        if inside:
            pairs = with_options([(NAME, self.estimator)], inside, self.constructor_call())
            self.estimator = pairs[0][1]
        return self

    def _hold_out(self, passes: Passes, block: Block) -> list[HeldOut]:
        """A copy of the classifier for every split, and what it predicts of the rows held out."""
        call = _FitSplit(self.estimator, block, self._splits(passes, block))
        return passes.each(call, range(len(call.splits)))

    def _fit_whole(self, block: Block) -> Any:
        """A copy of the classifier that is fitted to all rows."""
        return fit_member(NAME, self.estimator, replace(block, group=None))

    def _splits(self, passes: Passes, block: Block) -> tuple[Split, ...]:
        target, folds = block.target, read_cv(keep_splits(self.cv), "classifier")
        if len(target.values) < 2:
            raise InputError(
                f"the target has 1 class, {target.values[0]!r}, in all rows. Pass rows of two or "
                "more classes."
            )
        if isinstance(folds, GivenSplits) and isinstance(folds.source, tuple):
            found = _of_training_rows(folds.splits(passes.n_rows or len(block)), passes.read.rows)
        elif isinstance(folds, Folds) and folds.partitions and not folds.shares:
            found = tuple(in_folds(folds.assign_parts(len(block), target, block.group)))
        else:
            found = tuple(folds.splits(len(block), target, block.group))
        for split in found:
            seen = np.unique(target.codes[split.train])
            if len(seen) < len(target.values) and (len(seen) < 2 or len(target.values) == 2):
                raise InputError(
                    f"the training rows of fold {split.fold} all have the class "
                    f"{target.values[seen[0]]!r}. Pass other folds with cv=."
                )
        return found

    def _check_combinations(self) -> None:
        learner = self.estimator
        if isinstance(learner, type) or not hasattr(learner, "fit"):
            raise KindError(
                f"{short_repr(learner)} is no classifier that can fit. Pass one, such as "
                "tl.NaiveBayes()."
            )
        if isinstance(learner, Estimator) and learner.task != "classifier":
            raise KindError(
                f"the estimator is {short_repr(learner)}, which predicts no classes. Pass a "
                "classifier, or a tl.Pipeline that ends in one."
            )
        above: list[Any] = [self]
        while isinstance(learner, HeldOutClassifier):
            if any(learner is one for one in above):
                raise OptionError("the estimator has itself inside. Pass a copy.")
            above.append(learner)
            learner = learner.estimator


def _of_training_rows(splits: Iterable[Split], rows: Array) -> tuple[Split, ...]:
    """Splits of the rows of a table as splits of those that are learned from: ``rows``."""
    found = []
    for split in splits:
        train, test = (
            np.searchsorted(rows, kept[np.isin(kept, rows)]) for kept in (split.train, split.test)
        )
        if not len(train) or not len(test):
            raise InputError(
                f"cv: no row of split {split.fold} has a target and a weight above zero. Leave the "
                "split out."
            )
        found.append(Split(train, test, fold=split.fold))
    return tuple(found)


def aligned(expression: ClassifierExpression, classes: tuple[Any, ...]) -> Vector:
    """The probabilities of a member for all classes; it may know fewer."""
    known = [*expression.classes]
    if expression.classes == classes:
        return expression.probabilities
    places = tuple(known.index(one) if one in known else -1 for one in classes)
    return SelectedEntries(expression.probabilities, places)


def member_expression(model: Any, classes: tuple[Any, ...]) -> Vector:
    """The probabilities of a fitted member as an expression."""
    if not isinstance(model, Estimator):
        raise KindError(
            f"the estimator is {constructor_call(model)}, which has no expression. Use a "
            "classifier of tallylearn."
        )
    found: ModelExpression = model.model_.expression(model.schema_)
    assert isinstance(found, ClassifierExpression)
    return aligned(found, classes)


def check_members(models: Sequence[Any], classes: tuple[Any, ...], schema: Schema) -> None:
    """Raise a ValueError for models of a file that cannot be inside one of this schema."""
    kinds = [(column.name, column.kind) for column in schema.columns]
    for one in models:
        if not one.__sklearn_is_fitted__() or one.task != "classifier":
            raise ValueError("a member is no fitted classifier")
        seen = [(column.name, column.kind) for column in one.schema_.columns]
        unseen = {name for name, kind in seen if kind == UNKNOWN}  # which it counted nothing of
        if seen != [(name, UNKNOWN if name in unseen else kind) for name, kind in kinds]:
            raise ValueError("a member has other columns than the schema")
        if not {*one.model_.classes} <= {*classes}:
            raise ValueError("a member knows other classes")
