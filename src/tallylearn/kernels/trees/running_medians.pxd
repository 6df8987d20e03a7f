cdef long long added(
    long long rank, long long units, const long long[::1] values, long long[::1] weights, long
    long[::1] sums
) noexcept nogil
cdef long long apart(
    const long long[::1] values, const long long[::1] weights, const long long[::1] sums, long
    long weight, long long total
) noexcept nogil
cdef void by_going(
    const int[::1] seq, const int[::1] place, const long long[::1] values, const long long[::1]
    units, int[:, ::1] chain, const long long[::1] ends, long long[::1] left, bint back
) noexcept nogil
cdef void by_coming(
    const int[::1] seq, const int[::1] place, const long long[::1] values, const long long[::1]
    units, long long[::1] weights, long long[::1] sums, const long long[::1] ends, long
    long[::1] left
) noexcept nogil
