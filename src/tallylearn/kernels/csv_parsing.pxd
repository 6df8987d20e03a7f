from tallylearn.kernels.number_parsing cimport Numerals
from tallylearn.kernels.string_codes cimport GAPS, KIND, KNOWN, ODD, PLACE, SIZE, Words

cdef enum:  # what a column is read as: plan[:, KIND]
    NUMBER = 0
    DAY = 1
    WORD = 2
    TEXT = 3
    PASSED = 4

cdef enum:  # of the text
    AT = 0
    ROWS = 1
    BEGAN = 2
    CELLS = 3
    HARD = 4
    CONTENT = 5
    STOP = 6
    FIRST = 7
    MARKS = 8
    DELIMITER = 9
    QUOTE = 10
    DECIMAL = 11
    MARKED = 12
    KEY = 13

cdef enum:  # how a call ends
    DONE = 0
    RAGGED = 1
    OPEN = 2

cdef bint ends_line(unsigned char c) noexcept nogil
cdef bint halved(unsigned char[::1] text, Py_ssize_t j, long long[::1] state) noexcept nogil
cdef bint is_blank(unsigned char c) noexcept nogil
cdef bint placed(
    const int[:, ::1] plan, Py_ssize_t numbers, Py_ssize_t words, Py_ssize_t slots
) noexcept nogil
