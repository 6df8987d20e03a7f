"""The docstrings of all public names and methods follow NumPy's style, by numpydoc's validator.

Names that do not pass yet are listed in tests/data/docstring_exceptions.json. The list only
shrinks: ``make docstrings`` removes the names that pass and refuses to add one.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import tallylearn as tl

EXCEPTIONS = Path(__file__).parent / "data" / "docstring_exceptions.json"
ENFORCED = {
    "GL03": "two blank lines in a row",
    "GL05": "tabs",
    "GL06": "unknown section",
    "GL07": "sections in the wrong order",
    "GL08": "no docstring",
    "SS01": "no summary",
    "SS02": "the summary begins with a small letter",
    "SS03": "the summary does not end with a period",
    "SS06": "the summary has more than one line",
    "PR01": "a parameter is not documented",
    "PR02": "a documented parameter does not exist",
    "PR03": "parameters in the wrong order",
    "PR04": "a parameter has no type",
    "PR05": "the type of a parameter ends with a period",
    "PR07": "a parameter has no description",
    "PR09": "the description of a parameter does not end with a period",
    "PR10": "no space before the colon of a parameter",
    "RT01": "no section Returns",
    "RT03": "the returned value has no description",
    "RT05": "the description of the returned value does not end with a period",
    "YD01": "no section Yields",
}


def methods(kind: type) -> Iterator[str]:
    """The public methods and properties of a class, those of its base classes too."""
    for name in dir(kind):
        value = inspect.getattr_static(kind, name)
        is_method = callable(value) or hasattr(value, "__get__")
        if not name.startswith("_") and is_method and hasattr(kind, name):
            yield name


def public_paths() -> dict[str, str]:
    """The import path of every public docstring, by the class and name that define it."""
    found = {}
    for name in tl.__all__:
        value = getattr(tl, name)
        found[name] = f"tallylearn.{name}"
        for method in methods(value) if isinstance(value, type) else ():
            owner = next(base for base in value.__mro__ if method in vars(base))
            if owner.__module__.startswith("tallylearn"):
                found.setdefault(f"{owner.__name__}.{method}", f"tallylearn.{name}.{method}")
    return dict(sorted(found.items()))


def faults() -> dict[str, list[str]]:
    """The enforced codes that every public docstring violates."""
    validate = pytest.importorskip("numpydoc.validate").validate
    found = {
        name: sorted({code for code, _ in validate(path)["errors"]} & {*ENFORCED})
        for name, path in public_paths().items()
    }
    return {name: codes for name, codes in found.items() if codes}


def listed() -> dict[str, list[str]]:
    """The codes that a name may still violate."""
    return dict(json.loads(EXCEPTIONS.read_text("utf-8")))


def added(found: dict[str, list[str]], allowed: dict[str, list[str]]) -> list[str]:
    """The violations that are not listed, in words."""
    return [
        f"{name}: {code}, {ENFORCED[code]}"
        for name, codes in found.items()
        for code in codes
        if code not in allowed.get(name, ())
    ]


def test_public_docstrings_are_complete() -> None:
    assert added(faults(), listed()) == []


def test_the_list_of_incomplete_docstrings_is_up_to_date() -> None:
    assert added(listed(), faults()) == [], "Remove these from the list: make docstrings"


def test_a_violation_that_is_not_listed_is_found() -> None:
    found = {"fit": ["PR01", "RT01"], "load": ["SS03"]}
    assert added(found, {"fit": ["PR01"], "load": ["SS03"]}) == ["fit: RT01, no section Returns"]


def shrink() -> None:
    """Remove from the list what passes; stop at a violation that is not listed."""
    found = faults()
    if EXCEPTIONS.exists() and (new := added(found, listed())):
        raise SystemExit("\n".join(["Complete these docstrings:", *new]))
    lines = [f" {json.dumps(name)}: {json.dumps(codes)}" for name, codes in found.items()]
    EXCEPTIONS.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    print(f"{len(found)} of {len(public_paths())} public names have an incomplete docstring.")


if __name__ == "__main__":
    shrink()
