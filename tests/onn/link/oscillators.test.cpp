#include "onn/link/oscillators.hpp"

#include <algorithm>
#include <cmath>

#include "onn/budget/budget.hpp"
#include "onn/link/power_path.hpp"
#include "onn/network/carry_chain.hpp"
#include "physics/core/units.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

UnitHardware with(Oscillators way, double loop_hz = 0.0) {
  UnitHardware u;
  u.link.oscillators = way;
  u.link.oscillator_loop_hz = loop_hz;
  return u;
}

/// A die that warms steadily.
DriftHistory ramp(double k_per_s, int instants) {
  DriftHistory h;
  h.die_k.resize(instants), h.wavelength_m.setZero(instants);
  for (int k = 0; k < instants; ++k) h.time_s.push_back(k), h.die_k[k] = k_per_s * k;
  return h;
}

}  // namespace

// Fails when a column is left out, or the guides to and from the meshes
TEST_CASE("oscillators past the meshes are shorter by the meshes and the guides to them") {
  const ChipDesign design = design_chip(random_network({4, 2}, {8, 4}));
  const UnitHardware direct = with(Oscillators::direct);
  const std::vector<double> mismatch_m = oscillator_mismatch_m(design, direct);
  REQUIRE(mismatch_m.size() == design.layers.size());
  // 8 inputs to 4 outputs: meshes of 4 ports, 4 columns and one of attenuators of 200 um; 5 mm and 80 um of
  // guides
  CHECK_THAT(mismatch_m[1], WithinAbs(6.08e-3, 1e-12));
  for (std::size_t l = 0; l < mismatch_m.size(); ++l)
    CHECK_THAT(mismatch_m[l], WithinRel(design.layers[l].columns() * direct.layout.mzi_length_m +
                                            direct.routing.length_m + arm_length_m(direct.layout),
                                        1e-12));
  for (const Oscillators way : {Oscillators::in_phase, Oscillators::beside_signal})
    for (const double m : oscillator_mismatch_m(design, with(way))) CHECK(m == 0.0);
}

// Sums of carry chains send their light on without a receiver: its way counts on. Fails when it begins anew
TEST_CASE("light that goes on unreceived is as old as its modulator") {
  const ChipDesign design = design_chip(carry_chain({4, 3, Rounding::half_up}));
  const UnitHardware u;
  const std::vector<double> path_m = received_path_m(design, u);
  int longer = 0;
  for (std::size_t l = 0; l < path_m.size(); ++l) {
    int columns = design.layers[l].columns();
    for (const LaneDesign& lane : design.layers[l].lanes) {
      if (lane.source < 0 || design.layers[static_cast<std::size_t>(lane.source)].received()) continue;
      columns += design.layers[static_cast<std::size_t>(lane.source)].columns();  // the only lane of its layer
      longer += design.layers[l].received() ? 1 : 0;
    }
    const double guides_m = u.routing.length_m + arm_length_m(u.layout);
    const double expected_m = design.layers[l].received() ? columns * u.layout.mzi_length_m + guides_m : 0.0;
    CHECK_THAT(path_m[l], WithinAbs(expected_m, 1e-15));
  }
  CHECK(longer == 3);
}

// 18.8 rad/K over 129 columns of 200 um
TEST_CASE("a direct oscillator drifts by the path it leaves out, and a loop leaves r over 2 pi B of it") {
  const DriftHistory warming = ramp(0.02, 200);
  const std::vector<std::size_t> once(200, 0);
  const std::vector<double> free = oscillator_lag_rad_per_m(warming, once, with(Oscillators::direct));
  CHECK_THAT(free[50] * 129 * 200e-6, WithinAbs(18.8, 0.1));  // after 1 K
  const double rate = free[1];
  for (const double loop_hz : {0.05, 0.5, 50.0})
    CHECK_THAT(oscillator_lag_rad_per_m(warming, once, with(Oscillators::direct, loop_hz)).back(),
               WithinRel(rate / (2 * constants::pi * loop_hz), 1e-9));
  std::vector<std::size_t> again = once;
  std::fill(again.begin() + 120, again.end(), 120);
  const std::vector<double> set = oscillator_lag_rad_per_m(warming, again, with(Oscillators::direct));
  CHECK(set[119] == free[119]);
  CHECK(set[120] == 0.0);
  CHECK_THAT(set[150], WithinRel(30 * rate, 1e-12));
  const Environment warmer = {1.0, 0.0};
  CHECK_THAT(settled_lag_rad_per_m(warmer, with(Oscillators::direct)), WithinRel(free[50], 1e-12));
  CHECK(settled_lag_rad_per_m(warmer, with(Oscillators::direct, 1.0)) == 0.0);
}

