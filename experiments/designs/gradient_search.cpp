#include "experiments/designs/gradient_search.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include <nlopt.hpp>

#include "onn/link/average.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

/// Least and most light that is looked at, W, and the least depth of drive.
constexpr double least_w = 1e-7, most_w = 0.1, least_depth = 0.05;
constexpr double least_bits = 1.0, spare_bits = 0.01;
constexpr double least_bandwidth = 0.2;  // of the receivers'
constexpr int most_evaluations = 150;
constexpr double precision = 1e-4;  // of a variable

/// A share of words wrong as the distance of a threshold in rms, about: ln share = -q^2/2. Nearly linear in the
/// settings' logarithms. Beyond shares that words have, a straight line.
OperatingTangent distance(const OperatingTangent& log_share) {
  constexpr double many = -0.5;
  if (log_share < OperatingTangent(many)) return sqrt(-2.0 * log_share);
  return 1.0 - (log_share - many);
}

/// The problem as NLopt asks for it: x are logarithms of the variables.
struct Problem {
  Goal goal;
  const Margin& margin;
  const OperatingPower& power;
  const std::vector<SearchVariable>& variables;
  OperatingValues<double> start;
  double wanted;  ///< distance()
  const std::function<void()>& evaluated;
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

}  // namespace

std::vector<SearchVariable> search_variables(const ChipRow& chips, bool converters, double slowest_bd,
                                             double fastest_bd, const std::vector<std::string>& held) {
  for (const std::string& key : held)
    validate(std::ranges::find(operating_keys, key) != operating_keys.end(),
             "{} to hold (a search changes {}). Name one of these.", key, join_names(operating_keys));
  const UnitHardware& u = chips.hardware();
  const bool owned = has_owner(chips.design().task, u);
  const bool neurons = std::ranges::any_of(
      chips.design().layers, [](const LayerDesign& l) { return l.ending == LayerEnd::receivers; });
  const double most_bits = u.converter.bits - spare_bits, hz = u.receiver.front_end.bandwidth_hz;
  struct Range {
    double least, most;
    bool there;
  };
  const std::array<Range, operating_variables> ranges = {{{least_w, most_w, true},
                                                          {least_depth, 1.0, true},
                                                          {least_w, most_w, neurons},
                                                          {least_w, most_w, true},
                                                          {least_bits, most_bits, converters},
                                                          {least_bandwidth * hz, hz, true},
                                                          {slowest_bd, fastest_bd, true},
                                                          {least_w, most_w, owned},
                                                          {least_w, most_w, owned},
                                                          {least_bits, most_bits, owned && converters}}};
  std::vector<SearchVariable> found;
  for (std::size_t k = 0; k < operating_variables; ++k)
    if (ranges[k].there && std::ranges::find(held, operating_keys[k]) == held.end())
      found.push_back({k, ranges[k].least, ranges[k].most});
  return found;
}

FoundValues least(Goal goal, const Margin& margin, const OperatingPower& power,
                  const std::vector<SearchVariable>& variables, OperatingValues<double> start, double log_wrong,
                  const std::function<void()>& evaluated) {
  Problem problem = {goal, margin, power, variables, start, distance(log_wrong).value, evaluated};
  const auto count = static_cast<unsigned>(variables.size());
  nlopt::opt search(nlopt::LD_SLSQP, count);
  std::vector<double> x, low, high;
  for (const SearchVariable& v : variables) {
    low.push_back(std::log(v.least));
    high.push_back(std::log(v.most));
    x.push_back(std::clamp(std::log(*start.all()[v.number]), low.back(), high.back()));
  }
  search.set_lower_bounds(low);
  search.set_upper_bounds(high);
  search.set_min_objective(called<&Problem::least>, &problem);
  search.add_inequality_constraint(called<&Problem::too_many_wrong>, &problem, precision);
  search.set_xtol_abs(precision);
  search.set_maxeval(most_evaluations);
  double value = 0.0;
  try {
    search.optimize(x, value);
  } catch (const nlopt::forced_stop&) {
    std::rethrow_exception(problem.stopped);
  } catch (const nlopt::roundoff_limited&) {
    // as far as its numbers go
  }
  FoundValues found = {problem.values(x), 0.0, problem.evaluations};
  found.log_wrong = margin.log_wrong(found.values);
  return found;
}

}  // namespace optinc
