#pragma once

#include "physics/core/rows.hpp"
#include "physics/devices/part_row.hpp"
#include "physics/devices/splitter_tree.hpp"

namespace optinc {

template <Like<SplitterTree> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit_part(visit, s, part_row("device", "splitter", "1:2 splitter of every tree; it sets the loss"),
             s.device);
  visit(
      Row{"loss_db", "dB", "Excess loss of a 1:2 splitter in any splitter tree", 0, 10, "Zhang 2013: 0.28 dB"},
      s.stage_excess_loss_db);
}

}  // namespace optinc
