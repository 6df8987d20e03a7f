"""The table to describe, its target a column as all others."""

from __future__ import annotations

from typing import Any

from tallylearn.errors import OptionError, quoted_list
from tallylearn.sources import DeclaredTable, declared_table, read_table


def opened_with_target(table: Any, target: str | None) -> tuple[DeclaredTable, str | None]:
    """A source whose target is a column as all others, and the target that it declares."""
    source = declared_table(table)
    if source is None:
        return read_table(table).require_unambiguous(), None
    names = source.declared.targets
    if len(names) > 1 or (names and target not in (None, names[0])):
        raise OptionError(
            f"the table declares the target {quoted_list(names)}. Describe it without target=."
        )
    if not names and not source.declared.identifiers:
        return source, None
    return source.without_roles(targets=bool(names)), names[0] if names else None
