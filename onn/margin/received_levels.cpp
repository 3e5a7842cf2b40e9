#include "onn/margin/received_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "onn/link/detail/levels.hpp"
#include "onn/link/detail/stage_noise.hpp"
#include "onn/link/detail/stages.hpp"
#include "onn/margin/detail/noise_of_stages.hpp"
#include "onn/margin/tail.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"

namespace optinc {
namespace {

/// Light or values of a layer's ports, in units of values: means in both quadratures, variances of what is
/// drawn for each port alone, and amplitudes of draws of rms 1 that ports have in common: two for every
/// server's lock, one for the seed's intensity at every layer. Empty planes are 0.
template <class Real>
struct StageSignals {
  struct Shared {
    NumberPlane<Real> re, im;
  };
  NumberPlane<Real> re, im, variance;
  std::vector<Shared> shared;
};

OperatingValues<double> plain(OperatingValues<double> values) { return values; }
OperatingValues<double> plain(OperatingValues<OperatingTangent> values) {
  OperatingValues<double> v;
  for (std::size_t k = 0; k < operating_variables; ++k) *v.all()[k] = values.all()[k]->value;
  return v;
}

/// Servers' digits behind unit P. Their locks' phases are the same on all lanes: a cosine, and a sine each.
template <class Real>
StageSignals<Real> lanes_of(const LitUnit& unit, const CombinerWeights& combiners, const Codes& codes,
                            std::size_t draws, std::span<const double> fibre_rad) {
  const Task& task = unit.design.task;
  const Eigen::Index digits = task.input_digits(), words = codes.rows(), servers = codes.cols();
  const std::vector<Complex> sent = server_fields_sqrt_w(task, unit.hardware);
  const double per_value = lane_field_per_unit_sqrt_w(task, unit.hardware);
  const double lock2 = unit.noise.lock ? std::pow(unit.noise.scale * lock_rms_rad(unit.hardware), 2) : 0.0;
  // of cos and sin of a normal phase, over the mean of the cosine, which gains undo
  const double visibility = std::exp(-lock2 / 2),
               cosine = (1 - std::exp(-lock2)) / std::numbers::sqrt2 / visibility,
               sine = std::sqrt((1 - std::exp(-2 * lock2)) / 2) / visibility;
  StageSignals<Real> lanes = {{digits, words}, {digits, words}, {digits, words}, {}};
  lanes.shared.resize(draws);
  const bool drawn = lock2 > 0 && fibre_rad.empty();
  if (drawn)
    for (Eigen::Index s = 0; s < 2 * servers; ++s)
      lanes.shared[static_cast<std::size_t>(s)] = {{digits, words}, {digits, words}};
  for (Eigen::Index n = 0; n < servers; ++n) {
    const Complex turned =
        fibre_rad.empty() ? Complex(1.0) : std::polar(1 / visibility, fibre_rad[static_cast<std::size_t>(n)]);
    for (Eigen::Index m = 0; m < digits; ++m)
      for (Eigen::Index w = 0; w < words; ++w) {
        const Complex x = combiners[static_cast<std::size_t>(m)][static_cast<std::size_t>(n)] *
                          sent[symbol_of(task, codes(w, n), static_cast<int>(m))] / per_value * turned;
        lanes.re(m, w) += Real(x.real());
        lanes.im(m, w) += Real(x.imag());
        if (!drawn) continue;
        auto& [cos_re, cos_im] = lanes.shared[static_cast<std::size_t>(2 * n)];
        auto& [sin_re, sin_im] = lanes.shared[static_cast<std::size_t>(2 * n + 1)];
        cos_re(m, w) = Real(cosine * x.real()), cos_im(m, w) = Real(cosine * x.imag());
        sin_re(m, w) = Real(-sine * x.imag()), sin_im(m, w) = Real(sine * x.real());
      }
  }
  return lanes;
}

/// One input of a layer: a row of signals, and the offset that modulators add to it.
template <class Real>
struct Input {
  const StageSignals<Real>* from;
  Eigen::Index row;
  double offset;
};

/// The rows of inputs, of one plane of their signals; empty where none has it.
template <class Real, class PlaneIn>
NumberPlane<Real> gathered_rows(const std::vector<Input<Real>>& inputs, Eigen::Index words, PlaneIn plane_in) {
  NumberPlane<Real> rows;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const NumberPlane<Real>& plane = plane_in(*inputs[i].from);
    if (plane.rows == 0) continue;
    if (rows.rows == 0) rows = {static_cast<Eigen::Index>(inputs.size()), words};
    add_row(plane, inputs[i].row, 1.0, rows, static_cast<Eigen::Index>(i));
  }
  return rows;
}

/// Light behind a layer's meshes, for a transfer in units of its values. `quadrature`: whether anyone sees what
/// is shared in quadrature.
template <class Real>
StageSignals<Real> through(const Matrix& transfer, const std::vector<Input<Real>>& inputs, std::size_t draws,
                           bool quadrature) {
  const Eigen::MatrixXd re = transfer.real(), im = transfer.imag();
  const Eigen::Index words = inputs[0].from->re.words;
  const NumberPlane<Real> plane(transfer.rows(), words);
  StageSignals<Real> out = {plane, plane, plane, {}};
  out.shared.resize(draws);
  NumberPlane<Real> in_re = gathered_rows(
      inputs, words, [](const auto& s) -> auto& { return s.re; });
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].offset != 0)
      for (Eigen::Index w = 0; w < words; ++w) in_re(static_cast<Eigen::Index>(i), w) += Real(inputs[i].offset);
  const auto turn = [&](const NumberPlane<Real>& a_re, const NumberPlane<Real>& a_im, NumberPlane<Real>& b_re,
                        NumberPlane<Real>& b_im) {
    add_product(re, a_re, b_re), add_product(-im, a_im, b_re);
    add_product(im, a_re, b_im), add_product(re, a_im, b_im);
  };
  turn(in_re,
       gathered_rows(
           inputs, words, [](const auto& s) -> auto& { return s.im; }),
       out.re, out.im);
  add_product(re.cwiseAbs2(),
              gathered_rows(
                  inputs, words, [](const auto& s) -> auto& { return s.variance; }),
              out.variance);
  for (std::size_t s = 0; s < draws; ++s) {
    const auto of = [&](auto member) {
      return gathered_rows(
          inputs, words, [&](const auto& from) -> auto& { return from.shared[s].*member; });
    };
    using Shared = typename StageSignals<Real>::Shared;
    const NumberPlane<Real> shared_re = of(&Shared::re), shared_im = of(&Shared::im);
    if (shared_re.rows == 0) continue;
    out.shared[s].re = plane;
    if (quadrature) out.shared[s].im = plane;
    turn(shared_re, shared_im, out.shared[s].re, out.shared[s].im);
  }
  return out;
}

