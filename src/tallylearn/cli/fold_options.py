"""Dealing: the options that say which rows are learned from, and which are tested."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.core import ParameterSource

from tallylearn.cli import shared_options

SCHEMES = ("loo", "holdout", "bootstrap", "forward", "oob")


def _read(context: click.Context, option: click.Parameter, text: str) -> int | str:
    """A number of folds, or the name of a scheme."""
    try:
        return text if text in SCHEMES else int(text)
    except ValueError:
        names = ", ".join(SCHEMES)
        raise click.BadParameter(f"{text!r} is no number of folds, and none of {names}.") from None


def dealing(
    cv: int = 10, repeats: int = 1
) -> Callable[[shared_options.Command], shared_options.Command]:
    """Add the options that say how rows are dealt out, and how they are judged."""
    return lambda command: shared_options.added(command, (
        click.option(
            "--cv", default=str(cv), show_default=f"{cv}, {repeats} times" if repeats > 1 else True,
            metavar="FOLDS", callback=_read, help=f"A number of folds, {', '.join(SCHEMES)}.",
        ),
        click.option(
            "--repeats", type=int,
            help="As many times, with other folds; a number of folds alone is dealt out once.",
        ),
        click.option("--seed", type=int, help="Of the folds (0 unless said)."),
        click.option(
            "--stratified/--no-stratified", default=None,
            help="Whether each class is dealt out evenly; it is unless said.",
        ),
        click.option("--order", metavar="COLUMN", help="Of --cv forward: the column of times."),
        click.option("--groups", metavar="COLUMN", help="Rows of a group stay on one side."),
        click.option("--level", type=float, default=0.95, show_default=True,
                     help="Of the intervals."),
        click.option(
            "--on-error", type=click.Choice(["raise", "keep"]), default="raise", show_default=True,
            help="What to do when a fold fails: stop, or name it and keep the others.",
        ),
    ))  # fmt: skip


def folds(given: dict[str, Any], repeats: int = 1) -> Callable[[str], Any]:
    """Which row goes where, by what the rows are learned for; takes its options out of those.

    Only the folds of the default are repeated: a number that is said means what it does in Python.
    """
    from tallylearn.folds import Folds

    if click.get_current_context().get_parameter_source("cv") != ParameterSource.DEFAULT:
        repeats = 1
    cv = given.pop("cv")
    said = {name: given.pop(name) for name in ("repeats", "seed", "stratified", "order")}
    said = {name: value for name, value in said.items() if value is not None}
    kinds: dict[Any, tuple[Callable[..., Any], tuple[str, ...]]] = {
        "loo": (Folds.leave_one_out, ()),
        "holdout": (Folds.holdout, ("seed", "stratified")),
        "bootstrap": (Folds.bootstrap, ("seed",)),
        "forward": (Folds.forward, ("order",)),
        "oob": (lambda: "oob", ()),
    }
    make, taken = kinds.get(cv, (Folds.k, ("repeats", "seed", "stratified")))
    for name in said:
        if name not in taken:
            raise click.UsageError(f"--{name} does not go with --cv {cv}.")

    def dealt(task: str) -> Any:
        usual = {"stratified": task == "classifier", "repeats": repeats}
        options = {name: usual[name] for name in taken if name in usual} | said
        return make(**options) if cv in kinds else Folds.k(cv, **options)

    return dealt
