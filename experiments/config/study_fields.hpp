#pragma once

#include <numbers>

#include "experiments/config/study_config.hpp"
#include "experiments/config/study_names.hpp"
#include "physics/mesh/blocks.hpp"

// The field tables: one overload of visit_fields per section calls visitor(FieldInfo, member&) for each key.
// Parsing, defaults, printing, explain and HDF5 attributes all come from here; a new setting is one line.

namespace optinc {

/// Presets of [chip], and "custom" for values that no preset has.
inline std::span<const std::string_view> chip_preset_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all(error_preset_names().begin(), error_preset_names().end());
    all.push_back("custom");
    return all;
  }();
  return names;
}

/// The field with the source of error that an ablation switches off through it.
inline FieldInfo switched_off(std::string_view source_of_error, FieldInfo info) {
  info.ablation = source_of_error;
  return info;
}

/// A field that says how to run and changes no result.
inline FieldInfo how_to_run(FieldInfo info) {
  info.changes_results = false;
  return info;
}

/// A field that takes a name, or a list of names.
inline FieldInfo name_field(std::string_view key, std::string_view meaning,
                            std::span<const std::string_view> names) {
  FieldInfo info{key, "1", meaning};
  info.names = names;
  return info;
}

template <Like<RunSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  // 2^53: exact in every tool that reads numbers as doubles (JSON, MATLAB)
  visit(FieldInfo{"seed", "1", "seed of every random stream", 0, 9007199254740992.0}, s.seed);
  visit(how_to_run({"threads", "1", "threads to use, 0 for all; never changes a result", 0, 4096}), s.threads);
  visit(how_to_run({"time_limit_s", "s", "no trial starts after this long, 0: no limit; optinc resume goes on",
                    0, 1e9}),
        s.time_limit_s);
}

template <Like<RunnerSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"trials", "1", "trials (chips, meshes) at every point of the sweeps", 1, 100000000},
        s.trials);
  visit(FieldInfo{"precision", "1",
                  "a point stops early once the 95 % interval of the mean of precision_metric is this narrow, "
                  "relative to the mean; 0: never",
                  0, 1},
        s.precision);
  visit(name_field("precision_metric", "metric whose mean is to be precise, in every variant and layer",
                   metric_or_none_names()),
        s.precision_metric);
}

template <Like<MeasureSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(name_field("metrics", "what every trial records; none named: all that the model knows", metric_names()),
        s.metrics);
  visit(name_field("variants", "ways the device is programmed and lit; none named: all of the model",
                   variant_names()),
        s.variants);
  visit(
      FieldInfo{"words", "word",
                "input words drawn per trial of model chip, and at every instant of model drift; 0: every word",
                0, 100000000},
      s.words);
  visit(name_field("once", "what is measured once a study, after the trials, at the study's own chip",
                   once_names()),
        s.once);
}

template <Like<YieldSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  static constexpr std::string_view senses[] = {"at-least", "at-most"};
  visit(name_field("metric", "metric of the specification; none: no yield is computed", metric_or_none_names()),
        s.metric);
  visit(name_field("sense", "on which side of the limit a trial meets it", senses), s.sense);
  visit(FieldInfo{"limit", "1", "the limit, in the metric's unit"}, s.limit);
}

template <Like<StandInSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"relative_error", "1",
                  "relative Frobenius error of every U in variant stand-in: normal, real, new for every trial",
                  0, 0.9, "1e-2 to 1e-1"},
        s.relative_error);
}

template <Like<ToleranceSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(
      FieldInfo{
          "key", "1",
          "what is raised until a chip errs: a number that a sweep may vary, such as chip.sigma_eta_rad; or "
          "chip, a factor on all errors of that section but its DAC"},
      s.key);
  visit(FieldInfo{"gentle", "1", "value where the search begins, in the key's unit"}, s.gentle);
  visit(FieldInfo{"harsh", "1", "value where it ends; below gentle for what gets worse as it falls"}, s.harsh);
  visit(FieldInfo{"steps", "1", "halvings of the interval between both, in the logarithm where both are > 0", 1,
                  40},
        s.steps);
}

