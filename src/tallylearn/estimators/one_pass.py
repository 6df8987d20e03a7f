"""OnePass: the adapter for learners with a tally that do not use `Passes` yet."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.fit_input import FitInput
from tallylearn.estimators.missing_targets import Unanswered, total
from tallylearn.estimators.model import Solved
from tallylearn.estimators.schema_checks import check_schema
from tallylearn.estimators.tally_checks import counted
from tallylearn.estimators.tally_state import TallyState
from tallylearn.tables import Block, Schema
from tallylearn.tallies import Bundle


class OnePass(Estimator, ABC):
    """``solve(sum(tally(block) for block in source))``."""

    @abstractmethod
    def tally(self, block: Block) -> Bundle:
        """Sum a block up: a bundle, whose part "target" counts the rows."""

    @abstractmethod
    def solve(self, tally: Bundle) -> Solved:
        """Turn a tally into a model; of its parts all but "target" may be lacking."""

    @abstractmethod
    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        """A tally of a file has the parts that ``tally`` gives: a ValueError says what is odd."""

    def learn(self, read: FitInput, tally: Any = None) -> Self:
        """What ``fit`` does with rows that are read; or with the tally of some of its rows."""
        if tally is not None:
            return super().learn_tally(read, tally)
        self._learn(self._learned(read))
        return self

    def learn_tally(self, read: FitInput, tally: Bundle) -> Self:
        return self.learn(read, tally)

    def _tallied(self, read: FitInput) -> TallyState:
        return self._summed_up(read, self.seen)

    def _summed_up(self, read: FitInput, seen: Callable[[Block], Bundle]) -> TallyState:
        schema = check_schema(read.schema, self.kinds, type(self).__name__)
        tally, left_out = total(seen, read, self._left_out)
        method, width = f"{type(self).__name__}.tally", self._width(schema)
        found = counted(tally, left_out, read, width, method)
        schema = self._settled(schema, found)
        return TallyState(schema, found, read.call_style, self.shape(), left_out)

    def _left_out(self, block: Block) -> Unanswered:
        """The rows of a table that are not in its tally."""
        return Unanswered.in_block(block)
