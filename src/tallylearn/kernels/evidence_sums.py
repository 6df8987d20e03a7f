"""Scoring: the evidence of every column, summed for every row and class."""

import cython


def gaussian(
    x: cython.const[cython.double][:, :],
    mean: cython.const[cython.double][:, ::1],
    low: cython.const[cython.double][:, ::1],
    scale: cython.const[cython.double][:, ::1],
    work: cython.double[:, ::1],
    out: cython.double[:, ::1],
):
    """Subtract ((x - mean) * scale)^2 / 2 from out (n, k); a row with a NaN gets NaN.

    A mean is the sum mean + low of two doubles. Near the mean, x - mean has no rounding error, so
    that columns far from zero keep their digits.

    ``work`` (p + 1, tile) holds a tile of rows turned on its side: the inner loop runs along it,
    eight bytes a step, which compilers turn into vector instructions without changing a bit.
    """
    if (
        mean.shape[1] < x.shape[1]
        or low.shape[0] < mean.shape[0]
        or low.shape[1] < x.shape[1]
        or scale.shape[0] < mean.shape[0]
        or scale.shape[1] < x.shape[1]
        or work.shape[0] <= x.shape[1]
        or work.shape[1] < 1
        or out.shape[0] < x.shape[0]
        or out.shape[1] < mean.shape[0]
    ):
        raise ValueError("evidence_sums.gaussian: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    start: cython.Py_ssize_t
    t: cython.Py_ssize_t
    m: cython.Py_ssize_t
    d: cython.double
    mu: cython.double
    rest: cython.double
    s: cython.double
    n: cython.Py_ssize_t = x.shape[0]
    p: cython.Py_ssize_t = x.shape[1]
    tile: cython.Py_ssize_t = work.shape[1]
    with cython.nogil:
        for t in range((n + tile - 1) // tile):
            start = t * tile
            m = tile if n - start > tile else n - start
            for i in range(m):
                for j in range(p):
                    work[j, i] = x[start + i, j]
            for c in range(mean.shape[0]):
                for i in range(m):
                    work[p, i] = 0.0
                for j in range(p):
                    mu = mean[c, j]
                    rest = low[c, j]
                    s = scale[c, j]
                    if rest == 0:  # one subtraction less in the inner loop
                        for i in range(m):
                            d = (work[j, i] - mu) * s
                            work[p, i] += d * d
                    else:
                        for i in range(m):
                            d = ((work[j, i] - mu) - rest) * s
                            work[p, i] += d * d
                for i in range(m):
                    out[start + i, c] -= 0.5 * work[p, i]


def gaussian_present(
    x: cython.const[cython.double][:, :],
    mean: cython.const[cython.double][:, ::1],
    low: cython.const[cython.double][:, ::1],
    scale: cython.const[cython.double][:, ::1],
    normal: cython.const[cython.double][:, ::1],
    rows: cython.const[cython.longlong][::1],
    out: cython.double[:, ::1],
):
    """The same for some rows with missing numbers: their factors, normal and all, are left out.

    ``normal`` (k, p) is the logarithm of each density at its mean; out (len(rows), k) already holds
    the prior.
    """
    if (
        mean.shape[1] < x.shape[1]
        or low.shape[0] < mean.shape[0]
        or low.shape[1] < x.shape[1]
        or scale.shape[0] < mean.shape[0]
        or scale.shape[1] < x.shape[1]
        or normal.shape[0] < mean.shape[0]
        or normal.shape[1] < x.shape[1]
        or out.shape[0] < rows.shape[0]
        or out.shape[1] < mean.shape[0]
    ):
        raise ValueError("evidence_sums.gaussian_present: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    v: cython.double
    d: cython.double
    with cython.nogil:
        for i in range(rows.shape[0]):
            for j in range(x.shape[1]):
                v = x[rows[i], j]
                if v != v:
                    continue
                for c in range(mean.shape[0]):
                    d = ((v - mean[c, j]) - low[c, j]) * scale[c, j]
                    out[i, c] += normal[c, j] - 0.5 * d * d


def look_up(
    codes: cython.const[cython.int][::1],
    table: cython.const[cython.double][:, ::1],
    out: cython.double[:, ::1],
):
    """Add table[code] to out (n, k); -1 is missing, -2 a value never seen: the table's last row."""
    if out.shape[0] < codes.shape[0] or table.shape[1] < out.shape[1]:
        raise ValueError("evidence_sums.look_up: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    code: cython.Py_ssize_t
    last: cython.Py_ssize_t = table.shape[0] - 1
    with cython.nogil:
        for i in range(codes.shape[0]):
            code = codes[i]
            if code == -1:
                continue
            if code < 0:
                code = last
            for c in range(out.shape[1]):
                out[i, c] += table[code, c]


def choose(
    scores: cython.const[cython.double][:, ::1],
    tied: cython.double,
    rounded: cython.double,
    last: cython.bint,
    out: cython.longlong[::1],
):
    """The first, or the last, of the scores within tied + rounded * |best| of the best."""
    if out.shape[0] < scores.shape[0] or (scores.shape[0] > 0 and scores.shape[1] < 1):
        raise ValueError("evidence_sums.choose: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    k: cython.Py_ssize_t = scores.shape[1]
    best: cython.double
    least: cython.double
    with cython.nogil:
        for i in range(scores.shape[0]):
            best = scores[i, 0]
            for c in range(1, k):
                if scores[i, c] > best:
                    best = scores[i, c]
            least = best - tied - rounded * (best if best > 0 else -best)
            if best - best != 0:  # minus infinity throughout
                least = best
            for c in range(k):
                if scores[i, k - 1 - c if last else c] >= least:
                    out[i] = k - 1 - c if last else c
                    break


def weigh(
    x: cython.const[cython.double][:, ::1],
    centre: cython.const[cython.double][::1],
    weights: cython.const[cython.double][:, ::1],
    level: cython.const[cython.double][::1],
    out: cython.double[:, ::1],
):
    """Write level + weights · (x - centre) to out (n, t): far from 0 nothing large is summed.

    Four sums a row: none waits for another, and memory is what takes the time.
    """
    if (
        centre.shape[0] < x.shape[1]
        or weights.shape[1] < x.shape[1]
        or level.shape[0] < weights.shape[0]
        or out.shape[0] < x.shape[0]
        or out.shape[1] < weights.shape[0]
    ):
        raise ValueError("evidence_sums.weigh: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    p: cython.Py_ssize_t = x.shape[1]
    four: cython.Py_ssize_t = p - p % 4
    s: cython.double
    t: cython.double
    u: cython.double
    v: cython.double
    with cython.nogil:
        for i in range(x.shape[0]):
            for c in range(weights.shape[0]):
                s = t = u = v = 0.0
                for j in range(0, four, 4):
                    s += (x[i, j] - centre[j]) * weights[c, j]
                    t += (x[i, j + 1] - centre[j + 1]) * weights[c, j + 1]
                    u += (x[i, j + 2] - centre[j + 2]) * weights[c, j + 2]
                    v += (x[i, j + 3] - centre[j + 3]) * weights[c, j + 3]
                for j in range(four, p):
                    s += (x[i, j] - centre[j]) * weights[c, j]
                out[i, c] = level[c] + ((s + t) + (u + v))
