#include <fmt/format.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/progress.hpp"
#include "experiments/base/shipped_files.hpp"
#include "experiments/base/terminal.hpp"
#include "experiments/cli/commands.hpp"
#include "experiments/fabrics/cluster/cluster_list.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/study_inputs.hpp"
#include "physics/core/check.hpp"

namespace optinc {

int cluster_command(const ClusterArguments& a, std::string_view typed) {
  if (a.keys) {
    fmt::print("{}", cluster_keys_text());
    return 0;
  }
  validate(!a.list.empty(), "no list named (questions about clusters). Try optinc cluster oddl.");
  const std::filesystem::path list_file = shipped_or_own("lists", a.list);
  if (!a.out.output.empty()) {
    require_not_input(a.out.output, {list_file});
    require_writable_output(a.out.output, a.out.force);
  }
  ClusterResults results = load_cluster_list(list_file);
  if (a.dry_run) {
    print_text(fmt::format("{}: {} rows, nothing computed\n", a.list, results.rows()));
    return 0;
  }
  Progress progress("cluster", static_cast<long>(results.rows()), a.out.quiet);
  solve_cluster_list(
      results, shipped_folder("lists") / "at_operating_points.toml",
      [](const StudyConfig& config) { return make_network_of(config, true).network; },
      [&](const std::string& name) {
        check_interrupt();
        progress.step(name);
      },
      check_interrupt);
  progress.clear();
  if (!a.out.output.empty()) {
    AtomicFile file(a.out.output, a.out.force);
    sign_file(file.file(), "OptINC clusters: " + results.title, typed);
    write_clusters(file.file().root(), results);
    file.commit();
  }
  print_text(a.json ? json_text(cluster_json(results)) : cluster_text(results));
  return 0;
}

}  // namespace optinc
