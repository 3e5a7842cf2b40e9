#include "onn/budget/operating_power.hpp"

#include "onn/budget/budget.hpp"
#include "onn/budget/detail/parts.hpp"
#include "physics/devices/laser.hpp"

namespace optinc {

using namespace budgeting;

OperatingPower::OperatingPower(const ChipDesign& design, const ErrorModel& model, const UnitHardware& hardware,
                               const BudgetSettings& settings)
    : design_(design),
      model_(model),
      hardware_(hardware),
      settings_(settings),
      program_(program(design, fabricate(design, error_preset("ideal"), 1, 0), model.dac_bits,
                       Programming::uncorrected, dac_mode(model))),
      stages_(stages_of({design, program_, model, hardware, settings})),
      links_(hop_plan(design.task).links) {
  const ChipBudget whole = budget(design, program_, model, hardware, settings);
  for (const BudgetPart& part : whole.static_power_w.parts)
    if (part.name != "lasers") constant_w_ += part.total();
  bits_per_word_ = whole.bits_per_word;
}

template <class Real>
Real OperatingPower::light_w(const OperatingValues<Real>& values) const {
  const Inputs in = {design_, program_, model_, hardware_, settings_};
  Real light = 0.0;
  for (const Real& of_stage : laser_optical_w(in, stages_, values)) light += of_stage;
  return light;
}

template <class Real>
Real OperatingPower::watts(const OperatingValues<Real>& values) const {
  const Inputs in = {design_, program_, model_, hardware_, settings_};
  const SymbolWatts<Real> symbols = symbol_watts(in, stages_, values);
  Real link_w = light_supply_w(hardware_.laser, light_w(values)) + symbols.additions + symbols.dacs;
  for (const auto* part : {&symbols.drivers, &symbols.converters, &symbols.clocks, &symbols.serialisers})
    for (const Real& of_stage : *part) link_w += of_stage;
  return static_cast<double>(links_) * link_w + constant_w_;
}

#define OPTINC_INSTANTIATE(Real)                                             \
  template Real OperatingPower::light_w(const OperatingValues<Real>&) const; \
  template Real OperatingPower::watts(const OperatingValues<Real>&) const;
OPTINC_INSTANTIATE(double)
OPTINC_INSTANTIATE(OperatingTangent)
#undef OPTINC_INSTANTIATE

}  // namespace optinc
