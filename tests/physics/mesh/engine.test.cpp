#include "physics/core/check.hpp"
#include "physics/mesh/correction.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/engine/detail/block_width.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/random/haar.hpp"
#include "physics/simd/detail/targets.hpp"
#include "physics/variation/chip_errors.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/simd.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

/// A mesh with its program and errors.
struct ErrantMesh {
  MeshTopology topology;
  MeshProgram program;
  MeshErrors errors;
};

ErrantMesh haar_case(int n, const char* preset) {
  Stream stream(1, Purpose::test, static_cast<std::uint32_t>(n));
  const MeshTopology topology = clements_topology(n);
  return {topology, decompose_clements(haar_unitary(n, stream)),
          draw_mesh_errors(topology, error_preset(preset), {1, 0, 0})};
}

/// Every MZI at the given internal phase: pi/2 is all-50:50, where unscaled fields grow most; 0 is all-cross.
ErrantMesh uniform_case(int n, double theta) {
  const MeshTopology topology = clements_topology(n);
  Stream stream(2, Purpose::test, static_cast<std::uint32_t>(n));
  MeshProgram program{Vector::Constant(topology.mzi_count(), theta), Vector(topology.mzi_count()),
                      Vector::Zero(n)};
  for (double& phi : program.phi) phi = 6.283 * stream.uniform();
  return {topology, program, no_errors(topology)};
}

/// Every phase at random.
ErrantMesh random_case(int n) {
  ErrantMesh c = uniform_case(n, 0.0);
  Stream stream(4, Purpose::test, static_cast<std::uint32_t>(n));
  for (double& theta : c.program.theta) theta = 6.283 * stream.uniform();
  return c;
}

/// Fields after a lossless mesh, one MZI at a time in double: as obvious as the reference matrix, and quick for
/// few words at many ports.
Matrix pass(const ErrantMesh& c, Matrix fields) {
  for (int k = 0; k < c.topology.mzi_count(); ++k) {
    const auto [upper, lower] = c.topology.mzis[static_cast<std::size_t>(k)];
    const Matrix2 t = mzi(c.program.mzi(k), c.errors.mzi(k));
    const Eigen::RowVectorXcd a = fields.row(upper), b = fields.row(lower);
    fields.row(upper) = t(0, 0) * a + t(0, 1) * b;
    fields.row(lower) = t(1, 0) * a + t(1, 1) * b;
  }
  return fields;
}

/// The case with every parameter rounded to float: what a float engine is given.
ErrantMesh rounded(const ErrantMesh& c) {
  return {c.topology, c.program.cast<float>().cast<double>(), c.errors.cast<float>().cast<double>()};
}

/// Fields of unit variance before and after the mesh of a case, by the reference.
struct Passed {
  Matrix before, after;
};

Passed passed(const ErrantMesh& c, int words) {
  Stream stream(3, Purpose::test);
  Matrix fields(c.topology.ports, words);
  for (auto& e : fields.reshaped()) e = Complex(stream.normal(), stream.normal()) * std::sqrt(0.5);
  if (c.topology.ports > 128) return {fields, pass(c, fields)};
  return {fields, reference_transfer_matrix(c.topology, c.program, c.errors) * fields};
}

/// Largest error of a field that went through the engine, against the reference: the first so many words.
template <class Real>
double engine_error(const ErrantMesh& c, const Passed& expected, int words, MeshPath path = MeshPath::direct) {
  MeshEngine<Real> engine(c.topology, path);
  engine.settle(c.program.cast<Real>(), c.errors.cast<Real>());
  FieldBatchOf<Real> batch(expected.before.leftCols(words));
  engine.propagate(batch);
  return max_abs(batch.complex() - expected.after.leftCols(words));
}

/// The same where the reference is wanted once. Phases and errors are rounded to Real by the engine alone: that
/// is part of what a path costs.
template <class Real>
double engine_error(const ErrantMesh& c, int words) {
  return engine_error<Real>(c, passed(c, words), words);
}

}  // namespace

