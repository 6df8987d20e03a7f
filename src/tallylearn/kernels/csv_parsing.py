"""Parsing: rows of delimited text become numbers, days, and words numbered as they appear.

A quote counts where a cell begins: what follows is content up to the next quote that is not
doubled, and so is what stands behind that one, up to the delimiter. An empty line is no row, but
of one column it is a row with a gap.
"""

import cython

if not cython.compiled:
    from tallylearn.kernels.number_parsing import Numerals
    from tallylearn.kernels.string_codes import GAPS, KIND, KNOWN, ODD, PLACE, SIZE, Words

    NUMBER, DAY, WORD, TEXT, PASSED = range(5)
    AT, ROWS, BEGAN, CELLS, HARD, CONTENT, STOP = range(7)
    FIRST, MARKS, DELIMITER, QUOTE, DECIMAL, MARKED, KEY = range(7, 14)
    DONE, RAGGED, OPEN = range(3)


def line_ends(text: cython.const[cython.uchar][::1]) -> cython.longlong:
    """How many bytes end a line, at most one less than there are rows."""
    i: cython.Py_ssize_t
    found: cython.longlong = 0
    with cython.nogil:
        for i in range(text.shape[0]):
            found += (text[i] == 10) | (text[i] == 13)
    return found


def ends_line(c):
    return c == 10 or c == 13


def halved(text, j, state):
    """Whether a line feed only completes the return before it."""
    return text[j] == 10 and j > state[FIRST] and text[j - 1] == 13


def is_blank(c):
    return c == 32 or c == 9


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
def measured(
    numerals: Numerals,
    words: Words,
    c: cython.Py_ssize_t,
    hard: cython.longlong[:, ::1],
    state: cython.longlong[::1],
) -> cython.void:
    """The number or day of a cell whose content is known: blanks around it do not count.

    A marker is 2**53, which no number is.
    """
    place: cython.Py_ssize_t = words.plan[c, PLACE]
    start: cython.Py_ssize_t = state[CONTENT]
    stop: cython.Py_ssize_t = state[STOP]
    numerals.out[place, state[ROWS]] = 9007199254740992.0
    if words.marker(start, stop):
        words.plan[c, GAPS] += 1
        return
    while start < stop and is_blank(words.text[start]):
        start += 1
    while start < stop and is_blank(words.text[stop - 1]):
        stop -= 1
    if numerals.read_as(words.plan[c, KIND], start, stop, place, state[ROWS]) != stop:
        words.plan[c, ODD] = 1
    elif numerals.slow:
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
    words: Words,
    c: cython.Py_ssize_t,
    codes: cython.int[:, ::1],
    state: cython.longlong[::1],
) -> cython.void:
    """Number the word of a cell whose content is known, below 0 for a marker; text by its row."""
    place: cython.Py_ssize_t = words.plan[c, PLACE]
    row: cython.Py_ssize_t = state[ROWS]
    start: cython.Py_ssize_t = state[CONTENT]
    stop: cython.Py_ssize_t = state[STOP]
    code: cython.longlong = row
    if words.plan[c, KIND] == WORD:
        code = words.numbered(c, start, stop) - state[MARKS]
    else:
        words.entries[place, row, 0] = cython.cast(cython.int, start)
        words.entries[place, row, 1] = cython.cast(cython.int, stop - start)
        words.plan[c, KNOWN] = cython.cast(cython.int, row + 1)
        if words.marker(start, stop):
            code = -1
    codes[place, row] = cython.cast(cython.int, code)
    if code < 0:
        words.plan[c, GAPS] += 1


def placed(plan, numbers, words, slots):
    """Whether every column has its place among so many of numbers, or of words with their slots."""
    c: cython.Py_ssize_t
    for c in range(plan.shape[0]):
        if plan[c, KIND] <= DAY:
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
        raise ValueError("csv_parsing.parse: the lengths of its arrays do not agree")
    numerals: Numerals = Numerals(text, numbers, state[DECIMAL])
    known: Words = Words(text, plan, entries, slots, state[FIRST], state[KEY])
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
            known.seed(WORD)
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
                if plan[c, KIND] <= DAY and at_once:
                    j = numerals.read_as(plan[c, KIND], i, n, plan[c, PLACE], state[ROWS])
                    behind = 0 <= j < n and text[j] != delimiter and not ends_line(text[j])
                    if behind or numerals.slow:
                        j = -1
                if j < 0:
                    j = bounded(text, i, state)
                    if j < 0:
                        how = OPEN
                        break
                    if plan[c, KIND] <= DAY:
                        measured(numerals, known, c, hard, state)
                    elif plan[c, KIND] != PASSED:
                        written(known, c, codes, state)
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
