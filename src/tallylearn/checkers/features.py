"""What the learner sees of a board: six counts, and a weighted sum of them.

    V̂(b) = w0 + w1 x1 + ... + w6 x6

    x1  black pieces          x2  red pieces
    x3  black kings           x4  red kings
    x5  black pieces that Red could jump at once, were it to move
    x6  red pieces that Black could jump at once

The learner always thinks of itself as Black: playing Red, it counts with the colours exchanged.
"""

from __future__ import annotations

from typing import NamedTuple

from tallylearn.checkers.boards import OTHER, Board

NAMES = (
    "black pieces",
    "red pieces",
    "black kings",
    "red kings",
    "black threatened",
    "red threatened",
)
Features = tuple[int, int, int, int, int, int]


def features(board: Board, side: str) -> Features:
    """x1 to x6 of a board, as the side sees it."""
    mine, yours, kings = board.of(side), board.of(OTHER[side]), board.kings
    return (
        mine.bit_count(),
        yours.bit_count(),
        (mine & kings).bit_count(),
        (yours & kings).bit_count(),
        board.attacked(side).bit_count(),
        board.attacked(OTHER[side]).bit_count(),
    )


class LinearEvaluation(NamedTuple):
    """V̂: the weights w0 to w6."""

    weights: tuple[float, ...]

    def of(self, x: Features) -> float:
        """The weighted sum of the features."""
        w = self.weights
        return (
            w[0]
            + w[1] * x[0] + w[2] * x[1] + w[3] * x[2] + w[4] * x[3] + w[5] * x[4] + w[6] * x[5]
        )  # fmt: skip

    def __call__(self, board: Board, side: str) -> float:
        return self.of(features(board, side))
