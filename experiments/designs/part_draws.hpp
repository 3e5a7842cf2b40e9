#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/designs/compare_designs.hpp"
#include "experiments/designs/design_list.hpp"
#include "experiments/designs/operating_point.hpp"
#include "experiments/files/hdf5/hdf5.hpp"

// What the choice of parts leaves open: designs searched again and again, every time with other whole parts.

namespace optinc {

/// Parts of a kind that a unit at this symbol rate can be built with: those with a figure that was read or
/// measured, or with a range; and none whose source states a lower symbol or sampling rate, or a bandwidth
/// below half of the rate; but for heaters, which follow no symbol.
std::vector<const Part*> parts_for_rate(std::string_view kind, double symbol_rate_bd);

/// A unit of drawn parts.
struct DrawnParts {
  std::vector<std::string> names;     ///< of the parts, in the order of unit_parts()
  std::vector<std::string> settings;  ///< overrides that make a study's unit of them
};

/// Draw number `draw`: of every kind that a unit names, one of parts_for_rate(), all equally likely, the same
/// for every unit and rate that they are for. Figures with a range are drawn in it, evenly in the logarithm
/// where it lies above 0, but for those that a search changes (operating_keys). Throws Error for a kind without
/// such a part.
DrawnParts draw_parts(const UnitHardware& unit, double symbol_rate_bd, std::uint64_t seed, std::uint32_t draw);

/// Shares of the draws whose points are confirmed by counting.
inline constexpr std::array drawn_quantiles = {0.1, 0.5, 0.9};

/// Least energies of a list's designs over draws of parts.
struct PartDraws {
  /// The draw at one of drawn_quantiles, its point confirmed by counting.
  struct Counted {
    std::int64_t draw = -1;  ///< that stands at the quantile; -1: no point there
    double energy_j = 0.0;   ///< per bit, once confirmed; NaN: not confirmed
  };
  std::vector<std::string> designs, networks;     ///< (designs); network.source
  std::vector<std::int64_t> servers;              ///< (designs), of whole systems
  std::vector<std::string> keys;                  ///< that name parts
  std::vector<std::vector<std::string>> parts;    ///< (draws)(keys)
  std::vector<std::vector<double>> energy_j;      ///< (designs)(draws), estimated; NaN: no point
  std::vector<std::array<Counted, 3>> quantiles;  ///< (designs)
  bool searched = true;  ///< for the least energy; otherwise at the designs' own settings, no word counted

  /// Energy of a design at the quantile, draws without a point above all others; infinite there.
  double quantile_j(std::size_t design, double share) const;
  /// Share of the draws in which one design takes less energy than another; a point beats none.
  double won(std::size_t design, std::size_t against) const;
};

/// Searches every design of a list for its least energy at its own symbol rate, held, with `draws` draws of
/// parts that all designs share, by the estimate alone; those at drawn_quantiles are searched again and
/// counted. A system takes the energies of its units, each as often as a bit passes through one; it has a point
/// where all of them do, and stands in their place. Throws Error as find_operating_point(), and for designs
/// that override a figure of a part.
PartDraws search_over_parts(const DesignList& list, const OperatingPointSearch& search, std::uint32_t draws,
                            const std::function<void(std::string_view)>& progress);

/// The energy of every design of a list at its own settings with as many draws of parts, by compare_designs();
/// nothing is searched or counted. NaN where the parts cannot do what the settings ask. Throws Error as
/// compare_designs(), and for designs that override a figure of a part.
PartDraws costs_over_parts(const DesignList& list, const TrainedNetwork& trained, std::uint32_t draws,
                           const std::function<void(std::string_view)>& progress);

/// A table for people.
std::string part_draws_text(const PartDraws& draws);
/// The same for machines, in SI units.
nlohmann::ordered_json part_draws_json(const PartDraws& draws);
/// Writes a group (FORMAT.md, "Draws of parts"). Throws Error where HDF5 does.
void write_part_draws(const Group& group, const PartDraws& draws);

}  // namespace optinc
