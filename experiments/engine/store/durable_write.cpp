#include "experiments/engine/store/durable_write.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "physics/core/check.hpp"

namespace optinc {

void write_durably(const std::filesystem::path& path, std::span<const std::byte> bytes,
                   std::string_view shown) {
  const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0666);
  bool good = fd >= 0;
  while (good && !bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    good = written > 0 || (written < 0 && errno == EINTR);
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  good = good && ::fsync(fd) == 0;
  const int error = errno;
  const bool closed = fd < 0 || ::close(fd) == 0;
  validate(good && closed,
           "{}: cannot be written ({}). Check the folder, your rights and the space left on the disk.", shown,
           std::strerror(good ? errno : error));
}

}  // namespace optinc
