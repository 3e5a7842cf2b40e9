#include "onn/link/reference_transmit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "onn/link/detail/reference_devices.hpp"
#include "onn/link/detail/reference_receivers.hpp"
#include "onn/link/power_path.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/activation.hpp"
#include "physics/devices/adc.hpp"
#include "physics/devices/direct_detection.hpp"
#include "physics/devices/homodyne.hpp"
#include "physics/devices/incoherent_sum.hpp"
#include "physics/devices/power_divider.hpp"
#include "physics/mesh/reference_mesh.hpp"

// The symbols of the comments are those of the equations in the header.

namespace optinc {
namespace {

/// One call: the unit, and what its steps draw from.
struct Transmission {
  const ReferenceUnit& unit;
  const TransmissionSeed& seed;
  NoisyReceivers receivers;
  Stream& stream;
  Schedule times = unit_schedule(unit.design, unit.hardware);
  UnitHardware neurons = neuron_hardware(unit.hardware);
  std::optional<ClockedChannel> channel = stage_channel(unit.hardware),
                                neurons_channel = stage_channel(neurons);

  const LayerDesign& layer(std::size_t number) const { return unit.design.layers[number]; }
  bool at_servers(std::size_t number) const { return layer(number).ending == LayerEnd::servers; }
  /// As the receivers behind a layer are built.
  const UnitHardware& receiving(std::size_t number) const {
    return at_servers(number) ? unit.hardware : neurons;
  }
};

/// Light of all words in one waveguide, or a modulator that is about to send it. A value v is carried as the
/// field unit_sqrt_w (v - left_out), the sum of all parts.
struct Light {
  LightParts parts;            ///< fields (words) of modulators that are so much late, s
  double unit_sqrt_w = 1.0;    ///< u
  double left_out = 0.0;       ///< value that signed levels leave out of the light
  bool driven = false;         ///< of a modulator, whose drive can dim it: `level` counts, `parts` do not
  double late_s = 0.0;         ///< of that modulator
  Eigen::VectorXd level = {};  ///< (words) of the modulator's full scale
};

/// Light in all waveguides before or behind a layer's meshes.
struct LayerLight {
  std::map<double, Matrix> parts;  ///< fields (ports, words) by how late they are, s
  Eigen::VectorXd left_out;        ///< (ports)
  double unit_sqrt_w = std::numeric_limits<double>::infinity();

