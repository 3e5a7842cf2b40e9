#include "experiments/models/cascade_trial.hpp"

#include <cmath>
#include <memory>

#include "experiments/models/built_in_models.hpp"
#include "experiments/models/chip_memory.hpp"
#include "experiments/models/chip_study.hpp"
#include "experiments/models/chip_trial.hpp"
#include "experiments/models/operated_chip.hpp"
#include "experiments/models/recorder.hpp"
#include "experiments/models/trial_model.hpp"
#include "onn/link/average.hpp"
#include "physics/core/check.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

using Answers = Eigen::Matrix<std::uint32_t, Eigen::Dynamic, 1>;

struct CascadeStudy {
  Networks networks;
  std::vector<ChipDesign> designs;  ///< of the networks
  std::vector<std::string> variants;
  TrialModel layout;
  Foundry foundry;
};

/// Fabricates, calibrates and operates chip `number` of a level and decides what it makes of the codes.
Answers sent_through(const Foundry& foundry, const ChipDesign& design, const StudyConfig& config,
                     const ChipVariant& variant, std::uint32_t number, const Codes& codes) {
  const LitChip lit = chip_in_operation(design, config, calibrated_chip(design, config, number, 0, foundry),
                                        number, variant.programming);
  return average_codes(
      {*lit.design, lit.state, config.hardware, noise_in(variant, config), config.measure.arithmetic}, codes,
      {config.run.seed, number, 0});
}

double share_equal(const Answers& a, const Answers& b) {
  return (a.array() == b.array()).cast<double>().mean();
}

void run_cascade(const CascadeStudy& study, const StudyConfig& config, std::uint32_t trial,
                 std::span<double> cells) {
  const auto levels = network_configs(config);
  const ChipDesign& below = study.designs[network_number(study.networks, levels[0])];
  const ChipDesign& above = study.designs[network_number(study.networks, levels[1])];
  const Recorder record(study.layout, cells);
  const Codes codes = cascade_codes(config, trial);
  const int units = config.task.servers;
  for (std::size_t v = 0; v < study.variants.size(); ++v) {
    const ChipVariant variant = chip_variant(study.variants[v]);
    const auto [sums, found, wanted] = through_cascade(config.task, codes, [&](int unit, const Codes& sent) {
      const bool first = unit < units;
      return sent_through(study.foundry, first ? below : above, levels[first ? 0 : 1], variant,
                          cascade_chip(config.task, trial, unit), sent);
    });
    double right = 0.0;
    for (int u = 0; u < units; ++u)
      right += share_equal(sums.col(u), exact_answers(below.task, codes.middleCols(u * units, units))) / units;
    record.put("cascade_accuracy", v, share_equal(found, wanted));
    record.put("first_level_accuracy", v, right);
    record.put("second_level_accuracy", v, share_equal(found, exact_answers(above.task, sums)));
    record.put("cascade_error_rms", v,
               std::sqrt((found.cast<double>() - wanted.cast<double>()).array().square().mean()));
  }
}

}  // namespace

Codes cascade_codes(const StudyConfig& config, std::uint32_t trial, std::uint32_t instant) {
  const Task& task = config.task;
  Stream stream(config.run.seed, Purpose::cascade_words, trial, instant);
  Codes codes(config.measure.words, task.servers * task.servers);
  for (auto& code : codes.reshaped()) code = stream.below(task.codes());
  return codes;
}

CascadeAnswers through_cascade(const Task& task, const Codes& codes,
                               const std::function<Answers(int unit, const Codes&)>& send) {
  const int units = task.servers;
  Task flat = task;
  flat.servers = units * units;
  CascadeAnswers answers{Codes(codes.rows(), units), {}, exact_answers(flat, codes)};
  for (int u = 0; u < units; ++u) answers.between.col(u) = send(u, codes.middleCols(u * units, units));
  answers.found = send(units, answers.between);  // digits, decided anew
  return answers;
}

std::uint32_t cascade_chip(const Task& task, std::uint32_t trial, int unit) {
  return trial * static_cast<std::uint32_t>(task.servers + 1) + static_cast<std::uint32_t>(unit);
}

TrialModel cascade_model(const StudyConfig& config, const Networks& networks, const Foundry& foundry) {
  auto study = std::make_shared<CascadeStudy>();
  study->networks = networks;
  study->foundry = foundry;
  study->designs = designs_of(networks);
  study->variants = measured_variants(config);
  study->layout = model_layout(config, most_layers(networks));
  TrialModel model = study->layout;
  model.run = [study = std::shared_ptr<const CascadeStudy>(study)](
                  const StudyConfig& at_point, std::uint32_t trial, std::span<double> record) {
    run_cascade(*study, at_point, trial, record);
  };
  return model;
}

namespace {

void validate_cascade(const StudyConfig& config) {
  validate_field(
      config.task.level == CascadeLevel::flat && config.task.servers <= (config.task.sends_sums() ? 16 : 4),
      "level",
      "\"{}\", servers = {} in a study of model cascade (it makes both levels of a flat task; at "
      "most 4 servers a unit, 16 of digit sums). Set level = \"flat\".",
      name_of(config.task.level), config.task.servers);
  validate(config.measure.words > 0,
           "all words of {} servers in a cascade are too many (measure.words = 0). Set measure.words = 10000, "
           "for example.",
           config.task.servers * config.task.servers);
}

}  // namespace

StudyModel cascade_study_model() {
  return {
      .name = "cascade",
      .simulates = "five OptINC chips in two levels",
      .trial = "trial",
      .list = "chips",
      .metrics = {{"cascade_accuracy", "1", "Fraction of the drawn words of all servers decoded exactly",
                   "share of words right", Better::higher, MetricKind::share, "words wrong"},
                  {"first_level_accuracy", "1", "Fraction of words that the first-level units decode exactly",
                   "share right at the first level", Better::higher, MetricKind::share,
                   "words wrong at the first level"},
                  {"second_level_accuracy", "1",
                   "Fraction of words that the second-level unit averages exactly, whether its inputs "
                   "are right or wrong",
                   "share right at the second level", Better::higher, MetricKind::share,
                   "words wrong at the second level"},
                  {"cascade_error_rms", "LSB", "RMS code error over the drawn words", "rms code error",
                   Better::lower}},
      .variants = {{"uncorrected"}, {"corrected_quadrature"}, {"noisy"}},
      .error_metric = "cascade_error_rms",
      .reads = chip_keys({"network.above", "owner"}),
      .validate = validate_cascade,
      .validated = "task",
      .networks = both_levels,
      .make =
          [](const StudyConfig& config, const StudyInputs& inputs, const std::filesystem::path&) {
            return cascade_model(config, inputs.networks, Foundry(inputs.chips));
          },
      .memory_bytes = chip_memory_bytes,
      .chips = [](const StudyConfig& at) { return static_cast<std::uint32_t>(at.task.servers + 1); }};
}

}  // namespace optinc
