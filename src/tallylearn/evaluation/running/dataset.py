"""Datasets: a table and its target, read once, that any learner can be asked about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.errors import (
    ColumnError,
    InputError,
    KindError,
    OptionError,
    TargetError,
    did_you_mean,
    quoted_list,
    short_repr,
)
from tallylearn.estimators.decision_threshold import positive_class
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.fit_input import FitInput, read_fit_input
from tallylearn.estimators.missing_targets import NONE, DroppedRows
from tallylearn.evaluation.running.dropped_rows import columns_in, drops_gaps, without_gaps
from tallylearn.evaluation.running.outside_columns import columns_of, pickable, target_of
from tallylearn.folds.fold_checks import check_length
from tallylearn.folds.rows import column_codes, column_of, group_codes, length
from tallylearn.sources import DeclaredTable, declared_table
from tallylearn.sources.columns.class_labels import weights
from tallylearn.sources.memory.arrays import array_of_items
from tallylearn.sources.memory.joined_blocks import join_blocks
from tallylearn.sources.memory.sparse_matrices import is_sparse
from tallylearn.sources.memory.table import check_rows
from tallylearn.tables import FREQUENCY, IMPORTANCE, SAMPLE_WEIGHT, Array, Block, Codes, Schema
from tallylearn.tallies.weight_kinds import worth

TASKS = ("classifier", "regressor")
MEANT = {FREQUENCY: "frequencies", IMPORTANCE: "of importance", SAMPLE_WEIGHT: "sample weights"}


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows to learn from and to be asked about, with what is true of them.

    Rows of weight zero and rows without a target are left out: ``rows`` has the numbers of the
    others, and everything else is said of those alone.
    """

    X: Any  # as it came, for estimators that are not ours
    y: Any
    read: FitInput | None  # for our learners; None where the target is a vector
    task: str
    truth: Any  # (n,) Codes; numbers (n,) or (n, d)
    rows: Array  # (n,)
    size: int  # rows in the source
    weight: Array | None = None  # (n,)
    groups: Codes | None = None  # (n,)
    files: DeclaredTable | None = None  # where the rows came from, if not from memory
    unanswered: DroppedRows = NONE
    entire: Dataset | None = None  # with the rows that were dropped for a gap, where some were

    @classmethod
    def of(
        cls, X: Any, y: Any, weight: Any, groups: Any, task: str, who: str = "evaluate",
        schema: Schema | None = None, classes: Sequence[Any] = (), learners: Iterable[Any] = (),
    ) -> Dataset:  # fmt: skip
        """Read the table, as a model did if it has a schema.

        A target of several columns is a vector of numbers. Rows with gaps are left out where one of
        the learners drops them, so that all answer the same; files are read into memory for that.
        """
        learners = [*learners]
        drops = any(map(drops_gaps, learners))
        if (vectors := _vectors(y, task)) is not None:
            whole = cls._of_vectors(X, vectors, weight, groups)
            return whole._without_gaps(columns_in(X)[whole.rows]) if drops else whole
        X, seen = pickable(X) if is_sparse(X) else (X, X)
        _check_groups(X, groups)
        named = groups if isinstance(groups, str) else None
        read = read_fit_input(
            seen, y, weight=weight, who=who, aim=task, schema=schema, classes=classes, groups=named
        )
        if read.formula is not None:
            y = read.formula.target
            drops = drops or any(getattr(one, "takes_formula", False) for one in learners)
        beside = join_blocks(read.role_blocks, Schema(()))
        if not len(beside):
            raise InputError("the table has no rows. Pass a table with rows.")
        truth, given, within = beside.target, beside.weight, beside.group
        files, first = (read.source if read.source.size is None else None), read.source.first_row
        if files is not None:
            held = read.coded_table.load() if drops else read.coded_table.load_if_small()
            read = read.with_sizes() if held.size is None else replace(read, source=held)
        rows, unanswered = beside.training_indices(), DroppedRows.in_block(beside.training_rows())
        unanswered.check(read.target)
        if not len(rows):
            raise InputError(
                "no row has a target and a weight above zero. Give some rows a weight above zero."
            )
        kept = within if groups is None or named is not None else column_codes(groups)
        if kept is not None:
            check_length("groups", len(kept), len(truth))
        found = cls(
            X=X,
            y=y,
            read=read,
            task=task,
            truth=truth[rows],
            rows=rows,
            size=len(truth),
            weight=None if given is None else given[rows],
            groups=None if kept is None else group_codes(kept[rows], rows + first),
            files=files,
            unanswered=unanswered,
        )
        if is_sparse(X):
            return found.blind
        return found._without_gaps(read.whole()) if drops else found

    @classmethod
    def _of_vectors(cls, X: Any, y: Array, weight: Any, groups: Any) -> Dataset:
        if not np.isfinite(y).all():
            row = int(np.argmin(np.isfinite(y).all(axis=1)))
            raise TargetError(f"the target is {y[row].tolist()} in row {row}. Remove that row.")
        check_rows(length(X), y)
        given = None if weight is None else weights(weight, len(y))
        rows = np.arange(len(y)) if given is None else np.flatnonzero(given > 0)
        within = None if groups is None else group_codes(groups)
        if within is not None:
            check_length("groups", len(within), len(y))
            within = within[rows]
        kept = None if given is None else given[rows]
        return cls(
            X=X,
            y=y,
            read=None,
            task="regressor",
            truth=y[rows],
            rows=rows,
            size=len(y),
            weight=kept,
            groups=within,
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: Array) -> Dataset:
        """Some of the rows, for folds to be dealt out among them."""
        truth = self.truth[rows]
        return replace(
            self,
            truth=group_codes(truth) if isinstance(truth, Codes) else truth,
            rows=self.rows[rows],
            weight=None if self.weight is None else self.weight[rows],
            groups=None if self.groups is None else group_codes(self.groups[rows]),
        )

    def _without_gaps(self, columns: Block) -> Dataset:
        """The rows that have a value in every column; ``columns`` are those of all rows."""
        kept = without_gaps(columns)
        if len(kept) == len(self):
            return self
        read = None if self.read is None else replace(self.read, only=self.rows[kept])
        dropped = replace(
            self.unanswered, of=self.unanswered.rows + len(self), gappy=len(self) - len(kept)
        )
        return replace(
            self, read=read, truth=self.truth[kept] if read is None else read.whole().target,
            rows=self.rows[kept], weight=None if self.weight is None else self.weight[kept],
            groups=None if self.groups is None else group_codes(self.groups[kept]),
            unanswered=dropped, entire=self,
        )  # fmt: skip

    @property
    def remarks(self) -> tuple[str, ...]:
        """What to know of the rows before the scores."""
        target = None if self.read is None else self.read.target
        left_out = (f"{note}." for note in self.unanswered.messages(target))
        return (*self._dropped_notes(), *left_out, *self._weight_notes())

    def _dropped_notes(self) -> Iterator[str]:
        """Rows that a table left out itself, as ``gaps="drop"`` says."""
        source = None if self.read is None else self.read.source
        if source is not None and source.dropped:
            found = DroppedRows(0, source.dropped + len(source), source.dropped)
            yield from (f"{note}." for note in found.messages(None))

    def _weight_notes(self) -> Iterator[str]:
        """What groups mean to the intervals, and what weights to the learners and to those."""
        if self.groups is not None:
            k = len(self.groups.values)
            yield (
                f"The rows are in {k:,} groups, and groups are the sample: intervals and tests "
                "are of the groups tested, not of rows."
            )
        if self.weight is None or self.weight.min() == self.weight.max():
            return
        kind = SAMPLE_WEIGHT if self.read is None else self.read.weight_kind
        yield (
            f"The weights are {MEANT[kind]} to the learner; intervals and tests take the "
            f"{len(self.weight):,} rows for {worth(self.weight):.4g} of equal weight (Kish)."
        )

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.truth.values if isinstance(self.truth, Codes) else ()

    def positive(self, given: Any = None) -> Any:
        """The class that scores of one class speak of: the one given, or the rarer of two."""
        if given is not None and self.task == "regressor":
            raise OptionError(
                f"positive is {given!r}, but a regressor has no classes. Leave positive out."
            )
        if given is not None:
            return positive_class(self.classes, given)
        if len(self.classes) != 2:
            return None
        first, last = np.bincount(self.truth.codes, minlength=2)
        return self.classes[0 if first < last else 1]

    @property
    def strata(self) -> Codes | None:
        """The classes, which folds may deal out evenly."""
        return self.truth if isinstance(self.truth, Codes) else None

    @property
    def in_memory(self) -> bool:
        return self.read is None or self.read.source.size is not None

    def column(self, name: str) -> Codes:
        """A column's values as groups of rows, for scores group by group."""
        if not isinstance(name, str):
            raise OptionError(f"by is {short_repr(name, 60)}. Give the name of a column.")
        if (source := self._given_table) is None:
            return column_codes(column_of(self.X, name, "by"))[self.rows]
        _check_column("by", name, source.names)
        return column_codes(source.group_labels(name))[self.rows]

    def order(self, name: str | None) -> Any:
        """A column's values as times."""
        if name is None:
            return None
        if (source := self._given_table) is None:
            return column_of(self.X, name)[self.rows]
        _check_column("order", name, source.names)
        return source.column_values(name)[self.rows]

    @property
    def _given_table(self) -> DeclaredTable | None:
        """The table as it was given; columns of files can be asked for that are not learned."""
        if self.read is None or self.files is not None:
            return self.files
        return self.read.source

    @property
    def blind(self) -> Dataset:
        """The same rows without their columns, for learners that look at none."""
        if self.read is None:
            return self
        narrow = self.read.source.with_schema(Schema(()))
        return replace(self, read=replace(self.read, source=narrow))

    @cached_property
    def outside(self) -> tuple[Any, Array]:
        """The columns and the target as estimators take them that are not ours."""
        return columns_of(self.X, self.y, self.read), target_of(self.truth)


