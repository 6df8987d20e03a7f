"""Impurity: how mixed rows are, by Gini, entropy or variance, and what the best cut leaves mixed.

A mass is a weight times an impurity: that of a split is the sum of its branches'. ``Impurity.mass``
is that of a line of counts. The sweeps below go through a list of rows, sorted by code, that are
only counted: they need no lines, which take three times as long. Both are sums of the same three
functions, ``gini``, ``entropy`` and ``variance``, which stand here once; both stand in one file,
because functions of other files are not inlined.
"""

import cython
import numpy as np
from cython.cimports.libc.math import floor, log, log1p, log2, pow, sqrt

if not cython.compiled:
    from tallylearn.kernels.trees.code_sums import KNOWN, TOTAL
    from tallylearn.kernels.trees.settings import (
        DEVIATION,
        ENTROPY,
        FIFTH_ROOT,
        GINI,
        POISSON,
        VARIANCE,
        Amounts,
        Settings,
    )


ABOVE = cython.declare(cython.double, 1.0 + 1e-13)  # beyond all rounding of a few products


def gini(unlike, n):
    """n (1 - sum p^2), from the sum of x (n - x) over the classes."""
    return unlike / n


def gini_of_two(second, n):
    """The mass by Gini of n rows of two classes."""
    a: cython.double = cython.cast(cython.double, second)
    b: cython.double = cython.cast(cython.double, n - second)
    return 2.0 * gini(a * b, a + b)


def entropy(whole, parts):
    """n log n less the sum of x log x: n times the entropy."""
    return whole - parts


def variance(x, n):
    """What the mean of n measures that sum to x takes from their sum of squares."""
    return x * x / n


def xlogx(x):
    """x log2 x; 0 where x is 0."""
    return x * log2(x) if x > 0 else 0.0


