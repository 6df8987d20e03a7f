"""Rectangles and their unions, against every rectangle on a small grid."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, KindError
from tallylearn.reasoning.concepts.candidate_elimination import MAX_GENERAL, Boundaries
from tallylearn.reasoning.concepts.rectangles import Rectangle

SIDE = range(3)  # where the rows lie; asked are the points between and around them too
STEPS = [at / 2 for at in range(-1, 6)]
EDGES = [at / 2 - 0.25 for at in range(-1, 7)]
AROUND = [*product(STEPS, repeat=2)]


def rows_of(points: Any, labels: Any = None) -> list[dict[str, Any]]:
    found = [{"x": x, "y": y} for x, y in points]
    if labels is None:
        return found
    return [row | {"c": "+" if c else "-"} for row, c in zip(found, labels, strict=True)]


def fitted(points: Any, labels: Any, kind: str = "rectangles") -> tl.VersionSpace:
    rows = rows_of(points, labels)
    return getattr(tl.VersionSpace, kind)().fit(rows, "c", positive="+")


def every_rectangle() -> list[frozenset[tuple[float, float]]]:
    """All rectangles by the points they hold; the empty one among them."""
    spans = [(a, b) for a in EDGES for b in EDGES if a < b]
    boxes = product(spans, repeat=2)
    found = {
        frozenset((x, y) for x, y in AROUND if a < x < b and c < y < d) for (a, b), (c, d) in boxes
    }
    return [*found, frozenset()]


ALL = every_rectangle()


@st.composite
def samples(draw: st.DrawFn) -> tuple[list[tuple[int, int]], list[bool]]:
    points = draw(st.lists(st.tuples(st.sampled_from(SIDE), st.sampled_from(SIDE)), min_size=1))
    secret = draw(st.sampled_from(ALL))
    noise = draw(st.sets(st.integers(0, 5), max_size=1)) if draw(st.booleans()) else set()
    return points, [(point in secret) ^ (at in noise) for at, point in enumerate(points)]


@given(samples())
def test_answers_and_boundaries_are_those_of_all_rectangles(sample: Any) -> None:
    points, labels = sample
    space = fitted(points, labels)
    left = [box for box in ALL if all((x in box) == y for x, y in zip(points, labels, strict=True))]
    if not left:
        assert (space.specific, space.general) == ((), ())
        with pytest.raises(InputError, match="no rectangle is consistent"):
            space.predict({"x": 0, "y": 0})
        return
    held = [sum(point in box for box in left) for point in AROUND]
    words = ["+" if n == len(left) else "-" if n == 0 else "undecided" for n in held]
    assert space.predict(rows_of(AROUND)).tolist() == words
    least = {box for box in left if not any(other < box for other in left)}
    most = {box for box in left if not any(other > box for other in left)}
    for found, wanted in ((space.specific, least), (space.general, most)):
        inside = [frozenset(point for point in AROUND if h.covers(point)) for h in found]
        assert len(inside) == len(wanted)
        assert {*inside} == wanted


def test_the_tightest_is_closed_and_the_loosest_stop_at_negative_rows() -> None:
    points = [(2, 2), (4, 3), (6, 2.5), (3, 6), (0, 0)]
    space = fitted(points, [True, True, False, False, False])
    assert [*map(str, space.specific)] == ["[2, 4] × [2, 3]"]
    assert [*map(str, space.general)] == ["(0, 6) × (-inf, 6)", "(-inf, 6) × (0, 6)"]
    assert (space.count, space.size) == (None, None)
    assert space.predict(rows_of([(4, 3), (5.9, 3), (6, 3), (9, 2.4)])).tolist() == [
        "+", "undecided", "-", "-",
    ]  # fmt: skip


def test_no_consistent_rectangle_is_said_with_a_witness() -> None:
    space = fitted([(0, 0), (4, 4), (2, 2), (9, 9)], [True, True, False, False])
    said = "no consistent rectangle: what covers every row that is '+' covers row 2 too"
    assert str(space).startswith(said)
    assert "There is no consistent rectangle" in str(space.show_work())
    assert str(space.find_s()) == "[0, 4] × [0, 4]"
    assert space.mistakes(space.find_s()) == (2,)


def test_rectangles_work_in_any_number_of_columns() -> None:
    rows = [{"a": 1, "b": 1, "c": 1, "y": 1}, {"a": 2, "b": 2, "c": 9, "y": 1}]
    rows.append({"a": 5, "b": 5, "c": 5, "y": 0})
    space = tl.VersionSpace.rectangles().fit(rows, "y")
    assert str(space.find_s()) == "[1, 2] × [1, 2] × [1, 9]"
    assert len(space.general) == 2  # the negative row lies beyond two of the three sides
    assert space.predict(rows).tolist() == [1, 1, 0]


def test_merging_rectangles_is_intersection() -> None:
    points, labels = [(2, 2), (4, 3), (6, 2.5), (3, 6)], [True, True, False, False]
    one, two = fitted(points[::2], labels[::2]), fitted(points[1::2], labels[1::2])
    both = one & two
    assert both.specific == fitted(points, labels).specific
    assert both.general == fitted(points, labels).general


# unions


@given(samples())
def test_a_union_fits_whatever_is_no_contradiction(sample: Any) -> None:
    points, labels = sample
    space = fitted(points, labels, "unions")
    clash = {x for x, y in zip(points, labels, strict=True) if y} & {
        x for x, y in zip(points, labels, strict=True) if not y
    }
    assert bool(space.reason) == bool(clash)
    assert len(space.contradictions) == len(clash)
    if clash:
        with pytest.raises(InputError, match=r"no union .*is consistent"):
            space.cover()
    else:
        assert space.consistent(space.cover())
        assert space.consistent(space.find_s())
        assert len(space.cover().rectangles) <= len(space.find_s().rectangles)
        known = dict(zip(points, ["+" if label else "-" for label in labels], strict=True))
        words = [known.get(point, "undecided") for point in AROUND]
        assert space.predict(rows_of(AROUND)).tolist() == words


def test_a_union_of_points_is_right_on_its_rows_and_wrong_on_fresh_ones() -> None:
    """The notes' over-fitting: a richer language has less error on the sample, more on new rows."""
    rng = np.random.default_rng(3)
    sample, fresh = rng.random((200, 2)), rng.random((2000, 2))

    def truth(points: Any) -> Any:
        return ((points > 0.3) & (points < 0.9)).all(axis=1)

    box = fitted(sample.tolist(), truth(sample))
    union = fitted(sample.tolist(), truth(sample), "unions")
    labels = np.where(truth(fresh), "+", "-")
    error = {
        name: float(np.mean(space.predict(rows_of(fresh.tolist()), by=space.find_s()) != labels))
        for name, space in (("box", box), ("union", union))
    }
    assert union.mistakes(union.find_s()) == box.mistakes(box.find_s()) == ()
    assert error["box"] < 0.1 < error["union"]
    assert error["union"] == float(np.mean(truth(fresh)))  # every fresh + is missed