TEST_CASE("the direct kernel is the reference mesh on every target, port count, batch and loss") {
  // error bound eps x depth x a few: fields are of order one; fails when a swap, a scale or an odd port is
  // missed
  struct Pair {
    ErrantMesh exact, single;  // the second rounded to float: what a float engine is given
    Passed exact_fields, single_fields;
    const char* preset;
  };
  std::vector<Pair> pairs;  // the reference is slow: once for all targets, words and paths
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 33, 64, 100})
    for (const auto* preset : {"ideal", "doped-heaters"}) {
      const ErrantMesh c = haar_case(n, preset), single = rounded(c);
      pairs.push_back({c, single, passed(c, 100), passed(single, 100), preset});
    }
  on_every_target([&] {
    for (const Pair& pair : pairs)
      for (const int words : {1, 2, 15, 16, 31, 33, 100})
        for (const auto path :
             {MeshPath::direct, MeshPath::single_vector, MeshPath::matrix, MeshPath::automatic}) {
          const int n = pair.exact.topology.ports;
          CAPTURE(n, pair.preset, words, static_cast<int>(path));
          REQUIRE(engine_error<double>(pair.exact, pair.exact_fields, words, path) < 4 * 2.2e-16 * (n + 8));
          REQUIRE(engine_error<float>(pair.single, pair.single_fields, words, path) <
                  6e-7 * (std::sqrt(n) + 1));
        }
  });
}

TEMPLATE_TEST_CASE("a mesh settled without errors is one whose errors are all zero, to the bit", "", float,
                   double) {
  for (const auto path : {MeshPath::direct, MeshPath::reference}) {
    const ErrantMesh c = random_case(9);
    MeshEngine<TestType> with(c.topology, path), without(c.topology, path);
    with.settle(c.program.cast<TestType>(), c.errors.cast<TestType>(), true);
    without.settle(c.program.cast<TestType>(), true);
    const Matrix fields = Matrix::Identity(9, 9);
    FieldBatchOf<TestType> x(fields), a(fields), b(fields);
    with.propagate(a);
    without.propagate(b);
    CHECK((a.complex() - b.complex()).isZero(0.0));
    FieldBatchOf<TestType> at_a(fields), at_b(fields);
    const auto slopes = with.backward(x, a, at_a).parameters, same = without.backward(x, b, at_b).parameters;
    CHECK((slopes.theta - same.theta).isZero(0.0));
    CHECK((slopes.alpha - same.alpha).isZero(0.0));
  }
  MeshProgram bad = random_case(4).program;
  bad.phi[3] = NAN;
  CHECK_THROWS_WITH(MeshEngine<double>(clements_topology(4)).settle(bad), ContainsSubstring("phi of MZI 3"));
}

// Largest error of a field of unit variance. f32 <= 5e-6 at N = 64 and <= 1e-4 at N = 1024, f64 <= 1e-12, on
// the phases the engine is given; unscaled fields would overflow float beyond some 200 columns of 50:50.
// Rounding the phases themselves to float comes on top and is the same wherever it is done: a phase near pi is
// off by up to 1.2e-7, and where all MZIs have the same phase these add up, 64 columns to 1.1e-5.
TEST_CASE("the error against the f64 reference is as stated for every size") {
  const auto check = [](const ErrantMesh& c, int words, double bound, double bound_with_phases) {
    CHECK(engine_error<float>(rounded(c), words) < bound);
    CHECK(engine_error<float>(c, words) < bound_with_phases);
    CHECK(engine_error<double>(c, words) < 1e-12);
  };
  for (const double theta : {1.5707963, 0.0, 1e-3, 3.1415926}) {
    CAPTURE(theta);
    check(uniform_case(64, theta), 40, 5e-6, 2e-5);
    check(uniform_case(256, theta), 3, 2e-5, 8e-5);
    check(uniform_case(1024, theta), 3, 1e-4, 3e-4);
  }
  check(random_case(256), 3, 2e-5, 2e-5);
  check(random_case(1024), 3, 1e-4, 1e-4);
  check(haar_case(64, "doped-heaters"), 40, 5e-6, 5e-6);
  check(haar_case(64, "ideal"), 40, 5e-6, 5e-6);
}

