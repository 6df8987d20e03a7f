cimport cython

cdef enum:  # columns of the stack
    PARENT = 0
    PLACE = 1
    FIRST = 2
    END = 3
    DEPTH = 4
    SEED = 5
    SLOT = 6

cdef enum:  # columns of the nodes, after parent and place
    TEST = 2
    COLUMN = 3
    CUT = 4
    NEXT = 5
    GAP_CHILD = 6
    ROWS = 7
    LEADS_END = 8
    TIES_END = 9

cdef enum:  # why growing stops: no room, or a pause
    NODES_FULL = 1
    LEADS_FULL = 2
    TIES_FULL = 3
    STACK_FULL = 4
    PAUSED = 9

@cython.final
cdef class Ties:
    cdef long long[:, ::1] ties
    cdef readonly Py_ssize_t n
    cdef void note(self, long long column, long long cut, long long after) noexcept nogil
    cdef bint full(self) noexcept nogil

@cython.final
cdef class Record:
    cdef long long[:, ::1] stack
    cdef double[:, ::1] bounds
    cdef long long[:, ::1] nodes
    cdef double[:, ::1] reals
    cdef long long[:, ::1] totals
    cdef long long[:, ::1] leads
    cdef readonly Ties ties
    cdef readonly Py_ssize_t n_nodes
    cdef Py_ssize_t waiting, n_leads
    cdef public long long cells_per_pause
    cdef bint no_room(self) noexcept nogil
    cdef void lead(self, long long code, long long child) noexcept nogil
    cdef void note(self, long long test, long long column, long long rows) noexcept nogil
    cdef void ask(self, long long cut, long long after, long long gap_child) noexcept nogil
    cdef void measure(self, double impurity, double gain) noexcept nogil
    cdef void part_at(self, double point) noexcept nogil
    cdef void close(self) noexcept nogil
    cdef void wait(
        self, Py_ssize_t at, long long parent, long long place, long long first, long long end,
        long long depth
    ) noexcept nogil
