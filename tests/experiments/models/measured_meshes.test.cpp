#include "experiments/models/measured_meshes.hpp"

#include <fmt/format.h>

#include "experiments/models/mesh_trial.hpp"
#include "experiments/run/replay.hpp"
#include "experiments/run/run_study.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/run/trials/run_trials.hpp"
#include "onn/chip/calibration.hpp"
#include "onn/chip/environment.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/variation/chip_errors.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/files.hpp"
#include "tests/support/kept_inputs.hpp"
#include "tests/support/results.hpp"
#include "tests/support/run_options.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

/// The errors that `model` draws for a mesh, as a table whose rows begin with the last MZI.
std::string table_of(const MeshTopology& topology, const MeshErrors& e) {
  std::string text =
      "# measured\nupper,column,beta_rad,alpha_rad,theta_offset_rad,phi_offset_rad,theta_arm_loss_db,"
      "phi_arm_loss_db,theta_other_loss_db,phi_other_loss_db\n";
  for (int c = topology.columns(); c-- > 0;)
    for (int k = topology.column_begin[static_cast<std::size_t>(c)];
         k < topology.column_begin[static_cast<std::size_t>(c) + 1]; ++k)
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", topology.mzis[static_cast<std::size_t>(k)].upper,
                          c, e.beta[k], e.alpha[k], e.theta_offset[k], e.phi_offset[k], e.theta_arm_loss_db[k],
                          e.phi_arm_loss_db[k], e.theta_other_loss_db[k], e.phi_other_loss_db[k]);
  return text;
}

StudyConfig study_of(const fs::path& file, const std::string& more = "",
                     const std::string& topology = "clements") {
  return parse(fmt::format(
      "model = 'mesh'\n[run]\nseed = 3\n[runner]\ntrials = 4\n[mesh]\nports = 6\nmeasured = '{}'\ntopology = "
      "'{}'\n[chip]\npreset = 'ideal'\n{}",
      file.string(), topology, more));
}

MeshErrors drawn(const MeshTopology& topology) {
  ErrorModel model = error_preset("good-lab");
  model.sigma_eta_rad = 0.03;
  model.sigma_cal_rad = 0.1;
  model.arm_loss_spread_db = 0;
  MeshErrors errors = draw_mesh_errors(topology, model, {7, 1, 0});
  errors.output_offset.setZero();  // no row of an MZI has it
  return errors;
}

std::vector<double> values(const StudyConfig& config, std::string_view metric, std::size_t trial = 0) {
  const StudyInputs inputs = make_study_inputs(config, true);
  const TrialModel model = make_model(config, inputs);
  const auto record = run_trial(model, config, {0, trial}).record;
  const Quantity& q = *model.find(metric);
  return {record.begin() + static_cast<std::ptrdiff_t>(q.offset),
          record.begin() + static_cast<std::ptrdiff_t>(q.offset + 2)};
}

}  // namespace

// Fails when a row goes to another MZI, a column of the table to another error, or the correction misses one of
// them.
TEST_CASE("a measured mesh is the mesh that was measured") {
  const Scratch scratch;
  for (const char* name : {"clements", "reck"}) {
    INFO(name);
    const StudyConfig config = study_of(scratch / "chip.csv", "", name);
    const MeshTopology topology = mesh_topology(config.mesh);
    const MeshErrors errors = drawn(topology);
    put(scratch / "chip.csv", table_of(topology, errors));
    const MeshTrial trial = draw_mesh_trial(config, 0, make_study_inputs(config, true));
    CHECK(trial.errors.mzis.alpha == errors.alpha);
    CHECK(trial.errors.mzis.beta == errors.beta);
    CHECK(trial.errors.mzis.phi_arm_loss_db == errors.phi_arm_loss_db);
    CHECK(trial.errors.mzis.theta_other_loss_db == errors.theta_other_loss_db);
    CHECK(std::abs(trial.errors.mzis.idle_arm_loss_db - errors.idle_arm_loss_db) < 1e-12);
    const auto error = values(config, "mesh_error");  // (uncorrected, corrected)
    CHECK(error[0] > 0.1);
    CHECK(error[1] < 1e-9);
  }
}