/// out_n = sum_k taps_k in_{n-k}, k from -before on, the first word after the last.
template <class Real>
std::vector<Real> around_words(const std::vector<Real>& in, const std::vector<Real>& taps, int before) {
  const auto words = static_cast<Eigen::Index>(in.size());
  if (taps.size() == 1 && before == 0) {
    std::vector<Real> out = in;
    for (Real& x : out) x *= taps[0];
    return out;
  }
  std::vector<Real> out(in.size());
  for (std::size_t at = 0; at < taps.size(); ++at) {
    const Eigen::Index shift = (before - static_cast<Eigen::Index>(at)) % words + words;
    for (Eigen::Index n = 0; n < words; ++n)
      out[static_cast<std::size_t>(n)] += taps[at] * in[static_cast<std::size_t>((n + shift) % words)];
  }
  return out;
}

/// What receivers take of a layer's light: means and variances, the part of these that each draws for itself,
/// means without interference, and amplitudes of draws that they have in common.
template <class Real>
struct Taken {
  LevelMoments<Real> levels;
  NumberPlane<Real> own, settled;
  std::vector<NumberPlane<Real>> shared;
};

/// Field of port p in phase with its oscillator, one number per word. Writes settled, own and shared of this
/// port.
template <class Real>
std::vector<Real> detect_port(const Stage<double>& stage, Eigen::Index p, const StageNoise<Real>& noise,
                              const StageSignals<Real>& light, Taken<Real>& found) {
  const Vector& own_rad = stage.receivers.oscillator_rad;
  const double walk2 = std::pow(stage.oscillator_linewidth_rad, 2), visibility = std::exp(-walk2 / 2),
               angle = stage.oscillator_drift_rad - (own_rad.size() > 0 ? own_rad[p] : 0.0),
               cosine = std::cos(angle), sine = std::sin(angle);
  std::vector<Real> fields;
  for (Eigen::Index w = 0; w < light.re.words; ++w) {
    const Real re = cosine * light.re(p, w) - sine * light.im(p, w),
               im = sine * light.re(p, w) + cosine * light.im(p, w);
    fields.push_back(visibility * re);
    found.settled(p, w) = visibility * re + stage.path.bias[p];
    found.own(p, w) = noise.white + noise.shot * (re * re + im * im);
    if (walk2 > 0) found.own(p, w) += walk2 * (im * im + walk2 / 2 * re * re);
  }
  for (std::size_t s = 0; s < light.shared.size(); ++s) {
    add_row(light.shared[s].re, p, cosine, found.shared[s], p);
    add_row(light.shared[s].im, p, -sine, found.shared[s], p);
  }
  return fields;
}

