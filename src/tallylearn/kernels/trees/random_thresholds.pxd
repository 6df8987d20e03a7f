cimport cython

from tallylearn.kernels.trees.random_numbers cimport mixed, uniform
from tallylearn.kernels.trees.code_sums cimport Lines
from tallylearn.kernels.trees.settings cimport NUMBER, Columns

@cython.final
cdef class Draws:
    cdef Columns columns
    cdef Lines table
    cdef double[::1] keys
    cdef int[::1] rare
    cdef unsigned long long seed
    cdef double[::1] points
    cdef long long[::1] ranks
    cdef Py_ssize_t line_before(self, Py_ssize_t f, bint pooled) noexcept nogil
    cdef unsigned long long chance(self, Py_ssize_t f) noexcept nogil
    cdef double between(self, Py_ssize_t f, long long first, long long last) noexcept nogil
    cdef void part_at(
        self, Py_ssize_t f, double point, long long before, long long after
    ) noexcept nogil
    cdef Py_ssize_t cut(self, Py_ssize_t f) noexcept nogil
    cdef Py_ssize_t sides(self, Py_ssize_t f, bint pooled) noexcept nogil
