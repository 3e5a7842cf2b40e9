#pragma once

#include <variant>

#include "physics/core/rows.hpp"
#include "physics/devices/part_row.hpp"
#include "physics/devices/receiver.hpp"

namespace optinc {

template <Like<ReceiverSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit_part(
      visit, s,
      part_row("device", "front end",
               "Amplifier of every receiver; it sets noise, bandwidth, largest current and supply power"),
      s.device);
  visit_part(visit, s,
             part_row("photodiodes", "photodiode",
                      "Photodiodes of every receiver; they set responsivity and dark current"),
             s.photodiodes);
  visit(Row{"lo_power_w", "W", "Local-oscillator power per receiver", 1e-9, 100}, s.lo_power_w);
  visit(Row{"responsivity_a_per_w", "A/W", "Photodiode responsivity", 0.01, 2, "Ge at 1550 nm: 0.8 to 1.1"},
        s.photodiode.responsivity_a_per_w);
  visit(Row{"dark_current_a", "A", "Photodiode dark current", 0, 1e-3, "Ge: 10 to 100 nA"},
        s.photodiode.dark_current_a);
  if (auto* noise = std::get_if<InputReferredNoise>(&s.front_end.noise))
    visit(Row{"tia_noise_a_per_rthz", "A/sqrt(Hz)",
              "Input-referred current noise of the transimpedance amplifier, including its resistor", 0, 1e-9,
              "Patel 2022, doi 10.1109/JSSC.2022.3218558"},
          noise->a_per_rthz);
  visit(Row{"bandwidth_hz", "Hz", "3 dB bandwidth of a receiver (Bessel-Thomson, fourth order)", 1e3, 1e12,
            "Patel 2022, doi 10.1109/JSSC.2022.3218558"},
        s.front_end.bandwidth_hz);
  visit(Row{"cmrr_db", "dB", "Common-mode rejection ratio of the balanced photodiodes", 0, 300, "20 to 40 dB"},
        s.cmrr_db);
  visit(Row{"offset_a", "A", "RMS offset current of the homodyne receivers' amplifiers", 0, 1,
            "constant for a chip; shifts thresholds"},
        s.offset_a);
  visit(or_zero({"overload_a", "A", "Largest current that an amplifier passes on, of either sign; 0: no limit",
                 1e-12, 1, "1e-3"}),
        s.overload_a);
  visit(Row{"supply_power_w", "W", "Supply power of a receiver amplifier", 0, 100,
            "Patel 2022, doi 10.1109/JSSC.2022.3218558"},
        s.front_end.supply_power_w);
}

}  // namespace optinc
