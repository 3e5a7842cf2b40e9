#include "onn/margin/margin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "onn/link/average.hpp"
#include "onn/link/power_path.hpp"
#include "onn/margin/tail.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Levels with row `digit` moved by `by`; those that would leave 0..3 stay.
Eigen::MatrixXd moved(Eigen::MatrixXd levels, Eigen::Index digit, double by) {
  for (double& level : levels.row(digit))
    if (level + by > -1e-9 && level + by < pam4_full_scale_digit + 1e-9) level += by;
  return levels;
}

/// 1 where answers differ.
Eigen::RowVectorXd changed(const CodeVector& found, const CodeVector& exact) {
  return (found.array() != exact.array()).cast<double>().transpose();
}

/// What servers' phases move an answer by, upwards, in `moves`; returns the variance of the rest.
template <class Real>
Real take_phases(const ReceivedLevels<Real>& levels, Eigen::Index digit, Eigen::Index word,
                 std::vector<PhaseMove<Real>>& moves) {
  Real rest = levels.answers.variance(digit, word);
  for (std::size_t n = 0; n < levels.phases.size(); ++n) {
    const auto& [along, across] = levels.phases[n];
    moves[n] = {along.rows > 0 ? Real(along(digit, word) * along(digit, word)) : Real(0.0),
                across.rows > 0 ? Real(1 / std::numbers::sqrt2 * across(digit, word)) : Real(0.0)};
    rest -= moves[n].along2 + 2.0 * (moves[n].bend * moves[n].bend);
  }
  return rest;
}

/// A ring or hub sends the same codes over one link after the other; they are followed as one succession.
struct Hop {
  int digits;
  CodeVector codes;
};

}  // namespace

Margin::Margin(const LitUnit& unit, const Codes& codes, const TransmissionSeed& seed) : words_(codes.rows()) {
  const Task& task = unit.design.task;
  validate(checked_block(task, unit.hardware) == 0,
           "link.check_block = {} (what checks leave is counted, not estimated). Set it to 0.",
           unit.hardware.link.check_block);
  validate(task.outputs != Outputs::analogue,
           "an analogue sum (nothing is decided, so no word is right or wrong). Its noise is code_error_rms of "
           "optinc run.");
  validate(
      codes.rows() > 0 && codes.cols() == task.servers,
      "codes ({}, {}) meet a unit for {} servers (a word or more, one column per server). Send (words, {}).",
      codes.rows(), codes.cols(), task.servers, task.servers);
  if (task.adder != Adder::light) {
    add_hops(unit, codes, seed);
    return;
  }
  const CodeVector exact = exact_answers(task, codes, seed.instant);
  Sending own = {unit,  sums_seed(unit, seed),        codes, exact_outputs(task, codes), {}, {},
                 false, task.outputs == Outputs::sums};
  own.too_high = own.too_low = Eigen::MatrixXd::Ones(own.exact.rows(), own.exact.cols());
  if (own.sums)
    for (Eigen::Index m = 0; m < own.exact.rows(); ++m) {
      const auto decided = [&](double by) {
        return changed(decide(task, moved(own.exact, m, by * task.level_spacing()), seed.instant), exact);
      };
      own.too_high.row(m) = decided(1), own.too_low.row(m) = decided(-1);
    }
  sendings_.push_back(std::move(own));
  if (!has_owner(task, unit.hardware)) return;
  TransmissionSeed sent_on = seed;
  sent_on.chip += std::uint32_t{1} << 31;
  links_.push_back(std::make_unique<WordLink>(owner_broadcast(task, unit.hardware)));
  const Eigen::MatrixXd digits = digits_of(exact, task.answer_digits()),
                        all = Eigen::MatrixXd::Ones(digits.rows(), digits.cols());
  sendings_.push_back({links_.back()->lit(unit), sent_on, Codes(exact), digits, all, all, true, false});
}

