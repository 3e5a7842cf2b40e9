#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "physics/core/enum_names.hpp"

// What a law is, free of any of them: a row of the validation table. Families of laws are in *_laws.cpp.

namespace optinc {

/// What a check rests on. exact: an identity that only rounding may break; conservation: of power or time
/// reversal; analytic: a closed form; published: a number from elsewhere; monte_carlo: a closed form for a
/// statistic of random devices, compared within the noise of the sample.
enum class LawKind { exact, conservation, analytic, published, monte_carlo };

/// As users write them.
template <>
inline constexpr EnumNames enum_names<LawKind> = {
    "kind of law", {"exact", "conservation", "analytic", "published", "monte-carlo"}};

/// What a law is run along; without a symbol the law has one point, whose x means nothing.
struct LawAxis {
  std::string symbol;     ///< as in the formula: "N", "sigma"
  std::string unit;       ///< "1", "rad"
  std::string long_name;  ///< "ports of the mesh"
};

/// A place on the axis, and the cases or trials of a full run there.
struct LawPoint {
  double x = 0.0;
  int trials = 1;
};

/// How much to do, from which seed, and whom to tell of every trial (from any thread).
struct Effort {
  int trials = 1;
  std::uint64_t seed = 1;
  std::function<void()> trial_done = [] {};
};

/// What the simulator gave at one point.
struct Measured {
  double value = 0.0;
  double standard_error = 0.0;  ///< of the value, from the sample itself; 0 where nothing is random
  std::vector<double> samples;  ///< Monte-Carlo: what every trial gave, in order
};

/// One law of physics with its own closed form or published number: `expected` never calls what `measure`
/// runs.
struct Law {
  std::string row;   ///< its number among the laws, which tests and claims cite
  std::string name;  ///< unique
  LawKind kind = LawKind::exact;
  std::string formula;   ///< of the expected value, with what is held fixed
  std::string quantity;  ///< what is measured: the y axis of a figure
  std::string unit = "1";
  std::string sample = {};  ///< Monte-Carlo: what one sample is
  std::function<double(double x)> expected;
  double relative_tolerance = 0.0;  ///< of the expected value: the law's own accuracy (first order, finite N)
  double absolute_tolerance = 0.0;  ///< added to it
  std::function<Measured(double x, const Effort&)> measure;
  LawAxis axis = {};
  std::vector<LawPoint> points = {{}};
  bool in_quick_run = true;  ///< false: a quick run leaves it out unless it is asked for by name
  double stated_seconds =
      0.0;  ///< of a law that trains a network first, which no sample of trials tells; 0: timed

  /// "E0 uncorrected N=16".
  std::string point_name(const LawPoint& point) const;
};

/// The same value everywhere.
std::function<double(double)> constant(double value);

}  // namespace optinc
