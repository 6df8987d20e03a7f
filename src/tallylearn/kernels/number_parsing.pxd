cimport cython

cdef bint of_month(long long day, long long month, long long year) noexcept nogil
cdef double power(long long k) noexcept nogil
cdef double quotient(unsigned long long w, double p) noexcept nogil

@cython.final
cdef class Numerals:
    cdef const unsigned char[::1] text
    cdef double[:, ::1] out
    cdef long long decimal
    cdef bint slow
    cdef long long four(self, Py_ssize_t i) noexcept nogil
    cdef Py_ssize_t read_as(
        self, int kind, Py_ssize_t i, Py_ssize_t n, Py_ssize_t place, Py_ssize_t row
    ) noexcept nogil
    cdef Py_ssize_t day(
        self, Py_ssize_t i, Py_ssize_t n, Py_ssize_t place, Py_ssize_t row
    ) noexcept nogil
    cdef Py_ssize_t read(
        self, Py_ssize_t i, Py_ssize_t n, Py_ssize_t place, Py_ssize_t row
    ) noexcept nogil
