// Networks of heaters in time: every integrator against matrix exponentials and dense solves built here.

#include "physics/thermal/thermal_dynamics.hpp"

#include <cmath>
#include <vector>

#include <Eigen/LU>
#include <unsupported/Eigen/MatrixFunctions>

#include "physics/thermal/phase_response.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

/// Five unlike heaters in a ring with a chord, on a die.
struct Five {
  HeaterArray heaters = uniform_heaters(Vector::LinSpaced(5, 0.0, 200e-6), Vector::Zero(5));
  std::vector<ThermalLink> links = {{0, 1, 2e-5}, {1, 2, 3e-5}, {2, 3, 1e-5},
                                    {3, 4, 4e-5}, {4, 0, 2e-5}, {1, 4, 5e-6}};
  Vector power_w{{20e-3, 0.0, 5e-3, 40e-3, 1e-3}};

  explicit Five(ThermalDie die) {
    heaters.resistance_k_per_w = Vector{{2800.0, 3500.0, 2000.0, 2822.0, 4000.0}};
    heaters.capacity_j_per_k = Vector{{4e-10, 5e-10, 3e-10, 4.34e-10, 8e-10}};
    heaters.die = die;
  }
  ThermalNetwork network() const { return linked_network(heaters, links); }

  /// dy/dt = A y + b of the equations of thermal_network.hpp, heaters first, written out by link.
  Eigen::MatrixXd a() const {
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(6, 6);
    for (int i = 0; i < 5; ++i) {
      const double g = 1 / heaters.resistance_k_per_w[i];
      a(i, i) -= g / heaters.capacity_j_per_k[i];
      a(i, 5) += g / heaters.capacity_j_per_k[i];
      a(5, i) += g / heaters.die.capacity_j_per_k;
      a(5, 5) -= g / heaters.die.capacity_j_per_k;
    }
    for (const auto& [i, j, g] : links) {
      a(i, i) -= g / heaters.capacity_j_per_k[i];
      a(i, j) += g / heaters.capacity_j_per_k[i];
      a(j, j) -= g / heaters.capacity_j_per_k[j];
      a(j, i) += g / heaters.capacity_j_per_k[j];
    }
    a(5, 5) -= 1 / (heaters.die.resistance_k_per_w * heaters.die.capacity_j_per_k);
    return a;
  }
  Vector b(double ambient_k) const {
    Vector b(6);
    b << power_w.cwiseQuotient(heaters.capacity_j_per_k),
        ambient_k / (heaters.die.resistance_k_per_w * heaters.die.capacity_j_per_k);
    return b;
  }
};

constexpr ThermalDie light{700.0, 7e-8};  // 49 us: both time scales in one window
constexpr ThermalDie heavy{0.5, 0.46};    // 0.23 s: stiff by 2e5

std::vector<double> equal_steps(int count, double step_s) {
  std::vector<double> times;
  for (int k = 0; k < count; ++k) times.push_back(k * step_s);
  return times;
}

double distance(const ThermalHistory& a, const ThermalHistory& b, Eigen::Index from = 0) {
  const Eigen::Index instants = a.die_k.size() - from;
  return std::max((a.heater_k - b.heater_k).rightCols(instants).cwiseAbs().maxCoeff(),
                  (a.die_k - b.die_k).tail(instants).cwiseAbs().maxCoeff());
}

}  // namespace

// row 15. Fails when links act on one heater only, or the heat of the heaters does not reach the die
TEST_CASE("row 15: steady state of a network by dense LU, and where every integrator ends") {
  const Five five(light);
  const Vector steady = five.a().partialPivLu().solve(-five.b(1.5));
  const ThermalState found = thermal_steady_state(five.network(), five.power_w, 1.5);
  CHECK((found.heater_k - steady.head(5)).cwiseAbs().maxCoeff() < 1e-10);  // of 150 K
  CHECK(std::abs(found.die_k - steady[5]) < 1e-10);
  const std::vector<double> times = {0.0, 2e-3}, ambient = {1.5, 1.5};
  for (const char* name : {"dopri5", "rosenbrock4", "eigen", "exponential"}) {
    CAPTURE(name);
    const auto h = integrate_thermal(five.network(), {Vector::Constant(5, 1.5), 1.5}, five.power_w, times,
                                     ambient, value_of_name<Integrator>(name));
    CHECK(name_of(h.used) == name);
    CHECK((h.heater_k.col(1) - steady.head(5)).cwiseAbs().maxCoeff() < 1e-6);
    CHECK(std::abs(h.die_k[1] - steady[5]) < 1e-6);
  }
}

