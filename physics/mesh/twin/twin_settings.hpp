#pragma once

#include <vector>

#include "physics/core/enum_names.hpp"
#include "physics/mesh/twin/twin.hpp"

namespace optinc {

/// What a twin's losses are made of.
enum class TwinLosses {
  none,  ///< as in the start
  mzi,   ///< a number an MZI, its arms lose alike
  arms   ///< the imbalance of both pairs of arms: every linear loss there is, with the gains of the outputs
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<TwinLosses> = {"losses", {"none", "mzi", "arms"}};

/// What a twin is fitted for, and how.
struct TwinSettings {
  bool splitters = true;                 ///< both of every MZI
  bool offsets = true;                   ///< of all phases that readings depend on
  bool heaters = false;                  ///< phase over the phase that was asked for
  TwinLosses losses = TwinLosses::arms;  ///< of MZIs
  bool gains = true;                     ///< of input and output ports
  double noise = 0.0;  ///< rms error of a power, W, or of each quadrature of a field, sqrt(W); 0: unknown
  double noise_relative = 0.0;      ///< rms relative error of a power, beside `noise`
  double outlier = 3.0;             ///< readings beyond so many sigma count with a constant slope (Huber)
  double held_out = 0.2;            ///< share of the settings that the fit does not see
  double prior_splitter_rad = 0.0;  ///< rms of the splitter errors that is known beforehand; 0: nothing is
  double prior_offset_rad = 0.0;    ///< of phase offsets
  double prior_loss_db = 0.0;       ///< of losses, imbalances and gains
  int iterations = 50;              ///< at most so many matrices of normal equations
};

/// The kinds of parameters that are fitted.
std::vector<TwinKind> fitted_kinds(const TwinSettings& settings, bool fields);

/// What is known beforehand of a kind of parameters, rms; 0: nothing.
double prior_of(const TwinSettings& settings, TwinKind kind);

}  // namespace optinc
