"""Numerals: the digits of a text become the nearest double, or the number of a day."""

import cython


class Numerals:
    """Numbers in a text, read into out[place, row]."""

    def __init__(self, text, out, decimal):
        self.text = text
        self.out = out
        self.decimal = decimal
        self.slow = False  # whether the last one takes longer arithmetic, and was left

    def read_as(self, kind, i, n, place, row):
        """Read what begins at i, before n, and say where it ends: a number, or else a day."""
        return self.day(i, n, place, row) if kind else self.read(i, n, place, row)

    def day(self, i, n, place, row):
        """Read a date such as 2024-12-31, as days since 1970; -1 for what is none."""
        digits: cython.longlong = 0
        year: cython.longlong
        month: cython.longlong
        j: cython.Py_ssize_t
        self.slow = False
        if i + 10 > n or self.text[i + 4] != 45 or self.text[i + 7] != 45:
            return -1
        for j in range(10):
            if j != 4 and j != 7:
                if not 48 <= self.text[i + j] <= 57:
                    return -1
                digits = digits * 10 + self.text[i + j] - 48
        year = digits // 10000
        month = digits // 100 % 100
        if not of_month(digits % 100, month, year):
            return -1
        if month < 3:  # a year that begins in March has its odd day at the end
            year -= 1
            month += 12
        digits = year * 365 + year // 4 - year // 100 + year // 400 + digits % 100
        self.out[place, row] = cython.cast(
            cython.double, digits + (153 * month - 457) // 5 - 719469
        )
        return i + 10

    def read(self, i, n, place, row):
        """Read a number that begins at i, before n, and say where it ends.

        -1 for what is no number: one with leading zeros (a code), or so large that not all
        integers around it are doubles.
        """
        w: cython.ulonglong = 0
        k: cython.longlong = 0
        power_of: cython.longlong = 0
        digits: cython.Py_ssize_t
        start: cython.Py_ssize_t
        below: cython.bint
        value: cython.double = -1.0
        minus: cython.bint = i < n and self.text[i] == 45
        plus: cython.bint = i < n and self.text[i] == 43
        i += minus + plus  # without a branch, of which a processor would guess half wrong
        start = i
        while i < n and 48 <= self.text[i] <= 57:
            w = w * 10 + cython.cast(cython.ulonglong, self.text[i] - 48)
            i += 1
        digits = i - start
        if digits > 1 and self.text[start] == 48:
            return -1
        if i < n and self.text[i] == self.decimal:
            i += 1
            start = i
            if i + 4 <= n and self.four(i) >= 0:  # at once: most decimals have more
                w = w * 10000 + cython.cast(cython.ulonglong, self.four(i))
                i += 4
            while i < n and 48 <= self.text[i] <= 57:
                w = w * 10 + cython.cast(cython.ulonglong, self.text[i] - 48)
                i += 1
            k = start - i
            digits += i - start
        if digits == 0:
            return -1
        if i < n and (self.text[i] == 101 or self.text[i] == 69):
            i += 1
            below = i < n and self.text[i] == 45
            if below or (i < n and self.text[i] == 43):
                i += 1
            start = i
            while i < n and 48 <= self.text[i] <= 57:
                power_of = min(
                    power_of * 10 + cython.cast(cython.longlong, self.text[i] - 48), 99999
                )
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
        self.slow = value < 0
        if value >= 9007199254740992.0:
            return -1
        self.out[place, row] = value * (1.0 - 2.0 * minus)
        return i

    def four(self, i):
        """The number that four digits make; below 0 where one is none."""
        a: cython.longlong = self.text[i] - 48
        b: cython.longlong = self.text[i + 1] - 48
        c: cython.longlong = self.text[i + 2] - 48
        d: cython.longlong = self.text[i + 3] - 48
        if (a | b | c | d | (9 - a) | (9 - b) | (9 - c) | (9 - d)) < 0:
            return -1
        return a * 1000 + b * 100 + c * 10 + d


def of_month(day, month, year):
    """Whether a month of a year has a day."""
    if year < 1 or not 1 <= month <= 12 or day < 1:
        return False
    if month == 2:
        return day < 29 or (day == 29 and year % 4 == 0 and (year % 100 > 0 or year % 400 == 0))
    return day <= 30 + ((month + (month >> 3)) & 1)


def power(k):
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


def quotient(w, p):
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
