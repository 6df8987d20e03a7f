cimport cython

from tallylearn.kernels.trees.random_numbers cimport mixed

cdef enum:  # columns of the nodes
    START = 0
    END = 1
    DEPTH = 2
    LEFT = 3
    RIGHT = 4
    COLUMN = 5
    CUT = 6
    MISSING_LEFT = 7
    CATEGORICAL = 8
    SLOT = 9

cdef enum:  # columns of the reals
    VALUE = 0
    GAIN = 1
    LOWER = 2
    UPPER = 3

cdef enum:  # columns of the sums
    GRADIENT = 0
    HESSIAN = 1
    COUNT = 2

cdef enum:
    BINS = 256

@cython.final
cdef class LeafwiseGrower:
    cdef const unsigned char[:, :, ::1] codes
    cdef const unsigned char[::1] categorical
    cdef const int[::1] bins
    cdef const signed char[::1] monotonic
    cdef const unsigned char[:, ::1] groups
    cdef const long long[:, ::1] packed
    cdef readonly Py_ssize_t n, p, width, tiles, words, n_nodes, n_leaves
    cdef Py_ssize_t chunk, max_leaves, min_leaf, max_depth, max_features, n_free
    cdef int count_bits, hessian_bits
    cdef double g_unit, h_unit, l2, min_hessian
    cdef unsigned long long seed
    cdef bint constrained, ready
    cdef readonly int[::1] order
    cdef int[::1] spare
    cdef readonly long long[:, ::1] nodes
    cdef readonly long long[:, ::1] sums
    cdef long long[:, ::1] left_sums
    cdef readonly double[:, ::1] reals
    cdef readonly unsigned char[:, ::1] goes_left
    cdef unsigned char[:, ::1] node_groups
    cdef long long[:, :, :, ::1] hist
    cdef int[::1] free
    cdef long long[:, :, :, ::1] scratch
    cdef long long[:, :, ::1] gathered
    cdef unsigned char[:, ::1] considered
    cdef double[:, ::1] column_gain
    cdef int[:, ::1] column_cut
    cdef signed char[:, ::1] column_missing
    cdef long long[:, :, ::1] column_left
    cdef int[:, ::1] category_order
    cdef double[:, ::1] category_score
    cdef int[::1] pick
    cdef long long[::1] part_left
    cdef long long[::1] left_from
    cdef long long[::1] right_from
    cdef Py_ssize_t parent, small, large, parent_slot
    cdef bint small_open, large_open, subtract

    cdef bint choose_leaf(self) noexcept nogil
    cdef void open_pair(self, Py_ssize_t node) noexcept nogil
    cdef void prepare(self) noexcept nogil
    cdef bint splittable(self, Py_ssize_t node) noexcept nogil
    cdef void consider(self, Py_ssize_t c, Py_ssize_t node) noexcept nogil
    cdef int take(self) noexcept nogil
    cdef void give_back(self, Py_ssize_t node) noexcept nogil
    cdef void partition_run(self, Py_ssize_t part, Py_ssize_t parts) noexcept nogil
    cdef void join_runs(self, Py_ssize_t parts) noexcept nogil
    cdef void copy_run(self, Py_ssize_t part, Py_ssize_t parts) noexcept nogil
    cdef void survey_tiles(self, Py_ssize_t first, Py_ssize_t last) noexcept nogil
    cdef void fill(self, Py_ssize_t node, Py_ssize_t first, Py_ssize_t last) noexcept nogil
    cdef void clear(self, Py_ssize_t tile) noexcept nogil
    cdef void add_chunk(
        self, Py_ssize_t tile, Py_ssize_t lo, Py_ssize_t m, Py_ssize_t lane
    ) noexcept nogil
    cdef void unpack(self, Py_ssize_t tile, Py_ssize_t slot, bint add) noexcept nogil
    cdef void subtract_column(self, Py_ssize_t f) noexcept nogil
    cdef void search(self, Py_ssize_t c, Py_ssize_t node, Py_ssize_t f) noexcept nogil
    cdef void search_number(self, Py_ssize_t c, Py_ssize_t node, Py_ssize_t f) noexcept nogil
    cdef void scan(
        self, Py_ssize_t c, Py_ssize_t node, Py_ssize_t f, bint missing_left
    ) noexcept nogil
    cdef void search_category(self, Py_ssize_t c, Py_ssize_t node, Py_ssize_t f) noexcept nogil
    cdef Py_ssize_t sort_categories(self, Py_ssize_t node, Py_ssize_t f) noexcept nogil
    cdef double gain(
        self, Py_ssize_t node, double g_left, double h_left, double g_right, double h_right, int slope
    ) noexcept nogil
    cdef double bounded(self, Py_ssize_t node, double g, double h) noexcept nogil
    cdef void settle_node(self, Py_ssize_t c, Py_ssize_t node) noexcept nogil
    cdef void write_split(self, Py_ssize_t c, Py_ssize_t node, Py_ssize_t f) noexcept nogil
    cdef void settle_pair(self) noexcept nogil

cdef Py_ssize_t part_rows(
    const unsigned char[:, ::1] codes, Py_ssize_t column, unsigned char[::1] left, int[::1] order,
    int[::1] spare, Py_ssize_t lo, Py_ssize_t hi
) noexcept nogil

cdef void add_one_word(
    const unsigned char[:, ::1] codes, const int[::1] rows, const long long[:, ::1] packed,
    Py_ssize_t columns, long long[:, :, ::1] out
) noexcept nogil
cdef void add_two_words(
    const unsigned char[:, ::1] codes, const int[::1] rows, const long long[:, ::1] packed,
    Py_ssize_t columns, long long[:, :, ::1] out
) noexcept nogil
