#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <Eigen/Dense>

#include "experiments/models/learning/idx_images.hpp"
#include "experiments/models/learning/learning_task.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

/// A classifier with one hidden layer, in float as it is trained in practice:
///   h = max(0, W1 x + b1),  z = W2 h + b2,  p = softmax(z).
/// Its parameters are one flat vector, the one whose gradient travels through the light:
///   W1 (hidden, inputs), b1 (hidden), W2 (classes, hidden), b2 (classes), matrices column after column.
struct MlpShape {
  int inputs = 784;
  int hidden = 128;
  int classes = 10;

  /// hidden (inputs + 1) + classes (hidden + 1); 101,770 for 784-128-10.
  Eigen::Index parameters() const {
    return Eigen::Index{hidden} * (inputs + 1) + Eigen::Index{classes} * (hidden + 1);
  }
};

/// Throws Error unless every width is in 1..65,536 and there are 2..256 classes (a label is one byte).
void validate_mlp(const MlpShape& shape);

/// Throws Error unless every image has shape.inputs pixels and a label below shape.classes, and there is at
/// least one.
void validate_images(const MlpShape& shape, const Eigen::Ref<const Eigen::MatrixXf>& pixels,
                     std::span<const std::uint8_t> labels);

/// Start values for ReLU layers (He et al. 2015): weights normal with variance 2 / fan-in, biases zero.
/// Throws Error as validate_mlp.
Eigen::VectorXf he_init(const MlpShape& shape, Stream& stream);

/// Mean cross-entropy -ln p_label over a batch and its gradient by back-propagation. pixels (inputs, images),
/// labels (images). Throws Error as validate_images, and for a parameter vector of another length.
LossAndGradient loss_and_gradient(const MlpShape& shape, const Eigen::Ref<const Eigen::VectorXf>& parameters,
                                  const Eigen::Ref<const Eigen::MatrixXf>& pixels,
                                  std::span<const std::uint8_t> labels);

/// Mean cross-entropy over a set, and the share of its images whose largest output is their label's; the first
/// of equal outputs counts. Throws Error as loss_and_gradient.
Evaluation evaluate(const MlpShape& shape, const Eigen::Ref<const Eigen::VectorXf>& parameters,
                    const ImageSet& set);

/// The classifier on these images, started by he_init. Throws Error as validate_images, for either set.
LearningTask mlp_task(const MlpShape& shape, std::shared_ptr<const ImageData> data);

}  // namespace optinc
