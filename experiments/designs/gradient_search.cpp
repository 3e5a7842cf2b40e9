#include "experiments/designs/gradient_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <stdexcept>

#include <boost/math/tools/roots.hpp>
#include <nlopt.hpp>

#include "onn/hardware/unit_parts.hpp"
#include "onn/link/average.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

/// Least and most light that is looked at, W, and depths of drive: at 1 the drive has no derivative.
constexpr double least_w = 1e-7, most_w = 0.1, least_depth = 0.05, most_depth = 0.999;
constexpr double least_bits = 1.0, spare_bits = 0.01;
constexpr double least_bandwidth = 0.2;  // of the receivers'
constexpr int most_evaluations = 200, evaluations_at_once = 30;
constexpr double precision = 1e-3;  // of logarithms
constexpr double brighter = 0.2;    // logarithm of a factor of light
constexpr int most_brightened = 6;
/// Boxes of variables, logarithms from their middles: where a search begins, where one nearby does, and ends.
constexpr double widest = 0.4, nearby = 0.1, narrowest = 0.05;

/// A share of words wrong as the distance of a threshold in rms, about: ln share = -q^2/2. Nearly linear in the
/// settings' logarithms. Beyond shares that words have, a straight line.
OperatingTangent distance(const OperatingTangent& log_share) {
  constexpr double many = -0.5;
  if (log_share < OperatingTangent(many)) return sqrt(-2.0 * log_share);
  return 1.0 - (log_share - many);
}

/// The problem as NLopt asks for it: x are logarithms of the variables.
struct Problem : LeastSearch {
  OperatingValues<double> start;
  double wanted;  ///< distance()
  std::vector<double> last_x = {};
  OperatingTangent last = {};
  int evaluations = 0;
  std::exception_ptr stopped = {};

  OperatingValues<double> values(const std::vector<double>& x) const {
    OperatingValues<double> at = start;
    for (std::size_t i = 0; i < x.size(); ++i)
      *at.all()[variables[i].number] = std::clamp(std::exp(x[i]), variables[i].least, variables[i].most);
    return at;
  }

  /// Value and, where asked for, derivatives in the logarithms.
  double told(const OperatingTangent& f, const std::vector<double>& x, std::vector<double>& gradient) const {
    OperatingValues<double> at = values(x);
    for (std::size_t i = 0; i < gradient.size(); ++i)
      gradient[i] = f.slope[variables[i].number] * *at.all()[variables[i].number];
    return f.value;
  }

  double least(const std::vector<double>& x, std::vector<double>& gradient) const {
    const OperatingValues<OperatingTangent> at = as_variables(values(x));
    return told(log(goal == Goal::light ? power.light_w(at) : power.energy_per_bit_j(at)), x, gradient);
  }

  double too_many_wrong(const std::vector<double>& x, std::vector<double>& gradient) {
    if (x != last_x) {
      if (evaluated) evaluated();
      last = distance(margin.log_wrong(as_variables(values(x))));
      last_x = x;
      ++evaluations;
    }
    return told(wanted - last, x, gradient);
  }
};

/// What a function of the problem returns, its exceptions kept until NLopt has ended.
template <auto function>
double called(const std::vector<double>& x, std::vector<double>& gradient, void* of) {
  auto& problem = *static_cast<Problem*>(of);
  try {
    return (problem.*function)(x, gradient);
  } catch (...) {
    problem.stopped = std::current_exception();
    throw nlopt::forced_stop();
  }
}

/// The least found from x on, no variable further away than by this factor's logarithm: where eyes close, the
/// share of words wrong has cliffs that longer steps fall from.
std::vector<double> within(Problem& problem, std::vector<double> x, double reach) {
  nlopt::opt search(nlopt::LD_SLSQP, static_cast<unsigned>(x.size()));
  std::vector<double> low, high;
  for (std::size_t i = 0; i < x.size(); ++i) {
    low.push_back(std::max(std::log(problem.variables[i].least), x[i] - reach));
    high.push_back(std::min(std::log(problem.variables[i].most), x[i] + reach));
  }
  search.set_lower_bounds(low);
  search.set_upper_bounds(high);
  search.set_min_objective(called<&Problem::least>, &problem);
  search.add_inequality_constraint(called<&Problem::too_many_wrong>, &problem, precision);
  search.set_xtol_abs(precision);
  search.set_maxeval(evaluations_at_once);
  double value = 0.0;
  try {
    search.optimize(x, value);
  } catch (const nlopt::forced_stop&) {
    std::rethrow_exception(problem.stopped);
  } catch (const std::runtime_error&) {
    // as far as its numbers go: limited by rounding, or its quadratic problem took too many steps
  }
  return x;
}

