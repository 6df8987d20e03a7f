"""False discoveries: of many tests some find what is not there, and how many is kept in check."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def benjamini_hochberg(chances: Sequence[float]) -> list[float]:
    """Chances p adjusted so that of all that lie below a level, that share is false on average.

    The smallest of m is multiplied by m, the next by m / 2, and so on; none gets above one that was
    larger. What is NaN was not tested, and stays. Y. Benjamini and Y. Hochberg, Journal of the
    Royal Statistical Society B 57, 1995.

    >>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    p = np.asarray(chances, dtype=float)
    order = np.argsort(p, kind="stable")
    m = int(np.isfinite(p).sum())
    out = p.copy()
    raised = p[order[:m]] * m / np.arange(1, m + 1)
    out[order[:m]] = np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 1.0)
    return [float(value) for value in out]
