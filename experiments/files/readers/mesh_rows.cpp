#include "experiments/files/readers/mesh_rows.hpp"

#include <algorithm>

#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// What is wrong with a row behind `previous` (null for the first one); empty where nothing is. used_in: the
/// last column that used each port.
std::string problem_of(const MziRow& row, const MziRow* previous, std::span<const std::int64_t> used_in) {
  const std::int64_t column = previous == nullptr ? -1 : previous->column;
  const auto ports = static_cast<std::int64_t>(used_in.size());
  const bool same_column = previous != nullptr && row.column == column;
  if (!same_column && row.column != column + 1)
    return fmt::format(
        "column {} where {} is due (columns count up from 0 without gaps, in order). Sort the MZIs.",
        row.column, previous == nullptr ? "0" : fmt::format("{} or {}", column, column + 1));
  if (row.upper < 0 || row.upper >= row.lower || row.lower >= ports)
    return fmt::format(
        "MZI on ports {} and {} of a mesh with {} ports (0 <= upper < lower < ports, one output phase a port). "
        "Correct the pair.",
        row.upper, row.lower, ports);
  for (const std::int64_t port : {row.upper, row.lower})
    if (used_in[static_cast<std::size_t>(port)] == row.column)
      return fmt::format(
          "column {} uses port {} twice (MZIs of one column are disjoint). Move one to another column.",
          row.column, port);
  if (same_column && row.upper < previous->upper)
    return fmt::format(
        "MZI on port {} after the one on port {} (those of a column go top to bottom). Sort the MZIs.",
        row.upper, previous->upper);
  return {};
}

bool name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-.+/").find(c) != std::string_view::npos;
}

constexpr std::size_t longest_name = 200;

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_name &&
         std::all_of(name.begin(), name.end(), name_character) && name.front() != '/' && name.front() != '.' &&
         name.back() != '/' && name.find("//") == name.npos && name.find("/.") == name.npos;
}

}  // namespace

NamedMesh mesh_of_rows(std::string name, std::span<const MziRow> rows, std::span<const double> output_phase,
                       const std::function<std::string(std::size_t)>& where) {
  const auto ports = static_cast<std::int64_t>(output_phase.size());
  const auto count = static_cast<Eigen::Index>(rows.size());
  NamedMesh mesh{std::move(name), {static_cast<int>(ports), {}, {0}}, {Vector(count), Vector(count), {}}};
  mesh.program.output_phase = Eigen::Map<const Vector>(output_phase.data(), ports);
  std::vector<std::int64_t> used_in(output_phase.size(), -1);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const MziRow& row = rows[k];
    const std::string problem = problem_of(row, k == 0 ? nullptr : &rows[k - 1], used_in);
    if (!problem.empty()) throw Error(fmt::format("{}: {}", where(k), problem));
    for (const std::int64_t port : {row.upper, row.lower}) used_in[static_cast<std::size_t>(port)] = row.column;
    if (k == 0 || rows[k - 1].column != row.column) mesh.topology.column_begin.push_back(0);
    mesh.topology.mzis.push_back({static_cast<int>(row.upper), static_cast<int>(row.lower)});
    mesh.topology.column_begin.back() = mesh.topology.mzi_count();
    mesh.program.theta[static_cast<Eigen::Index>(k)] = row.theta;
    mesh.program.phi[static_cast<Eigen::Index>(k)] = row.phi;
  }
  return mesh;
}

std::vector<MziRow> rows_of_mesh(const NamedMesh& mesh) {
  const MeshTopology& t = mesh.topology;
  const MeshProgram& p = mesh.program;
  validate(
      p.theta.size() == t.mzi_count() && p.phi.size() == t.mzi_count() && p.output_phase.size() == t.ports,
      "mesh {}: {} theta, {} phi, {} output phases for {} MZIs and {} ports (they must agree). Give one phase "
      "per device.",
      mesh.name, p.theta.size(), p.phi.size(), p.output_phase.size(), t.mzi_count(), t.ports);
  std::vector<MziRow> rows;
  for (int c = 0; c < t.columns(); ++c)
    for (const auto& [upper, lower] : t.column(c)) {
      const auto k = static_cast<Eigen::Index>(rows.size());
      rows.push_back({c, upper, lower, p.theta[k], p.phi[k]});
    }
  return rows;
}

void require_mesh_names(std::string_view where, std::span<const std::string> names) {
  validate(!names.empty(), "{}: no mesh (expected at least one). Check how it was made.", where);
  for (const std::string& name : names)
    validate(
        good_name(name),
        "{}: \"{}\" cannot name a mesh (letters, digits and _ - . +, parts joined by /, none beginning with a "
        "dot, at most {} characters). Rename it.",
        where, shown(name), longest_name);
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  validate(twice == sorted.end(), "{}: two meshes are called {} (a name is given once). Rename one.", where,
           twice == sorted.end() ? "" : *twice);
}

}  // namespace optinc
