#include <algorithm>
#include <limits>

#include "physics/core/check.hpp"
#include "physics/mesh/engine/detail/block_width.hpp"
#include "physics/mesh/engine/detail/checkpoint_gradient.hpp"
#include "physics/mesh/engine/detail/direct_kernel.hpp"
#include "physics/mesh/engine/detail/gradient_kernel.hpp"
#include "physics/mesh/engine/detail/planes.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"

namespace optinc {
namespace {

/// What inverting may get wrong at the inputs, over the largest input: gradients are off by about as much.
template <class Real>
double inversion_tolerance() {
  return 2000.0 * static_cast<double>(std::numeric_limits<Real>::epsilon());
}

/// Shares that words are cut into for the sums: never more than eight, each of 8 groups of registers or more.
std::size_t share_count(std::size_t groups) { return std::clamp<std::size_t>(groups / 8, 1, 8); }

template <class Real>
void add(const GramSums<Real>& from, GramSums<Real>& to) {
  const auto add_all = [](const auto& x, auto& y) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] += x[i];
  };
  add_all(from.mzis, to.mzis);
  add_all(from.idle, to.idle);
  add_all(from.outputs, to.outputs);
  to.largest_input = std::max(to.largest_input, from.largest_input);
  to.largest_error = larger_or_nan(to.largest_error, from.largest_error);
}

template <class Real>
MeshGradientOf<Real> gradient_of(const MeshLayout& layout, const MeshParameters<Real>& parameters,
                                 const InverseMesh<Real>& mesh, const GramSums<Real>& sums) {
  const auto mzis = static_cast<Eigen::Index>(layout.mzis), ports = static_cast<Eigen::Index>(layout.ports);
  MeshGradientOf<Real> g;
  for (auto* v : {&g.theta, &g.phi, &g.alpha, &g.beta, &g.theta_arm_loss_db, &g.phi_arm_loss_db,
                  &g.theta_other_loss_db, &g.phi_other_loss_db})
    v->resize(mzis);
  g.output_phase.resize(ports);
  gradient_of_sums(layout, parameters, mesh, sums,
                   {g.theta.data(), g.phi.data(), g.alpha.data(), g.beta.data(), g.theta_arm_loss_db.data(),
                    g.phi_arm_loss_db.data(), g.theta_other_loss_db.data(), g.phi_other_loss_db.data(),
                    g.output_phase.data(), &g.idle_arm_loss_db});
  return g;
}

/// Gradient of what x lambda^H sums up to: conj of its transpose.
BlockGradient gradient_of(const BlockSums& sums, const MeshBlocks& mesh) {
  BlockGradient g;
  for (const Matrix2& gram : sums.blocks) g.blocks.push_back(gram.adjoint());
  // lambda in front of the screen holds conj(screen) already
  g.screen = sums.outputs.cwiseQuotient(mesh.screen).conjugate();
  return g;
}

/// The kernel's sums as those of true fields.
template <class Real>
BlockSums true_sums(const InverseMesh<Real>& mesh, const GramSums<Real>& sums, std::size_t blocks) {
  BlockSums found;
  found.blocks.resize(blocks);
  for (std::size_t k = 0; k < blocks; ++k) {
    const auto number = [&](std::size_t i) {
      double total = 0;
      for (std::size_t part = 0; part < sums.partials; ++part)
        total += static_cast<double>(sums.mzis[(k * 8 + i) * sums.partials + part]);
      return total;
    };
    const auto scale = [&](std::size_t i) {
      const Real* from = mesh.scales.data() + 2 * i * mesh.pitch + k;
      return Complex(static_cast<double>(from[0]), static_cast<double>(from[mesh.pitch]));
    };
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        const std::size_t stored = mesh.cross[k] != 0 ? 1 - j : j;  // a cross pivot meets the lower one first
        found.blocks[k](static_cast<int>(i), static_cast<int>(j)) =
            Complex(number(4 * i + 2 * stored), number(4 * i + 2 * stored + 1)) * scale(i) *
            std::conj(scale(2 + j));
      }
  }
  found.outputs.resize(static_cast<Eigen::Index>(sums.outputs.size() / 2));
  for (Eigen::Index p = 0; p < found.outputs.size(); ++p) {
    const auto at = 2 * static_cast<std::size_t>(p);
    found.outputs[p] = {static_cast<double>(sums.outputs[at]), static_cast<double>(sums.outputs[at + 1])};
  }
  return found;
}

