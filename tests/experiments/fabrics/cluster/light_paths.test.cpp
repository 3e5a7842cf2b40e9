#include "experiments/fabrics/cluster/light_paths.hpp"

#include <cmath>

#include "experiments/fabrics/cluster/channels.hpp"
#include "physics/core/check.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/pam_decision.hpp"
#include "physics/devices/photodiode.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

LightPaths with_wavelengths(std::int64_t wavelengths) {
  LightPaths p;
  p.nodes = 256;
  p.group_size = 16;
  p.band_hz = static_cast<double>(wavelengths) * static_cast<double>(p.channel_slots) * p.slot_hz * 1.0000001;
  return p;
}

}  // namespace

// fails when a wavelength is looked for on one of the two fibres alone, or counted twice
TEST_CASE("first fit blocks nothing from 2 g - 1 wavelengths on, set anew nothing from g on") {
  const LightPathsResult clos = solve_light_paths(with_wavelengths(31)),
                         few = solve_light_paths(with_wavelengths(10)),
                         koenig = solve_light_paths(with_wavelengths(16));
  CHECK(clos.wavelengths == 31);
  CHECK(clos.blocked_first_fit == 0.0);
  CHECK(koenig.blocked_rearranged == 0.0);
  CHECK(koenig.blocked_first_fit > 0.0);
  CHECK(few.blocked_rearranged > 0.0);
  // a permutation of 16 groups of 16 keeps on average one node in 16 at home
  CHECK(clos.connections == Approx(20 * 256 * 15.0 / 16).epsilon(0.02));
}

// Group 0 sends on fibre 0 and group 1 receives on fibre 1: each has a fibre free, but not the same one. Fails
// when the two ends of a connection may be different fibres, or a released channel stays taken
TEST_CASE("a connection takes one fibre and wavelength at both ends, the lowest that is free there") {
  ChannelTable channels(3, 2, 1);
  CHECK(channels.take(0, 2) == 0U);
  CHECK(channels.take(2, 1) == 0U);
  CHECK(channels.take(2, 1) == 1U);
  CHECK_FALSE(channels.take(0, 1).has_value());
  channels.release(2, 1, 1);
  CHECK(channels.take(0, 1) == 1U);
  ChannelTable two(2, 2, 2);  // wavelength by wavelength, on both fibres
  for (std::size_t c = 0; c < 4; ++c) CHECK(two.take(0, 1) == c);
}

// 32 groups behind 20 ports: 2 switches, and 1 above them, in either tree; in front of them a booster, behind
// them 2 + 32 and 2 + 1 amplifiers. Fails when a tier, a direction or the booster is forgotten
TEST_CASE("switches and amplifiers between groups are those of two trees for every fibre") {
  LightPaths p;
  const auto of = [&](std::int64_t nodes, std::int64_t ports, std::int64_t fibres) {
    p.nodes = nodes;
    p.wss.ports = static_cast<int>(ports);
    p.fibres = fibres;
    return optical_modules(p);
  };
  CHECK(of(1024, 20, 1).wavelength_switches == 32 * 2 * 3);
  CHECK(of(1024, 20, 1).amplifiers == 32 * (1 + 2 + 32 + 3));
  CHECK(of(1024, 32, 1).wavelength_switches == 32 * 2);
  CHECK(of(1024, 32, 1).amplifiers == 32 * (1 + 32 + 1));
  CHECK(of(1000, 32, 3).wavelength_switches == 3 * 32 * 2);
  CHECK(of(32 * 8000, 20, 1).wavelength_switches == 8000 * 2 * (400 + 20 + 1));
  CHECK(of(32, 1, 1).wavelength_switches + of(32, 1, 1).amplifiers == 0);
  CHECK_THROWS_WITH(of(33, 1, 1), ContainsSubstring("switch_ports"));
  p.nodes = 1024;
  p.wss.ports = 20;
  p.draws = 1;
  p.fibres = 1;
  CHECK(solve_light_paths(p).modules.amplifiers == 32 * 38);
}

// one wavelength: at most one connection out of and into a group; fails when a fibre carries two
TEST_CASE("as many connections as fibres times wavelengths leave a group, no more") {
  LightPaths p = with_wavelengths(1);
  p.draws = 1;
  const LightPathsResult one = solve_light_paths(p);
  const double served = (1 - one.blocked_first_fit) * static_cast<double>(one.connections);
  CHECK(served <= 16.0);
  CHECK(served >= 8.0);
  p.fibres = 31;
  CHECK(solve_light_paths(p).blocked_first_fit == 0.0);
}