// Fails when the correction knows the deviations that [chip] draws, or all trials draw the same ones.
TEST_CASE("errors of [chip] come on top of what was measured, unknown to the correction") {
  const Scratch scratch;
  const MeshTopology topology = clements_topology(6);
  put(scratch / "chip.csv", table_of(topology, drawn(topology)));
  const StudyConfig config = study_of(scratch / "chip.csv", "sigma_eta_rad = 1e-3\n");
  const MeshErrors on_top = draw_mesh_errors(topology, config.chip, {3, 2, 0});
  const MeshTrial trial = draw_mesh_trial(config, 2, make_study_inputs(config, true));
  CHECK((trial.errors.mzis.alpha - trial.known.alpha - on_top.alpha).cwiseAbs().maxCoeff() < 1e-15);
  CHECK((trial.errors.mzis.beta - trial.known.beta - on_top.beta).cwiseAbs().maxCoeff() < 1e-15);
  const double one = values(config, "mesh_error", 0)[1], other = values(config, "mesh_error", 1)[1];
  CHECK(one != other);
  CHECK((one > 1e-4 && one < 0.02));
}

// Fails when mzi_loss_db does not reach all four arms, or losses of heater arms alone pass without a word.
TEST_CASE("losses of MZIs are given for all arms alike, or warned of") {
  const Scratch scratch;
  const auto read = [&](const std::string& columns, const std::string& values) {
    put(scratch / "chip.csv", fmt::format("column,upper,{0}\n0,0,{1}\n1,1,{1}\n2,0,{1}\n", columns, values));
    return read_mesh_errors(scratch / "chip.csv", clements_topology(3)).errors;
  };
  const MeshErrors errors = read("mzi_loss_db", "0.4");
  for (const Vector* arms : {&errors.theta_arm_loss_db, &errors.phi_arm_loss_db, &errors.theta_other_loss_db,
                             &errors.phi_other_loss_db})
    CHECK((arms->array() == 0.2).all());
  CHECK(errors.idle_arm_loss_db == Approx(0.2));
  check_message(refusal([&] { read("mzi_loss_db,phi_arm_loss_db", "0.4,0.1"); }),
                {"mzi_loss_db", "phi_arm_loss_db"});
  const auto warnings = [&](const std::string& columns, const std::string& values) {
    read(columns, values);
    const StudyConfig config = parse(
        fmt::format("model = 'mesh'\n[mesh]\nports = 3\nmeasured = '{}'\n", (scratch / "chip.csv").string()));
    return lines_of(input_warnings(config, make_study_inputs(config, true)));
  };
  CHECK(warnings("mzi_loss_db", "0.4").empty());
  CHECK(warnings("theta_arm_loss_db,theta_other_loss_db", "0.2,0.1").empty());
  REQUIRE(warnings("theta_arm_loss_db,phi_arm_loss_db", "0.2,0.2").size() == 2);
  CHECK(warnings("phi_arm_loss_db", "0.2").at(0).find("phi_other_loss_db") != std::string::npos);
}

// Fails when resume or replay read the file again, or a merge takes two chips for one.
TEST_CASE("a study keeps the measured mesh that it began with") {
  const Scratch scratch;
  const fs::path file = scratch / "chip.csv";
  const MeshTopology topology = clements_topology(6);
  MeshErrors errors = drawn(topology);
  put(file, table_of(topology, errors));
  const StudyConfig config = study_of(file, "sigma_eta_rad = 1e-3\n");
  check_kept_inputs(config, scratch,
                    [&] {
                      errors.phi_offset[3] += 1e-3;
                      put(file, table_of(topology, errors));
                    },
                    {"second.h5: other errors of mesh.measured", "first.h5"});
}

