#include "onn/margin/received_levels.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "onn/link/detail/levels.hpp"
#include "onn/link/detail/stage_noise.hpp"
#include "onn/link/detail/stages.hpp"
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
                            std::size_t draws) {
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
  if (lock2 > 0)
    for (Eigen::Index s = 0; s < 2 * servers; ++s)
      lanes.shared[static_cast<std::size_t>(s)] = {{digits, words}, {digits, words}};
  for (Eigen::Index n = 0; n < servers; ++n)
    for (Eigen::Index m = 0; m < digits; ++m)
      for (Eigen::Index w = 0; w < words; ++w) {
        const Complex x = combiners[static_cast<std::size_t>(m)][static_cast<std::size_t>(n)] *
                          sent[symbol_of(task, codes(w, n), static_cast<int>(m))] / per_value;
        lanes.re(m, w) += Real(x.real());
        lanes.im(m, w) += Real(x.imag());
        if (lock2 == 0) continue;
        auto& [cos_re, cos_im] = lanes.shared[static_cast<std::size_t>(2 * n)];
        auto& [sin_re, sin_im] = lanes.shared[static_cast<std::size_t>(2 * n + 1)];
        cos_re(m, w) = Real(cosine * x.real()), cos_im(m, w) = Real(cosine * x.imag());
        sin_re(m, w) = Real(-sine * x.imag()), sin_im(m, w) = Real(sine * x.real());
      }
  return lanes;
}

/// Adds factor times row `from` of a plane to row `to` of another; nothing where one is empty.
template <class Real>
void add_row(const NumberPlane<Real>& a, Eigen::Index from, double factor, NumberPlane<Real>& b,
             Eigen::Index to) {
  if (factor == 0 || a.rows == 0 || b.rows == 0) return;
  for (Eigen::Index w = 0; w < a.words; ++w) b(to, w) += factor * a(from, w);
}

/// One input of a layer: a row of signals, and the offset that modulators add to it.
template <class Real>
struct Input {
  const StageSignals<Real>* from;
  Eigen::Index row;
  double offset;
};