// row 15. Fails when an initial state is ignored, when phi_2 has a wrong factor (ramp), or the ambient heats
// the heaters
TEST_CASE("row 15: every integrator is the matrix exponential, on a ramp of the ambient") {
  const Five five(light);
  const std::vector<double> times = {0.0, 0.4e-6, 1.7e-6, 30e-6, 90e-6};
  const double start_k = 1.5, slope = 2e4;  // 1.8 K over the window
  std::vector<double> ambient;
  for (const double t : times) ambient.push_back(start_k + slope * t);
  Vector y0(6);
  y0 << 10, 0, 3, 25, -4, 2;
  // homogeneous in (y, ambient, 1): one exponential, no phi functions
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(8, 8);
  m.topLeftCorner(6, 6) = five.a();
  m.block(0, 7, 6, 1) = five.b(0.0);
  m.block(0, 6, 6, 1) = five.b(1.0) - five.b(0.0);
  m(6, 7) = slope;
  Vector z0(8);
  z0 << y0, start_k, 1;
  for (const auto& [name, tolerance] : {std::pair{"dopri5", 1e-7}, std::pair{"rosenbrock4", 1e-6},
                                        std::pair{"eigen", 1e-9}, std::pair{"exponential", 1e-9}}) {
    CAPTURE(name);
    const auto h = integrate_thermal(five.network(), {y0.head(5), y0[5]}, five.power_w, times, ambient,
                                     value_of_name<Integrator>(name));
    CHECK(h.heater_k.col(0) == y0.head(5));
    CHECK(h.die_k[0] == 2.0);
    for (std::size_t k = 1; k < times.size(); ++k) {
      CAPTURE(times[k]);
      const Vector expected = Eigen::MatrixXd(m * times[k]).exp() * z0;
      const auto column = static_cast<Eigen::Index>(k);
      CHECK((h.heater_k.col(column) - expected.head(5)).cwiseAbs().maxCoeff() < tolerance);
      CHECK(std::abs(h.die_k[column] - expected[5]) < tolerance);
    }
  }
}

// row 15. Fails when the die's loss is left out of the system, or leak is taken from the diagonal of K
TEST_CASE("row 15: energy, in the steady state and on the way there") {
  const Five five(light);
  const ThermalNetwork network = five.network();
  const double total = five.power_w.sum();
  const ThermalState steady = thermal_steady_state(network, five.power_w, 1.5);
  CHECK((steady.heater_k.array() - steady.die_k).matrix().dot(five.heaters.resistance_k_per_w.cwiseInverse()) ==
        Approx(total).epsilon(1e-9));
  CHECK((steady.die_k - 1.5) / 700 == Approx(total).epsilon(1e-12));
  // stored = put in - lost to ambient, the loss by Simpson's rule over 4000 instants
  const auto times = equal_steps(4001, 25e-9);
  const auto h = thermal_step_response(network, five.power_w, times, Integrator::eigen);
  double lost = 0;
  for (int k = 0; k < 4000; k += 2)
    lost += 25e-9 / 3 * (h.die_k[k] + 4 * h.die_k[k + 1] + h.die_k[k + 2]) / 700;
  CHECK(network.capacity_j_per_k.dot(h.heater_k.col(4000)) + network.die.capacity_j_per_k * h.die_k[4000] ==
        Approx(total * 100e-6 - lost).epsilon(1e-9));
}

// fails when quasi-static heaters forget the die, or the die forgets the powers; when rosenbrock4 steps over a
// kink
TEST_CASE("a stiff die over seconds: quasi-static, rosenbrock4 and exponential against the exact modes") {
  const Five five(heavy);
  const ThermalNetwork network = five.network();
  const std::vector<double> times = {0.0, 1e-3, 0.05, 0.1, 0.5, 0.6, 1.0};
  const std::vector<double> ambient = {0.0, 0.1, 0.5, -0.3, 0.2, 4.0, 4.0};
  const ThermalState cold{Vector::Zero(5), 0.0};
  const auto run = [&](Integrator i) {
    return integrate_thermal(network, cold, five.power_w, times, ambient, i);
  };
  const auto exact = run(Integrator::eigen);
  CHECK(distance(run(Integrator::rosenbrock4), exact) < 1e-5);  // of 120 K
  CHECK(distance(run(Integrator::exponential), exact) < 1e-7);
  const auto quasi = run(Integrator::quasi_static);
  CHECK(quasi.used == Integrator::quasi_static);
  // heaters lag tau dT_d/dt = 2 us x 100 K/s, the die lacks C_h T / C_d
  CHECK(distance(quasi, exact, 1) < 1e-4);
  CHECK(exact.die_k[6] > 3.0);
  CHECK(exact.heater_k(3, 6) > 90.0);
}

// fails when Theta enters without its square root of resistances, or the first order has the wrong sign
TEST_CASE("networks from crosstalk: exactly the steady phases, and those to second order") {
  HeaterArray h = uniform_heaters(Vector::LinSpaced(30, 0.0, 1.45e-3), Vector::Zero(30));
  for (int i = 0; i < 30; ++i) h.resistance_k_per_w[i] *= 1 + 0.02 * i;
  Crosstalk c;
  const PhaseResponse r = phase_response(h, c);
  Stream s = test_stream(3);
  const Vector power = uniform_phases(30, s) * 5e-3, wanted = heater_phases(r, power);
  const auto phases = [&](const ThermalNetwork& n) -> Vector {
    const ThermalState steady = thermal_steady_state(n, power);
    return r.rad_per_k.cwiseProduct(Vector(steady.heater_k.array() - steady.die_k));
  };
  const ThermalNetwork exact = exact_network(h, r.resistance_k_per_w);
  CHECK((phases(exact) - wanted).cwiseAbs().maxCoeff() < 1e-11);
  const double off = (phases(first_order_network(h, r.resistance_k_per_w)) - wanted).cwiseAbs().maxCoeff();
  CHECK(off > 1e-5);
  CHECK(off < 0.06 * 0.06 * wanted.maxCoeff());  // sums of x(d) reach 0.058
  // and it moves there as the sparse exponential says
  const std::vector<double> times = {0.0, 1e-6, 3e-6};
  CHECK(distance(thermal_step_response(exact, power, times, Integrator::exponential),
                 thermal_step_response(exact, power, times, Integrator::dopri5)) < 1e-6);
}

