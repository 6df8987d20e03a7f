cimport cython

from tallylearn.kernels.trees.median_search cimport MedianSearch
from tallylearn.kernels.trees.partition cimport halve, scatter
from tallylearn.kernels.trees.random_numbers cimport mixed
from tallylearn.kernels.trees.record cimport (
    DEPTH, END, FIRST, LEADS_FULL, NODES_FULL, PAUSED, SEED, STACK_FULL, TIES_FULL, Record,
)
from tallylearn.kernels.trees.settings cimport (
    AS_NODE, AS_TABLE, MULTIWAY, NUMBER, SUBSET, Columns,
)

@cython.final
cdef class MedianGrower:
    cdef Columns columns
    cdef MedianSearch search
    cdef readonly Record record
    cdef int[::1] group
    cdef unsigned char[::1] half
    cdef long long[::1] starts
    cdef int step(self) noexcept nogil
    cdef Py_ssize_t send(self, Py_ssize_t j, Py_ssize_t v) noexcept nogil
    cdef Py_ssize_t led(self, Py_ssize_t j, Py_ssize_t v, Py_ssize_t usual) noexcept nogil
    cdef void write(self, Py_ssize_t asked, Py_ssize_t v) noexcept nogil
    cdef void part_all(self, Py_ssize_t branches, long long depth) noexcept nogil
    cdef void put_on(self, Py_ssize_t branches) noexcept nogil
