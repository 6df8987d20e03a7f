"""Rounds: learners that sum their table up again and again, each time from where they stand.

A survey says what there is; a state begins from it; every round sums the table up as the state
sees it, and steps on to the next state, until one is done and is solved into a model. The rows are
read through the engine in force in every pass. Those of files are kept in the first one: text is
parsed once, and what is decoded is decoded once where there is room.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, Generic, Protocol, Self, TypeVar

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.estimators.fit_input import FitInput, retry_reading
from tallylearn.estimators.missing_targets import Unanswered, total
from tallylearn.estimators.model import Model
from tallylearn.estimators.schema_checks import check_schema
from tallylearn.estimators.tally_checks import counted, within_doubles
from tallylearn.estimators.without_tally import Untallied
from tallylearn.sources import Part, Parts
from tallylearn.sources.spill import spill_to_disk
from tallylearn.tables import TEXT, Block, Schema
from tallylearn.tallies import Bundle


class State(Protocol):
    """Where a learner stands between two rounds: small, frozen, picklable.

    It may pass through phases (seeding, a line search), each with tallies of its own, and hold a
    leading axis of folds.
    """

    @property
    def done(self) -> bool:
        """Whether no more rounds are needed."""
        ...


StateT = TypeVar("StateT", bound=State)
TallyT = TypeVar("TallyT")


class Rounds(Untallied, ABC, Generic[StateT, TallyT]):
    """``step(state, sum(tally(block, state) for block in source))`` until ``state.done``."""

    @abstractmethod
    def survey(self, block: Block) -> Bundle:
        """What a block says before the first round: classes, categories, means, scales.

        A bundle whose part "target" counts the rows, as that of ``Estimator.tally`` does. What
        makes rows useless is best refused here: every block passes once.
        """

    @abstractmethod
    def begin(self, survey: Bundle) -> StateT:
        """The state before the first round, from the surveys of all blocks."""

    @abstractmethod
    def tally(self, block: Block, state: StateT) -> TallyT:
        """Sum a block up as the state sees it: anything that adds up with +."""

    @abstractmethod
    def step(self, state: StateT, tally: TallyT) -> StateT:
        """The next state; an InputError where the rounds lead nowhere."""

    @abstractmethod
    def solve(self, state: StateT) -> Model:
        """Turn the last state into a model."""

    def limit(self, state: StateT) -> int | None:
        """How many rounds there may be from a state on; None leaves that to the states."""
        return None

    def coded(self, block: Block) -> Block:
        """A block as all passes see it, such as with its words counted; kept with the rows."""
        return block

    def prepared(self, block: Block, state: StateT) -> Any:
        """A block as all rounds see it, once the survey is known; kept where that is worth it."""
        return block

    def looked_at(self, source: Parts[Any], state: StateT, last: Parts[Any]) -> Parts[Any]:
        """The rows of the next round: all of a source, or some; ``last`` are those of the last."""
        return source

    def learn(self, read: FitInput) -> Self:
        """What ``fit`` does with rows that are read."""
        schema, model, left_out = retry_reading(read, self._solved)
        self._learn(schema, model, read.call_style, left_out)
        return self

    def _solved(self, read: FitInput) -> tuple[Schema, Model, Unanswered]:
        name = type(self).__name__
        schema = check_schema(read.schema, self.kinds, name)
        with self._many_passes(read) as source:
            with engines.report_stage("survey"):
                survey, left_out = total(*worked(self.survey, source))
            found = counted(survey, left_out, read, len(schema.columns), f"{name}.survey")
            with within_doubles():
                state = self.begin(found)
                with self._ready(read, source, state) as rows:
                    model = self.solve(self.rounds(state, rows))
        return schema, model, left_out

    def rounds(self, state: StateT, source: Parts[Any]) -> StateT:
        """The state in which it is done, round after round over the rows of a source."""
        most = self.limit(state)
        of = "" if most is None else f" of {most}"
        rows = source
        for number in count(1):
            if state.done:
                break
            if most is not None and number > most:
                raise InputError(
                    f"no convergence after {most} iterations. Allow more of them, or scale the "
                    "columns."
                )
            with engines.report_stage(f"round {number}{of}"):
                rows = self.looked_at(source, state, rows)
                call = partial(self.tally, state=state)
                tally = engines.current_engine().total(*worked(call, rows))
            if tally is None:
                raise InputError("the rows that were there in the first pass are gone.")
            state = self.step(state, tally)
        return state

    @contextmanager
    def _many_passes(self, read: FitInput) -> Iterator[Parts[Block]]:
        """The rows of fit for many passes."""
        source = Coded(read, self.coded)
        if read.source.size is not None:
            yield source
            return
        with spill_to_disk(source, must=read.parsed or _worded(read)) as kept:
            yield kept

    @contextmanager
    def _ready(self, read: FitInput, source: Parts[Block], state: StateT) -> Iterator[Parts[Any]]:
        """The rows as they are prepared: held in memory where they came from there.

        Words are numbered once: those of files are spilled again, with their numbers.
        """
        if type(self).prepared is Rounds.prepared:
            yield source
            return
        rows = Coded(source, partial(self.prepared, state=state))
        if read.source.size is not None:
            with engines.report_stage("preparation"):
                yield Held.of(rows)
        elif _worded(read):
            with spill_to_disk(rows) as kept:
                yield kept
        else:
            yield rows


@dataclass(frozen=True)
class CodedPart:
    """A part whose blocks a learner has coded."""

    part: Part[Any]
    coding: Callable[[Any], Any]

    def blocks(self) -> Iterator[Any]:
        return map(self.coding, self.part.blocks())


@dataclass(frozen=True)
class Coded:
    """Rows as a learner codes them."""

    source: Parts[Any]
    coding: Callable[[Any], Any]

    def parts(self) -> Iterator[CodedPart]:
        return (CodedPart(part, self.coding) for part in self.source.parts())


@dataclass(frozen=True)
class Worked:
    """A call for rows as they are coded."""

    coding: Callable[[Any], Any]
    call: Callable[[Any], Any]

    def __call__(self, block: Any) -> Any:
        return self.call(self.coding(block))


def worked(call: Callable[[Any], Any], rows: Parts[Any]) -> tuple[Callable[[Any], Any], Parts[Any]]:
    """A call and its rows: who makes it codes them too, on a thread or a worker of its own."""
    while isinstance(rows, Coded):
        call, rows = Worked(rows.coding, call), rows.source
    return call, rows


@dataclass(frozen=True)
class Held:
    """Rows as they were coded, in memory, part by part."""

    of_parts: tuple[engines.SinglePart[Any], ...]

    @classmethod
    def of(cls, source: Coded) -> Held:
        """All rows of a source, coded on the engine in force."""
        here, (call, rows) = engines.current_engine(), worked(source.coding, source.source)
        parts = (engines.SinglePart(part.blocks()) for part in rows.parts())
        return cls(tuple(engines.SinglePart([*here.map(call, part)]) for part in parts))

    def parts(self) -> Iterator[engines.SinglePart[Any]]:
        return iter(self.of_parts)


def _worded(read: FitInput) -> bool:
    """Whether words would be read anew in every pass: the rows are no memory, and have text."""
    return read.source.size is None and bool(read.schema.of_kind(TEXT))