// fails when `automatic` ignores the window, or the size
TEST_CASE("which integrator: by window and size, and refused by name") {
  const ThermalNetwork small = Five(heavy).network();
  CHECK(choose_integrator(small, 100e-6) == Integrator::dopri5);
  CHECK(choose_integrator(small, 1.0) == Integrator::eigen);
  const ThermalNetwork big = linked_network(uniform_heaters(Vector::LinSpaced(2500, 0, 1), Vector::Zero(2500)));
  CHECK(choose_integrator(big, 100e-6) == Integrator::dopri5);
  CHECK(choose_integrator(big, 1.0) == Integrator::quasi_static);
  const Vector power = Vector::Constant(2500, 1e-3);
  const std::vector<double> seconds = {0.0, 1.0}, hours = {0.0, 3600.0};
  const auto automatic = thermal_step_response(big, power, seconds);
  CHECK(automatic.used == Integrator::quasi_static);
  CHECK(automatic.die_k[1] == Approx(1.25 * -std::expm1(-1 / 0.23)).epsilon(1e-12));
  check_message(refusal([&] { thermal_step_response(big, power, seconds, Integrator::rosenbrock4); }),
                {"rosenbrock4 for 2501", "at most 500", "quasi-static"});
  check_message(refusal([&] { thermal_step_response(big, power, seconds, Integrator::eigen); }),
                {"eigen for 2501", "at most 2000", "exponential"});
  check_message(refusal([&] { thermal_step_response(small, Vector::Zero(5), hours, Integrator::exponential); }),
                {"exponential", "20000 terms", "quasi-static"});
  check_message(refusal([&] { value_of_name<Integrator>("dopri"); }), {"Did you mean \"dopri5\"?"});
  check_message(refusal([&] { thermal_step_response(small, Vector::Zero(4), seconds); }), {"4 powers"});
  const HeaterArray two = uniform_heaters(Vector::LinSpaced(2, 0, 1e-4), Vector::Zero(2));
  check_message(refusal([&] {
                  linked_network(two, std::vector<ThermalLink>{{0, 2, 1e-5}});
                }),
                {"heaters 0 and 2"});
  check_message(refusal([&] { linked_network(two, std::vector<ThermalLink>{{0, 1, -1.0}}); }), {"-1 W/K"});
  ThermalNetwork lopsided = linked_network(two);
  lopsided.conductance_w_per_k.coeffRef(0, 1) = -1e-5;
  check_message(refusal([&] { thermal_step_response(lopsided, Vector::Zero(2), seconds); }), {"not symmetric"});
}

// fails when the Gershgorin bound is below the spectrum (an explicit step would blow up)
TEST_CASE("the fastest rate bounds the spectrum, and bounds it well") {
  const Five five(light);
  const double largest = (-five.a()).eigenvalues().real().maxCoeff();
  CHECK(fastest_rate_per_s(five.network()) >= largest);
  CHECK(fastest_rate_per_s(five.network()) < 2 * largest);
}

// fails when the sparse exponential fills its matrix (memory) or needs small steps (minutes)
TEST_CASE("a full die in time: 8e4 heaters switched on, by the sparse exponential") {
  Vector x(80'000), y(80'000);
  for (int i = 0; i < 80'000; ++i) {
    x[i] = 100e-6 * (i / 400);
    y[i] = 50e-6 * (i % 400);
  }
  const HeaterArray h = uniform_heaters(x, y);
  Crosstalk c;
  c.cutoff_m = 150e-6;
  const ThermalNetwork network = first_order_network(h, thermal_resistance_matrix(h, c));
  const double tau = h.resistance_k_per_w[0] * h.capacity_j_per_k[0];
  const std::vector<double> times = {0.0, tau, 20 * tau};
  const Vector power = Vector::Unit(80'000, 40'200) * 24.77e-3;
  const auto found = thermal_step_response(network, power, times, Integrator::exponential);
  const ThermalState steady = thermal_steady_state(network, power);
  const double own = found.heater_k(40'200, 2);
  CHECK(own == Approx(steady.heater_k[40'200] - steady.die_k).epsilon(1e-6));  // the die has not moved yet
  CHECK(found.heater_k(40'200, 1) / own == Approx(0.632).epsilon(0.01));
  CHECK(found.heater_k(40'201, 2) / own == Approx(0.05 * std::exp(-1.0)).epsilon(0.05));
}
