"""Distinct values: a table of the least hashes of a column, and how many rows show each.

The hash of a number is the last step of splitmix64 of its bits (G. Steele, D. Lea and C. Flood,
OOPSLA 2014), which can be undone: two numbers never share one. A string is hashed eight bytes at a
time by the same step. No key: the results are those of every process and machine.

State: 0 the row to go on at, 1 filled slots, 2 rows that show a value, 3 whether a number is no
whole one, 4 and 5 the least and the greatest number as keys of their order.
"""

import cython


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mixed(z: cython.ulonglong) -> cython.ulonglong:
    """The last step of splitmix64: every bit of the number moves half of the others."""
    every: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    step: cython.ulonglong = 0x9E3779B97F4A7C15
    first: cython.ulonglong = 0xBF58476D1CE4E5B9
    second: cython.ulonglong = 0x94D049BB133111EB
    z = (z + step) & every
    z = ((z ^ (z >> 30)) * first) & every
    z = ((z ^ (z >> 27)) * second) & every
    return z ^ (z >> 31)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put(
    h: cython.ulonglong,
    times: cython.longlong,
    slots: cython.ulonglong[:, ::1],
) -> cython.longlong:
    """Count a hash in its slot (hash, rows); 1 where it is new. A slot without rows is free."""
    last: cython.ulonglong = slots.shape[0] - 1
    at: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, h & last)
    while slots[at, 1] != 0:
        if slots[at, 0] == h:
            slots[at, 1] += cython.cast(cython.ulonglong, times)
            return 0
        at = cython.cast(cython.Py_ssize_t, (at + 1) & last)
    slots[at, 0] = h
    slots[at, 1] = cython.cast(cython.ulonglong, times)
    return 1


def add_numbers(
    bits: cython.const[cython.ulonglong][:],
    most: cython.ulonglong,
    slots: cython.ulonglong[:, ::1],
    state: cython.longlong[::1],
):
    """Count the doubles whose hash is ``most`` or less, from row state[0] on; NaN is missing.

    It ends early where three quarters of the slots are filled; state[0] is the row to go on at.
    """
    if (
        state.shape[0] < 6
        or slots.shape[0] < 4
        or (slots.shape[0] & (slots.shape[0] - 1)) != 0
        or slots.shape[1] < 2
    ):
        raise ValueError("distinct_hashes.add_numbers: the lengths of its arrays do not agree")
    full: cython.longlong = slots.shape[0] // 4 * 3
    unsigned: cython.ulonglong = 0x7FFFFFFFFFFFFFFF
    infinity: cython.longlong = 0x7FF0000000000000
    one: cython.ulonglong = 1
    i: cython.Py_ssize_t
    b: cython.ulonglong
    e: cython.longlong
    size: cython.longlong
    key: cython.longlong
    h: cython.ulonglong
    broken: cython.bint = state[3] != 0
    filled: cython.longlong = state[1]
    shown: cython.longlong = state[2]
    least: cython.longlong = state[4]
    greatest: cython.longlong = state[5]
    with cython.nogil:
        for i in range(state[0], bits.shape[0]):
            if filled >= full:
                break
            b = cython.cast(cython.ulonglong, bits[i])
            size = cython.cast(cython.longlong, b & unsigned)
            e = size >> 52
            if size > infinity:  # NaN
                continue
            if size == 0:  # -0.0 is 0.0
                b = 0
            shown += 1
            key = size if b <= unsigned else -1 - size
            least = key if key < least else least
            greatest = key if key > greatest else greatest
            if not broken:  # the first one says so
                if e < 1023:
                    broken = size != 0
                elif e < 1075:
                    broken = (b & ((one << (1075 - e)) - 1)) != 0
                else:
                    broken = e == 2047
            h = mixed(b)
            if h > most:
                continue
            filled += put(h, 1, slots)
        else:
            i = bits.shape[0]
        state[0] = i
        state[1] = filled
        state[2] = shown
        state[3] = broken
        state[4] = least
        state[5] = greatest


def add_hashes(
    hashes: cython.const[cython.ulonglong][::1],
    times: cython.const[cython.longlong][::1],
    most: cython.ulonglong,
    slots: cython.ulonglong[:, ::1],
    state: cython.longlong[::1],
):
    """Count hashes as often as they come, from state[0] on, and end early as ``add_numbers``."""
    if (
        state.shape[0] < 6
        or slots.shape[0] < 4
        or (slots.shape[0] & (slots.shape[0] - 1)) != 0
        or slots.shape[1] < 2
        or times.shape[0] < hashes.shape[0]
    ):
        raise ValueError("distinct_hashes.add_hashes: the lengths of its arrays do not agree")
    full: cython.longlong = slots.shape[0] // 4 * 3
    i: cython.Py_ssize_t
    h: cython.ulonglong
    with cython.nogil:
        for i in range(state[0], hashes.shape[0]):
            state[0] = i
            if state[1] >= full:
                break
            if times[i] == 0:
                continue
            state[2] += times[i]
            h = cython.cast(cython.ulonglong, hashes[i])
            if h > most:
                continue
            state[1] += put(h, times[i], slots)
        else:
            state[0] = hashes.shape[0]


def hash_strings(
    data: cython.const[cython.uchar][::1],
    ends: cython.const[cython.longlong][::1],
    hashes: cython.ulonglong[::1],
):
    """The hash of every string data[ends[i]:ends[i + 1]]: its length, then eight bytes a step."""
    if ends.shape[0] <= hashes.shape[0] or data.shape[0] < ends[hashes.shape[0]]:
        raise ValueError("distinct_hashes.hash_strings: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    h: cython.ulonglong
    word: cython.ulonglong
    with cython.nogil:
        for i in range(hashes.shape[0]):
            at = cython.cast(cython.Py_ssize_t, ends[i])
            stop = cython.cast(cython.Py_ssize_t, ends[i + 1])
            h = mixed(cython.cast(cython.ulonglong, stop - at))
            while at < stop:
                word = 0
                for j in range(at, min(at + 8, stop)):
                    word |= cython.cast(cython.ulonglong, data[j]) << (8 * (j - at))
                h = mixed(h ^ word)
                at += 8
            hashes[i] = h