template <class Real>
Taken<Real> taken(const Stage<double>& stage, std::size_t number, const StageChannel<Real>& channel,
                  const StageNoise<Real>& noise, const Real& current_per_value,
                  const StageSignals<Real>& light) {
  const Eigen::Index ports = light.re.rows, words = light.re.words;
  const StageReceivers& receivers = stage.receivers;
  const double jitter_s = receivers.noise.jitter ? receivers.noise.scale * receivers.jitter_s : 0.0;
  const std::size_t draws = light.shared.size(), seed = draws - number - 1;
  const NumberPlane<Real> plane(ports, words);
  Taken<Real> found = {{plane, plane}, plane, plane, std::vector<NumberPlane<Real>>(draws)};
  for (std::size_t s = 0; s < draws; ++s)
    if (light.shared[s].re.rows > 0 || light.shared[s].im.rows > 0 || s == seed)
      found.shared[s] = {ports, words};
  std::vector<Real> tap2;
  for (const Real& c : channel.equaliser) tap2.push_back(c * c);
  parallel_for(ports, [&](Eigen::Index p) {
    const std::vector<Real> fields = detect_port(stage, p, noise, light, found);
    std::vector<Real> samples = around_words(fields, channel.response, channel.response_before);
    if (jitter_s > 0) {
      std::vector<Real> late = around_words(fields, channel.slope, channel.response_before);
      for (Real& x : late) x = jitter_s * jitter_s * x * x;
      late = around_words(late, tap2, channel.equaliser_before);
      for (Eigen::Index w = 0; w < words; ++w) found.own(p, w) += late[static_cast<std::size_t>(w)];
    }
    const double offset_a = receivers.offset_a.size() > 0 ? receivers.offset_a[p] : 0.0;
    const Real offset = offset_a / current_per_value, most = receivers.device.overload_a / current_per_value;
    for (Eigen::Index w = 0; w < words; ++w) {
      Real& sample = samples[static_cast<std::size_t>(w)];
      found.shared[seed](p, w) = noise.intensity * sample + (p % 2 == 0 ? noise.leaked : -noise.leaked);
      sample += offset;
      if (receivers.device.overload_a > 0 && sample > most) sample = most;
      if (receivers.device.overload_a > 0 && -most > sample) sample = -most;
    }
    samples = around_words(samples, channel.equaliser, channel.equaliser_before);
    for (Eigen::Index w = 0; w < words; ++w) {
      found.levels.mean(p, w) = samples[static_cast<std::size_t>(w)] + stage.path.bias[p];
      found.levels.variance(p, w) = light.variance(p, w) + found.own(p, w);
      for (const NumberPlane<Real>& amplitude : found.shared)
        if (amplitude.rows > 0) found.levels.variance(p, w) += amplitude(p, w) * amplitude(p, w);
    }
  });
  return found;
}

template <class Real>
Real normal_density(const Real& x) {
  using std::exp;
  return std::numbers::inv_sqrtpi / std::numbers::sqrt2 * exp(-0.5 * (x * x));
}
template <class Real>
Real share_above(const Real& x) {
  using std::erfc;
  return 0.5 * erfc(1 / std::numbers::sqrt2 * x);
}

/// Mean and variance of a Gaussian of this mean and rms behind a limiter to 0..ceiling, and the share of it
/// that passes unlimited: how the output follows the input in the mean (J. J. Bussgang 1952).
template <class Real>
struct Limited {
  Real mean, variance, passed;
};
template <class Real>
Limited<Real> limited(const Real& z, const Real& rms, double ceiling) {
  if (!(value_of(rms) > 0)) {
    const bool inside = value_of(z) > 0 && value_of(z) < ceiling;
    return {inside ? z : Real(value_of(z) > 0 ? ceiling : 0.0), Real(0.0), Real(inside ? 1.0 : 0.0)};
  }
  const Real low = -z / rms, density = normal_density(low);
  Limited<Real> y = {0.0, 0.0, share_above(low)};
  y.mean = z * y.passed + rms * density;
  Real square = z * y.mean + rms * rms * y.passed;
  if (std::isfinite(ceiling)) {
    // what is above the ceiling is on it: less E[x - c | x > c] of the mean, and as much of the square
    const Real high = (ceiling - z) / rms, above = share_above(high), edge = rms * normal_density(high);
    y.passed -= above;
    y.mean -= (z - ceiling) * above + edge;
    square -= (z * z + rms * rms - ceiling * ceiling) * above + (z + ceiling) * edge;
  }
  y.variance = square - y.mean * y.mean;
  if (value_of(y.variance) < 0) y.variance = Real(0.0);
  return y;
}

