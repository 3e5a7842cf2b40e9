#pragma once

#include "onn/budget/chip_budget.hpp"
#include "onn/budget/settings.hpp"
#include "onn/chip/chip.hpp"
#include "onn/hardware/operating_values.hpp"
#include "physics/devices/modulator.hpp"

namespace optinc {

/// Swing of the servers' drives at a depth, V, from the lowest level to the highest: mzm_level_drive_v(). Real:
/// double, or OperatingTangent.
template <class Real>
Real servers_swing_v(const UnitHardware& u, const Real& depth) {
  const Real least = u.link.signed_levels ? -depth : Real(0.0);
  return mzm_level_drive_v<Real>(u.modulator, depth) - mzm_level_drive_v<Real>(u.modulator, least);
}

/// Electrical power of a unit, and its energy per bit, at any setting of its operator: those of budget(), with
/// derivatives where it is asked for them.
class OperatingPower {
 public:
  /// Of a design, which must outlive this; throws Error as budget().
  OperatingPower(const ChipDesign& design, const ErrorModel& model, const UnitHardware& hardware,
                 const BudgetSettings& settings);

  /// All watts. Real: double, or OperatingTangent.
  template <class Real>
  Real watts(const OperatingValues<Real>& values) const;
  /// Watts over the bits that the servers send in a second, J.
  template <class Real>
  Real energy_per_bit_j(const OperatingValues<Real>& values) const {
    return watts(values) / (bits_per_word_ * values.symbol_rate_bd);
  }
  /// Optical watts of all lasers.
  template <class Real>
  Real light_w(const OperatingValues<Real>& values) const;

 private:
  const ChipDesign& design_;
  ErrorModel model_;
  UnitHardware hardware_;
  BudgetSettings settings_;
  ChipProgram program_;
  std::vector<BudgetStage> stages_;  ///< of one link, where electronics add
  int links_ = 1;
  double constant_w_ = 0.0;  ///< heaters, receivers and control, of all links
  double bits_per_word_ = 0.0;
};

}  // namespace optinc
