/* Preloaded into a program, makes the N-th of its calls that change files go wrong: every moment at which a process can
   die, or a disk be full, one after the other. Environment:

     FAULT_AT    N, from 1: writes to regular files, fsync, fdatasync, ftruncate, link, rename, unlink, remove, mkdir
     FAULT_KIND  kill: SIGKILL before the call; torn: writes alone, half of one, then SIGKILL; full: from then on
                 every write and fsync fails with ENOSPC

   What goes wrong is told on standard error: "fault: CALL N". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long calls;

static int is_kind(const char* kind) {
  const char* wanted = getenv("FAULT_KIND");
  return wanted != NULL && strcmp(wanted, kind) == 0;
}

/* 1 where this call is to go wrong. */
static int faulty(const char* call) {
  if (is_kind("torn") && strcmp(call, "write") != 0) return 0;
  const char* at = getenv("FAULT_AT");
  const long wanted = at != NULL ? atol(at) : 0, number = atomic_fetch_add(&calls, 1) + 1;
  if (wanted <= 0 || number < wanted || (number > wanted && !is_kind("full"))) return 0;
  if (number == wanted) dprintf(2, "fault: %s %ld\n", call, number);
  return 1;
}

static void die(void) {
  kill(getpid(), SIGKILL);
  pause();
}

/* A call that only death can keep from its work. */
#define MORTAL(name, declaration, types, arguments)          \
  int name declaration {                                      \
    int (*real) types = (int (*) types)dlsym(RTLD_NEXT, #name); \
    if (faulty(#name) && !is_kind("full")) die();             \
    return real arguments;                                    \
  }
/* A call that a full disk refuses, too. */
#define REFUSABLE(name)                                       \
  int name(int fd) {                                          \
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, #name); \
    if (faulty(#name)) {                                      \
      if (!is_kind("full")) die();                            \
      errno = ENOSPC;                                         \
      return -1;                                              \
    }                                                         \
    return real(fd);                                          \
  }

MORTAL(ftruncate, (int fd, off_t size), (int, off_t), (fd, size))
MORTAL(link, (const char* from, const char* to), (const char*, const char*), (from, to))
MORTAL(rename, (const char* from, const char* to), (const char*, const char*), (from, to))
MORTAL(unlink, (const char* path), (const char*), (path))
MORTAL(remove, (const char* path), (const char*), (path))
MORTAL(mkdir, (const char* path, mode_t mode), (const char*, mode_t), (path, mode))
REFUSABLE(fsync)
REFUSABLE(fdatasync)

ssize_t write(int fd, const void* data, size_t size) {
  ssize_t (*real)(int, const void*, size_t) = (ssize_t (*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || !faulty("write")) return real(fd, data, size);
  if (is_kind("full")) {
    errno = ENOSPC;
    return -1;
  }
  if (is_kind("torn")) real(fd, data, size / 2);
  die();
  return -1;
}
