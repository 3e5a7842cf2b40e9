#include "onn/network/carry_chain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// constant + sum of weight x signal.
struct Form {
  std::map<int, double> weight;
  double constant = 0.0;

  Form& add(double factor, const Form& other) {
    for (const auto& [signal, w] : other.weight) weight[signal] += factor * w;
    constant += factor * other.constant;
    std::erase_if(weight, [](const auto& term) { return term.second == 0.0; });
    return *this;
  }
};

/// An orthogonal matrix whose first row is w / |w|: the Householder reflection that takes e_0 there.
Eigen::MatrixXd completed(const Eigen::VectorXd& w) {
  const Eigen::Index n = w.size();
  const Eigen::VectorXd row = w.normalized();
  Eigen::VectorXd v = row;
  v[0] += row[0] >= 0 ? 1.0 : -1.0;
  const Eigen::MatrixXd reflection =
      Eigen::MatrixXd::Identity(n, n) - 2.0 / v.squaredNorm() * v * v.transpose();
  return (row[0] >= 0 ? -1.0 : 1.0) * reflection;
}

/// Puts a network together layer by layer.
struct Builder {
  Network network;
  CarryChainSettings settings;
  int signals = 0;

  /// A tree that adds a form up, less its constant; its layer.
  SigmaULayer tree(const Form& form, LayerEnd ending) const {
    SigmaULayer layer;
    layer.outputs = 1;
    layer.inputs = static_cast<int>(form.weight.size());
    layer.wiring = Wiring::sum;
    layer.ending = ending;
    layer.attenuated = false;
    Eigen::VectorXd w(layer.inputs);
    for (const auto& [signal, weight] : form.weight) {
      w[static_cast<Eigen::Index>(layer.reads.size())] = weight;
      layer.reads.push_back(signal);
    }
    layer.unitary = {completed(w)};
    layer.sigma = {Eigen::VectorXd::Constant(1, w.norm())};
    layer.bias = Eigen::VectorXd::Zero(1);
    return layer;
  }

  int append(SigmaULayer layer) {
    const int first = signals;
    signals += layer.outputs;
    network.layers.push_back(std::move(layer));
    return first;
  }

  /// Receivers behind copies of the form's light, one a threshold: steps 0 or 1, as forms of their signals.
  std::vector<Form> steps(const Form& form, const std::vector<int>& thresholds) {
    const double kappa = settings.step_level, steepness = kappa / settings.step_width;
    const auto count = static_cast<int>(thresholds.size());
    SigmaULayer layer;
    layer.outputs = count;
    layer.inputs = 1;
    layer.reads = {append(tree(form, LayerEnd::light))};
    layer.unitary.assign(thresholds.size(), Eigen::MatrixXd::Identity(1, 1));
    layer.sigma.assign(thresholds.size(), Eigen::VectorXd::Constant(1, steepness));
    layer.attenuated = false;
    layer.ceiling = kappa;
    layer.offset = -kappa / 2;
    layer.bias.resize(count);
    for (int k = 0; k < count; ++k)
      layer.bias[k] =
          steepness * (form.constant - thresholds[static_cast<std::size_t>(k)] + 0.5 + settings.step_width / 2);
    const int first = append(std::move(layer));
    std::vector<Form> found;
    for (int k = 0; k < count; ++k) found.push_back({{{first + k, 1 / kappa}}, 0.5});
    return found;
  }

  void answer(const Form& form) {
    SigmaULayer layer = tree(form, LayerEnd::servers);
    layer.bias[0] = form.constant;
    append(std::move(layer));
  }
};

/// The multiples of 4 up to the largest value, which the sum of steps counts.
std::vector<int> multiples_of_four(int largest) {
  std::vector<int> all;
  for (int k = 4; k <= largest; k += 4) all.push_back(k);
  return all;
}

Form sum(const std::vector<Form>& forms) {
  Form total;
  for (const Form& form : forms) total.add(1.0, form);
  return total;
}

