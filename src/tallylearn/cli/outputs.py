"""Where results go: to standard output, or to a file that appears whole or not at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click


def note(text: str) -> None:
    """Say something beside the result, on standard error."""
    click.echo(f"tally: {text}", err=True)


def echo_json(data: Any) -> None:
    """One line of JSON on standard output."""
    click.echo(as_line(data))


def as_line(data: Any) -> str:
    """Data as one line of JSON; what JSON does not know is written as text."""
    return json.dumps(data, ensure_ascii=False, default=str)


def check_place(path: Path | None) -> None:
    """Refuse a place that cannot take a model before the work begins, not after."""
    from tallylearn.errors import FileError

    if path is None:
        return
    if not path.absolute().parent.is_dir():
        raise FileError(f"{path} cannot be written: there is no folder {str(path.parent)!r}.")
    # Files are written by renaming, which would put a model in the place of /dev/null.
    if path.exists() and not path.is_file():
        raise FileError(f"{path} cannot be written: it is there, and it is no file.")


def check_report(path: Path | None) -> None:
    """Refuse a report that could not be written, or whose form its name does not tell."""
    from tallylearn.evaluation.results import check_ending

    check_place(path)
    if path is not None:
        check_ending(path)


def save(estimator: Any, path: Path, tally: bool = True) -> None:
    """Save a model; a link stays a link, and what it points to is written."""
    estimator.save(path.resolve(), tally=tally)


@contextmanager
def written(path: Path | None) -> Iterator[IO[bytes]]:
    """Bytes for standard output, or for a file that is renamed into its place at the end."""
    from tallylearn.writing import whole

    if path is None or str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if path.exists() and not path.is_file() and not path.is_dir():  # a pipe or a device
        with open(path, "wb") as device:
            yield device
        return
    check_place(path)
    with whole(path) as file:
        yield file
