#include "experiments/engine/study/replay.hpp"

#include <bit>

#include <fmt/format.h>

#include "experiments/engine/config/points.hpp"
#include "experiments/engine/config/study_warnings.hpp"
#include "experiments/engine/store/atomic_file.hpp"
#include "experiments/engine/store/provenance.hpp"
#include "experiments/engine/study/axes.hpp"
#include "experiments/engine/study/state.hpp"
#include "experiments/io/chip_file.hpp"
#include "experiments/io/matrix_file.hpp"
#include "experiments/io/phases_file.hpp"
#include "experiments/models/chip_trial.hpp"
#include "experiments/models/mesh_trial.hpp"
#include "experiments/models/operated_chip.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

void write_record(const Group& group, const TrialModel& model, std::span<const double> record) {
  write_model_axes(group, model);
  for (const Quantity& q : model.quantities)
    group.dataset<double>(q.metric->name, axes_of({}, q), record.subspan(q.offset, q.size()), q.metric->unit,
                          q.metric->long_name);
}

/// The words of one variant: what was asked, sent back and decided.
void write_words(const Group& group, const Task& task, const std::vector<std::uint64_t>& words,
                 const Codes& codes, const Eigen::MatrixXd& outputs) {
  group.counting_dimension("word", words.size(), "word sent");
  group.counting_dimension("digit", static_cast<std::size_t>(task.output_digits()),
                           "digit position, most significant first");
  const auto answers = exact_answers(task, codes), decoded = decide(outputs);
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

void write_chip_trial(const Group& root, const StudyConfig& config, const Network& network,
                      std::uint32_t trial) {
  const ChipDesign design = design_chip(network);
  const CalibratedChip chip = calibrated_chip(design, config, trial);
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
                transmit({*lit.design, lit.state, config.hardware, noise_in(variant, config)}, codes,
                         {config.run.seed, trial, 0}));
  }
}

/// What fabrication drew of a mesh, and what calibration takes its splitters for.
void write_errors(const Group& root, const MeshTrial& trial) {
  const Group errors = root.group("errors"), known = root.group("known_splitters");
  const auto write = [](const Group& group, std::string_view name, const Vector& values,
                        std::string_view meaning) {
    group.dataset(name, {"mzi"}, std::vector<double>(values.begin(), values.end()), "rad", meaning);
  };
  save_mesh_errors(errors, trial.errors.mzis);
  write(errors, "gamma", trial.errors.gamma, "error of the third splitter's angle, 0 where there is none");
  write(errors, "common_offset", trial.errors.common_offset, "phase offset of the MZI as a whole");
  known.counting_dimension("mzi", static_cast<std::size_t>(trial.known.alpha.size()),
                           "MZI in column order, top to bottom in a column");
  write(known, "alpha", trial.known.alpha, "error of the first splitter's angle as the correction knows it");
  write(known, "beta", trial.known.beta, "error of the second splitter's angle as the correction knows it");
  write(known, "gamma", trial.known.gamma, "error of the third splitter's angle as the correction knows it");
}

void write_mesh_trial(const Group& root, const StudyConfig& config, const MeshTargets& targets,
                      std::uint32_t number) {
  const MeshTrial trial = draw_mesh_trial(config, number, targets);
  write_errors(root, trial);
  save_matrix(root.group("target"), trial.target);
  for (const std::string& name : measured_variants(config)) {
    const CorrectedProgram set = programmed_mesh(trial, name, config.chip);
    const Group group = root.group(name);
    save_matrix(group, found_matrix(trial, set.program));
    const NamedMesh mesh{"mesh", trial.topology, set.program};
    save_phases(group.group("phases"), std::span(&mesh, 1));
  }
}

}  // namespace

ReplayReport replay_trial(const std::filesystem::path& results, std::size_t point, std::size_t trial,
                          const RunOptions& options) {
  const StudyState state = read_state(results);
  const std::size_t points = point_count(state.config);
  validate(point < points,
           "--point {}: the study has {} points (counted from 0, the last sweep fastest). Give 0..{}.", point,
           points, points - 1);
  validate(trial < state.records->trials,
           "--trial {}: the study has {} trials a point (counted from 0). Give 0..{}.", trial,
           state.records->trials, state.records->trials - 1);
  require_writable_output(options.output, options.force);
  const StudyConfig there = config_at(state.config, point);
  const TrialModel model = make_model(state.config, *state.prelude);
  const TrialResult result = run_trial(model, there, {point, trial});

  ReplayReport report{point_label(state.config, point), state.records->has(point, trial), 0, model.record_size};
  const auto stored = state.records->at(point, trial);
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };  // NaN equals NaN here
  for (std::size_t i = 0; i < model.record_size; ++i)
    report.differing += bits(stored[i]) != bits(result.record[i]) ? 1 : 0;

  AtomicFile out(options.output, options.force);
  write_provenance(out.file(), there, fmt::format("OptINC trial {} of study {}", trial, state.config.study),
                   options.command);
  write_warnings(out.file(), lines_of(study_warnings(there)));
  const Attributes root = out.file().root().attributes();
  root.set("model", std::string_view(state.config.model));
  root.set("trial", static_cast<std::int64_t>(trial));
  root.set("point", static_cast<std::int64_t>(point));
  root.set("point_label", std::string_view(report.point));
  root.set("study_run_id", std::string_view(run_id(state.config)));
  write_record(out.file().group("record"), model, result.record);
  const Networks& networks = state.prelude->networks;
  if (there.model == "chip" || there.model == "drift")
    write_chip_trial(out.file().root(), there, networks[network_number(networks, there)].network,
                     static_cast<std::uint32_t>(trial));
  if (there.model == "mesh")
    write_mesh_trial(out.file().root(), there, state.prelude->targets, static_cast<std::uint32_t>(trial));
  out.commit();
  return report;
}

}  // namespace optinc
