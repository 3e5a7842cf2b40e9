#include <array>

#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"

namespace optinc {
namespace {

constexpr std::array<std::string_view, 5> path_names = {"auto", "reference", "direct", "single-vector",
                                                        "matrix"};

}  // namespace

std::span<const std::string_view> mesh_path_names() { return path_names; }

MeshPath mesh_path(std::string_view name) {
  for (std::size_t i = 0; i < path_names.size(); ++i)
    if (path_names[i] == name) return static_cast<MeshPath>(i);
  throw Error(fmt::format("unknown mesh path \"{}\" (known: {}). Did you mean \"{}\"?", name,
                          join_names(path_names), nearest_name(name, path_names)));
}

MeshPath choose_mesh_path(Eigen::Index, Eigen::Index words) {
  // A block of the direct path costs the same whether one or all of its words are there. The matrix path is
  // never chosen: with Eigen's products and the matrix given it takes 0.85 to 1.5 times as long (16 to 512
  // ports, 1024 and 4096 words, float and double; forward_matrix over forward_direct of the benchmarks), and
  // somebody has to make the matrix. Who sends many words through a frozen mesh names it.
  return words <= 2 ? MeshPath::single_vector : MeshPath::direct;
}

}  // namespace optinc
