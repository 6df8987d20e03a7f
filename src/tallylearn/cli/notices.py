"""Notices on standard error: at most four, all with ``--verbose``, none with ``--quiet``.

On a terminal, notices and errors are wrapped by words at 80 columns; in a pipe each is one line.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from tallylearn.cli import piped_input
from tallylearn.cli.terminal_text import visible

Command = TypeVar("Command", bound=Callable[..., Any])
MAX_NOTICES = 4  # on standard error without --verbose, however many lines each takes
PREFIX = "tally: "
_VERBOSE, _QUIET, _SHOWN, _HELD = (
    f"{__name__}.{name}" for name in ("verbose", "quiet", "shown", "held")
)


def _remember(context: click.Context, option: click.Parameter, given: bool) -> None:
    context.find_root().meta[f"{__name__}.{option.name}"] = given


def verbose(command: Command) -> Command:
    """Add the options --verbose and --quiet."""
    quiet = click.option(
        "-q", "--quiet", is_flag=True, expose_value=False, callback=_remember,
        help="Print no notes, only the result and errors.",
    )  # fmt: skip
    loud = click.option(
        "-v", "--verbose", is_flag=True, expose_value=False, callback=_remember,
        help="Print all notes on how the table was read.",
    )  # fmt: skip
    return loud(quiet(command))


def note(text: str) -> None:
    """Print a notice on standard error, or hold it back where there are too many.

    The last place is kept free for the count of those that are held back.
    """
    meta = _meta()
    if meta.get(_QUIET):
        return
    if not meta.get(_VERBOSE) and meta.get(_SHOWN, 0) >= MAX_NOTICES - 1:
        meta.setdefault(_HELD, []).append(text)
        return
    meta[_SHOWN] = meta.get(_SHOWN, 0) + 1
    _print(text)


def detail(text: str) -> None:
    """Print a notice with ``--verbose`` only."""
    if _meta().get(_VERBOSE):
        _print(text)


def close() -> None:
    """Print the notice that was held back; of several, how many there are.

    Results call this before they are printed.
    """
    meta = _meta()
    held = meta.pop(_HELD, [])
    meta[_SHOWN] = meta.get(_SHOWN, 0) + bool(held)
    if len(held) == 1:
        _print(held[0])
    elif held:
        _print(f"{len(held)} more notes. To print them: --verbose.")


def write(text: str) -> None:
    """Print a notice or an error on standard error, wrapped if that is a terminal."""
    shown = visible(text)
    if sys.stderr and sys.stderr.isatty():
        from tallylearn.reporting.formatting import wrap_beside

        click.echo(wrap_beside(PREFIX, shown), err=True)
    else:
        click.echo(PREFIX + shown, err=True)


def _print(text: str) -> None:
    write(piped_input.restore_names(text))


def _meta() -> dict[str, Any]:
    context = click.get_current_context(silent=True)
    return {} if context is None else context.find_root().meta
