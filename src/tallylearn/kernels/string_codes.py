"""Words: those of every column of a text are numbered as they first appear."""

import cython

if not cython.compiled:
    KIND, PLACE, GAPS, ODD, KNOWN, SIZE = range(6)


class Words:
    """The words of columns: entries (start, length, hash) by number, and slots by hash.

    Before ``first`` stand the markers, words for nothing, a 0 behind each.
    """

    def __init__(self, text, plan, entries, slots, first, key):
        self.text = text
        self.plan = plan
        self.entries = entries
        self.slots = slots
        self.first = first
        self.key = key

    def same(self, one, other, length):
        """Whether two stretches of the text are equal."""
        j: cython.Py_ssize_t = 0
        while j < length and self.text[one + j] == self.text[other + j]:
            j += 1
        return j == length

    def marker(self, start, stop):
        """Whether text[start:stop] is a word for nothing."""
        i: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t
        while i < self.first:
            j = i
            while self.text[j] != 0:
                j += 1
            if j - i == stop - start and self.same(i, start, j - i):
                return True
            i = j + 1
        return False

    def seed(self, kind):
        """The markers are the first words of every column of a kind."""
        i: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t
        c: cython.Py_ssize_t
        while i < self.first:
            j = i
            while self.text[j] != 0:
                j += 1
            for c in range(self.plan.shape[0]):
                if self.plan[c, KIND] == kind:
                    self.numbered(c, i, j)
            i = j + 1

    def numbered(self, c, start, stop):
        """The number of the word text[start:stop] in its column: a new one where it is new."""
        place: cython.Py_ssize_t = self.plan[c, PLACE]
        last: cython.longlong = self.plan[c, SIZE] - 1
        h: cython.longlong = self.hashed(start, stop)
        j: cython.longlong = h & last
        e: cython.Py_ssize_t
        while self.slots[place, j] != 0:
            e = self.slots[place, j] - 1
            if (
                self.entries[place, e, 2] == h
                and self.entries[place, e, 1] == stop - start
                and self.same(self.entries[place, e, 0], start, stop - start)
            ):
                return e
            j = (j + 1) & last
        e = self.plan[c, KNOWN]
        self.entries[place, e, 0] = cython.cast(cython.int, start)
        self.entries[place, e, 1] = cython.cast(cython.int, stop - start)
        self.entries[place, e, 2] = cython.cast(cython.int, h)
        self.slots[place, j] = cython.cast(cython.int, e + 1)
        self.plan[c, KNOWN] += 1
        if 2 * (e + 1) > last:
            self.widen(c)
        return e

    def widen(self, c):
        """Twice as many slots for the words of a column."""
        place: cython.Py_ssize_t = self.plan[c, PLACE]
        last: cython.longlong = 2 * self.plan[c, SIZE] - 1
        e: cython.Py_ssize_t
        j: cython.longlong
        self.plan[c, SIZE] = cython.cast(cython.int, last + 1)
        for j in range(last + 1):
            self.slots[place, j] = 0
        for e in range(self.plan[c, KNOWN]):
            j = self.entries[place, e, 2] & last
            while self.slots[place, j] != 0:
                j = (j + 1) & last
            self.slots[place, j] = cython.cast(cython.int, e + 1)

    def hashed(self, start, stop):
        """A polynomial of the bytes, three at a time, at a secret place below 2**29.

        It is taken modulo 2**31 - 1. Two words of n bytes share it for n / 3 + 1 keys at most,
        whoever writes them. (J. L. Carter and M. N. Wegman, Universal classes of hash functions,
        1979.)
        """
        prime: cython.longlong = 2147483647
        h: cython.longlong = 1
        j: cython.Py_ssize_t = start
        w: cython.longlong
        while j < stop:
            w = cython.cast(cython.longlong, self.text[j])
            if j + 2 < stop:
                w |= cython.cast(cython.longlong, self.text[j + 1]) << 8
                w |= cython.cast(cython.longlong, self.text[j + 2]) << 16
            elif j + 1 < stop:
                w |= cython.cast(cython.longlong, self.text[j + 1]) << 8
            h = (h + w) * self.key  # below 2**62
            h = (h & prime) + (h >> 31)
            j += 3
        h = (h & prime) + (h >> 31)
        return 0 if h == prime else h


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
        raise ValueError("string_codes.gather: the lengths of its arrays do not agree")
    e: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for e in range(entries.shape[0]):
            for j in range(entries[e, 1]):
                out[ends[e] + j] = text[entries[e, 0] + j]
