"""The methods of pruning, their options, and which options go together."""

from __future__ import annotations

from typing import Any

from tallylearn.errors import OptionError, quoted_list
from tallylearn.models.trees.nodes import ABSOLUTE

BY_ERRORS = ("reduced_error", "reduced_error_greedy")  # errors on validation rows
OF_CLASSES = ("chi2", "pessimistic", "loss")  # their result depends on how many rows there are
METHODS = ("chi2", *BY_ERRORS, "pessimistic", "cost_complexity", "loss")
PRUNE_OPTIONS = ("level", "confidence", "raising", "ccp_alpha", "cp", "loss")
METHOD_OF_OPTION = {
    "level": "chi2",
    "confidence": "pessimistic",
    "raising": "pessimistic",
    "ccp_alpha": "cost_complexity",
    "cp": "cost_complexity",
}


def set_prune_options(learner: Any, how: str, options: dict[str, Any]) -> None:
    """Set the method and the options of one call of ``prune``, checked as the constructor's are.

    Parameters
    ----------
    learner : TreeLearner
        A copy of the fitted tree, which is changed.
    how : str
        The method of pruning.
    options : dict
        Options of the method, by name.
    """
    if odd := [name for name in options if name not in PRUNE_OPTIONS]:
        raise OptionError(
            f"there is no option {odd[0]!r}. The options are {quoted_list(PRUNE_OPTIONS)}."
        )
    if learner.task != "classifier" and "loss" in options:
        raise OptionError("loss is for classification trees. Leave it out.")
    if how is None:
        raise OptionError(f"how is None. Use one of {quoted_list(METHODS, 20)}.")
    for name, value in {"pruning": how, **options}.items():
        if name in learner._declared:
            learner._declared[name].check(type(learner).__name__, value)
        setattr(learner, name, value)
    if how != "cost_complexity":
        learner.ccp_alpha, learner.cp = 0.0, None
    elif "cp" in options or "ccp_alpha" in options:  # one of them, and not that of growing
        learner.ccp_alpha, learner.cp = options.get("ccp_alpha", 0.0), options.get("cp")
    check_pruning(learner)
    if odd := [name for name in options if METHOD_OF_OPTION.get(name, how) != how]:
        raise OptionError(
            f"{odd[0]} is an option of {METHOD_OF_OPTION[odd[0]]!r}, not of {how!r}. Leave it out."
        )


def check_pruning(learner: Any) -> None:
    """Raise an OptionError for options of pruning that do not go together."""
    if learner.task != "classifier" and learner.pruning in OF_CLASSES:
        raise OptionError(
            f"pruning={learner.pruning!r} is for classification trees. Use "
            f"{quoted_list([method for method in METHODS if method not in OF_CLASSES])}."
        )
    if learner.pruning == "loss" and learner.loss is None:
        raise OptionError(
            'pruning="loss" needs loss=, a table with the cost of each misclassification. Pass it.'
        )
    if learner.cp is not None and learner.ccp_alpha != 0:
        raise OptionError(
            "cp and ccp_alpha are both given, and both set the penalty per leaf. Leave one out."
        )
    given = "ccp_alpha" if learner.ccp_alpha != 0 else "cp" if learner.cp is not None else ""
    if given and learner.pruning not in (None, "cost_complexity"):
        raise OptionError(
            f'{given} goes with pruning="cost_complexity", and pruning is {learner.pruning!r}. '
            "Leave one of them out."
        )
    folded = isinstance(learner.ccp_alpha, str)
    if learner.criterion in (ABSOLUTE, "poisson") and (learner.pruning in BY_ERRORS or folded):
        raise OptionError(
            f'criterion="{learner.criterion}" cannot be combined with pruning by squared errors. '
            "Pass a number as ccp_alpha."
        )
