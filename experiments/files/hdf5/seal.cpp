#include "experiments/files/hdf5/seal.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>

#include <zlib.h>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr std::string_view magic = "OPTINCS1";
constexpr std::size_t seal_size = magic.size() + sizeof(std::uint32_t);

}  // namespace

void seal(std::vector<std::byte>& bytes) {
  const auto sum = static_cast<std::uint32_t>(
      crc32_z(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  const std::size_t end = bytes.size();
  bytes.resize(end + seal_size);
  std::memcpy(bytes.data() + end, magic.data(), magic.size());
  std::memcpy(bytes.data() + end + magic.size(), &sum, sizeof sum);
}

void require_unbroken_seal(const std::filesystem::path& path) {
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(path, none);
  if (none || size < seal_size) return;
  std::ifstream file(path, std::ios::binary);
  char found[seal_size];
  file.seekg(static_cast<std::streamoff>(size - seal_size));
  if (!file.read(found, seal_size) || std::string_view(found, magic.size()) != magic) return;
  std::uint32_t wanted = 0;
  std::memcpy(&wanted, found + magic.size(), sizeof wanted);
  file.seekg(0);
  std::vector<char> block(std::size_t{1} << 20);
  uLong sum = crc32(0, nullptr, 0);
  for (std::uintmax_t left = size - seal_size; left > 0;) {
    const auto part = static_cast<std::size_t>(std::min<std::uintmax_t>(left, block.size()));
    validate(static_cast<bool>(file.read(block.data(), static_cast<std::streamsize>(part))),
             "{}: cannot be read to its end (the disk returns fewer bytes than the file has). Check the disk.",
             path.string());
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(block.data()), part);
    left -= part;
  }
  validate(
      sum == wanted,
      "{}: damaged (its bytes are not those that were written: a bad copy or disk). Use a sound copy, or run "
      "its command again.",
      path.string());
}

}  // namespace optinc
