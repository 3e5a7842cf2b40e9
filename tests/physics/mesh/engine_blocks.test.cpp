// The engine settled from given 2x2 matrices: against plain products on every SIMD target, its gradient,
// refusals.

#include "physics/core/check.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/reference_mesh.hpp"
#include "physics/random/haar.hpp"
#include "physics/variation/chip_errors.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/simd.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

/// Fields after a mesh, block by block as the words say it.
Matrix passed(const MeshTopology& t, const MeshBlocks& mesh, Matrix fields) {
  std::size_t k = 0;
  for (int c = 0; c < t.columns(); ++c) {
    Matrix behind = mesh.idle_factor * fields;
    for (const auto& [upper, lower] : t.column(c)) {
      const Matrix2& m = mesh.blocks[k++];
      behind.row(upper) = m(0, 0) * fields.row(upper) + m(0, 1) * fields.row(lower);
      behind.row(lower) = m(1, 0) * fields.row(upper) + m(1, 1) * fields.row(lower);
    }
    fields = behind;
  }
  return mesh.screen.asDiagonal() * fields;
}

enum class Blocks { unitary, lossy, any };

MeshBlocks random_blocks(const MeshTopology& t, Blocks kind, Stream& s) {
  MeshBlocks mesh;
  for (int k = 0; k < t.mzi_count(); ++k) {
    Matrix2 m = haar_unitary(2, s);
    if (kind == Blocks::lossy) m = (m * Eigen::Vector2cd(0.9, 0.6).asDiagonal() * haar_unitary(2, s)).eval();
    if (kind == Blocks::any) m = 0.7 * random_fields(2, 2, s);
    mesh.blocks.push_back(m);
  }
  mesh.screen = random_fields(t.ports, 1, s).col(0);
  if (kind != Blocks::unitary) mesh.idle_factor = 0.8;
  return mesh;
}

MeshTopology crossing_pairs() {  // neither neighbours nor a butterfly
  MeshTopology t;
  t.ports = 7;
  t.mzis = {{0, 6}, {2, 3}, {1, 5}, {0, 1}, {2, 6}, {3, 4}, {4, 6}};
  t.column_begin = {0, 3, 6, 7};
  return t;
}

std::vector<MeshTopology> topologies() {
  std::vector<MeshTopology> all = {crossing_pairs(), butterfly_topology(16), reck_topology(6)};
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 33}) all.push_back(clements_topology(n));
  return all;
}

template <class Real>
double engine_error(const MeshTopology& t, const MeshBlocks& mesh, const Matrix& before, const Matrix& after,
                    MeshPath path) {
  MeshEngine<Real> engine(t, path);
  engine.settle(mesh);
  FieldBatchOf<Real> batch(before);
  engine.propagate(batch);
  return max_abs(batch.complex() - after) / std::max(1.0, max_abs(after));
}

}  // namespace

// Fails when a plane of a block is read in another's place, a pivot's exchange is missed, the idle factor or
// the screen is left out, or a block behind the last full register is read from its neighbour's
TEST_CASE("blocks: the engine is the plain product on every target, topology, path and precision") {
  struct Sample {
    MeshTopology topology;
    MeshBlocks mesh;
    Matrix before, after;
    int kind;
  };
  std::vector<Sample> samples;
  Stream s = test_stream(71);
  for (const MeshTopology& t : topologies())
    for (const Blocks kind : {Blocks::unitary, Blocks::lossy, Blocks::any}) {
      if (kind == Blocks::any && t.columns() > 8) continue;  // badly conditioned: held on small meshes
      const MeshBlocks mesh = random_blocks(t, kind, s);
      const Matrix before = random_fields(t.ports, 37, s);
      samples.push_back({t, mesh, before, passed(t, mesh, before), static_cast<int>(kind)});
    }
  on_every_target([&] {
    for (const Sample& x : samples)
      for (const auto path : {MeshPath::direct, MeshPath::single_vector, MeshPath::matrix, MeshPath::automatic,
                              MeshPath::reference}) {
        CAPTURE(x.topology.ports, x.topology.columns(), x.kind, static_cast<int>(path));
        const int n = x.topology.columns() + 8;
        // near a pivot that is small, f and g of `any` blocks are larger than 1 and lose what they are larger
        // by
        const double room = x.kind == static_cast<int>(Blocks::any) ? 2000 : 8;
        REQUIRE(engine_error<double>(x.topology, x.mesh, x.before, x.after, path) < room * eps * n);
        REQUIRE(engine_error<float>(x.topology, x.mesh, x.before, x.after, path) < room * 6e-8 * n);
      }
  });
}

