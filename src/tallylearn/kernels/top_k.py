"""Sifting: of a tile of scores the few that may be among the k least of their row."""

import cython

RUN: cython.Py_ssize_t = 32  # scores that are looked at together


def sift(
    tile: cython.const[cython.float][:, ::1],
    first: cython.longlong,
    margin: cython.const[cython.float][::1],
    best: cython.float[:, ::1],
    found: cython.longlong[:, ::1],
    scores: cython.float[:, ::1],
    number: cython.longlong[::1],
):
    """Add to ``found`` (n, room) the places of scores within the margin of the k-th least so far.

    ``tile`` (n, w) has the scores of the places from ``first`` on. ``best`` (n, k) has the least
    scores in rising order, infinite at first; ``number`` (n,) how many are found, or -1 where they
    were more than there is room for. What has fallen out of the margin is dropped when room is
    short.
    """
    if (
        margin.shape[0] < tile.shape[0]
        or best.shape[0] < tile.shape[0]
        or best.shape[1] < 1
        or found.shape[0] < tile.shape[0]
        or scores.shape[0] < tile.shape[0]
        or scores.shape[1] < found.shape[1]
        or number.shape[0] < tile.shape[0]
    ):
        raise ValueError("top_k.sift: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    at: cython.Py_ssize_t
    kept: cython.Py_ssize_t
    held: cython.Py_ssize_t
    hits: cython.int
    limit: cython.float
    s: cython.float
    w: cython.Py_ssize_t = tile.shape[1]
    last: cython.Py_ssize_t = best.shape[1] - 1
    room: cython.Py_ssize_t = found.shape[1]
    run: cython.Py_ssize_t = RUN
    with cython.nogil:
        for i in range(tile.shape[0]):
            held = number[i]
            if held < 0:
                continue
            limit = best[i, last] + margin[i]
            start = 0
            while start < w and held >= 0:
                end = start + run if start + run < w else w
                hits = 0
                for j in range(start, end):
                    hits += tile[i, j] <= limit
                if hits == 0:
                    start = end
                    continue
                for j in range(start, end):
                    s = tile[i, j]
                    if not s <= limit:
                        continue
                    if held == room:
                        kept = 0
                        for at in range(held):
                            if scores[i, at] <= limit:
                                scores[i, kept] = scores[i, at]
                                found[i, kept] = found[i, at]
                                kept += 1
                        held = kept
                    if held == room:
                        held = -1
                        break
                    found[i, held] = first + j
                    scores[i, held] = s
                    held += 1
                    if s < best[i, last]:
                        at = last
                        while at > 0 and best[i, at - 1] > s:
                            best[i, at] = best[i, at - 1]
                            at -= 1
                        best[i, at] = s
                        limit = best[i, last] + margin[i]
                start = end
            number[i] = held
