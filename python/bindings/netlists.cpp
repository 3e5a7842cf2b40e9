#include "python/bindings/netlists.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "experiments/files/readers/circuit_on_die.hpp"
#include "physics/circuit/models.hpp"
#include "physics/core/check.hpp"

#include "python/bindings/bindings.hpp"
#include "python/bindings/wafers.hpp"

namespace optinc::bindings {
namespace {

using Kind = DocumentNode::Kind;

/// A Python object that C++ may let go without the lock.
std::shared_ptr<const void> kept(nb::handle given) {
  given.inc_ref();
  return {given.ptr(), [](const void* object) {
            const nb::gil_scoped_acquire locked;
            nb::handle(static_cast<PyObject*>(const_cast<void*>(object))).dec_ref();
          }};
}

/// Whether it is a real number: one of Python's or NumPy's, or an array of no axes.
bool is_number(nb::handle given) {
  if (PyBool_Check(given.ptr()) || !nb::hasattr(given, "__float__")) return false;
  return !nb::hasattr(given, "ndim") || nb::cast<int>(given.attr("ndim")) == 0;
}

/// Puts Python objects into a document: numbers, text, None, mappings, lists and tuples; others as they are.
class DocumentOfPython {
 public:
  Document of(nb::handle given) {
    put(given);
    return builder_.last();
  }

 private:
  void put(nb::handle given) {
    if (nb::isinstance(given, mapping_)) {
      builder_.begin(Kind::mapping, 0);
      for (const nb::handle key : nb::iter(given)) {
        if (!nb::isinstance<nb::str>(key) &&
            !(nb::isinstance<nb::int_>(key) && !nb::isinstance<nb::bool_>(key)))
          builder_.refuse(0, fmt::format("a key is {} (keys are text). Write a name.", nb::repr(key).c_str()));
        builder_.key(nb::str(key).c_str(), 0);
        put(given[key]);
      }
      builder_.end();
    } else if (nb::isinstance<nb::list>(given) || nb::isinstance<nb::tuple>(given)) {
      builder_.begin(Kind::list, 0);
      for (const nb::handle item : nb::iter(given)) put(item);
      builder_.end();
    } else if (given.is_none()) {
      builder_.scalar("null", false, 0, kept(given));
    } else if (nb::isinstance<nb::bool_>(given)) {
      builder_.scalar(nb::cast<bool>(given) ? "true" : "false", false, 0, kept(given));
    } else if (nb::isinstance<nb::str>(given)) {
      builder_.scalar(nb::cast<std::string>(given), true, 0, kept(given));
    } else if (is_number(given)) {
      builder_.number(nb::cast<double>(nb::float_(given)), 0, kept(given));
    } else {
      builder_.object(fmt::format("of type {}", nb::cast<std::string>(given.type().attr("__name__"))),
                      kept(given));
    }
  }

