#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/base/interrupt.hpp"
#include "experiments/base/progress.hpp"
#include "experiments/base/shipped_files.hpp"
#include "experiments/base/terminal.hpp"
#include "experiments/base/text_table.hpp"
#include "experiments/cli/circuit_draws.hpp"
#include "experiments/cli/commands.hpp"
#include "experiments/files/chips/scattering_file.hpp"
#include "experiments/files/chips/verilog_a.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/readers/lumerical.hpp"
#include "experiments/files/readers/netlist.hpp"
#include "experiments/files/readers/text.hpp"
#include "experiments/files/readers/touchstone.hpp"
#include "experiments/study/study_warnings.hpp"
#include "physics/circuit/detection.hpp"
#include "physics/circuit/models.hpp"
#include "physics/circuit/spectrum.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Wavelengths of a file: the first number of every line, a wavelength [m] or a frequency [Hz]; or the
/// frequencies of a block, of Touchstone or Lumerical.
std::vector<double> wavelengths_in(const std::filesystem::path& path) {
  constexpr double no_wavelength = 1e12;  // m
  std::vector<double> wavelengths;
  const auto add_frequencies = [&](const ScatteringSpectrum& block) {
    for (const double hz : block.frequency_hz) wavelengths.push_back(constants::speed_of_light_m_per_s / hz);
  };
  if (has_lumerical_header(path)) {
    add_frequencies(read_lumerical(path).spectrum);
  } else if (touchstone_ports(path) > 0 || is_touchstone_2(path)) {
    add_frequencies(read_touchstone_spectrum(path));
  } else {
    read_text(path, '#', [&](const TextLine& line) {
      const std::string_view cell = line.text.substr(0, line.text.find_first_of(",; \t"));
      const double number = read_number(cell, line, "wavelength");
      wavelengths.push_back(number > no_wavelength ? constants::speed_of_light_m_per_s / number : number);
      validate_wavelength(wavelengths.back());
    });
  }
  std::ranges::sort(wavelengths);
  validate(std::ranges::adjacent_find(wavelengths) == wavelengths.end(),
           "{}: a wavelength stands there twice (a spectrum has each once). Remove one.", path.string());
  return wavelengths;
}

std::vector<double> wavelengths_of(const CircuitArguments& a) {
  if (!a.wavelength_file.empty()) return wavelengths_in(a.wavelength_file);
  const double first = a.wavelengths_m.front(), last = a.wavelengths_m.back();
  validate(std::isfinite(first) && std::isfinite(last) && first > 0 && first <= last,
           "--wavelength-m {} {} (in metres, in ascending order). Try 1.54e-6 1.56e-6.", first, last);
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

/// Numbers by name, as an option has them; `example` shows one.
std::map<std::string, double> numbers_of(std::span<const std::string> texts, std::string_view option,
                                         std::string_view form, std::string_view example,
                                         bool infinite = false) {
  std::map<std::string, double> numbers;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    double value = NAN;
    std::size_t used = 0;
    if (equals != text.npos) try {
        value = std::stod(text.substr(equals + 1), &used);
      } catch (const std::logic_error&) {
      }
    validate((infinite ? !std::isnan(value) : std::isfinite(value)) && equals + 1 + used == text.size(),
             "{} {} (it reads {}=NUMBER). Write, for example, {} {}.", option, text, form, option, example);
    numbers[text.substr(0, equals)] = value;
  }
  return numbers;
}

/// Light that enters a port.
struct LightIn {
  Eigen::Index port = 0;
  double power_w = 0.0;
};

std::optional<LightIn> light_of(const CircuitArguments& a, const std::vector<std::string>& ports) {
  if (a.light.empty()) {
    validate(a.receiver.empty(), "--receiver without --light (receivers read light). Try --light {}=1e-3.",
             ports.front());
    return std::nullopt;
  }
  const auto [name, power_w] = *numbers_of(std::span(&a.light, 1), "--light", "PORT", "in=1e-3").begin();
  const auto port = std::ranges::find(ports, name);
  validate(port != ports.end(), "--light {}: no port \"{}\" (ports of the circuit: {}). Name one of these.",
           a.light, name, fmt::join(ports, ", "));
  validate(power_w >= 0, "--light {} (a power is 0 W or more). Try {}=1e-3.", a.light, name);
  return LightIn{port - ports.begin(), power_w};
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
    summary.largest_out = std::max(summary.largest_out, largest_output(s));
    summary.not_reciprocal = std::max(summary.not_reciprocal, (s - s.transpose()).cwiseAbs().maxCoeff());
  }
  return summary;
}

