#include "physics/mesh/topology.hpp"

#include <algorithm>

#include "physics/core/check.hpp"

namespace optinc {

std::span<const PortPair> MeshTopology::column(int c) const {
  const auto first = static_cast<std::size_t>(column_begin[static_cast<std::size_t>(c)]);
  const auto last = static_cast<std::size_t>(column_begin[static_cast<std::size_t>(c) + 1]);
  return std::span(mzis).subspan(first, last - first);
}

namespace {

MeshTopology no_mzis(int ports) {
  validate(ports >= 1 && ports <= 65536,
           "mesh of {} ports (1..65536 can be built). Give a positive port count.", ports);
  MeshTopology t;
  t.ports = ports;
  return t;
}

}  // namespace

MeshTopology clements_topology(int ports) {
  MeshTopology t = no_mzis(ports);
  for (int c = 0; c < ports; ++c) {
    for (int upper = c % 2; upper + 1 < ports; upper += 2) t.mzis.push_back({upper, upper + 1});
    if (t.mzi_count() > t.column_begin.back()) t.column_begin.push_back(t.mzi_count());
  }
  return t;
}

MeshTopology reck_topology(int ports) {
  MeshTopology t = no_mzis(ports);
  for (int c = 0; c <= 2 * ports - 4; ++c) {
    for (int upper = c % 2; upper <= c && c + upper <= 2 * ports - 4; upper += 2)
      t.mzis.push_back({upper, upper + 1});
    t.column_begin.push_back(t.mzi_count());
  }
  return t;
}

MeshTopology butterfly_topology(int ports) {
  MeshTopology t = no_mzis(ports);
  validate((ports & (ports - 1)) == 0,
           "butterfly of {} ports (each column doubles its stride). Give a power of two.", ports);
  for (int stride = 1; stride < ports; stride *= 2) {
    for (int p = 0; p < ports; ++p)
      if ((p & stride) == 0) t.mzis.push_back({p, p + stride});
    t.column_begin.push_back(t.mzi_count());
  }
  return t;
}

void validate_topology(const MeshTopology& t) {
  validate(t.ports >= 1, "a mesh of {} ports (1 or more). Give it ports.", t.ports);
  const auto& begin = t.column_begin;
  validate(!begin.empty() && begin.front() == 0 && begin.back() == t.mzi_count() &&
               std::is_sorted(begin.begin(), begin.end()),
           "columns begin at MZIs {}, of {} MZIs (ascending from 0 to their number: every MZI in one column). "
           "Correct column_begin.",
           fmt::join(begin, ", "), t.mzi_count());
  for (int c = 0; c < t.columns(); ++c) {
    std::vector<bool> taken(static_cast<std::size_t>(t.ports), false);
    for (const auto& [upper, lower] : t.column(c)) {
      validate(
          0 <= upper && upper < lower && lower < t.ports,
          "column {} joins ports {} and {} of a mesh with {} ports (upper < lower < ports). Correct the pair.",
          c, upper, lower, t.ports);
      for (const int port : {upper, lower}) {
        validate(!taken[static_cast<std::size_t>(port)],
                 "column {} uses port {} twice (MZIs of one column are disjoint). Move one to the next column.",
                 c, port);
        taken[static_cast<std::size_t>(port)] = true;
      }
    }
  }
}

}  // namespace optinc
