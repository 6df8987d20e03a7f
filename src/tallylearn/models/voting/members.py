"""Members: learners that vote, ours or scikit-learn's, each fitted to the same rows."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallylearn.errors import (
    InputError,
    KindError,
    OptionError,
    TallyError,
    quoted_list,
    short_repr,
)
from tallylearn.estimators.estimator import Estimator, clone_estimator
from tallylearn.sources import Table
from tallylearn.sources.declarations import Declaration
from tallylearn.tables import CATEGORY, DATE, NUMBER, TEXT, Array, Block, Codes

ROUNDING = 1e-6  # by which a probability may leave [0, 1]: some are kept in single precision
PASSED = (NUMBER, DATE, CATEGORY)  # to others: neither identifiers nor columns without any value


def member_names(estimators: Any) -> list[tuple[str, Any]]:
    """The members by name: as given, or as they are called, numbered where that repeats."""
    if isinstance(estimators, str) or not isinstance(estimators, Sequence) or not len(estimators):
        raise OptionError(
            "Invalid 'estimators' attribute, 'estimators' should be a non-empty list of "
            f"estimators, or of pairs (name, estimator), not {short_repr(estimators)}."
        )
    found: list[tuple[str | None, Any]] = []
    for one in estimators:
        pair = isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str)
        name, learner = one if pair else (None, one)
        if isinstance(learner, type) or not hasattr(learner, "fit"):
            raise KindError(
                f"{short_repr(learner)} is not an estimator. Pass one, such as tl.NaiveBayes()."
            )
        found.append((name, learner))
    called = [type(learner).__name__ if name is None else None for name, learner in found]
    numbered = [
        f" {called[: at + 1].count(name)}" if called.count(name) > 1 else ""
        for at, name in enumerate(called)
    ]
    members = [
        (f"{called[at]}{numbered[at]}" if name is None else name, learner)
        for at, (name, learner) in enumerate(found)
    ]
    _check_names([name for name, _ in members])
    return members


def _check_names(names: list[str]) -> None:
    for name in names:
        if not name or "__" in name or names.count(name) > 1:
            raise OptionError(
                f"a member has the name {name!r}. Give each member a unique, non-empty name "
                "without '__'."
            )


def check_task(members: Sequence[tuple[str, Any]], task: str | None) -> None:
    """Members of ours answer with what the vote is about, and none has itself among its members."""
    for name, learner in members:
        _check_circle(learner, ())
        if isinstance(learner, Estimator) and learner.task != task:
            raise KindError(
                f"the member {name!r} is {short_repr(learner)}, which is not a {task}. Leave it "
                f"out, or put it before a {task} in a Pipeline."
            )


def _check_circle(learner: Any, above: tuple[int, ...]) -> None:
    if id(learner) in above:
        raise OptionError(
            "a member contains itself. Pass a copy of it, such as sklearn.base.clone(member)."
        )
    inside = getattr(learner, "estimators", None) or getattr(learner, "steps", None) or ()
    for one in inside if isinstance(inside, list | tuple) else ():
        _check_circle(one[-1] if isinstance(one, tuple) and one else one, (*above, id(learner)))


@dataclass(frozen=True)
class FitMember:
    """The call that fits a copy of a member to all rows: it holds them, and pickles."""

    block: Block

    def __call__(self, member: tuple[str, Any]) -> Any:
        return fit_member(*member, self.block)


def fit_member(name: str, learner: Any, block: Block) -> Any:
    """Fit a copy of a member to all rows."""
    target = block.target
    y = np.array(target.values)[target.codes] if isinstance(target, Codes) else target
    model = clone_estimator(learner)
    if isinstance(learner, Estimator):
        bare = replace(block, target=None, weight=None)
        declared = Declaration(weight_kind=block.weight_kind)
        return model.fit(Table(bare, None, block.weight, declared), y)
    weight = {} if block.weight is None else {"sample_weight": block.weight}
    with foreign_errors(who := f"the member {name!r}"):
        try:
            return model.fit(foreign_rows(block, who), y, **weight)
        except TypeError as error:
            if "sample_weight" not in str(error):
                raise
            raise OptionError(
                f"{who} takes no sample_weight in fit. Leave out that member or the weights."
            ) from None


@contextmanager
def foreign_errors(who: str) -> Iterator[None]:
    """What a member of others cannot do with the rows is said in its own words, and of it."""
    try:
        yield
    except (TallyError, MemoryError):
        raise
    except Exception as error:
        raise InputError(
            f"{who} is not from tallylearn and failed on these rows ({type(error).__name__}: "
            f"{str(error)[:150]}). Put a preprocessing step before it in scikit-learn's Pipeline, "
            "or leave it out."
        ) from error


def check_probabilities(names: Sequence[str], models: Sequence[Any]) -> None:
    """Fitted members know probabilities; some of others' tell only then whether they do."""
    for name, model in zip(names, models, strict=True):
        if not hasattr(model, "predict_proba"):
            raise OptionError(
                f"the member {name!r} is {short_repr(model)}, which has no predict_proba, and "
                'voting="soft" averages probabilities. Use voting="hard", or leave the member out.'
            )