def task_of(estimator: Any) -> str:
    """Whether an estimator classifies or predicts numbers."""
    if isinstance(estimator, type) and hasattr(estimator, "fit"):
        name = estimator.__name__
        raise KindError(f"{name} is a class, not an estimator. Pass an instance: {name}().")
    found = getattr(estimator, "task", None) if isinstance(estimator, Estimator) else None
    if found is None:
        found = getattr(estimator, "_estimator_type", None)
    if found is None and hasattr(estimator, "__sklearn_tags__"):
        found = estimator.__sklearn_tags__().estimator_type
    if found in TASKS and hasattr(estimator, "fit") and hasattr(estimator, "predict"):
        return str(found)
    raise KindError(
        f"an object of type {type(estimator).__name__} is neither a classifier "
        "nor a regressor with fit and predict. Pass an estimator, such as "
        "tl.NaiveBayes()."
    )


def _vectors(y: Any, task: str) -> Array | None:
    """A target of several columns; None where it is one value a row."""
    if y is None or isinstance(y, str):
        return None
    try:
        found = array_of_items(y)
    except ValueError:
        raise TargetError("y has rows of different lengths. Pass one value per row.") from None
    if found.ndim != 2 or found.shape[1] < 2:
        return None
    if task == "classifier":
        raise TargetError(
            f"y has the shape {found.shape}, but a classifier needs one class per "
            "row. Pass one column."
        )
    try:
        return found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TargetError(
            f"y has {found.shape[1]} columns that are not all numbers ({error}). "
            "Convert them to numbers, or pass one column."
        ) from None


def _check_column(option: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise ColumnError(
            f"{option} is {name!r}, which is not a column of the table."
            f"{did_you_mean(name, names) or f' Choose from {quoted_list(names)}.'}"
        )


def _check_groups(X: Any, groups: Any) -> None:
    """A table declares its groups, or a call names or passes them."""
    source = declared_table(X)
    declared = None if source is None else source.declared.groups
    if declared is not None and groups is not None and not _is_same_column(declared, groups):
        raise OptionError(
            f"the table declares the groups {declared!r}, and the call passes other "
            "groups. Remove one of the two."
        )


def _is_same_column(name: str, groups: Any) -> bool:
    return isinstance(groups, str) and groups == name
