#include "experiments/designs/operating_point.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>

#include "experiments/models/cascade_trial.hpp"
#include "experiments/models/chip_trial.hpp"
#include "experiments/models/operated_chip.hpp"
#include "experiments/run/trials/statistics.hpp"
#include "onn/budget/budget.hpp"
#include "onn/link/average.hpp"
#include "onn/link/power_path.hpp"
#include "onn/task/codes.hpp"
#include "physics/core/check_values.hpp"
#include "physics/core/parallel.hpp"

namespace optinc {
namespace {

constexpr int search_chips = 5;
constexpr double coarse = 1.4, rate_precision = 1.02, step_down = 0.95;

/// Scales of the noise at which words are counted where too few are wrong. The fewest wrong that are used, and
/// how many are enough at three of them: a hundred leave a standard error of a factor of two at 1e-6.
constexpr std::array scales = {1.2, 1.4, 1.6, 1.8, 2.0, 2.3, 2.6, 3.0, 3.5};
constexpr std::int64_t fewest_wrong = 10, enough_wrong = 100;
constexpr std::size_t counted_scales = 3;

/// Words sent at once with more noise. Servers' phases are drawn once for each such part, and rare ones decide;
/// shorter parts spend more time on their equalisers than on words.
constexpr Eigen::Index most_words_a_part = 256, fewest_parts = 100;

/// The chips of a unit, or of the units of a cascade, made once, and the words sent through them.
class ChipRow {
 public:
  ChipRow(const StudyConfig& config, const StudyInputs& inputs, const OperatingPointSearch& search,
          std::function<void()> word_sent)
      : config_(config),
        words_a_part_(std::clamp<Eigen::Index>(search.words / fewest_parts, 1, most_words_a_part)),
        foundry_(inputs.chips),
        sent_(std::move(word_sent)) {
    config_.hardware.timing.sampling = searched_sampling(config);
    config_.measure.words = search.words;
    for (const StudyConfig& asked : network_configs(config)) {
      const Network& network = inputs.networks[network_number(inputs.networks, asked)].network;
      levels_.push_back({asked, network, design_chip(network), 1});
    }
    if (levels_.size() > 1) levels_.front().units = config.task.servers;
  }

  void set_point(double symbol_rate_bd, double receiver_bandwidth_hz) {
    config_.hardware.timing.symbol_rate_bd = symbol_rate_bd;
    config_.hardware.receiver.front_end.bandwidth_hz = receiver_bandwidth_hz;
  }

  /// Words wrong of search.words of one chip, or of one cascade, at the point; other words in every round.
  std::int64_t wrong(std::uint32_t chip, std::uint32_t round = 0, double noise_scale = 1.0) {
    if (levels_.size() == 1) {
      const Codes codes = codes_of_words(config_.task, drawn_words(config_, chip, round));
      const Answers found = through(levels_.front(), chip, round, codes, noise_scale);
      return (found.array() != wanted(codes, round, noise_scale).array()).count();
    }
    const auto [between, found, wanted] =
        through_cascade(config_.task, cascade_codes(config_, chip, round), [&](int unit, const Codes& codes) {
          return through(unit < levels_.front().units ? levels_.front() : levels_.back(),
                         cascade_chip(config_.task, chip, unit), round, codes, noise_scale);
        });
    return (found.array() != wanted.array()).count();
  }

  /// Adds what the point costs, and what its opponents do.
  void cost(OperatingPoint& point) const {
    std::vector<std::pair<int, UnitCost>> costs;
    std::vector<ChipBudget> budgets;
    for (const Level& level : levels_) {
      budgets.push_back(budget(level.design, config_.chip, config_.hardware, config_.budget));
      costs.emplace_back(level.units, unit_cost(level.network, budgets.back()));
    }
    point.cost = in_series(costs);
    const ChipBudget &sending = budgets.front(), &receiving = budgets.back();
    const Level& last = levels_.back();
    const std::size_t servers = 0, unit_t = 2 + last.design.layers.size();
    const double receiving_servers = last.design.task.servers,
                 ends = answer_ends(last.design.task, config_.hardware);
    const auto watts = [](const ChipBudget& b, std::size_t stage) {
      return b.static_power_w.total(stage) + b.symbol_power_w.total(stage);
    };
    const double bits_per_s = point.bits_per_s() / levels_.front().units;  // of a first unit's servers
    const double n = point.cost.servers,
                 ends_j = (watts(sending, servers) + watts(receiving, unit_t) * receiving_servers / ends) /
                          bits_per_s,
                 light_j = sending.static_power_w.part("lasers").by_stage[servers] / bits_per_s;
    point.opponents = {
        .ring_j = 2 * (n - 1) / n * ends_j,
        .adding_switch_j = 2 * ends_j + electrical_switch_j_per_bit,
        .electronics_j = (1 + 1 / n) * ends_j + light_j + addition_j_per_bit * 8 / config_.task.bits()};
  }

