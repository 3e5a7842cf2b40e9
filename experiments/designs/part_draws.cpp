#include "experiments/designs/part_draws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/text_table.hpp"
#include "experiments/run/study_inputs.hpp"
#include "onn/hardware/unit_parts.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int words_of_a_draw = 128;  // of an estimate
constexpr std::string_view held_rate = "time.symbol_rate_bd";

bool is_operated(std::string_view key) {
  return std::ranges::find(operating_keys, key) != operating_keys.end();
}

/// The section of a key, with its dot.
std::string section_of(std::string_view key) { return std::string(key.substr(0, key.find('.') + 1)); }

/// Draws in the order of a design's energies, without a point last.
std::vector<std::size_t> in_order(const std::vector<double>& energy_j) {
  std::vector<std::size_t> order(energy_j.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t d) {
    return std::isnan(energy_j[d]) ? std::numeric_limits<double>::infinity() : energy_j[d];
  });
  return order;
}

std::size_t draw_at(const std::vector<double>& energy_j, double share) {
  const auto last = static_cast<double>(energy_j.size() - 1);
  return in_order(energy_j)[static_cast<std::size_t>(std::lround(share * last))];
}

void validate_whole_parts(const DesignEntry& design, const StudyConfig& config) {
  for (const UnitPart& part : unit_parts(config.hardware))
    for (const std::string& figure : part.overridden) {
      const std::string key = section_of(part.key) + figure;
      validate(is_operated(key),
               "{}: {} (draws of parts take whole parts, with all figures of their own). Leave it out.",
               design.name, key);
    }
}

}  // namespace

std::vector<const Part*> parts_for_rate(std::string_view kind, double symbol_rate_bd) {
  std::vector<const Part*> found;
  for (const std::string_view name : part_names(kind)) {
    const Part& part = part_of_kind(kind, name);
    bool known = false, fast = true;
    for (const Figure& f : part.figures) {
      known |= f.known == Known::read || f.known == Known::measured || std::isfinite(f.low);
      if (f.name == "symbol rate" || f.name == "sampling rate") fast &= f.value >= symbol_rate_bd;
      if (f.name.ends_with("bandwidth") && kind != "heater") fast &= f.value >= symbol_rate_bd / 2;
    }
    if (known && fast) found.push_back(&part);
  }
  return found;
}

DrawnParts draw_parts(const UnitHardware& unit, double symbol_rate_bd, std::uint64_t seed, std::uint32_t draw) {
  DrawnParts drawn;
  std::uint32_t number = 0;
  for (const UnitPart& named : unit_parts(unit)) {
    Stream stream(seed, Purpose::part, draw, number++);
    const std::vector<const Part*> parts = parts_for_rate(named.part->kind, symbol_rate_bd);
    validate(!parts.empty(),
             "{} at {:g} GBd (no part of kind {} states such a rate). Lower time.symbol_rate_bd.", named.key,
             1e-9 * symbol_rate_bd, named.part->kind);
    const Part& part = *parts[static_cast<std::size_t>(stream.uniform() * static_cast<double>(parts.size()))];
    drawn.names.push_back(part.name);
    drawn.settings.push_back(fmt::format("{}={}", named.key, part.name));
    for (const Figure& f : part.figures) {
      const std::string key = section_of(named.key) + f.key;
      if (f.key.empty() || !std::isfinite(f.low) || f.low == f.high || is_operated(key)) continue;
      const double at = stream.uniform();
      double value = f.low > 0 ? f.low * std::pow(f.high / f.low, at) : f.low + (f.high - f.low) * at;
      if (f.key == "bits") value = std::round(value);
      drawn.settings.push_back(fmt::format("{}={}", key, value));
    }
  }
  return drawn;
}

double PartDraws::quantile_j(std::size_t design, double share) const {
  const double energy = energy_j[design][draw_at(energy_j[design], share)];
  return std::isnan(energy) ? std::numeric_limits<double>::infinity() : energy;
}

double PartDraws::won(std::size_t design, std::size_t against) const {
  std::size_t less = 0;
  for (std::size_t d = 0; d < parts.size(); ++d)
    less += energy_j[design][d] < energy_j[against][d] ||
            (std::isnan(energy_j[against][d]) && !std::isnan(energy_j[design][d]));
  return static_cast<double>(less) / static_cast<double>(parts.size());
}

