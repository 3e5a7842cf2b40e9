// What a process does to a device, in closed form, and how spreads are asked for.

#include "physics/variation/process_model.hpp"

#include <cmath>

#include "physics/variation/error_model.hpp"
#include "physics/variation/wafer_map.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

constexpr double nano_m = 1e-9;

}  // namespace

// 2 pi 100 um (2e-3/nm) / 1550 nm = 0.8107 rad. Fails when 2 pi is left out, or width and height change places
TEST_CASE("process: 0.81 rad per 100 um and nm of width, twice that per nm of height") {
  const ProcessModel m;
  CHECK(phase_change_rad(m, 100e-6, 1 * nano_m, 0) == Approx(0.810733).epsilon(1e-5));
  CHECK(phase_change_rad(m, 100e-6, 0, 1 * nano_m) == Approx(1.621467).epsilon(1e-5));
  CHECK(index_change(m, 2 * nano_m, -1 * nano_m) == Approx(0.0).margin(1e-15));
  // -5.6e-3 at constant gap, +6.7e-3 of the closing gap, per nm of width
  CHECK(eta_change_rad(m, 1 * nano_m, 0) == Approx(1.1e-3));
  CHECK(eta_change_rad(m, 0, 1 * nano_m) == Approx(-5.7e-3));
  ProcessModel constant_gap = m;
  constant_gap.gap_per_width = 0.0;
  CHECK(eta_change_rad(constant_gap, 1 * nano_m, 0) == Approx(-5.6e-3));
}

// A resonance at 1550 nm moves by lambda dn / n_g. In a random walk of variance D d the variance found over an
// extent L is D L/6; published: about 1 nm^2/cm (four foundry wafers), an order of magnitude
TEST_CASE("process: the default field agrees with the published random walk of resonances to a factor of 3") {
  const ProcessModel m = default_process();
  const double per_width = 1550.0 / 4.198 * 2e-3, per_height = 1550.0 / 4.198 * 4e-3;  // nm per nm
  const double walk = 2 / 0.45 *
                      (std::pow(per_width * m.width.field_m / nano_m, 2) +
                       std::pow(per_height * m.height.field_m / nano_m, 2));  // nm^2 per cm
  CHECK(walk / 6 == Approx(2.65).epsilon(0.01));
}

TEST_CASE("process: default spreads are those of its docstring, splitters 0.02 rad with correlation 0.5") {
  const ProcessModel m = default_process();
  CHECK(m.width.field_m == 2 * nano_m);
  CHECK(m.height.field_m == 0.8e-9);
  CHECK(m.correlation_length_m == 4.5e-3);
  const SplitterStatistics s = splitter_statistics(m, 100e-6);
  CHECK(s.sigma_eta_rad == Approx(0.02).epsilon(1e-12));
  CHECK(s.rho_ab == Approx(0.5).epsilon(1e-12));
  CHECK_NOTHROW(validate_process(m));
  CHECK(process_warnings(m, 200e-6).empty());
  CHECK(splitter_statistics({}, 100e-6).sigma_eta_rad == 0.0);
  CHECK_NOTHROW(validate_process({}));
}

// The fit's own quantities, from the numbers of the preset: rms of n_eff 8.5e-4, and 4.6e-4 rad^2 per um of arm
// from (2 pi L/lambda dn/dw r)^2 of an arm of L = 100 um. Fails when a field is left at its default
TEST_CASE("process: the preset of a measured die has the field and the white part of its fit") {
  const ProcessModel m = process_preset("openebl-2024");
  CHECK(std::hypot(2e6 * m.width.field_m, 4e6 * m.height.field_m) == Approx(8.5e-4).epsilon(0.02));
  const double arm = 2 * 3.14159265 * 100e-6 / 1550e-9 * 2e6 * m.width.roughness_m;
  CHECK(arm * arm / 100 == Approx(4.6e-4).epsilon(0.04));
  CHECK(process_warnings(m, 200e-6).empty());
  CHECK(process_preset("default").width.field_m == default_process().width.field_m);
  CHECK_THAT(refusal([] { process_preset("openebl-2025"); }), ContainsSubstring("openebl-2024"));
}

