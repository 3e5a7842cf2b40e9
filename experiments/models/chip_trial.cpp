#include "experiments/models/chip_trial.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "experiments/files/chips/chip_file.hpp"
#include "experiments/files/chips/matrix_file.hpp"
#include "experiments/models/built_in_models.hpp"
#include "experiments/models/chip_memory.hpp"
#include "experiments/models/chip_study.hpp"
#include "experiments/models/operated_chip.hpp"
#include "experiments/models/recorder.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/study/study_parts.hpp"
#include "onn/link/average.hpp"
#include "onn/link/readout.hpp"
#include "onn/link/unit_p.hpp"
#include "onn/network/weight_noise.hpp"
#include "onn/task/words.hpp"
#include "physics/core/check.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// What the received outputs of the drawn words say, and the answers that a server has in the end.
void record_words(const Recorder& record, std::size_t v, const Task& task, const Eigen::MatrixXd& outputs,
                  const CodeVector& answers, const Eigen::MatrixXd& ideal, const Codes& codes) {
  const Eigen::VectorXd error = answers.cast<double>() - exact_answers(task, codes).cast<double>();
  record.put("word_accuracy", v, (error.array() == 0.0).cast<double>().mean());
  const Eigen::MatrixXd wanted = exact_outputs(task, codes);
  record.put("margin", v, score(outputs, wanted, task.level_spacing()).margin);
  record.put("digit_error_rate", v,
             ((decided_levels(task, outputs) - wanted).array().abs() > task.level_spacing() / 2)
                 .cast<double>()
                 .mean());
  record.put("output_error", v, std::sqrt((outputs - ideal).array().square().mean()));
  record.put("code_bias", v, error.mean() * task.answer_step());
  record.put("code_error_rms", v, std::sqrt(error.array().square().mean()) * task.answer_step());
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
  const Eigen::MatrixXd clean = transmit({design, unit.chip, unit.hardware, {}, unit.arithmetic}, codes, seed);
  record.put("readout_error_rate", v, readout_error_rate(unit, clean, exact_outputs(design.task, codes)));
}

void run_chip(const ChipStudy& study, const StudyConfig& config, std::uint32_t trial, std::span<double> cells) {
  const std::size_t number = network_number(study.networks, config);
  const Network& network = study.networks[number].network;
  const ChipDesign& design = study.designs[number];
  const Recorder record(study.layout, cells);
  const auto words = drawn_words(config, trial);
  const Codes codes = codes_of_words(design.task, words);
  const Eigen::MatrixXd ideal = error_free_outputs(study, number, words);
  const CalibratedChip chip = calibrated_chip(design, config, trial, 0, study.foundry);
  std::array<std::optional<LitChip>, 2> chips;  // by Programming: variants share what they can
  for (std::size_t v = 0; v < study.variants.size(); ++v) {
    if (study.variants[v] == "stand-in") {
      const Network met = with_matrix_errors(network, config.stand_in.relative_error,
                                             dark_digit(config.hardware.link), config.run.seed, trial);
      const Eigen::MatrixXd outputs = forward(met, digit_averages(design.task, codes));
      record_words(record, v, design.task, outputs, decide(design.task, outputs), ideal, codes);
      continue;
    }
    const ChipVariant variant = chip_variant(study.variants[v]);
    auto& lit = chips[variant.programming == Programming::corrected ? 1 : 0];
    if (!lit) lit = chip_in_operation(design, config, chip, trial, variant.programming);
    const LitUnit unit = {*lit->design, lit->state, config.hardware, noise_in(variant, config),
                          config.measure.arithmetic};
    const TransmissionSeed seed = {config.run.seed, trial, 0};
    const Eigen::MatrixXd outputs = transmit(unit, codes, seed);
    record_words(record, v, design.task, outputs,
                 checked_block(design.task, config.hardware) > 0
                     ? average_codes(unit, codes, seed)
                     : passed_on(unit, decide(design.task, outputs), seed),
                 ideal, codes);
    record_chip(record, v, lit->state);
    record_readout(record, v, unit, codes, seed);
    if (trial == 0 && study.layout.find("word_accuracy_all_words") != nullptr) {
      const Codes all = codes_of_words(design.task, judged_words(config));
      record.put("word_accuracy_all_words", v, share_right(design.task, average_codes(unit, all, seed), all));
    }
  }
}