  DocumentBuilder builder_{""};
  nb::object mapping_ = nb::module_::import_("collections.abc").attr("Mapping");
};

/// What a Python model of a netlist takes for a part of a document.
nb::object python_of(const DocumentNode& node) {
  if (node.object) return nb::borrow(static_cast<PyObject*>(const_cast<void*>(node.object.get())));
  switch (node.kind) {
    case Kind::null:
      return nb::none();
    case Kind::boolean:
      return nb::bool_(node.text.front() == 't' || node.text.front() == 'T');
    case Kind::number:
      if (node.text.find_first_not_of("+-0123456789") == std::string::npos)
        return nb::int_(nb::str(node.text.c_str()));
      return nb::float_(node.number);
    case Kind::list: {
      nb::list items;
      for (const Document& item : node.items) items.append(python_of(*item));
      return items;
    }
    case Kind::mapping: {
      nb::dict entries;
      for (const auto& entry : node.entries) entries[entry.key.c_str()] = python_of(*entry.value);
      return entries;
    }
    default:
      return nb::str(node.text.c_str());
  }
}

/// Settings by path as Python has them, a dict inside another for every level.
nb::dict python_of(const CircuitSettings& settings) {
  nb::dict all;
  for (const auto& [path, value] : settings) {
    nb::dict in = all;
    std::size_t from = 0;
    for (std::size_t dot = path.find('.'); dot != path.npos; from = dot + 1, dot = path.find('.', from)) {
      const std::string level = path.substr(from, dot - from);
      if (!in.contains(level.c_str())) in[level.c_str()] = nb::dict();
      in = nb::cast<nb::dict>(in[level.c_str()]);
    }
    in[path.substr(from).c_str()] = python_of(value.node());
  }
  return all;
}

/// What a model in Python said.
struct ModelError : Error {
  explicit ModelError(nb::python_error&& raised)
      : Error(nb::str(raised.value()).c_str()), cause(std::make_shared<nb::python_error>(std::move(raised))) {}
  std::shared_ptr<nb::python_error> cause;
};

/// What `call` of Python's returns; its ValueError or TypeError as an Error, to which instances add their
/// names.
template <class Call>
auto told(Call call) {
  try {
    return call();
  } catch (nb::python_error& raised) {
    if (!raised.matches(PyExc_ValueError) && !raised.matches(PyExc_TypeError)) throw;
    throw ModelError(std::move(raised));
  }
}

/// A model in Python: an object with takes(setting), ports(settings) and scattering(wavelengths_m, settings).
/// The circuit that is made keeps the object alive.
CallerModel model_of_python(nb::handle model) {
  const auto component = [model](const CircuitSettings& settings) {
    CircuitComponent made;
    made.ports =
        told([&] { return nb::cast<std::vector<std::string>>(model.attr("ports")(python_of(settings))); });
    made.scattering = [model, ports = made.ports.size()](const CircuitSettings& values,
                                                         std::span<const double> wavelengths_m) {
      for (const double wavelength_m : wavelengths_m) validate_wavelength(wavelength_m);
      const nb::gil_scoped_acquire locked;
      auto at = new_array<double>({wavelengths_m.size()});
      std::ranges::copy(wavelengths_m, at.data());
      const nb::object found = told([&] { return model.attr("scattering")(at, python_of(values)); });
      return scattering_of_array(found);
    };
    return made;
  };
  return {component, [model](const std::string& setting) {
            const nb::gil_scoped_acquire locked;
            return nb::cast<bool>(model.attr("takes")(setting.substr(0, setting.find('.'))));
          }};
}

/// A circuit from a netlist, and the models in Python that it asks.
struct NetlistCircuit {
  std::vector<nb::object> models;
  CircuitComponent circuit;
};

/// `given`, and each of `mappings`: a path, or a mapping.
void read_circuit(NetlistCircuit* self, nb::handle given, const nb::dict& models, const nb::list& mappings,
                  bool absorb_unconnected) {
  NetlistCircuit made;
  NetlistOptions options{absorb_unconnected, {}};
  for (const nb::handle mapping : mappings)
    options.mappings.push_back(nb::isinstance<nb::str>(mapping)
                                   ? read_mapping(nb::cast<std::string>(mapping))
                                   : Mapping(DocumentOfPython().of(mapping), "", ""));
  for (const auto [name, model] : models) {
    CallerModel& known = options.models[nb::cast<std::string>(name)];
    if (nb::isinstance<nb::str>(model)) {
      known.component = [of = nb::cast<std::string>(model)](const CircuitSettings&) {
        return model_component(of);
      };
    } else {
      made.models.push_back(nb::borrow(model));
      known = model_of_python(model);
    }
  }
  made.circuit = nb::isinstance<nb::str>(given) ? read_netlist(nb::cast<std::string>(given), options)
                                                : netlist_circuit(DocumentOfPython().of(given), options, "");
  new (self) NetlistCircuit(std::move(made));
}

/// Scattering or emission at wavelengths (n,), as many at once as are worth it.
nb::object at_wavelengths(const NetlistCircuit& self, decltype(&CircuitComponent::scattering) what,
                          nb::handle settings, const ArrayLike& wavelengths_m) {
  const CircuitSettings changed = settings_of_python(settings);
  const std::vector<double> at = wavelengths_of(wavelengths_m);
  const auto& compute = self.circuit.*what;
  if (!compute) return nb::none();
  const std::size_t ports = self.circuit.ports.size();
  Matrix found(static_cast<Eigen::Index>(ports * ports), static_cast<Eigen::Index>(at.size()));
  in_parts(at.size(), wavelengths_at_once(self.circuit), [&](std::size_t first, std::size_t count) {
    found.middleCols(static_cast<Eigen::Index>(first), static_cast<Eigen::Index>(count)) =
        compute(changed, std::span(at).subspan(first, count));
  });
  return nb::cast(array_of_scattering(found, ports));
}

/// Scattering of many draws (draws, wavelengths, ports, ports); `varied`: values by path.
Array<Complex> swept_at(const NetlistCircuit& self, nb::handle settings,
                        const std::map<std::string, std::vector<double>>& varied,
                        const ArrayLike& wavelengths_m) {
  const CircuitSettings fixed = settings_of_python(settings);
  const std::vector<double> at = wavelengths_of(wavelengths_m);
  const std::size_t ports = self.circuit.ports.size(), draws = varied.begin()->second.size(), width = at.size();
  auto array = new_array<Complex>({draws, width, ports, ports});
  const std::size_t at_once =
      std::max<std::size_t>(1, wavelengths_at_once(self.circuit) / std::max<std::size_t>(width, 1));
  in_parts(draws, at_once, [&](std::size_t first, std::size_t count) {
    if (count == 0 || width == 0) return;
    const Matrix found = swept_scattering(self.circuit, fixed, {varied, first, count}, at);
    Complex* to = array.data() + first * width * ports * ports;
    using RowMajor = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto n = static_cast<Eigen::Index>(ports);
    for (Eigen::Index column = 0; column < found.cols(); ++column, to += ports * ports)
      Eigen::Map<RowMajor>(to, n, n) = found.col(column).reshaped(n, n);
  });
  return array;
}

/// Fields at ports inside (wavelengths, places, ports).
Array<Complex> fields_at(const NetlistCircuit& self, nb::handle settings, const ArrayLike& wavelengths_m,
                         const std::vector<std::pair<std::string, std::string>>& places) {
  const CircuitSettings changed = settings_of_python(settings);
  const std::vector<double> at = wavelengths_of(wavelengths_m);
  std::vector<InstancePort> ports;
  for (const auto& [instance, port] : places) ports.push_back({instance, port});
  const Matrix found = self.circuit.fields(changed, at, ports);
  auto array = new_array<Complex>({at.size(), ports.size(), self.circuit.ports.size()});
  Complex* to = array.data();
  const auto rows = static_cast<Eigen::Index>(ports.size()),
             columns = static_cast<Eigen::Index>(self.circuit.ports.size());
  for (Eigen::Index w = 0; w < found.cols(); ++w)
    for (Eigen::Index row = 0; row < rows; ++row)
      for (Eigen::Index column = 0; column < columns; ++column) *to++ = found(column * rows + row, w);
  return array;
}

/// Settings on dies of a wafer, by path.
std::map<std::string, Array<double>> on_dies(const NetlistCircuit& self, nb::handle settings,
                                             const Wafer& wafer, const std::vector<std::uint32_t>& dies,
                                             std::uint64_t seed) {
  const CircuitSettings changed = settings_of_python(settings);
  const std::vector<PlacedDevice> devices =
      self.circuit.has_placements ? self.circuit.placed_devices(changed) : std::vector<PlacedDevice>{};
  const PlaceProcess process = process_at_places(self.circuit, devices, wafer.made.shared, wafer.made.wafer);
  std::map<std::string, Array<double>> found;
  for (std::size_t k = 0; k < dies.size(); ++k)
    for (const auto& [path, value] : settings_of_die(devices, process, seed, dies[k])) {
      auto at = found.find(path);
      if (at == found.end()) at = found.emplace(path, new_array<double>({dies.size()})).first;
      at->second.data()[k] = value;
    }
  return found;
}

// Functions often know the circuit that they are a model of: Python's collector must see that ring.

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self))
    for (const nb::object& model : nb::inst_ptr<NetlistCircuit>(self)->models) Py_VISIT(model.ptr());
  return 0;
}

