#pragma once

#include <memory>
#include <span>

#include "experiments/models/learning/idx_images.hpp"
#include "experiments/models/learning/lane_conv.hpp"
#include "experiments/models/learning/learning_task.hpp"

namespace optinc {

/// A small residual network for images (He et al. 2016) with group norm in place of batch norm:
///   stem: 3x3 convolution of stride 2, norm, ReLU;
///   stages s = 0 .. stages - 1, base 2^s channels each, stride 2 from the second on:
///     y = ReLU(norm(conv3x3(ReLU(norm(conv3x3(x))))) + shortcut(x)), the shortcut a 1x1 convolution where size
///     or channels change;
///   the mean of each channel over the pixels; a linear layer; softmax.
/// Convolutions have no bias (the norm that follows has one).
struct ResNetShape {
  int height = 28;   ///< of an image (pixels)
  int width = 28;    ///< of an image (pixels)
  int channels = 1;  ///< of an image: 1 grey, 3 colours
  int base = 16;     ///< channels of the first stage
  int stages = 3;
  int groups = 4;  ///< of channels that are normalised together, in every norm
  int classes = 10;

  /// Length of the flat parameter vector; 77,562 for the defaults.
  Eigen::Index parameters() const;
};

/// Throws Error unless sizes lie in 1..1024 pixels, 1..16 channels, base a multiple of groups in 1..256,
/// 1..5 stages, 2..256 classes.
void validate_resnet(const ResNetShape& shape);

/// Start values: weights normal with variance 2 / fan-in (He et al. 2015; the last layer 1 / fan-in), gains
/// one, biases zero. Gains of zero where a branch joins its shortcut learnt more slowly here. Throws Error as
/// validate_resnet.
Eigen::VectorXf resnet_start(const ResNetShape& shape, Stream& stream);

/// Sums over some images.
struct ResNetSums {
  double loss = 0.0;       ///< -ln p_label (nats)
  std::int64_t right = 0;  ///< images whose largest output is their label's
};

/// Loss of the images of these numbers; where `gradient` is not null it becomes the derivative of their mean
/// loss, shape (parameters). Real is float, or double to check one against the other. Throws Error for
/// parameters of another length and for images that do not fit the network.
template <class Real>
ResNetSums resnet_loss(const ResNetShape& shape, const VectorOf<Real>& parameters, const ImageSet& set,
                       std::span<const std::uint32_t> images, VectorOf<Real>* gradient);

/// The network on these images. Throws Error unless shape and both sets fit.
LearningTask resnet_task(const ResNetShape& shape, std::shared_ptr<const ImageData> data);

}  // namespace optinc
