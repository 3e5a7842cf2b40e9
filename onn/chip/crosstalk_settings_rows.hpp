#pragma once

#include "onn/chip/crosstalk_settings.hpp"
#include "physics/core/rows.hpp"

namespace optinc {

template <Like<CrosstalkSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(switched_off("crosstalk", Row{"x0", "1",
                                      "Thermal crosstalk at zero distance: temperature rise of a "
                                      "neighbour as a fraction of the heater's own rise",
                                      0, 0.99, "0.05 without trenches, a choice of this project"}),
        s.x0);
  visit(Row{"known", "1",
            "Crosstalk strength that the correction assumes, as a fraction of the true strength; 0: no "
            "correction, 1: exact",
            0, 2},
        s.known);
  visit(Row{"d0_m", "m", "Distance over which thermal crosstalk falls by a factor of e", 1e-7, 150e-6,
            "20 to 150 um, a choice of this project"},
        s.d0_m);
}

}  // namespace optinc