// 16.8 GHz for 53 GBd: fails when passbands cost power alone
TEST_CASE(
    "passbands narrower than the symbol rate reach nothing, and a path without amplifiers has no OSNR to "
    "lose") {
  LightPaths p;
  p.levels = 2;
  p.wss.bandwidth_hz = 20e9;
  p.wss.crosstalk_db = -80.0;
  CHECK_FALSE(path_budget(p, 4).reaches());
  CHECK(solve_light_paths(p).reach_passes == 0);
  LightPaths direct;
  direct.nodes = 32;
  direct.transmitter_dbm = 12.0;
  const PathBudget b = path_budget(direct, 0);
  CHECK(std::isinf(b.osnr_db));
  CHECK(b.bit_error_rate < 1e-12);
  p.nodes = 65536;
  p.group_size = 1;
  p.channel_slots = 1;
  p.slot_hz = 1e9;
  p.band_hz = 1e14;
  CHECK_THROWS_WITH(solve_light_paths(p), ContainsSubstring("for memory"));
}

// each noise alone leaves a tenth of a decibel: fails when they are judged apart
TEST_CASE("a receiver and amplifiers that each just pass do not pass together") {
  LightPaths p;
  p.wss.crosstalk_db = -80.0;
  p.receiver_noise_a_per_rthz = 1e-13;
  PathBudget b = path_budget(p, 4);
  for (int i = 0; i < 20; ++i) {
    p.noise_figure_db += b.noise_margin_db - 0.1;
    b = path_budget(p, 4);
  }
  CHECK(b.noise_margin_db == Approx(0.1).epsilon(1e-3));
  CHECK(b.reaches());
  // without amplifiers' noise, a receiver that has 0.1 dB left
  const double sensitivity_w = sensitivity_oma_w(4, 2 * p.bit_error_rate, std::sqrt(p.symbol_rate_bd / 2),
                                                 PhotodiodeSettings{}.responsivity_a_per_w) /
                               2;
  p.receiver_noise_a_per_rthz = watts_of_dbm(b.received_dbm - 0.1) / sensitivity_w;
  b = path_budget(p, 4);
  CHECK_FALSE(b.reaches());
  CHECK(b.bit_error_rate > p.bit_error_rate);
  CHECK(b.power_margin_db() < 0.0);
  // at that much more power of the receiver alone, the rate is the one asked for
  p.receiver_noise_a_per_rthz *= std::pow(10.0, b.power_margin_db() / 10.0);
  CHECK(path_budget(p, 4).bit_error_rate == Approx(p.bit_error_rate).epsilon(1e-3));
}

// fails when the amplifiers' noise does not add up from pass to pass, or a tier is passed once
TEST_CASE("passes follow from groups and ports, noise and crosstalk from passes, and reach from both") {
  LightPaths p;
  p.wss.crosstalk_db = -45.0;
  const LightPathsResult r = solve_light_paths(p);
  CHECK(path_budget(p, r.reach_passes).reaches());
  CHECK_FALSE(path_budget(p, r.reach_passes + 2).reaches());
  CHECK(r.reach_passes >= 2);
  CHECK(r.reach_nodes == Approx(32 * std::pow(20.0, r.reach_passes / 2)));
  CHECK(r.groups == 32);
  CHECK(r.path.passes == 4);
  p.wss.ports = 32;
  CHECK(solve_light_paths(p).path.passes == 2);
  // far from the booster every doubling of the passes costs 3 dB of OSNR, apart from narrowing
  const PathBudget a = path_budget(p, 40), b = path_budget(p, 80);
  CHECK((a.osnr_db + a.narrowing_db) - (b.osnr_db + b.narrowing_db) ==
        Approx(10 * std::log10(2.0)).margin(0.15));
  CHECK(b.crosstalk_db - a.crosstalk_db == Approx(10 * std::log10(2.0)).epsilon(1e-9));
  CHECK(a.bit_error_rate <= b.bit_error_rate);
  p.nodes = 1000;
  CHECK_THROWS_WITH(solve_light_paths(p), ContainsSubstring("whole groups"));
}
