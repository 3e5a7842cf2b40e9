#pragma once

#include "physics/core/rows.hpp"
#include "physics/devices/waveguide.hpp"

namespace optinc {

template <Like<Fibre> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"length_m", "m", "Length of each fibre between a server and the unit", 0, 1e6}, s.length_m);
  visit(Row{"connectors", "1", "Connectors per fibre, 0.3 dB each", 0, 100}, s.connectors);
  visit(
      Row{"multiplexer_loss_db", "dB",
          "Loss of the wavelength multiplexer at one end of every fibre, and again of the demultiplexer at the "
          "other; 0: one wavelength, or a fibre a lane",
          0, 30, "silicon arrayed waveguide gratings: below 2 dB, crosstalk -27 dB (Pathak 2014)"},
      s.multiplexer_loss_db);
}

}  // namespace optinc
