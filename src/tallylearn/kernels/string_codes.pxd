cimport cython

cdef enum:  # of every column
    KIND = 0
    PLACE = 1
    GAPS = 2
    ODD = 3
    KNOWN = 4
    SIZE = 5

@cython.final
cdef class Words:
    cdef const unsigned char[::1] text
    cdef int[:, ::1] plan
    cdef int[:, :, ::1] entries
    cdef int[:, ::1] slots
    cdef Py_ssize_t first
    cdef long long key
    cdef bint same(self, Py_ssize_t one, Py_ssize_t other, Py_ssize_t length) noexcept nogil
    cdef bint marker(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef void seed(self, int kind) noexcept nogil
    cdef long long numbered(
        self, Py_ssize_t c, Py_ssize_t start, Py_ssize_t stop
    ) noexcept nogil
    cdef void widen(self, Py_ssize_t c) noexcept nogil
    cdef long long hashed(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
