"""Views: the same tree as text, rules, a drawing, a page, a graph for Graphviz."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tallylearn.errors import error_context
from tallylearn.estimators.estimator import Estimator
from tallylearn.models.trees.showing import dot, html, svg, tree_text
from tallylearn.models.trees.showing.excerpts import Excerpt
from tallylearn.models.trees.showing.importances import Importances, importances_of, shares_of
from tallylearn.models.trees.tree import Tree
from tallylearn.reporting.charts import Plot
from tallylearn.tables import Array

if TYPE_CHECKING:
    from rich.tree import Tree as RichTree


class Drawn(Estimator):
    """A learner that has a tree of questions, whatever its leaves hold, and the ways to see it."""

    def text(self, max_depth: int | None = None) -> str:
        """The tree, a line a branch; all of it, or down to a depth."""
        tree = self._seen()
        end = tree.depth if max_depth is None else max_depth
        return "\n".join(tree_text.lines_of(self._part(len(tree), len(tree), end)))

    def plot(self, max_depth: int | None = None, direction: str = "auto", title: str = "") -> Plot:
        """A drawing: questions in boxes, answers on the edges; all about a node in its tooltip.

        Of more than 2000 nodes the upper levels are drawn, of more than 50 branches the largest. A
        tree broader than a screen is drawn from left to right; ``direction`` is ``"down"`` or
        ``"right"`` to choose. A large drawing can be moved and zoomed in a notebook, and in the
        page that ``plot.save("tree.html")`` writes.
        """
        with error_context(type(self).__name__):
            part = self._part(svg.MAX_NODES, svg.MAX_BRANCHES, max_depth)
            return svg.draw_tree(part, direction, title)

    def to_html(self, max_depth: int | None = None) -> str:
        """A fragment of HTML whose branches open and close; upper levels of 5000 nodes and more,
        and the largest 200 branches of a node."""
        return html.as_page(self._page(max_depth))

    def to_dot(self, max_depth: int | None = None) -> str:
        """The tree in DOT, for Graphviz; the largest 200 branches of a node."""
        tree = self._seen()
        end = tree.depth if max_depth is None else max_depth
        return dot.as_dot(self._part(len(tree), dot.MAX_BRANCHES, end))

    def importances(self) -> Importances:
        """The share of every column in what the tree gained, the largest first."""
        return importances_of(self._seen())

    @property
    def feature_importances_(self) -> Array:
        """(p,) the same shares in the order of the table."""
        return shares_of(self._seen()).ravel()

    def _repr_html_(self) -> str:
        head: str = super()._repr_html_()
        return head + html.as_page(self._page(None)) if self.__sklearn_is_fitted__() else head

    def __str__(self) -> str:
        return tree_text.glimpse(self._glimpsed()) if self.__sklearn_is_fitted__() else repr(self)

    def __rich__(self) -> RichTree | str:
        return tree_text.as_rich(self._glimpsed()) if self.__sklearn_is_fitted__() else repr(self)

    def _glimpsed(self) -> Excerpt:
        return self._part(tree_text.MOST_LINES, tree_text.MOST_LINES - 2)

    def _page(self, max_depth: int | None) -> Excerpt:
        part = self._part(html.MAX_NODES, html.MAX_BRANCHES, max_depth)
        if part.end <= html.MAX_DEPTH:
            return part
        return self._part(html.MAX_NODES, html.MAX_BRANCHES, html.MAX_DEPTH)

    def _part(self, most: int, widest: int, max_depth: int | None = None) -> Excerpt:
        with error_context(type(self).__name__):
            return Excerpt.of(self._seen(), most, widest, max_depth, *self._models())

    def _models(self) -> tuple[Mapping[int, str], Mapping[int, str]]:
        """The names of the models that leaves hold, and the models; none if they hold answers."""
        return {}, {}

    @abstractmethod
    def _seen(self) -> Tree:
        """The tree, if there is one yet."""
