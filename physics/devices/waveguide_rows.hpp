#pragma once

#include "physics/core/rows.hpp"
#include "physics/devices/waveguide.hpp"

namespace optinc {

template <Like<Fibre> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"length_m", "m", "Length of each fibre between a server and the unit", 0, 1e6}, s.length_m);
  visit(Row{"connectors", "1", "Connectors per fibre, 0.3 dB each", 0, 100}, s.connectors);
}

}  // namespace optinc