TEST_CASE("any topology of disjoint pairs passes, not only the rectangle") {
  const MeshTopology t = butterfly_topology(8);
  Stream stream(5, Purpose::test);
  MeshProgram program{Vector(12), Vector(12), Vector(8)};
  for (auto* phases : {&program.theta, &program.phi, &program.output_phase})
    for (double& x : *phases) x = 6.283 * stream.uniform();
  const ErrantMesh c = {t, program, draw_mesh_errors(t, error_preset("doped-heaters"), {1, 0, 0})};
  on_every_target([&] {
    CHECK(engine_error<double>(c, 20) < 1e-14);
    CHECK(engine_error<float>(c, 20) < 2e-6);
  });
}

// Columns from port 1 first, or behind a column of other pairs: pairs of fused columns then begin at any
// distance from the last rescaling. Fails when a rescaling may fall between the two columns of a pair
TEST_CASE("fused columns and rescalings may meet in any order") {
  const auto rectangle = [](bool odd_first, bool butterfly_first, int columns) {
    MeshTopology t;
    t.ports = 8;
    if (butterfly_first) {
      for (int p = 0; p < 4; ++p) t.mzis.push_back({p, p + 4});
      t.column_begin.push_back(t.mzi_count());
    }
    for (int c = 0; c < columns; ++c) {
      for (int p = (c + (odd_first ? 1 : 0)) % 2; p + 1 < t.ports; p += 2) t.mzis.push_back({p, p + 1});
      t.column_begin.push_back(t.mzi_count());
    }
    return t;
  };
  Stream stream(6, Purpose::test);
  for (const bool odd_first : {false, true})
    for (const bool butterfly_first : {false, true})
      for (const double loss_db : {0.0, 1.0}) {
        const MeshTopology t = rectangle(odd_first, butterfly_first, 69);
        CAPTURE(odd_first, butterfly_first, loss_db);
        MeshProgram program{Vector(t.mzi_count()), Vector(t.mzi_count()), Vector(t.ports)};
        for (auto* phases : {&program.theta, &program.phi, &program.output_phase})
          for (double& x : *phases) x = 6.283 * stream.uniform();
        MeshErrors errors = no_errors(t);
        errors.theta_arm_loss_db.setConstant(loss_db);
        errors.phi_arm_loss_db.setConstant(loss_db);
        errors.theta_other_loss_db.setConstant(loss_db);
        errors.phi_other_loss_db.setConstant(loss_db);
        errors.idle_arm_loss_db = loss_db;
        const ErrantMesh c = {t, program, errors};
        const double scale = std::pow(10.0, -69 * 2 * loss_db / 20);
        CHECK(engine_error<double>(c, 20) < 1e-13 * scale);
        CHECK(engine_error<float>(c, 20) < 2e-5 * scale);
      }
}

// up to pi/4 the series is enough; one splitter beyond and all are reduced first. Fails when the reduction is
// left out, or the bound is looked for in alpha alone
TEST_CASE("splitter errors may be of any size") {
  on_every_target([] {
    for (const int which : {0, 1}) {
      ErrantMesh c = haar_case(24, "doped-heaters");
      Vector& splitters = which == 0 ? c.errors.alpha : c.errors.beta;
      splitters[100] = 2.5;
      splitters[7] = -40.0;
      CAPTURE(which);
      CHECK(engine_error<double>(c, 20) < 1e-13);
      CHECK(engine_error<float>(rounded(c), 20) < 5e-6);
    }
  });
}

