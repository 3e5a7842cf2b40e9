#include "experiments/study/sweep.hpp"

#include <array>
#include <cmath>
#include <numeric>

#include <boost/random/sobol.hpp>
#include <fmt/format.h>

#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/suggestion.hpp"
#include "physics/random/stream.hpp"

namespace optinc {
namespace {

using Coordinates = std::vector<std::vector<double>>;

Coordinates even_steps(std::size_t points, std::size_t dimensions) {
  std::vector<double> steps(points);
  for (std::size_t i = 0; i < points; ++i) steps[i] = static_cast<double>(i) / static_cast<double>(points - 1);
  return Coordinates(dimensions, steps);
}

Coordinates random_points(std::size_t points, std::size_t dimensions, std::uint64_t seed) {
  Coordinates u(dimensions, std::vector<double>(points));
  for (std::size_t d = 0; d < dimensions; ++d) {
    Stream stream(seed, Purpose::sweep, static_cast<std::uint32_t>(d));
    for (double& x : u[d]) x = stream.uniform();
  }
  return u;
}

Coordinates sobol_points(std::size_t points, std::size_t dimensions) {
  boost::random::sobol engine(dimensions);
  Coordinates u(dimensions, std::vector<double>(points));
  // Boost leaves out the point at 0, without which no first 2^k points are one to a dyadic cell
  for (std::size_t i = 1; i < points; ++i)
    for (std::size_t d = 0; d < dimensions; ++d) u[d][i] = std::ldexp(static_cast<double>(engine()), -64);
  return u;
}

/// Every one of `points` equal strata of each dimension holds exactly one point (McKay et al. 1979).
Coordinates latin_hypercube(std::size_t points, std::size_t dimensions, std::uint64_t seed) {
  Coordinates u(dimensions, std::vector<double>(points));
  for (std::size_t d = 0; d < dimensions; ++d) {
    Stream stream(seed, Purpose::sweep, static_cast<std::uint32_t>(d));
    std::vector<std::size_t> stratum(points);
    std::iota(stratum.begin(), stratum.end(), std::size_t{0});
    for (std::size_t i = points; i > 1; --i)
      std::swap(stratum[i - 1], stratum[stream.below(static_cast<std::uint32_t>(i))]);
    for (std::size_t i = 0; i < points; ++i)
      u[d][i] = (static_cast<double>(stratum[i]) + stream.uniform()) / static_cast<double>(points);
  }
  return u;
}

}  // namespace

std::span<const std::string_view> sweep_methods() {
  static constexpr std::array<std::string_view, 5> names = {"linear", "log", "random", "sobol",
                                                            "latin-hypercube"};
  return names;
}

std::vector<std::string> ablation_labels(const SweepAxis& axis) {
  std::vector<std::string> labels = {"none"};
  for (const auto& source : axis.sources) labels.push_back("only " + source);
  labels.emplace_back("all");
  for (const auto& source : axis.sources) labels.push_back("all but " + source);
  return labels;
}

std::vector<bool> ablation_active(const SweepAxis& axis, std::size_t point) {
  const std::size_t n = axis.sources.size();
  std::vector<bool> active(n, point > n);
  if (point >= 1 && point <= n) active[point - 1] = true;
  if (point > n + 1) active[point - n - 2] = false;
  return active;
}

Coordinates unit_design(const SweepDesign& design, std::size_t dimensions, std::uint64_t seed) {
  constexpr int most_points = 1'000'000;
  constexpr std::size_t most_values = 4'000'000;
  const auto methods = sweep_methods();
  validate(std::find(methods.begin(), methods.end(), design.method) != methods.end(),
           "sweep.method = \"{}\" is unknown (known: {}). {}", design.method, join_names(methods),
           suggestion(design.method, methods));
  const bool even = design.method == "linear" || design.method == "log";
  validate(design.points >= (even ? 2 : 1) && design.points <= most_points,
           "sweep.points = {} by method {} (allowed: {}..{}). Give points = 9, for example.", design.points,
           design.method, even ? 2 : 1, most_points);
  validate(static_cast<std::size_t>(design.points) * dimensions <= most_values,
           "sweep.points = {} of {} keys together (at most {} values). Take fewer points or keys.",
           design.points, dimensions, most_values);
  const auto points = static_cast<std::size_t>(design.points);
  if (even) return even_steps(points, dimensions);
  if (design.method == "random") return random_points(points, dimensions, seed);
  if (design.method == "sobol") return sobol_points(points, dimensions);
  return latin_hypercube(points, dimensions, seed);
}

double between(double from, double to, double u, bool logarithmic) {
  if (u == 0.0) return from;  // the ends are exactly those given
  if (u == 1.0) return to;
  const double x = logarithmic ? from * std::pow(to / from, u) : from + (to - from) * u;
  return std::stod(fmt::format("{:.12g}", x));  // 0.008, not 0.008000000000000002, which nobody would look for
}

}  // namespace optinc
