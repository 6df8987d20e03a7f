"""Givens: splits that a user brings along, as index pairs or as scikit-learn's splitters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import (
    InputError,
    KindError,
    OptionError,
    TallyError,
    error_context,
    quoted_list,
    short_repr,
)
from tallylearn.folds.schemes import Folds
from tallylearn.folds.splits import Split
from tallylearn.tables import Array, Codes

NAMED = {
    "loo": Folds.leave_one_out,
    "holdout": Folds.holdout,
    "bootstrap": Folds.bootstrap,
    "forward": Folds.forward,
}


@dataclass(frozen=True)
class GivenSplits:
    """Splits as they are given: pairs of row numbers or masks, or an object with ``split``."""

    source: Any

    def splits(
        self, n: int, strata: Any = None, groups: Any = None, order: Any = None
    ) -> Iterator[Split]:
        """The same splits as row numbers, checked.

        A splitter is shown how many rows there are, their classes and their groups, and no columns.
        """
        for fold, pair in enumerate(self._pairs(n, strata, groups)):
            with error_context("cv"):
                found = _check_pair(pair, n, fold)
            yield found

    def _pairs(self, n: int, strata: Any, groups: Any) -> Iterable[Any]:
        if isinstance(self.source, tuple):
            return self.source
        return self._call_splitter(n, strata, groups)

    def _call_splitter(self, n: int, *known: Any) -> Iterator[Any]:
        y, groups = (np.asarray(x.items()) if isinstance(x, Codes) else x for x in known)
        try:
            yield from self.source.split(np.zeros((n, 1)), y, groups)
        except Exception as error:
            shown = "no groups" if groups is None else "groups"
            raise InputError(
                f"cv: {type(self.source).__name__} {_failure_text(error)} It received {n:,} "
                f"rows, {_classes(y)} and {shown}. Pass what is missing, or use another "
                "splitter."
            ) from error


def _failure_text(error: Exception) -> str:
    """What a splitter says of its failure, as one sentence."""
    return f"failed: {type(error).__name__}: {' '.join(str(error).split()).rstrip('.')}."


def _classes(y: Any) -> str:
    return "no classes" if y is None else f"{len(np.unique(y)):,} classes"


def keep_splits(cv: Any) -> Any:
    """Splits that come one by one, as ``KFold(5).split(X)`` gives them, for more than one look."""
    return _all(cv) if isinstance(cv, Iterator) else cv


def _all(pairs: Iterable[Any]) -> tuple[Any, ...]:
    """Every pair; whoever makes them may fail only now that it is asked."""
    try:
        return tuple(pairs)
    except (TallyError, MemoryError):
        raise
    except Exception as error:
        raise InputError(
            f"cv: the iterator of splits {_failure_text(error)} Correct it, or pass a number of "
            "folds."
        ) from error


def check_name(cv: Any, *more: str) -> None:
    """A cv that is a string is a name of folds, or one of those that the caller knows besides."""
    names = (*NAMED, *more)
    if isinstance(cv, str) and cv not in names:
        raise OptionError(
            f"cv is {cv!r}. Choose from {quoted_list(names)}, or pass a number of "
            "folds or tl.Folds.k(10)."
        )


def read_cv(cv: Any, task: str | None = None) -> Folds | GivenSplits:
    """What a user may pass as cv.

    A number of folds (stratified for a classifier), 'loo', 'holdout', 'bootstrap', 'forward', a
    Folds, an object with ``split(X, y, groups)``, or pairs of row numbers.

    >>> read_cv(5, "classifier")
    Folds.k(5, stratified=True, seed=0)
    """
    if isinstance(cv, Folds | GivenSplits):
        return cv
    if isinstance(cv, str):
        check_name(cv)
        return NAMED[cv]()
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        return Folds.k(int(cv), stratified=task == "classifier")
    if callable(getattr(cv, "split", None)):
        return GivenSplits(cv)
    if isinstance(cv, Iterable) and (pairs := _all(cv)):
        return GivenSplits(pairs)
    raise KindError(
        f"cv is {short_repr(cv)}. Pass a number of folds, one of "
        f"{quoted_list(NAMED)}, tl.Folds.k(10), a scikit-learn splitter, or "
        "pairs of row numbers."
    )


def partition(splits: Iterable[Split], n: int) -> Array | None:
    """The fold of every row, where each is tested once and learned from in all other folds."""
    part = np.full(n, -1, dtype=np.int32)
    for fold, split in enumerate(splits):
        times = np.bincount(split.train, minlength=n)
        times[split.test] += 1
        if (
            len(split.train) + len(split.test) != n
            or not times.all()
            or split.validation is not None
        ):
            return None
        if (part[split.test] >= 0).any():
            return None
        part[split.test] = fold
    return None if (part < 0).any() else part


def _check_pair(pair: Any, n: int, fold: int) -> Split:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise KindError(
            f"split {fold} is {short_repr(pair)}. Pass a pair: training rows and test rows."
        )
    train, test = _rows(pair[0], n, fold, "train"), _rows(pair[1], n, fold, "test")
    both = np.zeros(n, dtype=bool)
    both[train] = True
    if (twice := both[test]).any():
        raise InputError(
            f"split {fold} has row {int(test[np.argmax(twice)])} both in "
            "train and in test. Remove it from one of them."
        )
    return Split(train, test, fold=fold)


def _rows(rows: Any, n: int, fold: int, name: str) -> Array:
    """Row numbers, from numbers or from a mask."""
    found = np.asarray(rows)
    who = f"split {fold}: {name}"
    if found.ndim != 1 or (found.size and found.dtype.kind not in "biu"):
        raise InputError(
            f"{who} is {short_repr(rows)}. Pass row numbers, or True or False for each row."
        )
    if found.dtype.kind == "b":
        if len(found) != n:
            raise InputError(
                f"{who} is a mask of {len(found)} values, but the table has {n} rows. "
                "Give one value per row."
            )
        found = np.flatnonzero(found)
    if not found.size:
        raise InputError(f"{who} is empty. Give one or more rows.")
    if (off := (found < 0) | (found >= n)).any():
        raise InputError(
            f"{who} has row {found[np.argmax(off)]}, but the table has {n} rows. "
            f"Give numbers from 0 to {n - 1}."
        )
    return found.astype(np.int64)
