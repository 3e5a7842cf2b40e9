#include "experiments/run/trials/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "OPTINCJ1", suffix = ".journal";
enum Kind : std::uint32_t { header = 1, inputs_file = 2, one_trial = 3 };

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
  throw Error(
      fmt::format("{}: cannot {} ({}). Finished trials are safe; free disk space or fix the permissions, then "
                  "use optinc resume.",
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

struct stat measured(int fd, const fs::path& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) cannot(path, "be measured");
  return status;
}

void lock(int fd, const fs::path& path) {
  validate(
      ::flock(fd, LOCK_EX | LOCK_NB) == 0,
      "{}: another process is writing this run (it holds the lock). Wait for it, or choose another output.",
      path.string());
  validate(measured(fd, path).st_nlink > 0,
           "{}: another process has just finished this run (it removed the journal). Look at its output, then "
           "try again.",
           path.string());
}

/// The bytes of an open file while this lives.
class Mapping {
 public:
  Mapping(int fd, const fs::path& path) : size_(static_cast<std::size_t>(measured(fd, path).st_size)) {
    if (size_ == 0) return;  // nothing to map
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data_ == MAP_FAILED) cannot(path, "be read");
  }
  Mapping(const Mapping&) = delete;
  ~Mapping() {
    if (size_ > 0) ::munmap(data_, size_);
  }
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  std::size_t size_;
  void* data_ = nullptr;
};

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// The whole frame at the start of `bytes`, if there is one; a torn one may claim any size.
std::optional<Frame> frame_at(std::span<const std::byte> bytes) {
  Frame frame;
  if (bytes.size() < sizeof frame) return std::nullopt;
  std::memcpy(&frame, bytes.data(), sizeof frame);
  bytes = bytes.subspan(sizeof frame);
  if (frame.bytes > bytes.size() || frame.checksum != checksum(frame, bytes.first(frame.bytes)))
    return std::nullopt;
  return frame;
}

/// Bytes that a search for trials may take checksums of, all in all: 64 for one of the journal. Places that
/// look like the start of a trial are few unless somebody made them, and a search then ends in time that grows
/// with the journal alone.
std::size_t search_bytes(std::span<const std::byte> journal) { return 64 * journal.size() + 1; }

/// How far behind the start of `bytes` the next trial lies; nothing where none follows, or where `left`, what
/// the search may take, does not suffice: it is 0 then.
std::optional<std::size_t> next_trial(std::span<const std::byte> bytes, std::size_t& left) {
  for (std::size_t at = 1; at + sizeof(Frame) <= bytes.size(); ++at) {
    Frame frame;
    std::memcpy(&frame, bytes.data() + at, sizeof frame);
    if (frame.kind != one_trial || frame.bytes > bytes.size() - at - sizeof frame) continue;
    if (frame.bytes >= left) {
      left = 0;
      return std::nullopt;
    }
    left -= frame.bytes;
    if (frame_at(bytes.subspan(at))) return at;
  }
  return std::nullopt;
}

/// Whether these bytes are of a journal whose process died before it had anything to keep: it ends in its
/// header.
bool has_no_records(std::span<const std::byte> bytes) {
  const auto start = bytes_of(magic);
  const std::size_t shared = std::min(bytes.size(), start.size());
  if (!std::equal(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(shared), bytes.begin()))
    return false;
  const auto rest = bytes.subspan(shared);
  std::size_t left = search_bytes(bytes);
  return !frame_at(rest) && !next_trial(rest, left) && left > 0;
}

/// Throws Error unless what lies there is a plain file.
void require_plain(int fd, const fs::path& path) {
  struct stat found = {};
  validate(::fstat(fd, &found) == 0 && S_ISREG(found.st_mode),
           "{}: not a plain file (the place of a run's journal). Move it away, or choose another output.",
           path.string());
}

/// Whether these bytes can be the beginning of a journal, of this version or another.
bool begins_as_journal(std::span<const std::byte> bytes) {
  const auto start = bytes_of(magic).first(magic.size() - 1);
  const std::size_t shared = std::min(bytes.size(), start.size());
  return std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(shared), start.begin());
}

/// Opens the journal at `path`, new or not, and locks it. Throws Error when another process holds it, or when
/// it holds something and `force` is not set.
int open_place(const fs::path& path, bool force) {
  const int fd =
      ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);  // a pipe would wait
  if (fd < 0) cannot(path, "be created");
  try {
    require_plain(fd, path);
    lock(fd, path);
    const Mapping file(fd, path);
    validate(
        begins_as_journal(file.bytes()),
        "{}: not a journal of OptINC (the place of a run's journal). Move it away, or choose another output.",
        path.string());
    validate(force || has_no_records(file.bytes()),
             "{}: a run that was not finished (its trials are there). Continue with optinc resume {}, choose "
             "another output, or give the trials up with optinc run --force.",
             path.string(), path.string().substr(0, path.string().size() - suffix.size()));
  } catch (...) {
    ::close(fd);
    throw;
  }
  return fd;
}

