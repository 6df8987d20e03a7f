"""Views: what was found, as text, Markdown, HTML, JSON or a frame, from the same plain data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tallylearn.errors import speaking
from tallylearn.evaluation.result import STYLE, check_ending
from tallylearn.runtime.atomic_write import write_whole
from tallylearn.workings import Derivation
from tallylearn.workings.rendering import Shown, escaped
from tallylearn.workings.reports import Recorded


@dataclass(frozen=True)
class Page(Shown):
    """A report whose HTML has charts beside the numbers."""

    found: dict[str, Any]
    sheet: Derivation
    draw: Callable[[dict[str, Any]], str]

    def __str__(self) -> str:
        return str(self.sheet)

    def to_markdown(self) -> str:
        return self.sheet.to_markdown()

    def to_html(self) -> str:
        return self.draw(self.found)

    def to_dict(self) -> dict[str, Any]:
        return self.found


class View(Recorded):
    """A finding in rows, to be read or kept."""

    @staticmethod
    @abstractmethod
    def _told(found: dict[str, Any]) -> Page: ...

    def __repr__(self) -> str:
        return str(self)

    def save(self, path: str | Path) -> None:
        """Write it as .html, .json, .md or .txt, whole or not at all."""
        with speaking(type(self).__name__):
            forms = {".html": self._page, ".json": self.to_json, ".md": self.to_markdown}
            write_whole(path, (forms.get(check_ending(path), self.__str__)() + "\n").encode())

    def _page(self) -> str:
        page = self._told(self.to_dict())
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width">'
            f"<title>{escaped(page.sheet.title)}</title><style>{STYLE}</style></head>\n<body>\n"
            f"{page.to_html()}\n</body></html>"
        )
