#include "experiments/models/mesh_targets.hpp"

#include <fmt/format.h>

#include "experiments/files/chips/matrix_file.hpp"
#include "experiments/models/mesh_trial.hpp"
#include "experiments/run/merge_studies.hpp"
#include "experiments/run/replay.hpp"
#include "experiments/run/run_study.hpp"
#include "experiments/run/state.hpp"
#include "experiments/run/study_inputs.hpp"
#include "experiments/run/trials/run_trials.hpp"
#include "experiments/study/points.hpp"
#include "physics/random/haar.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/results.hpp"
#include "tests/support/run_options.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;
namespace fs = std::filesystem;

namespace {

Matrix haar(int ports, std::uint32_t number) {
  Stream stream(11, Purpose::haar, number);
  return haar_unitary(ports, stream);
}

void write(const fs::path& path, const Matrix& matrix) { write_matrix(path, matrix, "target", "a test", true); }

StudyConfig study_of(const fs::path& file, int ports, const std::string& more = "") {
  return parse(
      fmt::format("model = 'mesh'\n[run]\nseed = 3\n[runner]\ntrials = 4\n[chip]\npreset = "
                  "'good-lab'\n[mesh]\nports = {}\ntarget = '{}'\n{}",
                  ports, file.string(), more));
}

/// What is wrong with a matrix, as a study says.
std::string refused(const fs::path& path, const Matrix& matrix, int ports) {
  write(path, matrix);
  return refusal([&] { make_study_inputs(study_of(path, ports), true); });
}

}  // namespace

// mutation: a file's matrix is transposed, or the draw of its errors depends on the target
TEST_CASE("a mesh of a file's matrix does what the mesh does that drew this matrix") {
  const Scratch scratch;
  StudyConfig drawn = study_of(scratch / "u.csv", 6);
  drawn.mesh.target = "unitary";
  const Matrix target = draw_mesh_trial(drawn, 2).target;
  for (const char* name : {"u.csv", "u.h5", "u.s12p"}) {
    INFO(name);
    write(scratch / name, target);
    const StudyConfig config = study_of(scratch / name, 6);
    const TrialModel model = make_model(config, make_study_inputs(config, true));
    const auto wanted = run_trial(mesh_model(drawn), drawn, {0, 2}).record;
    CHECK(run_trial(model, config, {0, 2}).record == wanted);
    CHECK(run_trial(model, config, {0, 1}).record != wanted);  // another chip
    const StudyInputs inputs = read_files({config});
    CHECK(draw_mesh_trial(config, 0, inputs).target == target);
    CHECK(draw_mesh_trial(config, 1, inputs).target == target);
  }
}

// mutation: the file is read again by resume, replay or merge
TEST_CASE("a study keeps the matrix that it began with") {
  const Scratch scratch;
  const fs::path file = scratch / "u.csv";
  write(file, haar(5, 0));
  const StudyConfig config = study_of(file, 5);
  StudyConfig longer = config;
  longer.runner.trials = 6;
  run_study(longer, to(scratch / "whole.h5"));
  run_study(config, to(scratch / "grown.h5"));
  RunOptions half = to(scratch / "first.h5");
  half.shard = {1, 2};
  run_study(config, half);

  fs::remove(file);
  CHECK(resume_study({.trials = 6, .threads = {}, .time_limit_s = {}}, to(scratch / "grown.h5")) ==
        Ending::complete);
  check_same_results(scratch / "grown.h5", scratch / "whole.h5");
  CHECK(replay_trial(scratch / "whole.h5", 0, 3, to(scratch / "trial.h5")).differing == 0);

  const auto other_half = [&](const Matrix& matrix) {
    write(file, matrix);
    RunOptions options = to(scratch / "second.h5");
    options.shard = {2, 2};
    options.force = true;
    run_study(config, options);
    merge_studies({scratch / "first.h5", scratch / "second.h5"}, to(scratch / "merged.h5"));
  };
  check_message(refusal([&] { other_half(haar(5, 1)); }),
                {"second.h5: other matrices of mesh.target", "first.h5"});
  other_half(haar(5, 0));
  CHECK(read_state(scratch / "merged.h5").records->count() == 4);
}

