"""Explanations of predictions: for every outcome the terms that add up to its score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, overload

from tallylearn.errors import KindError, item_at
from tallylearn.reporting.formatting import plain_data
from tallylearn.reporting.report import Report
from tallylearn.workings.derivations import Formula, Grid, Sentence
from tallylearn.workings.evidence_table import EvidenceTable, EvidenceTables
from tallylearn.workings.reasons import Reasons
from tallylearn.workings.terms import EvidenceLine


@dataclass(frozen=True)
class Evidence(Report):
    """The explanation of one prediction.

    ``how`` says how the terms of an outcome combine, and which outcome is chosen: ``product``, the
    largest product of probabilities; ``sum``, the smallest sum, as of distances; ``score``, the
    largest sum; ``softmax``, the largest sum, with shares exp(total), normalised; ``votes``, the
    largest share of the votes.

    A ``working`` is printed after the notes. It replaces the terms, which are then data only,
    unless ``terms_shown``. A ``preparation``, such as the steps of a pipeline, is printed first.
    Learners write out the working of the first ``MAX_EXPLAINED_ROWS`` rows of a block only.

    >>> import math
    >>> from fractions import Fraction
    >>> from tallylearn.workings import Term
    >>> prior = Term("", "", math.log(9 / 14), Fraction(9), Fraction(14))
    >>> sunny = Term("Outlook", "Sunny", math.log(2 / 9), Fraction(2), Fraction(9))
    >>> print(Evidence((EvidenceLine("Yes", (prior, sunny), 0.4),), "Yes", "product"))
    Yes  9/14 · 2/9 = 1/7   40.0 %
    """

    lines: tuple[EvidenceLine, ...]
    chosen: object
    how: str  # "product", "sum", "score", "softmax" or "votes"
    notes: tuple[str, ...] = ()
    working: tuple[Grid | Formula | Sentence, ...] = ()
    terms_shown: bool = False  # whether the terms are printed beside a working
    preparation: tuple[Grid | Formula | Sentence, ...] = ()
    why: Reasons | None = None  # printed first

    def reasons(self) -> Reasons:
        """The reasons for the prediction: how far each column raised or lowered it, ranked.

        Returns
        -------
        Reasons
            The largest effect first; printing it shows sentences.

        Examples
        --------
        >>> import tallylearn as tl
        >>> model = tl.NaiveBayes().fit(tl.example("tennis"))
        >>> row = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Weak"}
        >>> [(one.column, round(one.effect, 2)) for one in model.explain(row).reasons()]
        [('Outlook', 0.69), ('Humidity', 0.68), ('Wind', -0.4), ('Temperature', -0.29)]
        """
        if self.why is None:
            raise KindError(
                "Evidence.reasons: the prediction is no sum over the columns, so no column has an "
                "effect of its own. Print the explanation, or use model.counterfactual(row)."
            )
        return self.why

    @staticmethod
    def _layout(found: dict[str, Any]) -> EvidenceTable:
        return EvidenceTable.of(found)

    def to_dict(self) -> dict[str, Any]:
        steps = {
            name: [step.to_dict() for step in found]
            for name, found in (("preparation", self.preparation), ("working", self.working))
            if found
        }
        return (
            {
                "chosen": plain_data(self.chosen),
                "how": self.how,
                "lines": [line.to_dict() for line in self.lines],
                "notes": list(self.notes),
                "terms_shown": self.terms_shown or not self.working,
            }
            | steps
            | ({} if self.why is None else {"reasons": self.why.to_dict()})
        )


@dataclass(frozen=True)
class Explanation(Report):
    """The explanations of the predictions of several rows.

    Attributes
    ----------
    rows : tuple of Evidence
        One explanation per row; ``explanation[0]`` is the first.
    """

    rows: tuple[Evidence, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Evidence]:
        return iter(self.rows)

    @overload
    def __getitem__(self, place: int) -> Evidence: ...
    @overload
    def __getitem__(self, place: slice) -> Explanation: ...
    def __getitem__(self, place: int | slice) -> Evidence | Explanation:
        found: Any = item_at(self.rows, place, "rows")
        return Explanation(found) if isinstance(place, slice) else found

    def reasons(self) -> Reasons:
        """The reasons for the prediction of the first row; ``explanation[2].reasons()`` of another.

        Returns
        -------
        Reasons
            How far each column raised or lowered the prediction, the largest effect first.
        """
        return self[0].reasons()

    @staticmethod
    def _layout(found: dict[str, Any]) -> EvidenceTables:
        return EvidenceTables.of(found)

    def to_dict(self) -> dict[str, Any]:
        return {"rows": [row.to_dict() for row in self.rows]}