// Fails when the guide's loss is paid twice or not at all, or the servers' pay for the longest guide of the
// chip
TEST_CASE("oscillators cost guides and light beside their signals, and a phase shifter each past the meshes") {
  const ChipDesign design = design_chip(random_network({4, 2}, {8, 4}));
  const auto of = [&](Oscillators way) { return budget(design, error_preset("ideal"), with(way)); };
  const ChipBudget ideal = of(Oscillators::in_phase), beside = of(Oscillators::beside_signal),
                   direct = of(Oscillators::direct);
  const double heater_w = UnitHardware().heater.p_pi_w;
  std::int64_t receivers = 0, more = 0;
  for (std::size_t k = 0; k < ideal.stages.size(); ++k) {
    receivers += ideal.stages[k].receivers;
    more += direct.stages[k].shifters - ideal.stages[k].shifters;
  }
  CHECK(receivers > 0);
  CHECK(more == receivers);
  CHECK_THAT(
      direct.static_power_w.part("static phases").total() - ideal.static_power_w.part("static phases").total(),
      WithinRel(static_cast<double>(receivers) * heater_w, 1e-9));
  CHECK(direct.laser_optical_w == ideal.laser_optical_w);
  CHECK(beside.stages[2].shifters == ideal.stages[2].shifters);
  for (const HeaterBudget& h : direct.heaters)
    if (h.name == UnitHardware().heater.device)
      CHECK_THAT(h.trimmed_w, WithinRel(direct.static_power_w.part("heaters").total() +
                                            direct.static_power_w.part("static phases").total(),
                                        1e-12));
  // by hand: oscillators of a layer pay for their guide, those of the servers for the way by the chip as well
  const UnitHardware u = with(Oscillators::beside_signal);
  const auto ratio = [](double db) { return std::pow(10, db / 10); };
  const auto lasers = [](const ChipBudget& b, std::size_t stage) {
    return b.static_power_w.part("lasers").by_stage[stage] * UnitHardware().laser.wall_plug_efficiency;
  };
  const double coupler_db = fibre_coupler_loss_db(u.coupler, u.laser.wavelength_m);
  std::int64_t ends = 0;
  for (std::size_t l = 0; l < design.layers.size(); ++l)
    ends += ideal.stages[2 + l].modulators + ideal.stages[2 + l].receivers;
  const double chip_db = tree_excess_db(u, 5) + coupler_db + tree_excess_db(u, ends);
  for (std::size_t l = 0; l + 1 < design.layers.size(); ++l) {
    const double guide_db = 100 * received_path_m(design, u)[l] * u.routing.loss_db_per_cm;
    const double lo_w = static_cast<double>(ideal.stages[2 + l].receivers) * u.receiver.lo_power_w;
    CHECK_THAT(lasers(beside, 2 + l) - lasers(ideal, 2 + l),
               WithinRel(lo_w * ratio(chip_db) * (ratio(guide_db) - 1), 1e-9));
  }
  const std::size_t unit_t = ideal.stages.size() - 1;
  const double guide_db = 100 * received_path_m(design, u).back() * u.routing.loss_db_per_cm,
               by_fibre_db = tree_excess_db(u, 5),
               beside_db = chip_db + guide_db + tree_excess_db(u, 4) + coupler_db;
  CHECK_THAT(lasers(beside, unit_t) / lasers(ideal, unit_t), WithinRel(ratio(beside_db - by_fibre_db), 1e-9));
  CHECK(received_path_m(design, u).back() < std::ranges::max(received_path_m(design, u)));
  CHECK(beside.die_area_m2 > ideal.die_area_m2);
  CHECK(direct.die_area_m2 == ideal.die_area_m2);
}

TEST_CASE("phase locks are refused where no oscillator has one") {
  check_message(refusal([] { validate_hardware(with(Oscillators::beside_signal, 1.0)); }),
                {"oscillators", "beside-signal", "oscillator_loop_hz = 1", "direct"});
  UnitHardware dithered = with(Oscillators::in_phase);
  dithered.link.oscillator_dither_rad = 0.1;
  check_message(refusal([&] { validate_hardware(dithered); }), {"oscillators", "in-phase", "direct"});
  dithered.link.oscillators = Oscillators::direct;
  check_message(refusal([&] { validate_hardware(dithered); }),
                {"oscillator_dither_rad", "oscillator_loop_hz = 0"});
  dithered.link.oscillator_dither_rad = 2.0;
  check_message(refusal([&] { validate_hardware(dithered); }), {"oscillator_dither_rad", "2"});
}
