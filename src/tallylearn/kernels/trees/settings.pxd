cimport cython

cdef enum:  # criteria
    GINI = 0
    ENTROPY = 1
    VARIANCE = 2
    DEVIATION = 3
    POISSON = 4
    FIFTH_ROOT = 9

cdef enum:  # how a column is asked
    NUMBER = 0
    MULTIWAY = 1
    SUBSET = 2

cdef enum:  # where a row goes whose value is missing
    OWN_BRANCH = 0
    AS_NODE = 1
    AS_CLASS = 2
    AS_TABLE = 3
    BETTER_SIDE = 4
    IN_PARTS = 5

cdef enum:  # what the best question has most of
    GAIN = 0
    RATIO = 1
    GAIN_SQUARED = 2
    GAIN_POWER = 3

@cython.final
cdef class Settings:
    cdef readonly int criterion, rule, scorer, max_features
    cdef readonly bint random_tie, lists_ties, draws, share_of_rows
    cdef readonly long long max_depth, min_split, min_leaf, min_weight
    cdef readonly double min_share, min_gain, exponent, smoothing, scale, one
    cdef const double[::1] critical
    cdef const double[::1] logs

@cython.final
cdef class Columns:
    cdef readonly Py_ssize_t p, widest, branches
    cdef const long long[::1] kinds
    cdef const long long[::1] gaps
    cdef const long long[::1] fixed
    cdef const long long[::1] least
    cdef const long long[::1] slopes
    cdef const double[::1] costs
    cdef const long long[::1] starts
    cdef const double[::1] low
    cdef const double[::1] high

@cython.final
cdef class Amounts:
    cdef readonly Py_ssize_t n
    cdef readonly int classes, k, q, rows_at
    cdef const int[::1] labels
    cdef const long long[:, ::1] amounts
    cdef const long long[::1] levels

@cython.final
cdef class Limits:
    cdef double min_split, min_leaf, min_weight, min_share, min_decrease, whole, one, exponent
    cdef long long max_depth, max_features
    cdef int scorer
    cdef bint random_tie, draws