/// A warning where the grid may miss resonances, for people; empty where it shows all.
std::string grid_warning(const CircuitScattering& circuit) {
  constexpr double resolved = 0.01;  // of the power that enters
  const auto ports = static_cast<Eigen::Index>(circuit.ports.size());
  Unresolved worst;
  Eigen::Index path = 0;
  for (Eigen::Index p = 0; p < ports * ports; ++p)
    if (const Unresolved found = least_foretold(circuit.s.row(p).cwiseAbs2().transpose());
        found.off > worst.off) {
      worst = found;
      path = p;
    }
  if (worst.off <= resolved) return "";
  const auto name = [&](Eigen::Index port) { return circuit.ports[static_cast<std::size_t>(port)]; };
  return fmt::format(
      "from {} to {}, the power at {:.4f} nm is {:.2g} off what its neighbours foretell: the grid may miss "
      "resonances between its points. Use more --points.",
      name(path / ports), name(path % ports), 1e9 * circuit.wavelengths_m[static_cast<std::size_t>(worst.at)],
      worst.off);
}

/// Noise of a circuit with amplifiers and what receivers read, for people: a port each.
struct PortSummary {
  std::string port;
  double emitted_w_per_hz = 0.0;                                            ///< most over the range
  double least_snr = 0.0, at_m = 0.0, power_w = 0.0, photocurrent_a = 0.0;  ///< where the SNR is least
};

std::vector<PortSummary> port_summaries(const CircuitScattering& circuit) {
  std::vector<PortSummary> all;
  for (std::size_t p = 0; p < circuit.ports.size(); ++p) {
    const auto row = static_cast<Eigen::Index>(p);
    PortSummary of_port{circuit.ports[p]};
    if (circuit.emitted_w_per_hz.size() > 0)
      of_port.emitted_w_per_hz = circuit.emitted_w_per_hz.row(row).maxCoeff();
    if (circuit.readings.snr.size() > 0) {
      Eigen::Index at = 0;
      of_port.least_snr = circuit.readings.snr.row(row).minCoeff(&at);
      of_port.at_m = circuit.wavelengths_m[static_cast<std::size_t>(at)];
      of_port.power_w = circuit.readings.power_w(row, at);
      of_port.photocurrent_a = circuit.readings.photocurrent_a(row, at);
    }
    all.push_back(of_port);
  }
  return all;
}

double db(double share) { return 10 * std::log10(share); }

/// Tables of emission and receivers; empty where there is neither.
std::string ports_text(const CircuitScattering& circuit) {
  std::vector<std::vector<std::string>> emitted, read;
  for (const PortSummary& port : port_summaries(circuit)) {
    emitted.push_back({port.port, fmt::format("{:.4g}", port.emitted_w_per_hz)});
    read.push_back({port.port, port.least_snr > 0 ? fmt::format("{:.2f}", db(port.least_snr)) : "no light",
                    fmt::format("{:.4f}", 1e9 * port.at_m), fmt::format("{:.4g}", port.power_w),
                    fmt::format("{:.4g}", port.photocurrent_a)});
  }
  std::string text;
  if (circuit.emitted_w_per_hz.size() > 0) {
    const TextColumn columns[] = {{"emission out of", Align::left, 24}, {"most, W/Hz"}};
    text += "\n" + text_table(columns, emitted, 2);
  }
  if (circuit.readings.snr.size() > 0) {
    const TextColumn columns[] = {
        {"receiver at", Align::left, 24}, {"least SNR, dB"}, {"there: nm"}, {"light, W"}, {"current, A"}};
    text += "\n" + text_table(columns, read, 2);
  }
  return text;
}

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
  return text +
         fmt::format(
             "\n"
             "largest output over input power, for any input: {:.6g}\n"
             "deviation from reciprocity:                     {:.2g}\n",
             summary.largest_out, summary.not_reciprocal) +
         ports_text(circuit);
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
  nlohmann::ordered_json json = {{"devices", devices},
                                 {"ports", circuit.ports},
                                 {"wavelengths", circuit.wavelengths_m.size()},
                                 {"largest_out", summary.largest_out},
                                 {"not_reciprocal", summary.not_reciprocal},
                                 {"paths", paths}};
  for (const PortSummary& port : port_summaries(circuit)) {
    if (circuit.emitted_w_per_hz.size() > 0) json["emission"][port.port] = port.emitted_w_per_hz;
    if (circuit.readings.snr.size() > 0)
      json["receivers"][port.port] = {{"least_snr", port.least_snr},
                                      {"at_m", port.at_m},
                                      {"power_w", port.power_w},
                                      {"photocurrent_a", port.photocurrent_a}};
  }
  return json;
}

std::string models_text() {
  std::string text;
  const auto list = [&](std::span<const ModelSetting> settings) {
    for (const ModelSetting& setting : settings)
      text += hanging_text("    " + setting.name, fmt::format("{} (usual: {})", setting.meaning, setting.usual),
                           26);
  };
  for (const CircuitModel& model : circuit_models()) {
    text += hanging_text(model.name, fmt::format("{} Ports: {}.", model.text, fmt::join(model.ports, ", ")), 2);
    list(model.settings);
  }
  text += hanging_text("--receiver", "Direct receivers at the ports, with --light.", 2);
  list(direct_receiver_settings());
  return text;
}

