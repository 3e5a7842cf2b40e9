#include "experiments/cli/circuit_draws.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/progress.hpp"
#include "experiments/base/terminal.hpp"
#include "experiments/base/text_table.hpp"
#include "experiments/files/chips/scattering_file.hpp"
#include "experiments/files/readers/circuit_on_die.hpp"
#include "experiments/files/readers/text.hpp"
#include "experiments/files/readers/toml_text.hpp"
#include "experiments/study/study_config.hpp"
#include "physics/core/check.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr std::string_view of_process = "fabrication.";
constexpr std::size_t most_draws = 1'000'000, most_stored = std::size_t{1} << 27, most_rows = 24;

/// Values of a setting, as an option has them: PATH=[VALUE, ..].
struct SettingValues {
  std::string path;
  std::vector<double> values;
};

SettingValues values_of(const std::string& text, std::string_view option, std::string_view meaning) {
  const std::string typed = fmt::format("{} {}", option, text);
  const std::size_t equals = std::min(text.find('='), text.size());
  SettingValues found{text.substr(0, equals), {}};
  const Document table = equals < text.size()
                             ? document_of(parse_toml("values" + text.substr(equals), {typed, true}), "")
                             : nullptr;
  const DocumentNode* const list = table ? table->find("values") : nullptr;
  validate(list != nullptr && list->kind == DocumentNode::Kind::list && !list->items.empty() &&
               std::ranges::all_of(list->items,
                                   [](const Document& item) {
                                     return item->kind == DocumentNode::Kind::number &&
                                            std::isfinite(item->number);
                                   }),
           "{} (it reads INSTANCE.SETTING=[{}]). Write, for example, {} arm.length_m=[100e-6, 1e-6].", typed,
           meaning, option);
  // cppcheck-suppress nullPointer // validate() has thrown
  for (const Document& item : list->items) found.values.push_back(item->number);
  return found;
}

/// What is drawn on each die.
struct DieDraws {
  std::vector<SettingValues> spreads;   ///< mean and standard deviation of each
  std::optional<PlaceProcess> process;  ///< of the wafer
  std::uint64_t seed = 1;
};

DieDraws die_draws(const CircuitArguments& a, const CircuitComponent& circuit, const CircuitSettings& fixed) {
  DieDraws made;
  made.seed = a.seed;
  for (const std::string& text : a.spreads) {
    made.spreads.push_back(values_of(text, "--spread", "MEAN, STANDARD DEVIATION"));
    validate(made.spreads.back().values.size() == 2 && made.spreads.back().values[1] >= 0,
             "--spread {} (a mean and a standard deviation, 0 or more). Write both.", text);
  }
  if (a.dies == 0) return made;
  Overrides overrides;
  overrides.settings = process_settings(a.settings);
  overrides.settings.insert(overrides.settings.begin(), "fabrication.process=wafer");
  constexpr std::string_view smallest_study = "model = \"mesh\"\n[mesh]\nports = 2\n";  // which fits on any die
  const FabricationSettings fabrication = parse_config(smallest_study, "circuit", overrides).fabrication;
  if (fabrication.process == FabricationProcess::wafer)
    made.process = process_at_places(
        circuit, circuit.has_placements ? circuit.placed_devices(fixed) : std::vector<PlacedDevice>{},
        fabrication.shared, fabrication.wafer);
  return made;
}

/// Adds the settings of one die to `now`, which has those of a point of the sweeps.
void draw_die(const DieDraws& draws, const CircuitComponent& circuit, std::uint32_t die, CircuitSettings& now,
              std::map<std::string, double>& values) {
  for (std::size_t s = 0; s < draws.spreads.size(); ++s) {
    const auto& [path, spread] = draws.spreads[s];
    // a circuit has no other sweep that draws
    Stream stream(draws.seed, Purpose::sweep, die, static_cast<std::uint32_t>(s));
    values[path] = spread[0] + spread[1] * stream.normal();
    now.insert_or_assign(path, values[path]);
  }
  if (!draws.process) return;
  for (const auto& [path, value] :
       settings_of_die(circuit.placed_devices(now), *draws.process, draws.seed, die))
    values[path] = value;
}

