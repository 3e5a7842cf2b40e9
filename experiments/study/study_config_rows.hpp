#pragma once

#include <type_traits>

#include "experiments/study/study_config.hpp"
#include "experiments/study/study_names.hpp"
#include "onn/link/noise_rows.hpp"
#include "physics/core/rows.hpp"
#include "physics/mesh/blocks.hpp"

// Rows of sections that physics and onn do not know: what is run, how long, and what each model of trial asks
// for besides.

namespace optinc {

template <Like<RunSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  // 2^53: exact in every tool that reads numbers as doubles (JSON, MATLAB)
  visit(Row{"seed", "1", "Seed of all random number streams", 0, 9007199254740992.0}, s.seed);
  visit(how_to_run({"threads", "1", "Number of threads; 0: all cores; results do not depend on it", 0, 4096}),
        s.threads);
  visit(how_to_run({"time_limit_s", "s",
                    "Time after which no new trial starts; 0: no limit (optinc resume continues the run)", 0,
                    1e9}),
        s.time_limit_s);
}

template <Like<RunnerSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"trials", "1", "Trials (chips, meshes or training runs) per sweep point", 1, 100000000}, s.trials);
  visit(
      Row{"precision", "1",
          "Stop a sweep point as soon as the 95 % confidence interval of the mean of precision_metric has this "
          "relative width; 0: run all trials",
          0, 1},
      s.precision);
  visit(name_row("precision_metric",
                 "Metric whose mean must be known to runner.precision, in every variant and layer",
                 metric_or_none_names()),
        s.precision_metric);
}

template <Like<MeasureSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(name_row("metrics", "Metrics recorded in every trial; empty list: all metrics of the model",
                 metric_names()),
        s.metrics);
  visit(name_row("variants",
                 "Ways to program and operate the device (see optinc list); empty list: the default variants "
                 "of the model",
                 variant_names()),
        s.variants);
  visit(
      Row{"words", "word",
          "Random input words per trial (per instant in model drift, per channel in model comb); 0: every word "
          "of the task",
          0, 100000000},
      s.words);
  visit_enum(visit, "arithmetic",
             "Numbers in which light is followed from unit P to the servers; float32 is faster and decides "
             "only words at a threshold differently",
             s.arithmetic);
  visit(
      name_row("once",
               "One-off measurements of a chip of every network with the values before sweeps, made after all "
               "trials: eye diagram (eye), averaged gradient (gradient), parts, losses and watts (cost)",
               once_names()),
      s.once);
}

template <Like<YieldSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  static constexpr std::string_view senses[] = {"at-least", "at-most"};
  visit(name_row("metric", "Metric of the yield specification; none: no yield is computed",
                 metric_or_none_names()),
        s.metric);
  visit(name_row("sense", "Whether a trial passes if its metric is at least or at most the limit", senses),
        s.sense);
  visit(Row{"limit", "1", "Limit of the yield specification, in the unit of its metric"}, s.limit);
}

template <Like<StandInSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"relative_error", "1",
            "Gaussian weight noise in variant stand-in: relative Frobenius error of every orthogonal "
            "matrix U, redrawn for every trial",
            0, 0.9, "1e-2 to 1e-1"},
        s.relative_error);
}

template <Like<ToleranceSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"key", "1",
            "Parameter to worsen until the chip makes an error: a numeric key such as "
            "chip.sigma_eta_rad, or chip for a factor on all errors of [chip] except the DAC"},
        s.key);
  visit(Row{"gentle", "1", "Mild end of the search range, in the unit of tolerance.key"}, s.gentle);
  visit(Row{"harsh", "1",
            "Severe end of the search range, in the unit of tolerance.key; below gentle if smaller "
            "values are worse"},
        s.harsh);
  visit(Row{"steps", "1", "Bisection steps in the search range; logarithmic if both ends are positive", 1, 40},
        s.steps);
}

template <Like<MeshSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"ports", "1", "Number of ports of the mesh", 2, 1024}, s.ports);
  visit(may_be_file(
            {"target", "1",
             "Target matrix: unitary or orthogonal (Haar-random, new per trial), or a file (.csv, .h5, .sNp)"}),
        s.target);
  visit(Row{"nearest_unitary", "1",
            "Whether a matrix in the target file that is not unitary is replaced by the nearest unitary "
            "matrix, its polar factor"},
        s.nearest_unitary);
  visit(may_be_file(
            {"measured", "1",
             "Measured errors of the mesh: none, or a file (.csv, .npy, .npz, one row per MZI) with columns "
             "column, upper, and any of alpha_rad, beta_rad, theta_offset_rad, phi_offset_rad, "
             "theta_arm_loss_db, theta_other_loss_db, phi_arm_loss_db, phi_other_loss_db (of the arms with "
             "and without heater), or mzi_loss_db in place of all four, theta_pi_power_w, phi_pi_power_w; "
             "or the .h5 file of optinc twin; "
             "[chip] then draws how far the truth lies from them"}),
        s.measured);
  visit(may_be_file(
            {"measured_crosstalk", "1",
             "Measured thermal crosstalk of the mesh: none, or the file of a square matrix (.csv, .npy, "
             ".npz) in rad at the receiver (row) per rad of the giver (column): theta of every MZI, phi of "
             "every MZI, output phases"}),
        s.measured_crosstalk);
  visit(name_row(
            "kind",
            "MZI type: standard, real (for real matrices), three-splitter, or balanced (with balanced phases)",
            names_of<MziKind>()),
        s.kind);
  visit(Row{"topology", "1",
            "Mesh topology: rectangular (clements), triangular (reck), or columns of pairs of ports, such as "
            "\"0-1 2-3 | 1-2\", to which phases are fitted"},
        s.topology);
  visit(
      switched_off(
          "common phase",
          Row{"sigma_common_rad", "rad",
              "RMS phase error common to both outputs of an MZI; unknown to calibration and correction", 0, 1}),
      s.sigma_common_rad);
}

