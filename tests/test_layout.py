"""The layout of the source: an idea has one home, and lowest versions agree."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import tallylearn
from tallylearn.estimators.estimator import Estimator
from tallylearn.models.trees.growing import missing_values

ROOT = Path(tallylearn.__file__).parent
PROJECT = Path(__file__).parent.parent
TREES = ROOT / "models" / "trees"
DEFINITIONS = (ast.ClassDef, ast.FunctionDef)


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


# what a reader can rely on; exceptions are listed, and the list only shrinks


EXCEPTIONS = json.loads((PROJECT / "tests" / "data" / "layout_exceptions.json").read_text("utf-8"))
MAX_BASES = 5  # classes of ours in the method resolution order of an estimator
MAX_POSITIONAL = 5  # arguments of a call of our own functions
VAGUE = {"MOST", "FEW", "MANY", "SHOWN", "WIDE", "WIDEST", "SMALL", "LARGE", "ROUNDED", "LEAST",
         "TINY", "HUGE", "CLOSE", "ENOUGH", "LONG", "SHORT", "HELD", "TOLD", "OTHERS", "DEAR",
         "CHEAP", "LEAPS", "ODD", "FINE"}  # fmt: skip


@cache
def modules() -> tuple[tuple[Path, ast.Module], ...]:
    """Every module of the package, parsed."""
    return tuple(
        (path.relative_to(ROOT), ast.parse(path.read_text("utf-8")))
        for path in sorted(ROOT.rglob("*.py"))
    )


def variadic() -> set[str]:
    """The functions that only list what they are given, such as the parts of a tag."""
    lists: dict[str, bool] = {}
    for path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and path.parts[0] != "kernels":
                lists[node.name] = lists.get(node.name, True) and node.args.vararg is not None
    return {name for name, only in lists.items() if only}


def long_calls(tree: ast.Module) -> Iterator[str]:
    """The names of our own functions and classes that are called with many positionals."""
    ours = {node.name for node in ast.walk(tree) if isinstance(node, DEFINITIONS)}
    for node in ast.walk(tree):
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        if module.startswith("tallylearn") and ".kernels" not in module:
            ours |= {name.asname or name.name for name in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) > MAX_POSITIONAL:
            called = node.func
            if isinstance(called, ast.Name) and called.id in ours:
                yield called.id
            elif (
                isinstance(called, ast.Attribute)
                and isinstance(called.value, ast.Name)
                and called.value.id in {"self", "cls", *ours}
            ):
                yield called.attr


def test_an_estimator_has_few_base_classes() -> None:
    found = {}
    for name in tallylearn.__all__:
        kind = getattr(tallylearn, name)
        if isinstance(kind, type) and issubclass(kind, Estimator):
            ours = [one for one in kind.__mro__ if one.__module__.startswith("tallylearn")]
            if len(ours) > MAX_BASES:
                found[name] = len(ours)
    assert found == EXCEPTIONS["base classes"]


def test_a_class_name_has_one_meaning() -> None:
    names = Counter(
        node.name for _, tree in modules() for node in tree.body if isinstance(node, ast.ClassDef)
    )
    assert sorted(name for name, n in names.items() if n > 1) == EXCEPTIONS["class names"]


def test_calls_of_our_own_functions_name_their_arguments() -> None:
    found = {name for path, tree in modules() if path.parts[0] != "kernels"
             for name in long_calls(tree)}  # fmt: skip
    assert sorted(found - variadic()) == EXCEPTIONS["positional arguments"]


def test_a_constant_says_what_it_bounds() -> None:
    found = {
        f"{path.as_posix()}: {target.id}"
        for path, tree in modules()
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id in VAGUE
    }
    assert sorted(found) == EXCEPTIONS["constants"]


def test_the_folders_of_the_tests_are_those_of_the_source() -> None:
    tests = PROJECT / "tests"
    apart = {"bounds", "data", "examples", "faults", "forging", "hostile"}  # suites of their own
    found = {
        folder.relative_to(tests).as_posix()
        for folder in tests.rglob("*")
        if any(folder.glob("test_*.py")) and folder.relative_to(tests).parts[0] not in apart
    }
    assert {folder for folder in found if not (ROOT / folder).is_dir()} == set()