TEST_CASE("NaN and infinity in a device are refused with its number") {
  const ErrantMesh good = haar_case(8, "doped-heaters");
  // in a chip, and in a mesh that is perfect but for it, whose splitters need no sines
  for (const ErrantMesh& before : {good, haar_case(8, "ideal")})
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      const auto refused = [&](auto spoil, const char* parameter, const char* number) {
        ErrantMesh c = before;
        spoil(c) = bad;
        CHECK_THROWS_WITH(MeshEngine<float>(c.topology).settle(c.program.cast<float>(), c.errors.cast<float>()),
                          ContainsSubstring(parameter) && ContainsSubstring(number));
        CHECK_THROWS_WITH(MeshEngine<double>(c.topology).settle(c.program, c.errors),
                          ContainsSubstring(parameter) && ContainsSubstring(number));
      };
      refused([](ErrantMesh& c) -> double& { return c.program.theta[5]; }, "theta", "MZI 5");
      refused([](ErrantMesh& c) -> double& { return c.program.phi[0]; }, "phi", "MZI 0");
      refused([](ErrantMesh& c) -> double& { return c.errors.theta_offset[6]; }, "theta_offset", "MZI 6");
      refused([](ErrantMesh& c) -> double& { return c.errors.phi_offset[8]; }, "phi_offset", "MZI 8");
      refused([](ErrantMesh& c) -> double& { return c.errors.alpha[27]; }, "alpha", "MZI 27");
      refused([](ErrantMesh& c) -> double& { return c.errors.beta[26]; }, "beta", "MZI 26");
      refused([](ErrantMesh& c) -> double& { return c.errors.theta_arm_loss_db[4]; }, "theta_arm_loss_db",
              "MZI 4");
      refused([](ErrantMesh& c) -> double& { return c.errors.phi_arm_loss_db[3]; }, "phi_arm_loss_db", "MZI 3");
      refused([](ErrantMesh& c) -> double& { return c.program.output_phase[7]; }, "output_phase", "port 7");
      refused([](ErrantMesh& c) -> double& { return c.errors.output_offset[1]; }, "output_offset", "port 1");
      refused([](ErrantMesh& c) -> double& { return c.errors.theta_other_loss_db[2]; }, "theta_other_loss_db",
              "MZI 2");
      refused([](ErrantMesh& c) -> double& { return c.errors.phi_other_loss_db[1]; }, "phi_other_loss_db",
              "MZI 1");
      refused([](ErrantMesh& c) -> double& { return c.errors.idle_arm_loss_db; }, "idle_arm_loss_db", "finite");
    }
  // Fails when the polynomial is run beyond where quarter turns can be taken off: the mesh would create energy
  ErrantMesh turned = good;
  turned.program.phi[9] = 2e4;
  CHECK_THROWS_WITH(
      MeshEngine<float>(turned.topology).settle(turned.program.cast<float>(), turned.errors.cast<float>()),
      ContainsSubstring("phi of MZI 9") && ContainsSubstring("turns"));
  CHECK(engine_error<double>(turned, 3) < 1e-11);
  turned.program.phi[9] = 2e8;
  CHECK_THROWS_WITH(MeshEngine<double>(turned.topology).settle(turned.program, turned.errors),
                    ContainsSubstring("phi of MZI 9"));

  CorrectedProgram corrected;
  ErrantMesh lost = good;
  lost.program.theta[2] = std::nan("");
  CHECK_THROWS_WITH(
      corrected = correct_splitters(lost.topology, lost.program, lost.errors.alpha, lost.errors.beta),
      ContainsSubstring("MZI 2"));

  ErrantMesh dark = good;
  dark.errors.theta_arm_loss_db[4] = dark.errors.phi_arm_loss_db[4] = 1e5;
  dark.errors.theta_other_loss_db[4] = dark.errors.phi_other_loss_db[4] = 1e5;
  CHECK_THROWS_WITH(MeshEngine<double>(dark.topology).settle(dark.program, dark.errors),
                    ContainsSubstring("lets no light of an input pass"));
}

