cimport cython

from tallylearn.kernels.trees.code_sums cimport GAP, LEFT, RIGHT, TOTAL, Lines
from tallylearn.kernels.trees.settings cimport (
    AS_CLASS, AS_NODE, AS_TABLE, MULTIWAY, NUMBER, Columns, Settings,
)
from tallylearn.kernels.trees.split_search cimport Search

@cython.final
cdef class Question:
    cdef Settings settings
    cdef Columns columns
    cdef Lines table
    cdef readonly Py_ssize_t column
    cdef readonly long long cut, next
    cdef readonly int kind, children, gap_child
    cdef int[::1] child
    cdef void settle(self, Search search) noexcept nogil
    cdef int fitting_child(self, Search search) noexcept nogil
    cdef void halve(self, Search search) noexcept nogil
    cdef int child_of(self, long long code) noexcept nogil
    cdef int child_of_gap(self, int label) noexcept nogil
    cdef int test(self) noexcept nogil
    cdef bint significant(self, Search search) noexcept nogil
