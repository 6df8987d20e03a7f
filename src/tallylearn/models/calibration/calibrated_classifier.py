"""Calibrated classifiers: probabilities that are mapped to the shares seen in rows held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tallylearn.estimators import ClassificationModel
from tallylearn.estimators.estimator import Estimator, constructor_call
from tallylearn.estimators.options import TRUTH, either, fitted, one_of, option
from tallylearn.estimators.passes import Learned, Passes, in_memory
from tallylearn.expressions import (
    Argmax,
    ClassifierExpression,
    FilledNumber,
    Literal,
    ModelExpression,
    Number,
    Product,
    Quotient,
    Sum,
    TieRule,
    VectorEntry,
    VectorOf,
    WeightedMean,
)
from tallylearn.models.calibration.calibration_maps import (
    MAPS,
    CalibrationMap,
    IsotonicMap,
    SigmoidMap,
)
from tallylearn.models.calibration.held_out import (
    NAME,
    HeldOut,
    HeldOutClassifier,
    check_members,
    member_expression,
)
from tallylearn.models.voting.members import member_probabilities
from tallylearn.tables import Array, Block, Schema, field_schemas
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Formula, Grid, Term
from tallylearn.workings.equations import equation_chain, formula, number
from tallylearn.workings.evidence_table import MAX_EXPLAINED_ROWS
from tallylearn.workings.weighted_sums import MAX_SHOWN_TERMS, weighted_sum

TIED_DIGITS = 12  # probabilities that agree so far are tied, however they were summed
METHODS = ("sigmoid", "isotonic")


@dataclass(frozen=True, eq=False)
class CalibratedMembers(ClassificationModel):
    """Fitted classifiers, and the maps of their probabilities; the prediction is their mean."""

    form: ClassVar[field_schemas.Form] = {
        "models": field_schemas.many(field_schemas.one(Estimator), "m"),
        "maps": field_schemas.many(field_schemas.one(SigmoidMap, IsotonicMap)),
        "classes": field_schemas.keys("k"),
        "rows": field_schemas.count(),
    }
    models: tuple[Any, ...]
    maps: tuple[CalibrationMap, ...]  # member after member: of the second of two classes, or of all
    classes: tuple[Any, ...]
    rows: int  # that they were fitted to

    def member_maps(self, member: int) -> tuple[CalibrationMap, ...]:
        """The maps of one member."""
        size = maps_per_member(self.classes)
        return self.maps[member * size : (member + 1) * size]

    def base_probabilities(self, block: Block) -> list[Array]:
        """For every member the probabilities (n, k) before the maps."""
        return [member_probabilities(NAME, one, block, self.classes) for one in self.models]

    def calibrate(self, found: Sequence[Array]) -> Array:
        """(m, n, k) the probabilities of the members after their maps."""
        return np.stack([_mapped(self.member_maps(i), p) for i, p in enumerate(found)])

    def shares(self, block: Block) -> Array:
        """(n, k) the mean of the members' calibrated probabilities."""
        return np.asarray(self.calibrate(self.base_probabilities(block)).mean(axis=0))

    def predict_classes(self, block: Block) -> Array:
        """(n,) the most probable class; of tied ones the first."""
        return self.decide(self.shares(block))

    def decide(self, shares: Array) -> Array:
        return np.asarray(np.round(shares, TIED_DIGITS).argmax(axis=1), dtype=np.int64)

    def classes_and_probabilities(self, block: Block) -> tuple[Array, Array]:
        shares = self.shares(block)
        return self.decide(shares), shares

    def evidence(self, block: Block) -> list[Evidence]:
        """What the calibrated probability of every member adds to every class."""
        before = self.base_probabilities(block)
        after = self.calibrate(before)
        shares = after.mean(axis=0)
        chosen = self.decide(shares)
        found = []
        for i in range(len(block)):
            lines = tuple(self._line(c, after[:, i, c], shares[i, c]) for c in range(len(shares.T)))
            row = Evidence(lines, self.classes[int(chosen[i])], "votes")
            if i < MAX_EXPLAINED_ROWS:
                steps = self._working([p[i] for p in before], after[:, i], shares[i])
                row = replace(row, working=steps, terms_shown=True)
            found.append(row)
        return found

    def _line(self, c: int, after: Array, share: float) -> EvidenceLine:
        m = len(self.models)
        terms = (Term(self._member_name(i), "", float(p) / m) for i, p in enumerate(after))
        return EvidenceLine(self.classes[c], tuple(terms), float(share))

    def _member_name(self, member: int) -> str:
        name = type(self.models[member]).__name__
        return name if len(self.models) == 1 else f"{name} {member + 1}"

    def _working(
        self, before: list[Array], after: Array, shares: Array
    ) -> tuple[Grid | Formula, ...]:
        """The probabilities of every member before and after its map, and the mean."""
        shown = [*range(len(self.classes))][1 if len(self.classes) == 2 else 0 :][:MAX_SHOWN_TERMS]
        head = [f"P({self.classes[c]}){word}" for c in shown for word in ("", " calibrated")]
        rows = tuple(
            (self._member_name(i), *(number(float(x[c])) for c in shown for x in (p, after[i])))
            for i, p in enumerate(before)
        )
        grid = Grid("probabilities before and after calibration", ("classifier", *head), rows)
        if len(self.models) == 1 or len(self.models) > MAX_SHOWN_TERMS:
            return (grid,)
        weight = 1 / len(self.models)
        sums = (
            equation_chain(
                f"P({self.classes[c]})",
                weighted_sum(None, [(weight, float(p)) for p in after[:, c]]),
                number(float(shares[c])),
            )
            for c in shown
        )
        return (grid, *map(formula, sums))

    def expression(self, schema: Schema) -> ModelExpression:
        """The mean of the members' probabilities after their maps."""
        k, members = len(self.classes), []
        for i, model in enumerate(self.models):
            base = member_expression(model, self.classes)
            maps = self.member_maps(i)
            if k == 2:
                share = maps[0].expression(VectorEntry(base, 1))
                rest = Sum((Literal(1.0), Product((Literal(-1.0), share))))
                members.append(VectorOf((rest, share)))
                continue
            shares: list[Number] = [
                one.expression(VectorEntry(base, c)) for c, one in enumerate(maps)
            ]
            whole, even = Sum(tuple(shares)), Literal(1 / k)
            items = (FilledNumber(Quotient(share, whole), even) for share in shares)
            members.append(VectorOf(tuple(items)))
        mean = WeightedMean(tuple(members), (1 / len(members),) * len(members))
        ties = TieRule(absolute=10.0**-TIED_DIGITS)
        return ClassifierExpression(self.classes, Argmax(mean, ties), mean)

    def derivation(self, schema: Schema) -> Derivation:
        """The members and their maps."""
        names = [str(one) for one in self.classes][-maps_per_member(self.classes) :]
        rows = tuple(
            (self._member_name(i), constructor_call(model), name, str(each))
            for i, model in enumerate(self.models)
            for name, each in zip(names, self.member_maps(i), strict=True)
        )
        head = ("classifier", "fitted", "class", "map of the probability p")
        return Derivation("Calibration", (Grid("calibration maps", head, rows),))

    def check(self, schema: Schema) -> None:
        """What a file says can be calibrated members of this schema."""
        check_members(self.models, self.classes, schema)
        if not self.models or len(self.classes) < 2:
            raise ValueError("there is no member, or one class")
        if len(self.maps) != len(self.models) * maps_per_member(self.classes):
            raise ValueError("there are not as many maps as members and classes")
        for one in self.maps:
            one.check()


