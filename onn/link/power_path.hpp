#pragma once

#include <vector>

#include "onn/chip/chip_design.hpp"
#include "onn/hardware/unit_hardware.hpp"
#include "onn/link/schedule.hpp"

// What light loses and how long it takes beside the meshes: one power path, which transmission and budget
// share.

namespace optinc {

/// Excess loss of a tree of 1:2 splitters that reaches so many ends, dB: log2 of the next power of two stages.
double tree_excess_db(const UnitHardware& hardware, std::int64_t ends);

/// Servers that what the unit sends is split for: link.destinations, or all of the task's.
int answer_ends(const Task& task, const UnitHardware& hardware);

/// The unit's hardware as the receivers behind a layer are built: neurons', or servers'.
UnitHardware layer_hardware(const LayerDesign& layer, const UnitHardware& hardware);

/// Whether the sums of a unit go to an owner alone (link.destinations < servers), who computes the answer and
/// sends it to all servers.
bool has_owner(const Task& task, const UnitHardware& hardware);

/// Whether the unit itself decides its sums (owner.place), those of a first level too: they reach their
/// receivers without a coupler and a fibre.
bool decides_sums(const Task& task, const UnitHardware& hardware);

/// Waveguide of a layer beside its MZIs: to and from the meshes, and the arms of the output screen.
Waveguide layer_waveguide(const UnitHardware& hardware);

/// Delay line of so long a wait: L = c t / n_g.
Waveguide delay_line(const UnitHardware& hardware, double wait_s);

/// Delay of a receiver (Bessel-Thomson) and of a modulator (one pole), s.
double receiver_delay_s(const UnitHardware& hardware);
double modulator_delay_s(const UnitHardware& hardware);

/// Reads that share the light of one modulator, of so many of a lane of unit P: all of them, 1 where averaging
/// is incoherent (a modulator a read).
int sharing_reads(const UnitHardware& hardware, int copies);

/// Time from a layer's inputs to where its outputs can be read, s, by its parts.
struct LayerDelay {
  double mzis_s = 0.0;        ///< every column the length of an MZI
  double waveguides_s = 0.0;  ///< layer_waveguide(), where receivers stand behind it
  double receivers_s = 0.0;   ///< at neurons
  double modulators_s = 0.0;  ///< where a modulator sends it on
  /// Sum of all.
  double total_s() const { return mzis_s + waveguides_s + receivers_s + modulators_s; }
};

/// Of every layer.
std::vector<LayerDelay> layer_delays(const ChipDesign& design, const UnitHardware& hardware);

/// When light meets each layer of the unit (schedule() of its layer_delays(), link.skew). Reads of an
/// incoherent average wait each in a line of its own.
Schedule unit_schedule(const ChipDesign& design, const UnitHardware& hardware);

/// Losses beside those of splitting light evenly, of modulators at full drive and of meshes, dB.
struct PassiveLosses {
  double servers_tree_db = 0.0;  ///< splitters of a tree of all servers: unit P's combiners
  double answers_tree_db = 0.0;  ///< the same of all that the unit sends to: unit T
  std::vector<double> fan_db;    ///< (layers) splitters of fan-out or fan-in
  std::vector<double>
      waveguides_db;  ///< (layers) to and from the meshes of a layer that receivers stand behind
  std::vector<std::vector<double>> lane_db;  ///< (layers)(inputs) splitters of copies, and delay lines
  double coupler_db = 0.0, fibre_db = 0.0;   ///< one passage between chip and server
  int answer_passages = 1;                   ///< of what the unit sends: 0 where it decides its sums itself
};
PassiveLosses passive_losses(const ChipDesign& design, const UnitHardware& hardware);

}  // namespace optinc
