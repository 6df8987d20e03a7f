"""``partial_fit`` of learners that update their model row by row: read more rows, update, store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tallylearn.errors import TargetError, quoted_list
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.fit_input import FitInput, retry_reading
from tallylearn.estimators.passes import Learned, Notes
from tallylearn.sources.columns.class_labels import flat, labels
from tallylearn.tables import Block, Codes

# update(model, block, first_row) -> the model after more rows, in their order. The model is None
# at first; the rows of a text file have the numbers of their lines.
Update = Callable[[Any, Block, int], Any]


def update_with_rows(
    estimator: Estimator, X: Any, y: Any, update: Update, classes: Any = None
) -> None:
    """Continue a fit with more rows, which are read into memory.

    Parameters
    ----------
    estimator : Estimator
        A classifier or a regressor, fitted or not.
    X, y
        The rows, as for ``fit``.
    update : callable
        Makes a new model of the last one and a block of rows.
    classes : sequence or None
        All classes that may come, at the first call for a classifier.
    """
    with estimator._fit_context("partial_fit"):
        estimator._check_options()
        is_fitted = estimator.__sklearn_is_fitted__()
        schema = estimator.schema_ if is_fitted else None
        model = estimator.model_ if is_fitted else None
        read = estimator._read_arguments(X, y, None, schema=schema, more=True)

        def fit_rows(read: FitInput) -> Learned:
            with estimator._passes(read) as passes:
                block = passes.whole()
                if estimator.task == "classifier":
                    known = None if model is None else model.classes
                    block = replace(block, target=_declared_target(block.target, classes, known))
                found = update(model, block, read.source.first_row)
                return Learned(found, None, Notes(passes.dropped_rows), passes.schema)

        learned, call_style = retry_reading(read, fit_rows), read.call_style
        if is_fitted:
            before = estimator.notes_
            label_type = before.call_style.label_type
            call_style = replace(before.call_style + call_style, label_type=label_type)
            dropped = before.unanswered + learned.notes.unanswered
            learned = learned._replace(notes=Notes(dropped))
        estimator._store(learned, call_style)


def _declared_target(target: Codes, classes: Any, known: Sequence[Any] | None) -> Codes:
    """The target, with the classes that may come: those of the first ``partial_fit``."""
    given = None if classes is None else labels(flat(classes)).values
    if known is None:
        known = target.values if given is None else given
    elif given is not None and tuple(given) != tuple(known):
        raise TargetError(
            f"classes= is {quoted_list(given)}, and was {quoted_list(known)} at the first "
            f"partial_fit. Pass the same classes, or None. `classes={list(given)}` is not the same "
            f"as on last call to partial_fit, was: {list(known)}."
        )
    if unknown := [value for value in target.values if value not in known]:
        raise TargetError(
            f"the target has the class {unknown[0]!r}, and the classes of the first partial_fit "
            f"are {quoted_list(known)}. Pass all classes as classes= at the first call."
        )
    return Codes(tuple(known), target.recode(known), tuple(known))
