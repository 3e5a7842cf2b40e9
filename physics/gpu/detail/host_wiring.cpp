#include "physics/gpu/detail/host_wiring.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <tuple>

namespace optinc::gpu {
namespace {

bool is_run(std::span<const PortPair> column) {
  return std::ranges::all_of(column, [&](const PortPair& p) {
    return p.lower == p.upper + 1 && p.upper % 2 == column.front().upper % 2;
  });
}

}  // namespace

HostWiring wire(const MeshTopology& t, int most_per_lane) {
  HostWiring w;
  Wiring& s = w.shape;
  s.ports = t.ports;
  s.columns = t.columns();
  s.mzis = t.mzi_count();
  bool runs = t.ports <= 32 * most_per_lane;
  for (int c = 0; c < s.columns; ++c) runs = runs && is_run(t.column(c));
  if (runs) {
    s.ports_per_lane = std::max(2, static_cast<int>(std::bit_ceil((unsigned(t.ports) + 31) / 32)));
    s.lanes = static_cast<int>(std::bit_ceil(unsigned((t.ports + s.ports_per_lane - 1) / s.ports_per_lane)));
    s.stride = s.lanes * s.ports_per_lane;
    s.slots = s.ports_per_lane / 2 * (s.lanes + 1);
  } else {
    s.stride = t.ports;
    for (int c = 0; c < s.columns; ++c)
      s.slots = std::max(s.slots, t.ports - static_cast<int>(t.column(c).size()));
    w.upper.assign(std::size_t(s.columns) * static_cast<std::size_t>(s.slots), -1);
    w.lower = w.upper;
  }
  w.column_begin.assign(t.column_begin.begin(), t.column_begin.end());
  for (int c = 0; c < s.columns; ++c) {
    const auto column = t.column(c);
    const int shift = runs && !column.empty() ? column.front().upper % 2 : 0;
    w.shift.push_back(shift);
    std::vector<bool> idle(static_cast<std::size_t>(t.ports), true);
    int slot = c * s.slots;
    for (const PortPair& p : column) {
      w.pairs.insert(w.pairs.end(), {p.upper, p.lower});
      const int at = runs ? c * s.slots + place_of_slot(s, (p.upper + shift) / 2) : slot++;
      if (!runs)
        std::tie(w.upper[static_cast<std::size_t>(at)], w.lower[static_cast<std::size_t>(at)]) =
            std::pair(p.upper, p.lower);
      w.place.push_back(at);
      idle[static_cast<std::size_t>(p.upper)] = idle[static_cast<std::size_t>(p.lower)] = false;
    }
    for (int p = 0; p < t.ports; ++p) {
      if (!idle[static_cast<std::size_t>(p)]) continue;
      const int at = runs ? c * s.slots + place_of_slot(s, (p + shift) / 2) : slot++;
      if (!runs) w.upper[static_cast<std::size_t>(at)] = p;
      w.idle.push_back(8 * at + (runs && (p + shift) % 2 == 1 ? 6 : 0));
    }
  }
  return w;
}

}  // namespace optinc::gpu
