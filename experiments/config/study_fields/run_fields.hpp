#pragma once

#include "experiments/config/study_config.hpp"
#include "experiments/config/study_names.hpp"
#include "onn/budget/schedule.hpp"
#include "physics/mesh/blocks.hpp"

// Field tables of sections: what is run, how long, and what each model of trial asks for besides.

namespace optinc {

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
  visit(FieldInfo{"ports", "1", "ports of the mesh of model mesh", 2, 1024}, s.ports);
  visit(
      FieldInfo{
          "target", "1",
          "matrix of the mesh: unitary or orthogonal, Haar-distributed, one a trial; or a file's (.csv, .h5, "
          ".sNp)"},
      s.target);
  visit(
      name_field("kind",
                 "MZIs of the mesh: plain, real-preserving, with a third splitter, or that one phase-balanced",
                 names_of<MziKind>()),
      s.kind);
  visit(name_field("topology", "wiring of the mesh: rectangle or triangle", mesh_topology_names()), s.topology);
  visit(switched_off("common phase",
                     FieldInfo{"sigma_common_rad", "rad",
                               "rms phase offset of every MZI as a whole, which no correction knows", 0, 1}),
        s.sigma_common_rad);
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
                   names_of<Skew>()),
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

}  // namespace optinc
