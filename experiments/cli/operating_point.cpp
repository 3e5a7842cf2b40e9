#include <optional>

#include <fmt/format.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/progress.hpp"
#include "experiments/base/shipped_files.hpp"
#include "experiments/base/terminal.hpp"
#include "experiments/cli/commands.hpp"
#include "experiments/designs/operating_point_report.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/study/study_model.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// The study of a design: one unit, or a cascade, with a network that computes.
StudyConfig unit_config(const DesignList& list, const DesignEntry& design) {
  validate(design.units.empty() && !design.time_shared && design.level == "flat",
           "{}: units, level or time_shared (words are sent through one whole unit). Leave them out, or "
           "set model=cascade.",
           design.name);
  StudyConfig config = design_study(list, design);
  validate(has_network(config.model),
           "{}: a study of model {} (it has no chip with a network). Set model to chip or cascade.",
           design.name, config.model);
  validate(config.network.source != "untrained",
           "{}: network.source = untrained (it computes nothing). Name a network's file, or \"carry-chain\".",
           design.name);
  return config;
}

}  // namespace

int operating_point_command(const OperatingPointArguments& a, std::string_view typed) {
  const std::filesystem::path list_file = shipped_or_own("lists", a.list);
  const bool stored = !a.out.output.empty();
  if (stored) {
    require_not_input(a.out.output, {list_file});
    require_writable_output(a.out.output, a.out.force);
  }
  if (!a.designs.empty()) {
    require_not_input(a.designs, {list_file});
    require_writable_output(a.designs, a.out.force);
  }
  validate_search(a.search);
  DesignList list = load_design_list(list_file);
  list.settings.insert(list.settings.end(), a.settings.begin(), a.settings.end());
  std::vector<DesignPoint> points;
  for (const DesignEntry& entry : list.designs) points.push_back({entry.name, unit_config(list, entry), {}});
  for (DesignPoint& d : points) {
    const StudyInputs inputs = make_study_inputs(d.config, a.out.quiet);
    std::optional<Progress> progress;
    const bool by_bandwidth = a.search.goal == Goal::rate;
    progress.emplace(d.design + (by_bandwidth ? ", bandwidths" : ", search and corrections"),
                     by_bandwidth ? static_cast<long>(a.search.bandwidths_hz.size()) : most_corrections,
                     a.out.quiet);
    d.point = find_operating_point(
        d.config, inputs, a.search,
        {.bandwidth_done = [&] { progress->step(); },
         .confirming =
             [&](double symbol_rate_bd) {
               progress.emplace(fmt::format("{}, chips at {:.1f} GBd", d.design, 1e-9 * symbol_rate_bd),
                                a.search.chips, a.out.quiet);
             },
         .chip_counted = [&] { progress->step(); },
         .word_sent = check_interrupt});
  }
  if (stored) {
    AtomicFile file(a.out.output, a.out.force);
    sign_file(file.file(), "OptINC operating points: " + list.title, typed);
    file.file().root().attributes().set("seed", static_cast<std::int64_t>(points.front().config.run.seed));
    write_points(file.file().group("operating_points"), list, points, a.search);
    file.commit();
  }
  if (!a.designs.empty())
    write_text_file(a.designs,
                    points_list(list, points, a.search, typed, std::filesystem::path(a.designs).parent_path()),
                    a.out.force);
  print_text(a.json ? json_text(points_json(points, list.title, a.search))
                    : points_text(points, list.title, a.search));
  return 0;
}

}  // namespace optinc
