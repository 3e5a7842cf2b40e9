#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/cli/commands.hpp"
#include "experiments/engine/process/interrupt.hpp"
#include "experiments/engine/process/progress.hpp"
#include "experiments/engine/process/text_table.hpp"
#include "experiments/engine/store/atomic_file.hpp"
#include "experiments/io/netlist_file.hpp"
#include "experiments/io/scattering_file.hpp"
#include "physics/circuit/models.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr double largest_part = 1 << 22;  // elements of S of all devices at once, 64 MiB

std::vector<double> wavelengths_of(const CircuitArguments& a) {
  const double first = a.wavelengths_m.front(), last = a.wavelengths_m.back();
  validate(std::isfinite(first) && std::isfinite(last) && first > 0 && first <= last,
           "--wavelength-m {} {} (in metres, the first no longer than the last). Try 1.54e-6 1.56e-6.", first,
           last);
  constexpr int most_points = 10'000'000;
  validate(a.points >= 1 && a.points <= most_points, "--points {} (1..{}). Try 1001.", a.points, most_points);
  validate((a.points > 1) == (first < last),
           "--wavelength-m {} {} with --points {} (one wavelength is one point, a range has two or more). Set "
           "--points.",
           first, last, a.points);
  std::vector<double> wavelengths;
  for (int i = 0; i < a.points; ++i)
    wavelengths.push_back(i == 0              ? first
                          : i == a.points - 1 ? last
                                              : first + (last - first) * i / (a.points - 1));
  return wavelengths;
}

CircuitSettings settings_of(const CircuitArguments& a) {
  CircuitSettings settings;
  for (const std::string& text : a.settings) {
    const std::size_t equals = text.find('=');
    double value = NAN;
    std::size_t used = 0;
    if (equals != text.npos) try {
        value = std::stod(text.substr(equals + 1), &used);
      } catch (const std::logic_error&) {
      }
    validate(std::isfinite(value) && equals + 1 + used == text.size(),
             "--set {} (it reads INSTANCE.SETTING=NUMBER). Write, for example, --set bus.eta_rad=0.3.", text);
    settings[text.substr(0, equals)] = value;
  }
  return settings;
}

/// What light does between two ports.
struct CircuitPath {
  std::string in, out;
  double least = 0.0, most = 0.0, most_at_m = 0.0;  ///< share of the power
};

/// A circuit's laws and spectra, for people.
struct CircuitSummary {
  std::vector<CircuitPath> paths;  ///< those that carry light, the strongest first
  double largest_out = 0.0;        ///< most power that leaves for a power of 1 that enters, in any shape
  double not_reciprocal = 0.0;     ///< largest |S_ij - S_ji|
};

CircuitSummary summary_of(const CircuitScattering& circuit) {
  const auto ports = static_cast<Eigen::Index>(circuit.ports.size());
  CircuitSummary summary;
  for (Eigen::Index in = 0; in < ports; ++in)
    for (Eigen::Index out = 0; out < ports; ++out) {
      const auto power = circuit.s.row(in * ports + out).cwiseAbs2();
      Eigen::Index at = 0;
      const double most = power.maxCoeff(&at);
      if (most == 0.0) continue;
      const auto name = [&](Eigen::Index port) { return circuit.ports[static_cast<std::size_t>(port)]; };
      summary.paths.push_back(
          {name(in), name(out), power.minCoeff(), most, circuit.wavelengths_m[static_cast<std::size_t>(at)]});
    }
  std::ranges::stable_sort(summary.paths, std::greater<>{}, &CircuitPath::most);
  for (Eigen::Index w = 0; w < circuit.s.cols(); ++w) {
    const Matrix s = circuit.s.col(w).reshaped(ports, ports);
    summary.largest_out = std::max(
        summary.largest_out, Eigen::SelfAdjointEigenSolver<Matrix>(s.adjoint() * s, Eigen::EigenvaluesOnly)
                                 .eigenvalues()
                                 .maxCoeff());
    summary.not_reciprocal = std::max(summary.not_reciprocal, (s - s.transpose()).cwiseAbs().maxCoeff());
  }
  return summary;
}

double db(double share) { return 10 * std::log10(share); }

