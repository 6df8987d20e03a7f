cdef enum:  # what a column is read as: plan[:, KIND]
    NUMBER = 0
    WORD = 1
    TEXT = 2
    PASSED = 3

cdef enum:  # of every column
    KIND = 0
    PLACE = 1
    GAPS = 2
    ODD = 3
    KNOWN = 4
    SIZE = 5

cdef enum:  # of the text
    AT = 0
    ROWS = 1
    BEGAN = 2
    CELLS = 3
    HARD = 4
    CONTENT = 5
    STOP = 6
    SLOW = 7
    FIRST = 8
    MARKS = 9
    DELIMITER = 10
    QUOTE = 11
    DECIMAL = 12
    MARKED = 13
    KEY = 14

cdef enum:  # how a call ends
    DONE = 0
    RAGGED = 1
    OPEN = 2