/// The settings of every draw.
CircuitSweep sweep_of(const CircuitArguments& a, const CircuitComponent& circuit,
                      const CircuitSettings& fixed) {
  std::vector<SettingValues> sweeps;
  std::size_t count = static_cast<std::size_t>(std::max(a.dies, 1));
  for (const std::string& text : a.sweeps) {
    sweeps.push_back(values_of(text, "--sweep", "VALUE, VALUE, .."));
    count *= std::min(sweeps.back().values.size(), most_draws);
    validate(count <= most_draws, "{} draws of the circuit and more (at most {}). Sweep fewer values.", count,
             most_draws);
  }
  const DieDraws draws = die_draws(a, circuit, fixed);
  CircuitSweep sweep;
  for (std::size_t draw = 0; draw < count; ++draw) {
    std::size_t rest = draw / static_cast<std::size_t>(std::max(a.dies, 1));
    std::map<std::string, double> values;
    for (auto of = sweeps.rbegin(); of != sweeps.rend(); ++of) {
      values[of->path] = of->values[rest % of->values.size()];
      rest /= of->values.size();
    }
    CircuitSettings now = fixed;
    for (const auto& [path, value] : values) now.insert_or_assign(path, value);
    if (a.dies > 0)
      draw_die(draws, circuit, static_cast<std::uint32_t>(draw % static_cast<std::size_t>(a.dies)), now,
               values);
    for (const auto& [path, value] : values) {
      std::vector<double>& of = sweep[path];
      of.resize(count);
      of[draw] = value;
    }
  }
  return sweep;
}

/// Least and largest transmission over wavelength of a path, of each draw.
struct DrawnPath {
  std::string in, out;
  std::vector<double> least, most;
};

/// All paths, and, if they are wanted, all matrices.
struct DrawnScattering {
  std::vector<DrawnPath> paths;
  Matrix s;  ///< (ports^2, draws x wavelengths)
};

DrawnScattering computed(const CircuitComponent& circuit, const CircuitSettings& fixed,
                         const CircuitSweep& sweep, std::span<const double> wavelengths_m, bool stored,
                         bool quiet) {
  const std::size_t draws = sweep.begin()->second.size(), width = wavelengths_m.size(),
                    ports = circuit.ports.size();
  DrawnScattering made;
  for (const std::string& in : circuit.ports)
    for (const std::string& out : circuit.ports)
      made.paths.push_back({in, out, std::vector<double>(draws), std::vector<double>(draws)});
  if (stored) made.s.resize(static_cast<Eigen::Index>(ports * ports), static_cast<Eigen::Index>(draws * width));
  const std::size_t part = std::max<std::size_t>(1, wavelengths_at_once(circuit) / width);
  Progress progress("draws", static_cast<long>((draws + part - 1) / part), quiet);
  for (std::size_t first = 0; first < draws; first += part) {
    check_interrupt();
    const std::size_t count = std::min(part, draws - first);
    const Matrix s = swept_scattering(circuit, fixed, {sweep, first, count}, wavelengths_m);
    for (std::size_t draw = 0; draw < count; ++draw)
      for (std::size_t p = 0; p < made.paths.size(); ++p) {
        const auto power =
            s.row(static_cast<Eigen::Index>(p))
                .segment(static_cast<Eigen::Index>(draw * width), static_cast<Eigen::Index>(width))
                .cwiseAbs2();
        made.paths[p].least[first + draw] = power.minCoeff();
        made.paths[p].most[first + draw] = power.maxCoeff();
      }
    if (stored)
      made.s.middleCols(static_cast<Eigen::Index>(first * width), static_cast<Eigen::Index>(count * width)) = s;
    progress.step();
  }
  std::erase_if(made.paths, [](const DrawnPath& path) { return std::ranges::max(path.most) == 0.0; });
  std::ranges::stable_sort(made.paths, std::greater<>{},
                           [](const DrawnPath& path) { return std::ranges::max(path.most); });
  return made;
}

std::string db_text(double share) {
  return share > 0 ? fmt::format("{:.3f}", 10 * std::log10(share)) : "no light";
}

/// How the transmissions of many draws are distributed: 5 %, median, 95 %.
std::string distribution_text(const std::vector<DrawnPath>& paths) {
  const auto quantile = [](std::vector<double> values, double share) {
    const auto at = values.begin() +
                    static_cast<std::ptrdiff_t>(std::lround(share * static_cast<double>(values.size() - 1)));
    std::ranges::nth_element(values, at);
    return db_text(*at);
  };
  std::vector<std::vector<std::string>> rows;
  for (const DrawnPath& path : paths) {
    if (rows.size() == most_rows) break;
    rows.push_back({path.in, path.out});
    for (const auto* values : {&path.least, &path.most})
      for (const double share : {0.05, 0.5, 0.95}) rows.back().push_back(quantile(*values, share));
  }
  const TextColumn columns[] = {{"from", Align::left, 24},
                                {"to", Align::left, 24},
                                {"least, dB: 5 %"},
                                {"median"},
                                {"95 %"},
                                {"most, dB: 5 %"},
                                {"median"},
                                {"95 %"}};
  return text_table(columns, rows, 2);
}

