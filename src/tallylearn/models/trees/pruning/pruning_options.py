"""The options of pruning, and which of them go together."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

from tallylearn.errors import OptionError, listed

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
    """What a learner is told about pruning; it has those parameters that make sense for it."""

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

    _in_range: Callable[..., float]
    _one_of: Callable[..., Any]

    def _take(self, how: str, options: dict[str, Any]) -> None:
        """Options of one call, checked as the constructor's are."""
        known = ("level", "confidence", "raising", "ccp_alpha", "cp", "loss")
        if odd := [name for name in options if name not in known]:
            raise OptionError(f"prune takes {listed(known)}, not {odd[0]!r}.")
        if self.task != "classifier" and "loss" in options:
            raise OptionError("loss goes with classes, and a regression has none.")
        if how is None:
            raise OptionError(f"how is one of {listed(METHODS, 20)}, not None.")
        self.pruning = how
        self._one_of("pruning", METHODS)
        for name, value in options.items():
            setattr(self, name, value)
        if how != "cost_complexity":
            self.ccp_alpha, self.cp = 0.0, None
        elif "cp" in options or "ccp_alpha" in options:  # one of them, and not what growing had
            self.ccp_alpha, self.cp = options.get("ccp_alpha", 0.0), options.get("cp")
        self._check_pruning()
        if odd := [name for name in options if GOES_WITH.get(name, how) != how]:
            raise OptionError(f"{odd[0]} goes with {GOES_WITH[odd[0]]!r}, not with {how!r}.")

    def _check_pruning(self) -> None:
        self._one_of("pruning", (None, *METHODS))
        if self.task != "classifier" and self.pruning in OF_CLASSES:
            raise OptionError(
                f"pruning={self.pruning!r} counts classes, and a regression has none. Use "
                f"{listed([m for m in METHODS if m not in OF_CLASSES])}."
            )
        if self.pruning == "loss" and self.loss is None:
            raise OptionError('pruning="loss" asks for loss=, what each mistake costs.')
        self._check_inside("level", 1.0)
        self._check_inside("confidence", 0.5, "]")
        if self.validation is not None:
            self._check_inside("validation", 1.0)
        if not isinstance(self.raising, bool):
            raise OptionError(f"raising is True or False, not {self.raising!r}.")
        self._check_alpha()

    def _check_alpha(self) -> None:
        if not (isinstance(self.ccp_alpha, str) and self.ccp_alpha == "cv"):
            self._in_range("ccp_alpha", 0.0)
        if self.cp is not None:
            self._in_range("cp", 0.0, 1.0)
        if self.cp is not None and self.ccp_alpha != 0:
            raise OptionError("cp and ccp_alpha both say what a leaf is worth. Leave one out.")
        given = "ccp_alpha" if self.ccp_alpha != 0 else "cp" if self.cp is not None else ""
        if given and self.pruning not in (None, "cost_complexity"):
            raise OptionError(
                f"{given} goes with cost_complexity, and pruning is {self.pruning!r}. "
                "Leave one of them out."
            )

    def _check_inside(self, name: str, high: float, end: str = ")") -> None:
        value = getattr(self, name)
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not number or not (0 < value < high or (end == "]" and value == high)):
            raise OptionError(
                f"The {name!r} parameter of {type(self).__name__} must be a float in the range "
                f"(0.0, {high}{end}. Got {value!r} instead."
            )
