#pragma once

#include "onn/chip/drift_settings.hpp"
#include "physics/core/rows.hpp"

namespace optinc {

template <Like<Environment> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(switched_off(
            "temperature",
            Row{"temperature_k", "K",
                "Change of the die temperature since calibration; in model drift, added to the simulated drift",
                -100, 100}),
        s.temperature_k);
  visit(
      switched_off(
          "wavelength",
          Row{"wavelength_m", "m",
              "Change of the laser wavelength since calibration; in model drift, added to the simulated drift",
              -1e-7, 1e-7}),
      s.wavelength_m);
}

template <Like<SensitivitySettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"imbalance_m", "m", "RMS optical path difference between the two arms of a phase shifter", 0, 1e-3},
        s.imbalance_m);
  visit(Row{"heater_per_k", "1/K", "Relative change of a heater's phase shift with temperature", -0.1, 0.1,
            "constant power: 0; constant voltage: -1e-3 to -2e-3"},
        s.heater_per_k);
  visit(Row{"splitter_rad_per_m", "rad/m",
            "Change of a 50:50 splitter's angle with wavelength; other angles change in proportion", -1e8, 1e8,
            "directional coupler: 3e6 to 5e6"},
        s.splitter_rad_per_m);
}

template <Like<DriftSettings> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"instants", "1", "Number of simulated instants; the first follows directly after calibration", 2,
            2047},
        s.instants);
  visit(Row{"interval_s", "s", "Time between two instants", 1e-6, 1e7}, s.interval_s);
  visit(Row{"recalibrate_s", "s", "Time between calibrations (variant recalibrated)", 1e-6, 1e12},
        s.recalibrate_s);
  visit(Row{"failed_share", "1",
            "Share of checked blocks (link.check_block) that fail at an instant, above which variant checked "
            "calibrates before the next one",
            0, 1},
        s.failed_share);
  visit(Row{"warm_up_s", "s", "Time from switching on the heaters to the first calibration", 0, 1e7},
        s.warm_up_s);
  visit(switched_off("ambient ramp",
                     Row{"ramp_k_per_s", "K/s", "Linear drift rate of the ambient temperature", -10, 10}),
        s.ramp_k_per_s);
  visit(switched_off("ambient swing", Row{"sine_k", "K", "Amplitude of the sinusoidal ambient temperature", 0,
                                          100, "0.1 to 2 K"}),
        s.sine_k);
  visit(Row{"sine_period_s", "s", "Period of the sinusoidal ambient temperature", 1e-6, 1e9, "10 to 1000 s"},
        s.sine_period_s);
  visit(switched_off(
            "ambient noise",
            Row{"ou_k", "K", "RMS of the random ambient temperature (Ornstein-Uhlenbeck process)", 0, 100}),
        s.ou_k);
  visit(Row{"ou_time_s", "s", "Correlation time of the random ambient temperature", 1e-6, 1e9}, s.ou_time_s);
  visit(
      Row{"controlled", "1", "Fraction of die-temperature changes that a temperature controller removes", 0, 1},
      s.controlled);
  visit(switched_off("laser drift", Row{"laser_m", "m", "RMS drift of the laser wavelength", 0, 1e-7}),
        s.laser_m);
  visit(Row{"laser_time_s", "s", "Correlation time of the laser wavelength drift", 1e-6, 1e9}, s.laser_time_s);
  visit(switched_off(
            "drift of light",
            Row{"light_db", "dB",
                "RMS drift of the power of the servers' light in unit P, of all servers alike; gains and "
                "thresholds of receivers follow it at calibrations alone",
                0, 10}),
        s.light_db);
  visit(Row{"light_time_s", "s", "Correlation time of the drift of the servers' light", 1e-6, 1e9},
        s.light_time_s);
}

}  // namespace optinc
