#include "experiments/designs/operating_point_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/base/text_table.hpp"
#include "experiments/files/hdf5/table_column.hpp"
#include "experiments/models/networks.hpp"
#include "experiments/run/trials/statistics.hpp"

namespace optinc {
namespace {

using Json = nlohmann::ordered_json;

std::string_view sampling(const DesignPoint& d) { return name_of(searched_sampling(d.config)); }

/// A number of a point, NaN where there is none.
template <class Of>
double at_point(const DesignPoint& d, Of of) {
  return d.point.found() ? of(d.point) : std::numeric_limits<double>::quiet_NaN();
}

template <auto member>
double cost(const DesignPoint& d) {
  return at_point(d, [](const OperatingPoint& p) { return static_cast<double>(p.cost.*member); });
}

Interval wrong_share(const DesignPoint& d) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return d.point.words > 0 ? clopper_pearson(d.point.wrong, d.point.words) : Interval{nan, nan};
}

/// Settings at the point, or those of the study where none was found.
OperatingValues<double> values_of(const DesignPoint& d) {
  return d.point.found() ? d.point.values : operating_values(d.config.hardware);
}

const std::vector<TableColumn<DesignPoint>> quantities = {
    {"of_design", "1", "design of the list, which several points may be of", &DesignPoint::design},
    {"network", "1", "network.source: file of the network, or carry-chain",
     [](const auto& d) { return d.config.network.source; }},
    {"noise_set", "1", "noise.set that acts", [](const auto& d) { return d.config.noise.set; }, "noise"},
    {"chip_preset", "1", "chip.preset of the chips", [](const auto& d) { return d.config.chip.preset; },
     "chips"},
    {"sampling", "1", "time.sampling of neurons and servers, clocked or unclocked", sampling, "neurons"},
    {"symbol_rate", "Bd", "fastest symbol rate of every lane at which the unit decodes",
     [](const auto& d) { return at_point(d, [](const auto& p) { return p.symbol_rate_bd; }); }, "GBd", 1e-9},
    {"receiver_bandwidth", "Hz", "3 dB bandwidth of every receiver",
     [](const auto& d) { return at_point(d, [](const auto& p) { return p.receiver_bandwidth_hz; }); },
     "receivers GHz", 1e-9},
    {"equaliser_taps", "1", "taps of every receiver's equaliser",
     [](const auto& d) { return static_cast<double>(d.config.hardware.timing.equaliser_taps); }},
    {"wrong_words", "1",
     "share of words wrong, all chips together; estimated where it is less than one of them",
     [](const auto& d) {
       return d.point.rare_wrong > 0 ? d.point.rare_wrong
                                     : static_cast<double>(d.point.wrong) / static_cast<double>(d.point.words);
     },
     "wrong"},
    {"wrong_words_low", "1", "95 % interval (Clopper, Pearson), lower end",
     [](const auto& d) { return wrong_share(d).low; }},
    {"wrong_words_high", "1", "95 % interval (Clopper, Pearson), upper end",
     [](const auto& d) { return wrong_share(d).high; }},
    {"words", "1", "words sent", [](const auto& d) { return d.point.words; }},
    {"chips", "1", "chips on which the point was confirmed", [](const auto& d) { return d.point.chips; }},
    {"chips_right", "1", "chips that pass, with few enough words wrong",
     [](const auto& d) { return d.point.chips_right; }},
    {"bit_rate", "bit/s", "bit rate of all servers' codes",
     [](const auto& d) { return at_point(d, [](const auto& p) { return p.bits_per_s(); }); }, "Tb/s", 1e-12},
    {"static_power", "W", "power of heaters, lasers, receivers and control", cost<&UnitCost::static_power_w>,
     "static W"},
    {"symbol_power", "W", "power of drivers, converters, clocks and equalisers at the symbol rate",
     cost<&UnitCost::symbol_power_w>, "symbols W"},
    {"energy_per_bit", "J", "total power over bit rate",
     [](const auto& d) { return at_point(d, [](const auto& p) { return p.energy_per_bit_j(); }); }, "pJ/bit",
     1e12},
    {"delay", "s", "delay from the first symbol in to its code out", cost<&UnitCost::delay_s>, "ns", 1e9},
    {"area", "m2", "area of the dies", cost<&UnitCost::area_m2>, "die mm^2", 1e6},
    {"mzis", "1", "MZIs as built", cost<&UnitCost::mzis>, "MZIs"},
    {"receivers", "1", "receivers, including the servers'", cost<&UnitCost::receivers>},
    {"launch_power", "W", "full-scale power of a server's modulator",
     [](const auto& d) { return values_of(d).launch_power_w; }, "server mW", 1e3},
    {"drive_depth", "1", "depth of the drive of servers' modulators",
     [](const auto& d) { return values_of(d).drive_depth; }, "depth"},
    {"signal_full_scale", "W", "full-scale power of a neuron's modulator",
     [](const auto& d) { return values_of(d).signal_full_scale_w; }, "neuron uW", 1e6},
    {"lo_power", "W", "power of a receiver's local oscillator",
     [](const auto& d) { return values_of(d).oscillator_w; }, "LO mW", 1e3},
    {"converter_bits", "1", "effective bits of the servers' converters",
     [](const auto& d) { return values_of(d).converter_bits; }, "bits"},
    {"neuron_lo_power", "W", "local oscillator of neurons' receivers; 0: as the servers'",
     [](const auto& d) { return values_of(d).neuron_oscillator_w; }},
    {"neuron_receiver_bandwidth", "Hz", "bandwidth of neurons' receivers; 0: as the servers'",
     [](const auto& d) { return values_of(d).neuron_bandwidth_hz; }},
    {"owner_launch_power", "W", "full-scale power of an owner's modulator; 0: as a server's",
     [](const auto& d) { return values_of(d).owner_launch_power_w; }},
    {"owner_lo_power", "W", "local oscillator of receivers of an owner's answers; 0: as others",
     [](const auto& d) { return values_of(d).owner_oscillator_w; }},
    {"owner_converter_bits", "1", "effective bits of converters of an owner's answers; 0: as others",
     [](const auto& d) { return values_of(d).owner_converter_bits; }},
    {"owner_drive_depth", "1", "depth of the drive of an owner's modulators; 0: as a server's",
     [](const auto& d) { return values_of(d).owner_drive_depth; }},
    {"owner_receiver_bandwidth", "Hz", "bandwidth of receivers of an owner's answers; 0: as others",
     [](const auto& d) { return values_of(d).owner_bandwidth_hz; }},
    {"estimated_wrong", "1", "share of words wrong by the Gaussian estimate; 0: none was made (--goal rate)",
     [](const auto& d) { return d.point.estimated_wrong; }},
    {"modulator_bandwidth", "Hz", "3 dB bandwidth of every modulator",
     [](const auto& d) { return d.config.hardware.modulator.bandwidth_hz; }},
};

std::string cell(const TableColumn<DesignPoint>& q, const DesignPoint& d) {
  const FieldValue value = q.of(d);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const double x = q.number(d);
  if (!std::isfinite(x)) return "none";
  if (q.name.ends_with("wrong_words")) return fmt::format("{:.1e}", x);
  return std::abs(x) >= 100 ? fmt::format("{:.0f}", x) : fmt::format("{:.3g}", x);
}

std::string criterion(const OperatingPointSearch& search) {
  return fmt::format("{} with at most {:g} of words wrong on {:g} % of {} chips, {} words each",
                     search.goal == Goal::rate     ? "highest symbol rate"
                     : search.goal == Goal::energy ? "least energy per bit"
                                                   : "least light",
                     search.wrong, 100 * search.chips_right, search.chips, search.words);
}

}  // namespace