template <Like<MeshSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  static constexpr std::string_view targets[] = {"unitary", "orthogonal"};
  visit(FieldInfo{"ports", "1", "ports of the mesh of model mesh", 2, 1024}, s.ports);
  visit(name_field("target", "Haar-distributed target of the mesh, one a trial", targets), s.target);
  visit(
      name_field("kind",
                 "MZIs of the mesh: plain, real-preserving, with a third splitter, or that one phase-balanced",
                 mzi_kind_names()),
      s.kind);
  visit(name_field("topology", "wiring of the mesh: rectangle or triangle", mesh_topology_names()), s.topology);
  visit(switched_off("common phase",
                     FieldInfo{"sigma_common_rad", "rad",
                               "rms phase offset of every MZI as a whole, which no correction knows", 0, 1}),
        s.sigma_common_rad);
}

template <Like<Task> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"servers", "1", "servers whose codes are averaged", 1, 64, "OptINC: 4"}, s.servers);
  int bits = s.bits();
  visit(FieldInfo{"bits", "bit", "bits of a gradient code; two a PAM4 digit", 2, 32, "OptINC: 8", {}, 2}, bits);
  std::string rounding(rounding_name(s.rounding));
  visit(FieldInfo{"rounding", "1", "what becomes of the fraction of the mean", 0, 0,
                  "half-even: IEEE 754, unbiased", rounding_names()},
        rounding);
  std::string level(level_name(s.level));
  visit(FieldInfo{"level", "1", "the unit's place: alone, or first or second of a cascade for servers^2", 0, 0,
                  "", level_names()},
        level);
  if constexpr (!std::is_const_v<S>) {
    s.digits = bits / 2;
    s.level = level_of_name(level);
    s.rounding = rounding_of_name(rounding);
  }
}

template <Like<NetworkSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"source", "1",
                  "train; carry-chain, right by construction; shipped/NAME (optinc list); or the file of a "
                  "network of this "
                  "task (optinc train)"},
        s.source);
  visit(FieldInfo{"above", "1", "model cascade: the source of the second level; same: as source"}, s.above);
  visit(FieldInfo{"start", "1", "random: Haar matrices; or the file of the network that training goes on from"},
        s.start);
  visit(FieldInfo{"step_width", "1", "carry-chain: a step rises over so much of its sum of whole numbers", 0.01,
                  0.99},
        s.carry_chain.step_width);
  visit(FieldInfo{"step_level", "digit", "carry-chain: distance of a step's two levels", 0.01, 100},
        s.carry_chain.step_level);
  std::string carries(carries_name(s.carry_chain.carries));
  visit(name_field("carries", "carry-chain: digit after digit, or all at once by a parallel prefix",
                   carries_names()),
        carries);
  if constexpr (!std::is_const_v<S>) s.carry_chain.carries = carries_of_name(carries);
  visit(FieldInfo{"hidden", "neuron", "widths of the hidden layers to train; a file brings its own", 1, 4096,
                  "OptINC: 64, 128, 256, 128, 64"},
        s.hidden);
}

