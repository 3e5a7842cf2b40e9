#pragma once

#include <span>

#include "experiments/validate/law.hpp"
#include "physics/random/stream.hpp"

// Ways to measure a law from what one trial, or one case, gives.

namespace optinc {

/// One trial of a law: its number and the streams that are its own.
struct LawTrial {
  std::uint64_t seed = 1;
  std::uint32_t number = 0;

  /// `which` tells several streams of one purpose apart.
  Stream stream(Purpose purpose, std::uint32_t which = 0) const { return {seed, purpose, number, which}; }
};

using OneTrial = std::function<double(double x, const LawTrial&)>;
using Measure = std::function<Measured(double x, const Effort&)>;

/// Mean, root of the mean square, or standard deviation about the mean of a sample.
enum class Statistic { mean, rms, deviation };

/// The statistic of a sample and its standard error, from the sample's own second and fourth moments:
/// s/sqrt(R) of the mean, sqrt((<x^4> - <x^2>^2)/R) / (2 sqrt<x^2>) of the others (x about the mean for the
/// deviation). At least two values.
Measured estimate(Statistic statistic, std::vector<double> sample);

/// What `one` gives in each trial, in order; trials run in parallel, and no value depends on the threads.
/// Throws Interrupted where an end was asked for.
std::vector<double> run_trials(const OneTrial& one, double x, const Effort& effort);

/// A Monte-Carlo measure: the statistic over trials of what `one` gives.
Measure over_trials(Statistic statistic, OneTrial one);

/// A measure of what should be zero: the largest of what `one` gives over the cases; NaN where one is.
Measure largest_of(OneTrial one);

/// A measure of one number.
Measure value_of(std::function<double(double x)> value);

}  // namespace optinc