/// Digits of the total, most significant first: two of c_0, then r_0, r_1, ..; `half` is what rounding adds (64
/// bits, for it is shifted by two a digit).
std::vector<Form> rippled(Builder& builder, const Task& task, std::uint64_t half) {
  const int digits = task.input_digits();
  std::vector<Form> total(static_cast<std::size_t>(digits) + 2);  // two digits of c_0, then r_0, r_1, ..
  Form carry;
  int largest_carry = 0;
  std::vector<Form> counted;  // the steps of the position before
  for (int m = digits - 1; m >= 0; --m) {
    Form t = {{{m, static_cast<double>(task.servers)}}, 0.0};
    t.add(1.0, carry);
    const auto rounding =
        static_cast<int>((half >> (2 * (digits - 1 - m))) & 3);  // base 4 digit of the rounding constant
    t.constant += rounding;
    const int largest = 3 * task.servers + rounding + largest_carry;
    counted = builder.steps(t, multiples_of_four(largest));
    carry = sum(counted);
    largest_carry = largest / 4;
    total[static_cast<std::size_t>(m) + 2] = t.add(-4.0, carry);
  }
  // what the rounding constant has above all digits; then c_0 counts its own fours: every fourth step
  const auto above = static_cast<int>(half >> (2 * digits));
  carry.constant += above;
  std::vector<Form> fours;
  for (std::size_t k = static_cast<std::size_t>(3 - above); k < counted.size(); k += 4)
    fours.push_back(counted[k]);
  total[0] = sum(fours);
  total[1] = carry.add(-4.0, total[0]);
  return total;
}

/// The network without steps, and trees before them, that nothing reads.
Network pruned(const Network& network) {
  const int lanes = network.task.input_digits();
  std::vector<bool> read(static_cast<std::size_t>(network.first_signal(network.layers.size())), false);
  std::vector<bool> kept(network.layers.size());
  for (std::size_t l = network.layers.size(); l-- > 0;) {
    const SigmaULayer& layer = network.layers[l];
    const auto first = read.begin() + network.first_signal(l);
    kept[l] = layer.ending == LayerEnd::servers ||
              std::find(first, first + layer.outputs, true) != first + layer.outputs;
    if (kept[l])
      for (const int signal : layer.reads) read[static_cast<std::size_t>(signal)] = true;
  }
  std::vector<int> renamed(read.size(), -1);
  std::iota(renamed.begin(), renamed.begin() + lanes, 0);
  Network left{network.task, {}};
  int signals = lanes;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    if (!kept[l]) continue;
    SigmaULayer layer = network.layers[l];
    for (int& signal : layer.reads) signal = renamed[static_cast<std::size_t>(signal)];
    const auto first = static_cast<std::size_t>(network.first_signal(l));
    if (layer.ending == LayerEnd::receivers) {  // of a step layer every output stands by itself
      int outputs = 0;
      for (int k = 0; k < layer.outputs; ++k) {
        if (!read[first + static_cast<std::size_t>(k)]) continue;
        renamed[first + static_cast<std::size_t>(k)] = signals + outputs;
        layer.bias[outputs++] = layer.bias[k];
      }
      layer.outputs = outputs;
      layer.bias.conservativeResize(outputs);
      layer.unitary.resize(static_cast<std::size_t>(outputs));
      layer.sigma.resize(static_cast<std::size_t>(outputs));
    } else {
      renamed[first] = signals;
    }
    signals += layer.outputs;
    left.layers.push_back(std::move(layer));
  }
  return left;
}

/// Whether a run of digits makes a carry, and whether it hands one on that comes in; no light: never.
struct Run {
  Form makes, passes;
};

/// The run of `high` and, behind it, `low`. The lowest run of all is never asked what it passes on.
Run joined(Builder& builder, const Run& high, const Run& low) {
  Run run;
  Form either = high.passes;  // a run that makes one need not pass one on: its weight alone must reach 2
  either.add(2, high.makes).add(1, low.makes);
  run.makes =
      low.makes.weight.empty() || high.passes.weight.empty() ? high.makes : builder.steps(either, {2})[0];
  Form both = high.passes;
  both.add(1, low.passes);
  if (!high.passes.weight.empty() && !low.passes.weight.empty()) run.passes = builder.steps(both, {2})[0];
  return run;
}

