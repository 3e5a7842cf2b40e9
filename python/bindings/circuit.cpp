#include "physics/circuit/circuit.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "physics/circuit/detection.hpp"
#include "physics/circuit/models.hpp"
#include "physics/core/check.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/netlists.hpp"

namespace optinc::bindings {

Array<Complex> array_of_scattering(const Matrix& s, std::size_t ports) {
  auto array = new_array<Complex>({static_cast<std::size_t>(s.cols()), ports, ports});
  Complex* to = array.data();
  const auto n = static_cast<Eigen::Index>(ports);
  for (Eigen::Index w = 0; w < s.cols(); ++w)
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) *to++ = s(j * n + i, w);
  return array;
}

Matrix scattering_of_array(nb::handle given) {
  const auto array = array_of<Complex>(given, "scattering", 3);
  const auto wavelengths = static_cast<Eigen::Index>(array.shape(0)),
             n = static_cast<Eigen::Index>(array.shape(1));
  validate(array.shape(1) == array.shape(2),
           "scattering has shape {} (needs (wavelengths, ports, ports)). Reshape it.",
           shape_text(shape_of(array)));
  Matrix s(n * n, wavelengths);
  const Complex* from = array.data();
  for (Eigen::Index w = 0; w < wavelengths; ++w)
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) s(j * n + i, w) = *from++;
  return s;
}

std::vector<double> wavelengths_of(const ArrayLike& given) {
  const auto at = array_of<double>(given, "wavelength_m", 1);
  return {at.data(), at.data() + at.size()};
}

namespace {

using Port = std::pair<std::string, std::string>;

Circuit new_circuit(const std::vector<std::pair<std::string, std::vector<std::string>>>& instances,
                    const std::vector<std::pair<Port, Port>>& connections,
                    const std::vector<std::pair<std::string, Port>>& ports, bool absorb_unconnected) {
  Netlist netlist;
  for (const auto& [name, of] : instances) netlist.instances.push_back({name, of});
  for (const auto& [a, b] : connections)
    netlist.connections.push_back({{a.first, a.second}, {b.first, b.second}});
  for (const auto& [name, inner] : ports) netlist.ports.push_back({name, {inner.first, inner.second}});
  netlist.absorb_unconnected = absorb_unconnected;
  return Circuit(std::move(netlist));
}

Array<Complex> solved(const Circuit& circuit, const nb::list& of_instances) {
  std::vector<Matrix> scattering;
  for (const nb::handle given : of_instances) scattering.push_back(scattering_of_array(given));
  return array_of_scattering(working([&] { return circuit.scattering(scattering); }), circuit.ports());
}

Array<Complex> emission_of(const Circuit& circuit, const nb::list& of_instances, const nb::list& emitted) {
  std::vector<Matrix> scattering, emission;
  for (const nb::handle given : of_instances) scattering.push_back(scattering_of_array(given));
  for (const nb::handle given : emitted)
    emission.push_back(given.is_none() ? Matrix() : scattering_of_array(given));
  return array_of_scattering(working([&] { return circuit.emission(scattering, emission); }), circuit.ports());
}

Array<Complex> of_model(const std::string& name, nb::handle settings, const ArrayLike& wavelengths_m) {
  const CircuitComponent model = model_component(name);
  const CircuitSettings values = settings_of_python(settings);
  const std::vector<double> wavelengths = wavelengths_of(wavelengths_m);
  return array_of_scattering(working([&] { return model.scattering(values, wavelengths); }),
                             model.ports.size());
}

nb::object emission_of_model(const std::string& name, nb::handle settings, const ArrayLike& wavelengths_m) {
  const CircuitComponent model = model_component(name);
  const CircuitSettings values = settings_of_python(settings);
  const std::vector<double> wavelengths = wavelengths_of(wavelengths_m);
  if (!model.emission) return nb::none();
  return nb::cast(
      array_of_scattering(working([&] { return model.emission(values, wavelengths); }), model.ports.size()));
}

/// (wavelengths, ports) in C order, from (ports, wavelengths) in column order: the same bytes.
Array<double> array_of_ports(const Eigen::MatrixXd& values) {
  auto array =
      new_array<double>({static_cast<std::size_t>(values.cols()), static_cast<std::size_t>(values.rows())});
  std::copy_n(values.data(), values.size(), array.data());
  return array;
}

/// Light, current and SNR of receivers, and the emission that they see.
nb::tuple readings_of(const ArrayLike& scattering, const std::optional<ArrayLike>& correlations,
                      std::size_t from, double power_w, const std::map<std::string, double>& receiver) {
  const Matrix s = scattering_of_array(scattering);
  const Matrix c = correlations ? scattering_of_array(*correlations) : Matrix();
  validate(
      c.size() == 0 || (c.rows() == s.rows() && c.cols() == s.cols()),
      "emission of other shape than scattering (both are (wavelengths, ports, ports)). Give that of the same "
      "circuit.");
  const DirectReceiver diode = direct_receiver(receiver);
  const Eigen::MatrixXd emitted = emitted_power(c);
  const PortReadings read =
      working([&] { return direct_readings(s, emitted, static_cast<Eigen::Index>(from), power_w, diode); });
  return nb::make_tuple(array_of_ports(read.power_w), array_of_ports(read.photocurrent_a),
                        array_of_ports(read.snr));
}

/// {setting: (usual value, meaning)}.
nb::dict receiver_settings() {
  nb::dict settings;
  for (const ModelSetting& setting : direct_receiver_settings())
    settings[setting.name.c_str()] = nb::make_tuple(setting.usual, setting.meaning);
  return settings;
}

/// {model: {setting: (usual value, meaning)}}.
nb::dict known_models() {
  nb::dict models;
  for (const CircuitModel& model : circuit_models()) {
    nb::dict settings;
    for (const ModelSetting& setting : model.settings)
      settings[setting.name.c_str()] = nb::make_tuple(setting.usual, setting.meaning);
    models[model.name.c_str()] = settings;
  }
  return models;
}

}  // namespace

