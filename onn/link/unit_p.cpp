#include "onn/link/unit_p.hpp"

#include <algorithm>
#include <cmath>

#include "onn/link/power_path.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/incoherent_sum.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/power_divider.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

/// Level that a server sends for each symbol, of full scale.
std::vector<double> sent_levels(const Task& task, const LinkSettings& link) {
  const auto four = levels_with_mismatch_ratio(1 - link.level_mismatch);
  std::vector<double> levels;
  for (int symbol = 0; symbol <= task.largest_symbol(); ++symbol) {
    const double digit = 3.0 * symbol / task.largest_symbol();
    const auto below = static_cast<std::size_t>(std::min(digit, 2.0));
    levels.push_back(link.level_mismatch == 0
                         ? amplitude_encoded(digit).of_full_scale
                         : std::lerp(four[below], four[below + 1], digit - static_cast<double>(below)));
  }
  return levels;
}

/// A server's modulator: its levels are set once, so that its sine does not matter.
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
  const auto dark = std::min<std::ptrdiff_t>(hardware.link.cut_servers, task.combined());
  for (int m = 0; m < task.input_digits(); ++m) {
    if (sigma == 0) {
      lanes.emplace_back(servers,
                         Complex(split_field_factor(task.combined()) * field_ratio_of_loss_db(excess_db)));
      std::fill_n(lanes.back().begin(), dark, Complex(0.0));
      continue;
    }
    CombinerErrors errors;
    errors.loss_db = excess_db;
    errors.weight.resize(servers);
    Stream stream(seed, Purpose::combiner_weight, chip, static_cast<std::uint32_t>(m));
    for (double& e : errors.weight) e = sigma * stream.normal();
    lanes.push_back(combiner_weights(task.combined(), errors));
    std::fill_n(lanes.back().begin(), dark, Complex(0.0));
  }
  return lanes;
}

double dark_digit(const LinkSettings& link) { return link.signed_levels ? pam4_full_scale_digit / 2 : 0.0; }

std::vector<Complex> server_fields_sqrt_w(const Task& task, const UnitHardware& hardware) {
  const LinkSettings& link = hardware.link;
  const MzmSettings modulator = sending(hardware.modulator);
  std::vector<Complex> fields;
  for (const double level : sent_levels(task, link)) {
    const double sent = link.drive_depth * (link.signed_levels ? 2 * level - 1 : level);
    fields.push_back(std::sqrt(link.launch_power_w) * mzm_field_of_level(modulator, sent));
  }
  return fields;
}

FieldBatch unit_p(const Task& task, const UnitHardware& hardware, const CombinerWeights& weights,
                  const Eigen::Ref<const Codes>& codes, std::span<const double> phase_rad) {
  const auto sent = server_fields_sqrt_w(task, hardware);
  std::vector<Complex> arrives(sent.size());
  FieldBatch lanes(task.input_digits(), codes.rows());
  for (Eigen::Index n = 0; n < codes.cols(); ++n) {
    const auto server = static_cast<std::size_t>(n);
    const Complex turn = std::polar(1.0, phase_rad[server]);
    for (int m = 0; m < task.input_digits(); ++m) {
      for (std::size_t d = 0; d < sent.size(); ++d)
        arrives[d] = weights[static_cast<std::size_t>(m)][server] * turn * sent[d];
      for (Eigen::Index w = 0; w < codes.rows(); ++w) {
        const Complex e = arrives[symbol_of(task, codes(w, n), m)];
        lanes.re(m, w) += e.real();
        lanes.im(m, w) += e.imag();
      }
    }
  }
  return lanes;
}

std::vector<double> server_powers_w(const Task& task, const UnitHardware& hardware) {
  std::vector<double> powers;
  for (const double level : sent_levels(task, hardware.link))
    powers.push_back(hardware.link.launch_power_w *
                     mzm_power_of_level(sending(hardware.modulator), IntensityLevel(level)));
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
  const auto sent = server_powers_w(task, hardware);
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
    for (Eigen::Index w = 0; w < codes.rows(); ++w) {
      double total_w = 0.0, intensity_a = 0.0;
      for (Eigen::Index n = 0; n < servers; ++n) {
        const auto server = static_cast<std::size_t>(n);
        powers_w[server] = static_cast<double>(servers) *
                           std::norm(weights[static_cast<std::size_t>(m)][server]) *
                           sent[symbol_of(task, codes(w, n), static_cast<int>(m))];
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
