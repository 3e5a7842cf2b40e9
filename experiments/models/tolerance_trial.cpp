#include "experiments/models/tolerance_trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "experiments/models/built_in_models.hpp"
#include "experiments/models/chip_memory.hpp"
#include "experiments/models/chip_trial.hpp"
#include "experiments/models/operated_chip.hpp"
#include "experiments/models/recorder.hpp"
#include "experiments/models/tolerance_level.hpp"
#include "experiments/models/trial_model.hpp"
#include "onn/link/unit_p.hpp"
#include "onn/network/weight_noise.hpp"
#include "onn/task/words.hpp"

namespace optinc {
namespace {

/// A network as hardware, and every word it is judged on, those first on which it is nearest to a threshold.
struct JudgedNetwork {
  Network network;
  ChipDesign design;
  std::vector<std::uint64_t> words;
};

struct ToleranceStudy {
  Networks networks;
  std::vector<JudgedNetwork> judged;
  std::vector<std::string> variants;
  TrialModel layout;
  Foundry foundry;
};

std::vector<std::uint64_t> lowest_margin_first(const Network& network) {
  const std::vector<std::uint64_t> words = evaluation_words(network.task);
  const Codes codes = codes_of_words(network.task, words);
  const Eigen::MatrixXd targets = exact_outputs(network.task, codes);
  const Eigen::VectorXd miss = (forward(network, digit_averages(network.task, codes)) - targets)
                                   .cwiseAbs()
                                   .colwise()
                                   .maxCoeff()
                                   .transpose();
  std::vector<Eigen::Index> order(words.size());
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return miss[a] > miss[b]; });
  std::vector<std::uint64_t> sorted;
  for (const Eigen::Index i : order) sorted.push_back(words[static_cast<std::size_t>(i)]);
  return sorted;
}

/// Whether the first `count` words come out right, asked in parts so that the first wrong one ends it.
template <class Outputs>
bool all_right(const Task& task, const std::vector<std::uint64_t>& words, std::size_t count, Outputs outputs) {
  constexpr std::size_t first_part = 512, part = 4096;
  std::uint32_t number = 0;
  for (std::size_t begin = 0; begin < count; ++number) {
    const std::size_t size = std::min(begin == 0 ? first_part : part, count - begin);
    const Codes codes = codes_of_words(task, std::span(words).subspan(begin, size));
    if (share_right(task, decide(task, outputs(codes, number)), codes) < 1.0) return false;
    begin += size;
  }
  return true;
}

/// One chip at one level.
bool decodes(const JudgedNetwork& judged, const Foundry& foundry, const StudyConfig& at, std::uint32_t trial,
             std::string_view name, const std::vector<std::uint64_t>& words, std::size_t count) {
  const Task& task = judged.design.task;
  if (name == "stand-in") {
    const Network network = with_matrix_errors(judged.network, at.stand_in.relative_error,
                                               dark_digit(at.hardware.link), at.run.seed, trial);
    return all_right(task, words, count, [&](const Codes& codes, std::uint32_t) {
      return forward(network, digit_averages(task, codes));
    });
  }
  const ChipVariant variant = chip_variant(name);
  const LitChip lit = chip_in_operation(
      judged.design, at, calibrated_chip(judged.design, at, trial, 0, foundry), trial, variant.programming);
  return all_right(task, words, count, [&](const Codes& codes, std::uint32_t part) {
    return transmit({*lit.design, lit.state, at.hardware, noise_in(variant, at), at.measure.arithmetic}, codes,
                    {at.run.seed, trial, 0, part});
  });
}

void run_tolerance(const ToleranceStudy& study, const StudyConfig& config, std::uint32_t trial,
                   std::span<double> cells) {
  constexpr std::size_t telling_words = 1024;
  const JudgedNetwork& judged = study.judged[network_number(study.networks, config)];
  const bool drawn = config.measure.words > 0;
  const auto words = drawn ? drawn_words(config, trial) : judged.words;
  const Recorder record(study.layout, cells);
  for (std::size_t v = 0; v < study.variants.size(); ++v) {
    const auto holds_on = [&](std::size_t count) {
      return [&, count](double level) {
        return decodes(judged, study.foundry, at_level(config, level), trial, study.variants[v], words, count);
      };
    };
    LevelSearch search{config.tolerance.gentle, config.tolerance.harsh, config.tolerance.steps,
                       whole_levels(config)};
    const std::size_t few = std::min(telling_words, words.size());
    double found = search.harshest(holds_on(few));  // what the thinnest words allow
    if (found != 0.0 && std::isfinite(found) && few < words.size() && !holds_on(words.size())(found)) {
      search.harsh = found;
      found = search.harshest(holds_on(words.size()));
    }
    record.put("tolerance", v, found);
  }
}

}  // namespace

double LevelSearch::harshest(const std::function<bool(double)>& holds) const {
  if (!holds(gentle)) return gentle < harsh ? 0.0 : std::numeric_limits<double>::infinity();
  if (holds(harsh)) return harsh;
  double held = gentle, failed = harsh;
  for (int i = 0; i < steps; ++i) {
    const bool logarithmic = gentle > 0 && harsh > 0;
    double middle = logarithmic ? std::sqrt(held * failed) : (held + failed) / 2;
    if (whole) middle = std::round(middle);
    if (middle == held || middle == failed) {
      if (!whole || std::abs(held - failed) < 1.5) break;
      middle = held < failed ? held + 1 : held - 1;
    }
    (holds(middle) ? held : failed) = middle;
  }
  return held;
}

TrialModel tolerance_model(const StudyConfig& config, const Networks& networks, const Foundry& foundry) {
  auto study = std::make_shared<ToleranceStudy>();
  study->networks = networks;
  study->foundry = foundry;
  for (const PreparedNetwork& n : networks)
    study->judged.push_back({n.network, design_chip(n.network), lowest_margin_first(n.network)});
  study->variants = measured_variants(config);
  study->layout = model_layout(config, most_layers(networks));
  TrialModel model = study->layout;
  model.run = [study = std::shared_ptr<const ToleranceStudy>(study)](
                  const StudyConfig& at_point, std::uint32_t trial, std::span<double> record) {
    run_tolerance(*study, at_point, trial, record);
  };
  return model;
}

StudyModel tolerance_study_model() {
  return {.name = "tolerance",
          .simulates = "one OptINC chip with growing errors until it fails",
          .trial = "chip",
          .list = "chips",
          // neither: tolerance.harsh may lie on either side of gentle
          .metrics = {{"tolerance", "1",
                       "Most severe value of tolerance.key at which every word is decoded; 0 if there "
                       "are errors even at gentle (infinity if harsh is below gentle)",
                       "most severe value without an error"}},
          .variants = {{"uncorrected"}, {"corrected_quadrature"}, {"noisy"}, {"stand-in", true}},
          .error_metric = "tolerance",
          .reads = chip_keys({"stand_in", "tolerance"}),
          .validate = validate_tolerance,
          .validated = "tolerance",
          .networks = own_network,
          .make =
              [](const StudyConfig& config, const StudyInputs& inputs, const std::filesystem::path&) {
                return tolerance_model(config, inputs.networks, Foundry(inputs.chips));
              },
          .memory_bytes = chip_memory_bytes};
}

}  // namespace optinc
