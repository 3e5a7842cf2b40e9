#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "physics/mesh/bell_walmsley.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"

namespace optinc::bindings {
namespace {

void phases(nb::class_<SymmetricProgram>& c, const char* name, Vector SymmetricProgram::*member,
            const char* meaning) {
  c.def_prop_rw(
      name,
      [member](nb::handle_t<SymmetricProgram> self) {
        return view_of(nb::cast<SymmetricProgram&>(self).*member, self);
      },
      [member, name](SymmetricProgram& s, const ArrayLike& given) { assign(s.*member, given, name); }, meaning);
}

constexpr Vector SymmetricProgram::*all_phases[] = {
    &SymmetricProgram::upper, &SymmetricProgram::lower, &SymmetricProgram::input_phase,
    &SymmetricProgram::edge_phase, &SymmetricProgram::output_phase};

int ports_of(const SymmetricProgram& program) { return static_cast<int>(program.output_phase.size()); }

/// Numbers for every MZI, 0 where none are given.
Vector of_mzis(const nb::object& given, const char* name, const SymmetricProgram& program) {
  Vector values = Vector::Zero(program.upper.size());
  if (!given.is_none()) assign(values, given, name);
  return values;
}

Array<Complex> matrix(const SymmetricProgram& program, const nb::object& alpha, const nb::object& beta,
                      const nb::object& upper_offset, const nb::object& lower_offset) {
  const Vector a = of_mzis(alpha, "alpha", program), b = of_mzis(beta, "beta", program),
               u = of_mzis(upper_offset, "upper_offset", program),
               l = of_mzis(lower_offset, "lower_offset", program);
  std::vector<SymmetricMziErrors> errors;
  for (Eigen::Index k = 0; k < a.size(); ++k) errors.push_back({a[k], b[k], u[k], l[k], 0.0, 0.0});
  return array_of_matrix(working(takes_long(ports_of(program)), [program, errors = std::move(errors)] {
    MeshEngine<double> engine(clements_topology(ports_of(program)));
    engine.settle(mesh_blocks(program, errors));
    return engine.transfer_matrix();
  }));
}

}  // namespace

void bind_symmetric_mesh(nb::module_& m) {
  nb::class_<SymmetricProgram> c(
      m, "SymmetricMesh",
      "A rectangular mesh of symmetric MZIs: a phase in both arms of each, and a few outside that take no "
      "length "
      "(Bell and Walmsley,\n"
      "APL Photonics 6, 070804, 2021). The transfer matrices are those of a mesh of standard MZIs.");
  c.def_static(
      "from_unitary",
      [](const ArrayLike& unitary) {
        const Matrix u = matrix_of(unitary, "unitary");
        return working(takes_long(u.rows()), [u] { return decompose_bell_walmsley(u); });
      },
      nb::arg("unitary"),
      "Phases with which a perfect mesh has the transfer matrix `unitary` (ports, ports).\n\n"
      "Raises ValueError for a matrix that is not unitary to 1e-6.",
      nb::sig("def from_unitary(unitary: numpy.typing.ArrayLike) -> SymmetricMesh"));
  c.def("__getstate__", [](const SymmetricProgram& s) {
    std::vector<Array<double>> state;
    for (const auto member : all_phases) state.push_back(array_of_vector(s.*member));
    return state;
  });
  c.def("__setstate__", [](SymmetricProgram& self, const std::vector<Array<double>>& state) {
    auto* const made = new (&self) SymmetricProgram;
    for (std::size_t i = 0; i < std::size(all_phases); ++i) {
      (made->*all_phases[i]).resize(static_cast<Eigen::Index>(state.at(i).size()));
      assign(made->*all_phases[i], nb::cast(state[i]), "phases");
    }
  });
  phases(c, "upper", &SymmetricProgram::upper, "Phases of the upper arms [rad], (MZIs,).");
  phases(c, "lower", &SymmetricProgram::lower, "Phases of the lower arms [rad], (MZIs,).");
  phases(c, "input_phase", &SymmetricProgram::input_phase, "In front of the first column [rad], (ports,).");
  phases(c, "edge_phase", &SymmetricProgram::edge_phase,
         "Where a port passes a column without an MZI [rad], column after column.");
  phases(c, "output_phase", &SymmetricProgram::output_phase, "Behind the last column [rad], (ports,).");
  c.def_prop_ro(
       "ports", [](const SymmetricProgram& s) { return ports_of(s); }, "Number of inputs, and of outputs.")
      .def_prop_ro(
          "shifters", [](const SymmetricProgram& s) { return bell_walmsley_shifters(ports_of(s)).count(); },
          "Phase shifters that the mesh needs: ports^2.")
      .def("matrix", &matrix, nb::arg("alpha") = nb::none(), nb::arg("beta") = nb::none(),
           nb::arg("upper_offset") = nb::none(), nb::arg("lower_offset") = nb::none(),
           "Transfer matrix, complex128 (ports, ports), with errors of both splitters and of both arms' phases "
           "[rad], (MZIs,) each.\n\n"
           "Raises ValueError for other shapes and for values that are not finite.",
           nb::sig(
               "def matrix(self, alpha: numpy.typing.ArrayLike | None = None, beta: numpy.typing.ArrayLike | "
               "None = None, "
               "upper_offset: numpy.typing.ArrayLike | None = None, lower_offset: numpy.typing.ArrayLike | "
               "None = None) -> "
               "numpy.typing.NDArray[numpy.complex128]"));
}

}  // namespace optinc::bindings
