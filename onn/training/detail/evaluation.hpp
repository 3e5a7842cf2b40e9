#pragma once

#include <vector>

#include "onn/training/detail/layers.hpp"
#include "onn/training/result.hpp"

// Every word of a task, and how many of them the layers in training get right.

namespace optinc::training {

/// All words of the task: inputs a - shift and target digits, both (M, words).
struct Dataset {
  MatrixF inputs, targets;
};

/// Every word of a task.
Dataset all_words(const Task& task);

/// Accuracy and margin of the float32 network on every word, into the report.
void evaluate(const std::vector<Layer>& layers, const Dataset& data, int threads, EpochReport& report);

}  // namespace optinc::training