TEST_CASE("measurements of no mesh of the study are refused by line") {
  const Scratch scratch;
  const fs::path file = scratch / "chip.csv";
  const MeshTopology topology = clements_topology(6);
  const std::string good =
      "column,upper,alpha_rad\n0,0,0.01\n0,2,0\n0,4,0\n1,1,0\n1,3,0\n2,0,0\n2,2,0\n2,4,0\n3,1,0\n3,3,0\n4,0,"
      "0\n4,2,"
      "0\n4,4,0\n5,1,0\n5,3,0\n";
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& more = "") {
    std::string text = good;
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    put(file, text);
    return refusal([&] { make_study_inputs(study_of(file, more), true); });
  };
  const std::string path = file.string();
  CHECK(refused("", "").empty());
  CHECK(refused("0,2,0\n", "") ==
        path + ": 14 rows for 15 MZIs, none for column 0, upper port 2 (one row each). Add it.");
  CHECK_THAT(
      refused("0,2,0\n", "0,1,0\n"),
      ContainsSubstring(path + ":3: no MZI in column 0 with upper port 1 (the mesh has 6 ports and 6 columns"));
  CHECK_THAT(refused("0,2,0\n", "0,0,0\n"), ContainsSubstring(path + ":3: the MZI of line 2 again"));
  CHECK_THAT(refused("0,2,0\n", "0,2,nan\n"), ContainsSubstring(path + ":3: "));
  CHECK_THAT(refused("0,2,0\n", "0,2\n"), ContainsSubstring(path + ":3: 2 cells (expected 3"));
  CHECK_THAT(refused("alpha_rad", "alpha"),
             ContainsSubstring("column \"alpha\" is unknown (known: column, upper, alpha_rad"));
  put(file,
      std::string("column,upper\n0,0\n0,2\n0,4\n1,1\n1,3\n2,0\n2,2\n2,4\n3,1\n3,3\n4,0\n4,2\n4,4\n5,1\n5,3\n"));
  CHECK_THAT(refusal([&] { make_study_inputs(study_of(file), true); }), ContainsSubstring("no measured error"));
  CHECK_THAT(refused("alpha_rad", "upper"), ContainsSubstring("column upper is there twice"));
  CHECK_THAT(refused("column,upper", "upper,beta_rad"), ContainsSubstring("no column \"column\""));
  CHECK_THAT(refused("alpha_rad\n0,0,0.01", "phi_arm_loss_db\n0,0,-0.01"),
             ContainsSubstring("light is not amplified"));
  CHECK_THAT(refused("", "", "[calibration]\nsigma_estimate_rad = 1e-3\n"),
             ContainsSubstring("what was measured is the estimate"));
  CHECK_THAT(refusal([&] { parse("model = 'chip'\n[mesh]\nmeasured = 'chip.csv'\n"); }),
             ContainsSubstring("it would be ignored"));
  CHECK_THAT(refusal([&] { make_study_inputs(study_of(scratch / "gone.csv"), true); }),
             ContainsSubstring("no such file"));
}

// Fails when heaters of a measured mesh are trimmed for static phases that were measured with it, or when a
// replayed trial leaves the change out.
TEST_CASE("a measured mesh is detuned as its own program heats it") {
  const Scratch scratch;
  const fs::path file = scratch / "chip.csv";
  const MeshTopology topology = clements_topology(6);
  put(file, table_of(topology, drawn(topology)));
  const StudyConfig config = study_of(file, "[environment]\nwavelength_m = 1e-9\n");
  const MeshTrial trial = draw_mesh_trial(config, 2, make_study_inputs(config, true));
  const MeshProgram program = programmed_mesh(trial, "corrected_quadrature", config.chip).program;
  const MeshErrors expected =
      errors_in({0.0, 1e-9}, trial.errors.mzis, program, draw_mesh_imbalance(topology, {}, {3, 2, 0}), {}, {});
  const MeshErrors found = errors_in_use(trial, program, config).mzis;
  CHECK(found.theta_offset == expected.theta_offset);
  CHECK(found.phi_offset == expected.phi_offset);
  CHECK(found.alpha == expected.alpha);
  CHECK(values(config, "mesh_error")[1] > values(study_of(file), "mesh_error")[1] + 0.005);
  run_study(config, to(scratch / "detuned.h5"));
  CHECK(replay_trial(scratch / "detuned.h5", 0, 3, to(scratch / "trial.h5")).differing == 0);
}

