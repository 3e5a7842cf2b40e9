#pragma once

#include <cstdint>
#include <vector>

namespace optinc {

/// A wafer cut into equal dies, m. Default: 200 mm silicon-on-insulator wafer, 26 x 33 mm dies (full field of a
/// scanner), 3 mm edge exclusion.
struct WaferMap {
  double radius_m = 0.1;
  double edge_exclusion_m = 3e-3;
  double die_length_m = 26e-3;  ///< along x
  double die_width_m = 33e-3;   ///< along y
};

/// Corner of a die (origin of its floor plan) relative to the centre of the wafer, m.
struct DiePosition {
  double x_m = 0, y_m = 0;
};

/// Where a numbered chip comes from.
struct ChipOrigin {
  std::uint32_t wafer = 0, die = 0;  ///< die: number in dies_on_wafer
  DiePosition corner;
};

/// Throws Error unless lengths are finite and positive (exclusion >= 0 and below the radius).
void validate_wafer_map(const WaferMap& map);

/// Every die that lies wholly inside the usable radius, row by row from the bottom left; the grid is centred on
/// a die. Throws Error as validate_wafer_map does, and where not one die fits.
std::vector<DiePosition> dies_on_wafer(const WaferMap& map);

/// Chips are numbered wafer after wafer in the order of `dies` (dies_on_wafer): chip = wafer * dies + die.
ChipOrigin chip_origin(const std::vector<DiePosition>& dies, std::uint32_t chip);

}  // namespace optinc
