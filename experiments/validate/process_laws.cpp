#include <cmath>
#include <numbers>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/measure.hpp"
#include "physics/devices/laser.hpp"
#include "physics/random/ornstein_uhlenbeck.hpp"

// Random processes in time: drift that forgets (Ornstein-Uhlenbeck) and laser phase that does not (Wiener).

namespace optinc {
namespace {

constexpr double rms = 0.1, correlation_time_s = 1e-3, linewidth_hz = 100e3;
constexpr int path_length = 1000;

/// Mean over a path of X(t) X(t + lag) / s^2, in steps of tau/10.
double path_correlation(double lag_in_tau, const LawTrial& trial) {
  Stream stream = trial.stream(Purpose::phase_noise);
  std::vector<double> path(path_length);
  ornstein_uhlenbeck_path({rms, correlation_time_s}, correlation_time_s / 10, path, stream);
  const auto lag = static_cast<std::size_t>(std::lround(10 * lag_in_tau));
  double sum = 0.0;
  for (std::size_t k = lag; k < path.size(); ++k) sum += path[k] * path[k - lag];
  return sum / static_cast<double>(path.size() - lag) / (rms * rms);
}

/// X after one step of t from a stationary start.
double after_one_step(double t_in_tau, const LawTrial& trial) {
  Stream stream = trial.stream(Purpose::phase_noise);
  const OrnsteinUhlenbeck process = {rms, correlation_time_s};
  const double start = ornstein_uhlenbeck_start(process, stream);
  return ornstein_uhlenbeck_step(process, start, t_in_tau * correlation_time_s, stream);
}

/// Phase of a laser after time t, in 20 steps.
double walked_phase(double t, const LawTrial& trial) {
  Stream stream = trial.stream(Purpose::lock_error);
  std::vector<double> path(21);
  phase_walk_path_rad(linewidth_hz, t / 20, path, stream);
  return path.back();
}

}  // namespace

std::vector<Law> process_laws() {
  const LawAxis lag = {"t", "1", "time in units of the correlation time"};
  return {
      {.row = "16",
       .name = "Ornstein-Uhlenbeck autocorrelation",
       .kind = LawKind::monte_carlo,
       .formula = "exp(-t / tau)",
       .quantity = "autocovariance over stationary variance, mean over paths",
       .sample = "mean over a path of 100 tau of X(t0) X(t0 + t) / s^2",
       .expected = [](double t) { return std::exp(-t); },
       .absolute_tolerance = 0.01,
       .measure = over_trials(Statistic::mean, path_correlation),
       .axis = lag,
       .points = {{0, 10000}, {0.5, 10000}, {1, 10000}, {2, 10000}, {3, 10000}}},
      {.row = "16",
       .name = "Ornstein-Uhlenbeck variance",
       .kind = LawKind::monte_carlo,
       .formula = "s = 0.1 after a step of any length",
       .quantity = "rms of X",
       .unit = "rad",
       .sample = "X after one step from a stationary start",
       .expected = constant(rms),
       .relative_tolerance = 0.02,
       .measure = over_trials(Statistic::rms, after_one_step),
       .axis = lag,
       .points = {{0.01, 40000}, {0.1, 40000}, {1, 40000}, {10, 40000}}},
      {.row = "16",
       .name = "laser phase walk",
       .kind = LawKind::monte_carlo,
       .formula = "sqrt(2 pi Dnu t), Dnu = 100 kHz",
       .quantity = "rms phase after t",
       .unit = "rad",
       .sample = "phase of a laser after t, 0 at first",
       .expected = [](double t) { return std::sqrt(2 * std::numbers::pi * linewidth_hz * t); },
       .relative_tolerance = 0.02,
       .measure = over_trials(Statistic::rms, walked_phase),
       .axis = {"t", "s", "time"},
       .points = {{1e-9, 40000}, {1e-8, 40000}, {1e-7, 40000}, {1e-6, 40000}}},
  };
}

}  // namespace optinc
