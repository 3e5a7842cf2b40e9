#include "experiments/models/learning/cifar.hpp"

#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr int side = 32, colours = 3;
constexpr std::uintmax_t pixels = colours * side * side;

/// Images of which each begins with `labels` label bytes, the last of them the one that counts.
ImageSet load_files(const std::vector<fs::path>& paths, std::uintmax_t labels, int classes) {
  const std::uintmax_t size = labels + pixels;
  std::vector<std::uintmax_t> counts;
  std::uintmax_t images = 0;
  for (const fs::path& path : paths) {
    std::error_code none;
    validate(fs::is_regular_file(path, none),
             "{} cannot be read (there is no such file). Unpack the binary version of the data set there.",
             path.string());
    const std::uintmax_t bytes = fs::file_size(path);
    validate(bytes > 0 && bytes % size == 0,
             "{} has {} bytes (each image takes {}, and they must come out even). Take the binary version of "
             "CIFAR-{}.",
             path.string(), bytes, size, classes);
    counts.push_back(bytes / size);
    images += counts.back();
    validate(images <= 1'000'000, "{} and those before it hold {} images (at most a million are read).",
             path.string(), images);
  }
  ImageSet set;
  set.height = set.width = side;
  set.channels = colours;
  set.pixels.resize(static_cast<Eigen::Index>(pixels), static_cast<Eigen::Index>(images));
  set.labels.reserve(images);
  std::vector<std::uint8_t> image(size);
  for (std::size_t f = 0; f < paths.size(); ++f) {
    std::ifstream file(paths[f], std::ios::binary);
    for (std::uintmax_t i = 0; i < counts[f]; ++i) {
      // iostreams read chars; the bytes are unsigned
      file.read(static_cast<char*>(static_cast<void*>(image.data())), static_cast<std::streamsize>(size));
      validate(file.good(), "{} cannot be read (image {} of {} is missing). Check the file.", paths[f].string(),
               i, counts[f]);
      const std::uint8_t label = image[labels - 1];
      validate(label < classes, "{}: image {} has label {} (CIFAR-{} ends at {}). Take the right version.",
               paths[f].string(), i, int{label}, classes, classes - 1);
      const Eigen::Map<const Eigen::Matrix<std::uint8_t, Eigen::Dynamic, 1>> bytes(
          image.data() + labels, static_cast<Eigen::Index>(pixels));
      set.pixels.col(std::ssize(set.labels)) = bytes.cast<float>() / 255.0f;
      set.labels.push_back(label);
    }
  }
  return set;
}

}  // namespace

ImageData load_cifar10(const fs::path& folder) {
  std::vector<fs::path> train;
  for (const char digit : {'1', '2', '3', '4', '5'})
    train.push_back(folder / fmt::format("data_batch_{}.bin", digit));
  return {load_files(train, 1, 10), load_files({folder / "test_batch.bin"}, 1, 10)};
}

ImageData load_cifar100(const fs::path& folder) {
  return {load_files({folder / "train.bin"}, 2, 100), load_files({folder / "test.bin"}, 2, 100)};
}

}  // namespace optinc