 private:
  struct Level {
    StudyConfig study;  ///< as given, which chips are calibrated with
    Network network;
    ChipDesign design;
    int units;
  };

  using Answers = Eigen::Matrix<std::uint32_t, Eigen::Dynamic, 1>;

  Answers through(const Level& level, std::uint32_t chip, std::uint32_t round, const Codes& codes,
                  double noise_scale) {
    if (sent_) sent_();
    const LitChip& lit = chip_of(level, chip);
    NoiseSwitches noise(config_.noise);
    noise.scale = noise_scale;
    const LitUnit unit{*lit.design, lit.state, config_.hardware, noise, config_.measure.arithmetic};
    if (noise_scale == 1.0) return average_codes(unit, codes, {config_.run.seed, chip, 0, round});
    Answers found(codes.rows());
    parallel_for((codes.rows() + words_a_part_ - 1) / words_a_part_, [&](Eigen::Index part) {
      const Eigen::Index at = part * words_a_part_, words = std::min(words_a_part_, codes.rows() - at);
      found.segment(at, words) = average_codes(unit, codes.middleRows(at, words),
                                               {config_.run.seed, chip, 0, static_cast<std::uint32_t>(part)});
    });
    return found;
  }

  /// The exact answers to what through() sends.
  Answers wanted(const Codes& codes, std::uint32_t round, double noise_scale) const {
    if (noise_scale == 1.0) return exact_answers(config_.task, codes, round);
    Answers exact(codes.rows());
    for (Eigen::Index at = 0; at < codes.rows(); at += words_a_part_) {
      const Eigen::Index words = std::min(words_a_part_, codes.rows() - at);
      exact.segment(at, words) = exact_answers(config_.task, codes.middleRows(at, words),
                                               static_cast<std::uint32_t>(at / words_a_part_));
    }
    return exact;
  }

  const LitChip& chip_of(const Level& level, std::uint32_t chip) {
    const auto made = chips_.find(chip);
    if (made != chips_.end()) return made->second;
    return chips_
        .emplace(chip, chip_in_operation(level.design, level.study,
                                         calibrated_chip(level.design, level.study, chip, 0, foundry_), chip,
                                         Programming::corrected))
        .first->second;
  }

