cimport cython
from libc.math cimport ceil, log2

from tallylearn.kernels.trees.impurity cimport xlogx
from tallylearn.kernels.trees.record cimport Ties
from tallylearn.kernels.trees.settings cimport NUMBER, Columns, Limits

@cython.final
cdef class C45Search:
    cdef Columns columns
    cdef Limits limits
    cdef Ties ties
    cdef long long[:, ::1] lists  # (p, c) code * 2^32 + item, sorted
    cdef long long[::1] units  # (c,) the weight of every item
    cdef int[::1] labels  # (c,) and its class
    cdef long long[::1] rows  # (c,) how many rows it stands for, in units of ``row``
    cdef double row
    cdef bint weighed  # whether weights are no numbers of rows
    cdef const long long[::1] crowded  # (p,) 1 for what is left out of the mean gain
    cdef const int[::1] reach  # for every code of a number the first that is told apart from it
    cdef const long long[::1] starts  # (p + 1,) where those of a column begin
    cdef const double[::1] logs  # (n + 1,) x log2 x
    cdef Py_ssize_t k
    cdef long long[::1] total  # (k,) of the node
    cdef long long[:, ::1] sides  # (2, k) below a cut, and above it
    cdef double[:, ::1] side_logs  # (2, k) x log2 x of them
    cdef double[:, ::1] gains  # (p, 2): gain and ratio; -1: it does not count
    cdef long long[::1] ways  # (p,) how many cuts there are
    cdef double[::1] found  # (3,) of a column: how many cuts, what the best leaves, below it
    cdef double[::1] after  # (c,) what every cut leaves mixed
    cdef bint flat  # whether all items of the node weigh the same
    cdef double each  # what an item weighs then
    cdef double weight
    cdef long long all_rows  # of the node, in units of ``row``
    cdef double n_rows  # the same
    cdef long long known_rows  # of the items with an answer
    cdef double impurity
    cdef double known  # weight of the items with an answer
    cdef double before  # their weight times their impurity
    cdef double least  # the rows that each side of a cut must have
    cdef long long cut  # the last code of the first branch
    cdef long long next  # and the first of the second
    cdef double gain
    cdef void sum_up(self, Py_ssize_t s, Py_ssize_t m) noexcept nogil
    cdef bint asks(self, long long[::1] counts, long long rows, long long depth) noexcept nogil
    cdef Py_ssize_t choose(self, Py_ssize_t s, Py_ssize_t m) noexcept nogil
    cdef Py_ssize_t list_best(self, Py_ssize_t s, Py_ssize_t m, double top) noexcept nogil
    cdef void list_cuts(self, Py_ssize_t j, Py_ssize_t s, Py_ssize_t m) noexcept nogil
    cdef Py_ssize_t stand_above(self, Py_ssize_t j, Py_ssize_t s, Py_ssize_t m) noexcept nogil
    cdef void look(self, Py_ssize_t j, Py_ssize_t s, Py_ssize_t m) noexcept nogil
    cdef void ask_all(self, Py_ssize_t j, Py_ssize_t s, Py_ssize_t end) noexcept nogil
    cdef void note_cut(
        self, Py_ssize_t j, Py_ssize_t ways, double after, double below
    ) noexcept nogil
    cdef void note(self, Py_ssize_t j, double after, double parts, double fine) noexcept nogil
    cdef double look_closely(self, Py_ssize_t j, Py_ssize_t s, Py_ssize_t m) noexcept nogil
    cdef long long move(self, Py_ssize_t j, Py_ssize_t s, Py_ssize_t i) noexcept nogil
    cdef double mixed_after(
        self, Py_ssize_t j, Py_ssize_t i, double below, long long rows
    ) noexcept nogil

cdef void by_counts(
    const long long[::1] entries, const int[::1] labels, const int[::1] reach,
    const double[::1] logs, long long[:, ::1] sides, long long unit, Py_ssize_t least, double[::1] found
) noexcept nogil
cdef void by_parts(
    const long long[::1] entries, const int[::1] labels, const long long[::1] units,
    const long long[::1] rows, const int[::1] reach, long long[:, ::1] sides, double[:, ::1] logs,
    long long all_rows, double[::1] found
) noexcept nogil
cdef double moved(
    const long long[:, ::1] sides, double[:, ::1] logs, Py_ssize_t c, double one
) noexcept nogil
