#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "physics/core/rows.hpp"
#include "physics/variation/fabrication_settings.hpp"

namespace optinc {

/// Presets of [fabrication], and "custom" for values that no preset has.
inline std::span<const std::string_view> fabrication_preset_names() {
  static const std::vector<std::string_view> names = names_or_custom(process_preset_names());
  return names;
}

template <Like<FabricationSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit_enum(visit, "process",
             "Whether the errors of [chip] are all (independent), or neighbouring devices also share "
             "variations of waveguide width and height over wafer and die (wafer)",
             s.process);
  visit(Row{"preset", "1",
            "Process: named set of values for the spreads, kernel and sensitivities below; keys set explicitly "
            "override it",
            0, 0, "openebl-2024: fitted to 280 interferometers on one electron-beam die",
            fabrication_preset_names()},
        s.preset);
  constexpr std::string_view guess = "an order of magnitude chosen by this project, not a measurement";
  constexpr std::string_view walls = "two side walls of 2 nm rms and 50 nm correlation length, assumed";
  const auto spread = [&](std::string_view key, std::string_view meaning, auto& member,
                          std::string_view source) {
    visit(Row{key, "m", meaning, 0, 1e-7, source}, member);
  };
  spread("width_wafer_bow_m", "RMS bow of waveguide width from centre to edge of a wafer",
         s.shared.width.wafer_bow_m, guess);
  spread("width_wafer_tilt_m", "RMS tilt of waveguide width along x and y, over the radius of a wafer",
         s.shared.width.wafer_tilt_m, guess);
  spread("width_die_m", "RMS offset of waveguide width from die to die", s.shared.width.die_m, guess);
  spread("width_field_m", "RMS variation of waveguide width over a die, correlated by kernel",
         s.shared.width.field_m, "1 to 5 nm, Lu 2017");
  spread("width_roughness_m", "RMS width error of a 100 um arm that no other arm shares (side-wall roughness)",
         s.shared.width.roughness_m, walls);
  spread("height_wafer_bow_m", "RMS bow of waveguide height from centre to edge of a wafer",
         s.shared.height.wafer_bow_m, guess);
  spread("height_wafer_tilt_m", "RMS tilt of waveguide height along x and y, over the radius of a wafer",
         s.shared.height.wafer_tilt_m, guess);
  spread("height_die_m", "RMS offset of waveguide height from die to die", s.shared.height.die_m, guess);
  spread("height_field_m", "RMS variation of waveguide height over a die, correlated by kernel",
         s.shared.height.field_m, "0.3 to 2 nm, Lu 2017");
  spread("height_roughness_m", "RMS height error of a 100 um arm that no other arm shares",
         s.shared.height.roughness_m, "0: surfaces are smooth beside etched walls, assumed");
  visit_enum(visit, "kernel",
             "Correlation at distance d for correlation length l: exp(-(d/l)^2) (gaussian) or exp(-d/l) "
             "(exponential)",
             s.shared.kernel);
  visit(Row{"correlation_length_m", "m", "Correlation length of width and height over a die", 1e-6, 1,
            "0.5 to 10 mm, Lu 2017"},
        s.shared.correlation_length_m);
  const auto sensitivity = [&](std::string_view key, std::string_view unit, std::string_view meaning,
                               double most, auto& member, std::string_view source) {
    visit(Row{key, unit, meaning, -most, most, source}, member);
  };
  sensitivity("index_per_width_per_m", "1/m", "Change of effective index with waveguide width", 1e8,
              s.shared.index_per_width_per_m, "1e6 to 2.5e6, silicon strip of 500 x 220 nm");
  sensitivity("index_per_height_per_m", "1/m", "Change of effective index with waveguide height", 1e8,
              s.shared.index_per_height_per_m, "3.5e6 to 4.5e6, silicon strip of 500 x 220 nm");
  constexpr std::string_view estimate = "an effective-index estimate of this project, gap of 200 nm";
  sensitivity("eta_per_width_rad_per_m", "rad/m", "Change of a splitter's angle with width at constant gap",
              1e9, s.shared.eta_per_width_rad_per_m, estimate);
  sensitivity("eta_per_gap_rad_per_m", "rad/m", "Change of a splitter's angle with its gap", 1e9,
              s.shared.eta_per_gap_rad_per_m, estimate);
  sensitivity("eta_per_height_rad_per_m", "rad/m", "Change of a splitter's angle with height", 1e9,
              s.shared.eta_per_height_rad_per_m, estimate);
  sensitivity("gap_per_width", "1", "Change of a splitter's gap with width; -1: constant pitch", 10,
              s.shared.gap_per_width, "-1 where both side walls move");
  visit(Row{"heater_power_spread", "1",
            "Relative RMS spread of the heaters' power for a phase shift of pi; affects power only, "
            "phases are calibrated",
            0, 1, "2 %, an estimate of this project"},
        s.shared.heater_power_spread);
  visit(Row{"wafer_radius_m", "m", "Radius of a wafer", 5e-3, 0.3, "200 mm wafer"}, s.wafer.radius_m);
  visit(Row{"edge_exclusion_m", "m", "Width of the rim of a wafer without dies", 0, 0.1},
        s.wafer.edge_exclusion_m);
  visit(Row{"die_length_m", "m", "Length of a die along x, the direction of light in meshes", 1e-3, 0.3,
            "26 x 33 mm: the full field of a scanner"},
        s.wafer.die_length_m);
  visit(Row{"die_width_m", "m", "Width of a die along y", 1e-3, 0.3, "26 x 33 mm: the full field of a scanner"},
        s.wafer.die_width_m);
}

}  // namespace optinc
