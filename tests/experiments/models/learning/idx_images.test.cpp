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
  const std::string whole = bytes_of(i), whole_labels = bytes_of(l);
  const auto gzipped = [&](const std::string& bytes) {
    put_gzipped(folder / "made.gz", bytes);
    return bytes_of(folder / "made.gz");
  };
  const auto flipped = [&](std::size_t from_end) {
    std::string bytes = whole;
    bytes[bytes.size() - from_end] ^= 1;
    return bytes;
  };
  const auto claims = [&](std::initializer_list<std::uint32_t> sizes) {
    std::vector<std::uint32_t> header = {0x803};
    header.insert(header.end(), sizes);
    return gzipped(idx(header, image_data));
  };
  const std::string short_header = gzipped(images.substr(0, 10)),
                    short_data = gzipped(images.substr(0, images.size() - 1));
  struct Case {
    fs::path file;
    std::string bytes, reason;
  };
  for (const Case& c : std::vector<Case>{
           {i, "", "images.gz is truncated (0 of 4 bytes"},
           {i, short_header, "is truncated (2 of 4 bytes"},
           {i, short_data, "is truncated (17 of 18 bytes"},
           {i, whole.substr(0, whole.size() - 12), "is truncated"},
           {i, whole.substr(0, whole.size() - 3), "truncated (its data are there, its check sum is not)"},
           {i, flipped(6), "images.gz is damaged (zlib says: incorrect data check)"},
           {l, whole_labels.substr(0, 10) + std::string(whole_labels.size() - 10, '\xff'),
            "labels.gz is damaged (zlib says"},
           {i, gzipped(images + "x"), "longer than its header says (more than 18 bytes"},
           {i, whole_labels, "magic number 0x00000801, not 0x00000803"},
           {i, gzipped(idx({0xd03, 3, 2, 3}, image_data)), "magic number 0x00000d03"},
           {l, gzipped(idx({0x801, 2}, {7, 0})), "3 images but 2 labels"},
           {i, claims({0, 2, 3}), "claims impossible sizes"},
           {i, claims({3, 0, 3}), "claims impossible sizes"},
           {i, claims({3, 2, 0}), "claims impossible sizes"},
           {i, claims({0xffffffff, 4096, 4096}), "claims impossible sizes"},
           {i, claims({1, 0xffffffff, 1}), "claims impossible sizes"},
           {i, claims({3, 28, 4097}), "claims impossible sizes"},
           {i, claims({60000, 28, 28}), "claims impossible sizes"},
           {i, claims({0xffffffff, 1, 1}), "claims impossible sizes"},
           {l, gzipped(idx({0x801, 0xffffffff}, {7, 0, 1})),
            "labels.gz claims impossible sizes (4294967295"}}) {
    put(i, whole);
    put(l, whole_labels);
    put(c.file, c.bytes);
    refused(c.reason);
  }
  put(i, whole);
  fs::remove(l);
  refused("labels.gz cannot be read (there is no such file). Install the Debian package dataset-fashion-mnist");
  fs::remove(i);
  fs::create_directory(i);
  refused("no such file");
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
