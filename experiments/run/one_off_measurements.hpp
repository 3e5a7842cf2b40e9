#pragma once

#include <optional>
#include <vector>

#include "experiments/run/gradient_transfer.hpp"
#include "experiments/run/result_groups.hpp"
#include "experiments/run/study_inputs.hpp"

namespace optinc {

/// What a study measures once of a network, after its trials.
struct OneOffs {
  std::optional<OnnSummary> onn;             ///< of every study with a network
  std::optional<Eye> eye;                    ///< measure.once = eye
  std::optional<GradientTransfer> gradient;  ///< measure.once = gradient
  std::optional<UnitCost> cost;              ///< measure.once = cost
};

/// Of every network of a study.
using OneOffResults = std::vector<OneOffs>;

/// Throws Error where data that a study needs is missing or does not fit: ask before the long work.
void require_data(const StudyConfig& config);

/// Of a study's only network: every word through it and through a perfect chip; then what measure.once names,
/// on the chip of the values before sweeps, and of the sweeps that choose the network. Of several networks the
/// same of each where measure.once names something, at the first point that asks for it. Throws Interrupted.
OneOffResults measure_one_offs(const StudyConfig& config, const StudyInputs& inputs, bool quiet);

/// What a result file says of its networks: the groups `onn`, `eye`, `gradient` and `cost` as far as they were
/// measured (null: nothing was yet), of several networks in `networks/0`, `1`, .., each with an `onn` in any
/// case; and `networks/of_point`, the number of the network (of a cascade, the first level's) at every point of
/// the sweeps.
void write_network_results(const Group& root, const StudyConfig& config, const StudyInputs& inputs,
                           const OneOffResults* once);

}  // namespace optinc
