"""Untallied: the adapter for learners without a tally that do not use `Passes` yet."""

from __future__ import annotations

from tallylearn.estimators.call_style import CallStyle
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.missing_targets import DroppedRows
from tallylearn.estimators.model import Model
from tallylearn.estimators.passes import Learned, Notes
from tallylearn.tables import Schema


class Untallied(Estimator):
    """Keeps its model alone."""

    def _learn(  # another name for _store, until its callers are gone
        self, schema: Schema, model: Model, call_style: CallStyle, unanswered: DroppedRows
    ) -> None:
        self._store(Learned(model, None, Notes(unanswered), schema), call_style)
