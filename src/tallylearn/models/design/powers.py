"""Powers of numeric columns (``degree=``), in doubles or exactly as sums of doubles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from tallylearn.models.design.matrix import Design
from tallylearn.tables import Array, Block
from tallylearn.tallies.pairs import Names

# After the name of a power: the next summand of its exact value, beyond the digits of a double.
SUMMAND_MARK = "+"

Powers = Callable[[Array, int], list[Array]]  # numbers and a degree, as summands of their powers


def append_powers(
    block: Block, names: Names, x: Array, degree: int, exactly: bool = False
) -> tuple[Names, Array]:
    """Names and columns with the powers of the numbers."""
    if degree == 1:
        return names, x
    more = [*_powers(block, degree, exact_powers if exactly else _rounded_powers)]
    return (*names, *(name for name, _ in more)), np.column_stack([x, *(c for _, c in more)])


def _powers(block: Block, degree: int, powers: Powers) -> Iterator[tuple[tuple[str, str], Array]]:
    """Names and columns of the powers from 2 on."""
    for name, x in zip(block.schema.numbers, block.numbers.T, strict=True):
        for k in range(2, degree + 1):
            for at, column in enumerate(powers(x, k)):
                yield (name, f"^{k:02}{SUMMAND_MARK * at}"), column


def _rounded_powers(x: Array, degree: int) -> list[Array]:
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


def centre_exact_powers(block: Block, design: Design, centre: Array, out: Array) -> None:
    """Write powers less their centre into rows (n, p), summed as they were counted; not gaps."""
    for j, degree in design.powers.items():
        x = block.numbers[:, block.schema.places[design.columns[j]]]
        first, *more = exact_powers(x, degree)
        out[:, j] = np.where(np.isnan(x), out[:, j], sum(more, start=first - centre[j]))


def group_summands(names: Names) -> Mapping[tuple[str, str], list[int]]:
    """Where the summands of every name stand: those of a power are several."""
    found: dict[tuple[str, str], list[int]] = {}
    for at, (name, value) in enumerate(names):
        found.setdefault(
            (name, value.rstrip(SUMMAND_MARK) if value[:1] == "^" else value), []
        ).append(at)
    return found
