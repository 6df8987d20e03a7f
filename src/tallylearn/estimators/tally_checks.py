"""Checks of a tally before it is solved: it has rows, and its numbers are doubles."""

from __future__ import annotations

import numpy as np

from tallylearn.errors import InputError
from tallylearn.tallies import Bundle

NO_TALLY_FOR_OPTIONS = (
    "with these options the learner needs all rows at once and keeps no tally. Call fit with all "
    "rows."
)

NO_COMPLETE_ROWS = (
    "every row has a missing value in a column that needs one, so no row is left. Fill the missing "
    "values, or leave out the columns that have most of them: tl.table(..., ignore=[...])."
)

NO_TALLY_KEPT = (
    "this model has no tally, so it cannot be merged or updated: it was saved without its tally, "
    "has many more columns than rows, or pooled rare values to fit memory. Call fit with all rows."
)


def checked_tally(tally: Bundle | None, method: str) -> Bundle:
    """A tally in which some row was counted, and whose part "target" counts the rows."""
    if not tally:
        raise InputError(NO_COMPLETE_ROWS)
    if not isinstance(tally, Bundle) or "target" not in tally:
        raise TypeError(
            f"{method} must return a Bundle with a part 'target'. It returned {tally!r}."
        )
    return tally


class _WithinDoubles:
    """Context manager behind `within_doubles`; a class, because every fit enters it."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OverflowError | np.linalg.LinAlgError):
            raise InputError(
                "numbers or weights are so large that a mean, a count or a variance overflows a "
                "double. Divide the columns or the weights by a constant."
            ) from None


_within_doubles = _WithinDoubles()


def within_doubles() -> _WithinDoubles:
    """Raise an InputError for numbers beyond a double, which only exact sums hold."""
    return _within_doubles