/// The transmissions at every point of the sweeps, from the port `in`.
std::string points_text(std::vector<DrawnPath> paths, const CircuitSweep& sweep, const std::string& in) {
  constexpr std::size_t most_paths = 4;
  std::erase_if(paths, [&](const DrawnPath& path) { return path.in != in; });
  if (paths.size() > most_paths) paths.resize(most_paths);
  std::vector<TextColumn> columns;
  for (const auto& [path, values] : sweep) columns.push_back({path});
  for (const DrawnPath& path : paths)
    for (const char* what : {"least", "most"})
      columns.push_back({fmt::format("{} to {}, {}, dB", in, path.out, what)});
  std::vector<std::vector<std::string>> rows;
  for (std::size_t draw = 0; draw < std::min(sweep.begin()->second.size(), most_rows); ++draw) {
    rows.emplace_back();
    for (const auto& [path, values] : sweep) rows.back().push_back(fmt::format("{:.6g}", values[draw]));
    for (const DrawnPath& path : paths)
      for (const auto* values : {&path.least, &path.most}) rows.back().push_back(db_text((*values)[draw]));
  }
  return text_table(columns, rows, sweep.size());
}

nlohmann::ordered_json json_of(const CircuitArguments& a, const CircuitComponent& circuit,
                               const CircuitSweep& sweep, const std::vector<DrawnPath>& found) {
  nlohmann::ordered_json paths = nlohmann::json::array();
  for (const DrawnPath& path : found)
    paths.push_back({{"from", path.in}, {"to", path.out}, {"least", path.least}, {"most", path.most}});
  return {{"devices", circuit.devices},
          {"ports", circuit.ports},
          {"draws", sweep.begin()->second.size()},
          {"dies", a.dies},
          {"settings", sweep},
          {"paths", paths}};
}

}  // namespace

bool is_drawn(const CircuitArguments& a) { return a.dies != 0 || !a.sweeps.empty() || !a.spreads.empty(); }

std::vector<std::string> process_settings(std::span<const std::string> settings) {
  std::vector<std::string> found;
  std::ranges::copy_if(settings, std::back_inserter(found),
                       [](const std::string& s) { return s.starts_with(of_process); });
  return found;
}

int circuit_draws(const CircuitArguments& a, const CircuitComponent& circuit, const CircuitSettings& fixed,
                  std::span<const double> wavelengths_m, std::string_view typed) {
  const bool stored = !a.out.output.empty();
  validate(a.dies >= 0 && static_cast<std::size_t>(a.dies) <= most_draws, "--dies {} (1..{}). Try 1000.",
           a.dies, most_draws);
  validate(a.spreads.empty() || a.dies > 0,
           "--spread without --dies (settings are drawn for every die). Try --dies 1000.");
  validate(a.light.empty(), "--light with draws of a circuit (receivers read one circuit). Leave one out.");
  validate(!stored || extension_of(a.out.output) == ".h5",
           "{}: draws of a circuit (a file of Touchstone or Verilog-A holds one). Name the output {}.",
           a.out.output, std::filesystem::path(a.out.output).replace_extension(".h5").string());
  const CircuitSweep sweep = sweep_of(a, circuit, fixed);
  validate(!sweep.empty(),
           "--dies {} vary nothing (no device of the circuit depends on the process). Give --spread.", a.dies);
  const std::size_t draws = sweep.begin()->second.size(),
                    elements = circuit.ports.size() * circuit.ports.size() * wavelengths_m.size();
  validate(
      !stored || draws <= most_stored / elements,
      "{} draws of {} wavelengths and {} ports (a file holds at most {} fields). Use fewer, or leave -o out.",
      draws, wavelengths_m.size(), circuit.ports.size(), most_stored);
  DrawnScattering found = computed(circuit, fixed, sweep, wavelengths_m, stored, a.out.quiet);
  if (stored) {
    CircuitScattering all{circuit.ports, {wavelengths_m.begin(), wavelengths_m.end()}, std::move(found.s)};
    all.drawn = sweep;
    write_scattering(a.out.output, all,
                     fmt::format("OptINC circuit: {}", std::filesystem::path(a.netlist).stem().string()), typed,
                     a.out.force);
  }
  if (a.json) {
    print_text(json_text(json_of(a, circuit, sweep, found.paths)));
    return 0;
  }
  std::string text = fmt::format("{} draws of {} devices, {} ports, {} wavelengths\n\n", draws, circuit.devices,
                                 circuit.ports.size(), wavelengths_m.size());
  text += a.dies > 0 ? distribution_text(found.paths) : points_text(found.paths, sweep, circuit.ports.front());
  const std::size_t rows = a.dies > 0 ? found.paths.size() : draws;
  if (rows > most_rows)
    text += fmt::format("({} more {} not shown)\n", rows - most_rows, a.dies > 0 ? "paths" : "points");
  print_text(text);
  return 0;
}

}  // namespace optinc
