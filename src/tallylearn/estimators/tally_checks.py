"""What was counted can be learned from: there are rows, columns, and numbers that doubles hold."""

from __future__ import annotations

import numpy as np

from tallylearn.errors import InputError
from tallylearn.estimators.fit_input import FitInput
from tallylearn.estimators.missing_targets import Unanswered
from tallylearn.sources.memory.table import check_size
from tallylearn.tallies import Bundle

UNTALLIED = (
    "what these options ask for is found among all rows, and keeps no tally. Fit all rows at once."
)

GAPS = (
    "every row has gaps where values are needed, so none was counted. Fill them, or leave the "
    "columns with most gaps out: tl.table(..., ignore=[...])."
)

LET_GO = (
    "this model has no tally, and cannot learn or forget: it was saved without its tally, has many "
    "more columns than rows, or pooled rare values to fit memory. Fit all rows at once."
)


def counted(
    tally: Bundle | None, left_out: Unanswered, read: FitInput, width: int, method: str
) -> Bundle:
    """A tally of so many columns; no rows, no columns and rows of gaps alone are told apart."""
    left_out.check(read.target)
    check_size(max(left_out.answered, int(bool(tally))), width, read.weighed)
    return checked_tally(tally, method)


def checked_tally(tally: Bundle | None, method: str) -> Bundle:
    """A tally in which some row was counted, and whose part "target" counts the rows."""
    if not tally:
        raise InputError(GAPS)
    if not isinstance(tally, Bundle) or "target" not in tally:
        raise TypeError(
            f"{method} must return a Bundle with a part 'target', as Estimator.tally says; here "
            f"is {tally!r}."
        )
    return tally


class _WithinDoubles:
    """A class, for it is entered in every fit."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OverflowError | np.linalg.LinAlgError):
            raise InputError(
                "numbers or weights are so large that a mean, a count or a variance is beyond a "
                "double. Rescale them."
            ) from None


_within_doubles = _WithinDoubles()


def within_doubles() -> _WithinDoubles:
    """Sums are exact and of any size; what is worked out from them has to be a double."""
    return _within_doubles
