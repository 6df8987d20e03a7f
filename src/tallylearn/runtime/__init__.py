"""What the machine offers: CPU count, BLAS threads, memory, worker threads, progress, files."""
