#include "physics/devices/catalogue.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/suggestion.hpp"
#include "physics/devices/amplifier.hpp"
#include "physics/devices/carrier_shifter.hpp"
#include "physics/devices/crossing.hpp"
#include "physics/devices/fibre_coupler.hpp"
#include "physics/devices/front_end.hpp"
#include "physics/devices/mmi.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/splitter_tree.hpp"
#include "physics/devices/thermo_optic_shifter.hpp"
#include "physics/devices/waveguide.hpp"

namespace optinc {
namespace {

using Entries = std::vector<DeviceEntry>;
using Parameters = std::vector<DeviceParameter>;

/// Power and times of a heater: what every source gives.
Parameters heater_core(const ThermoOpticShifter& d) {
  const ThermoOpticFigures f = thermo_optic_figures(d);
  return {{"power for pi", d.p_pi_w, "W"},
          {"bandwidth", d.bandwidth_hz, "Hz"},
          {"time constant", f.time_constant_s, "s"},
          {"power for pi x time constant", f.power_time_j, "J"}};
}

Parameters joined(Parameters first, const Parameters& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

Entries heaters() {
  const ThermoOpticShifter harris = harris_2014_heater(), chen = chen_2024_slow_light_heater();
  const ThermoOpticFigures f = thermo_optic_figures(harris);
  const ThermoOpticShifter metal = typical_metal_heater();
  return {
      {"harris-2014-heater", "heater",
       "Doped-silicon heater inside the waveguide; the reference device. Resistance and dn/dT are assumed.",
       joined(heater_core(harris), {{"length", harris.length_m, "m"},
                                    {"insertion loss", harris.loss_db, "dB"},
                                    {"spread of the insertion loss", harris.loss_spread_db, "dB"},
                                    {"dn/dT", harris.dn_dt_per_k, "1/K"},
                                    {"resistance", harris.resistance_ohm, "ohm"},
                                    {"voltage for pi", f.v_pi_v, "V"},
                                    {"temperature rise for pi", f.temperature_pi_k, "K"},
                                    {"thermal resistance", f.thermal_resistance_k_per_w, "K/W"},
                                    {"thermal capacity", f.thermal_capacity_j_per_k, "J/K"}}),
       "N. C. Harris et al., Opt. Express 22, 10487 (2014), arXiv:1410.3616", "harris_2014_heater()"},
      {"lu-2015-suspended-heater", "heater",
       "Folded, suspended heater of a Michelson switch: lowest power, a thousandth of the speed.",
       heater_core(lu_2015_suspended_heater()),
       "Z. Lu et al., IEEE Photon. Technol. Lett. (2015), doi 10.1109/LPT.2015.2462341",
       "lu_2015_suspended_heater()"},
      {"chen-2024-slow-light-heater", "heater",
       "Heater on a slow-light Bragg grating from a foundry; its loss is the whole interferometer's, 1.3 to "
       "4.4 dB.",
       joined(heater_core(chen), {{"length", chen.length_m, "m"},
                                  {"insertion loss", chen.loss_db, "dB"},
                                  {"voltage for pi", thermo_optic_figures(chen).v_pi_v, "V"}}),
       "A. Chen et al., arXiv:2405.11044 (2024)", "chen_2024_slow_light_heater()"},
      {"dave-2024-metal-clad-heater", "heater",
       "Metal-clad multimode waveguide beyond an exceptional point: metal close to the light, little loss.",
       heater_core(dave_2024_metal_clad_heater()),
       "U. D. Dave et al., Nanophotonics 13, 3945 (2024), doi 10.1515/nanoph-2024-0140",
       "dave_2024_metal_clad_heater()"},
      {"typical-metal-heater", "heater",
       "Metal heater above the waveguide, typical of its class; not a specific device.",
       joined(heater_core(metal), {{"resistance slope", metal.resistance_slope_per_k, "1/K"}}),
       "usual range 15..30 mW, 3..40 us; review: S. Liu et al., Front. Optoelectron. 15, 9 (2022)",
       "typical_metal_heater()"},
      {"typical-undercut-heater", "heater",
       "Metal heater on an undercut waveguide: a twentieth of the power, five times as slow; not a specific "
       "device.",
       heater_core(typical_undercut_heater()),
       "usual range 0.05..3 mW, 50 us..1 ms; review: S. Liu et al., Front. Optoelectron. 15, 9 (2022)",
       "typical_undercut_heater()"},
      {"typical-doped-silicon-heater", "heater",
       "Doped-silicon heater beside the waveguide, 2.5 times as fast as the metal one; not a specific device.",
       heater_core(typical_doped_silicon_heater()), "M. Jacques et al., Opt. Express 27, 10456 (2019)",
       "typical_doped_silicon_heater()"},
  };
}

DeviceEntry carrier_entry(const char* name, const CarrierDispersion& d, const char* source,
                          const char* preset) {
  const Carriers both{1e24, 1e24};  // 1e18 per cm^3 of each
  const CarrierChange change = carrier_change(d, both);
  CarrierShifter millimetre;
  millimetre.dispersion = d;
  const double loss_db =
      -20 * std::log10(std::abs(carrier_shifter_at_phase(millimetre, -3.141592653589793).field));
  return {name,
          "carrier shifter",
          "Plasma dispersion of silicon: a fast phase shifter whose loss moves with its phase.",
          {{"wavelength", d.wavelength_m, "m"},
           {"index change at 1e18 electrons and holes per cm^3", change.index, ""},
           {"absorption there", change.absorption_per_m, "1/m"},
           {"loss at a delay of pi in 1 mm", loss_db, "dB"}},
          source,
          preset};
}

Entries carrier_shifters() {
  return {carrier_entry("soref-bennett-1987", soref_bennett_1987_1550nm(),
                        "R. A. Soref and B. R. Bennett, IEEE J. Quantum Electron. 23, 123 (1987)",
                        "soref_bennett_1987_1550nm()"),
          carrier_entry("soref-bennett-1987-1300nm", soref_bennett_1987_1300nm(),
                        "R. A. Soref and B. R. Bennett, IEEE J. Quantum Electron. 23, 123 (1987)",
                        "soref_bennett_1987_1300nm()"),
          carrier_entry("nedeljkovic-2011", nedeljkovic_2011_1550nm(),
                        "M. Nedeljkovic, R. Soref and G. Z. Mashanovich, IEEE Photonics J. 3, 1171 (2011)",
                        "nedeljkovic_2011_1550nm()")};
}

DeviceEntry coupler_entry(const char* name, const char* what, const DirectionalCoupler& d, const char* preset) {
  return {name,
          "coupler",
          what,
          {{"splitting angle", d.eta_rad, "rad"},
           {"slope of the angle", d.eta_slope_rad_per_m, "rad/m"},
           {"wavelength", d.wavelength_m, "m"},
           {"excess loss", d.excess_loss_db, "dB"}},
          "usual values, not a specific device",
          preset};
}

Entries couplers() {
  return {coupler_entry("typical-directional-coupler", "50:50 directional coupler of a plain strip waveguide.",
                        DirectionalCoupler{}, "DirectionalCoupler{}"),
          coupler_entry("typical-mmi-2x2", "50:50 multimode-interference splitter: flatter and lossier.",
                        as_coupler(Mmi2x2{}), "Mmi2x2{}")};
}

Entries splitters() {
  const SplitterTree tree = zhang_2013_y_branch_tree(2);
  return {{"zhang-2013-y-branch",
           "splitter",
           "Y-branch, the stage of a 1:K splitter tree. The imbalance is assumed.",
           {{"excess loss per stage", tree.stage_excess_loss_db, "dB"},
            {"spread of the imbalance", tree.stage_imbalance_db, "dB"}},
           "Y. Zhang et al., Opt. Express 21, 1310 (2013)",
           "zhang_2013_y_branch_tree(outputs)"}};
}

Entries waveguides() {
  constexpr double wavelength_m = 1550e-9;
  const Waveguide g = soi_strip_500x220(1e-3);
  Fibre metre;
  metre.length_m = 1.0;
  return {{"soi-strip-500x220",
           "waveguide",
           "Silicon strip 500 nm x 220 nm in oxide, TE. The loss is a usual value, 0.1 (wide rib) to 3 dB/cm.",
           {{"effective index", effective_index(g.index, wavelength_m), ""},
            {"group index", group_index(g.index, wavelength_m), ""},
            {"delay of 1 mm", waveguide_delay_s(g, wavelength_m), "s"},
            {"loss", g.loss_db_per_cm, "dB/cm"},
            {"loss of a 90-degree bend", g.bend_loss_db, "dB"},
            {"phase of 1 mm and 1 K", waveguide_phase_slope_rad_per_k(g, wavelength_m), "rad"}},
           "mode-solver fit of a course report, authorea 454099; loss: usual value",
           "soi_strip_500x220(length_m)"},
          {"standard-fibre",
           "fibre",
           "Standard single-mode fibre: its temperature is why coherent links track their phase.",
           {{"loss", metre.loss_db_per_km, "dB/km"},
            {"loss of a connector", metre.connector_loss_db, "dB"},
            {"group index", metre.group_index, ""},
            {"phase of 1 m and 1 K", fibre_phase_slope_rad_per_k(metre, wavelength_m), "rad"}},
           "usual values; dn/dT of silica: Sensors 23, 6023 (2023)",
           "Fibre{}"}};
}

DeviceEntry crossing_entry(const char* name, const char* what, const Crossing& d, const char* source,
                           const char* preset) {
  return {name,
          "crossing",
          what,
          {{"loss", d.loss_db, "dB"},
           {"spread of the loss", d.loss_spread_db, "dB"},
           {"crosstalk below the input", d.crosstalk_db, "dB"}},
          source,
          preset};
}

Entries crossings() {
  return {
      crossing_entry(
          "johnson-2020-crossing", "Multimode-interference crossing; its crosstalk is an upper bound.",
          johnson_2020_crossing(), "M. Johnson, M. G. Thompson and D. Sahin, Opt. Express 28, 12498 (2020)",
          "johnson_2020_crossing()"),
      crossing_entry("wafer-scale-crossing", "Crossing of one patterning step, uniform across an 8-inch wafer.",
                     wafer_scale_crossing(),
                     "A CMOS-Compatible, Low-Loss, and Low-Crosstalk Silicon Waveguide Crossing, EPFL "
                     "infoscience record 232632",
                     "wafer_scale_crossing()")};
}

DeviceEntry fibre_coupler_entry(const char* name, const char* what, const FibreCoupler& d, const char* source,
                                const char* preset) {
  Parameters parameters = {{"loss", d.loss_db, "dB"}, {"wavelength", d.wavelength_m, "m"}};
  if (std::isfinite(d.one_db_bandwidth_m)) parameters.push_back({"1-dB bandwidth", d.one_db_bandwidth_m, "m"});
  return {name, "fibre coupler", what, parameters, source, preset};
}

Entries fibre_couplers() {
  return {fibre_coupler_entry("typical-edge-coupler", "Facet coupler, 1 to 2 dB; flat in wavelength.",
                              typical_edge_coupler(),
                              "usual value; below 1.52 dB in the O band: Adv. Photon. Nexus 4, 026004 (2025)",
                              "typical_edge_coupler()"),
          fibre_coupler_entry("typical-grating-coupler", "Grating coupler, 3 to 5 dB, in a Gaussian band.",
                              typical_grating_coupler(), "usual values, not a specific device",
                              "typical_grating_coupler()")};
}

DeviceEntry modulator_entry(std::string name, std::string what, const MzmSettings& d, std::string source,
                            std::string preset) {
  return {std::move(name),   "modulator",
          std::move(what),   {{"bandwidth", d.bandwidth_hz, "Hz"}, {"voltage for pi at 5 mm", d.v_pi_v, "V"}},
          std::move(source), std::move(preset)};
}

Entries modulators() {
  return {modulator_entry(
              "weigel-2018-modulator", "Lithium niobate bonded to silicon, Mach-Zehnder; 5 mm assumed.",
              weigel_2018_modulator(), "P. O. Weigel et al., Opt. Express 26, 23728 (2018), arXiv:1803.10365",
              "weigel_2018_modulator()"),
          modulator_entry("valdez-2022-modulator",
                          "Thin-film lithium niobate on silicon, Mach-Zehnder; 5 mm and 2.5 V cm assumed.",
                          valdez_2022_modulator(), "F. Valdez et al., arXiv:2211.05208 (2022)",
                          "valdez_2022_modulator()")};
}

DeviceEntry front_end_entry(std::string name, std::string what, const FrontEnd& d, std::string source,
                            std::string preset) {
  return {std::move(name),
          "receiver",
          std::move(what),
          {{"noise", input_noise_a_per_rthz(d), "A/sqrt(Hz)"},
           {"bandwidth", d.bandwidth_hz, "Hz"},
           {"noise in the bandwidth", input_noise_a(d), "A"},
           {"transimpedance", d.transimpedance_ohm, "ohm"},
           {"supply", d.supply_power_w, "W"}},
          std::move(source),
          std::move(preset)};
}

Entries receivers() {
  return {front_end_entry(
              "patel-2022-receiver",
              "112 Gb/s PAM4 amplifier, 16 nm CMOS; -8.2 dBm measured at a symbol error rate of 4.8e-4.",
              patel_2022_receiver(),
              "D. Patel, A. Sharif-Bakhtiar, A. Chan Carusone, IEEE J. Solid-State Circuits (2022), doi "
              "10.1109/JSSC.2022.3218558",
              "patel_2022_receiver()"),
          front_end_entry("shi-2019-receiver", "112 Gb/s PAM4 receiver, 28 nm CMOS.", shi_2019_receiver(),
                          "Y. Shi et al., IEEE EDSSC (2019), doi 10.1109/EDSSC.2019.8753978",
                          "shi_2019_receiver()")};
}

Entries amplifiers() {
  return {{"almae-2021-soa",
           "amplifier",
           "Semiconductor amplifier with a noise figure that stays flat over C and L band.",
           {{"noise figure", almae_2021_soa().noise_figure_db, "dB"}},
           "Almae Technologies, \"Flat noise figure semiconductor optical amplifiers\" (2021)",
           "almae_2021_soa()"}};
}

/// "harris-2014" of "harris-2014-heater" for two parts.
std::string_view first_parts(std::string_view name, std::ptrdiff_t parts) {
  std::size_t end = name.find('-');
  for (; parts > 1 && end != std::string_view::npos; --parts) end = name.find('-', end + 1);
  return name.substr(0, end);
}

}  // namespace

Entries device_catalogue() {
  Entries all;
  for (const auto& kind : {heaters(), carrier_shifters(), couplers(), splitters(), waveguides(), crossings(),
                           fibre_couplers(), modulators(), amplifiers(), receivers()})
    all.insert(all.end(), kind.begin(), kind.end());
  return all;
}

DeviceEntry device_entry(std::string_view name) {
  const Entries all = device_catalogue();
  const auto parts = std::count(name.begin(), name.end(), '-') + 1;
  std::vector<std::string_view> names, openings;
  for (const DeviceEntry& entry : all) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
    openings.push_back(first_parts(entry.name, parts));
  }
  if (!name.empty() && likely_names(name, names).front().find(name) != name.npos)
    refuse_name("device", name, names);
  // "haris" is compared with "harris", not with the whole of "harris-2014-heater"
  const std::string_view nearest = nearest_name(name, openings);
  const auto meant =
      std::find_if(names.begin(), names.end(), [&](std::string_view n) { return n.data() == nearest.data(); });
  const bool near = !suggestion(name, openings, "").empty() || !suggestion(name, {&*meant, 1}, "").empty();
  throw Error(fmt::format("unknown device \"{}\" (known: {}). {}", name, join_names(names),
                          near ? fmt::format("Did you mean \"{}\"?", *meant) : "Use one of these."));
}

}  // namespace optinc
