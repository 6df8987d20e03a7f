"""Parsing: rows of delimited text become numbers, and words that are numbered as they appear.

A quote counts where a cell begins: what follows is content up to the next quote that is not
doubled, and so is what stands behind that one, up to the delimiter. An empty line is no row, but
of one column it is a row with a gap.
"""

import cython

if not cython.compiled:
    NUMBER, WORD, TEXT, PASSED = range(4)
    KIND, PLACE, GAPS, ODD, KNOWN, SIZE = range(6)
    AT, ROWS, BEGAN, CELLS, HARD, CONTENT, STOP, SLOW = range(8)
    FIRST, MARKS, DELIMITER, QUOTE, DECIMAL, MARKED, KEY = range(8, 15)
    DONE, RAGGED, OPEN = range(3)


def line_ends(text: cython.const[cython.uchar][::1]) -> cython.longlong:
    """How many bytes end a line, at most one less than there are rows."""
    i: cython.Py_ssize_t
    found: cython.longlong = 0
    with cython.nogil:
        for i in range(text.shape[0]):
            found += (text[i] == 10) | (text[i] == 13)
    return found


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def ends_line(c: cython.uchar) -> cython.bint:
    return c == 10 or c == 13


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def halved(
    text: cython.uchar[::1], j: cython.Py_ssize_t, state: cython.longlong[::1]
) -> cython.bint:
    """Whether a line feed only completes the return before it."""
    return text[j] == 10 and j > state[FIRST] and text[j - 1] == 13


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_blank(c: cython.uchar) -> cython.bint:
    return c == 32 or c == 9


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def power(k: cython.longlong) -> cython.double:
    """10**k for k up to 22, which are doubles, and so are all products on the way."""
    p: cython.double = 1.0
    if k & 1:
        p *= 10.0
    if k & 2:
        p *= 100.0
    if k & 4:
        p *= 1e4
    if k & 8:
        p *= 1e8
    if k & 16:
        p *= 1e16
    return p


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def quotient(w: cython.ulonglong, p: cython.double) -> cython.double:
    """The double nearest to w / p; -1 where that is too close to the middle of two to be sure.

    The quotient of the leading part is corrected by that of the exact remainder (products as T. J.
    Dekker has them, A floating-point technique for extending the available precision, 1971). The
    correction is right to 2**-51 of itself: if 2**-50 more or less rounds to the same, so does the
    truth (A. Ziv, Fast evaluation of elementary mathematical functions, 1991).
    """
    high: cython.double = cython.cast(cython.double, w)
    low: cython.double = cython.cast(
        cython.double, cython.cast(cython.longlong, w - cython.cast(cython.ulonglong, high))
    )
    q: cython.double = high / p
    split: cython.double = 134217729.0 * q
    a: cython.double = split - (split - q)
    b: cython.double = q - a
    split = 134217729.0 * p
    c: cython.double = split - (split - p)
    d: cython.double = p - c
    whole: cython.double = q * p
    part: cython.double = ((a * c - whole) + a * d + b * c) + b * d
    more: cython.double = (((high - whole) - part) + low) / p
    doubt: cython.double = 8.9e-16 * (more if more > 0 else -more)
    return q + more if q + (more + doubt) == q + (more - doubt) else -1.0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def numeral(
    text: cython.const[cython.uchar][::1],
    i: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    out: cython.double[:, ::1],
    place: cython.Py_ssize_t,
    row: cython.Py_ssize_t,
    state: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """Read a number that begins at i, before n, into out[place, row], and say where it ends.

    -1 for what is no number: one with noughts that lead (a code), or so large that not all integers
    around it are doubles. What takes longer arithmetic is left: state[SLOW].
    """
    w: cython.ulonglong = 0
    k: cython.longlong = 0
    power_of: cython.longlong = 0
    digits: cython.Py_ssize_t
    start: cython.Py_ssize_t
    below: cython.bint
    value: cython.double = -1.0
    minus: cython.bint = i < n and text[i] == 45
    if minus or (i < n and text[i] == 43):
        i += 1
    start = i
    while i < n and 48 <= text[i] <= 57:
        w = w * 10 + cython.cast(cython.ulonglong, text[i] - 48)
        i += 1
    digits = i - start
    if digits > 1 and text[start] == 48:
        return -1
    if i < n and text[i] == state[DECIMAL]:
        i += 1
        start = i
        while i < n and 48 <= text[i] <= 57:
            w = w * 10 + cython.cast(cython.ulonglong, text[i] - 48)
            i += 1
        k = start - i
        digits += i - start
    if digits == 0:
        return -1
    if i < n and (text[i] == 101 or text[i] == 69):
        i += 1
        below = i < n and text[i] == 45
        if below or (i < n and text[i] == 43):
            i += 1
        start = i
        while i < n and 48 <= text[i] <= 57:
            power_of = min(power_of * 10 + cython.cast(cython.longlong, text[i] - 48), 99999)
            i += 1
        if i == start:
            return -1
        k += -power_of if below else power_of
    if digits <= 19 and -22 <= k <= 22:
        if w >> 53 == 0:
            value = cython.cast(cython.double, w)
            value = value / power(-k) if k < 0 else value * power(k)
        elif k < 0:
            value = quotient(w, power(-k))
        else:
            return -1
    state[SLOW] = value < 0
    if value >= 9007199254740992.0:
        return -1
    out[place, row] = -value if minus else value
    return i


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def bounded(
    text: cython.uchar[::1], i: cython.Py_ssize_t, state: cython.longlong[::1]
) -> cython.Py_ssize_t:
    """Where the cell that begins at i ends; -1 where it opens a quote and ends nowhere.

    Its content is text[state[CONTENT] : state[STOP]]: quotes are taken out in place.
    """
    n: cython.Py_ssize_t = text.shape[0]
    delimiter: cython.longlong = state[DELIMITER]
    quote: cython.longlong = state[QUOTE]
    to: cython.Py_ssize_t
    if i == n or text[i] != quote:
        state[CONTENT] = i
        while i < n and text[i] != delimiter and not ends_line(text[i]):
            i += 1
        state[STOP] = i
        return i
    i += 1
    state[CONTENT] = i
    while i < n and text[i] != quote:
        i += 1
    to = i
    while i < n:
        if text[i] == quote:
            i += 1
            if i == n or text[i] != quote:
                break
        text[to] = text[i]
        to += 1
        i += 1
    else:
        return -1
    while i < n and text[i] != delimiter and not ends_line(text[i]):
        text[to] = text[i]
        to += 1
        i += 1
    state[STOP] = to
    return i


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def same(
    text: cython.const[cython.uchar][::1],
    one: cython.Py_ssize_t,
    other: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
) -> cython.bint:
    j: cython.Py_ssize_t = 0
    while j < length and text[one + j] == text[other + j]:
        j += 1
    return j == length


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def marker(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
) -> cython.bint:
    """Whether text[start:stop] stands before ``first``, where a 0 ends every word."""
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t
    while i < first:
        j = i
        while text[j] != 0:
            j += 1
        if j - i == stop - start and same(text, i, start, j - i):
            return True
        i = j + 1
    return False


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def hashed(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    key: cython.longlong,
) -> cython.longlong:
    """A polynomial of the bytes, three at a time, at a secret place below 2**29, modulo 2**31 - 1.

    Two words of n bytes share it for n / 3 + 1 keys at most, whoever writes them. (J. L. Carter and
    M. N. Wegman, Universal classes of hash functions, 1979.)
    """
    prime: cython.longlong = 2147483647
    h: cython.longlong = 1
    j: cython.Py_ssize_t = start
    w: cython.longlong
    while j < stop:
        w = cython.cast(cython.longlong, text[j])
        if j + 2 < stop:
            w |= cython.cast(cython.longlong, text[j + 1]) << 8
            w |= cython.cast(cython.longlong, text[j + 2]) << 16
        elif j + 1 < stop:
            w |= cython.cast(cython.longlong, text[j + 1]) << 8
        h = (h + w) * key  # below 2**62
        h = (h & prime) + (h >> 31)
        j += 3
    h = (h & prime) + (h >> 31)
    return 0 if h == prime else h


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def widen(
    entries: cython.int[:, :, ::1],
    slots: cython.int[:, ::1],
    plan: cython.int[:, ::1],
    c: cython.Py_ssize_t,
) -> cython.void:
    """Twice as many slots for the words of a column."""
    place: cython.Py_ssize_t = plan[c, PLACE]
    last: cython.longlong = 2 * plan[c, SIZE] - 1
    e: cython.Py_ssize_t
    j: cython.longlong
    plan[c, SIZE] = cython.cast(cython.int, last + 1)
    for j in range(last + 1):
        slots[place, j] = 0
    for e in range(plan[c, KNOWN]):
        j = entries[place, e, 2] & last
        while slots[place, j] != 0:
            j = (j + 1) & last
        slots[place, j] = cython.cast(cython.int, e + 1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def numbered(
    text: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    entries: cython.int[:, :, ::1],
    slots: cython.int[:, ::1],
    plan: cython.int[:, ::1],
    c: cython.Py_ssize_t,
    key: cython.longlong,
) -> cython.longlong:
    """The number of the word text[start:stop] in its column: a new one where it is new."""
    place: cython.Py_ssize_t = plan[c, PLACE]
    last: cython.longlong = plan[c, SIZE] - 1
    h: cython.longlong = hashed(text, start, stop, key)
    j: cython.longlong = h & last
    e: cython.Py_ssize_t
    while slots[place, j] != 0:
        e = slots[place, j] - 1
        if (
            entries[place, e, 2] == h
            and entries[place, e, 1] == stop - start
            and same(text, entries[place, e, 0], start, stop - start)
        ):
            return e
        j = (j + 1) & last
    e = plan[c, KNOWN]
    entries[place, e, 0] = cython.cast(cython.int, start)
    entries[place, e, 1] = cython.cast(cython.int, stop - start)
    entries[place, e, 2] = cython.cast(cython.int, h)
    slots[place, j] = cython.cast(cython.int, e + 1)
    plan[c, KNOWN] += 1
    if 2 * (e + 1) > last:
        widen(entries, slots, plan, c)
    return e


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def measured(
    text: cython.const[cython.uchar][::1],
    plan: cython.int[:, ::1],
    c: cython.Py_ssize_t,
    numbers: cython.double[:, ::1],
    hard: cython.longlong[:, ::1],
    state: cython.longlong[::1],
) -> cython.void:
    """The number of a cell whose content is known: blanks around it do not count.

    A marker is 2**53, which no number is.
    """
    place: cython.Py_ssize_t = plan[c, PLACE]
    start: cython.Py_ssize_t = state[CONTENT]
    stop: cython.Py_ssize_t = state[STOP]
    numbers[place, state[ROWS]] = 9007199254740992.0
    if marker(text, start, stop, state[FIRST]):
        plan[c, GAPS] += 1
        return
    while start < stop and is_blank(text[start]):
        start += 1
    while start < stop and is_blank(text[stop - 1]):
        stop -= 1
    if numeral(text, start, stop, numbers, place, state[ROWS], state) != stop:
        plan[c, ODD] = 1
    elif state[SLOW]:
        hard[state[HARD], 0] = c
        hard[state[HARD], 1] = state[ROWS]
        hard[state[HARD], 2] = start
        hard[state[HARD], 3] = stop
        state[HARD] += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def written(
    text: cython.const[cython.uchar][::1],
    plan: cython.int[:, ::1],
    c: cython.Py_ssize_t,
    codes: cython.int[:, ::1],
    entries: cython.int[:, :, ::1],
    slots: cython.int[:, ::1],
    state: cython.longlong[::1],
) -> cython.void:
    """Number the word of a cell whose content is known, below 0 for a marker; text by its row."""
    place: cython.Py_ssize_t = plan[c, PLACE]
    row: cython.Py_ssize_t = state[ROWS]
    start: cython.Py_ssize_t = state[CONTENT]
    stop: cython.Py_ssize_t = state[STOP]
    code: cython.longlong = row
    if plan[c, KIND] == WORD:
        code = numbered(text, start, stop, entries, slots, plan, c, state[KEY]) - state[MARKS]
    else:
        entries[place, row, 0] = cython.cast(cython.int, start)
        entries[place, row, 1] = cython.cast(cython.int, stop - start)
        plan[c, KNOWN] = cython.cast(cython.int, row + 1)
        if marker(text, start, stop, state[FIRST]):
            code = -1
    codes[place, row] = cython.cast(cython.int, code)
    if code < 0:
        plan[c, GAPS] += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def seed(
    text: cython.const[cython.uchar][::1],
    plan: cython.int[:, ::1],
    entries: cython.int[:, :, ::1],
    slots: cython.int[:, ::1],
    state: cython.longlong[::1],
) -> cython.void:
    """The markers are the first words of every column."""
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    while i < state[FIRST]:
        j = i
        while text[j] != 0:
            j += 1
        for c in range(plan.shape[0]):
            if plan[c, KIND] == WORD:
                numbered(text, i, j, entries, slots, plan, c, state[KEY])
        i = j + 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def placed(
    plan: cython.const[cython.int][:, ::1],
    numbers: cython.Py_ssize_t,
    words: cython.Py_ssize_t,
    slots: cython.Py_ssize_t,
) -> cython.bint:
    """Whether every column has its place among so many of numbers, or of words with their slots."""
    c: cython.Py_ssize_t
    for c in range(plan.shape[0]):
        if plan[c, KIND] == NUMBER:
            if not 0 <= plan[c, PLACE] < numbers:
                return False
        elif plan[c, KIND] != PASSED:
            if not 0 <= plan[c, PLACE] < words or plan[c, SIZE] > slots:
                return False
    return True


def parse(
    text: cython.uchar[::1],
    plan: cython.int[:, ::1],
    numbers: cython.double[:, ::1],
    codes: cython.int[:, ::1],
    entries: cython.int[:, :, ::1],
    slots: cython.int[:, ::1],
    hard: cython.longlong[:, ::1],
    state: cython.longlong[::1],
):
    """Read rows from state[AT] on, until the text ends, a row is RAGGED or leaves a quote OPEN.

    Text: state[MARKS] words that stand for nothing, a 0 behind each, and from state[FIRST] on the
    rows. Plan: for every column of the text what it is read as, its place among the numbers or the
    words; then how many gaps it has, whether some cell is no number, how many words and slots.
    """
    if (
        state.shape[0] <= KEY
        or plan.shape[1] <= SIZE
        or state[FIRST] > text.shape[0]
        or (state[FIRST] > 0 and text[state[FIRST] - 1] != 0)
        or codes.shape[0] < entries.shape[0]
        or slots.shape[0] < entries.shape[0]
        or entries.shape[1] < state[MARKS] + codes.shape[1]
        or (entries.shape[0] > 0 and slots.shape[1] < 4 * entries.shape[1])
        or entries.shape[2] < 3
        or (numbers.shape[0] > 0 and codes.shape[0] > 0 and numbers.shape[1] != codes.shape[1])
        or hard.shape[0] < numbers.shape[0] * numbers.shape[1]
        or hard.shape[1] < 4
        or not placed(plan, numbers.shape[0], entries.shape[0], slots.shape[1])
    ):
        raise ValueError("parsing.parse: the lengths of its arrays do not agree")
    n: cython.Py_ssize_t = text.shape[0]
    last: cython.Py_ssize_t = plan.shape[0] - 1
    room: cython.Py_ssize_t = numbers.shape[1] if numbers.shape[0] > 0 else codes.shape[1]
    delimiter: cython.longlong = state[DELIMITER]
    at_once: cython.bint = not state[MARKED]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    behind: cython.bint
    how: cython.int = DONE
    with cython.nogil:
        if state[AT] < state[FIRST]:
            seed(text, plan, entries, slots, state)
            state[AT] = state[FIRST]
        i = state[AT]
        while i < n and how == DONE and state[ROWS] < room:
            j = i
            while j < n and last > 0 and is_blank(text[j]) and text[j] != delimiter:
                j += 1
            if j == n or (ends_line(text[j]) and (last > 0 or halved(text, j, state))):
                i = j + 1
                continue
            state[BEGAN] = i
            for c in range(last + 1):
                j = -1
                if plan[c, KIND] == NUMBER and at_once:
                    j = numeral(text, i, n, numbers, plan[c, PLACE], state[ROWS], state)
                    behind = 0 <= j < n and text[j] != delimiter and not ends_line(text[j])
                    if behind or state[SLOW]:
                        j = -1
                if j < 0:
                    j = bounded(text, i, state)
                    if j < 0:
                        how = OPEN
                        break
                    if plan[c, KIND] == NUMBER:
                        measured(text, plan, c, numbers, hard, state)
                    elif plan[c, KIND] != PASSED:
                        written(text, plan, c, codes, entries, slots, state)
                i = j
                if (i < n and text[i] == delimiter) != (c < last):
                    how = RAGGED
                    break
                i += 1
            if how == DONE:
                state[ROWS] += 1
        if how == RAGGED:
            state[CELLS] = c + 1
            while 0 <= i < n and text[i] == delimiter:
                i = bounded(text, i + 1, state)
                state[CELLS] += 1
            how = RAGGED if i >= 0 else OPEN
        state[AT] = min(i, n)
    return how


def gather(
    text: cython.const[cython.uchar][::1],
    entries: cython.const[cython.int][:, ::1],
    ends: cython.int[::1],
    out: cython.uchar[::1],
):
    """The words of some entries, one behind the other, and where each ends."""
    if (
        ends.shape[0] != entries.shape[0] + 1
        or entries.shape[1] < 2
        or out.shape[0] < ends[entries.shape[0]]
    ):
        raise ValueError("parsing.gather: the lengths of its arrays do not agree")
    e: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for e in range(entries.shape[0]):
            for j in range(entries[e, 1]):
                out[ends[e] + j] = text[entries[e, 0] + j]
