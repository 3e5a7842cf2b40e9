#include "physics/mesh/reference_correction.hpp"

#include "physics/devices/phase_shifter.hpp"

namespace optinc {

CorrectedProgram reference_correct_splitters(const MeshTopology& topology, const MeshProgram& program,
                                             const Vector& alpha, const Vector& beta, Clipping clipping) {
  CorrectedProgram corrected{program, 0};
  Eigen::VectorXcd carried =
      Eigen::VectorXcd::Ones(topology.ports);  // phases still to be undone, per waveguide
  for (int k = 0; k < topology.mzi_count(); ++k) {
    const auto [upper, lower] = topology.mzis[static_cast<std::size_t>(k)];
    Matrix2 wanted = mzi_closed_form(program.theta[k], program.phi[k], 0.0, 0.0);
    wanted.col(0) *= carried[upper];
    wanted.col(1) *= carried[lower];

    bool clipped = false;
    const double theta = mzi_theta_for_bar_power(std::norm(wanted(0, 0)), alpha[k], beta[k], clipped);
    Matrix2 real = mzi_closed_form(theta, 0.0, alpha[k], beta[k]);
    // phi turns the first column; it must give the ratio of the first row's elements the phase that was asked
    // for
    Complex turn = unit_phase(wanted(0, 0) * std::conj(wanted(0, 1)) * std::conj(real(0, 0)) * real(0, 1));
    // which element of each row decides the row's phase; with both (nearest) their errors balance
    double bar_counts = 1.0, cross_counts = 1.0;
    if (clipped && clipping == Clipping::quadrature) {
      const bool bar_surplus = std::abs(real(0, 0)) > std::abs(wanted(0, 0));
      const int surplus = bar_surplus ? 0 : 1;
      const double psi = std::acos(std::min(1.0, std::abs(wanted(0, surplus)) / std::abs(real(0, surplus))));
      turn *= std::polar(1.0, bar_surplus ? psi : -psi);
      (bar_surplus ? bar_counts : cross_counts) = 0.0;
    }
    real.col(0) *= turn;
    carried[upper] = unit_phase(bar_counts * wanted(0, 0) * std::conj(real(0, 0)) +
                                cross_counts * wanted(0, 1) * std::conj(real(0, 1)));
    carried[lower] = unit_phase(cross_counts * wanted(1, 0) * std::conj(real(1, 0)) +
                                bar_counts * wanted(1, 1) * std::conj(real(1, 1)));

    corrected.program.theta[k] = theta;
    corrected.program.phi[k] = wrap_phase(std::arg(turn));
    corrected.clipped += clipped ? 1 : 0;
  }
  for (int p = 0; p < topology.ports; ++p)
    corrected.program.output_phase[p] = wrap_phase(program.output_phase[p] + std::arg(carried[p]));
  return corrected;
}

}  // namespace optinc