std::string text_of(const CircuitScattering& circuit, std::size_t devices, const CircuitSummary& summary) {
  constexpr std::size_t most_paths = 24;
  std::vector<std::vector<std::string>> rows;
  for (const CircuitPath& path : summary.paths) {
    if (rows.size() == most_paths) break;
    rows.push_back({path.in, path.out, path.least > 0 ? fmt::format("{:.3f}", db(path.least)) : "no light",
                    fmt::format("{:.3f}", db(path.most)), fmt::format("{:.4f}", 1e9 * path.most_at_m)});
  }
  const TextColumn columns[] = {
      {"from", Align::left, 24}, {"to", Align::left, 24}, {"least, dB"}, {"most, dB"}, {"most at, nm"}};
  std::string text = fmt::format("{} devices, {} ports, {} wavelengths\n\n{}", devices, circuit.ports.size(),
                                 circuit.wavelengths_m.size(), text_table(columns, rows, 2));
  if (summary.paths.size() > rows.size())
    text += fmt::format("({} weaker paths not shown)\n", summary.paths.size() - rows.size());
  return text + fmt::format(
                    "\nmost light that leaves, in any shape: {:.6g} of what enters\n"
                    "not reciprocal by:                    {:.2g}\n",
                    summary.largest_out, summary.not_reciprocal);
}

nlohmann::ordered_json json_of(const CircuitScattering& circuit, std::size_t devices,
                               const CircuitSummary& summary) {
  nlohmann::ordered_json paths = nlohmann::json::array();
  for (const CircuitPath& path : summary.paths)
    paths.push_back({{"from", path.in},
                     {"to", path.out},
                     {"least", path.least},
                     {"most", path.most},
                     {"most_at_m", path.most_at_m}});
  return {{"devices", devices},
          {"ports", circuit.ports},
          {"wavelengths", circuit.wavelengths_m.size()},
          {"largest_out", summary.largest_out},
          {"not_reciprocal", summary.not_reciprocal},
          {"paths", paths}};
}

std::string models_text() {
  std::string text;
  for (const CircuitModel& model : circuit_models()) {
    text += hanging_text(model.name, fmt::format("{} Ports: {}.", model.text, fmt::join(model.ports, ", ")), 2);
    for (const ModelSetting& setting : model.settings)
      text += hanging_text("    " + setting.name, fmt::format("{} (usual: {})", setting.meaning, setting.usual),
                           26);
  }
  return text;
}

}  // namespace

int circuit_command(const CircuitArguments& a, std::string_view typed) {
  if (a.models) {
    fmt::print("{}", models_text());
    return 0;
  }
  validate(!a.netlist.empty(), "no netlist (a file in YAML or JSON). Try optinc circuit --help.");
  const bool stored = !a.out.output.empty();
  if (stored) {
    require_not_input(a.out.output, {a.netlist});
    require_writable_output(a.out.output, a.out.force);
  }
  const std::vector<double> wavelengths = wavelengths_of(a);
  const CircuitSettings settings = settings_of(a);
  const CircuitComponent circuit = read_netlist(a.netlist, a.absorb_unconnected);
  if (stored) {
    require_scattering_extension(a.out.output, circuit.ports.size());
    require_not_input(a.out.output, circuit.files);
  }
  CircuitScattering found{circuit.ports, wavelengths, {}};
  const auto ports = static_cast<Eigen::Index>(circuit.ports.size()),
             count = static_cast<Eigen::Index>(wavelengths.size());
  found.s.resize(ports * ports, count);
  constexpr double elements_per_device = 16;
  const auto part = std::max<Eigen::Index>(
      16,
      static_cast<Eigen::Index>(largest_part / (elements_per_device * static_cast<double>(circuit.devices))));
  {
    Progress progress("wavelengths", (count + part - 1) / part, a.out.quiet);
    for (Eigen::Index from = 0; from < count; from += part) {
      check_interrupt();
      const Eigen::Index width = std::min(part, count - from);
      found.s.middleCols(from, width) = circuit.scattering(
          settings,
          std::span(wavelengths).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(width)));
      progress.step();
    }
  }
  if (stored)
    write_scattering(a.out.output, found,
                     fmt::format("OptINC circuit: {}", std::filesystem::path(a.netlist).stem().string()), typed,
                     a.out.force);
  const CircuitSummary summary = summary_of(found);
  fmt::print("{}", a.json ? json_of(found, circuit.devices, summary).dump(2) + "\n"
                          : text_of(found, circuit.devices, summary));
  return 0;
}

}  // namespace optinc
