#include "bench/eigen_twin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/core/units.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/random/stream.hpp"

namespace optinc::bench {
namespace {

template <class Real>
using Matrix2Of = Eigen::Matrix<std::complex<Real>, 2, 2>;

template <class Real>
Matrix2Of<Real> coupler(double error_rad) {
  const Real eta = static_cast<Real>(constants::pi / 4) + static_cast<Real>(error_rad);
  const std::complex<Real> bar(std::cos(eta), 0), cross(0, std::sin(eta));
  Matrix2Of<Real> m;
  m << bar, cross, cross, bar;
  return m;
}

template <class Real>
Real field_ratio(double loss_db) {
  return std::pow(Real(10), -static_cast<Real>(loss_db) / 20);
}

/// diag of an upper arm with a heater and a lower arm without.
template <class Real>
auto arms(double phase_rad, double offset_rad, double loss_db, double other_loss_db) {
  const Real phase = static_cast<Real>(phase_rad) + static_cast<Real>(offset_rad);
  return Eigen::Matrix<std::complex<Real>, 2, 1>(std::polar(field_ratio<Real>(loss_db), phase),
                                                 field_ratio<Real>(other_loss_db));
}

/// A mesh on `topology` with errors of every kind, none small, losses unequal.
template <class Real>
double error_on(const MeshTopology& topology) {
  Stream stream(1, Purpose::test);
  const auto uniform = [&](Eigen::Index n, double low, double high) {
    return Vector(Vector::NullaryExpr(n, [&] { return low + (high - low) * stream.uniform(); }));
  };
  const Eigen::Index mzis = topology.mzi_count(), ports = topology.ports;
  const MeshProgram program{uniform(mzis, 0, 3), uniform(mzis, -3, 3), uniform(ports, -3, 3)};
  MeshErrors errors = no_errors(topology);
  for (Vector* v : {&errors.alpha, &errors.beta, &errors.theta_offset, &errors.phi_offset})
    *v = uniform(mzis, -0.3, 0.3);
  errors.theta_arm_loss_db = uniform(mzis, 0, 1);
  errors.phi_arm_loss_db = uniform(mzis, 0, 1);
  errors.output_offset = uniform(ports, -0.3, 0.3);
  errors.theta_other_loss_db = uniform(mzis, 0, 1);
  errors.phi_other_loss_db = uniform(mzis, 0, 1);
  errors.idle_arm_loss_db = 0.15;

  TwinFields<Real> fields = TwinFields<Real>::Identity(ports, ports);
  propagate_twin(topology, settle_twin<Real>(program, errors), fields);
  const Matrix reference = reference_transfer_matrix(topology, program, errors);
  const double worst = (fields.template cast<Complex>() - reference).cwiseAbs().maxCoeff();
  return worst / (static_cast<double>(std::numeric_limits<Real>::epsilon()) * topology.columns());
}

}  // namespace

template <class Real>
EigenTwin<Real> settle_twin(const MeshProgram& program, const MeshErrors& errors) {
  EigenTwin<Real> twin;
  const Eigen::Index count = program.theta.size(), ports = program.output_phase.size();
  twin.mzis.reserve(static_cast<std::size_t>(count));
  for (Eigen::Index k = 0; k < count; ++k)
    twin.mzis.push_back(
        coupler<Real>(errors.beta[k]) *
        arms<Real>(program.theta[k], errors.theta_offset[k], errors.theta_arm_loss_db[k],
                   errors.theta_other_loss_db[k])
            .asDiagonal() *
        coupler<Real>(errors.alpha[k]) *
        arms<Real>(program.phi[k], errors.phi_offset[k], errors.phi_arm_loss_db[k], errors.phi_other_loss_db[k])
            .asDiagonal());
  twin.idle_factor = static_cast<Real>(column_field_factor(errors));
  twin.output.resize(ports);
  for (Eigen::Index p = 0; p < ports; ++p)
    twin.output[p] = std::polar(
        Real(1), static_cast<Real>(program.output_phase[p]) + static_cast<Real>(errors.output_offset[p]));
  return twin;
}

template <class Real>
void propagate_twin(const MeshTopology& topology, const EigenTwin<Real>& twin, TwinFields<Real>& fields) {
  Eigen::Matrix<std::complex<Real>, 1, Eigen::Dynamic> row(fields.cols());
  std::vector<bool> met(static_cast<std::size_t>(topology.ports));
  auto mzi = twin.mzis.begin();
  for (int c = 0; c < topology.columns(); ++c) {
    const auto column = topology.column(c);
    for (const auto& [u, l] : column) {
      const auto& t = *mzi++;
      row = t(0, 0) * fields.row(u) + t(0, 1) * fields.row(l);
      fields.row(l) = t(1, 0) * fields.row(u) + t(1, 1) * fields.row(l);
      fields.row(u) = row;
    }
    if (twin.idle_factor == Real(1)) continue;  // nothing to do, and the twin shall not be slow on purpose
    std::fill(met.begin(), met.end(), false);
    for (const auto& [u, l] : column)
      met[static_cast<std::size_t>(u)] = met[static_cast<std::size_t>(l)] = true;
    for (int p = 0; p < topology.ports; ++p)
      if (!met[static_cast<std::size_t>(p)]) fields.row(p) *= twin.idle_factor;
  }
  for (int p = 0; p < topology.ports; ++p) fields.row(p) *= twin.output[p];
}

template <class Real>
double twin_error() {
  return std::max(error_on<Real>(clements_topology(9)), error_on<Real>(reck_topology(9)));
}

template EigenTwin<float> settle_twin(const MeshProgram&, const MeshErrors&);
template EigenTwin<double> settle_twin(const MeshProgram&, const MeshErrors&);
template void propagate_twin(const MeshTopology&, const EigenTwin<float>&, TwinFields<float>&);
template void propagate_twin(const MeshTopology&, const EigenTwin<double>&, TwinFields<double>&);
template double twin_error<float>();
template double twin_error<double>();

}  // namespace optinc::bench
