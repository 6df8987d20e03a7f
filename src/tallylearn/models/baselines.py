"""Dummies: the answer without looking at the row, the baseline that every learner must beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import OptionError, TargetError, quoted_list
from tallylearn.estimators import Classifier, RegressionModel, Regressor, ScoringModel
from tallylearn.estimators.model import build_score_expression
from tallylearn.estimators.option_values import is_same_value
from tallylearn.estimators.options import SEED, fitted, option
from tallylearn.expressions import ClassifierExpression, Literal, RegressorExpression, VectorOf
from tallylearn.models.naive_bayes.class_priors import Priors
from tallylearn.models.stored_tallies import check_classes, check_parts
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import Array, Block, Codes, Schema, check_shape, field_schemas
from tallylearn.tallies import Bundle, Counts, Moments
from tallylearn.tallies.rounding import quotient
from tallylearn.tallies.values import quantile_of
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Grid, Sentence, Term


@dataclass(frozen=True)
class Majority(ScoringModel):
    """The classes and their shares."""

    priors: Priors
    scored: Array  # (k,) the probabilities that are reported

    form: ClassVar[field_schemas.Form] = {
        "priors": field_schemas.one(Priors),
        "scored": field_schemas.floats("k", least=0.0),
    }

    def check(self, schema: Schema) -> None:
        """What a file says can have been learned."""
        self.priors.check()
        if not np.isclose(self.scored.sum(), 1):
            raise ValueError("the shares do not sum to 1")

    def __post_init__(self) -> None:
        check_shape("the shares", self.scored, len(self.priors.classes))

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.priors.classes

    def scores(self, block: Block) -> Array:
        with np.errstate(divide="ignore"):
            return np.tile(np.log(self.scored), (len(block), 1))

    def evidence(self, block: Block) -> list[Evidence]:
        """The prior, the same for every row."""
        chosen = self.classes[int(self.choose(self.scores(block[:1]))[0])] if len(block) else None
        with np.errstate(divide="ignore"):
            logs = np.log(self.scored)
        lines = tuple(
            EvidenceLine(
                name, (_prior_term(self.priors, c, float(logs[c])),), float(self.scored[c])
            )
            for c, name in enumerate(self.classes)
        )
        return [Evidence(lines, chosen, "product")] * len(block)

    def expression(self, schema: Schema) -> ClassifierExpression:
        """The log share of every class; random draws are the estimator's."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.scored).tolist()
        return build_score_expression(self.classes, VectorOf(tuple(map(Literal, logs))))

    def derivation(self, schema: Schema) -> Derivation:
        """The counts of the classes."""
        return Derivation("Baseline", (self.priors.grid(), Sentence("No column is looked at.")))


@dataclass(frozen=True)
class Constant(RegressionModel):
    """One number for every row."""

    value: float
    name: str

    form: ClassVar[field_schemas.Form] = {
        "value": field_schemas.number(),
        "name": field_schemas.text(),
    }

    def check(self, schema: Schema) -> None:
        """Any number can have been learned."""

    def predictions(self, block: Block) -> Array:
        return np.full(len(block), self.value)

    def evidence(self, block: Block) -> list[Evidence]:
        line = EvidenceLine(self.value, (Term("", self.name, self.value),))
        return [Evidence((line,), self.value, "sum")] * len(block)

    def expression(self, schema: Schema) -> RegressorExpression:
        """The constant."""
        return RegressorExpression((Literal(self.value),))

    def derivation(self, schema: Schema) -> Derivation:
        """The number."""
        return Derivation(
            "Baseline", (Grid("", ("answer", "value"), ((self.name, format_number(self.value)),)),)
        )