/// Of all wavelengths, those of a part at once.
CircuitScattering scattering_of(const CircuitComponent& circuit, const CircuitSettings& settings,
                                const std::vector<double>& wavelengths, bool quiet) {
  CircuitScattering found{circuit.ports, wavelengths, {}};
  const auto ports = static_cast<Eigen::Index>(circuit.ports.size()),
             count = static_cast<Eigen::Index>(wavelengths.size());
  found.s.resize(ports * ports, count);
  if (circuit.emission) found.emitted_w_per_hz.resize(ports, count);
  const auto part = static_cast<Eigen::Index>(wavelengths_at_once(circuit));
  Progress progress("wavelengths", (count + part - 1) / part, quiet);
  for (Eigen::Index from = 0; from < count; from += part) {
    check_interrupt();
    const Eigen::Index width = std::min(part, count - from);
    const auto now =
        std::span(wavelengths).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(width));
    found.s.middleCols(from, width) = circuit.scattering(settings, now);
    if (circuit.emission)
      found.emitted_w_per_hz.middleCols(from, width) = emitted_power(circuit.emission(settings, now));
    progress.step();
  }
  return found;
}

/// Throws Error where the file to be written cannot hold what is asked for.
void validate_output(const CircuitArguments& a, const CircuitComponent& circuit, bool lit) {
  const std::string& output = a.out.output;
  const bool stored = !output.empty(),
             is_simulators =
                 stored && (touchstone_ports(output) > 0 || is_touchstone_2(output) || is_verilog_a(output));
  if (stored) {
    require_scattering_extension(output, circuit.ports.size());
    require_not_input(output, circuit.files);
  }
  validate(!a.convention || is_simulators,
           "--convention without a file of Touchstone or Verilog-A (HDF5 and what is printed have the sign of "
           "FORMAT.md). Name "
           "one, such as -o {}.s{}p.",
           std::filesystem::path(a.netlist).stem().string(), circuit.ports.size());
  validate(!stored || !lit || !is_simulators,
           "--light with -o {} (such a file holds scattering alone). Name the output {}.", output,
           std::filesystem::path(output).replace_extension(".h5").string());
}

/// Receivers behind the ports, their readings of light at one of them.
void receive(CircuitScattering& found, const LightIn& light, std::map<std::string, double> settings) {
  const DirectReceiver receiver = direct_receiver(settings);
  found.readings = direct_readings(found.s, found.emitted_w_per_hz, light.port, light.power_w, receiver);
  found.light_port = found.ports[static_cast<std::size_t>(light.port)];
  found.light_power_w = light.power_w;
  for (const ModelSetting& setting : direct_receiver_settings()) settings.emplace(setting.name, setting.usual);
  found.receiver = std::move(settings);
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
  const std::vector<std::string> of_process = process_settings(a.settings);
  validate(of_process.empty() || a.dies > 0, "--set {} without --dies (a process makes dies). Try --dies 1000.",
           of_process.empty() ? "" : of_process.front());
  std::vector<std::string> of_instances = a.settings;
  std::erase_if(of_instances,
                [&](const std::string& text) { return std::ranges::count(of_process, text) > 0; });
  const auto changed = numbers_of(of_instances, "--set", "INSTANCE.SETTING", "bus.eta_rad=0.3");
  const CircuitSettings settings(changed.begin(), changed.end());
  const std::map<std::string, double> of_receiver =
      numbers_of(a.receiver, "--receiver", "SETTING", "bandwidth_hz=20e9", true);
  direct_receiver(of_receiver);  // refuses before a netlist is read
  NetlistOptions options{a.absorb_unconnected};
  for (const std::string& name : a.mappings)
    options.mappings.push_back(read_mapping(shipped_or_own("mappings", name)));
  const CircuitComponent circuit = read_netlist(a.netlist, options);
  const std::optional<LightIn> light = light_of(a, circuit.ports);
  validate_output(a, circuit, light.has_value());
  if (circuit.warnings) print_warnings(circuit.warnings(settings));
  const auto name_what_is_not_read = [&] {
    if (!circuit.not_read.empty()) complain(fmt::format("not read: {}", fmt::join(circuit.not_read, ", ")));
  };
  if (is_drawn(a)) {
    const int status = circuit_draws(a, circuit, settings, wavelengths, typed);
    name_what_is_not_read();
    return status;
  }
  CircuitScattering found = scattering_of(circuit, settings, wavelengths, a.out.quiet);
  if (light) receive(found, *light, of_receiver);
  if (stored)
    write_scattering(a.out.output, found,
                     fmt::format("OptINC circuit: {}", std::filesystem::path(a.netlist).stem().string()), typed,
                     a.out.force, a.convention.value_or(PhaseConvention::rf));
  const CircuitSummary summary = summary_of(found);
  print_text(a.json ? json_text(json_of(found, circuit.devices, summary))
                    : text_of(found, circuit.devices, summary));
  if (const std::string text = a.wavelength_file.empty() ? grid_warning(found) : ""; !text.empty())
    print_warnings({text});
  name_what_is_not_read();
  return 0;
}

}  // namespace optinc
