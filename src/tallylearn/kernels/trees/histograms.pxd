cimport cython

from tallylearn.kernels.trees.code_sums cimport TOTAL, Lines
from tallylearn.kernels.trees.rows cimport Rows
from tallylearn.kernels.trees.settings cimport Amounts

cdef class Histograms(Rows):
    cdef const unsigned short[:, ::1] grid
    cdef int[::1] order
    cdef long long[::1] ys
    cdef long long[:, ::1] hists
    cdef long long[::1] tally
    cdef int[::1] free
    cdef Py_ssize_t n_free, slot, codes, size_of
    cdef bint building, inherits
    cdef int largest
    cdef void count(self, long long[:, ::1] sums) noexcept nogil
    cdef void read_rows(self) noexcept nogil
    cdef void read(self, Py_ssize_t f) noexcept nogil
    cdef void prepare(self, Py_ssize_t f) noexcept nogil
    cdef void settle(self) noexcept nogil
    cdef void tabulate(self, Py_ssize_t f, Lines table) noexcept nogil
    cdef Py_ssize_t take_slot(self, Py_ssize_t slot) noexcept nogil
    cdef void give_back(self, Py_ssize_t slot) noexcept nogil
    cdef void bequeath(self, const int[::1] growing) noexcept nogil
    cdef void part_first(self) noexcept nogil
    cdef void part(self, Py_ssize_t f, long long[::1] spare) noexcept nogil
    cdef void fill(
        self, Py_ssize_t f, long long lo, long long hi, long long[::1] out
    ) noexcept nogil
    cdef void tabulate_few(self, Py_ssize_t f, Lines table) noexcept nogil
    cdef bint worth(self, long long rows) noexcept nogil
    cdef Py_ssize_t new_slot(self) noexcept nogil

cdef void add_rows(
    Amounts amounts, const unsigned short[::1] codes, const int[::1] rows, const long long[::1] ys,
    long long[::1] out
) noexcept nogil
cdef void add_classes(
    const unsigned short[::1] codes, const int[::1] rows, const long long[::1] ys, Py_ssize_t k,
    long long[::1] out
) noexcept nogil
cdef void add_measures(
    const unsigned short[::1] codes, const int[::1] rows, const long long[::1] ys,
    long long[::1] out
) noexcept nogil
cdef void add_row(
    Amounts amounts, Py_ssize_t row, long long[::1] out, Py_ssize_t at
) noexcept nogil
