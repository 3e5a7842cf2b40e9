#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onn/budget/unit_cost.hpp"
#include "physics/core/rows.hpp"

namespace optinc {

struct ModelCost;

/// One training iteration on one network: what is computed, what is averaged, and what carries it. Keys, units
/// and meanings stand in visit_rows; defaults here. Where a number is a guess its meaning or source says so.
struct Scenario {
  std::string name, reference, note;
  bool calibrated = false;
  std::string network = "switch", collective = "ring", workload = "resnet50-cifar100-imagenet-stem";
  std::int64_t weights = 0, servers = 4, chunks = 0, seed = 1;
  // computing
  std::int64_t batch = 32, context = 0;
  double compute_rate_flop_per_s = 36e12, flop_per_mac = 2.0, backward_ratio = 2.0, compute_s = -1.0,
         overlap = 0.0;
  // payload
  std::int64_t bits = 32, scale_bits = -1, block = 1024, buckets = 1;
  // a server's port
  std::int64_t transceivers = 1;
  double rate_bit_per_s = 800e9, efficiency = 1.0, step_latency_s = 2e-6, hop_latency_s = 0.5e-6;
  // fat-tree
  std::int64_t radix = 0, sub_flows = 1;
  double oversubscription = 1.0;
  std::string routing, placement = "linear";
  // circuits
  std::int64_t ports = 0, wavelengths = 64, job_iterations = 10000;
  double wavelength_rate_bit_per_s = 0.0, reconfiguration_s = -1.0, control_delay_s = 1e-6,
         laser_tuning_s = 0.1e-6, setup_s = 0.1;
  std::string directions = "both", spectrum = "each", reconfigure = "on-change";
  // in the network
  std::string arrangement = "tree";
  std::int64_t fan_in = 4, levels = 0, units = 0;
  double fibre_m = 50.0, chip_latency_s = 0.7e-9, io_latency_s = 100e-9, adding_latency_s = 0.3e-6;
  bool regenerated = false;
  std::string design, designs;
  std::optional<UnitCost> unit = {};  ///< cost of `design`, no key: cost_units computes it
  // energy of links and switches
  double transceiver_j_per_bit = 20e-12, switch_j_per_bit = electrical_switch_j_per_bit,
         circuit_switch_w_per_port = 0.8;

  /// M R, bit/s and direction: what a server's transceivers send, payload and overhead.
  double line_bit_per_s() const { return static_cast<double>(transceivers) * rate_bit_per_s; }
  /// B = M R eta / 8, bytes/s and direction.
  double port_bytes_per_s() const { return line_bit_per_s() * efficiency / 8.0; }
  /// Bits of a block's scale. By default 32 for codes of OptINC units, which are integers in need of a common
  /// scale (at most 16 bits), and none elsewhere, where 16 bits or less may be floating-point numbers.
  std::int64_t bits_of_scales() const {
    if (scale_bits >= 0) return scale_bits;
    return network == "optinc" && bits <= 16 ? 32 : 0;
  }
  /// Whether servers reach OptINC units by circuits that are switched.
  bool circuit_switched() const { return network == "optinc" && arrangement == "circuit-switched"; }
};

inline constexpr std::array<std::string_view, 6> interconnect_names = {"switch",  "fat-tree", "sip-ring",
                                                                       "sip-ocs", "oddl",     "optinc"};
inline constexpr std::array<std::string_view, 8> collective_names = {"ring",
                                                                     "halving-doubling",
                                                                     "tree",
                                                                     "double-tree",
                                                                     "parameter-server",
                                                                     "sharded-parameter-server",
                                                                     "adding-switch",
                                                                     "optinc"};
inline constexpr std::array<std::string_view, 2> arrangement_names = {"tree", "circuit-switched"};
inline constexpr std::array<std::string_view, 2> placement_names = {"linear", "random"};
inline constexpr std::array<std::string_view, 2> direction_names = {"one", "both"};
inline constexpr std::array<std::string_view, 2> spectrum_names = {"each", "shared"};
inline constexpr std::array<std::string_view, 2> reconfigure_names = {"on-change", "every-step"};

/// Calls visit(Row, member, read) for every key of a scenario, `name` first. read: whether this
/// scenario's network, collective and other keys make use of it.
template <Like<Scenario> S, class Visitor>
void visit_rows(S& s, Visitor&& visit);

/// Every key with its value.
std::vector<FieldEntry> scenario_fields(const Scenario& scenario);

/// Whether the scenario makes use of a key, which scenario_fields names.
bool reads_key(const Scenario& scenario, std::string_view key);

/// Sets one key, which scenario_fields names; `where` opens the message. Throws Error where check_row does.
void set_field(Scenario& scenario, std::string_view key, const FieldValue& value, std::string_view where);

/// The scenario with every value that it leaves to us: compute_s of workload, batch and rate; the name of a
/// model of one's own as its workload; bits_of_scales; the fewest ports of a fat-tree's switch and levels of
/// OptINC that fit; its units; best_chunks; the port's rate over 64 wavelengths; circuits set in 25e-6 s
/// (sip-ring) or 10e-3 s (others); the delay of its `unit`. For a scenario that check_scenario lets pass.
Scenario in_force(Scenario scenario);

/// Layers of the model that is trained: those of `workload`, or a single one of `weights` weights, each of
/// which takes one multiply-add a sample (image, token).
ModelCost model_of(const Scenario& scenario);

/// Operations of a server in an iteration.
double iteration_flop(const Scenario& scenario, const ModelCost& model);

/// Bytes of a server's gradient, without scales.
double gradient_bytes(const Scenario& scenario, const ModelCost& model);

/// Levels of OptINC units: those set, or the fewest whose ports suffice; of a circuit-switched arrangement, its
/// rounds.
std::int64_t levels_of(const Scenario& scenario);

/// OptINC units: those of a tree whose leaves are the servers, or of a circuit-switched arrangement those set,
/// or one for each of its N / fan_in groups.
std::int64_t units_of(const Scenario& scenario);

/// Throws Error, the scenario's name first, for what no network can be (a collective that it does not carry,
/// more servers than ports, a fat-tree without a routing), for what a number cannot mean, and for what would
/// take hours or all memory.
void check_scenario(const Scenario& scenario);

}  // namespace optinc

#include "experiments/fabrics/interconnect/scenario_rows.hpp"
