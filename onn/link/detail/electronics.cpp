#include "onn/link/detail/electronics.hpp"

#include <algorithm>

#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr std::uint32_t streams_of_channel =
    128;  // its neurons' and its servers', as those of a block of words

}  // namespace

std::vector<Eigen::VectorXd> fabricated_ceilings(const ChipDesign& design, const LinkSettings& link,
                                                 const TransmissionSeed& seed) {
  std::vector<Eigen::VectorXd> ceilings;
  if (!has_real_limiters(link)) return ceilings;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    Stream fabrication(seed.seed, Purpose::limiter_spread, seed.chip, static_cast<std::uint32_t>(l),
                       seed.channel);
    const double nominal = std::min(layer.ceiling, layer.largest_output - layer.offset);
    Eigen::VectorXd& own = ceilings.emplace_back(layer.outputs);
    for (double& ceiling : own) ceiling = nominal * (1 + link.sigma_limiter * fabrication.normal());
  }
  return ceilings;
}

std::vector<Eigen::VectorXd> oscillator_phases(const ChipDesign& design, const LinkSettings& link,
                                               const TransmissionSeed& seed) {
  std::vector<Eigen::VectorXd> phases;
  if (link.sigma_oscillator_rad == 0) return phases;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    Stream control(
        seed.seed, Purpose::oscillator_phase, seed.chip, static_cast<std::uint32_t>(l),
        seed.channel * streams_of_channel + (layer.ending == LayerEnd::servers ? 1 + seed.server : 0));
    Eigen::VectorXd& own = phases.emplace_back(layer.outputs);
    for (double& phase : own) phase = link.sigma_oscillator_rad * control.normal();
  }
  return phases;
}

}  // namespace optinc
