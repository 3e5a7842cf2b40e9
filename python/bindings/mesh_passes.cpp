#include <algorithm>
#include <memory>
#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/mesh/in_situ_gradient.hpp"
#include "physics/mesh/mesh_tangent.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/floor_plans.hpp"
#include "python/bindings/mesh.hpp"
#include "python/bindings/settled_mesh.hpp"
#include "python/bindings/wiring.hpp"

namespace optinc::bindings {
namespace {

/// Numbers that engines compute in.
enum class Precision { wide, narrow };

}  // namespace
}  // namespace optinc::bindings

template <>
inline constexpr optinc::EnumNames optinc::enum_names<optinc::bindings::Precision> = {"precision",
                                                                                      {"double", "single"}};

namespace optinc::bindings {
namespace {

/// An engine settled with phases and errors as they are at this moment.
template <class Real>
MeshEngine<Real> engine_of(const Mesh& mesh, bool for_backward = false) {
  MeshEngine<Real> engine = mesh.wiring->engine<Real>();
  engine.settle(in_precision<Real>(mesh.program), for_backward);
  return engine;
}
template <class Real>
MeshEngine<Real> engine_of(const MeshChip& chip, bool for_backward = false) {
  validate_losses(chip.errors);
  MeshEngine<Real> engine = chip.wiring->engine<Real>();
  engine.settle(in_precision<Real>(chip.program), in_precision<Real>(chip.errors), for_backward);
  return engine;
}

template <class Any>
SettledMesh settled(const Any& mesh, const std::string& precision) {
  using Engine = SettledMesh::Engine;
  if (value_of_name<Precision>(precision) == Precision::narrow)
    return {std::make_shared<const Engine>(engine_of<float>(mesh, true))};
  return {std::make_shared<const Engine>(engine_of<double>(mesh, true))};
}

template <class Any>
nb::object call_mesh(const Any& mesh, const ArrayLike& x, const nb::object& out) {
  return is_single(x) ? propagated(engine_of<float>(mesh), x, out)
                      : propagated(engine_of<double>(mesh), x, out);
}

/// No errors of its own.
MeshErrors errors_of(const Mesh& mesh) { return no_errors(mesh.wiring->topology); }
const MeshErrors& errors_of(const MeshChip& chip) {
  validate_losses(chip.errors);
  return chip.errors;
}

/// Of fields and their gradient, (words, ports) each.
template <class Any>
std::tuple<Array<double>, Array<double>, Array<double>, Array<Complex>> in_situ(
    const Any& mesh, const ArrayLike& x, const ArrayLike& gradient, const std::optional<ArrayLike>& arriving,
    const InSituErrors& of_readings, const InSituDraw& draw, const InSituVectors& vectors) {
  const Matrix fields = matrix_of(x, "x").transpose(), at_outputs = matrix_of(gradient, "gradient").transpose();
  const Matrix phases = arriving ? Matrix(matrix_of(*arriving, "arriving").transpose()) : Matrix();
  const MeshErrors errors = errors_of(mesh);
  const InSituGradient found = working([&] {
    return in_situ_gradient(mesh.wiring->topology, mesh.program, errors,
                            {fields, at_outputs, arriving ? &phases : nullptr}, of_readings, draw, vectors);
  });
  return {array_of_vector(found.theta), array_of_vector(found.phi), array_of_vector(found.output_phase),
          array_of_matrix(found.fields.transpose())};
}

/// Changes of fields behind a mesh, (words, ports), for those of fields and parameters.
template <class Any>
Array<Complex> changed(const Any& mesh, const ArrayLike& x, const ArrayLike& x_change,
                       const nb::kwargs& given) {
  const Matrix fields = matrix_of(x, "x").transpose(),
               field_change = matrix_of(x_change, "x_change").transpose();
  MeshGradient change = no_gradient(mesh.wiring->topology);
  const std::pair<const char*, Vector*> known[] = {{"theta", &change.theta},
                                                   {"phi", &change.phi},
                                                   {"output_phase", &change.output_phase},
                                                   {"alpha", &change.alpha},
                                                   {"beta", &change.beta},
                                                   {"theta_arm_loss_db", &change.theta_arm_loss_db},
                                                   {"phi_arm_loss_db", &change.phi_arm_loss_db},
                                                   {"theta_other_loss_db", &change.theta_other_loss_db},
                                                   {"phi_other_loss_db", &change.phi_other_loss_db}};
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    const auto* at =
        std::find_if(std::begin(known), std::end(known), [&](const auto& k) { return name == k.first; });
    validate(at != std::end(known),
             "no parameter {} of a mesh (theta, phi, output_phase and errors have changes). Choose one.", name);
    const auto values = array_of<double>(value, name.c_str(), 1);
    validate(static_cast<Eigen::Index>(values.size()) == at->second->size(),
             "{} has {} changes (the mesh has {}). Give one for each.", name, values.size(),
             at->second->size());
    *at->second = Eigen::Map<const Vector>(values.data(), at->second->size());
  }
  const MeshErrors errors = errors_of(mesh);
  return array_of_matrix(working([&] {
    return Matrix(
        mesh_tangent(mesh.wiring->topology, mesh.program, errors, fields, change, field_change).transpose());
  }));
}

template <class Any>
Array<Complex> mesh_matrix(const Any& mesh) {
  return array_of_matrix(working(takes_long(mesh.wiring->topology.ports),
                                 [engine = engine_of<double>(mesh)] { return engine.transfer_matrix(); }));
}

/// A writable array of a mesh's phases.
template <class Any>
void phases(nb::class_<Any>& c, const char* name, Vector MeshProgram::*member, const char* meaning) {
  c.def_prop_rw(
      name, [member](nb::handle_t<Any> self) { return view_of(nb::cast<Any&>(self).program.*member, self); },
      [member, name](Any& mesh, const ArrayLike& given) { assign(mesh.program.*member, given, name); },
      meaning);
}

}  // namespace

