"""Output: standard output, or a file that is written completely or not at all."""

from __future__ import annotations

import glob
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from tallylearn.cli.notices import close, note
from tallylearn.cli.terminal_text import CONTROLS, visible

WITHOUT_TALLY = "rare values were pooled to save memory, or there are many more columns than rows"


def echo(text: object, nl: bool = True) -> None:
    """Print text on standard output, after the notices."""
    close()
    click.echo(visible(text), nl=nl)


def note_unanswered(estimator: Any) -> None:
    """Note how many rows were left out: without a target, or with missing values."""
    for said in estimator.unanswered_.messages(estimator.target_name_):
        note(f"{said}.")


def echo_json(data: Any) -> None:
    """One line of JSON on standard output."""
    echo(as_line(data))


def as_line(data: Any) -> str:
    """Data as one line of JSON; values that JSON does not have become text."""
    text = json.dumps(data, ensure_ascii=False, default=str)
    return CONTROLS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def check_place(path: Path | None, inputs: Iterable[str | Path], force: bool) -> None:
    """Refuse an output that must not or cannot be written, before the work begins."""
    if path is not None:
        _check_writable(path)
    check_apart(path, inputs, force)


def check_apart(path: Path | None, inputs: Iterable[str | Path], force: bool) -> None:
    """Refuse an output that is an input, under any name, or that exists without --force."""
    from tallylearn.errors import FileError

    if path is None or str(path) == "-":
        _check_stdout(inputs)
        return
    if (same := _same(os.stat(path), inputs) if path.exists() else None) is not None:
        raise FileError(f"{path} is an input of this command ({same}). Choose another output file.")
    if path.is_file() and not force:
        raise FileError(
            f"{path} already exists. Choose another file, or overwrite it with --force."
        )


def _check_stdout(inputs: Iterable[str | Path]) -> None:
    """Refuse to write into an input: it would grow while it is read."""
    from tallylearn.errors import FileError

    try:
        here = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError):  # no file at all, as in a test
        return
    if stat.S_ISREG(here.st_mode) and (same := _same(here, inputs)) is not None:
        raise FileError(
            f"{same} is an input of this command, and standard output is redirected to it. "
            "Redirect to another file."
        )


def _same(place: os.stat_result, inputs: Iterable[str | Path]) -> str | Path | None:
    """The input that is this file: by its name, a link, a glob, standard input or an archive."""
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
        raise FileError(
            f"{path} cannot be written: the folder {str(path.parent)!r} does not exist. Create it, "
            "or choose another file."
        )
    # Files are written by renaming, which would put a model in the place of /dev/null.
    if path.exists() and not path.is_file():
        raise FileError(
            f"{path} cannot be written: it exists and is not a file. Choose another file."
        )
    try:
        with tempfile.TemporaryFile(dir=path.absolute().parent):
            pass
    except OSError as error:
        raise FileError(
            f"{path} cannot be written: no file can be created in the folder "
            f"{str(path.parent)!r} ({error.strerror}). Choose another folder."
        ) from None


def check_report(path: Path | None, inputs: Iterable[str | Path], force: bool) -> None:
    """Refuse a report that cannot be written, or whose format its ending does not name."""
    from tallylearn.reporting.report import check_ending

    check_place(path, inputs, force)
    if path is not None:
        check_ending(path)


def save(estimator: Any, path: Path, tally: bool = True) -> None:
    """Save a model; a link stays a link, and the file it points to is written.

    A learner that dropped its tally while it was fitted is saved without it, with a notice.
    """
    if tally and estimator.keeps_tally and estimator.tally_ is None:
        why = WITHOUT_TALLY if estimator.uses_tally else "its options need all rows at once"
        note(f"{path} is saved without its tally, so merge and forget do not work: {why}.")
        tally = False
    estimator.save(path.resolve(), tally=tally)


@contextmanager
def open_output(path: Path | None) -> Iterator[IO[bytes]]:
    """A binary stream: standard output, or a file that is renamed into place at the end."""
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
