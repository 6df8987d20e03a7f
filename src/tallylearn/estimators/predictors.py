"""Tasks: what classifiers and regressors do with a model, once for all of them."""

from __future__ import annotations

import re
from abc import abstractmethod
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import TargetError, listed, speaking
from tallylearn.estimators import fit_warnings
from tallylearn.estimators.finite_rows import check_representable
from tallylearn.estimators.fit_input import lesson
from tallylearn.estimators.missing_targets import NONE, Unanswered
from tallylearn.estimators.model import ClassificationModel, Model, RegressionModel
from tallylearn.estimators.options import fitted
from tallylearn.estimators.sklearn_shell import Estimator
from tallylearn.estimators.unseen_categories import flagged
from tallylearn.sources.columns.class_labels import flat, labels
from tallylearn.sources.memory.table import check_size
from tallylearn.tables import Array, Block
from tallylearn.tallies import Bundle, Counts
from tallylearn.workings import Derivation, Evidence, Explanation

WIDEST = 1 << 28  # bytes of the names of all classes, each as wide as the longest
LABEL_TYPE = re.compile(r"[<>|=]([biuf](1|2|4|8|16)|O|T16|M8(\[\w{1,3}\])?)")


class Predictor(Estimator):
    """Whatever answers row by row."""

    model_: Model = fitted()

    def predict(self, X: Any) -> Array:
        """The answer for every row."""
        return self._mapped(X, self.answers)

    def explain(self, X: Any) -> Explanation:
        """The evidence for every row, as it adds up to the prediction."""
        self._check_fitted()
        with speaking(type(self).__name__):
            found = [self._evidence(block) for block in self._blocks(X)]
        return Explanation(tuple(row for part in found for row in part))

    def _evidence(self, block: Block) -> list[Evidence]:
        if self.task == "regressor":
            self.answers(block)  # what cannot be predicted is an error here too
        with np.errstate(over="ignore", invalid="ignore"):
            return flagged(self.model_.evidence(block), self.model_, block)

    def show_work(self) -> Derivation:
        """How the model came out of the tally, step by step."""
        self._check_fitted()
        return self.model_.derivation(self.schema_)

    @property
    def cautions_(self) -> tuple[str, ...]:
        """What to look at in the table of ``fit``, as in ``tl.problem``.

        Rows are looked at when this is first asked: of a table in memory at most 8 192, put aside
        by ``fit`` (of ``fit(X, y)`` 1 024, of which no column was left out), of files the first
        65 536, as they stand there now. No pickle or file has them.
        """
        self._check_fitted()
        return fit_warnings.told(self)

    @abstractmethod
    def answers(self, block: Block) -> Array:
        """The answer for every row of a block, read as the model learned."""


