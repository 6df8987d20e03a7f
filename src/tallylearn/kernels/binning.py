"""Binning: numbers become small integers, and rows are sorted by them without a comparison."""

import cython


def turn(x: cython.const[cython.double][:, :], out: cython.double[:, :]):
    """Turn rows into columns, a tile at a time: whole lines of memory are read and written."""
    if out.shape[0] < x.shape[1] or out.shape[1] < x.shape[0]:
        raise ValueError("binning.turn: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    t: cython.Py_ssize_t
    end: cython.Py_ssize_t
    n: cython.Py_ssize_t = x.shape[0]
    with cython.nogil:
        for t in range((n + 63) // 64):
            end = n if t * 64 + 64 > n else t * 64 + 64
            for j in range(x.shape[1]):
                for i in range(t * 64, end):
                    out[j, i] = x[i, j]


def sort(
    codes: cython.const[cython.int][::1],
    starts: cython.longlong[::1],
    out: cython.longlong[::1],
):
    """Row i of code c as c * 2^32 + i, sorted; ``starts`` (codes + 1) comes as zeros."""
    if out.shape[0] < codes.shape[0] or starts.shape[0] < 1:
        raise ValueError("binning.sort: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    c: cython.longlong
    row: cython.longlong
    with cython.nogil:
        for i in range(codes.shape[0]):
            starts[codes[i] + 1] += 1
        for i in range(1, starts.shape[0]):
            starts[i] += starts[i - 1]
        for i in range(codes.shape[0]):
            c = cython.cast(cython.longlong, codes[i])
            row = i
            out[starts[c]] = (c << 32) | row
            starts[c] += 1


def unsort(entries: cython.const[cython.longlong][::1], out: cython.int[::1]):
    """The code of every row, from a sorted list."""
    if out.shape[0] < entries.shape[0]:
        raise ValueError("binning.unsort: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    mask: cython.longlong = 4294967295
    with cython.nogil:
        for i in range(entries.shape[0]):
            out[entries[i] & mask] = entries[i] >> 32


def stamp(entries: cython.longlong[::1], labels: cython.const[cython.int][::1], bits: cython.int):
    """Write the class of every row into its entry, above its number."""
    if labels.shape[0] < entries.shape[0]:
        raise ValueError("binning.stamp: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    y: cython.longlong
    mask: cython.longlong = 4294967295
    with cython.nogil:
        for i in range(entries.shape[0]):
            y = cython.cast(cython.longlong, labels[entries[i] & mask])
            entries[i] |= y << bits


def values(
    entries: cython.const[cython.longlong][::1],
    mask: cython.longlong,
    x: cython.const[cython.double][:],
    wanted: cython.uchar[::1],
    out: cython.double[::1],
):
    """The numbers behind some codes, in any order of the list; a row that was filled tells none."""
    if x.shape[0] < entries.shape[0] or out.shape[0] < wanted.shape[0]:
        raise ValueError("binning.values: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    code: cython.Py_ssize_t
    v: cython.double
    with cython.nogil:
        for i in range(entries.shape[0]):
            code = entries[i] >> 32
            if code < wanted.shape[0] and wanted[code]:
                v = x[entries[i] & mask]
                if v == v:
                    wanted[code] = 0
                    out[code] = v


def keys(x: cython.const[cython.double][::1], out: cython.longlong[::1]):
    """The first 32 bits of every number, so that they sort as it does, and its row; NaN last."""
    if out.shape[0] < x.shape[0]:
        raise ValueError("binning.keys: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    bits: cython.longlong
    row: cython.longlong
    nothing: cython.longlong = 2147483647
    whole: cython.longlong = 9223372036854775807
    buffer: cython.const[cython.longlong][::1]
    buffer = _bits(x)
    with cython.nogil:
        for i in range(x.shape[0]):
            bits = buffer[i]
            if x[i] != x[i]:
                bits = nothing
            elif x[i] == 0.0:
                bits = 0
            else:
                bits = (bits ^ ((bits >> 63) & whole)) >> 32
            row = i
            out[i] = (bits << 32) | row


def _bits(x):
    """A view of doubles as whole numbers."""
    import numpy as np

    return np.asarray(x).view(np.int64)


def rank(
    x: cython.const[cython.double][::1], out: cython.longlong[::1], values: cython.double[::1]
):
    """Rows sorted by the first bits of their numbers become rows sorted by numbers, with ranks.

    Returns how many numbers there are; -1 where more would have to be moved than is quick.
    """
    if out.shape[0] < x.shape[0] or values.shape[0] < x.shape[0]:
        raise ValueError("binning.rank: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    row: cython.longlong
    moved: cython.longlong = 0
    code: cython.longlong = -1
    n: cython.Py_ssize_t = x.shape[0]
    v: cython.double
    mask: cython.longlong = 4294967295
    with cython.nogil:
        for i in range(1, n):
            if out[i] >> 32 != out[i - 1] >> 32:
                continue
            row = out[i]
            v = x[row & mask]
            j = i
            while j > 0 and out[j - 1] >> 32 == row >> 32 and x[out[j - 1] & mask] > v:
                out[j] = out[j - 1]
                j -= 1
            out[j] = row
            moved += i - j
            if moved > 64 * n:
                break
        if moved <= 64 * n:
            for i in range(n):
                row = out[i] & mask
                v = x[row]
                if v == v and (code < 0 or v != values[code]):
                    code += 1
                    values[code] = v
                elif v != v:
                    out[i] = ((code + 1) << 32) | row
                    continue
                out[i] = (code << 32) | row
    return -1 if moved > 64 * n else code + 1


def rewrite(order: cython.const[cython.longlong][::1], out: cython.longlong[::1]):
    """Rows in their order, each as if its first bits were all that tells it from the next."""
    if out.shape[0] < order.shape[0]:
        raise ValueError("binning.rewrite: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    place: cython.longlong
    with cython.nogil:
        for i in range(order.shape[0]):
            place = i
            out[i] = (place << 32) | order[i]


def group(
    entries: cython.longlong[::1],
    bins: cython.longlong,
    weights: cython.const[cython.longlong][::1],
    values: cython.const[cython.double][::1],
    low: cython.double[::1],
    high: cython.double[::1],
):
    """Ranks become groups of about the same weight, equal values together: exact quantiles.

    A value belongs to the group in which the middle of its weight lies: so neither a scale of all
    weights nor a row that stands there twice in place of its weight of 2 moves an edge.
    ``weights``: of every row, whose sum times ``2 * bins`` is below 2^63; none: 1. ``values`` are
    those of the ranks; the least and the greatest of every group go to ``low`` and ``high``.
    Returns how many groups there are, and what is missing comes behind them.
    """
    if low.shape[0] < bins or high.shape[0] < bins or 0 < weights.shape[0] < entries.shape[0]:
        raise ValueError("binning.group: the lengths of its arrays do not agree")
    weighed: cython.bint = weights.shape[0] > 0
    own: cython.longlong
    before: cython.longlong = 0
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t
    n: cython.Py_ssize_t = entries.shape[0]
    width: cython.longlong = values.shape[0]
    known: cython.longlong
    code: cython.longlong
    g: cython.longlong
    last: cython.longlong = -1
    new: cython.longlong = -1
    mask: cython.longlong = 4294967295
    with cython.nogil:
        while n > 0 and entries[n - 1] >> 32 == width:
            n -= 1
        known = 0 if weighed else n
        for i in range(n if weighed else 0):
            known += weights[entries[i] & mask]
        known = max(known, 1)
        i = 0
        while i < n:
            code = entries[i] >> 32
            j = i
            own = 0
            while j < n and entries[j] >> 32 == code:
                own += weights[entries[j] & mask] if weighed else 1
                j += 1
            g = (2 * before + own) * bins // (2 * known)
            before += own
            if g != last:
                new += 1
                last = g
                low[new] = values[code]
            high[new] = values[code]
            while i < j:
                entries[i] = (new << 32) | (entries[i] & mask)
                i += 1
        while n < entries.shape[0]:
            entries[n] = ((new + 1) << 32) | (entries[n] & mask)
            n += 1
    return new + 1


def runs(x: cython.const[cython.double][::1], values: cython.double[::1]):
    """The different numbers of a sorted list, as far as there is room; how many, or one more."""
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    room: cython.Py_ssize_t = values.shape[0]
    with cython.nogil:
        for i in range(x.shape[0]):
            if i == 0 or x[i] != x[i - 1]:
                n += 1
                if n > room:
                    break
                values[n - 1] = x[i]
    return n


def quantiles(
    x: cython.const[cython.double][::1],
    bins: cython.longlong,
    low: cython.double[::1],
    high: cython.double[::1],
):
    """The groups of ``group``, from the sorted numbers alone: how many there are."""
    if low.shape[0] < bins or high.shape[0] < bins:
        raise ValueError("binning.quantiles: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t
    n: cython.Py_ssize_t = x.shape[0]
    g: cython.longlong
    last: cython.longlong = -1
    new: cython.Py_ssize_t = -1
    with cython.nogil:
        while i < n:
            j = i + 1
            while j < n and x[j] == x[i]:
                j += 1
            g = (i + j) * bins // (2 * n)
            if g != last:
                new += 1
                last = g
                low[new] = x[i]
            high[new] = x[i]
            i = j
    return new + 1


def classify(
    x: cython.const[cython.double][::1],
    low: cython.const[cython.double][::1],
    out: cython.ushort[::1],
):
    """The last group whose least number is not above x; what is missing comes behind all."""
    if out.shape[0] < x.shape[0]:
        raise ValueError("binning.classify: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = low.shape[0]
    with cython.nogil:
        for i in range(x.shape[0]):
            out[i] = _place(x[i], low, 0, n) if x[i] == x[i] else n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _place(
    v: cython.double,
    low: cython.const[cython.double][::1],
    at: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """The last of some numbers that is not above v, or the first of them.

    No branch to guess: the half that holds v is added, or nothing.
    """
    step: cython.Py_ssize_t
    while size > 1:
        step = size >> 1
        at += step * (low[at + step] <= v)
        size -= step
    return at


def spread(
    x: cython.const[cython.double][::1],
    splitters: cython.const[cython.double][::1],
    starts: cython.longlong[::1],
    out: cython.ushort[::1],
    counts: cython.longlong[::1],
    ends: cython.double[:, ::1],
):
    """Into which bucket every number falls, and how many, which least and which greatest each has.

    What is missing is in the bucket behind all. Most numbers lie in cells of equal width, each with
    few splitters: ``starts`` (cells + 1) counts those before each, so that few are compared.
    """
    if (
        splitters.shape[0] < 1
        or starts.shape[0] < 2
        or out.shape[0] < x.shape[0]
        or counts.shape[0] <= splitters.shape[0]
        or ends.shape[0] < 2
        or ends.shape[1] <= splitters.shape[0]
    ):
        raise ValueError("binning.spread: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    b: cython.Py_ssize_t
    c: cython.Py_ssize_t
    v: cython.double
    n: cython.Py_ssize_t = splitters.shape[0]
    cells: cython.Py_ssize_t = starts.shape[0] - 1
    base: cython.double = splitters[n // 64]
    scale: cython.double = splitters[n - 1 - n // 64] - base
    scale = cells / scale if 1e-300 < scale < 1e300 else 0.0
    with cython.nogil:
        for i in range(n):
            starts[_cell(splitters[i], base, scale, cells) + 1] += 1
        for i in range(cells):
            starts[i + 1] += starts[i]
        for i in range(x.shape[0]):
            v = x[i]
            b = n
            if v == v:
                c = _cell(v, base, scale, cells)
                b = starts[c] - 1 if starts[c] > 0 else 0
                b = _place(v, splitters, b, starts[c + 1] - b)
            out[i] = b
            counts[b] += 1
            ends[0, b] = v if v < ends[0, b] else ends[0, b]
            ends[1, b] = v if v > ends[1, b] else ends[1, b]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _cell(
    v: cython.double, base: cython.double, scale: cython.double, cells: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Never falls where v rises: the first and the last cell take what lies outside."""
    t: cython.double = (v - base) * scale
    if not t > 0.0:
        return 0
    return cells - 1 if t > cells - 1 else cython.cast(cython.Py_ssize_t, t)


def pick(
    x: cython.const[cython.double][::1],
    buckets: cython.const[cython.ushort][::1],
    wanted: cython.const[cython.uchar][::1],
    out: cython.double[::1],
):
    """The numbers of some buckets."""
    if buckets.shape[0] < x.shape[0]:
        raise ValueError("binning.pick: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(x.shape[0]):
            if wanted[buckets[i]]:
                out[n] = x[i]
                n += 1


def quantiles_of(
    ends: cython.const[cython.double][:, ::1],
    counts: cython.const[cython.longlong][::1],
    wanted: cython.const[cython.uchar][::1],
    x: cython.const[cython.double][::1],
    bins: cython.longlong,
    found: cython.double[:, ::1],
    first: cython.longlong[::1],
):
    """The same from buckets: whole ones, with the least and the greatest of each in ``ends``.

    Those that reach into two groups are ``wanted``: all their numbers, sorted, are ``x``. The least
    and the greatest of the groups go to ``found``, the group that a bucket starts in to ``first``.
    """
    if (
        wanted.shape[0] < counts.shape[0]
        or first.shape[0] < counts.shape[0]
        or ends.shape[0] < 2
        or ends.shape[1] < counts.shape[0]
        or found.shape[0] < 2
        or found.shape[1] < bins
    ):
        raise ValueError("binning.quantiles_of: the lengths of its arrays do not agree")
    b: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    size: cython.Py_ssize_t = counts.shape[0]
    start: cython.longlong = 0
    n: cython.longlong = 0
    g: cython.longlong
    last: cython.longlong = -1
    new: cython.Py_ssize_t = -1
    with cython.nogil:
        for b in range(size):
            n += counts[b]
        for b in range(size):
            first[b] = -1
            end = at + counts[b] if wanted[b] else at + (counts[b] > 0)
            i = at
            while i < end:
                j = i + 1
                while wanted[b] and j < end and x[j] == x[i]:
                    j += 1
                g = (2 * start + (i - at) + (j - at)) * bins // (2 * n)
                if g != last:
                    new += 1
                    last = g
                    found[0, new] = x[i] if wanted[b] else ends[0, b]
                found[1, new] = x[i] if wanted[b] else ends[1, b]
                if i == at:
                    first[b] = new
                i = j
            if wanted[b]:
                at = end
            start += counts[b]
    return new + 1


def regroup(
    x: cython.const[cython.double][::1],
    low: cython.const[cython.double][::1],
    first: cython.const[cython.longlong][::1],
    out: cython.ushort[::1],
):
    """The groups in place of the buckets; what is missing comes behind all."""
    if out.shape[0] < x.shape[0]:
        raise ValueError("binning.regroup: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    g: cython.Py_ssize_t
    n: cython.Py_ssize_t = low.shape[0]
    with cython.nogil:
        for i in range(x.shape[0]):
            g = n
            if x[i] == x[i]:
                g = first[out[i]]
                while g + 1 < n and low[g + 1] <= x[i]:
                    g += 1
            out[i] = g