class Impurity:
    """The masses of a node, known to some units in the last place of the node's own.

    That is ``spread``, however heavy a single row is, so that ``slack`` is above all rounding and
    below all that matters. ``before`` is the mass that splits are compared with: in a regression
    less what all splits share. ``middle``: the mean, rounded to the nearest unit of y.
    """

    def __init__(self, settings: Settings, amounts: Amounts):
        self.criterion, self.logs = settings.criterion, settings.logs
        self.classes, self.rows_at = amounts.classes, amounts.rows_at
        self.careful = False

    def open(self, sums, flat):
        """The impurity of the node, from its totals, and what is no difference beside it.

        The mean is rounded to the nearest unit: then no sum of squares about it is more than twice
        the spread, and no rounding of one more than that of the spread. Entropies by x log x lose
        the last places of n log n: ``careful`` ones are added up term by term. What squares lose is
        said by their sum.
        """
        n: cython.double
        self.weight = self.weigh(sums, TOTAL)
        n = cython.cast(cython.double, self.weight)
        self.middle = 0
        if not self.classes and self.weight:
            self.middle = cython.cast(cython.longlong, floor(self.total(sums, TOTAL) / n + 0.5))
        self.spread = 0.0
        self.slack = 0.0
        self.before = 0.0
        if flat:
            return
        self.careful = True
        self.spread = self.spread_of(sums)
        self.slack = 1e-9 * self.spread
        if self.criterion == ENTROPY:
            self.careful = self.slack < (self.classes + 16) * 2.2e-16 * n * log2(n + 1.0)
        elif self.criterion == VARIANCE:
            self.slack += 3e-30 * self.square_sum(sums, TOTAL)
        elif self.criterion == DEVIATION:
            self.slack += 4e-15 * sqrt(n * self.square_sum(sums, TOTAL))
        elif self.criterion == POISSON:
            self.slack += 4e-15 * 64.0 * self.square_sum(sums, TOTAL)
        self.before = self.mass(sums, TOTAL)

    def spread_of(self, sums):
        """The weight of the node times its impurity."""
        if self.criterion == VARIANCE:
            w: cython.double = sums[TOTAL, 0]
            return self.squares(sums, TOTAL) / w if w > 0 else 0.0
        if self.criterion == POISSON:
            return self.square_sum(sums, TOTAL) * 64.0 + self.mass(sums, TOTAL)
        return self.mass(sums, TOTAL)

    def mass(self, t, r):
        """The weight of a line times its impurity; in a regression less what all splits share."""
        c: cython.Py_ssize_t
        n: cython.longlong = 0
        s: cython.double = 0.0
        x: cython.double
        w: cython.double
        if self.criterion < VARIANCE:
            for c in range(self.classes):
                n += t[r, c]
        if self.criterion == GINI:
            for c in range(self.classes):
                x = cython.cast(cython.double, t[r, c])
                s += x * cython.cast(cython.double, n - t[r, c])
            return gini(s, cython.cast(cython.double, n)) if n else 0.0
        if self.criterion == ENTROPY:
            for c in range(self.classes):
                s += self.portion(t[r, c], n) if self.careful else self.xlogx_of(t[r, c])
            return s if self.careful else entropy(self.xlogx_of(n), s)
        if t[r, 0] == 0:
            return 0.0
        w = cython.cast(cython.double, t[r, 0])
        if self.criterion == VARIANCE:
            return -variance(self.about(t, r), w)
        if self.criterion == FIFTH_ROOT:
            return w * pow(self.squares(t, r) / (w * w), 0.2)
        if self.criterion == POISSON:
            x = self.total(t, r)
            return -x * log(x / w) if x > 0 else 0.0
        return sqrt(self.squares(t, r))

    def portion(self, c, n):
        """c log2(n / c), to the last place even where c is all but n."""
        x: cython.double = cython.cast(cython.double, c)
        rest: cython.double = cython.cast(cython.double, n - c)
        return x * log1p(rest / x) * 1.4426950408889634 if c else 0.0

    def xlogx_of(self, c):
        """Of a count: looked up, as far as there is a table."""
        x: cython.double = cython.cast(cython.double, c)
        if c < self.logs.shape[0]:
            return self.logs[c]
        return x * log2(x)

    def weigh(self, t, r):
        """The weight of a line."""
        c: cython.Py_ssize_t
        n: cython.longlong = 0
        if not self.classes:
            return t[r, 0]
        for c in range(self.classes):
            n += t[r, c]
        return n

    def about(self, t, r):
        """The sum of w (y - middle): exact, and rounded once."""
        if self.rows_at < 0:
            return cython.cast(cython.double, t[r, 1] - self.middle * t[r, 0])
        mask: cython.longlong = 4294967295
        a: cython.longlong = t[r, 0] >> 32
        b: cython.longlong = t[r, 0] & mask
        m: cython.longlong = self.middle & mask
        low: cython.ulonglong = cython.cast(cython.ulonglong, m) * cython.cast(cython.ulonglong, b)
        high: cython.longlong = t[r, 1] - (self.middle >> 32) * t[r, 0] - m * a
        high -= cython.cast(cython.longlong, low >> 32)
        b = t[r, 6] - cython.cast(cython.longlong, low & mask)
        high += b >> 32
        return cython.cast(cython.double, high) * 4294967296.0 + (b & mask)

    def total(self, t, r):
        """The sum of w y."""
        return self.large(t, r) + self.small(t, r)

    def large(self, t, r):
        """The sum of w y, as far as a double holds it."""
        s: cython.double = cython.cast(cython.double, t[r, 1])
        return s if self.rows_at < 0 else s * 4294967296.0

    def small(self, t, r):
        """And what it does not hold."""
        s: cython.double = cython.cast(cython.double, t[r, 1])
        back: cython.longlong = cython.cast(cython.longlong, s)
        d: cython.double = cython.cast(cython.double, t[r, 1] - back)
        return d if self.rows_at < 0 else d * 4294967296.0 + t[r, 6]

    def squares(self, t, r):
        """w * sum(w y^2) - sum(w y)^2, in doubles of twice the length: it may cancel to nothing."""
        c: cython.Py_ssize_t
        w: cython.double = cython.cast(cython.double, t[r, 0])
        a: cython.double = 0.0
        b: cython.double = 0.0
        h: cython.double
        m: cython.double
        limb: cython.double = 79228162514264337593543950336.0  # 2^96
        for c in range(4):
            m = t[r, 5 - c] * limb
            h = a + m
            b += (a - (h - (h - a))) + (m - (h - a))
            a = h
            limb = limb / 4294967296.0
        s: cython.double = self.large(t, r)
        d: cython.double = self.small(t, r)
        m = error_of(a, w) + b * w - error_of(s, s) - 2.0 * s * d - d * d
        h = (a * w - s * s) + m
        return h if h > 0 else 0.0

    def square_sum(self, t, r):
        """The sum of w y^2."""
        c: cython.Py_ssize_t
        a: cython.double = 0.0
        limb: cython.double = 1.0
        for c in range(4):
            a += t[r, 2 + c] * limb
            limb = limb * 4294967296.0
        return a


def error_of(a, b):
    """What is lost when a * b is rounded (Dekker, 1971)."""
    p: cython.double = a * b
    t: cython.double = 134217729.0 * a
    ah: cython.double = t - (t - a)
    al: cython.double = a - ah
    t = 134217729.0 * b
    bh: cython.double = t - (t - b)
    bl: cython.double = b - bh
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl


