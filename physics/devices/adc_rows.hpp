#pragma once

#include "physics/core/rows.hpp"
#include "physics/devices/adc.hpp"
#include "physics/devices/part_row.hpp"

namespace optinc {

template <Like<AdcSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit_part(visit, s, part_row("device", "converter", "Converter of every server; it sets the keys below"),
             s.device);
  visit(Row{"bits", "bit", "Nominal resolution of a server's converter over its range", 1, 24, "5 to 8"},
        s.bits);
  visit(Row{"full_scale", "digit",
            "Half of the range of a server's converter, about digit 1.5; less suits analogue sums, which "
            "seldom reach "
            "their ends",
            1e-3, 4},
        s.full_scale);
  visit(Row{"effective_bits", "bit",
            "Effective number of bits (ENOB) of a server's converter; its noise follows from it", 0.1, 24,
            "4.5 to 5.5 above 50 GS/s"},
        s.effective_bits);
  visit(Row{"step_j", "J", "Converter energy per conversion step (Walden figure of merit)", 0, 1e-9,
            "typical above 30 GS/s: 30 to 300 fJ"},
        s.step_j);
  visit(Row{"delay_s", "s", "Pipeline delay of a converter", 0, 1e-3}, s.delay_s);
}

}  // namespace optinc
