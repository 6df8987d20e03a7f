cimport cython
from libc.math cimport floor

@cython.final
cdef class ItemParts:
    cdef const long long[::1] base
    cdef const long long[::1] row_units
    cdef readonly Py_ssize_t size  # of the arrays by item
    cdef int[::1] row
    cdef readonly long long[::1] units
    cdef long long[::1] counted
    cdef int[::1] side
    cdef int[::1] place
    cdef int[::1] lost
    cdef int[::1] parts
    cdef long long[::1] starts
    cdef long long[::1] sizes
    cdef long long[::1] weights
    cdef long long[::1] next  # where the next item of each child goes
    cdef bint full
    cdef Py_ssize_t children, n_lost
    cdef long long lo, n_items, used, known, need, need_parts
    cdef void open(self, long long lo, long long n_items) noexcept nogil
    cdef void begin(self, Py_ssize_t children) noexcept nogil
    cdef void keep(self, Py_ssize_t item, Py_ssize_t c) noexcept nogil
    cdef void lose(self, Py_ssize_t item) noexcept nogil
    cdef void number(self) noexcept nogil
    cdef long long part_of(self, Py_ssize_t item, Py_ssize_t c) noexcept nogil
    cdef long long count_of(self, Py_ssize_t item, long long units) noexcept nogil
    cdef void split(self) noexcept nogil
    cdef void scatter(self, long long[::1] entries, long long end, long long[::1] spare) noexcept nogil

cdef long long nearest(double x) noexcept nogil
cdef object widened(object array, Py_ssize_t size)