namespace {

/// A design of a list with the parts of a draw.
DesignEntry with_parts(DesignEntry design, const StudyConfig& given, std::uint32_t draw) {
  const DrawnParts parts =
      draw_parts(given.hardware, given.hardware.timing.symbol_rate_bd, given.run.seed, draw);
  design.settings.insert(design.settings.end(), parts.settings.begin(), parts.settings.end());
  return design;
}

const DesignEntry& design_named(const DesignList& list, std::string_view name) {
  return *std::ranges::find(list.designs, name, &DesignEntry::name);
}

bool is_unit(const DesignList& list, std::string_view name) {
  return std::ranges::any_of(list.designs, [&](const DesignEntry& system) {
    return std::ranges::find(system.units, name, &UnitsOfDesign::design) != system.units.end();
  });
}

/// Leaves out the units of systems, whose energies are in theirs.
PartDraws without_units(const PartDraws& all, const DesignList& list) {
  PartDraws found;
  found.keys = all.keys, found.parts = all.parts, found.searched = all.searched;
  for (std::size_t i = 0; i < all.designs.size(); ++i) {
    if (is_unit(list, all.designs[i])) continue;
    found.designs.push_back(all.designs[i]);
    found.networks.push_back(all.networks[i]);
    found.servers.push_back(all.servers[i]);
    found.energy_j.push_back(all.energy_j[i]);
    found.quantiles.push_back(all.quantiles[i]);
  }
  return found;
}

/// Servers of a unit or of a system, whose first units all servers send to.
std::int64_t servers_of(const DesignList& list, const DesignEntry& entry) {
  if (entry.units.empty()) return design_config(list, entry).task.servers;
  return entry.units.front().count * servers_of(list, design_named(list, entry.units.front().design));
}

/// Energy of a bit of a system, of those of its units: of a level's units, each serves its own servers' bits.
double system_j(const DesignList& list, const DesignEntry& entry,
                const std::function<double(const DesignEntry& unit)>& energy_j) {
  double sum = 0.0;
  for (const UnitsOfDesign& u : entry.units) {
    const DesignEntry& unit = design_named(list, u.design);
    sum += energy_j(unit) * static_cast<double>(u.count * servers_of(list, unit)) /
           static_cast<double>(servers_of(list, entry));
  }
  return sum;
}

/// Adds a design, and, for the first, what is drawn. Returns where its energies go: for a system, they are
/// those of the units above.
std::vector<double>& begin_design(PartDraws& found, const DesignList& list, const DesignEntry& entry,
                                  std::uint32_t draws) {
  const DesignEntry& unit = entry.units.empty() ? entry : design_named(list, entry.units.front().design);
  const StudyConfig given = design_config(list, unit);
  validate_whole_parts(unit, given);
  if (found.designs.empty()) {
    for (const UnitPart& part : unit_parts(given.hardware)) found.keys.push_back(part.key);
    for (std::uint32_t d = 0; d < draws; ++d)
      found.parts.push_back(
          draw_parts(given.hardware, given.hardware.timing.symbol_rate_bd, given.run.seed, d).names);
  }
  found.designs.push_back(entry.name);
  found.networks.push_back(given.network.source);
  found.servers.push_back(servers_of(list, entry));
  found.quantiles.emplace_back();
  std::vector<double> energies(draws, nan);
  for (std::uint32_t d = 0; d < draws && !entry.units.empty(); ++d)
    energies[d] = system_j(list, entry, [&](const DesignEntry& above) {
      const auto at = std::ranges::find(found.designs, above.name) - found.designs.begin();
      return found.energy_j[static_cast<std::size_t>(at)][d];
    });
  return found.energy_j.emplace_back(std::move(energies));
}

/// Energy of a bit of a design with the parts of a draw, searched again and counted; NaN: not confirmed.
double counted_j(const DesignList& list, const DesignEntry& entry, const OperatingPointSearch& search,
                 std::uint32_t draw) {
  if (!entry.units.empty())
    return system_j(list, entry, [&](const DesignEntry& unit) { return counted_j(list, unit, search, draw); });
  const StudyConfig study = design_study(list, with_parts(entry, design_study(list, entry), draw));
  const OperatingPoint point =
      find_operating_point(study, make_study_inputs(study, true), search, {.word_sent = check_interrupt});
  return point.found() ? point.energy_per_bit_j() : nan;
}

}  // namespace

