#include "experiments/files/chips/zip_archive.hpp"

#include <cstdint>

#include <zlib.h>

#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr std::size_t end_size = 22, entry_size = 46, header_size = 30;
constexpr std::size_t most_unpacked = std::size_t{1} << 30;  // of all members: none is of a mesh beyond

/// Numbers of an archive at offsets that may lie outside of it.
struct Archive {
  std::string_view bytes, file;

  /// `count` bytes from `at` on. Throws Error where there are fewer.
  std::string_view part(std::size_t at, std::size_t count) const {
    validate(at <= bytes.size() && count <= bytes.size() - at,
             "{}: damaged (its directory points behind its end). Use another copy.", file);
    return bytes.substr(at, count);
  }
  /// A little-endian number of `count` bytes.
  std::size_t number(std::size_t at, std::size_t count) const {
    const std::string_view found = part(at, count);
    std::size_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(found[i]);
    return value;
  }
  void require(bool holds, std::string_view problem) const {
    validate(holds, "{}: {}. Save it again by numpy.savez.", file, problem);
  }
};

/// Deflated bytes as the `size` that they were. No more than 1,032 come of one byte, so that a size beyond is
/// refused before there is room for it.
std::string inflated(std::string_view packed, std::size_t size, const Archive& archive) {
  archive.require(size / 1032 <= packed.size(), "damaged (a member is larger than its bytes can unpack to)");
  std::string bytes(size, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(size);
  const bool opened = inflateInit2(&stream, -MAX_WBITS) == Z_OK;
  const int status = opened ? inflate(&stream, Z_FINISH) : Z_MEM_ERROR;
  const bool whole = status == Z_STREAM_END && stream.total_out == size;
  if (opened) inflateEnd(&stream);
  archive.require(whole, "damaged (a member does not unpack)");
  return bytes;
}

ZipMember read_member(const Archive& archive, std::size_t entry) {
  constexpr std::size_t stored = 0, deflated = 8;
  archive.require((archive.number(entry + 8, 2) & 1) == 0, "encrypted (its members are read as they are)");
  const std::size_t method = archive.number(entry + 10, 2), crc = archive.number(entry + 16, 4),
                    packed_size = archive.number(entry + 20, 4), size = archive.number(entry + 24, 4),
                    at = archive.number(entry + 42, 4);
  archive.require(method == stored || method == deflated,
                  "of a compression that is not read (stored and deflated are)");
  const std::string_view name = archive.part(entry + entry_size, archive.number(entry + 28, 2));
  archive.require(archive.number(at, 4) == 0x04034b50, "damaged (no member where its directory says)");
  const std::size_t data = at + header_size + archive.number(at + 26, 2) + archive.number(at + 28, 2);
  const std::string_view packed = archive.part(data, packed_size);
  archive.require(method == deflated || packed_size == size, "damaged (sizes of a stored member differ)");
  ZipMember member{std::string(name), method == stored ? std::string(packed) : inflated(packed, size, archive)};
  const auto found = crc32_z(0, reinterpret_cast<const Bytef*>(member.bytes.data()), member.bytes.size());
  archive.require(found == crc, "damaged (the checksum of a member is wrong)");
  return member;
}

}  // namespace

std::vector<ZipMember> unzip(std::string_view bytes, std::string_view file) {
  const Archive archive{bytes, file};
  const std::size_t end = bytes.rfind("PK\5\6");
  archive.require(end != bytes.npos && bytes.size() - end >= end_size,
                  "no ZIP archive, or not all of it (its directory is missing)");
  const std::size_t count = archive.number(end + 10, 2);
  std::size_t entry = archive.number(end + 16, 4), unpacked = 0;
  std::vector<ZipMember> members;
  for (std::size_t k = 0; k < count; ++k) {
    archive.require(archive.number(entry, 4) == 0x02014b50, "damaged (its directory is none)");
    // members may overlap: their sum is what memory must hold
    unpacked += archive.number(entry + 24, 4);
    archive.require(unpacked / 1032 <= bytes.size(), "damaged (its members overlap)");
    archive.require(unpacked <= most_unpacked, "over 1 GiB when unpacked (no mesh has so many MZIs)");
    members.push_back(read_member(archive, entry));
    entry += entry_size + archive.number(entry + 28, 2) + archive.number(entry + 30, 2) +
             archive.number(entry + 32, 2);
  }
  return members;
}

}  // namespace optinc