TEST_CASE("the engine refuses what does not belong together") {
  const ErrantMesh c = haar_case(4, "ideal"), other = haar_case(5, "ideal");
  MeshEngine<double> engine(c.topology);
  FieldBatch three(3, 8), four(4, 8);
  CHECK_THROWS_WITH(engine.propagate(four), ContainsSubstring("settle()"));
  CHECK_THROWS_WITH(engine.settle(other.program, c.errors),
                    ContainsSubstring("10 values") && ContainsSubstring("6 MZIs"));
  CHECK_THROWS_WITH(engine.settle(c.program, other.errors), ContainsSubstring("alpha"));
  engine.settle(c.program, c.errors);
  CHECK_THROWS_WITH(engine.propagate(three), ContainsSubstring("3 ports") && ContainsSubstring("4 ports"));
  FieldBatch halves(4, 8);
  halves.im.resize(4, 3);
  CHECK_THROWS_WITH(engine.propagate(halves), ContainsSubstring("(4, 8)") && ContainsSubstring("(4, 3)"));
  CHECK_THROWS_WITH(MeshEngine<float>().settle(MeshProgramOf<float>()), ContainsSubstring("has no mesh"));
  MeshTopology outside = c.topology;
  outside.column_begin.pop_back();
  CHECK_THROWS_WITH(MeshEngine<double>(outside), ContainsSubstring("column_begin"));
  CHECK_THROWS_WITH(MeshEngine<double>(MeshTopology{}), ContainsSubstring("0 ports"));
  MeshTopology twice = c.topology;
  twice.mzis[1] = twice.mzis[0];
  CHECK_THROWS_WITH(MeshEngine<double>(twice), ContainsSubstring("twice"));
  CHECK_THROWS_WITH(value_of_name<MeshPath>("drect"), ContainsSubstring("\"direct\""));
  CHECK(value_of_name<MeshPath>("single-vector") == MeshPath::single_vector);
}

// Fails when a width's kernel rounds otherwise, when words are shared out by blocks for the sums, or when
// registers without words keep what they held
TEMPLATE_TEST_CASE("the width of blocks changes no bit, forward or back, on any target", "", float, double) {
  using Real = TestType;
  const ErrantMesh c = haar_case(13, "doped-heaters");
  on_every_target([&] {
    MeshEngine<Real> engine(c.topology, MeshPath::direct);
    engine.settle(c.program.cast<Real>(), c.errors.cast<Real>(), true);
    const std::size_t lanes = simd_lanes<Real>();
    for (const std::size_t words : {std::size_t{1}, lanes, 3 * lanes, 4 * lanes + 1, 35 * lanes - 1}) {
      Stream stream(8, Purpose::test);
      const FieldBatchOf<Real> fields(random_fields(13, static_cast<int>(words), stream));
      FieldBatchOf<Real> sent = fields;
      engine.propagate(sent);
      FieldBatchOf<Real> at_inputs = fields;
      const auto by_choice = engine.backward(fields, sent, at_inputs, 1, {.compress = false});
      for (const std::size_t width : {lanes, 2 * lanes}) {
        CAPTURE(words, width);
        const auto blocks_of = [&](const FieldBatchOf<Real>& planes) {
          FieldBlocks<Real> blocks(13, words, width);
          pack<Real>({planes.re.data(), planes.im.data(), words}, 0, blocks);
          return blocks;
        };
        const auto planes_of = [&](const FieldBlocks<Real>& blocks) {
          FieldBatchOf<Real> planes(13, static_cast<Eigen::Index>(words));
          unpack<Real>(blocks, {planes.re.data(), planes.im.data(), words}, 0);
          return planes;
        };
        const FieldBlocks<Real> inputs = blocks_of(fields);
        FieldBlocks<Real> outputs = inputs, gradient;
        engine.propagate(outputs);
        CHECK(planes_of(outputs).re == sent.re);
        CHECK(planes_of(outputs).im == sent.im);
        gradient.data.resize(inputs.data.size(), Real(7));  // what nothing writes would stay
        const auto found = engine.backward(inputs, outputs, inputs, gradient);
        CHECK(found.inverted);
        CHECK(planes_of(gradient).re == at_inputs.re);
        CHECK(planes_of(gradient).im == at_inputs.im);
        CHECK(found.parameters.theta == by_choice.parameters.theta);
        CHECK(found.parameters.phi_other_loss_db == by_choice.parameters.phi_other_loss_db);
        CHECK(found.parameters.output_phase == by_choice.parameters.output_phase);
        CHECK(found.parameters.idle_arm_loss_db == by_choice.parameters.idle_arm_loss_db);
        for (std::size_t w = words; w < gradient.blocks() * width; ++w)
          for (std::size_t p = 0; p < 13; ++p)
            REQUIRE((*gradient.at(p, w) == 0 && gradient.at(p, w)[width] == 0));
      }
    }
    FieldBlocks<Real> wrong(13, 8 * lanes, 4 * lanes);
    CHECK_THROWS_WITH(engine.propagate(wrong), ContainsSubstring("Make them anew"));
  });
}

