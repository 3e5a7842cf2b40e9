#include "onn/link/average.hpp"

#include "onn/link/checked_sums.hpp"

namespace optinc {

UnitHardware owner_hardware(const Task& task, const UnitHardware& unit) {
  static const double whole_range = UnitHardware().converter.full_scale;
  UnitHardware own = unit;
  own.link.destinations = task.level == CascadeLevel::second ? task.servers * task.servers : task.servers;
  own.converter.full_scale = whole_range;            // over digits -0.5..3.5
  own.link.cut_servers = own.link.late_servers = 0;  // of who sends to the owner
  if (unit.owner.launch_power_w > 0) own.link.launch_power_w = unit.owner.launch_power_w;
  if (unit.owner.oscillator_w > 0) own.receiver.lo_power_w = unit.owner.oscillator_w;
  if (unit.owner.converter_bits > 0) own.converter.effective_bits = unit.owner.converter_bits;
  if (unit.owner.drive_depth > 0) own.link.drive_depth = unit.owner.drive_depth;
  if (unit.owner.bandwidth_hz > 0) own.receiver.front_end.bandwidth_hz = unit.owner.bandwidth_hz;
  if (unit.owner.equaliser_taps > 0) own.timing.equaliser_taps = unit.owner.equaliser_taps;
  return own;
}

WordLink owner_broadcast(const Task& task, const UnitHardware& unit) {
  return {task.answer_digits(), owner_hardware(task, unit)};
}

CodeVector passed_on(const LitUnit& unit, CodeVector decided, const TransmissionSeed& seed) {
  const Task& task = unit.design.task;
  if (!has_owner(task, unit.hardware)) return decided;
  TransmissionSeed sent_on = seed;
  sent_on.chip += std::uint32_t{1} << 31;
  const WordLink broadcast = owner_broadcast(task, unit.hardware);
  return decide_digits(transmit(broadcast.lit(unit), Codes(decided), sent_on));
}

int checked_block(const Task& task, const UnitHardware& hardware) {
  return task.outputs == Outputs::sums ? hardware.link.check_block : 0;
}

TransmissionSeed sums_seed(const LitUnit& unit, TransmissionSeed seed) {
  if (has_owner(unit.design.task, unit.hardware)) seed.server = 0;
  return seed;
}

CodeVector average_codes(const LitUnit& unit, const Codes& codes, const TransmissionSeed& seed) {
  const int block = checked_block(unit.design.task, unit.hardware);
  const Eigen::MatrixXd levels = block > 0 ? checked_sums(unit, codes, block, sums_seed(unit, seed)).levels
                                           : transmit(unit, codes, sums_seed(unit, seed));
  return passed_on(unit, decide(unit.design.task, levels, seed.instant), seed);
}

}  // namespace optinc
