#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "experiments/study/study_config.hpp"

namespace optinc {

/// An architecture search: which shapes of a trained network a study looks at, and what each may cost.
struct ShapeSearch {
  std::vector<std::int64_t> widths, depths;  ///< of the hidden layers; a shape for every pair
  bool pyramids = false;  ///< besides equal widths w, .., w also w, 2 w, .., 2 w, w (as published)
  double most_mzis = std::numeric_limits<double>::infinity();
  double most_columns = std::numeric_limits<double>::infinity();  ///< MZIs in series
  double most_loss_db = std::numeric_limits<double>::infinity();  ///< shape_loss_db()
  double most_heater_w =
      std::numeric_limits<double>::infinity();  ///< expected_heater_power_w() at heater.device
};

/// Loss of light through all layers without gain, dB: fan-out and fan-in, 10 log10 r a layer, and the mean loss
/// of the MZIs in series at [chip]. What `optinc budget` counts as MZIs and fan-out, fan-in.
double shape_loss_db(const Network& shape, const ErrorModel& chip);

/// network.hidden of every shape of the search that can be built for the study's task and stays within its
/// budgets, widths first. Throws Error, `where` first, where there is none.
std::vector<FieldValue> shapes_within(const StudyConfig& config, const ShapeSearch& search,
                                      const std::string& where);

}  // namespace optinc