def foreign_rows(block: Block, who: str) -> Any:
    """The rows as estimators of others take them: a frame where columns have names, or an array."""
    if any(column.kind == TEXT for column in block.schema.columns):
        raise InputError(
            f"{who} is not from tallylearn, so it cannot read text columns. Leave those columns "
            "out with tl.table(..., ignore=[...])."
        )
    columns = [column for column in block.schema.columns if column.kind in PASSED]
    pandas = sys.modules.get("pandas")
    if pandas is not None and block.schema.named:
        return pandas.DataFrame({column.name: _values(block, column) for column in columns})
    if any(column.kind == CATEGORY for column in columns):
        raise InputError(
            f"{who} is not from tallylearn, so it reads categories only from a pandas frame. "
            "Import pandas, or encode the categories with tl.OneHotEncoder()."
        )
    return block.numbers


def _values(block: Block, column: Any) -> Array:
    if column.kind != CATEGORY:
        return block.numbers[:, block.schema.places[column.name]]
    codes = block.codes[column.name]
    return np.array([*codes.values, None], dtype=object)[codes.codes]


def member_probabilities(name: str, model: Any, block: Block, classes: tuple[Any, ...]) -> Array:
    """(n, k) what a member gives every class."""
    if isinstance(model, Estimator):
        found, known = np.asarray(model.classes_and_probabilities(block)[1]), model.model_.classes  # type: ignore[attr-defined]
    else:
        with foreign_errors(who := f"the member {name!r}"):
            found = np.asarray(model.predict_proba(foreign_rows(block, who)))
            known = tuple(np.asarray(model.classes_).tolist())
        _check_shares(who, found, len(block), known, classes)
    at = [known.index(value) if value in known else -1 for value in classes]
    return np.append(found, np.zeros((len(found), 1)), axis=1)[:, at]


def _check_shares(
    who: str, found: Array, n: int, known: tuple[Any, ...], classes: tuple[Any, ...]
) -> None:
    """Probabilities of the vote's classes, one column a class that the member knows."""
    if odd := [value for value in known if value not in classes]:
        raise _unknown_class_error(who, odd[0], classes)
    if found.shape != (n, len(known)):
        raise InputError(
            f"predict_proba of {who} returned {_describe_output(found)} for {n:,} rows and "
            f"{len(known)} classes. It must return one row per row and one column per class."
        )
    with foreign_errors(who):
        inside = (found >= -ROUNDING) & (found <= 1 + ROUNDING)  # so not where one is NaN
    if not inside.all():
        raise InputError(
            f"predict_proba of {who} returned {found[~inside][0]}. It must return probabilities "
            "between 0 and 1: correct it, or leave the member out."
        )


def member_votes(name: str, model: Any, block: Block, classes: tuple[Any, ...]) -> Array:
    """(n,) the place of the class that a member votes for; -1 where one of ours has no answer."""
    if isinstance(model, Estimator):
        known, at = model.model_.classes, model.predict_classes(block)  # type: ignore[attr-defined]
        place = np.array([*(classes.index(value) for value in known), -1])
        return np.asarray(place[at])
    said = _predict(who := f"the member {name!r}", model, block).tolist()
    place_of = {value: at for at, value in enumerate(classes)}
    with foreign_errors(who):
        found = np.array([place_of.get(value, -1) for value in said], dtype=np.int64)
    if (found < 0).any():
        raise _unknown_class_error(who, said[int(np.argmin(found))], classes)
    return found


def member_predictions(name: str, model: Any, block: Block) -> Array:
    """(n,) the numbers that a member answers."""
    if isinstance(model, Estimator):
        return np.asarray(model.predictions(block))
    said = _predict(who := f"the member {name!r}", model, block)
    with foreign_errors(who):
        found = said.astype(np.float64)
    if not (finite := np.isfinite(found)).all():
        raise InputError(
            f"predict of {who} returned {said[~finite][0]!s}. It must return finite numbers: "
            "correct it, or leave the member out."
        )
    return found


def _predict(who: str, model: Any, block: Block) -> Array:
    """(n,) what a member of others answers, of whatever type; some give it as one column."""
    with foreign_errors(who):
        said = np.asarray(model.predict(foreign_rows(block, who)))
    if said.shape not in {(n := len(block),), (n, 1)}:
        raise InputError(
            f"predict of {who} returned {_describe_output(said)} for {n:,} rows. It must return "
            "one prediction per row."
        )
    return said.reshape(n)


def _describe_output(found: Array) -> str:
    """What was given for an array: its shape, or itself where it has none."""
    return f"an array of shape {found.shape}" if found.ndim else short_repr(found.item(), 60)


def _unknown_class_error(who: str, value: Any, classes: tuple[Any, ...]) -> InputError:
    return InputError(
        f"{who} predicted the class {short_repr(value, 60)}, and the classes of the training rows "
        f"are {quoted_list(classes)}. Correct the member, or leave it out."
    )


def one_hot(at: Array, k: int) -> Array:
    """(n, k) one vote for a class; none where there is no answer."""
    return np.append(np.eye(k), np.zeros((1, k)), axis=0)[at]
