from tallylearn.kernels.trees.random_numbers cimport mixed

cdef double exponential(double x, const double[::1] powers) noexcept nogil
cdef double log1p(double x) noexcept nogil
