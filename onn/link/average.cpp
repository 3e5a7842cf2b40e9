#include "onn/link/average.hpp"

#include "onn/link/power_path.hpp"
#include "onn/network/digit_sums.hpp"

namespace optinc {

bool has_owner(const Task& task, const UnitHardware& hardware) {
  return task.outputs == Outputs::sums && answer_ends(task, hardware) < task.servers;
}

UnitHardware owner_hardware(const Task& task, const UnitHardware& unit) {
  UnitHardware own = unit;
  own.link.destinations = task.servers;
  if (unit.owner.launch_power_w > 0) own.link.launch_power_w = unit.owner.launch_power_w;
  if (unit.owner.oscillator_w > 0) own.receiver.lo_power_w = unit.owner.oscillator_w;
  if (unit.owner.converter_bits > 0) own.converter.effective_bits = unit.owner.converter_bits;
  return own;
}

OwnerBroadcast::OwnerBroadcast(const Task& task, const UnitHardware& unit)
    : design(design_chip(digit_sums({.servers = 1, .digits = task.digits}))),
      hardware(owner_hardware(task, unit)) {
  const ErrorModel perfect = error_preset("ideal");  // there is no mesh to be imperfect
  chip = programmed_chip(design, fabricate(design, perfect, 1, 0), perfect, Programming::uncorrected);
}

CodeVector passed_on(const LitUnit& unit, CodeVector decided, const TransmissionSeed& seed) {
  const Task& task = unit.design.task;
  if (!has_owner(task, unit.hardware)) return decided;
  TransmissionSeed sent_on = seed;
  sent_on.chip += std::uint32_t{1} << 31;
  const OwnerBroadcast broadcast(task, unit.hardware);
  return decide(broadcast.design.task,
                transmit({broadcast.design, broadcast.chip, broadcast.hardware, unit.noise, unit.arithmetic},
                         Codes(decided), sent_on));
}

CodeVector average_codes(const LitUnit& unit, const Codes& codes, TransmissionSeed seed) {
  const TransmissionSeed to = seed;
  if (has_owner(unit.design.task, unit.hardware)) seed.server = 0;
  return passed_on(unit, decide(unit.design.task, transmit(unit, codes, seed)), to);
}

}  // namespace optinc
