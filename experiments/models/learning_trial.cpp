#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "experiments/models/built_in_models.hpp"
#include "experiments/models/chip_memory.hpp"
#include "experiments/models/chip_path.hpp"
#include "experiments/models/chip_study.hpp"
#include "experiments/models/learning/collectives.hpp"
#include "experiments/models/learning/tasks.hpp"
#include "experiments/models/learning_checks.hpp"
#include "experiments/models/recorder.hpp"
#include "experiments/models/trial_checkpoint.hpp"
#include "experiments/models/trial_model.hpp"
#include "experiments/study/points.hpp"
#include "onn/budget/budget.hpp"

namespace optinc {
namespace {

struct LearningStudy {
  Networks networks;
  std::vector<ChipDesign> designs;            ///< of the networks
  std::map<std::string, LearningTask> tasks;  ///< by learning_task_name()
  std::vector<std::string> variants;
  TrialModel layout;
  Foundry foundry;
  std::filesystem::path keep_in;  ///< folder of trainings under way; empty: they are not kept
};

int servers_of(const StudyConfig& config) { return training_servers(config.learner, config.task.servers); }

DataParallelSettings training_settings(const StudyConfig& config, std::uint32_t trial) {
  const LearnerSettings& l = config.learner;
  DataParallelSettings s;
  s.workers = servers_of(config);
  s.batch = l.batch;
  s.steps = static_cast<std::uint32_t>(l.steps);
  s.optimiser.rule = l.optimiser == "sgd" ? OptimiserRule::sgd : OptimiserRule::adamw;
  s.optimiser.learning_rate = l.learning_rate;
  s.optimiser.momentum = l.momentum;
  s.optimiser.weight_decay = l.weight_decay;
  s.optimiser.schedule = l.schedule == "cosine" ? RateSchedule::cosine : RateSchedule::constant;
  s.optimiser.warm_up_steps = static_cast<std::uint32_t>(l.warm_up_steps);
  s.optimiser.largest_norm = l.largest_norm;
  s.equalise_every = l.equalise_every;
  s.seed = config.run.seed ^
           (std::uint64_t{trial} << 53);  // validate_learner: seeds lie below 2^53, trials below 2048
  return s;
}

/// The way gradients take, and what it counts.
struct Path {
  Aggregator average;
  std::shared_ptr<LightChannel> channel;  ///< null where no codes are sent
  double wire_bits = 0.0;                 ///< of the busiest server, per gradient element
  double energy_j = 0.0;                  ///< of all servers, per gradient element; 0: not computed
};

Path collective_path(const std::string& name, int servers) {
  using Collective = Traffic (*)(Eigen::MatrixXf&);
  const Collective collective = name == "halving-doubling"   ? &halving_doubling
                                : name == "parameter-server" ? &parameter_server
                                                             : &ring_all_reduce;
  // what is sent does not depend on the numbers; the exact average is costed as the ring that would bring it
  Eigen::MatrixXf one = Eigen::MatrixXf::Zero(1, servers);
  Path path;
  path.wire_bits = 32 * collective(one).sent_share;
  if (name == "exact")
    path.average = average_exactly;
  else
    path.average = [collective](const Eigen::MatrixXf& gradients, const StepContext&) -> Eigen::VectorXf {
      Eigen::MatrixXf held = gradients;
      collective(held);
      return held.col(0);
    };
  return path;
}

/// Energy of what averages a gradient element in one unit: all watts over the elements a second, J; 0 where no
/// chip does, or several units.
double element_energy_j(const StudyConfig& config, const std::vector<UnitDesign>& levels) {
  if (config.learner.aggregator != "chip" || levels.size() != 1) return 0.0;
  const ChipBudget b = budget(*levels.front().design, config.chip, config.hardware, config.budget);
  return b.energy_per_bit_j() * config.task.servers * config.task.bits();
}

Path light_path(const StudyConfig& config, const std::vector<UnitDesign>& levels, std::string_view variant,
                std::uint32_t trial) {
  const LearnerSettings& l = config.learner;
  Path path;
  path.channel = std::make_shared<LightChannel>();
  LightChannel& c = *path.channel;
  c.task = config.task;
  c.block = l.block;
  c.own_copies = l.own_copies;
  c.error_feedback = l.error_feedback;
  c.range_guard = l.range_guard;
  c.offset_lsb = l.offset_lsb;
  c.average = code_path(config, levels, variant, trial);
  path.wire_bits = c.task.bits() * (1 + overhead_share(c.task.bits(), c.block));
  path.energy_j = element_energy_j(config, levels);
  path.average = [channel = path.channel](const Eigen::MatrixXf& gradients, const StepContext& step) {
    return average_through(*channel, gradients, step);
  };
  return path;
}

void record_channel(const Recorder& record, std::size_t v, const Path& path, Eigen::Index parameters) {
  record.put("wire_bits", v, path.wire_bits);
  if (path.energy_j > 0) record.put("step_energy", v, path.energy_j * static_cast<double>(parameters));
  if (!path.channel) return;
  const CodeErrors& e = path.channel->errors;
  record.put("sent_error_rate", v, e.error_rate());
  if (e.wrong > 0)
    record.put("sent_off_by_one", v, static_cast<double>(e.off_by_one) / static_cast<double>(e.wrong));
  record.put("sent_bias", v, e.bias_lsb());
  record.put("sent_error_rms", v, e.rms_lsb());
  record.put("sent_guarded", v, static_cast<double>(e.guarded) / static_cast<double>(e.words));
}

/// Trains state.variant on from where it stands and records its curve; keeps it on the way. A training that
/// diverges ends there: what is left of its curve is tested on the last parameters that were finite.
void train_variant(const TrialModel& layout, const StudyConfig& config, const LearningTask& task,
                   const Path& path, LearningState& state, TrialCheckpoint& keeper) {
  const Recorder record(layout, state.record);
  const std::size_t v = state.variant;
  const std::int64_t steps = config.learner.steps, evaluations = config.learner.evaluations;
  const auto put_at = [&](std::string_view metric, std::int64_t k, double value) {
    const auto cells = record.cells(metric, v);
    if (!cells.empty()) cells[static_cast<std::size_t>(k)] = value;
  };
  const auto now = [&] {
    if (path.channel) {
      state.errors = path.channel->errors;
      state.residual = path.channel->residual;
    }
    return state;
  };
  std::int64_t taken = next_step(state.learner, task).step;
  bool diverged = false;
  for (std::int64_t k = 0; k < evaluations; ++k) {
    const std::int64_t first = k * steps / evaluations, until = (k + 1) * steps / evaluations;
    if (taken >= until) continue;
    for (; taken < until && !diverged; ++taken) {
      keeper.keep(now);
      const double loss = train_step(state.learner, task, path.average);
      diverged = std::isnan(loss);
      state.loss_sum += loss;
    }
    const Evaluation test = task.evaluate(state.learner.parameters);
    put_at("test_accuracy", k, test.accuracy);
    put_at("test_loss", k, test.loss);
    put_at("training_loss", k, diverged ? NAN : state.loss_sum / static_cast<double>(until - first));
    state.loss_sum = 0.0;
    if (k + 1 < evaluations) continue;
    record.put("final_accuracy", v, test.accuracy);
    record.put("final_loss", v, test.loss);
  }
  record.put("diverged", v, diverged ? 1.0 : 0.0);
  if (config.learner.own_copies) record.put("copies_apart", v, copies_apart(state.learner));
  record_channel(record, v, path, task.parameters);
}

void run_learning(const LearningStudy& study, const StudyConfig& config, std::uint32_t trial,
                  std::span<double> cells) {
  const LearningTask& task = study.tasks.at(learning_task_name(config.learner));
  const DataParallelSettings settings = training_settings(config, trial);
  std::vector<StudyConfig> configs = asked_networks(config);
  std::vector<UnitDesign> levels;
  for (StudyConfig& level : configs) {
    const std::size_t number = network_number(study.networks, level);  // of the chips that it was trained on
    level.chip = scaled_errors(level.chip, level.learner.chip_factor);
    levels.push_back({&level, &study.networks[number].network, &study.designs[number], study.foundry});
  }
  TrialCheckpoint keeper(study.keep_in, config, trial);
  LearningState state;
  state.record.assign(cells.begin(), cells.end());
  std::optional<LearningState> left = keeper.found(settings, task);
  if (left && left->record.size() == cells.size() && left->variant < study.variants.size())
    state = std::move(*left);
  else
    left.reset();
  for (; state.variant < study.variants.size(); ++state.variant) {
    const Path path = sends_codes(config.learner)
                          ? light_path(config, levels, study.variants[state.variant], trial)
                          : collective_path(config.learner.aggregator, servers_of(config));
    if (left) {
      if (path.channel) {
        path.channel->errors = state.errors;
        path.channel->residual = state.residual;
      }
      left.reset();
    } else {
      state.learner = start_learner(settings, task);
      state.loss_sum = 0.0;
    }
    train_variant(study.layout, config, task, path, state, keeper);
  }
  std::copy(state.record.begin(), state.record.end(), cells.begin());
  keeper.remove();
}

}  // namespace

TrialModel learning_model(const StudyConfig& config, const Networks& networks,
                          const std::filesystem::path& keep_in, const Foundry& foundry) {
  auto study = std::make_shared<LearningStudy>();
  study->keep_in = keep_in;
  study->networks = networks;
  study->foundry = foundry;
  study->designs = designs_of(networks);
  for (const StudyConfig& point : checked_points(config)) {
    const std::string name = learning_task_name(point.learner);
    if (!study->tasks.contains(name)) study->tasks.emplace(name, make_learning_task(point.learner));
    start_learner(training_settings(point, 0), study->tasks.at(name));  // refused now, not after hours
  }
  study->variants = measured_variants(config);
  study->layout = model_layout(config, most_layers(networks));
  TrialModel model = study->layout;
  model.run = [study = std::shared_ptr<const LearningStudy>(study)](
                  const StudyConfig& at_point, std::uint32_t trial, std::span<double> record) {
    run_learning(*study, at_point, trial, record);
  };
  return model;
}

namespace {

std::vector<ModelAxis> learning_axes(const StudyConfig& config, std::size_t) {
  std::vector<std::int64_t> steps;
  for (int k = 1; k <= config.learner.evaluations; ++k)
    steps.push_back(static_cast<std::int64_t>(k) * config.learner.steps / config.learner.evaluations);
  return {{"step", "step", "steps of training taken", std::move(steps)}};
}

/// Those of chips, and what their energy follows from.
std::vector<std::string_view> learning_keys() {
  std::vector<std::string_view> keys =
      chip_keys({"!measure.words", "network.above", "budget", "heater", "die", "drift", "owner", "learner",
                 "fabrication.heater_power_spread"});
  std::erase_if(keys, [](std::string_view key) {
    return key.starts_with("!laser.") || key.starts_with("!modulator.") || key.starts_with("!receiver.") ||
           key.starts_with("!time.") || key == "!converter.step_j";
  });
  return keys;
}

}  // namespace

StudyModel learning_study_model() {
  return {
      .name = "learning",
      .simulates = "the training of a model through a network or chips",
      .trial = "training",
      .list = "chips",
      .metrics =
          {{"final_accuracy", "1", "Fraction of test examples predicted correctly after the last step",
            "final test accuracy", Better::higher, MetricKind::share},
           {"final_loss", "nat", "Mean cross-entropy of the test examples after the last step",
            "final test loss", Better::lower},
           {"test_accuracy",
            "1",
            "Fraction of test examples predicted correctly",
            "test accuracy",
            Better::higher,
            MetricKind::share,
            {},
            {"variant", "step"}},
           {"test_loss",
            "nat",
            "Mean cross-entropy of the test examples",
            "test loss",
            Better::lower,
            MetricKind::number,
            {},
            {"variant", "step"}},
           {"training_loss",
            "nat",
            "Mean cross-entropy of the training batches since the previous evaluation",
            "training loss",
            Better::lower,
            MetricKind::number,
            {},
            {"variant", "step"}},
           {"diverged", "1",
            "Fraction of training runs that diverged (parameters no longer finite) and stopped",
            "share of runs diverged", Better::lower, MetricKind::event},
           {"sent_error_rate", "1",
            "Fraction of gradient codes received with a value other than Q(mean), the rounded mean",
            "share of codes received wrongly", Better::lower, MetricKind::share},
           {"sent_off_by_one", "1", "Fraction of the wrongly received codes that are off by one",
            "share of wrong codes off by one", Better::neither, MetricKind::share},
           {"sent_bias", "LSB", "Mean of received code minus Q(mean), before offset_lsb and range_guard",
            "mean code error"},
           {"sent_error_rms", "LSB", "RMS of received code minus Q(mean), before offset_lsb and range_guard",
            "rms code error", Better::lower},
           {"sent_guarded", "1", "Fraction of codes that the range guard replaced", "share of codes replaced",
            Better::lower, MetricKind::share},
           {"copies_apart", "1",
            "RMS difference of servers' own copies of the model from their mean, over the RMS of the mean, "
            "after the last step",
            "servers' copies apart", Better::lower},
           {"wire_bits", "bit", "Bits per gradient element sent by the busiest server, including scales",
            "bits sent per gradient element", Better::lower},
           {"step_energy", "J",
            "Energy of one unit of chips that averages all gradients of one step, at "
            "time.symbol_rate_bd, without "
            "block scales",
            "energy of a step's averages", Better::lower}},
      .variants = {{"uncorrected", true},
                   {"corrected_quadrature", true},
                   {"noisy"},
                   {"drifting", true},
                   {"recalibrated", true}},
      .error_metric = "final_loss",
      .reads = learning_keys(),
      .validate = validate_learner,
      .validated = "learner",
      .warnings = codeless_warnings,
      .study_warnings = chipless_warnings,
      .networks =
          [](const StudyConfig& at) {
            return at.learner.levels == 2 && at.learner.carry_digit ? both_levels(at) : own_network(at);
          },
      .asks_networks =
          [](const StudyConfig& at) {
            return at.learner.aggregator == "network" || at.learner.aggregator == "chip";
          },
      .axes = learning_axes,
      .make =
          [](const StudyConfig& config, const StudyInputs& inputs, const std::filesystem::path& keep_in) {
            return learning_model(config, inputs.networks, keep_in, Foundry(inputs.chips));
          },
      .memory_bytes = chip_memory_bytes,
      .not_counted = "data sets, models in training and lookup tables of chips",
      .chips =
          [](const StudyConfig& at) {
            return at.learner.levels == 2 ? static_cast<std::uint32_t>(at.task.servers + 1) : 1u;
          }};
}

}  // namespace optinc
