#include <optional>

#include <fmt/format.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/progress.hpp"
#include "experiments/base/shipped_files.hpp"
#include "experiments/base/terminal.hpp"
#include "experiments/cli/commands.hpp"
#include "experiments/designs/choices.hpp"
#include "experiments/designs/operating_point_report.hpp"
#include "experiments/designs/part_draws.hpp"
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

/// A point that is asked for: of a design, at its own rate or at one of those asked for.
struct AskedPoint {
  std::string name, design;
  std::vector<StudyConfig> studies;                ///< to choose from
  std::vector<std::vector<std::string>> settings;  ///< of the list's design, that make them
};

std::vector<AskedPoint> asked_points(const DesignList& list, const OperatingPointArguments& a) {
  std::vector<std::string> rates;
  for (const double bd : a.rates_bd) rates.push_back(fmt::format("time.symbol_rate_bd={}", bd));
  const std::vector<std::vector<std::string>> choices = combinations(a.choices);
  std::vector<AskedPoint> asked;
  for (const DesignEntry& entry : list.designs)
    for (std::size_t r = 0; r < std::max<std::size_t>(rates.size(), 1); ++r) {
      AskedPoint& point = asked.emplace_back();
      point.design = point.name = entry.name;
      if (!rates.empty()) point.name += fmt::format(", {:g} GBd", 1e-9 * a.rates_bd[r]);
      for (const std::vector<std::string>& chosen : choices) {
        DesignEntry varied = entry;
        if (!rates.empty()) varied.settings.push_back(rates[r]);
        varied.settings.insert(varied.settings.end(), chosen.begin(), chosen.end());
        point.studies.push_back(unit_config(list, varied));
        point.settings.push_back(varied.settings);
      }
    }
  return asked;
}

void validate_arguments(const OperatingPointArguments& a) {
  validate_search(a.search);
  validate(a.search.goal != Goal::rate || a.rates_bd.empty(),
           "--rates with --goal rate (which looks for the rate itself). Ask for --goal energy or light.");
  validate(a.draws == 0 ||
               (a.search.goal == Goal::energy && a.rates_bd.empty() && a.choices.empty() && a.designs.empty()),
           "--draws with --goal {}, --rates, --choose or --designs (energies over parts alone). Ask for --goal "
           "energy "
           "--draws {} alone.",
           name_of(a.search.goal), a.draws);
}

void store(const OperatingPointArguments& a, const DesignList& list, std::string_view typed,
           const std::function<void(const Group& root)>& write) {
  if (a.out.output.empty()) return;
  AtomicFile file(a.out.output, a.out.force);
  sign_file(file.file(), "OptINC operating points: " + list.title, typed);
  file.file().root().attributes().set(
      "seed", static_cast<std::int64_t>(design_study(list, list.designs.front()).run.seed));
  write(file.file().root());
  file.commit();
}

int draws_of_parts(const OperatingPointArguments& a, const DesignList& list, std::string_view typed) {
  for (const DesignEntry& entry : list.designs)
    if (entry.units.empty()) unit_config(list, entry);
  Progress progress("designs", static_cast<long>(list.designs.size()), a.out.quiet);
  const PartDraws found =
      search_over_parts(list, a.search, a.draws, [&](std::string_view) { progress.step(); });
  store(a, list, typed, [&](const Group& root) { write_part_draws(root.group("part_draws"), found); });
  print_text(a.json ? json_text(part_draws_json(found)) : part_draws_text(found));
  return 0;
}

}  // namespace

int operating_point_command(const OperatingPointArguments& a, std::string_view typed) {
  const std::filesystem::path list_file = shipped_or_own("lists", a.list);
  if (!a.out.output.empty()) {
    require_not_input(a.out.output, {list_file});
    require_writable_output(a.out.output, a.out.force);
  }
  if (!a.designs.empty()) {
    require_not_input(a.designs, {list_file});
    require_writable_output(a.designs, a.out.force);
  }
  validate_arguments(a);
  DesignList list = load_design_list(list_file);
  list.settings.insert(list.settings.end(), a.settings.begin(), a.settings.end());
  if (a.draws > 0) return draws_of_parts(a, list, typed);
  OperatingPointSearch search = a.search;
  if (!a.rates_bd.empty()) search.held.emplace_back("time.symbol_rate_bd");
  std::vector<DesignPoint> points;
  for (const AskedPoint& asked : asked_points(list, a)) {
    const StudyInputs inputs = make_study_inputs(asked.studies.front(), a.out.quiet);
    std::optional<Progress> progress;
    const bool by_bandwidth = search.goal == Goal::rate;
    progress.emplace(asked.name + (by_bandwidth ? ", bandwidths" : ", search and corrections"),
                     by_bandwidth ? static_cast<long>(search.bandwidths_hz.size()) : most_corrections,
                     a.out.quiet);
    const auto [study, point] = best_point(
        asked.studies, inputs, search,
        {.bandwidth_done = [&] { progress->step(); },
         .confirming =
             [&](double symbol_rate_bd) {
               progress.emplace(fmt::format("{}, chips at {:.1f} GBd", asked.name, 1e-9 * symbol_rate_bd),
                                search.chips, a.out.quiet);
             },
         .chip_counted = [&] { progress->step(); },
         .word_sent = check_interrupt});
    points.push_back({asked.name, asked.design, asked.settings[study], asked.studies[study], point});
  }
  store(a, list, typed,
        [&](const Group& root) { write_points(root.group("operating_points"), list, points, search); });
  if (!a.designs.empty())
    write_text_file(a.designs,
                    points_list(list, points, search, typed, std::filesystem::path(a.designs).parent_path()),
                    a.out.force);
  print_text(a.json ? json_text(points_json(points, list.title, search))
                    : points_text(points, list.title, search));
  return 0;
}

}  // namespace optinc
