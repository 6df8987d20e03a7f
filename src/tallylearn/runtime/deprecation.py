"""Deprecated names: an old name still works for one release, and warns with the new one."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tallylearn.errors import OptionError

PACKAGE_FOLDER = str(Path(__file__).resolve().parent.parent)


def warn_deprecated(old: str, new: str) -> None:
    """Emit a DeprecationWarning at the caller's line, outside this package.

    Parameters
    ----------
    old : str
        The name that was used, with its class: ``"DecisionTreeClassifier: record"``.
    new : str
        The name to use instead.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and (
        frame.f_code.co_filename.startswith((PACKAGE_FOLDER, "<options of "))
    ):
        level, frame = level + 1, frame.f_back
    text = f"{old} is deprecated and will be removed in the next release. Use {new}."
    warnings.warn(text, DeprecationWarning, stacklevel=level)


def current_names(
    owner: type, given: Mapping[str, Any], renamed: Mapping[str, str]
) -> dict[str, Any]:
    """Options by their current names, with a warning for each deprecated one.

    Parameters
    ----------
    owner : type
        The estimator class.
    given : mapping
        Values by the names that were used.
    renamed : mapping
        Current names by deprecated ones.

    Returns
    -------
    dict
    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        current = renamed.get(name, name)
        if current != name:
            warn_deprecated(f"{owner.__name__}: {name}", current)
        if current in found:
            raise OptionError(
                f"{owner.__name__}: {current} is given twice, once by a deprecated name. Leave one "
                "out."
            )
        found[current] = value
    return found


class DeprecatedAttribute:
    """An attribute under its former name: reads and writes the current one, and warns."""

    def __init__(self, name: str, current: str) -> None:
        self.name, self.current = name, current

    def __get__(self, owner: Any, kind: type) -> Any:
        if owner is None:
            return self
        warn_deprecated(f"{kind.__name__}: {self.name}", self.current)
        return getattr(owner, self.current)

    def __set__(self, owner: Any, value: Any) -> None:
        warn_deprecated(f"{type(owner).__name__}: {self.name}", self.current)
        setattr(owner, self.current, value)
