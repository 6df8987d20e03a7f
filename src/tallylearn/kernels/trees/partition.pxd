cdef void halve(
    long long[::1] entries, long long mask, const unsigned char[::1] half, long long[::1] spare
) noexcept nogil
cdef void scatter(
    long long[::1] entries, long long mask, const int[::1] side, const long long[::1] starts,
    Py_ssize_t children, long long[::1] spare
) noexcept nogil
