"""Piped input: a pipe is stored in a temporary file, because rows are read more than once."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import click

STDIN = ("-", "/dev/stdin")
STDIN_NAME, STORED_NAME = "standard input", "tally-stdin"
NAMES_KEY = "tallylearn.piped_input"  # where click's context keeps the names that users gave
_MAGIC = {b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\xff\xff\xff\xff": ".arrow"}


def store_pipes(named: Iterable[str]) -> list[str]:
    """The paths, with a temporary file in place of each pipe."""
    from tallylearn.errors import InputError

    names = list(named)
    pipes = Counter(STDIN_NAME if n in STDIN else n for n in names if _is_pipe(n))
    for name, times in pipes.items():
        if times > 1:
            raise InputError(
                f"{name} is named {times} times, but it can be read only once. Name it once."
            )
    return [_store_pipe(name) if _is_pipe(name) else name for name in names]


def _is_pipe(name: str) -> bool:
    from tallylearn.sources.files.paths import is_pipe

    return name == "-" or is_pipe(Path(name))


def _store_pipe(name: str) -> str:
    """A copy in a temporary folder, which is deleted when the command ends."""
    folder = tempfile.mkdtemp(prefix="tally-")
    click.get_current_context().call_on_close(partial(shutil.rmtree, folder, ignore_errors=True))
    path = Path(folder) / (STORED_NAME if name in STDIN else Path(name).name)
    with path.open("wb") as copy:
        if name == "-":
            shutil.copyfileobj(sys.stdin.buffer, copy)
        else:
            with open(name, "rb") as pipe:
                shutil.copyfileobj(pipe, copy)
    kept = path if path.suffix else path.rename(path.with_suffix(_suffix(path)))
    shown = click.get_current_context().find_root().meta.setdefault(NAMES_KEY, {})
    shown[str(kept)] = STDIN_NAME if name in STDIN else name
    if name in STDIN:
        shown[kept.name] = STDIN_NAME
    return str(kept)


def restore_names(text: str) -> str:
    """A message with the name that the user gave in place of the temporary file."""
    context = click.get_current_context(silent=True)
    shown = {} if context is None else context.find_root().meta.get(NAMES_KEY, {})
    for path, name in shown.items():
        text = text.replace(path, name)
    return text


def _suffix(path: Path) -> str:
    """The extension for a file without one, from its first bytes."""
    with path.open("rb") as file:
        start = file.read(8)
    return next((end for magic, end in _MAGIC.items() if start.startswith(magic)), ".csv")
