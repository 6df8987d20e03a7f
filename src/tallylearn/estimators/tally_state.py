"""The tally of an estimator, with the schema and the options that it was counted by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tallylearn.errors import MergeError
from tallylearn.estimators.call_style import CallStyle
from tallylearn.estimators.missing_targets import NONE, DroppedRows
from tallylearn.estimators.schema_checks import merge_schemas
from tallylearn.tables import Schema
from tallylearn.tallies import Bundle
from tallylearn.tallies.bundles import IMPORTANCE


@dataclass(frozen=True)
class TallyState:
    """A tally and all that an estimator knows of its rows; those of two tables add up."""

    schema: Schema
    tally: Bundle
    call_style: CallStyle
    shape: tuple[tuple[str, Any], ...]  # the options that say what is counted
    unanswered: DroppedRows = NONE

    def __add__(self, other: TallyState) -> TallyState:
        self.check_weights(other.tally)
        return TallyState(
            merge_schemas(self.schema, other.schema),
            self.tally + other.tally,
            self.call_style + other.call_style,
            self.shape,
            self.unanswered + other.unanswered,
        )

    def check_weights(self, other: Bundle | None) -> None:
        """Raise a MergeError if only one of two tallies has importance weights."""
        if other and (IMPORTANCE in self.tally) != (IMPORTANCE in other):
            raise MergeError(
                "some rows have importance weights and others have none, so they have no common "
                "scale. Declare importance weights for all rows with tl.table(importance=...), or "
                "for none."
            )
