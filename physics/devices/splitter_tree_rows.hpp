#pragma once

#include "physics/core/rows.hpp"
#include "physics/devices/splitter_tree.hpp"

namespace optinc {

template <Like<SplitterTree> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(
      Row{"loss_db", "dB", "Excess loss of a 1:2 splitter in any splitter tree", 0, 10, "Zhang 2013: 0.28 dB"},
      s.stage_excess_loss_db);
}

}  // namespace optinc
