// Model mesh_drift: one mesh over time.

#include <algorithm>

#include "experiments/models/trial_model.hpp"
#include "experiments/run/trials/run_trials.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/trial_record.hpp"

using namespace optinc;

namespace {

StudyConfig study(const std::string& model, const std::string& more = {}) {
  return parse("model = '" + model + "'\n[run]\nseed = 5\n[mesh]\nports = 8\n" + more);
}

/// Variants: 0 drifting, 1 recalibrated.
TrialRecord trial_of(const StudyConfig& config) {
  const TrialModel model = config.model == "mesh" ? mesh_model(config) : mesh_drift_model(config);
  return {model, run_trial(model, config, {0, 2}).record};
}

const std::string nine = "[drift]\ninstants = 9\ninterval_s = 10\nrecalibrate_s = 30\n";
const std::string steady = "sine_k = 0\nou_k = 0\nlaser_m = 0\nwarm_up_s = 1e6\n";

}  // namespace

// Fails when a calibration is missed, or leaves the phases where they were
TEST_CASE("mesh drift: a calibration takes the change of the phases away, and only then") {
  const TrialRecord t = trial_of(study("mesh_drift", nine + "imbalance_m = 1e-4\n"));
  const auto drifting = t.of("mesh_phase_drift", 0), again = t.of("mesh_phase_drift", 1);
  REQUIRE(drifting.size() == 9);
  for (std::size_t k = 0; k < 9; ++k) {
    CAPTURE(k);
    CHECK((drifting[k] == 0.0) == (k == 0));
    CHECK((again[k] == 0.0) == (k % 3 == 0));  // due at 0, 30 and 60 s
    if (k < 3) CHECK(again[k] == drifting[k]);
  }
  CHECK(t.of("mesh_heater_power", 0)[0] > 0.0);
}

// Fails when a mesh has other errors, phases or splitters than that of model mesh, or phase noise of another
// instant
TEST_CASE("mesh drift: right after the first calibration it is the mesh of model mesh") {
  for (const char* chip :
       {"[chip]\npreset = 'doped-heaters'\n", "[chip]\npreset = 'good-lab'\nsigma_phase_rad = 0.02\n"}) {
    const TrialRecord drifting = trial_of(study("mesh_drift", nine + chip)),
                      mesh = trial_of(study("mesh", chip));
    CHECK(drifting.of("instant_mesh_error", 0)[0] == Approx(mesh.of("mesh_error", 1)[0]).epsilon(1e-12));
    CHECK(drifting.of("instant_fidelity", 1)[0] == Approx(mesh.of("fidelity", 1)[0]).epsilon(1e-12));
  }
}

// Fails when a new residual is not drawn, comes on top of the old one, or one draw of phase noise lasts for
// ever
TEST_CASE("mesh drift: in a steady world only residuals and phase noise change") {
  const auto errors = [](const std::string& more, std::size_t variant) {
    return trial_of(study("mesh_drift", nine + steady + "[chip]\npreset = 'ideal'\n" + more))
        .of("instant_mesh_error", variant);
  };
  for (const double error : errors("", 1)) CHECK(error < 1e-10);
  const auto once = errors("sigma_cal_rad = 0.01\n", 0), again = errors("sigma_cal_rad = 0.01\n", 1);
  CHECK(std::ranges::max(once) - std::ranges::min(once) < 1e-9);
  CHECK(again[1] == Approx(again[0]).epsilon(1e-9));
  CHECK(std::abs(again[3] - again[0]) > 1e-5);
  // sigma sqrt(N + 1), whatever was drawn before: two residuals would make sqrt(2) times that
  for (const double error : again) CHECK((error > 0.02 && error < 0.038));
  const auto noisy = errors("sigma_phase_rad = 0.01\n", 0);
  CHECK(std::abs(noisy[1] - noisy[0]) > 1e-5);
}

// Fails when a calibration keeps the first estimates of the splitters, or estimates them on top of each other
TEST_CASE("mesh drift: every calibration estimates the splitters anew") {
  const auto errors = [](const std::string& more, std::size_t variant) {
    return trial_of(study("mesh_drift", nine + steady + "[chip]\npreset = 'ideal'\n[calibration]\n" + more))
        .of("instant_mesh_error", variant);
  };
  const auto once = errors("sigma_estimate_rad = 0.01\n", 0), again = errors("sigma_estimate_rad = 0.01\n", 1);
  CHECK(std::ranges::max(once) - std::ranges::min(once) < 1e-9);
  CHECK(again[1] == Approx(again[0]).epsilon(1e-9));
  CHECK(std::abs(again[3] - again[0]) > 1e-5);
  CHECK(std::abs(again[6] - again[3]) > 1e-5);
  for (const double error : again) CHECK((error > 0.01 && error < 0.08));
}
