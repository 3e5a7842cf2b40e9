#include "experiments/models/learning/resnet.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <omp.h>

#include "experiments/models/learning/cross_entropy.hpp"
#include "experiments/models/learning/group_norm.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// A convolution and the norm after it.
struct ConvNorm {
  LaneConv conv;
  Eigen::Index norm = 0;  ///< of its gains and biases in the parameter vector
};

struct Block {
  ConvNorm first, second;
  std::optional<LaneConv> shortcut;
};

/// Every layer with its place in the parameter vector.
struct ResNetPlan {
  ConvNorm stem;
  std::vector<Block> blocks;
  Eigen::Index head = 0;  ///< of the last layer's weights (classes, features), then its biases
  int features = 0;
  Eigen::Index size = 0;
};

ResNetPlan plan_of(const ResNetShape& s) {
  ResNetPlan plan;
  const auto place = [&](LaneConv conv) {
    conv.at = plan.size;
    plan.size += conv.weights();
    return conv;
  };
  const auto place_normed = [&](const LaneConv& conv) {
    const LaneConv placed = place(conv);
    plan.size += 2 * Eigen::Index{conv.out};
    return ConvNorm{placed, plan.size - 2 * conv.out};
  };
  plan.stem = place_normed({s.channels, s.base, 3, 2, s.height, s.width});
  LaneConv before = plan.stem.conv;
  for (int stage = 0; stage < s.stages; ++stage) {
    const int channels = s.base << stage, stride = stage == 0 ? 1 : 2;
    const int height = before.out_height(), width = before.out_width();
    Block block;
    block.first = place_normed({before.out, channels, 3, stride, height, width});
    const LaneConv& first = block.first.conv;
    block.second = place_normed({channels, channels, 3, 1, first.out_height(), first.out_width()});
    if (stage > 0) block.shortcut = place({before.out, channels, 1, stride, height, width});
    before = block.second.conv;
    plan.blocks.push_back(block);
  }
  plan.features = before.out;
  plan.head = plan.size;
  plan.size += Eigen::Index{s.classes} * (plan.features + 1);
  return plan;
}

template <class Real>
struct ConvNormWork {
  MatrixOf<Real> columns;
  GroupNormWork<Real> norm;
};

template <class Real>
struct BlockWork {
  ConvNormWork<Real> first, second;
  MatrixOf<Real> shortcut_columns, shortcut;
  MatrixOf<Real> hidden, output;  ///< after each ReLU
};

/// Everything a pass needs, kept from call to call rather than allocated anew.
template <class Real>
struct ResNetWork {
  MatrixOf<Real> input, stem_output;
  ConvNormWork<Real> stem;
  std::vector<BlockWork<Real>> blocks;
  MatrixOf<Real> features, outputs;                   ///< (features, lanes), (classes, lanes)
  MatrixOf<Real> gradient, hidden_gradient, scratch;  ///< of the backward pass
  MatrixOf<Real> input_gradient;
};

template <class Real>
ResNetWork<Real>& resnet_work_of_this_thread() {
  static thread_local ResNetWork<Real> work;
  return work;
}

template <class Real>
void normed_conv(const ResNetShape& s, const ConvNorm& layer, const VectorOf<Real>& p,
                 const MatrixOf<Real>& input, ConvNormWork<Real>& work, MatrixOf<Real>& output) {
  lane_conv(layer.conv, p.data() + layer.conv.at, input, work.columns, output);
  group_norm(s.groups, p.data() + layer.norm, output, work.norm);
}

