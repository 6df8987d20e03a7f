cimport cython
from libc.math cimport floor, log, log1p, log2, pow, sqrt

from tallylearn.kernels.trees.code_sums cimport KNOWN, TOTAL
from tallylearn.kernels.trees.settings cimport (
    DEVIATION, ENTROPY, FIFTH_ROOT, GINI, POISSON, VARIANCE, Amounts, Settings,
)

@cython.final
cdef class Impurity:
    cdef int criterion, classes, rows_at
    cdef const double[::1] logs
    cdef readonly long long weight, middle
    cdef readonly double spread, slack, before
    cdef bint careful
    cdef void open(self, long long[:, ::1] sums, bint flat) noexcept nogil
    cdef double mass(self, long long[:, ::1] t, Py_ssize_t r) noexcept nogil
    cdef double portion(self, long long c, long long n) noexcept nogil
    cdef double xlogx_of(self, long long c) noexcept nogil
    cdef long long weigh(self, long long[:, ::1] t, Py_ssize_t r) noexcept nogil
    cdef double about(self, long long[:, ::1] t, Py_ssize_t r) noexcept nogil
    cdef double total(self, long long[:, ::1] t, Py_ssize_t r) noexcept nogil
    cdef double large(self, long long[:, ::1] t, Py_ssize_t r) noexcept nogil
    cdef double small(self, long long[:, ::1] t, Py_ssize_t r) noexcept nogil
    cdef double squares(self, long long[:, ::1] t, Py_ssize_t r) noexcept nogil
    cdef double square_sum(self, long long[:, ::1] t, Py_ssize_t r) noexcept nogil
    cdef double spread_of(self, long long[:, ::1] sums) noexcept nogil

cdef double gini(double unlike, double n) noexcept nogil
cdef double gini_of_two(long long second, long long n) noexcept nogil
cdef double entropy(double whole, double parts) noexcept nogil
cdef double variance(double x, double n) noexcept nogil
cdef double xlogx(double x) noexcept nogil
cdef double error_of(double a, double b) noexcept nogil

cdef double two_classes(
    const long long[::1] entries, int bits, long long second, long long least, long long before,
    long long before_second
) noexcept nogil
cdef double many_classes(
    const long long[::1] entries, int bits, const long long[:, ::1] sums, long long[::1] moved,
    long long least
) noexcept nogil
cdef double two_entropies(
    const long long[::1] entries, int bits, long long second, long long least,
    const double[::1] logs
) noexcept nogil
cdef double measures(
    const long long[::1] entries, const long long[::1] levels, const long long[:, ::1] sums,
    long long middle, long long least, long long before, long long before_sum
) noexcept nogil

@cython.final
cdef class Sweep:
    cdef long long[::1] counts
    cdef int[::1] seen
    cdef long long[::1] moved
    cdef long long[::1] running
    cdef double[::1] weights
    cdef double[::1] left
    cdef double[::1] right
    cdef Py_ssize_t at
    cdef double two_classes(
        self, Py_ssize_t n_seen, long long first, long long second, long long least, double slack
    ) noexcept nogil
    cdef double many_classes(
        self, Py_ssize_t n_seen, const long long[:, ::1] sums, long long least, double slack
    ) noexcept nogil
    cdef double measures(
        self, Py_ssize_t n_seen, long long weight, long long total, long long middle,
        long long least, double slack
    ) noexcept nogil
    cdef double least_variance(
        self, Py_ssize_t cuts, long long weight, long long total, long long middle,
        long long least, double slack
    ) noexcept nogil
