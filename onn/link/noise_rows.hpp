#pragma once

#include "onn/link/noise.hpp"
#include "physics/core/rows.hpp"

namespace optinc {

template <Like<NoiseSwitches> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(switched_off("shot noise", Row{"shot", "1", "Enable photodiode shot noise"}), s.shot);
  visit(switched_off("amplifier noise", Row{"tia", "1", "Enable amplifier noise"}), s.tia);
  visit(switched_off("intensity noise", Row{"rin", "1", "Enable intensity noise of the seed laser"}), s.rin);
  visit(
      switched_off("phase lock", Row{"lock", "1",
                                     "Enable phase-lock errors of the server fibres, and linewidth and dither "
                                     "of direct oscillators"}),
      s.lock);
  visit(switched_off("converter", Row{"converter", "1",
                                      "Enable quantisation and noise of the servers' converters; without them, "
                                      "ideal comparators decide"}),
        s.converter);
  visit(Row{"jitter", "1", "Enable jitter of clocked receivers"}, s.jitter);
  visit(Row{"last_only", "1", "Apply receiver noise only at the servers, not at the neurons"}, s.last_only);
}

}  // namespace optinc
