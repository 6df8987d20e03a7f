"""The pages on the notes: every section has a formula and an example, every misprint is named.

``tests/data/note_pages.json`` lists the sections of the notes as their pages head them, and where
the notes misprint.
"""

from __future__ import annotations

import doctest
import io
import json
import re
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.test_docs import BLOCK, DOCS, FLAGS

FOUND = json.loads((Path(__file__).parent / "data" / "note_pages.json").read_text("utf-8"))
FORMULA = re.compile(r"^\$\$(.+)\$\$$", re.MULTILINE)
PICTURE = re.compile(r"^!\[(.+)\]\(figures/([\w-]+)\.svg\)$", re.MULTILINE)


class Section(NamedTuple):
    """A section of a page: its note, its heading, its text up to the next heading."""

    note: str
    heading: str
    text: str

    def __str__(self) -> str:
        return f"{self.note}: {self.heading}"


def text_of(note: str) -> str:
    return (DOCS / "notes" / f"{note}.md").read_text("utf-8")


def sections(note: str) -> list[Section]:
    parts = re.split(r"^(?=##)", text_of(note), flags=re.MULTILINE)[1:]
    return [Section(note, part.split("\n")[0].lstrip("# "), part) for part in parts]


SECTIONS = [section for note in FOUND["sections"] for section in sections(note)]


def code(text: str) -> str:
    return "\n".join(block[1] for block in BLOCK.finditer(text))


@pytest.mark.parametrize("note", FOUND["sections"])
def test_a_page_has_the_sections_of_its_note(note: str) -> None:
    assert [section.heading for section in sections(note)] == FOUND["sections"][note]


def test_the_notes_have_114_sections() -> None:
    assert len(SECTIONS) == 114


@pytest.mark.parametrize("section", SECTIONS, ids=str)
def test_a_section_has_a_formula_an_example_and_its_entries_of_the_catalogue(
    section: Section,
) -> None:
    assert ">>> " in code(section.text)
    assert FORMULA.search(section.text) or "\n**Misprint, " in section.text
    assert re.search(r"^Ids: \[", section.text, re.MULTILINE)


@pytest.mark.parametrize("section", SECTIONS, ids=str)
def test_a_section_runs_after_the_first_block_of_its_page(
    section: Section, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = BLOCK.search(text_of(section.note))
    assert first is not None
    steps = f"{first[1]}\n{code(section.text)}"
    test = doctest.DocTestParser().get_doctest(steps, {}, str(section), None, 0)
    report = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.write)
    assert not report.getvalue(), report.getvalue()


@pytest.mark.parametrize("note", FOUND["misprints"])
def test_a_page_names_the_misprints_of_its_note(note: str) -> None:
    named = re.findall(r"^\*\*Misprint, (.+?)\.\*\*", text_of(note), re.MULTILINE)
    assert sorted(named) == sorted(FOUND["misprints"][note])


@pytest.mark.parametrize("note", FOUND["sections"])
def test_a_formula_stands_on_one_line_of_its_own(note: str) -> None:
    lines = text_of(note).split("\n")
    for number, line in enumerate(lines):
        if "$" in line and not line.startswith((">>>", "...", "$$")):
            assert "$$" not in line
        if line.startswith("$$"):
            assert FORMULA.fullmatch(line), line
            assert (lines[number - 1], lines[number + 1]) == ("", ""), line
            assert line.count("{") == line.count("}"), line
            assert not re.search(r"\\[^a-zA-Z ]", line), "Markdown drops this backslash: " + line


# the glossary


TERM = re.compile(r"^\| (.+?) \| ([^|]+\.) \(\[[^\]]+\]\(([^)#]+)[^)]*\)\) \|$", re.MULTILINE)
MIN_TERMS = 80


def terms() -> list[tuple[str, str, str]]:
    """Term, meaning and page of every entry."""
    return TERM.findall((DOCS / "glossary.md").read_text("utf-8"))


def stems(text: str) -> set[str]:
    """The beginnings of the words; a class name such as SimpleImputer has two words."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return {word[:4] for word in re.findall(r"[^\W_]{2,}", apart.lower())}


def test_the_glossary_has_one_sentence_and_one_page_for_every_term() -> None:
    rows = re.findall(
        r"^\| (?!term |---|\*\*)", (DOCS / "glossary.md").read_text("utf-8"), re.MULTILINE
    )
    found = [term for term, _, _ in terms()]
    assert len(found) == len(rows) >= MIN_TERMS
    assert len({*found}) == len(found)
    assert [meaning for _, meaning, _ in terms() if re.search(r"[.!?] [A-Z]", meaning)] == []


@pytest.mark.parametrize("term", terms(), ids=lambda term: term[0])
def test_the_page_of_a_term_uses_it(term: tuple[str, str, str]) -> None:
    name, _, page = term
    used = stems((DOCS / page).read_text("utf-8"))
    assert any(stems(synonym) <= used for synonym in re.split(r", | or | and | \(", name))


@pytest.mark.parametrize(
    "word", ["confusion matrix", "decision boundary", "overfitting", "p-value", "one-hot encoding"]
)
def test_common_words_are_in_the_glossary(word: str) -> None:
    assert any(word in term for term, _, _ in terms())
