#include "onn/link/reference_transmit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "onn/link/detail/reference_receivers.hpp"
#include "onn/link/power_path.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/activation.hpp"
#include "physics/devices/adc.hpp"
#include "physics/devices/direct_detection.hpp"
#include "physics/devices/homodyne.hpp"
#include "physics/devices/incoherent_sum.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/power_divider.hpp"
#include "physics/mesh/reference_mesh.hpp"

namespace optinc {
namespace {

/// Light in one waveguide, or a modulator that is about to send it, and the value that it stands for,
/// Re(field) / unit_sqrt_w + left_out, field the sum of all parts.
struct Light {
  std::map<double, Complex> parts;  ///< fields of modulators that are so much late, s
  double unit_sqrt_w = 1.0;
  double left_out = 0.0;  ///< value that signed levels leave out of the light
  bool driven = false;    ///< of a modulator, whose drive can dim it: `level` counts, `parts` do not
  double late_s = 0.0;    ///< of that modulator
  double level = 0.0;     ///< of the modulator's full scale
  double passed = 1.0;    ///< field ratio of the way to the layer that reads it
};

Matrix layer_transfer(const LayerDesign& layer, const std::vector<BlockProgram>& program,
                      const std::vector<BlockErrors>& errors) {
  Matrix transfer = Matrix::Zero(layer.outputs, layer.inputs);
  const double fan = split_field_factor(static_cast<int>(layer.blocks.size()));
  for (std::size_t b = 0; b < layer.blocks.size(); ++b) {
    const BlockDesign& block = layer.blocks[b];
    const Matrix mesh = reference_transfer_matrix(block.mesh, program[b].mesh, errors[b].mesh);
    const Matrix column =
        reference_transfer_matrix(block.attenuators, program[b].attenuators, errors[b].attenuators);
    const Eigen::Index n = block.mesh.ports, at = static_cast<Eigen::Index>(b) * n;
    for (Eigen::Index i = 0; i < block.attenuation.size(); ++i) {
      const Complex bar = block.attenuators.mzi_count() > 0 ? column(2 * i, 2 * i) : Complex(1.0);
      transfer.block(layer.tall() ? at + i : i, layer.tall() ? 0 : at, 1, n) = fan * bar * mesh.row(i);
    }
  }
  return transfer;
}

/// Field behind a modulator at a level of its full scale, its drive `linear` in the field or in the level.
/// full_scale_w contains its insertion loss.
Complex modulated(double level, double full_scale_w, const MzmSettings& modulator, bool linear) {
  MzmSettings lossless = modulator;
  lossless.insertion_loss_db = 0.0;
  const double within = std::clamp(level, -1.0, 1.0);  // a driver goes no further than V_pi
  const double drive_v = linear ? mzm_drive_v(lossless, AmplitudeLevel(within)) : within * modulator.v_pi_v;
  return std::sqrt(full_scale_w) * mzm_field_factor(lossless, drive_v);
}

/// Field ratio of a tree of 1:2 splitters to so many ends, beside that of even splitting: a stage for every
/// doubling.
double tree_ratio(const UnitHardware& hardware, std::size_t ends) {
  int stages = 0;
  while ((std::size_t{1} << stages) < ends) ++stages;
  return field_ratio_of_loss_db(stages * hardware.splitter.stage_excess_loss_db);
}

/// Field ratio of a layer's waveguide: the stretch to and from the meshes, and the arms of the output screen.
double routing_ratio(const UnitHardware& hardware) {
  Waveguide guide = hardware.routing;
  guide.length_m += hardware.layout.mzi_length_m / 2 - hardware.layout.coupler_length_m;
  return field_ratio_of_loss_db(waveguide_loss_db(guide));
}

/// Field ratio of unit T's splitters, fibre and coupler, each server getting one of `servers` shares.
double unit_t_ratio(const UnitHardware& hardware, int servers) {
  return split_field_factor(servers) * tree_ratio(hardware, static_cast<std::size_t>(servers)) *
         field_ratio_of_loss_db(fibre_loss_db(hardware.fibre) +
                                fibre_coupler_loss_db(hardware.coupler, hardware.laser.wavelength_m));
}

/// Field ratio of a delay line in which light waits.
double waiting_ratio(const UnitHardware& hardware, double wait_s) {
  Waveguide line = hardware.routing;
  line.bends = 0;
  line.length_m = 1.0;
  line.length_m = wait_s / waveguide_delay_s(line, hardware.laser.wavelength_m);
  return field_ratio_of_loss_db(waveguide_loss_db(line));
}

/// Field that a server sends for a digit, sqrt(W).
Complex sent(std::uint32_t digit, const UnitHardware& hardware) {
  const double level = levels_with_mismatch_ratio(1 - hardware.link.level_mismatch)[digit];
  return modulated(hardware.link.signed_levels ? 2 * level - 1 : level, hardware.link.launch_power_w,
                   hardware.modulator, true);
}

/// Power that a server sends for a digit where averaging is incoherent, W.
double sent_w(std::uint32_t digit, const UnitHardware& hardware) {
  MzmSettings lossless = hardware.modulator;
  lossless.insertion_loss_db = 0.0;
  const IntensityLevel level(levels_with_mismatch_ratio(1 - hardware.link.level_mismatch)[digit]);
  return hardware.link.launch_power_w * std::norm(mzm_field_factor(lossless, mzm_drive_v(lossless, level)));
}

/// Weights of the combiner of a digit lane, as fabricated, its splitters' excess loss aside.
std::vector<Complex> lane_weights(const Task& task, const UnitHardware& hardware, const TransmissionSeed& seed,
                                  int lane) {
  Stream fabrication(seed.seed, Purpose::combiner_weight, seed.chip, static_cast<std::uint32_t>(lane));
  CombinerErrors errors;
  for (int n = 0; n < task.servers; ++n)
    errors.weight.push_back(hardware.link.sigma_combiner * fabrication.normal());
  return combiner_weights(task.servers, errors);
}

/// Digit lanes behind unit P without a common phase, most significant first: modulators of fresh light.
std::vector<Light> averaged_powers(const Task& task, const UnitHardware& hardware, const NoiseSwitches& noise,
                                   std::span<const std::uint32_t> codes, const TransmissionSeed& seed,
                                   Stream& stream) {
  const double passed = std::pow(tree_ratio(hardware, codes.size()), 2),
               full_w = hardware.link.signal_full_scale_w;
  const PhotodiodeSettings& diode = hardware.receiver.photodiode;
  const IncoherentSum stage = {diode, passed * task.servers * hardware.link.launch_power_w, full_w};
  const DirectReceiver receiver = {
      diode, hardware.receiver.front_end, {.rin_db_per_hz = hardware.laser.rin_db_per_hz}};
  std::vector<double> laser_noise;  // dI/I of each server's own, the same in all its digits
  for (std::size_t n = 0; n < codes.size(); ++n)
    laser_noise.push_back(
        noise.rin ? noise.scale * relative_intensity_noise(hardware.receiver, hardware.laser) * stream.normal()
                  : 0.0);
  std::vector<Light> lanes;
  for (int m = 0; m < task.input_digits(); ++m) {
    const std::vector<Complex> weights = lane_weights(task, hardware, seed, m);
    std::vector<double> powers_w;
    double total_w = 0.0, intensity_a = 0.0;
    for (std::size_t n = 0; n < codes.size(); ++n) {
      const auto digit = code_digits(codes[n], task.input_digits())[static_cast<std::size_t>(m)];
      powers_w.push_back(passed * task.servers * std::norm(weights[n]) *
                         sent_w(static_cast<std::uint32_t>(digit), hardware));
      total_w += powers_w.back();
      intensity_a += laser_noise[n] * diode.responsivity_a_per_w * powers_w.back();
    }
    const DirectNoise variance = direct_noise_a2(receiver, total_w);
    const double white = (noise.shot ? variance.shot : 0.0) + (noise.tia ? variance.front_end : 0.0);
    const double current_a =
        incoherent_current_a(stage, powers_w) + intensity_a + noise.scale * std::sqrt(white) * stream.normal();
    lanes.push_back({.parts = {},
                     .unit_sqrt_w = std::sqrt(full_w) / 3.0,
                     .driven = true,
                     .level = remodulated_field_of_current_sqrt_w(stage, current_a) / std::sqrt(full_w)});
  }
  return lanes;
}

/// rms phase of a server's light against its oscillator, rad.
double lock_rms(const UnitHardware& hardware) {
  const double delay_s =
      hardware.fibre.group_index * hardware.link.fibre_mismatch_m / constants::speed_of_light_m_per_s;
  return std::sqrt(hardware.link.sigma_lock_rad * hardware.link.sigma_lock_rad +
                   2 * constants::pi * hardware.laser.linewidth_hz * delay_s);
}

/// By how much the modulators of a server, or of a layer, are late, s: of group n or servers + layer.
std::vector<double> lateness_s(const UnitHardware& hardware, const TransmissionSeed& seed, std::size_t group,
                               int modulators) {
  Stream fabrication(seed.seed, Purpose::modulator_skew, seed.chip, static_cast<std::uint32_t>(group),
                     seed.channel);
  const double together_s = hardware.timing.layer_skew_s * fabrication.normal();
  std::vector<double> late_s(static_cast<std::size_t>(modulators), 0.0);
  if (hardware.timing.sampling != Sampling::settled)
    for (double& of : late_s) of = together_s + hardware.timing.lane_skew_s * fabrication.normal();
  return late_s;
}

/// Digit lanes behind unit P, most significant first.
std::vector<Light> averaged(const Task& task, const UnitHardware& hardware, const NoiseSwitches& noise,
                            std::span<const std::uint32_t> codes, const TransmissionSeed& seed,
                            std::span<const double> lock_rad) {
  const LinkSettings& link = hardware.link;
  const auto servers = codes.size();
  const double visibility =
      noise.lock ? combiner_moments(task.servers, noise.scale * lock_rms(hardware)).mean : 1.0;
  const double full_scale = link.signed_levels ? 1.5 : 3.0, left_out = link.signed_levels ? 1.5 : 0.0;
  std::vector<Light> lanes;
  for (int m = 0; m < task.input_digits(); ++m) {
    const double passed = tree_ratio(hardware, servers);
    std::map<double, Complex> parts;
    for (std::size_t n = 0; n < servers; ++n) {
      const auto digit = code_digits(codes[n], task.input_digits())[static_cast<std::size_t>(m)];
      std::vector<Complex> arrives(servers, 0.0);  // of this server alone
      arrives[n] = std::polar(1.0, lock_rad[n]) * sent(static_cast<std::uint32_t>(digit), hardware);
      const double late_s = lateness_s(hardware, seed, n, task.input_digits())[static_cast<std::size_t>(m)];
      parts[late_s] += passed * combine(arrives, lane_weights(task, hardware, seed, m));
    }
    lanes.push_back(
        {.parts = parts,
         .unit_sqrt_w = passed * visibility * std::sqrt(task.servers * link.launch_power_w) / full_scale,
         .left_out = left_out});
  }
  return lanes;
}

/// Ceiling of neuron number `at` of a layer, as fabricated. Real limiters, soft or unequal, act on neurons that
/// have none, too: at their modulators' full scale.
double neuron_ceiling(const ChipDesign& design, std::size_t layer, Eigen::Index at, const LinkSettings& link,
                      const TransmissionSeed& seed) {
  const LayerDesign& of = design.layers[layer];
  if (link.sigma_limiter == 0 && link.limiter_knee == 0) return of.ceiling;
  Stream fabrication(seed.seed, Purpose::limiter_spread, seed.chip, static_cast<std::uint32_t>(layer),
                     seed.channel);
  double drawn = 0.0;
  for (Eigen::Index j = 0; j <= at; ++j) drawn = fabrication.normal();
  return std::min(of.ceiling, of.largest_output - of.offset) * (1 + link.sigma_limiter * drawn);
}

/// Longest way through meshes to a layer's outputs since its light was last modulated, m.
double columns_m(const ChipDesign& design, std::size_t number, const UnitHardware& hardware) {
  double before_m = 0.0;
  for (const LaneDesign& lane : design.layers[number].lanes)
    if (lane.source >= 0 && !design.layers[static_cast<std::size_t>(lane.source)].received())
      before_m = std::max(before_m, columns_m(design, static_cast<std::size_t>(lane.source), hardware));
  return before_m + design.layers[number].columns() * hardware.layout.mzi_length_m;
}

/// What enters a layer: every lane dimmed to the field per value of the weakest.
struct LayerInput {
  std::map<double, Eigen::VectorXcd> parts;  ///< fields by how late they are, s
  Eigen::VectorXd left_out;
  double unit_sqrt_w = std::numeric_limits<double>::infinity();
};

LayerInput layer_input(const ChipDesign& design, std::size_t number, const UnitHardware& hardware,
                       const Schedule& times, const std::vector<Light>& lanes,
                       const std::vector<std::vector<Light>>& behind) {
  const LayerDesign& layer = design.layers[number];
  std::vector<Light> arriving;
  LayerInput in = {{}, Eigen::VectorXd(layer.inputs)};
  for (std::size_t i = 0; i < layer.lanes.size(); ++i) {
    const LaneDesign& lane = layer.lanes[i];
    const auto row = static_cast<std::size_t>(lane.row);
    Light light = lane.source < 0 ? lanes[row] : behind[static_cast<std::size_t>(lane.source)][row];
    light.passed = waiting_ratio(hardware, times.waits_s(design, number, i));
    if (lane.source < 0 && !light.driven)  // only coherent averages are split
      light.passed *=
          split_field_factor(lane.copies) * tree_ratio(hardware, static_cast<std::size_t>(lane.copies));
    light.unit_sqrt_w *= light.passed;
    in.unit_sqrt_w = std::min(in.unit_sqrt_w, light.unit_sqrt_w);
    arriving.push_back(light);
  }
  for (Eigen::Index i = 0; i < layer.inputs; ++i) {
    const Light& light = arriving[static_cast<std::size_t>(i)];
    const double dimmed = in.unit_sqrt_w / light.unit_sqrt_w;
    std::map<double, Complex> sent = light.parts;
    for (auto& part : sent) part.second *= dimmed;
    if (light.driven)
      sent = {{light.late_s, modulated(dimmed * light.level, hardware.link.signal_full_scale_w,
                                       hardware.modulator, hardware.modulator.linearised)}};
    for (const auto& [late_s, field] : sent) {
      auto& of_all = in.parts.try_emplace(late_s, Eigen::VectorXcd::Zero(layer.inputs)).first->second;
      of_all[i] = light.passed * field;
    }
    in.left_out[i] = light.left_out;
  }
  return in;
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
        field_ratio_of_loss_db(2 * (mean_arm_loss_db(model) + layer.measured_arm_loss_db) * layer.columns()) /
        layer.passive_scale);
  }
  return chip;
}

