cdef unsigned long long mixed(unsigned long long z) noexcept nogil
cdef void shuffle(unsigned long long z, int[::1] pick) noexcept nogil
cdef double uniform(unsigned long long z) noexcept nogil
