#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace optinc {

/// What may lie beside an output, at the place of its journal or of its training: nothing, or nothing of use to
/// anybody; what a run or a training left; anything else.
enum class Beside { nothing, ours, other };

/// Beside the output: OUTPUT.journal.
std::filesystem::path journal_path(const std::filesystem::path& output);

/// The memory of a run that is under way. Every finished trial is appended as it finishes, so that whatever
/// ends the process, what was finished is there; assembly turns it into the result file and removes it. Frames
/// carry a checksum; one that was being written when the process died is cut off, one that was damaged since is
/// left out. The file is locked while a process writes to it; one that ends in its header holds nothing, and
/// whoever comes next takes it over. Layout: FORMAT.md, "Journal".
class Journal {
 public:
  /// A new journal. `shard` is "1/1" for a whole run. Throws Error when one is there and `force` is not set, or
  /// when another process holds it.
  static Journal create(const std::filesystem::path& path, std::string_view config_toml, std::string_view shard,
                        bool force);

  /// What a reader takes from a journal; each may be empty.
  struct Reader {
    std::function<void(const std::string& config_toml, const std::string& shard)> header;
    std::function<void(std::span<const std::byte> file)> inputs;
    std::function<void(std::size_t point, std::size_t trial, std::span<const double> record)> trial;
    std::function<void(std::size_t bytes)> damaged;  ///< at the end, where trials follow what is damaged
  };

  /// Opens an existing journal for appending, after handing what it holds to `reader`. Throws Error for one
  /// that is not a journal, or that another process holds.
  static Journal reopen(const std::filesystem::path& path, const Reader& reader);

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  /// What must be known before the first trial: a small HDF5 file, as bytes.
  void inputs(std::span<const std::byte> file);
  /// One finished trial. A process that dies afterwards does not lose it; the disk has it some seconds later.
  void trial(std::size_t point, std::size_t trial, std::span<const double> record);
  /// Brings everything to the disk.
  void sync();
  /// Removes the file: its contents are stored elsewhere.
  void remove();

 private:
  friend class OutputLock;
  Journal(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  void append(std::uint32_t kind, std::uint64_t point, std::uint64_t trial, std::span<const std::byte> payload);

  std::filesystem::path path_;
  int fd_ = -1;
  std::int64_t synced_ms_ = 0;
};

/// What lies at the place of an output's journal. One that ends in its header counts as nothing, one that
/// cannot be opened as ours: whoever opens it says why.
Beside journal_at(const std::filesystem::path& output);

/// Holds the place of an output for a command that keeps no trials: the output's journal, empty and locked
/// while this lives. Throws Error where another process writes that output or has left a journal.
class OutputLock {
 public:
  /// Throws Error where another process holds this output.
  explicit OutputLock(const std::filesystem::path& output);
  OutputLock(const OutputLock&) = delete;
  ~OutputLock();

 private:
  Journal journal_;
};

}  // namespace optinc
