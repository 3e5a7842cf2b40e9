/* A library that somebody left in a folder: leaves a file there when it is loaded. */
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void loaded(void) {
  const int fd = open("LOADED", O_CREAT | O_WRONLY, 0600);
  if (fd >= 0) close(fd);
}