template <class Real>
void forward(const ResNetShape& s, const ResNetPlan& plan, const VectorOf<Real>& p, ResNetWork<Real>& w) {
  normed_conv(s, plan.stem, p, w.input, w.stem, w.stem_output);
  w.stem_output = w.stem_output.cwiseMax(Real{0});
  w.blocks.resize(plan.blocks.size());
  const MatrixOf<Real>* input = &w.stem_output;
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const Block& block = plan.blocks[b];
    BlockWork<Real>& own = w.blocks[b];
    normed_conv(s, block.first, p, *input, own.first, own.hidden);
    own.hidden = own.hidden.cwiseMax(Real{0});
    normed_conv(s, block.second, p, own.hidden, own.second, own.output);
    if (block.shortcut) {
      lane_conv(*block.shortcut, p.data() + block.shortcut->at, *input, own.shortcut_columns, own.shortcut);
      own.output = (own.output + own.shortcut).cwiseMax(Real{0});
    } else {
      own.output = (own.output + *input).cwiseMax(Real{0});
    }
    input = &own.output;
  }
  const Eigen::Index pixels = input->rows() / lanes;
  w.features.resize(plan.features, lanes);
  for (Eigen::Index c = 0; c < plan.features; ++c) {
    const Eigen::Map<const MatrixOf<Real>> map(input->col(c).data(), lanes, pixels);
    w.features.row(c) = map.rowwise().sum().transpose() / static_cast<Real>(pixels);
  }
  const Eigen::Map<const MatrixOf<Real>> weights(p.data() + plan.head, s.classes, plan.features);
  const Eigen::Map<const VectorOf<Real>> bias(weights.data() + weights.size(), s.classes);
  w.outputs.noalias() = weights * w.features;
  w.outputs.colwise() += bias;
}

/// From d loss / d outputs, which stands in w.outputs.
template <class Real>
void backward(const ResNetShape& s, const ResNetPlan& plan, const VectorOf<Real>& p, ResNetWork<Real>& w,
              VectorOf<Real>& gradient) {
  const Eigen::Map<const MatrixOf<Real>> weights(p.data() + plan.head, s.classes, plan.features);
  Real* const head = gradient.data() + plan.head;
  Eigen::Map<MatrixOf<Real>>(head, s.classes, plan.features).noalias() += w.outputs * w.features.transpose();
  Eigen::Map<VectorOf<Real>>(head + weights.size(), s.classes) += w.outputs.rowwise().sum();
  const MatrixOf<Real> mean_gradient = weights.transpose() * w.outputs;  // (features, lanes)

  // output_gradient is overwritten
  const auto normed_conv_backward = [&](const ConvNorm& layer, const ConvNormWork<Real>& work,
                                        MatrixOf<Real>& output_gradient, MatrixOf<Real>* input_gradient) {
    group_norm_backward(s.groups, p.data() + layer.norm, work.norm, output_gradient,
                        gradient.data() + layer.norm);
    lane_conv_backward(layer.conv, p.data() + layer.conv.at, work.columns, output_gradient,
                       gradient.data() + layer.conv.at, input_gradient, w.scratch);
  };
  const MatrixOf<Real>& last = w.blocks.back().output;
  const Eigen::Index pixels = last.rows() / lanes;
  w.gradient.resize(last.rows(), last.cols());
  for (Eigen::Index c = 0; c < plan.features; ++c) {
    Eigen::Map<Eigen::Matrix<Real, lanes, Eigen::Dynamic>> map(w.gradient.col(c).data(), lanes, pixels);
    map.colwise() = mean_gradient.row(c).transpose() / static_cast<Real>(pixels);
  }
  for (std::size_t b = plan.blocks.size(); b-- > 0;) {
    const Block& block = plan.blocks[b];
    BlockWork<Real>& own = w.blocks[b];
    const MatrixOf<Real>& input = b > 0 ? w.blocks[b - 1].output : w.stem_output;
    w.gradient = (own.output.array() > Real{0}).select(w.gradient, Real{0});
    if (block.shortcut) {
      w.input_gradient.setZero(input.rows(), input.cols());
      lane_conv_backward(*block.shortcut, p.data() + block.shortcut->at, own.shortcut_columns, w.gradient,
                         gradient.data() + block.shortcut->at, &w.input_gradient, w.scratch);
    } else {
      w.input_gradient = w.gradient;
    }
    w.hidden_gradient.setZero(own.hidden.rows(), own.hidden.cols());
    normed_conv_backward(block.second, own.second, w.gradient, &w.hidden_gradient);
    w.hidden_gradient = (own.hidden.array() > Real{0}).select(w.hidden_gradient, Real{0});
    normed_conv_backward(block.first, own.first, w.hidden_gradient, &w.input_gradient);
    std::swap(w.gradient, w.input_gradient);
  }
  w.gradient = (w.stem_output.array() > Real{0}).select(w.gradient, Real{0});
  normed_conv_backward(plan.stem, w.stem, w.gradient, nullptr);
}