/// Hands a whole frame to whoever reads; true for the header.
bool deliver(const Frame& frame, std::span<const std::byte> payload, const Journal::Reader& reader) {
  if (frame.kind == header) {
    const std::string text(reinterpret_cast<const char*>(payload.data()), payload.size());
    const auto line = text.find('\n');
    if (line == text.npos) return false;
    if (reader.header) reader.header(text.substr(line + 1), text.substr(0, line));
    return true;
  }
  if (frame.kind == inputs_file && reader.inputs) reader.inputs(payload);
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
  Journal journal(path, open_place(path, force));
  try {
    if (::ftruncate(journal.fd_, 0) != 0) cannot(path, "be emptied");
    write_all(journal.fd_, path, magic.data(), magic.size());
    journal.append(header, 0, 0, bytes_of(fmt::format("{}\n{}", shard, config_toml)));
    journal.sync();
  } catch (...) {
    journal.remove();  // a full disk: half a header is of no use to anybody
    throw;
  }
  return journal;
}

Journal Journal::reopen(const fs::path& path, const Reader& reader) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) cannot(path, "be opened");
  Journal journal(path, fd);
  require_plain(fd, path);
  lock(fd, path);
  const Mapping file(fd, path);
  const auto start = bytes_of(magic);
  const auto shared = file.bytes().first(std::min(file.bytes().size(), start.size()));
  validate(shared.size() == start.size() && std::equal(shared.begin(), shared.end() - 1, start.begin()),
           "{}: not a journal of OptINC (its first bytes are something else). Move it away.", path.string());
  validate(
      shared.back() == start.back(),
      "{}: a journal of another version of OptINC (it does not begin with {}). Use the one that began the run.",
      path.string(), magic);
  std::size_t good = magic.size(), damaged = 0, left = search_bytes(file.bytes());
  bool headed = false;
  for (std::size_t at = good; at < file.bytes().size();) {
    const auto rest = file.bytes().subspan(at);
    if (const std::optional<Frame> frame = frame_at(rest)) {
      good = at += sizeof(Frame) + frame->bytes;
      headed = deliver(*frame, rest.subspan(sizeof(Frame), frame->bytes), reader) || headed;
    } else if (const std::optional<std::size_t> next = next_trial(rest, left)) {
      at += *next;
      damaged += *next;
    } else {
      validate(
          left > 0,
          "{}: too much in this journal only looks like trials (it was made so, or is damaged beyond use). "
          "Move it away and run again.",
          path.string());
      break;  // torn when the process died
    }
  }
  validate(headed,
           "{}: a journal without its configuration (the run died at its very start, or the file is damaged). "
           "Move it away and run again.",
           path.string());
  if (damaged > 0 && reader.damaged) reader.damaged(damaged);
  const auto end = static_cast<off_t>(good);
  if (::ftruncate(fd, end) != 0 || ::lseek(fd, end, SEEK_SET) != end)
    cannot(path, "be cut to its last whole trial");
  return journal;
}

OutputLock::OutputLock(const fs::path& output)
    : journal_(journal_path(output), open_place(journal_path(output), false)) {}

OutputLock::~OutputLock() { journal_.remove(); }

Beside journal_at(const fs::path& output) {
  const fs::path path = journal_path(output);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return errno == ENOENT ? Beside::nothing : Beside::ours;
  struct stat found = {};
  Beside there = Beside::other;
  if (::fstat(fd, &found) == 0 && S_ISREG(found.st_mode)) {
    const Mapping file(fd, path);
    if (has_no_records(file.bytes()))
      there = Beside::nothing;
    else if (begins_as_journal(file.bytes()))
      there = Beside::ours;
  }
  ::close(fd);
  return there;
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
  const auto head = std::as_bytes(std::span(&frame, 1));
  std::vector<std::byte> bytes(head.begin(), head.end());
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  // one write: a killed process leaves all or a tail
  write_all(fd_, path_, bytes.data(), bytes.size());
}

void Journal::inputs(std::span<const std::byte> file) {
  append(inputs_file, 0, 0, file);
  sync();
}

void Journal::trial(std::size_t point, std::size_t trial, std::span<const double> record) {
  constexpr std::int64_t sync_every_ms = 10'000;  // against a power cut; a killed process loses nothing anyway
  append(one_trial, point, trial, std::as_bytes(record));
  if (now_ms() - synced_ms_ > sync_every_ms) sync();
}

void Journal::sync() {
  if (::fdatasync(fd_) != 0) cannot(path_, "be flushed to disk");
  synced_ms_ = now_ms();
}

void Journal::remove() {
  struct stat ours = {}, named = {};
  if (::fstat(fd_, &ours) != 0 || ::lstat(path_.c_str(), &named) != 0) return;
  if (ours.st_dev == named.st_dev && ours.st_ino == named.st_ino) ::unlink(path_.c_str());
}

}  // namespace optinc