namespace {

/// A matrix of 4 ports: theta 0..5, phi 6..11, output phases 12..15.
struct Entry {
  int receiver, giver;
  double rad_per_rad;
};
constexpr Entry entries[] = {{0, 1, 0.03}, {1, 0, 0.05},  {2, 7, -0.02},
                             {7, 2, 0.04}, {13, 5, 0.01}, {9, 15, 0.06}};
constexpr int heaters = 16;

std::string crosstalk_csv(std::span<const Entry> of) {
  std::string text = "# rad per rad\n";
  for (int i = 0; i < heaters; ++i)
    for (int j = 0; j < heaters; ++j) {
      double value = 0.0;
      for (const Entry& e : of)
        if (e.receiver == i && e.giver == j) value = e.rad_per_rad;
      text += fmt::format("{}{}", value, j + 1 < heaters ? "," : "\n");
    }
  return text;
}

/// P_pi of theta and phi in the order of the mesh, of which the design says 10 mW.
constexpr double theta_w[] = {10e-3, 11e-3, 9e-3, 10.5e-3, 10e-3, 12e-3},
                 phi_w[] = {9.5e-3, 10e-3, 10e-3, 8e-3, 10e-3, 11e-3};
constexpr double design_w = 10e-3;

StudyConfig study_of_heaters(const Scratch& scratch, const std::vector<std::string>& settings = {}) {
  std::vector<std::string> all = {"chip.preset=ideal", fmt::format("heater.pi_power_w={}", design_w),
                                  "mesh.measured=" + (scratch / "chip.csv").string(),
                                  "mesh.measured_crosstalk=" + (scratch / "crosstalk.csv").string()};
  all.insert(all.end(), settings.begin(), settings.end());
  return parse("model = 'mesh'\n[run]\nseed = 3\n[runner]\ntrials = 4\n[mesh]\nports = 4\n", all);
}

void put_heaters(const Scratch& scratch) {
  std::string text = "column,upper,theta_pi_power_w,phi_pi_power_w\n";
  const MeshTopology topology = clements_topology(4);
  std::size_t k = 0;
  for (int c = 0; c < topology.columns(); ++c)
    for (const PortPair& mzi : topology.column(c)) {
      text += fmt::format("{},{},{},{}\n", c, mzi.upper, theta_w[k], phi_w[k]);
      ++k;
    }
  put(scratch / "chip.csv", text);
  put(scratch / "crosstalk.csv", crosstalk_csv(entries));
}

/// What the light gets of phases p when powers are set as the design has it: P_design / P of every heater's
/// own, and X of these.
MeshProgram by_hand(const MeshProgram& set) {
  std::vector<double> own, light;
  for (int k = 0; k < 6; ++k) own.push_back(set.theta[k] * design_w / theta_w[k]);
  for (int k = 0; k < 6; ++k) own.push_back(set.phi[k] * design_w / phi_w[k]);
  for (int p = 0; p < 4; ++p) own.push_back(set.output_phase[p]);
  light = own;
  for (const Entry& e : entries)
    light[static_cast<std::size_t>(e.receiver)] += e.rad_per_rad * own[static_cast<std::size_t>(e.giver)];
  MeshProgram found = set;
  for (int k = 0; k < 6; ++k) found.theta[k] = light[static_cast<std::size_t>(k)];
  for (int k = 0; k < 6; ++k) found.phi[k] = light[static_cast<std::size_t>(6 + k)];
  for (int p = 0; p < 4; ++p) found.output_phase[p] = light[static_cast<std::size_t>(12 + p)];
  return found;
}

/// Power of all heaters where own phases solve own = p - X own, by iteration.
double power_by_hand_w(const MeshProgram& set) {
  std::vector<double> wanted, constants(heaters, design_w);
  for (int k = 0; k < 6; ++k) wanted.push_back(set.theta[k]);
  for (int k = 0; k < 6; ++k) wanted.push_back(set.phi[k]);
  for (int p = 0; p < 4; ++p) wanted.push_back(set.output_phase[p]);
  std::copy(std::begin(theta_w), std::end(theta_w), constants.begin());
  std::copy(std::begin(phi_w), std::end(phi_w), constants.begin() + 6);
  std::vector<double> own = wanted;
  for (int round = 0; round < 40; ++round) {
    std::vector<double> next = wanted;
    for (const Entry& e : entries)
      next[static_cast<std::size_t>(e.receiver)] -= e.rad_per_rad * own[static_cast<std::size_t>(e.giver)];
    own = next;
  }
  double power_w = 0.0;
  for (std::size_t i = 0; i < own.size(); ++i) power_w += own[i] * constants[i] / M_PI;
  return power_w;
}

}  // namespace

