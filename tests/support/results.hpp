#pragma once
// Holds two result files to each other: everything but what two equal runs may differ in.

#include <bit>
#include <filesystem>
#include <string>

#include "experiments/files/hdf5/hdf5.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

namespace optinc {

/// Values as what compares bit for bit, so that NaN equals NaN.
inline std::vector<std::uint64_t> as_bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double x : values) bits.push_back(std::bit_cast<std::uint64_t>(x));
  return bits;
}

/// Whether both groups hold the same dataset of element type T under that name; false where `a` is of another
/// type.
template <Stored T>
bool same_dataset(const Group& a, const Group& b, const std::string& name) {
  const auto left = a.read<T>(name), right = b.read<T>(name);
  CHECK(left.shape == right.shape);
  if constexpr (std::same_as<T, double>)
    CHECK(as_bits(left.values) == as_bits(right.values));
  else
    CHECK(left.values == right.values);
  return true;
}

/// Checks that two groups hold the same groups and datasets, bit for bit. Returns the number of datasets.
inline int check_same_groups(const Group& a, const Group& b) {
  INFO(a.where());
  CHECK(a.children() == b.children());
  int datasets = 0;
  for (const std::string& name : a.children()) {
    INFO(name);
    const auto is = [&](auto type) {
      try {
        return same_dataset<decltype(type)>(a, b, name);
      } catch (const std::exception&) {
        return false;
      }
    };
    if (is(0.0) || is(0.0f) || is(std::int64_t{}) || is(std::int32_t{}) || is(std::uint8_t{}) ||
        is(std::uint32_t{}) || is(std::string{}))
      ++datasets;
    else
      datasets += check_same_groups(a.open(name), b.open(name));
  }
  return datasets;
}

/// The bytes of a result file without its seal, created_utc and command overwritten, attributes included: text
/// lies plain in HDF5, and equal contents give equal bytes.
inline std::string comparable_bytes(const std::filesystem::path& path) {
  constexpr std::size_t seal_size = 12;  // it is over created_utc too
  std::string bytes = bytes_of(path);
  bytes.resize(bytes.size() - seal_size);
  const File file = File::open(path);
  const Group root = file.root();
  for (const auto* name : {"created_utc", "command"}) {
    const std::string text = root.attributes().text(name);
    const auto at = bytes.find(text);
    REQUIRE(at != bytes.npos);
    REQUIRE(!text.empty());
    bytes.replace(at, text.size(), text.size(), '?');
  }
  return bytes;
}

/// Checks that two result files hold the same, attributes included, but for created_utc and command (which must
/// be of one length).
inline void check_same_results(const std::filesystem::path& a, const std::filesystem::path& b) {
  INFO(a << " and " << b);
  const File left = File::open(a), right = File::open(b);
  CHECK(check_same_groups(left.root(), right.root()) > 10);
  CHECK((comparable_bytes(a) == comparable_bytes(b)));
}

}  // namespace optinc
