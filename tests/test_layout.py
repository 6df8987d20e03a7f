"""The layout of the source: an idea has one home, and lowest versions agree."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

import tallylearn
from tallylearn.models.trees.growing import missing_values

ROOT = Path(tallylearn.__file__).parent
PROJECT = Path(__file__).parent.parent
TREES = ROOT / "models" / "trees"


def asked(source: str) -> list[str]:
    """Where a rule for gaps is compared with its name."""
    return [
        ast.unparse(node)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Compare)
        and ast.unparse(node.left).split(".")[-1] in ("missing", "rule")
        and any(f"'{rule}'" in ast.unparse(node) for rule in missing_values.RULES)
    ]


def test_the_package_root_holds_only_names_and_errors() -> None:
    found = {path.name for path in ROOT.glob("*.py")}
    assert found == {"__init__.py", "__main__.py", "errors.py"}


def test_only_one_file_knows_what_a_rule_for_gaps_means() -> None:
    found = {
        p.name: asked(p.read_text()) for p in TREES.rglob("*.py") if p.name != "missing_values.py"
    }
    assert {name: where for name, where in found.items() if where} == {}
    assert asked((TREES / "growing" / "missing_values.py").read_text())


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("if self.plan.missing == 'node': pass", 1),
        ("x = rule in ('node', 'class')", 1),
        ("x = gaps.in_parts(plan.missing)", 0),
        ("x = kind == 'class'", 0),
    ],
)
def test_a_comparison_with_a_rule_is_found(source: str, found: int) -> None:
    assert len(asked(source)) == found


def test_lowest_versions_are_those_that_the_project_allows() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    floors = dict(
        named.split(">=")
        for named in [*project["dependencies"], *extras["excel"], *extras["stats"]]
    )
    lowest = dict(
        re.findall(r"^([\w-]+)==(\S+)$", (PROJECT / "lowest.txt").read_text("utf-8"), re.M)
    )
    assert {
        name for name, floor in floors.items() if not f"{lowest.get(name)}.".startswith(f"{floor}.")
    } == set()
