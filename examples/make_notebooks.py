"""Write the pages on the notes as executed notebooks: examples/notebooks/000.ipynb to 004.ipynb.

    python examples/make_notebooks.py          # all five; `make notebooks` does the same
    python examples/make_notebooks.py 001

A page gives the text and the code; Jupyter runs the code and gives the outputs. Needs nbformat,
nbclient and ipykernel (the extra ``dev``).
"""

from __future__ import annotations

import doctest
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "docs" / "notes"
FOLDER = ROOT / "examples" / "notebooks"
BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)]+)\)")
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def main(names: list[str]) -> None:
    import nbformat
    from nbclient import NotebookClient

    for name in names or [page.stem for page in sorted(PAGES.glob("*.md"))]:
        found = nbformat.from_dict(notebook(name))
        NotebookClient(found, timeout=600, resources={"metadata": {"path": ROOT}}).execute()
        for cell in found.cells:
            cell["metadata"] = {}
        found["metadata"] = METADATA
        nbformat.validate(found)
        text = json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True)
        (FOLDER / f"{name}.ipynb").write_text(text + "\n", encoding="utf-8")


def notebook(name: str) -> dict[str, Any]:
    """The notebook of a page, not yet executed."""
    cells = [
        {"id": f"cell-{number}", "metadata": {}, **cell}
        for number, cell in enumerate(cells_of((PAGES / f"{name}.md").read_text("utf-8")))
    ]
    return {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}


def cells_of(page: str) -> Iterator[dict[str, Any]]:
    """The text of a page as Markdown cells, and its examples as code cells.

    Jupyter shows the last value of a cell only, so a cell ends where an example has an output.
    """
    end = 0
    for block in BLOCK.finditer(page):
        yield from markdown_cell(page[end : block.start()])
        end = block.end()
        source = ""
        for step in doctest.DocTestParser().get_examples(block[1]):
            source += step.source
            if step.want:
                yield code_cell(source)
                source = ""
        if source:
            yield code_cell(source)
    yield from markdown_cell(page[end:])


def markdown_cell(text: str) -> Iterator[dict[str, Any]]:
    if text.strip():
        yield {"cell_type": "markdown", "source": for_notebook(text.strip())}


def code_cell(source: str) -> dict[str, Any]:
    return {
        "cell_type": "code", "execution_count": None, "outputs": [], "source": source.rstrip("\n"),
    }  # fmt: skip


def for_notebook(text: str) -> str:
    """Links lead to the pages and figures; a link to another page on a note, to its notebook."""
    text = re.sub(r"\]\((\d{3})\.md(#[^)]*)?\)", r"](\1.ipynb)", text)

    def linked(found: re.Match[str]) -> str:
        target = found[1]
        if target.endswith(".ipynb"):
            return found[0]
        path = target.removeprefix("../") if target.startswith("../") else f"notes/{target}"
        return f"](../../docs/{path})"

    return LINK.sub(linked, text)


if __name__ == "__main__":
    main(sys.argv[1:])