double reference_path_m(const ChipDesign& design, std::size_t layer, const UnitHardware& hardware) {
  return columns_m(design, layer, hardware) + hardware.routing.length_m + hardware.layout.mzi_length_m / 2 -
         hardware.layout.coupler_length_m;
}

namespace {

/// rms phase that a linewidth makes of the way past which the oscillators of a layer go, rad.
double walk_rms(const ChipDesign& design, std::size_t number, const UnitHardware& hardware) {
  if (hardware.link.oscillators != Oscillators::direct) return 0.0;
  const double delay_s = reference_path_m(design, number, hardware) *
                         group_index(hardware.routing.index, hardware.laser.wavelength_m) /
                         constants::speed_of_light_m_per_s;
  return std::sqrt(2 * constants::pi * hardware.laser.linewidth_hz * delay_s);
}

/// Outputs before the servers' converters, (output digits, rows of codes): words, or samples of unclocked ones.
Eigen::MatrixXd outputs_of(const ChipDesign& design, const ReferenceChip& chip, const UnitHardware& hardware,
                           const NoiseSwitches& noise, const Codes& codes, const TransmissionSeed& seed,
                           Stream& stream, NoisyReceivers receivers) {
  const auto words = static_cast<std::size_t>(codes.rows());
  const std::optional<ClockedChannel> channel = stage_channel(hardware);
  const Schedule times = unit_schedule(design, hardware);
  std::vector<double> lock_rad(static_cast<std::size_t>(design.task.servers), 0.0);
  if (noise.lock)  // a server sends all its digits through one fibre, whose phase outlasts the words
    for (double& phase : lock_rad) phase = noise.scale * lock_rms(hardware) * stream.normal();
  std::vector<std::vector<Light>> lanes;                       // [word][lane]
  std::vector<std::vector<std::vector<Light>>> behind(words);  // [word][layer][output]
  for (Eigen::Index w = 0; w < codes.rows(); ++w) {
    const std::vector<std::uint32_t> sent(codes.row(w).begin(), codes.row(w).end());
    lanes.push_back(hardware.link.averaging == Averaging::coherent
                        ? averaged(design.task, hardware, noise, sent, seed, lock_rad)
                        : averaged_powers(design.task, hardware, noise.last_only ? NoiseSwitches{} : noise,
                                          sent, seed, stream));
  }
  Eigen::MatrixXd digits(design.task.output_digits(), codes.rows());
  Eigen::Index digit = 0;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    const bool at_servers = layer.ending == LayerEnd::servers;
    double passed = tree_ratio(hardware, layer.blocks.size());  // fan-out or fan-in
    if (layer.received()) passed *= routing_ratio(hardware);
    std::map<double, Matrix> out;  // by how late it is, (outputs, words)
    Eigen::VectorXd shift;
    double unit = 0.0;  // these two are the same for all words
    for (std::size_t w = 0; w < words; ++w) {
      const LayerInput in = layer_input(design, l, hardware, times, lanes[w], behind[w]);
      for (const auto& [late_s, fields] : in.parts)
        out.try_emplace(late_s, Matrix::Zero(layer.outputs, codes.rows()))
            .first->second.col(static_cast<Eigen::Index>(w)) = passed * chip.transfer[l] * fields;
      shift = layer.weight * in.left_out;
      unit = passed * chip.nominal_factor[l] * in.unit_sqrt_w;
      behind[w].emplace_back();
    }

    const bool noisy = at_servers ? receivers == NoisyReceivers::all : !noise.last_only;
    const NoiseSwitches acting = noisy ? noise : NoiseSwitches{};
    Eigen::VectorXcd turn = Eigen::VectorXcd::Ones(codes.rows());
    if (layer.received()) {  // light turns, oscillators do not: by the layer's drift, and for every word anew
      const double drift_rad = chip.oscillator_rad.empty() ? 0.0 : chip.oscillator_rad[l];
      const double walk_rad = noise.lock ? noise.scale * walk_rms(design, l, hardware) : 0.0;
      const Eigen::Index samples = hardware.timing.sampling == Sampling::unclocked ? samples_per_symbol : 1;
      for (Eigen::Index w = 0; w < codes.rows(); w += samples)
        turn.segment(w, samples).setConstant(std::polar(1.0, drift_rad + walk_rad * stream.normal()));
    }
    Eigen::VectorXd seed_noise = Eigen::VectorXd::Zero(codes.rows());
    if (acting.rin)
      for (double& of_word : seed_noise)
        of_word = noise.scale * relative_intensity_noise(hardware.receiver, hardware.laser) * stream.normal();
    Stream oscillator(seed.seed, Purpose::oscillator_phase, seed.chip, static_cast<std::uint32_t>(l),
                      128 * seed.channel + (at_servers ? 1 + seed.server : 0));
    const std::vector<double> late_s = lateness_s(
        hardware, seed, static_cast<std::size_t>(design.task.servers) + l, static_cast<int>(layer.outputs));
    Stream offsets(seed.seed, Purpose::receiver_offset, seed.chip, static_cast<std::uint32_t>(l),
                   128 * seed.channel + (at_servers ? 1 + seed.server : 0));
    const double dither_rad = noise.lock ? hardware.link.oscillator_dither_rad : 0.0;
    for (Eigen::Index j = 0; j < layer.outputs; ++j) {
      if (!layer.received()) {
        for (std::size_t w = 0; w < words; ++w) {
          Light light = {.parts = {}, .unit_sqrt_w = unit, .left_out = shift[j]};
          for (const auto& [by_s, fields] : out) light.parts[by_s] = fields(j, static_cast<Eigen::Index>(w));
          behind[w][l].push_back(light);
        }
        continue;
      }
      const double unit_t = at_servers ? unit_t_ratio(hardware, design.task.servers) : 1.0;
      const double dithered_rad = dither_rad * std::sin(2 * constants::pi * stream.uniform());
      const ReferenceReceiver receiver = {
          oscillator.normal() * hardware.link.sigma_oscillator_rad + dithered_rad, j % 2 == 0 ? 1 : -1,
          offsets.normal() * hardware.receiver.offset_a, turn};
      LightParts arriving;
      for (const auto& [by_s, fields] : out) arriving[by_s] = unit_t * fields.row(j).transpose();
      const Eigen::VectorXd i =
          reference_currents_a(arriving, receiver, hardware, acting, seed_noise, channel, stream);
      const double gain = 1.0 / (unit_t * unit * homodyne_current_per_field(hardware.receiver));
      const double bias = layer.bias[j] + shift[j];
      if (at_servers) {
        digits.row(digit++) = (gain * i.array() + bias).transpose();
        continue;
      }
      const ReceiverRelu neuron = {.receiver = hardware.receiver,  // here a field of 1 is a value of 1
                                   .threshold_a = -bias / gain,
                                   .gain_sqrt_w_per_a = gain,
                                   .largest_field_sqrt_w = neuron_ceiling(design, l, j, hardware.link, seed),
                                   .limiter_knee = hardware.link.limiter_knee};
      for (std::size_t w = 0; w < words; ++w) {
        const double z = neuron.field_of_current(i[static_cast<Eigen::Index>(w)]) + layer.offset;
        behind[w][l].push_back(
            {.parts = {},
             .unit_sqrt_w = std::sqrt(hardware.link.signal_full_scale_w) / layer.largest_output,
             .driven = true,
             .late_s = late_s[static_cast<std::size_t>(j)],
             .level = z / layer.largest_output});
      }
    }
  }
  return digits;
}

}  // namespace