def two_classes(entries, bits, second, least, before, before_second):
    """The least mass by Gini after a cut, of two classes; 1e300 where no cut may be.

    Left of every cut are ``before`` rows that the list lacks, so many of them of the second class.
    """
    r: cython.Py_ssize_t
    m: cython.Py_ssize_t = before
    entry: cython.longlong
    after: cython.longlong = entries[0]
    n: cython.Py_ssize_t = entries.shape[0] + before
    l1: cython.longlong = before_second
    a: cython.double
    b: cython.double
    c: cython.double
    d: cython.double
    value: cython.double
    best: cython.double = 1e300
    for r in range(entries.shape[0] - 1):
        entry = after
        after = entries[r + 1]
        l1 += (entry >> bits) & 1
        m += 1
        if (entry ^ after) >> 32 == 0 or m < least or n - m < least:
            continue
        a = cython.cast(cython.double, l1)
        b = cython.cast(cython.double, m - l1)
        c = cython.cast(cython.double, second - l1)
        d = cython.cast(cython.double, n - m - (second - l1))
        value = gini(a * b, a + b) + gini(c * d, c + d)  # half of it
        best = value if value < best else best
    return 2.0 * best if best < 1e300 else best


def two_entropies(entries, bits, second, least, logs):
    """The same by entropy."""
    r: cython.Py_ssize_t
    entry: cython.longlong
    after: cython.longlong = entries[0]
    n: cython.Py_ssize_t = entries.shape[0]
    l1: cython.longlong = 0
    value: cython.double
    best: cython.double = 1e300
    for r in range(n - 1):
        entry = after
        after = entries[r + 1]
        l1 += (entry >> bits) & 1
        if (entry ^ after) >> 32 == 0 or r + 1 < least or n - r - 1 < least:
            continue
        value = entropy(logs[r + 1], logs[l1] + logs[r + 1 - l1]) + entropy(
            logs[n - r - 1], logs[second - l1] + logs[n - r - 1 - (second - l1)]
        )
        best = value if value < best else best
    return best


def many_classes(entries, bits, sums, moved, least):
    """The least mass by Gini after a cut; the squares of the counts are kept up to date."""
    r: cython.Py_ssize_t
    c: cython.Py_ssize_t
    entry: cython.longlong
    after: cython.longlong = entries[0]
    n: cython.Py_ssize_t = entries.shape[0]
    one: cython.longlong = 1
    mask: cython.longlong = (one << (32 - bits)) - 1
    left: cython.longlong = 0
    right: cython.longlong = 0
    a: cython.double
    b: cython.double
    value: cython.double
    best: cython.double = 1e300
    for c in range(moved.shape[0]):
        moved[c] = 0
        right += sums[TOTAL, c] * sums[TOTAL, c]
    for r in range(n - 1):
        entry = after
        after = entries[r + 1]
        c = (entry >> bits) & mask
        left += 2 * moved[c] + 1
        right -= 2 * (sums[TOTAL, c] - moved[c]) - 1
        moved[c] += 1
        if (entry ^ after) >> 32 == 0 or r + 1 < least or n - r - 1 < least:
            continue
        a = (r + 1) * (r + 1) - left
        b = (n - r - 1) * (n - r - 1) - right
        value = gini(a, r + 1) + gini(b, n - r - 1)
        best = value if value < best else best
    return best


def measures(entries, levels, sums, middle, least, before, before_sum):
    """The least mass of a regression after a cut, every row of weight 1.

    Left of every cut are ``before`` rows that the list lacks, whose y - middle sum up to so much.
    """
    r: cython.Py_ssize_t
    m: cython.Py_ssize_t = before
    entry: cython.longlong
    after: cython.longlong = entries[0]
    n: cython.Py_ssize_t = entries.shape[0] + before
    mask: cython.longlong = 4294967295
    left: cython.longlong = before_sum
    whole: cython.longlong = sums[TOTAL, 1] - middle * sums[TOTAL, 0]
    a: cython.double
    b: cython.double
    value: cython.double
    best: cython.double = -1.0
    for r in range(entries.shape[0] - 1):
        entry = after
        after = entries[r + 1]
        left += levels[entry & mask] - middle
        m += 1
        if (entry ^ after) >> 32 == 0 or m < least or n - m < least:
            continue
        a = cython.cast(cython.double, left)
        b = cython.cast(cython.double, whole - left)
        value = variance(a, m) + variance(b, n - m)
        best = value if value > best else best
    return -best if best >= 0 else 1e300


