/* The n-th call of one kind fails: on files of one folder, or of the larger allocations here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define LEAST (1 << 18) /* bytes: an array. NumPy itself does not live through all smaller ones */

static char kind[16], folder[4096];
static volatile long left = -1; /* calls before the one that fails; -1: none does */
static volatile int code;
static __thread int here; /* only the thread that asked runs out of memory */

void fail_at(const char *what, const char *where, long n, int error) {
  snprintf(kind, sizeof kind, "%s", what);
  snprintf(folder, sizeof folder, "%s", where);
  code = error;
  here = strcmp(what, "allocate") == 0;
  left = n;
}

/* Whether the call that was to fail has failed; none will from now on. */
int failed(void) {
  int done = left < 0;
  left = -1;
  here = 0;
  return done;
}

static int now(const char *what) {
  if (left < 0 || strcmp(kind, what) != 0 || __sync_fetch_and_sub(&left, 1) != 0) return 0;
  errno = code;
  return 1;
}

static int within(const char *path) { return strncmp(path, folder, strlen(folder)) == 0; }

static int of_folder(int file) {
  char link[64], path[4096];
  if (left < 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n < 0) return 0;
  path[n] = 0;
  return within(path);
}

#define REAL(result, name, ...)                                  \
  static result (*real)(__VA_ARGS__);                            \
  if (!real) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define AT_PLACE(name, what, buffer, offset)                              \
  ssize_t name(int file, buffer data, size_t size, offset at) {           \
    REAL(ssize_t, #name, int, buffer, size_t, offset);                    \
    return of_folder(file) && now(what) ? -1 : real(file, data, size, at); \
  }
#define NEXT(name, what, buffer, length)                              \
  ssize_t name(int file, buffer data, length size) {                  \
    REAL(ssize_t, #name, int, buffer, length);                        \
    return of_folder(file) && now(what) ? -1 : real(file, data, size); \
  }
#define SYNC(name)                                      \
  int name(int file) {                                  \
    REAL(int, #name, int);                              \
    return of_folder(file) && now("sync") ? -1 : real(file); \
  }
#define OPEN(name)                                          \
  int name(const char *path, int flags, ...) {              \
    REAL(int, #name, const char *, int, ...);               \
    va_list rest;                                           \
    va_start(rest, flags);                                  \
    int mode = va_arg(rest, int);                           \
    va_end(rest);                                           \
    return left >= 0 && within(path) && now("open") ? -1 : real(path, flags, mode); \
  }

NEXT(read, "read", void *, size_t)
NEXT(readv, "read", const struct iovec *, int)
AT_PLACE(pread, "read", void *, off_t)
AT_PLACE(pread64, "read", void *, off64_t)
NEXT(write, "write", const void *, size_t)
NEXT(writev, "write", const struct iovec *, int)
AT_PLACE(pwrite, "write", const void *, off_t)
AT_PLACE(pwrite64, "write", const void *, off64_t)
SYNC(fsync)
SYNC(fdatasync)
OPEN(open)
OPEN(open64)

int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  return left >= 0 && within(to) && now("rename") ? -1 : real(from, to);
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

#define SCARCE(size) (here && (size) >= LEAST && now("allocate"))

void *malloc(size_t size) { return SCARCE(size) ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return SCARCE(n * size) ? NULL : __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { return SCARCE(size) ? NULL : __libc_realloc(old, size); }
