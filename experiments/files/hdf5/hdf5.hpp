#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Thin handles over the HDF5 C API and its dimension scales, for files that h5py, xarray (engines h5netcdf and
// netcdf4), MATLAB and h5dump open without a helper; FORMAT.md says how. Everything throws Error naming file,
// object and what was expected. HDF5 is not thread-safe: call from one thread at a time.

namespace optinc {

/// What a dataset may hold. Strings are variable-length UTF-8.
template <class T>
concept StoredNumber = std::same_as<T, double> || std::same_as<T, float> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, std::uint8_t> || std::same_as<T, std::uint32_t>;
template <class T>
concept Stored = StoredNumber<T> || std::same_as<T, std::string>;

/// Owns one HDF5 identifier and closes it. (std::int64_t is hid_t; the C header stays out of this one.)
class Handle {
 public:
  using Close = int (*)(std::int64_t);
  /// Takes over an identifier of the library, which `closer` closes.
  Handle(std::int64_t id, Close closer) : id_(id), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { close(); }

  /// The identifier, for the library.
  std::int64_t get() const { return id_; }
  /// Closes now; false when HDF5 could not (what it still had to write is lost).
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  std::int64_t id_;
  Close close_;
};

/// Values in row-major order: the last dimension runs fastest.
template <Stored T>
struct Array {
  std::vector<T> values;
  std::vector<std::size_t> shape;
};

/// Complex values in row-major order.
struct ComplexArray {
  std::vector<std::complex<double>> values;
  std::vector<std::size_t> shape;
};

/// The attributes of one group or dataset.
class Attributes {
 public:
  /// Writes, over an attribute of the same name.
  void set(std::string_view name, std::string_view value) const;
  /// The same of a number.
  void set(std::string_view name, double value) const;
  /// The same of an integer.
  void set(std::string_view name, std::int64_t value) const;
  /// The same of numbers, shape (n).
  void set(std::string_view name, std::span<const double> values) const;
  /// The same of integers, shape (n).
  void set(std::string_view name, std::span<const std::int64_t> values) const;

  /// Whether there is one of that name.
  bool has(std::string_view name) const;
  /// Reads a scalar. Throws Error when missing or of another type.
  std::string text(std::string_view name) const;
  /// The same of a number.
  double number(std::string_view name) const;
  /// The same of an integer.
  std::int64_t integer(std::string_view name) const;

 private:
  friend class Group;
  Attributes(Handle object, std::string where) : object_(std::move(object)), where_(std::move(where)) {}
  Handle open(std::string_view name, std::string_view expected) const;
  void write(std::string_view name, std::int64_t type, std::int64_t space, const void* data) const;

  Handle object_;
  std::string where_;  ///< "file: /path", opens every message
};

/// A group of an open file. Names may be paths ("chips/level").
class Group {
 public:
  // writing ---------------------------------------------------------------------------------------------------

  /// The group of that name below this one, created (with those between) unless it is there.
  Group group(std::string_view name) const;

  /// A dimension of this group: an axis with a name, its values and their unit. At least one value.
  template <Stored T>
  void dimension(std::string_view name, std::span<const T> values, std::string_view unit,
                 std::string_view long_name) const;

  /// A dimension that only counts: values 0 .. size - 1 (int64), unit "1".
  void counting_dimension(std::string_view name, std::size_t size, std::string_view long_name) const;

  /// A dataset over dimensions of this group or of groups above it (the nearest of that name); none for a
  /// scalar. values: row-major, the product of the dimensions' sizes. Missing numbers are NaN. unit: "1" for a
  /// pure number; never a spelt-out time unit ("seconds"), which xarray would turn into dates.
  template <Stored T>
  void dataset(std::string_view name, std::span<const std::string_view> dimensions, std::span<const T> values,
               std::string_view unit, std::string_view long_name) const;