// Fails when rows and columns of the crosstalk are exchanged, when a heater's constant acts upside down or on
// another heater, and when the correction does not solve for both.
TEST_CASE("measured heaters and their crosstalk act as a matrix typed by hand says") {
  const Scratch scratch;
  put_heaters(scratch);
  const StudyConfig config = study_of_heaters(scratch);
  const MeshTrial drawn = draw_mesh_trial(config, 1, make_study_inputs(config, true));
  MeshTrial blind = drawn, knowing = drawn;
  const MeshProgram set = programmed_mesh(drawn, "uncorrected", config.chip).program;
  const double blind_w = *add_measured_heat(blind, set, "uncorrected", config);
  const Matrix wanted = reference_transfer_matrix(drawn.topology, by_hand(set), no_errors(drawn.topology));
  CHECK((found_matrix(blind, set) - wanted).cwiseAbs().maxCoeff() < 1e-12);
  CHECK((wanted - drawn.target).cwiseAbs().maxCoeff() > 0.1);
  CHECK(blind_w == Approx((set.theta.sum() + set.phi.sum() + set.output_phase.sum()) * design_w / M_PI));
  const double knowing_w = *add_measured_heat(knowing, set, "corrected_quadrature", config);
  CHECK((found_matrix(knowing, set) - drawn.target).cwiseAbs().maxCoeff() < 1e-11);
  CHECK(knowing_w == Approx(power_by_hand_w(set)).epsilon(1e-12));
  CHECK(knowing_w != Approx(blind_w).epsilon(1e-4));
  const auto error = values(config, "mesh_error", 1);  // (uncorrected, corrected)
  CHECK(error[0] == Approx((wanted - drawn.target).norm() / 2).epsilon(1e-12));
  CHECK(error[1] < 1e-11);
  // what [chip] leaves is unknown to both
  CHECK(values(study_of_heaters(scratch, {"chip.sigma_cal_rad=0.01"}), "mesh_error", 1)[1] > 1e-3);
}

// Fails when heaters of a mesh that was not measured itself are asked for phases of the program
TEST_CASE("measured crosstalk alone acts on heaters that also make up for static phases") {
  const Scratch scratch;
  put_heaters(scratch);
  const StudyConfig config = study_of_heaters(scratch, {"mesh.measured=none"});
  const MeshTrial drawn = draw_mesh_trial(config, 1, make_study_inputs(config, true));
  const MeshProgram set = programmed_mesh(drawn, "uncorrected", config.chip).program;
  const MeshProgram asked = trimmed(set, true, {3, 1, 0});
  MeshTrial blind = drawn;
  add_measured_heat(blind, set, "uncorrected", config);
  CHECK(blind.errors.mzis.theta_offset[0] == Approx(0.03 * asked.theta[1]).epsilon(1e-12));
  CHECK(blind.errors.mzis.phi_offset[3] == Approx(0.06 * asked.output_phase[3]).epsilon(1e-12));
  CHECK(blind.errors.mzis.output_offset[1] == Approx(0.01 * asked.theta[5]).epsilon(1e-12));
}

