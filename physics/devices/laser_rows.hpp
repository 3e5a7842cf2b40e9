#pragma once

#include "physics/core/rows.hpp"
#include "physics/devices/laser.hpp"
#include "physics/devices/part_row.hpp"

namespace optinc {

template <Like<LaserSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit_part(
      visit, s,
      part_row("device", "laser", "Seed laser; it sets power, intensity noise, linewidth and efficiency"),
      s.device);
  visit_part(
      visit, s,
      part_row("booster", "booster",
               "Amplifiers of the seed's light where a unit needs more of it; they set output and efficiency"),
      s.booster);
  visit(Row{"power_w", "W", "Power of the shared seed laser", 1e-6, 1, "default 13 dBm; 10 to 20 dBm"},
        s.power_w);
  visit(Row{"rin_db_per_hz", "dB/Hz", "Relative intensity noise of the seed laser", -200, -80},
        s.rin_db_per_hz);
  visit(Row{"linewidth_hz", "Hz", "Linewidth of the seed laser (Lorentzian, full width at half maximum)", 0,
            1e10, "10 kHz to 5 MHz"},
        s.linewidth_hz);
  visit(Row{"wavelength_m", "m", "Wavelength of the seed laser", 1.2e-6, 1.7e-6}, s.wavelength_m);
  visit(Row{"wall_plug_efficiency", "1", "Wall-plug efficiency of every laser (optical over electrical power)",
            1e-4, 1},
        s.wall_plug_efficiency);
  visit(Row{"booster_w", "W", "Light that one booster gives; 0: no boosters, lasers give any light", 0, 1000},
        s.booster_w);
  visit(Row{"booster_efficiency", "1", "Efficiency of a booster (light over electrical power)", 1e-4, 1},
        s.booster_efficiency);
}

}  // namespace optinc
