"""Outlines of the regions of a plane that a grid of codes describes: marching squares.

A cell of the grid has four corners. Where all have one code, the cell belongs to that region. Any
other cell is cut between the points at which its sides change their code; where more than two
pieces meet, the cuts meet in the middle of the cell. W. E. Lorensen and H. E. Cline, Marching
cubes, Computer Graphics 21, 1987, in two dimensions and with any number of codes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from tallylearn.tables import Array

Point = tuple[float, float]
Segment = tuple[Point, Point]
CornerCodes = Callable[[Array, Array], Array]  # x, y of points -> the codes there
Bends = dict[tuple[int, int], Point]  # of cells whose cut is bent
BISECTIONS = 10  # of a side whose ends differ: the border is known to a thousandth of a cell


def region_outlines(
    x: Array, y: Array, codes: Array, code_at: CornerCodes
) -> dict[int, list[Array]]:
    """The outlines of every code: closed polygons, filled by the even-odd rule.

    Parameters
    ----------
    x, y : (nx,) and (ny,) increasing coordinates of the grid.
    codes : (ny, nx) integers, the code of every grid point.
    code_at : the codes of points between them, by which borders are found by bisection.

    Examples
    --------
    >>> grid = np.linspace(0, 1, 3)
    >>> half = lambda x, y: (x >= 0.3).astype(int)
    >>> found = region_outlines(grid, grid, half(*np.meshgrid(grid, grid)), half)
    >>> sorted({round(float(left), 2) for left in found[0][0][:, 0]})
    [0.0, 0.3]
    """
    across = _side_borders(x, y, codes, code_at)
    upwards = _side_borders(y, x, codes.T, lambda a, b: code_at(b, a)).T
    bends = _right_angles(x, y, codes, across=across, upwards=upwards, code_at=code_at)
    return _join_segments(x, y, codes, across=across, upwards=upwards, bends=bends)


def level_outlines(x: Array, y: Array, heights: Array, level: float) -> list[Array]:
    """The outlines of the region in which a surface reaches a level, by linear interpolation.

    >>> grid = np.linspace(0, 1, 3)
    >>> [outline] = level_outlines(grid, grid, np.meshgrid(grid, grid)[0], 0.75)
    >>> float(outline[:, 0].min())
    0.75
    """
    codes = (heights >= level).astype(int)
    across = _level_borders(x, heights, level)
    upwards = _level_borders(y, heights.T, level).T
    return _join_segments(x, y, codes, across=across, upwards=upwards, bends={}).get(1, [])


def _side_borders(x: Array, y: Array, codes: Array, code_at: CornerCodes) -> Array:
    """(ny, nx - 1) where along x the code changes between two neighbours; nan: nowhere."""
    found = np.full((len(y), len(x) - 1), np.nan)
    rows, columns = np.nonzero(codes[:, 1:] != codes[:, :-1])
    low, high, height = x[columns], x[columns + 1], y[rows]
    first = codes[rows, columns]
    for _ in range(BISECTIONS if len(rows) else 0):
        middle = (low + high) / 2
        same = code_at(middle, height) == first
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    found[rows, columns] = (low + high) / 2
    return found


def _level_borders(x: Array, heights: Array, level: float) -> Array:
    """(ny, nx - 1) where along x the surface crosses the level; nan: nowhere."""
    left, right = heights[:, :-1], heights[:, 1:]
    crosses = (left >= level) != (right >= level)
    share = np.divide(level - left, right - left, out=np.full(left.shape, np.nan), where=crosses)
    return np.asarray(x[:-1] + share * np.diff(x))


def _join_segments(
    x: Array, y: Array, codes: Array, *, across: Array, upwards: Array, bends: Bends
) -> dict[int, list[Array]]:
    """Chain the segments of every code into closed polygons."""
    segments: dict[int, dict[Point, list[Point]]] = defaultdict(lambda: defaultdict(list))
    cuts = _cuts(x, y, codes, across=across, upwards=upwards, bends=bends)
    for code, (start, end) in chain(cuts, _frame(x, y, codes, across, upwards)):
        if start != end:  # a border can go through a grid point
            segments[code][start].append(end)
    return {code: [*_chains(ends)] for code, ends in sorted(segments.items())}


def _mixed_cells(codes: Array) -> Iterator[tuple[int, int, list[int], list[int]]]:
    """The cells whose corners differ: their corners' codes, and the sides that are cut."""
    corners = np.stack([codes[:-1, :-1], codes[:-1, 1:], codes[1:, 1:], codes[1:, :-1]])
    for i, j in np.argwhere((corners != corners[0]).any(axis=0)).tolist():
        own = corners[:, i, j].tolist()
        yield i, j, own, [side for side in range(4) if own[side] != own[(side + 1) % 4]]


