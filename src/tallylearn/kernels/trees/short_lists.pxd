cimport cython

from tallylearn.kernels.trees.few_rows cimport LABEL, TIMES
from tallylearn.kernels.trees.impurity cimport Sweep
from tallylearn.kernels.trees.code_sums cimport TOTAL
from tallylearn.kernels.trees.settings cimport NUMBER, Amounts, Columns
from tallylearn.kernels.trees.split_search cimport Search

@cython.final
cdef class ShortLists:
    cdef Columns columns
    cdef const unsigned short[:, ::1] grid
    cdef long long[::1] bag
    cdef long long[:, ::1] cuts
    cdef const long long[:, ::1] amounts
    cdef const long long[::1] levels
    cdef int q
    cdef int[::1] asked
    cdef unsigned int[:, ::1] lists
    cdef unsigned int[::1] spare
    cdef unsigned int[::1] keys
    cdef int[::1] places
    cdef long long[::1] pairs
    cdef long long[:, ::1] each
    cdef int[::1] side
    cdef long long[::1] rows
    cdef int[::1] codes
    cdef int[::1] done
    cdef long long[::1] starts
    cdef Sweep sweep
    cdef double[::1] best
    cdef double[::1] inverses
    cdef double[::1] barred
    cdef readonly long long most
    cdef long long base, weight, middle, least, whole
    cdef void open(self, long long lo, long long hi) noexcept nogil
    cdef void sort(self, Py_ssize_t f, Py_ssize_t n) noexcept nogil
    cdef void scatter(self, int shift, Py_ssize_t n) noexcept nogil
    cdef bint total(
        self, long long lo, long long hi, long long[:, ::1] sums, long long[::1] measured
    ) noexcept nogil
    cdef void survey(self, long long lo, long long hi, Search search) noexcept nogil
    cdef void survey_two(self, long long lo, Search search) noexcept nogil
    cdef double guess(self, Py_ssize_t f, Py_ssize_t at, Py_ssize_t end) noexcept nogil
    cdef double exact(
        self, Py_ssize_t f, Py_ssize_t at, Py_ssize_t end, double slack
    ) noexcept nogil
    cdef void keep(
        self, Py_ssize_t f, Py_ssize_t at, Py_ssize_t n, int child, Py_ssize_t start
    ) noexcept nogil
    cdef void part(
        self, long long lo, long long hi, const long long[::1] starts, int children
    ) noexcept nogil
    cdef void halve(self, Py_ssize_t f, Py_ssize_t at, Py_ssize_t n) noexcept nogil
    cdef void spread(self, Py_ssize_t f, Py_ssize_t at, Py_ssize_t n) noexcept nogil
