"""Names of scores: ours, scikit-learn's, and functions that bring a score of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from tallylearn.errors import OptionError, did_you_mean, quoted_list, short_repr
from tallylearn.evaluation.scores.custom_scores import custom, is_scorer, scorer_named
from tallylearn.evaluation.scores.score import (
    PROBABILITIES,
    RANKING,
    SCORES,
    CustomScoreName,
    Score,
)

THEIRS = {  # scikit-learn's other names
    "accuracy_score": "accuracy",
    "average_precision_score": "average_precision",
    "brier_score": "brier",
    "brier_score_loss": "brier",
    "cohen_kappa_score": "kappa",
    "matthews_corrcoef": "mcc",
    "mean_absolute_error": "mae",
    "mean_absolute_percentage_error": "mape",
    "mean_pinball_loss": "pinball",
    "mean_squared_error": "mse",
    "r2_score": "r2",
    "root_mean_squared_error": "rmse",
    "top_k_accuracy": "top_2_accuracy",
}
ALL_OUTPUTS = (PROBABILITIES, RANKING)


def one_word(scoring: Any, older: Any, word: str) -> Any:
    """What is given under ``scoring``, or under the word that was there before it."""
    if scoring is not None and older is not None:
        raise OptionError(f"scoring and {word} are the same option. Leave out {word}.")
    return older if scoring is None else scoring


def translate_name(name: Any) -> Any:
    """Our name of a score that scikit-learn calls otherwise; anything else as it is.

    >>> tuple(map(translate_name, ("neg_mean_absolute_error", "f1", "neg_max_error")))
    ('mae', 'f1', 'max_error')
    """
    if not isinstance(name, str) or SCORES.knows(name):
        return name
    bare = name.removeprefix("neg_")
    return THEIRS.get(bare, bare)


def read_scores(
    scores: Any,
    task: str,
    n_classes: int = 0,
    gives: Collection[str] = ALL_OUTPUTS,
    positive: Any = None,
) -> tuple[str, ...]:
    """The names of scores, checked: known, and fit for the task, its classes and its predictions.

    >>> read_scores(["accuracy", "f1_macro"], "classifier", 3)
    ('accuracy', 'f1_macro')
    >>> read_scores("neg_root_mean_squared_error", "regressor")
    ('rmse',)
    """
    names = _read(scores, task)
    single = n_classes <= 2 or positive is not None

    def fits(score: Score) -> bool:
        has = not score.needs or score.needs in gives
        return score.task == task and has and (single or score.of != "positive")

    for name in names:
        if not SCORES.knows(name) or not fits(SCORES[name]):
            fit = [score.name for score in SCORES.values() if fits(score)]
            raise OptionError(
                f"{_explain_misfit(name, task, n_classes, single)} "
                f"Choose from {quoted_list(fit, 99)}."
            )
    return names


def need_proba(scores: Any) -> bool:
    """Whether any of the scores looks at probabilities; the usual ones do."""
    names = () if scores is None else (scores,) if isinstance(scores, str) else tuple(scores)
    return not names or any(not SCORES.knows(name) or SCORES[name].needs for name in names)


def _read(scores: Any, task: str) -> tuple[str, ...]:
    """One score, several, or name -> score."""
    if isinstance(scores, str) or callable(scores):
        scores = (scores,)
    elif isinstance(scores, Mapping):
        return _check_distinct(
            [_find_score(score, task, str(name)) for name, score in scores.items()]
        )
    elif not isinstance(scores, Iterable) or hasattr(scores, "fit"):
        raise OptionError(
            f"scoring is {scores!r:.60}. Pass the name of a score, or a list of "
            "names such as ['accuracy', 'f1']."
        )
    return _check_distinct([_find_score(score, task) for score in scores])


def _find_score(score: Any, task: str, name: str = "") -> Any:
    """A score's name; one of the user's own brings itself along."""
    if isinstance(score, CustomScoreName):
        return score
    if not isinstance(score, str):
        return custom(score, task, name)
    if SCORES.knows(ours := translate_name(score)):
        return _check_given_name(ours, name)
    scorer = scorer_named(score)
    return score if scorer is None else custom(scorer, task, name or ours)


def _check_given_name(ours: str, name: str) -> str:
    if name and name != ours:
        raise OptionError(
            f"{name!r} is given as the name of the score {ours!r}, which keeps its "
            "own name. Give names only to functions."
        )
    return ours


def _check_distinct(names: list[Any]) -> tuple[str, ...]:
    """Every score once; two of the user's own under one name cannot be told apart."""
    own = [name for name in names if isinstance(name, CustomScoreName)]
    for name in own:
        if sum(other == name for other in names) > 1:
            raise OptionError(
                f"two scores have the name {name!r}. Give each a name: "
                f"scoring={{'first': ..., 'second': ...}}."
            )
    return tuple(dict.fromkeys(names))


def _explain_misfit(name: Any, task: str, n_classes: int, single: bool) -> str:
    """Why a score does not fit."""
    if not SCORES.knows(name):
        return f"there is no score {short_repr(name)}.{did_you_mean(name, SCORES)}"
    score = SCORES[name]
    if score.task != task:
        return f"the score {name!r} is for a {score.task}, but this is a {task}."
    if score.of == "positive" and not single:
        return (
            f"the score {name!r} is about one class, and there are {n_classes}: name it with "
            "positive=."
        )
    return f"the score {name!r} needs {_words(score)}, but this model has none."


def _words(score: Score) -> str:
    return "probabilities" if score.needs == PROBABILITIES else "probabilities or decision values"


__all__ = ["is_scorer", "need_proba", "one_word", "read_scores", "translate_name"]
