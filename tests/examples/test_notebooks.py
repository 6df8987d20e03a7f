"""The notebooks are the pages on the notes, with the outputs that their code has."""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from examples.make_notebooks import FOLDER, PAGES, notebook
from tests.test_docs import BLOCK

NAMES = sorted(page.stem for page in PAGES.glob("*.md"))
EXECUTED = "001"  # a small one; `make notebooks` executes all in Jupyter


def stored(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.ipynb").read_text("utf-8"))
    return found


def printed(cell: dict[str, Any]) -> str:
    """What a stored cell shows as text."""
    parts = []
    for output in cell["outputs"]:
        assert output["output_type"] in ("stream", "execute_result"), output
        text = output["text"] if "text" in output else output["data"]["text/plain"]
        parts.append(text if isinstance(text, str) else "".join(text))
    return "\n".join(part.strip("\n") for part in parts)


def run(source: str, names: dict[str, Any]) -> str:
    """What a cell shows: what it prints, and its last value."""
    tree = ast.parse(source)
    shown = io.StringIO()
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(shown):
        exec(compile(tree, "<cell>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
            if value is not None:
                print(repr(value))
    return shown.getvalue().strip("\n")


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_has_the_text_and_the_code_of_its_page(name: str) -> None:
    def bare(found: dict[str, Any]) -> list[tuple[str, str]]:
        sources = [(cell["cell_type"], cell["source"]) for cell in found["cells"]]
        return [(kind, s if isinstance(s, str) else "".join(s)) for kind, s in sources]

    assert bare(stored(name)) == bare(notebook(name)), "run: make notebooks"


@pytest.mark.parametrize("name", NAMES)
def test_every_output_of_a_page_is_stored_in_its_notebook(name: str) -> None:
    page = (PAGES / f"{name}.md").read_text("utf-8")
    steps = [
        step
        for block in BLOCK.finditer(page)
        for step in doctest.DocTestParser().get_examples(block[1])
        if step.want
    ]
    cells = [c for c in stored(name)["cells"] if c["cell_type"] == "code" and c["outputs"]]
    assert len(cells) == len(steps)


def test_a_link_of_a_notebook_leads_to_a_file() -> None:
    for name in NAMES:
        for cell in stored(name)["cells"]:
            if cell["cell_type"] == "markdown":
                for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", "".join(cell["source"])):
                    assert (FOLDER / target).exists(), f"{name}: {target}"


def test_a_small_notebook_shows_what_its_code_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for cell in stored(EXECUTED)["cells"]:
            if cell["cell_type"] == "code":
                assert run("".join(cell["source"]), names).split() == printed(cell).split()
