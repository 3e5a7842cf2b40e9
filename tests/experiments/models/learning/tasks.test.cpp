#include "experiments/models/learning/tasks.hpp"

#include <fmt/format.h>

#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/image_files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;

namespace {

LearnerSettings settings_of(std::string kind, std::string data_set, const std::filesystem::path& data,
                            int width = 0) {
  LearnerSettings s;
  s.kind = std::move(kind);
  s.data_set = std::move(data_set);
  s.data = data.string();
  s.width = width;
  return s;
}

std::string cifar(int images, int label, int label_bytes) {
  std::string bytes;
  for (int i = 0; i < images; ++i)
    bytes += std::string(static_cast<std::size_t>(label_bytes), static_cast<char>(label)) +
             std::string(3072, '\x40');
  return bytes;
}

}  // namespace

// the closed forms of mlp.hpp and resnet.hpp. Fails when a width goes to another layer, or classes
// are those of the labels seen
TEST_CASE("a learner's task has the sizes of its data and its width") {
  const Scratch folder;
  put_images(folder.path(), 30, 10);
  const LearningTask mlp = make_learning_task(settings_of("mlp", "fashion-mnist", folder.path(), 7));
  CHECK(mlp.shape == "16-7-10");  // of four labels seen, but data sets like it have ten
  CHECK(mlp.examples == 30);
  CHECK(mlp.parameters == 7 * 17 + 10 * 8);
  CHECK(make_learning_task(settings_of("mlp", "fashion-mnist", folder.path())).shape == "16-128-10");
  const LearningTask cnn = make_learning_task(settings_of("cnn", "fashion-mnist", folder.path(), 8));
  CHECK(cnn.shape == "4x4x1, 3 stages from 8 channels, 10 classes");
  CHECK(make_learning_task(settings_of("cnn", "fashion-mnist", folder.path())).shape ==
        "4x4x1, 3 stages from 16 channels, 10 classes");
  Stream stream(1, Purpose::test);
  CHECK(mlp.evaluate(mlp.start(stream)).loss > 0.0);

  for (int file = 1; file <= 5; ++file) put(folder / fmt::format("data_batch_{}.bin", file), cifar(2, 9, 1));
  put(folder / "test_batch.bin", cifar(1, 3, 1));
  put(folder / "train.bin", cifar(3, 57, 2));
  put(folder / "test.bin", cifar(1, 12, 2));
  CHECK(make_learning_task(settings_of("mlp", "cifar-10", folder.path(), 5)).shape == "3072-5-10");
  const LearningTask hundred = make_learning_task(settings_of("cnn", "cifar-100", folder.path(), 4));
  CHECK(hundred.examples == 3);
  CHECK(hundred.shape == "32x32x3, 3 stages from 4 channels, 58 classes");
}

// Fails when points of unlike data share a task, or equal ones read their data anew
TEST_CASE("points share a task where nothing that makes it differs") {
  const LearnerSettings base = settings_of("mlp", "fashion-mnist", "folder");
  const std::string name = learning_task_name(base);
  const auto with = [&](auto change) {
    LearnerSettings s = base;
    change(s);
    return learning_task_name(s);
  };
  CHECK(with([](auto& s) { s.aggregator = "chip"; }) == name);
  CHECK(with([](auto& s) { s.learning_rate = 9.0; }) == name);
  CHECK(with([](auto& s) { s.kind = "cnn"; }) != name);
  CHECK(with([](auto& s) { s.data_set = "cifar-10"; }) != name);
  CHECK(with([](auto& s) { s.data = "other"; }) != name);
  CHECK(with([](auto& s) { s.width = 64; }) != name);
}

TEST_CASE("data that are not there are refused by name") {
  const Scratch folder;
  const auto refused = [&](const char* kind, const char* data_set, std::string_view place) {
    return refusal([&] { make_learning_task(settings_of(kind, data_set, folder / place)); });
  };
  check_message(refused("mlp", "fashion-mnist", "none"),
                {"/none cannot be read", "no such folder", "learner.data"});
  check_message(refused("cnn", "cifar-10", "none"), {"/none/data_batch_1.bin cannot be read"});
  check_message(refused("cnn", "cifar-100", "none"), {"/none/train.bin cannot be read"});
  put_images(folder.path(), 10, 10);
  put(folder / "t10k-labels-idx1-ubyte.gz", idx({0x801, 10}, std::string(10, '\x0b')));
  check_message(refused("mlp", "fashion-mnist", ""), {"label 11", "10 classes"});
}
