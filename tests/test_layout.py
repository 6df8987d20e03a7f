"""The house can be read: a name is one file, a file fits a sitting, an idea has one home."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import tallylearn
from tallylearn.models.trees.growing import gaps

ROOT = Path(tallylearn.__file__).parent
PROJECT = Path(__file__).parent.parent
KERNELS = ROOT / "kernels"
TREES = ROOT / "models" / "trees"
LONG, LONGEST = 300, 400

# files above 300 lines, and why
LONGER = {
    "intervals.py": "every interval that a report can show, each with its formula and its source",
    "models/discriminants/linear.py": "a model, its learner, and scikit-learn's attributes",
    "models/linear/lasso.py": "two learners with scikit-learn's options, and what they share",
    "models/naive_bayes/naive_bayes.py": "one learner, its many options, and their checks",
    "models/logistic/logistic_regression.py": "one learner, its many options, and their checks",
    "models/dummies.py": "two learners and their models: the baseline of both tasks",
    "reasoning/concepts/version_space.py": "one public class, and all that is asked of it",
    "sources/arrays.py": "all that is no frame and no file, with the error of each",
    "tables.py": "schema, codes, bags and blocks: the words of all other files",
}


def sources() -> list[Path]:
    """Every module of ours that is no kernel; a kernel may have the name of its twin."""
    return [path for path in sorted(ROOT.rglob("*.py")) if KERNELS not in path.parents]


def lengths(paths: list[Path], root: Path) -> dict[str, int]:
    """The lines of every file, by its path."""
    return {p.relative_to(root).as_posix(): len(p.read_text().splitlines()) for p in paths}


def shared(paths: list[Path]) -> list[str]:
    """The names that several files have."""
    names = Counter(path.name for path in paths if path.name != "__init__.py")
    return sorted(name for name, times in names.items() if times > 1)


def asked(source: str) -> list[str]:
    """Where a rule for gaps is compared with its name."""
    return [
        ast.unparse(node)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Compare)
        and ast.unparse(node.left).split(".")[-1] in ("missing", "rule")
        and any(f"'{rule}'" in ast.unparse(node) for rule in gaps.RULES)
    ]


def test_a_name_is_one_file() -> None:
    found = sources()
    assert len(found) > 200
    assert shared(found) == []
    assert shared([*KERNELS.rglob("*.py")]) == []


def test_no_file_is_longer_than_300_lines_without_a_reason_nor_than_400() -> None:
    found = lengths(sources(), ROOT)
    assert {name for name, lines in found.items() if lines > LONG} <= {*LONGER}
    assert max(found.values()) <= LONGEST


def test_a_reason_is_given_for_no_file_that_needs_none() -> None:
    found = lengths(sources(), ROOT)
    assert [name for name in LONGER if found.get(name, 0) <= LONG] == []


def test_only_one_file_knows_what_a_rule_for_gaps_means() -> None:
    found = {p.name: asked(p.read_text()) for p in TREES.rglob("*.py") if p.name != "gaps.py"}
    assert {name: where for name, where in found.items() if where} == {}
    assert asked((TREES / "growing" / "gaps.py").read_text())


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


def test_long_files_and_shared_names_are_found(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    paths = [tmp_path / "one.py", tmp_path / "inner" / "one.py", tmp_path / "two.py"]
    for at, path in enumerate(paths):
        path.write_text("x = 1\n" * at)
    assert shared(paths) == ["one.py"]
    assert lengths(paths, tmp_path) == {"one.py": 0, "inner/one.py": 1, "two.py": 2}


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
