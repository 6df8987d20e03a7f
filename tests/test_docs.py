"""The documentation: every example prints what its page says, every catalogue id has a place."""

from __future__ import annotations

import doctest
import io
import re
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

from tallylearn.cli import main
from tallylearn.sources.example_tables import text_of
from tests.test_catalogue import ROWS as CATALOGUE

DOCS = Path(__file__).parent.parent / "docs"
README = DOCS.parent / "README.md"
GENERATED = {"catalogue.md"}  # its code is run where it is written, in test_catalogue.py
PAGES = sorted(page for page in DOCS.rglob("*.md") if page.name not in GENERATED)
LINKING = [*PAGES, *sorted(DOCS.parent.glob("*.md"))]
NOTES = sorted((DOCS / "notes").glob("*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SESSION = re.compile(r"^```text\n\$ tally (.*?)\n.*?^```$", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"^```csv\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
ANCHOR = re.compile(r"\]\(([^)#:]*)#([^)]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def name(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


def examples(page: Path) -> list[doctest.Example]:
    """The examples of a page, numbered by its lines."""
    text = page.read_text(encoding="utf-8")
    found = []
    for block in BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1))
        steps = doctest.DocTestParser().get_examples(block[1], name(page))
        assert steps, f"{name(page)}, line {first}: a python block without >>> is not run."
        for step in steps:
            step.lineno += first
        found += steps
    return found


def listed(page: Path) -> set[str]:
    """The ids that a page links to the catalogue."""
    lines = re.findall(r"^Ids: (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {found for line in lines for found in re.findall(r"\[([A-Z]\d+)\]", line)}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_prints_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report = io.StringIO()
    test = doctest.DocTest(examples(page), {}, name(page), str(page), 0, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.write)
    assert not report.getvalue(), report.getvalue()


@pytest.mark.parametrize("page", LINKING, ids=lambda page: page.name)
def test_a_page_links_to_pages_that_exist(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def anchors(page: Path) -> set[str]:
    """The anchors of a page: of its headings, as GitHub and Sphinx write them, and its own."""
    text = page.read_text(encoding="utf-8")
    headings = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text)]
    own = re.findall(r'<a id="([^"]+)"></a>', text)
    return {*(heading.replace(" ", "-") for heading in headings), *own}


@pytest.mark.parametrize("page", LINKING, ids=lambda page: page.name)
def test_a_page_links_to_headings_that_exist(page: Path) -> None:
    found = ANCHOR.findall(page.read_text(encoding="utf-8"))
    targets = [(page.parent / link if link else page, anchor) for link, anchor in found]
    assert [(to.name, anchor) for to, anchor in targets if anchor not in anchors(to)] == []


def test_every_page_is_linked_from_the_index() -> None:
    linked = {*LINK.findall((DOCS / "index.md").read_text(encoding="utf-8")), "index.md"}
    assert sorted({page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} - linked) == []


def test_every_note_has_a_page_with_examples() -> None:
    assert [page.stem for page in NOTES] == ["000", "001", "002", "003", "004"]
    assert all(examples(page) for page in NOTES)


def test_the_pages_on_the_notes_link_to_every_entry_of_the_catalogue() -> None:
    found = set().union(*map(listed, NOTES))
    assert found == {*CATALOGUE}


@pytest.mark.parametrize(
    "page", [DOCS / "guide" / "evaluation.md", DOCS / "guide" / "linear-models.md"], ids=name
)
def test_a_session_on_a_page_says_what_the_command_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tennis.csv").write_text(text_of("tennis"))
    text = page.read_text(encoding="utf-8")
    for table in TABLE.finditer(text):
        (tmp_path / "prices.csv").write_text(table[1])
    for session in SESSION.finditer(text):
        result = CliRunner().invoke(main, session[1].split())
        said = result.stderr + result.stdout  # Click before 8.2 has no output of both
        assert session[0] == f"```text\n$ tally {session[1]}\n{said}```"


def test_the_session_of_the_readme_says_what_the_commands_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session = re.search(
        r"```console\n(\$ tally.*?)```", README.read_text(encoding="utf-8"), re.DOTALL
    )
    assert session is not None
    for step in session[1].split("$ tally ")[1:]:
        asked, told = step.split("\n", 1)
        command, _, file = asked.partition(" > ")
        result = CliRunner().invoke(main, command.split(), catch_exceptions=False)
        if file:
            (tmp_path / file).write_text(result.stdout)
        said = "" if file else result.stderr + result.stdout
        assert doctest.OutputChecker().check_output(told, said, FLAGS), said
