#pragma once

#include <span>
#include <vector>

#include "onn/chip/chip_design.hpp"
#include "onn/hardware/unit_hardware.hpp"

namespace optinc {

/// When light meets each layer, counted from unit P, where all digits arrive at 0. A layer starts when the last
/// of its inputs is there; what came earlier waits, so that all light of a word meets again.
struct Schedule {
  std::vector<double> start_s;              ///< (layers) when its inputs enter its meshes
  std::vector<double> ready_s;              ///< (layers) when its outputs are there to be read
  std::vector<std::vector<double>> line_s;  ///< (layers)(inputs) delay line that this read has for itself
  std::vector<double> lane_line_s;          ///< (input digits) delay line before a lane of unit P is split
  std::vector<double> launch_s;             ///< (input digits) how much later its servers send a digit

  /// Whole delay line that light of this input passes, its lane's part included.
  double waits_s(const ChipDesign& design, std::size_t layer, std::size_t input) const;
};

/// Starts every layer as soon as it can, `through_s` (layers) being the time from its inputs to its outputs:
///
///   start_l = max over reads of ready(source),   ready_l = start_l + through_l.
///
/// A lane of unit P waits together as far as its first reader, then every copy by itself; what receivers have
/// put on light again waits by itself, one modulator a read.
Schedule schedule(const ChipDesign& design, std::span<const double> through_s, Skew skew);

/// The critical path to a layer: the layers on it, from unit P on; at each the input that arrives last. Among
/// lanes of unit P the one that is split most.
struct CriticalPath {
  std::vector<std::size_t> layers;
  int copies = 1;  ///< of the lane it starts with
};
CriticalPath critical_path(const ChipDesign& design, const Schedule& schedule, std::size_t layer);

}  // namespace optinc