template <class Real>
void load_lanes(const ResNetShape& s, const ImageSet& set, std::span<const std::uint32_t> images,
                MatrixOf<Real>& input) {
  const Eigen::Index pixels = Eigen::Index{s.height} * s.width;
  input.setZero(pixels * lanes, s.channels);  // lanes without an image see a black one
  for (std::size_t n = 0; n < images.size(); ++n) {
    for (Eigen::Index c = 0; c < s.channels; ++c) {
      const float* const from = set.pixels.col(images[n]).data() + c * pixels;
      Real* const to = input.col(c).data() + n;
      for (Eigen::Index i = 0; i < pixels; ++i) to[i * lanes] = static_cast<Real>(from[i]);
    }
  }
}

void validate_set(const ResNetShape& s, const ImageSet& set) {
  validate(
      set.height == s.height && set.width == s.width && set.channels == s.channels,
      "images of {}x{} pixels in {} channels for a network of {}x{} in {} (they must be the same). Set the "
      "network's to the images'.",
      set.height, set.width, set.channels, s.height, s.width, s.channels);
  validate(set.pixels.cols() >= 1 && set.pixels.cols() == std::ssize(set.labels),
           "{} images with {} labels (each image needs one, and there must be one image). Pass equal numbers.",
           set.pixels.cols(), set.labels.size());
  const auto largest = std::max_element(set.labels.begin(), set.labels.end());
  validate(*largest < s.classes,
           "image {} has label {} (the network's {} classes end at {}). Set classes to {} or more.",
           largest - set.labels.begin(), int{*largest}, s.classes, s.classes - 1, *largest + 1);
}

}  // namespace

Eigen::Index ResNetShape::parameters() const { return plan_of(*this).size; }

void validate_resnet(const ResNetShape& s) {
  validate(s.height >= 1 && s.height <= 1024 && s.width >= 1 && s.width <= 1024 && s.channels >= 1 &&
               s.channels <= 16,
           "a residual network for images of {}x{} pixels in {} channels (sides go from 1 to 1024, channels to "
           "16). Fashion-MNIST has 28x28 in 1, CIFAR 32x32 in 3.",
           s.height, s.width, s.channels);
  validate(
      s.groups >= 1 && s.base >= 1 && s.base <= 256 && s.base % s.groups == 0,
      "{} channels normalised in {} groups (1 to 256 channels, each group an equal share). Choose 16 and 4.",
      s.base, s.groups);
  validate(s.stages >= 1 && s.stages <= 5, "{} stages (a residual network here has 1 to 5). Choose 3.",
           s.stages);
  validate(s.classes >= 2 && s.classes <= 256, "{} classes (a label is one byte: 2 to 256). Choose 10.",
           s.classes);
}

Eigen::VectorXf resnet_start(const ResNetShape& shape, Stream& stream) {
  validate_resnet(shape);
  const ResNetPlan plan = plan_of(shape);
  Eigen::VectorXf p = Eigen::VectorXf::Zero(plan.size);
  const auto fill = [&](Eigen::Index at, Eigen::Index count, double variance) {
    for (float& w : p.segment(at, count)) w = static_cast<float>(std::sqrt(variance) * stream.normal());
  };
  const auto start_conv = [&](const LaneConv& conv) {
    fill(conv.at, conv.weights(), 2.0 / static_cast<double>(conv.fan_in()));
  };
  const auto start = [&](const ConvNorm& layer) {
    start_conv(layer.conv);
    p.segment(layer.norm, layer.conv.out).setOnes();
  };
  start(plan.stem);
  for (const Block& block : plan.blocks) {
    start(block.first);
    start(block.second);
    if (block.shortcut) start_conv(*block.shortcut);
  }
  fill(plan.head, Eigen::Index{shape.classes} * plan.features, 1.0 / plan.features);
  return p;
}

