#include "experiments/designs/operating_point.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include <boost/math/special_functions/gamma.hpp>

#include "experiments/designs/chip_row.hpp"
#include "experiments/run/trials/statistics.hpp"
#include "onn/link/average.hpp"
#include "physics/core/check_values.hpp"

namespace optinc {
namespace {

constexpr int search_chips = 5;
constexpr double correction = 0.06;  // least, of a distance()
constexpr double stricter = 1.008;   // distances, where too many chips fail: a share 1.15 times less at 1e-4
constexpr double least_factor = 0.9, most_factor = 2.0;  // of a distance at once
constexpr double most_stricter = 1.1;                    // of what a point missed, at once
constexpr int coarse_words = 4;  // times fewer, of the estimate that a search begins with
constexpr double alike = 1.5;    // shares of words wrong, by counting as few
constexpr double coarse = 1.4, rate_precision = 1.02, step_down = 0.95;

/// Most words wrong, of so many, on a chip that passes.
std::int64_t most_wrong(const OperatingPointSearch& search, std::int64_t words) {
  return static_cast<std::int64_t>(std::floor(search.wrong * static_cast<double>(words) + 1e-9));
}

/// Whether a chip passes, and the share of its words that are wrong.
struct Judged {
  bool passes;
  double share;
};

/// Of a chip of whose words so many are wrong. Fewer than one of them are estimated, and what is counted must
/// allow that.
Judged judged(ChipRow& chips, const OperatingPointSearch& search, std::uint32_t chip, std::int64_t wrong) {
  const double counted = static_cast<double>(wrong) / search.words;
  if (!search.estimates()) return {wrong <= most_wrong(search, search.words), counted};
  if (clopper_pearson(wrong, search.words).low > search.wrong) return {false, counted};
  const RareWords rare = chips.rare(chip);
  return {rare.share <= search.wrong && rare.quotable(), rare.share};
}

/// Whether all chips that are searched on decode.
bool decodes(ChipRow& chips, const OperatingPointSearch& search, double rate_bd, double bandwidth_hz) {
  chips.set_point(rate_bd, bandwidth_hz);
  for (int c = 0; c < search_chips; ++c) {
    const auto chip = static_cast<std::uint32_t>(search.chips + c);
    if (!judged(chips, search, chip, chips.wrong(chip)).passes) return false;
  }
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

/// The point at which the chips stand, as one that is found.
void take_point(OperatingPoint& point, const ChipRow& chips) {
  point.values = operating_values(chips.hardware());
  point.symbol_rate_bd = point.values.symbol_rate_bd, point.receiver_bandwidth_hz = point.values.bandwidth_hz;
}

/// Words counted on the chips that a point is confirmed on, in this order, until too many are wrong on too many
/// chips. Chips that fail come first the next time: few words then tell that a point near this one fails, too.
OperatingPoint confirmed(ChipRow& chips, std::vector<std::uint32_t>& order, const OperatingPointSearch& search,
                         const SearchProgress& progress, double rate_bd, double bandwidth_hz) {
  if (progress.confirming) progress.confirming(rate_bd);
  chips.set_point(rate_bd, bandwidth_hz);
  const auto allowed = static_cast<int>(std::floor((1 - search.chips_right) * search.chips + 1e-9));
  OperatingPoint point;
  double rare = 0.0;
  for (auto chip = order.begin(); chip != order.end() && point.chips - point.chips_right <= allowed; ++chip) {
    const std::int64_t wrong = chips.wrong(*chip);
    ++point.chips;
    point.words += search.words;
    point.wrong += wrong;
    const Judged found = judged(chips, search, *chip, wrong);
    if (search.estimates()) rare += found.share;
    if (found.passes)
      ++point.chips_right;
    else
      std::rotate(order.begin(), chip, chip + 1);
    if (progress.chip_counted) progress.chip_counted();
  }
  if (search.estimates()) point.rare_wrong = rare / point.chips;
  if (point.chips - point.chips_right <= allowed) take_point(point, chips);
  return point;
}

/// Share of words wrong of chips of which search.chips_right pass, if all are alike: few enough words wrong
/// with just this probability, as Poisson counts.
double passing_share(const OperatingPointSearch& search) {
  if (search.estimates()) return search.wrong;
  const auto words = static_cast<double>(search.words);
  const auto most = static_cast<double>(most_wrong(search, search.words));
  return boost::math::gamma_q_inv(most + 1, search.chips_right) / words;
}

/// The settings that a search begins with: the given ones, those of neurons and of an owner written out.
OperatingValues<double> first_values(const ChipRow& chips) {
  OperatingValues<double> values = operating_values(chips.hardware());
  const OperatingValues<double> of_neurons = neuron_values(values);
  if (chips.design().has_neurons())
    values.neuron_oscillator_w = of_neurons.oscillator_w, values.neuron_bandwidth_hz = of_neurons.bandwidth_hz;
  if (!has_owner(chips.design().task, chips.hardware())) return values;
  const OperatingValues<double> own = owner_values(values);
  values.owner_launch_power_w = own.launch_power_w, values.owner_oscillator_w = own.oscillator_w;
  values.owner_converter_bits = own.converter_bits, values.owner_drive_depth = own.drive_depth;
  values.owner_bandwidth_hz = own.bandwidth_hz;
  return values;
}

/// The estimate for the chip of those searched on that is worst at the point. Without meshes, one stands for
/// all.
Margin worst_margin(ChipRow& chips, const OperatingPointSearch& search, int words) {
  std::optional<Margin> worst;
  double most = 0.0;
  for (int c = 0; c < (chips.design().mzi_count() > 0 ? search_chips : 1); ++c) {
    Margin of_chip = chips.margin(static_cast<std::uint32_t>(search.chips + c), words);
    const double log_wrong = of_chip.log_wrong(operating_values(chips.hardware()));
    if (worst && log_wrong <= most) continue;
    worst.emplace(std::move(of_chip));
    most = log_wrong;
  }
  return std::move(*worst);
}

/// A share of words wrong as the distance of a threshold in rms: ln share = -q^2/2, about.
double distance(double share) { return std::sqrt(-2 * std::log(std::min(share, 0.5))); }

/// Share of words wrong of the chips that are searched on, at the point: counted, or the largest estimate.
double counted_share(ChipRow& chips, const OperatingPointSearch& search) {
  if (search.estimates()) {
    double most = 0.0;
    for (int c = 0; c < search_chips; ++c)
      most = std::max(most, chips.rare(static_cast<std::uint32_t>(search.chips + c)).share);
    return most;
  }
  std::int64_t wrong = 0;
  for (int c = 0; c < search_chips; ++c) wrong += chips.wrong(static_cast<std::uint32_t>(search.chips + c));
  return std::max(0.5, static_cast<double>(wrong)) /
         static_cast<double>(std::int64_t{search_chips} * search.words);
}

/// The point of least energy or light.
class LeastPoint {
 public:
  LeastPoint(ChipRow& chips, const OperatingPointSearch& search, const StudyConfig& config,
             const SearchProgress& progress)
      : chips_(chips),
        search_(search),
        progress_(progress),
        variables_(
            search_variables(chips, config.noise.converter, search.slowest_bd, search.fastest_bd, search.held)),
        power_(chips.power()) {
    chips_.set_point(first_values(chips_));
    margin_.emplace(worst_margin(chips_, search_, search_.estimated_words));
    OperatingValues<double> most = operating_values(chips_.hardware());
    for (const SearchVariable& v : variables_) *most.all()[v.number] = v.most;
    log_least_ = chips_.log_wrong_in_any_light(static_cast<std::uint32_t>(search_.chips), most);
  }

  /// Goes to the least point with an estimate of this distance; false where no settings have it.
  bool go(double wanted) {
    if (wanted == at_) return true;
    const double log_share = -wanted * wanted / 2;
    if (log_least_ > log_share + not_met) return false;
    OperatingValues<double> start = operating_values(chips_.hardware());
    if (at_ == 0 && chips_.design().mzi_count() == 0) {
      const Margin coarse = worst_margin(chips_, search_, search_.estimated_words / coarse_words);
      start = searched(coarse, start, log_share, false);
      searched(*margin_, start, log_share, true);
    } else {
      searched(*margin_, start, log_share, at_ > 0);
    }
    if (progress_.bandwidth_done) progress_.bandwidth_done();
    if (found_.log_wrong > log_share + not_met) return false;
    chips_.set_point(found_.values);
    at_ = wanted;
    return true;
  }

  /// The distance to ask of the estimate so that what is counted on the chips that are searched on has
  /// `target`, from there on: what is counted follows what is estimated about linearly, with slopes far from 1
  /// where networks decide in hidden layers. 0 where no settings have it.
  double corrected(double target) {
    double wanted = target, low = 0.0, low_counted = 0.0, high = 0.0, high_counted = 0.0;
    for (int round = 0; round < most_corrections; ++round) {
      if (!go(wanted)) return 0.0;
      const double share = counted_share(chips_, search_), counted = distance(share),
                   asked = std::exp(-target * target / 2);
      if (share > asked / alike && share < asked * alike) return wanted;
      (share <= asked ? high : low) = wanted;
      (share <= asked ? high_counted : low_counted) = counted;
      if (low > 0 && high > 0) {
        if (high - low < correction) return high;
        wanted =
            low + (high - low) * std::clamp((target - low_counted) / (high_counted - low_counted), 0.2, 0.8);
      } else {
        wanted *= low > 0 ? std::clamp(target / counted, 1.0 + correction / wanted, most_factor)
                          : std::max(std::min(target / counted, 1.0 - correction / wanted), least_factor);
      }
    }
    return wanted;
  }

  /// What was found, told as a point.
  void tell(OperatingPoint& point) const {
    point.estimated_wrong = std::exp(found_.log_wrong);
    point.light_w = power_.light_w(found_.values);
    point.variables = static_cast<int>(variables_.size());
    point.evaluations = evaluations_;
    if (point.found()) point.cost = chips_.cost();
  }

 private:
  static constexpr double not_met = 0.1;  ///< of a logarithm of a share of words wrong

  OperatingValues<double> searched(const Margin& margin, const OperatingValues<double>& start, double log_share,
                                   bool near) {
    found_ = least({search_.goal, margin, power_, variables_, progress_.word_sent}, start, log_share, near);
    evaluations_ += found_.evaluations;
    return found_.values;
  }

  ChipRow& chips_;
  const OperatingPointSearch& search_;
  const SearchProgress& progress_;
  std::vector<SearchVariable> variables_;
  OperatingPower power_;
  std::optional<Margin> margin_;
  double log_least_ = 0.0;  ///< in any light, with the most bits
  FoundValues found_;
  int evaluations_ = 0;
  double at_ = 0.0;  ///< distance of the point at which the chips stand
};

OperatingPoint least_point(ChipRow& chips, std::vector<std::uint32_t>& order,
                           const OperatingPointSearch& search, const StudyConfig& config,
                           const SearchProgress& progress) {
  LeastPoint least(chips, search, config, progress);
  const double target = distance(passing_share(search));
  OperatingPoint point;
  if (!search.counted) {
    if (least.go(target)) take_point(point, chips);
    least.tell(point);
    return point;
  }
  double wanted = least.corrected(target);
  for (int round = 0; round < most_corrections && wanted > 0; ++round) {
    if (!least.go(wanted)) break;
    point = confirmed(chips, order, search, progress, chips.hardware().timing.symbol_rate_bd,
                      chips.hardware().receiver.front_end.bandwidth_hz);
    least.tell(point);
    if (point.found()) break;
    // the first time, chips stand in no order, and how far the counts are off is told by them
    const double missed =
        target / distance(static_cast<double>(point.wrong) / static_cast<double>(point.words));
    wanted *=
        round == 0 && !search.estimates() ? std::clamp(missed / stricter, stricter, most_stricter) : stricter;
  }
  return point;
}

}  // namespace

void validate_search(const OperatingPointSearch& s) {
  validate_field(s.wrong >= 1e-15 && s.wrong < 1, "wrong", "{} (1e-15 to less than 1). Try 1e-4.", s.wrong);
  validate_field(s.chips_right > 0 && s.chips_right <= 1, "chips_right", "{} (above 0 to 1). Try 0.95.",
                 s.chips_right);
  validate_field(s.chips >= 1, "chips", "{} (>= 1). Try 100.", s.chips);
  validate_field(s.words >= 1, "words", "{} (>= 1). Try 30000.", s.words);
  validate_field(!s.bandwidths_hz.empty(), "bandwidths_hz", "{} of them (at least 1). Try 24e9.",
                 s.bandwidths_hz.size());
  for (const double b : s.bandwidths_hz) validate_positive("bandwidths_hz", b);
  validate_positive("slowest_bd", s.slowest_bd);
  validate_field(s.estimated_words >= 1, "estimated_words", "{} (>= 1). Try 1024.", s.estimated_words);
  validate_field(s.fastest_bd > s.slowest_bd, "fastest_bd", "{} (above slowest_bd = {}). Try 200e9.",
                 s.fastest_bd, s.slowest_bd);
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
  ChipRow chips(config, inputs, search.words, progress.word_sent);
  validate(chips.one_unit() || !search.estimates(),
           "a cascade with less than one of {} words wrong, {} (units one by one are estimated). Count 1/wrong "
           "words (--words) or more.",
           search.words, search.wrong);
  std::vector<std::uint32_t> order(static_cast<std::size_t>(search.chips));
  std::iota(order.begin(), order.end(), 0u);
  if (search.goal != Goal::rate) {
    validate(chips.one_unit(),
             "a cascade with goal {} (units one by one are estimated). Set model=chip, or goal rate.",
             name_of(search.goal));
    return least_point(chips, order, search, config, progress);
  }
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
      found.cost = chips.cost();
      return found;
    }
    none.words = found.words, none.wrong = found.wrong;
    best->rate_bd *= step_down;
    if (best->rate_bd < search.slowest_bd) candidates.erase(best);
  }
  return none;
}

}  // namespace optinc
