#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/designs/compare_designs.hpp"
#include "experiments/fabrics/cluster/competition.hpp"
#include "experiments/fabrics/cluster/day.hpp"
#include "experiments/fabrics/cluster/failure.hpp"
#include "experiments/fabrics/cluster/iteration.hpp"
#include "experiments/fabrics/cluster/light_paths.hpp"
#include "experiments/fabrics/cluster/testbed.hpp"
#include "experiments/files/hdf5/hdf5.hpp"

namespace optinc {

/// A cluster's day as a list names it. Keys and meanings stand in visit_rows (cluster_rows.hpp).
struct ClusterDay {
  std::string name, jobs;
  double load = 0.7;
  DaySettings day;  ///< jobs, seed and set-up are filled in when it is solved

  ClusterDay() {
    day.traffic.network.network = "oddl";
    day.workloads = {"vgg19", "resnet50-cifar100-imagenet-stem"};
    day.setup_s = 0.1;
  }
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
  std::vector<AnsweredRow<Iteration, IterationAnswer>> iterations;
  std::vector<AnsweredRow<ClusterDay, DayResult>> days;
  std::vector<AnsweredRow<Failure, FailureResult>> failures;

  /// Rows of all kinds.
  std::size_t rows() const {
    return testbeds.size() + light_paths.size() + competitions.size() + iterations.size() + days.size() +
           failures.size();
  }
};

/// Reads a TOML file: `title`, [preset.NAME], and tables [[testbed]], [[light_paths]], [[competition]],
/// [[iteration]], [[day]] and [[failure]] of the keys that cluster_keys_text lists, each with a `name`; presets
/// and lists of values as in load_scenario_list. Throws Error "file:line:column: .." for what is not one of
/// them, too_many_rows of a kind, and a list without rows. Nothing is computed.
ClusterResults load_cluster_list(const std::filesystem::path& path);

/// Computes every row; `at_each` is told its name, and `while_solving` is called at every change of a day's
/// jobs and at every event of an iteration, so that it may end the work. An Error names its row. shipped: the
/// list of designs of OptINC for rows without `designs`, which `trained` has networks for (cost_units).
void solve_cluster_list(ClusterResults& results, const std::filesystem::path& shipped,
                        const TrainedNetwork& trained,
                        const std::function<void(const std::string&)>& at_each = {},
                        const std::function<void()>& while_solving = {});

/// Every key with its unit, default and meaning, a line each.
std::string cluster_keys_text();

/// The tables for people.
std::string cluster_text(const ClusterResults& results);

/// The same for machines, in SI units; not finite numbers are null.
nlohmann::ordered_json cluster_json(const ClusterResults& results);

/// Writes a group for each kind of row that there is: `testbeds`, `light_paths`, `competitions`,
/// `iterations`, `days`, `failures`
/// (FORMAT.md, "Clusters"). Throws Error where HDF5 does.
void write_clusters(const Group& root, const ClusterResults& results);

}  // namespace optinc
