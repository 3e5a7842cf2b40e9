#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/measure.hpp"
#include "experiments/validate/random_mesh.hpp"
#include "physics/circuit/circuit.hpp"
#include "physics/circuit/models.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/random/haar.hpp"

// Circuits with loops and reflections: rings and resonators against their closed forms, random circuits against
// the laws of what they are made of. Constants are typed again here: expected values take nothing from the
// simulator.

namespace optinc {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double centre_m = 1.55e-6, loss_db_per_cm = 3.0;

/// Field behind a silicon strip over that in front of it: n_eff of a 500 x 220 nm strip, and its loss.
Complex strip_field(double length_m, double wavelength_m) {
  const double x = 1e6 * wavelength_m - 1.55;
  const double index = 2.44365 - 1.13171 * x - 0.0424756 * x * x;
  return std::polar(std::pow(10.0, -loss_db_per_cm * 100 * length_m / 20),
                    2 * pi * index * length_m / wavelength_m);
}

/// Amplitude of a turn of a ring.
double turn_amplitude(double length_m) { return std::abs(strip_field(length_m, centre_m)); }

/// A circuit of models: devices with their settings, and what faces what.
struct Drawn {
  Netlist netlist;
  std::vector<const CircuitModel*> models;
  std::vector<std::map<std::string, double>> settings;