/// Places in the enumeration of the judged words, in the order in which these are sent.
std::vector<std::size_t> sending_order(const StudyConfig& config, std::size_t words) {
  std::vector<std::size_t> order(words);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (config.hardware.timing.sampling == Sampling::settled) return order;
  Stream stream(config.run.seed, Purpose::words);
  for (std::size_t left = words; left > 1; --left)
    std::swap(order[left - 1], order[stream.below(static_cast<std::uint32_t>(left))]);
  return order;
}

std::vector<std::uint64_t> in_order(const std::vector<std::uint64_t>& words,
                                    const std::vector<std::size_t>& order) {
  std::vector<std::uint64_t> sent;
  for (const std::size_t i : order) sent.push_back(words[i]);
  return sent;
}

}  // namespace

ChipVariant chip_variant(std::string_view name) {
  return {name == "uncorrected" ? Programming::uncorrected : Programming::corrected, name == "noisy"};
}

double share_right(const Task& task, const CodeVector& answers, const Codes& codes, std::uint32_t instant) {
  return (answers.array() == exact_answers(task, codes, instant).array()).cast<double>().mean();
}

NoiseSwitches noise_in(const ChipVariant& variant, const StudyConfig& config) {
  return variant.noisy ? NoiseSwitches(config.noise) : NoiseSwitches{};
}

std::vector<std::uint64_t> judged_words(const StudyConfig& config) {
  const std::vector<std::uint64_t> words = evaluation_words(config.task);
  return in_order(words, sending_order(config, words.size()));
}

std::vector<std::uint64_t> drawn_words(const StudyConfig& config, std::uint32_t trial, std::uint32_t instant) {
  if (config.measure.words == 0) return judged_words(config);
  Stream stream(config.run.seed, Purpose::words, trial, instant);
  return draw_words(config.task, static_cast<std::size_t>(config.measure.words), stream);
}

Eigen::MatrixXd all_word_outputs(const ChipDesign& design, const StudyConfig& config,
                                 const ChipVariant& variant, const Foundry& foundry) {
  const LitChip chip =
      chip_in_operation(design, config, calibrated_chip(design, config, 0, 0, foundry), 0, variant.programming);
  const std::vector<std::uint64_t> words = evaluation_words(design.task);
  const std::vector<std::size_t> order = sending_order(config, words.size());
  const Eigen::MatrixXd sent = transmit(
      {*chip.design, chip.state, config.hardware, noise_in(variant, config), config.measure.arithmetic},
      codes_of_words(design.task, in_order(words, order)), {config.run.seed, 0, 0});
  Eigen::MatrixXd outputs(sent.rows(), sent.cols());
  for (std::size_t i = 0; i < order.size(); ++i)
    outputs.col(static_cast<Eigen::Index>(order[i])) = sent.col(static_cast<Eigen::Index>(i));
  return outputs;
}

TrialModel chip_model(const StudyConfig& config, const Networks& networks, const Foundry& foundry) {
  return model_of_chips(config, networks, foundry, run_chip);
}

