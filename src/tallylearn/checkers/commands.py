"""The program: learn, play, tournament, perft; without a command it shows that it learns."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import click

from tallylearn.checkers import curves, trajectories
from tallylearn.checkers.boards import BLACK, RED, START, perft
from tallylearn.checkers.features import NAMES, LinearEvaluation
from tallylearn.checkers.learning import RATE, Generaliser, practise, study
from tallylearn.checkers.players import Player, chooser, play_anything
from tallylearn.checkers.terminals import Match
from tallylearn.checkers.tournaments import compete
from tallylearn.errors import FileError, TallyError

FILE = click.Path(dir_okay=False, path_type=Path)
COUNT = click.IntRange(min=1)
LESSONS = 400  # games of self-play where nothing else is said


class Program(click.Group):
    """Our errors end a command with their message, and without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except TallyError as error:
            raise click.ClickException(str(error)) from None


@click.group(cls=Program, invoke_without_command=True)
@click.pass_context
def program(ctx: click.Context) -> None:
    """Checkers, learned by playing against itself. Without a command: see it learn."""
    if ctx.invoked_subcommand is None:
        demonstrate()


seeded = click.option("--seed", default=0, show_default=True, help="Decides everything drawn.")
modelled = click.option("--model", type=FILE, help="A file that learn --save wrote.")


@program.command()
@click.option("--games", default=LESSONS, type=click.IntRange(min=0), show_default=True,
              help="Games of self-play.")  # fmt: skip
@click.option("--rate", default=RATE, show_default=True, help="c of the LMS rule.")
@seeded
@click.option("--model", type=FILE, help="Go on from these weights.")
@click.option("--study", "studied", type=FILE, help="Learn from these saved games first.")
@click.option("--record", type=FILE, help="Add the games to this file, as trajectories.")
@click.option("--save", type=FILE, help="Write the weights to this model file.")
@click.option("--curve", type=FILE, help="Write the learning curve to this SVG file.")
@click.option("--every", default=50, type=COUNT, show_default=True,
              help="Games between two points of the curve.")  # fmt: skip
def learn(**given: Any) -> None:
    """Learn by self-play, or from saved games."""
    for path in filter(None, (given["save"], given["curve"])):
        _check_folder(path)
    generaliser = _generaliser(given["model"], given["rate"])
    if given["studied"]:
        count = study(trajectories.load(given["studied"]), generaliser)
        click.echo(f"Learned from {count} saved games.")
    stops = [*range(0, given["games"], given["every"]), given["games"]]
    keep = _keeper(given["record"])
    with waiting(given["games"] + 100 * len(stops)) as tick:
        told: Any = {"matches": 100, "seed": given["seed"], "keep": keep, "tick": tick}
        points = list(curves.follow(generaliser, stops, **told))
    click.echo(curves.table(points))
    click.echo(f"\n{weights(generaliser.evaluation)}")
    if given["save"]:
        generaliser.model.save(given["save"])
    if given["curve"]:
        _write(given["curve"], curves.svg(points))


@program.command()
@click.option("--side", type=click.Choice([BLACK, RED]), default=BLACK, show_default=True)
@seeded
@modelled
@click.option("--record", type=FILE, help="Add the game to this file, if it is played to its end.")
def play(side: str, seed: int, model: Path | None, record: Path | None) -> None:
    """Play against the program at the terminal."""
    keep = _keeper(record)
    keep(Match(_taught(model, seed), side).play(Random(seed)))


@program.command()
@click.option("--games", default=500, type=COUNT, show_default=True)
@seeded
@modelled
@click.option("--against", default="random", show_default=True,
              help="random, untrained, or another model file.")  # fmt: skip
def tournament(games: int, seed: int, model: Path | None, against: str) -> None:
    """Let the program meet an opponent, as Black and as Red from every opening."""
    opponent: Player = play_anything
    if against != "random":
        file = None if against == "untrained" else Path(against)
        opponent = chooser(_generaliser(file).evaluation)
    player = chooser(_taught(model, seed).evaluation)
    with waiting(games) as tick:
        score = compete(player, opponent, games, seed, tick)
    click.echo(f"{games} games against {against}: {score}")


@program.command()
@click.option("--seeds", default=20, type=click.IntRange(min=2), show_default=True)
@click.option("--games", default=20, type=COUNT, show_default=True, help="Of self-play, a seed.")
@click.option("--matches", default=100, type=COUNT, show_default=True,
              help="Against the random player, at every point.")  # fmt: skip
