"""OnePass: learners whose tables sum up to a tally, and whose tally is solved into a model.

What follows from that is written here, once: streaming, files larger than memory, threads, merging, forgetting.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Self

from tallylearn import engines, modelfile
from tallylearn.doors.intake import Lesson, lesson
from tallylearn.doors.schemas import checked, united
from tallylearn.doors.shell import Estimator
from tallylearn.errors import ForgetError, MergeError, speaking
from tallylearn.sources.memory import check_size
from tallylearn.tables import Block, Schema


class OnePass(Estimator, ABC):
    """``solve(sum(tally(block) for block in source))``."""

    kinds: ClassVar[tuple[str, ...]] = ()  # the kinds of columns that it learns from
    stored: ClassVar[tuple[type, ...]] = ()  # what a model file of it may hold
    schema_: Schema
    tally_: Any
    model_: Any

    @abstractmethod
    def tally(self, block: Block) -> Any:
        """Sum a block up."""

    @abstractmethod
    def solve(self, tally: Any) -> Any:
        """Turn a tally into a model."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a table: ``fit(X, y)``, or ``fit(table, "target")``."""
        with speaking(type(self).__name__):
            self._check_options()
            read = lesson(X, y, sample_weight, type(self).__name__)
            schema = checked(read.source.schema, self.kinds, type(self).__name__)
            tally = self._total(read)
            self._check_size(tally, read, schema)
            self._learn(schema, tally, read.label_type, read.by_name)
        return self

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from more rows: the same bits as having learned from all of them at once."""
        with speaking(type(self).__name__):
            self._check_options()
            before = self._state()
            schema = before["schema_"] if before else None
            read = lesson(X, y, sample_weight, type(self).__name__, schema)
            schema = schema or checked(read.source.schema, self.kinds, type(self).__name__)
            tally = self._total(read)
            self._check_size(tally, read, schema)
            tally = self._foretold(tally, before["tally_"] if before else None, classes)
            tally = before["tally_"] + tally if before else tally
            kept = (before["_label_type"], before["_by_name"]) if before else (read.label_type, read.by_name)
            self._learn(schema, tally, *kept)
        return self

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Unlearn rows: the same bits as never having seen them; forgetting all leaves no model."""
        self._check_fitted()
        with speaking(type(self).__name__):
            read = lesson(X, y, sample_weight, type(self).__name__, self.schema_)
            other = self._total(read)
            if other is None:
                return self
            rest = self.tally_ - other
            if reason := rest.impossible():
                raise ForgetError(
                    f"these rows were not learned ({reason}). Nothing was changed; "
                    "forget only rows that were in 'fit', with the weights they had."
                )
            if rest:
                self._learn(self.schema_, rest, self._label_type, self._by_name)
            else:
                self._unlearn()
        return self

    def save(self, path: str | Path, tally: bool = True) -> None:
        """Write a model file. Without its tally it still predicts, and cannot merge or forget."""
        self._check_fitted()
        modelfile.save(self, path, tally=tally)

    def _check_options(self) -> None:
        """Raise an OptionError for a parameter that cannot be."""

    def _total(self, read: Lesson) -> Any:
        return engines.total(self.tally, read.blocks(self.task))

    def _check_size(self, tally: Any, read: Lesson, schema: Schema) -> None:
        weighed = read.weight is not None or read.source.declared.weight is not None
        check_size(1 if tally else 0, len(schema.columns), weighed)

    def _learn(self, schema: Schema, tally: Any, label_type: str, by_name: bool) -> None:
        """Solve first, then change: a failure leaves the estimator as it was."""
        model = self.solve(tally)
        self.schema_, self.tally_, self.model_ = schema, tally, model
        self._label_type, self._by_name = label_type, by_name
        self._derive()

    def _unlearn(self) -> None:
        for name in [name for name in vars(self) if name.endswith("_") or name in ("_by_name", "_label_type")]:
            delattr(self, name)

    def _state(self) -> dict[str, Any] | None:
        if not self.__sklearn_is_fitted__():
            return None
        if self.tally_ is None:
            raise MergeError("this model was saved without its tally, and cannot learn or forget.")
        return vars(self)


def merge(*estimators: Any) -> Any:
    """One estimator from several: the same bits as fitting on all their rows.

    >>> import tallylearn as tl
    >>> table = tl.example("tennis")
    >>> parts = tl.NaiveBayes().fit(table[:5]), tl.NaiveBayes().fit(table[5:])
    >>> tl.merge(*parts).tally_ == tl.NaiveBayes().fit(table).tally_
    True
    """
    if not estimators:
        raise MergeError("merge: there is nothing to merge. Pass fitted estimators.")
    first = estimators[0]
    with speaking("merge"):
        for other in estimators:
            _check_alike(first, other)
        merged = type(first)(**first.get_params())
        schema, tally, label_type = first.schema_, first.tally_, first._label_type
        for other in estimators[1:]:
            schema = united(schema, other.schema_)
            tally = tally + other.tally_
            label_type = label_type if label_type == other._label_type else ""
        merged._learn(schema, tally, label_type, first._by_name)
    return merged


def _check_alike(first: Any, other: Any) -> None:
    name = type(other).__name__
    if not isinstance(other, OnePass):
        raise MergeError(f"{name} has no tally, so it does not add up.")
    other._check_fitted()
    if other.tally_ is None:
        raise MergeError(f"a {name} was saved without its tally, and cannot be merged.")
    if type(other) is not type(first):
        raise MergeError(f"a {type(first).__name__} and a {name} do not add up.")
    mine, theirs = first.get_params(), other.get_params()
    for option in mine:
        if repr(mine[option]) != repr(theirs[option]):
            raise MergeError(
                f"the {name}s differ in {option}: {mine[option]!r} and {theirs[option]!r}. "
                "Fit them with the same options."
            )
