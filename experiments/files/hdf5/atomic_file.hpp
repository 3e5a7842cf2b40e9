#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "experiments/files/hdf5/hdf5.hpp"

namespace optinc {

/// Throws Error unless `path` can be written: its folder exists and takes files, and nothing of that name is
/// there, or a plain file or a link to one that `force` says to replace. For the start of long work. Creates
/// nothing that stays.
void require_writable_output(const std::filesystem::path& path, bool force);

/// Throws Error where `path` is one of the files that a command reads, by whatever name: --force replaces old
/// results, never what the new ones are made of.
void require_not_input(const std::filesystem::path& path, const std::vector<std::filesystem::path>& inputs);

/// Whether a process that was killed left a file of this name of what was to become `of`: OF.partial- and 16
/// hexadecimal digits. Both without their folders.
bool is_leftover(std::string_view name, std::string_view of);

/// Removes what processes that were killed left of `path`; what a living one is writing stays.
void remove_leftovers(const std::filesystem::path& path);

/// A file on its way to its name: written in the same folder under a random name (is_leftover), then renamed.
/// Without publish the destructor removes it and what was at PATH stays untouched.
class PartialFile {
 public:
  /// Of a link it is the file it leads to that is written. Removes what killed processes left of it. Throws
  /// Error where require_writable_output does.
  PartialFile(std::filesystem::path path, bool force);
  PartialFile(PartialFile&&) = delete;
  ~PartialFile();

  const std::filesystem::path& path() const { return path_; }        ///< its final name
  const std::filesystem::path& partial() const { return partial_; }  ///< where write_durably puts it meanwhile

  /// Gives the file, which must be on the disk, its name; once. Throws Error when someone has written PATH in
  /// the meantime and `force` is not set.
  void publish();

 private:
  std::filesystem::path path_, partial_;
  bool force_;
  bool published_ = false;
};

/// An HDF5 file that exists whole or not at all: a PartialFile, on the disk before it gets its name.
class AtomicFile {
 public:
  /// Throws Error where require_writable_output does.
  explicit AtomicFile(std::filesystem::path path, bool force = false);

  /// What is written to until commit().
  const File& file() const { return file_; }

  /// Write, fsync, rename; once. Throws Error when the disk does not take it, or where publish does. Groups of
  /// the file must not be used afterwards.
  void commit();

 private:
  PartialFile place_;
  File file_;
};

/// Writes a text file that exists whole or not at all, the same way. Throws Error as AtomicFile does.
void write_text_file(const std::filesystem::path& path, std::string_view text, bool force = false);

}  // namespace optinc
