#include "experiments/files/hdf5/atomic_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include "experiments/files/hdf5/durable_write.hpp"
#include "experiments/files/hdf5/seal.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

constexpr std::string_view partial_mark = ".partial-", hexadecimal = "0123456789abcdef";
constexpr std::size_t partial_digits = 16;

/// PATH.partial- and 64 random bits: nobody can lay a link there beforehand, and no name that a person chose
/// looks like it.
fs::path partial_name(const fs::path& path) {
  std::uint64_t bits = 0;
  validate(::getrandom(&bits, sizeof bits, 0) == sizeof bits, "{}: no random name beside it ({}). Try again.",
           path.string(), std::strerror(errno));
  return fmt::format("{}{}{:0{}x}", path.string(), partial_mark, bits, partial_digits);
}

/// A new name lasts only once its folder is on the disk.
void sync_folder(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool done = fd >= 0 && ::fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  validate(done, "{}: cannot be flushed to disk ({}). Check its file system.", folder.string(),
           std::strerror(error));
}

[[noreturn]] void refuse_existing(const fs::path& path) {
  throw Error(
      fmt::format("{}: exists already (nothing is overwritten unasked). Choose another name or give --force.",
                  path.string()));
}

/// The checked path, of a link what it leads to: an argument that may be used before anything is created.
fs::path writable(fs::path path, bool force) {
  require_writable_output(path, force);
  std::error_code none;
  return fs::is_symlink(path, none) ? fs::canonical(path) : path;
}

}  // namespace

bool is_leftover(std::string_view name, std::string_view of) {
  if (!name.starts_with(of)) return false;
  name.remove_prefix(of.size());
  if (!name.starts_with(partial_mark)) return false;
  name.remove_prefix(partial_mark.size());
  return name.size() == partial_digits && name.find_first_not_of(hexadecimal) == name.npos;
}

void require_writable_output(const fs::path& path, bool force) {
  std::error_code none;
  const fs::path folder = folder_of(path);
  validate(path.has_filename(),
           "\"{}\": not a file name (expected a path to a file). Give one such as results.h5.", path.string());
  validate(fs::is_directory(folder, none),
           "{}: folder {} does not exist (results go into an existing one). Create it.", path.string(),
           folder.string());
  validate(!fs::is_directory(path, none), "{}: a folder (expected a name for a file). Add a file name.",
           path.string());
  if (fs::exists(fs::symlink_status(path, none))) {
    if (!force) refuse_existing(path);
    validate(
        fs::is_regular_file(path, none),
        "{}: not a plain file (a device, a pipe or a link to nothing is never replaced). Choose another name.",
        path.string());
  }
  // only an attempt tells: permissions, quotas and read-only mounts all show here
  const fs::path probe = partial_name(path);
  const int fd = ::open(probe.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
  validate(fd >= 0, "{}: cannot be written ({}). Choose a folder you may write to.", path.string(),
           std::strerror(errno));
  ::close(fd);
  ::unlink(probe.c_str());
}

void require_not_input(const fs::path& path, const std::vector<fs::path>& inputs) {
  std::error_code none;
  for (const fs::path& input : inputs)
    validate(!fs::equivalent(path, input, none),
             "{}: both input and output (an input is never replaced). Choose another output.", path.string());
}

void remove_leftovers(const fs::path& path) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder_of(path), none))
    if (is_leftover(entry.path().filename().string(), path.filename().string()))
      remove_if_abandoned(entry.path());
}

PartialFile::PartialFile(fs::path path, bool force)
    : path_(writable(std::move(path), force)), partial_(partial_name(path_)), force_(force) {
  remove_leftovers(path_);
}

PartialFile::~PartialFile() {
  if (published_) return;
  std::error_code none;
  fs::remove(partial_, none);
}

void PartialFile::publish() {
  // link() fails if PATH appeared meanwhile, where rename() would replace it; not every file system has it
  if (!force_ && ::link(partial_.c_str(), path_.c_str()) == 0) {
    ::unlink(partial_.c_str());
  } else {
    if (!force_ && (errno == EEXIST || fs::exists(path_))) refuse_existing(path_);
    validate(::rename(partial_.c_str(), path_.c_str()) == 0,
             "{}: cannot be renamed from {} ({}). Check the folder.", path_.string(), partial_.string(),
             std::strerror(errno));
  }
  published_ = true;
  sync_folder(folder_of(path_));
}

AtomicFile::AtomicFile(fs::path path, bool force)
    : place_(std::move(path), force), file_(File::in_memory(place_.path().string())) {}

void AtomicFile::commit() {
  std::vector<std::byte> bytes = file_.bytes();
  file_.close();
  seal(bytes);
  const Descriptor held = write_durably(place_.partial(), bytes, place_.path().string());
  place_.publish();
}

void write_text_file(const fs::path& path, std::string_view text, bool force) {
  PartialFile file(path, force);
  const Descriptor held = write_durably(file.partial(), std::as_bytes(std::span(text)), path.string());
  file.publish();
}

}  // namespace optinc