template <Like<TrainingSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  std::string scheme(scheme_name(s.scheme));
  visit(name_field("scheme",
                   "how weights are kept to diagonal times orthogonal blocks: steps along the "
                   "orthogonal group, or free steps and projections",
                   scheme_names()),
        scheme);
  if constexpr (!std::is_const_v<S>) s.scheme = scheme_of_name(scheme);
  visit(FieldInfo{"project_every", "1", "scheme projected: epochs from one projection to the next", 1, 100000,
                  "5 to 10 leave words wrong"},
        s.project_every);
  visit(FieldInfo{"squared_share", "1",
                  "scheme projected: share of the epochs, from the first, whose loss has no dead zone", 0, 1},
        s.squared_share);
  visit(FieldInfo{"epochs", "1", "passes over every word of the task", 1, 100000}, s.epochs);
  visit(FieldInfo{"batch", "word", "words per step", 4, 1048576}, s.batch);
  visit(FieldInfo{"learning_rate", "1", "peak step of Adam", 1e-6, 1, "0.02 stalls at batch 512"},
        s.learning_rate);
  visit(FieldInfo{"warmup_epochs", "1", "epochs of linear rise to the peak step", 0, 100000}, s.warmup_epochs);
  visit(FieldInfo{"dead_zone", "digit", "error of an output digit that costs nothing", 0, 0.499,
                  "0.3 leaves thin margins"},
        s.dead_zone);
  visit(FieldInfo{"matrix_noise", "1", "stand-in for devices: relative error of every U, fresh at every step",
                  0, 0.9, "0.03 after 100 epochs without, then 0.05"},
        s.matrix_noise);
  visit(FieldInfo{"on_chips", "1",
                  "every step meets a new chip of [chip] with the receivers of [link]; needs network.start"},
        s.on_chips);
  visit(FieldInfo{"stop_margin", "digit", "ends when all words are right by so much; 0: never", 0, 0.499},
        s.stop_margin);
}

template <Like<ErrorModel> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"preset", "1", "fills the values of this section; keys given beside it go over it", 0, 0,
                  "custom: no preset, every key given", chip_preset_names()},
        s.preset);
  visit(switched_off("splitters",
                     FieldInfo{"sigma_eta_rad", "rad", "rms error of every splitter angle (ideal: pi/4)", 0,
                               0.5, "foundry 0.02: Mikkelsen 2014"}),
        s.sigma_eta_rad);
  visit(FieldInfo{"rho_ab", "1", "correlation of the two splitter errors of one MZI", -1, 1}, s.rho_ab);
  visit(switched_off("calibration",
                     FieldInfo{"sigma_cal_rad", "rad", "rms phase offset that calibration leaves", 0, 1}),
        s.sigma_cal_rad);
  visit(switched_off("mean loss", FieldInfo{"mzi_loss_db", "dB", "mean insertion loss of one MZI", 0, 10,
                                            "foundry: two 0.05 dB couplers and a 0.23 dB heater, Harris 2014"}),
        s.mzi_loss_db);
  visit(switched_off("loss spread",
                     FieldInfo{"arm_loss_spread_db", "dB", "rms spread of the loss of every heater arm", 0, 3,
                               "foundry 0.13: Harris 2014"}),
        s.arm_loss_spread_db);
  visit(switched_off("DAC", FieldInfo{"dac_bits", "bit",
                                      "resolution of the phase DAC over 2 pi, 0 for no quantisation", 0, 24}),
        s.dac_bits);
  visit(switched_off("phase noise", FieldInfo{"sigma_phase_rad", "rad",
                                              "rms phase noise, frozen for a block of symbols", 0, 1}),
        s.sigma_phase_rad);
  visit(FieldInfo{"dac_voltage", "1", "the DAC divides heater voltages, not phases into equal steps"},
        s.dac_voltage);
}

template <Like<CalibrationSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  std::string policy(policy_name(s.policy));
  visit(name_field("policy", "what is found out about a chip before it is programmed", policy_names()), policy);
  if constexpr (!std::is_const_v<S>) s.policy = policy_of_name(policy);
  visit(switched_off(
            "splitter estimate",
            FieldInfo{"sigma_estimate_rad", "rad",
                      "rms error of the estimate of every splitter (policies noisy and in-situ)", 0, 0.5}),
        s.sigma_estimate_rad);
  visit(FieldInfo{"in_situ_steps", "1",
                  "quasi-Newton steps of policy in-situ, for every mesh, each with the exact gradient of the "
                  "true device",
                  0, 100000},
        s.in_situ_steps);
  visit(FieldInfo{"diagonal_epochs", "1",
                  "passes over every word for which each chip's attenuations and biases are trained again on "
                  "its measured meshes; 0: never",
                  0, 100000},
        s.diagonal_epochs);
  visit(FieldInfo{"diagonal_rate", "1", "peak step of that training", 1e-6, 1}, s.diagonal_rate);
}