int clear(PyObject* self) {
  NetlistCircuit& circuit = *nb::inst_ptr<NetlistCircuit>(self);
  circuit.circuit = {};
  circuit.models.clear();
  return 0;
}

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {0, nullptr}};

/// What a model in Python raised, if that is the cause of this.
std::shared_ptr<nb::python_error> raised_by_model(const std::exception& error) {
  if (const auto* const found = dynamic_cast<const ModelError*>(&error)) return found->cause;
  const auto* const nested = dynamic_cast<const std::nested_exception*>(&error);
  if (nested == nullptr || !nested->nested_ptr()) return nullptr;
  try {
    nested->rethrow_nested();
  } catch (const std::exception& inner) {
    return raised_by_model(inner);
  } catch (...) {
    return nullptr;
  }
}

}  // namespace

CircuitSettings settings_of_python(nb::handle given) {
  const Document document = DocumentOfPython().of(given);
  validate(document->kind == Kind::mapping, "settings are not a mapping (setting: value). Give a dict.");
  return settings_of(*document);
}

void raise_error(const Error& error) {
  if (const auto cause = raised_by_model(error)) {
    const bool is_type = cause->matches(PyExc_TypeError);
    cause->restore();
    nb::chain_error(is_type ? PyExc_TypeError : PyExc_ValueError, "%s", error.what());
  } else {
    PyErr_SetString(PyExc_ValueError, error.what());
  }
}

