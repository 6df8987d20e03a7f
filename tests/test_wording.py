"""Documentation, docstrings and messages use the field's own terms."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "tallylearn"
PLACES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")),
          *sorted(SOURCE.rglob("*.py"))]  # fmt: skip
GENERATED = {"catalogue.md"}  # written from the docstrings of the tests


def idioms() -> list[tuple[re.Pattern[str], str]]:
    """The phrases and what to write instead."""
    lines = (ROOT / "tests" / "idioms.txt").read_text("utf-8").splitlines()
    pairs = [line.split(" -> ") for line in lines if line and not line.startswith("#")]
    return [(re.compile(phrase, re.IGNORECASE), better) for phrase, better in pairs]


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """The prose of a file with its line numbers: all of a page, the strings of a module."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        yield 1, text
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def found_in(path: Path) -> list[str]:
    """The idioms of a file: line, phrase, and what to write instead."""
    return [
        f"{path.relative_to(ROOT)}:{line + text.count(chr(10), 0, match.start())}: "
        f"{' '.join(match[0].split())!r} -> {better}"
        for line, text in texts(path)
        for pattern, better in idioms()
        for match in pattern.finditer(re.sub(r"\s", " ", text))
    ]


@pytest.mark.parametrize("path", [p for p in PLACES if p.name not in GENERATED], ids=str)
def test_a_file_is_written_in_the_terms_of_the_field(path: Path) -> None:
    assert found_in(path) == []


def test_an_idiom_is_found_across_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("The search comes\nto rest.\n")
    monkeypatch.setattr("tests.test_wording.ROOT", tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "idioms.txt").write_text("comes to rest -> converges\n")
    assert found_in(page) == ["page.md:1: 'comes to rest' -> converges"]
