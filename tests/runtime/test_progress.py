"""A terminal shows one bar at a time."""

from __future__ import annotations

from tallylearn.runtime.progress import progress_bar


def test_work_inside_of_other_work_has_no_bar_of_its_own() -> None:
    for _ in range(2):  # the second time the first bar is closed
        with progress_bar(2, "folds", True) as outer:
            assert outer is not None
            with progress_bar(2, "trees", True) as inner:
                assert inner is None
            outer(1)
    with progress_bar(2, "folds", False) as hidden:
        assert hidden is None
