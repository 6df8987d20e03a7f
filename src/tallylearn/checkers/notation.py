"""Moves and boards in writing: 11-15, 22x15x8, and B:R21,22,K30:B1,2."""

from __future__ import annotations

import re

from tallylearn.checkers.boards import BIT, BLACK, RED, SQUARE, Board, Move, bits
from tallylearn.errors import InputError

LETTER = {BLACK: "B", RED: "R"}
SIDE = {letter: side for side, letter in LETTER.items()}
PIECES = r"((?:K?\d+(?:,K?\d+)*)?)"
BOARD = re.compile(f"([BR]):R{PIECES}:B{PIECES}")


def text_of(move: Move) -> str:
    """A step as 11-15, a jump with every square it touches, as 22x15x8."""
    return ("x" if move.taken else "-").join(map(str, _squares(move)))


def move_of(board: Board, text: str) -> Move:
    """The legal move that a text names; 22x8 will do for 22x15x8 where only one jump fits."""
    legal = board.moves()
    named = [int(part) for part in re.findall(r"\d{1,3}", text)]
    exact = [move for move in legal if _squares(move) == named]
    short = [move for move in legal if [_squares(move)[i] for i in (0, -1)] == named]
    if re.fullmatch(r"\s*\d+(\s*[-x ]\s*\d+)+\s*", text, re.IGNORECASE) and (exact or short):
        if exact or len(short) == 1:
            return (exact or short)[0]
        legal = short
        why = "can be played in more than one way"
    else:
        why = "is not a legal move" + (": a jump must be taken" if legal and legal[0].taken else "")
    moves = ", ".join(map(text_of, legal)) or "nothing, and has lost"
    raise InputError(f"{text.strip()!r} {why}. {board.turn.capitalize()} can play {moves}.")


def board_text(board: Board) -> str:
    """Whose turn it is, then the squares of Red and of Black, kings with a K."""
    return f"{LETTER[board.turn]}:R{_pieces(board, RED)}:B{_pieces(board, BLACK)}"


def board_of(text: str) -> Board:
    """Read what ``board_text`` writes."""
    found = BOARD.fullmatch(text)
    if found is None:
        raise InputError(
            f"{text[:60]!r} is not a board. Write whose turn it is and the pieces of both sides, "
            "as in B:R21,22,K30:B1,2."
        )
    seen, sides, kings = 0, [], 0
    for pieces in found.groups()[1:]:
        sides.append(0)
        for piece in filter(None, pieces.split(",")):
            bit = BIT.get(int(piece.removeprefix("K")), 0)
            if not bit or bit & seen:
                what = "is occupied twice" if bit else "is not between 1 and 32"
                raise InputError(
                    f"square {piece.removeprefix('K')} of the board {text!r} {what}. Give each "
                    "piece a square of its own, from 1 to 32."
                )
            seen |= bit
            sides[-1] |= bit
            kings |= bit if piece.startswith("K") else 0
    return Board(sides[1], sides[0], kings, SIDE[found[1]])


def drawn(board: Board) -> str:
    """The board for a terminal: b and r are men, B and R kings, free squares have their number."""
    lines = []
    for row in range(8):
        cells = [f"{_cell(board, 4 * row + at + 1):>3}" for at in range(4)]
        lines.append(("   " if row % 2 == 0 else "") + "   ".join(cells))
    return "\n".join(lines)


def _cell(board: Board, square: int) -> str:
    bit = BIT[square]
    if bit & board.free:
        return str(square)
    letter = "b" if bit & board.black else "r"
    return letter.upper() if bit & board.kings else letter


def _squares(move: Move) -> list[int]:
    return [SQUARE[bit] for bit in move.path]


def _pieces(board: Board, side: str) -> str:
    return ",".join(
        ("K" if bit & board.kings else "") + str(SQUARE[bit]) for bit in bits(board.of(side))
    )
