"""Coverage: how often the interval of an information gain holds the gain of all rows.

Tables of two classes and three values are drawn from known shares, so that the gain of all rows is
known; ``tl.describe`` gives each table its interval.

Usage: gain_coverage.py [runs]
"""

from __future__ import annotations

import sys

import numpy as np

import tallylearn as tl

SHARES = (  # of the cells: classes by values
    ((0.20, 0.15, 0.15), (0.10, 0.15, 0.25)),
    ((0.30, 0.20, 0.10), (0.05, 0.10, 0.25)),
    ((0.40, 0.05, 0.05), (0.05, 0.05, 0.40)),
)


def gain(cells: np.ndarray) -> float:
    """The information, in bits, that the columns of a table of shares have of its rows."""
    chance = cells.sum(1, keepdims=True) * cells.sum(0)
    return float((cells * np.log2(cells / chance)).sum())


def held(cells: np.ndarray, n: int, rng: np.random.Generator) -> bool:
    """Whether the interval of one drawn table holds the gain."""
    at = rng.choice(cells.size, size=n, p=cells.ravel())
    drawn = {"y": np.array(["u", "v"])[at // 3], "x": np.array(["a", "b", "c"])[at % 3]}
    found = tl.describe(drawn, "y")["x"]["gain"]
    return bool(found["low"] <= gain(cells) <= found["high"])


def main() -> None:
    """A line for every number of rows: the share of the tables whose interval holds."""
    runs = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1000
    for n in (400, 4000):
        shares = []
        for seed, cells in enumerate(map(np.array, SHARES)):
            rng = np.random.default_rng(seed)
            shares.append(np.mean([held(cells, n, rng) for _ in range(runs)]))
        each = ", ".join(
            f"{gain(np.array(c)):.3f} bits {s:.1%}" for c, s in zip(SHARES, shares, strict=True)
        )
        print(
            f"n = {n:,}: {np.mean(shares):.1%} of {len(SHARES) * runs:,} tables ({each})",
            flush=True,
        )


if __name__ == "__main__":
    main()