// Fails when the border of a tile stands still, moves the other way, or skips an idle port.
TEMPLATE_TEST_CASE("the ports that walk back together change no bit", "", float, double) {
  using Real = TestType;
  for (const MeshTopology& topology : {clements_topology(37), reck_topology(12)}) {
    const int ports = topology.ports;
    Stream stream(9, Purpose::test);
    const MeshProgram program = random_program(topology, stream);
    const MeshErrors errors = draw_mesh_errors(topology, error_preset("doped-heaters"), {1, 0, 0});
    on_every_target([&] {
      MeshEngine<Real> engine(topology, MeshPath::direct);
      engine.settle(program.cast<Real>(), errors.cast<Real>(), true);
      const FieldBatchOf<Real> x(random_fields(ports, 70, stream));
      FieldBatchOf<Real> y = x, whole = x;
      engine.propagate(y);
      const auto all = static_cast<std::size_t>(ports);
      const auto wanted = engine.backward(x, y, whole, 1, {.compress = false, .tile = all});
      REQUIRE(wanted.inverted);
      for (const std::size_t tile : {1, 2, 7, 8, 16, 36, 99}) {
        CAPTURE(ports, tile);
        FieldBatchOf<Real> tiled = x;
        const auto found = engine.backward(x, y, tiled, 1, {.compress = false, .tile = tile});
        CHECK((tiled.re == whole.re && tiled.im == whole.im));
        CHECK(found.parameters.theta == wanted.parameters.theta);
        CHECK(found.parameters.beta == wanted.parameters.beta);
        CHECK(found.parameters.idle_arm_loss_db == wanted.parameters.idle_arm_loss_db);
      }
    });
  }
}

// The rows are what was measured: bench/README.md, forward_blocks_narrow and _wide
TEST_CASE("blocks and tiles are as wide as the first cache leaves room for") {
  const Processor zen4 = {"AVX3", 64, 32 << 10, 1 << 20}, xeon = {"AVX3", 64, 48 << 10, 2 << 20},
                  avx2 = {"AVX2", 32, 32 << 10, 1 << 20}, silent = {"AVX3", 64, 0, 0};
  for (const auto& here : {zen4, xeon, avx2, silent}) {
    CHECK(block_registers(here, 64, 1) == 1);
    CHECK(block_registers(here, 64, 2) == 2);
    CHECK(block_registers(here, 128, 64) == 2);
    CHECK(block_registers(here, 512, 64) == 2);
    CHECK(block_registers(here, 256, 64) == (here.l1d_bytes == xeon.l1d_bytes ? 1 : 2));
    CHECK(backward_tile(here, 16) == 16);
  }
  // fields and adjoint fields of four registers a port: 1 KiB, or half of that
  CHECK(backward_tile(zen4, 256) == 16);
  CHECK(backward_tile(silent, 256) == 16);
  CHECK(backward_tile(xeon, 256) == 28);
  CHECK(backward_tile(avx2, 256) == 40);
}

TEST_CASE("threads change no bit, for rows and for blocks, by any path") {
  const ErrantMesh c = haar_case(33, "doped-heaters");
  Stream stream(7, Purpose::test);
  FieldBatchOf<float> fields(random_fields(33, 2000, stream));
  for (const auto path : {MeshPath::direct, MeshPath::matrix, MeshPath::automatic}) {
    MeshEngine<float> engine(c.topology, path);
    engine.settle(c.program.cast<float>(), c.errors.cast<float>());
    FieldBatchOf<float> one = fields, three = fields;
    engine.propagate(one, 1);
    engine.propagate(three, 3);
    CHECK(one.re == three.re);
    CHECK(one.im == three.im);
    if (path != MeshPath::direct) continue;
    FieldBlocks<float> blocks(33, 2000);
    pack<float>({fields.re.data(), fields.im.data(), 2000}, 0, blocks);
    engine.propagate(blocks, 3);
    FieldBatchOf<float> back(33, 2000);
    unpack<float>(blocks, {back.re.data(), back.im.data(), 2000}, 0);
    CHECK(back.re == one.re);
    CHECK(back.im == one.im);
  }
}
