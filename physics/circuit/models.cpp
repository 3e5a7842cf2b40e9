#include "physics/circuit/models.hpp"

#include <algorithm>
#include <cmath>

#include "physics/core/check_values.hpp"
#include "physics/core/names.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/amplifier.hpp"
#include "physics/devices/carrier_shifter.hpp"
#include "physics/devices/crossing.hpp"
#include "physics/devices/fibre_coupler.hpp"
#include "physics/devices/mmi.hpp"
#include "physics/devices/mzi.hpp"
#include "physics/devices/phase_shifter.hpp"
#include "physics/devices/ring.hpp"
#include "physics/devices/thermo_optic_shifter.hpp"

namespace optinc {
namespace {

using Values = std::span<const double>;

/// S of a device that reflects nothing, from T (out, in).
Matrix both_ways(const Matrix& t) {
  const Eigen::Index in = t.cols(), out = t.rows();
  Matrix s = Matrix::Zero(in + out, in + out);
  s.bottomLeftCorner(out, in) = t;
  s.topRightCorner(in, out) = t.transpose();
  return s;
}

/// S of a ring, the same from either side.
Matrix both_ways(const RingFields& ring) {
  Matrix s = both_ways(Matrix(ring.forward));
  const Eigen::Index ports = ring.back.rows();
  s.topLeftCorner(ports, ports) = ring.back;
  s.bottomRightCorner(ports, ports) = ring.back;
  return s;
}

Matrix both_ways(Complex t) { return both_ways(Matrix(Matrix::Constant(1, 1, t))); }

const std::vector<ModelSetting> guide_settings = {
    {"length_m", 1e-4, "length, bends included [m]"},
    {"loss_db_per_cm", 1.5, "loss [dB/cm]"},
    {"index", IndexFit{}.index, "effective index at reference_m"},
    {"slope_per_um", IndexFit{}.slope_per_um, "slope of the effective index with wavelength [1/um]"},
    {"curvature_per_um2", IndexFit{}.curvature_per_um2, "its curvature [1/um^2]"},
    {"reference_m", IndexFit{}.wavelength_m, "wavelength at which the effective index is given [m]"},
    {"index_slope_per_k", Waveguide{}.index_slope_per_k,
     "change of the effective index with temperature [1/K]"},
    {"warmer_k", 0.0, "temperature above that at which the effective index is given [K]"},
};

Waveguide guide_of(Values v) {
  Waveguide guide;
  guide.length_m = v[0];
  guide.loss_db_per_cm = v[1];
  guide.index = {v[2], v[3], v[4], v[5]};
  guide.index_slope_per_k = v[6];
  return guide;
}

const std::vector<ModelSetting> coupler_settings = {
    {"eta_rad", constants::pi / 4, "splitting angle at reference_m: sin^2 eta of the power crosses [rad]"},
    {"eta_relative_slope_per_m", DirectionalCoupler{}.eta_relative_slope_per_m,
     "relative slope of the splitting angle with wavelength [1/m]"},
    {"excess_loss_db", DirectionalCoupler{}.excess_loss_db, "excess loss of both outputs together [dB]"},
    {"reference_m", DirectionalCoupler{}.wavelength_m, "wavelength at which the splitting angle is given [m]"},
};

DirectionalCoupler coupler_of(Values v) { return {v[0], v[1], v[3], v[2]}; }

/// Settings of several parts, the second's under names with a prefix.
std::vector<ModelSetting> joined(std::vector<ModelSetting> settings, const std::vector<ModelSetting>& more,
                                 const std::string& prefix) {
  for (const ModelSetting& setting : more)
    settings.push_back({prefix + setting.name, setting.usual, setting.meaning});
  return settings;
}

std::vector<ModelSetting> ring_settings(int couplers) {
  std::vector<ModelSetting> settings = guide_settings;
  settings[0] = {"length_m", Ring{}.guide.length_m, "circumference [m]"};
  std::vector<ModelSetting> bus = coupler_settings;
  bus[0].usual = Ring{}.bus.eta_rad;
  settings = joined(settings, bus, "bus_");
  if (couplers == 2) settings = joined(settings, bus, "drop_");
  settings.push_back({"splitting_m", 0.0, "splitting of every resonance by backscatter [m]"});
  return settings;
}

Ring ring_of(Values v) {
  Ring ring{guide_of(v), coupler_of(v.subspan(8)), {}, v.back()};
  if (v.size() > 13) ring.drop = coupler_of(v.subspan(12));
  return ring;
}

SoaSettings amplifier_of(Values v) {
  SoaSettings s;
  s.small_signal_gain_db = v[0];
  s.wavelength_m = v[2];
  s.noise_figure_db = v[3];
  return s;
}

double amplifier_gain_db(Values v, double at) {
  const SoaSettings s = amplifier_of(v);
  const double gain_db = small_signal_gain_db(s, v[1], at);
  const double limit_db = 10 * std::log10(2 - std::pow(10.0, -v[0] / 10));
  validate_field(v[3] >= limit_db - 1e-9, "noise_figure_db",
                 "{} (at least {:.4g} dB: quantum limit of a gain of {} dB). Set noise_figure_db = {:.4g}.",
                 v[3], limit_db, v[0], std::ceil(1000 * limit_db) / 1000);
  return gain_db;
}

std::vector<CircuitModel> made_models() {
  const std::vector<std::string> two = {"in0", "out0"}, four = {"in0", "in1", "out0", "out1"};
  return {
      {"waveguide", "A waveguide with dispersion.", two, guide_settings,
       [](Values v, double at) { return both_ways(waveguide_field(guide_of(v), at, v[7])); }},
      {"phase_shifter",
       "A phase shifter without length.",
       two,
       {{"phi_rad", 0.0, "phase [rad]"}, {"loss_db", 0.0, "loss [dB]"}},
       [](Values v, double) {
         validate_finite("phi_rad", v[0]);
         validate_not_negative("loss_db", v[1]);
         return both_ways(phase_shifter(v[0], v[1]));
       }},
      {"heater",
       "A thermo-optic phase shifter at a voltage, in the steady state.",
       two,
       {{"voltage_v", 0.0, "voltage across the heater [V]"},
        {"p_pi_w", ThermoOpticShifter{}.p_pi_w, "power for a phase of pi at 1550 nm [W]"},
        {"resistance_ohm", ThermoOpticShifter{}.resistance_ohm, "resistance of the cold heater [ohm]"},
        {"resistance_slope_per_k", ThermoOpticShifter{}.resistance_slope_per_k,
         "relative change of the resistance with temperature [1/K]"},
        {"loss_db", ThermoOpticShifter{}.loss_db, "loss [dB]"}},
       [](Values v, double at) {
         ThermoOpticShifter heater;
         heater.p_pi_w = v[1];
         heater.resistance_ohm = v[2];
         heater.resistance_slope_per_k = v[3];
         heater.loss_db = v[4];
         const double phase = thermo_optic_phase_rad(heater, v[0]) * heater.wavelength_m / at;
         return both_ways(phase_shifter(phase, heater.loss_db));
       }},
      {"carrier_shifter",
       "A silicon waveguide with free carriers, after Nedeljkovic et al. (2011) at 1550 nm: phase and "
       "absorption.",
       two,
       {{"length_m", CarrierShifter{}.length_m, "length [m]"},
        {"electrons_per_m3", 0.0, "free electrons above the undoped crystal [1/m^3]"},
        {"holes_per_m3", 0.0, "free holes [1/m^3]"},
        {"overlap", CarrierShifter{}.overlap, "share of the mode's power that overlaps the carriers"},
        {"background_loss_db", CarrierShifter{}.background_loss_db, "loss without carriers [dB]"}},
       [](Values v, double) {
         CarrierShifter shifter;
         shifter.length_m = v[0];
         shifter.overlap = v[3];
         shifter.background_loss_db = v[4];
         return both_ways(carrier_field(shifter, {v[1], v[2]}));
       },
       {},
       [](Values v) {
         return carrier_warnings({v[1], v[2]});
       }},
      {"fibre_coupler",
       "Coupling between a fibre and the chip, by a facet or a grating.",
       two,
       {{"loss_db", FibreCoupler{}.loss_db, "least loss [dB]"},
        {"reference_m", FibreCoupler{}.wavelength_m, "wavelength of least loss [m]"},
        {"one_db_bandwidth_m", 35e-9, "full width at 1 dB of additional loss; gratings: 35 nm [m]"}},
       [](Values v, double at) {
         return both_ways(phase_shifter(0.0, fibre_coupler_loss_db({v[0], v[1], v[2]}, at)));
       }},
      {"coupler", "A directional coupler.", four, coupler_settings,
       [](Values v, double at) { return both_ways(directional_coupler(coupler_of(v), at)); }},
      {"mmi_2x2",
       "A 2x2 multimode-interference splitter.",
       four,
       {{"imbalance_rad", 0.0, "angle beyond pi/4 at reference_m [rad]"},
        {"eta_relative_slope_per_m", Mmi2x2{}.eta_relative_slope_per_m,
         "relative slope of the splitting angle with wavelength [1/m]"},
        {"excess_loss_db", Mmi2x2{}.excess_loss_db, "excess loss of both outputs together [dB]"},
        {"reference_m", Mmi2x2{}.wavelength_m, "wavelength at which the splitting angle is given [m]"}},
       [](Values v, double at) {
         return both_ways(mmi_2x2({v[0], v[1], v[3], v[2]}, at));
       }},
      {"mmi_1x2",
       "A 1x2 splitter: half of the power to each output; backward light that is not in phase is lost.",
       {"in0", "out0", "out1"},
       {{"excess_loss_db", 0.3, "excess loss of both outputs together [dB]"}},
       [](Values v, double) {
         validate_not_negative("excess_loss_db", v[0]);
         return both_ways(Matrix(Matrix::Constant(2, 1, std::sqrt(0.5) * field_ratio_of_loss_db(v[0]))));
       }},
      {"mzi",
       "A Mach-Zehnder interferometer of two couplers, as in meshes: phases and errors without wavelength.",
       four,
       {{"theta_rad", 0.0, "internal phase: 0 is cross, pi is bar [rad]"},
        {"phi_rad", 0.0, "external phase, upper input [rad]"},
        {"alpha_rad", 0.0, "angle error of the first splitter [rad]"},
        {"beta_rad", 0.0, "angle error of the second splitter [rad]"},
        {"arm_loss_db", 0.0, "loss of each of its four arms [dB]"}},
       [](Values v, double) {
         for (const double value : v.first(4)) validate_finite("a phase or angle", value);
         validate_not_negative("arm_loss_db", v[4]);
         return both_ways(mzi({v[0], v[1]}, {v[2], v[3], 0, 0, v[4], v[4], v[4], v[4]}));
       }},
      {"crossing",
       "Two waveguides that cross: in0 passes to out1.",
       four,
       {{"loss_db", Crossing{}.loss_db, "loss of the light that passes [dB]"},
        {"crosstalk_db", Crossing{}.crosstalk_db, "light in the wrong waveguide, below the input [dB]"}},
       [](Values v, double) {
         return both_ways(crossing({v[0], 0, v[1]}));
       }},
      {"ring", "An all-pass ring resonator: one bus.", two, ring_settings(1),
       [](Values v, double at) { return both_ways(all_pass_fields(ring_of(v), at, v[7])); }},
      {"add_drop_ring", "A ring resonator between two buses: in0 to out0 through, to out1 by the ring.", four,
       ring_settings(2), [](Values v, double at) { return both_ways(add_drop_fields(ring_of(v), at, v[7])); }},
      {"interface",
       "A lossless interface that reflects like a step of the index: r in front, -r behind, sqrt(1 - r^2) "
       "through.",
       two,
       {{"reflection_db", -30.0, "reflected power over incident power [dB]"}},
       [](Values v, double) {
         validate_field(v[0] <= 0, "reflection_db", "{} (0 dB or less). Try -30.", v[0]);
         const double r = std::pow(10.0, v[0] / 20);
         Matrix s(2, 2);
         s << r, std::sqrt(1 - r * r), std::sqrt(1 - r * r), -r;
         return s;
       }},
      {"amplifier",
       "A semiconductor optical amplifier at small signal, without length or facets: equal gain in both "
       "directions, at any power.",
       two,
       {{"small_signal_gain_db", SoaSettings{}.small_signal_gain_db, "peak gain [dB]"},
        {"three_db_bandwidth_m", 70e-9, "full width at 3 dB below the peak gain [m]"},
        {"reference_m", SoaSettings{}.wavelength_m, "wavelength of the peak gain [m]"},
        {"noise_figure_db", SoaSettings{}.noise_figure_db, "noise figure [dB]"}},
       [](Values v, double at) { return both_ways(Complex(std::pow(10.0, amplifier_gain_db(v, at) / 20))); },
       [](Values v, double at) {
         const double gain = std::pow(10.0, amplifier_gain_db(v, at) / 10);
         // far off the peak, an absorber: it emits nothing
         return std::max(0.0, ase_density_w_per_hz(std::pow(10.0, v[3] / 10), gain, at));
       },
       [](Values v) { return soa_warnings(amplifier_of(v)); }},
  };
}

}  // namespace

std::span<const CircuitModel> circuit_models() {
  static const std::vector<CircuitModel> models = made_models();
  return models;
}

const CircuitModel& circuit_model(const std::string& name) {
  const auto models = circuit_models();
  const auto found = std::ranges::find(models, name, &CircuitModel::name);
  if (found != models.end()) return *found;
  std::vector<std::string_view> names;
  for (const CircuitModel& model : models) names.push_back(model.name);
  refuse_name("model", name, names);
}

namespace {

/// All settings of a model, in its order.
std::vector<double> values_of(const CircuitModel& model, const std::map<std::string, double>& settings) {
  std::vector<double> values;
  for (const ModelSetting& setting : model.settings) values.push_back(setting.usual);
  for (const auto& [name, value] : settings) {
    const auto found = std::ranges::find(model.settings, name, &ModelSetting::name);
    if (found == model.settings.end()) {
      std::vector<std::string_view> names;
      for (const ModelSetting& setting : model.settings) names.push_back(setting.name);
      refuse_name("setting of " + model.name, name, names);
    }
    values[static_cast<std::size_t>(found - model.settings.begin())] = value;
  }
  return values;
}

/// (ports^2, wavelengths) of a matrix at every wavelength.
template <class MatrixAt>
Matrix at_wavelengths(const CircuitModel& model, std::span<const double> wavelengths_m, MatrixAt matrix_at) {
  const auto ports = static_cast<Eigen::Index>(model.ports.size());
  Matrix all(ports * ports, static_cast<Eigen::Index>(wavelengths_m.size()));
  for (std::size_t w = 0; w < wavelengths_m.size(); ++w) {
    validate_wavelength(wavelengths_m[w]);
    all.col(static_cast<Eigen::Index>(w)) = Matrix(matrix_at(wavelengths_m[w])).reshaped();
  }
  return all;
}

}  // namespace

void validate_wavelength(double wavelength_m) {
  validate_field(wavelength_m >= 2e-7 && wavelength_m <= 2e-5, "wavelength_m",
                 "{} (2e-7..2e-5 m). Try 1.55e-6.", wavelength_m);
}

Matrix model_scattering(const CircuitModel& model, const std::map<std::string, double>& settings,
                        std::span<const double> wavelengths_m) {
  const std::vector<double> values = values_of(model, settings);
  return at_wavelengths(model, wavelengths_m, [&](double at) { return model.scattering(values, at); });
}

Matrix model_emission(const CircuitModel& model, const std::map<std::string, double>& settings,
                      std::span<const double> wavelengths_m) {
  const std::vector<double> values = values_of(model, settings);
  if (!model.emission_w_per_hz) return {};
  const auto ports = static_cast<Eigen::Index>(model.ports.size());
  return at_wavelengths(model, wavelengths_m, [&](double at) -> Matrix {
    return Complex(model.emission_w_per_hz(values, at)) * Matrix::Identity(ports, ports);
  });
}

std::vector<Warning> model_warnings(const CircuitModel& model, const std::map<std::string, double>& settings) {
  const std::vector<double> values = values_of(model, settings);
  return model.warnings ? model.warnings(values) : std::vector<Warning>{};
}

}  // namespace optinc
