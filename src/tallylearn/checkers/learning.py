"""Learning by self-play: four parts that hand their work round in a circle.

    experiment generator --> a board to start from --> performance system
             ^                                               |
             |                                               v
       V̂, the hypothesis                          the trajectory of a game
             ^                                               |
             |                                               v
        generaliser <-- boards and their training values <-- critic

After the figure of the notes (chapter 1), which is Mitchell's (Machine Learning, 1997, figure 1.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pyarrow as pa

import tallylearn as tl
from tallylearn.checkers.boards import BLACK, RED
from tallylearn.checkers.features import NAMES, Features, LinearEvaluation, features
from tallylearn.checkers.games import Game, opening, reward
from tallylearn.checkers.players import chooser, explorer
from tallylearn.checkers.trajectories import Trajectory, record
from tallylearn.errors import FileError

RATE = 0.0005  # c of the notes; above 2 / (1 + 12² + 12²) = 0.007 a single step overshoots
EXPLORED = 0.1  # the share of moves by lot in self-play


class Example(NamedTuple):
    """A board, as the features that are seen of it, and its training value."""

    x: Features
    v_train: float


def generate_experiment(rng: Random) -> Game:
    """The experiment generator: a board that is new, a few moves by lot from the start."""
    return opening(rng)


def perform(game: Game, evaluation: LinearEvaluation, rng: Random) -> Trajectory:
    """The performance system: V̂ plays both sides, and tries something else now and then."""
    player = explorer(chooser(evaluation), EXPLORED)
    return record(game, player, player, rng)


def criticise(trajectory: Trajectory, evaluation: LinearEvaluation) -> list[Example]:
    """The critic: V_train(b) = V̂(the next board that the same side leaves behind); at the end V.

    A board is seen by the side that has just moved: these are the boards that ChooseMove compares.
    """
    found: list[Example] = []
    for side in (BLACK, RED):
        seen = [features(board, side) for board in trajectory.states[1:] if board.turn != side]
        values = [evaluation.of(x) for x in seen[1:]] + [float(reward(trajectory.result, side))]
        found += map(Example, seen, values)
    return found


class Generaliser:
    """The generaliser: least mean squares moves the weights towards the training values."""

    def __init__(self, model: tl.LMS) -> None:
        self.model = model

    @classmethod
    def untrained(cls, rate: float = RATE) -> Generaliser:
        """With weights of zero: all moves tie, and the lot decides.

        Small random weights choose as firmly as large ones: by luck six of twenty seeds would beat
        the random player before the first game.
        """
        return cls(tl.LMS(rate, start=[0.0] * 7))

    @classmethod
    def loaded(cls, path: Path) -> Generaliser:
        """With the weights of a model file."""
        model = tl.load(path)
        if not isinstance(model, tl.LMS) or model.model_.columns != NAMES:
            raise FileError(
                f"{path} holds a model, but not of checkers. Pass a file that `python -m "
                "tallylearn.checkers learn` has written."
            )
        return cls(model)

    @property
    def evaluation(self) -> LinearEvaluation:
        """V̂ as it stands."""
        if not hasattr(self.model, "schema_"):
            return LinearEvaluation(tuple(self.model.start))
        return LinearEvaluation((self.model.intercept_, *self.model.coef_.tolist()))

    def learn(self, examples: list[Example]) -> None:
        """One step for every example."""
        columns = zip(*(example.x for example in examples), strict=True)
        table = pa.table(dict(zip(NAMES, map(list, columns), strict=True)))
        self.model.partial_fit(table, [example.v_train for example in examples])


def practise(numbers: range, generaliser: Generaliser, seed: int) -> Iterator[Trajectory]:
    """Once round the circle for every game; its number and the seed decide what is drawn in it."""
    for number in numbers:
        rng = Random(f"game {seed} {number}")
        trajectory = perform(generate_experiment(rng), generaliser.evaluation, rng)
        generaliser.learn(criticise(trajectory, generaliser.evaluation))
        yield trajectory


def study(trajectories: Iterable[Trajectory], generaliser: Generaliser) -> int:
    """Learn from games that were played before; returns how many there were."""
    count = 0
    for trajectory in trajectories:
        generaliser.learn(criticise(trajectory, generaliser.evaluation))
        count += 1
    return count
