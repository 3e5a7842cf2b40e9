#include "physics/mesh/engine/mesh_engine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/mesh/engine/detail/direct_kernel.hpp"
#include "physics/mesh/engine/detail/planes.hpp"
#include "physics/mesh/engine/detail/settle_kernel.hpp"
#include "physics/mesh/engine/detail/vector_kernel.hpp"
#include "physics/mesh/reference_mesh.hpp"

namespace optinc {
namespace {

/// Throws Error that names the first parameter which is not finite, or else the first MZI that lets no light
/// pass, as the kernel found that there is one.
template <class Real>
[[noreturn]] void refuse_unusable(const MeshTopology& t, const MeshProgramOf<Real>& p,
                                  const MeshErrorsOf<Real>& e) {
  validate(std::isfinite(e.idle_arm_loss_db),
           "idle_arm_loss_db is {} (a finite loss in dB). Set a value in this range.", e.idle_arm_loss_db);
  const std::pair<const char*, const VectorOf<Real>*> of_mzi[] = {
      {"theta", &p.theta},
      {"phi", &p.phi},
      {"alpha", &e.alpha},
      {"beta", &e.beta},
      {"theta_offset", &e.theta_offset},
      {"phi_offset", &e.phi_offset},
      {"theta_arm_loss_db", &e.theta_arm_loss_db},
      {"phi_arm_loss_db", &e.phi_arm_loss_db},
      {"theta_other_loss_db", &e.theta_other_loss_db},
      {"phi_other_loss_db", &e.phi_other_loss_db}};
  for (int k = 0; k < t.mzi_count(); ++k)
    for (const auto& [name, values] : of_mzi)
      validate(std::isfinite((*values)[k]),
               "{} of MZI {} (ports {} and {}) is {} (finite numbers only). Set a finite number.", name, k,
               t.mzis[static_cast<std::size_t>(k)].upper, t.mzis[static_cast<std::size_t>(k)].lower,
               (*values)[k]);
  for (const auto& [name, values] :
       {std::pair("output_phase", &p.output_phase), std::pair("output_offset", &e.output_offset)})
    for (Eigen::Index i = 0; i < values->size(); ++i)
      validate(std::isfinite((*values)[i]), "{} of port {} is {} (finite numbers only). Set a finite number.",
               name, i, (*values)[i]);
  for (int k = 0; k < t.mzi_count(); ++k)
    for (const auto& [name, phase] :
         {std::pair("theta", p.theta[k] + e.theta_offset[k]), std::pair("phi", p.phi[k] + e.phi_offset[k]),
          std::pair("alpha", e.alpha[k]), std::pair("beta", e.beta[k])})
      validate(std::abs(phase) <= largest_phase_rad<Real>,
               "{} of MZI {} with its offset is {} rad (at most {} in this precision). Take whole turns off.",
               name, k, phase, largest_phase_rad<Real>);
  for (int k = 0; k < t.mzi_count(); ++k) {
    const Matrix2 m = mzi(p.mzi(k), e.mzi(k));
    const double most = std::max(std::abs(m(0, 0) * m(1, 1)), std::abs(m(0, 1) * m(1, 0)));
    validate(most > 1e-6 * std::numeric_limits<Real>::min(),
             "MZI {} (ports {} and {}) lets no light of an input pass (theta arms {} and {} dB, phi arms {} "
             "and {} dB). Lower its losses.",
             k, t.mzis[static_cast<std::size_t>(k)].upper, t.mzis[static_cast<std::size_t>(k)].lower,
             e.theta_arm_loss_db[k], e.theta_other_loss_db[k], e.phi_arm_loss_db[k], e.phi_other_loss_db[k]);
  }
  throw Error(
      "the mesh loses so much light that its fields leave the range of numbers (losses of all columns "
      "together). Lower the losses.");
}

/// Fields MZI by MZI in double, one word after the other: the reference path.
template <class Real>
void propagate_slowly(const MeshTopology& t, const MeshProgramOf<Real>& p, const MeshErrorsOf<Real>& e,
                      FieldBatchOf<Real>& fields) {
  const Matrix out =
      reference_transfer_matrix(t, p.template cast<double>(), e.template cast<double>()) * fields.complex();
  fields = FieldBatchOf<Real>(out);
}

/// Throws Error that names the first number which is not finite, or else the first block that lets no light
/// pass, as the kernel found that there is one.
template <class Real>
[[noreturn]] void refuse_unusable(const MeshTopology& t, const MeshBlocks& mesh) {
  validate(std::isfinite(mesh.idle_factor),
           "idle_factor is {} (a finite field factor). Set a value in this range.", mesh.idle_factor);
  for (std::size_t k = 0; k < mesh.blocks.size(); ++k)
    validate(mesh.blocks[k].allFinite(),
             "block {} (ports {} and {}) holds NaN or infinity (finite numbers only). Set a finite number.", k,
             t.mzis[k].upper, t.mzis[k].lower);
  for (Eigen::Index p = 0; p < mesh.screen.size(); ++p)
    validate(std::isfinite(mesh.screen[p].real()) && std::isfinite(mesh.screen[p].imag()),
             "screen of port {} is NaN or infinite (finite numbers only). Set a finite number.", p);
  for (std::size_t k = 0; k < mesh.blocks.size(); ++k) {
    const Matrix2& m = mesh.blocks[k];
    const double most = std::max(std::abs(m(0, 0) * m(1, 1)), std::abs(m(0, 1) * m(1, 0)));
    validate(most > 1e-6 * std::numeric_limits<Real>::min(),
             "block {} (ports {} and {}) lets no light of an input pass (a row or column of it is zero). Give "
             "one that does.",
             k, t.mzis[k].upper, t.mzis[k].lower);
  }
  throw Error(
      "the mesh loses or gains so much light that its fields leave the range of numbers (factors of all "
      "columns "
      "together). Give blocks nearer to unitary ones.");
}

/// Runs body(first, last) over shares of [0, count), one a thread.
template <class Body>
void in_shares(std::size_t count, int threads, Body body) {
  const std::size_t shares =
      std::min(count, static_cast<std::size_t>(threads > 0 ? threads : omp_get_max_threads()));
  if (shares <= 1) return body(std::size_t{0}, count);
  parallel_for(shares, threads, [&](std::size_t i) { body(count * i / shares, count * (i + 1) / shares); });
}

}  // namespace

template <class Real>
MeshEngine<Real>::MeshEngine(const MeshTopology& topology, MeshPath path) : path_(path) {
  validate_topology(topology);
  plan_ = std::make_shared<const Plan>(Plan{
      topology, mesh_layout(topology), VectorOf<Real>::Zero(std::max(topology.mzi_count(), topology.ports))});
}

template <class Real>
void MeshEngine<Real>::settle(const MeshProgramOf<Real>& program, const MeshErrorsOf<Real>& errors,
                              bool for_backward) {
  require_wired();
  settled_ = false;
  validate_errors(plan_->topology, errors);
  settle_with(
      program, parameters_of(program, errors), [&] { return errors; }, for_backward);
}

template <class Real>
void MeshEngine<Real>::settle(const MeshProgramOf<Real>& program, bool for_backward) {
  require_wired();
  settled_ = false;
  const Real* const none = plan_->zeros.data();
  const MeshParameters<Real> parameters{program.theta.data(),
                                        program.phi.data(),
                                        none,
                                        none,
                                        none,
                                        none,
                                        none,
                                        none,
                                        none,
                                        none,
                                        Real(0),
                                        program.output_phase.data(),
                                        none};
  settle_with(
      program, parameters, [&] { return no_errors(plan_->topology).template cast<Real>(); }, for_backward);
}

/// `errors`: makes the errors that the parameters point to.
template <class Real>
template <class Errors>
void MeshEngine<Real>::settle_with(const MeshProgramOf<Real>& program, const MeshParameters<Real>& parameters,
                                   Errors errors, bool for_backward) {
  validate_program(plan_->topology, program);
  if (!settle_scaled(plan_->layout, parameters, scaled_)) refuse_unusable(plan_->topology, program, errors());
  settings_ = for_backward || path_ == MeshPath::reference
                  ? std::make_shared<const Settings>(Settings{program, errors(), {}})
                  : nullptr;
  settled_ = true;
  if (path_ == MeshPath::matrix) matrix_ = transfer_planes();
}

template <class Real>
void MeshEngine<Real>::settle(const MeshBlocks& blocks, bool for_backward) {
  require_wired();
  settled_ = false;
  const MeshTopology& t = plan_->topology;
  validate(blocks.blocks.size() == t.mzis.size(), "{} blocks for a mesh of {} pairs (one each). Give {}.",
           blocks.blocks.size(), t.mzis.size(), t.mzis.size());
  validate(blocks.screen.size() == t.ports,
           "a screen of {} factors for a mesh of {} ports (one each). Give {}.", blocks.screen.size(), t.ports,
           t.ports);
  for (Eigen::Index p = 0; p < t.ports; ++p)
    validate(blocks.screen[p] != 0.0, "screen of port {} is 0 (no light would leave). Give a factor.", p);
  if (!settle_scaled(plan_->layout, BlockPlanes<Real>(blocks).parameters(), scaled_))
    refuse_unusable<Real>(t, blocks);
  settings_ = for_backward || path_ == MeshPath::reference
                  ? std::make_shared<const Settings>(Settings{{}, {}, blocks})
                  : nullptr;
  settled_ = true;
  if (path_ == MeshPath::matrix) matrix_ = transfer_planes();
}

template <class Real>
void MeshEngine<Real>::require_wired() const {
  validate(plan_ != nullptr, "the engine has no mesh (it was made without one). Make it for a topology.");
}

template <class Real>
void MeshEngine<Real>::require_settled(const FieldBatchOf<Real>& fields) const {
  require_settled(static_cast<std::size_t>(fields.ports()));
  validate(fields.re.rows() == fields.im.rows() && fields.re.cols() == fields.im.cols(),
           "real parts ({}, {}) meet imaginary parts ({}, {}) (one field has both). Give planes of one shape.",
           fields.re.rows(), fields.re.cols(), fields.im.rows(), fields.im.cols());
}

template <class Real>
void MeshEngine<Real>::require_settled(std::size_t ports) const {
  validate(settled_, "the mesh was not settled (it has no phases yet). Call settle() first.");
  validate(ports == plan_->layout.ports,
           "fields on {} ports meet a mesh of {} ports (they must agree). Send one field per port.", ports,
           plan_->layout.ports);
}

template <class Real>
void MeshEngine<Real>::propagate(FieldBlocks<Real>& fields, int threads) const {
  require_settled(fields.ports);
  require_width(fields);
  in_shares(fields.blocks(), threads, [&](std::size_t first, std::size_t last) {
    propagate_direct(plan_->layout, scaled_, fields, first, last - first);
  });
}

template <class Real>
void MeshEngine<Real>::propagate(FieldBatchOf<Real>& fields, int threads) const {
  require_settled(fields);
  const MeshPath path = path_ == MeshPath::automatic ? choose_mesh_path(fields.ports(), fields.words()) : path_;
  if (path == MeshPath::reference && settings_->blocks) {
    fields = FieldBatchOf<Real>(
        Matrix(reference_transfer_matrix(plan_->topology, *settings_->blocks) * fields.complex()));
    return;
  }
  if (path == MeshPath::reference)
    return propagate_slowly(plan_->topology, settings_->program, settings_->errors, fields);
  if (path == MeshPath::matrix) return multiply(matrix_, fields, threads);
  const auto words = static_cast<std::size_t>(fields.words());
  const FieldPlanes<Real> planes = planes_of(fields);
  if (path == MeshPath::single_vector) return propagate_vectors(plan_->layout, scaled_, planes, words);

  constexpr std::size_t at_once = 4;  // blocks copied together: rows are read in longer pieces
  const std::size_t width = words_per_block<Real>(plan_->layout.ports, words);
  in_shares((words + width - 1) / width, threads, [&](std::size_t first, std::size_t last) {
    FieldBlocks<Real> blocks(plan_->layout.ports, std::min(at_once * width, words - first * width), width);
    for (std::size_t b = first; b < last; b += at_once) {
      blocks.words = std::min({at_once * width, (last - b) * width, words - b * width});
      pack<Real>({planes.re, planes.im, planes.stride}, b * width, blocks);
      propagate_direct(plan_->layout, scaled_, blocks, 0, blocks.blocks());
      unpack(blocks, planes, b * width);
    }
  });
}

template <class Real>
FieldBatchOf<Real> MeshEngine<Real>::transfer_planes() const {
  const std::size_t n = plan_->layout.ports;
  FieldBlocks<Real> unit(n, n);
  for (std::size_t p = 0; p < n; ++p) *unit.at(p, p) = Real(1);
  propagate(unit);
  FieldBatchOf<Real> u(plan_->topology.ports, plan_->topology.ports);
  unpack(unit, planes_of(u), 0);
  return u;
}

template <class Real>
Matrix MeshEngine<Real>::transfer_matrix() const {
  require_wired();
  return transfer_planes().complex();
}

// all but reverse mode, which lies in mesh_engine_backward.cpp
template class MeshEngine<float>;
template class MeshEngine<double>;

Matrix transfer_matrix(const MeshTopology& topology, const MeshProgram& program, const MeshErrors& errors) {
  MeshEngine<double> engine(topology);
  engine.settle(program, errors);
  return engine.transfer_matrix();
}

}  // namespace optinc
