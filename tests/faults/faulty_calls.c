/* Preloaded into a program, makes the N-th of its calls that change files go wrong: every moment at which a process can
   die, or a disk fail or be full, one after the other. Environment:

     FAULT_AT    N, from 1: writes to regular files, opens that create, fsync, fdatasync, ftruncate, link, rename, unlink,
                 unlinkat, remove, rmdir, mkdir; absent: none goes wrong
     FAULT_KIND  kill, after: SIGKILL before the call, behind it; torn: writes alone, half of one, then SIGKILL
                 broken: that call fails with EIO; dying: it and all that follow do; signal: it fails with EINTR
                 full: from then on calls that take room fail with ENOSPC; quota: that call fails with EDQUOT
     FAULT_LOG   a file that gets a line for each call: its name

   What goes wrong is told on standard error: "fault: CALL N". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { GOES_ON, REFUSED, DIES_BEHIND };

static atomic_long calls;

static int is_kind(const char* kind) {
  const char* wanted = getenv("FAULT_KIND");
  return wanted != NULL && strcmp(wanted, kind) == 0;
}

#define REAL(name, type) ((type)dlsym(RTLD_NEXT, name))
typedef int (*opening)(const char*, int, ...);
typedef ssize_t (*writing)(int, const void*, size_t);

static void log_call(const char* call) {
  const char* path = getenv("FAULT_LOG");
  if (path == NULL) return;
  const int fd = REAL("open", opening)(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  char line[64];
  const int size = snprintf(line, sizeof line, "%s\n", call);
  if (fd >= 0 && REAL("write", writing)(fd, line, (size_t)size) == size) close(fd);
}

static void die(void) {
  kill(getpid(), SIGKILL);
  pause();
}

static int refused(int error) {
  errno = error;
  return REFUSED;
}

/* What becomes of this call; `takes_room`: a full disk refuses it. */
static int faulty(const char* call, int takes_room) {
  if (is_kind("torn") && strcmp(call, "write") != 0) return GOES_ON;
  log_call(call);
  const char* at = getenv("FAULT_AT");
  const long wanted = at != NULL ? atol(at) : 0, number = atomic_fetch_add(&calls, 1) + 1;
  if (wanted <= 0 || number < wanted) return GOES_ON;
  if (number == wanted) {
    dprintf(2, "fault: %s %ld\n", call, number);
    if (is_kind("kill")) die();
    if (is_kind("after") || is_kind("torn")) return DIES_BEHIND;
    if (is_kind("broken")) return refused(EIO);
    if (is_kind("signal")) return refused(EINTR);
    if (is_kind("quota") && takes_room) return refused(EDQUOT);
  }
  if (is_kind("dying")) return refused(EIO);
  return is_kind("full") && takes_room ? refused(ENOSPC) : GOES_ON;
}

static int is_regular(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

#define CALL(type, name, takes_room, declaration, types, arguments) \
  type name declaration {                                           \
    const int fault = faulty(#name, takes_room);                    \
    if (fault == REFUSED) return -1;                                \
    const type result = REAL(#name, type (*) types) arguments;      \
    if (fault == DIES_BEHIND) die();                                \
    return result;                                                  \
  }
CALL(int, fsync, 1, (int fd), (int), (fd))
CALL(int, fdatasync, 1, (int fd), (int), (fd))
CALL(int, ftruncate, 0, (int fd, off_t size), (int, off_t), (fd, size))
CALL(int, link, 0, (const char* from, const char* to), (const char*, const char*), (from, to))
CALL(int, rename, 0, (const char* from, const char* to), (const char*, const char*), (from, to))
CALL(int, unlink, 0, (const char* path), (const char*), (path))
CALL(int, unlinkat, 0, (int folder, const char* path, int flags), (int, const char*, int), (folder, path, flags))
CALL(int, remove, 0, (const char* path), (const char*), (path))
CALL(int, rmdir, 0, (const char* path), (const char*), (path))
CALL(int, mkdir, 0, (const char* path, mode_t mode), (const char*, mode_t), (path, mode))

ssize_t write(int fd, const void* data, size_t size) {
  const int fault = is_regular(fd) ? faulty("write", 1) : GOES_ON;
  if (fault == REFUSED) return -1;
  const ssize_t written = REAL("write", writing)(fd, data, is_kind("torn") && fault == DIES_BEHIND ? size / 2 : size);
  if (fault == DIES_BEHIND) die();
  return written;
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  const int fault = is_regular(fd) ? faulty("writev", 1) : GOES_ON;
  if (fault == REFUSED) return -1;
  const ssize_t written = REAL("writev", ssize_t (*)(int, const struct iovec*, int))(fd, parts, count);
  if (fault == DIES_BEHIND) die();
  return written;
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  const int fault = faulty("pwrite", 1);
  if (fault == REFUSED) return -1;
  const ssize_t written = REAL("pwrite", ssize_t (*)(int, const void*, size_t, off_t))(fd, data, size, at);
  if (fault == DIES_BEHIND) die();
  return written;
}

ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) { return pwrite(fd, data, size, at); }

/* Whether a call of open() has a third argument. */
static int creates(int flags) { return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE; }

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if (creates(flags)) {
    va_list more;
    va_start(more, flags);
    mode = va_arg(more, mode_t);
    va_end(more);
  }
  const int fault = creates(flags) ? faulty("open", 1) : GOES_ON;
  if (fault == REFUSED) return -1;
  const int fd = REAL("open", opening)(path, flags, mode);
  if (fault == DIES_BEHIND) die();
  return fd;
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = creates(flags) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open(path, flags, mode);
}
