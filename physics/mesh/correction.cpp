#include "physics/mesh/correction.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "physics/core/check.hpp"
#include "physics/mesh/engine/detail/correction_kernel.hpp"

namespace optinc {
namespace {

template <class Real>
Eigen::Index first_not_finite(std::initializer_list<const VectorOf<Real>*> of_mzis) {
  for (Eigen::Index k = 0; k < (*of_mzis.begin())->size(); ++k)
    for (const auto* values : of_mzis)
      if (!std::isfinite((*values)[k])) return k;
  return -1;
}

}  // namespace

template <class Real>
void correct_splitters(const MeshLayout& layout, const MeshProgramOf<Real>& program,
                       const VectorOf<Real>& alpha, const VectorOf<Real>& beta, Clipping clipping,
                       CorrectedProgramOf<Real>& corrected) {
  const auto mzis = static_cast<Eigen::Index>(layout.mzis), ports = static_cast<Eigen::Index>(layout.ports);
  for (const auto* values : {&program.theta, &program.phi, &alpha, &beta})
    validate(values->size() == mzis, "{} phases or splitter errors for a mesh of {} MZIs (one each). Give {}.",
             values->size(), mzis, mzis);
  validate(program.output_phase.size() == ports, "{} output phases for a mesh of {} ports (one each). Give {}.",
           program.output_phase.size(), ports, ports);
  // the kernel's phases of a device that is NaN would be numbers again
  if (((program.theta + program.phi + alpha + beta).array() * Real(0)).sum() != Real(0))
    throw Error(
        fmt::format("a phase or splitter error of MZI {} is not finite (numbers only). Set a finite number.",
                    first_not_finite<Real>({&program.theta, &program.phi, &alpha, &beta})));
  const auto finite = [](Real phase) { return std::isfinite(phase); };
  if (const auto bad = std::find_if_not(program.output_phase.begin(), program.output_phase.end(), finite);
      bad != program.output_phase.end())
    throw Error(fmt::format("output_phase of port {} is {} (finite numbers only). Set a finite number.",
                            bad - program.output_phase.begin(), *bad));
  auto& to = corrected.program;
  to.theta.resize(mzis);
  to.phi.resize(mzis);
  to.output_phase.resize(ports);
  corrected.clipped = static_cast<int>(correct_mesh(
      layout,
      {program.theta.data(), program.phi.data(), program.output_phase.data(), alpha.data(), beta.data()},
      clipping == Clipping::quadrature, {to.theta.data(), to.phi.data(), to.output_phase.data()}));
}

template void correct_splitters<float>(const MeshLayout&, const MeshProgramOf<float>&, const VectorOf<float>&,
                                       const VectorOf<float>&, Clipping, CorrectedProgramOf<float>&);
template void correct_splitters<double>(const MeshLayout&, const MeshProgram&, const Vector&, const Vector&,
                                        Clipping, CorrectedProgram&);

CorrectedProgram correct_splitters(const MeshTopology& topology, const MeshProgram& program,
                                   const Vector& alpha, const Vector& beta, Clipping clipping) {
  CorrectedProgram corrected;
  correct_splitters(mesh_layout(topology), program, alpha, beta, clipping, corrected);
  return corrected;
}

}  // namespace optinc
