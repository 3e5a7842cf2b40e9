#include "bench/cases.hpp"

#include <cmath>
#include <map>

#include "physics/mesh/decomposition.hpp"
#include "physics/random/haar.hpp"
#include "physics/variation/chip_errors.hpp"

namespace optinc::bench {
namespace {

MeshCase make_case(int ports) {
  MeshCase made{clements_topology(ports), {}, {}, {}, {}};
  Stream stream(1, Purpose::haar, static_cast<std::uint32_t>(ports));
  made.target = haar_unitary(ports, stream);
  made.program = decompose_clements(made.target);
  ErrorModel model = error_preset("doped-heaters");
  made.lossy_errors = draw_mesh_errors(made.topology, model, {});
  model.mzi_loss_db = model.arm_loss_spread_db = 0;
  made.errors = draw_mesh_errors(made.topology, model, {});
  return made;
}

}  // namespace

const MeshCase& mesh_case(std::int64_t ports) {
  static std::map<std::int64_t, MeshCase> made;
  const auto found = made.find(ports);
  if (found != made.end()) return found->second;
  return made.emplace(ports, make_case(static_cast<int>(ports))).first->second;
}

Matrix case_fields(std::int64_t ports, std::int64_t words) {
  Stream stream(1, Purpose::test);
  return Matrix::NullaryExpr(ports, words, [&] {
    const double re = std::sqrt(0.5) * stream.normal();
    return Complex(re, std::sqrt(0.5) * stream.normal());
  });
}

}  // namespace optinc::bench
