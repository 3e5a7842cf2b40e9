#pragma once

#include "experiments/study/study_config.hpp"
#include "experiments/study/study_names.hpp"
#include "physics/mesh/blocks.hpp"

// Field tables of sections: what is run, how long, and what each model of trial asks for besides.

namespace optinc {

template <Like<RunSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  // 2^53: exact in every tool that reads numbers as doubles (JSON, MATLAB)
  visit(FieldInfo{"seed", "1", "Seed of all random number streams", 0, 9007199254740992.0}, s.seed);
  visit(how_to_run({"threads", "1", "Number of threads; 0: all cores; results do not depend on it", 0, 4096}),
        s.threads);
  visit(how_to_run({"time_limit_s", "s",
                    "Time after which no new trial starts; 0: no limit (optinc resume continues the run)", 0,
                    1e9}),
        s.time_limit_s);
}

template <Like<RunnerSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"trials", "1", "Trials (chips, meshes or training runs) per sweep point", 1, 100000000},
        s.trials);
  visit(
      FieldInfo{
          "precision", "1",
          "Stop a sweep point as soon as the 95 % confidence interval of the mean of precision_metric has this "
          "relative width; 0: run all trials",
          0, 1},
      s.precision);
  visit(name_field("precision_metric",
                   "Metric whose mean must be known to runner.precision, in every variant and layer",
                   metric_or_none_names()),
        s.precision_metric);
}

template <Like<MeasureSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(name_field("metrics", "Metrics recorded in every trial; empty list: all metrics of the model",
                   metric_names()),
        s.metrics);
  visit(name_field("variants",
                   "Ways to program and operate the device (see optinc list); empty list: the default variants "
                   "of the model",
                   variant_names()),
        s.variants);
  visit(
      FieldInfo{
          "words", "word",
          "Random input words per trial (per instant in model drift, per channel in model comb); 0: every word "
          "of the task",
          0, 100000000},
      s.words);
  visit_enum(visit, "arithmetic",
             "Numbers in which light is followed from unit P to the servers; float32 is faster and decides "
             "only words at a threshold differently",
             s.arithmetic);
  visit(name_field(
            "once",
            "One-off measurements of a chip of every network with the values before sweeps, made after all "
            "trials: eye diagram (eye), averaged gradient (gradient), parts, losses and watts (cost)",
            once_names()),
        s.once);
}

template <Like<YieldSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  static constexpr std::string_view senses[] = {"at-least", "at-most"};
  visit(name_field("metric", "Metric of the yield specification; none: no yield is computed",
                   metric_or_none_names()),
        s.metric);
  visit(name_field("sense", "Whether a trial passes if its metric is at least or at most the limit", senses),
        s.sense);
  visit(FieldInfo{"limit", "1", "Limit of the yield specification, in the unit of its metric"}, s.limit);
}

template <Like<StandInSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"relative_error", "1",
                  "Gaussian weight noise in variant stand-in: relative Frobenius error of every orthogonal "
                  "matrix U, redrawn for every trial",
                  0, 0.9, "1e-2 to 1e-1"},
        s.relative_error);
}

template <Like<ToleranceSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"key", "1",
                  "Parameter to worsen until the chip makes an error: a numeric key such as "
                  "chip.sigma_eta_rad, or chip for a factor on all errors of [chip] except the DAC"},
        s.key);
  visit(FieldInfo{"gentle", "1", "Mild end of the search range, in the unit of tolerance.key"}, s.gentle);
  visit(FieldInfo{"harsh", "1",
                  "Severe end of the search range, in the unit of tolerance.key; below gentle if smaller "
                  "values are worse"},
        s.harsh);
  visit(FieldInfo{"steps", "1", "Bisection steps in the search range; logarithmic if both ends are positive", 1,
                  40},
        s.steps);
}

template <Like<MeshSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"ports", "1", "Number of ports of the mesh", 2, 1024}, s.ports);
  visit(may_be_file(
            {"target", "1",
             "Target matrix: unitary or orthogonal (Haar-random, new per trial), or a file (.csv, .h5, .sNp)"}),
        s.target);
  visit(FieldInfo{"nearest_unitary", "1",
                  "Whether a matrix in the target file that is not unitary is replaced by the nearest unitary "
                  "matrix, its polar factor"},
        s.nearest_unitary);
  visit(may_be_file({"measured", "1",
                     "Measured errors of the mesh: none, or a file (.csv, .npy, .npz, one row per MZI) with columns "
                     "column, upper, and any of alpha_rad, beta_rad, theta_offset_rad, phi_offset_rad, "
                     "theta_arm_loss_db, theta_other_loss_db, phi_arm_loss_db, phi_other_loss_db (of the arms with "
                     "and without heater), or mzi_loss_db in place of all four, theta_pi_power_w, phi_pi_power_w; "
                     "[chip] then draws how far the truth lies from them"}),
        s.measured);
  visit(may_be_file(
            {"measured_crosstalk", "1",
             "Measured thermal crosstalk of the mesh: none, or the file of a square matrix (.csv, .npy, "
             ".npz) in rad at the receiver (row) per rad of the giver (column): theta of every MZI, phi of "
             "every MZI, output phases"}),
        s.measured_crosstalk);
  visit(name_field(
            "kind",
            "MZI type: standard, real (for real matrices), three-splitter, or balanced (with balanced phases)",
            names_of<MziKind>()),
        s.kind);
  visit(name_field("topology", "Mesh topology: rectangular (clements) or triangular (reck)",
                   mesh_topology_names()),
        s.topology);
  visit(switched_off(
            "common phase",
            FieldInfo{"sigma_common_rad", "rad",
                      "RMS phase error common to both outputs of an MZI; unknown to calibration and correction",
                      0, 1}),
        s.sigma_common_rad);
}