/// Whether the receivers of a layer decide: limiting ones whose settled values none of the words leaves between
/// a quarter and three quarters of their ceilings. Given phases (`turned`) may take them anywhere: all limiting
/// ones do.
template <class Real>
bool decides(const Stage<double>& stage, const NumberPlane<Real>& settled, bool turned) {
  if (!std::isfinite(stage.layer.ceiling)) return false;
  if (turned) return true;
  for (Eigen::Index p = 0; p < settled.rows; ++p) {
    const double ceiling = stage.ceilings.size() > 0 ? stage.ceilings[p] : stage.layer.ceiling;
    for (Eigen::Index w = 0; w < settled.words; ++w)
      if (value_of(settled(p, w)) > ceiling / 4 && value_of(settled(p, w)) < 3 * ceiling / 4) return false;
  }
  return true;
}

/// What neurons pass on. Of a receiver that decides the logarithms of how likely it errs are added to `wrong`.
template <class Real>
StageSignals<Real> passed_on(const Stage<double>& stage, const Taken<Real>& in, bool turned,
                             StageDraws<Real>& draws, std::vector<std::vector<Real>>& wrong) {
  using std::sqrt;
  const Eigen::Index ports = in.levels.mean.rows, words = in.levels.mean.words;
  StageSignals<Real> out = {{ports, words}, {}, {ports, words}, {}};
  out.shared.resize(in.shared.size());
  const bool decided = decides(stage, in.settled, turned);
  if (!decided) draws.slope = draws.added = {ports, words};
  for (Eigen::Index p = 0; p < ports; ++p) {
    const double ceiling = stage.ceilings.size() > 0 ? stage.ceilings[p] : stage.layer.ceiling;
    for (Eigen::Index w = 0; w < words; ++w) {
      const Real &z = in.levels.mean(p, w), &taken2 = in.levels.variance(p, w), rms = sqrt(taken2);
      if (decided) {
        const bool high = value_of(z) > ceiling / 2;
        out.re(p, w) = value_of(z) < 0 ? Real(0.0) : value_of(z) > ceiling ? Real(ceiling) : z;
        if (value_of(rms) > 0)
          wrong[static_cast<std::size_t>(w)].push_back(
              log_normal_tail(Real((high ? z - ceiling / 2 : ceiling / 2 - z) / rms)));
        continue;
      }
      const Limited<Real> y = limited(z, rms, ceiling);
      const Real added = y.variance - y.passed * y.passed * taken2;
      out.re(p, w) = y.mean;
      out.variance(p, w) = y.variance;
      draws.slope(p, w) = y.passed;
      if (value_of(added) > 0) draws.added(p, w) = added;
    }
  }
  return out;
}

void validate_first_order(const LitUnit& unit) {
  const UnitHardware& u = unit.hardware;
  validate(u.timing.sampling != Sampling::unclocked,
           "time.sampling = \"unclocked\" (levels between samples have no moments of their own). Set "
           "time.sampling = \"clocked\" or \"settled\".");
  validate(
      u.link.averaging == Averaging::coherent,
      "link.averaging = \"incoherent\" (its receivers are not followed). Set link.averaging = \"coherent\".");
  validate(u.timing.sampling == Sampling::settled || (u.timing.lane_skew_s == 0 && u.timing.layer_skew_s == 0),
           "time.lane_skew_s = {}, layer_skew_s = {} (late light is not followed). Set both to 0.",
           u.timing.lane_skew_s, u.timing.layer_skew_s);
  validate(
      u.link.cut_servers == 0 && u.link.late_servers == 0,
      "link.cut_servers = {}, link.late_servers = {} (what is missing makes words wrong, not noise). Set both "
      "to 0.",
      u.link.cut_servers, u.link.late_servers);
  validate(u.modulator.linearised,
           "modulator.linearised = false (neurons' sines are not followed). Set it to true.");
}

}  // namespace