std::string points_text(const std::vector<DesignPoint>& points, const std::string& title,
                        const OperatingPointSearch& search) {
  std::vector<TextColumn> columns = {{"design", Align::left}};
  for (const auto& q : quantities)
    if (q.shown())
      columns.push_back(
          {q.heading, std::holds_alternative<std::string>(q.of(DesignPoint())) ? Align::left : Align::right});
  std::vector<std::vector<std::string>> rows;
  for (const DesignPoint& d : points) {
    rows.push_back({d.name});
    for (const auto& q : quantities)
      if (q.shown()) rows.back().push_back(cell(q, d));
  }
  return hanging_text("Operating points:", title, 18) + hanging_text("Criterion:", criterion(search), 18) +
         '\n' + text_table(columns, rows, 1) +
         hanging_text("",
                      "All values in a row hold at its symbol rate and bandwidth. none: no rate was found; "
                      "wrong is then that of the last rate tried.",
                      2);
}

Json points_json(const std::vector<DesignPoint>& points, const std::string& title,
                 const OperatingPointSearch& search) {
  Json rows = Json::array();
  for (const DesignPoint& d : points) {
    Json row = {{"design", d.name}, {"found", d.point.found()}};
    row.update(json_row(quantities, d));
    rows.push_back(std::move(row));
  }
  return {{"title", title}, {"criterion", criterion(search)}, {"points", rows}};
}

std::string points_list(DesignList list, const std::vector<DesignPoint>& points,
                        const OperatingPointSearch& search, std::string_view command,
                        const std::filesystem::path& folder) {
  std::vector<DesignEntry> found;
  std::string cascades;
  for (const DesignPoint& d : points) {
    if (!d.point.found()) continue;
    if (network_configs(d.config).size() > 1) {
      cascades += fmt::format("# Left out, a cascade: {}.\n", d.name);
      continue;
    }
    DesignEntry& entry = found.emplace_back(*std::ranges::find(list.designs, d.design, &DesignEntry::name));
    entry.name = d.name, entry.settings = d.settings;
    entry.settings.push_back(fmt::format("time.sampling={}", sampling(d)));
    OperatingValues<double> values = d.point.values, given = operating_values(d.config.hardware);
    for (std::size_t k = 0; k < operating_variables; ++k)
      if (search.goal != Goal::rate || *values.all()[k] != *given.all()[k])
        if (*values.all()[k] > 0)
          entry.settings.push_back(fmt::format("{}={}", operating_keys[k], *values.all()[k]));
  }
  list.designs = std::move(found);
  list.title += ", at their operating points";
  return fmt::format("# {}.\n# {}\n{}{}", criterion(search), command, cascades, design_list_text(list, folder));
}

void write_points(const Group& group, const DesignList& list, const std::vector<DesignPoint>& points,
                  const OperatingPointSearch& search) {
  std::vector<std::string> names;
  for (const DesignPoint& d : points) names.push_back(d.name);
  group.dimension("design", names, "1", "design, one optical unit");
  write_columns(group, "design", quantities, points);
  const Attributes attributes = group.attributes();
  attributes.set("criterion", std::string_view(criterion(search)));
  attributes.set("wrong", search.wrong);
  attributes.set("chips_right", search.chips_right);
  attributes.set("study", std::string_view(list.study));
  attributes.set("settings", std::string_view(fmt::format("{}", fmt::join(list.settings, "; "))));
}

}  // namespace optinc
