from tallylearn.kernels.trees.code_sums cimport GAP, KNOWN, TOTAL, Lines
from tallylearn.kernels.trees.settings cimport AS_CLASS, AS_NODE, IN_PARTS

cdef void set_apart(Lines table, long long gap, int rule, bint number) noexcept nogil
cdef void find_fills(Lines table, int rule, bint number) noexcept nogil
