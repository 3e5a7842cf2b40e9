#include "experiments/run/state.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/trial_groups.hpp"
#include "experiments/run/trials/memory.hpp"
#include "experiments/study/points.hpp"
#include "experiments/study/stored_config.hpp"
#include "experiments/study/study_warnings.hpp"
#include "physics/core/check.hpp"
#include "physics/core/printable.hpp"

namespace optinc {

namespace {

constexpr std::string_view command_opening = "# command: ", revisions_opening = "# revisions: ",
                           schema_opening = "# schema_version: ";
constexpr std::string_view forced_mark = " forced ";

/// Takes the first line off `text` where it opens so; what stands behind the opening.
std::string taken_comment(std::string_view& text, std::string_view opening) {
  if (!text.starts_with(opening)) return {};
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string found(text.substr(opening.size(), end - opening.size()));
  text.remove_prefix(std::min(end + 1, text.size()));
  return found;
}

}  // namespace

std::string journal_heading(const StudyState& state) {
  return state.replaces.empty() ? state.shard.text()
                                : fmt::format("{}{}{}", state.shard.text(), forced_mark, state.replaces);
}

std::string journal_comments(std::string_view command, const std::set<std::string>& revisions) {
  return fmt::format("{}{}\n{}{}\n{}{}\n", command_opening,
                     printable(std::string(command)),  // a comment is one line
                     revisions_opening, fmt::join(revisions, ", "), schema_opening, schema_version);
}

void add_revision(StudyState& state, const std::filesystem::path& where, const RunOptions& options) {
  require_one_revision(state.revisions, where, "trials", options.mixed_revisions);
  state.revisions.emplace(program_revision());
}

TrialModel layout_of(const StudyState& state) {
  return model_layout(state.config, state.inputs ? most_layers(state.inputs->networks) : 0);
}

StudyState read_state(const std::filesystem::path& results) {
  const File file = File::open(results);
  StudyState state{stored_config(file), {}, {}, {}};
  const Group root = file.root();
  validate(root.exists("trials"), "{}: no trials in it (optinc run writes them). Name a study's result file.",
           results.string());
  state.command = root.attributes().text("command");
  if (root.attributes().has("shard")) state.shard = parse_shard(root.attributes().text("shard"));
  state.revisions = read_revisions(file);
  state.inputs = read_study_inputs(root);
  state.records = read_trials_group(root.open("trials"), state.config, layout_of(state));
  return state;
}

OpenedJournal reopen_journal(const std::filesystem::path& path) {
  StudyState state;
  Journal::Reader reader;
  reader.header = [&](const std::string& toml, const std::string& shard) {
    std::string_view text = toml;
    state.command = taken_comment(text, command_opening);
    state.revisions = revisions_of(taken_comment(text, revisions_opening));
    const std::string schema = taken_comment(text, schema_opening);  // a journal has it from version 5 on
    state.config = parse_stored_config(text, path.string(), schema.empty() ? 4 : 5);
    state.shard = parse_shard(shard.substr(0, shard.find(' ')));
    if (const std::size_t mark = shard.find(forced_mark); mark != shard.npos)
      state.replaces = shard.substr(mark + forced_mark.size());
  };
  reader.inputs = [&](std::span<const std::byte> file) { state.inputs = study_inputs_of_bytes(file); };
  reader.trial = [&](std::size_t point, std::size_t trial, std::span<const double> record) {
    if (!state.records) {
      // of networks that are damaged, the trials alone know: finish() looks whether they belong together
      const std::size_t size = state.inputs ? layout_of(state).record_size : record.size();
      require_memory(state.config, size);
      state.records.emplace(point_count(state.config), static_cast<std::size_t>(state.config.runner.trials),
                            size);
    }
    Records& records = *state.records;
    validate(
        point < records.points && trial < records.trials && record.size() == records.record_size,
        "{}: trial {} of point {} does not belong to its study (the journal was changed). Move it away and "
        "run again.",
        path.string(), trial, point);
    records.put(point, trial, record);
  };
  reader.damaged = [&](std::size_t bytes) {
    print_warnings({fmt::format(
        "{}: {} bytes are damaged; {}", path.string(), bytes,
        state.inputs ? "their trials are run again" : "its networks and files are made or read again")});
  };
  Journal journal = Journal::reopen(path, reader);
  return {std::move(journal), std::move(state)};
}

void add_state(const StudyState& from, StudyState& to) {
  to.revisions.insert(from.revisions.begin(), from.revisions.end());
  if (!to.inputs) to.inputs = from.inputs;
  if (!from.records) return;
  const Records& old = *from.records;
  if (!to.records)
    to.records.emplace(old.points, static_cast<std::size_t>(to.config.runner.trials), old.record_size);
  for (std::size_t p = 0; p < old.points; ++p)
    for (std::size_t t = 0; t < std::min(old.trials, to.records->trials); ++t)
      if (old.has(p, t) && !to.records->has(p, t)) to.records->put(p, t, old.at(p, t));
}

std::optional<std::pair<std::size_t, std::size_t>> contradiction(const StudyState& a, const StudyState& b) {
  if (!a.records || !b.records) return std::nullopt;
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  for (std::size_t p = 0; p < a.records->points; ++p)
    for (std::size_t t = 0; t < std::min(a.records->trials, b.records->trials); ++t) {
      if (!a.records->has(p, t) || !b.records->has(p, t)) continue;
      const auto one = a.records->at(p, t), other = b.records->at(p, t);
      if (!std::equal(one.begin(), one.end(), other.begin(), other.end(), same)) return std::pair{p, t};
    }
  return std::nullopt;
}

}  // namespace optinc