def seeds(seeds: int, games: int, matches: int) -> None:
    """Learn anew with every seed, and show the mean of the points with its interval."""
    stops = sorted({0, *(n for n in (1, 2, 5, 10) if n < games), games})
    with waiting(seeds * (games + matches * len(stops))) as tick:
        shares = curves.repeat(seeds, stops, matches=matches, tick=tick)
    click.echo(f"{seeds} seeds, {matches} games against the random player at every point:\n")
    click.echo(curves.spread(stops, shares))


@program.command("perft")
@click.option("--depth", default=8, type=click.IntRange(1, 11), show_default=True)
def count(depth: int) -> None:
    """Count the games of so many moves from the start: the check of the rules."""
    for moves in range(1, depth + 1):
        started = time.perf_counter()
        found = perft(START, moves)
        click.echo(f"{moves:>2} {found:>12,}   {time.perf_counter() - started:6.2f} s")


def demonstrate() -> None:
    """Learn by self-play, and show that it does."""
    generaliser = Generaliser.untrained()
    before, stops = generaliser.evaluation, (0, 1, 2, 5, 10, 20, *range(50, LESSONS + 1, 50))
    click.echo(
        "Task: to play checkers. Performance: the share of points (a win 1, a draw 1/2) against a\n"
        f"player of random moves. Experience: {LESSONS} games against itself, seed 0.\n"
    )
    with waiting(LESSONS + 100 * len(stops)) as tick:
        points = list(curves.follow(generaliser, stops, matches=100, seed=0, tick=tick))
    after = generaliser.evaluation
    click.echo(f"{weights(before, after)}\n\n{curves.table(points)}\n")
    meetings = (
        ("untrained against random", before, play_anything),
        ("trained against random", after, play_anything),
        ("trained against untrained", after, chooser(before)),
        (f"{LESSONS} games against {stops[3]}", after, chooser(points[3].evaluation)),
    )
    click.echo("Tournaments of 500 games, from openings by lot, each played as Black and as Red:")
    for title, evaluation, opponent in meetings:
        with waiting(500) as tick:
            score = compete(chooser(evaluation), opponent, 500, 1, tick)
        click.echo(f"{title:<26} {score}")
    click.echo(
        "\nThe untrained weights are zero: all moves tie, and the lot decides, as for the random"
        "\nplayer. The intervals are Wilson's, with points for successes; over many seeds:"
        "\npython -m tallylearn.checkers seeds. Next: python -m tallylearn.checkers play"
    )


def weights(*evaluations: LinearEvaluation) -> str:
    """The weights beside the features."""
    titles = [("before", "after"), ("weight",)][len(evaluations) == 1]
    lines = [f"{'':<21}" + "".join(f"{title:>10}" for title in titles)]
    for at, name in enumerate(("always 1", *NAMES)):
        numbers = "".join(f"{evaluation.weights[at]:>10.4f}" for evaluation in evaluations)
        lines.append(f"w{at}  {name:<17}{numbers}")
    return "\n".join(lines)


@contextmanager
def waiting(steps: int) -> Iterator[Callable[[], object]]:
    """A bar on a terminal, as long as it takes."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("playing", total=steps)
        yield lambda: bar.advance(task)


def _generaliser(model: Path | None, rate: float = RATE) -> Generaliser:
    if model is None:
        return Generaliser.untrained(rate)
    generaliser = Generaliser.loaded(model)
    generaliser.model.set_params(learning_rate=rate)
    return generaliser


def _taught(model: Path | None, seed: int) -> Generaliser:
    """The weights of a file, or freshly learned ones."""
    generaliser = _generaliser(model)
    if model is None:
        click.echo(f"Learning from {LESSONS} games first; --model takes weights from a file.")
        with waiting(LESSONS) as tick:
            for _ in practise(range(LESSONS), generaliser, seed):
                tick()
    return generaliser


def _keeper(path: Path | None) -> Callable[[trajectories.Trajectory], object]:
    if path is None:
        return lambda game: None
    trajectories.save(path, [])  # a path that cannot be written is an error before the games
    return lambda game: trajectories.save(path, [game])


def _check_folder(path: Path) -> None:
    """A wrong path is told before the games, not after them."""
    if not path.parent.is_dir():
        raise FileError(f"{path} cannot be written: there is no folder {str(path.parent)!r}.")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}.") from None
