"""Every public name takes anything and answers, or ends in an error of ours.

A sample in ``make test``, 300 values for every argument of every name and method in ``make soak``.
A TypeError is Python's own where the call never reached a line of ours.
"""

from __future__ import annotations

import contextlib
import io
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tallylearn.errors import TallyError
from tests.hostile.callables import call, calls
from tests.hostile.values import values
from tests.soak import SOAK

NUMBER = 300 if SOAK else 5
SECONDS = 20  # a call on a tiny table takes a thousandth of it
CALLS = list(calls())


class Endless(BaseException):
    """A call that did not end."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Quiet, and no longer than some seconds."""

    def stop(*_: Any) -> None:
        raise Endless(f"no answer after {SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def ours(error: BaseException) -> bool:
    """One of ours; or Python's own word that the call is not one."""
    if isinstance(error, TallyError):
        return True
    if isinstance(error, IndexError):  # a sequence ends where Python expects it to
        return "and none with the number" in str(error)
    if isinstance(error, AttributeError):
        return "there is no '" in str(error)
    reached, trace = False, error.__traceback__
    while trace is not None:
        reached |= "/tallylearn/" in trace.tb_frame.f_code.co_filename
        trace = trace.tb_next
    return isinstance(error, TypeError) and not reached


def foreign(name: str) -> Iterator[tuple[str, BaseException]]:
    """The calls of a name that end otherwise, and how."""
    for _, get, argument in (one for one in CALLS if one.name == name):
        for value in values(NUMBER, f"{name}({argument})"):
            try:
                with limited():
                    call(name, get(), argument, value)
            except (Exception, Endless) as error:
                if not ours(error):
                    yield f"{argument}={said(value)}", error


def said(value: Any) -> str:
    try:
        return repr(value)[:60]
    except Exception:
        return f"a {type(value).__name__}"


@pytest.mark.parametrize("name", sorted({one.name for one in CALLS}))
def test_every_argument_takes_anything_or_ends_in_an_error_of_ours(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = [f"{given}: {type(error).__name__}: {error}" for given, error in foreign(name)]
    assert found == []
