#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/variation/chip_deviations.hpp"
#ifdef OPTINC_GPU
#include "physics/gpu/mesh_gpu.hpp"
#endif

#include "python/bindings/bindings.hpp"
#include "python/bindings/mesh.hpp"
#include "python/bindings/settled_mesh.hpp"

namespace optinc::bindings {
namespace {

/// Where chips are computed.
enum class Device { cpu, gpu };

}  // namespace
}  // namespace optinc::bindings

template <>
inline constexpr optinc::EnumNames optinc::enum_names<optinc::bindings::Device> = {"device", {"cpu", "gpu"}};

namespace optinc::bindings {
namespace {

/// Chips between two looks for Ctrl-C, a quarter of a second of a core: to draw and settle an MZI costs as much
/// as 200 words do.
std::size_t chips_at_once(const MeshTopology& topology, std::size_t words) {
  return std::max((std::size_t{1} << 31) / ((topology.mzis.size() + 1) * (words + 200)),
                  static_cast<std::size_t>(threads()));
}

/// Fields (chips, .., ports) behind chips first_chip, first_chip + 1, .. with these phases.
template <class Real>
nb::object monte_carlo_of(const Mesh& now, const ErrorModel& model, const ArrayLike& given, std::size_t chips,
                          std::uint64_t seed, std::uint32_t first_chip) {
  const MeshEngine<Real>& unsettled = now.wiring->engine<Real>();
  const MeshTopology& topology = now.wiring->topology;
  const MeshProgramOf<Real> program = on_dac(now.program, model).cast<Real>();
  const auto x = fields_of(unsettled, given, "x");
  const std::size_t words = x.size() / static_cast<std::size_t>(topology.ports);
  auto shape = shape_of(x);
  shape.insert(shape.begin(), chips);
  auto y = new_array<std::complex<Real>>(shape);
  in_parts(chips, chips_at_once(topology, words), [&](std::size_t first, std::size_t count) {
    const std::size_t shares = std::min(count, static_cast<std::size_t>(omp_get_max_threads()));
    parallel_for(shares, 0, [&](std::size_t share) {
      MeshEngine<Real> engine = unsettled;
      MeshErrors errors;
      for (std::size_t c = first + count * share / shares; c < first + count * (share + 1) / shares; ++c) {
        draw_mesh_errors(topology, model, {seed, first_chip + static_cast<std::uint32_t>(c), 0}, errors);
        engine.settle(program, errors.cast<Real>());
        send(engine, x.data(), words, 1, y.data() + c * x.size());
      }
    });
  });
  return nb::cast(y);
}

nb::object monte_carlo(const Mesh& mesh, const ModelOrPreset& given, const ArrayLike& x, std::uint32_t chips,
                       std::uint64_t seed, std::uint32_t first) {
  const ErrorModel model = model_of(given);
  validate_chip_numbers(first, chips);
  const Mesh now = mesh;  // another thread may change it
  return is_single(x) ? monte_carlo_of<float>(now, model, x, chips, seed, first)
                      : monte_carlo_of<double>(now, model, x, chips, seed, first);
}

/// What deviations() gives: arrays (chips).
struct Deviations {
  Array<Complex> change;
  Array<double> error;
};

/// Chips of a mesh on the GPU, as chip_deviations() on the processor.
template <class Real>
class OnGpu {
 public:
#ifdef OPTINC_GPU
  explicit OnGpu(const MeshTopology& topology) : mesh_(topology) {}
  std::vector<ChipDeviation> operator()(const MeshProgramOf<Real>& program, const ErrorModel& model,
                                        const MeshAddress& first, std::uint32_t chips,
                                        const FieldBatchOf<Real>& fields) const {
    return mesh_.chip_deviations(program, model, first, chips, fields);
  }

