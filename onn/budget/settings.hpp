#pragma once

#include <span>
#include <string>
#include <string_view>

#include "physics/devices/adc.hpp"
#include "physics/devices/fibre_coupler.hpp"
#include "physics/devices/front_end.hpp"
#include "physics/devices/laser.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/splitter_tree.hpp"
#include "physics/devices/thermo_optic_shifter.hpp"
#include "physics/devices/waveguide.hpp"
#include "physics/layout/floor_plan.hpp"

namespace optinc {

/// What surrounds the meshes, and what everything costs, as device objects. MZI loss is [chip]'s, powers of
/// signal and local oscillator are [link]'s. Values without a source of their own are the defaults of their
/// devices.
struct BudgetSettings {
  std::string heater = "typical-metal-heater";  ///< of every phase shifter; a name of heater_names()
  LaserSettings laser;                          ///< one a server: where the passive link budget starts
  double wall_plug_efficiency = 0.1;            ///< optical over electrical power of every laser
  MzmSettings modulator;                        ///< one a server and digit, one a hidden neuron
  double driver_j_per_symbol = 1e-12;  ///< of a modulator: O/E/O takes 1-3 pJ, the amplifier 0.94 of it
  double symbol_rate_bd = 50e9;
  SplitterTree splitter;                              ///< excess loss of every 1:2 splitter of every tree
  FibreCoupler coupler;                               ///< fibre to chip and back
  Fibre fibre = {.length_m = 10.0, .connectors = 2};  ///< server to chip, and back
  Waveguide routing = soi_strip_500x220(5e-3);  ///< from a layer's inputs to its receivers, without meshes
  FloorPlanSettings floor_plan;                 ///< box of an MZI
  FrontEnd front_end = patel_2022_receiver();   ///< supply power of every receiver
  AdcSettings adc;                              ///< one a digit at every server
  double adc_step_j = 100e-15;                  ///< energy of a conversion step above 30 GS/s (30-300 fJ)
  double adc_delay_s = 1e-9;                    ///< of its pipeline; assumed
  double control_w_per_shifter = 0.0;           ///< DAC channel of a phase shifter; 0: not counted
  std::string skew = "delay-lines";             ///< how light waits for carries; one of names_of<Skew>()
  double delay_line_pitch_m = 5e-6;             ///< from turn to turn of a spiral; assumed
};

/// Heaters that a budget knows, by their names in the catalogue of devices.
std::span<const std::string_view> heater_names();

/// The heater of that name. Throws Error, naming the nearest, for an unknown one.
ThermoOpticShifter heater_of_name(std::string_view name);

/// Throws Error, naming the field, for what no device allows.
void validate_budget(const BudgetSettings& settings);

}  // namespace optinc