template <Like<CrosstalkSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(
      switched_off("crosstalk",
                   FieldInfo{"x0", "1", "heat a heater gets at no distance, as a share of its giver's own rise",
                             0, 0.99, "0.05: physics.md 6"}),
      s.x0);
  visit(FieldInfo{"known", "1", "share of x0 that the operator's inversion knows: 0 does nothing, 1 undoes it",
                  0, 2},
        s.known);
  visit(FieldInfo{"d0_m", "m", "distance over which it falls by e", 1e-7, 150e-6, "20 to 150 um: physics.md 6"},
        s.d0_m);
  visit(FieldInfo{"mzi_length_m", "m", "length of an MZI on the die", 1e-6, 1e-2, "100 to 300 um"},
        s.plan.mzi_length_m);
  visit(FieldInfo{"mzi_width_m", "m", "its width, two ports", 1e-6, 1e-2, "20 to 60 um"}, s.plan.mzi_width_m);
  visit(FieldInfo{"coupler_length_m", "m", "length of a splitter", 0, 1e-2}, s.plan.coupler_length_m);
  visit(FieldInfo{"heater_length_m", "m", "length of a heater", 1e-7, 1e-2, "Harris 2014: 61.6 um"},
        s.plan.heater_length_m);
}

template <Like<Surroundings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(switched_off(
            "temperature",
            FieldInfo{"temperature_k", "K",
                      "temperature of the die less that of its calibration (model drift: besides what drifts)",
                      -100, 100}),
        s.temperature_k);
  visit(switched_off(
            "wavelength",
            FieldInfo{"wavelength_m", "m",
                      "wavelength of the laser less that of the calibration (model drift: besides what drifts)",
                      -1e-7, 1e-7}),
        s.wavelength_m);
}

template <Like<LinkSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"launch_power_w", "W", "power at unit P's input: one server, one lane, digit 3", 1e-9, 1},
        s.launch_power_w);
  visit(
      FieldInfo{"signal_full_scale_w", "W", "re-modulated power per neuron at the largest activation", 1e-9, 1},
      s.signal_full_scale_w);
  visit(FieldInfo{"lo_power_w", "W", "local oscillator per neuron", 1e-9, 1}, s.receiver.lo_power_w);
  visit(
      FieldInfo{"responsivity_a_per_w", "A/W", "photodiode responsivity", 0.01, 2, "Ge at 1550 nm: 0.8 to 1.1"},
      s.receiver.responsivity_a_per_w);
  visit(FieldInfo{"dark_current_a", "A", "photodiode dark current", 0, 1e-3, "Ge: 10 to 100 nA"},
        s.receiver.dark_current_a);
  visit(FieldInfo{"tia_noise_a_per_rthz", "A/sqrt(Hz)", "input-referred amplifier noise, its resistor included",
                  0, 1e-9, "Patel 2022, doi 10.1109/JSSC.2022.3218558"},
        s.receiver.tia_noise_a_per_rthz);
  visit(FieldInfo{"bandwidth_hz", "Hz", "receiver noise bandwidth", 1e3, 1e12,
                  "Patel 2022, doi 10.1109/JSSC.2022.3218558"},
        s.receiver.bandwidth_hz);
  visit(FieldInfo{"rin_db_per_hz", "dB/Hz", "relative intensity noise of the shared seed laser", -200, -80},
        s.receiver.rin_db_per_hz);
  visit(FieldInfo{"cmrr_db", "dB", "common-mode rejection of the balanced pair", 0, 120, "20 to 40 dB"},
        s.receiver.cmrr_db);
  visit(FieldInfo{"sigma_lock_rad", "rad", "residual phase-lock error of every server's fibre", 0,
                  std::numbers::pi},
        s.sigma_lock_rad);
  visit(switched_off("combiner", FieldInfo{"sigma_combiner", "1",
                                           "rms relative error of every weight of unit P's combiners", 0, 0.14,
                                           "splitter imbalance of 0.1 dB: 0.01"}),
        s.sigma_combiner);
  visit(switched_off("modulator leak",
                     FieldInfo{"modulator_leak", "1", "field of a modulator at its null, of full scale", 0, 0.9,
                               "extinction of 28 dB: 0.04, of 20 dB: 0.1"}),
        s.modulator_leak);
  visit(switched_off("level mismatch", FieldInfo{"level_mismatch", "1", "1 - RLM of the servers' PAM4 levels",
                                                 0, 0.9, "IEEE 802.3 asks for RLM of 0.92 to 0.95"}),
        s.level_mismatch);
  visit(FieldInfo{"signed_levels", "1", "servers send fields -1, -1/3, 1/3, 1 of full scale, not 0 to 1"},
        s.signed_levels);
  visit(
      switched_off("ADC", FieldInfo{"adc_bits", "bit", "converter of a server over digits -0.5 to 3.5; 0: none",
                                    0, 24, "5 to 8"}),
      s.adc_bits);
}

