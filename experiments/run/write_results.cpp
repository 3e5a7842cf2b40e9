#include "experiments/run/write_results.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/die_group.hpp"
#include "experiments/run/trial_groups.hpp"
#include "experiments/study/stored_config.hpp"
#include "experiments/study/study_warnings.hpp"

namespace optinc {

void write_results(const StudyState& state, const TrialModel& model, const OneOffResults* once,
                   const RunOptions& options, bool replace) {
  AtomicFile out(options.output, replace);
  const Group root = out.file().root();
  write_provenance(out.file(), state.config, fmt::format("OptINC study: {}", state.config.study),
                   options.command);
  std::vector<std::string> warnings = lines_of(study_warnings(state.config));
  std::ranges::move(lines_of(input_warnings(state.config, *state.inputs)), std::back_inserter(warnings));
  write_warnings(out.file(), warnings);
  root.attributes().set("model", std::string_view(state.config.model));
  root.attributes().set("complete", std::int64_t{once != nullptr ? 1 : 0});
  if (!state.shard.whole()) root.attributes().set("shard", std::string_view(state.shard.text()));
  write_revisions(out.file(), state.revisions);
  write_study_inputs(root, *state.inputs);
  write_network_results(root, state.config, *state.inputs, once);
  write_trials_group(root.group("trials"), state.config, model, *state.records);
  write_summary_group(root.group("summary"), state.config, model, *state.records);
  if (has_dies(state.config)) write_dies_group(root.group("dies"), state.config);
  if (has_ablation(state.config))
    write_ablation_group(root.group("ablation"), state.config, model, *state.records);
  out.commit();
}

}  // namespace optinc
