#pragma once
// Shared by the targets.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "physics/core/check.hpp"

#include "tests/fuzz/targets.hpp"
#include "tests/support/files.hpp"
#include "tests/support/scratch.hpp"

namespace optinc::fuzz {

/// Runs a reader; whether it took what it read. Any exception but Error goes on, and is a finding.
template <class Reader>
bool accepted(Reader&& read) {
  try {
    read();
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Ends the process with the promise that was broken: a finding.
inline void demand(bool kept, const char* promise) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A file of that name with these bytes, in a folder that goes with the process.
inline std::filesystem::path written(Bytes bytes, std::string_view name) {
  static const Scratch folder;
  const std::filesystem::path path = folder / name;
  put(path, text_of(bytes));
  return path;
}

/// Reads numbers from the front of the input; zeros once it is used up.
class Feed {
 public:
  explicit Feed(Bytes bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }

  template <class T>
  T take() {
    T value{};
    const std::size_t size = std::min(sizeof value, bytes_.size());
    if (size > 0) std::memcpy(&value, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return value;
  }
  /// One of 0 .. count - 1 (0 of none).
  std::size_t below(std::size_t count) { return count == 0 ? 0 : take<std::uint16_t>() % count; }
  /// Up to 255 characters.
  std::string text() {
    const std::size_t size = std::min<std::size_t>(take<std::uint8_t>(), bytes_.size());
    const std::string text(text_of(bytes_.first(size)));
    bytes_ = bytes_.subspan(size);
    return text;
  }
  Bytes rest() const { return bytes_; }

 private:
  Bytes bytes_;
};

}  // namespace optinc::fuzz
