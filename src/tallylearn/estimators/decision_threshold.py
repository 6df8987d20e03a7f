"""Thresholds: from which score on a row is called positive, when one mistake costs more."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, is_one_of, quoted_list, short_repr
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import Array
from tallylearn.tallies import Ranks


@dataclass(frozen=True)
class Threshold:
    """The probability threshold with the smallest cost, and the costs of all others.

    Attributes
    ----------
    value : float
        Rows with this score or a higher one are predicted positive; infinite: no row is.
    cost : float
        The cost of all mistakes at this threshold.
    rows : float
        Number of rows, by their weights.
    thresholds : ndarray of shape (m + 1,)
        All thresholds, decreasing from infinity.
    costs : ndarray of shape (m + 1,)
        Their costs.
    """

    value: float  # a score of this or above is called positive; infinite: none is
    cost: float  # of all mistakes
    rows: float
    thresholds: Array = field(repr=False)  # (m + 1,) falling from infinity
    costs: Array = field(repr=False)  # (m + 1,)

    def __str__(self) -> str:
        return (
            f"threshold {format_number(self.value)}: cost {format_number(self.cost)} on "
            f"{format_number(self.rows)} rows"
        )

    def __repr__(self) -> str:
        return str(self)


def threshold(ranks: Ranks, costs: tuple[float, float]) -> Threshold:
    """The threshold whose mistakes cost least on the rows that were ranked.

    It is fitted to these rows, so its cost on them flatters it. Take the ranks of rows that neither
    trained the model nor will judge it.

    Parameters
    ----------
    ranks : scores of the rows, and which of them are positive.
    costs : of a negative that is called positive, and of a positive that is called negative.
        Of thresholds that cost the same the highest is taken: fewest rows are called positive.

    References
    ----------
    C. Elkan, The foundations of cost-sensitive learning, IJCAI 2001.

    Examples
    --------
    >>> ranks = Ranks.of(np.array([0.1, 0.3, 0.6, 0.8]), np.array([False, True, False, True]))
    >>> threshold(ranks, (1, 5)).value
    0.3
    >>> threshold(ranks, (5, 1)).value
    0.8
    """
    pair = isinstance(costs, tuple | list) and len(costs) == 2 and all(map(_is_cost, costs))
    if not pair or not any(costs):
        raise OptionError(
            f"threshold: costs is {short_repr(costs)}. Give two numbers from 0 up, "
            "not both 0: the cost of a false positive and the cost of a false "
            "negative."
        )
    if not ranks:
        raise OptionError("threshold: there are no ranked rows. Evaluate at least one row.")
    wrong, right = ranks.cumulative_weights()
    total = costs[0] * wrong + costs[1] * (right[-1] - right)
    best = int(np.argmin(total))
    falling = np.append(inf, ranks.scores[::-1])
    rows = float(wrong[-1] + right[-1])
    return Threshold(float(falling[best]), float(total[best]), rows, falling, total)


def positive_class(classes: tuple[Any, ...], positive: Any = None) -> Any:
    """The class that scores of one class speak of: the one given, or the last of two."""
    if positive is None and len(classes) == 2:
        return classes[1]
    if positive is None:
        raise OptionError(
            f"positive is not given, and the classes are {quoted_list(classes)}. "
            "Name the positive class with positive=."
        )
    if not is_one_of(positive, classes):
        raise OptionError(
            f"positive is {short_repr(positive)}, which is not a class. Choose "
            f"from {quoted_list(classes)}."
        )
    return classes[classes.index(positive)]  # 1 for np.int64(1), 1.0 and True: its own name


def positive_place(classes: tuple[Any, ...], threshold: Any, positive: Any = None) -> int:
    """The place of the positive class of two, for predictions by a threshold.

    Raise an OptionError for a threshold that is no number, and for other than two classes.
    """
    if threshold is None:
        raise OptionError(
            "positive names the class that a threshold applies to, but threshold is not given. "
            "Pass both, or neither."
        )
    number = isinstance(threshold, Real) and not isinstance(threshold, bool)
    if not number or threshold != threshold:
        raise OptionError(
            f"threshold is {short_repr(threshold)}. Pass a probability, such as 0.3; the threshold "
            "with the smallest cost is tl.evaluate(...).threshold(costs).value."
        )
    if len(classes) != 2:
        raise OptionError(
            f"a threshold decides between two classes, and the model has {len(classes)}: "
            f"{quoted_list(classes)}. Leave threshold out."
        )
    return classes.index(positive_class(classes, positive))


def _is_cost(cost: object) -> bool:
    """A number from 0 up that a double can hold."""
    try:
        return isinstance(cost, Real) and 0 <= float(cost) < inf
    except OverflowError:
        return False
