#pragma once

#include "onn/budget/settings.hpp"
#include "physics/core/rows.hpp"

namespace optinc {

template <Like<BudgetSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(
      Row{"control_w_per_shifter", "W", "Power of a DAC channel, one per phase shifter; 0: not counted", 0, 10},
      s.control_w_per_shifter);
  visit(Row{"lock_w", "W",
            "Power of the electronics of a phase lock, one per digit lane of every server whose light meets "
            "that of "
            "others; 0: not counted",
            0, 10, "assumed: 5e-3"},
        s.lock_w);
  visit(Row{"serialiser_j_per_bit", "J",
            "Energy of serialisers and deserialisers at the servers per bit, sent or received; 0: not counted",
            0, 1e-9, "assumed: 0.2e-12, half of a whole transmitter of 0.42 pJ per bit (Sun 2025)"},
        s.serialiser_j_per_bit);
  visit(
      Row{"dac_step_j", "J",
          "Energy of a server's DAC per step of its range, a sample of b bits: dac_step_j x 2^b, where a code "
          "is sent as one level (network.source = analogue-sum)",
          0, 1e-9, "assumed: 1.2 pJ for 6 bits"},
      s.dac_step_j);
  visit(Row{"hub_j_per_bit", "J",
            "Energy of a hub (network.source = hub) per bit that enters it, beside the additions: 0, an adder "
            "chip; 10e-12, an electrical packet switch (a guess: 500 W at 51.2 Tb/s)",
            0, 1e-9},
        s.hub_j_per_bit);
}

}  // namespace optinc
