cimport cython

from tallylearn.kernels.trees.code_sums cimport TOTAL, Lines
from tallylearn.kernels.trees.split_test cimport Question
from tallylearn.kernels.trees.settings cimport NUMBER, Amounts, Columns
from tallylearn.kernels.trees.split_search cimport Search

cdef class Rows:
    cdef Columns columns
    cdef Amounts amounts
    cdef int classes, k, q
    cdef const int[::1] labels
    cdef const long long[:, ::1] each
    cdef const long long[::1] levels
    cdef readonly long long lo, hi
    cdef unsigned char[::1] half
    cdef int[::1] side
    cdef long long[::1] starts
    cdef long long[::1] first
    cdef int[::1] mixed
    cdef long long[::1] spare
    cdef int children
    cdef bint by_column, full
    cdef int[::1] heirs
    cdef void open(self, long long lo, long long hi, Py_ssize_t slot) noexcept nogil
    cdef bint total(self, long long[:, ::1] sums) noexcept nogil
    cdef bint one_class(self, long long[:, ::1] sums) noexcept nogil
    cdef bint one_measure(self) noexcept nogil
    cdef void count(self, long long[:, ::1] sums) noexcept nogil
    cdef void read_rows(self) noexcept nogil
    cdef void read(self, Py_ssize_t f) noexcept nogil
    cdef void tabulate(self, Py_ssize_t f, Lines table) noexcept nogil
    cdef void survey(self, Search search) noexcept nogil
    cdef bint known(self, Py_ssize_t f, Search search) noexcept nogil
    cdef void prepare(self, Py_ssize_t f) noexcept nogil
    cdef void settle(self) noexcept nogil
    cdef bint bare(self, Py_ssize_t f, Search search) noexcept nogil
    cdef void list_cuts(self, Py_ssize_t f, Search search) noexcept nogil
    cdef void take_sides(self, Question question) noexcept nogil
    cdef long long size(self, int c) noexcept nogil
    cdef long long begin(self, int c) noexcept nogil
    cdef long long row_count(self, long long[:, ::1] sums) noexcept nogil
    cdef long long child_rows(self, int c) noexcept nogil
    cdef void part(self, Py_ssize_t f, long long[::1] spare) noexcept nogil
    cdef void part_first(self) noexcept nogil
    cdef Py_ssize_t take_slot(self, Py_ssize_t slot) noexcept nogil
    cdef void give_back(self, Py_ssize_t slot) noexcept nogil
    cdef void bequeath(self, const int[::1] growing) noexcept nogil
