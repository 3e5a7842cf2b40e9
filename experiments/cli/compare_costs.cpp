#include <fmt/format.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/progress.hpp"
#include "experiments/base/shipped_files.hpp"
#include "experiments/base/terminal.hpp"
#include "experiments/cli/commands.hpp"
#include "experiments/designs/design_report.hpp"
#include "experiments/designs/part_draws.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/study_inputs.hpp"
#include "physics/core/check.hpp"

namespace optinc {

int compare_costs_command(const CompareCostsArguments& a, std::string_view typed) {
  const std::filesystem::path list_file = shipped_or_own("lists", a.list);
  const bool stored = !a.out.output.empty();
  if (stored) {
    require_not_input(a.out.output, {list_file});
    require_writable_output(a.out.output, a.out.force);
  }
  DesignList list = load_design_list(list_file);
  list.settings.insert(list.settings.end(), a.settings.begin(), a.settings.end());
  const auto trained = [](const StudyConfig& config) { return make_network_of(config, true).network; };
  Progress progress("designs", static_cast<int>(list.designs.size()), a.out.quiet);
  const auto store = [&](const std::function<void(const Group& root)>& write) {
    if (!stored) return;
    AtomicFile file(a.out.output, a.out.force);
    sign_file(file.file(), "OptINC designs: " + list.title, typed);
    file.file().root().attributes().set("seed", static_cast<std::int64_t>(design_config(list, {}).run.seed));
    write(file.file().root());
    file.commit();
  };
  if (a.draws > 0) {
    const PartDraws found = costs_over_parts(list, trained, a.draws,
                                             [&](std::string_view name) { progress.step(std::string(name)); });
    store([&](const Group& root) { write_part_draws(root.group("part_draws"), found); });
    print_text(a.json ? json_text(part_draws_json(found)) : part_draws_text(found));
    return 0;
  }
  const auto designs = compare_designs(list, trained, [&](const std::string& name) {
    check_interrupt();
    progress.step(name);
  });
  store([&](const Group& root) { write_designs(root.group("designs"), list, designs); });
  print_text(a.json ? json_text(designs_json(designs, list.title)) : designs_text(designs, list.title));
  return 0;
}

}  // namespace optinc
