cimport cython

from tallylearn.kernels.boosting.loss_gradients cimport exponential, log1p

cdef enum:
    RUN = 512

cdef enum:  # losses
    SQUARED = 0
    LOGISTIC = 1
    SOFTMAX = 2

@cython.final
cdef class AdditiveBooster:
    cdef const unsigned char[:, ::1] codes
    cdef const int[:, ::1] terms
    cdef const long long[::1] starts
    cdef const long long[:, ::1] segments
    cdef const double[::1] y
    cdef const int[::1] labels
    cdef const double[::1] weights
    cdef const unsigned char[:, ::1] inner
    cdef const double[::1] sigmoids
    cdef const double[::1] powers
    cdef Py_ssize_t n, k, n_terms, n_hist, max_leaves, patience
    cdef readonly Py_ssize_t n_rounds, best_round
    cdef int loss
    cdef bint weighted, watched
    cdef double rate, min_leaf, min_hessian, smoothing, tol
    cdef readonly double[:, ::1] raw
    cdef readonly double[:, ::1] tables
    cdef readonly double[:, ::1] best
    cdef readonly double[::1] losses
    cdef readonly double[::1] counts
    cdef double[:, :, :, ::1] hist
    cdef double[:, ::1] update
    cdef double[:, ::1] g
    cdef double[:, ::1] h
    cdef int[::1] order
    cdef double[::1] score
    cdef double[:, :, ::1] prefix
    cdef double[:, ::1] halves
    cdef int[:, ::1] half_cuts
    cdef int[:, ::1] leaves
    cdef double[::1] leaf_gain
    cdef double[:, ::1] leaf_value
    cdef double[:, ::1] left
    cdef double[:, ::1] whole

    cdef void clear(self, Py_ssize_t t) noexcept nogil
    cdef void pass_rows(self, Py_ssize_t before, Py_ssize_t t) noexcept nogil
    cdef void apply_run(self, Py_ssize_t t, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil
    cdef void gradients(self, Py_ssize_t lo, Py_ssize_t m) noexcept nogil
    cdef void class_gradients(self, Py_ssize_t lo, Py_ssize_t m) noexcept nogil
    cdef void add_run(
        self, Py_ssize_t t, Py_ssize_t lo, Py_ssize_t m, Py_ssize_t copy
    ) noexcept nogil
    cdef bint search(self, Py_ssize_t t) noexcept nogil
    cdef bint search_column(self, Py_ssize_t t, Py_ssize_t copy) noexcept nogil
    cdef Py_ssize_t sort_cells(self, Py_ssize_t t, Py_ssize_t copy) noexcept nogil
    cdef void value_leaf(self, Py_ssize_t copy, Py_ssize_t leaf) noexcept nogil
    cdef void cut_leaf(
        self, Py_ssize_t t, Py_ssize_t copy, Py_ssize_t leaf, Py_ssize_t n_leaves
    ) noexcept nogil
    cdef double box(
        self, Py_ssize_t r0, Py_ssize_t r1, Py_ssize_t c0, Py_ssize_t c1, Py_ssize_t field
    ) noexcept nogil
    cdef double worth(
        self, Py_ssize_t r0, Py_ssize_t r1, Py_ssize_t c0, Py_ssize_t c1
    ) noexcept nogil
    cdef double search_pair(self, Py_ssize_t t, Py_ssize_t copy, bint write) noexcept nogil
    cdef void fill_halves(
        self, Py_ssize_t t, Py_ssize_t r0, Py_ssize_t r1, Py_ssize_t c0, Py_ssize_t c1,
        Py_ssize_t row, Py_ssize_t column
    ) noexcept nogil
    cdef void fill_box(
        self, Py_ssize_t t, Py_ssize_t r0, Py_ssize_t r1, Py_ssize_t c0, Py_ssize_t c1
    ) noexcept nogil
    cdef double validation_loss(self) noexcept nogil
    cdef bint note_loss(self) noexcept nogil
