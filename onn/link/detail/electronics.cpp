#include "onn/link/detail/electronics.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/units.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

// of a channel: one for its neurons, and one for each of up to 127 servers
constexpr std::uint32_t streams_of_channel = 128;

}  // namespace

std::vector<Eigen::VectorXd> fabricated_ceilings(const ChipDesign& design, const LinkSettings& link,
                                                 const TransmissionSeed& seed) {
  std::vector<Eigen::VectorXd> ceilings(design.layers.size());
  if (!has_real_limiters(link)) return ceilings;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    Stream fabrication(seed.seed, Purpose::limiter_spread, seed.chip, static_cast<std::uint32_t>(l),
                       seed.channel);
    const double nominal = std::min(layer.ceiling, layer.largest_output - layer.offset);
    ceilings[l].resize(layer.outputs);
    for (double& ceiling : ceilings[l]) ceiling = nominal * (1 + link.sigma_limiter * fabrication.normal());
  }
  return ceilings;
}

std::vector<Eigen::VectorXd> receiver_offsets_a(const ChipDesign& design, const ReceiverSettings& receiver,
                                                const TransmissionSeed& seed) {
  std::vector<Eigen::VectorXd> offsets_a(design.layers.size());
  if (receiver.offset_a == 0) return offsets_a;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const bool last = design.layers[l].ending == LayerEnd::servers;
    Stream fabrication(seed.seed, Purpose::receiver_offset, seed.chip, static_cast<std::uint32_t>(l),
                       seed.channel * streams_of_channel + (last ? 1 + seed.server : 0));
    offsets_a[l].resize(design.layers[l].outputs);
    for (double& offset_a : offsets_a[l]) offset_a = receiver.offset_a * fabrication.normal();
  }
  return offsets_a;
}

std::vector<Eigen::VectorXd> oscillator_phases(const ChipDesign& design, const LinkSettings& link,
                                               const NoiseSwitches& noise, const TransmissionSeed& seed) {
  std::vector<Eigen::VectorXd> phases(design.layers.size());
  const double dither_rad = noise.lock ? link.oscillator_dither_rad : 0.0;
  if (link.sigma_oscillator_rad == 0 && dither_rad == 0) return phases;
  const std::uint32_t of_neurons = seed.channel * streams_of_channel, of_server = of_neurons + 1 + seed.server;
  Stream neurons(seed.seed, Purpose::oscillator_dither, seed.chip, of_neurons, seed.instant);
  Stream server(seed.seed, Purpose::oscillator_dither, seed.chip, of_server, seed.instant);
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const LayerDesign& layer = design.layers[l];
    const bool last = layer.ending == LayerEnd::servers;
    Stream control(seed.seed, Purpose::oscillator_phase, seed.chip, static_cast<std::uint32_t>(l),
                   last ? of_server : of_neurons);
    phases[l].resize(layer.outputs);
    for (double& phase : phases[l]) phase = link.sigma_oscillator_rad * control.normal();
    if (dither_rad > 0)
      for (double& phase : phases[l])
        phase += dither_rad * std::sin(2 * constants::pi * (last ? server : neurons).uniform());
  }
  return phases;
}

}  // namespace optinc
