#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "physics/core/warning.hpp"
#include "physics/variation/random_field.hpp"

namespace optinc {

/// Spread of one dimension of the waveguides (width or height) about its design, m rms, by the scale on which
/// it varies (hierarchy of Bogaerts et al., IEEE JSTQE 25, 6100413 (2019)). At position (x, y) from the centre
/// of a wafer of radius R, r^2 = x^2 + y^2:
///
///     d = a (2 r^2/R^2 - 1) + (b_x x + b_y y)/R  + c  + f(x, y) + white
///
/// a ~ N(0, wafer_bow), b ~ N(0, wafer_tilt) once per wafer; c ~ N(0, die) once per die; f a random field of
/// rms `field` over the die; the white part is the mean of sidewall or surface roughness over one arm.
struct DimensionSpread {
  double wafer_bow_m = 0;
  double wafer_tilt_m = 0;
  double die_m = 0;
  double field_m = 0;
  double roughness_m = 0;  ///< of the mean over an arm of ProcessModel::roughness_length_m
};

/// What a fabrication process does to waveguides, couplers, losses and heaters, and how it varies over wafer,
/// die and neighbouring devices: the statistics, not one chip's draw (hierarchy: Bogaerts et al., IEEE J. Sel.
/// Top. Quantum Electron. 25, 6100413, 2019). Default: nothing
/// varies, sensitivities of a 500 x 220 nm silicon strip at 1550 nm. See default_process() for a process with
/// spreads.
struct ProcessModel {
  DimensionSpread width, height;
  Kernel kernel =
      Kernel::exponential;  ///< random-walk like: variance of resonances grows linearly with distance
  double correlation_length_m =
      4.5e-3;                          ///< of both fields; 0.5..10 mm (Lu et al., Opt. Express 25, 9712 (2017))
  double roughness_length_m = 100e-6;  ///< an arm of length L has roughness_m sqrt(roughness_length_m / L)

  double wavelength_m = 1550e-9;
  double index_per_width_per_m = 2.0e6;   ///< dn_eff/dw = 2e-3 per nm (1e-3..2.5e-3)
  double index_per_height_per_m = 4.0e6;  ///< dn_eff/dh = 4e-3 per nm (3.5e-3..4.5e-3)

  // Coupler angle eta of a 50:50 directional coupler, gap 200 nm: an effective-index estimate of ours (slab TE,
  // then coupled slabs TM); the two terms of a moving side wall cancel in part.
  double eta_per_width_rad_per_m = -5.6e6;   ///< at constant gap, -5.6e-3 rad/nm
  double eta_per_gap_rad_per_m = -6.7e6;     ///< -6.7e-3 rad/nm
  double eta_per_height_rad_per_m = -5.7e6;  ///< -5.7e-3 rad/nm
  double gap_per_width = -1.0;       ///< d gap/d width: -1 where both side walls move and the pitch stays
  double sigma_eta_white_rad = 0.0;  ///< rms angle error of every splitter that its neighbours do not share
  double rho_white = 0.0;            ///< correlation of that part inside an MZI, -1..1

  double mzi_loss_db = 0.0;         ///< mean insertion loss of one MZI
  double arm_loss_spread_db = 0.0;  ///< rms spread of the loss of every arm about its mean

  double heater_power_spread = 0.0;       ///< relative rms spread of P_pi
  double heater_resistance_spread = 0.0;  ///< relative rms spread of R_h
};

/// An ordinary foundry run. Field: sigma_w = 2 nm, sigma_h = 0.8 nm, 4.5 mm (1..5 nm, 0.3..2 nm,
/// 0.5..10 mm; Lu et al., Opt. Express 25, 9712, 2017). Roughness 0.09 nm of width: two side walls of 2 nm rms
/// with 50 nm correlation length averaged over 100 um, sqrt(2) sigma sqrt(2 l/L). Wafer and die (bow, tilt,
/// offset: 2, 2, 1 nm of width, 0.7, 0.7, 0.3 nm of height) are orders of magnitude, not measurements.
/// Splitters 0.02 rad rms with correlation 0.5 inside an MZI of the default floor plan, losses of the foundry
/// preset, heaters 2 % (an estimate).
ProcessModel default_process();

/// The process of that name. "default": default_process(). "openebl-2024": waveguides of one 8.8 mm die of
/// 220 nm silicon by electron-beam lithography, fitted (optinc.fit.process) to 280 unbalanced interferometers
/// at known places (data: github SiEPIC/openEBL-2024-10, MIT). 95 % intervals, one die being one draw: rms of
/// n_eff over the die 8.5e-4 (6.2e-4 .. 1.2e-3), correlation length 0.48 mm (0.10 .. 2.2 mm), roughness
/// 0.26 nm (0.21 .. 0.32 nm; 4.6e-4 rad^2/um of arm). Index alone does not tell width from height: they share
/// the field as in the default, and roughness is width. A plane over the die, 4e-4 of n_eff per mm, is not in
/// it; all else is as in the default. Throws Error for another name.
ProcessModel process_preset(std::string_view name);

/// Names of processes: default, openebl-2024.
std::span<const std::string_view> process_preset_names();

/// rms error and correlation inside an MZI of splitter angles on one die (field and white part; what wafer and
/// die add is common to all splitters of a die and not counted).
struct SplitterStatistics {
  double sigma_eta_rad = 0;
  double rho_ab = 0;
};

/// Statistics of two splitters `distance_m` apart: with the sensitivities S_w = eta_per_width + gap_per_width
/// eta_per_gap and S_h = eta_per_height and V_f = S_w^2 sigma_w^2 + S_h^2 sigma_h^2,
/// sigma_eta^2 = V_f + V_white and rho_ab = (V_f rho(d) + V_white rho_white) / sigma_eta^2; 0 where nothing
/// varies.
SplitterStatistics splitter_statistics(const ProcessModel& model, double distance_m);

/// The model with the splitter statistics asked for: coupler sensitivities are scaled alike until the field
/// makes up `field_share` (0..1) of the variance, the white part is the rest and its correlation inside an MZI
/// fills up what the field's lacks. field_share < 0 leaves the sensitivities as they are. Throws Error for
/// impossible statistics: a negative spread, a correlation beyond +-1 asked for or needed from the white part,
/// a share above 1 or one that a field of zero rms cannot have.
ProcessModel with_splitter_statistics(ProcessModel model, const SplitterStatistics& wanted, double distance_m,
                                      double field_share = -1.0);

/// Whether anything varies that neighbouring devices share, or heaters: a spread of width, height or power.
bool varies(const ProcessModel& model);

/// Change of a waveguide's effective index for changes of its dimensions, dn = dn/dw dw + dn/dh dh.
double index_change(const ProcessModel& model, double width_change_m, double height_change_m);

/// Phase of a waveguide for the same, 2 pi L dn / lambda, rad: 0.81 rad over 100 um per nm of width.
double phase_change_rad(const ProcessModel& model, double length_m, double width_change_m,
                        double height_change_m);

/// Change of a coupler's angle, S_w dw + S_h dh, rad.
double eta_change_rad(const ProcessModel& model, double width_change_m, double height_change_m);

/// Throws Error, naming field, value and range, where a value is impossible (negative spread, correlation
/// beyond
/// +-1, correlation length or wavelength <= 0, not finite).
void validate_process(const ProcessModel& model);

/// What is legal but outside the ranges given with the fields, or beyond what the model describes, one line
/// each; `mzi_length_m` is that of the floor plan.
std::vector<Warning> process_warnings(const ProcessModel& model, double mzi_length_m);

}  // namespace optinc
