"""Tokens: documents cut into words, every word numbered as it first appears."""

import cython


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def hashed(
    text: cython.const[cython.uchar][::1],
    fold: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    state: cython.const[cython.longlong][::1],
) -> cython.longlong:
    """31 bits of HalfSipHash-1-3 of the word text[start:stop], under the key state[3:5].

    Who does not know the key cannot write words that share a slot. (J.-P. Aumasson and D. J.
    Bernstein, SipHash: a fast short-input PRF, 2012; four bytes a round in 32-bit words.)
    """
    low: cython.longlong = 0xFFFFFFFF
    n: cython.longlong = stop - start
    words: cython.longlong = n // 4 + 1  # the last holds what is left, and the length
    step: cython.longlong
    j: cython.longlong
    m: cython.uint
    v0: cython.uint = cython.cast(cython.uint, state[3] & low)
    v1: cython.uint = cython.cast(cython.uint, state[4] & low)
    v2: cython.uint = v0 ^ 0x6C796765
    v3: cython.uint = v1 ^ 0x74656462
    for step in range(words + 3):
        m = 0
        if step < words:
            for j in range(4 * step, min(4 * step + 4, n)):
                m |= cython.cast(cython.uint, fold[text[start + j]]) << (8 * (j & 3))
            if step == words - 1:
                m ^= cython.cast(cython.uint, (n & 0xFF) << 24)
        elif step == words:
            v2 ^= 0xFF
        v3 ^= m
        v0 = (v0 + v1) & low
        v1 = ((v1 << 5) | (v1 >> 27)) & low
        v1 ^= v0
        v0 = ((v0 << 16) | (v0 >> 16)) & low
        v2 = (v2 + v3) & low
        v3 = ((v3 << 8) | (v3 >> 24)) & low
        v3 ^= v2
        v0 = (v0 + v3) & low
        v3 = ((v3 << 7) | (v3 >> 25)) & low
        v3 ^= v0
        v2 = (v2 + v1) & low
        v1 = ((v1 << 13) | (v1 >> 19)) & low
        v1 ^= v2
        v2 = ((v2 << 16) | (v2 >> 16)) & low
        v0 ^= m
    return cython.cast(cython.longlong, (v1 ^ v3) & 0x7FFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def found(
    text: cython.const[cython.uchar][::1],
    fold: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    code: cython.longlong,
    slots: cython.const[cython.longlong][::1],
    arena: cython.const[cython.uchar][::1],
    firsts: cython.const[cython.longlong][::1],
) -> cython.Py_ssize_t:
    """The slot of the word text[start:stop]: its own, or the empty one where it belongs."""
    last: cython.longlong = slots.shape[0] - 1
    low: cython.longlong = 0xFFFFFFFF
    at: cython.longlong = code & last
    word: cython.longlong
    j: cython.Py_ssize_t
    n: cython.Py_ssize_t = stop - start
    while slots[at] != 0:
        if slots[at] >> 32 == code:
            word = firsts[(slots[at] & low) - 1]
            j = 0
            while j < n and arena[word + j] == fold[text[start + j]]:
                j += 1
            if j == n and arena[word + n] == 0:
                break
        at = (at + 1) & last
    return at


def tokenize(
    text: cython.const[cython.uchar][::1],
    fold: cython.const[cython.uchar][::1],
    documents: cython.longlong[:, ::1],
    slots: cython.longlong[::1],
    arena: cython.uchar[::1],
    firsts: cython.longlong[::1],
    ids: cython.int[::1],
    state: cython.longlong[::1],
):
    """Number the words of every document from state[0] on; documents (n + 1, 2) holds where each
    ends in the text, and takes where it ends among the ids.

    ``fold`` is 0 for what parts words, else the byte as it is written into the arena, where a 0
    ends every word. A slot holds 31 bits of a word's hash and its number plus one. State: documents
    done, words, bytes of the arena, and the two halves of the hash's key. When the slots are half
    full the document is left for the next call, with more of them.
    """
    if (
        state.shape[0] < 5
        or fold.shape[0] < 256
        or documents.shape[0] < 1
        or documents.shape[1] < 2
        or text.shape[0] < documents[documents.shape[0] - 1, 0]
        or slots.shape[0] < 2
        or (slots.shape[0] & (slots.shape[0] - 1)) != 0
        or firsts.shape[0] < slots.shape[0] // 2
        or arena.shape[0] < text.shape[0] + documents.shape[0]
        or ids.shape[0] < text.shape[0] // 2 + documents.shape[0]
    ):
        raise ValueError("tokenizer.tokenize: the lengths of its arrays do not agree")
    low: cython.longlong = 0xFFFFFFFF
    half: cython.longlong = slots.shape[0] // 2
    d: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    at: cython.Py_ssize_t
    n: cython.Py_ssize_t
    code: cython.longlong
    full: cython.bint = False
    with cython.nogil:
        for d in range(state[0], documents.shape[0] - 1):
            i = documents[d, 0]
            n = documents[d, 1]
            stop = documents[d + 1, 0]
            while i < stop:
                if fold[text[i]] == 0:
                    i += 1
                    continue
                start = i
                while i < stop and fold[text[i]] != 0:
                    i += 1
                code = hashed(text, fold, start, i, state)
                at = found(text, fold, start, i, code, slots, arena, firsts)
                if slots[at] == 0:
                    if state[1] >= half:
                        full = True
                        break
                    firsts[state[1]] = state[2]
                    for j in range(start, i):
                        arena[state[2] + j - start] = fold[text[j]]
                    arena[state[2] + i - start] = 0
                    state[1] += 1
                    state[2] += i - start + 1
                    slots[at] = (code << 32) | state[1]
                ids[n] = cython.cast(cython.int, (slots[at] & low) - 1)
                n += 1
            if full:
                break
            documents[d + 1, 1] = n
            state[0] = d + 1


def respread(old: cython.const[cython.longlong][::1], slots: cython.longlong[::1]):
    """Put the words of the old slots into more of them."""
    if slots.shape[0] <= old.shape[0] or (slots.shape[0] & (slots.shape[0] - 1)) != 0:
        raise ValueError("tokenizer.respread: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    at: cython.longlong
    last: cython.longlong = slots.shape[0] - 1
    with cython.nogil:
        for i in range(old.shape[0]):
            if old[i] == 0:
                continue
            at = (old[i] >> 32) & last
            while slots[at] != 0:
                at = (at + 1) & last
            slots[at] = old[i]


def count(
    ids: cython.const[cython.int][::1],
    ends: cython.const[cython.longlong][::1],
    times: cython.const[cython.longlong][::1],
    rows: cython.const[cython.int][::1],
    weight: cython.const[cython.longlong][::1],
    seen: cython.int[::1],
    tables: cython.longlong[:, :, ::1],
):
    """Count by the classes of the rows: tables[0] (terms, k) the documents that hold a term, and
    tables[1] how often it comes in them beyond the first time. One of the two is touched a word.

    With ``times`` no document has a term twice; without, ``seen`` (terms,) starts at -1. No
    ``weight`` is 1.
    """
    if (
        ends.shape[0] <= rows.shape[0]
        or ids.shape[0] < ends[rows.shape[0]]
        or (times.shape[0] > 0 and times.shape[0] < ids.shape[0])
        or (weight.shape[0] > 0 and weight.shape[0] < rows.shape[0])
        or tables.shape[0] < 2
        or (times.shape[0] == 0 and seen.shape[0] < tables.shape[1])
    ):
        raise ValueError("tokenizer.count: the lengths of its arrays do not agree")
    d: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    w: cython.longlong = 1
    light: cython.bint = weight.shape[0] == 0
    counted: cython.bint = times.shape[0] > 0
    with cython.nogil:
        for d in range(rows.shape[0]):
            c = rows[d]
            if not light:
                w = weight[d]
            if counted:
                for i in range(ends[d], ends[d + 1]):
                    tables[0, ids[i], c] += w
                    if times[i] != 1:
                        tables[1, ids[i], c] += w * (times[i] - 1)
                continue
            for i in range(ends[d], ends[d + 1]):
                if seen[ids[i]] != d:
                    seen[ids[i]] = cython.cast(cython.int, d)
                    tables[0, ids[i], c] += w
                else:
                    tables[1, ids[i], c] += w


def score(
    ids: cython.const[cython.int][::1],
    ends: cython.const[cython.longlong][::1],
    times: cython.const[cython.longlong][::1],
    table: cython.const[cython.double][:, ::1],
    seen: cython.int[::1],
    out: cython.double[:, ::1],
):
    """Add table[id] to out (n, k) for every word.

    With ``seen`` (terms, all -1) every word counts once a document, else as often as it comes.
    """
    if (
        ends.shape[0] <= out.shape[0]
        or ids.shape[0] < ends[out.shape[0]]
        or (times.shape[0] > 0 and times.shape[0] < ids.shape[0])
        or table.shape[1] < out.shape[1]
        or (seen.shape[0] > 0 and seen.shape[0] < table.shape[0])
    ):
        raise ValueError("tokenizer.score: the lengths of its arrays do not agree")
    d: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    at: cython.Py_ssize_t
    t: cython.double
    a: cython.double
    b: cython.double
    once: cython.bint = times.shape[0] == 0
    distinct: cython.bint = seen.shape[0] > 0
    pair: cython.bint = out.shape[1] == 2 and not distinct
    with cython.nogil:
        for d in range(out.shape[0]):
            if pair:  # sums of two classes stay in registers: twice as fast
                a = b = 0.0
                for i in range(ends[d], ends[d + 1]):
                    t = 1.0 if once else times[i]
                    a += t * table[ids[i], 0]
                    b += t * table[ids[i], 1]
                out[d, 0] += a
                out[d, 1] += b
                continue
            for i in range(ends[d], ends[d + 1]):
                at = ids[i]
                t = 1.0
                if distinct:
                    if seen[at] == d:
                        continue
                    seen[at] = cython.cast(cython.int, d)
                elif not once:
                    t = times[i]
                for c in range(out.shape[1]):
                    out[d, c] += t * table[at, c]
