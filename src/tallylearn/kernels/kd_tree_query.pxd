cimport cython

@cython.final
cdef class Tree:
    cdef const double[:, :, ::1] boxes
    cdef const double[:, ::1] frames
    cdef const float[:, :, ::1] lanes
    cdef const double[:, ::1] rows
    cdef const double[:, ::1] queries
    cdef long long[:, ::1] found
    cdef double[:, ::1] scores
    cdef Py_ssize_t groups
    cdef double ease
    cdef Py_ssize_t k
    cdef Py_ssize_t held
    cdef double limit
    cdef long long ask(self, Py_ssize_t i, Py_ssize_t k) noexcept nogil
    cdef double outside(self, Py_ssize_t v, Py_ssize_t i) noexcept nogil
    cdef void open(self, Py_ssize_t g, Py_ssize_t i) noexcept nogil
    cdef void beside(self, Py_ssize_t g, Py_ssize_t i, float* apart) noexcept nogil
    cdef void look(self, Py_ssize_t leaf, Py_ssize_t i) noexcept nogil
    cdef void measure(self, Py_ssize_t leaf, Py_ssize_t i, float* apart) noexcept nogil
    cdef void measure_four(
        self, Py_ssize_t v, Py_ssize_t j, Py_ssize_t i, float* apart
    ) noexcept nogil
    cdef float moved(self, Py_ssize_t v, Py_ssize_t j, Py_ssize_t i) noexcept nogil
    cdef void keep(self, long long row, double score, Py_ssize_t i) noexcept nogil
    cdef void add(self, long long row, double score, Py_ssize_t i) noexcept nogil
    cdef void drop(self, Py_ssize_t i) noexcept nogil
