#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "onn/training/result.hpp"

namespace optinc {

/// One array of a trainer, as doubles, which hold its floats exactly.
struct NamedValues {
  std::string name;
  std::vector<double> values;
};

/// Where a training stands between two steps: with its settings, seed and start, all that the rest depends on.
struct TrainingState {
  int epoch = 1;                   ///< under way, from 1
  std::int64_t batches = 0;        ///< of it that are done
  double loss = 0.0;               ///< summed over their words
  double seconds = 0.0;            ///< spent so far
  std::vector<EpochReport> curve;  ///< of the epochs before
  std::vector<NamedValues> arrays;
};

/// Checkpoint callback, and the state to resume from.
struct Checkpointing {
  /// Called after every step; `state` copies the whole state, which takes about as long as a step. What it
  /// throws ends the training.
  std::function<void(const std::function<TrainingState()>& state)> after_step;
  /// State to resume from: the rest, and the result, have the bits of a training that was never stopped.
  const TrainingState* resumed = nullptr;
};

/// Goes through a trainer's arrays, name by name: writes them into a state, or takes them out of one.
class StateArrays {
 public:
  /// Appends every array that is named to `into`.
  explicit StateArrays(std::vector<NamedValues>& into) : into_(&into) {}
  /// Fills every array that is named from `from`.
  explicit StateArrays(const std::vector<NamedValues>& from) : from_(&from) {}

  /// Whether arrays are filled.
  bool reading() const { return from_ != nullptr; }

  /// Throws Error where the state has another array here, or one of another size.
  template <class Derived>
  void operator()(const std::string& name, Eigen::PlainObjectBase<Derived>& values) {
    if (!reading()) {
      const Eigen::MatrixXd copy = values.template cast<double>();
      into_->push_back({name, {copy.data(), copy.data() + copy.size()}});
      return;
    }
    const std::vector<double>& found = next(name, static_cast<std::size_t>(values.size()));
    for (Eigen::Index i = 0; i < values.size(); ++i)
      values.data()[i] = static_cast<typename Derived::Scalar>(found[static_cast<std::size_t>(i)]);
  }

 private:
  const std::vector<double>& next(const std::string& name, std::size_t size);

  std::vector<NamedValues>* into_ = nullptr;
  const std::vector<NamedValues>* from_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace optinc
