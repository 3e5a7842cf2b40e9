#pragma once

#include <memory>
#include <vector>

#include "onn/link/word_hops.hpp"
#include "onn/margin/received_levels.hpp"

namespace optinc {

/// How likely the words of a unit come out wrong at any setting of its operator, estimated from Gaussians
/// and phases that turn light (received_levels(), log_tail()) where average_codes() draws and counts. Links
/// count like light that adds: every hop of a ring or hub, and an owner's answers on their way back.
///
/// A level decided wrong makes a word wrong where the answer changes: a last digit's sum of N that is off by 1
/// does so once in N words. That is found once, by integer arithmetic, for each level of each word; the
/// estimate is the mean over the words of the sum over their levels, an upper bound (levels of a word that are
/// wrong together count twice, as where a phase turns them all). Steps of limiting receivers that are wrong
/// count as wrong words. Agrees with counted words within what received_levels() leaves out where few words are
/// wrong.
class Margin {
 public:
  /// Of these codes, (words, servers), in succession. What `unit` refers to must outlive this. Throws Error as
  /// average_codes(), for what received_levels() does not follow, for analogue sums, which decide nothing, and
  /// for checked sums (link.check_block).
  Margin(const LitUnit& unit, const Codes& codes, const TransmissionSeed& seed);

  /// Natural logarithm of the share of words wrong at these settings; finite, however rare. May exceed 0. Real:
  /// double, or OperatingTangent for its derivatives.
  template <class Real>
  Real log_wrong(const OperatingValues<Real>& values) const;

  /// One way that words take: a unit in light or a link, what is sent, and in which share of words an answer
  /// changes when a level is decided one too high, or too low.
  struct Sending {
    LitUnit unit;
    TransmissionSeed seed;
    Codes codes;
    Eigen::MatrixXd exact, too_high, too_low;  ///< (output digits, words): levels in digits, and shares
    bool of_owner = false;                     ///< at the owner's settings
    bool sums = false;                         ///< levels are sums

    /// Level above which a digit of a word is decided wrong, where converters have put it; infinite where
    /// nothing is beyond.
    double upper(Eigen::Index digit, Eigen::Index word) const;
    /// Level below which it is.
    double lower(Eigen::Index digit, Eigen::Index word) const;
  };
  /// All ways that words take, over whose levels log_wrong() adds up.
  const std::vector<Sending>& sendings() const { return sendings_; }

 private:
  void add_hops(const LitUnit& unit, const Codes& codes, const TransmissionSeed& seed);

  std::vector<std::unique_ptr<WordLink>> links_;
  std::vector<Sending> sendings_;
  Eigen::Index words_;
};

}  // namespace optinc