// Fails when the scale is not the square root of the share, or the white part is not reduced
TEST_CASE("process: splitter statistics as asked for, with the share that the field is given") {
  const double d = 100e-6, rho = std::exp(-100.0 / 4500.0);
  for (const char* preset : {"design-target", "good-lab", "doped-heaters"})
    for (const double share : {0.0, 0.3, 0.5}) {
      CAPTURE(preset, share);
      const ErrorModel wanted = error_preset(preset);
      const ProcessModel m =
          with_splitter_statistics(default_process(), {wanted.sigma_eta_rad, wanted.rho_ab}, d, share);
      const SplitterStatistics s = splitter_statistics(m, d);
      CHECK(s.sigma_eta_rad == Approx(wanted.sigma_eta_rad).epsilon(1e-12));
      CHECK(s.rho_ab == Approx(0.5).epsilon(1e-12));
      CHECK(m.sigma_eta_white_rad == Approx(wanted.sigma_eta_rad * std::sqrt(1 - share)).epsilon(1e-12));
      const double from_field =
          std::hypot(eta_change_rad(m, 2 * nano_m, 0), eta_change_rad(m, 0, 0.8 * nano_m));
      CHECK(from_field == Approx(wanted.sigma_eta_rad * std::sqrt(share)).margin(1e-15));
    }
  const ProcessModel all = with_splitter_statistics(default_process(), {0.01, rho}, d, 1.0);
  CHECK(all.sigma_eta_white_rad == Approx(0.0).margin(1e-9));
  CHECK(splitter_statistics(all, d).rho_ab == Approx(rho).epsilon(1e-12));
}

// each fails when its validate() is taken out
TEST_CASE("process: splitter statistics that cannot be are refused") {
  const auto refused = [](SplitterStatistics wanted, double share, const std::vector<std::string>& parts) {
    check_message(refusal([&] { with_splitter_statistics(default_process(), wanted, 100e-6, share); }), parts);
  };
  refused({-0.01, 0.5}, -1, {"sigma_eta_rad = -0.01"});
  refused({0.02, 1.01}, -1, {"rho_ab = 1.01", "-1..1"});
  refused({0.02, 0.5}, 1.1, {"field_share = 1.1", "0..1"});
  refused({0.001, 0.5}, -1, {"sigma_eta_rad = 0.001", "fields alone"});
  refused({0.02, -0.9}, 0.9, {"rho_ab = -0.9", "too little white part"});
  refused({0.02, 0.5}, 1.0, {"rho_ab = 0.5", "white part"});
  check_message(refusal([] {
                  with_splitter_statistics({}, {0.02, 0.5}, 100e-6, 0.5);
                }),
                {"field_share = 0.5", "field_m"});
}

