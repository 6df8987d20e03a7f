cimport cython
from libc.math cimport floor

from tallylearn.kernels.trees.c45_search cimport C45Search
from tallylearn.kernels.trees.record cimport (
    DEPTH, END, FIRST, LEADS_FULL, NODES_FULL, PAUSED, STACK_FULL, TIES_FULL, Record,
)
from tallylearn.kernels.trees.settings cimport NUMBER, Columns

@cython.final
cdef class C45Grower:
    cdef Columns columns
    cdef C45Search search
    cdef readonly Record record
    cdef long long[:, ::1] branch  # (b, k + 5): classes, known weight, items, first item, the code
    # that leads there (then whether it may ask), and rows: see the next five
    cdef Py_ssize_t weight_at, items_at, first_at, code_at, rows_at
    cdef long long[::1] fill  # (b,) where its next item goes
    cdef int[::1] side  # (c,) the branch of every item; -1: all of them
    cdef int[::1] place  # (c,) its number in the branch, or among those without an answer
    cdef long long[::1] spare  # (c,)
    cdef int[::1] spare_labels  # (c,)
    cdef long long[::1] spare_rows  # (c,), or none where weights are numbers of rows
    cdef int[::1] share  # (branches * gaps,) the numbers of parts in their branches; -1: none
    cdef Py_ssize_t none  # items without an answer
    cdef double answered  # units of the others
    cdef readonly long long need  # room that was not there
    cdef int step(self) noexcept nogil
    cdef Py_ssize_t send(self, Py_ssize_t j, Py_ssize_t s, Py_ssize_t m) noexcept nogil
    cdef int number_parts(
        self, Py_ssize_t j, Py_ssize_t branches, Py_ssize_t s, Py_ssize_t m
    ) noexcept nogil
    cdef long long part_of(
        self, long long[::1] amounts, Py_ssize_t j, Py_ssize_t b, Py_ssize_t at, Py_ssize_t s
    ) noexcept nogil
    cdef void write(
        self, Py_ssize_t asked, Py_ssize_t branches, Py_ssize_t m
    ) noexcept nogil
    cdef void hand_out(
        self, Py_ssize_t s, Py_ssize_t m, Py_ssize_t j, Py_ssize_t branches
    ) noexcept nogil
    cdef void part_all(
        self, Py_ssize_t s, Py_ssize_t m, Py_ssize_t branches, long long depth
    ) noexcept nogil
    cdef void part_list(
        self, Py_ssize_t j, Py_ssize_t s, Py_ssize_t m, Py_ssize_t branches
    ) noexcept nogil
    cdef void put_on(self, Py_ssize_t s, Py_ssize_t branches) noexcept nogil

cdef long long rounded(double x) noexcept nogil
cdef void part_two(
    long long[::1] entries, const int[::1] side, const int[::1] place, Py_ssize_t s, Py_ssize_t m,
    long long[::1] spare
) noexcept nogil