void bind_circuit(nb::module_& m) {
  nb::class_<Circuit>(m, "CircuitSolver",
                      "Devices whose ports face each other, for scattering matrices of any origin; "
                      "optinc.Circuit reads netlists.")
      .def(
          "__init__",
          [](Circuit* self, const std::vector<std::pair<std::string, std::vector<std::string>>>& instances,
             const std::vector<std::pair<Port, Port>>& connections,
             const std::vector<std::pair<std::string, Port>>& ports, bool absorb_unconnected) {
            new (self) Circuit(new_circuit(instances, connections, ports, absorb_unconnected));
          },
          nb::arg("instances"), nb::arg("connections"), nb::arg("ports"), nb::arg("absorb_unconnected") = false,
          "instances: (name, names of its ports); connections: two (instance, port) each; ports: (name, "
          "(instance, port)).\n\n"
          "Raises ValueError, naming instance and port, for names that are unknown or there twice, and, unless "
          "absorb_unconnected,\n"
          "for a port that faces nothing.")
      .def("scattering", &solved, nb::arg("of_instances"),
           "Scattering matrices of the circuit, complex128 (wavelengths, ports, ports), from those of its "
           "instances, in their order.\n\n"
           "S[w, i, j]: field out of port i for a field of 1 into port j. Raises ValueError for other shapes, "
           "values that are not\n"
           "finite, and a loop in resonance that loses no light.",
           nb::sig("def scattering(self, of_instances: list[numpy.typing.NDArray[numpy.complex128]]) -> "
                   "numpy.typing.NDArray[numpy.complex128]"))
      .def(
          "emission", &emission_of, nb::arg("of_instances"), nb::arg("emitted"),
          "Correlations of the waves that the circuit itself sends out [W/Hz], complex128 (wavelengths, ports, "
          "ports), from the\n"
          "scattering matrices of its instances and what each emits (None: nothing).\n\n"
          "C[w, i, i]: power that leaves port i. Raises ValueError as scattering() does.",
          nb::sig("def emission(self, of_instances: list[numpy.typing.NDArray[numpy.complex128]], emitted: "
                  "list[numpy.typing.NDArray[numpy.complex128] | None]) -> "
                  "numpy.typing.NDArray[numpy.complex128]"));
  bind_netlists(m);
  m.def("model_scattering", &of_model, nb::arg("model"), nb::arg("settings"), nb::arg("wavelength_m"),
        "Scattering matrices of a model, complex128 (wavelengths, ports, ports), at wavelengths (n,) [m].\n\n"
        "Settings that are left out have their usual values: circuit_models(). Raises ValueError for unknown "
        "names and impossible\n"
        "values.",
        nb::sig("def model_scattering(model: str, settings: dict[str, float], wavelength_m: "
                "numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.complex128]"));
  m.def(
      "model_emission", &emission_of_model, nb::arg("model"), nb::arg("settings"), nb::arg("wavelength_m"),
      "Correlations of what a model emits [W/Hz], complex128 (wavelengths, ports, ports), at wavelengths (n,) "
      "[m]; None for one\n"
      "that emits nothing.\n\n"
      "Raises ValueError as model_scattering() does.",
      nb::sig("def model_emission(model: str, settings: dict[str, float], wavelength_m: "
              "numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.complex128] | None"));
  m.def("direct_readings", &readings_of, nb::arg("scattering"), nb::arg("emission").none(), nb::arg("port"),
        nb::arg("power_w"), nb::arg("receiver"),
        "What direct receivers at all ports read where light of power_w [W] enters port number `port`: power "
        "[W], mean\n"
        "photocurrent [A] and electrical signal to noise ratio, float64 (wavelengths, ports) each.\n\n"
        "`receiver`: some of direct_receiver_settings(). Raises ValueError for impossible values.",
        nb::sig(
            "def direct_readings(scattering: numpy.typing.ArrayLike, emission: numpy.typing.ArrayLike | None, "
            "port: int, power_w: float, receiver: dict[str, float]) -> "
            "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
            "numpy.typing.NDArray[numpy.float64]]"));
  m.def("direct_receiver_settings", &receiver_settings,
        nb::sig("def direct_receiver_settings() -> dict[str, tuple[float, str]]"),
        "Settings of a direct receiver: {setting: (usual value, what it is)}.");
  m.def("circuit_models", &known_models,
        nb::sig("def circuit_models() -> dict[str, dict[str, tuple[float, str]]]"),
        "Models of devices for circuits: {model: {setting: (usual value, what it is)}}.");
  m.def(
      "model_ports", [](const std::string& name) { return circuit_model(name).ports; }, nb::arg("model"),
      "Names of a model's ports, in the order of its matrices. Raises ValueError for an unknown model.");
}

}  // namespace optinc::bindings