void Margin::add_hops(const LitUnit& unit, const Codes& codes, const TransmissionSeed& seed) {
  const Task& task = unit.design.task;
  std::vector<Hop> hops;
  const auto sent = [&](int changed_hop, Eigen::Index digit, double by, bool first) {
    int hop = 0;
    return transmit_by_hops(
        unit, codes, seed,
        [&](const LitUnit& link, const Codes& of, const TransmissionSeed&) -> Eigen::MatrixXd {
          const int digits = link.design.task.digits;
          if (first) hops.push_back({digits, of.col(0)});
          const Eigen::MatrixXd levels = digits_of(of.col(0), digits);
          return hop++ == changed_hop ? moved(levels, digit, by) : levels;
        });
  };
  const CodeVector exact = decide(task, sent(-1, 0, 0, true), seed.instant);
  UnitHardware link = unit.hardware;
  link.link.destinations = 1;
  for (int digits = 1; digits <= 16; ++digits) {
    const auto count = std::ranges::count(hops, digits, &Hop::digits);
    if (count == 0) continue;
    links_.push_back(std::make_unique<WordLink>(digits, link));
    TransmissionSeed own = seed;
    own.server = 0;
    Sending all = {links_.back()->lit(unit), own, Codes(count * words_, 1), {}, {}, {}, false, false};
    all.too_high = all.too_low = Eigen::MatrixXd::Zero(digits, count * words_);
    Eigen::Index at = 0;
    for (std::size_t h = 0; h < hops.size(); ++h) {
      if (hops[h].digits != digits) continue;
      all.codes.col(0).segment(at, words_) = hops[h].codes;
      for (Eigen::Index m = 0; m < digits; ++m) {
        const auto decided = [&](double by) {
          return changed(decide(task, sent(static_cast<int>(h), m, by, false), seed.instant), exact);
        };
        all.too_high.row(m).segment(at, words_) = decided(1);
        all.too_low.row(m).segment(at, words_) = decided(-1);
      }
      at += words_;
    }
    all.exact = digits_of(all.codes.col(0), digits);
    sendings_.push_back(std::move(all));
  }
}

namespace {

/// Where a converter's steps, whose readings are in their middles, put a threshold.
double threshold(const LitUnit& unit, double level) {
  const double step = unit.noise.converter ? adc_step(unit.hardware.converter) : 0.0;
  return step > 0 ? 1.5 + step * std::ceil((level - 1.5) / step - 0.5) : level;
}

double half_spacing(const Margin::Sending& s) { return s.sums ? s.unit.design.task.level_spacing() / 2 : 0.5; }

constexpr double on_a_level = 1e-9;

}  // namespace

double Margin::Sending::upper(Eigen::Index digit, Eigen::Index word) const {
  const double level = exact(digit, word);
  return level < pam4_full_scale_digit - on_a_level ? threshold(unit, level + half_spacing(*this))
                                                    : std::numeric_limits<double>::infinity();
}

double Margin::Sending::lower(Eigen::Index digit, Eigen::Index word) const {
  const double level = exact(digit, word);
  return level > on_a_level ? threshold(unit, level - half_spacing(*this))
                            : -std::numeric_limits<double>::infinity();
}

template <class Real>
Real Margin::log_wrong(const OperatingValues<Real>& values) const {
  using std::exp, std::log;
  std::vector<Real> logs;  // of all that may go wrong
  for (const Sending& s : sendings_) {
    const ReceivedLevels<Real> levels =
        received_levels(s.unit, s.of_owner ? owner_values(values) : values, s.codes, s.seed);
    std::vector<PhaseMove<Real>> moves(levels.phases.size());
    for (Eigen::Index m = 0; m < s.exact.rows(); ++m)
      for (Eigen::Index w = 0; w < s.exact.cols(); ++w) {
        const Real &y = levels.answers.mean(m, w), rest = take_phases(levels, m, w, moves);
        const bool noisy = value_of(levels.answers.variance(m, w)) > 0;
        const auto add = [&](double weight, const Real& distance) {
          if (weight == 0) return;
          if (noisy)
            logs.push_back(log_tail(distance, rest, moves) + std::log(weight));
          else if (value_of(distance) < 0)
            logs.push_back(Real(std::log(weight)));
        };
        if (const double most = s.upper(m, w); std::isfinite(most)) add(s.too_high(m, w), most - y);
        for (PhaseMove<Real>& move : moves) move.bend = -move.bend;  // downwards
        if (const double least = s.lower(m, w); std::isfinite(least)) add(s.too_low(m, w), y - least);
      }
    for (const auto& steps : levels.log_wrong_steps) logs.insert(logs.end(), steps.begin(), steps.end());
  }
  if (logs.empty()) return Real(-1e6);
  double most = -std::numeric_limits<double>::infinity();
  for (const Real& l : logs) most = std::max(most, value_of(l));
  Real sum = 0.0;
  for (const Real& l : logs)
    if (value_of(l) > most - 60) sum += exp(l - most);
  return log(sum) + most - std::log(static_cast<double>(words_));
}

template double Margin::log_wrong(const OperatingValues<double>&) const;
template OperatingTangent Margin::log_wrong(const OperatingValues<OperatingTangent>&) const;

}  // namespace optinc