template <Like<NoiseSwitches> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(switched_off(
            "shot noise",
            FieldInfo{
                "shot", "1",
                "shot noise of the photodiodes acts (model chip: in the variant noisy; model drift: always)"}),
        s.shot);
  visit(switched_off("amplifier noise",
                     FieldInfo{"tia", "1",
                               "amplifier noise acts (model chip: in the variant noisy; model drift: always)"}),
        s.tia);
  visit(switched_off("intensity noise", FieldInfo{"rin", "1",
                                                  "intensity noise of the seed laser acts (model chip: in the "
                                                  "variant noisy; model drift: always)"}),
        s.rin);
  visit(switched_off(
            "phase lock",
            FieldInfo{
                "lock", "1",
                "phase-lock error of the fibres acts (model chip: in the variant noisy; model drift: always)"}),
        s.lock);
  visit(FieldInfo{"last_only", "1", "receivers are noisy at the servers alone, not at the neurons"},
        s.last_only);
}

template <Like<DriftSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"instants", "1", "times looked at, the first right after calibration", 2, 2047}, s.instants);
  visit(FieldInfo{"interval_s", "s", "between two of them", 1e-6, 1e7}, s.interval_s);
  visit(FieldInfo{"recalibrate_s", "s", "between two calibrations (variant recalibrated)", 1e-6, 1e12},
        s.recalibrate_s);
  visit(FieldInfo{"warm_up_s", "s", "from switching the heaters on to the first calibration", 0, 1e7},
        s.warm_up_s);
  visit(switched_off("ambient ramp", FieldInfo{"ramp_k_per_s", "K/s", "ambient: steady rise", -10, 10}),
        s.ramp_k_per_s);
  visit(switched_off("ambient swing",
                     FieldInfo{"sine_k", "K", "ambient: amplitude of a swing", 0, 100, "0.1 to 2 K"}),
        s.sine_k);
  visit(FieldInfo{"sine_period_s", "s", "ambient: period of the swing", 1e-6, 1e9, "10 to 1000 s"},
        s.sine_period_s);
  visit(switched_off("ambient noise",
                     FieldInfo{"ou_k", "K", "ambient: rms of an Ornstein-Uhlenbeck process", 0, 100}),
        s.ou_k);
  visit(FieldInfo{"ou_time_s", "s", "ambient: its correlation time", 1e-6, 1e9}, s.ou_time_s);
  visit(FieldInfo{"controlled", "1", "share of every change that a temperature controller takes away", 0, 1},
        s.controlled);
  visit(FieldInfo{"pi_power_w", "W", "heater power for a phase of pi", 1e-9, 1,
                  "undercut heaters: 1 mW; Harris 2014: 24.77 mW"},
        s.pi_power_w);
  visit(FieldInfo{"die_resistance_k_per_w", "K/W", "thermal resistance from die to ambient", 1e-6, 1e6,
                  "0.2 to 2 K/W"},
        s.die_resistance_k_per_w);
  visit(FieldInfo{"die_capacity_j_per_k", "J/K", "heat capacity of the die", 1e-9, 1e6,
                  "400 mm^2, 0.7 mm of silicon: 0.46 J/K"},
        s.die_capacity_j_per_k);
  visit(switched_off("laser drift", FieldInfo{"laser_m", "m", "rms drift of the laser's wavelength", 0, 1e-7}),
        s.laser_m);
  visit(FieldInfo{"laser_time_s", "s", "its correlation time", 1e-6, 1e9}, s.laser_time_s);
  visit(FieldInfo{"imbalance_m", "m", "rms path difference of a shifter's two arms", 0, 1e-3},
        s.sensitivity.imbalance_m);
  visit(FieldInfo{"heater_per_k", "1/K", "relative change of a heater's phase with temperature", -0.1, 0.1,
                  "constant power: 0; constant voltage: -1e-3 to -2e-3"},
        s.sensitivity.heater_per_k);
  visit(FieldInfo{"splitter_rad_per_m", "rad/m", "change of every splitter angle with wavelength", -1e8, 1e8,
                  "directional coupler: 3e6 to 5e6"},
        s.sensitivity.splitter_rad_per_m);
}