  /// The same from a list and a vector, which a span's type cannot be deduced from.
  template <Stored T>
  void dimension(std::string_view name, const std::vector<T>& values, std::string_view unit,
                 std::string_view long_name) const {
    dimension(name, std::span<const T>(values), unit, long_name);
  }
  /// The same from lists and a vector.
  template <Stored T>
  void dataset(std::string_view name, std::initializer_list<std::string_view> dimensions,
               const std::vector<T>& values, std::string_view unit, std::string_view long_name) const {
    dataset(name, std::span(dimensions.begin(), dimensions.size()), std::span<const T>(values), unit,
            long_name);
  }

  // reading ---------------------------------------------------------------------------------------------------

  /// Whether a group or dataset of that name lies below this group. Throws Error where a link on the way leads
  /// elsewhere (soft, external or user-defined), as do all that open what lies below.
  bool exists(std::string_view name) const;

  /// The group of that name. Throws Error unless it exists.
  Group open(std::string_view name) const;

  /// Shape of a dataset, from its header alone: look before a damaged or foreign one is read into memory.
  /// Throws Error when missing, and where its values lie in another file or dataset.
  std::vector<std::size_t> shape(std::string_view name) const;

  /// A dataset with its shape, whatever that is. Throws Error when missing or not of type T.
  template <Stored T>
  Array<T> read(std::string_view name) const;

  /// A dataset that must have this shape.
  template <Stored T>
  std::vector<T> read(std::string_view name, std::initializer_list<std::size_t> shape) const;

  /// A dataset of complex numbers as others store them too: structures of two numbers (complex128 and complex64
  /// of h5py, real and imag of MATLAB), a last axis [re, im] behind two others, or real ones. Throws Error when
  /// missing or of another type.
  ComplexArray read_complex(std::string_view name) const;

  /// Names of the groups and datasets directly below, in alphabetical order.
  std::vector<std::string> children() const;

  /// Attributes of this group.
  Attributes attributes() const;
  /// Attributes of the group or dataset of that name. Throws Error unless it exists.
  Attributes attributes(std::string_view name) const;

  /// "file: /path/name", as messages name it.
  std::string where(std::string_view name = {}) const;

 private:
  friend class File;
  Group(Handle id, std::string file, std::string path)
      : id_(std::move(id)), file_(std::move(file)), path_(std::move(path)) {}
  std::string path(std::string_view name) const;
  Handle open_dataset(std::string_view name) const;
  Handle find_dimension(std::string_view name, std::string_view dataset) const;
  template <Stored T>
  Handle write(std::string_view name, std::span<const std::size_t> shape, std::span<const T> values,
               std::string_view unit, std::string_view long_name) const;

  Handle id_;
  std::string file_;
  std::string path_;  ///< kept here: asking HDF5 would clear the reason of its last failure
};

/// An open HDF5 file. Groups taken from it must not be used after it is closed or gone.
class File {
 public:
  /// A new file, built in memory and written to `path` by close(), sealed (seal.hpp), where nothing may lie
  /// (AtomicFile replaces). Without close() nothing is written. HDF5 itself never meets a full disk,
  /// after which it crashes at exit (h5py issue 914); the price is memory of twice the file's size. `shown`
  /// stands for the path in messages.
  static File create(const std::filesystem::path& path, std::string_view shown = {});

  /// An existing file, read only. Throws Error when it is missing, not HDF5, truncated or damaged, by its seal.
  static File open(const std::filesystem::path& path);

  /// A new file in memory alone, for bytes(); `shown` stands for its path in messages.
  static File in_memory(std::string_view shown);
  /// The bytes that close() would write.
  std::vector<std::byte> bytes() const;
  /// A file from the bytes of one, read only. Throws Error where they are not HDF5.
  static File from_bytes(std::span<const std::byte> bytes, std::string_view shown);

  /// The group that holds all others.
  Group root() const;
  /// root().group(name): a file open for reading must have it already.
  Group group(std::string_view name) const { return root().group(name); }

  /// Closes; a new file is now on the disk (fsync). Throws Error when the disk does not take it.
  void close();

 private:
  File(Handle id, std::string name, std::filesystem::path target)
      : id_(std::move(id)), name_(std::move(name)), target_(std::move(target)) {}
  Handle id_;
  std::string name_;
  std::filesystem::path target_;  ///< empty for a file open for reading
};

}  // namespace optinc