class DummyClassifier(Classifier):
    """Classifier that ignores the columns: the baseline that every classifier must beat.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.DummyClassifier().fit(tl.example("tennis")).score(tl.example("tennis"))
    0.6428571428571429
    """

    family: ClassVar[str] = "baseline"
    stored: ClassVar[tuple[type, ...]] = (Majority, Priors)
    model_: Majority = fitted()

    strategy: str = option(
        default="prior",
        choices=("prior", "most_frequent", "stratified", "uniform", "constant"),
        doc='"prior" and "most_frequent" predict the largest class; "prior" reports the class '
        'shares as probabilities, "most_frequent" reports 1. "stratified" and "uniform" predict '
        'randomly drawn classes. "constant" predicts ``constant``.',
    )
    random_state: int | None = option(
        default=None, takes=SEED, doc="Seed of the strategies that draw classes randomly."
    )
    constant: Any = option(default=None, doc='The class that "constant" predicts.')

    @property
    def _takes_weights_as_given(self) -> bool:
        return True  # shares do not depend on their scale

    def tally(self, block: Block) -> Bundle:
        """Rows by class."""
        return Bundle({"target": Counts.of(block.target, weight=block.weight)})

    def solve(self, tally: Bundle) -> Majority:
        """The shares, as the strategy reports them."""
        priors = Priors.of(tally["target"], None, True)
        share = priors.share
        if self.strategy == "uniform":
            share = np.full_like(share, 1 / len(share))
        if self.strategy in ("most_frequent", "constant"):
            chosen = (
                int(share.argmax()) if self.strategy == "most_frequent" else self._constant(priors)
            )
            share = np.eye(len(share))[chosen]
        return Majority(priors, share)

    def leave_one_out(self, tally: Bundle, block: Block) -> Array | None:
        """The log shares of the others' classes, for every row."""
        counts = tally["target"]
        if self.strategy != "prior" or block.weight is not None or (counts.floats() < 2).any():
            return None
        own = np.eye(len(counts.keys[0]))[block.target.recode(counts.keys[0])]
        return Priors(counts.keys[0], counts.floats() - own, True).log

    def predict(self, X: Any, threshold: float | None = None, *, positive: Any = None) -> Array:
        """Predict the class of every row by the strategy."""
        by_threshold = threshold is not None or positive is not None
        if by_threshold or self.strategy not in ("stratified", "uniform"):
            return super().predict(X, threshold, positive=positive)
        n = len(self._map_rows(X, lambda block: np.empty(len(block)), "predict"))
        return self.classes_[self._draw_classes(n)]

    def predict_proba(self, X: Any) -> Array:
        """Predict the class shares; for "stratified" the randomly drawn class has probability 1."""
        if self.strategy != "stratified":
            return super().predict_proba(X)
        n = len(self._map_rows(X, lambda block: np.empty(len(block)), "predict_proba"))
        return np.eye(len(self.classes_))[self._draw_classes(n)]

    def predict_log_proba(self, X: Any) -> Array:
        """Predict the logarithms of the class shares."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_classes(self, block: Block) -> Array:
        drawn = self.strategy in ("stratified", "uniform")
        return self._draw_classes(len(block)) if drawn else super().predict_classes(block)

    def classes_and_probabilities(self, block: Block) -> tuple[Array, Array]:
        chosen, shares = self.predict_classes(block), self.model_.shares(block)
        return chosen, np.eye(len(shares.T))[chosen] if self.strategy == "stratified" else shares

    def _draw_classes(self, n: int) -> Array:
        rng = np.random.RandomState(self.random_state)
        if self.strategy == "uniform":
            return rng.randint(len(self.classes_), size=n)
        drawn = rng.multinomial(1, self.model_.priors.share, size=n)
        return np.asarray(drawn.argmax(axis=1))

    def _check_combinations(self) -> None:
        if self.strategy == "constant" and self.constant is None:
            raise OptionError(
                "strategy='constant' needs constant=, which is None. Pass the class to predict. "
                "Constant target value has to be specified when the constant strategy is used."
            )

    def _constant(self, priors: Priors) -> int:
        found = [at for at, name in enumerate(priors.classes) if is_same_value(name, self.constant)]
        if not found:
            raise TargetError(
                f"constant={self.constant!r} is not among the classes "
                f"{quoted_list(priors.classes)}. Pass one of them. The constant target value must "
                "be present in the training data."
            )
        return found[0]

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        check_classes(tally["target"], self.model_.classes)
        check_parts(tally, {})

    def _width(self, schema: Schema) -> int:
        return 1  # a baseline needs no columns

    def _add_tags(self, tags: Any) -> None:
        tags.no_validation = True
        tags.classifier_tags.poor_score = True


class DummyRegressor(Regressor):
    """Regressor that ignores the columns: the baseline that every regressor must beat.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.DummyRegressor(strategy="median").fit([[0], [0], [0]], [1.0, 2.0, 9.0]).predict([[5]])
    array([2.])
    """

    family: ClassVar[str] = "baseline"
    shaping: ClassVar[tuple[str, ...]] = ("strategy",)
    stored: ClassVar[tuple[type, ...]] = (Constant,)
    model_: Constant = fitted()

    strategy: str = option(
        default="mean",
        choices=("mean", "median", "quantile", "constant"),
        doc="The statistic of the target that is predicted for every row.",
    )
    constant: float | None = option(
        default=None, infinite=True, doc='The number that "constant" predicts.'
    )
    quantile: float | None = option(
        default=None,
        low=0.0,
        high=1.0,
        doc='The quantile that "quantile" predicts, from 0 to 1. It is linear between the order '
        "statistics of rows and frequencies; with sample weights that differ, as in scikit-learn, "
        "it is the first number whose cumulative weight reaches it.",
    )

    def tally(self, block: Block) -> Bundle:
        """The moments of the target, or for quantiles how often each value occurs."""
        if self.strategy in ("median", "quantile"):
            values, at = np.unique(block.target, return_inverse=True)
            codes = block.counting_keys(Codes(tuple(values.tolist()), at.astype(np.int32)))
            return Bundle({"target": Counts.of(codes, weight=block.weight)})
        target, by = np.ascontiguousarray(block.target[:, None]), block.counting_keys()
        return Bundle({"target": Moments.of(target, by, ("target",), block.weight, block.start)})

    def solve(self, tally: Bundle) -> Constant:
        """The one number."""
        if self.strategy == "constant":
            return Constant(float(self.constant or 0), "constant")
        if self.strategy == "mean":
            return Constant(float(tally["target"].mean[0, 0]), "mean")
        share = 0.5 if self.strategy == "median" else float(self.quantile or 0)
        counts: Counts = tally["target"]
        values = np.array(counts.keys[0], dtype=np.float64)
        found = quantile_of(values, counts.table, share, average=False)
        return Constant(found, f"quantile {share:g}")

    def leave_one_out(self, tally: Bundle, block: Block) -> Array | None:
        """The mean of the others, for every row."""
        if self.strategy != "mean" or block.weight is not None or len(block) < 2:
            return None
        whole = tally["target"]
        rows = Moments.of_rows(np.ascontiguousarray(block.target[:, None]), ("target",))
        return quotient(whole.sums - rows.sums, whole.count - rows.count)[:, 0, 0]

    @property
    def constant_(self) -> Array:
        """(1, 1) the predicted number, as in scikit-learn."""
        self._check_fitted()
        return np.array([[self.model_.value]])

    def _check_combinations(self) -> None:
        for strategy in ("quantile", "constant"):
            if self.strategy == strategy and getattr(self, strategy) is None:
                raise OptionError(
                    f"strategy={strategy!r} needs {strategy}=, which is None. Pass a number."
                )

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        check_parts(tally, {})
        target = tally["target"]
        if self.strategy in ("median", "quantile"):
            if not isinstance(target, Counts) or isinstance((*target.keys[0], 0)[0], str | bool):
                raise ValueError("its tally counts no numbers")
            target.check(1)
        elif isinstance(target, Moments) and target.keys == ("all",):
            target.check()
        else:
            raise ValueError("its tally has no moments")
        if isinstance(target, Moments) and target.columns != ("target",):
            raise ValueError("its tally has the moments of something else")
        if not target:
            raise ValueError("its tally has no rows")

    def _width(self, schema: Schema) -> int:
        return 1  # a baseline needs no columns

    def _add_tags(self, tags: Any) -> None:
        tags.no_validation = True
        tags.regressor_tags.poor_score = True


def _prior_term(priors: Priors, c: int, log: float) -> Term:
    """The class's share as a fraction where that is what is reported."""
    term = priors.term(c)
    return term if abs(term.amount - log) < 1e-12 else Term("", "", log)
