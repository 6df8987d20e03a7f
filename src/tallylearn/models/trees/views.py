"""Views: the same tree as text, rules, a drawing, a page, a graph for Graphviz."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from tallylearn.doors import Predictor
from tallylearn.errors import speaking
from tallylearn.models.trees.drawings import draw_tree
from tallylearn.models.trees.graphs import as_dot
from tallylearn.models.trees.importances import Importances, importances_of
from tallylearn.models.trees.pages import as_page
from tallylearn.models.trees.rules import Rules, fired, landings, rules_of
from tallylearn.models.trees.texts import as_rich, drawn, glimpse
from tallylearn.models.trees.trees import Tree
from tallylearn.plots import Plot
from tallylearn.tables import Array

if TYPE_CHECKING:
    from rich.tree import Tree as RichTree


class Viewed(Predictor):
    """A learner whose model is a tree, and the ways to see it."""

    model_: Tree

    def text(self, max_depth: int | None = None) -> str:
        """The tree, a line a branch; all of it, or down to a depth."""
        return drawn(self._seen(), max_depth)

    def rules(self, order: str = "leaf") -> Rules:
        """A rule for every leaf: from left to right, or by ``"support"``."""
        with speaking(type(self).__name__):
            return rules_of(self._seen(), self.schema_.missing, order)

    def fired(self, X: Any) -> Rules:
        """The rule that answers each row."""
        tree = self._seen()
        nodes = self._mapped(X, lambda block: landings(tree, block))
        with speaking(type(self).__name__):
            return fired(tree, nodes.tolist(), self.schema_.missing)

    def plot(self, max_depth: int | None = None, direction: str = "auto", title: str = "") -> Plot:
        """A drawing: questions in boxes, answers on the edges; all about a node in its tooltip.

        Of more than 2000 nodes the upper levels are drawn. A tree broader than a screen is drawn
        from left to right; ``direction`` is ``"down"`` or ``"right"`` to choose.
        """
        with speaking(type(self).__name__):
            return draw_tree(self._seen(), max_depth, direction, title)

    def to_html(self, max_depth: int | None = None) -> str:
        """A fragment of HTML whose branches open and close; upper levels of 5000 nodes and more."""
        return as_page(self._seen(), max_depth)

    def to_dot(self, max_depth: int | None = None) -> str:
        """The tree in DOT, for Graphviz."""
        return as_dot(self._seen(), max_depth)

    def importances(self) -> Importances:
        """The share of every column in what the tree gained, the largest first."""
        return importances_of(self._seen(), self.feature_importances_)

    @property
    @abstractmethod
    def feature_importances_(self) -> Array:
        """(p,) the same shares in the order of the table."""

    def _repr_html_(self) -> str:
        head: str = super()._repr_html_()
        return head + as_page(self.model_) if self.__sklearn_is_fitted__() else head

    def __str__(self) -> str:
        return glimpse(self.model_) if self.__sklearn_is_fitted__() else repr(self)

    def __rich__(self) -> RichTree | str:
        return as_rich(self.model_) if self.__sklearn_is_fitted__() else repr(self)

    def _seen(self) -> Tree:
        self._check_fitted()
        return self.model_
