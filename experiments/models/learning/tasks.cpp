#include "experiments/models/learning/tasks.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "experiments/models/learning/cifar.hpp"
#include "experiments/models/learning/mlp.hpp"
#include "experiments/models/learning/resnet.hpp"

namespace optinc {
namespace {

ImageData images_of(const LearnerSettings& s) {
  if (s.data_set == "cifar-10") return load_cifar10(s.data);
  if (s.data_set == "cifar-100") return load_cifar100(s.data);
  return s.data == "default" ? load_fashion_mnist() : load_fashion_mnist(s.data);
}

}  // namespace

std::string learning_task_name(const LearnerSettings& s) {
  return fmt::format("{} {} {} {}", s.kind, s.data_set, s.data, s.width);
}

// what validate_learner() says of learner.width
static_assert(ResNetShape{}.groups == 4 && ResNetShape{}.base == 16);

LearningTask make_learning_task(const LearnerSettings& s) {
  auto data = std::make_shared<const ImageData>(images_of(s));
  const ImageSet& train = data->train;
  const int classes = std::max<int>(10, *std::max_element(train.labels.begin(), train.labels.end()) + 1);
  if (s.kind == "mlp")
    return mlp_task(
        {static_cast<int>(train.pixels.rows()), s.width == 0 ? MlpShape{}.hidden : s.width, classes}, data);
  ResNetShape shape;
  shape.height = train.height;
  shape.width = train.width;
  shape.channels = static_cast<int>(train.pixels.rows()) / (train.height * train.width);
  shape.classes = classes;
  if (s.width > 0) shape.base = s.width;
  return resnet_task(shape, data);
}

}  // namespace optinc
