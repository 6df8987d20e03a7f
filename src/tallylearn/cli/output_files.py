"""Where results go: to standard output, or to a file that appears whole or not at all."""

from __future__ import annotations

import glob
import json
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from tallylearn.cli import piped_input

# What a terminal obeys, or shows in another place than it stands in: all controls but the line
# end and the tab, and the marks that turn the direction of writing.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
LET_GO = "rare values were pooled to fit memory, or columns are many more than rows"


def visible(text: object) -> str:
    r"""Text as it may be sent to a terminal: what the terminal would obey is written out.

    >>> print(visible("\x1b[31mred"))
    \x1b[31mred
    """
    return _OBEYED.sub(lambda sign: sign[0].encode("unicode_escape").decode(), str(text))


def echo(text: object, nl: bool = True) -> None:
    """Say something on standard output."""
    click.echo(visible(text), nl=nl)


def note(text: str) -> None:
    """Say something beside the result, on standard error."""
    click.echo(visible(f"tally: {piped_input.named(text)}"), err=True)


def note_unanswered(estimator: Any) -> None:
    """Say which rows were left out, since they have no target, or dropped for their gaps."""
    for said in estimator.unanswered_.messages(estimator.target_name_):
        note(f"{said}.")


def echo_json(data: Any) -> None:
    """One line of JSON on standard output."""
    echo(as_line(data))


def as_line(data: Any) -> str:
    """Data as one line of JSON; what JSON does not know is written as text."""
    text = json.dumps(data, ensure_ascii=False, default=str)
    return _OBEYED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def check_place(path: Path | None, inputs: Iterable[str | Path], force: bool) -> None:
    """Refuse a place that must not or cannot be written, before the work begins and not after."""
    if path is not None:
        _check_writable(path)
    check_apart(path, inputs, force)


def check_apart(path: Path | None, inputs: Iterable[str | Path], force: bool) -> None:
    """Refuse an output that something would be lost by.

    No output replaces an input, whatever name either goes by, and no file that is there unless
    the command says --force.
    """
    from tallylearn.errors import FileError

    if path is None or str(path) == "-":
        _check_stdout(inputs)
        return
    if (same := _same(os.stat(path), inputs) if path.exists() else None) is not None:
        raise FileError(
            f"{path} is an input of this command ({same}), and would be lost. Name another output."
        )
    if path.is_file() and not force:
        raise FileError(f"{path} is there already. Name another output, or say --force.")


def _check_stdout(inputs: Iterable[str | Path]) -> None:
    """An input that grows by what is read from it is never read to its end."""
    from tallylearn.errors import FileError

    try:
        here = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError):  # no file at all, as in a test
        return
    if stat.S_ISREG(here.st_mode) and (same := _same(here, inputs)) is not None:
        raise FileError(f"{same} is an input of this command, and standard output goes into it.")


def _same(place: os.stat_result, inputs: Iterable[str | Path]) -> str | Path | None:
    """The input that is this file: by its own name, a link's, a glob's or standard input's.

    Or by that of a file in it, where it is an archive.
    """
    from tallylearn.sources.files.compression import container

    for named in inputs:
        if str(named) == "-":
            found: list[Any] = [_descriptor(sys.stdin)]
        elif any(mark in str(named) for mark in "*?[") and not Path(named).is_file():
            found = list(glob.iglob(str(named), recursive=True)) or [container(Path(named))]
        else:
            found = [container(Path(named))]
        if any(_is(place, one) for one in found):
            return named
    return None


def _is(place: os.stat_result, named: Any) -> bool:
    try:
        return os.path.samestat(place, os.stat(named))
    except (OSError, TypeError, ValueError):
        return False


def _descriptor(stream: Any) -> int | None:
    try:
        return int(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return None


def _check_writable(path: Path) -> None:
    from tallylearn.errors import FileError

    if not path.absolute().parent.is_dir():
        raise FileError(f"{path} cannot be written: there is no folder {str(path.parent)!r}.")
    # Files are written by renaming, which would put a model in the place of /dev/null.
    if path.exists() and not path.is_file():
        raise FileError(f"{path} cannot be written: it is there, and it is no file.")


def check_report(path: Path | None, inputs: Iterable[str | Path], force: bool) -> None:
    """Refuse a report that could not be written, or whose form its name does not tell."""
    from tallylearn.reporting.report import check_ending

    check_place(path, inputs, force)
    if path is not None:
        check_ending(path)


def save(estimator: Any, path: Path, tally: bool = True) -> None:
    """Save a model; a link stays a link, and what it points to is written.

    Who has let its tally go while it learned is saved without it, and that is told.
    """

    if tally and estimator.keeps_tally and estimator.tally_ is None:
        why = LET_GO if estimator.uses_tally else "what its options ask for is found among all rows"
        note(f"{path} has no counts, and cannot merge or forget: {why}.")
        tally = False
    estimator.save(path.resolve(), tally=tally)


@contextmanager
def written(path: Path | None) -> Iterator[IO[bytes]]:
    """Bytes for standard output, or for a file that is renamed into its place at the end."""
    from tallylearn.runtime.atomic_write import whole

    if path is None or str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if path.exists() and not path.is_file() and not path.is_dir():  # a pipe or a device
        with open(path, "wb") as device:
            yield device
        return
    _check_writable(path)
    with whole(path) as file:
        yield file
