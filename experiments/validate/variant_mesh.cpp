#include "experiments/validate/variant_mesh.hpp"

#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/variation/chip_errors.hpp"

namespace optinc {
namespace {

constexpr std::uint32_t third_splitters = 1u << 16;  // apart from the streams of alpha and beta, named by ports

}  // namespace

CorrectedVariant corrected_variant(MziKind kind, const Matrix& target, double sigma_rad,
                                   const LawTrial& trial) {
  const auto ports = static_cast<std::uint32_t>(target.rows());
  const MeshTopology topology = clements_topology(static_cast<int>(ports));
  MeshVariantErrors e = no_variant_errors(topology);
  e.mzis = draw_mesh_errors(topology, splitter_errors(sigma_rad), {trial.seed, trial.number, ports});
  Stream stream = trial.stream(Purpose::splitter_error, third_splitters + ports);
  for (double& gamma : e.gamma) gamma = sigma_rad * stream.normal();
  const CorrectedProgram c =
      program_blocks(topology, kind, decompose_clements(target), {e.mzis.alpha, e.mzis.beta, e.gamma});
  MeshEngine<double> engine(topology);
  engine.settle(mesh_blocks(topology, kind, c.program, e));
  return {relative_error(engine.transfer_matrix(), target), c.clipped};
}

}  // namespace optinc
