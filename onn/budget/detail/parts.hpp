#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "onn/budget/chip_budget.hpp"
#include "onn/budget/settings.hpp"
#include "onn/chip/chip.hpp"
#include "onn/hardware/operating_values.hpp"
#include "onn/hardware/unit_hardware.hpp"
#include "onn/link/average.hpp"
#include "onn/link/oscillators.hpp"
#include "onn/link/power_path.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/power_divider.hpp"

// What the budget of a chip is put together from: its stages, a table each of loss, power, delay and area, and
// the light's path through them.

namespace optinc::budgeting {

inline constexpr std::size_t servers_stage = 0, unit_p_stage = 1, first_layer_stage = 2;

/// dB of a ratio of fields, not of powers.
inline double loss_db_of_field(double field_ratio) { return loss_db_of_power_ratio(field_ratio * field_ratio); }

/// Everything the tables are made of.
struct Inputs {
  const ChipDesign& design;
  const ChipProgram& program;
  const ErrorModel& model;
  const UnitHardware& hardware;
  const BudgetSettings& settings;

  /// Layers of the network.
  std::size_t layers() const { return design.layers.size(); }
  /// Number of unit T's stage.
  std::size_t unit_t_stage() const { return first_layer_stage + layers(); }
  /// Excess loss of a tree of 1:2 splitters that reaches so many ends, dB.
  double excess_db(std::int64_t ends) const { return tree_excess_db(hardware, ends); }
  /// Loss of a fibre coupler, dB.
  double coupler_db() const { return fibre_coupler_loss_db(hardware.coupler, hardware.laser.wavelength_m); }
  /// Loss of a modulator at full drive, dB.
  double modulator_db() const { return hardware.modulator.insertion_loss_db; }
  /// Whether unit P adds fields. Otherwise receivers and modulators stand in it.
  bool coherent() const { return hardware.link.averaging == Averaging::coherent; }
  /// Loss of a lane of unit P that is read so many times, by its splitting, dB.
  double splitting_db(int copies) const {
    return loss_db_of_field(split_field_factor(sharing_reads(hardware, copies)));
  }
  /// The same by the splitters' excess, dB.
  double splitters_db(int copies) const { return excess_db(sharing_reads(hardware, copies)); }
  /// Whether electronics add: the budget is of a link that words take hop by hop.
  bool hops() const { return design.task.adder != Adder::light; }
  /// Servers that what the unit sends is split for.
  int ends() const { return answer_ends(design.task, hardware); }
  /// Whether sums have an owner, who sends the answers on: a stage behind unit T.
  bool owned() const { return has_owner(design.task, hardware); }
  /// Whether the unit itself decides them: receivers of unit T and an owner's modulators stand on its chip.
  bool decides() const { return decides_sums(design.task, hardware); }
  /// The unit's hardware as its answers meet it.
  UnitHardware owner() const { return owner_hardware(design.task, hardware); }
  /// Servers that it sends the answers to.
  int owners_ends() const { return owner().link.destinations; }
  /// Number of its stage.
  std::size_t owner_stage() const { return unit_t_stage() + 1; }
  /// What the seed feeds: every server that sends or receives (its oscillators alone where it has a laser of
  /// its own), and the chip.
  int fed() const { return std::max(design.task.combined(), ends()) + 1; }
};

/// What stands in every stage: servers, unit P, layers, unit T.
std::vector<BudgetStage> stages_of(const Inputs& in);

/// Loss of every stage (dB), each part from the device it belongs to.
BudgetTable losses(const Inputs& in, std::size_t stages);

/// Light that every stage's lasers must emit (W): to modulators and local oscillators through what lies before
/// both.
std::vector<double> laser_optical_w(const Inputs& in, const std::vector<BudgetStage>& stages);
/// The same at other settings. Real: double, or a number with derivatives.
template <class Real>
std::vector<Real> laser_optical_w(const Inputs& in, const std::vector<BudgetStage>& stages,
                                  const OperatingValues<Real>& values);

/// Electrical power that grows with the symbol rate, W: of every stage, and of the electronics that add.
template <class Real>
struct SymbolWatts {
  std::vector<Real> drivers, converters, clocks, serialisers;
  Real additions{}, dacs{};
};
template <class Real>
SymbolWatts<Real> symbol_watts(const Inputs& in, const std::vector<BudgetStage>& stages,
                               const OperatingValues<Real>& values);

/// Electrical power of every stage that does not depend on the symbol rate (W).
BudgetTable static_watts(const Inputs& in, const std::vector<BudgetStage>& stages,
                         const std::vector<double>& optical_w);

/// Electrical power of every stage that grows with the symbol rate, at time.symbol_rate_bd (W).
BudgetTable symbol_watts(const Inputs& in, const std::vector<BudgetStage>& stages);

/// Time that light takes through every stage (s), its receivers and modulators included.
BudgetTable delays(const Inputs& in, const std::vector<BudgetStage>& stages);

/// Area of every stage on the die (m^2): boxes of MZIs, delay lines, modulators and receivers.
BudgetTable areas(const Inputs& in, const std::vector<BudgetStage>& stages);

/// What heaters of one kind would take.
HeaterBudget heater_budget(const Inputs& in, const std::vector<BudgetStage>& stages,
                           const HeaterSettings& heater);

/// When light enters every layer, and how much of it waits where.
void wait(const Inputs& in, const Schedule& s, ChipBudget& b);

/// Signal, noise and gain at every receiver; power on the receivers behind every layer, W, 0 where none stand.
std::vector<double> receive(const Inputs& in, ChipBudget& b);

/// What every answer passed; of the tables only the path of the last one is kept.
void follow(const Inputs& in, const Schedule& s, std::span<const double> received_w, ChipBudget& b);

}  // namespace optinc::budgeting
