"""Boards of English draughts: 32 squares as the bits of three integers.

Squares are numbered 1 to 32 from the top; Black starts on 1 to 12 and moves first, down the board.
A square's bit leaves a gap after every second row, so that the diagonal neighbours are always 4 and
5 bits away, and a step over the edge falls into a gap:

       1   2   3   4          bits  0  1  2  3
     5   6   7   8                  4  5  6  7  (8 is a gap)
       9  10  11  12                9 10 11 12
    13  14  15  16                 13 14 15 16  (17 is a gap) ...
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

BLACK, RED = "black", "red"
OTHER = {BLACK: RED, RED: BLACK}
BIT = {square: 1 << (square - 1 + (square - 1) // 8) for square in range(1, 33)}
SQUARE = {bit: square for square, bit in BIT.items()}
ALL = sum(BIT.values())
FORWARD = {BLACK: (4, 5), RED: (-4, -5)}
BACKWARD = {BLACK: (-4, -5), RED: (4, 5)}
KING_ROW = {
    BLACK: sum(BIT[square] for square in range(29, 33)),
    RED: sum(BIT[square] for square in range(1, 5)),
}


class Move(NamedTuple):
    """The squares that a piece visits, and the pieces that it takes, as bits."""

    path: tuple[int, ...]
    taken: int = 0


class Board(NamedTuple):
    """Who stands where, and whose turn it is."""

    black: int
    red: int
    kings: int
    turn: str

    def of(self, side: str) -> int:
        """The pieces of a side."""
        return self.black if side == BLACK else self.red

    @property
    def free(self) -> int:
        return ALL & ~(self.black | self.red)

    def moves(self) -> list[Move]:
        """The legal moves. Who can jump must jump, and on to the end; none means that he lost."""
        return self._jumps() or self._steps()

    def after(self, move: Move) -> Board:
        """The board after a move. A man that reaches the last row becomes a king."""
        start, end = move.path[0], move.path[-1]
        own, other = self.of(self.turn) & ~start | end, self.of(OTHER[self.turn]) & ~move.taken
        crowned = end if start & self.kings else end & KING_ROW[self.turn]
        kings = self.kings & ~start & ~move.taken | crowned
        if self.turn == BLACK:
            return Board(own, other, kings, RED)
        return Board(other, own, kings, BLACK)

    def attacked(self, side: str) -> int:
        """The pieces of a side that the other could jump at once, were it to move."""
        victims, attackers, free, found = self.of(side), self.of(OTHER[side]), self.free, 0
        for by, pieces in _ways(OTHER[side], attackers, attackers & self.kings):
            found |= shifted(pieces, by) & victims & shifted(free, -by)
        return found

    def _steps(self) -> list[Move]:
        own, free = self.of(self.turn), self.free
        return [
            Move((shifted(end, -by), end))
            for by, pieces in _ways(self.turn, own, own & self.kings)
            for end in bits(shifted(pieces, by) & free)
        ]

    def _jumps(self) -> list[Move]:
        own, other, free = self.of(self.turn), self.of(OTHER[self.turn]), self.free
        able = 0
        for by, pieces in _ways(self.turn, own, own & self.kings):
            able |= pieces & shifted(other, -by) & shifted(free, -2 * by)
        found: list[Move] = []
        for start in bits(able):
            ways = FORWARD[self.turn] + (BACKWARD[self.turn] if start & self.kings else ())
            found += _chains((start,), 0, other, free | start, ways)
        return found


def _chains(
    path: tuple[int, ...], taken: int, other: int, free: int, ways: tuple[int, ...]
) -> Iterator[Move]:
    """All ways to jump on until no jump is left.

    A man on the last row has no square ahead: the rule that it stops there when it is crowned
    needs no line of its own.
    """
    stuck = True
    for by in ways:
        over, land = shifted(path[-1], by), shifted(path[-1], 2 * by)
        if over & other and land & free:
            stuck = False
            yield from _chains((*path, land), taken | over, other & ~over, free, ways)
    if stuck:
        yield Move(path, taken)


def _ways(side: str, own: int, kings: int) -> tuple[tuple[int, int], ...]:
    """Directions, and the pieces that may go there: all ahead, and kings back."""
    (a, b), (c, d) = FORWARD[side], BACKWARD[side]
    if not kings:
        return (a, own), (b, own)
    return (a, own), (b, own), (c, kings), (d, kings)


def shifted(pieces: int, by: int) -> int:
    return pieces << by if by > 0 else pieces >> -by


def bits(pieces: int) -> Iterator[int]:
    """The pieces one by one, in the order of the squares."""
    while pieces:
        lowest = pieces & -pieces
        yield lowest
        pieces ^= lowest


def placed(black: str = "", red: str = "", turn: str = BLACK) -> Board:
    """A board from lists of squares, kings with a K: ``placed("1 K18", "26")``."""
    sides, kings = [0, 0], 0
    for at, pieces in enumerate((black, red)):
        for piece in pieces.split():
            bit = BIT[int(piece.removeprefix("K"))]
            sides[at] |= bit
            kings |= bit if piece.startswith("K") else 0
    return Board(sides[0], sides[1], kings, turn)


START = placed(" ".join(map(str, range(1, 13))), " ".join(map(str, range(21, 33))))


def perft(board: Board, depth: int) -> int:
    """How many games of this many moves there are: the usual check of a move generator."""
    moves = board.moves()
    if depth <= 1:
        return len(moves) if depth else 1
    return sum(perft(board.after(move), depth - 1) for move in moves)
