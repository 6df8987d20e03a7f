cimport cython

from tallylearn.kernels.trees.impurity cimport (
    gini, gini_of_two, many_classes, measures, two_classes, two_entropies, variance,
)
from tallylearn.kernels.trees.code_sums cimport TOTAL, Lines
from tallylearn.kernels.trees.partition cimport halve, scatter
from tallylearn.kernels.trees.rows cimport Rows
from tallylearn.kernels.trees.settings cimport BETTER_SIDE, GINI, NUMBER, OWN_BRANCH, RATIO, VARIANCE
from tallylearn.kernels.trees.split_search cimport Search

cdef class SortedLists(Rows):
    cdef long long[:, ::1] entries
    cdef int bits
    cdef long long mask
    cdef long long[:, ::1] moving
    cdef void count(self, long long[:, ::1] sums) noexcept nogil
    cdef void read_rows(self) noexcept nogil
    cdef void read(self, Py_ssize_t f) noexcept nogil
    cdef void tabulate(self, Py_ssize_t f, Lines table) noexcept nogil
    cdef bint known(self, Py_ssize_t f, Search search) noexcept nogil
    cdef bint bare(self, Py_ssize_t f, Search search) noexcept nogil
    cdef void list_cuts(self, Py_ssize_t f, Search search) noexcept nogil
    cdef void part(self, Py_ssize_t f, long long[::1] spare) noexcept nogil
    cdef bint sweep(self, Py_ssize_t f, Search search) noexcept nogil
    cdef bint sweep_sides(
        self, Py_ssize_t f, Search search, long long end, long long some
    ) noexcept nogil
    cdef bint looked_up(self, Search search) noexcept nogil

cdef void count(const long long[::1] entries, int bits, long long[::1] sums) noexcept nogil
cdef Py_ssize_t count_lines(
    const long long[::1] entries, int bits, long long[:, ::1] lines, int[::1] codes, int[::1] tags
) noexcept nogil
cdef Py_ssize_t known_end(const long long[::1] entries, long long gap) noexcept nogil
cdef long long level_sum(
    const long long[::1] entries, const long long[::1] levels, long long middle
) noexcept nogil
cdef long long seconds(const long long[::1] entries, int bits) noexcept nogil