template <class Real>
ReceivedLevels<Real> received_levels(const LitUnit& unit, const OperatingValues<Real>& values,
                                     const Codes& codes, const TransmissionSeed& seed,
                                     std::span<const double> fibre_rad) {
  const UnitHardware at = with_values(unit.hardware, plain(values));
  const LitUnit lit = {unit.design, unit.chip, at, unit.noise, unit.arithmetic};
  validate_hardware(at);
  validate_first_order(lit);
  const UnitStages<double> stages = unit_stages(lit, layer_paths<double>(lit), seed, NoisyReceivers::all);
  const double lock2 = unit.noise.lock ? std::pow(unit.noise.scale * lock_rms_rad(at), 2) : 0.0;
  const FieldsPerUnitOf<Real> fields =
      fields_per_unit(unit.design, at, values, nominal_factors(unit.chip), std::exp(-lock2 / 2));
  struct Receivers {
    UnitHardware hardware;
    OperatingValues<Real> values;
    StageChannel<Real> channel = stage_channel(hardware, values);
  };
  const Receivers neurons = {neuron_hardware(at), neuron_values(values)}, servers = {at, values};
  const std::size_t layers = stages.stages.size(),
                    draws = 2 * static_cast<std::size_t>(unit.design.task.combined()) + layers;
  const StageSignals<Real> lanes = lanes_of<Real>(lit, stages.combiners, codes, draws, fibre_rad);
  std::vector<StageSignals<Real>> behind(layers);
  const Eigen::Index words = codes.rows();
  ReceivedLevels<Real> found = {
      std::vector<LevelMoments<Real>>(layers),
      {{unit.design.task.output_digits(), words}, {unit.design.task.output_digits(), words}},
      {},
      std::vector<std::vector<Real>>(static_cast<std::size_t>(words))};
  std::vector<StageDraws<Real>> begun(layers);
  Eigen::Index digit = 0;
  for (std::size_t l = 0; l < layers; ++l) {
    const Stage<double>& stage = stages.stages[l];
    std::vector<Input<Real>> inputs;
    for (const LaneDesign& lane : stage.layer.lanes) {
      const auto source = static_cast<std::size_t>(std::max(lane.source, 0));
      const bool driven = lane.source >= 0 && stages.stages[source].layer.received();
      inputs.push_back({lane.source < 0 ? &lanes : &behind[source], lane.row,
                        driven ? stages.stages[source].layer.offset : 0.0});
    }
    const LayerState& state = unit.chip.layers[l];
    const bool turned = stage.oscillator_drift_rad != 0 || stage.receivers.oscillator_rad.size() > 0;
    StageSignals<Real> light =
        through(state.transfer / state.nominal_factor, inputs, draws, turned || !stage.layer.received());
    if (!stage.layer.received()) {
      behind[l] = std::move(light);
      continue;
    }
    const NoiseSwitches& noise = stage.receivers.noise;
    const Receivers& of = stage.at_servers() ? servers : neurons;
    const Real current_per_value =
        homodyne_current_per_field(of.hardware.receiver, of.values.oscillator_w) * fields.received[l];
    Taken<Real> levels =
        taken(stage, l, of.channel,
              stage_noise(of.hardware, noise, of.values, fields.received[l], of.channel.noise_gain2),
              current_per_value, light);
    found.layers[l] = levels.levels;
    if (!stage.at_servers())
      behind[l] = passed_on(stage, levels, !fibre_rad.empty(), begun[l], found.log_wrong_steps);
    if (begun[l].slope.rows > 0) found.neurons_decide = false;
    begun[l].own = std::move(levels.own), begun[l].shared = std::move(levels.shared);
    if (!stage.at_servers()) continue;
    Real converter = 0.0;
    if (unit.noise.converter)
      converter =
          unit.noise.scale * unit.noise.scale * adc_noise_variance(stage.converter, values.converter_bits);
    for (Eigen::Index p = 0; p < stage.layer.outputs; ++p, ++digit)
      for (Eigen::Index w = 0; w < words; ++w) {
        found.answers.mean(digit, w) = levels.levels.mean(p, w);
        found.answers.variance(digit, w) = converter;
      }
  }
  std::vector<NumberPlane<Real>> drawn = add_noise_of_stages(stages, begun, found.answers.variance);
  for (std::size_t n = 0; lock2 > 0 && n + 1 < draws - layers; n += 2)
    found.phases.push_back({std::move(drawn[n + 1]), std::move(drawn[n])});
  return found;
}

#define OPTINC_INSTANTIATE(Real)                                                                            \
  template ReceivedLevels<Real> received_levels(const LitUnit&, const OperatingValues<Real>&, const Codes&, \
                                                const TransmissionSeed&, std::span<const double>);
OPTINC_INSTANTIATE(double)
OPTINC_INSTANTIATE(OperatingTangent)
#undef OPTINC_INSTANTIATE

}  // namespace optinc
