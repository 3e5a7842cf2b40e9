#include "experiments/files/hdf5/durable_write.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// A new file, locked. Whoever tidies up in between takes it for abandoned: it is then made once more.
Descriptor new_file(const std::filesystem::path& path) {
  for (;;) {
    Descriptor file(::open(path.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0666));
    struct stat status = {};
    if (file.get() < 0 || ::flock(file.get(), LOCK_EX) != 0 || ::fstat(file.get(), &status) != 0 ||
        status.st_nlink > 0)
      return file;  // without a lock where a file system has none: then nobody tidies up there
  }
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Descriptor write_durably(const std::filesystem::path& path, std::span<const std::byte> bytes,
                         std::string_view shown) {
  Descriptor file = new_file(path);
  bool good = file.get() >= 0;
  while (good && !bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    good = written > 0 || (written < 0 && errno == EINTR);
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  good = good && ::fsync(file.get()) == 0;
  validate(good, "{}: cannot be written ({}). Check the folder, your rights and the space left on the disk.",
           shown, std::strerror(errno));
  return file;
}

void remove_if_abandoned(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status = {};
  if (file.get() >= 0 && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
      ::flock(file.get(), LOCK_EX | LOCK_NB) == 0)
    ::unlink(path.c_str());  // while we hold it: new_file() waits, and then sees that its file is gone
}

}  // namespace optinc
