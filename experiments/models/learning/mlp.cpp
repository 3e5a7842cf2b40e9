#include "experiments/models/learning/mlp.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <omp.h>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// The flat parameter vector (or a gradient) seen as its four parts.
template <class Matrix, class Vector>
struct Parts {
  Eigen::Map<Matrix> w1;
  Eigen::Map<Vector> b1;
  Eigen::Map<Matrix> w2;
  Eigen::Map<Vector> b2;
};

template <class Matrix, class Vector, class Scalar>
Parts<Matrix, Vector> parts(const MlpShape& shape, Scalar* flat) {
  const Eigen::Index in = shape.inputs, hidden = shape.hidden, classes = shape.classes;
  Scalar* const b1 = flat + hidden * in;
  Scalar* const w2 = b1 + hidden;
  Scalar* const b2 = w2 + classes * hidden;
  return {{flat, hidden, in}, {b1, hidden}, {w2, classes, hidden}, {b2, classes}};
}

auto parts_of(const MlpShape& shape, const Eigen::Ref<const Eigen::VectorXf>& parameters) {
  return parts<const Eigen::MatrixXf, const Eigen::VectorXf>(shape, parameters.data());
}

auto parts_of(const MlpShape& shape, Eigen::VectorXf& parameters) {
  return parts<Eigen::MatrixXf, Eigen::VectorXf>(shape, parameters.data());
}

struct Activations {
  Eigen::MatrixXf hidden;   ///< (hidden, images), after the ReLU
  Eigen::MatrixXf outputs;  ///< (classes, images), before the softmax
};

Activations forward(const MlpShape& shape, const Eigen::Ref<const Eigen::VectorXf>& parameters,
                    const Eigen::Ref<const Eigen::MatrixXf>& pixels) {
  const auto p = parts_of(shape, parameters);
  Activations a;
  a.hidden.noalias() = p.w1 * pixels;
  a.hidden = (a.hidden.colwise() + p.b1).cwiseMax(0.0f);
  a.outputs.noalias() = p.w2 * a.hidden;
  a.outputs.colwise() += p.b2;
  return a;
}

void validate_parameters(const MlpShape& shape, Eigen::Index size) {
  validate(size == shape.parameters(),
           "{} parameters for a {}-{}-{} network (it has {}). Use the vector that he_init or training gave for "
           "this shape.",
           size, shape.inputs, shape.hidden, shape.classes, shape.parameters());
}

}  // namespace

void validate_mlp(const MlpShape& shape) {
  constexpr int most = 65536;
  validate(shape.inputs >= 1 && shape.inputs <= most && shape.hidden >= 1 && shape.hidden <= most &&
               shape.classes >= 2 && shape.classes <= 256,
           "a {}-{}-{} network cannot be built (widths go from 1 to {}, classes from 2 to 256). Fashion-MNIST "
           "takes 784-128-10.",
           shape.inputs, shape.hidden, shape.classes, most);
}

void validate_images(const MlpShape& shape, const Eigen::Ref<const Eigen::MatrixXf>& pixels,
                     std::span<const std::uint8_t> labels) {
  validate_mlp(shape);
  validate(pixels.rows() == shape.inputs,
           "images of {} pixels for a network of {} inputs (each pixel is one input). Set inputs to {}.",
           pixels.rows(), shape.inputs, pixels.rows());
  validate(pixels.cols() >= 1 && static_cast<std::size_t>(pixels.cols()) == labels.size(),
           "{} images with {} labels (each image needs one, and there must be one image). Pass equal numbers.",
           pixels.cols(), labels.size());
  const auto largest = std::max_element(labels.begin(), labels.end());
  validate(*largest < shape.classes,
           "image {} has label {} (the network's {} classes end at {}). Set classes to {} or more.",
           largest - labels.begin(), int{*largest}, shape.classes, shape.classes - 1, *largest + 1);
}

Eigen::VectorXf he_init(const MlpShape& shape, Stream& stream) {
  validate_mlp(shape);
  Eigen::VectorXf parameters = Eigen::VectorXf::Zero(shape.parameters());
  const auto p = parts_of(shape, parameters);
  const auto fill = [&](Eigen::Map<Eigen::MatrixXf> weight) {
    const double deviation = std::sqrt(2.0 / static_cast<double>(weight.cols()));
    for (float& w : weight.reshaped()) w = static_cast<float>(deviation * stream.normal());
  };
  fill(p.w1);
  fill(p.w2);
  return parameters;
}

