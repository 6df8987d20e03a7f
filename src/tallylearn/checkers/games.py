"""A game: a board, and as much of its past as the rules of draws look at.

A side that cannot move has lost. A game is drawn when both sides have made 40 moves in a row
without a capture or a man's advance, or when a board with the same side to move comes up for the
third time. (Between people both are claims; here they end the game.)
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from tallylearn.checkers.boards import OTHER, START, Board, Move

DRAW = "draw"
QUIET = 80  # moves, 40 of each side
REPEATED = 3


class Game(NamedTuple):
    """The board, and the boards since the last capture or man's move: none can come back."""

    board: Board = START
    past: tuple[Board, ...] = ()

    def after(self, move: Move) -> Game:
        """The game one move later."""
        kept = not move.taken and move.path[0] & self.board.kings
        return Game(self.board.after(move), (*self.past, self.board) if kept else ())

    def result(self) -> str | None:
        """The winner, ``DRAW``, or None while the game goes on."""
        if not self.board.moves():
            return OTHER[self.board.turn]
        if len(self.past) >= QUIET or self.past.count(self.board) >= REPEATED - 1:
            return DRAW
        return None


def opening(rng: Random, moves: int = 4) -> Game:
    """A game that has begun with moves by lot."""
    game = Game()
    for _ in range(moves):
        game = game.after(rng.choice(game.board.moves()))
    return Game(game.board)


def reward(result: str | None, side: str) -> int:
    """V of a board: 1 where the side has won, -1 where it has lost, 0 for a draw and on the way."""
    if result in (None, DRAW):
        return 0
    return 1 if result == side else -1