// each fails when its validate() is taken out
TEST_CASE("process models that cannot be are refused with field and value") {
  const auto refused = [](const char* name, double value, const auto& set) {
    ProcessModel m = default_process();
    set(m) = value;
    check_message(refusal([&] { validate_process(m); }), {fmt::format("{} = {}", name, value)});
  };
  using M = ProcessModel;
  for (const double bad : {-1e-9, std::nan(""), HUGE_VAL}) {
    refused("width.wafer_bow_m", bad, [](M& m) -> double& { return m.width.wafer_bow_m; });
    refused("width.wafer_tilt_m", bad, [](M& m) -> double& { return m.width.wafer_tilt_m; });
    refused("height.die_m", bad, [](M& m) -> double& { return m.height.die_m; });
    refused("height.field_m", bad, [](M& m) -> double& { return m.height.field_m; });
    refused("width.roughness_m", bad, [](M& m) -> double& { return m.width.roughness_m; });
    refused("sigma_eta_white_rad", bad, [](M& m) -> double& { return m.sigma_eta_white_rad; });
    refused("mzi_loss_db", bad, [](M& m) -> double& { return m.mzi_loss_db; });
    refused("arm_loss_spread_db", bad, [](M& m) -> double& { return m.arm_loss_spread_db; });
    refused("heater_power_spread", bad, [](M& m) -> double& { return m.heater_power_spread; });
    refused("heater_resistance_spread", bad, [](M& m) -> double& { return m.heater_resistance_spread; });
    refused("correlation_length_m", bad, [](M& m) -> double& { return m.correlation_length_m; });
    refused("roughness_length_m", bad, [](M& m) -> double& { return m.roughness_length_m; });
    refused("wavelength_m", bad, [](M& m) -> double& { return m.wavelength_m; });
  }
  refused("correlation_length_m", 0.0, [](M& m) -> double& { return m.correlation_length_m; });
  for (const double bad : {1.01, -1.01, std::nan("")})
    refused("rho_white", bad, [](M& m) -> double& { return m.rho_white; });
  refused("eta_per_gap_rad_per_m", HUGE_VAL, [](M& m) -> double& { return m.eta_per_gap_rad_per_m; });
  refused("index_per_width_per_m", std::nan(""), [](M& m) -> double& { return m.index_per_width_per_m; });
}

TEST_CASE("process: values outside what is reported are named, not refused") {
  ProcessModel m = default_process();
  m.width.field_m = 28 * nano_m;
  m.correlation_length_m = 50e-6;
  m.heater_power_spread = 0.5;
  CHECK_NOTHROW(validate_process(m));
  const auto warnings = process_warnings(m, 200e-6);
  REQUIRE(warnings.size() == 4);
  CHECK(warnings[0].field == "width.field_m");
  CHECK(warnings[1].field == "correlation_length_m");
  CHECK_THAT(warnings[2].text, ContainsSubstring("below the length of an MZI"));
  CHECK(warnings[3].field == "heater_power_spread");
}

// 26 x 33 mm in a radius of 97 mm, centred on a die: rows of centres at 0 (half height 16.5, |x| + 13 <= 95.6:
// 7 dies), +-33 (49.5, 83.4: 5), +-66 (82.5, 51.0: 3). Fails when one corner of a die alone is tested
TEST_CASE("wafer map: the dies that fit, chips numbered wafer after wafer") {
  const auto dies = dies_on_wafer({});
  CHECK(dies.size() == 7 + 2 * 5 + 2 * 3);
  double sum_x = 0, sum_y = 0;
  for (const DiePosition& d : dies) {
    CHECK(std::hypot(std::abs(d.x_m + 13e-3) + 13e-3, std::abs(d.y_m + 16.5e-3) + 16.5e-3) <= 97e-3);
    sum_x += d.x_m + 13e-3;
    sum_y += d.y_m + 16.5e-3;
  }
  CHECK(sum_x == Approx(0.0).margin(1e-12));
  CHECK(sum_y == Approx(0.0).margin(1e-12));
  CHECK(chip_origin(dies, 22).wafer == 0);
  CHECK(chip_origin(dies, 23).wafer == 1);
  CHECK(chip_origin(dies, 25).die == 2);
  CHECK(chip_origin(dies, 25).corner.x_m == dies[2].x_m);
  check_message(refusal([] { dies_on_wafer({0.01, 0, 0.02, 0.02}); }), {"no die of 0.02 x 0.02"});
  check_message(refusal([] { dies_on_wafer({0.1, 0.1, 0.02, 0.02}); }), {"edge_exclusion_m = 0.1"});
  check_message(refusal([] { dies_on_wafer({0.0, 0, 0.02, 0.02}); }), {"radius_m = 0"});
  check_message(refusal([] { dies_on_wafer({0.1, 0, -1, 0.02}); }), {"die_length_m = -1"});
}
