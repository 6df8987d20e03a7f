"""Pictures of folds and of probabilities as areas: the marks are as long as the numbers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.errors import InputError, KindError, OptionError

DAYS = tl.ProbabilitySpace.from_table(tl.example("tennis"))
DICE = tl.ProbabilitySpace.uniform(range(1, 7))
RECT = re.compile(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"[^>]*>'
                  r"<title>([^<]+)</title>")  # fmt: skip


def rectangles(plot: tl.plot_folds) -> list[tuple[float, float, float, float, str]]:
    return [(*map(float, found[:4]), found[4]) for found in RECT.findall(plot.svg)]


@pytest.mark.parametrize("folds", [
    tl.Folds.k(3), tl.Folds.leave_one_out(), tl.Folds.holdout(), tl.Folds.three(),
    tl.Folds.forward(3), tl.Folds.bootstrap(4), tl.Folds.k(2, repeats=2),
], ids=repr)  # fmt: skip
def test_each_row_has_the_role_that_its_split_gives_it(folds: tl.Folds) -> None:
    plot = tl.plot_folds(folds, 12)
    found = rectangles(plot)
    for number, split in enumerate(folds.splits(12), start=1):
        roles = ["not used"] * 12
        for name in ("train", "validation", "test"):
            for row in () if (rows := getattr(split, name)) is None else rows.tolist():
                roles[row] = name
        drawn = []
        for _, _, width, _, text in found:
            if text.startswith(f"split {number},"):
                drawn += [re.split(": |, drawn", text)[1]] * round(width / 30)
        assert drawn == roles
        assert plot.data["splits"][number - 1]["test"] == split.test.tolist()


def test_the_classes_stand_above_the_splits() -> None:
    plot = tl.plot_folds(3, 14, tl.example("tennis").target)
    above = [(round(w / 360 * 14), text) for _, y, w, _, text in rectangles(plot) if y < 60]
    assert sum(count for count, text in above if text == "class Yes") == 9


def test_many_splits_are_cut_and_pairs_are_taken() -> None:
    plot = tl.plot_folds(tl.Folds.leave_one_out(), 30)
    assert "… and 10 more splits" in plot.svg
    assert len(plot.data["splits"]) == 30
    pairs = tl.plot_folds([([0, 1], [2, 3]), (np.array([2, 3]), np.array([0]))], 4)
    assert pairs.data["splits"][1] == {"train": [2, 3], "test": [0]}
    assert "row 1: not used" in pairs.svg


@pytest.mark.parametrize(("space", "event", "partition"), [
    (DAYS, DAYS["PlayTennis"] == "Yes", "Outlook"),
    (DAYS, DAYS["PlayTennis"] == "Yes", DAYS["Wind"]),
    (DAYS, DAYS["Wind"] == "Weak", DAYS["Outlook"] == "Rain"),
    (DICE, {1, 3, 5}, [{1, 2}, {3}, {4, 5, 6}]),
    (DICE, {1, 3, 5}, None),
], ids=["name", "variable", "event", "list", "alone"])  # fmt: skip
def test_areas_are_probabilities(space: Any, event: Any, partition: Any) -> None:
    plot = tl.plot_event_areas(space, event, partition)
    parts = rectangles(plot)
    shaded = sum(w * h for _, _, w, h, _ in parts[1::2])
    whole = sum(w * h for _, _, w, h, _ in parts[::2])
    assert shaded / whole == pytest.approx(float(space.P(event)), abs=1e-3)
    assert plot.data["P(event)"] == pytest.approx(float(space.P(event)))
    for part in plot.data["parts"]:
        product = part["P(part)"] * part["P(event | part)"]
        assert product == pytest.approx(part["P(event, part)"])


def test_columns_of_one_height_are_independent() -> None:
    low, high = {1, 2}, {1, 2, 3}
    assert tl.plot_event_areas(DICE, {1, 3, 5}, low).data["independent"]
    assert not tl.plot_event_areas(DICE, {1, 3, 5}, high).data["independent"]


def test_a_partition_is_checked() -> None:
    assert [str(part) for part in DAYS.partition("Wind")] == ["Wind = Strong", "Wind = Weak"]
    assert [len(part) for part in DICE.partition([{1, 2}, {3, 4, 5, 6}])] == [2, 4]
    with pytest.raises(InputError, match="both contain 2"):
        DICE.partition([{1, 2}, {2, 3, 4, 5, 6}])
    with pytest.raises(InputError, match="outcome 6"):
        DICE.partition([{1, 2}, {3, 4, 5}])


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "n": (lambda: tl.plot_folds(5, 0), OptionError, "n is 0"),
    "large": (lambda: tl.plot_folds(5, 5000), InputError, "at most 1,000 rows"),
    "folds": (lambda: tl.plot_folds(None, 5), KindError, "folds is None"),
    "split": (lambda: tl.plot_folds([(1, 2, 3)], 5), KindError, "a split is (1, 2, 3)"),
    "rows": (lambda: tl.plot_folds([([1], [9])], 5), OptionError, "from 0 to 4"),
    "y": (lambda: tl.plot_folds(3, 5, [1, 2]), InputError, "y is [1, 2], but n is 5"),
    "space": (lambda: tl.plot_event_areas(3, 4), KindError, "space is 3"),
    "event": (lambda: tl.plot_event_areas(DICE, 9), InputError, "9 is not an outcome"),
    "parts": (lambda: tl.plot_event_areas(
        tl.ProbabilitySpace.uniform(range(20)), {1}, [{k} for k in range(20)]), InputError,
        "20 parts"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name: str) -> None:
    call, kind, message = BAD[name]
    with pytest.raises(kind, match=re.escape(message)):
        call()
