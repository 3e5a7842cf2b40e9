#include "experiments/models/learning/idx_images.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include <fmt/ranges.h>
#include <zlib.h>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr auto advice =
    "Install the Debian package dataset-fashion-mnist, or set gradient.data (of a learner, learner.data) to a "
    "folder with the four IDX files.";

/// Deflate expands at most 1032 times (zlib's own documentation), so a small file cannot hold what its header
/// may claim; the second bound keeps a huge file from taking all memory (a pixel becomes 4 bytes).
constexpr std::uint64_t largest_expansion = 1032, largest_payload = std::uint64_t{1} << 30;
constexpr std::uint32_t largest_side = 4096;

struct Close {
  void operator()(gzFile file) const { gzclose(file); }
};

/// An IDX file whose header has been read and found believable, at its first data byte.
struct IdxFile {
  std::string path;
  std::unique_ptr<gzFile_s, Close> file;
  std::vector<std::uint32_t> sizes;
  std::uint64_t bytes = 1;
};

/// Reads up to `size` bytes and returns their number; throws where zlib finds damage. A stream without its
/// proper end is not damage to zlib (Z_BUF_ERROR): `proper_end` tells.
std::uint64_t read_some(const IdxFile& idx, std::uint8_t* out, std::uint64_t size, bool& proper_end) {
  const int got = gzread(idx.file.get(), out, static_cast<unsigned>(size));
  int status = Z_OK;
  std::string why = gzerror(idx.file.get(), &status);
  if (why.starts_with(idx.path + ": ")) why.erase(0, idx.path.size() + 2);
  validate(got >= 0, "{} is damaged (zlib says: {}). {}", idx.path, why, advice);
  proper_end = status == Z_OK;
  return static_cast<std::uint64_t>(got);
}

/// Fills `out` or throws.
void read_exactly(const IdxFile& idx, std::uint8_t* out, std::uint64_t size) {
  bool proper_end = true;  // of no account while bytes keep coming
  const auto got = read_some(idx, out, size, proper_end);
  validate(got == size, "{} is truncated ({} of {} bytes are there). {}", idx.path, got, size, advice);
}

std::uint32_t read_big_endian(const IdxFile& idx) {
  std::array<std::uint8_t, 4> b{};
  read_exactly(idx, b.data(), b.size());
  return std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | std::uint32_t{b[3]};
}

IdxFile open_idx(const fs::path& path, std::uint32_t dimensions) {
  std::error_code none;
  validate(fs::is_regular_file(path, none), "{} cannot be read (there is no such file). {}", path.string(),
           advice);
  IdxFile idx{path.string(), {}, {}, 1};
  idx.file.reset(gzopen(idx.path.c_str(), "rb"));
  validate(idx.file != nullptr, "{} cannot be read (it does not open). {}", idx.path, advice);
  gzbuffer(idx.file.get(), 1u << 17);

  const std::uint32_t magic = read_big_endian(idx), wanted = 0x800u + dimensions;
  validate(magic == wanted,
           "{} is not the IDX file expected here (magic number {:#010x}, not {:#010x}). Check that images and "
           "labels are not exchanged.",
           idx.path, magic, wanted);
  for (std::uint32_t d = 0; d < dimensions; ++d) idx.sizes.push_back(read_big_endian(idx));

  bool believable = idx.sizes[0] >= 1;
  idx.bytes = idx.sizes[0];
  for (std::uint32_t d = 1; d < dimensions; ++d) {
    believable = believable && idx.sizes[d] >= 1 && idx.sizes[d] <= largest_side;
    if (believable) idx.bytes *= idx.sizes[d];  // at most 2^32 4096^2: no overflow
  }
  const std::uint64_t on_disk = fs::file_size(path);
  validate(believable && idx.bytes <= std::min(largest_payload, largest_expansion * on_disk),
           "{} claims impossible sizes ({} for a file of {} bytes). {}", idx.path, fmt::join(idx.sizes, " x "),
           on_disk, advice);
  return idx;
}

std::vector<std::uint8_t> read_payload(const IdxFile& idx) {
  std::vector<std::uint8_t> bytes(idx.bytes);
  read_exactly(idx, bytes.data(), idx.bytes);
  // Reading on makes zlib compare its check sum, and shows a header that claims less than there is.
  std::uint8_t more = 0;
  bool proper_end = true;
  const auto got = read_some(idx, &more, 1, proper_end);
  validate(got == 0, "{} is longer than its header says (more than {} bytes of data). {}", idx.path, idx.bytes,
           advice);
  validate(proper_end, "{} is truncated (its data are there, its check sum is not). {}", idx.path, advice);
  return bytes;
}

}  // namespace

ImageSet choose_images(const ImageSet& set, std::span<const std::uint32_t> images) {
  ImageSet chosen;
  chosen.pixels.resize(set.pixels.rows(), std::ssize(images));
  chosen.labels.resize(images.size());
  chosen.height = set.height;
  chosen.width = set.width;
  chosen.channels = set.channels;
  for (std::size_t i = 0; i < images.size(); ++i) {
    validate(images[i] < set.labels.size(), "image {} of {} (they are numbered from 0). Ask for one there is.",
             images[i], set.labels.size());
    chosen.pixels.col(static_cast<Eigen::Index>(i)) = set.pixels.col(images[i]);
    chosen.labels[i] = set.labels[images[i]];
  }
  return chosen;
}

ImageSet load_idx(const fs::path& images_path, const fs::path& labels_path) {
  const IdxFile images = open_idx(images_path, 3), labels = open_idx(labels_path, 1);
  validate(images.sizes[0] == labels.sizes[0],
           "{} images but {} labels (in {} and {}). Take both files from one data set.", images.sizes[0],
           labels.sizes[0], images.path, labels.path);

  ImageSet set;
  set.height = static_cast<int>(images.sizes[1]);
  set.width = static_cast<int>(images.sizes[2]);
  set.labels = read_payload(labels);
  const auto bytes = read_payload(images);
  const Eigen::Map<const Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>> raw(
      bytes.data(), Eigen::Index{set.height} * set.width, static_cast<Eigen::Index>(images.sizes[0]));
  set.pixels = raw.cast<float>() / 255.0f;
  return set;
}

ImageData load_fashion_mnist(const fs::path& folder) {
  std::error_code none;
  validate(fs::is_directory(folder, none), "{} cannot be read (there is no such folder). {}", folder.string(),
           advice);
  const auto load = [&](const std::string& part) {
    return load_idx(folder / (part + "-images-idx3-ubyte.gz"), folder / (part + "-labels-idx1-ubyte.gz"));
  };
  ImageData data{load("train"), load("t10k")};
  validate(
      data.train.height == data.test.height && data.train.width == data.test.width,
      "training images of {}x{} but test images of {}x{} pixels (in {}). Take all four files from one data "
      "set.",
      data.train.height, data.train.width, data.test.height, data.test.width, folder.string());
  return data;
}

}  // namespace optinc
