"""Documentation, docstrings and messages use the field's own terms; sentences are short.

``python -m tests.test_wording`` prints the mean length of the sentences of every page.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import fmean

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "tallylearn"
PLACES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")),
          *sorted(SOURCE.rglob("*.py"))]  # fmt: skip
GENERATED = {"catalogue.md", "errors.md"}  # written from the tests and the source


PAGES = [path for path in PLACES if path.suffix == ".md" and path.name not in GENERATED]
MAX_MEAN_WORDS = 20  # of a sentence, over all pages
MAX_PARAGRAPH_LINES = 6
LINE_WIDTH = 125  # characters of a full line; a longer one counts as two


def idiom_lines() -> list[str]:
    """The lines of the list of idioms."""
    lines = (ROOT / "tests" / "idioms.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def idioms() -> list[tuple[re.Pattern[str], str]]:
    """The phrases that must not occur, and what to write instead."""
    pairs = [line.split(" -> ") for line in idiom_lines() if "; src <= " not in line]
    return [(re.compile(phrase, re.IGNORECASE), better) for phrase, better in pairs]


def remaining_idioms() -> dict[str, int]:
    """The phrases that the source may still have, and how often."""
    pairs = [line.split("; src <= ") for line in idiom_lines() if "; src <= " in line]
    return {line.split(" -> ")[0]: int(limit) for line, limit in pairs}


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


@cache
def source_text() -> str:
    """All strings of the source, as one text."""
    found = [text for path in PLACES if path.suffix == ".py" for _, text in texts(path)]
    return re.sub(r"\s", " ", " | ".join(found))


@cache
def page_text() -> str:
    """All prose of the pages, as one text."""
    found = [each for page in PAGES for each in paragraphs(page.read_text("utf-8"))]
    return re.sub(r"\s", " ", " | ".join(found))


@pytest.mark.parametrize("phrase", remaining_idioms())
def test_a_remaining_idiom_becomes_rarer(phrase: str) -> None:
    pattern = re.compile(phrase, re.IGNORECASE)
    in_source, in_pages = (len(pattern.findall(text)) for text in (source_text(), page_text()))
    assert in_source <= remaining_idioms()[phrase]
    assert in_pages == 0


def test_an_idiom_is_found_across_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("The search comes\nto rest.\n")
    monkeypatch.setattr("tests.test_wording.ROOT", tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "idioms.txt").write_text("comes to rest -> converges\n")
    assert found_in(page) == ["page.md:1: 'comes to rest' -> converges"]


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs and list items of a page: no code, tables or headings."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^(#|\||    ).*$", "", text, flags=re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        if re.search(r"\w", paragraph):
            yield paragraph.strip("\n")


def sentence_lengths(text: str) -> list[int]:
    """The number of words of every sentence of a page."""
    return [
        len(words)
        for paragraph in paragraphs(text)
        for sentence in re.split(
            r"[.!?…]\)?[*_]*(?=\s|$)|:\s*$", re.sub(r"\]\(.*?\)", "]", paragraph)
        )
        if len(words := re.findall(r"[^\s]*\w[^\s]*", sentence)) > 1
    ]


def line_count(paragraph: str) -> int:
    """The lines of a paragraph on a page of ``LINE_WIDTH`` columns."""
    return -(-len(" ".join(paragraph.split())) // LINE_WIDTH)


def test_the_mean_sentence_is_short() -> None:
    lengths = [words for page in PAGES for words in sentence_lengths(page.read_text("utf-8"))]
    assert fmean(lengths) < MAX_MEAN_WORDS


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_paragraphs_are_short(page: Path) -> None:
    found = [*paragraphs(page.read_text("utf-8"))]
    assert [each for each in found if line_count(each) > MAX_PARAGRAPH_LINES] == []


def test_sentences_are_counted_without_code_and_tables() -> None:
    prose = "# Title\n\nOne two three. Four `five` (six\nseven).\n\n"
    others = "```python\n>>> a b\n```\n\n| a | b c |\n"
    items = "\n- Eight, nine: ten\n- [Eleven twelve](a.md).\n"
    assert sentence_lengths(prose + others + items) == [3, 4, 3, 2]


if __name__ == "__main__":
    every = {page: sentence_lengths(page.read_text("utf-8")) for page in PAGES}
    for page, lengths in every.items():
        if lengths:
            print(f"{fmean(lengths):5.1f}  {max(lengths):4}  {page.relative_to(ROOT)}")
    total = fmean(words for lengths in every.values() for words in lengths)
    print(f"{total:5.1f} words in the mean sentence of all pages")
