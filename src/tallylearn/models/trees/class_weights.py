"""Class weights: what rows of a class count, and what it costs to mistake one class for another."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, quoted_list, short_repr
from tallylearn.estimators.option_values import by_label
from tallylearn.estimators.options import NONE, Allowed, either, one_of
from tallylearn.tables import FREQUENCY, Array, Block


def weigh_rows(
    block: Block, class_weight: Any, *, in_rows: bool = False, by_weight: bool = False
) -> Array | None:
    """(n,) the weights of the rows times those of their classes; None: all weigh alike.

    With ``in_rows``, and where weights are frequencies, the products have the same sum as the
    weights. "balanced" equalises the numbers of rows of the classes, as scikit-learn's trees do, or
    with ``by_weight`` their weights, as its forests do.
    """
    if class_weight is None:
        return block.weight
    values, codes = block.target.values, block.target.codes
    given = np.ones(len(block)) if block.weight is None else block.weight
    if isinstance(class_weight, str):
        totals = np.bincount(codes, block.weight if by_weight else None, len(values))
        each = balanced_weights(totals)
    else:
        each = _by_class(class_weight, values)
    weight = given * each[codes]
    counted = block.weight is not None and block.weight_kind == FREQUENCY
    if not counted and not in_rows:
        return np.asarray(weight)
    return np.asarray(weight * (given.sum() / weight.sum()))


def _by_class(class_weight: Any, values: tuple[Any, ...]) -> Array:
    """(k,) what rows of each class weigh; 1 where it is not said."""
    given = by_label(class_weight)
    if (lacking := [v for v in values if v not in given]) and (
        odd := [key for key in given if key not in values]
    ):
        raise OptionError(
            f"class_weight names {short_repr(odd[0])}, and the target has {quoted_list(values)}. "
            f"Name these. The classes, {lacking}, are not in class_weight"
        )
    each = np.array([float(given.get(value, 1.0)) for value in values])
    if not each.any():
        raise OptionError(
            f"class_weight is 0 for every class, {quoted_list(values)}. Give one of them a "
            "positive weight."
        )
    return each


def loss_matrix(loss: Any, classes: tuple[Any, ...]) -> Array | None:
    """(k, k) the cost of predicting class j where class i is right; None: all errors cost alike."""
    if loss is None:
        return None
    k = len(classes)
    try:
        found = np.asarray(_weights_by_label(loss, classes), dtype=np.float64)
    except Exception:  # whatever an object raises that is none
        raise OptionError(
            f"loss is {short_repr(loss)}. Pass a {k} x {k} table of numbers for "
            f"{quoted_list(classes)}: entry (i, j) is the cost of predicting class j for a row of "
            "class i."
        ) from None
    if found.shape != (k, k):
        raise OptionError(
            f"loss has the shape {found.shape}, and there are {k} classes, {quoted_list(classes)}. "
            f"Pass a {k} x {k} table: entry (i, j) is the cost of predicting class j for a row of "
            "class i."
        )
    if not np.isfinite(found).all() or (found < 0).any():
        raise OptionError(
            f"loss has {found[~(np.isfinite(found) & (found >= 0))][0]:g}. Pass finite costs of 0 "
            "or more."
        )
    return found


def check_class_weight(class_weight: Any) -> None:
    """Raise an OptionError for a class whose weight is no number from 0 on."""
    given = by_label(class_weight)
    for key, one in given.items() if isinstance(given, Mapping) else ():
        if isinstance(one, bool) or not isinstance(one, Real) or not 0 <= float(one) < np.inf:
            raise OptionError(
                f"class_weight is {short_repr(one)} for the class {short_repr(key)}. Give a "
                "number, 0 or more."
            )


def class_weights(*named: str) -> Allowed:
    """The values of ``class_weight``: these names, a weight for every class, or None."""
    return either(
        one_of(*named),
        Allowed(
            ("a dict of classes and weights",),
            lambda value: isinstance(by_label(value), Mapping),
        ),
        NONE,
    )


def balanced_weights(counts: Array) -> Array:
    """(k,) what rows of each class weigh where all classes are to weigh alike, from their counts.

    >>> balanced_weights(np.array([30, 10, 0])).tolist()
    [0.6666666666666666, 2.0, 0.0]
    """
    some = counts > 0
    each = counts.sum() / (some.sum() * np.where(some, counts, 1))
    return np.asarray(np.where(some, each, 0.0))


def _weights_by_label(loss: Any, classes: tuple[Any, ...]) -> Any:
    """A frame whose rows and columns are named by the classes, in their order; others as is."""
    if not (hasattr(loss, "index") and hasattr(loss, "columns")):
        return loss
    rows, columns = ([*axis] for axis in (loss.index, loss.columns))
    if {*rows} != {*classes} or {*columns} != {*classes}:
        return loss
    return loss.loc[list(classes), list(classes)]
