#include "python/bindings/mesh.hpp"

#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "onn/chip/calibration.hpp"
#include "onn/hardware/unit_parts.hpp"
#include "physics/core/check_values.hpp"
#include "physics/core/parallel.hpp"
#include "physics/mesh/correction.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/fidelity.hpp"
#include "physics/mesh/fit.hpp"
#include "physics/mesh/nearest_unitary.hpp"
#include "physics/random/haar.hpp"
#include "physics/variation/chip_deviations.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/mesh_environment.hpp"
#include "python/bindings/wafers.hpp"
#include "python/bindings/wiring.hpp"

namespace optinc::bindings {
namespace {

constexpr int most_ports = 4096;

void validate_ports(int ports) {
  validate_field(ports >= 1 && ports <= most_ports, "ports", "{} (1..{}). Give ports in that range.", ports,
                 most_ports);
}

/// A wiring as Python has it: its name, or columns of pairs of ports.
using WiringGiven = std::variant<std::string, std::vector<std::vector<std::pair<int, int>>>>;

std::string text_of(const WiringGiven& given) {
  if (const auto* const name = std::get_if<std::string>(&given)) return *name;
  std::string text;
  for (const auto& column : std::get<1>(given)) {
    text += text.empty() ? "" : " | ";
    for (const auto& [upper, lower] : column) text += fmt::format("{}-{} ", upper, lower);
  }
  return text;
}

Mesh from_unitary(const ArrayLike& unitary, const WiringGiven& given) {
  const std::string topology = text_of(given);
  Matrix u = matrix_of(unitary, "unitary");
  const auto ports = static_cast<int>(u.rows());
  validate(u.rows() <= most_ports, "matrix of {} x {} (at most {} ports). Give a smaller one.", u.rows(),
           u.cols(), most_ports);
  if (is_written_out(topology))
    validate_unitary(u, "Take its polar factor: u, s, vh = numpy.linalg.svd(a); u @ vh.");
  return working(takes_long(ports) || is_written_out(topology), [topology, ports, u = std::move(u)] {
    Mesh mesh;
    if (topology == "reck") mesh.program = decompose_reck(u);
    if (topology == "clements") mesh.program = decompose_clements(u);
    mesh.wiring = std::make_shared<const MeshWiring>(topology, ports);
    if (is_written_out(topology)) mesh.program = program_of_wiring(mesh.wiring->topology, u).program;
    return mesh;
  });
}

Mesh new_mesh(int ports, const WiringGiven& topology) {
  validate_ports(ports);
  const auto wiring = std::make_shared<const MeshWiring>(text_of(topology), ports);
  const int n = wiring->topology.mzi_count();
  return {wiring, {Vector::Zero(n), Vector::Zero(n), Vector::Zero(ports)}};
}

/// What a mesh is made of, for copies and files: topology, ports, phases, clipped.
using MeshState = std::tuple<std::string, int, Array<double>, Array<double>, Array<double>, int>;
MeshState state_of(const Mesh& m) {
  return {m.wiring->name,
          m.wiring->topology.ports,
          array_of_vector(m.program.theta),
          array_of_vector(m.program.phi),
          array_of_vector(m.program.output_phase),
          m.clipped};
}
Mesh mesh_of(const MeshState& state) {
  const auto& [topology, ports, theta, phi, output_phase, clipped] = state;
  Mesh mesh = new_mesh(ports, topology);
  assign(mesh.program.theta, nb::cast(theta), "theta");
  assign(mesh.program.phi, nb::cast(phi), "phi");
  assign(mesh.program.output_phase, nb::cast(output_phase), "output_phase");
  mesh.clipped = clipped;
  return mesh;
}

MeshChip fabricate(const Mesh& mesh, const ModelOrPreset& given, std::uint64_t seed, std::uint32_t chip,
                   std::uint32_t number, const Wafer* wafer) {
  const ErrorModel model = model_of(given);
  const Mesh now = mesh;  // another thread may change it
  validate(wafer == nullptr || number == 0,
           "mesh = {} on a wafer (a die has one mesh, number 0). Leave it out.", number);
  const std::optional<Wafer> from = wafer != nullptr ? std::optional(*wafer) : std::nullopt;
  const Working working;
  const MeshTopology& topology = now.wiring->topology;
  const MeshErrors drawn = draw_mesh_errors(topology, model, {seed, chip, number});
  MeshChip made{{now.wiring, on_dac(now.program, model), now.clipped},
                {drawn, drawn.theta_offset, drawn.phi_offset},
                model,
                {seed, chip, number}};
  if (!from) return made;
  const SharedVariation variation = from->variation({topology});
  if (variation.die == nullptr) return made;
  const FabricatedMesh shared = fabricate_die(variation, model, seed, chip).front();
  made.errors.alpha = shared.errors.alpha;
  made.errors.beta = shared.errors.beta;
  made.static_phases = {shared.errors.theta_offset, shared.errors.phi_offset, shared.errors.output_offset};
  return made;
}

/// Static phases for copies and files; empty: none.
std::vector<Array<double>> arrays_of(const std::optional<MeshProgram>& phases) {
  if (!phases) return {};
  return {array_of_vector(phases->theta), array_of_vector(phases->phi), array_of_vector(phases->output_phase)};
}

std::optional<MeshProgram> phases_of(const std::vector<Array<double>>& state, const MeshProgram& like) {
  if (state.empty()) return std::nullopt;
  MeshProgram phases = like;
  assign(phases.theta, nb::cast(state.at(0)), "theta");
  assign(phases.phi, nb::cast(state.at(1)), "phi");
  assign(phases.output_phase, nb::cast(state.at(2)), "output_phase");
  return phases;
}

/// What a fabricated mesh is made of, for copies and files.
using ChipOfMeshState =
    std::tuple<MeshState, FabricatedErrors, ErrorModel, std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>,
               std::vector<Array<double>>>;

/// What is known of errors: of a fabricated mesh not what calibration left.
MeshErrors known_of(nb::handle_t<MeshErrors> given) {
  MeshErrors known = nb::cast<const MeshErrors&>(given);
  if (nb::isinstance<FabricatedErrors>(given)) {
    const auto& drawn = nb::cast<const FabricatedErrors&>(given);
    known.theta_offset -= drawn.theta_residual;
    known.phi_offset -= drawn.phi_residual;
  }
  return known;
}

Mesh corrected(const Mesh& mesh, nb::handle_t<MeshErrors> given, const std::string& clipping) {
  const auto how = value_of_name<Clipping>(clipping);
  const Mesh now = mesh;  // another thread may change it
  const MeshErrors known = known_of(given);
  const Working working;
  CorrectedProgram found = correct_splitters(now.wiring->topology, now.program, known.alpha, known.beta, how);
  for (const auto& [name, phases, offsets] :
       {std::tuple("theta_offset", &found.program.theta, &known.theta_offset),
        std::tuple("phi_offset", &found.program.phi, &known.phi_offset)}) {
    validate(offsets->size() == phases->size(), "{} of {} MZIs (the mesh has {}). Give errors of this mesh.",
             name, offsets->size(), phases->size());
    validate(offsets->allFinite(), "{} holds NaN or infinity (phases would, too). Set finite values.", name);
    *phases -= *offsets;
  }
  return {now.wiring, found.program, found.clipped};
}

std::pair<Mesh, double> fitted(const Mesh& mesh, nb::handle_t<MeshErrors> given, double oscillator_rad,
                               int steps) {
  validate_field(std::isfinite(oscillator_rad) && oscillator_rad >= 0, "oscillator_rad",
                 "{} (an rms phase, 0 or more). Give 0 for receivers in phase.", oscillator_rad);
  validate_field(steps >= 0, "steps", "{} (0 or more). Give 600.", steps);
  const Mesh now = mesh;  // another thread may change it
  const MeshErrors known = known_of(given);
  const Working working;
  FittedRealProgram found = fit_real_program(now.wiring->topology, now.program, known, oscillator_rad, steps);
  return {{now.wiring, std::move(found.program), 0}, found.headroom_db};
}

MeshChip on(const Mesh& mesh, const MeshChip& chip) {
  validate(mesh.wiring->topology == chip.wiring->topology,
           "a {} mesh of {} ports on a {} chip of {} (one wiring). Fabricate this mesh.", mesh.wiring->name,
           mesh.wiring->topology.ports, chip.wiring->name, chip.wiring->topology.ports);
  MeshChip made = chip;
  static_cast<Mesh&>(made) = {mesh.wiring, on_dac(mesh.program, chip.model), mesh.clipped};
  return made;
}

Array<Complex> haar(int n, std::uint64_t seed, std::uint32_t trial) {
  validate_field(n >= 1 && n <= most_ports, "n", "{} (1..{}). Give n in that range.", n, most_ports);
  return array_of_matrix(working(takes_long(n), [=] {
    Stream stream(seed, Purpose::haar, trial);
    return haar_unitary(n, stream);
  }));
}

std::string described(const char* what, const Mesh& mesh) {
  const std::string& name = mesh.wiring->name;
  return fmt::format("<{}: {}, {} ports, {} MZIs>", what, is_written_out(name) ? "own wiring" : name,
                     mesh.wiring->topology.ports, mesh.wiring->topology.mzi_count());
}

/// A function of optinc.laboratory as a method, which imports it when called.
auto in_python(const char* name) {
  return [name](nb::args given, nb::kwargs options) -> nb::object {
    return nb::module_::import_("optinc.laboratory").attr(name)(*given, **options);
  };
}

/// Files and pictures of meshes with and without errors.
template <class Any>
void files(nb::class_<Any>& c) {
  c.def("draw", in_python("draw"),
        nb::sig("def draw(self, phases: bool = True, power: object = None) -> matplotlib.figure.Figure"),
        "A picture for a paper: MZIs with their phases as colours, theta on the MZI, phi before it, output "
        "phases behind\n"
        "the last column; with `power`, the number of a port or input fields (ports,), also the light in every "
        "waveguide.\n\n"
        "draw().savefig(\"mesh.pdf\"). Needs matplotlib. Raises ValueError for a mesh of more than 64 ports, "
        "and for fields of\n"
        "another shape.");
}

}  // namespace

void bind_mesh(nb::module_& m) {
  nb::class_<MeshChip> chip(
      m, "MeshChip",
      "A fabricated mesh: phases that are set on it, and its errors. Made by Mesh.fabricate() and Mesh.on().");
  bind_passes(chip);
  files(chip);
  chip.def("save", in_python("save_errors"),
           nb::sig("def save(self, path: str | os.PathLike[str], force: bool = False) -> None"),
           "Writes its errors to a file that Mesh.measured() and `--chip` of the tool read: .csv, .npz or .h5, "
           "by the\n"
           "extension. Its phases are those of Mesh.save().\n\n"
           "Raises FileExistsError where there is a file of that name unless `force`, ValueError for another "
           "extension, and\n"
           "for errors that the format does not hold, ImportError without h5py for .h5.");
  chip.def_prop_ro(
      "errors", [](MeshChip& c) -> FabricatedErrors& { return c.errors; }, nb::rv_policy::reference_internal,
      "Its errors: drawn by fabrication, and writable.");
  chip.def_ro("model", &MeshChip::model, nb::rv_policy::copy,
              "The error model that it was drawn from, a copy.");
  chip.def(
      "__getstate__",
      [](const MeshChip& c) {
        return ChipOfMeshState(state_of(c), c.errors, c.model, {c.address.seed, c.address.chip, c.address.mesh},
                               arrays_of(c.static_phases));
      },
      nb::sig("def __getstate__(self) -> tuple[object, ...]"));
  chip.def(
      "__setstate__",
      [](MeshChip& self, const ChipOfMeshState& state) {
        const auto& [mesh, errors, model, address, phases] = state;
        const Mesh made = mesh_of(mesh);
        const auto& [seed, number, place] = address;
        new (&self) MeshChip{made, errors, model, {seed, number, place}, phases_of(phases, made.program)};
      },
      nb::sig("def __setstate__(self, state: tuple[object, ...]) -> None"));
  const auto in_use = [&](const char* name, auto method, auto... more) {
    chip.def(name, method, more..., nb::arg("sensitivity") = SensitivitySettings(),
             nb::arg("hardware") = unit_of_parts());
  };
  in_use(
      "at", &mesh_in_environment, nb::arg("temperature_k") = 0.0, nb::arg("wavelength_m") = 0.0,
      "The chip where the die is warmer than at calibration by temperature_k [K] and the wavelength longer by "
      "wavelength_m [m].\n\n"
      "Phases, path differences, heaters and splitters answer as `sensitivity` says, as under [environment] in "
      "studies: its\n"
      "errors change, not what is set on it. Changes add up: they come on top of the errors that this chip "
      "has, so that\n"
      "chip.at(5.0).at(5.0) is as chip.at(10.0). hardware: laser.wavelength_m is the calibration's. Raises "
      "ValueError for changes\n"
      "that are not finite.");
  in_use("matrices", &matrices, nb::arg("wavelength_m"), nb::arg("temperature_k") = 0.0,
         "Transfer matrices, complex128 (n, ports, ports), at wavelengths longer than the calibration's by "
         "wavelength_m (n,) [m].\n\n"
         "at(temperature_k, change).matrix() for each. Raises ValueError as that does.");
  in_use(
      "group_delay", &group_delay, nb::arg("temperature_k") = 0.0, nb::arg("wavelength_m") = 0.0,
      "Group delay from every input to every output [s], float64 (ports, ports) as matrix(): of the waveguide "
      "along the floor\n"
      "plan (hardware.layout) and of phases and splitters; NaN where no light arrives.\n\n"
      "Changes of temperature and wavelength as at() takes them.");
  chip.def("__repr__", [](const MeshChip& c) { return described("MeshChip", c); });

  nb::class_<Mesh> mesh(m, "Mesh", "A perfect mesh of MZIs and the phases that are set on it.");
  mesh.def(
      "__init__",
      [](Mesh* self, int ports, const WiringGiven& topology) { new (self) Mesh(new_mesh(ports, topology)); },
      nb::arg("ports"), nb::arg("topology") = "clements",
      "A mesh with all phases 0. topology: \"clements\" (rectangle), \"reck\" (triangle), or a wiring of one's "
      "own,\n"
      "columns of pairs of ports that meet in an MZI: [[(0, 1), (2, 3)], [(1, 2)]] or \"0-1 2-3 | 1-2\".\n\n"
      "Raises ValueError outside 1..4096 ports, for an unknown topology, and for pairs that are none of the "
      "ports or\n"
      "share one in a column.");
  mesh.def_static("from_unitary", &from_unitary, nb::arg("unitary"), nb::arg("topology") = "clements",
                  "The mesh whose transfer matrix is `unitary`, (n, n), or comes nearest to it on a wiring of "
                  "one's own.\n\n"
                  "topology: as Mesh() takes it; to a wiring of one's own, phases are fitted from four random "
                  "starts. Raises ValueError unless the "
                  "matrix is square, finite\n"
                  "and unitary to 1e-6. For one that is not, use its polar factor: u, s, vh = "
                  "numpy.linalg.svd(a); u @ vh.");
  bind_passes(mesh);
  files(mesh);
  mesh.def("save", in_python("save_mesh"),
           nb::sig("def save(self, path: str | os.PathLike[str], force: bool = False) -> None"),
           "Writes wiring and phases to a file that Mesh.load() and `optinc transfer` read: .csv, .npz or .h5, "
           "by the\n"
           "extension.\n\n"
           "Raises FileExistsError where there is a file of that name unless `force`, ValueError for another "
           "extension,\n"
           "ImportError without h5py for .h5.");
  mesh.def_static("load", in_python("load_mesh"),
                  nb::sig("def load(path: str | os.PathLike[str], name: str | None = None) -> Mesh"),
                  "The mesh of a file of phases, of Mesh.save() or `optinc program`: .csv, .npz or .h5.\n\n"
                  "name: which, where the file holds several (meshes of a network). Raises FileNotFoundError, "
                  "ValueError for\n"
                  "what is no such file and for an unknown name, ImportError without h5py for .h5.");
  mesh.def("measured", in_python("measured"),
           nb::sig("def measured(self, path: str | os.PathLike[str]) -> MeshChip"),
           "A chip of this mesh with measured errors: a table with a row an MZI (.csv, .npy, .npz; columns as "
           "for the key\n"
           "mesh.measured of studies), the .h5 file of `optinc twin`, or what MeshChip.save() wrote.\n\n"
           "mesh.corrected(chip.errors).on(chip) is then the mesh corrected for them. Raises ValueError, "
           "naming line and\n"
           "column, for errors of another mesh.");
  mesh.def("__getstate__", [](const Mesh& self) { return state_of(self); });
  mesh.def("__setstate__", [](Mesh& self, const MeshState& state) { new (&self) Mesh(mesh_of(state)); });
  mesh.def("fabricate", &fabricate, nb::arg("model"), nb::arg("seed") = 1, nb::arg("chip") = 0,
           nb::arg("mesh") = 0, nb::arg("wafer").none() = nb::none(),
           "A chip with this mesh: errors drawn from `model` (an ErrorModel or the name of a preset), phases "
           "on its DAC's grid.\n\n"
           "Phases are wrapped to [0, 2 pi), also by a model without DAC. The same (seed, chip, mesh) gives "
           "the same "
           "errors. With a wafer, the chip is a die of it: neighbouring splitters share what its process does, "
           "and static phases,\n"
           "which calibration finds, make up what its heaters take.\n"
           "Raises ValueError for an unknown preset, for a mesh that does not fit on the die, and for a phase "
           "that is NaN or infinite.");
  bind_monte_carlo(m, mesh);
  mesh.def(
      "corrected", &corrected, nb::arg("errors"), nb::arg("clipping") = "nearest",
      "The mesh with phases corrected for the splitter errors `errors.alpha` and `errors.beta` and the phase "
      "offsets\n"
      "`errors.theta_offset` and `errors.phi_offset`: variant \"corrected\" of studies.\n\n"
      "Bandyopadhyay et al., Optica 8, 1247 (2021). clipping says what an MZI does that cannot reach its "
      "bar power:\n"
      "\"nearest\" (least error of the matrix) or \"quadrature\" (no first-order error of real matrices "
      "behind homodyne\n"
      "receivers; variant \"corrected_quadrature\"). Of a fabricated chip's `errors`, the offsets that "
      "calibration left\n"
      "(`sigma_cal_rad` of its model) are unknown and stay. Raises ValueError for errors of another mesh, and "
      "where a phase or splitter error is NaN or "
      "infinite.");
  mesh.def(
      "fitted", &fitted, nb::arg("errors"), nb::arg("oscillator_rad") = 0.0, nb::arg("steps") = 600,
      "The mesh with phases fitted to all of `errors`, losses among them, for its real matrix behind homodyne "
      "receivers,\n"
      "and the light that it then gets less than a mesh of equal arms, in dB: (mesh, headroom_db).\n\n"
      "Surplus light goes into the quadrature that receivers do not see; oscillators that are off by "
      "oscillator_rad (rms) see\n"
      "that much of it, which the fit weighs. Offsets are known as in corrected(). steps: of the quasi-Newton "
      "search. Raises\n"
      "ValueError for errors of another mesh and for a matrix that is not real.",
      nb::sig("def fitted(self, errors: MeshErrors, oscillator_rad: float = 0.0, steps: int = 600) -> "
              "tuple[Mesh, float]"));
  mesh.def("on", &on, nb::arg("chip"),
           "The phases of this mesh on a fabricated chip, through its DAC, which wraps them to [0, 2 pi); the "
           "chip's errors are\n"
           "copied.\n\n"
           "Raises ValueError where the chip has another wiring, and for a phase that is NaN or infinite.");
  mesh.def("__repr__", [](const Mesh& c) { return described("Mesh", c); });

  m.def("haar_unitary", &haar, nb::arg("n"), nb::arg("seed") = 1, nb::arg("trial") = 0,
        "Haar-distributed unitary, complex128 (n, n): the target of trial `trial` in a study of meshes with "
        "this seed.\n\n"
        "Raises ValueError outside 1..4096.");
  m.def(
      "fidelity",
      [](const ArrayLike& target, const ArrayLike& found) {
        const Matrix u = matrix_of(target, "target"), t = matrix_of(found, "found");
        const Working working;
        return fidelity(u, t);
      },
      nb::arg("target"), nb::arg("found"),
      "Overlap of a transfer matrix with a unitary target, |tr(target^H found)|^2 / (n |found|_F^2).\n\n"
      "0..1 for a unitary target; NaN where `found` is 0 everywhere. Uniform loss and a common phase do not "
      "count. Raises\n"
      "ValueError unless both are (n, n).");
}

}  // namespace optinc::bindings
