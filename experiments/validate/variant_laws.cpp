#include <cmath>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/variant_mesh.hpp"

// Meshes of MZIs with a third splitter, corrected for known ones (Hamerly et al., Nat. Commun. 13, 6831, 2022;
// balanced: derived here). A block that a Haar unitary asks for is a point on a sphere, of density k 2^(1-k) of
// rank k where its forbidden discs lie (power ratio 1/2): there are as many clips at any N, and none where
// blocks are real.

namespace optinc {
namespace {

constexpr double sigma_rad = 0.05;
const LawAxis ports = {"N", "1", "ports of the mesh"};
const LawAxis sigma_eta = {"sigma", "rad", "rms error of the splitters"};

double three_splitter_error(double n, double sigma) { return sigma * sigma * std::sqrt(8 * (4 - 12 / n)); }

/// Discs of radius 2 |alpha +- beta| around centres shifted by 2 gamma, on a density ~ (1 - z)^(k-1): its
/// curvature adds (k-1)(k-2)/2 <z^2>, with <z^2> = (4 + 6) sigma^2 of the shift and of the discs' own area.
double three_splitter_clips(double n, double sigma) {
  double sum = 0.0;
  for (int k = 1; k < n; ++k)
    sum += (n - k) * k * std::ldexp(1.0, 1 - k) * (1 + (k - 1) * (k - 2) / 2.0 * 10 * sigma * sigma);
  return 4 * sigma * sigma * sum;
}

CorrectedVariant corrected_three_splitters(double n, double sigma, const LawTrial& trial) {
  return corrected_variant(MziKind::three_splitter,
                           haar_target(HaarTarget::unitary, static_cast<int>(n), trial), sigma, trial);
}

double three_splitter_trial(double n, double sigma, const LawTrial& trial) {
  return corrected_three_splitters(n, sigma, trial).error;
}

/// rms E at N ports over that at 16, where tails are heavier: of four times as many meshes.
Measured growth_over_16_ports(double n, const Effort& effort) {
  const auto at = [&](double ports_, const Effort& meshes) {
    const auto one = [](double p, const LawTrial& trial) { return three_splitter_trial(p, sigma_rad, trial); };
    return estimate(Statistic::rms, run_trials(one, ports_, meshes));
  };
  const Measured large = at(n, effort), small = at(16, {4 * effort.trials, effort.seed});
  Measured ratio = {large.value / small.value, 0.0, large.samples};
  ratio.standard_error =
      ratio.value * std::hypot(small.standard_error / small.value, large.standard_error / large.value);
  ratio.samples.insert(ratio.samples.end(), small.samples.begin(), small.samples.end());
  return ratio;
}

CorrectedVariant corrected_balanced(double n, const LawTrial& trial) {
  return corrected_variant(MziKind::balanced, haar_target(HaarTarget::orthogonal, static_cast<int>(n), trial),
                           sigma_rad, trial);
}

std::vector<Law> three_splitter_laws() {
  return {
      {.row = "13",
       .name = "Ec three splitters",
       .kind = LawKind::monte_carlo,
       .formula = "sigma^2 sqrt(8(4 - 12/N)), sigma = 0.05",
       .quantity = "rms error E over meshes",
       .sample = "E of one mesh",
       .expected = [](double n) { return three_splitter_error(n, sigma_rad); },
       .relative_tolerance = 0.12,
       .measure = over_trials(
           Statistic::rms, [](double n, const LawTrial& t) { return three_splitter_trial(n, sigma_rad, t); }),
       .axis = ports,
       .points = {{8, 16000}, {16, 16000}, {32, 6000}, {64, 2000}}},
      {.row = "13",
       .name = "Ec three splitters, 16 ports",
       .kind = LawKind::monte_carlo,
       .formula = "sigma^2 sqrt(8(4 - 12/N)), N = 16",
       .quantity = "rms error E over meshes",
       .sample = "E of one mesh",
       .expected = [](double s) { return three_splitter_error(16, s); },
       .relative_tolerance = 0.12,
       .measure = over_trials(Statistic::rms,
                              [](double s, const LawTrial& t) { return three_splitter_trial(16, s, t); }),
       .axis = sigma_eta,
       .points = {{0.03, 30000}, {0.04, 20000}, {0.06, 12000}}},
      {.row = "13",
       .name = "growth of Ec three splitters",
       .kind = LawKind::monte_carlo,
       .formula = "sqrt((4 - 12/N) / (4 - 12/16)), sigma = 0.05 (plain MZIs: N/16)",
       .quantity = "rms error E at N ports over that at 16",
       .sample = "E of every mesh of N ports, then of four times as many of 16",
       .expected = [](double n) { return std::sqrt((4 - 12 / n) / 3.25); },
       .relative_tolerance = 0.3,
       .measure = growth_over_16_ports,
       .axis = ports,
       .points = {{32, 2000}, {64, 1500}}},
      {.row = "13",
       .name = "clipped MZIs of three splitters",
       .kind = LawKind::monte_carlo,
       .formula = "4 sigma^2 sum (N-k) k 2^(1-k) with its next order, sigma = 0.05",
       .quantity = "clipped MZIs, mean over meshes",
       .sample = "clipped MZIs of one mesh",
       .expected = [](double n) { return three_splitter_clips(n, sigma_rad); },
       .relative_tolerance = 0.06,
       .measure = over_trials(Statistic::mean,
                              [](double n, const LawTrial& t) {
                                return 1.0 * corrected_three_splitters(n, sigma_rad, t).clipped;
                              }),
       .axis = ports,
       .points = {{16, 20000}, {32, 8000}, {64, 4000}}},
  };
}

std::vector<Law> balanced_laws() {
  const std::vector<LawPoint> few = {{16, 40}, {32, 20}, {64, 10}};
  return {
      {.row = "13b",
       .name = "balanced MZIs clip never",
       .formula = "0 clips, Haar orthogonal, sigma = 0.05",
       .quantity = "most clipped MZIs of a mesh",
       .expected = constant(0),
       .measure =
           largest_of([](double n, const LawTrial& t) { return 1.0 * corrected_balanced(n, t).clipped; }),
       .axis = ports,
       .points = few},
      {.row = "13b",
       .name = "balanced MZIs corrected exactly",
       .formula = "E = 0, Haar orthogonal, sigma = 0.05",
       .quantity = "largest E",
       .expected = constant(0),
       .absolute_tolerance = 1e-11,
       .measure = largest_of([](double n, const LawTrial& t) { return corrected_balanced(n, t).error; }),
       .axis = ports,
       .points = few},
  };
}

}  // namespace

std::vector<Law> variant_laws() {
  std::vector<Law> list = three_splitter_laws();
  for (Law& law : balanced_laws()) list.push_back(std::move(law));
  return list;
}

}  // namespace optinc
