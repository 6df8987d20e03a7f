"""Trajectories (s0, a1, r1, s1, ..., an, rn, sn): games as experience to learn from, and to keep.

A file holds one game a line, a JSON list in just that order. States and actions are written as in
``notation``; a reward is Black's: 1 or -1 with the move that ends the game, else 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from tallylearn.checkers.boards import BLACK, Board, Move
from tallylearn.checkers.games import Game, reward
from tallylearn.checkers.notation import board_of, board_text, move_of, text_of
from tallylearn.checkers.players import Player
from tallylearn.errors import FileError, InputError


class Trajectory(NamedTuple):
    """A game from its first board to its end."""

    states: tuple[Board, ...]  # (n + 1)
    actions: tuple[Move, ...]  # (n)
    result: str

    @property
    def rewards(self) -> tuple[int, ...]:  # (n)
        return (0,) * (len(self.actions) - 1) + (reward(self.result, BLACK),)

    def items(self) -> list[str | int]:
        """s0, a1, r1, s1, ... as plain data."""
        found: list[str | int] = [board_text(self.states[0])]
        for action, gain, state in zip(self.actions, self.rewards, self.states[1:], strict=True):
            found += [text_of(action), gain, board_text(state)]
        return found


def record(game: Game, black: Player, red: Player, rng: Random) -> Trajectory:
    """Let two players play a game to its end."""
    states, actions = [game.board], []
    while (result := game.result()) is None:
        move = (black if game.board.turn == BLACK else red)(game, rng)
        game = game.after(move)
        states.append(game.board)
        actions.append(move)
    return Trajectory(tuple(states), tuple(actions), result)


def save(path: Path, trajectories: Iterable[Trajectory]) -> None:
    """Add games to the end of a file."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(game.items()) + "\n" for game in trajectories)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}.") from None


def load(path: Path) -> Iterator[Trajectory]:
    """Read games, every one checked move by move against the rules."""
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield _read(line)
                except InputError as error:
                    raise FileError(f"{path}, line {number}: {error}") from None
    except UnicodeDecodeError:
        raise FileError(
            f"{path} is not a file of trajectories, because it is not text. Pass a file with one "
            "game per line."
        ) from None
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path} cannot be read: {error.strerror}.") from None


def _read(line: str) -> Trajectory:
    items = _items(line)
    game = Game(board_of(str(items[0])))
    states, actions = [game.board], []
    for at in range(1, len(items), 3):
        if game.result() is not None:
            raise InputError(
                f"the game has ended before move {at // 3 + 1}, but more moves follow. Remove them."
            )
        try:
            actions.append(move_of(game.board, str(items[at])))
        except InputError as error:
            raise InputError(f"move {at // 3 + 1}: {error}") from None
        game = game.after(actions[-1])
        states.append(game.board)
        _check(at // 3 + 1, "state", items[at + 2], board_text(game.board))
        _check(at // 3 + 1, "reward", items[at + 1], reward(game.result(), BLACK))
    result = game.result()
    if result is None:
        raise InputError("the game has not ended at the last state. Add its remaining moves.")
    return Trajectory(tuple(states), tuple(actions), result)


def _items(line: str) -> list[str | int]:
    try:
        items = json.loads(line)
    except (ValueError, RecursionError):
        items = None
    if not isinstance(items, list) or len(items) % 3 != 1 or len(items) < 4:
        raise InputError(
            f"{line.strip()[:40]!r} is not a trajectory. Write a JSON list: the first state, then "
            "an action, a reward and a state for every move."
        )
    return items


def _check(move: int, what: str, written: object, expected: object) -> None:
    if written != expected or isinstance(written, bool):
        raise InputError(
            f"the {what} after move {move} is {written!r}, but by the rules it is {expected!r}."
        )
