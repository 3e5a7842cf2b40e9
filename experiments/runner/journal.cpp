#include "experiments/runner/journal.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "OPTINCJ1", suffix = ".journal";
enum Kind : std::uint32_t { header = 1, prelude_file = 2, one_trial = 3 };

/// Opens a frame; numbers in the byte order of the machine, which is little-endian wherever this runs.
struct Frame {
  std::uint32_t kind = 0;
  std::uint32_t checksum = 0;  ///< CRC-32 of the rest of the frame and the payload
  std::uint64_t point = 0, trial = 0, bytes = 0;
};
static_assert(sizeof(Frame) == 32);

std::uint32_t checksum(Frame frame, std::span<const std::byte> payload) {
  frame.checksum = 0;
  const auto add = [](uLong sum, const void* data, std::size_t size) {
    return crc32_z(sum, static_cast<const Bytef*>(data), size);
  };
  return static_cast<std::uint32_t>(
      add(add(crc32(0, nullptr, 0), &frame, sizeof frame), payload.data(), payload.size()));
}

[[noreturn]] void cannot(const fs::path& path, std::string_view verb) {
  throw Error(fmt::format(
      "{}: cannot {} ({}). What is finished so far is safe; make room or give rights, then use optinc "
      "resume.",
      path.string(), verb, std::strerror(errno)));
}

void write_all(int fd, const fs::path& path, const void* data, std::size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(fd, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) cannot(path, "be written");
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

/// Exactly `size` bytes; false where the file ends before.
bool read_all(int fd, const fs::path& path, void* data, std::size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = ::read(fd, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot(path, "be read");
    if (got == 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

void lock(int fd, const fs::path& path) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return;
  throw Error(
      fmt::format("{}: another process is writing this run (it holds the lock). Wait for it, or choose another "
                  "output.",
                  path.string()));
}

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// Hands a whole frame to whoever reads; true for the header.
bool deliver(const Frame& frame, std::span<const std::byte> payload, const Journal::Reader& reader) {
  if (frame.kind == header) {
    const std::string text(reinterpret_cast<const char*>(payload.data()), payload.size());
    const auto line = text.find('\n');
    if (line == text.npos) return false;
    if (reader.header) reader.header(text.substr(line + 1), text.substr(0, line));
    return true;
  }
  if (frame.kind == prelude_file && reader.prelude) reader.prelude(payload);
  if (frame.kind == one_trial && reader.trial && frame.bytes % sizeof(double) == 0) {
    std::vector<double> record(frame.bytes / sizeof(double));
    if (!record.empty()) std::memcpy(record.data(), payload.data(), payload.size());
    reader.trial(frame.point, frame.trial, record);
  }
  return false;
}

}  // namespace

fs::path journal_path(const fs::path& output) { return output.string() + std::string(suffix); }

Journal Journal::create(const fs::path& path, std::string_view config_toml, std::string_view shard,
                        bool force) {
  const int fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | (force ? 0 : O_EXCL), 0666);
  if (fd < 0 && errno == EEXIST)
    throw Error(fmt::format(
        "{}: a run that was not finished (its trials are there). Go on with optinc resume {}, or give "
        "--force to drop it.",
        path.string(), path.string().substr(0, path.string().size() - suffix.size())));
  if (fd < 0) cannot(path, "be created");
  Journal journal(path, fd);
  lock(fd, path);
  if (::ftruncate(fd, 0) != 0) cannot(path, "be emptied");
  write_all(fd, path, magic.data(), magic.size());
  journal.append(header, 0, 0, bytes_of(fmt::format("{}\n{}", shard, config_toml)));
  journal.sync();
  return journal;
}

Journal Journal::reopen(const fs::path& path, const Reader& reader) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) cannot(path, "be opened");
  Journal journal(path, fd);
  lock(fd, path);
  std::array<char, magic.size()> start{};
  validate(
      read_all(fd, path, start.data(), start.size()) && std::string_view(start.data(), start.size()) == magic,
      "{}: not a journal of OptINC (its first bytes are something else). Move it away.", path.string());
  struct stat status {};
  if (::fstat(fd, &status) != 0) cannot(path, "be measured");
  auto good = static_cast<off_t>(magic.size());
  bool headed = false;
  std::vector<std::byte> payload;
  for (Frame frame; read_all(fd, path, &frame, sizeof frame);) {
    const auto end = good + static_cast<off_t>(sizeof frame);
    if (frame.bytes > static_cast<std::uint64_t>(status.st_size - end))
      break;  // a torn frame may claim any size
    payload.resize(frame.bytes);
    if (!read_all(fd, path, payload.data(), payload.size()) || frame.checksum != checksum(frame, payload))
      break;
    good = end + static_cast<off_t>(frame.bytes);
    headed = deliver(frame, payload, reader) || headed;
  }
  validate(headed,
           "{}: a journal without its configuration (the run died at its very start). Remove it and run again.",
           path.string());
  if (::ftruncate(fd, good) != 0 || ::lseek(fd, good, SEEK_SET) != good)
    cannot(path, "be cut to its last whole trial");
  return journal;
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), synced_ms_(other.synced_ms_) {}

Journal::~Journal() {
  if (fd_ >= 0) ::close(fd_);
}

void Journal::append(std::uint32_t kind, std::uint64_t point, std::uint64_t trial,
                     std::span<const std::byte> payload) {
  Frame frame{kind, 0, point, trial, payload.size()};
  frame.checksum = checksum(frame, payload);
  std::vector<std::byte> bytes(sizeof frame +
                               payload.size());  // one write: a killed process leaves all or a tail
  std::memcpy(bytes.data(), &frame, sizeof frame);
  if (!payload.empty()) std::memcpy(bytes.data() + sizeof frame, payload.data(), payload.size());
  write_all(fd_, path_, bytes.data(), bytes.size());
}

void Journal::prelude(std::span<const std::byte> file) {
  append(prelude_file, 0, 0, file);
  sync();
}

void Journal::trial(std::size_t point, std::size_t trial, std::span<const double> record) {
  constexpr std::int64_t sync_every_ms = 10'000;  // against a power cut; a killed process loses nothing anyway
  append(one_trial, point, trial, std::as_bytes(record));
  if (now_ms() - synced_ms_ > sync_every_ms) sync();
}

void Journal::sync() {
  if (::fdatasync(fd_) != 0) cannot(path_, "be brought to the disk");
  synced_ms_ = now_ms();
}

void Journal::remove() { ::unlink(path_.c_str()); }

}  // namespace optinc