// Fails when scales are not multiplied in on the way: fields of float overflow beyond some 200 columns
TEST_CASE("blocks: 400 columns, with scales that shrink or grow, in float") {
  Stream s = test_stream(72);
  const MeshTopology t = clements_topology(400);
  for (const double gain : {1.0, 0.7}) {
    MeshBlocks mesh = random_blocks(t, Blocks::unitary, s);
    for (Matrix2& m : mesh.blocks) m *= gain;
    mesh.idle_factor = gain;
    const Matrix before = random_fields(400, 3, s);
    const Matrix after = passed(t, mesh, before);
    CAPTURE(gain);
    MeshEngine<float> engine(t, MeshPath::direct);
    engine.settle(mesh);
    if (gain == 1.0) {
      FieldBatchOf<float> batch(before);
      engine.propagate(batch);
      CHECK(max_abs(batch.complex() - after) < 2e-4);
    }
    MeshEngine<double> wide(t, MeshPath::direct);
    wide.settle(mesh);
    FieldBatch batch(before);
    wide.propagate(batch);
    CHECK(max_abs(batch.complex() - after) < 1e-12 * max_abs(after));
  }
}

// Fails when the two set-ups pivot or rescale in other ways: the same devices would give other fields
TEST_CASE("blocks of plain MZIs are the mesh of these MZIs, to the last bits") {
  const MeshTopology t = clements_topology(24);
  Stream s = test_stream(73);
  const MeshProgram p = decompose_clements(haar_unitary(24, s));
  const MeshErrors e = draw_mesh_errors(t, error_preset("doped-heaters"), {5, 0, 0});
  on_every_target([&] {
    MeshEngine<double> devices(t), numbers(t);
    devices.settle(p, e);
    numbers.settle(mesh_blocks(t, p, e));
    CHECK(max_abs(devices.transfer_matrix() - numbers.transfer_matrix()) < 1e-14);
    CHECK(max_abs(numbers.transfer_matrix() - reference_transfer_matrix(t, mesh_blocks(t, p, e))) < 1e-14);
  });
}

namespace {

/// dL/d(block k, row i, column j) and dL/d(screen) of L = Re sum conj(lambda) out, by plain products: the mesh
/// is linear in each number, so that a difference quotient is exact.
struct Slopes {
  std::vector<Matrix2> blocks;
  Eigen::VectorXcd screen;
};

Slopes slopes(const MeshTopology& t, const MeshBlocks& mesh, const Matrix& before, const Matrix& lambda) {
  const auto loss = [&](const MeshBlocks& m) {
    return lambda.conjugate().cwiseProduct(passed(t, m, before)).sum().real();
  };
  const double at = loss(mesh);
  const auto slope = [&](auto number) {
    MeshBlocks real = mesh, imaginary = mesh;
    number(real) += 1.0;
    number(imaginary) += Complex(0, 1);
    return Complex(loss(real) - at, loss(imaginary) - at);
  };
  Slopes g{std::vector<Matrix2>(mesh.blocks.size()), Eigen::VectorXcd(t.ports)};
  for (std::size_t k = 0; k < mesh.blocks.size(); ++k)
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        g.blocks[k](i, j) = slope([&](MeshBlocks& m) -> Complex& { return m.blocks[k](i, j); });
  for (int p = 0; p < t.ports; ++p) g.screen[p] = slope([&](MeshBlocks& m) -> Complex& { return m.screen[p]; });
  return g;
}

double difference(const BlockGradient& a, const Slopes& b) {
  double most = max_abs(a.screen - b.screen);
  for (std::size_t k = 0; k < b.blocks.size(); ++k) most = std::max(most, max_abs(a.blocks[k] - b.blocks[k]));
  return most;
}

}  // namespace

