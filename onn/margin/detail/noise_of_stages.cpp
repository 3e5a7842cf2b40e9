#include "onn/margin/detail/noise_of_stages.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/parallel.hpp"

namespace optinc {
namespace {

/// How the answers' digits follow what stands behind a stage, in both quadratures: (ports, digits x words), the
/// words of a digit together; empty where they do not.
template <class Real>
struct Followed {
  NumberPlane<Real> re, im;
};

bool is_zero(double x) { return x == 0; }
bool is_zero(const OperatingTangent& x) {
  return x.value == 0 && std::ranges::all_of(x.slope, [](double s) { return s == 0; });
}

constexpr Eigen::Index columns_at_once = 128;

template <class Real>
using Draws = std::vector<StageDraws<Real>>;

/// Adds what the receivers of a stage draw to the variances of the digits and to the amplitudes of draws in
/// common, and turns how digits follow their outputs (`light`) into how they follow the light that they take.
template <class Real>
void add_received(const Stage<double>& stage, const StageDraws<Real>& draws, Followed<Real>& light,
                  std::vector<NumberPlane<Real>>& amplitudes, NumberPlane<Real>& variance) {
  const Eigen::Index ports = stage.layer.outputs, words = variance.words, columns = variance.rows * words;
  const bool own_phases = stage.receivers.oscillator_rad.size() > 0,
             turned = stage.oscillator_drift_rad != 0 || own_phases, neurons = draws.slope.rows > 0;
  if (turned) light.im = {ports, columns};
  for (std::size_t d = 0; d < amplitudes.size(); ++d)
    if (draws.shared[d].rows > 0 && amplitudes[d].rows == 0) amplitudes[d] = {variance.rows, words};
  const auto add = [&](Eigen::Index p, double angle, Eigen::Index c) {
    const Eigen::Index m = c / words, w = c % words;
    Real& follows = light.re(p, c);
    if (is_zero(follows)) return;
    if (neurons) {
      variance(m, w) += follows * follows * draws.added(p, w);
      follows *= draws.slope(p, w);
    }
    variance(m, w) += follows * follows * draws.own(p, w);
    for (std::size_t d = 0; d < amplitudes.size(); ++d)
      if (draws.shared[d].rows > 0) amplitudes[d](m, w) += follows * draws.shared[d](p, w);
    if (turned) {
      light.im(p, c) = -std::sin(angle) * follows;
      follows *= std::cos(angle);
    }
  };
  // columns one by one: each has sums of its own over the ports
  parallel_for((columns + columns_at_once - 1) / columns_at_once, [&](Eigen::Index part) {
    const Eigen::Index first = part * columns_at_once, end = std::min(columns, first + columns_at_once);
    for (Eigen::Index p = 0; p < ports; ++p) {
      const double angle = stage.oscillator_drift_rad - (own_phases ? stage.receivers.oscillator_rad[p] : 0.0);
      for (Eigen::Index c = first; c < end; ++c) add(p, angle, c);
    }
  });
}

/// Follows the light of stage l through its mesh, back to the stages that sent it: adds to `behind`. Neurons
/// that limit pass nothing on.
template <class Real>
void follow_back(const UnitStages<double>& unit, std::size_t l, const Draws<Real>& draws,
                 const Followed<Real>& light, Eigen::Index columns, std::vector<Followed<Real>>& behind) {
  const Stage<double>& stage = unit.stages[l];
  const Matrix transfer = unit.lit.chip.layers[l].transfer.transpose() / unit.lit.chip.layers[l].nominal_factor;
  const Eigen::MatrixXd re = transfer.real(), im = transfer.imag();
  Followed<Real> in;
  for (std::size_t i = 0; i < stage.layer.lanes.size(); ++i) {
    const LaneDesign& lane = stage.layer.lanes[i];
    if (lane.source < 0) continue;
    const auto source = static_cast<std::size_t>(lane.source);
    const auto& layer = unit.stages[source].layer;
    const bool limits = layer.received() && draws[source].slope.rows == 0;
    if (limits) continue;
    const auto add = [&](bool quadrature, NumberPlane<Real>& from, NumberPlane<Real>& to) {
      if (from.rows == 0) {
        from = {re.rows(), columns};
        add_product<Real>(quadrature ? -im : re, light.re, from);
        add_product<Real>(quadrature ? re : im, light.im, from);
      }
      if (to.rows == 0) to = {layer.outputs, columns};
      add_row(from, static_cast<Eigen::Index>(i), 1.0, to, lane.row);
    };
    add(false, in.re, behind[source].re);
    if (!layer.received()) add(true, in.im, behind[source].im);
  }
}

}  // namespace

template <class Real>
std::vector<NumberPlane<Real>> add_noise_of_stages(const UnitStages<double>& unit, const Draws<Real>& draws,
                                                   NumberPlane<Real>& variance) {
  const Eigen::Index words = variance.words, columns = variance.rows * words;
  std::vector<Followed<Real>> behind(unit.stages.size());
  std::vector<NumberPlane<Real>> amplitudes(draws.back().shared.size());
  Eigen::Index digits_left = variance.rows;
  for (std::size_t l = unit.stages.size(); l-- > 0;) {
    const Stage<double>& stage = unit.stages[l];
    const Eigen::Index ports = stage.layer.outputs;
    Followed<Real> light = std::move(behind[l]);
    if (stage.at_servers()) {
      digits_left -= ports;
      light.re = {ports, columns};
      for (Eigen::Index p = 0; p < ports; ++p)
        for (Eigen::Index w = 0; w < words; ++w) light.re(p, (digits_left + p) * words + w) = Real(1.0);
    }
    if (light.re.rows == 0 && light.im.rows == 0) continue;
    if (stage.layer.received()) add_received(stage, draws[l], light, amplitudes, variance);
    follow_back(unit, l, draws, light, columns, behind);
  }
  for (const NumberPlane<Real>& amplitude : amplitudes)
    for (std::size_t i = 0; i < amplitude.numbers.size(); ++i)
      variance.numbers[i] += amplitude.numbers[i] * amplitude.numbers[i];
  return amplitudes;
}

#define OPTINC_INSTANTIATE(Real)                               \
  template std::vector<NumberPlane<Real>> add_noise_of_stages( \
      const UnitStages<double>&, const std::vector<StageDraws<Real>>&, NumberPlane<Real>&);
OPTINC_INSTANTIATE(double)
OPTINC_INSTANTIATE(OperatingTangent)
#undef OPTINC_INSTANTIATE

}  // namespace optinc
