"""Rewriting: lines that are no rows are taken out of a text, and runs of spaces become one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

PIECE = 1 << 20  # bytes
LONGEST = 1 << 24  # bytes of one row, or of one cell
_END = re.compile(rb"\r\n|\n|\r")
_SPACES = re.compile(rb"[ \t]+")


@dataclass(frozen=True)
class Rewriting:
    """What is done to the lines of a text before they are parsed."""

    skip: int = 0  # lines at the beginning
    comment: str = ""  # what a line begins with that is no row
    spaces: bool = False  # whether any run of spaces and tabs is one delimiter
    quote: str = '"'

    def __bool__(self) -> bool:
        return bool(self.skip or self.comment or self.spaces)

    def pieces(self, read: Callable[[int], bytes]) -> Iterator[bytes]:
        """The bytes of a text, piece by piece, rewritten."""
        pieces = _without_lines(read, self.skip)
        if not (self.comment or self.spaces):
            return pieces
        return self._lines(_whole_lines(pieces))

    def _lines(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        comment, quote, quoted = self.comment.encode(), self.quote.encode(), False
        for piece in pieces:
            kept = []
            for line in piece.splitlines(keepends=True):
                if comment and not quoted and line.lstrip(b"\xef\xbb\xbf \t").startswith(comment):
                    continue
                kept.append(self._respaced(line) if self.spaces else line)
                quoted ^= bool(quote) and line.count(quote) % 2 == 1
            if kept:
                yield b"".join(kept)

    def _respaced(self, line: bytes) -> bytes:
        """One space between cells; what stands between quotes is left as it is."""
        text = line.strip(b" \t\r\n")
        quote = self.quote.encode()
        if not quote or quote not in text:
            return _SPACES.sub(b" ", text) + b"\n"
        parts = text.split(quote)
        parts[::2] = [_SPACES.sub(b" ", part) for part in parts[::2]]
        return quote.join(parts) + b"\n"


AS_IT_IS = Rewriting()


def _without_lines(read: Callable[[int], bytes], skip: int) -> Iterator[bytes]:
    """All that follows the first lines; a line end may be cut in two by the edge of a piece."""
    while skip and (piece := read(PIECE)):
        if piece.endswith(b"\r"):
            piece += read(1)
        at = 0
        while skip and (end := _END.search(piece, at)):
            at, skip = end.end(), skip - 1
        if not skip and at < len(piece):
            yield piece[at:]
    while piece := read(PIECE):
        yield piece


def _whole_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same text in pieces that end where a line does; one that is too long is handed on."""
    held = b""
    for piece in pieces:
        held += piece
        cut = max(held.rfind(b"\n"), held.rfind(b"\r", 0, -1)) + 1
        if cut or len(held) > LONGEST:
            yield held[: cut or None]
            held = held[cut:] if cut else b""
    if held:
        yield held