template <Like<CombSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(odd({"channels", "1",
             "Number of wavelength channels, an odd number: the chip is calibrated at the middle one", 1, 1001}),
        s.channels);
  visit(FieldInfo{"spacing_hz", "Hz", "Frequency spacing of neighbouring channels", 1e6, 1e13,
                  "ITU-T G.694.1: 12.5e9 to 100e9"},
        s.spacing_hz);
  visit(
      FieldInfo{"wrong_limit", "1",
                "Largest fraction of its drawn words that a channel may decode wrong and still count as right",
                0, 1, "0: every drawn word must be right"},
      s.wrong_limit);
}

template <Like<DriftSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"instants", "1", "Number of simulated instants; the first follows directly after calibration",
                  2, 2047},
        s.instants);
  visit(FieldInfo{"interval_s", "s", "Time between two instants", 1e-6, 1e7}, s.interval_s);
  visit(FieldInfo{"recalibrate_s", "s", "Time between calibrations (variant recalibrated)", 1e-6, 1e12},
        s.recalibrate_s);
  visit(FieldInfo{"warm_up_s", "s", "Time from switching on the heaters to the first calibration", 0, 1e7},
        s.warm_up_s);
  visit(switched_off("ambient ramp",
                     FieldInfo{"ramp_k_per_s", "K/s", "Linear drift rate of the ambient temperature", -10, 10}),
        s.ramp_k_per_s);
  visit(
      switched_off("ambient swing", FieldInfo{"sine_k", "K", "Amplitude of the sinusoidal ambient temperature",
                                              0, 100, "0.1 to 2 K"}),
      s.sine_k);
  visit(FieldInfo{"sine_period_s", "s", "Period of the sinusoidal ambient temperature", 1e-6, 1e9,
                  "10 to 1000 s"},
        s.sine_period_s);
  visit(switched_off("ambient noise",
                     FieldInfo{"ou_k", "K",
                               "RMS of the random ambient temperature (Ornstein-Uhlenbeck process)", 0, 100}),
        s.ou_k);
  visit(FieldInfo{"ou_time_s", "s", "Correlation time of the random ambient temperature", 1e-6, 1e9},
        s.ou_time_s);
  visit(FieldInfo{"controlled", "1",
                  "Fraction of die-temperature changes that a temperature controller removes", 0, 1},
        s.controlled);
  visit(switched_off("laser drift", FieldInfo{"laser_m", "m", "RMS drift of the laser wavelength", 0, 1e-7}),
        s.laser_m);
  visit(FieldInfo{"laser_time_s", "s", "Correlation time of the laser wavelength drift", 1e-6, 1e9},
        s.laser_time_s);
  visit(FieldInfo{"imbalance_m", "m", "RMS optical path difference between the two arms of a phase shifter", 0,
                  1e-3},
        s.sensitivity.imbalance_m);
  visit(FieldInfo{"heater_per_k", "1/K", "Relative change of a heater's phase shift with temperature", -0.1,
                  0.1, "constant power: 0; constant voltage: -1e-3 to -2e-3"},
        s.sensitivity.heater_per_k);
  visit(FieldInfo{"splitter_rad_per_m", "rad/m", "Change of every splitter angle with wavelength", -1e8, 1e8,
                  "directional coupler: 3e6 to 5e6"},
        s.sensitivity.splitter_rad_per_m);
}

template <Like<BudgetSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(FieldInfo{"control_w_per_shifter", "W", "Power of a DAC channel, one per phase shifter; 0: not counted",
                  0, 10},
        s.control_w_per_shifter);
}

template <Like<GradientSettings> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  visit(may_be_file(
            {"data", "1", "Folder with the IDX files of the data set", 0, 0, "Debian: dataset-fashion-mnist"}),
        s.data);
  visit(FieldInfo{"hidden", "neuron", "Hidden neurons of the classifier", 1, 65536}, s.hidden);
  visit(FieldInfo{"batch", "image", "Global batch size, divided equally among the servers", 1, 1048576},
        s.batch);
  visit(FieldInfo{"epochs", "1", "Passes over the training images", 1, 10000}, s.epochs);
  visit(FieldInfo{"learning_rate", "1", "Learning rate of gradient descent", 0, 100}, s.learning_rate);
  visit(FieldInfo{"momentum", "1", "Momentum of gradient descent", 0, 0.9999}, s.momentum);
  visit(FieldInfo{"block", "gradient", "Gradient elements that share one scale", 1, 1048576,
                  "1024 with 32-bit scales: 0.39 % overhead"},
        s.block);
}

}  // namespace optinc