/// Sums of every place, most significant first, two places above the servers' digits among them, before
/// carries.
struct Places {
  std::vector<Form> sum;
  std::vector<int> largest;  ///< that each can be
};

/// Digit k of what rounding adds, counted from the most significant of `places`.
int rounding_digit(std::uint64_t added, std::size_t places, std::size_t k) {
  return static_cast<int>((added >> (2 * (places - 1 - k))) & 3);
}

Places uncarried(const Task& task, std::uint64_t added) {
  const std::size_t places = static_cast<std::size_t>(task.input_digits()) + 2;
  Places u{std::vector<Form>(places), std::vector<int>(places)};
  for (std::size_t k = 0; k < places; ++k) {
    const int rounding = rounding_digit(added, places, k);
    if (k >= 2) u.sum[k] = {{{static_cast<int>(k) - 2, static_cast<double>(task.servers)}}, 0.0};
    u.sum[k].constant += rounding;
    u.largest[k] = (k >= 2 ? 3 * task.servers : 0) + rounding;
  }
  return u;
}

/// Hands the fours of every place to the next higher one, once.
void hand_on_fours(Builder& builder, Places& u) {
  const std::size_t places = u.sum.size();
  std::vector<Form> fours(places);
  for (std::size_t k = 0; k < places; ++k)
    if (u.largest[k] > 3) fours[k] = sum(builder.steps(u.sum[k], multiples_of_four(u.largest[k])));
  std::vector<int> smaller(places);
  for (std::size_t k = 0; k < places; ++k) {
    u.sum[k].add(-4, fours[k]);
    if (k + 1 < places) u.sum[k].add(1, fours[k + 1]);
    smaller[k] = std::min(u.largest[k], 3) + (k + 1 < places ? u.largest[k + 1] / 4 : 0);
  }
  u.largest = smaller;
}

/// The run of each place alone. What comes into the lowest one is never asked.
std::vector<Run> runs_of(Builder& builder, const Places& u) {
  std::vector<Run> runs(u.sum.size());
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const bool makes = u.largest[k] >= 4, passes = u.largest[k] >= 3 && k + 1 < runs.size();
    std::vector<int> thresholds;
    if (makes) thresholds.push_back(4);
    if (passes) thresholds.push_back(3);
    if (thresholds.empty()) continue;
    const std::vector<Form> steps = builder.steps(u.sum[k], thresholds);
    if (makes) runs[k].makes = steps.front();
    if (passes) runs[k].passes = steps.back();
  }
  return runs;
}

/// The same digits by a parallel prefix.
std::vector<Form> looked_ahead(Builder& builder, const Task& task, std::uint64_t added) {
  Places u = uncarried(task, added);
  const std::size_t places = u.sum.size();
  while (*std::max_element(u.largest.begin(), u.largest.end()) > 6) hand_on_fours(builder, u);
  std::vector<Run> runs =
      runs_of(builder, u);  // runs[k]: of a power of two of places, from k on; at last to the end
  // Sklansky, counted from the last place: in round w the upper halves of blocks of 2w take in the lower ones
  for (std::size_t w = 1; w < places; w *= 2)
    for (std::size_t i = 0; i < places; ++i)
      if ((i / w) % 2 == 1) {
        const std::size_t below = i / w * w - 1;  // the top of the lower half
        runs[places - 1 - i] = joined(builder, runs[places - 1 - i], runs[places - 1 - below]);
      }
  // the most that a run and all behind it add up to says whether a carry can ever leave it
  std::uint64_t most = 0, place = 1;
  for (std::size_t k = places; k-- > 0; place *= 4) {
    most +=
        static_cast<std::uint64_t>((k >= 2 ? 3 * task.servers : 0) + rounding_digit(added, places, k)) * place;
    if (most < 4 * place) runs[k].makes = {};
  }
  std::vector<Form> total = u.sum;
  for (std::size_t k = 0; k < places; ++k) {
    total[k].add(-4, runs[k].makes);
    if (k + 1 < places) total[k].add(1, runs[k + 1].makes);
  }
  return total;
}

