"""Views: the same tree as text, rules, a drawing, a page, a graph for Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallylearn.doors import Predictor
from tallylearn.errors import speaking
from tallylearn.models.trees.rules import Rules, fired, landings, rules_of
from tallylearn.models.trees.texts import as_rich, drawn, glimpse
from tallylearn.models.trees.trees import Tree

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

    def __str__(self) -> str:
        return glimpse(self.model_) if self.__sklearn_is_fitted__() else repr(self)

    def __rich__(self) -> RichTree | str:
        return as_rich(self.model_) if self.__sklearn_is_fitted__() else repr(self)

    def _seen(self) -> Tree:
        self._check_fitted()
        return self.model_
