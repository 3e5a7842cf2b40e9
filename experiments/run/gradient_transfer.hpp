#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "experiments/models/foundry.hpp"
#include "experiments/models/learning/idx_images.hpp"
#include "experiments/study/study_config.hpp"
#include "onn/chip/chip_design.hpp"
#include "onn/network/network.hpp"
#include "onn/task/block_quantiser.hpp"

namespace optinc {

/// The ways one step's gradients are averaged, in the order of the result's arrays.
inline constexpr std::array<std::string_view, 6> gradient_paths = {
    "exact", "quantised", "network", "chip_uncorrected", "chip_corrected", "chip_noisy"};

/// Real gradients of one training step, and what the servers send of them.
struct StepGradients {
  Eigen::VectorXf average;     ///< exact mean over the servers (parameters)
  QuantisedGradients sent;     ///< codes and scales
  double test_accuracy = 0.0;  ///< of the classifier when the gradients were taken
  double loss = 0.0;           ///< of that step's batch (nats)
};

/// Trains the classifier of [gradient] by exact averaging for its epochs, one worker per server; takes the next
/// step's gradients and quantises them in blocks. `progress` is called after every training step. Throws Error
/// for data or settings that do not fit.
StepGradients take_gradients(const StudyConfig& config, const ImageData& data,
                             const std::function<void(double loss)>& progress = {});

/// Training steps before the gradients are taken: what `progress` counts. Throws Error for data or settings
/// that do not fit, so that a study can ask before its long work.
long gradient_training_steps(const StudyConfig& config, const ImageData& data);

/// The gradients of a step, averaged in every way.
struct GradientTransfer {
  StepGradients step;
  double sigma_eta_rad = 0.0;                         ///< of the chip
  std::vector<Eigen::VectorXf> received;              ///< [path] (parameters)
  std::vector<std::vector<std::int32_t>> code_error;  ///< [path] decoded code minus exact Q(mean) (parameters)
  std::array<double, 6> relative_error{};             ///< ||received - average|| / ||average||
};

/// Averages a step's gradients exactly; by Q(mean) of the codes ("quantised", what an ideal 8-bit OptINC
/// returns); through the float64 network; through chip 0 of [chip]. Throws Error for settings that do not fit.
GradientTransfer transfer_gradients(const StudyConfig& config, StepGradients step, const Network& network,
                                    const ChipDesign& design, const Foundry& foundry = Foundry());

}  // namespace optinc
