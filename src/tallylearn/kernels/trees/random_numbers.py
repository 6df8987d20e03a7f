"""Chance: numbers that look random and depend on the seed and the place of a node only."""

import cython


def mixed(z):
    """A number that looks random and follows from z alone (Steele, SplitMix, 2014)."""
    a: cython.ulonglong = 11400714819323198485
    b: cython.ulonglong = 13787848793156543929
    c: cython.ulonglong = 10723151780598845931
    mask: cython.ulonglong = 18446744073709551615
    z = (cython.cast(cython.ulonglong, z) + a) & mask
    z = ((z ^ (z >> 30)) * b) & mask
    z = ((z ^ (z >> 27)) * c) & mask
    return z ^ (z >> 31)


def uniform(z):
    """A number from 0 on and below 1 that follows from z alone."""
    return cython.cast(cython.double, mixed(z) >> 11) / 9007199254740992.0


def shuffle(z, pick):
    """The numbers from 0 on in a random order."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    kept: cython.int
    p: cython.Py_ssize_t = pick.shape[0]
    for i in range(p):
        pick[i] = i
    for i in range(p - 1):
        z = mixed(z)
        j = i + z % cython.cast(cython.ulonglong, p - i)
        kept = pick[i]
        pick[i] = pick[j]
        pick[j] = kept
