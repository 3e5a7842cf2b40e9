#include "onn/link/unit_p.hpp"

#include <cmath>

#include "onn/link/power_path.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/power_divider.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

CombinerWeights draw_combiners(const Task& task, const UnitHardware& hardware, std::uint64_t seed,
                               std::uint32_t chip) {
  const double sigma = hardware.link.sigma_combiner, excess_db = tree_excess_db(hardware, task.servers);
  const auto servers = static_cast<std::size_t>(task.servers);
  CombinerWeights lanes;
  for (int m = 0; m < task.input_digits(); ++m) {
    if (sigma == 0) {
      lanes.emplace_back(servers,
                         Complex(split_field_factor(task.servers) * field_ratio_of_loss_db(excess_db)));
      continue;
    }
    CombinerErrors errors;
    errors.loss_db = excess_db;
    errors.weight.resize(servers);
    Stream stream(seed, Purpose::combiner_weight, chip, static_cast<std::uint32_t>(m));
    for (double& e : errors.weight) e = sigma * stream.normal();
    lanes.push_back(combiner_weights(task.servers, errors));
  }
  return lanes;
}

double dark_digit(const LinkSettings& link) { return link.signed_levels ? pam4_full_scale_digit / 2 : 0.0; }

std::array<Complex, 4> server_fields_sqrt_w(const UnitHardware& hardware) {
  const LinkSettings& link = hardware.link;
  const auto drawn_together = levels_with_mismatch_ratio(1 - link.level_mismatch);
  std::array<Complex, 4> fields;
  for (std::size_t d = 0; d < fields.size(); ++d) {
    const double level =
        link.level_mismatch > 0 ? drawn_together[d] : amplitude_encoded(static_cast<double>(d)).of_full_scale;
    const double sent = link.signed_levels ? 2 * level - 1 : level;
    fields[d] = std::sqrt(link.launch_power_w) * mzm_field_of_level(hardware.modulator, sent);
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

}  // namespace optinc
