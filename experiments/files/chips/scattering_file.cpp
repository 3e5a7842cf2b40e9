#include "experiments/files/chips/scattering_file.hpp"

#include "experiments/files/chips/touchstone_text.hpp"
#include "experiments/files/chips/verilog_a.hpp"
#include "experiments/files/hdf5/atomic_file.hpp"
#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/files/readers/text.hpp"
#include "experiments/files/readers/touchstone.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// The settings of all draws (draw, setting).
void save_draws(const Group& group, const CircuitSweep& drawn) {
  const std::size_t draws = drawn.begin()->second.size();
  std::vector<std::string> names;
  std::vector<double> values(draws * drawn.size());
  for (const auto& [path, of] : drawn) {
    for (std::size_t draw = 0; draw < draws; ++draw) values[draw * drawn.size() + names.size()] = of[draw];
    names.push_back(path);
  }
  group.counting_dimension("draw", draws, "draw of the settings");
  group.dimension("setting", names, "1", "setting that differs from draw to draw");
  group.dataset("settings", {"draw", "setting"}, values, "SI", "value of the setting");
}

void save_scattering(const Group& group, const CircuitScattering& circuit) {
  const std::size_t ports = circuit.ports.size();
  group.dimension("wavelength", circuit.wavelengths_m, "m", "wavelength of the light");
  group.dimension("port_out", circuit.ports, "1", "port that light leaves by");
  group.dimension("port_in", circuit.ports, "1", "port that light enters by");
  group.dimension("complex", std::vector<std::string>{"re", "im"}, "1", "part of a complex number");
  std::vector<double> values;
  values.reserve(2 * static_cast<std::size_t>(circuit.s.size()));
  for (Eigen::Index w = 0; w < circuit.s.cols(); ++w)
    for (std::size_t out = 0; out < ports; ++out)
      for (std::size_t in = 0; in < ports; ++in) {
        const Complex value = circuit.s(static_cast<Eigen::Index>(in * ports + out), w);
        values.push_back(value.real());
        values.push_back(value.imag());
      }
  std::vector<std::string_view> axes = {"wavelength", "port_out", "port_in", "complex"};
  if (!circuit.drawn.empty()) {
    save_draws(group, circuit.drawn);
    axes.insert(axes.begin(), "draw");
  }
  group.dataset("scattering", std::span<const std::string_view>(axes), std::span<const double>(values), "1",
                "field that leaves over field that enters");
  const auto of_ports = [&](std::string_view name, const Eigen::MatrixXd& found, std::string_view unit,
                            std::string_view meaning) {
    if (found.size() > 0)
      group.dataset(name, {"wavelength", "port_out"},
                    std::vector<double>(found.data(), found.data() + found.size()), unit, meaning);
  };
  of_ports("emission", circuit.emitted_w_per_hz, "W/Hz",
           "spontaneous emission of the circuit's amplifiers, one polarisation");
  of_ports("photocurrent", circuit.readings.photocurrent_a, "A",
           "mean current of a direct receiver at the port");
  of_ports("snr", circuit.readings.snr, "1", "electrical signal to noise ratio of that receiver");
  if (circuit.readings.snr.size() == 0) return;
  group.attributes().set("light_port", circuit.light_port);
  group.attributes().set("light_power_w", circuit.light_power_w);
  for (const auto& [name, value] : circuit.receiver) group.attributes().set(name, value);
}

std::string as_touchstone(const CircuitScattering& circuit, PhaseConvention convention, std::string_view title,
                          std::string_view command, int version) {
  std::vector<std::string> remarks;
  for (std::size_t p = 0; p < circuit.ports.size(); ++p)
    remarks.push_back(fmt::format("port {} is {}", p + 1, shown(circuit.ports[p])));
  const std::vector<std::string_view> views(remarks.begin(), remarks.end());
  ScatteringSpectrum spectrum;
  spectrum.s = circuit.s.rowwise().reverse();  // frequencies rise where wavelengths fall
  for (auto at = circuit.wavelengths_m.rbegin(); at != circuit.wavelengths_m.rend(); ++at)
    spectrum.frequency_hz.push_back(constants::speed_of_light_m_per_s / *at);
  return touchstone_text(spectrum, convention, title, command, views, version);
}

}  // namespace

void require_scattering_extension(const std::filesystem::path& path, std::size_t ports) {
  validate(
      extension_of(path) == ".h5" || is_touchstone_2(path) || is_verilog_a(path) ||
          touchstone_ports(path) == static_cast<int>(ports),
      "{}: extension \"{}\" does not fit a circuit of {} ports (known: .h5, .s{}p, .ts, .va). Rename the file.",
      path.string(), shown(extension_of(path)), ports, ports);
}

void write_scattering(const std::filesystem::path& path, const CircuitScattering& circuit,
                      std::string_view title, std::string_view command, bool force,
                      PhaseConvention convention) {
  require_scattering_extension(path, circuit.ports.size());
  if (touchstone_ports(path) > 0 || is_touchstone_2(path))
    return write_text_file(
        path, as_touchstone(circuit, convention, title, command, is_touchstone_2(path) ? 2 : 1), force);
  if (is_verilog_a(path)) {
    validate(circuit.wavelengths_m.size() == 1,
             "{}: {} wavelengths (a module of Verilog-A has one). Give --points 1.", path.string(),
             circuit.wavelengths_m.size());
    std::vector<std::string> inputs, outputs;
    for (const std::string& port : circuit.ports) {
      inputs.push_back(port + "_in");
      outputs.push_back(port + "_out");
    }
    const auto ports = static_cast<Eigen::Index>(circuit.ports.size());
    return write_text_file(path,
                           verilog_a_module(circuit.s.col(0).reshaped(ports, ports), inputs, outputs,
                                            path.stem().string(), convention, title, command),
                           force);
  }
  AtomicFile out(path, force);
  sign_file(out.file(), title, command);
  save_scattering(out.file().group(circuit.drawn.empty() ? "circuit" : "circuit_draws"), circuit);
  out.commit();
}

}  // namespace optinc
