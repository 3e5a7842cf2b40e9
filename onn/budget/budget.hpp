#pragma once

#include "onn/budget/chip_budget.hpp"
#include "onn/budget/settings.hpp"
#include "onn/chip/chip.hpp"
#include "onn/hardware/unit_hardware.hpp"

namespace optinc {

/// Budget of a programmed chip. Every number comes from the object that simulates it: fan-out and fan-in from
/// LayerDesign, MZI loss from the error model as nominal_layer_factor counts it, phases from the program, areas
/// from the floor plan, delays from waveguide and low-pass. The mean loss of MZIs is counted; one chip's draw
/// is not. Splitter excess, waveguides, fibres and couplers are those of passive_losses(), as transmit() has
/// them; launch_power_w stands at unit P's input. Light that is there before it is needed waits (schedule(),
/// link.skew), and its delay line dims its layer. Throws Error where a setting is out of range or the program
/// is not the design's.
ChipBudget budget(const ChipDesign& design, const ChipProgram& program, const ErrorModel& model,
                  const UnitHardware& hardware, const BudgetSettings& settings = {});

/// The same with the phases of a chip whose splitters are perfect, on the model's DAC grid.
ChipBudget budget(const ChipDesign& design, const ErrorModel& model, const UnitHardware& hardware,
                  const BudgetSettings& settings = {});

}  // namespace optinc
