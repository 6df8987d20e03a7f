"""The plan of a logistic regression: classes, columns, words and scales, from one survey pass."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, TargetError, quoted_list, short_repr
from tallylearn.estimators.option_values import by_label
from tallylearn.estimators.passes import Passes
from tallylearn.models.design.column_survey import ColumnSums, design_of
from tallylearn.models.design.columns import References
from tallylearn.models.design.matrix import Design
from tallylearn.models.glm.design_rows import ClassRows, Lexicon, column_scales
from tallylearn.models.glm.losses import LogisticLoss, Standardisation
from tallylearn.models.glm.objective import Objective
from tallylearn.models.glm.penalties import Penalty
from tallylearn.models.naive_bayes.vocabulary import Vocabulary
from tallylearn.tables import Array
from tallylearn.tallies import Bundle
from tallylearn.tallies.documents import Reader
from tallylearn.tallies.weight_kinds import in_rows, number_of_rows
from tallylearn.tallies.words import KINDS, without_weights

NO_COLUMNS = Design(columns=(), values=(), fill=np.empty(0), gaps=np.empty(0), based=(), base=())


@dataclass(frozen=True)
class LogisticPlan:
    """Which columns and words a table becomes, for which classes."""

    classes: tuple[Any, ...]
    counts: Array  # (k,) the weight of every class's rows, class weights among it
    class_weight: Array  # (k,) what times the weights of rows; (0,) where that is 1
    design: Design
    lexicons: tuple[Lexicon, ...]
    centre: Array  # (p,)
    scale: Array  # (p + v,)
    names: tuple[str, ...] = field(default=())
    whole: bool = False  # whether the rows as numbers have no gap
    order: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # (p + v,) coef_'s
    rows: float = 0.0  # how many, frequencies among them

    @property
    def weight(self) -> float:
        return float(self.counts.sum())

    def objective(
        self, passes: Passes, *, n_scores: int, l2: float, l1: float, intercept: bool,
        standardised: bool = True, squared: bool = False,
    ) -> Objective:  # fmt: skip
        """The penalised mean loss over the rows; columns as they are unless ``standardised``."""
        k, m = len(self.classes), n_scores
        centre = self.centre * (intercept and standardised)
        scale = self.scale if standardised else np.ones_like(self.scale)
        columns, loss = Standardisation(centre, scale), LogisticLoss(m, k, squared)
        centred = k if 1 < m < k else 0
        penalty = Penalty.of(scale, self.weight, l2=l2, l1=l1, centred=centred)
        null_coef = np.zeros((m, columns.width))
        log = np.log(self.counts / self.weight)
        null_value = float(np.log(k))
        if intercept:
            null_coef[:, 0] = log - log.mean() if m == k > 2 else log[1:] - log[0]
            null_value = -float(self.counts @ log) / self.weight
        odds = np.exp(null_coef[:, 0])
        share = odds / (odds.sum() + loss.has_reference_class)
        return Objective(
            passes, loss, columns, penalty, self.weight, n_rows=self.rows, names=self.names,
            null_value=null_value, null_coef=null_coef, null_hessian=share * (1 - share),
            intercept=intercept,
        )  # fmt: skip

    def coding(self, missing: str) -> ClassRows:
        """The call that turns blocks into rows of the design matrix."""
        return ClassRows(
            classes=self.classes,
            design=self.design,
            lexicons=self.lexicons,
            missing=missing,
            class_weight=self.class_weight,
            whole=self.whole,
        )


def make_plan(
    survey: Bundle, *, as_given: bool, class_weight: Any, missing: str, min_rows: float,
    reference: References | None, reader: Reader, words: Vocabulary,
) -> LogisticPlan:  # fmt: skip
    """From the survey of all rows; weights that only compare rows sum to their number."""
    learned, weight = number_of_rows(survey), survey["target"].weight
    survey = in_rows(survey, as_given)
    counts = survey["target"]
    seen = counts.floats() > 0
    classes = tuple(key for key, some in zip(counts.keys[0], seen, strict=True) if some)
    if len(classes) < 2:
        raise TargetError(
            f"the target has one class, {short_repr(classes[0])}. Add rows of another class, or "
            "choose another target. This solver needs samples of at least 2 classes in the data."
        )
    rows = counts.floats()[seen]
    weights = _class_weights(class_weight, classes, rows)
    total = rows * weights if weights.size else rows
    if (scale := counts.weight / weight) != 1:
        weights = (weights if weights.size else np.ones(len(classes))) * scale
    lexicons, common = _lexicons(survey, classes, reader, words)
    sums: ColumnSums = survey["numbers"]
    some = (sums.shown > 0).any() or survey.get("categories") is not None
    complete = missing in ("refuse", "drop")
    design = replace(NO_COLUMNS, complete=complete, dropped=sums.dropped)
    if some or not lexicons:
        design = design_of(survey, missing=missing, min_rows=min_rows, reference=reference)
    centre, scale = column_scales(design, sums)
    scale = np.concatenate([scale, common])
    names = [*design.names, *(f"{one.name}: {term}" for one in lexicons for term in one.terms)]
    whole = sums.whole and design.plain
    place = [sums.columns.index(name) for name in design.columns]
    order = np.append(np.argsort(place, kind="stable"), np.arange(len(place), len(scale)))
    return LogisticPlan(
        classes=classes,
        counts=total,
        class_weight=weights,
        design=design,
        lexicons=lexicons,
        centre=centre,
        scale=scale,
        names=tuple(names),
        whole=whole,
        order=order.astype(np.int64),
        rows=float(learned),
    )


def _class_weights(given: Any, classes: tuple[Any, ...], rows: Array) -> Array:
    """(k,) what the rows of every class weigh more; none where all weigh alike."""
    if given is None:
        return np.empty(0)
    if isinstance(given, str):
        return np.asarray(rows.sum() / (len(rows) * rows))
    given = by_label(given)
    if odd := [key for key in given if key not in classes]:
        raise OptionError(
            f"class_weight names {short_repr(odd[0])}, and the classes are {quoted_list(classes)}. "
            "Leave it out."
        )
    return np.array([float(given.get(key, 1.0)) for key in classes])


def _lexicons(
    survey: Bundle, classes: tuple[Any, ...], reader: Reader, words: Vocabulary
) -> tuple[tuple[Lexicon, ...], Array]:
    """The words of every column of text, and (v,) a scale for each: the more rows, the larger."""
    found, scales = [], [np.empty(0)]
    columns = survey.get("text")
    for name, part in () if columns is None else columns.parts.items():
        if "terms" not in part:  # documents without a word
            continue
        terms = part["terms"].keys[-1]
        both = part["terms"].reindex(KINDS, classes, terms).floats().sum(axis=1)  # (2, v)
        plain = without_weights(part)
        held = plain["terms"].reindex(KINDS, classes, terms).floats()[0].sum(axis=0)
        kept = words.of(terms, held, both[1], float(plain["rows"].floats().sum()))
        found.append(Lexicon(name, tuple(terms[i] for i in kept.tolist()), reader))
        scales.append(np.sqrt(both[1][kept] / survey["target"].weight))
    return tuple(found), np.concatenate(scales)
