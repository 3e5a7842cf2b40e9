#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/designs/operating_point.hpp"
#include "experiments/files/readers/touchstone.hpp"
#include "experiments/run/run_options.hpp"
#include "experiments/study/study_config.hpp"

// What the commands of the tool do once their arguments are read. Each returns the exit status; results go to
// standard output. Throws Error, or Interrupted.

namespace optinc {

/// Where a result goes, as every command that writes one says it.
struct OutputArguments {
  std::string output;
  bool force = false, quiet = false, mixed_revisions = false;

  /// Throws Error where no output is named; `example` shows how.
  RunOptions options(std::string_view typed, Ranks& ranks, std::string_view example = "results.h5") const;
};

/// What `run`, `ablate` and `train` take.
struct StudyArguments {
  std::string study, shard = "1/1";
  Overrides overrides;
  std::optional<std::int64_t> seed;
  std::optional<int> threads, trials;
  bool print_config = false, dry_run = false;
  OutputArguments out;
};

/// What `program`, `fabricate` and `transfer` take, the steps between a network and the laboratory.
struct LabArguments {
  std::string input, chip_file, mesh, preset = "design-target", topology = "clements";
  std::vector<std::string> settings;
  int dac_bits = 0;
  std::uint64_t seed = 1;
  std::uint32_t chip = 0;
  TouchstoneOptions touchstone;
  bool nearest_unitary = false;
  std::optional<double> oscillator_rad = {};
  OutputArguments out;
};

/// What `validate` takes.
struct LawArguments {
  std::vector<std::string> chosen;  ///< rows, or words of names; all without any
  bool quick = false, json = false, list = false;
  std::uint64_t seed = 1;
  OutputArguments out;
};

/// What `budget` takes.
struct BudgetArguments {
  std::string study, network;  ///< either may be empty
  Overrides overrides;
  bool json = false;
  OutputArguments out;
};

/// What `designs` takes.
struct CompareCostsArguments {
  std::string list;
  std::vector<std::string> settings;
  std::uint32_t draws = 0;  ///< of parts
  bool json = false;
  OutputArguments out;
};

/// What `operating-point` takes.
struct OperatingPointArguments {
  std::string list, designs;
  std::vector<std::string> settings, choices;
  std::vector<double> rates_bd;  ///< a point at each; none: one point a design
  std::uint32_t draws = 0;       ///< of parts
  OperatingPointSearch search;
  bool json = false;
  OutputArguments out;
};

/// What `circuit` takes.
struct CircuitArguments {
  std::string netlist;
  std::vector<double> wavelengths_m = {1.54e-6, 1.56e-6};  ///< one, or first and last
  int points = 1001;
  std::string wavelength_file;  ///< instead of both; empty: none
  std::vector<std::string> settings, receiver, mappings;
  std::optional<PhaseConvention> convention;  ///< of a Touchstone file that is written
  std::string light;                          ///< PORT=POWER [W] that enters there; empty: none
  bool absorb_unconnected = false, models = false, json = false;
  std::vector<std::string> sweeps, spreads;  ///< INSTANCE.SETTING=[VALUES]
  int dies = 0;                              ///< to draw; 0: none
  std::uint64_t seed = 1;                    ///< of these
  OutputArguments out;
};

/// What `twin` takes.
struct TwinArguments {
  std::string data, topology = "clements";
  int plan_ports = 0;  ///< plan a measurement of so many ports; 0: fit one
  std::vector<std::string> settings;
  double drive_of_pi = 0.0, arm_loss_db = 0.0, splitter_error_rad = 1e-3;
  std::uint64_t seed = 1;
  bool keys = false, json = false;
  OutputArguments out;
};

/// What `interconnect` takes.
struct InterconnectArguments {
  std::string list, trace, scenario;
  std::int64_t servers = 0;  ///< of the scenario that is traced, 0: the first of its name
  bool json = false, keys = false;
  OutputArguments out;
};

/// What `cluster` takes.
struct ClusterArguments {
  std::string list;
  bool json = false, keys = false, dry_run = false;
  OutputArguments out;
};

/// What `report` takes.
struct ReportArguments {
  std::string file, output;  ///< output empty: beside the file
  bool force = false;
};

/// What `words` takes.
struct CheckNetworkArguments {
  std::string study;
  Overrides overrides;
  std::int64_t drawn = 1'000'000;
  bool json = false;
  OutputArguments out;
};

/// Exit status of a run that ended so.
int status_of(Ending ending);

int run_command(const StudyArguments& arguments, std::string_view typed, Ranks& ranks);
int train_command(const StudyArguments& arguments, std::string_view typed, Ranks& ranks);
int replay_command(const std::string& results, std::size_t point, std::size_t trial, const RunOptions& options);
int program_command(const LabArguments& arguments, const RunOptions& options);
int fabricate_command(const LabArguments& arguments, const RunOptions& options);
int transfer_command(const LabArguments& arguments, const RunOptions& options);
int circuit_command(const CircuitArguments& arguments, std::string_view typed);
int twin_command(const TwinArguments& arguments, std::string_view typed);
int inspect_command(const std::string& file, bool json);
int validate_command(const LawArguments& arguments, std::string_view typed);
int check_network_command(const CheckNetworkArguments& arguments);
int budget_command(const BudgetArguments& arguments, std::string_view typed);
int compare_costs_command(const CompareCostsArguments& arguments, std::string_view typed);
int operating_point_command(const OperatingPointArguments& arguments, std::string_view typed);
int interconnect_command(const InterconnectArguments& arguments, std::string_view typed);
int cluster_command(const ClusterArguments& arguments, std::string_view typed);
/// Has the Python package, which draws the figures, write the page.
int report_command(const ReportArguments& arguments);
int explain_command(const std::string& key, bool json);
int devices_command(const std::string& name, bool json);

}  // namespace optinc
