"""Progress: a bar on a terminal or in a notebook while folds are fitted one by one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tallylearn.runtime.progress import in_notebook, progress_bar


@contextmanager
def fold_progress(
    learners: Sequence[Any], folds: int, wanted: bool | None
) -> Iterator[Callable[[int], None] | None]:
    """Progress over the folds of every learner; none where all need one pass only."""
    total = folds * len(learners)
    slow = not all(getattr(learner, "keeps_tally", False) for learner in learners)
    shown = (sys.stderr.isatty() or in_notebook()) and slow and total > 1
    what = type(learners[0]).__name__ if len(learners) == 1 else f"{len(learners)} learners"
    with progress_bar(total, what, shown if wanted is None else wanted) as watch:
        yield watch
