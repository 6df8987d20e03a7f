"""Parallel folds: estimators that are fitted anew for every fold, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from tallylearn.errors import OptionError, short_repr

Call = Callable[[Any], Any]
_JOBS: ContextVar[int] = ContextVar("jobs", default=1)


@contextmanager
def jobs(number: int | None) -> Iterator[None]:
    """So many folds at a time inside the block; -1: as many as there are processors."""
    whole = isinstance(number, int) and not isinstance(number, bool) and number != 0
    if number is not None and not whole:
        raise OptionError(
            f"n_jobs is {short_repr(number)}. Give a whole number other than 0; -1 "
            "means all processors."
        )
    token = _JOBS.set(1 if number is None else number)
    try:
        yield
    finally:
        _JOBS.reset(token)


def run_folds(call: Call, given: Iterable[Any], threads: bool) -> Iterator[tuple[Any, Call]]:
    """Everything given, in order, with a call that predicts it; in workers it is done already.

    Learners of ours work on threads, those of others in processes: most of them hold Python's lock.
    """
    if _JOBS.get() == 1:
        yield from ((one, call) for one in given)
        return
    try:
        from joblib import Parallel, delayed
    except ImportError:
        raise OptionError(
            "n_jobs needs joblib, which is not installed. Install it with pip "
            "install joblib, or leave n_jobs out."
        ) from None
    every = list(given)
    run = Parallel(_JOBS.get(), prefer="threads" if threads else None, return_as="generator")
    answered = run(delayed(_attempt)(call, one) for one in every)
    for one, (found, error) in zip(every, answered, strict=True):
        yield one, _return_or_raise(found, error)


def _attempt(call: Call, given: Any) -> tuple[Any, Exception | None]:
    """An error comes back as it is: who asked says of which fold it is."""
    try:
        return call(given), None
    except Exception as error:
        return None, error


def _return_or_raise(found: Any, error: Exception | None) -> Call:
    def call(given: Any) -> Any:
        if error is not None:
            raise error
        return found

    return call
