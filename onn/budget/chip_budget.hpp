#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What a budget says of a chip: its stages, and a table each of loss, power, delay and area.

namespace optinc {

/// One contribution to a budget at every stage, and the object whose function gave it.
struct BudgetPart {
  std::string name;
  std::string source;            ///< device object, and the study's keys that set it
  std::vector<double> by_stage;  ///< in the order of ChipBudget::stages

  /// Sum over the stages.
  double total() const;
};

/// One budget: everything in one unit.
struct BudgetTable {
  std::string name, unit;
  std::vector<BudgetPart> parts;

  /// Sum over parts and stages.
  double total() const;
  /// Sum over the parts at one stage.
  double total(std::size_t stage) const;
  /// Throws Error for a part there is not.
  const BudgetPart& part(std::string_view name) const;
};

/// What stands at one stage of the light path: "servers" (lasers, modulators, fibres, couplers), "unit P" (with
/// receivers and modulators where averaging is incoherent), "layer 1" .., "unit T" (splitters, couplers,
/// fibres, the servers' receivers).
struct BudgetStage {
  std::string name;
  int inputs = 0, outputs = 0, blocks = 0;
  std::int64_t mzis = 0, shifters = 0;
  int columns = 0;  ///< MZIs in series
  std::int64_t modulators = 0, receivers = 0, adcs = 0;
  double swing_v = 0.0;     ///< of its modulators' drives, from the lowest level to the highest
  double received_w = 0.0;  ///< signal on a receiver of this stage at its largest output (of a limiting one:
                            ///< the rise of its step, not the whole sum before it); 0: no receiver
  double snr_db = 0.0;   ///< of its current, electrical, over shot, amplifier and oscillator noise; at unit P
                         ///< over the intensity noise of the servers' lasers in place of the last
  double gain_db = 0.0;  ///< optical power that re-modulation puts back: full scale behind over received_w
  bool on_critical_path = true;  ///< of the answer that comes last: only such stages count in dB and delay
  double start_s = 0.0;          ///< when light of a word enters, counted from unit P's output (layers)
  int lines = 0;                 ///< delay lines before it; unit P: before its lanes are split
  double line_m = 0.0;           ///< all of them together
  double wait_s = 0.0;           ///< longest of them
};

/// What one digit of the answer has passed on its critical path, from a server's laser to a server's receiver.
struct BudgetAnswer {
  int columns = 0;      ///< MZIs in series
  int conversions = 0;  ///< optical-electrical-optical
  double loss_db = 0.0;
  double delay_s = 0.0;
  double received_w = 0.0;  ///< of digit 3 on a server's receiver
};

/// Light that waits longest in waveguides: that of one input, from where it arises to where it is used.
struct BudgetWait {
  std::string from, to;  ///< stages
  double wait_s = 0.0, line_m = 0.0, loss_db = 0.0;
};

/// Watts of one kind of heater.
struct HeaterBudget {
  std::string name;
  double pi_power_w = 0.0;
  double power_w = 0.0;     ///< at the phases programmed, on a chip without static phases
  double trimmed_w = 0.0;   ///< on one as fabricated, on average: whatever is programmed, what trims a random
                            ///< static phase lies uniformly in a turn, pi a shifter
  double estimate_w = 0.0;  ///< at mean phases: P_pi (pi + E theta)/pi an MZI, theta of Haar-orthogonal meshes
};

/// What a unit costs in light, watts, silicon and time. Layers may read any signals before them: MZIs, watts
/// and areas are sums over all stages, dB, delay, columns and conversions those of the critical path, the way
/// of the light that arrives last at the answer that comes last. Stages that are not on it have zeros in
/// `loss_db` and `delay_s`.
struct ChipBudget {
  std::vector<BudgetStage> stages;
  BudgetTable loss_db;         ///< of one pass without any gain, from a server's laser to a server's receiver
  BudgetTable static_power_w;  ///< electrical, whatever the symbol rate: heaters, lasers, receivers, control
  BudgetTable symbol_power_w;  ///< electrical, of drivers, converters, clocks at symbol_rate_bd
  BudgetTable delay_s;         ///< first symbol in to its code out
  BudgetTable area_m2;         ///< on the die: boxes of all MZIs, delay lines, modulators and receivers
  std::vector<BudgetAnswer> answers;  ///< (digits), most significant first
  BudgetWait longest_wait;            ///< in delay lines; all 0 where no light waits
  double launch_delay_s = 0.0;        ///< by which the last digit leaves the servers after the first
  std::vector<HeaterBudget> heaters;  ///< the chosen one's trimmed_w is in `static_power_w`, in two parts
  double mesh_area_m2 = 0.0;          ///< bounding boxes of the meshes, edges and output screens included
  double die_area_m2 =
      0.0;  ///< bounding box of all meshes placed in rows, and delay lines, modulators, receivers
  double die_heat_w =
      0.0;  ///< heaters with static phases trimmed, and the chip's own receivers, drivers and clocks
  double die_rise_k = 0.0;  ///< of the die over the ambient with that heat: die.resistance_k_per_w
  double neurons_w = 0.0;   ///< of `die_heat_w` what no light and no weight changes: receivers, drivers, clocks
  double laser_optical_w =
      0.0;  ///< light of all lasers: signals, local oscillators and what is lost before both
  double passive_received_dbm = 0.0;  ///< what a server would receive of its laser without any gain
  double optical_delay_s = 0.0;       ///< in MZIs alone
  double symbol_rate_bd = 0.0;        ///< assumed
  double symbol_rate_limit_bd = 0.0;  ///< upper bound: what one stage of receiver and modulator can carry
  double bits_per_word = 0.0;  ///< of all servers' codes, for every symbol of a lane: less where words take
                               ///< several symbols (hops, check words)
  double receiver_bandwidth_hz = 0.0;  ///< 3 dB, of every receiver

  /// MZIs of all layers.
  std::int64_t mzis() const;
  /// Columns of MZIs that light passes, one layer after the other.
  int columns() const;
  /// Optical-electrical-optical conversions on the critical path; one a hidden layer of a feed-forward network,
  /// and one in unit P where averaging is incoherent.
  int conversions() const;
  /// All delay lines, m.
  double delay_lines_m() const;
  /// Most that one re-modulation puts back, dB: what light loses between two regenerations, at worst.
  double most_gain_db() const;
  /// By how much the first digit of an answer comes before the last one, s: the servers put them together.
  double answer_skew_s() const;
  /// Loss of fan-out and fan-in alone, dB: 10 log10 of the product of all r.
  double fan_db() const;
  /// Whether the devices can carry symbol_rate_bd at all: it is below the bound of one stage.
  bool carries_its_rate() const { return symbol_rate_bd <= symbol_rate_limit_bd; }
  /// Watts over the bits per second of all servers at symbol_rate_bd, J; NaN where the devices cannot carry
  /// that rate.
  double energy_per_bit_j() const;
  /// Symbols that are inside MZIs at one time, at symbol_rate_bd.
  double symbols_in_mzis() const { return optical_delay_s * symbol_rate_bd; }
  /// Symbols that are under way at one time, from a server and back, at symbol_rate_bd.
  double symbols_in_flight() const { return delay_s.total() * symbol_rate_bd; }
};

}  // namespace optinc
