cdef Py_ssize_t next_node(
    Py_ssize_t at, Py_ssize_t i, const double[:, :] numbers, const int[:, :] categories,
    const int[:, ::1] steps, const double[::1] threshold, const int[:, ::1] leads
) noexcept nogil
