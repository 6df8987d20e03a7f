"""A game against a person, at a terminal."""

from __future__ import annotations

from random import Random

import click

from tallylearn.checkers.boards import BLACK, OTHER, Move
from tallylearn.checkers.features import NAMES, features
from tallylearn.checkers.games import DRAW, Game
from tallylearn.checkers.learning import Generaliser
from tallylearn.checkers.notation import drawn, move_of, text_of
from tallylearn.checkers.players import choose_move
from tallylearn.checkers.trajectories import Trajectory, record
from tallylearn.errors import InputError

HELP = "Type a move such as 11-15 or 22x15x8, or a word: moves, board, why, help, quit."


class Match:
    """A person and the program; each side is a player."""

    def __init__(self, generaliser: Generaliser, side: str) -> None:
        self.generaliser, self.side = generaliser, side
        self.why = "The program has not moved yet."

    def play(self, rng: Random) -> Trajectory:
        """From the start to the end of the game."""
        click.echo(f"You are {self.side.capitalize()}; b and r are men, B and R kings. {HELP}")
        sides = (self.ask, self.answer) if self.side == BLACK else (self.answer, self.ask)
        trajectory = record(Game(), *sides, rng)
        click.echo(f"\n{drawn(trajectory.states[-1])}\n")
        said = {self.side: "You have won.", OTHER[self.side]: "You have lost.", DRAW: "A draw."}
        click.echo(said[trajectory.result])
        return trajectory

    def ask(self, game: Game, rng: Random) -> Move:
        """The person's move: asked for until it is legal."""
        click.echo(f"\n{drawn(game.board)}\n")
        while True:
            text = click.prompt(f"{game.board.turn.capitalize()} to move").strip()
            try:
                if not self._spoken(game, text.lower()):
                    return move_of(game.board, text)
            except InputError as error:
                click.echo(str(error))

    def answer(self, game: Game, rng: Random) -> Move:
        """The program's move, and the terms of V̂ behind it, should somebody ask why."""
        move = choose_move(game, self.generaliser.evaluation, rng)
        seen = dict(zip(NAMES, features(game.after(move).board, game.board.turn), strict=True))
        click.echo(f"\n{game.board.turn.capitalize()} plays {text_of(move)}")
        model = self.generaliser.model
        self.why = f"After {text_of(move)} it sees {seen}, colours as if it were Black:\n"
        self.why += str(model.explain(seen)) if hasattr(model, "schema_") else "It is untrained."
        return move

    def _spoken(self, game: Game, word: str) -> bool:
        """Whether a word was said that is no move, and has been answered."""
        answers = {
            "moves": ", ".join(map(text_of, game.board.moves())),
            "board": drawn(game.board),
            "why": self.why,
            "help": HELP,
        }
        if word == "quit":
            raise click.Abort
        if word in answers:
            click.echo(answers[word])
        return word in answers
