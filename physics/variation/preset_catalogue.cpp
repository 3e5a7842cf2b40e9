#include "physics/variation/preset_catalogue.hpp"

#include <string>

#include "physics/devices/detail/part_lists.hpp"
#include "physics/variation/error_model.hpp"
#include "physics/variation/process_model.hpp"

namespace optinc {
namespace {

using parts::assumed;
using parts::measured;
using parts::read;
using parts::usual;

Figure from_memory(std::string name, double value, std::string unit, std::string key, std::string from) {
  return {std::move(name), value, std::move(unit), Known::memory, std::move(from), std::move(key)};
}

// What was published or measured of each kind of error, beside which the presets stand.
Figure splitter(Figure figure) { return usual(std::move(figure), 0.005, 0.06); }
Figure calibration(Figure figure) { return usual(std::move(figure), 1e-3, 0.036); }
constexpr const char* splitters_seen =
    "range: 0.016 rad is the most that gaps of 14 rings on one die allow (openEBL-2024-10, measured here); "
    "splitters of 9 chips vary by 2 to 6 % (preprints.org 202310.1199, 2023), which is 0.02 to 0.06 rad at "
    "50:50";
constexpr const char* calibrations_seen =
    "range: 5e-3 rad of 56 MZIs (Shen et al., Nat. Photonics 11, 441 (2017), from memory); 0.031 to 0.036 rad "
    "of "
    "every heater explain a 6-port chip after three passes (data of Pai et al., Science 380, 398 (2023), "
    "measured "
    "here)";

/// The values that differ from preset to preset in no more than what was assumed.
std::vector<Figure> assumed_errors(const ErrorModel& m, const std::string& splitters, const std::string& loss) {
  return {splitter(assumed("splitter error", m.sigma_eta_rad, "rad", "sigma_eta_rad", splitters)),
          assumed("correlation in an MZI", m.rho_ab, "", "rho_ab", "neighbours share half of the variance"),
          calibration(
              assumed("phase left by calibration", m.sigma_cal_rad, "rad", "sigma_cal_rad", calibrations_seen)),
          assumed("loss of an MZI", m.mzi_loss_db, "dB", "mzi_loss_db", loss),
          assumed("spread of an arm's loss", m.arm_loss_spread_db, "dB", "arm_loss_spread_db",
                  "no spread from arm to arm inside a die was found published"),
          assumed("DAC", m.dac_bits, "bit", "dac_bits", "of bench electronics"),
          assumed("phase noise", m.sigma_phase_rad, "rad", "sigma_phase_rad",
                  "a tenth to a fifth of what "
                  "calibration leaves")};
}

Part chip_preset(const char* name, const char* what, std::vector<Figure> figures, const char* source) {
  return {name, "chip preset", what, std::move(figures), source, std::string("error_preset(\"") + name + "\")"};
}

/// An ordinary run's lithography and calibration, with the arms of a kind of heater.
Part ordinary_run(const char* name, const char* what, const Figure& loss, const Figure& spread,
                  const char* source) {
  const ErrorModel m = error_preset(name);
  auto figures = assumed_errors(m, {}, {});
  figures[0] = splitter(from_memory("splitter error", m.sigma_eta_rad, "rad", "sigma_eta_rad",
                                    std::string("Mikkelsen et al. (2014); ") + splitters_seen));
  figures[3] = loss;
  figures[4] = spread;
  return chip_preset(name, what, std::move(figures), source);
}

std::vector<Part> chip_presets() {
  const ErrorModel design = error_preset("design-target"), lab = error_preset("good-lab"),
                   metal = error_preset("metal-heaters"), doped = error_preset("doped-heaters");
  return {
      chip_preset("design-target",
                  "What a mesh of 128 real ports needs: no chip that was made is known to have all of it.",
                  assumed_errors(design, splitters_seen, "half of good-lab's"), "an aim of this project"),
      chip_preset("good-lab", "A chip of a good laboratory, every device better than an ordinary run's.",
                  assumed_errors(lab, splitters_seen, "398 MZIs in series lose 80 dB"),
                  "an estimate of this project"),
      ordinary_run("metal-heaters",
                   "An ordinary run with metal away from the light: arms lose little and nearly the same.",
                   assumed("loss of an MZI", metal.mzi_loss_db, "dB", "mzi_loss_db",
                           "two couplers of 0.05 dB and two stages of typical-metal-heater"),
                   assumed("spread of an arm's loss", metal.arm_loss_spread_db, "dB", "arm_loss_spread_db",
                           "that of typical-metal-heater, a guess without a source"),
                   "splitters and calibration of an ordinary run, heaters of typical-metal-heater"),
      ordinary_run(
          "doped-heaters",
          "An ordinary run with doped silicon in the light and arms that nobody matched: the harshest reading.",
          read("loss of an MZI", doped.mzi_loss_db, "dB", "mzi_loss_db",
               "insertion loss measured for 21 devices across an 8-inch wafer was 0.23 +- 0.13 dB | two of "
               "these, and "
               "two couplers of 0.05 dB, which is assumed"),
          assumed(
              "spread of an arm's loss", doped.arm_loss_spread_db, "dB", "arm_loss_spread_db",
              "the 0.13 dB just quoted, which is of a wafer and has the fibre couplers' repeatability in it, "
              "taken as the spread from arm to arm of one die"),
          "heaters: N. C. Harris et al., Opt. Express 22, 10487 (2014)")};
}

/// Values of one process: the field over a die, what no neighbour shares, and how far the field reaches.
std::vector<Figure> process_figures(const ProcessModel& m, const std::vector<Figure>& first) {
  std::vector<Figure> figures = first;
  const std::string guess = "an order of magnitude";
  for (const auto& [axis, d] : {std::pair{"width", m.width}, {"height", m.height}}) {
    const std::string of = std::string(" of ") + axis, key = std::string(axis) + "_";
    figures.push_back(assumed("bow over a wafer" + of, d.wafer_bow_m, "m", key + "wafer_bow_m", guess));
    figures.push_back(assumed("tilt over a wafer" + of, d.wafer_tilt_m, "m", key + "wafer_tilt_m", guess));
    figures.push_back(assumed("offset of a die" + of, d.die_m, "m", key + "die_m", guess));
  }
  figures.push_back(
      assumed("spread of heater power", m.heater_power_spread, "", "heater_power_spread", "a guess"));
  figures.push_back(assumed("spread of heater resistance", m.heater_resistance_spread, "",
                            "heater_resistance_spread", "a guess"));
  return figures;
}

std::vector<Part> process_presets() {
  const ProcessModel usual_run = process_preset("default"), die = process_preset("openebl-2024");
  const std::string
      lu = "Lu et al., Opt. Express 25, 9712 (2017)",
      fit =
          "280 unbalanced interferometers of one 8.8 mm die at known places, fitted; 95 % interval, "
          "one die being one draw",
      shared_field = "index alone does not tell width from height: in the ratio of the default";
  return {
      {"default", "process preset", "An ordinary run with 248 nm lithography: what neighbouring devices share.",
       process_figures(
           usual_run,
           {usual(from_memory("field of width", usual_run.width.field_m, "m", "width_field_m", lu), 1e-9, 5e-9),
            usual(from_memory("field of height", usual_run.height.field_m, "m", "height_field_m", lu), 0.3e-9,
                  2e-9),
            usual(
                from_memory("correlation length", usual_run.correlation_length_m, "m", "correlation_length_m",
                            lu + "; 4.17 +- 0.42 mm of 800 MZIs (Yang et al., Opt. Express 23, 16890 (2015))"),
                0.5e-3, 10e-3),
            assumed("roughness of width", usual_run.width.roughness_m, "m", "width_roughness_m",
                    "two side walls of 2 nm rms and 50 nm correlation length, averaged over 100 um")}),
       lu + "; splitters and losses as in doped-heaters", "process_preset(\"default\")"},
      {"openebl-2024", "process preset",
       "Waveguides of one die of 220 nm silicon by electron-beam lithography.",
       process_figures(
           die,
           {measured("field of width", die.width.field_m, "m", "width_field_m", shared_field),
            measured("field of height", die.height.field_m, "m", "height_field_m", shared_field),
            usual(measured("correlation length", die.correlation_length_m, "m", "correlation_length_m", fit),
                  0.10e-3, 2.2e-3),
            usual(measured("roughness of width", die.width.roughness_m, "m", "width_roughness_m", fit), 0.21e-9,
                  0.32e-9)}),
       "github.com/SiEPIC/openEBL-2024-10 (MIT)", "process_preset(\"openebl-2024\")", 2024, "one die"}};
}

}  // namespace

const std::vector<Part>& preset_catalogue() {
  static const std::vector<Part> all = [] {
    std::vector<Part> presets = chip_presets();
    for (Part& process : process_presets()) presets.push_back(std::move(process));
    return presets;
  }();
  return all;
}

}  // namespace optinc
