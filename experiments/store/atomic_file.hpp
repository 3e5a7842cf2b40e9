#pragma once

#include <filesystem>

#include "experiments/store/hdf5.hpp"

namespace optinc {

/// Throws Error unless `path` can be written: its folder exists and takes files, and no file of that name is
/// there (or `force` says to replace it). For the start of long work. Creates nothing that stays.
void require_writable_output(const std::filesystem::path& path, bool force);

/// An HDF5 file that exists whole or not at all: written as PATH.partial-PID in the same folder, on the disk
/// before it gets its name. Without a commit the destructor removes it and what was at PATH stays untouched.
class AtomicFile {
 public:
  /// Throws Error where require_writable_output does.
  explicit AtomicFile(std::filesystem::path path, bool force = false);
  AtomicFile(AtomicFile&&) = delete;
  ~AtomicFile();

  const File& file() const { return file_; }

  /// Write, fsync, rename; once. Throws Error when the disk does not take it, or when someone has written PATH
  /// in the meantime and `force` is not set. Groups of the file must not be used afterwards.
  void commit();

 private:
  std::filesystem::path path_, partial_;
  bool force_;
  bool committed_ = false;
  File file_;
};

}  // namespace optinc