/// What the parts of a unit allow at most: of what a setting asks of one, the least that its sources state.
/// Effective bits are a part's, unless the unit sets others.
struct PartLimits {
  double symbol_rate_bd, depth, bits;
};
PartLimits part_limits(const UnitHardware& u, double fastest_bd) {
  PartLimits most = {fastest_bd, most_depth, u.converter.bits - spare_bits};
  for (const UnitPart& named : unit_parts(u))
    for (const Figure& f : named.part->figures) {
      if (f.name == "symbol rate" || f.name == "sampling rate")
        most.symbol_rate_bd = std::min(most.symbol_rate_bd, f.value);
      if (f.name == "largest swing" && servers_swing_v(u, most.depth) > f.value) {
        std::uintmax_t steps = 60;
        most.depth =
            boost::math::tools::bisect([&](double depth) { return servers_swing_v(u, depth) - f.value; }, 0.0,
                                       most.depth, boost::math::tools::eps_tolerance<double>(30), steps)
                .first;
      }
      if (f.key == "effective_bits" && std::ranges::find(named.overridden, f.key) == named.overridden.end())
        most.bits = std::min(most.bits, f.value);
    }
  return most;
}

}  // namespace

std::vector<SearchVariable> search_variables(const ChipRow& chips, bool converters, double slowest_bd,
                                             double fastest_bd, const std::vector<std::string>& held) {
  for (const std::string& key : held)
    validate(std::ranges::find(operating_keys, key) != operating_keys.end(),
             "{} to hold (a search changes {}). Name one of these.", key, join_names(operating_keys));
  const UnitHardware& u = chips.hardware();
  const bool owned = has_owner(chips.design().task, u);
  const bool neurons = chips.design().has_neurons();
  const PartLimits most = part_limits(u, fastest_bd);
  const double hz = u.receiver.front_end.bandwidth_hz;
  struct Range {
    double least, most;
    bool there;
  };
  const std::array<Range, operating_variables> ranges = {{{least_w, most_w, true},
                                                          {least_depth, most.depth, true},
                                                          {least_w, most_w, neurons},
                                                          {least_w, most_w, true},
                                                          {least_bits, most.bits, converters},
                                                          {least_bandwidth * hz, hz, true},
                                                          {slowest_bd, most.symbol_rate_bd, true},
                                                          {least_w, most_w, neurons},
                                                          {least_bandwidth * hz, hz, neurons},
                                                          {least_w, most_w, owned},
                                                          {least_w, most_w, owned},
                                                          {least_bits, most.bits, owned && converters},
                                                          {least_depth, most.depth, owned},
                                                          {least_bandwidth * hz, hz, owned}}};
  std::vector<SearchVariable> found;
  for (std::size_t k = 0; k < operating_variables; ++k)
    if (ranges[k].there && std::ranges::find(held, operating_keys[k]) == held.end())
      found.push_back({k, std::min(ranges[k].least, ranges[k].most), ranges[k].most});
  return found;
}

FoundValues least(const LeastSearch& search, OperatingValues<double> start, double log_wrong, bool near) {
  Problem problem = {search, start, distance(log_wrong).value};
  const std::vector<SearchVariable>& variables = search.variables;
  std::vector<double> best;
  for (const SearchVariable& v : variables)
    best.push_back(std::clamp(std::log(*start.all()[v.number]), std::log(v.least), std::log(v.most)));
  std::vector<double> none;
  const auto excess = [&](const std::vector<double>& x) {
    return std::max(0.0, problem.too_many_wrong(x, none));
  };
  int brightened = 0;
  double best_excess = excess(best), best_value = problem.least(best, none);
  for (double reach = near ? nearby : widest; reach > narrowest && problem.evaluations < most_evaluations;) {
    const std::vector<double> x = within(problem, best, reach);
    const double found_excess = excess(x), found = problem.least(x, none);
    const bool better = best_excess > precision ? found_excess < 0.9 * best_excess
                                                : found_excess <= precision && found < best_value - precision;
    if (!better) {
      reach /= 2;
      if (reach > narrowest || best_excess <= precision || brightened++ == most_brightened) continue;
      for (std::size_t i = 0; i < best.size(); ++i)  // no way on from here: more light, and on from there
        if (operating_keys[variables[i].number].ends_with("_w"))
          best[i] = std::min(std::log(variables[i].most), best[i] + brighter);
      best_excess = excess(best), best_value = problem.least(best, none), reach = widest;
      continue;
    }
    best = x, best_excess = found_excess, best_value = found;
  }
  FoundValues found = {problem.values(best), 0.0, problem.evaluations};
  found.log_wrong = search.margin.log_wrong(found.values);
  return found;
}

}  // namespace optinc
