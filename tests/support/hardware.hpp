#pragma once

#include "onn/hardware/unit_hardware.hpp"

/// A unit whose light loses nothing but by splitting it evenly and in meshes, for figures worked out by hand.
inline optinc::UnitHardware without_losses() {
  optinc::UnitHardware hardware;
  hardware.splitter.stage_excess_loss_db = 0.0;
  hardware.routing.loss_db_per_cm = 0.0;
  hardware.coupler.loss_db = 0.0;
  hardware.fibre = {};
  return hardware;
}
