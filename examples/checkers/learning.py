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
from random import Random
from typing import NamedTuple

import tallylearn as tl

from .boards import BLACK, RED
from .features import Evaluation, Features, features
from .games import Game, reward
from .players import chooser, explorer
from .trajectories import Trajectory, record

RATE = 0.002  # c of the notes; above 2 / (1 + 12² + 12²) = 0.007 a single step overshoots
OPENING = 4  # moves by lot before a game of self-play begins
EXPLORED = 0.1  # the share of moves by lot within it
SMALL = 0.01  # weights start between -SMALL and SMALL


class Example(NamedTuple):
    """A board, as the features that are seen of it, and its training value."""

    x: Features
    v_train: float


def generate_experiment(rng: Random) -> Game:
    """The experiment generator: a board that is new, a few moves by lot from the start."""
    game = Game()
    for _ in range(OPENING):
        game = game.after(rng.choice(game.board.moves()))
    return Game(game.board)


def perform(game: Game, evaluation: Evaluation, rng: Random) -> Trajectory:
    """The performance system: V̂ plays both sides, and tries something else now and then."""
    player = explorer(chooser(evaluation), EXPLORED)
    return record(game, player, player, rng)


def criticise(trajectory: Trajectory, evaluation: Evaluation) -> list[Example]:
    """The critic: V_train(b) = V̂(the board when it is one's turn again); at the end V itself.

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

    def __init__(self, seed: int = 0, rate: float = RATE) -> None:
        rng = Random(f"weights {seed}")
        self.evaluation = Evaluation(tuple(rng.uniform(-SMALL, SMALL) for _ in range(7)))
        self.model = tl.LMS(rate, start=self.evaluation.weights)

    def learn(self, examples: list[Example]) -> Evaluation:
        """One step for every example."""
        x, v_train = zip(*examples, strict=True)
        self.model.partial_fit(x, v_train)
        self.evaluation = Evaluation((self.model.intercept_, *self.model.coef_.tolist()))
        return self.evaluation


def practise(games: int, generaliser: Generaliser, seed: int) -> Iterator[Trajectory]:
    """Once round the circle for every game."""
    for number in range(games):
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
