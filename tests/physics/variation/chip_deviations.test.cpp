#include "physics/variation/chip_deviations.hpp"

#include "physics/core/check.hpp"
#include "physics/mesh/fidelity.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;
using namespace optinc::testing;

TEMPLATE_TEST_CASE("deviations of chips are those of their transfer matrices", "", float, double) {
  // unit vectors: the fidelity of the matrices, by its own formula; other fields: from the fields themselves
  for (const int ports : {1, 2, 5, 16, 33}) {
    CAPTURE(ports);
    const MeshTopology t = clements_topology(ports);
    Stream s = test_stream(21, static_cast<std::uint32_t>(ports));
    const MeshProgramOf<TestType> program = random_program(t, s).cast<TestType>();
    const ErrorModel model = error_preset("doped-heaters");
    const MeshAddress first = {5, 9, 2};
    const Matrix target = transfer_matrix(t, program.template cast<double>(), no_errors(t));
    const FieldBatchOf<TestType> unit(Matrix(Matrix::Identity(ports, ports))), x(random_fields(ports, 37, s));
    const auto of_unit = chip_deviations(t, program, model, first, 4, unit);
    const auto of_x = chip_deviations(t, program, model, first, 4, x, 3);
    const double bound = sizeof(TestType) == 4 ? 2e-5 : 1e-13;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const MeshErrors errors = draw_mesh_errors(t, model, {first.seed, first.chip + i, first.mesh});
      const Matrix u = transfer_matrix(t, on_dac(program, model).template cast<double>(), errors);
      CHECK(std::abs(of_unit[i].fidelity() - fidelity(target, u)) < bound);
      CHECK(std::abs(of_unit[i].power() - u.squaredNorm() / ports) < bound);
      const Matrix y0 = target * x.complex(), y = u * x.complex();
      CHECK(std::abs(of_x[i].error - (y - y0).squaredNorm() / y0.squaredNorm()) < bound);
      CHECK(std::abs(of_x[i].change - y0.conjugate().cwiseProduct(y - y0).sum() / y0.squaredNorm()) < bound);
    }
  }
}

TEST_CASE(
    "deviations of chips depend neither on threads nor on the chips beside them, and refuse what has none") {
  const MeshTopology t = clements_topology(9);
  Stream s = test_stream(22);
  const MeshProgram program = random_program(t, s);
  const FieldBatch x(random_fields(9, 20, s));
  const ErrorModel model = error_preset("good-lab");
  const auto all = chip_deviations(t, program, model, {1, 0, 0}, 11, x, 1),
             shared = chip_deviations(t, program, model, {1, 0, 0}, 11, x, 4),
             last = chip_deviations(t, program, model, {1, 10, 0}, 1, x, 2);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].change == shared[i].change);
    CHECK(all[i].error == shared[i].error);
  }
  CHECK(last[0].error == all[10].error);
  CHECK(chip_deviations(t, program, ErrorModel{}, {}, 1, x)[0].error == 0.0);
  CHECK(chip_deviations(t, program, model, {}, 0, x).empty());
  CHECK_THROWS_WITH(chip_deviations(t, program, model, {}, 1, FieldBatch(9, 2)),
                    ContainsSubstring("Send light"));
  CHECK_THROWS_WITH(chip_deviations(t, program, model, {1, ~0u, 0}, 2, x), ContainsSubstring("below 2^32"));
  CHECK_THROWS_WITH(chip_deviations(t, program, model, {}, 1, FieldBatch(Matrix(Matrix::Identity(8, 8)))),
                    ContainsSubstring("9 ports"));
}