// mutation: a point takes the first matrix
TEST_CASE("a sweep of matrices gives each point its own") {
  const Scratch scratch;
  const fs::path small = scratch / "small.csv", large = scratch / "large.csv";
  write(small, haar(3, 0));
  write(large, haar(7, 1));
  const StudyConfig swept = parse(fmt::format(
      "model = 'mesh'\n[chip]\npreset = 'ideal'\n[[sweep]]\nvalues = {{\"mesh.target\" = ['{}', '{}', "
      "'unitary'], \"mesh.ports\" = [3, 7, 4]}}\n",
      small.string(), large.string()));
  const StudyInputs inputs = make_study_inputs(swept, true);
  REQUIRE(inputs.targets.size() == 2);
  const TrialModel model = make_model(swept, inputs);
  const Matrix wanted[] = {haar(3, 0), haar(7, 1)};
  for (std::size_t p = 0; p < 3; ++p) {
    const StudyConfig there = config_at(swept, p);
    if (p < 2) CHECK(draw_mesh_trial(there, 0, inputs).target == wanted[p]);
    CHECK(run_trial(model, there, {p, 0}).record[model.find("mesh_error")->offset] < 1e-12);
  }
}

// The polar factor of 1.001 U is U, and one rounded to four decimals stays that close. Fails when the matrix
// itself is kept in place of the nearest.
TEST_CASE("a matrix that is not unitary stands for the nearest that is, where the study says so") {
  const Scratch scratch;
  const fs::path path = scratch / "u.csv";
  StudyConfig config = study_of(path, 4);
  config.mesh.nearest_unitary = true;
  write(path, 1.001 * haar(4, 0));
  CHECK((make_study_inputs(config, true).targets[0].matrix - haar(4, 0)).cwiseAbs().maxCoeff() < 1e-13);
  const Matrix rounded = haar(4, 0).unaryExpr(
      [](Complex z) { return Complex(std::round(1e4 * z.real()), std::round(1e4 * z.imag())) / 1e4; });
  write(path, rounded);
  const Matrix target = make_study_inputs(config, true).targets[0].matrix;
  CHECK((target - rounded).cwiseAbs().maxCoeff() < 2e-4);
  CHECK((target.adjoint() * target - Matrix::Identity(4, 4)).cwiseAbs().maxCoeff() < 1e-13);
  config.sweeps = {{"nearest", {{"mesh.nearest_unitary", {true, false}}}, {}}};
  check_message(refusal([&] { make_study_inputs(config, true); }),
                {"mesh.nearest_unitary", "out of the sweep"});
}

TEST_CASE("matrices that no mesh of the study has are refused") {
  const Scratch scratch;
  const fs::path path = scratch / "u.csv";
  CHECK(refused(path, haar(4, 0), 4).empty());
  check_message(refused(path, haar(4, 0), 5), {path.string(), "4 ports", "mesh.ports = 4"});
  check_message(refused(path, 1.001 * haar(4, 0), 4),
                {path.string(), "not unitary", "Set mesh.nearest_unitary = true"});
  check_message(refused(path, haar(4, 0).leftCols(3), 4), {path.string(), "4 x 3", "square"});
  check_message(refusal([&] { make_study_inputs(study_of(scratch / "none.csv", 4), true); }), {"none.csv"});
  check_message(refusal([&] { make_study_inputs(study_of(scratch / "u.txt", 4), true); }), {"u.txt", ".sNp"});
  check_message(complaint("[mesh]\ntarget = 'unitry'\n"),
                {"mesh.target = \"unitry\"", "unitary", "orthogonal"});
}
