cimport cython
from libc.math cimport ceil, log2

from tallylearn.kernels.trees.random_thresholds cimport Draws
from tallylearn.kernels.trees.missing_values cimport set_apart
from tallylearn.kernels.trees.impurity cimport Impurity
from tallylearn.kernels.trees.code_sums cimport GAP, KNOWN, LEFT, RARE, RIGHT, TOTAL, Lines
from tallylearn.kernels.trees.record cimport Ties
from tallylearn.kernels.trees.settings cimport (
    BETTER_SIDE, IN_PARTS, MULTIWAY, NUMBER, OWN_BRANCH, POISSON, RATIO, SUBSET, Columns, Settings,
)

@cython.final
cdef class Search:
    cdef Settings settings
    cdef Columns columns
    cdef readonly Impurity impurity
    cdef Lines table
    cdef long long[:, ::1] lines
    cdef long long[:, ::1] sums
    cdef int k, classes
    cdef bint any_size, pooled, follows
    cdef Ties ties
    cdef readonly long long rows, min_weight, min_leaf  # the least weight and rows of a branch
    cdef double gap_mass, low, high, before_split
    cdef bint lenient
    cdef double[::1] least_known
    cdef double[::1] fines
    cdef int slope
    cdef Py_ssize_t found, only
    cdef Draws draws
    cdef double[::1] gains
    cdef double[::1] infos
    cdef int[::1] orders
    cdef int[::1] turn
    cdef double[::1] keys
    cdef int[::1] rare
    cdef void open(self, long long rows, bint flat) noexcept nogil
    cdef void look(self, Py_ssize_t f) noexcept nogil
    cdef void take_gap(self, Py_ssize_t f) noexcept nogil
    cdef bint own_branch(self) noexcept nogil
    cdef void note(self, Py_ssize_t f, double after, double info) noexcept nogil
    cdef bint enough(self, long long[:, ::1] t, Py_ssize_t r) noexcept nogil
    cdef double answer(self, long long[:, ::1] t, Py_ssize_t r) noexcept nogil
    cdef double middle(self, long long cut, int gap_child) noexcept nogil
    cdef void ask_all(self, Py_ssize_t f) noexcept nogil
    cdef void join_line(self, Py_ssize_t r) noexcept nogil
    cdef Py_ssize_t fitting_line(self) noexcept nogil
    cdef void ask_c45(self, Py_ssize_t f) noexcept nogil
    cdef double least_side_rows(self) noexcept nogil
    cdef bint fair(self, Py_ssize_t f, Py_ssize_t r, double least) noexcept nogil
    cdef double c45_gain(self, Py_ssize_t f, Py_ssize_t r, double least) noexcept nogil
    cdef void list_c45(self, Py_ssize_t f, bint all_of_them) noexcept nogil
    cdef long long row_sum(self, long long[:, ::1] t, Py_ssize_t r) noexcept nogil
    cdef void ask_two(self, Py_ssize_t f) noexcept nogil
    cdef void arrange(self, Py_ssize_t f, Py_ssize_t c) noexcept nogil
    cdef void pool(self, long long least) noexcept nogil
    cdef double share(self, long long[:, ::1] t, Py_ssize_t r, Py_ssize_t c) noexcept nogil
    cdef bint allowed(self, Py_ssize_t r) noexcept nogil
    cdef void sort(self) noexcept nogil
    cdef void sink(self, Py_ssize_t i, Py_ssize_t n) noexcept nogil
    cdef bint before(self, int a, int b) noexcept nogil
    cdef Py_ssize_t start(self) noexcept nogil
    cdef void move(self, Py_ssize_t r) noexcept nogil
    cdef double mass_after(self) noexcept nogil
    cdef double mass_beside(self, int side) noexcept nogil
    cdef bint fits_left(self) noexcept nogil
    cdef double mass_of_sides(self) noexcept nogil
    cdef bint may_be(self) noexcept nogil
    cdef bint orderly(self) noexcept nogil
    cdef double scan(self) noexcept nogil
    cdef void list_best(self, Py_ssize_t f, bint all_of_them) noexcept nogil
    cdef void find(self, Py_ssize_t f) noexcept nogil
    cdef double info(self) noexcept nogil

cdef double odds(long long c, long long n) noexcept nogil
