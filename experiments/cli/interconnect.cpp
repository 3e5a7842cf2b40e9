#include <filesystem>

#include <fmt/format.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/progress.hpp"
#include "experiments/base/shipped_files.hpp"
#include "experiments/base/terminal.hpp"
#include "experiments/cli/commands.hpp"
#include "experiments/fabrics/interconnect/report.hpp"
#include "experiments/fabrics/interconnect/trace.hpp"
#include "experiments/fabrics/interconnect/units.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/study_inputs.hpp"
#include "physics/core/check.hpp"

namespace optinc {

namespace fs = std::filesystem;

int interconnect_command(const InterconnectArguments& a, std::string_view typed) {
  if (a.keys) {
    fmt::print("{}", scenario_keys_text());
    return 0;
  }
  validate(!a.list.empty(), "no list named (scenarios of networks). Try optinc interconnect headline.");
  const std::filesystem::path list_file = shipped_or_own("lists", a.list);
  const bool stored = !a.out.output.empty(), traced = !a.trace.empty();
  for (const std::string& file : {a.out.output, a.trace}) {
    if (file.empty()) continue;
    require_not_input(file, {list_file});
    require_writable_output(file, a.out.force);
  }
  if (stored && traced)
    validate(fs::weakly_canonical(fs::absolute(a.out.output)) != fs::weakly_canonical(fs::absolute(a.trace)),
             "--trace {}: the output as well (one would take the other's place). Choose another name.",
             a.trace);
  ScenarioList list = load_scenario_list(list_file);
  validate(traced || (a.scenario.empty() && a.servers == 0),
           "--scenario or --servers without --trace (they say what is traced). Add --trace FILE.");
  const Scenario* chosen = nullptr;
  if (traced)
    chosen = &scenario_named(list, a.scenario.empty() ? list.scenarios.front().name : a.scenario, a.servers);
  cost_units(
      list, shipped_folder("lists") / "published.toml",
      [](const StudyConfig& config) { return make_network_of(config, true).network; },
      [](const std::string&) { check_interrupt(); });
  Progress progress("interconnect", steps_of(list), a.out.quiet);
  const InterconnectResults results = simulate_list(list, [&](const std::string& name) {
    check_interrupt();
    progress.step(name);
  });
  progress.clear();
  if (stored) {
    AtomicFile file(a.out.output, a.out.force);
    sign_file(file.file(), "OptINC interconnects: " + list.title, typed);
    file.file().root().attributes().set("seed", list.scenarios.front().seed);
    write_interconnect(file.file().root(), results);
    file.commit();
  }
  if (traced) {
    const auto number = static_cast<std::size_t>(chosen - list.scenarios.data());
    write_text_file(a.trace, fmt::format("{}\n", iteration_trace(results.results[number]).dump()), a.out.force);
  }
  print_text(a.json ? json_text(interconnect_json(results)) : interconnect_text(results));
  return 0;
}

}  // namespace optinc