namespace {

/// The histogram of a chip counts the errors of a code one by one.
void require_histogram(const StudyConfig& config) {
  validate(config.task.answer_digits() <= 9,
           "task.bits = {} in trials of model chip (at most 16: its histogram has a cell for every error of a "
           "code). Choose 16, or ask optinc check-network, budget, compare-costs.",
           config.task.bits());
}

std::vector<ModelAxis> chip_axes(const StudyConfig& config, std::size_t layers) {
  const auto counted = [](std::int64_t from, std::int64_t to) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(to - from));
    std::iota(numbers.begin(), numbers.end(), from);
    return numbers;
  };
  const std::int64_t codes = config.task.codes();
  return {{"layer", "1", "layer of the network", counted(0, static_cast<std::int64_t>(layers))},
          {"code_error", "LSB", "decoded code minus exact Q(mean)", counted(1 - codes, codes)}};
}

/// Keys and sections that only the cost reads.
constexpr std::array<std::string_view, 8> of_cost = {"heater",
                                                     "budget",
                                                     "laser.wall_plug_efficiency",
                                                     "receiver.supply_power_w",
                                                     "modulator.loss_db",
                                                     "waveguide.delay_line_pitch_m",
                                                     "layout.modulator_area_m2",
                                                     "layout.receiver_area_m2"};

std::vector<std::string_view> read_keys() {
  std::vector<std::string_view> keys = chip_keys({"measure.once", "stand_in", "gradient", "owner"});
  keys.insert(keys.end(), of_cost.begin(), of_cost.end());
  return keys;
}

/// Warns of those that are set where no cost is asked for.
std::vector<StudyWarning> idle_costs(const StudyConfig& config) {
  std::vector<StudyWarning> idle;
  if (std::ranges::find(config.measure.once, "cost") != config.measure.once.end()) return idle;
  const auto entries = config_entries(config), defaults = entries_of_parts(config);
  const auto costs = [](std::string_view key) { return std::ranges::find(of_cost, key) != of_cost.end(); };
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].value != defaults[i].value && (costs(entries[i].section) || costs(entries[i].name())))
      idle.push_back({entries[i].name(), "changes nothing without measure.once = [\"cost\"]", "model"});
  return idle;
}

}  // namespace

void write_words(const Group& group, const Task& task, const std::vector<std::uint64_t>& words,
                 const Codes& codes, const Eigen::MatrixXd& outputs) {
  group.counting_dimension("word", words.size(), "word sent");
  group.counting_dimension("digit", static_cast<std::size_t>(task.output_digits()),
                           "digit position, most significant first");
  const auto answers = exact_answers(task, codes), decoded = decide(task, outputs);
  group.dataset("number", {"word"}, std::vector<std::int64_t>(words.begin(), words.end()), "1",
                "number of the word in the enumeration of the task");
  group.dataset("wanted", {"word"}, std::vector<std::int64_t>(answers.begin(), answers.end()), "1",
                "exact Q(mean)");
  group.dataset("decoded", {"word"}, std::vector<std::int64_t>(decoded.begin(), decoded.end()), "1",
                "code received");
  group.dataset("outputs", {"word", "digit"},
                std::vector<double>(outputs.data(), outputs.data() + outputs.size()), "digit",
                "received output level");
}

void write_chip_trial(const Group& root, const StudyConfig& config, const StudyInputs& inputs,
                      std::uint32_t trial) {
  const Networks& networks = inputs.networks;
  const ChipDesign design = design_chip(networks[network_number(networks, config)].network);
  const CalibratedChip chip = calibrated_chip(design, config, trial, 0, Foundry(inputs.chips));
  const auto words = drawn_words(config, trial);
  const Codes codes = codes_of_words(config.task, words);
  save_chip(root.group("chip"), with_phase_noise(chip.errors, config.chip, config.run.seed, trial),
            config.chip);
  for (const std::string& name : measured_variants(config)) {
    const ChipVariant variant = chip_variant(name);
    const LitChip lit = chip_in_operation(design, config, chip, trial, variant.programming);
    const Group group = root.group(name);
    for (std::size_t l = 0; l < lit.state.layers.size(); ++l)
      save_matrix(group.group(fmt::format("layer{}", l)), lit.state.layers[l].transfer);
    write_words(group.group("words"), config.task, words, codes,
                transmit({*lit.design, lit.state, config.hardware, noise_in(variant, config),
                          config.measure.arithmetic},
                         codes, {config.run.seed, trial, 0}));
  }
}