class Sweep:
    """The best cut through codes that are counted: ``counts`` (codes * k), of the codes ``seen``.

    They are in order. ``running``: of a regression the weight, and the sum of y, of all codes up to
    each. ``at`` gets the place of the first cut that is tied with the best; a mass of
    1e300 says that no cut may be. ``moved`` (k,): the classes that are left of the cut. A cut that
    is worse than the best by more than any rounding is told by products: divisions take longer.
    """

    def __init__(self, counts, seen, k):
        self.counts, self.seen, self.moved, self.at = counts, seen, np.zeros(k, np.int64), 0
        self.running = np.zeros(2 * len(seen), np.int64)
        self.weights, self.left, self.right = np.zeros((3, len(seen)))

    def two_classes(self, n_seen, first, second, least, slack):
        """The least mass by Gini after a cut; there are so many rows of the first class."""
        i: cython.Py_ssize_t
        x: cython.longlong = 0
        y: cython.longlong = 0
        n: cython.longlong
        a: cython.double
        b: cython.double
        c: cython.double
        d: cython.double
        worst: cython.double
        value: cython.double
        best: cython.double = 1e300
        found: cython.double = 1e300
        for i in range(n_seen - 1):
            x += self.counts[2 * self.seen[i]]
            y += self.counts[2 * self.seen[i] + 1]
            n = x + y
            if n < least or first + second - n < least:
                continue
            a = cython.cast(cython.double, x)
            b = cython.cast(cython.double, y)
            c = cython.cast(cython.double, first - x)
            d = cython.cast(cython.double, second - y)
            worst = best * (a + b) * (c + d) * ABOVE
            if a * b * (c + d) + c * d * (a + b) > worst:
                continue
            value = gini(a * b, a + b) + gini(c * d, c + d)  # half of it
            best = value if value < best else best
            if 2.0 * (found - value) > slack:
                found = value
                self.at = i
        return 2.0 * best if best < 1e300 else best

    def many_classes(self, n_seen, sums, least, slack):
        """The same of more classes."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        k: cython.Py_ssize_t = self.moved.shape[0]
        n: cython.longlong = 0
        whole: cython.longlong = 0
        x: cython.longlong
        left: cython.longlong = 0
        right: cython.longlong = 0
        value: cython.double
        best: cython.double = 1e300
        found: cython.double = 1e300
        for c in range(k):
            self.moved[c] = 0
            whole += sums[KNOWN, c]
            right += sums[KNOWN, c] * sums[KNOWN, c]
        for i in range(n_seen - 1):
            for c in range(k):
                x = self.counts[self.seen[i] * k + c]
                left += x * (2 * self.moved[c] + x)
                right -= x * (2 * (sums[KNOWN, c] - self.moved[c]) - x)
                self.moved[c] += x
                n += x
            if n < least or whole - n < least:
                continue
            value = gini(n * n - left, n) + gini((whole - n) * (whole - n) - right, whole - n)
            best = value if value < best else best
            if found - value > slack:
                found = value
                self.at = i
        return best

    def measures(self, n_seen, weight, total, middle, least, slack):
        """The least mass of a regression, of weights and sums of y, given those of all codes."""
        i: cython.Py_ssize_t
        n: cython.longlong = 0
        y: cython.longlong = 0
        for i in range(n_seen - 1):
            n += self.counts[2 * self.seen[i]]
            y += self.counts[2 * self.seen[i] + 1]
            self.running[2 * i] = n
            self.running[2 * i + 1] = y
        return self.least_variance(n_seen - 1, weight, total, middle, least, slack)

    def least_variance(self, cuts, weight, total, middle, least, slack):
        """The same of cuts before which stand ``running`` weights and sums of y.

        Every cut is divided out: what guesses would save, those that are wrong take twice.
        """
        i: cython.Py_ssize_t
        first: cython.Py_ssize_t = 0
        left: cython.longlong
        whole: cython.longlong = total - middle * weight
        w: cython.double = cython.cast(cython.double, weight)
        best: cython.double = -1.0
        while first < cuts and self.running[2 * first] < least:
            first += 1
        while cuts > first and weight - self.running[2 * cuts - 2] < least:
            cuts -= 1
        for i in range(first, cuts):
            left = self.running[2 * i + 1] - middle * self.running[2 * i]
            self.weights[i] = cython.cast(cython.double, self.running[2 * i])
            self.left[i] = cython.cast(cython.double, left)
            self.right[i] = cython.cast(cython.double, whole - left)
        for i in range(first, cuts):
            self.left[i] = variance(self.left[i], self.weights[i]) + variance(
                self.right[i], w - self.weights[i]
            )
        for i in range(first, cuts):
            best = self.left[i] if self.left[i] > best else best
        for i in range(first, cuts):
            if self.left[i] >= best - slack:
                self.at = i
                return -best
        return 1e300
