cimport cython
from libc.math cimport floor, log

from tallylearn.kernels.trees.code_sums cimport TOTAL, Lines
from tallylearn.kernels.trees.item_parts cimport ItemParts, nearest, widened
from tallylearn.kernels.trees.rows cimport Rows
from tallylearn.kernels.trees.settings cimport IN_PARTS, NUMBER, POISSON
from tallylearn.kernels.trees.split_search cimport Search
from tallylearn.kernels.trees.split_test cimport Question

cdef class ItemLists(Rows):
    cdef bint in_parts, poisson
    cdef int rows_at
    cdef ItemParts items
    cdef long long[:, ::1] entries
    cdef long long[:, ::1] sums
    cdef long long[::1] row_counts  # of the children
    cdef long long[::1] limbs  # of a product
    cdef void open(self, long long lo, long long hi, Py_ssize_t slot) noexcept nogil
    cdef void amount(self, Py_ssize_t item) noexcept nogil
    cdef void multiply(self, Py_ssize_t item, long long y, long long w) noexcept nogil
    cdef void square(self, Py_ssize_t item, long long y, long long w) noexcept nogil
    cdef void add_product(self, Py_ssize_t at, long long x, long long w) noexcept nogil
    cdef void add_limbs(self, Py_ssize_t at, long long x, long long w) noexcept nogil
    cdef void add_log(self, Py_ssize_t item, long long y, long long w) noexcept nogil
    cdef bint total(self, long long[:, ::1] sums) noexcept nogil
    cdef void add(self, Py_ssize_t item, long long[::1] line) noexcept nogil
    cdef bint one_level(self) noexcept nogil
    cdef long long row_count(self, long long[:, ::1] sums) noexcept nogil
    cdef long long child_rows(self, int c) noexcept nogil
    cdef long long begin(self, int c) noexcept nogil
    cdef long long size(self, int c) noexcept nogil
    cdef void tabulate(self, Py_ssize_t f, Lines table) noexcept nogil
    cdef bint known(self, Py_ssize_t f, Search search) noexcept nogil
    cdef void take_sides(self, Question question) noexcept nogil
    cdef void note(self, Py_ssize_t item, int c, long long counted) noexcept nogil
    cdef void part_first(self) noexcept nogil
    cdef void bequeath(self, const int[::1] growing) noexcept nogil
    cdef void part(self, Py_ssize_t f, long long[::1] spare) noexcept nogil