template <class Real>
FieldBatch in_double(const FieldBlocks<Real>& blocks) {
  FieldBatchOf<Real> fields(static_cast<Eigen::Index>(blocks.ports), static_cast<Eigen::Index>(blocks.words));
  unpack(blocks, planes_of(fields), 0);
  FieldBatch wide;
  wide.re = fields.re.template cast<double>();
  wide.im = fields.im.template cast<double>();
  return wide;
}

template <class Real>
MeshGradientOf<Real> rounded(const MeshGradient& g) {
  const auto cast = [](const Vector& v) -> VectorOf<Real> { return v.template cast<Real>(); };
  return {cast(g.theta),
          cast(g.phi),
          cast(g.alpha),
          cast(g.beta),
          cast(g.theta_arm_loss_db),
          cast(g.phi_arm_loss_db),
          cast(g.theta_other_loss_db),
          cast(g.phi_other_loss_db),
          cast(g.output_phase),
          static_cast<Real>(g.idle_arm_loss_db)};
}

}  // namespace

template <class Real>
void MeshEngine<Real>::require_settled_for_backward() const {
  validate(settled_ && settings_,
           "the mesh keeps no parameters to differentiate for (backward() needs them). Settle it with "
           "for_backward = "
           "true.");
}

template <class Real>
BackwardResult<Real> MeshEngine<Real>::backward(const FieldBlocks<Real>& inputs,
                                                const FieldBlocks<Real>& outputs,
                                                const FieldBlocks<Real>& gradient,
                                                FieldBlocks<Real>& input_gradient, int threads,
                                                const BackwardOptions& options) const {
  require_settled_for_backward();
  for (const auto* fields : {&inputs, &outputs, &gradient}) {
    require_settled(fields->ports);
    require_width(*fields);
    validate(
        fields->words == inputs.words && fields->width == inputs.width,
        "inputs of {} words meet outputs or a gradient of {} (they must agree, and so must their blocks, of "
        "{} and {} words). Make them anew.",
        inputs.words, fields->words, inputs.width, fields->width);
  }
  validate(
      &input_gradient != &gradient && &input_gradient != &inputs && &input_gradient != &outputs,
      "the gradient at the inputs is to go where the inputs, the outputs or their gradient are (all are needed "
      "to the end). Name another object.");
  input_gradient.ports = gradient.ports;
  input_gradient.words = gradient.words;
  input_gradient.width = gradient.width;
  input_gradient.data.resize(gradient.data.size());
  if (gradient.blocks() > 0)  // the last block may hold registers without words, which nothing walks
    std::fill_n(input_gradient.block(gradient.blocks() - 1), gradient.block_size(), Real(0));

  BackwardResult<Real> result;
  const MeshParameters<Real> parameters = parameters_of(settings_->program, settings_->errors);
  const std::optional<MeshBlocks>& numbers = settings_->blocks;
  InverseMesh<Real> mesh;
  result.inverted =
      options.invert && (numbers ? settle_inverse(plan_->layout, BlockPlanes<Real>(*numbers).parameters(), mesh)
                                 : settle_inverse(plan_->layout, parameters, mesh));
  if (result.inverted) {
    const std::size_t tile = options.tile > 0 ? options.tile : backward_tile(processor(), plan_->layout.ports);
    const std::size_t lanes = simd_lanes<Real>(), registers = (gradient.words + lanes - 1) / lanes;
    const std::size_t groups = (registers + registers_at_once - 1) / registers_at_once;
    const std::size_t shares = share_count(groups);
    std::vector<GramSums<Real>> sums(shares);
    const BackwardFields<Real> fields = {inputs, outputs, gradient, input_gradient};
    parallel_for(shares, threads, [&](std::size_t i) {
      const std::size_t first = groups * i / shares * registers_at_once;
      const std::size_t last = std::min(groups * (i + 1) / shares * registers_at_once, registers);
      walk_back(plan_->layout, mesh, fields, first, last - first, tile, sums[i]);
    });
    for (std::size_t i = 1; i < shares; ++i) add(sums[i], sums[0]);
    const double scale = sums[0].largest_input > 0 ? sums[0].largest_input : 1.0;
    result.inversion_error = sums[0].largest_error / scale;
    result.inverted = result.inversion_error <= inversion_tolerance<Real>();
    if (result.inverted && numbers)
      result.blocks = gradient_of(true_sums(mesh, sums[0], plan_->layout.mzis), *numbers);
    else if (result.inverted)
      result.parameters = gradient_of(plan_->layout, parameters, mesh, sums[0]);
  }
  if (!result.inverted) {
    FieldBatch wide = in_double(gradient);
    if (numbers)
      result.blocks =
          gradient_of(checkpoint_sums(plan_->topology, *numbers, in_double(inputs), wide), *numbers);
    else
      result.parameters = rounded<Real>(
          checkpoint_gradient(plan_->topology, settings_->program.template cast<double>(),
                              settings_->errors.template cast<double>(), in_double(inputs), wide));
    FieldBatchOf<Real> narrow;
    narrow.re = wide.re.template cast<Real>();
    narrow.im = wide.im.template cast<Real>();
    input_gradient = packed(narrow);
  }
  return result;
}

