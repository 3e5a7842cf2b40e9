#pragma once

#include "physics/core/rows.hpp"
#include "physics/devices/fibre_coupler.hpp"
#include "physics/devices/part_row.hpp"

namespace optinc {

template <Like<FibreCoupler> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit_part(visit, s, part_row("device", "fibre coupler", "Coupler between fibre and chip; it sets the loss"),
             s.device);
  visit(Row{"loss_db", "dB", "Loss of one coupling between fibre and chip", 0, 30, "edge coupler: 1 to 2 dB"},
        s.loss_db);
}

}  // namespace optinc
