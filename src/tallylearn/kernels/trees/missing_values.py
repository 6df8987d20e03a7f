"""Gaps: what is missing stands apart in a column's lines, or is filled in."""

import cython

if not cython.compiled:
    from tallylearn.kernels.trees.code_sums import GAP, KNOWN, TOTAL
    from tallylearn.kernels.trees.settings import AS_CLASS, AS_NODE, IN_PARTS


def set_apart(table, gap, rule, number):
    """Take the line of what is missing, the last, out of the lines; by some rules fill it in.

    It stands apart, as one more branch, unless it is filled in or goes down all branches.
    """
    c: cython.Py_ssize_t
    t: cython.Py_ssize_t
    k: cython.Py_ssize_t = table.k
    table.gapped = False
    for c in range(k):
        table.sums[GAP, c] = 0
    if table.n and table.codes[table.n - 1] == gap:
        table.n -= 1
        table.gapped = True
        for c in range(k):
            table.sums[GAP, c] = table.lines[table.n, c]
    if (rule == AS_NODE or rule == AS_CLASS) and table.n:
        find_fills(table, rule, number)
        if table.gapped:
            for c in range(k):
                t = table.fills[c if rule == AS_CLASS and c < table.classes else k]
                table.lines[t, c] += table.sums[GAP, c]
                table.tags[t] = -1
                table.sums[GAP, c] = 0
        table.gapped = False
    table.gapped = table.gapped and rule != IN_PARTS
    for c in range(k):
        table.sums[KNOWN, c] = table.sums[TOTAL, c] - table.sums[GAP, c]


def find_fills(table, rule, number):
    """Which line takes what is missing: that of the median, or of the most frequent category.

    Of all rows in fills[k]; by the rule of classes, of class c in fills[c].
    """
    r: cython.Py_ssize_t
    c: cython.Py_ssize_t
    w: cython.longlong
    best: cython.longlong
    known: cython.longlong
    for c in range(table.k + 1):
        if c < table.k and (rule != AS_CLASS or c >= table.classes):
            continue
        known = 0
        for r in range(table.n):
            known += table.amount(r, c)
        best = 0
        table.fills[c] = -1
        w = 0
        for r in range(table.n):
            if number:
                w += table.amount(r, c)
                if 2 * w >= known and known > 0:
                    table.fills[c] = r
                    break
            elif table.amount(r, c) > best:
                best = table.amount(r, c)
                table.fills[c] = r
    for c in range(table.classes):
        if rule == AS_CLASS and table.fills[c] < 0:
            table.fills[c] = table.fills[table.k]
