#include "onn/link/oscillators.hpp"

#include <algorithm>
#include <cmath>

#include "onn/link/power_path.hpp"
#include "physics/devices/laser.hpp"
#include "physics/devices/phase_lock.hpp"

namespace optinc {
namespace {

/// received_path_m() where oscillators come that way, otherwise nothing.
std::vector<double> path_if(Oscillators way, const ChipDesign& design, const UnitHardware& hardware) {
  return hardware.link.oscillators == way ? received_path_m(design, hardware)
                                          : std::vector<double>(design.layers.size(), 0.0);
}

}  // namespace

std::vector<double> received_path_m(const ChipDesign& design, const UnitHardware& hardware) {
  const double guides_m = layer_waveguide(hardware).length_m;
  std::vector<double> meshes_m, received_m;
  for (const LayerDesign& layer : design.layers) {
    double before_m = 0.0;
    for (const LaneDesign& lane : layer.lanes)
      if (const auto source = static_cast<std::size_t>(lane.source);
          lane.source >= 0 && !design.layers[source].received())
        before_m = std::max(before_m, meshes_m[source]);
    meshes_m.push_back(before_m + layer.columns() * hardware.layout.mzi_length_m);
    received_m.push_back(layer.received() ? meshes_m.back() + guides_m : 0.0);
  }
  return received_m;
}

std::vector<double> oscillator_mismatch_m(const ChipDesign& design, const UnitHardware& hardware) {
  return path_if(Oscillators::direct, design, hardware);
}

std::vector<double> oscillator_guides_m(const ChipDesign& design, const UnitHardware& hardware) {
  return path_if(Oscillators::beside_signal, design, hardware);
}

std::vector<double> oscillator_guides_db(const ChipDesign& design, const UnitHardware& hardware) {
  std::vector<double> loss_db = oscillator_guides_m(design, hardware);
  Waveguide guide = hardware.routing;
  guide.bends = 0;
  for (double& of : loss_db) {
    guide.length_m = of;
    of = waveguide_loss_db(guide);
  }
  return loss_db;
}

std::vector<double> oscillator_walk_rad(const ChipDesign& design, const UnitHardware& hardware) {
  std::vector<double> rms_rad = oscillator_mismatch_m(design, hardware);
  Waveguide guide = hardware.routing;
  for (double& of : rms_rad) {
    guide.length_m = of;
    of = std::sqrt(self_heterodyne_phase_variance_rad2(hardware.laser.linewidth_hz,
                                                       waveguide_delay_s(guide, hardware.laser.wavelength_m)));
  }
  return rms_rad;
}

double oscillator_rms_rad(const ChipDesign& design, const UnitHardware& hardware) {
  const LinkSettings& link = hardware.link;
  const double walk_rad = std::ranges::max(oscillator_walk_rad(design, hardware));
  return std::hypot(link.sigma_oscillator_rad, link.oscillator_dither_rad / std::sqrt(2.0), walk_rad);
}

void turn_oscillators(ChipState& chip, const ChipDesign& design, const UnitHardware& hardware,
                      double rad_per_m) {
  const std::vector<double> mismatch_m = oscillator_mismatch_m(design, hardware);
  for (std::size_t l = 0; l < chip.layers.size(); ++l)
    chip.layers[l].oscillator_rad = rad_per_m * mismatch_m[l];
}

std::vector<double> oscillator_lag_rad_per_m(const DriftHistory& history,
                                             std::span<const std::size_t> calibrated,
                                             const UnitHardware& hardware) {
  std::vector<double> lag(calibrated.size(), 0.0);
  for (std::size_t k = 1; k < lag.size(); ++k)
    if (calibrated[k] != k)
      lag[k] =
          phase_lock_error_rad(lag[k - 1], path_phase_rad_per_m(history.between(k - 1, k), hardware),
                               history.time_s[k] - history.time_s[k - 1], hardware.link.oscillator_loop_hz);
  return lag;
}

double settled_lag_rad_per_m(const Environment& change, const UnitHardware& hardware) {
  return hardware.link.oscillator_loop_hz > 0 ? 0.0 : path_phase_rad_per_m(change, hardware);
}

}  // namespace optinc
