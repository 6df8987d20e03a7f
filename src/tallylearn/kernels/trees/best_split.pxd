cimport cython

from tallylearn.kernels.trees.choice cimport Choice
from tallylearn.kernels.trees.code_sums cimport TOTAL, Lines
from tallylearn.kernels.trees.record cimport TIES_FULL, Ties
from tallylearn.kernels.trees.rows cimport Rows
from tallylearn.kernels.trees.settings cimport Amounts, Columns, Settings
from tallylearn.kernels.trees.split_search cimport Search

cdef class Given(Rows):
    cdef const long long[:, ::1] counts
    cdef void tabulate(self, Py_ssize_t f, Lines table) noexcept nogil

@cython.final
cdef class BestSplit:
    cdef Settings settings
    cdef Columns columns
    cdef Amounts amounts
    cdef Given rows
    cdef Search search
    cdef Choice choice
    cdef Ties ties
