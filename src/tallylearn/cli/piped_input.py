"""Spooling: what comes through a pipe is kept in a file while a command runs, to be read twice."""

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
INPUT, SPOOLED = "standard input", "tally-stdin"
SHOWN = "tallylearn.piped_input"  # the place of the names among what a command remembers
_MAGIC = {b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\xff\xff\xff\xff": ".arrow"}


def settled(named: Iterable[str]) -> list[str]:
    """The names of files, with a temporary file in the place of every pipe."""
    from tallylearn.errors import InputError

    names = list(named)
    pipes = Counter(INPUT if n in STDIN else n for n in names if _flows(n))
    for name, times in pipes.items():
        if times > 1:
            raise InputError(f"{name} is named {times} times, and can be read once only.")
    return [_spooled(name) if _flows(name) else name for name in names]


def _flows(name: str) -> bool:
    from tallylearn.sources.files.paths import is_pipe

    return name == "-" or is_pipe(Path(name))


def _spooled(name: str) -> str:
    """A copy in a folder of its own, which goes when the command ends."""
    folder = tempfile.mkdtemp(prefix="tally-")
    click.get_current_context().call_on_close(partial(shutil.rmtree, folder, ignore_errors=True))
    path = Path(folder) / (SPOOLED if name in STDIN else Path(name).name)
    with path.open("wb") as copy:
        if name == "-":
            shutil.copyfileobj(sys.stdin.buffer, copy)
        else:
            with open(name, "rb") as pipe:
                shutil.copyfileobj(pipe, copy)
    kept = path if path.suffix else path.rename(path.with_suffix(_suffix(path)))
    shown = click.get_current_context().find_root().meta.setdefault(SHOWN, {})
    shown[str(kept)] = INPUT if name in STDIN else name
    if name in STDIN:
        shown[kept.name] = INPUT
    return str(kept)


def named(text: str) -> str:
    """A message with what a user has named in the place of the file that keeps it."""
    context = click.get_current_context(silent=True)
    shown = {} if context is None else context.find_root().meta.get(SHOWN, {})
    for path, name in shown.items():
        text = text.replace(path, name)
    return text


def _suffix(path: Path) -> str:
    """The ending of a file that came without one, by its first bytes."""
    with path.open("rb") as file:
        start = file.read(8)
    return next((end for magic, end in _MAGIC.items() if start.startswith(magic)), ".csv")