template <class Real>
BackwardResult<Real> MeshEngine<Real>::compressed_backward(const FieldBatchOf<Real>& inputs,
                                                           FieldBatchOf<Real>& gradient, int threads,
                                                           const BackwardOptions& options) const {
  using Plane = typename FieldBatchOf<Real>::Plane;
  const Eigen::Index n = inputs.ports(), words = inputs.words();
  // M^H = Lambda X^H, summed over shares of a fixed size
  constexpr Eigen::Index share = 1024;
  const auto shares = static_cast<std::size_t>((words + share - 1) / share);
  std::vector<FieldBatchOf<Real>> part(shares);
  parallel_for(shares, threads, [&](std::size_t i) {
    const Eigen::Index at = static_cast<Eigen::Index>(i) * share, count = std::min(share, words - at);
    const auto x = inputs.re.middleCols(at, count), y = inputs.im.middleCols(at, count);
    const auto a = gradient.re.middleCols(at, count), b = gradient.im.middleCols(at, count);
    const Plane ax = a * x.transpose(), by = b * y.transpose();
    part[i].re = ax + by;
    part[i].im = Plane(a + b) * Plane(x - y).transpose() - ax + by;
  });
  for (std::size_t i = 1; i < shares; ++i) {
    part[0].re += part[i].re;
    part[0].im += part[i].im;
  }
  FieldBatchOf<Real> unit(n, n);
  unit.re.setIdentity();
  const FieldBatchOf<Real> u = transfer_planes();
  FieldBlocks<Real> unused;
  BackwardResult<Real> result = backward(packed(unit), packed(u), packed(part[0]), unused, threads, options);
  result.compressed = true;
  FieldBatchOf<Real> adjoint(n, n);
  adjoint.re = u.re.transpose();
  adjoint.im = -u.im.transpose();
  multiply(adjoint, gradient, threads);
  return result;
}

template <class Real>
BackwardResult<Real> MeshEngine<Real>::backward(const FieldBatchOf<Real>& inputs,
                                                const FieldBatchOf<Real>& outputs, FieldBatchOf<Real>& gradient,
                                                int threads, const BackwardOptions& options) const {
  require_settled_for_backward();
  for (const auto* fields : {&inputs, &outputs, static_cast<const FieldBatchOf<Real>*>(&gradient)}) {
    require_settled(*fields);
    validate(fields->words() == inputs.words(),
             "inputs of {} words meet outputs or a gradient of {} (they must agree). Give those of one pass.",
             inputs.words(), fields->words());
  }
  if (options.compress && inputs.words() > 2 * inputs.ports())
    return compressed_backward(inputs, gradient, threads, options);
  FieldBlocks<Real> input_gradient;
  BackwardResult<Real> result =
      backward(packed(inputs), packed(outputs), packed(gradient), input_gradient, threads, options);
  unpack(input_gradient, planes_of(gradient), 0);
  return result;
}

#define INSTANTIATE(Real)                                                                                      \
  template BackwardResult<Real> MeshEngine<Real>::backward(                                                    \
      const FieldBatchOf<Real>&, const FieldBatchOf<Real>&, FieldBatchOf<Real>&, int, const BackwardOptions&)  \
      const;                                                                                                   \
  template BackwardResult<Real> MeshEngine<Real>::backward(const FieldBlocks<Real>&, const FieldBlocks<Real>&, \
                                                           const FieldBlocks<Real>&, FieldBlocks<Real>&, int,  \
                                                           const BackwardOptions&) const;
INSTANTIATE(float)
INSTANTIATE(double)

}  // namespace optinc
