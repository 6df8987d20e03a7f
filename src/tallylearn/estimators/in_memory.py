"""Plain: learners that want all rows in front of them, or take them as they come, in their order.

What they learn is no sum over the rows, so nothing adds up afterwards: no merging, no forgetting.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

from tallylearn import engines
from tallylearn.errors import OptionError, TargetError, quoted_list
from tallylearn.estimators.fit_input import FitInput, read_fit_input, retry_reading
from tallylearn.estimators.missing_targets import DroppedRows
from tallylearn.estimators.model import Model
from tallylearn.estimators.schema_checks import check_schema
from tallylearn.estimators.without_tally import Untallied
from tallylearn.sources.columns.class_labels import flat, labels
from tallylearn.sources.memory.table import check_size
from tallylearn.tables import IMPORTANCE, Array, Block, Codes, Schema
from tallylearn.tallies.weight_kinds import weighed_in_rows


class Plain(Untallied, ABC):
    """``train(block)``: all rows in one block, with their target and weights."""

    @abstractmethod
    def train(self, block: Block) -> Model:
        """Turn all rows into a model."""

    def learn(self, read: FitInput) -> Self:
        """What ``fit`` does with rows that are read."""
        schema, block = self._taught(read)
        self._learn(schema, self.train(block), read.call_style, DroppedRows.in_block(block))
        return self

    def by_others(self) -> tuple[Array, Array | None] | None:
        """What each row that was learned is told by a fit of all others; None: fit them.

        Answers, of a classifier as places among its classes, and its shares (n, k).
        """
        return None

    def _weighed(self, block: Block) -> Block:
        """All rows, with the weights that they count by: importances sum to the rows."""
        scaled = block.weight_kind == IMPORTANCE or self._counts_rows_by_weight
        return weighed_in_rows(block) if scaled else block

    @property
    def _counts_rows_by_weight(self) -> bool:
        """Whether sample weights have to sum to the number of rows: thresholds are sums of them."""
        return False

    def _taught(self, read: FitInput) -> tuple[Schema, Block]:
        """The columns, checked, and all rows."""
        return retry_reading(read, self._whole)

    def _whole(self, read: FitInput) -> tuple[Schema, Block]:
        schema = check_schema(read.schema, self.kinds, type(self).__name__)
        block = self._weighed(read.whole(engines.current_engine().report_rows))
        DroppedRows.in_block(block).check(read.target)
        check_size(len(block), len(schema.columns), read.weighed)
        return schema, block


class Incremental(Plain):
    """A plain learner that takes rows as they come: ``update(model, block)``, in their order."""

    @abstractmethod
    def update(self, model: Any, block: Block) -> Model:
        """The model after more rows; at first it is None.

        The classes that may come are in ``block.target.declared``, and never change afterwards.
        """

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from more rows; a classifier names all its ``classes`` at the first call."""
        with self._fit_context("partial_fit"):
            self._check_options()
            fitted = self.__sklearn_is_fitted__()
            known = self.schema_ if fitted else None
            name = type(self).__name__
            read = read_fit_input(
                self._table(X),
                y,
                weight=sample_weight,
                who=name,
                aim=self.task,
                schema=known,
                more=True,
            )
            schema, block = self._taught(read)
            if self.task == "classifier":
                declared = self.model_.classes if fitted else None
                block = replace(block, target=_announced(block.target, classes, declared))
            elif classes is not None:
                raise OptionError("classes= goes with a classifier.")
            model = self.update(self.model_ if fitted else None, block)
            call_style, left_out = read.call_style, DroppedRows.in_block(block)
            if fitted:
                call_style = replace(self._call_style() + call_style, label_type=self._label_type)
                left_out = self.unanswered_ + left_out
            self._learn(schema, model, call_style, left_out)
        return self


def _announced(target: Codes, classes: Any, known: Sequence[Any] | None) -> Codes:
    """The target, with the classes that may come."""
    given = None if classes is None else labels(flat(classes)).values
    if known is None:
        known = target.values if given is None else given
    elif given is not None and tuple(given) != tuple(known):
        raise TargetError(
            f"classes= said {quoted_list(known)} at the first partial_fit, and "
            f"{quoted_list(given)} now. "
            f"`classes={list(given)}` is not the same as on last call to partial_fit, was: "
            f"{list(known)}."
        )
    if odd := [value for value in target.values if value not in known]:
        raise TargetError(
            f"the target has the class {odd[0]!r}, and the first partial_fit knew "
            f"{quoted_list(known)}. Name every class that may come with classes= at the first call."
        )
    return Codes(tuple(known), target.among(known), tuple(known))