  StudyConfig config_;  ///< at the point
  Eigen::Index words_a_part_;
  std::vector<Level> levels_;
  Foundry foundry_;
  std::function<void()> sent_;
  std::map<std::uint32_t, LitChip> chips_;
};

/// Most words wrong, of so many, on a chip that passes.
std::int64_t most_wrong(const OperatingPointSearch& search, std::int64_t words) {
  return static_cast<std::int64_t>(std::floor(search.wrong * static_cast<double>(words) + 1e-9));
}

/// Share of a chip's words that is wrong, extrapolated from words with more noise.
double extrapolated(ChipRow& chips, const OperatingPointSearch& search, std::uint32_t chip) {
  std::vector<double> at, shares;
  std::size_t enough = 0;
  for (const double scale : scales) {
    const std::int64_t wrong = chips.wrong(chip, 0, scale);
    if (wrong < fewest_wrong || wrong == search.words) continue;
    at.push_back(scale);
    shares.push_back(static_cast<double>(wrong) / search.words);
    if (wrong >= enough_wrong && ++enough == counted_scales) break;
  }
  if (at.empty()) {  // even then too few: no more than this
    at.push_back(scales.back());
    shares.push_back(std::min(0.5, static_cast<double>(fewest_wrong) / search.words));
  }
  const std::size_t used = std::min(counted_scales, at.size());
  return extrapolated_share(std::span(at).last(used), std::span(shares).last(used));
}

/// Whether a chip passes, as far as search.words tell.
bool seems_right(ChipRow& chips, const OperatingPointSearch& search, std::uint32_t chip) {
  const std::int64_t wrong = chips.wrong(chip);
  if (!search.extrapolates()) return wrong <= most_wrong(search, search.words);
  return clopper_pearson(wrong, search.words).low <= search.wrong &&
         (wrong == 0 || chips.wrong(chip, 0, 0.0) == 0) && extrapolated(chips, search, chip) <= search.wrong;
}

/// Whether all chips that are searched on decode.
bool decodes(ChipRow& chips, const OperatingPointSearch& search, double rate_bd, double bandwidth_hz) {
  chips.set_point(rate_bd, bandwidth_hz);
  for (int c = 0; c < search_chips; ++c)
    if (!seems_right(chips, search, static_cast<std::uint32_t>(search.chips + c))) return false;
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

/// Words counted on the chips that a point is confirmed on, in this order, until too many are wrong on too many
/// chips. Chips that fail come first the next time: few words then tell that a point near this one fails, too.
OperatingPoint confirmed(ChipRow& chips, std::vector<std::uint32_t>& order, const OperatingPointSearch& search,
                         const SearchProgress& progress, double rate_bd, double bandwidth_hz) {
  if (progress.confirming) progress.confirming(rate_bd);
  chips.set_point(rate_bd, bandwidth_hz);
  const auto allowed = static_cast<int>(std::floor((1 - search.chips_right) * search.chips + 1e-9));
  const std::int64_t most = most_wrong(search, search.counted_words());
  OperatingPoint point;
  for (auto chip = order.begin(); chip != order.end() && point.chips - point.chips_right <= allowed; ++chip) {
    std::int64_t wrong = 0, words = 0;
    for (std::uint32_t round = 0; words < search.counted_words() && wrong <= most; ++round) {
      wrong += chips.wrong(*chip, round);
      words += search.words;
    }
    ++point.chips;
    point.words += words;
    point.wrong += wrong;
    if (wrong <= most)
      ++point.chips_right;
    else
      std::rotate(order.begin(), chip, chip + 1);
    if (progress.chip_counted) progress.chip_counted();
  }
  if (point.chips - point.chips_right <= allowed)
    point.symbol_rate_bd = rate_bd, point.receiver_bandwidth_hz = bandwidth_hz;
  return point;
}

}  // namespace

void validate_search(const OperatingPointSearch& s) {
  validate_field(s.wrong >= 1e-8 && s.wrong < 1, "wrong", "{} (1e-8 to less than 1). Try 1e-4.", s.wrong);
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

OperatingPoint find_operating_point(const StudyConfig& config, const StudyInputs& inputs,
                                    const OperatingPointSearch& asked, const SearchProgress& progress) {
  validate_search(asked);
  OperatingPointSearch search = asked;
  const TimingSettings& timing = config.hardware.timing;
  if (const double skew_s = std::max(timing.lane_skew_s, timing.layer_skew_s); skew_s > 0)
    search.fastest_bd = std::min(search.fastest_bd, most_skew / skew_s);
  validate_search(search);
  ChipRow chips(config, inputs, search, progress.word_sent);
  std::vector<std::uint32_t> order(static_cast<std::size_t>(search.chips));
  std::iota(order.begin(), order.end(), 0u);
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
  OperatingPoint none;
  for (auto best = highest(); best != candidates.end(); best = highest()) {
    OperatingPoint found = confirmed(chips, order, search, progress, best->rate_bd, best->bandwidth_hz);
    if (found.found()) {
      for (double rate = best->rate_bd; rate < search.fastest_bd;) {  // five chips were strict by chance
        rate = std::min(rate / step_down, search.fastest_bd);
        const OperatingPoint faster = confirmed(chips, order, search, progress, rate, best->bandwidth_hz);
        if (!faster.found()) break;
        found = faster;
      }
      chips.set_point(found.symbol_rate_bd, found.receiver_bandwidth_hz);
      chips.cost(found);
      return found;
    }
    none.words = found.words, none.wrong = found.wrong;
    best->rate_bd *= step_down;
    if (best->rate_bd < search.slowest_bd) candidates.erase(best);
  }
  return none;
}

}  // namespace optinc
