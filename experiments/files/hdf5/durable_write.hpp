#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

namespace optinc {

/// A file that a process has open; closed with it.
class Descriptor {
 public:
  /// Takes over an open file descriptor; -1: none.
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor();
  /// The file descriptor, which this goes on to own.
  int get() const { return fd_; }

 private:
  int fd_;
};

/// Writes all bytes to a new file `path` and returns once the disk has them (fsync), with the file locked:
/// while the descriptor lives, remove_if_abandoned() leaves it. Throws Error when the disk does not take them
/// and where anything lies there, a link included; `shown` stands for the path in the message.
Descriptor write_durably(const std::filesystem::path& path, std::span<const std::byte> bytes,
                         std::string_view shown);

/// Removes what write_durably() wrote to `path` unless a living process holds it. Anything but a plain file
/// stays.
void remove_if_abandoned(const std::filesystem::path& path);

}  // namespace optinc