template <Like<BudgetSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(name_field("heater", "heater of every phase shifter (optinc devices NAME)", heater_names()), s.heater);
  visit(FieldInfo{"laser_power_w", "W", "laser of a server, where the passive link budget starts", 1e-6, 1,
                  "13 dBm: 10 to 20"},
        s.laser.power_w);
  visit(FieldInfo{"wall_plug_efficiency", "1", "optical over electrical power of every laser", 1e-4, 1},
        s.wall_plug_efficiency);
  visit(FieldInfo{"modulator_loss_db", "dB", "insertion loss of a modulator at full drive", 0, 30,
                  "3 to 6 dB in silicon"},
        s.modulator.insertion_loss_db);
  visit(FieldInfo{"modulator_bandwidth_hz", "Hz", "bandwidth of a modulator", 1e6, 1e12, "20 to 110 GHz"},
        s.modulator.bandwidth_hz);
  visit(FieldInfo{"driver_j_per_symbol", "J", "energy of a modulator's driver per symbol", 0, 1e-6,
                  "O/E/O: 1 to 3 pJ per symbol"},
        s.driver_j_per_symbol);
  visit(FieldInfo{"symbol_rate_bd", "Bd", "symbols per second", 1e3, 1e12, "10 to 112 GBd"}, s.symbol_rate_bd);
  visit(FieldInfo{"splitter_loss_db", "dB", "excess loss of a 1:2 splitter of any tree", 0, 10,
                  "Zhang 2013: 0.28 dB"},
        s.splitter.stage_excess_loss_db);
  visit(FieldInfo{"coupler_loss_db", "dB", "from fibre to chip, or back", 0, 30, "edge coupler: 1 to 2 dB"},
        s.coupler.loss_db);
  visit(FieldInfo{"fibre_m", "m", "fibre from a server to the unit, and back", 0, 1e6}, s.fibre.length_m);
  visit(FieldInfo{"fibre_connectors", "1", "connectors in such a fibre, 0.3 dB each", 0, 100},
        s.fibre.connectors);
  visit(FieldInfo{"waveguide_loss_db_per_cm", "dB/cm", "loss of the waveguides between meshes", 0, 100,
                  "0.1 (wide rib) to 3 dB/cm"},
        s.routing.loss_db_per_cm);
  visit(FieldInfo{"routing_m", "m", "waveguide of a layer besides its MZIs", 0, 1}, s.routing.length_m);
  visit(FieldInfo{"mzi_length_m", "m", "length of an MZI's box", 1e-6, 1e-2, "100 to 300 um"},
        s.floor_plan.mzi_length_m);
  visit(FieldInfo{"mzi_width_m", "m", "width of an MZI's box, two ports", 1e-6, 1e-3, "20 to 60 um"},
        s.floor_plan.mzi_width_m);
  visit(FieldInfo{"receiver_w", "W", "supply of a receiver's amplifier", 0, 100,
                  "Patel 2022, doi 10.1109/JSSC.2022.3218558"},
        s.front_end.supply_power_w);
  visit(FieldInfo{"adc_bits", "bit", "bits of a server's converter", 1, 24, "5 to 8"}, s.adc.bits);
  visit(FieldInfo{"adc_effective_bits", "bit", "its effective bits", 0.1, 24, "4.5 to 5.5 above 50 GS/s"},
        s.adc.effective_bits);
  visit(FieldInfo{"adc_step_j", "J", "energy of a conversion step (Walden)", 0, 1e-9,
                  "usual above 30 GS/s: 30 to 300 fJ"},
        s.adc_step_j);
  visit(FieldInfo{"adc_delay_s", "s", "delay of a converter's pipeline", 0, 1e-3}, s.adc_delay_s);
  visit(FieldInfo{"control_w_per_shifter", "W", "DAC channel of a phase shifter; 0: not counted", 0, 10},
        s.control_w_per_shifter);
  visit(name_field("skew", "how light of early digits waits for carries: on the chip, or sent later",
                   skew_names()),
        s.skew);
  visit(FieldInfo{"delay_line_pitch_m", "m", "from turn to turn of a delay line's spiral", 0, 1e-3},
        s.delay_line_pitch_m);
}

