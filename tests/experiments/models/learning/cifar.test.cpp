#include "experiments/models/learning/cifar.hpp"

#include <string>

#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;

namespace {

/// An image of the binary versions: label bytes, then 3072 bytes of which byte i is (7 i + salt) mod 256.
std::string image(std::string labels, int salt) {
  for (int i = 0; i < 3072; ++i) labels += static_cast<char>(static_cast<unsigned char>(7 * i + salt));
  return labels;
}

void put_cifar10(const Scratch& folder) {
  for (int file = 1; file <= 5; ++file)
    put(folder / ("data_batch_" + std::to_string(file) + ".bin"),
        image(std::string(1, static_cast<char>(file)), file) + image("\x09", 10 * file));
  put(folder / "test_batch.bin", image(std::string(1, '\0'), 3));
}

}  // namespace

// Fails when the label byte is read as a pixel, or files are taken in another order.
TEST_CASE("CIFAR-10 files are read") {
  const Scratch folder;
  put_cifar10(folder);
  const ImageData data = load_cifar10(folder.path());
  CHECK(data.train.labels == std::vector<std::uint8_t>{1, 9, 2, 9, 3, 9, 4, 9, 5, 9});
  CHECK(data.test.labels == std::vector<std::uint8_t>{0});
  CHECK(data.train.height == 32);
  CHECK(data.train.width == 32);
  CHECK(data.train.channels == 3);
  REQUIRE(data.train.pixels.rows() == 3072);
  REQUIRE(data.train.pixels.cols() == 10);
  for (int i : {0, 1, 1023, 1024, 3071}) {
    CHECK(data.train.pixels(i, 4) == static_cast<float>((7 * i + 3) % 256) / 255.0f);
    CHECK(data.train.pixels(i, 5) == static_cast<float>((7 * i + 30) % 256) / 255.0f);
  }
}

// Fails when the coarse label is taken.
TEST_CASE("CIFAR-100 files are read by their fine labels") {
  const Scratch folder;
  put(folder / "train.bin", image("\x13\x63", 0) + image("\x01\x07", 5));
  put(folder / "test.bin", image("\x02\x2a", 1));
  const ImageData data = load_cifar100(folder.path());
  CHECK(data.train.labels == std::vector<std::uint8_t>{99, 7});
  CHECK(data.test.labels == std::vector<std::uint8_t>{42});
  CHECK(data.train.pixels(1, 1) == 12.0f / 255.0f);
}

TEST_CASE("CIFAR files that are not are refused by name") {
  const Scratch folder;
  CHECK(refusal([&] { load_cifar10(folder.path()); }).find("data_batch_1.bin cannot be read") !=
        std::string::npos);
  put_cifar10(folder);
  put(folder / "data_batch_4.bin", image("\x01", 0) + "x");
  CHECK(refusal([&] { load_cifar10(folder.path()); }).find("data_batch_4.bin has 3074 bytes") !=
        std::string::npos);
  put(folder / "data_batch_4.bin", "");
  CHECK_THROWS_AS(load_cifar10(folder.path()), Error);
  put(folder / "data_batch_4.bin", image("\x01", 0) + image("\x0a", 0));
  CHECK(refusal([&] { load_cifar10(folder.path()); }).find("image 1 has label 10") != std::string::npos);
  put(folder / "train.bin", image("\x01\x64", 0));
  put(folder / "test.bin", image("\x01\x01", 0));
  CHECK(refusal([&] { load_cifar100(folder.path()); }).find("image 0 has label 100") != std::string::npos);
}