Eigen::MatrixXd reference_transmit(const ChipDesign& design, const ReferenceChip& chip,
                                   const UnitHardware& hardware, const NoiseSwitches& noise, const Codes& codes,
                                   const TransmissionSeed& seed, Stream& stream, NoisyReceivers receivers) {
  Eigen::MatrixXd digits(design.task.output_digits(), codes.rows());
  if (hardware.timing.sampling != Sampling::unclocked) {
    digits = outputs_of(design, chip, hardware, noise, codes, seed, stream, receivers);
  } else {
    UnitHardware slow = hardware;
    slow.timing.sampling = Sampling::settled;
    Codes sampled(codes.rows() * samples_per_symbol, codes.cols());
    for (Eigen::Index n = 0; n < sampled.rows(); ++n) sampled.row(n) = codes.row(n / samples_per_symbol);
    const Eigen::MatrixXd settled = outputs_of(design, chip, slow, {}, codes, seed, stream, receivers),
                          silent = outputs_of(design, chip, hardware, {}, sampled, seed, stream, receivers),
                          all = outputs_of(design, chip, hardware, noise, sampled, seed, stream, receivers);
    for (Eigen::Index m = 0; m < digits.rows(); ++m) {
      const auto read = [&](const Eigen::MatrixXd& of, Eigen::Index k) {  // k samples after words begin
        Eigen::RowVectorXd at(codes.rows());
        for (Eigen::Index w = 0; w < codes.rows(); ++w) at[w] = of(m, (w * samples_per_symbol + k) % of.cols());
        return at;
      };
      Eigen::Index best = 0;
      for (Eigen::Index k = 1; k < 2 * samples_per_symbol; ++k)
        if ((read(silent, k) - settled.row(m)).squaredNorm() <
            (read(silent, best) - settled.row(m)).squaredNorm())
          best = k;
      digits.row(m) = read(all, best);
    }
  }
  if (noise.converter && receivers == NoisyReceivers::all)
    for (double& y : digits.reshaped())
      y = 1.5 + adc_quantise(hardware.converter,
                             y - 1.5 + noise.scale * adc_noise(hardware.converter) * stream.normal());
  return digits;
}

}  // namespace optinc
