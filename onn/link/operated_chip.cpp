#include "onn/link/operated_chip.hpp"

#include "onn/chip/crosstalk.hpp"
#include "onn/chip/environment.hpp"
#include "onn/link/oscillators.hpp"
#include "physics/core/units.hpp"

namespace optinc {
namespace {

/// Brightens the servers' light by so many dB, wherever a layer reads it. Averages of powers follow the power.
void brighten_servers(ChipState& state, const ChipDesign& design, Averaging averaging, double by_db) {
  const double field = field_ratio_of_loss_db(-by_db),
               passed = averaging == Averaging::coherent ? field : field * field;
  for (std::size_t l = 0; l < design.layers.size(); ++l)
    for (std::size_t i = 0; i < design.layers[l].lanes.size(); ++i)
      if (design.layers[l].lanes[i].source < 0)
        state.layers[l].transfer.col(static_cast<Eigen::Index>(i)) *= passed;
}

}  // namespace

OperatedChip operate_chip(const ChipDesign& design, const Operation& operation, const CalibratedChip& chip,
                          std::uint32_t number, Programming programming) {
  const auto& [model, calibration, crosstalk, sensitivity, hardware, seed, environment] = operation;
  OperatedChip operated;
  operated.design = chip.losses.empty()
                        ? std::shared_ptr<const ChipDesign>(std::shared_ptr<const ChipDesign>(), &design)
                        : std::make_shared<const ChipDesign>(with_known_losses(design, chip.losses));
  operated.program = program_calibrated(*operated.design, chip, model, programming, calibration,
                                        oscillator_rms_rad(design, hardware));
  operated.heaters = calibration.policy == CalibrationPolicy::none ? operated.program
                     : chip.static_phases.layers.empty()           ? trimmed(operated.program, seed, number)
                                                         : trimmed(operated.program, chip.static_phases);
  operated.errors = chip.errors;
  operated.heater_power = chip.heater_power;
  if (crosstalk.x0 > 0)
    add_crosstalk(design, chip_crosstalk(design, crosstalk, hardware), operated.heaters, operated.errors);
  if (environment != Environment{})
    operated.errors = errors_in(environment, operated.errors, operated.heaters,
                                draw_imbalance(design, sensitivity, seed, number), sensitivity, hardware);
  return operated;
}

ChipState settle_operated(const ChipDesign& design, const OperatedChip& at, const ChipErrors& now,
                          const LightSince& light, const ErrorModel& model, const UnitHardware& hardware) {
  ChipState state = settle_chip(*at.design, at.program, now, model);
  turn_oscillators(state, design, hardware, light.oscillator_rad_per_m);
  if (light.servers_db != 0) brighten_servers(state, design, hardware.link.averaging, light.servers_db);
  return state;
}

}  // namespace optinc
