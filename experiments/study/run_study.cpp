#include "experiments/study/run_study.hpp"

#include <fmt/format.h>
#include <omp.h>

#include "experiments/cli/progress.hpp"
#include "experiments/learning/data_parallel.hpp"
#include "experiments/store/atomic_file.hpp"
#include "experiments/store/network_file.hpp"
#include "experiments/store/provenance.hpp"
#include "experiments/study/result_groups.hpp"

namespace optinc {
namespace {

void use_threads(const StudyConfig& config) {
  if (config.run.threads > 0) omp_set_num_threads(config.run.threads);
}

TrainingResult train_with_progress(const StudyConfig& config, bool quiet) {
  Progress progress("training", config.training.epochs, quiet);
  return train(config.task, config.network.hidden, config.training, config.run.seed, config.run.threads,
               [&](const EpochReport& e) {
                 progress.step(fmt::format("loss {:.2e}, words right {:.3f} %, margin {:+.3f}", e.loss,
                                           100 * e.word_accuracy, e.margin));
               });
}

OnnSummary summarise(const TrainingResult& training) {
  const WordTable table = word_table(training.network.task);
  return {score(forward(training.network, table.averages), table.targets), training.seconds};
}

/// Sends every word through a perfect chip: the light path must reproduce the network.
void check_ideal_chip(const StudyConfig& config, const Network& network, const ChipDesign& design,
                      OnnSummary& summary) {
  const WordTable table = word_table(network.task);
  const Eigen::MatrixXd outputs = all_word_outputs(design, error_preset("ideal"), config.link,
                                                   Programming::uncorrected, {}, config.run.seed);
  summary.ideal_chip_word_accuracy = score(outputs, table.targets).word_accuracy;
  summary.ideal_chip_deviation = (outputs - forward(network, table.averages)).cwiseAbs().maxCoeff();
}

ChipLevels levels_with_progress(const ChipDesign& design, const ChipLevelPlan& plan, bool quiet) {
  Progress progress("chips", static_cast<long>(plan.sigma_eta_rad.size()) * plan.chips, quiet);
  return run_chip_levels(design, plan, [&] { progress.step(); });
}

Eye look_into_eye(const StudyConfig& config, const ChipDesign& design) {
  const double sigma = config.gradient.sigma_eta_rad;
  const ErrorModel model = at_splitter_error(config.chip, sigma);
  return {sigma, all_word_outputs(design, model, config.link, Programming::corrected, {}, config.run.seed),
          all_word_outputs(design, model, config.link, Programming::corrected, config.noise, config.run.seed)};
}

GradientTransfer gradients_with_progress(const StudyConfig& config, const ImageData& data,
                                         const Network& network, const ChipDesign& design, bool quiet) {
  Progress progress("gradients", gradient_training_steps(config, data), quiet);
  return transfer_gradients(config, data, network, design,
                            [&](double loss) { progress.step(fmt::format("loss {:.3f}", loss)); });
}

}  // namespace

void run_study(const StudyConfig& config, const RunOptions& options) {
  validate_config(config);
  require_writable_output(options.output, options.force);
  use_threads(config);
  const ImageData data = load_fashion_mnist(config.gradient.data);
  gradient_training_steps(config, data);  // refuses settings that do not fit

  const TrainingResult training = train_with_progress(config, options.quiet);
  const ChipDesign design = design_chip(training.network);
  OnnSummary summary = summarise(training);
  check_ideal_chip(config, training.network, design, summary);
  const ChipLevelPlan plan = {
      config.chip,         config.link,         config.noise,   config.levels.sigma_eta_rad,
      config.levels.chips, config.levels.words, config.run.seed};
  const ChipLevels levels = levels_with_progress(design, plan, options.quiet);
  const Eye eye = look_into_eye(config, design);
  const GradientTransfer transfer =
      gradients_with_progress(config, data, training.network, design, options.quiet);

  AtomicFile out(options.output, options.force);
  write_provenance(out.file(), config, "OptINC: real gradients through fabricated chips", options.command);
  write_training_group(out.file().group("training"), training.curve);
  save_network(out.file().group("network"), training.network);
  write_onn_group(out.file().group("onn"), training.network, summary);
  write_chips_group(out.file().group("chips"), plan, levels);
  write_eye_group(out.file().group("eye"), config.task, eye);
  write_gradient_group(out.file().group("gradient"), config, transfer);
  out.commit();
}

void run_training(const StudyConfig& config, const RunOptions& options) {
  validate_config(config);
  require_writable_output(options.output, options.force);
  use_threads(config);
  const TrainingResult training = train_with_progress(config, options.quiet);
  AtomicFile out(options.output, options.force);
  write_provenance(out.file(), config, "OptINC: trained network", options.command);
  write_training_group(out.file().group("training"), training.curve);
  save_network(out.file().group("network"), training.network);
  write_onn_group(out.file().group("onn"), training.network, summarise(training));
  out.commit();
}

}  // namespace optinc
