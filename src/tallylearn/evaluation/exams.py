"""Exams: a table and its target, read once, that any learner can be asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tallylearn.doors.intake import Lesson, lesson
from tallylearn.doors.shell import Estimator
from tallylearn.errors import ColumnError, InputError, KindError, OptionError, TargetError, listed
from tallylearn.evaluation.confusions import positive_class
from tallylearn.folds.checks import check_length
from tallylearn.folds.rows import coded, column_of, grouped, length
from tallylearn.sources import Files, Table
from tallylearn.sources.columns import codes
from tallylearn.sources.frames import framed
from tallylearn.sources.holding import held, joined, small
from tallylearn.sources.memory import check_rows
from tallylearn.sources.targets import measures, weights
from tallylearn.tables import Array, Block, Codes, Schema

TASKS = ("classifier", "regressor")


@dataclass(frozen=True, eq=False)
class Exam:
    """Rows to learn from and to be asked about, with what is true of them.

    Rows of weight zero are left out: ``rows`` has the numbers of the others, and everything else
    is said of those alone.
    """

    X: Any  # as it came, for estimators that are not ours
    y: Any
    read: Lesson | None  # for our learners; None where the target is a vector
    task: str
    truth: Any  # (n,) Codes; numbers (n,) or (n, d)
    rows: Array  # (n,)
    size: int  # rows in the source
    weight: Array | None = None  # (n,)
    groups: Codes | None = None  # (n,)
    files: Files | None = None  # where the rows came from, if not from memory

    @classmethod
    def of(cls, X: Any, y: Any, weight: Any, groups: Any, task: str, who: str = "evaluate") -> Exam:
        """Read the table; a target of several columns is a vector of numbers."""
        if (vectors := _vectors(y, task)) is not None:
            return cls._of_vectors(X, vectors, weight, groups)
        read = lesson(X, y, weight, who)
        found = _of_files(read, task) if isinstance(read.source, Files) else _of_table(read, task)
        truth, given, within = found
        files = read.source if isinstance(read.source, Files) else None
        if files is not None and small(files):
            read = replace(read, source=held(files, truth, given))
        rows = np.arange(len(truth)) if given is None else np.flatnonzero(given > 0)
        if not len(rows):
            raise InputError("there is no row to learn from, or every row has weight zero.")
        kept = _groups(read, groups, within)
        if kept is not None:
            check_length("groups", len(kept), len(truth))
        return cls(
            X, y, read, task, truth[rows], rows, len(truth),
            None if given is None else given[rows],
            None if kept is None else grouped(kept[rows], rows + (files is not None)), files,
        )  # fmt: skip

    @classmethod
    def _of_vectors(cls, X: Any, y: Array, weight: Any, groups: Any) -> Exam:
        if not np.isfinite(y).all():
            row = int(np.argmin(np.isfinite(y).all(axis=1)))
            raise TargetError(f"the target is {y[row].tolist()} in row {row}. Drop that row.")
        check_rows(length(X), y)
        given = None if weight is None else weights(weight, len(y))
        rows = np.arange(len(y)) if given is None else np.flatnonzero(given > 0)
        within = None if groups is None else grouped(groups)
        if within is not None:
            check_length("groups", len(within), len(y))
            within = within[rows]
        kept = None if given is None else given[rows]
        return cls(X, y, None, "regressor", y[rows], rows, len(y), kept, within)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: Array) -> Exam:
        """Some of the rows, for folds to be dealt out among them."""
        truth = self.truth[rows]
        return replace(
            self,
            truth=grouped(truth) if isinstance(truth, Codes) else truth,
            rows=self.rows[rows],
            weight=None if self.weight is None else self.weight[rows],
            groups=None if self.groups is None else grouped(self.groups[rows]),
        )

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.truth.values if isinstance(self.truth, Codes) else ()

    def positive(self, given: Any = None) -> Any:
        """The class that scores of one class speak of: the one given, or the rarer of two."""
        if given is not None and self.task == "regressor":
            raise OptionError(f"positive is {given!r}, and a regressor knows no classes.")
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
        return self.read is None or isinstance(self.read.source, Table)

    def column(self, name: str) -> Codes:
        """A column's values as groups of rows, for scores group by group."""
        if not isinstance(name, str):
            raise OptionError(f"by is a column's name, not {name!r:.60}.")
        if self.files is not None:
            return _column_of_files(self.files, name)[self.rows]
        source = self.X if self.read is None else self.read.source
        names = framed(source).names if self.read is None else source.schema.names
        _check_column("by", name, names)
        return coded(column_of(source, name))[self.rows]

    def order(self, name: str | None) -> Any:
        """A column's values as times."""
        if name is None:
            return None
        if self.files is not None:
            return _times_of_files(self.files, name)[self.rows]
        return column_of(self.X if self.read is None else self.read.source, name)[self.rows]

    @property
    def blind(self) -> Exam:
        """The same rows without their columns, for learners that look at none."""
        if self.read is None:
            return self
        source, nothing = self.read.source, Schema(())
        if isinstance(source, Files):
            narrow: Any = Files(source.paths, source.declared, nothing)
        else:
            block = Block(nothing, np.empty((len(source), 0)), start=source.block.start)
            narrow = Table(block, source.target, source.weight, source.declared)
        return replace(self, read=replace(self.read, source=narrow))

    @cached_property
    def outside(self) -> tuple[Any, Array]:
        """The columns and the target as estimators take them that are not ours."""
        return _columns(self.X, self.y, self.read), _target(self.truth)