def _right_angles(
    x: Array, y: Array, codes: Array, *, across: Array, upwards: Array, code_at: CornerCodes
) -> Bends:
    """Where the region of a single corner fills the rectangle between two cuts, as trees do.

    The straight cut of such a cell would take the corner of the rectangle off. Whether it belongs
    to the region is asked at the point halfway between it and the cut.
    """
    cells, bends, ends, lone = [], [], [], []
    for i, j, own, changes in _mixed_cells(codes):
        if len(changes) == 2 and (changes[0] + changes[1]) % 2:
            side = [across[i, j], upwards[i, j + 1], across[i + 1, j], upwards[i, j]]
            horizontal, vertical = sorted(changes, key=lambda one: one % 2)
            corner = next(at for at, code in enumerate(own) if own.count(code) == 1)
            cells.append((i, j))
            bends.append((float(side[horizontal]), float(side[vertical])))
            ends.append((x[j + (corner in (1, 2))], y[i + (corner > 1)]))
            lone.append(own[corner])
    if not cells:
        return {}
    halfway = 0.75 * np.array(bends) + 0.25 * np.array(ends)  # the cut's middle has 0.5 of each
    inside = code_at(halfway[:, 0], halfway[:, 1]) == np.array(lone)
    return {cell: bend for cell, bend, kept in zip(cells, bends, inside.tolist(), strict=True)
            if kept}  # fmt: skip


def _cuts(
    x: Array, y: Array, codes: Array, *, across: Array, upwards: Array, bends: Bends
) -> Iterator[tuple[int, Segment]]:
    """The segments inside the cells whose corners differ, with their region on the left."""
    for i, j, own, changes in _mixed_cells(codes):
        sides: list[Point] = [
            (float(across[i, j]), float(y[i])), (float(x[j + 1]), float(upwards[i, j + 1])),
            (float(across[i + 1, j]), float(y[i + 1])), (float(x[j]), float(upwards[i, j])),
        ]  # fmt: skip
        middle = (float(x[j] + x[j + 1]) / 2, float(y[i] + y[i + 1]) / 2)
        via = middle if len(changes) > 2 else bends.get((i, j))
        for before, after in zip(changes, changes[1:] + changes[:1], strict=True):
            code = own[after]  # the corners behind the side ``before`` up to ``after``
            if via is None:
                yield code, (sides[after], sides[before])
            else:
                yield code, (sides[after], via)
                yield code, (via, sides[before])


def _frame(
    x: Array, y: Array, codes: Array, across: Array, upwards: Array
) -> Iterator[tuple[int, Segment]]:
    """The pieces of the frame around the grid, counterclockwise."""
    for i, forward in ((0, True), (-1, False)):
        ends = [(float(a), float(y[i])) for a in x]
        cuts = [(float(a), float(y[i])) for a in across[i]]
        yield from _frame_side(ends, cuts, codes[i].tolist(), forward)
    for j, forward in ((-1, True), (0, False)):
        ends = [(float(x[j]), float(b)) for b in y]
        cuts = [(float(x[j]), float(b)) for b in upwards[:, j]]
        yield from _frame_side(ends, cuts, codes[:, j].tolist(), forward)


def _frame_side(
    ends: list[Point], cuts: list[Point], codes: list[int], forward: bool
) -> Iterator[tuple[int, Segment]]:
    for k, cut in enumerate(cuts):
        pieces = [(codes[k], (ends[k], ends[k + 1]))]
        if codes[k] != codes[k + 1]:
            pieces = [(codes[k], (ends[k], cut)), (codes[k + 1], (cut, ends[k + 1]))]
        for code, (start, end) in pieces:
            yield code, ((start, end) if forward else (end, start))


def _chains(following: dict[Point, list[Point]]) -> Iterator[Array]:
    """Closed polygons from segments; every segment is in one of them."""
    while following:
        start = next(iter(following))
        outline, at = [start], start
        while True:
            ends = following[at]
            following_point = ends.pop()
            if not ends:
                del following[at]
            at = following_point
            if at == start:
                break
            outline.append(at)
        yield _without_straight_points(np.array(outline))


def _without_straight_points(outline: Array) -> Array:
    """The corners of a polygon: points on a straight line between their neighbours go."""
    before, after = np.roll(outline, 1, axis=0), np.roll(outline, -1, axis=0)
    one, two = outline - before, after - outline
    turn = np.abs(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0])
    length = np.hypot(*one.T) * np.hypot(*two.T)
    kept = turn > 1e-9 * length
    return np.asarray(outline[kept] if kept.sum() > 2 else outline)
