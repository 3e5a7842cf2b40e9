#include "physics/mesh/engine/mesh_layout.hpp"

#include "physics/mesh/topology.hpp"

namespace optinc {
namespace {

/// First port of a column that holds the pairs (s, s+1), (s+2, s+3), .. and nothing else; -1 for others.
std::int32_t run_start(std::span<const PortPair> column) {
  if (column.empty()) return -1;
  int next = column.front().upper;
  for (const auto& [upper, lower] : column) {
    if (upper != next || lower != upper + 1) return -1;
    next += 2;
  }
  return column.front().upper;
}

}  // namespace

MeshLayout mesh_layout(const MeshTopology& t) {
  MeshLayout layout;
  layout.ports = static_cast<std::size_t>(t.ports);
  layout.mzis = t.mzis.size();
  for (const auto& [upper, lower] : t.mzis) {
    layout.upper.push_back(upper);
    layout.lower.push_back(lower);
  }
  for (int c = 0; c < t.columns(); ++c) {
    const auto pairs = t.column(c);
    LayoutColumn column;
    column.first = static_cast<std::size_t>(t.column_begin[static_cast<std::size_t>(c)]);
    column.count = pairs.size();
    column.run_start = run_start(pairs);
    std::vector<bool> used(layout.ports, false);
    for (const auto& [upper, lower] : pairs)
      used[static_cast<std::size_t>(upper)] = used[static_cast<std::size_t>(lower)] = true;
    column.first_idle = layout.idle.size();
    for (int p = 0; p < t.ports; ++p)
      if (!used[static_cast<std::size_t>(p)]) layout.idle.push_back(p);
    column.idle_count = layout.idle.size() - column.first_idle;
    layout.columns.push_back(column);
  }
  const auto full_from = [&](std::size_t c, std::int32_t port) {
    const LayoutColumn& column = layout.columns[c];
    return column.run_start == port && column.count == (layout.ports - static_cast<std::size_t>(port)) / 2;
  };
  for (std::size_t c = 0; c + 1 < layout.columns.size(); ++c)
    layout.columns[c].fused_with_next = full_from(c, 0) && full_from(c + 1, 1);
  return layout;
}

}  // namespace optinc
