"""Kept rows: truth and predictions as they are, for scores that follow from no sum."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tallylearn.tables import Array, Codes

Column = Array | None


@dataclass(frozen=True, eq=False)
class KeptRows:
    """All rows, one after the other; it adds up by being put together, and takes nothing away."""

    truth: Array  # (n,) classes or numbers, (n, d) vectors
    said: Array
    proba: Column  # (n, k)
    decision: Column  # (n, k)
    weight: Column  # (n,)
    classes: Array  # (k,)

    @classmethod
    def of(cls, predictions: Any) -> KeptRows:
        """The rows of predictions, classes by their names."""
        if not isinstance(predictions.truth, Codes):
            none = np.zeros(0)
            return cls(
                truth=predictions.truth,
                said=predictions.said,
                proba=None,
                decision=None,
                weight=predictions.weight,
                classes=none,
            )
        classes = np.array(predictions.known_classes)
        truth, said = (
            classes[part.recode(predictions.known_classes)]
            for part in (predictions.truth, predictions.said)
        )
        at = [predictions.known_classes.index(value) for value in predictions.classes]
        proba, decision = (
            _under_all_classes(found, at, len(classes), empty)
            for found, empty in ((predictions.proba, 0.0), (predictions.decision, -np.inf))
        )
        return cls(
            truth=truth,
            said=said,
            proba=proba,
            decision=decision,
            weight=predictions.weight,
            classes=classes,
        )

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def nothing(self) -> bool:
        return not len(self)

    def __add__(self, other: KeptRows) -> KeptRows:
        if not len(other):
            return self
        if not len(self):
            return other
        rows = {field.name: _join_both(getattr(self, field.name), getattr(other, field.name))
                for field in fields(self) if field.name != "classes"}  # fmt: skip
        return KeptRows(**rows, classes=self.classes)

    def __sub__(self, other: KeptRows) -> KeptRows:
        """No rows: what a bundle puts in the place of a part that it lacks."""
        assert other is self
        rows = {field.name: _make_empty(getattr(self, field.name)) for field in fields(self)}
        return KeptRows(**rows)


def _under_all_classes(found: Column, at: list[int], k: int, empty: float) -> Column:
    """Columns under all classes; one that the model does not know has nothing for it."""
    if found is None or at == list(range(k)):
        return found
    out = np.full((len(found), k), empty)
    out[:, at] = found
    return out


def _join_both(first: Any, second: Any) -> Any:
    return None if first is None or second is None else np.concatenate([first, second])


def _make_empty(found: Any) -> Any:
    return None if found is None else found[:0]