class CalibratedClassifierCV(HeldOutClassifier, options=("estimator", "method", "cv", "ensemble")):
    """Probabilities that are mapped to shares of rows held out: of those at 0.8, 80 % are right.

    A copy of the classifier is fitted to all folds but one, and predicts the probabilities of that
    fold. A map is fitted from them to the classes: a sigmoid (Platt) or an increasing function
    (isotonic regression). With more than two classes, each class has its own map, and the results
    are divided by their sum. Parameters and results are scikit-learn's; where a classifier has a
    ``decision_function``, scikit-learn maps its values, and this its probabilities.

    References
    ----------
    A. Niculescu-Mizil and R. Caruana, Predicting good probabilities with supervised learning, ICML
    2005.

    Examples
    --------
    >>> import tallylearn as tl
    >>> rows = [[x, x % 3] for x in range(60)]
    >>> y = ["yes" if x % 7 + x // 10 > 5 else "no" for x in range(60)]
    >>> model = tl.CalibratedClassifierCV(tl.NaiveBayes(), method="isotonic", cv=3).fit(rows, y)
    >>> model.predict_proba([[50, 2]]).round(3)
    array([[0.048, 0.952]])
    """

    stored: ClassVar[tuple[type, ...]] = (CalibratedMembers, SigmoidMap, IsotonicMap)
    model_: CalibratedMembers = fitted()
    method: str = option(
        default="sigmoid",
        kw_only=False,
        choices=METHODS,
        doc='The map: "sigmoid" has two parameters, for few rows; "isotonic" is any increasing '
        "function, for 1,000 rows or more.",
    )
    ensemble: bool | str = option(
        default=True,
        takes=either(TRUTH, one_of("auto")),
        doc='True or "auto": the mean of the copies of all folds, each with its own map. False: '
        "one classifier, fitted to all rows, with one map that was fitted to all folds.",
    )

    def fit_passes(self, passes: Passes) -> Learned:
        """Fit the copies and their maps to all rows in memory."""
        return in_memory(passes, partial(self._fit_block, passes))

    def _fit_block(self, passes: Passes, block: Block) -> CalibratedMembers:
        found, classes = self._hold_out(passes, block), block.target.values
        if self.ensemble is False:
            whole = np.concatenate([one.probabilities for one in found])
            rows = np.concatenate([one.rows for one in found])
            found = [HeldOut(self._fit_whole(block), rows, whole)]
        maps = [each for one in found for each in self._fit_maps(one, block)]
        return CalibratedMembers(
            tuple(one.model for one in found), tuple(maps), classes, len(block)
        )

    def _fit_maps(self, found: HeldOut, block: Block) -> list[CalibrationMap]:
        """The maps of one member; one of a class that it does not know stays 0."""
        classes, codes = block.target.values, block.target.codes[found.rows]
        weight = np.ones(len(block)) if block.weight is None else block.weight
        places = range(len(classes) - maps_per_member(classes), len(classes))
        known = {*np.asarray(found.model.classes_).tolist()}
        return [
            MAPS[self.method].fit(found.probabilities[:, c], codes == c, weight[found.rows])
            if classes[c] in known
            else IsotonicMap(np.zeros(1), np.zeros(1))
            for c in places
        ]

    def _count_training_rows(self) -> float | None:
        return float(self.model_.rows)

    @property
    def calibrated_classifiers_(self) -> list[Any]:
        """The fitted copies of the classifier, before their maps."""
        self._check_fitted()
        return [*self.model_.models]


def maps_per_member(classes: Sequence[Any]) -> int:
    """The number of maps of each member: one for two classes, else one for each class."""
    return 1 if len(classes) == 2 else len(classes)


def _mapped(maps: tuple[CalibrationMap, ...], p: Array) -> Array:
    """(n, k) the probabilities of one member after its maps."""
    if len(maps) == 1:
        share = maps[0].apply(p[:, 1])
        return np.column_stack([1 - share, share])
    found = np.column_stack([one.apply(column) for one, column in zip(maps, p.T, strict=True)])
    whole = found.sum(axis=1, keepdims=True)
    even = np.full_like(found, 1 / len(maps))  # where no map leaves any class a share
    return np.asarray(np.divide(found, whole, out=even, where=whole != 0))
