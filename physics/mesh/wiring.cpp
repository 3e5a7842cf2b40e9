#include "physics/mesh/wiring.hpp"

#include <algorithm>
#include <charconv>
#include <numbers>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "physics/core/check.hpp"
#include "physics/core/suggestion.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

constexpr std::string_view blanks_between = " ,\t\n";

/// The pair of "0-1"; nothing where it is none.
std::optional<PortPair> pair_of(std::string_view text) {
  PortPair pair;
  const char* const last = text.data() + text.size();
  const auto [middle, first_error] = std::from_chars(text.data(), last, pair.upper);
  if (first_error != std::errc() || middle == last || *middle != '-') return std::nullopt;
  const auto [end, second_error] = std::from_chars(middle + 1, last, pair.lower);
  if (second_error != std::errc() || end != last) return std::nullopt;
  return pair;
}

MeshProgram random_start(const MeshTopology& topology, std::uint32_t number) {
  Stream stream(1, Purpose::fit_start, number);
  MeshProgram program{Vector(topology.mzi_count()), Vector(topology.mzi_count()), Vector(topology.ports)};
  for (Vector* const phases : {&program.theta, &program.phi, &program.output_phase})
    for (double& phase : *phases) phase = 2 * std::numbers::pi * stream.uniform();
  return program;
}

}  // namespace

bool is_written_out(std::string_view wiring) { return wiring.find('-') != wiring.npos; }

MeshTopology wiring_of(std::string_view text, int ports) {
  if (text == "clements") return clements_topology(ports);
  if (text == "reck") return reck_topology(ports);
  constexpr std::string_view names[] = {"clements", "reck"};
  validate(
      text.empty() || is_written_out(text),
      "topology \"{}\" is unknown (known: clements, reck, or columns of pairs of ports such as \"0-1 2-3 | "
      "1-2\"). {}",
      text, suggestion(text, names));
  MeshTopology mesh;
  mesh.ports = ports;
  for (std::size_t at = text.empty() ? 1 : 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('|', at), text.size());
    const std::string_view column = text.substr(at, end - at);
    for (std::size_t from = column.find_first_not_of(blanks_between); from < column.size();) {
      const std::size_t to = std::min(column.find_first_of(blanks_between, from), column.size());
      const std::optional<PortPair> pair = pair_of(column.substr(from, to - from));
      validate(pair.has_value(), "\"{}\" is no pair of ports (a wiring reads 0-1 2-3 | 1-2). Correct it.",
               column.substr(from, to - from));
      mesh.mzis.push_back(*pair);
      from = std::min(column.find_first_not_of(blanks_between, to), column.size());
    }
    validate(mesh.mzi_count() > mesh.column_begin.back(),
             "column {} of a wiring has no pair of ports (a column has one at least). Remove it.",
             mesh.column_begin.size() - 1);
    std::sort(mesh.mzis.begin() + mesh.column_begin.back(), mesh.mzis.end(),
              [](const PortPair& a, const PortPair& b) { return a.upper < b.upper; });
    mesh.column_begin.push_back(mesh.mzi_count());
    at = end + 1;
  }
  validate_topology(mesh);
  return mesh;
}

std::string wiring_text(const MeshTopology& topology) {
  std::string text;
  for (int column = 0; column < topology.columns(); ++column) {
    if (column > 0) text += " | ";
    bool first = true;
    for (const auto& [upper, lower] : topology.column(column))
      text += fmt::format("{}{}-{}", std::exchange(first, false) ? "" : " ", upper, lower);
  }
  return text;
}

FittedProgram program_of_wiring(const MeshTopology& topology, const Matrix& target, int starts) {
  validate(target.rows() == topology.ports && target.cols() == topology.ports,
           "a matrix of {} x {} for a mesh of {} ports (they agree). Give a matrix of the mesh's ports.",
           target.rows(), target.cols(), topology.ports);
  if (topology == clements_topology(topology.ports)) return {decompose_clements(target), 0.0, 0, {}};
  if (topology == reck_topology(topology.ports)) return {decompose_reck(target), 0.0, 0, {}};
  constexpr int most_steps = 3000;
  constexpr double exact = 1e-9;
  const MeshErrors none = no_errors(topology);
  FittedProgram best;
  for (int start = 0; start < starts; ++start) {
    FittedProgram found =
        fit_program(topology, none, target, random_start(topology, static_cast<std::uint32_t>(start)),
                    {.steps = most_steps});
    if (start == 0 || found.error < best.error) best = std::move(found);
    if (best.error < exact) break;
  }
  return best;
}

}  // namespace optinc