template <class Real>
ResNetSums resnet_loss(const ResNetShape& shape, const VectorOf<Real>& parameters, const ImageSet& set,
                       std::span<const std::uint32_t> images, VectorOf<Real>* gradient) {
  const ResNetPlan plan = plan_of(shape);
  validate(parameters.size() == plan.size,
           "{} parameters for a residual network of {}. Use the vector that resnet_start or training gave for "
           "this shape.",
           parameters.size(), plan.size);
  validate(set.pixels.rows() == Eigen::Index{shape.height} * shape.width * shape.channels,
           "images of {} numbers for a network of {}x{} pixels in {} channels. Set its size to theirs.",
           set.pixels.rows(), shape.height, shape.width, shape.channels);
  ResNetWork<Real>& work = resnet_work_of_this_thread<Real>();
  const auto scale = static_cast<Real>(1.0 / static_cast<double>(images.size()));
  if (gradient != nullptr) gradient->setZero(plan.size);
  ResNetSums sums;
  std::vector<std::uint8_t> labels;
  for (std::size_t first = 0; first < images.size(); first += lanes) {
    const auto chunk = images.subspan(first, std::min<std::size_t>(lanes, images.size() - first));
    labels.clear();
    for (const std::uint32_t image : chunk) {
      validate(image < set.labels.size() && set.labels[image] < shape.classes,
               "image {} of {} cannot be learnt (it or its class is not there). Ask for images there are.",
               image, set.labels.size());
      labels.push_back(set.labels[image]);
    }
    load_lanes(shape, set, chunk, work.input);
    forward(shape, plan, parameters, work);
    const CrossEntropy loss = cross_entropy<Real>(work.outputs, labels, scale);
    sums.loss += loss.loss;
    sums.right += loss.right;
    if (gradient != nullptr) backward(shape, plan, parameters, work, *gradient);
  }
  return sums;
}

template ResNetSums resnet_loss(const ResNetShape&, const VectorOf<float>&, const ImageSet&,
                                std::span<const std::uint32_t>, VectorOf<float>*);
template ResNetSums resnet_loss(const ResNetShape&, const VectorOf<double>&, const ImageSet&,
                                std::span<const std::uint32_t>, VectorOf<double>*);

LearningTask resnet_task(const ResNetShape& shape, std::shared_ptr<const ImageData> data) {
  validate_resnet(shape);
  validate_set(shape, data->train);
  validate_set(shape, data->test);
  LearningTask task;
  task.name = "resnet";
  task.shape = fmt::format("{}x{}x{}, {} stages from {} channels, {} classes", shape.height, shape.width,
                           shape.channels, shape.stages, shape.base, shape.classes);
  task.parameters = shape.parameters();
  task.examples = static_cast<std::uint32_t>(data->train.labels.size());
  task.start = [shape](Stream& stream) { return resnet_start(shape, stream); };
  task.gradient = [shape, data](const Eigen::VectorXf& parameters, std::span<const std::uint32_t> examples) {
    validate(!examples.empty(), "a gradient of 0 images (it has no mean). Ask for one or more.");
    LossAndGradient result;
    const ResNetSums sums = resnet_loss<float>(shape, parameters, data->train, examples, &result.gradient);
    result.loss = sums.loss / static_cast<double>(examples.size());
    return result;
  };
  task.evaluate = [shape, data](const Eigen::VectorXf& parameters) {
    validate(parameters.size() == shape.parameters(),
             "{} parameters for a residual network of {}. Start from resnet_start().", parameters.size(),
             shape.parameters());
    constexpr std::size_t chunk = 20 * lanes;
    std::vector<std::uint32_t> all(data->test.labels.size());
    std::iota(all.begin(), all.end(), 0u);
    const std::size_t chunks = (all.size() + chunk - 1) / chunk;
    std::vector<ResNetSums> parts(chunks);  // summed in one order on any number of threads
#pragma omp parallel for schedule(dynamic) if (!omp_in_parallel())
    for (std::size_t c = 0; c < chunks; ++c) {
      const auto images =
          std::span<const std::uint32_t>(all).subspan(c * chunk, std::min(chunk, all.size() - c * chunk));
      parts[c] = resnet_loss<float>(shape, parameters, data->test, images, nullptr);
    }
    ResNetSums sums;
    for (const ResNetSums& part : parts) {
      sums.loss += part.loss;
      sums.right += part.right;
    }
    const auto images = static_cast<double>(all.size());
    return Evaluation{sums.loss / images, static_cast<double>(sums.right) / images};
  };
  return task;
}

}  // namespace optinc
