from tallylearn.kernels.trees.bagged_rows cimport BaggedRows
from tallylearn.kernels.trees.few_rows cimport TIMES
from tallylearn.kernels.trees.code_sums cimport TOTAL
from tallylearn.kernels.trees.settings cimport GAIN, NUMBER, Amounts, Columns
from tallylearn.kernels.trees.short_lists cimport ShortLists
from tallylearn.kernels.trees.split_search cimport Search

cdef class InheritedRows(BaggedRows):
    cdef ShortLists lists
    cdef Py_ssize_t size_of, slot, n_free
    cdef long long[:, ::1] hists
    cdef int[::1] free
    cdef long long[::1] block
    cdef long long[::1] pairs
    cdef bint surveyed
    cdef void open(self, long long lo, long long hi, Py_ssize_t slot) noexcept nogil
    cdef bint total(self, long long[:, ::1] sums) noexcept nogil
    cdef Py_ssize_t take_slot(self, Py_ssize_t slot) noexcept nogil
    cdef Py_ssize_t new_slot(self) noexcept nogil
    cdef void give_back(self, Py_ssize_t slot) noexcept nogil
    cdef void empty(self, Py_ssize_t slot) noexcept nogil
    cdef void add(self, Py_ssize_t slot, long long lo, long long hi, long long sign) noexcept nogil
    cdef void add_block(self, Py_ssize_t f, Py_ssize_t n, long long[::1] out) noexcept nogil
    cdef void survey(self, Search search) noexcept nogil
    cdef bint known(self, Py_ssize_t f, Search search) noexcept nogil
    cdef bint known_counts(self, Py_ssize_t f, Search search) noexcept nogil
    cdef void count_codes(self, Py_ssize_t f) noexcept nogil
    cdef void bequeath(self, const int[::1] growing) noexcept nogil
    cdef void leave_counts(self, const int[::1] growing) noexcept nogil
    cdef bint worth(self, int c, const int[::1] growing) noexcept nogil