def task_of(estimator: Any) -> str:
    """Whether an estimator classifies or answers with numbers."""
    if isinstance(estimator, type) and hasattr(estimator, "fit"):
        name = estimator.__name__
        raise KindError(f"{name} is a class, and a learner was expected. Pass {name}().")
    found = getattr(estimator, "task", None) if isinstance(estimator, Estimator) else None
    if found is None:
        found = getattr(estimator, "_estimator_type", None)
    if found is None and hasattr(estimator, "__sklearn_tags__"):
        found = estimator.__sklearn_tags__().estimator_type
    if found in TASKS and hasattr(estimator, "fit") and hasattr(estimator, "predict"):
        return str(found)
    raise KindError(
        f"an object of type {type(estimator).__name__} is neither a classifier nor a regressor "
        "that can fit and predict. Pass one, such as tl.NaiveBayes()."
    )


def _vectors(y: Any, task: str) -> Array | None:
    """A target of several columns; None where it is one value a row."""
    if y is None or isinstance(y, str):
        return None
    try:
        found = np.asarray(y)
    except ValueError:
        raise TargetError("y has rows of different lengths. Pass one value a row.") from None
    if found.ndim != 2 or found.shape[1] < 2:
        return None
    if task == "classifier":
        raise TargetError(
            f"y has the shape {found.shape}, and a classifier learns one class a row. Pass one "
            "column."
        )
    try:
        return found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TargetError(f"a target of {found.shape[1]} columns is numbers: {error}.") from None


def _of_table(read: Lesson, task: str) -> tuple[Any, Array | None, Codes | None]:
    table = read.source
    assert isinstance(table, Table)
    target = table.target if read.y is None else read.y
    weight = table.weight if read.weight is None else read.weight
    truth = read.classes if task == "classifier" else measures(target)
    return truth, weight, table.groups


def _of_files(read: Lesson, task: str) -> tuple[Any, Array | None, Codes | None]:
    """Only the target, the weight and the group of every row are held in memory."""
    source = read.source
    assert isinstance(source, Files)
    narrow = Files(source.paths, source.declared, Schema(()))
    parts = [(block.target, block.weight, block.group, block.start) for block in narrow.blocks()]
    if not parts:
        raise InputError("the table has no rows.")
    targets, given, within, starts = zip(*parts, strict=True)
    weight = None if given[0] is None else np.concatenate(given)
    group = None if within[0] is None else joined(within)
    if task == "regressor":
        found = [measures(t, start) for t, start in zip(targets, starts, strict=True)]
        return np.concatenate(found), weight, group
    classes = [read.named(t, start) for t, start in zip(targets, starts, strict=True)]
    return joined(classes), weight, group


def _column_of_files(source: Files, name: str) -> Codes:
    """One column, read alone; learned from or not."""
    _check_column("by", name, source.names)
    narrow = Files(source.paths, replace(source.declared, groups=name), Schema(()))
    return joined([block.group for block in narrow.blocks() if block.group is not None])


def _times_of_files(source: Files, name: str) -> Any:
    """One column as numbers or dates, read alone; text comes as codes, and is refused as an order.

    It may be one that is not learned from: dates that tell every row apart are left out.
    """
    _check_column("order", name, source.names)
    declared = source.declared
    alone = replace(
        declared, target=None, weight=None, groups=None, categories={}, text=(),
        dates={key: () for key in declared.dates if key == name},
        ignore=tuple(other for other in source.names if other != name),
    )  # fmt: skip
    narrow = Files(source.paths, alone)
    blocks = list(narrow.blocks())
    if name in narrow.schema.places:
        return np.concatenate([block.numbers[:, 0] for block in blocks])
    return joined([_values(block, name) for block in blocks])


def _values(block: Block, name: str) -> Codes:
    if name in block.codes:
        return block.codes[name]
    return codes(block.text[name]) if name in block.text else Codes.of([None] * len(block))


def _check_column(option: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise ColumnError(f"{option} names the column {name!r}, and the table has {listed(names)}.")


def _groups(read: Lesson, groups: Any, within: Codes | None) -> Codes | None:
    """The groups that a call names, or that the table declares."""
    if groups is None:
        return within
    if within is not None:
        raise OptionError(
            f"the table declares the groups {read.source.declared.groups!r}, and the call passes "
            "others. Leave one of them out."
        )
    if isinstance(groups, str):
        if isinstance(read.source, Files):
            raise OptionError(
                "declare the groups of files with the table: tl.table(path, groups='column')."
            )
        return grouped(column_of(read.source, groups, "groups"))
    return grouped(groups)


def _columns(X: Any, y: Any, read: Lesson | None) -> Any:
    """The table without its target and its weight, as it came; only ours to read, as an array."""
    polars = type(X).__module__.startswith("polars")
    if hasattr(X, "iloc") or polars:
        weight = None if read is None else read.source.declared.weight
        beside = [name for name in (y, weight) if isinstance(name, str)]
        return X.drop(beside) if polars else X.drop(columns=beside)
    if isinstance(X, np.ndarray | list | tuple) and not isinstance(y, str):
        return X
    source = None if read is None else read.source
    if isinstance(source, Table) and len(source.schema.numbers) == len(source.schema.columns):
        return source.block.numbers
    what = str(X) if isinstance(X, str | Path | Files) else f"a {type(X).__name__}"
    raise KindError(
        f"{what} with columns that are not all numbers can be read by our learners only. For an "
        "estimator of another library pass a pandas or polars frame, as from pandas.read_csv."
    )


def _target(truth: Any) -> Array:
    if isinstance(truth, Codes):
        return np.array(truth.values)[truth.codes]
    return np.asarray(truth)


def picked(X: Any, rows: Array) -> Any:
    """Some rows of a frame, an array or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, list | tuple):
        return [X[i] for i in rows]
    return X[rows]