void bind_netlists(nb::module_& m) {
  nb::class_<NetlistCircuit>(m, "NetlistCircuit", nb::type_slots(slots),
                             "A circuit from a netlist; optinc.Circuit is made of one.")
      .def("__init__", &read_circuit, nb::arg("netlist"), nb::arg("models"), nb::arg("mappings"),
           nb::arg("absorb_unconnected"),
           nb::sig("def __init__(self, netlist: str | collections.abc.Mapping[str, object], models: dict[str, "
                   "typing.Any], mappings: list[str | collections.abc.Mapping[str, object]], "
                   "absorb_unconnected: bool) -> None"))
      .def_prop_ro(
          "ports", [](const NetlistCircuit& c) { return c.circuit.ports; }, "Names, in the order of matrices.")
      .def_prop_ro(
          "instances", [](const NetlistCircuit& c) { return c.circuit.instances; }, "Names, in order.")
      .def_prop_ro(
          "not_read", [](const NetlistCircuit& c) { return c.circuit.not_read; },
          "Settings, ports and components that say nothing of light.")
      .def(
          "warnings",
          [](const NetlistCircuit& c, nb::handle settings) {
            return c.circuit.warnings ? c.circuit.warnings(settings_of_python(settings))
                                      : std::vector<std::string>{};
          },
          nb::arg("settings"),
          nb::sig("def warnings(self, settings: collections.abc.Mapping[str, object]) -> list[str]"),
          "What is legal but unlike anything built.")
      .def(
          "scattering",
          [](const NetlistCircuit& c, nb::handle settings, const ArrayLike& wavelengths_m) {
            return at_wavelengths(c, &CircuitComponent::scattering, settings, wavelengths_m);
          },
          nb::arg("settings"), nb::arg("wavelength_m"),
          nb::sig("def scattering(self, settings: collections.abc.Mapping[str, object], wavelength_m: "
                  "numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.complex128]"),
          "complex128 (wavelengths, ports, ports).")
      .def("sweep", &swept_at, nb::arg("settings"), nb::arg("varied"), nb::arg("wavelength_m"),
           nb::sig("def sweep(self, settings: collections.abc.Mapping[str, object], varied: dict[str, "
                   "numpy.typing.NDArray[numpy.float64]], wavelength_m: numpy.typing.ArrayLike) -> "
                   "numpy.typing.NDArray[numpy.complex128]"),
           "complex128 (draws, wavelengths, ports, ports).")
      .def("fields", &fields_at, nb::arg("settings"), nb::arg("wavelength_m"), nb::arg("at"),
           nb::sig(
               "def fields(self, settings: collections.abc.Mapping[str, object], wavelength_m: "
               "numpy.typing.ArrayLike, at: list[tuple[str, str]]) -> numpy.typing.NDArray[numpy.complex128]"),
           "Fields that enter ports of instances, complex128 (wavelengths, places, ports).")
      .def("fabricated", &on_dies, nb::arg("settings"), nb::arg("wafer"), nb::arg("dies"), nb::arg("seed"),
           nb::sig("def fabricated(self, settings: collections.abc.Mapping[str, object], wafer: Wafer, dies: "
                   "list[int], "
                   "seed: int) -> dict[str, numpy.typing.NDArray[numpy.float64]]"),
           "Settings on dies of a wafer, by path.")
      .def(
          "emission",
          [](const NetlistCircuit& c, nb::handle settings, const ArrayLike& wavelengths_m) {
            return at_wavelengths(c, &CircuitComponent::emission, settings, wavelengths_m);
          },
          nb::arg("settings"), nb::arg("wavelength_m"),
          nb::sig("def emission(self, settings: collections.abc.Mapping[str, object], wavelength_m: "
                  "numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.complex128] | None"),
          "Correlations [W/Hz], complex128 (wavelengths, ports, ports); None: nothing is emitted.");
}

}  // namespace optinc::bindings
