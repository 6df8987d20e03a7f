cimport cython
from libc.math cimport pow

from tallylearn.kernels.trees.random_numbers cimport mixed
from tallylearn.kernels.trees.split_test cimport Question
from tallylearn.kernels.trees.record cimport TIES_FULL, Ties
from tallylearn.kernels.trees.rows cimport Rows
from tallylearn.kernels.trees.settings cimport (
    AS_CLASS, AS_NODE, GAIN, GAIN_SQUARED, NUMBER, RATIO, Columns, Settings,
)
from tallylearn.kernels.trees.split_search cimport Search

@cython.final
cdef class Choice:
    cdef Settings settings
    cdef Columns columns
    cdef Search search
    cdef Rows rows
    cdef Ties ties
    cdef readonly Question question
    cdef double[::1] scores
    cdef double best
    cdef Py_ssize_t tie_start
    cdef readonly Py_ssize_t refused
    cdef int choose(self, unsigned long long seed) noexcept nogil
    cdef int withdraw(self, int full) noexcept nogil
    cdef bint select(self) noexcept nogil
    cdef double score(self, Py_ssize_t f, double gain, double mean) noexcept nogil
    cdef Py_ssize_t list_ties(self) noexcept nogil
    cdef void tabulate(self, Py_ssize_t f) noexcept nogil
