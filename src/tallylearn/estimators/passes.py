"""Passes over a table: what a learner sees of the rows that it is fitted to.

`Passes` is a table and the engine in force together. A learner asks it for sums over all rows, as
often as it needs them, and never knows whether the rows are in memory, in files or elsewhere:

    def fit_passes(self, passes: Passes) -> Learned:
        tally = passes.total(self.tally)
        return Learned(self.solve(tally), tally)

Everything that is passed to ``total``, ``map`` and ``each`` pickles, and holds no rows: a bound
method of the learner, a function, a ``functools.partial`` or a small frozen dataclass.
`one_pass`, `iterate` and `in_memory` are the usual shapes of ``fit_passes``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.estimators.call_style import CallStyle
from tallylearn.estimators.fit_input import FitInput
from tallylearn.estimators.fit_warnings import NO_SAMPLE, TableSample
from tallylearn.estimators.missing_targets import NONE, Counting, DroppedRows
from tallylearn.estimators.tally_checks import NO_COMPLETE_ROWS
from tallylearn.sources import Part, Parts
from tallylearn.sources.memory.table import check_size
from tallylearn.sources.spill import spill_to_disk
from tallylearn.tables import IMPORTANCE, TEXT, Block, Schema
from tallylearn.tallies.weight_kinds import scale_weights_to_rows

Result = TypeVar("Result")
Item = TypeVar("Item")


class TrainingInput:
    """The rows of the last fit, and what prediction intervals are computed from.

    A copy or a pickle has neither.
    """

    __slots__ = ("intervals", "read")

    def __init__(self, read: FitInput | None = None, intervals: Any = None) -> None:
        self.read = read  # None: the rows were not kept
        self.intervals = intervals  # ConformalIntervals, once somebody has asked

    def __reduce__(self) -> tuple[Any, ...]:
        return TrainingInput, ()


NO_TRAINING_INPUT = TrainingInput()


class Notes(NamedTuple):
    """What there is to know of a fit beside the model: a learner gives the first two fields."""

    unanswered: DroppedRows = NONE  # rows without a target, and rows dropped for a missing value
    warnings: tuple[str, ...] = ()
    call_style: CallStyle = CallStyle()
    shape: tuple[tuple[str, Any], ...] = ()  # the options that the tally was counted with
    sample: TableSample = NO_SAMPLE  # some training rows, for ``cautions_``
    training: TrainingInput = NO_TRAINING_INPUT  # the rows of regressors, for ``predict_interval``


NO_NOTES = Notes()


class Learned(NamedTuple):
    """What ``fit_passes`` returns."""

    model: Any  # frozen, stored in the .tally file; None where a tally cannot be solved yet
    tally: Any = None  # if it can be merged and forgotten
    notes: Notes = NO_NOTES
    schema: Schema | None = None  # None: the columns as they were read
    kept: Mapping[str, Any] = {}  # other attributes of the estimator, which no model file holds


class _Shared:
    """What all passes of a fit share."""

    __slots__ = ("open", "unanswered")

    def __init__(self) -> None:
        self.unanswered: DroppedRows | None = None  # as the first pass has counted them
        self.open: ExitStack | None = None  # temporary folders


class Passes:
    """The rows of a table, and the engine that reads them; one for every fit.

    ``width`` is the number of columns that there are to learn from, and ``rows`` the parts that are
    read, those of ``read`` unless they are mapped or cached. ``only`` is the one block of a table
    in memory, as it is mapped; None where there are more. ``kept`` says whether the rows of files
    are in a temporary folder by now.
    """

    __slots__ = ("_shared", "engine", "kept", "only", "read", "rows", "schema", "width")

    def __init__(
        self,
        read: FitInput,
        schema: Schema,
        width: int,
        *,
        rows: Parts[Any] | None = None,
        only: Any = None,
        kept: bool = False,
    ) -> None:
        self.read, self.schema, self.width = read, schema, width
        self.rows: Parts[Any] = read if rows is None else rows
        self.only, self.kept = only, kept
        self.engine = engines.current_engine()
        self._shared = _Shared()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        if self._shared.open is not None:
            self._shared.open.close()

    @property
    def n_rows(self) -> int | None:
        """How many rows the table has, where that is known; those without a target included."""
        return self.read.source.size

    @property
    def by_name(self) -> bool:
        """Whether columns are matched by name: after fit(table, name), and not after fit(X, y)."""
        return self.read.call_style.by_name

    @property
    def target(self) -> str | None:
        """The name of the target, where it is a column."""
        return self.read.target

    @property
    def dropped_rows(self) -> DroppedRows:
        """The rows without a target, known after the first ``total`` or ``whole``."""
        return NONE if self._shared.unanswered is None else self._shared.unanswered

    def total(
        self,
        call: Callable[[Any], Result],
        left_out: Callable[[Block], DroppedRows] = DroppedRows.in_block,
    ) -> Result:
        """The sum of ``call(block)`` over all blocks, in a fixed order of additions.

        The first pass counts the rows that lack their target, by ``left_out``, and raises an
        InputError where no row or no column is left.
        """
        if self._shared.unanswered is None:
            return self._total_first(call, left_out)
        if self.only is not None and self._is_silent:
            return call(self.only)
        found: Result | None = self.engine.total(*compose(call, self.rows))
        if found is None:
            raise InputError(
                "the table had rows in the first pass and has none now. Do not change the source "
                "while a model is fitted."
            )
        return found

    def _total_first(
        self, call: Callable[[Any], Result], left_out: Callable[[Block], DroppedRows]
    ) -> Result:
        whole, parts = compose(call, self.rows)
        found = self.engine.total(Counting[Result](whole, left_out), parts)
        unanswered = NONE if found is None else found.unanswered
        self._note(unanswered, unanswered.answered)
        assert found is not None  # no row is an error
        return found.tally

    def map(self, call: Callable[[Any], Result]) -> Iterator[Result]:
        """``call(block)`` for every block, in order, with few blocks in memory at a time."""
        return self.engine.map(*compose(call, self.rows))

    def each(
        self,
        call: Callable[[Item], Result],
        items: Iterable[Item],
        done: Callable[[int], None] | None = None,
    ) -> list[Result]:
        """``call(item)`` for items that are no rows, such as the trees of a forest, in order.

        ``done`` is called in this process after each of them.
        """
        return self.engine.each(call, items, done)

    def whole(self) -> Block:
        """All rows that are learned from in one block, with their target and weights."""
        block = self.read.whole(self.engine.report_rows)
        self._note(DroppedRows.in_block(block), len(block))
        for transform in reversed(_transforms(self.rows)):
            block = transform(block)
        return block

    def mapped(self, transform: Callable[[Any], Any], schema: Schema | None = None) -> Passes:
        """The same rows, every block transformed when it is read; ``schema`` is then theirs."""
        found = self._with(Mapped(self.rows, transform))
        if schema is not None:
            found.schema, found.width = schema, len(schema.columns)
        return found

    def every(self, k: int) -> Passes:
        """A systematic sample: every k-th row of every block."""
        return self if k == 1 else self.mapped(partial(_sample_every, k=k))

    def cached(self) -> Passes:
        """The same rows, ready for many passes.

        Rows of a table in memory are transformed once and held. Rows of files go into a temporary
        folder as they are read first, if to read them is to parse text, or if there is room; rows
        that were transformed since are written again only where they have text.
        """
        if self.n_rows is not None:
            return self.load()
        texts = bool(self.read.schema.of_kind(TEXT))
        if self.kept and not (texts and isinstance(self.rows, Mapped)):
            return self
        must = self.read.needs_parsing or texts
        found = spill_to_disk(self.rows) if self.kept else spill_to_disk(self.rows, must=must)
        if self._shared.open is None:
            self._shared.open = ExitStack()
        return self._with(self._shared.open.enter_context(found), kept=True)

    def load(self) -> Passes:
        """The same rows, transformed once and held in memory, wherever they are read from."""
        call, rows = compose(_return_block, self.rows)
        if not isinstance(self.rows, Mapped):
            blocks = [*islice((block for part in rows.parts() for block in part.blocks()), 2)]
            return self._with(self.rows, only=blocks[0]) if len(blocks) == 1 else self
        parts = (self.engine.map(call, OnePartSource(part)) for part in rows.parts())
        held = tuple(engines.SinglePart([*blocks]) for blocks in parts)
        single = len(held) == 1 and len(held[0].items) == 1  # type: ignore[arg-type]
        return self._with(Held(held), only=next(iter(held[0].items)) if single else None)

    @property
    def _is_silent(self) -> bool:
        return getattr(self.engine, "watch", None) is None

    def _with(self, rows: Parts[Any], *, only: Any = None, kept: bool = False) -> Passes:
        found = Passes(
            self.read, self.schema, self.width, rows=rows, only=only, kept=kept or self.kept
        )
        found.engine, found._shared = self.engine, self._shared
        return found

    def _note(self, unanswered: DroppedRows, n_rows: int) -> None:
        """Remember what the first pass has counted, and check that some row is left."""
        if self._shared.unanswered is None:
            unanswered.check(self.target)
            check_size(n_rows, self.width, self.read.weighed)
            self._shared.unanswered = unanswered


def one_pass(passes: Passes, tally: Callable[[Block], Any], solve: Callable[[Any], Any]) -> Learned:
    """Sum the table up once, and solve the sum."""
    total = passes.total(tally)
    if not total:
        raise InputError(NO_COMPLETE_ROWS)
    return Learned(solve(total), total)


class State(Protocol):
    """Where an iterative learner stands between two passes: small, frozen, picklable."""

    @property
    def done(self) -> bool:
        """Whether no more passes are needed."""
        ...


StateT = TypeVar("StateT", bound=State)


def iterate(
    passes: Passes,
    start: StateT,
    tally: Callable[..., Any],
    step: Callable[[StateT, Any], StateT],
    *,
    max_passes: int | None = None,
) -> StateT:
    """``state = step(state, total of tally(block, state=state))`` until the state is done."""
    state, of = start, "" if max_passes is None else f" of {max_passes}"
    for number in count(1):
        if state.done:
            return state
        if max_passes is not None and number > max_passes:
            break
        with engines.report_stage(f"round {number}{of}"):
            state = step(state, passes.total(partial(tally, state=state)))
    raise InputError(
        f"the fit has not converged after {max_passes} passes. Raise the limit, or scale the "
        "columns."
    )


def in_memory(
    passes: Passes, train: Callable[[Block], Any], *, scale_weights: bool = False
) -> Learned:
    """Train on all rows in one block; ``train`` returns the model, or all that is learned."""
    found = train(scaled_weights(passes.whole(), scale_weights))
    return found if isinstance(found, Learned) else Learned(found)


def scaled_weights(block: Block, scale_weights: bool = False) -> Block:
    """The rows with importances scaled to sum to the number of rows.

    With ``scale_weights`` sample weights are scaled too, for learners whose thresholds are sums of
    weights.
    """
    scaled = block.weight_kind == IMPORTANCE or scale_weights
    return scale_weights_to_rows(block) if scaled else block


@dataclass(frozen=True)
class MappedPart:
    """A part whose blocks are transformed as they are read."""

    part: Part[Any]
    transform: Callable[[Any], Any]

    def blocks(self) -> Iterator[Any]:
        return map(self.transform, self.part.blocks())


@dataclass(frozen=True)
class Mapped:
    """Parts whose blocks are transformed as they are read."""

    source: Parts[Any]
    transform: Callable[[Any], Any]

    def parts(self) -> Iterator[MappedPart]:
        return (MappedPart(part, self.transform) for part in self.source.parts())


@dataclass(frozen=True)
class OnePartSource:
    """A part as a source of its own; it is read where the engine works, and pickles if it does."""

    part: Part[Any]

    def parts(self) -> Iterator[Part[Any]]:
        return iter((self.part,))


@dataclass(frozen=True)
class Held:
    """Blocks in memory, part by part."""

    of_parts: tuple[engines.SinglePart[Any], ...]

    def parts(self) -> Iterator[engines.SinglePart[Any]]:
        return iter(self.of_parts)


@dataclass(frozen=True)
class Composed:
    """A call on a block that is transformed first."""

    transform: Callable[[Any], Any]
    call: Callable[[Any], Any]

    def __call__(self, block: Any) -> Any:
        return self.call(self.transform(block))


def compose(
    call: Callable[[Any], Any], rows: Parts[Any]
) -> tuple[Callable[[Any], Any], Parts[Any]]:
    """A call and its rows, with the transforms in the call: they run on the engine's threads."""
    while isinstance(rows, Mapped):
        call, rows = Composed(rows.transform, call), rows.source
    return call, rows


def _transforms(rows: Parts[Any]) -> list[Callable[[Any], Any]]:
    """The transforms of mapped parts, the last one first."""
    found = []
    while isinstance(rows, Mapped):
        found.append(rows.transform)
        rows = rows.source
    return found


def _return_block(block: Any) -> Any:
    return block


def _sample_every(item: Any, k: int) -> Any:
    """Every k-th row of a block, or of what knows itself how to be sampled."""
    return item.every(k) if hasattr(item, "every") else item[np.arange(0, len(item), k)]
