#include "experiments/models/learning/idx_images.hpp"

#include <algorithm>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/gzip.hpp"
#include "tests/support/image_files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

/// Three images of 2 x 3 pixels whose bytes are 0, 10, .. 170, labelled 7, 0, 255.
const std::string image_data = [] {
  std::string bytes;
  for (int i = 0; i < 18; ++i) bytes += static_cast<char>(static_cast<unsigned char>(10 * i));
  return bytes;
}();
const std::string images = idx({0x803, 3, 2, 3}, image_data), labels = idx({0x801, 3}, {7, 0, '\xff'});

}  // namespace

TEST_CASE("IDX files become pixels and labels") {
  const Scratch folder;
  const auto i = folder / "i.gz", l = folder / "l.gz";
  SECTION("gzipped") {
    put_gzipped(i, images);
    put_gzipped(l, labels);
  }
  SECTION("plain") {
    put(i, images);
    put(l, labels);
  }
  const ImageSet set = load_idx(i, l);
  CHECK(set.height == 2);
  CHECK(set.width == 3);
  CHECK(set.labels == std::vector<std::uint8_t>{7, 0, 255});
  REQUIRE(set.pixels.rows() == 6);
  REQUIRE(set.pixels.cols() == 3);
  CHECK(set.pixels(0, 0) == 0.0f);
  CHECK(set.pixels(1, 0) == 10.0f / 255.0f);
  CHECK(set.pixels(5, 2) == 170.0f / 255.0f);
}

TEST_CASE("bad IDX files are refused with the reason") {
  const Scratch folder;
  const auto i = folder / "images.gz", l = folder / "labels.gz";
  put_gzipped(i, images);
  put_gzipped(l, labels);
  REQUIRE_NOTHROW(load_idx(i, l));
  const auto refused = [&](const std::string& reason) {
    const std::string message = refusal([&] { load_idx(i, l); });
    INFO(message);
    CHECK(message.find(reason) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  };
  SECTION("missing file") {
    fs::remove(l);
    refused(
        "labels.gz cannot be read (there is no such file). Install the Debian package dataset-fashion-mnist");
  }
  SECTION("a folder") {
    fs::remove(i);
    fs::create_directory(i);
    refused("no such file");
  }
  SECTION("an empty file") {
    put(i, "");
    refused("images.gz is truncated (0 of 4 bytes");
  }
  SECTION("header cut short") {
    put_gzipped(i, images.substr(0, 10));
    refused("is truncated (2 of 4 bytes");
  }
  SECTION("data cut short") {
    put_gzipped(i, images.substr(0, images.size() - 1));
    refused("is truncated (17 of 18 bytes");
  }
  SECTION("gzip stream cut short, in its data and in its check sum") {
    const std::string whole = bytes_of(i);
    put(i, whole.substr(0, whole.size() - 12));
    refused("is truncated");
    put(i, whole.substr(0, whole.size() - 3));
    refused("truncated (its data are there, its check sum is not)");
  }
  SECTION("damaged: the check sum differs") {
    std::string bytes = bytes_of(i);
    bytes[bytes.size() - 6] ^= 1;
    put(i, bytes);
    refused("images.gz is damaged (zlib says: incorrect data check)");
  }
  SECTION("damaged: no deflate stream") {
    std::string bytes = bytes_of(l);
    for (std::size_t b = 10; b < bytes.size(); ++b) bytes[b] = '\xff';
    put(l, bytes);
    refused("labels.gz is damaged (zlib says");
  }
  SECTION("more data than the header says") {
    put_gzipped(i, images + "x");
    refused("longer than its header says (more than 18 bytes");
  }
  SECTION("images and labels exchanged") {
    fs::rename(i, folder / "other");
    fs::rename(l, i);
    fs::rename(folder / "other", l);
    refused("magic number 0x00000801, not 0x00000803");
  }
  SECTION("another element type") {
    put_gzipped(i, idx({0xd03, 3, 2, 3}, image_data));
    refused("magic number 0x00000d03");
  }
  SECTION("fewer labels than images") {
    put_gzipped(l, idx({0x801, 2}, {7, 0}));
    refused("3 images but 2 labels");
  }
  SECTION("absurd sizes are not allocated") {
    for (const auto& sizes : std::vector<std::vector<std::uint32_t>>{{0, 2, 3},
                                                                     {3, 0, 3},
                                                                     {3, 2, 0},
                                                                     {0xffffffff, 4096, 4096},
                                                                     {1, 0xffffffff, 1},
                                                                     {3, 28, 4097},
                                                                     {60000, 28, 28},
                                                                     {0xffffffff, 1, 1}}) {
      put_gzipped(i, idx({0x803, sizes[0], sizes[1], sizes[2]}, image_data));
      refused("claims impossible sizes");
    }
    put_gzipped(l, idx({0x801, 0xffffffff}, {7, 0, 1}));
    put_gzipped(i, images);
    refused("labels.gz claims impossible sizes (4294967295");
  }
}

TEST_CASE("a data set is four files in a folder") {
  const Scratch folder;
  const auto refused = [](const fs::path& path, const std::string& reason) {
    const std::string message = refusal([&] { load_fashion_mnist(path); });
    INFO(message);
    CHECK(message.find(reason) != std::string::npos);
  };
  refused(folder / "none",
          "there is no such folder). Install the Debian package dataset-fashion-mnist, or set gradient.data");
  refused(folder.path(), "train-images-idx3-ubyte.gz cannot be read");
  put_gzipped(folder / "train-images-idx3-ubyte.gz", images);
  put_gzipped(folder / "train-labels-idx1-ubyte.gz", labels);
  put_gzipped(folder / "t10k-images-idx3-ubyte.gz", idx({0x803, 1, 2, 3}, image_data.substr(0, 6)));
  put_gzipped(folder / "t10k-labels-idx1-ubyte.gz", idx({0x801, 1}, {1}));
  CHECK(load_fashion_mnist(folder.path()).test.labels == std::vector<std::uint8_t>{1});
  put_gzipped(folder / "t10k-images-idx3-ubyte.gz", idx({0x803, 1, 3, 2}, image_data.substr(0, 6)));
  refused(folder.path(), "test images of 3x2");
}

TEST_CASE("Fashion-MNIST as Debian packs it") {
  const fs::path folder = "/usr/share/datasets/fashion-mnist";
  if (!fs::is_directory(folder)) {
    WARN("not checked: the Debian package dataset-fashion-mnist is not installed");
    return;
  }
  const ImageData data = load_fashion_mnist(folder);
  CHECK(data.train.pixels.rows() == 784);
  CHECK(data.train.pixels.cols() == 60000);
  CHECK(data.test.pixels.rows() == 784);
  CHECK(data.test.pixels.cols() == 10000);
  CHECK(data.train.height == 28);
  CHECK(data.train.width == 28);
  // Each of the ten classes has 6,000 and 1,000 images (Xiao et al. 2017).
  for (std::uint8_t c = 0; c < 10; ++c) {
    CHECK(std::count(data.train.labels.begin(), data.train.labels.end(), c) == 6000);
    CHECK(std::count(data.test.labels.begin(), data.test.labels.end(), c) == 1000);
  }
  CHECK(data.train.pixels.minCoeff() == 0.0f);
  CHECK(data.train.pixels.maxCoeff() == 1.0f);
}
