#pragma once

#include "onn/network/network.hpp"

namespace optinc {

/// A unit without a network: what unit P adds goes on to the servers as it is, lane by lane, and they decide
/// the 3N + 1 sums of every digit and compute with integers (Outputs::sums). One layer of one output a lane, of
/// no MZI. A digit sum of one server is a PAM4 link. Throws Error as validate_task.
Network digit_sums(Task task);

/// The same with one lane on which every server sends its whole code as one of 4^M levels (Outputs::analogue).
/// Nothing is decided: answers are the sum of the codes as the receiver's noise and converter leave it.
Network analogue_sum(Task task);

/// A unit in which electronics add (Task::adder): the same bare lanes, each a PAM4 link that words take hop by
/// hop (word_hops.hpp). Its outputs are the answer's digits. Throws Error as validate_task, and for light.
Network word_hops(Task task, Adder adder);

}  // namespace optinc