// Fails when the exchange of a cross pivot is forgotten, the sums are not conjugated, or the screen's own
// factor is left in
TEST_CASE(
    "blocks: gradients of every number are difference quotients, inverted, from checkpoints, compressed") {
  Stream s = test_stream(74);
  for (const MeshTopology& t : {clements_topology(5), butterfly_topology(8), crossing_pairs()})
    for (const Blocks kind : {Blocks::unitary, Blocks::lossy})
      for (const int words : {3, 40}) {
        const MeshBlocks mesh = random_blocks(t, kind, s);
        const Matrix before = random_fields(t.ports, words, s), lambda = random_fields(t.ports, words, s);
        const Slopes expected = slopes(t, mesh, before, lambda);
        const Matrix front = passed(t, mesh, Matrix::Identity(t.ports, t.ports)).adjoint() * lambda;
        on_every_target([&] {
          for (const bool invert : {true, false}) {
            CAPTURE(t.ports, static_cast<int>(kind), words, invert);
            MeshEngine<double> engine(t);
            engine.settle(mesh, true);
            FieldBatch inputs(before), outputs(before), gradient(lambda);
            engine.propagate(outputs);
            const auto result = engine.backward(inputs, outputs, gradient, 1, {true, invert});
            CHECK(result.inverted == invert);
            CHECK(result.compressed == (words == 40));
            CHECK(difference(result.blocks, expected) < 1e-11);
            CHECK(max_abs(gradient.complex() - front) < 1e-12);
            CHECK(result.parameters.theta.size() == 0);
          }
        });
      }
}

// Fails when NaN is looked for in the first element alone, or the wrong number is named
TEST_CASE("blocks: what no mesh can be is refused, with the number of the block or port") {
  const MeshTopology t = clements_topology(8);
  Stream s = test_stream(75);
  const MeshBlocks good = random_blocks(t, Blocks::unitary, s);
  const auto refused = [&](auto spoil, const char* what, const char* number) {
    MeshBlocks bad = good;
    spoil(bad);
    CHECK_THROWS_WITH(MeshEngine<float>(t).settle(bad), ContainsSubstring(what) && ContainsSubstring(number));
    CHECK_THROWS_WITH(MeshEngine<double>(t).settle(bad), ContainsSubstring(what) && ContainsSubstring(number));
  };
  const double nan = std::nan("");
  refused([&](MeshBlocks& m) { m.blocks[0](0, 0) = nan; }, "NaN", "block 0 (ports 0 and 1)");
  refused([&](MeshBlocks& m) { m.blocks[27](1, 1) = Complex(0, INFINITY); }, "infinity", "block 27");
  refused([&](MeshBlocks& m) { m.blocks[5](1, 0) = Complex(0, nan); }, "NaN", "block 5");
  refused([&](MeshBlocks& m) { m.screen[7] = nan; }, "screen", "port 7");
  refused([&](MeshBlocks& m) { m.screen[2] = 0.0; }, "screen", "port 2");
  refused([&](MeshBlocks& m) { m.idle_factor = nan; }, "idle_factor", "finite");
  refused([&](MeshBlocks& m) { m.blocks[4].row(1).setZero(); }, "lets no light", "block 4");
  refused([&](MeshBlocks& m) { m.blocks.pop_back(); }, "27 blocks", "28 pairs");
  refused([&](MeshBlocks& m) { m.screen.conservativeResize(7); }, "7 factors", "8 ports");

  MeshEngine<double> engine(t);
  engine.settle(good);
  MeshBlocks bad = good;
  bad.blocks[3](0, 1) = nan;
  CHECK_THROWS(engine.settle(bad));
  FieldBatch fields(8, 2);
  CHECK_THROWS_WITH(engine.propagate(fields), ContainsSubstring("settle()"));  // unsettled since
}
