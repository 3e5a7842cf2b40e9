#include "experiments/designs/report.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/store/table_column.hpp"

namespace optinc {
namespace {

using Json = nlohmann::ordered_json;

template <auto member>
double value(const UnitCost& c) {
  return static_cast<double>(c.*member);
}

constexpr std::array<TableColumn<UnitCost>, 26> quantities = {{
    {"servers", "1", "", 1, "servers whose codes are averaged", value<&UnitCost::servers>, true},
    {"bits", "bit", "", 1, "bits of a code", value<&UnitCost::bits>, true},
    {"mzis", "1", "MZIs", 1, "MZIs as built", value<&UnitCost::mzis>, true},
    {"mzis_published_way", "1", "as published", 1,
     "MZIs counted as its publication does: layers that it does not approximate by full SVD",
     value<&UnitCost::mzis_published>, true},
    {"mzis_full_svd", "1", "full SVD", 1, "MZIs of all layers by full SVD", value<&UnitCost::mzis_full_svd>,
     true},
    {"modulators", "1", "modulators", 1, "modulators, servers' included", value<&UnitCost::modulators>, true},
    {"receivers", "1", "receivers", 1, "receivers, servers' included", value<&UnitCost::receivers>, true},
    {"area", "m2", "mm^2", 1e6, "area of MZIs and delay lines", value<&UnitCost::area_m2>},
    {"columns", "1", "columns", 1, "MZIs in series on the critical path", value<&UnitCost::columns>, true},
    {"conversions", "1", "O/E/O", 1, "optical-electrical-optical conversions on the critical path",
     value<&UnitCost::conversions>, true},
    {"loss", "dB", "dB", 1, "passive loss of the critical path", value<&UnitCost::loss_db>},
    {"most_gain", "dB", "worst dB", 1, "most that one regeneration puts back", value<&UnitCost::most_gain_db>},
    {"delay_line_length", "m", "lines mm", 1e3, "all delay lines", value<&UnitCost::delay_lines_m>},
    {"longest_wait", "s", "", 1, "longest delay line", value<&UnitCost::longest_wait_s>},
    {"longest_wait_loss", "dB", "line dB", 1, "loss of the longest delay line",
     value<&UnitCost::longest_wait_loss_db>},
    {"launch_delay", "s", "", 1, "by which the last digit leaves the servers after the first",
     value<&UnitCost::launch_delay_s>},
    {"memory", "bit", "", 1, "codes that servers hold back for a stage shared in time",
     value<&UnitCost::memory_bits>},
    {"heater_power", "W", "heaters W", 1, "heaters, random static phases trimmed", value<&UnitCost::heater_w>},
    {"power", "W", "W", 1, "electrical power", value<&UnitCost::power_w>},
    {"delay", "s", "ns", 1e9, "first symbol in to its code out", value<&UnitCost::delay_s>},
    {"symbols_in_flight", "1", "in flight", 1, "symbols of a lane between first symbol and its code",
     [](const UnitCost& c) { return c.symbols_in_flight(); }},
    {"symbol_rate", "Bd", "GBd", 1e-9, "symbols per second on every lane", value<&UnitCost::symbol_rate_bd>},
    {"symbol_rate_limit", "Bd", "at most GBd", 1e-9,
     "symbol rate that leaves half of every eye between 3N+1 levels open",
     value<&UnitCost::symbol_rate_limit_bd>},
    {"bit_rate", "bit/s", "Tb/s", 1e-12, "bits of all servers", value<&UnitCost::bits_per_s>},
    {"word_rate", "1/s", "Gwords/s", 1e-9, "codes averaged per second",
     [](const UnitCost& c) { return c.bits_per_s / (c.servers * c.bits); }},
    {"energy_per_bit", "J/bit", "pJ/bit", 1e12, "electrical power over bit rate",
     [](const UnitCost& c) { return c.energy_per_bit_j(); }},
}};

std::string cell(const TableColumn<UnitCost>& q, const UnitCost& c) {
  const double x = q.scale * q.of(c);
  if (x == 0.0) return "-";
  if (q.counts) return fmt::format("{:.0f}", x);
  return std::abs(x) >= 100 ? fmt::format("{:.0f}", x) : fmt::format("{:.3g}", x);
}

std::string share(double part, double whole) { return fmt::format("{:.2f} %", 100 * part / whole); }

}  // namespace

std::string designs_text(const std::vector<ComparedDesign>& designs, const std::string& title) {
  std::vector<std::vector<std::string>> rows = {{"design"}};
  for (const auto& q : quantities)
    if (q.shown()) rows[0].emplace_back(q.heading);
  for (const ComparedDesign& d : designs) {
    rows.push_back({d.entry.name});
    for (const auto& q : quantities)
      if (q.shown()) rows.back().push_back(cell(q, d.cost));
  }
  std::vector<std::size_t> width(rows[0].size(), 0);
  for (const auto& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  std::string text = fmt::format("Designs: {}\n\n", title);
  for (const auto& row : rows) {
    text += fmt::format("  {:<{}}", row[0], width[0]);
    for (std::size_t k = 1; k < row.size(); ++k) text += fmt::format("  {:>{}}", row[k], width[k]);
    text += '\n';
  }
  text +=
      "  columns, O/E/O, dB, ns: on the critical path; worst dB: from full scale to what a receiver sees at "
      "its\n  "
      "largest output, of a step at its rise, a fraction of its sum; lines: "
      "light "
      "that waits;\n  heaters: random static phases trimmed; untrained networks cost what trained ones do.\n\n"
      "What they are, and what is published\n";
  for (const ComparedDesign& d : designs) {
    text += fmt::format("  {:<{}}  {}", d.entry.name, width[0], d.network);
    const auto found = static_cast<double>(d.cost.mzis_published),
               full = static_cast<double>(d.cost.mzis_full_svd);
    if (d.entry.published_mzis > 0)
      text += fmt::format(
          "; published {} of {} MZIs, {}; here {} of {}, {}", d.entry.published_mzis,
          d.entry.published_full_svd,
          share(static_cast<double>(d.entry.published_mzis), static_cast<double>(d.entry.published_full_svd)),
          d.cost.mzis_published, d.cost.mzis_full_svd, share(found, full));
    if (!d.entry.published.empty()) text += fmt::format("; published: {}", d.entry.published);
    if (d.cost.launch_delay_s > 0)
      text += fmt::format("; digits leave the servers up to {:.2f} ns later", 1e9 * d.cost.launch_delay_s);
    if (d.cost.memory_bits > 0) text += fmt::format("; {:.0f} bits held at the servers", d.cost.memory_bits);
    text += '\n';
  }
  return text;
}

Json designs_json(const std::vector<ComparedDesign>& designs, const std::string& title) {
  Json rows = Json::array();
  for (const ComparedDesign& d : designs) {
    Json row = {{"design", d.entry.name}, {"network", d.network}, {"untrained", d.untrained}};
    for (const auto& q : quantities) row[q.name] = q.json(d.cost);
    row["published_mzis"] = d.entry.published_mzis;
    row["published_full_svd"] = d.entry.published_full_svd;
    row["published"] = d.entry.published;
    rows.push_back(std::move(row));
  }
  return {{"title", title}, {"designs", rows}};
}

void write_designs(const Group& group, const DesignList& list, const std::vector<ComparedDesign>& designs) {
  std::vector<std::string> names, networks, published, settings;
  std::vector<std::uint8_t> untrained, time_shared;
  std::vector<std::int64_t> units, published_mzis, published_full;
  for (const ComparedDesign& d : designs) {
    names.push_back(d.entry.name);
    networks.push_back(d.network);
    published.push_back(d.entry.published);
    settings.push_back(fmt::format("{}", fmt::join(d.entry.settings, "; ")));
    untrained.push_back(d.untrained ? 1 : 0);
    time_shared.push_back(d.entry.time_shared ? 1 : 0);
    published_mzis.push_back(d.entry.published_mzis);
    published_full.push_back(d.entry.published_full_svd);
    units.push_back(d.entry.units.empty() ? 1 : 0);
    for (const UnitsOfDesign& u : d.entry.units) units.back() += u.count;
  }
  group.dimension("design", names, "1", "design, one optical unit or several");
  group.dataset("network", {"design"}, networks, "1", "what computes the mean");
  group.dataset("settings", {"design"}, settings, "1", "keys over the study's, section.key=value");
  group.dataset("units", {"design"}, units, "1", "optical units");
  group.dataset("untrained", {"design"}, untrained, "1",
                "1 where weights are Haar-orthogonal: right in cost alone");
  group.dataset("time_shared", {"design"}, time_shared, "1", "1 where one stage serves all digits");
  write_columns(group, "design", quantities, designs.size(),
                [&](std::size_t i) -> const UnitCost& { return designs[i].cost; });
  group.dataset("published_mzis", {"design"}, published_mzis, "1", "MZIs that were published of it, 0: none");
  group.dataset("published_full_svd", {"design"}, published_full, "1", "the same by full SVD, 0: none");
  group.dataset("published", {"design"}, published, "1", "what else is published of it");
  const Attributes attributes = group.attributes();
  attributes.set("study", std::string_view(list.study));
  attributes.set("settings", std::string_view(fmt::format("{}", fmt::join(list.settings, "; "))));
}

}  // namespace optinc
