cimport cython

cdef enum:  # rows of the sums
    TOTAL = 0
    LEFT = 1
    RIGHT = 2
    GAP = 3
    KNOWN = 4
    RARE = 5

@cython.final
cdef class Lines:
    cdef readonly Py_ssize_t n
    cdef bint gapped
    cdef int classes, k, q
    cdef long long[:, ::1] lines
    cdef int[::1] codes
    cdef int[::1] tags
    cdef long long[:, ::1] sums
    cdef int[::1] fills
    cdef void start(self, Py_ssize_t r, long long code) noexcept nogil
    cdef void tag(self, Py_ssize_t r) noexcept nogil
    cdef long long weight(self, Py_ssize_t r) noexcept nogil
    cdef long long amount(self, Py_ssize_t r, Py_ssize_t c) noexcept nogil
    cdef Py_ssize_t take(self, const long long[::1] counts, Py_ssize_t codes, int rows_at) noexcept nogil

cdef bint occupied(
    const long long[::1] counts, Py_ssize_t at, Py_ssize_t k, Py_ssize_t rows_at, Py_ssize_t classes
) noexcept nogil