  LightParts port(Eigen::Index number, double passed = 1.0) const {
    LightParts light;
    for (const auto& [late_s, fields] : parts) light[late_s] = passed * fields.row(number).transpose();
    return light;
  }
};

/// What a server's modulator sends of a code on a lane, of full scale 3: its digit, m from the most significant
/// on; or, of an analogue sum, 3 u / (4^M - 1).
double sent_digit(const Task& task, std::uint32_t code, int lane) {
  if (task.outputs == Outputs::analogue) return 3.0 * code / (std::pow(4.0, task.digits) - 1);
  return code_digits(code, task.input_digits())[static_cast<std::size_t>(lane)];
}

/// Fibre and unit P: a_m = sum_n w_mn E_mn e^(i psi_n). Value 1: u = vis sqrt(N P_3) / 3.
std::vector<Light> coherent_averages(const Transmission& t, const Codes& codes,
                                     std::span<const double> psi_rad) {
  const Task& task = t.unit.design.task;
  const UnitHardware& hardware = t.unit.hardware;
  const auto servers = static_cast<std::size_t>(task.combined());
  const double visibility =
      t.unit.noise.lock
          ? combiner_moments(task.combined(), t.unit.noise.scale * server_lock_rms_rad(hardware)).mean
          : 1.0;
  const double full_scale = (hardware.link.signed_levels ? 1.5 : 3.0) / hardware.link.drive_depth,
               passed = tree_ratio(hardware, servers);
  std::vector<Light> lanes;
  const auto cut = static_cast<std::size_t>(hardware.link.cut_servers);
  for (int m = 0; m < task.input_digits(); ++m) {
    Light& lane = lanes.emplace_back();
    lane.unit_sqrt_w =
        passed * visibility * std::sqrt(task.combined() * hardware.link.launch_power_w) / full_scale;
    lane.left_out = hardware.link.signed_levels ? 1.5 : 0.0;
    const std::vector<Complex> weights = lane_weights(task, hardware, t.seed, m);
    for (std::size_t n = 0; n < servers; ++n) {
      const double late_s = lateness_s(hardware, t.seed, n, task.input_digits())[static_cast<std::size_t>(m)];
      auto& fields = lane.parts.try_emplace(late_s, Eigen::VectorXcd::Zero(codes.rows())).first->second;
      for (Eigen::Index w = 0; w < codes.rows(); ++w) {
        const double digit = sent_digit(task, codes(w, static_cast<Eigen::Index>(n)), m);
        std::vector<Complex> arriving(servers, 0.0);  // of this server alone
        if (n >= cut) arriving[n] = std::polar(1.0, psi_rad[n]) * server_field(digit, hardware);
        fields[w] += passed * combine(arriving, weights);
      }
    }
  }
  return lanes;
}

/// Unit P without a common phase: i = R sum_n P_mn (1 + rin z_n) + I_d + noise, P_mn = N |w_mn|^2 P_3 l. Its
/// modulators send level (i - I_d) / (R N P_3); value 1: u = sqrt(full scale) / 3.
std::vector<Light> incoherent_averages(const Transmission& t, const Codes& codes) {
  const Task& task = t.unit.design.task;
  const UnitHardware& hardware = t.unit.hardware;
  const NoiseSwitches noise = t.unit.noise.last_only ? NoiseSwitches{} : t.unit.noise;
  const double passed = std::pow(tree_ratio(hardware, static_cast<std::size_t>(task.combined())), 2),
               full_w = hardware.link.signal_full_scale_w;
  const PhotodiodeSettings& diode = hardware.receiver.photodiode;
  const IncoherentSum stage = {diode, passed * task.combined() * hardware.link.launch_power_w, full_w};
  const DirectReceiver receiver = {
      diode, hardware.receiver.front_end, {.rin_db_per_hz = hardware.laser.rin_db_per_hz}};
  const Light unlit = {.parts = {},
                       .unit_sqrt_w = std::sqrt(full_w) / 3.0,
                       .driven = true,
                       .level = Eigen::VectorXd(codes.rows())};
  std::vector<Light> lanes(static_cast<std::size_t>(task.input_digits()), unlit);
  for (Eigen::Index w = 0; w < codes.rows(); ++w) {
    std::vector<double> rin_z;  // dI/I of each server's own laser, the same in all its digits
    for (int n = 0; n < task.combined(); ++n)
      rin_z.push_back(noise.rin ? noise.scale * relative_intensity_noise(hardware.receiver, hardware.laser) *
                                      t.stream.normal()
                                : 0.0);
    for (int m = 0; m < task.input_digits(); ++m) {
      const std::vector<Complex> weights = lane_weights(task, hardware, t.seed, m);
      std::vector<double> powers_w;
      double total_w = 0.0, intensity_a = 0.0;
      for (std::size_t n = 0; n < weights.size(); ++n) {
        const double digit = sent_digit(task, codes(w, static_cast<Eigen::Index>(n)), m);
        powers_w.push_back(static_cast<int>(n) < hardware.link.cut_servers
                               ? 0.0
                               : passed * task.combined() * std::norm(weights[n]) *
                                     server_power_w(digit, hardware));
        total_w += powers_w.back();
        intensity_a += rin_z[n] * diode.responsivity_a_per_w * powers_w.back();
      }
      const DirectNoise variance = direct_noise_a2(receiver, total_w);
      const double white = (noise.shot ? variance.shot : 0.0) + (noise.tia ? variance.front_end : 0.0);
      const double current_a = incoherent_current_a(stage, powers_w) + intensity_a +
                               noise.scale * std::sqrt(white) * t.stream.normal();
      lanes[static_cast<std::size_t>(m)].level[w] =
          remodulated_field_of_current_sqrt_w(stage, current_a) / std::sqrt(full_w);
    }
  }
  return lanes;
}

/// Digit lanes behind unit P, most significant first. A server sends all its digits through one fibre, whose
/// phase psi_n ~ N(0, s) is the same for all words.
std::vector<Light> averages(const Transmission& t, const Codes& codes) {
  std::vector<double> psi_rad(static_cast<std::size_t>(t.unit.design.task.combined()), 0.0);
  if (t.unit.noise.lock)
    for (double& psi : psi_rad)
      psi = t.unit.noise.scale * server_lock_rms_rad(t.unit.hardware) * t.stream.normal();
  return t.unit.hardware.link.averaging == Averaging::coherent ? coherent_averages(t, codes, psi_rad)
                                                               : incoherent_averages(t, codes);
}

/// Inputs of a layer, x_i = a_i u / u_i with u = min u_i: every lane is dimmed to the field per value of the
/// weakest. `behind`: what every layer before sends on.
LayerLight layer_inputs(const Transmission& t, std::size_t number, const std::vector<Light>& lanes,
                        const std::vector<std::vector<Light>>& behind) {
  const UnitHardware& hardware = t.unit.hardware;
  const LayerDesign& layer = t.layer(number);
  const auto light_of = [&](const LaneDesign& lane) -> const Light& {
    return (lane.source < 0
                ? lanes
                : behind[static_cast<std::size_t>(lane.source)])[static_cast<std::size_t>(lane.row)];
  };
  LayerLight in = {{}, Eigen::VectorXd(layer.inputs)};
  std::vector<double> passed;  // of each lane's field, on its way here
  for (std::size_t i = 0; i < layer.lanes.size(); ++i) {
    const LaneDesign& lane = layer.lanes[i];
    double ratio = waiting_ratio(hardware, t.times.waits_s(t.unit.design, number, i));
    if (lane.source < 0 && !light_of(lane).driven)  // only coherent averages are split
      ratio *= split_field_factor(lane.copies) * tree_ratio(hardware, static_cast<std::size_t>(lane.copies));
    passed.push_back(ratio);
    in.unit_sqrt_w = std::min(in.unit_sqrt_w, light_of(lane).unit_sqrt_w * ratio);
  }
  for (Eigen::Index i = 0; i < layer.inputs; ++i) {
    const auto lane = static_cast<std::size_t>(i);
    const Light& light = light_of(layer.lanes[lane]);
    const double dimmed = in.unit_sqrt_w / (light.unit_sqrt_w * passed[lane]);
    LightParts sent = light.parts;
    for (auto& part : sent) part.second *= dimmed;
    if (light.driven)
      sent = {{light.late_s, light.level.unaryExpr([&](double level) {
                 return modulated(dimmed * level, hardware.link.signal_full_scale_w, hardware.modulator,
                                  hardware.modulator.linearised);
               })}};
    for (const auto& [late_s, fields] : sent)
      in.parts.try_emplace(late_s, Matrix::Zero(layer.inputs, fields.size())).first->second.row(i) =
          passed[lane] * fields.transpose();
    in.left_out[i] = light.left_out;
  }
  return in;
}

/// A layer's light before its receivers: b = T x. Value 1: field f u.
LayerLight through_layer(const Transmission& t, std::size_t number, const LayerLight& in) {
  const LayerDesign& layer = t.layer(number);
  double passed = tree_ratio(t.unit.hardware, layer.blocks.size());  // fan-out or fan-in
  if (layer.received()) passed *= routing_ratio(t.unit.hardware);
  LayerLight out = {
      {}, layer.weight * in.left_out, passed * t.unit.chip.nominal_factor[number] * in.unit_sqrt_w};
  for (const auto& [late_s, fields] : in.parts) {
    Matrix& behind = out.parts.try_emplace(late_s, layer.outputs, fields.cols()).first->second;
    for (Eigen::Index w = 0; w < fields.cols(); ++w)
      behind.col(w) = passed * t.unit.chip.transfer[number] * fields.col(w);
  }
  return out;
}

/// What the receivers of a layer share: noise, and factors e^(j (d + w)) of light against their oscillators, d
/// the layer's drift, w of the linewidth and drawn for every word.
ReceiverSurroundings surroundings(const Transmission& t, std::size_t number, Eigen::Index words) {
  const auto& [design, chip, hardware, noise] = t.unit;
  const bool by_caller = t.at_servers(number) && t.receivers == NoisyReceivers::neurons;  // noise and limit
  const bool noisy = t.at_servers(number) ? !by_caller : !noise.last_only;
  ReceiverSurroundings around = {t.receiving(number),
                                 by_caller ? 0.0 : hardware.receiver.overload_a,
                                 noisy ? noise : NoiseSwitches{},
                                 Eigen::VectorXcd(words),
                                 Eigen::VectorXd::Zero(words),
                                 t.at_servers(number) ? t.channel : t.neurons_channel};
  const double drift_rad = chip.oscillator_rad.empty() ? 0.0 : chip.oscillator_rad[number];
  const double linewidth_rad =
      noise.lock && hardware.link.oscillators == Oscillators::direct
          ? noise.scale * linewidth_phase_rms_rad(hardware, reference_path_m(design, number, hardware))
          : 0.0;
  const Eigen::Index samples = hardware.timing.sampling == Sampling::unclocked ? samples_per_symbol : 1;
  for (Eigen::Index w = 0; w < words && t.layer(number).received(); w += samples)
    around.turn.segment(w, samples).setConstant(std::polar(1.0, drift_rad + linewidth_rad * t.stream.normal()));
  if (around.noise.rin)
    for (double& of_word : around.seed_noise)
      of_word =
          noise.scale * relative_intensity_noise(around.hardware.receiver, hardware.laser) * t.stream.normal();
  return around;
}

/// Currents i of all receivers of a layer, A, [receiver](words), `passed` of whose light reaches them.
std::vector<Eigen::VectorXd> received_a(const Transmission& t, std::size_t number, const LayerLight& light,
                                        double passed, const ReceiverSurroundings& around) {
  const auto& [design, chip, hardware, noise] = t.unit;
  const std::uint32_t end = 128 * t.seed.channel + (t.at_servers(number) ? 1 + t.seed.server : 0);
  const auto layer = static_cast<std::uint32_t>(number);
  Stream phases(t.seed.seed, Purpose::oscillator_phase, t.seed.chip, layer, end),
      offsets(t.seed.seed, Purpose::receiver_offset, t.seed.chip, layer, end);
  const double dither_rad = noise.lock ? hardware.link.oscillator_dither_rad : 0.0;
  std::vector<Eigen::VectorXd> currents_a;
  for (Eigen::Index j = 0; j < t.layer(number).outputs; ++j) {
    const double dithered_rad = dither_rad * std::sin(2 * constants::pi * t.stream.uniform());
    const ReferenceReceiver receiver = {phases.normal() * hardware.link.sigma_oscillator_rad + dithered_rad,
                                        j % 2 == 0 ? 1 : -1, offsets.normal() * hardware.receiver.offset_a};
    currents_a.push_back(reference_currents_a(light.port(j, passed), receiver, around, t.stream));
  }
  return currents_a;
}

/// Neuron: z = limited(max(v, 0), ceiling) + offset, v = gain i + bias; its modulator sends z / largest_output.
Light neuron(const Transmission& t, std::size_t number, Eigen::Index j, const Eigen::VectorXd& current_a,
             double gain, double bias) {
  const auto& [design, chip, hardware, noise] = t.unit;
  const LayerDesign& layer = t.layer(number);
  const ReceiverRelu relu = {.receiver = t.neurons.receiver,  // here a field of 1 is a value of 1
                             .threshold_a = -bias / gain,
                             .gain_sqrt_w_per_a = gain,
                             .largest_field_sqrt_w = neuron_ceiling(design, number, j, hardware.link, t.seed),
                             .limiter_knee = hardware.link.limiter_knee};
  const std::size_t group = static_cast<std::size_t>(design.task.combined()) + number;
  return {.parts = {},
          .unit_sqrt_w = std::sqrt(hardware.link.signal_full_scale_w) / layer.largest_output,
          .driven = true,
          .late_s = lateness_s(hardware, t.seed, group, layer.outputs)[static_cast<std::size_t>(j)],
          .level = current_a.unaryExpr([&](double i) {
            const double z = relu.field_of_current(i) + layer.offset;
            return z / layer.largest_output;
          })};
}

/// Outputs before the servers' converters, (output digits, rows of codes): words, or samples of unclocked ones.
Eigen::MatrixXd outputs(const Transmission& t, const Codes& codes) {
  const UnitHardware& hardware = t.unit.hardware;
  const Task& task = t.unit.design.task;
  const std::vector<Light> lanes = averages(t, codes);
  std::vector<std::vector<Light>> behind(t.unit.design.layers.size());  // [layer][output]
  Eigen::MatrixXd digits(task.output_digits(), codes.rows());
  Eigen::Index digit = 0;
  for (std::size_t l = 0; l < behind.size(); ++l) {
    const LayerDesign& layer = t.layer(l);
    const LayerLight light = through_layer(t, l, layer_inputs(t, l, lanes, behind));
    const ReceiverSurroundings around =
        surroundings(t, l, codes.rows());  // drawn for layers without receivers, too
    if (!layer.received()) {
      for (Eigen::Index j = 0; j < layer.outputs; ++j)
        behind[l].push_back(
            {.parts = light.port(j), .unit_sqrt_w = light.unit_sqrt_w, .left_out = light.left_out[j]});
      continue;
    }
    const double unit_t = t.at_servers(l) ? unit_t_ratio(task, hardware) : 1.0;  // 1 / sqrt(ends), and losses
    const std::vector<Eigen::VectorXd> current_a = received_a(t, l, light, unit_t, around);
    const double gain =
        1.0 / (unit_t * light.unit_sqrt_w * homodyne_current_per_field(t.receiving(l).receiver));
    for (Eigen::Index j = 0; j < layer.outputs; ++j) {
      const Eigen::VectorXd& i = current_a[static_cast<std::size_t>(j)];
      const double bias = layer.bias[j] + light.left_out[j];
      if (t.at_servers(l))
        digits.row(digit++) = (gain * i.array() + bias).transpose();
      else
        behind[l].push_back(neuron(t, l, j, i, gain, bias));
    }
  }
  return digits;
}

/// Unclocked words, each digit read at the sample that is nearest to its settled output, found without noise.
Eigen::MatrixXd unclocked_outputs(const Transmission& t, const Codes& codes) {
  const auto& [design, chip, hardware, noise] = t.unit;
  UnitHardware slow = hardware;
  slow.timing.sampling = Sampling::settled;
  Codes sampled(codes.rows() * samples_per_symbol, codes.cols());
  for (Eigen::Index n = 0; n < sampled.rows(); ++n) sampled.row(n) = codes.row(n / samples_per_symbol);
  const auto sent = [&](const ReferenceUnit& unit, const Codes& rows) {
    return outputs({unit, t.seed, t.receivers, t.stream}, rows);
  };
  const Eigen::MatrixXd settled = sent({design, chip, slow}, codes),
                        silent = sent({design, chip, hardware}, sampled), all = sent(t.unit, sampled);
  Eigen::MatrixXd digits(settled.rows(), settled.cols());
  for (Eigen::Index m = 0; m < digits.rows(); ++m) {
    const auto read = [&](const Eigen::MatrixXd& of, Eigen::Index k) {  // k samples after words begin
      Eigen::RowVectorXd values(codes.rows());
      for (Eigen::Index w = 0; w < codes.rows(); ++w)
        values[w] = of(m, (w * samples_per_symbol + k) % of.cols());
      return values;
    };
    const auto error = [&](Eigen::Index k) { return (read(silent, k) - settled.row(m)).squaredNorm(); };
    Eigen::Index best = 0;
    for (Eigen::Index k = 1; k < 2 * samples_per_symbol; ++k)
      if (error(k) < error(best)) best = k;
    digits.row(m) = read(all, best);
  }
  return digits;
}

/// T of a layer: (1/sqrt r) D_b M_b of every block b, below or beside each other.
Matrix layer_transfer(const LayerDesign& layer, const std::vector<BlockProgram>& program,
                      const std::vector<BlockErrors>& errors) {
  Matrix transfer = Matrix::Zero(layer.outputs, layer.inputs);
  const double fan = split_field_factor(static_cast<int>(layer.blocks.size()));
  for (std::size_t b = 0; b < layer.blocks.size(); ++b) {
    const BlockDesign& block = layer.blocks[b];
    const Matrix mesh = reference_transfer_matrix(block.mesh, program[b].mesh, errors[b].mesh);
    const Matrix column =
        reference_transfer_matrix(block.attenuators, program[b].attenuators, errors[b].attenuators);
    const Eigen::Index n = block.mesh.ports, first = static_cast<Eigen::Index>(b) * n;
    for (Eigen::Index i = 0; i < block.attenuation.size(); ++i) {
      const Complex bar = block.attenuators.mzi_count() > 0 ? column(2 * i, 2 * i) : Complex(1.0);
      transfer.block(layer.tall() ? first + i : i, layer.tall() ? 0 : first, 1, n) = fan * bar * mesh.row(i);
    }
  }
  return transfer;
}

}  // namespace

ReferenceChip reference_chip(const ChipDesign& design, const ChipProgram& program, const ChipErrors& errors,
                             const ErrorModel& model) {
  ReferenceChip chip;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    chip.transfer.push_back(layer_transfer(layer, program.layers[l], errors.layers[l]));
    chip.nominal_factor.push_back(
        split_field_factor(static_cast<int>(layer.blocks.size())) *
        field_ratio_of_loss_db(2 * (mean_arm_loss_db(model) + layer.measured_arm_loss_db) * layer.columns() +
                               (program.headroom_db.empty() ? 0.0 : program.headroom_db[l])) /
        layer.passive_scale);
  }
  return chip;
}

