#include "experiments/analysis/operating_point/operating_point.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/analysis/interconnect/scenario.hpp"
#include "experiments/models/chip_trial.hpp"
#include "experiments/models/operated_chip.hpp"
#include "onn/budget/budget.hpp"
#include "onn/link/transmission.hpp"
#include "onn/task/codes.hpp"
#include "physics/core/check_values.hpp"

namespace optinc {
namespace {

constexpr int search_chips = 5;
constexpr double coarse = 1.4, rate_precision = 1.02, step_down = 0.95;

/// The chips of a unit, made once, and the words sent through them.
class ChipRow {
 public:
  ChipRow(const StudyConfig& config, const Network& network, const OperatingPointSearch& search,
          std::function<void()> word_sent)
      : study_(config), config_(config), design_(design_chip(network)), sent_(std::move(word_sent)) {
    config_.hardware.timing.sampling = searched_sampling(config);
    config_.measure.words = search.words;
  }

  void set_point(double symbol_rate_bd, double receiver_bandwidth_hz) {
    config_.hardware.timing.symbol_rate_bd = symbol_rate_bd;
    config_.hardware.receiver.front_end.bandwidth_hz = receiver_bandwidth_hz;
  }

  /// Words that come out wrong at the point, of search.words.
  std::int64_t wrong(std::uint32_t chip) {
    if (sent_) sent_();
    const LitChip& lit = chip_of(chip);
    const Codes codes = codes_of_words(config_.task, drawn_words(config_, chip));
    const auto outputs = transmit(
        {*lit.design, lit.state, config_.hardware, NoiseSwitches(config_.noise), config_.measure.arithmetic},
        codes, {config_.run.seed, chip, 0});
    return (decide(outputs).array() != exact_answers(config_.task, codes).array()).count();
  }

  /// Adds what the point costs, and what its opponents do.
  void cost(const Network& network, OperatingPoint& point) const {
    const ChipBudget b = budget(design_, config_.chip, config_.hardware, config_.budget);
    point.cost = unit_cost(network, b);
    const std::size_t servers = 0, unit_t = b.stages.size() - 1;
    double ends_w = 0.0;
    for (const BudgetTable* table : {&b.static_power_w, &b.symbol_power_w})
      ends_w += table->total(servers) + table->total(unit_t);
    constexpr double addition_j = 0.03e-12;
    const double n = config_.task.servers, ends_j = ends_w / point.bits_per_s(),
                 light_j = b.static_power_w.part("lasers").by_stage[servers] / point.bits_per_s();
    point.opponents = {.ring_j = 2 * (n - 1) / n * ends_j,
                       .adding_switch_j = 2 * ends_j + Scenario{}.switch_j_per_bit,
                       .electronics_j = (1 + 1 / n) * ends_j + light_j + addition_j / config_.task.bits()};
  }

 private:
  const LitChip& chip_of(std::uint32_t chip) {
    const auto made = chips_.find(chip);
    if (made != chips_.end()) return made->second;
    return chips_
        .emplace(chip, chip_in_operation(design_, study_, calibrated_chip(design_, study_, chip, 0, foundry_),
                                         chip, Programming::corrected))
        .first->second;
  }