PartDraws costs_over_parts(const DesignList& list, const TrainedNetwork& trained, std::uint32_t draws,
                           const std::function<void(std::string_view)>& progress) {
  PartDraws found;
  found.searched = false;
  for (const DesignEntry& entry : list.designs) {
    std::vector<double>& energies = begin_design(found, list, entry, draws);
    if (entry.units.empty()) {
      const StudyConfig given = design_config(list, entry);
      parallel_for(draws, [&](std::uint32_t d) {
        check_interrupt();
        DesignList drawn = list;
        drawn.designs = {with_parts(entry, given, d)};
        try {
          energies[d] = compare_designs(drawn, trained).front().cost.energy_per_bit_j();
        } catch (const Error&) {
          // a setting is beyond the part: no such unit
        }
      });
    }
    progress(entry.name);
  }
  return without_units(found, list);
}

PartDraws search_over_parts(const DesignList& list, const OperatingPointSearch& asked, std::uint32_t draws,
                            const std::function<void(std::string_view)>& progress) {
  OperatingPointSearch search = asked;
  if (std::ranges::find(search.held, held_rate) == search.held.end()) search.held.emplace_back(held_rate);
  OperatingPointSearch estimated = search;
  estimated.counted = false, estimated.estimated_words = words_of_a_draw;
  PartDraws found;
  for (const DesignEntry& entry : list.designs) {
    std::vector<double>& energies = begin_design(found, list, entry, draws);
    if (entry.units.empty()) {
      const StudyConfig given = design_study(list, entry);
      const StudyInputs inputs = make_study_inputs(given, true);
      std::vector<StudyConfig> studies;
      for (std::uint32_t d = 0; d < draws; ++d)
        studies.push_back(design_study(list, with_parts(entry, given, d)));
      parallel_for(draws, [&](std::uint32_t d) {
        check_interrupt();
        const OperatingPoint point = find_operating_point(studies[d], inputs, estimated);
        if (point.found()) energies[d] = point.energy_per_bit_j();
      });
    }
    for (std::size_t q = 0; q < drawn_quantiles.size() && !is_unit(list, entry.name); ++q) {
      const std::size_t draw = draw_at(energies, drawn_quantiles[q]);
      if (!std::isnan(energies[draw]))
        found.quantiles.back()[q] = {static_cast<std::int64_t>(draw),
                                     counted_j(list, entry, search, static_cast<std::uint32_t>(draw))};
    }
    progress(entry.name);
  }
  return without_units(found, list);
}

std::string part_draws_text(const PartDraws& found) {
  std::vector<TextColumn> columns = {{"design", Align::left}, {"no point %"}};
  for (const double share : drawn_quantiles) {
    columns.push_back({fmt::format("{:g} % pJ/bit", 100 * share)});
    if (found.searched) columns.push_back({"counted"});
  }
  std::vector<std::vector<std::string>> rows, wins;
  std::vector<TextColumn> against = {{"less energy than (% of draws)", Align::left}};
  const auto picojoules = [](double energy_j) {
    return std::isfinite(energy_j) ? fmt::format("{:.3g}", 1e12 * energy_j) : std::string("none");
  };
  for (std::size_t i = 0; i < found.designs.size(); ++i) {
    const auto none = std::ranges::count_if(found.energy_j[i], [](double e) { return std::isnan(e); });
    rows.push_back({found.designs[i], fmt::format("{:.0f}", 100.0 * static_cast<double>(none) /
                                                                static_cast<double>(found.parts.size()))});
    for (std::size_t q = 0; q < drawn_quantiles.size(); ++q) {
      rows.back().push_back(picojoules(found.quantile_j(i, drawn_quantiles[q])));
      if (found.searched)
        rows.back().push_back(
            picojoules(found.quantiles[i][q].draw < 0 ? nan : found.quantiles[i][q].energy_j));
    }
    against.push_back({fmt::format("({})", i + 1)});
    wins.push_back({fmt::format("({}) {}", i + 1, found.designs[i])});
    for (std::size_t j = 0; j < found.designs.size(); ++j)
      wins.back().push_back(i == j ? "" : fmt::format("{:.0f}", 100 * found.won(i, j)));
  }
  return fmt::format("Draws of whole parts: {}; {}\n\n", found.parts.size(),
                     found.searched ? "least energies by the estimate, and counted at these quantiles"
                                    : "energies at the designs' own settings; no word is sent") +
         text_table(columns, rows, 1) + '\n' + text_table(against, wins, 1);
}