template <Like<CombSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(
      odd({"channels", "1",
           "Number of wavelength channels, an odd number: the chip is calibrated at the middle one", 1, 1001}),
      s.channels);
  visit(Row{"spacing_hz", "Hz", "Frequency spacing of neighbouring channels", 1e6, 1e13,
            "ITU-T G.694.1: 12.5e9 to 100e9"},
        s.spacing_hz);
  visit(Row{"wrong_limit", "1",
            "Largest fraction of its drawn words that a channel may decode wrong and still count as right", 0,
            1, "0: every drawn word must be right"},
        s.wrong_limit);
}

template <Like<GradientSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(may_be_file(
            {"data", "1", "Folder with the IDX files of the data set", 0, 0, "Debian: dataset-fashion-mnist"}),
        s.data);
  visit(Row{"hidden", "neuron", "Hidden neurons of the classifier", 1, 65536}, s.hidden);
  visit(Row{"batch", "image", "Global batch size, divided equally among the servers", 1, 1048576}, s.batch);
  visit(Row{"epochs", "1", "Passes over the training images", 1, 10000}, s.epochs);
  visit(Row{"learning_rate", "1", "Learning rate of gradient descent", 0, 100}, s.learning_rate);
  visit(Row{"momentum", "1", "Momentum of gradient descent", 0, 0.9999}, s.momentum);
  visit(Row{"block", "gradient", "Gradient elements that share one scale", 1, 1048576,
            "1024 with 32-bit scales: 0.39 % overhead"},
        s.block);
}

template <Like<MeasuredChipSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(may_be_file(
            {"measured", "1",
             "Measured errors of a whole chip: none, or a chip file (.h5, as optinc fabricate writes it); "
             "the other keys of [chip] then draw how far the truth lies from them"}),
        s.measured);
}

template <Like<NetworkSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(
      may_be_file(
          {"source", "1",
           "Network: trained by the study (train), an adder that is exact by construction "
           "(carry-chain), none, so that servers receive the sums of digits and compute with integers "
           "(digit-sums), none, so that servers receive the sum of codes that are sent as one level each "
           "(analogue-sum), links of PAM4 between electronics that add (ring: server by server; hub: an adder "
           "chip or a switch), shipped/NAME (see optinc list), or a file of optinc train for the same task"}),
      s.source);
  visit(
      may_be_file({"above", "1",
                   "Network of the second cascade level, given as in network.source; same: the network of the "
                   "first level"}),
      s.above);
  visit(may_be_file({"start", "1",
                     "Starting point of training: random (Haar-random matrices), or the network file from "
                     "which training continues; it may be for another number of servers"}),
        s.start);
  visit(Row{"step_width", "1", "Width of a carry step, in units of the integer digit sum (carry-chain only)",
            0.01, 0.99},
        s.carry_chain.step_width);
  visit(Row{"step_level", "digit", "Distance between the two output levels of a carry step (carry-chain only)",
            0.01, 100},
        s.carry_chain.step_level);
  visit_enum(visit, "carries",
             "Carry propagation in a carry-chain: digit by digit (ripple), or by parallel prefix (lookahead)",
             s.carry_chain.carries);
  visit(
      Row{"hidden", "neuron", "Hidden-layer widths of a network to train; a network from a file keeps its own",
          1, 4096, "published OptINC: 64, 128, 256, 128, 64"},
      s.hidden);
}

/// Sets of parts, and "custom" for parts that no set has.
inline std::span<const std::string_view> parts_choices() {
  static const std::vector<std::string_view> names = names_or_custom(parts_set_names());
  return names;
}

template <Like<PartsSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"set", "1",
            "Parts of the unit: of publications (published), or those of 1.0.0-rc.1, with no limit of current, "
            "1 pJ a "
            "symbol, any light and equal fibres (idealised); single parts and keys override it",
            0, 0, "custom: no set, every part is named explicitly", parts_choices()},
        s.set);
}

template <Like<NoiseSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"set", "1",
            "Named set of noise, which acts in variant noisy, and in all variants with drift: receivers and "
            "locks alone (receivers), or also modulators of 28 dB "
            "extinction, levels of RLM 0.97, combiner weights off by 1 % and oscillators off by 0.05 rad "
            "(full); keys set explicitly override it",
            0, 0, "custom: no set, every key is set explicitly", noise_set_names()},
        s.set);
  using Switches = std::conditional_t<std::is_const_v<S>, const NoiseSwitches, NoiseSwitches>;
  visit_rows(static_cast<Switches&>(s), visit);
}

}  // namespace optinc
