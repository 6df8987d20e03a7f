from tallylearn.kernels.trees.bagged_rows cimport BaggedRows
from tallylearn.kernels.trees.few_rows cimport LABEL, TIMES
from tallylearn.kernels.trees.code_sums cimport LEFT, RIGHT, TOTAL
from tallylearn.kernels.trees.settings cimport NUMBER
from tallylearn.kernels.trees.split_search cimport Search

cdef class DrawnRows(BaggedRows):
    cdef long long[::1] ends
    cdef bint known(self, Py_ssize_t f, Search search) noexcept nogil
    cdef double mass_after(self, Search search) noexcept nogil
    cdef void find_ends(self, Py_ssize_t f) noexcept nogil
    cdef long long last_below(self, Py_ssize_t f, double point) noexcept nogil
    cdef void add_left(self, Py_ssize_t f, long long cut, Search search) noexcept nogil