// Fails when a result file leaves constants or crosstalk out, or a merge does not look at them
TEST_CASE("a study keeps the heaters that it began with") {
  const Scratch scratch;
  put_heaters(scratch);
  const StudyConfig config = study_of_heaters(scratch);
  check_kept_inputs(config, scratch,
                    [&] { put(scratch / "crosstalk.csv", crosstalk_csv(std::span(entries).first(4))); },
                    {"second.h5: other crosstalk of mesh.measured_crosstalk", "first.h5"});
  const StudyInputs kept = read_study_inputs(File::open(scratch / "whole.h5").root());
  REQUIRE((kept.measured.size() == 1 && kept.crosstalks.size() == 1));
  CHECK(kept.measured[0].found.phi_p_pi_w[3] == 8e-3);
  CHECK(kept.crosstalks[0].rad_per_rad(9, 15) == 0.06);
  CHECK(kept.crosstalks[0].rad_per_rad(15, 9) == 0.0);
}

TEST_CASE("heaters and crosstalk of no mesh of the study are refused by line") {
  const Scratch scratch;
  put_heaters(scratch);
  const fs::path chip = scratch / "chip.csv", crosstalk = scratch / "crosstalk.csv";
  const auto refused = [&](const std::vector<std::string>& settings = {}) {
    return refusal([&] { make_study_inputs(study_of_heaters(scratch, settings), true); });
  };
  const std::string good = bytes_of(crosstalk), measured = bytes_of(chip);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    put(crosstalk, text);
    return refused();
  };
  CHECK(refused().empty());
  const std::string path = crosstalk.string();
  CHECK_THAT(with("0,0.03,0", "0,0.03"),
             ContainsSubstring(path + ":2: row 0 has 15 numbers (expected 16 x 16: theta "
                                      "and phi of 6 MZIs and 4 output phases)"));
  CHECK_THAT(with("0,0.03,0", "0,nan,0"), ContainsSubstring(path + ":2: "));
  CHECK_THAT(with("0,0.03,0", "1,0.03,0"), ContainsSubstring(path + ":2: 1 from heater 0 to itself"));
  put(crosstalk, good.substr(0, good.size() - 32));
  CHECK_THAT(refused(), ContainsSubstring("15 rows (expected 16 x 16"));
  put(crosstalk, good + good.substr(good.find('\n') + 1));
  CHECK_THAT(refused(), ContainsSubstring(path + ":18: row 16"));
  put(crosstalk, good);
  CHECK_THAT(refused({"mesh.measured=none", "mesh.ports=5"}), ContainsSubstring("expected 25 x 25"));
  CHECK_THAT(refused({"mesh.measured_crosstalk=crosstalk.txt"}), ContainsSubstring("extension \".txt\""));
  for (const char* p_pi : {"0", "-0.01"}) {
    std::string text = measured;
    text.replace(text.find("0.011"), 5, p_pi);
    put(chip, text);
    CHECK_THAT(refused(), ContainsSubstring(chip.string() + ":3: theta_pi_power_w = "));
  }
  put(chip, measured);
  // 1 + X without an inverse: no powers give the phases
  const Entry both[] = {{0, 1, 1.0}, {1, 0, 1.0}};
  put(crosstalk, crosstalk_csv(both));
  const StudyConfig config = study_of_heaters(scratch);
  const StudyInputs inputs = make_study_inputs(config, true);
  MeshTrial trial = draw_mesh_trial(config, 1, inputs);
  const MeshProgram set = programmed_mesh(trial, "corrected_quadrature", config.chip).program;
  CHECK_THAT(refusal([&] { add_measured_heat(trial, set, "corrected_quadrature", config); }),
             ContainsSubstring("mesh.measured_crosstalk = " + path));
  CHECK_THAT(refusal([&] { parse("model = 'chip'\n[mesh]\nmeasured_crosstalk = 'x.csv'\n"); }),
             ContainsSubstring("it would be ignored"));
}