double reference_path_m(const ChipDesign& design, std::size_t layer, const UnitHardware& hardware) {
  return columns_m(design, layer, hardware) + hardware.routing.length_m + hardware.layout.mzi_length_m / 2 -
         hardware.layout.coupler_length_m;
}

Eigen::MatrixXd reference_transmit(const ReferenceUnit& unit, const Codes& codes, const TransmissionSeed& seed,
                                   Stream& stream, NoisyReceivers receivers) {
  validate(unit.design.task.adder == Adder::light,
           "a unit in which electronics add (\"{}\": words take several hops). Send each hop by itself.",
           name_of(unit.design.task.adder));
  const Transmission t = {unit, seed, receivers, stream};
  const LinkSettings& link = unit.hardware.link;
  Codes sent = codes;  // words w of the punctual meet words w - late_words of the late
  for (Eigen::Index w = 0; w < codes.rows(); ++w)
    for (int n = link.cut_servers; n < link.cut_servers + link.late_servers; ++n) {
      const Eigen::Index before = (w - link.late_words) % codes.rows();
      sent(w, n) = codes(before < 0 ? before + codes.rows() : before, n);
    }
  Eigen::MatrixXd digits =
      unit.hardware.timing.sampling == Sampling::unclocked ? unclocked_outputs(t, sent) : outputs(t, sent);
  const AdcSettings& converter = unit.hardware.converter;
  if (unit.noise.converter && receivers == NoisyReceivers::all)
    for (double& y : digits.reshaped())
      y = 1.5 + adc_quantise(converter, y - 1.5 + unit.noise.scale * adc_noise(converter) * stream.normal());
  return digits;
}

}  // namespace optinc