template <class Any>
void bind_passes(nb::class_<Any>& c) {
  phases(c, "theta", &MeshProgram::theta,
         "Internal phases [rad], float64 (MZIs,), writable; 0 is the cross state.");
  phases(c, "phi", &MeshProgram::phi,
         "External phases, at the inputs of the MZIs [rad], float64 (MZIs,), writable.");
  phases(c, "output_phase", &MeshProgram::output_phase,
         "Phases behind the last column [rad], float64 (ports,), writable.");
  wiring(c, [](const Any& m) -> const MeshTopology& { return m.wiring->topology; });
  c.def_prop_ro(
      "mzis",
      [](const Any& m) {
        std::vector<std::pair<int, int>> pairs;
        for (const PortPair& p : m.wiring->topology.mzis) pairs.emplace_back(p.upper, p.lower);
        return pairs;
      },
      "The (upper, lower) ports of every MZI, in column order, top to bottom in a column.");
  c.def_prop_ro(
      "topology", [](const Any& m) { return m.wiring->name; },
      "Name of the wiring, \"clements\" or \"reck\", or the wiring written out: \"0-1 2-3 | 1-2\".");
  c.def_ro("clipped", &Any::clipped,
           "MZIs whose splitters could not reach the bar power that corrected() asked of them.");
  c.def(
      "floor_plan",
      [](const Any& m, const FloorPlanSettings& settings) {
        const MeshTopology& topology = m.wiring->topology;
        return PlacedMesh{"mesh", topology, settings, floor_plan(topology, settings)};
      },
      nb::arg("settings") = FloorPlanSettings(),
      "Where its devices lie on a die, from corner (0, 0) on; optinc.layout draws it and writes GDS.\n\n"
      "Raises ValueError for lengths that are not positive, and couplers and heaters that do not fit.");
  c.def(
      "copy", [](const Any& m) { return m; }, "A mesh of its own with the same phases and errors.");
  c.def("matrix", &mesh_matrix<Any>,
        "Transfer matrix, complex128 (ports, ports): output fields are matrix() @ input fields.\n\n"
        "Raises ValueError, naming the MZI, where a phase or an error is NaN or infinite, or a loss is "
        "negative.");
  c.def("__call__", &call_mesh<Any>, nb::arg("x"), nb::arg("out") = nb::none(), nb::sig(fields_signature),
        "Output fields for input fields x [sqrt(W)], both (.., ports): y = x @ matrix().T.\n\n"
        "complex64 and float32 are computed in single precision and give complex64, other numbers complex128. "
        "out: an array to\n"
        "write them to, as of numpy's functions. Raises ValueError for another last axis and another out, and "
        "where a phase or an\n"
        "error is NaN or infinite or a loss is negative; TypeError for no numbers.");
  c.def(
      "in_situ_gradient",
      [](const Any& m, const ArrayLike& x, const ArrayLike& gradient, double reading, double input,
         double phase_rad, double detection, double gain, bool equal_powers, bool measured_adjoint,
         const std::optional<ArrayLike>& arriving, std::uint64_t seed, std::uint32_t chip,
         std::uint32_t first_word) {
        return in_situ(m, x, gradient, arriving, {reading, input, phase_rad, detection, gain},
                       {seed, chip, first_word}, {equal_powers, measured_adjoint});
      },
      nb::arg("x"), nb::arg("gradient"), nb::kw_only(), nb::arg("reading") = 0.0, nb::arg("input") = 0.0,
      nb::arg("phase_rad") = 0.0, nb::arg("detection") = 0.0, nb::arg("gain") = 0.0,
      nb::arg("equal_powers") = true, nb::arg("measured_adjoint") = false,
      nb::arg("arriving").none() = nb::none(), nb::arg("seed") = 1, nb::arg("chip") = 0,
      nb::arg("first_word") = 0,
      "Derivatives of a loss by (theta, phi, output_phase, x) as power monitors behind every phase shifter "
      "measure them.\n\n"
      "x: fields at the inputs, gradient: dL/dRe(y) + i dL/dIm(y) at the outputs, both (words, ports). Three "
      "passes of light a\n"
      "word: forward, backward, and their sum (Pai et al., Science 380, 398 (2023)). Errors, rms: reading of "
      "every power\n"
      "reading, in units of the power sent; input of every field sent, and detection of every field whose "
      "phase is detected\n"
      "(outputs, and the adjoint that arrives), in units of the rms field of its vector; phase_rad of the "
      "phases of output\n"
      "fields [rad]; gain of the monitors behind shifters, fixed errors of a chip. equal_powers: every vector "
      "is sent with power 1, else as given, where noise of readings "
      "hides the gradient\n"
      "of a small loss. measured_adjoint: the adjoint that arrives is sent again as roots of read powers with "
      "detected phases,\n"
      "or with those of arriving (words, ports), else exactly. It is the derivative by x that is returned, "
      "complex128\n"
      "(words, ports). Without errors and losses, all are those of backward(). Losses bias them.\n\n"
      "Raises ValueError for shapes that differ, negative errors, and arriving without measured_adjoint.");
  c.def("forward_derivative", &changed<Any>, nb::arg("x"), nb::arg("x_change"), nb::arg("changes"),
        nb::sig("def forward_derivative(self, x: numpy.typing.ArrayLike, x_change: numpy.typing.ArrayLike, "
                "**changes: "
                "numpy.typing.ArrayLike) -> NDArray[numpy.complex128]"),
        "Forward mode: how fields at the outputs change, complex128 (words, ports), where the fields x that "
        "are sent change "
        "by\n"
        "x_change, both (words, ports), and parameters by `changes`, named as in FieldGradient: theta=.., "
        "alpha=..\n\n"
        "dy = T dx + sum over parameters p of (dT/dp) x dp, in double precision; the transpose of "
        "SettledMesh.backward(). It "
        "walks\n"
        "from MZI to MZI and takes longer than that. Raises ValueError for other names and shapes.");
  c.def("settled", &settled<Any>, nb::arg("precision") = "double",
        "The mesh as it is now, set up once for many fields, and for derivatives: precision \"double\" or "
        "\"single\".\n\n"
        "Raises ValueError as matrix() does.");
}

template void bind_passes(nb::class_<Mesh>& c);
template void bind_passes(nb::class_<MeshChip>& c);

}  // namespace optinc::bindings
