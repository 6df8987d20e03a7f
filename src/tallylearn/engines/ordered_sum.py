"""Pairwise sums whose tree of additions depends on the number of summands alone.

Sums of floating-point numbers depend on the order of additions. A fixed binary tree (pairwise
summation) gives the same bits on any number of threads and workers, and rounds less than a running
sum. Higham, Accuracy and Stability of Numerical Algorithms, section 4.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class PairwiseSum:
    """A running sum of anything with +, added as a fixed binary tree: large sums are added rarely.

    >>> found = PairwiseSum()
    >>> for number in (1, 2, 3):
    ...     found.add(number)
    >>> found.total()
    6
    """

    def __init__(self) -> None:
        self._stack: list[tuple[int, Any]] = []  # the size of a subtree, and its sum

    def add(self, tally: Any) -> None:
        """Add one summand."""
        size = 1
        while self._stack and self._stack[-1][0] == size:
            before, left = self._stack.pop()
            tally, size = left + tally, before + size
        self._stack.append((size, tally))

    def total(self) -> Any:
        """The sum so far; None if nothing was added."""
        result = None
        for _, left in reversed(self._stack):
            result = left if result is None else left + result
        return result


class OrderedSum(Generic[Result]):
    """A sum of results that arrive in any order, added in the order of their numbers.

    >>> found = OrderedSum[str]()
    >>> for number, summand in ((1, "b"), (0, "a"), (2, None)):
    ...     found.put(number, summand)
    >>> found.total(), found.added
    ('ab', 3)
    """

    def __init__(self) -> None:
        self.added = 0  # how many summands are, with those that are None
        self._sum, self._lock = PairwiseSum(), Lock()
        self._waiting: dict[int, Result | None] = {}  # for earlier ones

    def put(self, number: int, summand: Result | None) -> None:
        """The summand of a number, counted from 0; None adds nothing."""
        with self._lock:
            self._waiting[number] = summand
            while self.added in self._waiting:
                if (first := self._waiting.pop(self.added)) is not None:
                    self._sum.add(first)
                self.added += 1

    def total(self) -> Result | None:
        """The sum of those that are added; None if nothing was."""
        found: Result | None = self._sum.total()
        return found


def pairwise_sum(tallies: Iterable[Result | None]) -> Result | None:
    """The sum as a fixed binary tree, without summands that are None; None if there is no other.

    A remote worker sums the blocks of its part with it, and its engine sums the parts.

    >>> pairwise_sum([1, 2, 3])
    6
    """
    found = PairwiseSum()
    for tally in tallies:
        if tally is not None:
            found.add(tally)
    total: Result | None = found.total()
    return total
