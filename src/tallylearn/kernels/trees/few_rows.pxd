cimport cython

from tallylearn.kernels.trees.impurity cimport Sweep

cdef enum:
    FEW = 32
    TIMES = 32  # bits of an entry before those that say how often it is in
    LABEL = 40  # and before those of its class

@cython.final
cdef class FewRows:
    cdef const unsigned short[:, ::1] grid
    cdef long long[::1] bag
    cdef long long[::1] measured
    cdef int classes
    cdef Sweep sweep
    cdef Py_ssize_t n
    cdef Py_ssize_t[FEW] rows
    cdef long long[2 * FEW] pairs
    cdef int[FEW] keys
    cdef int[FEW] ranks
    cdef int[FEW] order
    cdef int[FEW] codes
    cdef void open(self, long long lo, long long hi) noexcept nogil
    cdef Py_ssize_t arrange(self, Py_ssize_t f) noexcept nogil
    cdef Py_ssize_t count(self) noexcept nogil
