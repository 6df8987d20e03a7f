"""Constructors of all public estimators: names, kinds, defaults and annotations stay as they are.

``python -m tests.estimators.test_options`` writes the file, where a signature changes on purpose.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

import tallylearn as tl
from tallylearn.errors import OptionError
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.options import REQUIRED

STORED = Path(__file__).parent.parent / "data" / "signatures.json"
PUBLIC = {
    name: kind
    for name in sorted(tl.__all__)
    if isinstance(kind := getattr(tl, name), type) and issubclass(kind, Estimator)
}
DECLARED = {name: kind for name, kind in PUBLIC.items() if kind._checked}
every_estimator = pytest.mark.parametrize("name", PUBLIC)
every_declaring_estimator = pytest.mark.parametrize("name", DECLARED)


def signature(kind: type) -> list[dict[str, str]]:
    """The parameters of a constructor as plain data."""
    return [
        {
            "name": parameter.name,
            "kind": parameter.kind.name.lower(),
            "default": repr(parameter.default) if parameter.default is not REQUIRED else "required",
            "annotation": str(parameter.annotation),
        }
        for parameter in inspect.signature(kind).parameters.values()
    ]


def test_every_public_estimator_is_stored() -> None:
    assert {*json.loads(STORED.read_text())} == {*PUBLIC}


@every_estimator
def test_a_constructor_has_the_stored_signature(name: str) -> None:
    assert signature(PUBLIC[name]) == json.loads(STORED.read_text())[name]


@every_declaring_estimator
def test_the_docstring_has_every_option(name: str) -> None:
    documented = (inspect.getdoc(DECLARED[name]) or "").split("Parameters\n----------")[1]
    heads = [line.split(" : ")[0] for line in documented.splitlines() if " : " in line]
    known = {option for head in heads for option in head.strip().split(", ")}
    assert {*DECLARED[name].options()} <= known


@every_declaring_estimator
def test_every_declared_option_allows_its_default(name: str) -> None:
    for option in DECLARED[name]._checked:
        if option.default is not REQUIRED:
            option.check(name, option.default)


@every_declaring_estimator
def test_every_declared_option_is_refused_by_its_name(name: str) -> None:
    class Odd:
        """No option has a value like this."""

    required = {option.name: Odd() for option in DECLARED[name]._checked
                if option.default is REQUIRED}  # fmt: skip
    for option in DECLARED[name]._checked:
        if option.takes is None:
            continue
        model: Any = DECLARED[name](**{**required, option.name: Odd()})
        with pytest.raises(OptionError, match=f"^The '{option.name}' parameter of {name} must be"):
            model._check_options()


if __name__ == "__main__":
    found = {name: signature(kind) for name, kind in PUBLIC.items()}
    STORED.write_text(json.dumps(found, indent=1) + "\n")
