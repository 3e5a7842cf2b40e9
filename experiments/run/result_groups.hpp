#pragma once

#include "experiments/files/hdf5/hdf5.hpp"
#include "experiments/run/gradient_transfer.hpp"
#include "experiments/study/study_config.hpp"
#include "onn/budget/unit_cost.hpp"
#include "onn/task/words.hpp"
#include "onn/training/trainer.hpp"

namespace optinc {

/// What is said of the trained network as a whole.
struct OnnSummary {
  DecodingScore score;                     ///< of the float64 network on every word
  double ideal_chip_word_accuracy = -1.0;  ///< every word through the light path of a perfect chip; -1: not run
  double ideal_chip_deviation = -1.0;      ///< largest |y_chip - y_network| there, in digits; -1: not run
};

/// Output levels of chip 0 on every word, corrected and noisy: the eye picture.
struct Eye {
  double sigma_eta_rad = 0.0;
  Eigen::MatrixXd corrected, noisy;  ///< (M, words)
};

/// Scores a network on every word of its task, or on those that are drawn where they are too many.
OnnSummary summarise(const Network& network);

// Each writes one group of a result file; FORMAT.md specifies their datasets.
void write_training_group(const Group& group, const std::vector<EpochReport>& curve);
std::vector<EpochReport> read_training_group(const Group& group);
void write_onn_group(const Group& group, const Network& network, const OnnSummary& summary);
void write_eye_group(const Group& group, const Task& task, const Eye& eye);
void write_gradient_group(const Group& group, const GradientTransfer& transfer);
void write_cost_group(const Group& group, const UnitCost& cost);

}  // namespace optinc
