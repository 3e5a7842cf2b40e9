#include "physics/devices/catalogue.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/suggestion.hpp"
#include "physics/devices/amplifier.hpp"
#include "physics/devices/carrier_shifter.hpp"
#include "physics/devices/crossing.hpp"
#include "physics/devices/detail/part_lists.hpp"
#include "physics/devices/mmi.hpp"
#include "physics/devices/thermo_optic_shifter.hpp"
#include "physics/devices/waveguide.hpp"

namespace optinc {
namespace {

using Parts = std::vector<Part>;
using Figures = std::vector<Figure>;
using parts::assumed;
using parts::read;
using parts::usual;

Figure from_memory(std::string name, double value, std::string unit) {
  return {std::move(name), value, std::move(unit)};
}

/// Power and times of a heater, and where power and bandwidth come from.
Figures heater_core(const ThermoOpticShifter& d, Known known, const std::string& power,
                    const std::string& times) {
  const ThermoOpticFigures f = thermo_optic_figures(d);
  auto* const figure = known == Known::read ? &read : &assumed;
  return {figure("power for pi", d.p_pi_w, "W", "pi_power_w", power),
          figure("bandwidth", d.bandwidth_hz, "Hz", "", times),
          figure("time constant", f.time_constant_s, "s", "", times),
          figure("power for pi x time constant", f.power_time_j, "J", "", times)};
}

Figures metal_loss(const ThermoOpticShifter& d) {
  return {
      assumed(
          "insertion loss", d.loss_db, "dB", "",
          "of the guide alone where metal is away from the light; of doped silicon as Harris et al. have it"),
      assumed("spread of the insertion loss", d.loss_spread_db, "dB", "", "a guess without a source")};
}

Figures joined(Figures first, const Figures& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

/// Of no specific device, of this range of power and time constant.
Figures typical_core(const ThermoOpticShifter& d, double least_w, double most_w, double least_s,
                     double most_s) {
  Figures core = heater_core(d, Known::assumed, "usual of its class", "usual of its class");
  core[0] = usual(core[0], least_w, most_w);
  core[2] = usual(core[2], least_s, most_s);
  return joined(core, metal_loss(d));
}

Part harris() {
  const ThermoOpticShifter d = harris_2014_heater();
  const ThermoOpticFigures f = thermo_optic_figures(d);
  const char* follows = "from the resistance or dn/dT, which are assumed";
  return {
      "harris-2014-heater",
      "heater",
      "Doped-silicon heater inside the waveguide; the reference device. Resistance and dn/dT are assumed.",
      joined(
          heater_core(d, Known::read, "24.77 +- 0.43 mW per pi-phase shift",
                      "-3 dB modulation bandwidth of 130.0 +- 5.59 kHz"),
          {read("length", d.length_m, "m", "", "a length of 61.6 um"),
           read("insertion loss", d.loss_db, "dB", "", "insertion loss of 0.23 +- 0.13 dB"),
           assumed(
               "spread of the insertion loss", d.loss_spread_db, "dB", "",
               "the source's +- 0.13 dB is over a wafer and holds the couplers'; taken from device to device"),
           assumed("dn/dT", d.dn_dt_per_k, "1/K", "", "of silicon"),
           assumed("resistance", d.resistance_ohm, "ohm", "", "the abstract states none"),
           assumed("voltage for pi", f.v_pi_v, "V", "", follows),
           assumed("temperature rise for pi", f.temperature_pi_k, "K", "", follows),
           assumed("thermal resistance", f.thermal_resistance_k_per_w, "K/W", "", follows),
           assumed("thermal capacity", f.thermal_capacity_j_per_k, "J/K", "", follows)}),
      "N. C. Harris et al., Opt. Express 22, 10487 (2014), arXiv:1410.3616",
      "harris_2014_heater()",
      2014,
      "devices across an 8-inch wafer"};
}

Parts heaters() {
  const ThermoOpticShifter chen = chen_2024_slow_light_heater(), metal = typical_metal_heater();
  return {
      harris(),
      {"lu-2015-suspended-heater", "heater",
       "Folded, suspended heater of a Michelson switch: lowest power, a thousandth of the speed.",
       joined(heater_core(lu_2015_suspended_heater(), Known::read,
                          "An ultra-low switching power of 50 uW is realized",
                          "including a 780 us rise time | 10 to 90 %"),
              metal_loss(lu_2015_suspended_heater())),
       "Z. Lu et al., IEEE Photon. Technol. Lett. (2015), doi 10.1109/LPT.2015.2462341",
       "lu_2015_suspended_heater()", 2015, "one device"},
      {"chen-2024-slow-light-heater", "heater",
       "Heater on a slow-light Bragg grating from a foundry; its loss is the whole interferometer's, 1.3 to "
       "4.4 dB.",
       joined(heater_core(chen, Known::read, "a P_pi of 3.63 mW",
                          "a low P_pi x tau of 5.1 mW us | over the power"),
              {read("length", chen.length_m, "m", "", "a phase shifter length of 50 um"),
               read("insertion loss", chen.loss_db, "dB", "",
                    "ranges from 1.3 dB to 4.4 dB depending on the operation wavelength"),
               read("voltage for pi", thermo_optic_figures(chen).v_pi_v, "V", "", "a V_pi of 1.1 V")}),
       "A. Chen et al., arXiv:2405.11044 (2024)", "chen_2024_slow_light_heater()", 2024, "one device"},
      {"dave-2024-metal-clad-heater", "heater",
       "Metal-clad multimode waveguide beyond an exceptional point: metal close to the light, little loss.",
       joined(heater_core(dave_2024_metal_clad_heater(), Known::read, "P_pi tau = 19.1 mW us | over the time",
                          "response time (rise/fall time), tau of some 1.4 us"),
              metal_loss(dave_2024_metal_clad_heater())),
       "U. D. Dave et al., Nanophotonics 13, 3945 (2024), doi 10.1515/nanoph-2024-0140",
       "dave_2024_metal_clad_heater()", 2024, "one device"},
      {"typical-metal-heater", "heater",
       "Metal heater above the waveguide, typical of its class; not a specific device.",
       joined(typical_core(metal, 15e-3, 30e-3, 3e-6, 40e-6),
              {usual(assumed("resistance slope", metal.resistance_slope_per_k, "1/K", "", "of metals"), 1e-3,
                     2e-3)}),
       "usual range 15..30 mW, 3..40 us; review: S. Liu et al., Front. Optoelectron. 15, 9 (2022)",
       "typical_metal_heater()"},
      {"typical-undercut-heater", "heater",
       "Metal heater on an undercut waveguide: a twentieth of the power, five times as slow; not a specific "
       "device.",
       typical_core(typical_undercut_heater(), 0.05e-3, 3e-3, 50e-6, 1e-3),
       "usual range 0.05..3 mW, 50 us..1 ms; review: S. Liu et al., Front. Optoelectron. 15, 9 (2022)",
       "typical_undercut_heater()"},
      {"typical-doped-silicon-heater", "heater",
       "Doped-silicon heater beside the waveguide, 2.5 times as fast as the metal one; not a specific device.",
       typical_core(typical_doped_silicon_heater(), 15e-3, 30e-3, 1.2e-6, 16e-6),
       "M. Jacques et al., Opt. Express 27, 10456 (2019)", "typical_doped_silicon_heater()"},
  };
}

Part carrier_entry(const char* name, const CarrierDispersion& d, const char* source, const char* preset) {
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

Parts carrier_shifters() {
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

Part coupler_entry(const char* name, const char* what, const DirectionalCoupler& d, const char* preset) {
  return {name,
          "coupler",
          what,
          {{"splitting angle", d.eta_rad, "rad"},
           {"relative slope of the angle", d.eta_relative_slope_per_m, "1/m"},
           {"wavelength", d.wavelength_m, "m"},
           {"excess loss", d.excess_loss_db, "dB"}},
          "usual values, not a specific device",
          preset};
}

Parts couplers() {
  return {coupler_entry("typical-directional-coupler", "50:50 directional coupler of a plain strip waveguide.",
                        DirectionalCoupler{}, "DirectionalCoupler{}"),
          coupler_entry("typical-mmi-2x2", "50:50 multimode-interference splitter: flatter and lossier.",
                        as_coupler(Mmi2x2{}), "Mmi2x2{}")};
}

Parts fibres() {
  Fibre metre;
  metre.length_m = 1.0;
  return {{"standard-fibre",
           "fibre",
           "Standard single-mode fibre: its temperature is why coherent links track their phase.",
           {assumed("loss", metre.loss_db_per_km, "dB/km", "", "usual"),
            assumed("loss of a connector", metre.connector_loss_db, "dB", "", "usual"),
            assumed("group index", metre.group_index, "", "", "usual"),
            from_memory("phase of 1 m and 1 K", fibre_phase_slope_rad_per_k(metre, 1550e-9), "rad")},
           "usual values; dn/dT of silica: Sensors 23, 6023 (2023)",
           "Fibre{}"}};
}

/// What a source says, word by word, of a crossing.
struct CrossingQuotes {
  std::string loss, crosstalk;
};

Part crossing_entry(const char* name, const char* what, const Crossing& d, const CrossingQuotes& quoted,
                    const char* source, const char* preset, int year) {
  return {name,
          "crossing",
          what,
          {read("loss", d.loss_db, "dB", "", quoted.loss),
           read("spread of the loss", d.loss_spread_db, "dB", "", quoted.loss),
           read("crosstalk below the input", d.crosstalk_db, "dB", "", quoted.crosstalk)},
          source,
          preset,
          year};
}

Parts crossings() {
  return {
      crossing_entry(
          "johnson-2020-crossing", "Multimode-interference crossing; its crosstalk is an upper bound.",
          johnson_2020_crossing(),
          {"The insertion loss of the device is measured as 43 +- 4 mdB per crossing | the spread is "
           "that of a cascade",
           "a crosstalk of < -50 dB between 1550 and 1560 nm"},
          "M. Johnson, M. G. Thompson and D. Sahin, Opt. Express 28, 12498 (2020)", "johnson_2020_crossing()",
          2020),
      crossing_entry(
          "wafer-scale-crossing", "Crossing of one patterning step, uniform across an 8-inch wafer.",
          wafer_scale_crossing(),
          {"average insertion loss of 0.18+-0.03 dB", "crosstalk of -41+-2 dB, uniform across an 8-inch wafer"},
          "A CMOS-Compatible, Low-Loss, and Low-Crosstalk Silicon Waveguide Crossing, EPFL "
          "infoscience record 232632",
          "wafer_scale_crossing()", 0)};
}

Parts amplifiers() {
  return {{"almae-2021-soa",
           "amplifier",
           "Semiconductor amplifier with a noise figure that stays flat over C and L band.",
           {read("noise figure", almae_2021_soa().noise_figure_db, "dB", "",
                 "NF remains below 6.5 dB over C and L bands")},
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

bool Part::is_read() const {
  return std::ranges::any_of(figures, [](const Figure& f) { return f.known == Known::read; });
}

const Parts& device_catalogue() {
  static const Parts all = [] {
    Parts made;
    for (const auto& kind : {heaters(),
                             carrier_shifters(),
                             couplers(),
                             parts::splitters(),
                             parts::waveguides(),
                             fibres(),
                             parts::published_fibres(),
                             crossings(),
                             parts::fibre_couplers(),
                             parts::lasers(),
                             parts::boosters(),
                             parts::modulators(),
                             parts::drivers(),
                             amplifiers(),
                             parts::photodiodes(),
                             parts::front_ends(),
                             parts::clocked_receivers(),
                             parts::converters(),
                             parts::samplers(),
                             parts::clock_recoveries(),
                             parts::serialisers(),
                             parts::phase_locks(),
                             parts::switches(),
                             parts::modules()})
      made.insert(made.end(), kind.begin(), kind.end());
    return made;
  }();
  return all;
}

std::span<const std::string_view> part_names(std::string_view kind) {
  static const auto by_kind = [] {
    std::map<std::string_view, std::vector<std::string_view>> names;
    for (const Part& part : device_catalogue()) names[part.kind].push_back(part.name);
    return names;
  }();
  const auto found = by_kind.find(kind);
  validate(found != by_kind.end(), "no part is a {} (optinc devices lists kinds). Name one of those.", kind);
  return found->second;
}

const Part& part_of_kind(std::string_view kind, std::string_view name) {
  for (const Part& part : device_catalogue())
    if (part.kind == kind && part.name == name) return part;
  refuse_name(kind, name, part_names(kind));
}

const Part& device_entry(std::string_view name) {
  const Parts& all = device_catalogue();
  const auto words = std::count(name.begin(), name.end(), '-') + 1;
  std::vector<std::string_view> names, openings;
  for (const Part& entry : all) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
    openings.push_back(first_parts(entry.name, words));
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
