#include "physics/devices/waveguide.hpp"

#include "physics/core/check_values.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/devices/waveguide_rows.hpp"

namespace optinc {
namespace {

using constants::pi;

constexpr double um_per_m = 1e6, cm_per_m = 100.0;

}  // namespace

double effective_index(const IndexFit& fit, double wavelength_m) {
  validate_positive("wavelength_m", wavelength_m);
  const double x = (wavelength_m - fit.wavelength_m) * um_per_m;
  return fit.index + fit.slope_per_um * x + fit.curvature_per_um2 * x * x;
}

double group_index(const IndexFit& fit, double wavelength_m) {
  const double x = (wavelength_m - fit.wavelength_m) * um_per_m;
  const double slope_per_um = fit.slope_per_um + 2 * fit.curvature_per_um2 * x;
  return effective_index(fit, wavelength_m) - wavelength_m * um_per_m * slope_per_um;
}

double waveguide_loss_db(const Waveguide& g) {
  validate_waveguide(g);
  return g.length_m * cm_per_m * g.loss_db_per_cm + g.bends * g.bend_loss_db;
}

double waveguide_phase_rad(const Waveguide& g, double wavelength_m, double warmer_k) {
  validate_waveguide(g);
  validate_finite("warmer_k", warmer_k);
  return 2 * pi * (effective_index(g.index, wavelength_m) + g.index_slope_per_k * warmer_k) * g.length_m /
         wavelength_m;
}

double waveguide_phase_slope_rad_per_m(const Waveguide& g, double wavelength_m) {
  validate_waveguide(g);
  return -2 * pi * group_index(g.index, wavelength_m) * g.length_m / (wavelength_m * wavelength_m);
}

double waveguide_phase_slope_rad_per_k(const Waveguide& g, double wavelength_m) {
  validate_waveguide(g);
  validate_positive("wavelength_m", wavelength_m);
  return 2 * pi * g.index_slope_per_k * g.length_m / wavelength_m;
}

double waveguide_delay_s(const Waveguide& g, double wavelength_m) {
  validate_waveguide(g);
  return group_index(g.index, wavelength_m) * g.length_m / constants::speed_of_light_m_per_s;
}

Complex waveguide_field(const Waveguide& g, double wavelength_m, double warmer_k) {
  return phase_shifter(waveguide_phase_rad(g, wavelength_m, warmer_k), waveguide_loss_db(g));
}

void validate_waveguide(const Waveguide& g) {
  validate_not_negative("length_m", g.length_m);
  validate_not_negative("loss_db_per_cm", g.loss_db_per_cm);
  validate_not_negative("bends", g.bends);
  validate_not_negative("bend_loss_db", g.bend_loss_db);
  validate_positive("index.index", g.index.index);
  validate_finite("index.slope_per_um", g.index.slope_per_um);
  validate_finite("index.curvature_per_um2", g.index.curvature_per_um2);
  validate_positive("index.wavelength_m", g.index.wavelength_m);
  validate_finite("index_slope_per_k", g.index_slope_per_k);
}

Waveguide soi_strip_500x220(double length_m) {
  Waveguide g;
  g.length_m = length_m;
  return g;
}

double fibre_loss_db(const Fibre& f) {
  validate_fibre(f);
  return f.length_m / 1000 * f.loss_db_per_km + f.connectors * f.connector_loss_db + 2 * f.multiplexer_loss_db;
}

double fibre_delay_s(const Fibre& f) {
  validate_fibre(f);
  return f.group_index * f.length_m / constants::speed_of_light_m_per_s;
}

double fibre_phase_slope_rad_per_k(const Fibre& f, double wavelength_m) {
  validate_fibre(f);
  validate_positive("wavelength_m", wavelength_m);
  return 2 * pi / wavelength_m * f.length_m * (f.index_slope_per_k + f.index * f.expansion_per_k);
}

void validate_fibre(const Fibre& f) {
  validate_rows(f);
  validate_not_negative("loss_db_per_km", f.loss_db_per_km);
  validate_not_negative("connector_loss_db", f.connector_loss_db);
  validate_positive("group_index", f.group_index);
  validate_positive("index", f.index);
  validate_finite("index_slope_per_k", f.index_slope_per_k);
  validate_finite("expansion_per_k", f.expansion_per_k);
}

}  // namespace optinc
