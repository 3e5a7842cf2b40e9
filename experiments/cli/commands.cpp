#include "experiments/cli/commands.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/terminal.hpp"
#include "experiments/cli/chip_files.hpp"
#include "experiments/cli/devices.hpp"
#include "experiments/cli/dry_run.hpp"
#include "experiments/cli/listing.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/models/foundry.hpp"
#include "experiments/run/inspect.hpp"
#include "experiments/run/replay.hpp"
#include "experiments/run/run_study.hpp"
#include "experiments/run/run_training.hpp"
#include "experiments/study/shipped_networks.hpp"
#include "experiments/study/shipped_studies.hpp"
#include "experiments/validate/laws_file.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

StudyConfig config_of(const StudyArguments& a) {
  Overrides all = a.overrides;
  if (a.seed) all.settings.push_back(fmt::format("run.seed={}", *a.seed));
  if (a.threads) all.settings.push_back(fmt::format("run.threads={}", *a.threads));
  if (a.trials) all.settings.push_back(fmt::format("runner.trials={}", *a.trials));
  return load_study(a.study, all);
}

/// The study's own file and those of the networks, matrices and measurements it names, swept ones too.
std::vector<std::filesystem::path> files_read(const StudyArguments& a, const StudyConfig& config) {
  const NetworkSettings& n = config.network;
  std::vector<std::filesystem::path> files = {study_path(a.study),
                                              n.source,
                                              n.above,
                                              n.start,
                                              config.mesh.target,
                                              config.mesh.measured,
                                              config.mesh.measured_crosstalk,
                                              config.measured_chip.measured};
  for (const SweepAxis& axis : config.sweeps)
    for (const SweptKey& key : axis.keys)
      for (const FieldValue& value : key.values)
        if (const auto* text = std::get_if<std::string>(&value);
            text && (key.key.starts_with("network.") || key.key == "mesh.target" ||
                     key.key.starts_with("mesh.measured") || key.key == "chip.measured"))
          files.emplace_back(*text);
  return files;
}

std::optional<std::filesystem::path> chip_path(const LabArguments& a) {
  return a.chip_file.empty() ? std::nullopt : std::optional<std::filesystem::path>(a.chip_file);
}

}  // namespace

RunOptions OutputArguments::options(std::string_view typed, Ranks& ranks, std::string_view example) const {
  validate(!output.empty(), "no output named (results go to a file). Add -o {}.", example);
  return {output, force, quiet, typed, {}, &ranks, mixed_revisions};
}

int status_of(Ending ending) { return ending == Ending::interrupted ? 128 + interrupt_signal() : 0; }

int run_command(const StudyArguments& arguments, std::string_view typed, Ranks& ranks) {
  const StudyConfig config = config_of(arguments);
  const Shard shard = parse_shard(arguments.shard);
  if (arguments.print_config) {
    print_text(to_toml(config, true));
    return 0;
  }
  if (arguments.dry_run) {
    print_text(dry_run(config, shard));
    return 0;
  }
  RunOptions options = arguments.out.options(typed, ranks);
  options.shard = shard;
  require_not_input(options.output, files_read(arguments, config));
  return status_of(run_study(config, options));
}

int train_command(const StudyArguments& arguments, std::string_view typed, Ranks& ranks) {
  const StudyConfig config = config_of(arguments);
  if (arguments.print_config) {
    print_text(to_toml(config, true));
    return 0;
  }
  const RunOptions options = arguments.out.options(typed, ranks);
  require_not_input(options.output, files_read(arguments, config));
  return status_of(run_training(config, options));
}

int replay_command(const std::string& results, std::size_t point, std::size_t trial,
                   const RunOptions& options) {
  require_not_input(options.output, {results});
  const ReplayReport report = replay_trial(results, point, trial, options);
  const std::string found =
      !report.recorded ? "the study has not run this trial"
      : report.differing == 0
          ? fmt::format("all {} values as the study recorded them", report.cells)
          : fmt::format("{} of {} values differ from the study's (another build or machine)", report.differing,
                        report.cells);
  print_text(fmt::format("trial {}{}: {}; written to {}\n", trial,
                         report.point.empty() ? "" : " at " + report.point, found, options.output.string()));
  return report.recorded && report.differing > 0 ? 1 : 0;
}

int program_command(const LabArguments& a, const RunOptions& options) {
  require_not_input(options.output, {a.input, a.chip_file});
  const ProgramSummary done =
      program_to_file(network_path(a.input), options.output,
                      {chip_path(a), a.dac_bits, a.touchstone, a.nearest_unitary, a.oscillator_rad, a.topology,
                       options.force, std::string(options.command)});
  std::string remark;
  if (done.headroom_db)
    remark = fmt::format(", receivers see an error of {:.2g} rms for {:.2f} dB of headroom", *done.fit_error,
                         *done.headroom_db);
  else if (!a.chip_file.empty())
    remark = fmt::format(", {} beyond the reach of their splitters", done.clipped);
  if (done.wiring_error)
    remark += fmt::format(", fitted to within {:.1e} rms of the matrix", *done.wiring_error);
  if (done.nearest_distance)
    remark += fmt::format(" for the nearest unitary matrix, which differs by up to {:.1e} in an element",
                          *done.nearest_distance);
  print_text(fmt::format("{} meshes, {} MZIs programmed{}; written to {}\n", done.meshes, done.mzis, remark,
                         options.output.string()));
  return 0;
}

int fabricate_command(const LabArguments& a, const RunOptions& options) {
  require_not_input(options.output, {a.input});
  for (const std::string& setting : a.settings)
    validate(
        setting.starts_with("chip.") || setting.starts_with("fabrication.") || setting.starts_with("layout."),
        "--set {}: not a key of [chip], [fabrication] or [layout] (a chip is drawn from these; its seed is "
        "--seed). Leave it out.",
        setting);
  Overrides overrides;
  overrides.settings.push_back(fmt::format("chip.preset={}", a.preset));
  overrides.settings.insert(overrides.settings.end(), a.settings.begin(), a.settings.end());
  const StudyConfig config = parse_config("", "fabricate", overrides);
  validate(
      !config.measured_chip.is_measured(),
      "--set chip.measured={}: a chip that was measured is not drawn. Set chip.measured in a study instead.",
      config.measured_chip.measured);
  const auto variation = [&](const std::vector<MeshTopology>& meshes) {
    return Foundry().variation(meshes, config);
  };
  fabricate_to_file(network_path(a.input), options.output, config.chip,
                    {a.seed, a.chip, variation, options.force, std::string(options.command)});
  return 0;
}

int transfer_command(const LabArguments& a, const RunOptions& options) {
  require_not_input(options.output, {a.input, a.chip_file});
  transfer_to_file(a.input, options.output,
                   {a.mesh, chip_path(a), a.touchstone, options.force, std::string(options.command)});
  return 0;
}

int inspect_command(const std::string& file, bool json) {
  const std::filesystem::path path = network_path(file);
  const InspectedGroup laws[] = {{"laws", verdicts_json, verdicts_text}};
  print_text(json ? json_text(inspect_json(path, laws)) : inspect_text(path, laws));
  return 0;
}

int explain_command(const std::string& key, bool json) {
  if (json) {
    print_text(keys_json(key));
    return 0;
  }
  if (!key.empty()) {
    fmt::print("{}\n", explain(key));
    return 0;
  }
  for (const auto& name : all_keys()) fmt::print("{}\n", name);
  return 0;
}

int devices_command(const std::string& name, bool json) {
  fmt::print("{}", json ? devices_json(name) : devices_text(name));
  return 0;
}

}  // namespace optinc
