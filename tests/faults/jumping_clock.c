/* Preloaded into a program, sets its calendar off by a year at every look, forth and back: no clock on a wall is so
   wrong. The steady clocks stay. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

static time_t jump(void) {
  static atomic_int looks;
  const time_t year = 365 * 86400;
  return atomic_fetch_add(&looks, 1) % 2 == 0 ? year : -year;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  int (*real)(clockid_t, struct timespec*) = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int status = real(clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += jump();
  return status;
}

time_t time(time_t* now) {
  struct timespec there;
  clock_gettime(CLOCK_REALTIME, &there);
  if (now != NULL) *now = there.tv_sec;
  return there.tv_sec;
}

int gettimeofday(struct timeval* now, void* zone) {
  (void)zone;
  struct timespec there;
  clock_gettime(CLOCK_REALTIME, &there);
  now->tv_sec = there.tv_sec;
  now->tv_usec = there.tv_nsec / 1000;
  return 0;
}
