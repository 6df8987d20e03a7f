"""What linear models count: the products of columns, powers, gaps and targets, in folds or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.engines.ordered_sum import pairwise_sum
from tallylearn.folds.hashing import STEP, hashed
from tallylearn.models.design.columns import spelled, spelling
from tallylearn.models.design.matrix import ROOM, Design
from tallylearn.models.design.missing_values import gappy, learnable
from tallylearn.models.design.pooled_categories import PART, pooled
from tallylearn.models.design.rare_categories import Rare
from tallylearn.tables import BLOCK, BROAD, Array, Block, Codes
from tallylearn.tallies import Bundle, Counts, Products, Scatter, Triangle
from tallylearn.tallies.pairs import Names

Dealt = tuple[Block, Codes]  # rows, and what each is counted by
Kind = type[Scatter] | type[Products] | type[Triangle]
Powers = Callable[[Array, int], list[Array]]  # numbers and a degree, as summands of their powers
SHARE = BLOCK // 4  # rows of a broad block from a file that a thread takes, as in memory
MORE = "+"  # after a power's name: what is left of it beyond a double


def tallied(block: Block, kind: Kind, degree: int, missing: str, folds: int, few: Rare) -> Bundle:
    """The products of a block, whose rare values are one; folds are dealt by what rows hold."""
    block = learnable(block, missing)
    rows = block, dealt(block, folds)
    if not few.values:
        return _in_pieces(rows, kind, degree, ())
    block, counts = pooled(block, few)
    tally = _in_pieces((block, rows[1]), kind, degree, tuple(few.by_column))
    return Bundle({**tally.parts, PART: counts})


def _in_pieces(rows: Dealt, kind: Kind, degree: int, together: tuple[str, ...]) -> Bundle:
    """Of a wide table a few rows at a time, or shared out on threads."""
    block, by = rows
    width = len(block.schema.numbers) * degree + sum(len(c.values) for c in block.codes.values())
    most = max(1, ROOM // max(1, width))
    count = partial(_tallied, kind=kind, degree=degree, together=together)
    if (block.codes or degree > 1) and len(block) > most:
        pieces = (slice(at, at + most) for at in range(0, len(block), most))
        found = (count((block[piece], by[piece])) for piece in pieces)
        return sum(found, start=Bundle())
    if width >= BROAD and len(block) > SHARE:
        pieces = (slice(at, at + SHARE) for at in range(0, len(block), SHARE))
        shares = [(block[piece], by[piece]) for piece in pieces]
        return pairwise_sum(engines.map_threads(count, shares)) or Bundle()
    return count(rows)


def _tallied(rows: Dealt, kind: Kind, degree: int, together: tuple[str, ...]) -> Bundle:
    block, by = rows
    part: Any = None
    if issubclass(kind, Scatter) and degree == 1 and not (block.codes or block.text):
        part = _complete(block, by)
    if part is None:
        part = _with_gaps(rows, kind, degree, together)
    name = "triangle" if kind is Triangle else "numbers"
    return Bundle({"target": Counts.of(by, weight=block.weight), name: part})


def _complete(block: Block, by: Codes) -> Scatter | None:
    """The scatter of numbers without gaps; None where there may be one.

    Their sums tell: to look at the numbers before takes as long as to move them to their centre.
    """
    y = answers_of(block)
    names = _beside(spelling(block), y)
    found = Scatter.complete(block.numbers, by, names, block.weight, beside=y)
    return found if np.isfinite(found.mean).all() else None


def _with_gaps(rows: Dealt, kind: Kind, degree: int, together: tuple[str, ...]) -> Any:
    """The products, with an indicator of the gaps for every column that has some."""
    block, by = rows
    gaps, y, exactly = gappy(block), answers_of(block), issubclass(kind, Products)
    named = spelling(block, gaps, together)
    names, x = powered(block, named, spelled(block, gaps), degree, exactly)
    names = _beside(names, y)
    if issubclass(kind, Products):
        return kind.of(np.hstack([x, y]), by, names, block.weight, block.start)
    return kind.of(x, by, names, block.weight, block.start, beside=y)


def _beside(names: Names, y: Array) -> Names:
    return (*names, *(("", f"!{t}") for t in range(y.shape[1])))


def powered(
    block: Block, names: Names, x: Array, degree: int, exactly: bool = False
) -> tuple[Names, Array]:
    """Names and columns with the powers of the numbers."""
    if degree == 1:
        return names, x
    more = [*_powers(block, degree, exact_powers if exactly else _nearly)]
    return (*names, *(name for name, _ in more)), np.column_stack([x, *(c for _, c in more)])


def answers_of(block: Block) -> Array:
    """(n, t) the targets of a block, side by side."""
    if not isinstance(block.target, tuple):
        return np.asarray(block.target, dtype=np.float64)[:, None]
    return np.column_stack([np.asarray(y, dtype=np.float64) for y in block.target])


def dealt(block: Block, folds: int) -> Codes:
    """What the rows are counted by: one key for all, or a fold that what they hold decides.

    So a row is in the same fold in any order, and rows that are alike are in one; rows of a group
    stay together.
    """
    if folds == 1:
        return block.keyed()
    if block.group is not None:
        names = np.array([hash_of(str(value)) for value in block.group.values], dtype=np.uint64)
        number = names[block.group.codes]
    else:
        number = _content(block)
    part = (hashed(0, number) % np.uint64(folds)).astype(np.int32)
    return block.keyed(Codes(tuple(range(folds)), part))


def hash_of(text: str) -> int:
    """A number of 64 bits for a text, the same everywhere."""
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8).astype(np.uint64)
    return int(hashed(1, np.cumsum(data * hashed(2, np.arange(len(data)))))[-1]) if len(data) else 0


def _content(block: Block) -> Array:
    """(n,) a number for what every row holds: numbers, categories and targets."""
    with np.errstate(over="ignore"):
        out = np.zeros(len(block), dtype=np.uint64)
        for column in (*block.numbers.T, *answers_of(block).T):
            bits = (column + 0.0).view(np.uint64)  # -0.0 is 0.0
            out = out * STEP + (bits ^ (bits >> np.uint64(29)))
        for codes in block.codes.values():
            named = np.array([hash_of(str(v)) for v in codes.values] + [0], dtype=np.uint64)
            out = out * STEP + named[codes.codes]
    return out


def _powers(block: Block, degree: int, powers: Powers) -> Iterator[tuple[tuple[str, str], Array]]:
    """Names and columns of the powers from 2 on."""
    for name, x in zip(block.schema.numbers, block.numbers.T, strict=True):
        for k in range(2, degree + 1):
            for at, column in enumerate(powers(x, k)):
                yield (name, f"^{k:02}{MORE * at}"), column


def _nearly(x: Array, degree: int) -> list[Array]:
    with np.errstate(over="ignore"):
        return [x**degree]


def exact_powers(x: Array, degree: int) -> list[Array]:
    """Doubles whose sum is the power: its digits, 53 bits at a time, the highest first."""
    shown = np.isfinite(x)
    mantissa, exponent = np.frexp(np.where(shown, x, 0.0))
    whole = (mantissa * 2.0**53).astype(np.int64).astype(object) ** degree
    sign, size = np.where(x < 0, (-1) ** degree, 1), np.abs(whole)
    out = []
    for at in range(degree - 1, -1, -1):
        digits = ((size >> (53 * at)) & ((1 << 53) - 1)).astype(np.float64)
        with np.errstate(over="ignore"):
            part = np.ldexp(sign * digits, degree * (exponent.astype(np.int64) - 53) + 53 * at)
        out.append(np.where(shown, part, x))
    return out


def powers_around(block: Block, design: Design, centre: Array, out: Array) -> None:
    """Write powers less their centre into rows (n, p), summed as they were counted; not gaps."""
    for j, degree in design.powers.items():
        x = block.numbers[:, block.schema.places[design.columns[j]]]
        first, *more = exact_powers(x, degree)
        out[:, j] = np.where(np.isnan(x), out[:, j], sum(more, start=first - centre[j]))


def without_more(names: Names) -> Mapping[tuple[str, str], list[int]]:
    """Where the summands of every name stand: those of a power are several."""
    found: dict[tuple[str, str], list[int]] = {}
    for at, (name, value) in enumerate(names):
        found.setdefault((name, value.rstrip(MORE) if value[:1] == "^" else value), []).append(at)
    return found
