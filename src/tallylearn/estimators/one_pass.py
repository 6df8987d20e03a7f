"""OnePass: learners whose tables sum up to a tally, and whose tally is solved into a model.

What follows from that is written here, once: streaming, files larger than memory, threads,
merging, forgetting.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from tallylearn import modelfile
from tallylearn.errors import ForgetError, InputError, MergeError, OptionError, speaking, told
from tallylearn.estimators.call_style import Manner
from tallylearn.estimators.fit_input import Lesson, lesson, trusting
from tallylearn.estimators.fit_warnings import let_go, put_aside
from tallylearn.estimators.missing_targets import NONE, Unanswered, total
from tallylearn.estimators.model import Solved
from tallylearn.estimators.options import fitted
from tallylearn.estimators.schema_checks import checked, united
from tallylearn.estimators.sklearn_shell import Estimator
from tallylearn.estimators.tally_checks import LET_GO, UNTALLIED, counted, within_doubles
from tallylearn.sources.memory.table import check_size
from tallylearn.tables import (
    FREQUENCY,
    IDENTIFIER,
    UNKNOWN,
    Array,
    Block,
    Column,
    Schema,
)
from tallylearn.tallies import Bundle
from tallylearn.tallies.bundles import IMPORTANCE
from tallylearn.tallies.importance import (
    as_counted_in,
    compares,
    counted_apart,
    in_rows,
    kind_of_weights,
    number_of_rows,
    updated,
)


@dataclass(frozen=True)
class Learned:
    """All that an estimator remembers of its rows; two add up to what both have seen."""

    schema: Schema
    tally: Bundle
    manner: Manner
    shape: tuple[tuple[str, Any], ...]  # the options that say what is counted
    unanswered: Unanswered = NONE

    def __add__(self, other: Learned) -> Learned:
        self.check_weights(other.tally)
        return Learned(
            united(self.schema, other.schema),
            self.tally + other.tally,
            self.manner + other.manner,
            self.shape,
            self.unanswered + other.unanswered,
        )

    def check_weights(self, other: Bundle | None) -> None:
        """Rows that are counted and rows that are compared have no unit in common."""
        if other and (IMPORTANCE in self.tally) != (IMPORTANCE in other):
            raise MergeError(
                "some rows have weights of importance, and others count as they are: there is no "
                "scale for both. Declare all of them with tl.table(importance=...), or none."
            )


class OnePass(Estimator, ABC):
    """``solve(sum(tally(block) for block in source))``."""

    stored: ClassVar[tuple[type, ...]] = ()  # what a model file of it may hold
    shaping: ClassVar[tuple[str, ...]] = ()  # the options that say what is counted
    counts_values: ClassVar[bool] = False  # whether a threshold counts the rows of a value
    tally_: Any = fitted()

    @property
    def tallied(self) -> bool:
        """Whether what these options ask for is solved from a tally."""
        return True

    @abstractmethod
    def tally(self, block: Block) -> Bundle:
        """Sum a block up: a bundle, whose part "target" counts the rows.

        Its "target" is ``Counts`` by class, or of a regression the ``Moments`` of the target, or
        ``Counts`` of its values: how many rows were learned, which classes were announced, and what
        cannot be forgotten are read off it.
        """

    def seen(self, block: Block) -> Bundle:
        """The tally of a block, and of rows whose weights are no frequencies their number."""
        return self._apart(self.tally(block), block)

    def _apart(self, tally: Bundle, block: Block) -> Bundle:
        if block.weight is None or not isinstance(tally, Bundle):
            return tally
        apart = counted_apart(block, tally.get("target"), self.counts_values)
        return Bundle({**tally.parts, **apart.parts})

    def _in_rows(self, tally: Bundle) -> Bundle:
        """The tally that is solved, where rows have weights that are no frequencies."""
        return in_rows(tally, self._takes_weights_as_given)

    @property
    def _takes_weights_as_given(self) -> bool:
        """Whether the scale of sample weights matters: a penalty or a prior is set against them."""
        return False

    @abstractmethod
    def solve(self, tally: Bundle) -> Solved:
        """Turn a tally into a model; of its parts all but "target" may be lacking."""

    def _solved_from(self, tally: Bundle) -> Any:
        """The model of a tally as it was counted."""
        return self.solve(self._in_rows(tally))

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a table: ``fit(X, y)``, or ``fit(table, "target")``."""
        with self._learning():
            self._check_options()
            read = lesson(self._table(X), y, sample_weight, type(self).__name__, self._aim(X, y))
            self.learn(read)
            put_aside(self, read)
        return self

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from more rows: the same bits as having learned from all of them at once."""
        with self._learning():
            self._check_options()
            before = self._remembered()
            known = None if before is None else before.schema
            name = type(self).__name__
            if not self.tallied:
                raise OptionError(UNTALLIED)
            aim, X = self._aim(X, y), self._table(X)
            now = self._learned(lesson(X, y, sample_weight, name, aim, known, True, self._labels))
            counted = None if before is None else before.tally
            now = replace(now, tally=self._foretold(now.tally, counted, classes))
            self._learn(now if before is None else before + now, patient=True)
        return self

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Unlearn rows: the same bits as never having seen them; forgetting all leaves no model.

        Rows that cannot have been learned are refused, as far as counts and sums tell: those whose
        values were all learned, from other rows of the class, are not noticed.
        """
        with self._learning():
            before = self._remembered()
            if before is None:
                self._check_fitted()
                return self
            name, aim, X = type(self).__name__, self._aim(X, y), self._table(X)
            read = lesson(X, y, sample_weight, name, aim, before.schema, classes=self._labels)
            before.manner.check_several(read.manner)  # one may have been renamed since
            other, left_out = total(self.seen, read)
            left_out.check(read.target)
            before.check_weights(other)
            rest = before.tally
            if other is not None:
                rest = rest - as_counted_in(other, rest)
            if reason := rest.impossible():
                raise ForgetError(
                    f"these rows were not learned ({reason}). Nothing was changed; "
                    "forget only rows that were in 'fit', with the weights they had."
                )
            if rest:
                schema = self._settled(before.schema, rest)
                less = replace(before, schema=schema, tally=rest, unanswered=left_out)
                self._learn(less, patient=True)
            else:
                self._unlearn()
        return self

    @property
    def _labels(self) -> tuple[Any, ...]:
        """The classes that were learned so far; none of a regression."""
        return tuple(getattr(self, "classes_", ()))

    def save(self, path: str | Path, tally: bool = True) -> None:
        """Write a model file. Without its tally it still predicts, and cannot merge or forget."""
        with self._learning():
            self._check_fitted()
            if not isinstance(tally, bool):
                raise OptionError(f"tally is True or False, not {told(tally)}.")
            if tally and self.tally_ is not None:
                self._remembered()
            modelfile.save(self, path, tally=tally and self.tallied)

    def check_lesson(self, read: Lesson, rows: int) -> None:
        """Whether so many rows of a lesson can be learned from with these options, or an error."""
        with speaking(type(self).__name__):
            self._check_options()
            schema = checked(read.schema, self.kinds, type(self).__name__)
            check_size(rows, self._width(schema))

    def learn(self, read: Lesson, tally: Bundle | None = None) -> Self:
        """What ``fit`` does with a lesson; or with the tally of some of its rows."""
        if tally is None:
            self._learn(self._learned(read))
            return self
        schema = self._settled(checked(read.schema, self.kinds, type(self).__name__), tally)
        self._learn(Learned(schema, tally, read.manner, self.shape()))
        return self

    def shape(self) -> tuple[tuple[str, Any], ...]:
        """The options that say what is counted: learners of one shape count alike."""
        return tuple((option, getattr(self, option)) for option in self.shaping)

    def left_out(self, tally: Bundle, block: Block) -> Array | None:
        """The scores or answers of every row by the model of all others, in one solve for all.

        None: leave the rows out one by one.
        """
        return None

    def _learned(self, read: Lesson) -> Learned:
        return trusting(read, self._tallied)

    def _tallied(self, read: Lesson) -> Learned:
        return self._summed_up(read, self.seen)

    def _summed_up(self, read: Lesson, seen: Callable[[Block], Bundle]) -> Learned:
        schema = checked(read.schema, self.kinds, type(self).__name__)
        tally, left_out = total(seen, read, self._left_out)
        method, width = f"{type(self).__name__}.tally", self._width(schema)
        found = counted(tally, left_out, read, width, method)
        schema = self._settled(schema, found)
        return Learned(schema, found, read.manner, self.shape(), left_out)

    def _left_out(self, block: Block) -> Unanswered:
        """The rows of a table that are not in its tally."""
        return Unanswered.in_block(block)

    def _check_stored(self) -> None:
        super()._check_stored()
        if self.tally_ is None:
            return
        if not isinstance(self.tally_, Bundle) or "target" not in self.tally_:
            raise ValueError("its tally is no tally")
        self._check_tally(self.tally_, self.schema_)
        if reason := self.tally_.impossible():
            raise ValueError(f"no rows can have been counted so ({reason})")
        self.tally_ = updated(self.tally_)
        self._shaped = self.shape()

    @abstractmethod
    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        """A tally of a file has the parts that ``tally`` gives: a ValueError says what is odd."""

    def _settled(self, schema: Schema, tally: Bundle) -> Schema:
        """The schema, with columns of which nothing was counted as unknown, whatever their type."""
        counted = self._counted(tally)
        if counted is None or counted.issuperset(schema.names):
            return schema
        columns = (
            c if c.name in counted or c.values or c.kind == IDENTIFIER else Column(c.name, UNKNOWN)
            for c in schema.columns
        )
        return replace(schema, columns=tuple(columns))

    def _counted(self, tally: Bundle) -> set[str] | None:
        """The columns that were counted; None where the learner looks at none."""
        return None

    def _width(self, schema: Schema) -> int:
        """How many columns there are to learn from."""
        return len(schema.columns)

    def _learn(self, learned: Learned, patient: bool = False) -> None:
        """Solve first, then change: a failure leaves the estimator as it was.

        A patient estimator remembers rows that cannot be solved yet (one row has no variance), and
        says why when it is asked for an answer.
        """
        model = None
        with within_doubles():
            try:
                model = self._solved_from(learned.tally)
            except (InputError, OptionError):
                if not patient:
                    raise
        self.schema_, self.tally_, self.model_ = learned.schema, learned.tally, model
        self._remember(learned.manner, learned.unanswered)
        self._shaped = learned.shape
        self._derive()

    def _counted_rows(self) -> float | None:
        if self.tally_ is None:
            return None
        tally = self.tally_
        return float(number_of_rows(tally) if compares(tally) else tally["target"].weight)

    def _weight_kind(self) -> str:
        return FREQUENCY if self.tally_ is None else kind_of_weights(self.tally_)

    def _check_fitted(self) -> None:
        super()._check_fitted()
        if self.model_ is None:
            with speaking(type(self).__name__):
                self.model_ = self._solved_from(self.tally_)
                self._derive()

    def _unlearn(self) -> None:
        let_go(self)
        for name in [*vars(self)]:
            if name.endswith("_") or name in ("_by_name", "_label_type", "_shaped"):
                delattr(self, name)

    def _remembered(self) -> Learned | None:
        if not self.__sklearn_is_fitted__():
            return None
        if self.tally_ is None and not self.tallied:
            raise MergeError(UNTALLIED)
        if self.tally_ is None:
            raise MergeError(LET_GO)
        for (option, then), (_, now) in zip(self._shaped, self.shape(), strict=True):
            if then != now:
                raise OptionError(
                    f"{option} was {then!r} when the rows were counted, and is {now!r} now. "
                    "Fit again, or set it back."
                )
        return Learned(self.schema_, self.tally_, self._manner(), self._shaped, self.unanswered_)
