"""No module needs itself: imports form no circle, wherever in a file they stand."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import tallylearn

ROOT = Path(tallylearn.__file__).parent


def modules() -> dict[str, str]:
    """Every module of ours, with its source."""
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text()
    return found


def imported(source: str, known: Iterable[str]) -> set[str]:
    """What a module imports of ours: on top, in a function, or for the types alone."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            inside = {f"{node.module}.{name.name}" for name in node.names}
            found |= {name if name in known else str(node.module) for name in inside}
    return found.intersection(known)


def circle(sources: Mapping[str, str]) -> list[str]:
    """Modules that import each other in turn, the first again at the end; none is the rule."""
    needs = {name: imported(source, sources) for name, source in sources.items()}
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    found = modules()
    assert len(found) > 200
    assert circle(found) == []


@pytest.mark.parametrize(
    "back",
    [
        "from t.a import A",
        "from t import a",
        "if TYPE_CHECKING:\n    from t.a import A",
        "def call():\n    from t.a import A",
        "import t.a",
    ],
)
def test_an_import_in_a_circle_is_found_wherever_it_stands(back: str) -> None:
    sources = {"t": "", "t.a": "from t.b import B", "t.b": "from t.c import C", "t.c": back}
    assert sorted({*circle(sources)}) == ["t.a", "t.b", "t.c"]
    assert circle(sources | {"t.c": ""}) == []
