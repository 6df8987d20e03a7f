"""Conditions of a rule on one column: a range of numbers or a set of categories."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any

from tallylearn.reporting.formatting import plain_data
from tallylearn.tables import NUMBER
from tallylearn.workings.units import format_value


@dataclass(frozen=True)
class NumberRange:
    """Numbers above ``low``, up to ``high``, and missing values if ``missing``.

    ``unseen``: no training row had a missing value here, so the text does not mention them.

    >>> print(NumberRange("x", low=2) & NumberRange("x", high=5))
    2 < x <= 5 or missing
    >>> print(NumberRange("x", missing=False))
    x present
    """

    column: str
    low: float = -inf
    high: float = inf
    missing: bool = True
    kind: str = NUMBER
    unseen: bool = False

    @property
    def has_numbers(self) -> bool:
        """Whether the range has any number."""
        return self.low < self.high

    @property
    def empty(self) -> bool:
        return not self.has_numbers and not self.missing

    @property
    def is_unrestricted(self) -> bool:
        return self.low == -inf and self.high == inf and self.missing

    def __and__(self, other: NumberRange) -> NumberRange:
        low, high = max(self.low, other.low), min(self.high, other.high)
        low, high = (low, high) if low < high else (inf, -inf)
        return replace(
            self, low=low, high=high, missing=self.missing and other.missing,
            unseen=self.unseen or other.unseen,
        )  # fmt: skip

    def union(self, other: NumberRange) -> NumberRange | None:
        """The union of two ranges; None where it is not one range."""
        missing, unseen = self.missing or other.missing, self.unseen and other.unseen
        if not self.has_numbers or not other.has_numbers:
            return replace(self if self.has_numbers else other, missing=missing, unseen=unseen)
        first, last = sorted((self, other), key=lambda span: span.low)
        if first.high < last.low:
            return None
        high = max(first.high, last.high)
        return replace(self, low=first.low, high=high, missing=missing, unseen=unseen)

    def __str__(self) -> str:
        low, high = (format_value(end, self.kind) if abs(end) < inf else "" for end in self.ends)
        if not self.has_numbers:
            return f"{self.column} missing"
        said = f"{low} < {self.column} <= {high}"
        if not low:
            said = f"{self.column} <= {high}"
        if not high:
            said = f"{self.column} > {low}"
        if not low and not high:
            return f"{self.column} present"
        return said + (" or missing" if self.missing and not self.unseen else "")

    @property
    def never_seen(self) -> bool:
        """Whether it holds for missing values alone, which no training row had."""
        return not self.has_numbers and self.unseen

    @property
    def ends(self) -> tuple[float, float]:
        return (self.low, self.high)

    @property
    def start(self) -> float:
        """The key by which the conditions of a column are sorted."""
        return self.low

    def in_python(self) -> str:
        """Python code for a condition on ``v``, where a missing value is NaN."""
        v = f"v[{self.column!r}]"
        if not self.has_numbers:
            return f"isnan({v})"
        low, high = (repr(float(end)) if abs(end) < inf else "" for end in self.ends)
        said = f"not isnan({v})"
        if low or high:
            said = f"{v} > {low}" if low else f"{v} <= {high}"
        if low and high:
            said = f"{low} < {v} <= {high}"
        return f"({said} or isnan({v}))" if self.missing else said

    def to_dict(self) -> dict[str, Any]:
        low, high = (None if abs(end) == inf else end for end in self.ends)
        return {"column": self.column, "kind": self.kind, "above": low, "at_most": high,
                "present": self.has_numbers, "missing": self.missing}  # fmt: skip


@dataclass(frozen=True)
class CategorySet:
    """One of some categories; with ``others`` any but these; missing values if ``missing``.

    >>> sunny = CategorySet("Outlook", frozenset({"Sunny", "Rain"}), missing=False)
    >>> print(sunny, sunny & CategorySet("Outlook", frozenset({"Rain"}), others=True), sep="; ")
    Outlook in {Rain, Sunny}; Outlook = Sunny
    """

    column: str
    values: frozenset[str] = frozenset()
    others: bool = False
    missing: bool = True
    unseen: bool = False

    @property
    def empty(self) -> bool:
        return not self.values and not self.others and not self.missing

    @property
    def is_unrestricted(self) -> bool:
        return not self.values and self.others and self.missing

    def __and__(self, other: CategorySet) -> CategorySet:
        if self.others and other.others:
            values = self.values | other.values
        elif self.others or other.others:
            named, rest = (other, self) if self.others else (self, other)
            values = named.values - rest.values
        else:
            values = self.values & other.values
        both, unseen = self.others and other.others, self.unseen or other.unseen
        return CategorySet(self.column, values, both, self.missing and other.missing, unseen)

    def union(self, other: CategorySet) -> CategorySet:
        """The union of two sets."""
        rest, unseen = self.complement & other.complement, self.unseen and other.unseen
        return CategorySet(self.column, rest.values, not rest.others, not rest.missing, unseen)

    @property
    def complement(self) -> CategorySet:
        """All values that are not in the set."""
        return CategorySet(self.column, self.values, not self.others, not self.missing, self.unseen)

    def __str__(self) -> str:
        names = ", ".join(sorted(self.values))
        said = f"{self.column} {'not ' if self.others else ''}in {{{names}}}"
        if len(self.values) == 1:
            said = f"{self.column} {'!=' if self.others else '='} {names}"
        if not self.values:
            return f"{self.column} {'present' if self.others else 'missing'}"
        return said + (" or missing" if self.missing and not self.unseen else "")

    @property
    def never_seen(self) -> bool:
        """Whether it holds for missing values alone, which no training row had."""
        return not self.values and not self.others and self.unseen

    @property
    def start(self) -> float:
        """Categories have no order: all have the same key."""
        return 0.0

    def in_python(self) -> str:
        """Python code for a condition on ``v``, where a missing value is None."""
        v, names = f"v[{self.column!r}]", [*map(repr, sorted(self.values))]
        if self.missing != self.others:
            names.append("None")
        if len(names) != 1:
            return f"{v} {'not in' if self.others else 'in'} ({', '.join(names)})"
        same, different = ("is", "is not") if names[0] == "None" else ("==", "!=")
        return f"{v} {different if self.others else same} {names[0]}"

    def to_dict(self) -> dict[str, Any]:
        return {"column": self.column, "kind": "category",
                "but" if self.others else "among": sorted(map(plain_data, self.values)),
                "missing": self.missing}  # fmt: skip


Condition = NumberRange | CategorySet