template <Like<GradientSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"data", "1", "folder of the data set's idx files", 0, 0, "Debian: dataset-fashion-mnist"},
        s.data);
  visit(FieldInfo{"hidden", "neuron", "hidden width of the classifier", 1, 65536}, s.hidden);
  visit(FieldInfo{"batch", "image", "global batch, shared by the servers", 1, 1048576}, s.batch);
  visit(FieldInfo{"epochs", "1", "passes over the training images", 1, 10000}, s.epochs);
  visit(FieldInfo{"learning_rate", "1", "step of gradient descent", 0, 100}, s.learning_rate);
  visit(FieldInfo{"momentum", "1", "momentum of gradient descent", 0, 0.9999}, s.momentum);
  visit(FieldInfo{"block", "gradient", "gradients that share one scale", 1, 1048576,
                  "1024 with 32-bit scales: 0.39 % overhead"},
        s.block);
}

template <Like<LearnerSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  static constexpr std::string_view optimisers[] = {"sgd", "adamw"}, schedules[] = {"constant", "cosine"};
  visit(name_field("kind", "what is trained: mlp (one hidden layer), cnn (residual), decoder (of text)",
                   learner_kind_names()),
        s.kind);
  visit(name_field("data_set", "images with a class each, or a text whose next character is to be told",
                   data_set_names()),
        s.data_set);
  visit(FieldInfo{"data", "1", "folder of the images' files, or the text; default: where Debian puts them", 0,
                  0, "Debian: dataset-fashion-mnist, dict-gcide"},
        s.data);
  visit(FieldInfo{"characters", "character", "of a text, read from its beginning", 1000, 1e9}, s.characters);
  visit(FieldInfo{"width", "1",
                  "hidden neurons, channels of the first stage, or width of the decoder; 0: 128, 16, 64", 0,
                  65536},
        s.width);
  visit(FieldInfo{"levels", "1", "levels of units: servers of the task, or their square", 1, 2}, s.levels);
  visit(
      FieldInfo{"carry_digit", "1",
                "units of the first level send the exact sum on, as one digit more; false: their rounded mean"},
      s.carry_digit);
  visit(
      name_field("aggregator",
                 "how gradients are averaged: exactly or by a collective in float; as codes by Q(mean), by the "
                 "network without devices, or by a chip",
                 aggregator_names()),
      s.aggregator);
  visit(name_field("engine", "how words pass a chip: by its map, or each through its meshes (slow)",
                   engine_names()),
        s.engine);
  visit(FieldInfo{"steps", "step", "length of a training", 1, 1048575}, s.steps);
  visit(FieldInfo{"evaluations", "1", "times the model is tested, evenly spread, the last at the end", 1, 1000},
        s.evaluations);
  visit(FieldInfo{"batch", "example", "global batch, shared by the servers", 1, 1048576}, s.batch);
  visit(name_field("optimiser", "rule of the step: gradient descent with momentum, or Adam with weight decay",
                   optimisers),
        s.optimiser);
  visit(FieldInfo{"learning_rate", "1", "largest step of the schedule", 1e-9, 100}, s.learning_rate);
  visit(FieldInfo{"momentum", "1", "of sgd", 0, 0.9999}, s.momentum);
  visit(FieldInfo{"weight_decay", "1", "share of a parameter taken away per step and unit of learning rate", 0,
                  10},
        s.weight_decay);
  visit(
      name_field("schedule", "of the learning rate: constant, or falling to 0 along half a cosine", schedules),
      s.schedule);
  visit(FieldInfo{"warm_up_steps", "step", "over which the learning rate grows to its largest", 0, 1048575},
        s.warm_up_steps);
  visit(
      FieldInfo{"largest_norm", "1", "averaged gradients of a larger norm are scaled to it; 0: never", 0, 1e9},
      s.largest_norm);
  visit(FieldInfo{"block", "gradient", "gradients that share one scale", 1, 1048576,
                  "1024 with 32-bit scales: 0.39 % overhead"},
        s.block);
  visit(FieldInfo{"error_feedback", "1", "servers add what their quantisation left out to their next gradient"},
        s.error_feedback);
  visit(FieldInfo{"range_guard", "1",
                  "codes that server 0 knows to be impossible are drawn back to the nearest possible"},
        s.range_guard);
  visit(FieldInfo{"error_rate", "1",
                  "share of received codes made wrong: 90 % of them by +-1, others by +-4, +-16 ..", 0, 1},
        s.error_rate);
  visit(FieldInfo{"offset_lsb", "LSB", "added to every received code", -256, 256}, s.offset_lsb);
  visit(FieldInfo{"chip_factor", "1", "factor on every error of [chip] but its DAC", 0, 1000}, s.chip_factor);
}

