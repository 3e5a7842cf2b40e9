#include <iterator>

#include "experiments/files/chips/phases_file.hpp"
#include "experiments/files/chips/text_frame.hpp"
#include "experiments/files/readers/mesh_rows.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr std::string_view remarks[] = {
    "kind mzi: T = DC(pi/4) diag(exp(i theta), 1) DC(pi/4) diag(exp(i phi), 1) on ports upper, lower",
    "  DC(eta) = [[cos eta, i sin eta], [i sin eta, cos eta]]; light meets column 0 first, ports count from 0",
    "kind output: exp(i phi) on port upper behind the last column; one row a port, other cells empty",
};

}  // namespace

std::string phases_csv(std::span<const NamedMesh> meshes, std::string_view command) {
  std::vector<std::string> names;
  for (const NamedMesh& mesh : meshes) names.push_back(mesh.name);
  require_mesh_names("phases", names);
  std::string text = text_header('#', phases_title, command, remarks);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}\n", phases_columns);
  for (const NamedMesh& mesh : meshes) {
    for (const MziRow& row : rows_of_mesh(mesh))
      fmt::format_to(out, "mzi,{},{},{},{},{},{}\n", mesh.name, row.column, row.upper, row.lower, row.theta,
                     row.phi);
    for (int port = 0; port < mesh.topology.ports; ++port)
      fmt::format_to(out, "output,{},,{},,,{}\n", mesh.name, port, mesh.program.output_phase[port]);
  }
  return text + text_footer('#');
}

}  // namespace optinc
