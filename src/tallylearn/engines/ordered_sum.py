"""Additions: sums of what adds up with +, by trees that are the same whoever adds, and when."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class Sum:
    """A sum of tallies as they come, added as a fixed binary tree: large ones are added rarely.

    >>> found = Sum()
    >>> for number in (1, 2, 3):
    ...     found.add(number)
    >>> found.total()
    6
    """

    def __init__(self) -> None:
        self._stack: list[tuple[int, Any]] = []  # the size of a subtree, and its sum

    def add(self, tally: Any) -> None:
        """One summand more."""
        size = 1
        while self._stack and self._stack[-1][0] == size:
            before, left = self._stack.pop()
            tally, size = left + tally, before + size
        self._stack.append((size, tally))

    def total(self) -> Any:
        """The sum so far; None where nothing was added."""
        result = None
        for _, left in reversed(self._stack):
            result = left if result is None else left + result
        return result


class OrderedSum(Generic[Result]):
    """A sum of what threads find in any order, added in the order of its numbers.

    >>> found = OrderedSum[str]()
    >>> for number, summand in ((1, "b"), (0, "a"), (2, None)):
    ...     found.put(number, summand)
    >>> found.total(), found.added
    ('ab', 3)
    """

    def __init__(self) -> None:
        self.added = 0  # how many are, those that are None among them
        self._sum, self._lock = Sum(), Lock()
        self._waiting: dict[int, Result | None] = {}  # for those before them

    def put(self, number: int, summand: Result | None) -> None:
        """The summand of a number, from 0; None is none."""
        with self._lock:
            self._waiting[number] = summand
            while self.added in self._waiting:
                if (first := self._waiting.pop(self.added)) is not None:
                    self._sum.add(first)
                self.added += 1

    def total(self) -> Result | None:
        """The sum of those that are added; None where nothing was."""
        found: Result | None = self._sum.total()
        return found


def summed(tallies: Iterable[Result | None]) -> Result | None:
    """The sum as a fixed binary tree, without the parts that are None; None for no other.

    A worker elsewhere sums the blocks of its part with it, and whoever sent it out the parts.

    >>> summed([1, 2, 3])
    6
    """
    found = Sum()
    for tally in tallies:
        if tally is not None:
            found.add(tally)
    total: Result | None = found.total()
    return total
