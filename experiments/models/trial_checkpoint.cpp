#include "experiments/models/trial_checkpoint.hpp"

#include <cstdio>
#include <mutex>
#include <regex>

#include <fmt/format.h>
#include <omp.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/terminal.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/models/learning/learner_file.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr double seconds_between = 10.0;
std::mutex one_file_at_a_time;  // HDF5 is not for many threads

void write_state(const Group& root, const LearningState& state) {
  const Attributes a = root.attributes();
  a.set("variant", static_cast<std::int64_t>(state.variant));
  a.set("loss_sum", state.loss_sum);
  a.set("words", static_cast<std::int64_t>(state.errors.words));
  a.set("wrong", static_cast<std::int64_t>(state.errors.wrong));
  a.set("off_by_one", static_cast<std::int64_t>(state.errors.off_by_one));
  a.set("guarded", static_cast<std::int64_t>(state.errors.guarded));
  a.set("sum_lsb", state.errors.sum_lsb);
  a.set("square_sum_lsb2", state.errors.square_sum_lsb2);
  root.counting_dimension("cell", state.record.size(), "cell of the trial's record");
  root.dataset("record", {"cell"}, state.record, "1", "what the trial has recorded");
  save_learner(root.group("learner"), state.learner);
  if (state.residual.size() == 0) return;
  const Group channel = root.group("channel");
  channel.counting_dimension("server", static_cast<std::size_t>(state.residual.cols()), "server");
  channel.counting_dimension("element", static_cast<std::size_t>(state.residual.rows()), "gradient element");
  channel.dataset("residual", {"server", "element"},
                  std::vector<float>(state.residual.data(), state.residual.data() + state.residual.size()), "1",
                  "what quantisation left out");
}

LearningState read_state(const Group& root, const DataParallelSettings& settings, const LearningTask& task) {
  const Attributes a = root.attributes();
  LearningState state;
  state.variant = static_cast<std::size_t>(a.integer("variant"));
  state.loss_sum = a.number("loss_sum");
  state.errors.words = static_cast<std::uint64_t>(a.integer("words"));
  state.errors.wrong = static_cast<std::uint64_t>(a.integer("wrong"));
  state.errors.off_by_one = static_cast<std::uint64_t>(a.integer("off_by_one"));
  state.errors.guarded = static_cast<std::uint64_t>(a.integer("guarded"));
  state.errors.sum_lsb = a.number("sum_lsb");
  state.errors.square_sum_lsb2 = a.number("square_sum_lsb2");
  state.record = root.read<double>("record").values;
  state.learner = load_learner(root.open("learner"), settings, task);
  if (!root.exists("channel")) return state;
  const auto servers = static_cast<std::size_t>(settings.workers);
  const auto elements = static_cast<std::size_t>(task.parameters);
  const std::vector<float> values = root.read<float>("channel/residual", {servers, elements});
  state.residual = Eigen::Map<const Eigen::MatrixXf>(values.data(), task.parameters, settings.workers);
  return state;
}

/// Whether a keeper, of whatever study, gives this name: RUN_ID-TRIAL.h5, or what a killed process left of it.
bool is_kept_name(const std::string& name) {
  static const std::regex kept("([0-9a-f]{16}-[0-9]+\\.h5)(.*)");
  std::smatch parts;
  return std::regex_match(name, parts, kept) && (parts[2].length() == 0 || is_leftover(name, parts[1].str()));
}

}  // namespace

TrialCheckpoint::TrialCheckpoint(const fs::path& folder, const StudyConfig& at_point, std::uint32_t trial)
    : kept_s_(omp_get_wtime()) {
  StudyConfig alone = at_point;
  alone.runner = {};  // how many trials there are, which resume may change, is nothing to one of them
  identity_ = identity_toml(alone);
  if (!folder.empty()) path_ = folder / fmt::format("{}-{}.h5", run_id(alone), trial);
}

std::optional<LearningState> TrialCheckpoint::found(const DataParallelSettings& settings,
                                                    const LearningTask& task) const {
  if (path_.empty() || !fs::exists(path_)) return std::nullopt;
  const std::lock_guard lock(one_file_at_a_time);
  try {
    const File file = File::open(path_);
    if (file.root().attributes().text("identity") != identity_) return std::nullopt;
    return read_state(file.root(), settings, task);
  } catch (const Error&) {  // cut short or damaged: the trial begins anew
    return std::nullopt;
  }
}

void TrialCheckpoint::keep(const std::function<LearningState()>& state) {
  const bool end = interrupt_signal() != 0;
  if (!end && omp_get_wtime() - kept_s_ < seconds_between) return;
  if (!path_.empty()) {
    const std::lock_guard lock(one_file_at_a_time);
    try {
      std::error_code exists;
      fs::create_directory(path_.parent_path(), exists);
      AtomicFile out(path_, true);
      out.file().root().attributes().set("identity", std::string_view(identity_));
      write_state(out.file().root(), state());
      out.commit();
    } catch (const Error& error) {  // a disk that is full for a while must not cost hours of training
      complain(fmt::format("warning: a training is not kept: {}", error.what()));
    }
  }
  kept_s_ = omp_get_wtime();
  check_interrupt();
}

void TrialCheckpoint::remove() const {
  std::error_code none;
  if (!path_.empty()) fs::remove(path_, none);
}

void remove_trial_checkpoints(const fs::path& folder, bool complete) {
  std::error_code none;
  if (!fs::is_directory(folder, none)) return;
  if (complete)
    for (const auto& entry : fs::directory_iterator(folder, none))
      if (is_kept_name(entry.path().filename().string())) fs::remove(entry.path(), none);
  fs::remove(folder, none);  // refused while something is in it
}

}  // namespace optinc