LossAndGradient loss_and_gradient(const MlpShape& shape, const Eigen::Ref<const Eigen::VectorXf>& parameters,
                                  const Eigen::Ref<const Eigen::MatrixXf>& pixels,
                                  std::span<const std::uint8_t> labels) {
  validate_images(shape, pixels, labels);
  validate_parameters(shape, parameters.size());
  const Activations a = forward(shape, parameters, pixels);
  const auto images = static_cast<double>(pixels.cols());

  // Subtracting each column's largest output leaves the softmax as it is and keeps exp from overflowing.
  const Eigen::MatrixXf z = a.outputs.rowwise() - a.outputs.colwise().maxCoeff().eval();
  Eigen::MatrixXf dz = z.array().exp();
  LossAndGradient result;
  for (Eigen::Index i = 0; i < dz.cols(); ++i) {
    const Eigen::Index label = labels[static_cast<std::size_t>(i)];
    const float sum = dz.col(i).sum();
    result.loss += std::log(static_cast<double>(sum)) - static_cast<double>(z(label, i));
    dz.col(i) /= sum;
    dz(label, i) -= 1.0f;  // d loss_i / d z = p - e_label
  }
  result.loss /= images;
  dz *= static_cast<float>(1.0 / images);

  const auto p = parts_of(shape, parameters);
  const Eigen::MatrixXf dh = (a.hidden.array() > 0.0f).select(p.w2.transpose() * dz, 0.0f);
  result.gradient.resize(shape.parameters());
  auto g = parts_of(shape, result.gradient);
  g.w1.noalias() = dh * pixels.transpose();
  g.b1 = dh.rowwise().sum();
  g.w2.noalias() = dz * a.hidden.transpose();
  g.b2 = dz.rowwise().sum();
  return result;
}

Evaluation evaluate(const MlpShape& shape, const Eigen::Ref<const Eigen::VectorXf>& parameters,
                    const ImageSet& set) {
  validate_images(shape, set.pixels, set.labels);
  validate_parameters(shape, parameters.size());
  constexpr Eigen::Index chunk = 500;
  const Eigen::Index images = set.pixels.cols(), chunks = (images + chunk - 1) / chunk;
  std::int64_t right = 0;
  std::vector<double> losses(static_cast<std::size_t>(chunks));  // summed in one order on any number of threads
#pragma omp parallel for schedule(static) reduction(+ : right) if (!omp_in_parallel())
  for (Eigen::Index c = 0; c < chunks; ++c) {
    const Eigen::Index first = c * chunk, count = std::min(chunk, images - first);
    const Eigen::MatrixXf outputs = forward(shape, parameters, set.pixels.middleCols(first, count)).outputs;
    for (Eigen::Index i = 0; i < count; ++i) {
      Eigen::Index best = 0;
      const float largest = outputs.col(i).maxCoeff(&best);
      const Eigen::Index label = set.labels[static_cast<std::size_t>(first + i)];
      right += best == label ? 1 : 0;
      const float sum = (outputs.col(i).array() - largest).exp().sum();
      losses[static_cast<std::size_t>(c)] += std::log(static_cast<double>(sum)) + static_cast<double>(largest) -
                                             static_cast<double>(outputs(label, i));
    }
  }
  return {std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(images),
          static_cast<double>(right) / static_cast<double>(images)};
}

LearningTask mlp_task(const MlpShape& shape, std::shared_ptr<const ImageData> data) {
  validate_images(shape, data->train.pixels, data->train.labels);
  validate_images(shape, data->test.pixels, data->test.labels);  // now, not after an epoch of work
  LearningTask task;
  task.name = "mlp";
  task.shape = fmt::format("{}-{}-{}", shape.inputs, shape.hidden, shape.classes);
  task.parameters = shape.parameters();
  task.examples = static_cast<std::uint32_t>(data->train.pixels.cols());
  task.start = [shape](Stream& stream) { return he_init(shape, stream); };
  task.gradient = [shape, data](const Eigen::VectorXf& parameters, std::span<const std::uint32_t> examples) {
    const ImageSet batch = choose_images(data->train, examples);
    return loss_and_gradient(shape, parameters, batch.pixels, batch.labels);
  };
  task.evaluate = [shape, data](const Eigen::VectorXf& parameters) {
    return evaluate(shape, parameters, data->test);
  };
  return task;
}

}  // namespace optinc
