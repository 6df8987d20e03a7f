"""The options of pruning, and which of them go together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tallylearn.errors import OptionError, quoted_list
from tallylearn.estimators.options import Option

BY_ERRORS = ("reduced_error", "reduced_error_greedy")
OF_CLASSES = ("chi2", "pessimistic", "loss")
COUNTING = OF_CLASSES  # the methods whose result depends on how many rows there are
METHODS = ("chi2", *BY_ERRORS, "pessimistic", "cost_complexity", "loss")
GOES_WITH = {
    "level": "chi2",
    "confidence": "pessimistic",
    "raising": "pessimistic",
    "ccp_alpha": "cost_complexity",
    "cp": "cost_complexity",
}


class PruningOptions:
    """Pruning, and the values of options that a learner of trees does not have."""

    task: ClassVar[str | None]
    significance: Any = None
    pruning: Any = None
    level: Any = 0.05
    validation: Any = None
    confidence: Any = 0.25
    raising: Any = True
    ccp_alpha: Any = 0.0
    cp: Any = None
    max_leaf_nodes: Any = None
    loss: Any = None
    variant: Any = None
    tie: Any = "first"

    _declared: ClassVar[Mapping[str, Option]]

    def _take(self, how: str, options: dict[str, Any]) -> None:
        """Options of one call, checked as the constructor's are."""
        known = ("level", "confidence", "raising", "ccp_alpha", "cp", "loss")
        if odd := [name for name in options if name not in known]:
            raise OptionError(f"prune takes {quoted_list(known)}, not {odd[0]!r}.")
        if self.task != "classifier" and "loss" in options:
            raise OptionError("loss goes with classes, and a regression has none.")
        if how is None:
            raise OptionError(f"how is one of {quoted_list(METHODS, 20)}, not None.")
        for name, value in {"pruning": how, **options}.items():
            if name in self._declared:
                self._declared[name].check(type(self).__name__, value)
            setattr(self, name, value)
        if how != "cost_complexity":
            self.ccp_alpha, self.cp = 0.0, None
        elif "cp" in options or "ccp_alpha" in options:  # one of them, and not what growing had
            self.ccp_alpha, self.cp = options.get("ccp_alpha", 0.0), options.get("cp")
        self._check_pruning()
        if odd := [name for name in options if GOES_WITH.get(name, how) != how]:
            raise OptionError(f"{odd[0]} goes with {GOES_WITH[odd[0]]!r}, not with {how!r}.")

    def _check_pruning(self) -> None:
        """Raise an OptionError for options of pruning that do not go together."""
        if self.task != "classifier" and self.pruning in OF_CLASSES:
            raise OptionError(
                f"pruning={self.pruning!r} counts classes, and a regression has none. Use "
                f"{quoted_list([m for m in METHODS if m not in OF_CLASSES])}."
            )
        if self.pruning == "loss" and self.loss is None:
            raise OptionError('pruning="loss" asks for loss=, what each mistake costs.')
        if self.cp is not None and self.ccp_alpha != 0:
            raise OptionError("cp and ccp_alpha both say what a leaf is worth. Leave one out.")
        given = "ccp_alpha" if self.ccp_alpha != 0 else "cp" if self.cp is not None else ""
        if given and self.pruning not in (None, "cost_complexity"):
            raise OptionError(
                f"{given} goes with cost_complexity, and pruning is {self.pruning!r}. "
                "Leave one of them out."
            )