nlohmann::ordered_json part_draws_json(const PartDraws& found) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
  Json designs = Json::array();
  for (std::size_t i = 0; i < found.designs.size(); ++i) {
    Json energies = Json::array(), quantiles = Json::array(), wins = Json::object();
    for (const double e : found.energy_j[i]) energies.push_back(number(e));
    for (std::size_t q = 0; q < drawn_quantiles.size(); ++q)
      quantiles.push_back(
          {{"share", drawn_quantiles[q]},
           {"draw", found.quantiles[i][q].draw},
           {"energy_per_bit", number(found.quantile_j(i, drawn_quantiles[q]))},
           {"counted", number(found.quantiles[i][q].draw < 0 ? nan : found.quantiles[i][q].energy_j)}});
    for (std::size_t j = 0; j < found.designs.size(); ++j)
      if (j != i) wins[found.designs[j]] = found.won(i, j);
    designs.push_back({{"design", found.designs[i]},
                       {"quantiles", quantiles},
                       {"less_than", wins},
                       {"energy_per_bit", energies}});
  }
  return {{"draws", found.parts.size()}, {"searched", found.searched}, {"designs", designs}};
}

void write_part_draws(const Group& group, const PartDraws& found) {
  group.counting_dimension("draw", found.parts.size(), "draw of parts");
  group.dimension("design", found.designs, "1", "design, one optical unit");
  group.dimension("against", found.designs, "1", "design that it is compared with");
  group.dimension("part", found.keys, "1", "key that names a part");
  group.dimension("quantile", std::vector<double>(drawn_quantiles.begin(), drawn_quantiles.end()), "1",
                  "share of the draws");
  group.dataset("network", {"design"}, found.networks, "1", "network.source");
  group.dataset("servers", {"design"}, found.servers, "1", "servers whose words are averaged");
  std::vector<std::string> names;
  for (const auto& of_draw : found.parts) names.insert(names.end(), of_draw.begin(), of_draw.end());
  group.dataset("parts", {"draw", "part"}, names, "1", "names of the parts drawn");
  std::vector<double> energies, won, quantiles, counted;
  std::vector<std::int64_t> draws;
  for (std::size_t i = 0; i < found.designs.size(); ++i) {
    energies.insert(energies.end(), found.energy_j[i].begin(), found.energy_j[i].end());
    for (std::size_t j = 0; j < found.designs.size(); ++j) won.push_back(i == j ? nan : found.won(i, j));
    for (std::size_t q = 0; q < drawn_quantiles.size(); ++q) {
      quantiles.push_back(found.quantile_j(i, drawn_quantiles[q]));
      draws.push_back(found.quantiles[i][q].draw);
      counted.push_back(found.quantiles[i][q].draw < 0 ? nan : found.quantiles[i][q].energy_j);
    }
  }
  group.dataset("energy_per_bit", {"design", "draw"}, energies, "J",
                found.searched ? "least by the Gaussian estimate; NaN: no point"
                               : "at the design's own settings; NaN: beyond the parts");
  group.dataset("less_energy", {"design", "against"}, won, "1",
                "share of the draws with less energy than the other");
  group.dataset("energy_quantile", {"design", "quantile"}, quantiles, "J",
                "energy per bit at the quantile, draws without a point above all others");
  group.dataset("counted_draw", {"design", "quantile"}, draws, "1",
                "draw at the quantile; -1: it has no point");
  group.dataset("counted_energy", {"design", "quantile"}, counted, "J",
                "energy per bit there once confirmed by counting; NaN: not confirmed");
}

}  // namespace optinc
