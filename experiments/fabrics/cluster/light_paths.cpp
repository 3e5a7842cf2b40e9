#include "experiments/fabrics/cluster/light_paths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "experiments/fabrics/cluster/channels.hpp"
#include "experiments/fabrics/interconnect/circuits.hpp"
#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/amplified_path.hpp"
#include "physics/devices/photodiode.hpp"
#include "physics/devices/waveguide.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr std::int64_t most_passes = 200;

/// An amplifier of so many dB; a loss where they are negative.
NoisyStage amplifier(double gain_db, double noise_figure_db) {
  if (gain_db <= 0.0) return loss_stage(-gain_db);
  return {power_ratio_of_loss_db(-gain_db), power_ratio_of_loss_db(-noise_figure_db)};
}

/// Tiers of switches that join the groups.
std::int64_t tiers_of(const LightPaths& p, std::int64_t groups) {
  std::int64_t tiers = 0;
  for (std::int64_t joined = 1; joined < groups; joined *= p.wss.ports) ++tiers;
  return tiers;
}

/// A random permutation of the nodes, as connections between groups.
std::vector<Transfer> demand(const LightPaths& p, std::uint32_t draw, std::uint32_t transceiver) {
  const auto n = static_cast<std::size_t>(p.nodes);
  std::vector<int> to(n);
  std::iota(to.begin(), to.end(), 0);
  Stream stream(static_cast<std::uint64_t>(p.seed), Purpose::server_placement, 1 + draw, transceiver);
  for (std::size_t i = 0; i + 1 < n; ++i)
    std::swap(to[i], to[i + stream.below(static_cast<std::uint32_t>(n - i))]);
  const int size = static_cast<int>(p.group_size);
  std::vector<Transfer> between;
  for (std::size_t i = 0; i < n; ++i)
    if (const int a = static_cast<int>(i) / size, b = to[i] / size; a != b) between.push_back({a, b, 1.0});
  return between;
}

std::int64_t blocked_one_by_one(const LightPaths& p, std::int64_t groups, const std::vector<Transfer>& all) {
  ChannelTable channels(groups, p.fibres, wavelengths_of(p));
  std::int64_t blocked = 0;
  for (const Transfer& t : all) blocked += !channels.take(t.source, t.destination);
  return blocked;
}

std::int64_t blocked_together(const LightPaths& p, std::int64_t groups, const std::vector<Transfer>& all) {
  std::int64_t blocked = 0;
  const std::int64_t channels = wavelengths_of(p) * p.fibres;
  for (const int colour : edge_colours(static_cast<int>(groups), all)) blocked += colour >= channels;
  return blocked;
}

void check_ports(const LightPaths& p) {
  validate(p.wss.ports >= 2 || p.nodes <= p.group_size,
           "{}: switches of one port between groups (2 or more). Raise switch_ports.", p.name);
}

}  // namespace

std::int64_t groups_of(const LightPaths& p) { return (p.nodes + p.group_size - 1) / p.group_size; }

std::int64_t wavelengths_of(const LightPaths& p) {
  const auto w = static_cast<std::int64_t>(p.band_hz / (static_cast<double>(p.channel_slots) * p.slot_hz));
  validate(w >= 1, "{}: channels of {} Hz in a band of {} Hz (at least one). Raise band_hz.", p.name,
           static_cast<double>(p.channel_slots) * p.slot_hz, p.band_hz);
  validate(groups_of(p) * p.fibres * w <= 1 << 28,
           "{}: {} groups of {} fibres of {} wavelengths (at most {} in all, for memory). Raise group_size or "
           "channel_slots.",
           p.name, groups_of(p), p.fibres, w, 1 << 28);
  return w;
}

OpticalModules optical_modules(const LightPaths& p) {
  check_ports(p);
  const std::int64_t groups = groups_of(p);
  if (groups < 2) return {};
  std::int64_t tree = 0;
  for (std::int64_t left = groups; left > 1; tree += left) left = (left + p.wss.ports - 1) / p.wss.ports;
  return {groups * p.fibres * 2 * tree, groups * p.fibres * (2 * tree + groups)};
}