/// Calls visitor(section name, FieldInfo, member&) for every field of a study, in the order of the file.
template <Like<StudyConfig> S, class Visitor>
void visit_config(S& s, Visitor&& visit) {
  const auto section = [&](std::string_view name, auto& settings) {
    visit_fields(settings, [&](const FieldInfo& info, auto& member) { visit(name, info, member); });
  };
  const auto above = [&](const FieldInfo& info, auto& member) { visit(std::string_view{}, info, member); };
  above(FieldInfo{"study", "1", "name of the study"}, s.study);
  above(name_field(
            "model",
            "what a trial is: a whole OptINC chip, what it tolerates, a cascade of five, a chip over time, one "
            "mesh, or a model trained through chips",
            model_names()),
        s.model);
  above(
      name_field("figures", "figures that tell the result; none named: all there is data for", figure_names()),
      s.figures);
  section("run", s.run);
  section("runner", s.runner);
  section("measure", s.measure);
  section("yield", s.yield);
  section("task", s.task);
  section("network", s.network);
  section("training", s.training);
  section("chip", s.chip);
  section("calibration", s.calibration);
  section("crosstalk", s.crosstalk);
  section("operation", s.operation);
  section("link", s.link);
  section("noise", s.noise);
  section("stand_in", s.stand_in);
  section("tolerance", s.tolerance);
  section("mesh", s.mesh);
  section("drift", s.drift);
  section("budget", s.budget);
  section("gradient", s.gradient);
  section("learner", s.learner);
}

}  // namespace optinc
