"""How ``fit`` was called: by column names or with arrays, and with which targets."""

from __future__ import annotations

from dataclasses import dataclass

from tallylearn.errors import MergeError, quoted_list


@dataclass(frozen=True)
class CallStyle:
    """How rows were passed to ``fit``; two calls add up to one style, or raise a MergeError."""

    by_name: bool = False  # whether the columns are matched by name from now on
    label_type: str = ""  # of the classes that ``predict`` returns
    target: str | None = None  # the name of its column, where it is one
    targets: tuple[str, ...] = ()  # the names of several, "" where they have none

    def __add__(self, other: CallStyle) -> CallStyle:
        self.check_several(other)
        mine, theirs = self.target, other.target
        if mine is not None and theirs is not None and mine != theirs:
            raise MergeError(
                f"one table has the target {mine!r} and the other {theirs!r}, and tallies of "
                "different targets cannot be added. Give the column the same name in both tables, "
                "and fit again."
            )
        label_type = self.label_type if self.label_type == other.label_type else ""
        target = other.target if self.target is None else self.target
        targets = self.targets if any(self.targets) else other.targets
        return CallStyle(self.by_name, label_type, target, targets)

    def check_several(self, other: CallStyle) -> None:
        """Sums of targets are kept by their place: those of other targets do not add up."""
        several = self.targets, other.targets
        named = all(any(names) for names in several)
        if len(several[0]) != len(several[1]) or (named and several[0] != several[1]):
            one, two = (quoted_list(names) if any(names) else len(names) or 1 for names in several)
            raise MergeError(
                f"the targets differ: first {one}, then {two}. Targets are matched by position. "
                "Pass the same targets in the same order, or fit again."
            )
