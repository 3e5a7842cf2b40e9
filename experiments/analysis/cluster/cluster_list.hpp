#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/analysis/cluster/competition.hpp"
#include "experiments/analysis/cluster/light_paths.hpp"
#include "experiments/analysis/cluster/testbed.hpp"
#include "experiments/analysis/cluster/traffic.hpp"
#include "experiments/engine/store/hdf5.hpp"

namespace optinc {

/// A cluster's day as a list names it. Keys and meanings stand in visit_fields (cluster_fields.hpp).
struct ClusterDay {
  std::string name, network = "oddl", routing = "ecmp", jobs;
  std::int64_t nodes = 1024, sub_flows = 1, window = 4, seed = 1;
  double load = 0.7, horizon_s = 86400.0, scattered = 0.0, oversubscription = 1.0, rate_bit_per_s = 100e9,
         step_latency_s = 2e-6, hop_latency_s = 0.5e-6, set_s = 3.2e-6, setup_s = 0.1,
         bucket_bytes = 25.0 * (1 << 20);
  std::vector<std::string> workloads = {"vgg19", "resnet50-cifar100-imagenet-stem"}, collectives = {"ring"};
  bool overlap = true;
};

/// What a list asks, and what comes out, row by row.
template <class Question, class Answer>
struct AnsweredRow {
  Question question;
  Answer answer;
};

/// A list, read and answered.
struct ClusterResults {
  std::string title = "clusters";
  std::filesystem::path folder;  ///< of the list, where tables of jobs are looked for
  std::vector<AnsweredRow<Testbed, TestbedResult>> testbeds;
  std::vector<AnsweredRow<LightPaths, LightPathsResult>> light_paths;
  std::vector<AnsweredRow<Competition, CompetitionResult>> competitions;
  std::vector<AnsweredRow<ClusterDay, DayResult>> days;

  /// Rows of all kinds.
  std::size_t rows() const { return testbeds.size() + light_paths.size() + competitions.size() + days.size(); }
};

/// Reads a TOML file: `title`, and tables [[testbed]], [[light_paths]], [[competition]] and [[day]] of the keys
/// that cluster_keys_text lists, each with a `name`. A key may hold a list of values: one row for each, and for
/// all combinations of such lists. Throws Error "file:line:column: .." for what is not one of them, 10,000 rows
/// or more, and a list without rows. Nothing is computed.
ClusterResults load_cluster_list(const std::filesystem::path& path);

/// Computes every row; `at_each` is told its name, and `while_solving` is called at every change of a day's
/// jobs, so that it may end the work. An Error names its row.
void solve_cluster_list(ClusterResults& results, const std::function<void(const std::string&)>& at_each = {},
                        const std::function<void()>& while_solving = {});

/// Every key with its unit, default and meaning, a line each.
std::string cluster_keys_text();

/// The tables for people.
std::string cluster_text(const ClusterResults& results);

/// The same for machines, in SI units; not finite numbers are null.
nlohmann::ordered_json cluster_json(const ClusterResults& results);

/// Writes a group for each kind of row that there is: `testbeds`, `light_paths`, `competitions`, `days`
/// (FORMAT.md, "Clusters"). Throws Error where HDF5 does.
void write_clusters(const Group& root, const ClusterResults& results);

}  // namespace optinc
