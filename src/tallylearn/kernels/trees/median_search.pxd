cimport cython

from tallylearn.kernels.trees.random_numbers cimport mixed, shuffle
from tallylearn.kernels.trees.random_thresholds cimport Draws
from tallylearn.kernels.trees.running_medians cimport by_coming, by_going
from tallylearn.kernels.trees.record cimport Ties
from tallylearn.kernels.trees.settings cimport (
    AS_NODE, BETTER_SIDE, GAIN, GAIN_SQUARED, MULTIWAY, NUMBER, OWN_BRANCH, Columns, Limits,
)

@cython.final
cdef class MedianSearch:
    cdef Columns columns
    cdef Limits limits
    cdef Ties ties
    cdef readonly Py_ssize_t n
    cdef int rule
    cdef long long[:, ::1] lists
    cdef int[::1] rows
    cdef const long long[::1] units  # (n,) the weight of every row
    cdef const long long[::1] ranks  # (n,) and its measure, among all
    cdef const long long[::1] values  # (v,) the measures
    cdef double unit  # of measure
    cdef int[::1] place  # (n,) of every row among those of the node by measure, from 1 on
    cdef int[::1] side  # (n,) the line of every row, or its branch
    cdef int[::1] seq  # (n,) the rows by line
    cdef int[:, ::1] chain  # (2, n + 2) the place before and after each that is left
    cdef int[::1] rank  # (n + 1,) the place of every line in the order of the cuts
    cdef int[::1] sorted  # (n + 1,) the lines in this order
    cdef long long[::1] measure  # (n + 1,) by place
    cdef long long[::1] weight  # (n + 1,) by place
    cdef long long[::1] codes  # (n + 1,) of the lines
    cdef long long[::1] ends  # (n + 1,) where they end
    cdef long long[::1] load  # (n + 1,) what they weigh; later the first of them together
    cdef long long[::1] left  # (n + 1,) how far both sides of every cut lie from their medians
    cdef long long[::1] spare  # (n + 1,)
    cdef int[::1] into  # (n + 1,) the line of every one when rare ones are one
    cdef int[::1] back  # (n + 1,) the first that has it
    cdef Py_ssize_t others  # the first rare line; -1: there is none
    cdef long long[:, ::1] sums  # (2, n + 1) see medians.added
    cdef double[:, ::1] gain  # (p, 2) of the first of the best questions; -1: there is none;
    # and of the least of them
    cdef long long[:, ::1] best  # (p, 5) how many those are, the line before the first cut,
    # its code and that of the line behind, -1: none, and the side that missing values follow
    cdef int[::1] turned  # (n,) the rows by line, those without a value first
    cdef long long[::1] turns  # (n + 2,) where these lines end
    cdef long long[::1] beside  # (n + 2,) what cuts between them leave apart
    cdef bint follows  # whether missing values go down the branch that they fit best
    cdef int[::1] asked  # the columns that have a code
    cdef int[::1] pick  # the order in which they are looked at
    cdef double[::1] score  # (p,) of every column; -1: it cannot be asked
    cdef Draws draws
    cdef Py_ssize_t n_left  # lines whose coin says left
    cdef Py_ssize_t s  # where the node begins
    cdef Py_ssize_t m  # its rows
    cdef Py_ssize_t held  # those that are in a line
    cdef bint uneven
    cdef long long total  # of w |y - median|
    cdef long long heft  # of w
    cdef long long middle  # the ranks of its median
    cdef long long second
    cdef long long low  # and of that of some rows
    cdef long long high
    cdef long long gap  # how far the rows without a value lie from their median
    cdef long long gap_load
    cdef double slack
    cdef double least  # what a branch must weigh
    cdef Py_ssize_t usual  # the line, then the branch of what is missing
    cdef void open(self, Py_ssize_t first, Py_ssize_t end) noexcept nogil
    cdef double mean(self, long long apart) noexcept nogil
    cdef long long apart_of(self, const int[::1] rows) noexcept nogil
    cdef bint asks(self, Py_ssize_t s, Py_ssize_t m, long long depth) noexcept nogil
    cdef Py_ssize_t choose(self) noexcept nogil
    cdef void survey(self) noexcept nogil
    cdef double score_of(self, Py_ssize_t j) noexcept nogil
    cdef Py_ssize_t take_tie(self, Py_ssize_t at) noexcept nogil
    cdef Py_ssize_t drawn_line(self, Py_ssize_t j, Py_ssize_t v) noexcept nogil
    cdef void flip_coins(self, Py_ssize_t j, Py_ssize_t v) noexcept nogil
    cdef void list_best(self, Py_ssize_t j) noexcept nogil
    cdef Py_ssize_t lay(self, Py_ssize_t j) noexcept nogil
    cdef bint own_branch(self) noexcept nogil
    cdef Py_ssize_t common(self, Py_ssize_t j, Py_ssize_t v) noexcept nogil
    cdef void lay_gaps(self, Py_ssize_t j, Py_ssize_t v) noexcept nogil
    cdef void order(self, Py_ssize_t v) noexcept nogil
    cdef void look(self, Py_ssize_t j) noexcept nogil
    cdef void ask_all(self, Py_ssize_t j, Py_ssize_t v) noexcept nogil
    cdef long long apart_joined(self, Py_ssize_t start, Py_ssize_t end) noexcept nogil
    cdef Py_ssize_t fitting_line(self, Py_ssize_t v) noexcept nogil
    cdef bint enough(self, long long load, long long rows) noexcept nogil
    cdef void arrange(self, Py_ssize_t j, Py_ssize_t v) noexcept nogil
    cdef Py_ssize_t pool(self, Py_ssize_t j, Py_ssize_t v) noexcept nogil
    cdef bint later(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil
    cdef void sweep_lines(self, Py_ssize_t v) noexcept nogil
    cdef void turn_lines(self, Py_ssize_t v) noexcept nogil
    cdef void sweep(
        self, const int[::1] seq, const long long[::1] ends, long long[::1] left
    ) noexcept nogil
    cdef void link(self) noexcept nogil
    cdef double fall_before(self, Py_ssize_t r) noexcept nogil
    cdef double fall_beside(self, Py_ssize_t r, Py_ssize_t v) noexcept nogil
    cdef double fall(self, Py_ssize_t r, Py_ssize_t v) noexcept nogil
