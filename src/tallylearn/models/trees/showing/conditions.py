"""Conditions: what a row must hold in one column, a range of numbers or a set of categories."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any

from tallylearn.reporting.formatting import plain_data
from tallylearn.tables import NUMBER
from tallylearn.workings.units import format_value


@dataclass(frozen=True)
class Span:
    """Numbers above ``low``, up to ``high``, and gaps if ``missing``.

    ``unseen``: no row that the tree grew from had a gap here, and so no sentence tells of gaps.

    >>> print(Span("x", low=2) & Span("x", high=5), Span("x", missing=False), sep="; ")
    2 < x <= 5 or missing; x present
    """

    column: str
    low: float = -inf
    high: float = inf
    missing: bool = True
    kind: str = NUMBER
    unseen: bool = False

    @property
    def valued(self) -> bool:
        """Whether any number lies inside."""
        return self.low < self.high

    @property
    def empty(self) -> bool:
        return not self.valued and not self.missing

    @property
    def free(self) -> bool:
        return self.low == -inf and self.high == inf and self.missing

    def __and__(self, other: Span) -> Span:
        low, high = max(self.low, other.low), min(self.high, other.high)
        low, high = (low, high) if low < high else (inf, -inf)
        return replace(
            self, low=low, high=high, missing=self.missing and other.missing,
            unseen=self.unseen or other.unseen,
        )  # fmt: skip

    def joined(self, other: Span) -> Span | None:
        """Both together, where that is one range."""
        missing, unseen = self.missing or other.missing, self.unseen and other.unseen
        if not self.valued or not other.valued:
            return replace(self if self.valued else other, missing=missing, unseen=unseen)
        first, last = sorted((self, other), key=lambda span: span.low)
        if first.high < last.low:
            return None
        high = max(first.high, last.high)
        return replace(self, low=first.low, high=high, missing=missing, unseen=unseen)

    def __str__(self) -> str:
        low, high = (format_value(end, self.kind) if abs(end) < inf else "" for end in self.ends)
        if not self.valued:
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
    def strange(self) -> bool:
        """Whether it takes nothing but gaps that no row had."""
        return not self.valued and self.unseen

    @property
    def ends(self) -> tuple[float, float]:
        return (self.low, self.high)

    @property
    def start(self) -> float:
        """Where it stands in the order of its column."""
        return self.low

    def in_python(self) -> str:
        """A condition on ``v``, where a gap is NaN."""
        v = f"v[{self.column!r}]"
        if not self.valued:
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
                "present": self.valued, "missing": self.missing}  # fmt: skip


@dataclass(frozen=True)
class Among:
    """One of some categories; with ``others`` any but these; and gaps if ``missing``: see Span.

    >>> sunny = Among("Outlook", frozenset({"Sunny", "Rain"}), missing=False)
    >>> print(sunny, sunny & Among("Outlook", frozenset({"Rain"}), others=True), sep="; ")
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
    def free(self) -> bool:
        return not self.values and self.others and self.missing

    def __and__(self, other: Among) -> Among:
        if self.others and other.others:
            values = self.values | other.values
        elif self.others or other.others:
            named, rest = (other, self) if self.others else (self, other)
            values = named.values - rest.values
        else:
            values = self.values & other.values
        both, unseen = self.others and other.others, self.unseen or other.unseen
        return Among(self.column, values, both, self.missing and other.missing, unseen)

    def joined(self, other: Among) -> Among:
        """Both together."""
        turned, unseen = self.turned & other.turned, self.unseen and other.unseen
        return Among(self.column, turned.values, not turned.others, not turned.missing, unseen)

    @property
    def turned(self) -> Among:
        """All that is not in it."""
        return Among(self.column, self.values, not self.others, not self.missing, self.unseen)

    def __str__(self) -> str:
        names = ", ".join(sorted(self.values))
        said = f"{self.column} {'not ' if self.others else ''}in {{{names}}}"
        if len(self.values) == 1:
            said = f"{self.column} {'!=' if self.others else '='} {names}"
        if not self.values:
            return f"{self.column} {'present' if self.others else 'missing'}"
        return said + (" or missing" if self.missing and not self.unseen else "")

    @property
    def strange(self) -> bool:
        """Whether it takes nothing but gaps that no row had."""
        return not self.values and not self.others and self.unseen

    @property
    def start(self) -> float:
        """Categories have no order: the one stands where the other does."""
        return 0.0

    def in_python(self) -> str:
        """A condition on ``v``, where a gap is None."""
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


Condition = Span | Among
