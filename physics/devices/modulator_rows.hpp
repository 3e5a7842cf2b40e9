#pragma once

#include "physics/core/rows.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/part_row.hpp"

namespace optinc {

template <Like<MzmSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit_part(visit, s,
             part_row("device", "modulator", "Every modulator; it sets half-wave voltage, loss and bandwidth"),
             s.device);
  visit_part(visit, s,
             part_row("driver", "driver", "Driver of every modulator; it sets the energy of a symbol"),
             s.driver);
  visit(Row{"v_pi_v", "V", "Half-wave voltage of a modulator", 0.1, 100, "1 to 7 V"}, s.v_pi_v);
  visit(Row{"loss_db", "dB", "Insertion loss of a modulator at full drive", 0, 30, "3 to 6 dB in silicon"},
        s.insertion_loss_db);
  visit(switched_off("modulator leak",
                     Row{"leak", "1", "Residual field of a modulator at its null, as a fraction of full scale",
                         0, 0.9, "0.04 for an extinction ratio of 28 dB, 0.1 for 20 dB"}),
        s.leak);
  visit(Row{"bandwidth_hz", "Hz", "3 dB bandwidth of a modulator (one pole)", 1e6, 1e12, "20 to 110 GHz"},
        s.bandwidth_hz);
  visit(Row{"linearised", "1",
            "Whether the drive of a modulator compensates its sine response (true) or is proportional to "
            "the level (false); servers set their four levels in any case"},
        s.linearised);
  visit(Row{"driver_j", "J",
            "Energy of a symbol that a modulator driver takes whatever its swing, as a linear one does", 0,
            1e-6, "published linear drivers: 4 to 30 pJ"},
        s.driver_j);
  visit(
      Row{"drive_capacitance_f", "F",
          "Effective load capacitance C of a modulator driver; a symbol takes C V^2 more at a swing of V volts",
          0, 1e-9, "62.5 fF: 1 pJ at 4 V; O/E/O: 1 to 3 pJ per symbol"},
      s.drive_capacitance_f);
}

}  // namespace optinc