  void add(const std::string& name, const std::string& model, std::map<std::string, double> values) {
    models.push_back(&circuit_model(model));
    netlist.instances.push_back({name, models.back()->ports});
    settings.push_back(std::move(values));
  }
  void connect(const InstancePort& a, const InstancePort& b) { netlist.connections.emplace_back(a, b); }
  /// S at some wavelengths (ports^2, wavelengths), each column by columns.
  Matrix spectrum(std::span<const double> wavelengths_m) const {
    std::vector<Matrix> scattering;
    for (std::size_t i = 0; i < models.size(); ++i)
      scattering.push_back(model_scattering(*models[i], settings[i], wavelengths_m));
    return Circuit(netlist).scattering(scattering);
  }
  /// S at one wavelength.
  Matrix at(double wavelength_m) const {
    const auto ports = static_cast<Eigen::Index>(netlist.ports.size());
    return spectrum({{wavelength_m}}).col(0).reshaped(ports, ports);
  }
};

/// A ring of a coupler without loss or dispersion and a waveguide.
Drawn ring(double length_m, double eta_rad) {
  Drawn drawn;
  drawn.add("bus", "coupler",
            {{"eta_rad", eta_rad}, {"eta_relative_slope_per_m", 0.0}, {"excess_loss_db", 0.0}});
  drawn.add("turn", "waveguide", {{"length_m", length_m}, {"loss_db_per_cm", loss_db_per_cm}});
  drawn.connect({"bus", "out1"}, {"turn", "in0"});
  drawn.connect({"turn", "out0"}, {"bus", "in1"});
  drawn.netlist.ports = {{"in", {"bus", "in0"}}, {"out", {"bus", "out0"}}};
  return drawn;
}

double passed(const Drawn& drawn, double wavelength_m) { return std::norm(drawn.at(wavelength_m)(1, 0)); }

/// First dip (sign 1) or peak (sign -1) of a ring in three free spectral ranges beyond a wavelength.
double next_extreme(const Drawn& drawn, double from_m, double fsr_m, double sign) {
  constexpr std::size_t steps = 1200;
  double to_m = from_m + 3 * fsr_m;
  while (to_m - from_m > 1e-15) {  // the power is flat there to rounding
    std::vector<double> at;
    for (std::size_t i = 0; i <= steps; ++i)
      at.push_back(from_m + (to_m - from_m) * static_cast<double>(i) / steps);
    const Eigen::VectorXd power = sign * drawn.spectrum(at).row(1).cwiseAbs2();  // S(out, in)
    std::size_t i = 1;
    const auto value = [&](std::size_t k) { return power[static_cast<Eigen::Index>(k)]; };
    while (i < steps && !(value(i) < value(i - 1) && value(i) <= value(i + 1))) ++i;
    if (i == steps) return NAN;
    from_m = at[i - 1];
    to_m = at[i + 1];
  }
  return (from_m + to_m) / 2;
}

/// lambda^2 / (n_g L), n_g of the strip at the centre.
double spectral_range(double length_m) { return centre_m * centre_m / ((2.44365 + 1.55 * 1.13171) * length_m); }

/// Circumference of a ring whose resonance of that order lies at the centre.
double length_of_order(double order) { return order * centre_m / 2.44365; }

/// Half the distance of the resonances on the two sides of that at the centre.
double found_range(double order) {
  const double guess = spectral_range(length_of_order(order));
  const Drawn drawn = ring(length_of_order(order), 0.3);
  return (next_extreme(drawn, centre_m + 0.5 * guess, guess, 1) -
          next_extreme(drawn, centre_m - 1.5 * guess, guess, 1)) /
         2;
}

constexpr double ring_length_m = 200e-6;

/// Least over largest power of the ring, from its spectrum.
double found_extinction(double eta_rad) {
  const Drawn drawn = ring(ring_length_m, eta_rad);
  const double guess = spectral_range(ring_length_m);
  const double dip = next_extreme(drawn, centre_m - guess, guess, 1);
  return passed(drawn, dip) / passed(drawn, next_extreme(drawn, dip, guess, -1));
}

double extinction(double eta_rad) {
  const double t = std::cos(eta_rad), a = turn_amplitude(ring_length_m);
  return std::pow((t - a) * (1 + t * a) / ((t + a) * (1 - t * a)), 2);
}

double at_critical_coupling(double length_m) {
  const Drawn drawn = ring(length_m, std::acos(turn_amplitude(length_m)));
  const double guess = spectral_range(length_m);
  return passed(drawn, next_extreme(drawn, centre_m, guess, 1));
}

/// Between two interfaces: against Airy's formula, each interface turning what it reflects by half a wave.
double fabry_perot_defect(double, const LawTrial& trial) {
  Stream s = trial.stream(Purpose::test);
  const double left_db = -1 - 29 * s.uniform(), right_db = -1 - 29 * s.uniform(),
               length_m = 20e-6 + 480e-6 * s.uniform(), at = 1.53e-6 + 40e-9 * s.uniform();
  Drawn drawn;
  drawn.add("left", "interface", {{"reflection_db", left_db}});
  drawn.add("guide", "waveguide", {{"length_m", length_m}, {"loss_db_per_cm", loss_db_per_cm}});
  drawn.add("right", "interface", {{"reflection_db", right_db}});
  drawn.connect({"left", "out0"}, {"guide", "in0"});
  drawn.connect({"guide", "out0"}, {"right", "in0"});
  drawn.netlist.ports = {{"in", {"left", "in0"}}, {"out", {"right", "out0"}}};
  const double r1 = std::pow(10, left_db / 20), r2 = std::pow(10, right_db / 20);
  const Complex pass = strip_field(length_m, at);
  return std::abs(drawn.at(at)(1, 0) -
                  std::sqrt((1 - r1 * r1) * (1 - r2 * r2)) * pass / (1.0 + r1 * r2 * pass * pass));
}

/// S of a circuit of so many random devices of two to four ports, each lossless and reciprocal, wired at random
/// until nine ports or fewer are free.
Matrix random_circuit(double devices, const LawTrial& trial) {
  Stream stream = trial.stream(Purpose::test);
  Netlist netlist;
  std::vector<Matrix> scattering;
  std::vector<InstancePort> free;
  for (int i = 0; i < static_cast<int>(devices); ++i) {
    const int ports = 2 + static_cast<int>(3 * stream.uniform());
    Netlist::Instance instance{fmt::format("d{}", i), {}};
    for (int p = 0; p < ports; ++p) {
      instance.ports.push_back(fmt::format("p{}", p));
      free.push_back({instance.name, instance.ports.back()});
    }
    netlist.instances.push_back(std::move(instance));
    const Matrix u = haar_unitary(ports, stream);
    scattering.push_back((u * u.transpose()).reshaped());  // unitary and symmetric
  }
  for (std::size_t i = free.size(); i > 1; --i)
    std::swap(free[i - 1], free[static_cast<std::size_t>(stream.uniform() * static_cast<double>(i))]);
  for (; free.size() > 9; free.resize(free.size() - 2))
    netlist.connections.emplace_back(free[free.size() - 1], free[free.size() - 2]);
  for (const InstancePort& port : free)
    netlist.ports.emplace_back(fmt::format("o{}", netlist.ports.size()), port);
  const auto ports = static_cast<Eigen::Index>(free.size());
  return Circuit(netlist).scattering(scattering).col(0).reshaped(ports, ports);
}

double energy_defect(double devices, const LawTrial& trial) {
  const Matrix s = random_circuit(devices, trial);
  return (s.adjoint() * s - Matrix::Identity(s.rows(), s.cols())).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}

double one_way_defect(double devices, const LawTrial& trial) {
  const Matrix s = random_circuit(devices, trial);
  return (s - s.transpose()).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}

/// A rectangular mesh with splitter errors as devices that face each other, against the mesh engine; the way
/// back is the transpose, and nothing is reflected.
double netlist_defect(double n, const LawTrial& trial) {
  const RandomMesh m = draw_random_mesh(HaarTarget::unitary, static_cast<int>(n), splitter_errors(0.05), trial);
  const auto ports = static_cast<Eigen::Index>(m.topology.ports);
  Drawn drawn;
  std::vector<InstancePort> light;  // where each port's light is
  for (int p = 0; p < ports; ++p) {
    const std::string name = fmt::format("in{}", p);
    drawn.add(name, "phase_shifter", {});
    drawn.netlist.ports.push_back({name, {name, "in0"}});
    light.push_back({name, "out0"});
  }
  for (int k = 0; k < m.topology.mzi_count(); ++k) {
    const auto [upper, lower] = m.topology.mzis[static_cast<std::size_t>(k)];
    const std::string name = fmt::format("mzi{}", k);
    drawn.add(name, "mzi",
              {{"theta_rad", m.program.theta[k]},
               {"phi_rad", m.program.phi[k]},
               {"alpha_rad", m.errors.alpha[k]},
               {"beta_rad", m.errors.beta[k]}});
    for (const auto& [port, arm] : {std::pair{upper, "0"}, {lower, "1"}}) {
      InstancePort& at = light[static_cast<std::size_t>(port)];
      drawn.connect(at, {name, fmt::format("in{}", arm)});
      at = {name, fmt::format("out{}", arm)};
    }
  }
  for (int p = 0; p < ports; ++p) {
    const std::string name = fmt::format("out{}", p);
    drawn.add(name, "phase_shifter", {{"phi_rad", m.program.output_phase[p]}});
    drawn.connect(light[static_cast<std::size_t>(p)], {name, "in0"});
    drawn.netlist.ports.push_back({name, {name, "out0"}});
  }
  const Matrix s = drawn.at(centre_m), through = transfer_matrix(m.topology, m.program, m.errors);
  Matrix wanted = Matrix::Zero(2 * ports, 2 * ports);
  wanted.bottomLeftCorner(ports, ports) = through;
  wanted.topRightCorner(ports, ports) = through.transpose();
  return (s - wanted).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}

std::vector<Law> ring_laws() {
  return {
      {.row = "23",
       .name = "free spectral range of a ring",
       .kind = LawKind::analytic,
       .formula = "lambda^2 / (n_g L), L = m lambda / n_eff, at 1550 nm",
       .quantity = "distance of neighbouring resonances of a circuit of a coupler and a waveguide",
       .unit = "m",
       .expected = [](double order) { return spectral_range(length_of_order(order)); },
       .relative_tolerance = 5e-4,  // of second order in FSR / lambda, 0.7 % at most
       .measure = value_of(found_range),
       .axis = {"m", "1", "order of the resonance at 1550 nm"},
       .points = {{80}, {315}, {1577}}},
      {.row = "23",
       .name = "extinction of a ring",
       .kind = LawKind::analytic,
       .formula = "((t - a)(1 + t a) / ((t + a)(1 - t a)))^2, t = cos eta, a of a turn of 200 um at 3 dB/cm",
       .quantity = "least over largest power behind the ring",
       .expected = extinction,
       .relative_tolerance = 1e-5,  // a changes by less between the two wavelengths
       .absolute_tolerance = 1e-9,
       .measure = value_of(found_extinction),
       .axis = {"eta", "rad", "angle of the bus coupler"},
       .points = {{0.05}, {0.2}, {0.5}, {1.2}}},
      {.row = "23",
       .name = "critical coupling of a ring",
       .kind = LawKind::analytic,
       .formula = "0 at cos eta = a, 3 dB/cm",
       .quantity = "least power behind the ring",
       .expected = constant(0.0),
       .absolute_tolerance = 1e-10,
       .measure = value_of(at_critical_coupling),
       .axis = {"L", "m", "circumference"},
       .points = {{100e-6}, {1e-3}}},
      {.row = "23",
       .name = "Fabry-Perot resonator",
       .kind = LawKind::analytic,
       .formula = "sqrt((1 - R1)(1 - R2)) p / (1 + sqrt(R1 R2) p^2), p the field of a single pass (Airy)",
       .quantity = "largest distance of the transmitted field, random reflections and lengths",
       .expected = constant(0.0),
       .absolute_tolerance = 1e-10,
       .measure = largest_of(fabry_perot_defect),
       .points = {{0, 200}}}};
}

std::vector<Law> random_circuit_laws() {
  const LawAxis devices = {"M", "1", "devices of the circuit"}, ports = {"N", "1", "ports of the mesh"};
  return {{.row = "24",
           .name = "energy in a circuit",
           .kind = LawKind::conservation,
           .formula = "S^H S = 1 of random lossless devices wired at random, loops included",
           .quantity = "largest element of S^H S - 1",
           .expected = constant(0.0),
           .absolute_tolerance = 1e-9,
           .measure = largest_of(energy_defect),
           .axis = devices,
           .points = {{12, 200}, {200, 10}}},
          {.row = "24",
           .name = "reciprocity of a circuit",
           .kind = LawKind::conservation,
           .formula = "S = S^T of random reciprocal devices wired at random, loops included",
           .quantity = "largest element of S - S^T",
           .expected = constant(0.0),
           .absolute_tolerance = 1e-9,
           .measure = largest_of(one_way_defect),
           .axis = devices,
           .points = {{12, 200}, {200, 10}}},
          {.row = "24",
           .name = "a mesh as a circuit",
           .kind = LawKind::exact,
           .formula = "S = [[0, T^t], [T, 0]], T of the mesh engine",
           .quantity = "largest element of the difference",
           .expected = constant(0.0),
           .absolute_tolerance = 1e-12,
           .measure = largest_of(netlist_defect),
           .axis = ports,
           .points = {{2, 20}, {5, 20}, {16, 10}}}};
}

}  // namespace

std::vector<Law> circuit_laws() {
  std::vector<Law> laws = ring_laws();
  for (Law& law : random_circuit_laws()) laws.push_back(std::move(law));
  return laws;
}

}  // namespace optinc
