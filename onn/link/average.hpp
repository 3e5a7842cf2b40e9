#pragma once

#include "onn/link/power_path.hpp"
#include "onn/link/transmission.hpp"
#include "onn/link/word_hops.hpp"

namespace optinc {

/// The unit's hardware as an owner's answers meet it: split for all servers, with the owner's own settings.
UnitHardware owner_hardware(const Task& task, const UnitHardware& unit);

/// The way from an owner to the servers: PAM4, split for all of them. Same fibres and trees.
WordLink owner_broadcast(const Task& task, const UnitHardware& hardware);

/// What server `seed.server` has of the answers that were decided of a unit's words: those, or, where sums have
/// an owner, what it receives when the owner sends them on. What is sent on has noise, offsets and levels of
/// its own (chip number + 2^31). Throws Error as transmit().
CodeVector passed_on(const LitUnit& unit, CodeVector decided, const TransmissionSeed& seed);

/// Words of a checked block: link.check_block where a unit sends sums; 0 where nothing is checked.
int checked_block(const Task& task, const UnitHardware& hardware);

/// The seed with which sums are received that server `seed.server` will have the answers of: its own, or an
/// owner's. An owner receives with the numbers of server 0; servers own different words in turn, with the same
/// statistics.
TransmissionSeed sums_seed(const LitUnit& unit, TransmissionSeed seed);

/// Codes that server `seed.server` has in the end: passed_on() of decide() of transmit() with sums_seed(), or
/// of checked_sums() where blocks are checked.
CodeVector average_codes(const LitUnit& unit, const Codes& codes, const TransmissionSeed& seed);

}  // namespace optinc