/// Light behind a layer's meshes, for a transfer in units of its values. `quadrature`: whether anyone sees what
/// is shared in quadrature.
template <class Real>
StageSignals<Real> through(const Matrix& transfer, const std::vector<Input<Real>>& inputs, std::size_t draws,
                           bool quadrature) {
  const Eigen::Index ports = transfer.rows(), words = inputs[0].from->re.words;
  const NumberPlane<Real> plane(ports, words);
  StageSignals<Real> out = {plane, plane, plane, {}};
  out.shared.resize(draws);
  for (std::size_t s = 0; s < draws; ++s)
    for (const Input<Real>& in : inputs)
      if (out.shared[s].re.rows == 0 && (in.from->shared[s].re.rows > 0 || in.from->shared[s].im.rows > 0)) {
        out.shared[s].re = plane;
        if (quadrature) out.shared[s].im = plane;
      }
  parallel_for(ports, [&](Eigen::Index p) {
    for (Eigen::Index i = 0; i < transfer.cols(); ++i) {
      const auto& [from, row, offset] = inputs[static_cast<std::size_t>(i)];
      const double re = transfer(p, i).real(), im = transfer(p, i).imag();
      const auto turn = [&](const NumberPlane<Real>& a_re, const NumberPlane<Real>& a_im,
                            NumberPlane<Real>& b_re, NumberPlane<Real>& b_im) {
        add_row(a_re, row, re, b_re, p), add_row(a_im, row, -im, b_re, p);
        add_row(a_re, row, im, b_im, p), add_row(a_im, row, re, b_im, p);
      };
      turn(from->re, from->im, out.re, out.im);
      add_row(from->variance, row, re * re, out.variance, p);
      for (std::size_t s = 0; s < draws; ++s)
        turn(from->shared[s].re, from->shared[s].im, out.shared[s].re, out.shared[s].im);
      if (offset != 0)
        for (Eigen::Index w = 0; w < words; ++w)
          out.re(p, w) += Real(re * offset), out.im(p, w) += Real(im * offset);
    }
  });
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

/// What receivers take of a layer's light: means and variances, and amplitudes of draws that they have in
/// common.
template <class Real>
struct Taken {
  LevelMoments<Real> levels;
  std::vector<NumberPlane<Real>> shared;
};

template <class Real>
Taken<Real> taken(const Stage<double>& stage, std::size_t number, const StageChannel<Real>& channel,
                  const StageNoise<Real>& noise, const Real& current_per_value,
                  const StageSignals<Real>& light) {
  const Eigen::Index ports = light.re.rows, words = light.re.words;
  const StageReceivers& receivers = stage.receivers;
  const double walk2 = std::pow(stage.oscillator_linewidth_rad, 2), visibility = std::exp(-walk2 / 2),
               jitter_s = receivers.noise.jitter ? receivers.noise.scale * receivers.jitter_s : 0.0;
  const std::size_t draws = light.shared.size(), seed = draws - number - 1;
  Taken<Real> found = {{{ports, words}, {ports, words}}, std::vector<NumberPlane<Real>>(draws)};
  for (std::size_t s = 0; s < draws; ++s)
    if (light.shared[s].re.rows > 0 || light.shared[s].im.rows > 0 || s == seed)
      found.shared[s] = {ports, words};
  std::vector<Real> tap2;
  for (const Real& c : channel.equaliser) tap2.push_back(c * c);
  parallel_for(ports, [&](Eigen::Index p) {
    const double own_rad = receivers.oscillator_rad.size() > 0 ? receivers.oscillator_rad[p] : 0.0,
                 angle = stage.oscillator_drift_rad - own_rad, cosine = std::cos(angle), sine = std::sin(angle);
    std::vector<Real> in_phase(static_cast<std::size_t>(words));
    for (Eigen::Index w = 0; w < words; ++w) {
      const Real re = cosine * light.re(p, w) - sine * light.im(p, w),
                 im = sine * light.re(p, w) + cosine * light.im(p, w);
      in_phase[static_cast<std::size_t>(w)] = visibility * re;
      found.levels.variance(p, w) = light.variance(p, w) + noise.white + noise.shot * (re * re + im * im);
      if (walk2 > 0) found.levels.variance(p, w) += walk2 * (im * im + walk2 / 2 * re * re);
    }
    for (std::size_t s = 0; s < draws; ++s) {
      add_row(light.shared[s].re, p, cosine, found.shared[s], p);
      add_row(light.shared[s].im, p, -sine, found.shared[s], p);
    }
    std::vector<Real> samples = around_words(in_phase, channel.response, channel.response_before);
    if (jitter_s > 0) {
      std::vector<Real> late = around_words(in_phase, channel.slope, channel.response_before);
      for (Real& x : late) x = jitter_s * jitter_s * x * x;
      late = around_words(late, tap2, channel.equaliser_before);
      for (Eigen::Index w = 0; w < words; ++w) found.levels.variance(p, w) += late[static_cast<std::size_t>(w)];
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

/// What neurons pass on. A limiting receiver decides; the logarithms of how likely it errs are added to
/// `wrong`.
template <class Real>
StageSignals<Real> passed_on(const Stage<double>& stage, const Taken<Real>& in,
                             std::vector<std::vector<Real>>& wrong) {
  using std::sqrt;
  const Eigen::Index ports = in.levels.mean.rows, words = in.levels.mean.words;
  StageSignals<Real> out = {{ports, words}, {}, {ports, words}, {}};
  out.shared.resize(in.shared.size());
  const bool limits = std::isfinite(stage.layer.ceiling);
  if (!limits)
    for (std::size_t s = 0; s < in.shared.size(); ++s)
      if (in.shared[s].rows > 0) out.shared[s].re = {ports, words};
  for (Eigen::Index p = 0; p < ports; ++p) {
    const double ceiling = stage.ceilings.size() > 0 ? stage.ceilings[p] : stage.layer.ceiling;
    for (Eigen::Index w = 0; w < words; ++w) {
      const Real &z = in.levels.mean(p, w), rms = sqrt(in.levels.variance(p, w));
      if (limits) {
        const bool high = value_of(z) > ceiling / 2;
        out.re(p, w) = value_of(z) < 0 ? Real(0.0) : value_of(z) > ceiling ? Real(ceiling) : z;
        if (value_of(rms) > 0)
          wrong[static_cast<std::size_t>(w)].push_back(
              log_normal_tail(Real((high ? z - ceiling / 2 : ceiling / 2 - z) / rms)));
        continue;
      }
      if (!(value_of(rms) > 0)) {
        out.re(p, w) = value_of(z) > 0 ? z : Real(0.0);
        continue;
      }
      const Real q = -z / rms, let_through = share_above(q), edge = rms * normal_density(q);
      const Real mean = z * let_through + edge;
      out.re(p, w) = mean;
      Real variance = in.levels.variance(p, w) * let_through + (z - mean) * mean;  // E y^2 - (E y)^2
      for (std::size_t s = 0; s < in.shared.size(); ++s) {
        if (in.shared[s].rows == 0) continue;
        const Real amplitude = let_through * in.shared[s](p, w);
        out.shared[s].re(p, w) = amplitude;
        variance -= amplitude * amplitude;
      }
      out.variance(p, w) = value_of(variance) > 0 ? variance : Real(0.0);
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
Real log_normal_tail(const Real& x) {
  using std::erfc, std::log;
  if (value_of(x) < 20) return log(0.5 * erfc(1 / std::numbers::sqrt2 * x));
  const Real y = 1.0 / (x * x);  // asymptotic series (Abramowitz and Stegun 26.2.12), to 1e-8 from 20 on
  return -0.5 * (x * x) - log(x) - 0.5 * std::log(2 * std::numbers::pi) +
         log(1.0 - y * (1.0 - 3.0 * y * (1.0 - 5.0 * y)));
}

template <class Real>
ReceivedLevels<Real> received_levels(const LitUnit& unit, const OperatingValues<Real>& values,
                                     const Codes& codes, const TransmissionSeed& seed) {
  const UnitHardware at = with_values(unit.hardware, plain(values));
  const LitUnit lit = {unit.design, unit.chip, at, unit.noise, unit.arithmetic};
  validate_hardware(at);
  validate_first_order(lit);
  const UnitStages<double> stages = unit_stages(lit, layer_paths<double>(lit), seed, NoisyReceivers::all);
  const double lock2 = unit.noise.lock ? std::pow(unit.noise.scale * lock_rms_rad(at), 2) : 0.0;
  const FieldsPerUnitOf<Real> fields =
      fields_per_unit(unit.design, at, values, nominal_factors(unit.chip), std::exp(-lock2 / 2));
  const StageChannel<Real> channel = stage_channel(at, values);
  const std::size_t layers = stages.stages.size(),
                    draws = 2 * static_cast<std::size_t>(unit.design.task.combined()) + layers;
  const StageSignals<Real> lanes = lanes_of<Real>(lit, stages.combiners, codes, draws);
  std::vector<StageSignals<Real>> behind(layers);
  const Eigen::Index words = codes.rows();
  ReceivedLevels<Real> found = {
      std::vector<LevelMoments<Real>>(layers),
      {{unit.design.task.output_digits(), words}, {unit.design.task.output_digits(), words}},
      std::vector<std::vector<Real>>(static_cast<std::size_t>(words))};
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
    const Real current_per_value =
        homodyne_current_per_field(at.receiver, values.oscillator_w) * fields.received[l];
    Taken<Real> levels =
        taken(stage, l, channel, stage_noise(at, noise, values, fields.received[l], channel.noise_gain2),
              current_per_value, light);
    found.layers[l] = levels.levels;
    if (!stage.at_servers()) {
      behind[l] = passed_on(stage, levels, found.log_wrong_steps);
      continue;
    }
    Real converter = 0.0;
    if (unit.noise.converter)
      converter =
          unit.noise.scale * unit.noise.scale * adc_noise_variance(stage.converter, values.converter_bits);
    for (Eigen::Index p = 0; p < stage.layer.outputs; ++p, ++digit)
      for (Eigen::Index w = 0; w < words; ++w) {
        found.answers.mean(digit, w) = levels.levels.mean(p, w);
        found.answers.variance(digit, w) = levels.levels.variance(p, w) + converter;
      }
  }
  return found;
}

#define OPTINC_INSTANTIATE(Real)                                                                            \
  template Real log_normal_tail(const Real&);                                                               \
  template ReceivedLevels<Real> received_levels(const LitUnit&, const OperatingValues<Real>&, const Codes&, \
                                                const TransmissionSeed&);
OPTINC_INSTANTIATE(double)
OPTINC_INSTANTIATE(OperatingTangent)
#undef OPTINC_INSTANTIATE

}  // namespace optinc
