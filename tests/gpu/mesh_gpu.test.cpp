// The mesh on a GPU against the engine and the slow gradient, which the tests of physics/mesh hold.

#include "physics/gpu/mesh_gpu.hpp"

#include <limits>

#include "physics/core/check.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/mesh_gradient.hpp"
#include "physics/mesh/reference_correction.hpp"
#include "physics/mesh/reference_mesh.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

/// Pairs far apart, a column with one pair and one with none.
MeshTopology scattered() {
  MeshTopology t;
  t.ports = 7;
  t.mzis = {{0, 5}, {1, 2}, {3, 6}, {2, 4}, {0, 1}, {2, 3}};
  t.column_begin = {0, 3, 4, 4, 6};
  return t;
}

/// Rectangular meshes on both sides of every bound of the kernels, and the others.
std::vector<MeshTopology> topologies(bool large = true) {
  std::vector<MeshTopology> all;
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 63, 64}) all.push_back(clements_topology(n));
  for (const int n : {2, 3, 8, 13}) all.push_back(reck_topology(n));
  for (const int n : {2, 8, 32}) all.push_back(butterfly_topology(n));
  all.push_back(scattered());
  if (!large) return all;
  for (const int n : {65, 100, 128, 129, 256, 257}) all.push_back(clements_topology(n));
  return all;
}

/// Phases, errors of splitters and phases of 0.1 rad, arms of 0 to 1 dB: numbers that float can hold.
struct Case {
  MeshProgram program;
  MeshErrors errors;
};
Case random_case(const MeshTopology& t) {
  Stream s = test_stream(5, static_cast<std::uint32_t>(t.ports));
  const Case c = {random_program(t, s), random_lossy_errors(t, 0.1, s)};
  return {c.program.cast<float>().cast<double>(), c.errors.cast<float>().cast<double>()};
}

template <class Real>
double tolerance(const MeshTopology& t) {
  return 4.0 * std::numeric_limits<Real>::epsilon() * (std::sqrt(t.columns()) + 4);
}

template <class Real>
bool same_bits(const FieldBatchOf<Real>& a, const FieldBatchOf<Real>& b) {
  return a.re == b.re && a.im == b.im;
}

const MeshAddress address = {11, 40, 3};

}  // namespace

TEMPLATE_TEST_CASE("a mesh on a GPU gives the fields of the engine", "", float, double) {
  // eps times the root of the depth times a few: fails when a column, a shift or a port is missed
  for (const MeshTopology& t : topologies())
    for (const int words : {1, 33, 100}) {
      CAPTURE(t.ports, t.columns(), words);
      const auto [program, errors] = random_case(t);
      Stream s = test_stream(6);
      const FieldBatchOf<TestType> inputs(random_fields(t.ports, words, s));
      FieldBatch expected(inputs);
      settled(t, program, errors).propagate(expected);
      MeshGpu<TestType> mesh(t);
      mesh.settle(program.cast<TestType>(), errors.cast<TestType>());
      FieldBatchOf<TestType> fields = inputs;
      mesh.propagate(fields);
      REQUIRE(max_abs(fields.complex() - expected.complex()) < tolerance<TestType>(t) * 4);
    }
}

