#include "experiments/run/replay.hpp"

#include <bit>

#include <fmt/format.h>

#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/axes.hpp"
#include "experiments/run/state.hpp"
#include "experiments/study/points.hpp"
#include "experiments/study/stored_config.hpp"
#include "experiments/study/study_warnings.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

void write_record(const Group& group, const TrialModel& model, std::span<const double> record) {
  write_model_axes(group, model);
  for (const Quantity& q : model.quantities)
    group.dataset<double>(q.metric->name, axes_of({}, q), record.subspan(q.offset, q.size()), q.metric->unit,
                          q.metric->long_name);
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
  const TrialModel model = make_model(state.config, *state.inputs);
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
  if (const auto write = model_of(there).write_trial)
    write(out.file().root(), there, *state.inputs, static_cast<std::uint32_t>(trial));
  out.commit();
  return report;
}

}  // namespace optinc
