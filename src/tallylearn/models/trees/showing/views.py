"""The views of a tree: text, a drawing, an HTML page, a graph for Graphviz."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tallylearn.models.trees.showing import dot, html, svg, tree_text
from tallylearn.models.trees.showing.excerpts import Excerpt
from tallylearn.models.trees.tree import Tree
from tallylearn.reporting.charts import Plot

if TYPE_CHECKING:
    from rich.tree import Tree as RichTree


@dataclass(frozen=True)
class TreeViews:
    """A fitted tree, and the ways to see it.

    Parameters
    ----------
    tree : Tree
        The tree of splits.
    names : mapping, optional
        The names of the models that leaves hold, by node: "LM1". Empty where leaves hold
        predictions.
    formulas : mapping, optional
        These models, as formulas.
    """

    tree: Tree
    names: Mapping[int, str] = field(default_factory=dict)
    formulas: Mapping[int, str] = field(default_factory=dict)

    def text(self, max_depth: int | None = None) -> str:
        """The tree, one line per branch, down to ``max_depth``."""
        n, end = len(self.tree), self.tree.depth if max_depth is None else max_depth
        return "\n".join(tree_text.text_lines(self._excerpt(n, n, end)))

    def plot(self, max_depth: int | None, direction: str, title: str) -> Plot:
        """The tree as an SVG drawing."""
        part = self._excerpt(svg.MAX_NODES, svg.MAX_BRANCHES, max_depth)
        return svg.draw_tree(part, direction, title)

    def html(self, max_depth: int | None = None) -> str:
        """The tree as a fragment of HTML whose branches open and close."""
        part = self._excerpt(html.MAX_NODES, html.MAX_BRANCHES, max_depth)
        if part.end > html.MAX_DEPTH:
            part = self._excerpt(html.MAX_NODES, html.MAX_BRANCHES, html.MAX_DEPTH)
        return html.as_page(part)

    def dot(self, max_depth: int | None = None) -> str:
        """The tree in Graphviz's language DOT."""
        end = self.tree.depth if max_depth is None else max_depth
        return dot.as_dot(self._excerpt(len(self.tree), dot.MAX_BRANCHES, end))

    def short_text(self) -> str:
        """The tree as text; of a large one the upper levels."""
        return tree_text.short_text(self._short())

    def rich(self) -> RichTree:
        """The same for a terminal, by the library rich."""
        return tree_text.as_rich(self._short())

    def _short(self) -> Excerpt:
        return self._excerpt(tree_text.MAX_LINES, tree_text.MAX_LINES - 2)

    def _excerpt(self, max_nodes: int, max_branches: int, max_depth: int | None = None) -> Excerpt:
        return Excerpt.of(
            self.tree, max_nodes, max_branches, max_depth,
            names=self.names, formulas=self.formulas,
        )  # fmt: skip