/// The least sum of codes that a majority takes.
std::uint64_t least_majority_sum(const Task& task) {
  const std::uint64_t divisor = task.divisor();
  if (task.rounding == Rounding::floor) return divisor;
  return task.rounding == Rounding::half_up ? (divisor + 1) / 2 : divisor / 2 + 1;
}

/// Halves the number with these digits, one more than the answers, and answers with the result.
void answer_halves(Builder& builder, std::span<const Form> digits) {
  std::vector<Form> low(digits.size()), high(digits.size());  // bits: low = y_1 - y_2 + y_3, high = y_2
  for (std::size_t j = 0; j < digits.size(); ++j) {
    if (digits[j].weight.empty()) continue;  // no such digit: 0
    const auto y = builder.steps(digits[j], {1, 2, 3});
    low[j].add(1, y[0]).add(-1, y[1]).add(1, y[2]);
    high[j] = y[1];
  }
  for (std::size_t j = 0; j + 1 < digits.size(); ++j) builder.answer(Form(high[j + 1]).add(2.0, low[j]));
}

}  // namespace

void validate_carry_chain(const CarryChainSettings& s) {
  validate_field(s.step_width > 0 && s.step_width < 1, "step_width",
                 "{} (above 0, below 1: sums are whole numbers). Try 0.25.", s.step_width);
  validate_field(std::isfinite(s.step_level) && s.step_level > 0, "step_level", "{} (> 0). Try 0.9.",
                 s.step_level);
}

Network carry_chain(const Task& task, const CarryChainSettings& settings) {
  validate_task(task);
  validate_carry_chain(settings);
  validate(
      task.servers >= 2 && task.servers <= 16 &&
          (std::has_single_bit(static_cast<unsigned>(task.servers)) || task.reduction != Reduction::mean),
      "a carry chain for {} servers (2, 4, 8 or 16: the mean is a shift; other reductions: 2 to 16). Train a "
      "network.",
      task.servers);
  const bool votes = task.reduction == Reduction::majority;
  const std::uint64_t divisor = task.divisor();
  validate(task.rounding != Rounding::half_even || divisor == 1 || votes,
           "rounding half-even by a carry chain (half-up, floor: it does not know the quotient's parity). Set "
           "task.rounding = \"half-up\".");
  const std::uint64_t least = votes ? least_majority_sum(task) : 0;
  const int fours =
      static_cast<int>((least + task.codes() - 1) / task.codes());  // of votes: the carry c_0 that says yes
  const std::uint64_t added = votes ? static_cast<std::uint64_t>(fours) * task.codes() - least
                              : divisor > 1 && task.rounding == Rounding::half_up ? divisor / 2
                                                                                  : 0;
  const int digits = task.input_digits();
  Builder builder{{task, {}}, settings, digits};
  std::vector<Form> total =
      settings.carries == Carries::ripple ? rippled(builder, task, added) : looked_ahead(builder, task, added);
  const auto built = [&] {
    return settings.carries == Carries::lookahead ? pruned(builder.network) : std::move(builder.network);
  };
  const auto answers = static_cast<std::size_t>(task.output_digits());
  if (task.reduction != Reduction::mean) {
    const Form yes = builder.steps(Form(total[1]).add(4.0, total[0]), {votes ? fours : 1})[0];
    for (std::size_t j = 2; j < total.size(); ++j)
      builder.answer(votes ? Form{}.add(3.0, yes) : sum(builder.steps(total[j].add(3.0, yes), {1, 2, 3})));
    return built();
  }
  const int shift = std::countr_zero(divisor);
  const std::size_t last = total.size() - static_cast<std::size_t>(shift / 2);  // whole digits that fall away
  if (shift % 2 == 0) {
    for (std::size_t j = last - answers; j < last; ++j) builder.answer(total[j]);
    return built();
  }
  answer_halves(builder, std::span(total).subspan(last - answers - 1, answers + 1));
  return built();
}

}  // namespace optinc