PathBudget path_budget(const LightPaths& p, std::int64_t passes) {
  validate_wavelength_switch(p.wss);
  const auto n = static_cast<double>(passes);
  const double pass_db = p.wss.port_loss_db + fibre_loss_db({p.fibre_m});
  PathBudget b;
  b.passes = passes;
  b.symbol_rate_bd = p.symbol_rate_bd;
  b.channel_dbm = p.amplifier_dbm - 10.0 * std::log10(static_cast<double>(wavelengths_of(p)));
  b.narrowing_db = narrowing_loss_db(p.wss, n, p.symbol_rate_bd);
  b.bandwidth_hz = cascaded_bandwidth_hz(p.wss, n);
  std::vector<NoisyStage> chain = {
      loss_stage(p.router_loss_db),
      amplifier(b.channel_dbm - p.transmitter_dbm + p.router_loss_db, p.noise_figure_db)};
  for (std::int64_t i = 0; i < passes; ++i) {
    chain.push_back(loss_stage(pass_db));
    chain.push_back(amplifier(pass_db, p.noise_figure_db));
  }
  chain.push_back(loss_stage(p.router_loss_db));
  const bool amplified =
      std::any_of(chain.begin(), chain.end(), [](const NoisyStage& s) { return s.gain > 1.0; });
  b.osnr_db = amplified ? chain_osnr_db(chain, watts_of_dbm(p.transmitter_dbm)) - b.narrowing_db
                        : std::numeric_limits<double>::infinity();
  b.received_dbm = b.channel_dbm - p.router_loss_db - b.narrowing_db;
  const double crosstalk = crosstalk_ratio(p.wss, n);
  b.crosstalk_db = 10.0 * std::log10(crosstalk);
  const double noise = noise_to_signal(b.osnr_db, p.symbol_rate_bd) + crosstalk;
  const int m = static_cast<int>(p.levels);
  // what the receiver adds, as a power of light
  const double receiver_w = p.receiver_noise_a_per_rthz * std::sqrt(p.symbol_rate_bd / 2.0) /
                            PhotodiodeSettings{}.responsivity_a_per_w;
  b.bit_error_rate = beat_limited_bit_error_rate(m, noise, receiver_w / watts_of_dbm(b.received_dbm));
  b.noise_margin_db = 10.0 * std::log10(tolerated_noise_to_signal(m, p.bit_error_rate) / noise);
  const double tolerated = tolerated_receiver_noise(m, p.bit_error_rate, noise);
  b.sensitivity_dbm = std::isnan(tolerated) ? tolerated : dbm_of_watts(receiver_w / tolerated);
  return b;
}

LightPathsResult solve_light_paths(const LightPaths& p) {
  validate(p.group_size >= 1 && p.nodes % p.group_size == 0,
           "{}: {} nodes in groups of {} (whole groups). Set nodes = {}.", p.name, p.nodes, p.group_size,
           (p.nodes / p.group_size + 1) * p.group_size);
  validate(p.nodes * p.transceivers * p.draws <= 1 << 24,
           "{}: {} nodes of {} transceivers in {} draws (at most {} in all, for time). Lower draws.", p.name,
           p.nodes, p.transceivers, p.draws, 1 << 24);
  check_ports(p);
  LightPathsResult r;
  r.groups = groups_of(p);
  r.wavelengths = wavelengths_of(p);
  r.modules = optical_modules(p);
  r.path = path_budget(p, 2 * tiers_of(p, r.groups));
  while (r.reach_passes + 2 <= most_passes && path_budget(p, r.reach_passes + 2).reaches()) r.reach_passes += 2;
  r.reach_nodes = static_cast<double>(p.group_size) *
                  std::pow(static_cast<double>(p.wss.ports), static_cast<double>(r.reach_passes) / 2.0);
  std::int64_t one_by_one = 0, together = 0;
  for (std::int64_t draw = 0; draw < p.draws; ++draw) {
    std::vector<Transfer> all;
    for (std::int64_t t = 0; t < p.transceivers; ++t)
      for (const Transfer& c : demand(p, static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(t)))
        all.push_back(c);
    r.connections += static_cast<std::int64_t>(all.size());
    one_by_one += blocked_one_by_one(p, r.groups, all);
    together += blocked_together(p, r.groups, all);
  }
  const double all = std::max(1.0, static_cast<double>(r.connections));
  r.blocked_first_fit = static_cast<double>(one_by_one) / all;
  r.blocked_rearranged = static_cast<double>(together) / all;
  return r;
}

}  // namespace optinc
