#include "onn/link/unit_p.hpp"

#include <cmath>

#include "onn/link/power_path.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/incoherent_sum.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/power_divider.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// Level that a server sends for each of the digits 0..3, of full scale.
std::array<double, 4> sent_levels(const LinkSettings& link) {
  if (link.level_mismatch > 0) return levels_with_mismatch_ratio(1 - link.level_mismatch);
  std::array<double, 4> levels;
  for (std::size_t d = 0; d < levels.size(); ++d)
    levels[d] = amplitude_encoded(static_cast<double>(d)).of_full_scale;
  return levels;
}

/// A server's modulator: its four levels are set once, so that its sine does not matter.
MzmSettings sending(MzmSettings modulator) {
  modulator.linearised = true;
  return modulator;
}

}  // namespace

CombinerWeights draw_combiners(const Task& task, const UnitHardware& hardware, std::uint64_t seed,
                               std::uint32_t chip) {
  const double sigma = hardware.link.sigma_combiner, excess_db = tree_excess_db(hardware, task.combined());
  const auto servers = static_cast<std::size_t>(task.combined());
  CombinerWeights lanes;
  for (int m = 0; m < task.input_digits(); ++m) {
    if (sigma == 0) {
      lanes.emplace_back(servers,
                         Complex(split_field_factor(task.combined()) * field_ratio_of_loss_db(excess_db)));
      continue;
    }
    CombinerErrors errors;
    errors.loss_db = excess_db;
    errors.weight.resize(servers);
    Stream stream(seed, Purpose::combiner_weight, chip, static_cast<std::uint32_t>(m));
    for (double& e : errors.weight) e = sigma * stream.normal();
    lanes.push_back(combiner_weights(task.combined(), errors));
  }
  return lanes;
}

double dark_digit(const LinkSettings& link) { return link.signed_levels ? pam4_full_scale_digit / 2 : 0.0; }

std::array<Complex, 4> server_fields_sqrt_w(const UnitHardware& hardware) {
  const LinkSettings& link = hardware.link;
  const std::array<double, 4> levels = sent_levels(link);
  const MzmSettings modulator = sending(hardware.modulator);
  std::array<Complex, 4> fields;
  for (std::size_t d = 0; d < fields.size(); ++d) {
    const double sent = link.drive_depth * (link.signed_levels ? 2 * levels[d] - 1 : levels[d]);
    fields[d] = std::sqrt(link.launch_power_w) * mzm_field_of_level(modulator, sent);
  }
  return fields;
}

FieldBatch unit_p(const Task& task, const UnitHardware& hardware, const CombinerWeights& weights,
                  const Eigen::Ref<const Codes>& codes, std::span<const double> phase_rad) {
  const auto sent = server_fields_sqrt_w(hardware);
  FieldBatch lanes(task.input_digits(), codes.rows());
  for (Eigen::Index n = 0; n < codes.cols(); ++n) {
    const auto server = static_cast<std::size_t>(n);
    const Complex turn = std::polar(1.0, phase_rad[server]);
    for (int m = 0; m < task.input_digits(); ++m) {
      const int shift = 2 * (task.input_digits() - 1 - m);
      std::array<Complex, 4> arrives;
      for (std::size_t d = 0; d < sent.size(); ++d)
        arrives[d] = weights[static_cast<std::size_t>(m)][server] * turn * sent[d];
      for (Eigen::Index w = 0; w < codes.rows(); ++w) {
        const Complex e = arrives[(codes(w, n) >> shift) & 3u];
        lanes.re(m, w) += e.real();
        lanes.im(m, w) += e.imag();
      }
    }
  }
  return lanes;
}

std::array<double, 4> server_powers_w(const UnitHardware& hardware) {
  const std::array<double, 4> levels = sent_levels(hardware.link);
  std::array<double, 4> powers;
  for (std::size_t d = 0; d < powers.size(); ++d)
    powers[d] = hardware.link.launch_power_w *
                mzm_power_of_level(sending(hardware.modulator), IntensityLevel(levels[d]));
  return powers;
}

double averaged_full_scale_w(const Task& task, const UnitHardware& hardware) {
  return task.combined() * hardware.link.launch_power_w *
         power_ratio_of_loss_db(tree_excess_db(hardware, task.combined()));
}

FieldBatch incoherent_unit_p(const Task& task, const UnitHardware& hardware, const NoiseSwitches& noise,
                             const CombinerWeights& weights, const Eigen::Ref<const Codes>& codes,
                             Stream& stream) {
  const ReceiverSettings& receiver = hardware.receiver;
  const IncoherentSum stage = {receiver.photodiode, averaged_full_scale_w(task, hardware),
                               hardware.link.signal_full_scale_w};
  const double bandwidth_hz = noise_bandwidth_hz(receiver.front_end);
  const double tia_a = noise.tia ? input_noise_a(receiver.front_end) : 0.0;
  const double rin = noise.rin ? relative_intensity_noise(receiver, hardware.laser) : 0.0;
  const auto sent = server_powers_w(hardware);
  const Eigen::Index servers = codes.cols(), digits = task.input_digits();
  Eigen::MatrixXd drawn;  // a word's stand together: the servers' lasers', then the lanes'
  if (noise.any_receiver_noise()) {
    drawn.resize(servers + digits, codes.rows());
    stream.normals(std::span(drawn.data(), static_cast<std::size_t>(drawn.size())));
    drawn *= noise.scale;
  }
  FieldBatch lanes(digits, codes.rows());
  std::vector<double> powers_w(static_cast<std::size_t>(servers));
  for (Eigen::Index m = 0; m < digits; ++m) {
    const auto shift = static_cast<std::uint32_t>(2 * (digits - 1 - m));
    for (Eigen::Index w = 0; w < codes.rows(); ++w) {
      double total_w = 0.0, intensity_a = 0.0;
      for (Eigen::Index n = 0; n < servers; ++n) {
        const auto server = static_cast<std::size_t>(n);
        powers_w[server] = static_cast<double>(servers) *
                           std::norm(weights[static_cast<std::size_t>(m)][server]) *
                           sent[(codes(w, n) >> shift) & 3u];
        total_w += powers_w[server];
        if (rin > 0)
          intensity_a += receiver.photodiode.responsivity_a_per_w * powers_w[server] * rin * drawn(n, w);
      }
      double current_a = incoherent_current_a(stage, powers_w);
      if (noise.any_receiver_noise()) {
        const double shot_a2 = noise.shot ? shot_variance_a2(receiver.photodiode, total_w, bandwidth_hz) : 0.0;
        current_a += intensity_a + std::sqrt(shot_a2 + tia_a * tia_a) * drawn(servers + m, w);
      }
      lanes.re(m, w) = remodulated_field_of_current_sqrt_w(stage, current_a);
    }
  }
  return lanes;
}

}  // namespace optinc