 private:
  MeshGpu<Real> mesh_;
#else
  explicit OnGpu(const MeshTopology&) {
    throw Error(
        "device = gpu (this package was compiled without CUDA). Use \"cpu\", or compile it where nvcc is.");
  }
  std::vector<ChipDeviation> operator()(const MeshProgramOf<Real>&, const ErrorModel&, const MeshAddress&,
                                        std::uint32_t, const FieldBatchOf<Real>&) const {
    return {};
  }
#endif
};

template <class Real>
Deviations deviations_of(const Mesh& now, const ErrorModel& model, const ArrayLike& given, std::uint32_t chips,
                         std::uint64_t seed, std::uint32_t first_chip, Device device) {
  const MeshTopology& topology = now.wiring->topology;
  const MeshProgramOf<Real> program = now.program.cast<Real>();
  const auto x = fields_of(now.wiring->engine<Real>(), given, "x");
  const auto ports = static_cast<Eigen::Index>(topology.ports),
             words = static_cast<Eigen::Index>(x.size()) / ports;
  const Eigen::Map<const Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, Eigen::Dynamic>> of_ports(
      x.data(), ports, words);
  FieldBatchOf<Real> fields;
  fields.re = of_ports.real();
  fields.im = of_ports.imag();
  validate_chips(model, {seed, first_chip, 0}, chips, fields);
  Deviations found{new_array<Complex>({chips}), new_array<double>({chips})};
  const auto send_all = [&](std::size_t at_once, const auto& send) {
    in_parts(chips, at_once, [&](std::size_t first, std::size_t count) {
      const auto number = static_cast<std::uint32_t>(first);
      const std::vector<ChipDeviation> part =
          send(MeshAddress{seed, first_chip + number, 0}, static_cast<std::uint32_t>(count));
      for (std::size_t c = 0; c < count; ++c) {
        found.change.data()[first + c] = part[c].change;
        found.error.data()[first + c] = part[c].error;
      }
    });
  };
  const std::size_t at_once = chips_at_once(topology, static_cast<std::size_t>(words));
  if (device == Device::gpu) {
    const OnGpu<Real> gpu(topology);
    send_all(16 * at_once, [&](const MeshAddress& first, std::uint32_t count) {
      return gpu(program, model, first, count, fields);
    });
  } else {
    send_all(at_once, [&](const MeshAddress& first, std::uint32_t count) {
      return chip_deviations(topology, program, model, first, count, fields, 0);
    });
  }
  return found;
}

Deviations deviations(const Mesh& mesh, const ModelOrPreset& given, const ArrayLike& x, std::uint32_t chips,
                      std::uint64_t seed, std::uint32_t first, const std::string& device) {
  const ErrorModel model = model_of(given);
  const Device on = value_of_name<Device>(device);
  const Mesh now = mesh;  // another thread may change it
  return is_single(x) ? deviations_of<float>(now, model, x, chips, seed, first, on)
                      : deviations_of<double>(now, model, x, chips, seed, first, on);
}

/// A new array, one number a chip.
template <class Number>
Array<double> of_each(const Deviations& d, Number number) {
  const std::size_t chips = d.error.shape(0);
  auto values = new_array<double>({chips});
  for (std::size_t c = 0; c < chips; ++c)
    values.data()[c] = number(ChipDeviation{d.change.data()[c], d.error.data()[c]});
  return values;
}

std::string name_of_gpu() {
#ifdef OPTINC_GPU
  return gpu_name();
#else
  return {};
#endif
}

}  // namespace

void bind_monte_carlo(nb::module_& m, nb::class_<Mesh>& mesh) {
  mesh.def(
      "monte_carlo", &monte_carlo, nb::arg("model"), nb::arg("x"), nb::arg("chips"), nb::arg("seed") = 1,
      nb::arg("first") = 0,
      nb::sig("def monte_carlo(self, model: ErrorModel | str, x: numpy.typing.ArrayLike, chips: int, seed: int "
              "= 1, "
              "first: int = 0) -> "
              "numpy.typing.NDArray[numpy.complex64] | numpy.typing.NDArray[numpy.complex128]"),
      "Output fields of many chips with this mesh, (chips, .., ports), for input fields x [sqrt(W)], (.., "
      "ports).\n\n"
      "Element c is fabricate(model, seed, first + c)(x), to the bit. Chips are shared out to all threads, and "
      "none is kept;\n"
      "Ctrl-C is heard between them. Raises ValueError as fabricate() and a chip's call do, and for numbers of "
      "chips from 2^32 on;\n"
      "MemoryError where the fields do not fit.");
  const auto as_it_is = nb::rv_policy::reference;  // arrays own their memory
  nb::class_<Deviations>(
      m, "ChipDeviations",
      "How the outputs y of chips differ from those of the mesh without errors, y0: what\n"
      "Mesh.deviations() gives. Sums are over all ports and fields that were sent, arrays (chips,).")
      .def_prop_ro(
          "change", [](const Deviations& d) { return d.change; }, as_it_is,
          "sum conj(y0) (y - y0) / sum |y0|^2, complex128.")
      .def_prop_ro(
          "error", [](const Deviations& d) { return d.error; }, as_it_is,
          "sum |y - y0|^2 / sum |y0|^2, float64.")
      .def_prop_ro(
          "power",
          [](const Deviations& d) { return of_each(d, [](const ChipDeviation& c) { return c.power(); }); },
          as_it_is, "sum |y|^2 / sum |y0|^2, float64: what is left of the light.")
      .def_prop_ro(
          "fidelity",
          [](const Deviations& d) { return of_each(d, [](const ChipDeviation& c) { return c.fidelity(); }); },
          as_it_is,
          "|sum conj(y0) y|^2 / (sum |y0|^2 sum |y|^2), float64: for unit vectors\n"
          "that of the matrices, fidelity().")
      .def("__len__", [](const Deviations& d) { return d.error.shape(0); });
  mesh.def(
      "deviations", &deviations, nb::arg("model"), nb::arg("x"), nb::arg("chips"), nb::arg("seed") = 1,
      nb::arg("first") = 0, nb::arg("device") = "cpu",
      nb::sig(
          "def deviations(self, model: ErrorModel | str, x: numpy.typing.ArrayLike, chips: int, seed: int = 1, "
          "first: int = 0, device: str = \"cpu\") -> ChipDeviations"),
      "How chips with this mesh deviate from it, for input fields x [sqrt(W)], (.., ports).\n\n"
      "Chip c has the errors of fabricate(model, seed, first + c), in single precision drawn in it. No\n"
      "fields are kept: fit for millions of chips. device is \"cpu\" (all threads) or \"gpu\" (gpu_name()), "
      "where\n"
      "the package was compiled with CUDA: the same chips, sums within rounding. Ctrl-C is\n"
      "heard between chips. Raises ValueError as fabricate() and a chip's call do, for fields without\n"
      "light, for numbers of chips from 2^32 on, and where there is no GPU.");
  m.def("gpu_name", &name_of_gpu,
        "Name of the GPU that device=\"gpu\" means; empty where there is none, or the package was compiled\n"
        "without CUDA.");
}

}  // namespace optinc::bindings
