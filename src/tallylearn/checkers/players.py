"""Players: somebody who looks at a game and names a legal move."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from random import Random

from tallylearn.checkers.boards import Move
from tallylearn.checkers.features import LinearEvaluation
from tallylearn.checkers.games import Game, reward

Player = Callable[[Game, Random], Move]


def play_anything(game: Game, rng: Random) -> Move:
    """The random player: any legal move."""
    return rng.choice(game.board.moves())


def chooser(evaluation: LinearEvaluation) -> Player:
    """A player that looks one move ahead with these weights."""

    def choose(game: Game, rng: Random) -> Move:
        return choose_move(game, evaluation, rng)

    return choose


def explorer(player: Player, share: float) -> Player:
    """The player, with this share of its moves drawn by lot."""

    def explore(game: Game, rng: Random) -> Move:
        return play_anything(game, rng) if rng.random() < share else player(game, rng)

    return explore


def choose_move(game: Game, evaluation: LinearEvaluation, rng: Random) -> Move:
    """ChooseMove: the legal move whose board has the largest value; ties by lot."""
    moves = game.board.moves()
    values = [value(game.after(move), game.board.turn, evaluation) for move in moves]
    best = max(values)
    return rng.choice([move for move, v in zip(moves, values, strict=True) if v == best])


def value(game: Game, side: str, evaluation: LinearEvaluation) -> float:
    """V where the game is over, else V̂. A sum of weights may exceed 1, so a win counts as more."""
    result = game.result()
    if result is None:
        return evaluation(game.board, side)
    return {1: inf, 0: 0.0, -1: -inf}[reward(result, side)]
