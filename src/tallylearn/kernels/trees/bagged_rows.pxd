cimport cython

from tallylearn.kernels.trees.random_numbers cimport mixed
from tallylearn.kernels.trees.few_rows cimport FEW, LABEL, TIMES, FewRows
from tallylearn.kernels.trees.impurity cimport Sweep, gini
from tallylearn.kernels.trees.code_sums cimport GAP, KNOWN, TOTAL, Lines
from tallylearn.kernels.trees.split_test cimport Question
from tallylearn.kernels.trees.rows cimport Rows
from tallylearn.kernels.trees.settings cimport (
    AS_CLASS, AS_NODE, GAIN, GINI, NUMBER, RATIO, VARIANCE, Settings,
)
from tallylearn.kernels.trees.split_search cimport Search

cdef class BaggedRows(Rows):
    cdef const unsigned short[:, ::1] grid
    cdef long long[::1] bag
    cdef long long[::1] hist
    cdef unsigned long long[::1] marks
    cdef const unsigned char[::1] places
    cdef int[::1] seen
    cdef Py_ssize_t n_seen
    cdef long long[::1] measured
    cdef long long[:, ::1] cuts
    cdef Sweep by_code
    cdef FewRows few
    cdef bint gathered
    cdef int[::1] sides
    cdef bint counted
    cdef long long[::1] words
    cdef int[::1] alive
    cdef double[::1] firsts
    cdef double[::1] seconds
    cdef double[::1] edges
    cdef double[::1] bounds
    cdef int[::1] picked
    cdef double top
    cdef bint known_words(self, Py_ssize_t f, Search search) noexcept nogil
    cdef int count_words(self, Py_ssize_t f, Py_ssize_t words) noexcept nogil
    cdef double bound_words(self, Py_ssize_t words, long long least) noexcept nogil
    cdef double sweep_words(
        self, Py_ssize_t f, Py_ssize_t words, long long least, double slack
    ) noexcept nogil
    cdef bint total(self, long long[:, ::1] sums) noexcept nogil
    cdef void count_rows(self, long long[:, ::1] sums) noexcept nogil
    cdef bint sum_rows(self, long long[:, ::1] sums) noexcept nogil
    cdef void tabulate(self, Py_ssize_t f, Lines table) noexcept nogil
    cdef bint known(self, Py_ssize_t f, Search search) noexcept nogil
    cdef bint known_few(self, Py_ssize_t f, Search search) noexcept nogil
    cdef bint known_many(self, Py_ssize_t f, Search search) noexcept nogil
    cdef bint bare(self, Py_ssize_t f, Search search) noexcept nogil
    cdef void list_cuts(self, Py_ssize_t f, Search search) noexcept nogil
    cdef void take_sides(self, Question question) noexcept nogil
    cdef void halve(self, Py_ssize_t f, long long cut) noexcept nogil
    cdef void close_up(self, Py_ssize_t left, Py_ssize_t right) noexcept nogil
    cdef void find_sides(self, Question question) noexcept nogil
    cdef void scatter(self, Question question) noexcept nogil
    cdef void count_codes(self, Py_ssize_t f) noexcept nogil
    cdef void add_classes(self, Py_ssize_t f, bint few) noexcept nogil
    cdef void add_measures(self, Py_ssize_t f, bint few) noexcept nogil
    cdef void add_amounts(self, Py_ssize_t f) noexcept nogil
    cdef void list_seen(self, Py_ssize_t codes) noexcept nogil
    cdef void read_marks(self, Py_ssize_t codes) noexcept nogil
    cdef bint take_gap(self, Py_ssize_t f, Search search) noexcept nogil
    cdef double sweep(self, Search search, bint gapped) noexcept nogil
    cdef double sweep_sides(self, Py_ssize_t f, Search search) noexcept nogil
    cdef double swept_cut(self, Sweep sweep, Py_ssize_t n, int of, Search search) noexcept nogil
    cdef bint swept(self, Search search) noexcept nogil
    cdef void clear(self) noexcept nogil

cdef double halves(double a, double b, double first, double second) noexcept nogil
cdef double halves_of(long long x, long long y, long long first, long long second) noexcept nogil
