"""Scores of all attributes by any criterion: criteria(Att) of the course notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tallylearn.calculations.calculation import (
    TableOfResults,
    number,
    read_columns,
    table_of_results,
)
from tallylearn.errors import InputError, KindError, call_user_function, short_repr
from tallylearn.sources import table as read_table
from tallylearn.tables import Array, Codes
from tallylearn.workings import Grid

WHO = "attribute_scores"


def attribute_scores(
    table: Any, criterion: Callable[[Array], float], target: str | None = None
) -> TableOfResults:
    """Score every attribute of a table with a function of its class counts.

    This is criteria(Att) of ID3: the attribute with the largest score comes first in the tree.

    Parameters
    ----------
    table : table
        Whatever ``fit`` takes, with categories as attributes.
    criterion : callable
        ``criterion(counts) -> float``. ``counts`` is an integer array with one row for each value
        of the attribute and one column for each class, both sorted.
    target : str, optional
        The column of the classes; the declared target if None.

    Returns
    -------
    TableOfResults
        The score of each attribute, by name.

    Examples
    --------
    >>> import tallylearn as tl
    >>> def accuracy(counts):  # of the most common class of every value
    ...     return counts.max(axis=1).sum() / counts.sum()
    >>> print(tl.attribute_scores(tl.example("tennis"), accuracy))
    Scores of the attributes by accuracy
    ====================================
    <BLANKLINE>
    attribute     score
    Outlook      0.7143  best
    Temperature  0.6429
    Humidity     0.7143  best
    Wind         0.6429
    """
    if not callable(criterion):
        raise KindError(
            f"{WHO}: criterion is {short_repr(criterion)}. Give a function of the class counts."
        )
    source = read_table(table).load()
    declared = source.declared.targets
    aim = declared[0] if target is None and len(declared) == 1 else target
    names = [name for name in source.names if name != aim]
    scores = {name: _score(source, name, aim, criterion) for name in names}
    if not scores:
        raise InputError(f"{WHO}: the table has no attribute beside the target. Add a column.")
    best = max(scores.values())
    rows = tuple(
        (name, number(score), "best" if score == best else "") for name, score in scores.items()
    )
    title = f"Scores of the attributes by {getattr(criterion, '__name__', 'a criterion')}"
    return table_of_results(scores, title, Grid("", ("attribute", "score", ""), rows))


def _score(
    source: Any, name: str, target: str | None, criterion: Callable[[Array], float]
) -> float:
    _, values, aim, y = read_columns(source, name, target, WHO)
    if not isinstance(values, Codes) or not isinstance(y, Codes):
        numeric = aim if isinstance(values, Codes) else name
        raise InputError(
            f"{WHO}: column {numeric!r} has numbers. Use categories: tl.KBinsDiscretizer() makes "
            "them of numbers."
        )
    known = (values.codes >= 0) & (y.codes >= 0)
    counts = np.zeros((len(values.values), len(y.values)), dtype=np.int64)
    np.add.at(counts, (values.codes[known], y.codes[known]), 1)
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    score = call_user_function("criterion", criterion, counts)
    try:
        return float(score)
    except (TypeError, ValueError):
        raise KindError(
            f"{WHO}: criterion gave {short_repr(score)} for column {name!r}. Return a number."
        ) from None
