#pragma once

#include <cstdint>

#include "physics/mesh/twin/fit_twin.hpp"

namespace optinc {

/// How a measurement is planned.
struct TwinPlanSettings {
  double splitter_error_rad = 1e-3;  ///< standard error of splitters to be reached, rms
  bool fields = false;               ///< fields are read, not powers
  std::uint64_t seed = 1;            ///< of the settings
  int most_settings = 100000;        ///< no plan is longer
};

/// Settings to be measured, and what their readings will tell.
struct TwinPlan {
  std::vector<MeshProgram> settings;
  std::vector<TwinKindReport> kinds;  ///< expected of all that are not held out
  Eigen::Index parameters = 0;
  Eigen::Index unseen = 0;  ///< directions that no setting changes a reading in
};

/// Setting number `number` of every plan with this seed: all phases uniform over a turn
/// (Purpose::twin_settings).
MeshProgram twin_setting(const MeshTopology& topology, std::uint64_t seed, std::uint32_t number);

/// Plans the measurement of a twin: with `inputs` (ports, words) sent at every setting and noise as in
/// `settings`, the least number of settings of random phases whose standard errors of splitters reach the
/// target on a mesh as `like` is, the held-out share not counted. Random phases spread light over all MZIs, and
/// every reading then depends on all of them; information grows in proportion to the number of settings once
/// there are as many readings as parameters. Throws Error for impossible settings, without noise, where
/// splitters are not fitted, and for a plan beyond most_settings.
TwinPlan plan_twin(const MeshTopology& topology, const Matrix& inputs, const TwinSettings& settings,
                   const TwinPlanSettings& plan, const MeshTwin& like);

}  // namespace optinc