  StudyConfig study_, config_;  ///< as given, which chips are calibrated with, and at the point
  ChipDesign design_;
  Foundry foundry_;
  std::function<void()> sent_;
  std::map<std::uint32_t, LitChip> chips_;
};

/// Words wrong that a chip may have and pass.
std::int64_t most_wrong(const OperatingPointSearch& search) {
  return static_cast<std::int64_t>(std::floor(search.wrong * search.words + 1e-9));
}

/// Whether all chips that are searched on decode.
bool decodes(ChipRow& chips, const OperatingPointSearch& search, double rate_bd, double bandwidth_hz) {
  chips.set_point(rate_bd, bandwidth_hz);
  for (int c = 0; c < search_chips; ++c)
    if (chips.wrong(static_cast<std::uint32_t>(search.chips + c)) > most_wrong(search)) return false;
  return true;
}

/// The fastest rate at which they do: of a coarse scan from above, then by bisection; 0 for none. Rates below
/// it need not decode: delay lines are as long as symbols.
double fastest(ChipRow& chips, const OperatingPointSearch& search, double bandwidth_hz) {
  const auto slower = [&](double rate_bd) { return std::max(rate_bd / coarse, search.slowest_bd); };
  double fast = search.fastest_bd, slow = slower(fast);
  while (!decodes(chips, search, slow, bandwidth_hz)) {
    if (slow == search.slowest_bd) return 0.0;
    fast = slow;
    slow = slower(fast);
  }
  while (fast / slow > rate_precision) {
    const double middle = std::sqrt(slow * fast);
    (decodes(chips, search, middle, bandwidth_hz) ? slow : fast) = middle;
  }
  return slow;
}

/// Words through the chips that a point is confirmed on, until too many do not pass.
OperatingPoint confirmed(ChipRow& chips, const OperatingPointSearch& search, double rate_bd,
                         double bandwidth_hz) {
  chips.set_point(rate_bd, bandwidth_hz);
  const auto allowed = static_cast<int>(std::floor((1 - search.chips_right) * search.chips + 1e-9));
  OperatingPoint point;
  for (; point.chips < search.chips && point.chips - point.chips_right <= allowed; ++point.chips) {
    const std::int64_t wrong = chips.wrong(static_cast<std::uint32_t>(point.chips));
    point.words += search.words;
    point.wrong += wrong;
    point.chips_right += wrong <= most_wrong(search) ? 1 : 0;
  }
  if (point.chips - point.chips_right <= allowed)
    point.symbol_rate_bd = rate_bd, point.receiver_bandwidth_hz = bandwidth_hz;
  return point;
}

}  // namespace

void validate_search(const OperatingPointSearch& s) {
  validate_field(s.wrong >= 0 && s.wrong < 1, "wrong", "{} (0 to less than 1). Try 1e-4.", s.wrong);
  validate_field(s.chips_right > 0 && s.chips_right <= 1, "chips_right", "{} (above 0 to 1). Try 0.95.",
                 s.chips_right);
  validate_field(s.chips >= 1, "chips", "{} (>= 1). Try 100.", s.chips);
  validate_field(s.words >= 1, "words", "{} (>= 1). Try 30000.", s.words);
  validate_field(!s.bandwidths_hz.empty(), "bandwidths_hz", "{} of them (at least 1). Try 24e9.",
                 s.bandwidths_hz.size());
  for (const double b : s.bandwidths_hz) validate_positive("bandwidths_hz", b);
  validate_positive("slowest_bd", s.slowest_bd);
  validate_field(s.fastest_bd > s.slowest_bd, "fastest_bd", "{} (above slowest_bd = {}). Try 200e9.",
                 s.fastest_bd, s.slowest_bd);
}

Sampling searched_sampling(const StudyConfig& config) {
  const Sampling asked = config.hardware.timing.sampling;
  return asked == Sampling::settled ? Sampling::clocked : asked;
}

double OperatingPoint::bits_per_s() const {
  return symbol_rate_bd * cost.servers * cost.bits / cost.slots_per_word;
}

double OperatingPoint::energy_per_bit_j() const {
  return (cost.static_power_w + cost.symbol_power_w) / bits_per_s();
}

OperatingPoint find_operating_point(const StudyConfig& config, const Network& network,
                                    const OperatingPointSearch& asked, const SearchProgress& progress) {
  validate_search(asked);
  OperatingPointSearch search = asked;
  const TimingSettings& timing = config.hardware.timing;
  if (const double skew_s = std::max(timing.lane_skew_s, timing.layer_skew_s); skew_s > 0)
    search.fastest_bd = std::min(search.fastest_bd, most_skew / skew_s);
  validate_search(search);
  ChipRow chips(config, network, search, progress.word_sent);
  struct Candidate {
    double rate_bd, bandwidth_hz;
  };
  std::vector<Candidate> candidates;
  for (const double hz : search.bandwidths_hz) {
    if (const double rate_bd = fastest(chips, search, hz); rate_bd > 0) candidates.push_back({rate_bd, hz});
    if (progress.bandwidth_done) progress.bandwidth_done();
  }
  const auto highest = [&] {
    return std::ranges::max_element(candidates, {}, [](const Candidate& c) { return c.rate_bd; });
  };
  std::int64_t words = 0, wrong = 0;
  for (auto best = highest(); best != candidates.end(); best = highest()) {
    OperatingPoint found = confirmed(chips, search, best->rate_bd, best->bandwidth_hz);
    if (found.found()) {
      for (double rate = best->rate_bd; rate < search.fastest_bd;) {  // five chips were strict by chance
        rate = std::min(rate / step_down, search.fastest_bd);
        const OperatingPoint faster = confirmed(chips, search, rate, best->bandwidth_hz);
        if (!faster.found()) break;
        found = faster;
      }
      chips.set_point(found.symbol_rate_bd, found.receiver_bandwidth_hz);
      chips.cost(network, found);
      return found;
    }
    words = found.words;
    wrong = found.wrong;
    best->rate_bd *= step_down;
    if (best->rate_bd < search.slowest_bd) candidates.erase(best);
  }
  OperatingPoint none;
  none.words = words;
  none.wrong = wrong;
  return none;
}

}  // namespace optinc