class Classifier(Predictor):
    """Answers with a class."""

    task: ClassVar[str | None] = "classifier"
    model_: ClassificationModel = fitted()
    classes_: Array = fitted()

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithm of every class's probability."""
        return self._mapped(X, lambda block: self.model_.log_shares(block))

    def predict_proba(self, X: Any) -> Array:
        """Every class's probability, classes in the order of ``classes_``."""
        return self._mapped(X, lambda block: self.model_.shares(block))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of rows whose class is predicted right, of those that have one."""
        self._check_fitted()
        with speaking(type(self).__name__):
            name = type(self).__name__
            X, known = self._table(X), self.model_.classes
            read = lesson(X, y, sample_weight, name, self.task, self.schema_, classes=known)
            right, whole, left_out = 0.0, 0.0, NONE
            for block in read.blocks():
                left_out += Unanswered.in_block(block)
                self._check_labels(block.target.values)
                truth = block.target.among(self.model_.classes)
                weight = np.ones(len(block)) if block.weight is None else block.weight
                right += float(weight[self.decided(block) == truth].sum())
                whole += float(weight.sum())
            left_out.check(read.target)
            check_size(int(whole > 0), self.n_features_in_, sample_weight is not None)
        return right / whole

    def _check_labels(self, found: tuple[Any, ...]) -> None:
        """Labels of another type than the classes would all count as wrong."""
        known = self.model_.classes[0]
        if found and isinstance(found[0], str) != isinstance(known, str):
            raise TargetError(f"the classes are like {known!r}, and the target has {found[0]!r}.")

    def answers(self, block: Block) -> Array:
        return np.asarray(self.classes_[self.decided(block)])

    def decided(self, block: Block) -> Array:
        """(n,) the place of the class that each row gets."""
        return self.model_.decided(block)

    def judged(self, block: Block) -> tuple[Array, Array]:
        """The same, and (n, k) the probabilities of all classes."""
        return self.model_.judged(block)

    def _foretold(self, tally: Any, before: Any, classes: Any) -> Any:
        known = before["target"].declared[0] if before is not None else ()
        if classes is not None:
            known = labels(flat(classes)).values
            tally = tally + Bundle({"target": Counts.declaring(known)})
        if known and (odd := [key for key in tally["target"].keys[0] if key not in known]):
            raise TargetError(
                f"the target has the class {odd[0]!r}, and classes= said {listed(known)}. "
                "Name every class that may come at the first partial_fit."
            )
        return tally

    def _check_stored(self) -> None:
        super()._check_stored()
        classes = self.model_.classes
        if not classes:
            raise ValueError("the model has no classes")
        if 4 * len(classes) * max(len(str(name)) for name in classes) > WIDEST:
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


class Regressor(Predictor):
    """Answers with a number."""

    task: ClassVar[str | None] = "regressor"
    model_: RegressionModel = fitted()

    def _check_stored(self) -> None:
        super()._check_stored()
        if not isinstance(self._label_type, str):
            raise ValueError("the type of the target is no text")

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R²: the share of the target's variance that the predictions explain."""
        self._check_fitted()
        with speaking(type(self).__name__):
            name = type(self).__name__
            aim = self._aim(X, y)
            read = lesson(self._table(X), y, sample_weight, name, aim, self.schema_)
            pairs, left_out = [], NONE
            for block in read.blocks():
                left_out += Unanswered.in_block(block)
                weight = np.ones(len(block)) if block.weight is None else block.weight
                truth = block.target
                truth = np.column_stack(truth) if isinstance(truth, tuple) else truth
                answers = self.answers(block)
                _check_targets(truth, answers)
                pairs.append((truth, answers, weight))
            left_out.check(read.target)
            check_size(sum(len(truth) for truth, _, _ in pairs), self.n_features_in_)
        truth, answer, weight = (np.concatenate(column) for column in zip(*pairs, strict=True))
        if truth.ndim == 2:  # of several targets the mean, as scikit-learn has it
            both = zip(truth.T, answer.reshape(truth.shape).T, strict=True)
            return float(np.mean([self.goodness(y, found, weight) for y, found in both]))
        return self.goodness(truth, answer, weight)

    def goodness(self, truth: Array, predicted: Array, weight: Array) -> float:
        """What ``score`` computes from targets and predictions: R² unless overridden."""
        return explained(truth, predicted, weight)

    def answers(self, block: Block) -> Array:
        return check_representable(self.model_.answers(block), block)


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


def explained(truth: Array, answer: Array, weight: Array) -> float:
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
    told = _array(classes).astype(kind or "O")
    if kind and kind[1] not in "OTM" and told.tolist() != list(classes):
        raise ValueError(f"the classes are not of the type {kind}")


def _array(classes: tuple[Any, ...]) -> Array:
    """Classes as NumPy's; whole numbers beyond 2^63 do not turn into floats."""
    array = np.array(classes)
    if array.dtype.kind == "f" and all(isinstance(key, int) for key in classes):
        return np.array(classes, dtype=np.uint64)
    return array