TEMPLATE_TEST_CASE("a word's fields on a GPU do not depend on the words beside it", "", float, double) {
  // more words than one launch takes
  const MeshTopology t = clements_topology(8);
  const auto [program, errors] = random_case(t);
  Stream s = test_stream(7);
  FieldBatchOf<TestType> many(random_fields(8, 300'000, s)), few(8, 5);
  few.re = many.re.rightCols(5);
  few.im = many.im.rightCols(5);
  MeshGpu<TestType> mesh(t);
  mesh.settle(program.cast<TestType>(), errors.cast<TestType>());
  mesh.propagate(many);
  mesh.propagate(few);
  CHECK(few.re == many.re.rightCols(5));
  CHECK(few.im == many.im.rightCols(5));
}

TEMPLATE_TEST_CASE("chips on a GPU are the chips that draw_mesh_errors draws", "", float, double) {
  // one normal off by 1e-11 would show in double
  ErrorModel every = error_preset("doped-heaters");
  every.sigma_phase_rad = 0.003;
  ErrorModel splitters;  // sources that are off draw nothing
  splitters.sigma_eta_rad = 0.02;
  splitters.rho_ab = -1.0;
  for (const MeshTopology& t : topologies(sizeof(TestType) == 8))
    for (const ErrorModel& model : {every, splitters, ErrorModel{}}) {
      CAPTURE(t.ports, t.columns(), model.sigma_eta_rad, model.rho_ab);
      const MeshProgramOf<TestType> program = random_case(t).program.template cast<TestType>();
      Stream s = test_stream(8);
      const FieldBatchOf<TestType> inputs(random_fields(t.ports, 9, s));
      MeshGpu<TestType> mesh(t);
      const auto chips = mesh.chip_fields(program, model, address, 3, inputs);
      const auto compared = mesh.chip_deviations(program, model, address, 3, inputs);
      REQUIRE(chips.size() == 3);
      MeshEngine<double> engine(t);
      const auto expected_deviations =
          chip_deviations<double>(t, program.template cast<double>(), model, address, 3, FieldBatch(inputs));
      for (std::uint32_t i = 0; i < 3; ++i) {
        MeshErrorsOf<TestType> errors;
        draw_mesh_errors(t, model, {address.seed, address.chip + i, address.mesh}, errors);
        engine.settle(on_dac(program, model).template cast<double>(), errors.template cast<double>());
        FieldBatch expected(inputs);
        engine.propagate(expected);
        REQUIRE(max_abs(chips[i].complex() - expected.complex()) < tolerance<TestType>(t) * 4);
        REQUIRE(std::abs(compared[i].change - expected_deviations[i].change) < tolerance<TestType>(t));
        REQUIRE(std::abs(compared[i].error - expected_deviations[i].error) < tolerance<TestType>(t));
      }
    }
}

TEMPLATE_TEST_CASE("chips on a GPU are corrected for their splitters", "", float, double) {
  // splitters that many MZIs cannot make up for, so that `quadrature` counts; one phase carried on to the wrong
  // port shows. In float an MZI at the edge of what its splitters reach may be clipped or not: a DAC step more
  ErrorModel model = error_preset("doped-heaters");
  model.sigma_eta_rad = 0.15;
  for (const MeshTopology& t : topologies(false))
    for (const Clipping clipping : {Clipping::nearest, Clipping::quadrature})
      for (const int bits : {0, 8}) {
        CAPTURE(t.ports, t.columns(), static_cast<int>(clipping), bits);
        model.dac_bits = bits;
        model.dac_voltage = bits > 0 && clipping == Clipping::nearest;
        const MeshProgram program = random_case(t).program;
        Stream s = test_stream(8);
        const FieldBatchOf<TestType> inputs(random_fields(t.ports, 9, s));
        const MeshGpu<TestType> mesh(t);
        const auto chips = mesh.chip_fields(program.cast<TestType>(), model, address, 3, inputs, clipping);
        for (std::uint32_t i = 0; i < 3; ++i) {
          MeshErrors errors;
          draw_mesh_errors(t, model, {address.seed, address.chip + i, address.mesh}, errors);
          const CorrectedProgram corrected =
              reference_correct_splitters(t, program, errors.alpha, errors.beta, clipping);
          MeshEngine<double> engine(t);
          engine.settle(quantise(corrected.program, bits, dac_mode(model)), errors);
          FieldBatch expected(inputs);
          engine.propagate(expected);
          const double bound = sizeof(TestType) == 8 ? 2e-14 * (t.ports + 8)
                               : bits == 0           ? 1e-5 * (t.ports + 8)
                                                     : 0.1;
          REQUIRE(max_abs(chips[i].complex() - expected.complex()) < bound * std::sqrt(t.ports));
        }
      }
}

TEST_CASE("chips on a GPU do not depend on how many are asked for at once") {
  // more than fit into the memory of one batch, on few words
  const MeshTopology t = clements_topology(64);
  const MeshProgramOf<float> program = random_case(t).program.cast<float>();
  const FieldBatchOf<float> x(Matrix::Identity(64, 64));
  const MeshGpu<float> mesh(t);
  const auto all = mesh.chip_deviations(program, error_preset("doped-heaters"), {1, 0, 0}, 20000, x);
  for (const std::uint32_t chip : {0u, 7000u, 8191u, 19999u}) {
    CAPTURE(chip);
    const ChipDeviation one =
        mesh.chip_deviations(program, error_preset("doped-heaters"), {1, chip, 0}, 1, x).front();
    CHECK(one.change == all[chip].change);
    CHECK(one.error == all[chip].error);
  }
}

TEMPLATE_TEST_CASE("derivatives on a GPU are those of the slow reverse mode", "", float, double) {
  for (const MeshTopology& t : topologies(false))
    for (const int words : {1, 37}) {
      CAPTURE(t.ports, t.columns(), words);
      const auto [program, errors] = random_case(t);
      Stream s = test_stream(9);
      const FieldBatchOf<TestType> inputs(random_fields(t.ports, words, s));
      FieldBatchOf<TestType> gradient(random_fields(t.ports, words, s));
      const ReferenceGradient expected =
          reference_mesh_gradient(t, program, errors, inputs.complex(), gradient.complex());
      MeshGpu<TestType> mesh(t);
      mesh.settle(program.cast<TestType>(), errors.cast<TestType>());
      const MeshGradient found = mesh.backward(inputs, gradient).template cast<double>();
      const double bound = 30 * words * std::numeric_limits<TestType>::epsilon() * (std::sqrt(t.columns()) + 2);
      REQUIRE(max_abs(gradient.complex() - expected.fields) < bound);
      REQUIRE(max_abs(found.theta - expected.theta) < bound);
      REQUIRE(max_abs(found.phi - expected.phi) < bound);
      REQUIRE(max_abs(found.alpha - expected.alpha) < 2 * bound);
      REQUIRE(max_abs(found.beta - expected.beta) < 2 * bound);
      REQUIRE(max_abs(found.theta_arm_loss_db - expected.theta_arm_loss_db) < bound);
      REQUIRE(max_abs(found.phi_arm_loss_db - expected.phi_arm_loss_db) < bound);
      REQUIRE(max_abs(found.theta_other_loss_db - expected.theta_other_loss_db) < bound);
      REQUIRE(max_abs(found.phi_other_loss_db - expected.phi_other_loss_db) < bound);
      REQUIRE(max_abs(found.output_phase - expected.output_phase) < bound);
      REQUIRE(std::abs(found.idle_arm_loss_db - expected.idle_arm_loss_db) < bound * t.ports);
    }
}

TEST_CASE("derivatives on a GPU hold where inverting a mesh does not") {
  // arms that differ by 25 dB over 16 columns: what an inverse makes of the outputs is noise
  const MeshTopology t = clements_topology(16);
  auto [program, errors] = random_case(t);
  errors.theta_arm_loss_db.setConstant(25);
  Stream s = test_stream(12);
  const FieldBatchOf<float> inputs(random_fields(16, 40, s));
  FieldBatchOf<float> gradient(random_fields(16, 40, s));
  const ReferenceGradient expected =
      reference_mesh_gradient(t, program, errors, inputs.complex(), gradient.complex());
  MeshGpu<float> mesh(t);
  mesh.settle(program.cast<float>(), errors.cast<float>());
  const MeshGradient found = mesh.backward(inputs, gradient).cast<double>();
  CHECK(max_abs(found.theta - expected.theta) < 1e-5 * max_abs(expected.theta) + 1e-6);
  CHECK(max_abs(found.alpha - expected.alpha) < 1e-5 * max_abs(expected.alpha) + 1e-6);
  CHECK(max_abs(gradient.complex() - expected.fields) < 1e-5);
}

TEST_CASE("derivatives on a GPU hold for words in several parts, and have the same bits again") {
  const MeshTopology t = clements_topology(256);
  const auto [program, errors] = random_case(t);
  Stream s = test_stream(10);
  const FieldBatch inputs(random_fields(256, 2100, s)), given(random_fields(256, 2100, s));
  MeshEngine<double> engine(t);
  engine.settle(program, errors, true);
  FieldBatch outputs = inputs, by_engine = given;
  engine.propagate(outputs);
  const MeshGradient expected = engine.backward(inputs, outputs, by_engine).parameters;
  MeshGpu<double> mesh(t);
  mesh.settle(program, errors);
  FieldBatch gradient = given, again = given;
  const MeshGradient found = mesh.backward(inputs, gradient), repeated = mesh.backward(inputs, again);
  CHECK(max_abs(gradient.complex() - by_engine.complex()) < 1e-11);
  CHECK(max_abs(found.theta - expected.theta) < 1e-9);
  CHECK(max_abs(found.alpha - expected.alpha) < 1e-9);
  CHECK(max_abs(found.output_phase - expected.output_phase) < 1e-9);
  CHECK(std::abs(found.idle_arm_loss_db - expected.idle_arm_loss_db) < 1e-8);
  CHECK(found.theta == repeated.theta);
  CHECK(found.output_phase == repeated.output_phase);
  CHECK(found.idle_arm_loss_db == repeated.idle_arm_loss_db);
  CHECK(same_bits(gradient, again));
}

TEST_CASE("a mesh on a GPU refuses what the engine refuses") {
  const MeshTopology t = clements_topology(4);
  auto [program, errors] = random_case(t);
  MeshGpu<double> mesh(t);
  FieldBatch fields(4, 3);
  CHECK_THROWS_WITH(mesh.propagate(fields), ContainsSubstring("not settled"));
  mesh.settle(program, errors);
  FieldBatch wrong(5, 3);
  CHECK_THROWS_WITH(mesh.propagate(wrong), ContainsSubstring("4 ports"));
  FieldBatch fewer(4, 2);
  CHECK_THROWS_WITH(mesh.backward(fields, fewer), ContainsSubstring("3 words"));
  errors.beta[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(mesh.settle(program, errors), ContainsSubstring("beta"));
  CHECK_THROWS_WITH(mesh.propagate(fields), ContainsSubstring("not settled"));
  program.theta[0] = 1e9;
  CHECK_THROWS_WITH(mesh.settle(program, no_errors(t)), ContainsSubstring("whole turns"));
  program.theta[0] = -1e4;  // legal, and far from the first quarter
  ErrorModel model;
  model.sigma_eta_rad = -1;
  CHECK_THROWS_WITH(mesh.chip_deviations(program, model, address, 1, fields),
                    ContainsSubstring("sigma_eta_rad"));
  FieldBatch none(4, 0);
  mesh.settle(program, no_errors(t));
  const MeshGpu<double> other(clements_topology(5));
  GpuFields<double> elsewhere = other.upload(FieldBatch(5, 3));
  CHECK_THROWS_WITH(mesh.propagate(elsewhere), ContainsSubstring("a mesh of 5 ports meet one of 4"));
  CHECK_THROWS_WITH(mesh.download(elsewhere), ContainsSubstring("a mesh of 5 ports meet one of 4"));
  mesh.propagate(none);
  CHECK(none.words() == 0);
  CHECK(mesh.backward(none, none).theta.isZero());
}