StudyModel chip_study_model() {
  return {
      .name = "chip",
      .simulates = "one OptINC chip",
      .trial = "chip",
      .list = "chips",
      .metrics = {{"word_accuracy", "1", "Fraction of the drawn words decoded exactly", "share of words right",
                   Better::higher, MetricKind::share, "words wrong"},
                  {"word_accuracy_all_words",
                   "1",
                   "Fraction of all words decoded exactly; trial 0 only",
                   "share of all words right",
                   Better::higher,
                   MetricKind::share,
                   "words wrong, of all",
                   {"variant"},
                   true},
                  {"digit_error_rate", "1", "Fraction of the drawn words' digits decoded wrongly",
                   "digit error rate", Better::lower, MetricKind::share},
                  {"readout_error_rate", "1",
                   "Digit error rate predicted from the noise-free received levels and the noise of the "
                   "servers' receivers",
                   "predicted digit error rate", Better::lower, MetricKind::share},
                  {"pam4_error_rate", "1", "Digit error rate predicted by the PAM4 formula for ideal levels",
                   "digit error rate by the PAM4 formula", Better::lower, MetricKind::share},
                  {"received_power", "W", "Signal power at a server's receiver for digit 3, weakest digit",
                   "power of the weakest digit", Better::higher},
                  {"margin", "digit",
                   "Smallest decision margin of the drawn words: 0.5 - max |y - d| for output y and correct "
                   "digit d",
                   "least margin of a word", Better::higher},
                  {"output_error", "digit",
                   "RMS deviation of the outputs from those of the error-free float64 network",
                   "rms error of the outputs", Better::lower},
                  {"code_bias", "LSB", "Mean code error over the drawn words", "mean code error"},
                  {"code_error_rms", "LSB", "RMS code error over the drawn words", "rms code error",
                   Better::lower},
                  {"clipped", "1", "Number of MZIs that cannot reach their target bar power", "clipped MZIs",
                   Better::lower},
                  {"weakest_digit", "1",
                   "Digit of the answer with the least signal power at a server (0: most significant)",
                   "weakest digit"},
                  {"receiver_power",
                   "W",
                   "Signal power at the layer's receivers for its largest output (servers: digit 3)",
                   "power at the layer's receivers",
                   Better::higher,
                   MetricKind::number,
                   {},
                   {"variant", "layer"}},
                  {"matrix_error",
                   "1",
                   "Relative error of the layer's matrix (Frobenius norm)",
                   "relative error of the layer",
                   Better::lower,
                   MetricKind::number,
                   {},
                   {"variant", "layer"}},
                  {"matrix_error_in_phase",
                   "1",
                   "Relative error of the real part of the layer's matrix",
                   "relative layer error in phase",
                   Better::lower,
                   MetricKind::number,
                   {},
                   {"variant", "layer"}},
                  {"code_error_count",
                   "1",
                   "Number of drawn words with this code error",
                   "words with this code error",
                   Better::neither,
                   MetricKind::counts,
                   {},
                   {"variant", "code_error"}}},
      .variants = {{"uncorrected"}, {"corrected_quadrature"}, {"noisy"}, {"stand-in", true}},
      .error_metric = "output_error",
      .reads = read_keys(),
      .require_records = require_histogram,
      .study_warnings = idle_costs,
      .networks = own_network,
      .axes = chip_axes,
      .make =
          [](const StudyConfig& config, const StudyInputs& inputs, const std::filesystem::path&) {
            return chip_model(config, inputs.networks, Foundry(inputs.chips));
          },
      .memory_bytes = chip_memory_bytes,
      .write_trial = write_chip_trial};
}

}  // namespace optinc
