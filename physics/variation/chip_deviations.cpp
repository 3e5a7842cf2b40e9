#include "physics/variation/chip_deviations.hpp"

#include <limits>

#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/mesh/decomposition.hpp"

namespace optinc {
namespace {

/// Sums over one block's port: real parts of `width` words, imaginary parts behind them.
template <class Real>
void add_port(const Real* y, const Real* y0, std::size_t width, Complex& change, double& error) {
  Real re = 0, im = 0, more = 0;
#pragma omp simd reduction(+ : re, im, more)
  for (std::size_t w = 0; w < width; ++w) {
    const Real d_re = y[w] - y0[w], d_im = y[width + w] - y0[width + w];
    re += y0[w] * d_re + y0[width + w] * d_im;
    im += y0[w] * d_im - y0[width + w] * d_re;
    more += d_re * d_re + d_im * d_im;
  }
  change += Complex(re, im);
  error += more;
}

}  // namespace

void validate_chip_numbers(std::uint32_t first, std::uint32_t chips) {
  validate_field(chips <= std::numeric_limits<std::uint32_t>::max() - first, "chips",
                 "{} from chip {} on (chips have numbers below 2^32). Ask for fewer.", chips, first);
}

template <class Real>
double validate_chips(const ErrorModel& model, const MeshAddress& first, std::uint32_t chips,
                      const FieldBatchOf<Real>& fields) {
  validate_errors(model);
  validate_chip_numbers(first.chip, chips);
  const double power =
      fields.re.template cast<double>().squaredNorm() + fields.im.template cast<double>().squaredNorm();
  validate(power > 0 && std::isfinite(power),
           "fields of power {} W (what leaves a chip is compared with it). Send light.", power);
  return power;
}

template <class Real>
MeshProgramOf<Real> on_dac(const MeshProgramOf<Real>& program, const ErrorModel& model) {
  return quantise(program.template cast<double>(), model.dac_bits, dac_mode(model)).template cast<Real>();
}

template <class Real>
std::vector<ChipDeviation> chip_deviations(const MeshTopology& topology, const MeshProgramOf<Real>& program,
                                           const ErrorModel& model, const MeshAddress& first,
                                           std::uint32_t chips, const FieldBatchOf<Real>& fields, int threads) {
  const double power = validate_chips(model, first, chips, fields);
  MeshEngine<Real> perfect(topology);
  perfect.settle(program);
  const auto ports = static_cast<std::size_t>(fields.ports()), words = static_cast<std::size_t>(fields.words());
  FieldBlocks<Real> inputs(ports, words);
  pack<Real>({fields.re.data(), fields.im.data(), words}, 0, inputs);
  FieldBlocks<Real> y0 = inputs;
  perfect.propagate(y0);
  const MeshProgramOf<Real> set = on_dac(program, model);
  std::vector<ChipDeviation> found(chips);
  const auto most = static_cast<std::size_t>(threads > 0 ? threads : omp_get_max_threads());
  const std::size_t shares = std::min<std::size_t>(chips, most);
  parallel_for(shares, threads, [&](std::size_t share) {
    MeshEngine<Real> engine = perfect;
    MeshErrorsOf<Real> errors;
    FieldBlocks<Real> y;
    for (std::size_t c = chips * share / shares; c < chips * (share + 1) / shares; ++c) {
      draw_mesh_errors(topology, model, {first.seed, first.chip + static_cast<std::uint32_t>(c), first.mesh},
                       errors);
      engine.settle(set, errors);
      y = inputs;
      engine.propagate(y);
      ChipDeviation& chip = found[c];
      for (std::size_t at = 0; at < y.data.size(); at += 2 * y.width)
        add_port(y.data.data() + at, y0.data.data() + at, y.width, chip.change, chip.error);
      chip.change /= power;
      chip.error /= power;
    }
  });
  return found;
}

#define INSTANTIATE(Real)                                                                                   \
  template MeshProgramOf<Real> on_dac(const MeshProgramOf<Real>&, const ErrorModel&);                       \
  template double validate_chips(const ErrorModel&, const MeshAddress&, std::uint32_t,                      \
                                 const FieldBatchOf<Real>&);                                                \
  template std::vector<ChipDeviation> chip_deviations(const MeshTopology&, const MeshProgramOf<Real>&,      \
                                                      const ErrorModel&, const MeshAddress&, std::uint32_t, \
                                                      const FieldBatchOf<Real>&, int);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace optinc
