cimport cython

from tallylearn.kernels.trees.random_numbers cimport mixed, shuffle
from tallylearn.kernels.trees.choice cimport Choice
from tallylearn.kernels.trees.code_sums cimport TOTAL
from tallylearn.kernels.trees.split_test cimport Question
from tallylearn.kernels.trees.record cimport (
    DEPTH, END, FIRST, LEADS_FULL, NODES_FULL, PAUSED, SEED, SLOT, STACK_FULL, Record,
)
from tallylearn.kernels.trees.rows cimport Rows
from tallylearn.kernels.trees.settings cimport NUMBER, Columns, Settings
from tallylearn.kernels.trees.split_search cimport Search

@cython.final
cdef class Grower:
    cdef Settings settings
    cdef Columns columns
    cdef readonly Rows rows
    cdef Search search
    cdef Choice choice
    cdef readonly Record record
    cdef int[::1] pick
    cdef int[::1] asked
    cdef int[::1] growing
    cdef long long others_from, others_to
    cdef bint live
    cdef double middle
    cdef bint sum_up(self, Py_ssize_t at) noexcept nogil
    cdef int step(self) noexcept nogil
    cdef object check  # or None
    cdef object error
    cdef bint stopped
    cdef bint interrupted(self) noexcept with gil
    cdef void look(self) noexcept nogil
    cdef int ask(self, Py_ssize_t at) noexcept nogil
    cdef int divide(self, Py_ssize_t at) noexcept nogil
    cdef int slope(self) noexcept nogil
    cdef void bound(self, Py_ssize_t at, int c) noexcept nogil
    cdef void take_stock(self, long long depth) noexcept nogil
    cdef void put_on(self, Py_ssize_t at) noexcept nogil
    cdef void write(self, long long test, Py_ssize_t f) noexcept nogil
    cdef void leaf(self, Py_ssize_t at) noexcept nogil
    cdef int leave(self, Py_ssize_t at) noexcept nogil

cdef void copy(const long long[::1] line, long long[::1] out) noexcept nogil
