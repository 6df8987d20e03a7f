"""Clustering: every row goes to its nearest centre, and into the sum of all that went there."""

import cython

INFINITY = cython.declare(cython.float, float("inf"))


def assign(
    scores: cython.const[cython.float][:, ::1],
    reach: cython.const[cython.float][::1],
    slack: cython.float,
    x: cython.const[cython.double][:, ::1],
    weight: cython.const[cython.double][::1],
    unsure: cython.longlong[::1],
    sums: cython.double[:, ::1],
):
    """Add rows (n, p) to the sums (k, p + 1) of the centre of the least score, weights last.

    A score may be wrong by half of slack times the row's reach. Rows with a second centre within
    that are left out: their places go to ``unsure``, and their number is returned.
    """
    if (
        x.shape[0] < scores.shape[0]
        or reach.shape[0] < scores.shape[0]
        or weight.shape[0] < scores.shape[0]
        or unsure.shape[0] < scores.shape[0]
        or sums.shape[0] < scores.shape[1]
        or sums.shape[1] <= x.shape[1]
        or scores.shape[1] < 1
    ):
        raise ValueError("clustering.assign: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    at: cython.Py_ssize_t
    least: cython.float
    second: cython.float
    score: cython.float
    w: cython.double
    p: cython.Py_ssize_t = x.shape[1]
    left: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(scores.shape[0]):
            at = -1
            least = second = INFINITY
            for c in range(scores.shape[1]):
                score = scores[i, c]
                if score < least:
                    second = least
                    least = score
                    at = c
                elif score < second:
                    second = score
            if not second - least > slack * reach[i]:  # nor where a score is no number
                unsure[left] = i
                left += 1
                continue
            w = weight[i]
            for j in range(p):
                sums[at, j] += w * x[i, j]
            sums[at, p] += w
    return left
