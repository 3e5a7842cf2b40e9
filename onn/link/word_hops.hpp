#pragma once

#include <functional>

#include "onn/link/noise.hpp"
#include "onn/task/codes.hpp"

namespace optinc {

/// A link that sends codes as PAM4 digits, over devices as a unit's: a modulator, a fibre and a receiver for
/// every digit; the chip between them passes light on without a mesh.
struct WordLink {
  ChipDesign design;
  ChipState chip;
  UnitHardware hardware;

  /// Sends `digits` digits to hardware.link.destinations receivers (0: one).
  WordLink(int digits, const UnitHardware& hardware);

  /// The link as words are sent through it, with the noise and in the arithmetic of a unit.
  LitUnit lit(const LitUnit& of) const { return {design, chip, hardware, of.noise, of.arithmetic}; }
};

/// How words travel where electronics add them (Task::adder).
struct HopPlan {
  int links = 1;  ///< at work at the same time: one a server round a ring; two a server to and from a hub
  int hops = 1;   ///< that a word takes one after the other: 2 (N - 1) round a ring, 2 by a hub
  /// Symbols that a word takes of every lane of every link. Round a ring N - 1 hops pass on the sum of 1, 2 ..
  /// N - 1 codes, whose digits grow by ceil(log4 n), and N - 1 hops the answer: over N links of M lanes.
  double slots = 1.0;
};

/// The plan of a task; one link, hop and symbol where light adds.
HopPlan hop_plan(const Task& task);

/// How words are sent over a link: transmit().
using SendWords = std::function<Eigen::MatrixXd(const LitUnit&, const Codes&, const TransmissionSeed&)>;

/// transmit() where electronics add: levels of the answer's digits as server seed.server receives them on the
/// last hop, (digits, words). Every hop decides what it receives, and wrong digits are added, rounded and
/// passed on as if they were right. Words have servers as owners in turn (word number mod N): round a ring, an
/// owner has its own words' answers without a hop. Every hop has draws of its own (chip numbers 2^24 apart).
/// Throws Error as transmit(), and for link.averaging = incoherent.
Eigen::MatrixXd transmit_by_hops(const LitUnit& unit, const Codes& codes, const TransmissionSeed& seed,
                                 const SendWords& over_link);

}  // namespace optinc
