"""Rewriting: lines that are no rows are taken out of a text, and its cells divided by one mark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise

READ_BYTES = 1 << 20  # bytes
MAX_ROW_BYTES = 1 << 24  # bytes of one row, or of one cell
_END = re.compile(rb"\r\n|\n|\r")
_SPACES = re.compile(rb"[ \t]+")


@dataclass(frozen=True)
class Rewriting:
    """What is done to the lines of a text before they are parsed."""

    skip: int = 0  # lines at the beginning
    comment: str = ""  # what a line begins with that is no row
    spaces: bool = False  # whether any run of spaces and tabs is one delimiter
    quote: str = '"'
    footer: int = 0  # lines at the end, empty ones not counted
    unwrap: bool = False  # whether whole lines stand in quotes
    widths: tuple[int, ...] = ()  # of columns of fixed width, but the last

    def __bool__(self) -> bool:
        return bool(self.skip or self.footer or self._by_line)

    @property
    def _by_line(self) -> bool:
        return bool(self.comment or self.spaces or self.unwrap or self.widths)

    def pieces(self, read: Callable[[int], bytes]) -> Iterator[bytes]:
        """The bytes of a text, piece by piece, rewritten."""
        pieces = _without_lines(read, self.skip)
        if self.footer:
            pieces = _without_footer(_whole_lines(pieces), self.footer)
        return self._lines(_whole_lines(pieces)) if self._by_line else pieces

    def _lines(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        comment, quote, quoted = self.comment.encode(), self.quote.encode(), False
        for piece in pieces:
            kept = []
            for line in piece.splitlines(keepends=True):
                if comment and not quoted and line.lstrip(b"\xef\xbb\xbf \t").startswith(comment):
                    continue
                kept.append(self._delimit(line))
                quoted ^= bool(quote) and line.count(quote) % 2 == 1
            if kept:
                yield b"".join(kept)

    def _delimit(self, line: bytes) -> bytes:
        """A line with its cells divided by a delimiter."""
        if self.unwrap:
            line = _unwrap(line, self.quote.encode())
        if self.widths:
            text = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
            ends = (0, *accumulate(self.widths), max(len(text), sum(self.widths)))
            cells = "\t".join(text[a:b].strip() for a, b in pairwise(ends))
            return cells.encode("utf-8", "surrogateescape") + b"\n" if cells.strip() else b"\n"
        return self._collapse_spaces(line) if self.spaces else line

    def _collapse_spaces(self, line: bytes) -> bytes:
        """One space between cells; what stands between quotes is left as it is."""
        text = line.strip(b" \t\r\n")
        quote = self.quote.encode()
        if not quote or quote not in text:
            return _SPACES.sub(b" ", text) + b"\n"
        parts = text.split(quote)
        parts[::2] = [_SPACES.sub(b" ", part) for part in parts[::2]]
        return quote.join(parts) + b"\n"


AS_IT_IS = Rewriting()


def _unwrap(line: bytes, quote: bytes) -> bytes:
    """A line without the quotes around all of it, and those within it single."""
    text = line.strip(b" \t\r\n\xef\xbb\xbf")
    if len(text) < 2 or not (text.startswith(quote) and text.endswith(quote)):
        return line
    return text[1:-1].replace(2 * quote, quote) + b"\n"


def _without_footer(pieces: Iterator[bytes], footer: int) -> Iterator[bytes]:
    """The same text without its last lines; empty lines go with them, and do not count."""
    held: list[bytes] = []
    for piece in pieces:
        held += piece.splitlines(keepends=True)
        filled = [at for at, line in enumerate(held) if line.strip()]
        if len(filled) > footer:
            cut = filled[-footer]
            yield b"".join(held[:cut])
            held = held[cut:]


def _without_lines(read: Callable[[int], bytes], skip: int) -> Iterator[bytes]:
    """All that follows the first lines; a line end may be cut in two by the edge of a piece."""
    while skip and (piece := read(READ_BYTES)):
        if piece.endswith(b"\r"):
            piece += read(1)
        at = 0
        while skip and (end := _END.search(piece, at)):
            at, skip = end.end(), skip - 1
        if not skip and at < len(piece):
            yield piece[at:]
    while piece := read(READ_BYTES):
        yield piece


def _whole_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same text in pieces that end where a line does; one that is too long is handed on."""
    held = b""
    for piece in pieces:
        held += piece
        cut = max(held.rfind(b"\n"), held.rfind(b"\r", 0, -1)) + 1
        if cut or len(held) > MAX_ROW_BYTES:
            yield held[: cut or None]
            held = held[cut:] if cut else b""
    if held:
        yield held
