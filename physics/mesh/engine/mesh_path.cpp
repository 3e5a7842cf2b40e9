#include "physics/mesh/engine/mesh_engine.hpp"

namespace optinc {

MeshPath choose_mesh_path(Eigen::Index, Eigen::Index words) {
  // A block of the direct path costs the same whether one or all of its words are there. The matrix path is
  // never chosen: with Eigen's products and the matrix given it takes 0.85 to 1.5 times as long (16 to 512
  // ports, 1024 and 4096 words, float and double; forward_matrix over forward_direct of the benchmarks), and
  // somebody has to make the matrix. Who sends many words through a frozen mesh names it.
  return words <= 2 ? MeshPath::single_vector : MeshPath::direct;
}

}  // namespace optinc
