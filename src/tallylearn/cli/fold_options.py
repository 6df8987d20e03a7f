"""The options on cross-validation folds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click
from click.core import ParameterSource

from tallylearn.cli.shared_options import Command, add_options
from tallylearn.cli.shared_options import option as shared_option
from tallylearn.errors import did_you_mean

SCHEMES = ("loo", "holdout", "bootstrap", "forward", "oob")


def parse_scheme(context: click.Context, option: click.Parameter, text: str) -> int | str:
    """A number of folds, or the name of a scheme."""
    try:
        return text if text in SCHEMES else int(text)
    except ValueError:
        hint = did_you_mean(text, SCHEMES) or f" For example: --cv 5, or {', '.join(SCHEMES)}."
        raise click.BadParameter(f"{text!r} is not a number of folds or a scheme.{hint}") from None


FOLDS = "Folds and intervals"  # the heading of options in --help


def fold_options(
    cv: int = 10, repeats: int = 1, on_error: bool = True
) -> Callable[[Command], Command]:
    """Add the options on the folds, and on the intervals of the scores."""
    option = partial(shared_option, heading=FOLDS)
    failing = option(
        "--on-error", type=click.Choice(["raise", "keep"]), default="raise", show_default=True,
        help="When a fold fails: raise stops, keep goes on without it.",
    )  # fmt: skip
    return lambda command: add_options(command, (
        option(
            "--cv", default=str(cv), show_default=f"{cv}, {repeats} times" if repeats > 1 else True,
            metavar="FOLDS", callback=parse_scheme,
            help=f"Number of folds, or {', '.join(SCHEMES[:-1])} or {SCHEMES[-1]}.",
        ),
        option("--repeats", type=int, metavar="N", help="Repeat with other folds."),
        option("--seed", type=int, metavar="N", help="Seed of the folds (0)."),
        option(
            "--stratified/--no-stratified", default=None,
            help="Whether each fold has the class shares of the table (yes).",
        ),
        option("--order", metavar="COLUMN", help="The column of times, for --cv forward."),
        option("--groups", metavar="COLUMN", help="Rows of one group stay in one fold."),
        option("--level", type=float, default=0.95, show_default=True, metavar="X",
               help="Confidence level of the intervals."),
        *((failing,) if on_error else ()),
    ))  # fmt: skip


def make_folds(given: dict[str, Any], repeats: int = 1) -> Callable[[str], Any]:
    """A function from a task to its folds; removes the options on folds from ``given``.

    Only the default number of folds is repeated: a number that is given means what it means in
    Python.
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
            raise click.UsageError(f"--{name} cannot be combined with --cv {cv}. Leave it out.")

    def for_task(task: str) -> Any:
        usual = {"stratified": task == "classifier", "repeats": repeats}
        options = {name: usual[name] for name in taken if name in usual} | said
        return make(**options) if cv in kinds else Folds.k(cv, **options)

    return for_task
