cimport cython

from tallylearn.kernels.trees.chance cimport mixed
from tallylearn.kernels.trees.impurity cimport codes_of_many, codes_of_measures, codes_of_two
from tallylearn.kernels.trees.lines cimport GAP, KNOWN, TOTAL, Lines
from tallylearn.kernels.trees.question cimport Question
from tallylearn.kernels.trees.rows cimport Rows
from tallylearn.kernels.trees.settings cimport (
    GINI, NUMBER, OWN_BRANCH, RATIO, VARIANCE, Settings,
)
from tallylearn.kernels.trees.split_search cimport Search

cdef enum:  # bits of an entry
    TIMES = 32  # before those that say how often it is in
    LABEL = 40  # and before those of its class

cdef class BaggedRows(Rows):
    cdef const unsigned short[:, ::1] grid
    cdef long long[::1] bag
    cdef long long[::1] hist
    cdef unsigned long long[::1] marks
    cdef const unsigned char[::1] places
    cdef int[::1] seen
    cdef Py_ssize_t n_seen
    cdef long long[::1] measured
    cdef long long[::1] moving
    cdef long long[:, ::1] cuts
    cdef long long[::1] found
    cdef int[::1] sides
    cdef bint counted
    cdef bint total(self, long long[:, ::1] sums) noexcept nogil
    cdef void count_rows(self, long long[:, ::1] sums) noexcept nogil
    cdef bint sum_rows(self, long long[:, ::1] sums) noexcept nogil
    cdef void tabulate(self, Py_ssize_t f, Lines table) noexcept nogil
    cdef bint known(self, Py_ssize_t f, Search search) noexcept nogil
    cdef bint bare(self, Py_ssize_t f, Search search) noexcept nogil
    cdef void list_cuts(self, Py_ssize_t f, Search search) noexcept nogil
    cdef void take_sides(self, Question question) noexcept nogil
    cdef void halve(self, Py_ssize_t f, long long cut) noexcept nogil
    cdef void scatter(self, Question question) noexcept nogil
    cdef void count_codes(self, Py_ssize_t f) noexcept nogil
    cdef void add_classes(self, Py_ssize_t f, bint few) noexcept nogil
    cdef void add_measures(self, Py_ssize_t f, bint few) noexcept nogil
    cdef void add_amounts(self, Py_ssize_t f) noexcept nogil
    cdef void list_seen(self, Py_ssize_t codes) noexcept nogil
    cdef void read_marks(self, Py_ssize_t codes) noexcept nogil
    cdef bint take_gap(self, Py_ssize_t f, Search search) noexcept nogil
    cdef double sweep(self, Search search, double gap) noexcept nogil
    cdef bint swept(self, Search search) noexcept nogil
    cdef void clear(self) noexcept nogil