def test_the_cover_takes_few_rectangles() -> None:
    points = [(0, 0), (1, 1), (5, 5), (6, 6), (3, 3)]
    space = fitted(points, [True, True, True, True, False], "unions")
    assert str(space.cover()) == "[0, 1] × [0, 1] ∪ [5, 6] × [5, 6]"
    assert len(space.find_s().rectangles) == 4
    assert "[5, 6] × [5, 6]" in str(space.show_work())
    assert "nothing generalises" in str(space.show_work())
    assert "few rectangles" in str(space.explain({"x": 1, "y": 0}))


# bad input


def test_categories_and_infinite_numbers_are_refused_by_name() -> None:
    with pytest.raises(ColumnError, match="column 'colour' holds categories"):
        tl.VersionSpace.rectangles().fit([{"colour": "red", "c": "+"}], "c", positive="+")
    with pytest.raises(ColumnError, match="column 'x' has inf in row 1"):
        fitted([(0, 0), (float("inf"), 1)], [True, False])
    with pytest.raises(ColumnError, match="column 'y' has a missing value in row 0"):
        fitted([(0, 0)], [True]).predict({"x": 1, "y": None})


def test_what_a_language_has_not_is_said() -> None:
    space = fitted([(0, 0), (1, 1)], [True, False])
    with pytest.raises(KindError, match="rectangles have no 'cover'"):
        space.cover()
    with pytest.raises(KindError, match="too many consistent rectangles"):
        _ = space.members
    with pytest.raises(KindError, match="rectangles are not listed"):
        space.scores()
    with pytest.raises(KindError, match="unions of rectangles have no 'general'"):
        _ = fitted([(0, 0), (1, 1)], [True, False], "unions").general


def test_a_boundary_of_the_largest_size_is_kept_and_one_more_is_too_many() -> None:
    nothing = Rectangle((math.inf,), (-math.inf,))
    boxes = tuple(Rectangle((float(i),), (i + 0.5,), True) for i in range(MAX_GENERAL + 1))
    kept = Boundaries(nothing, boxes[:-1]).update((-1,), False, ())
    assert kept is not None
    assert len(kept.most) == MAX_GENERAL == 500
    assert Boundaries(nothing, boxes).update((-1,), False, ()) is None
