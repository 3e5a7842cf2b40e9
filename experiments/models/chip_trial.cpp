#include "experiments/models/chip_trial.hpp"

#include <cmath>
#include <memory>
#include <optional>

#include "experiments/models/chip_study.hpp"
#include "experiments/models/operated_chip.hpp"
#include "experiments/models/recorder.hpp"
#include "experiments/models/trial_model.hpp"
#include "onn/link/readout.hpp"
#include "onn/link/unit_p.hpp"
#include "onn/network/weight_noise.hpp"
#include "onn/task/words.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// What the received outputs of the drawn words say.
void record_words(const Recorder& record, std::size_t v, const Task& task, const Eigen::MatrixXd& outputs,
                  const Eigen::MatrixXd& ideal, const Codes& codes) {
  const auto answers = exact_answers(task, codes);
  const Eigen::VectorXd error = decide(outputs).cast<double>() - answers.cast<double>();
  record.put("word_accuracy", v, (error.array() == 0.0).cast<double>().mean());
  const Eigen::MatrixXd digits = digits_of(answers, task.output_digits());
  record.put("margin", v, score(outputs, digits).margin);
  record.put(
      "digit_error_rate", v,
      (digits_of(decide(outputs), task.output_digits()).array() != digits.array()).cast<double>().mean());
  record.put("output_error", v, std::sqrt((outputs - ideal).array().square().mean()));
  record.put("code_bias", v, error.mean());
  record.put("code_error_rms", v, std::sqrt(error.array().square().mean()));
  const auto counts = record.cells("code_error_count", v);
  if (counts.empty()) return;
  std::fill(counts.begin(), counts.end(), 0.0);
  for (const double e : error) counts[static_cast<std::size_t>(e + (task.codes() - 1))] += 1.0;
}

void record_chip(const Recorder& record, std::size_t v, const ChipState& state) {
  record.put("clipped", v, state.clipped);
  const auto error = record.cells("matrix_error", v), in_phase = record.cells("matrix_error_in_phase", v);
  for (std::size_t l = 0; l < std::min(error.size(), state.layers.size()); ++l)
    error[l] = state.layers[l].matrix_error;
  for (std::size_t l = 0; l < std::min(in_phase.size(), state.layers.size()); ++l)
    in_phase[l] = state.layers[l].matrix_error_in_phase;
}

/// What the servers' receivers alone would do to these words.
void record_readout(const Recorder& record, std::size_t v, const LitUnit& unit, const Codes& codes,
                    const TransmissionSeed& seed) {
  const ChipDesign& design = unit.design;
  const WeakestDigit weakest = weakest_digit(unit);
  record.put("received_power", v, weakest.power_w);
  record.put("weakest_digit", v, static_cast<double>(weakest.digit));
  const auto at_receivers = record.cells("receiver_power", v);
  const std::vector<double> powers = receiver_powers_w(unit);
  std::copy_n(powers.begin(), std::min(at_receivers.size(), powers.size()), at_receivers.begin());
  record.put("pam4_error_rate", v, pam4_error_rate(unit));
  if (record.cells("readout_error_rate", v).empty()) return;
  const Eigen::MatrixXd clean = transmit({design, unit.chip, unit.hardware}, codes, seed);
  record.put("readout_error_rate", v,
             readout_error_rate(unit, clean,
                                digits_of(exact_answers(design.task, codes), design.task.output_digits())));
}

void run_chip(const ChipStudy& study, const StudyConfig& config, std::uint32_t trial, std::span<double> cells) {
  const std::size_t number = network_number(study.networks, config);
  const Network& network = study.networks[number].network;
  const ChipDesign& design = study.designs[number];
  const Recorder record(study.layout, cells);
  const auto words = drawn_words(config, trial);
  const Codes codes = codes_of_words(design.task, words);
  const Eigen::MatrixXd ideal = forward(network, digit_averages(design.task, codes));
  const CalibratedChip chip = calibrated_chip(design, config, trial);
  std::array<std::optional<LitChip>, 2> chips;  // by Programming: variants share what they can
  for (std::size_t v = 0; v < study.variants.size(); ++v) {
    if (study.variants[v] == "stand-in") {
      const Network met = with_matrix_errors(network, config.stand_in.relative_error,
                                             dark_digit(config.hardware.link), config.run.seed, trial);
      record_words(record, v, design.task, forward(met, digit_averages(design.task, codes)), ideal, codes);
      continue;
    }
    const ChipVariant variant = chip_variant(study.variants[v]);
    auto& lit = chips[variant.programming == Programming::corrected ? 1 : 0];
    if (!lit) lit = chip_in_operation(design, config, chip, trial, variant.programming);
    const LitUnit unit = {*lit->design, lit->state, config.hardware, noise_in(variant, config)};
    const auto send = [&](const Codes& what) { return transmit(unit, what, {config.run.seed, trial, 0}); };
    record_words(record, v, design.task, send(codes), ideal, codes);
    record_chip(record, v, lit->state);
    record_readout(record, v, unit, codes, {config.run.seed, trial, 0});
    if (trial == 0 && study.layout.find("word_accuracy_all_words") != nullptr)
      record.put("word_accuracy_all_words", v,
                 share_right(design.task, send(study.all_codes), study.all_codes));
  }
}

}  // namespace

ChipVariant chip_variant(std::string_view name) {
  return {name == "uncorrected" ? Programming::uncorrected : Programming::corrected, name == "noisy"};
}

double share_right(const Task& task, const Eigen::MatrixXd& outputs, const Codes& codes) {
  return (decide(outputs).array() == exact_answers(task, codes).array()).cast<double>().mean();
}

NoiseSwitches noise_in(const ChipVariant& variant, const StudyConfig& config) {
  return variant.noisy ? config.noise : NoiseSwitches{};
}

std::vector<std::uint64_t> drawn_words(const StudyConfig& config, std::uint32_t trial, std::uint32_t instant) {
  if (config.measure.words == 0) return evaluation_words(config.task);
  Stream stream(config.run.seed, Purpose::words, trial, instant);
  return draw_words(config.task, static_cast<std::size_t>(config.measure.words), stream);
}

Eigen::MatrixXd all_word_outputs(const ChipDesign& design, const StudyConfig& config,
                                 const ChipVariant& variant) {
  const LitChip chip =
      chip_in_operation(design, config, calibrated_chip(design, config, 0), 0, variant.programming);
  return transmit({*chip.design, chip.state, config.hardware, noise_in(variant, config)},
                  codes_of_words(design.task, evaluation_words(design.task)), {config.run.seed, 0, 0});
}

TrialModel chip_model(const StudyConfig& config, const Networks& networks) {
  const auto study = chip_study(config, networks);
  TrialModel model = study->layout;
  model.run = [study](const StudyConfig& at_point, std::uint32_t trial, std::span<double> record) {
    run_chip(*study, at_point, trial, record);
  };
  return model;
}

}  // namespace optinc
