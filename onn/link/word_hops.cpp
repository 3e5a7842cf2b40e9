#include "onn/link/word_hops.hpp"

#include "onn/network/digit_sums.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Hops that draw from chips of their own; later ones from other instants of the same.
constexpr int hops_of_a_chip = 254;

/// The hops of a call: links as they are needed, seeds of their own.
class Hops {
 public:
  Hops(const LitUnit& unit, const TransmissionSeed& seed, const SendWords& over_link)
      : unit_(unit), seed_(seed), over_link_(over_link), link_(unit.design.task.digits, unit.hardware) {
    seed_.server = 0;  // a link has one end
    for (int more = 1; more <= extra_digits(unit.design.task.servers - 1); ++more)
      longer_.emplace_back(more, unit_.hardware);
  }

  /// Levels of codes at the end of hop number `hop`.
  Eigen::MatrixXd send(const CodeVector& codes, int hop) const { return send(link_, codes, 2 * hop); }

  /// What is decided at its end of sums of so many codes.
  std::vector<std::uint64_t> send(const std::vector<std::uint64_t>& sums, int of, int hop) const {
    const int bits = unit_.design.task.bits(), more = extra_digits(of);
    const std::uint64_t lower = (std::uint64_t{1} << bits) - 1;
    CodeVector low(static_cast<Eigen::Index>(sums.size())), high(low.size());
    for (Eigen::Index w = 0; w < low.size(); ++w) {
      low[w] = static_cast<std::uint32_t>(sums[static_cast<std::size_t>(w)] & lower);
      high[w] = static_cast<std::uint32_t>(sums[static_cast<std::size_t>(w)] >> bits);
    }
    low = decide_digits(send(low, hop));
    if (more > 0) high = decide_digits(send(longer_[static_cast<std::size_t>(more - 1)], high, 2 * hop + 1));
    std::vector<std::uint64_t> found(sums.size());
    for (Eigen::Index w = 0; w < low.size(); ++w)
      found[static_cast<std::size_t>(w)] = (std::uint64_t{high[w]} << bits) + low[w];
    return found;
  }

 private:
  Eigen::MatrixXd send(const WordLink& link, const CodeVector& codes, int number) const {
    TransmissionSeed own = seed_;
    own.chip += static_cast<std::uint32_t>(number % hops_of_a_chip + 1) << 24;
    own.instant += static_cast<std::uint32_t>(number / hops_of_a_chip) << 24;
    return over_link_(link.lit(unit_), Codes(codes), own);
  }

  LitUnit unit_;
  TransmissionSeed seed_;
  const SendWords& over_link_;
  WordLink link_;
  std::vector<WordLink> longer_;  ///< of 1, 2 .. digits more, for sums
};

Eigen::MatrixXd round_a_ring(const Hops& hops, const Task& task, const Codes& codes,
                             const TransmissionSeed& seed) {
  const int servers = task.servers;
  // the server `steps` behind the owner of word w
  const auto behind_owner = [&](std::size_t w, int steps) {
    return static_cast<Eigen::Index>((seed.first_word + w + static_cast<std::size_t>(steps)) %
                                     static_cast<std::size_t>(servers));
  };
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(codes.rows()), 0);
  const auto add = [&](int steps) {
    for (std::size_t w = 0; w < sums.size(); ++w)
      sums[w] += codes(static_cast<Eigen::Index>(w), behind_owner(w, steps));
  };
  add(1);
  for (int added = 1; added < servers; ++added) {
    sums = hops.send(sums, added, added - 1);
    add(added + 1);
  }
  CodeVector answers = answers_to(task, sums, seed.instant);
  Eigen::MatrixXd levels = digits_of(answers, task.digits);  // an owner's own words
  for (int steps = 1; steps < servers; ++steps) {
    const Eigen::MatrixXd received = hops.send(answers, servers - 2 + steps);
    for (std::size_t w = 0; w < sums.size(); ++w)
      if (behind_owner(w, steps) == static_cast<Eigen::Index>(seed.server))
        levels.col(static_cast<Eigen::Index>(w)) = received.col(static_cast<Eigen::Index>(w));
    answers = decide_digits(received);
  }
  return levels;
}

Eigen::MatrixXd by_a_hub(const Hops& hops, const Task& task, const Codes& codes, const TransmissionSeed& seed) {
  Codes arrived = codes;
  for (Eigen::Index n = 0; n < codes.cols(); ++n)
    arrived.col(n) = decide_digits(hops.send(CodeVector(codes.col(n)), static_cast<int>(n)));
  return hops.send(exact_answers(task, arrived, seed.instant), task.servers + static_cast<int>(seed.server));
}

}  // namespace

WordLink::WordLink(int digits, const UnitHardware& unit)
    : design(design_chip(digit_sums({.servers = 1, .digits = digits}))), hardware(unit) {
  const ErrorModel perfect = error_preset("ideal");  // there is no mesh to be imperfect
  chip = programmed_chip(design, fabricate(design, perfect, 1, 0), perfect, Programming::uncorrected);
}

HopPlan hop_plan(const Task& task) {
  const int servers = task.servers;
  if (task.adder == Adder::hub) return {2 * servers, 2, 1.0};
  if (task.adder == Adder::light || servers == 1) return {};
  int digits = 2 * (servers - 1) * task.digits;
  for (int added = 1; added < servers; ++added) digits += extra_digits(added);
  return {servers, 2 * (servers - 1), digits / static_cast<double>(servers * task.digits)};
}

Eigen::MatrixXd transmit_by_hops(const LitUnit& unit, const Codes& codes, const TransmissionSeed& seed,
                                 const SendWords& over_link) {
  const Task& task = unit.design.task;
  validate(unit.hardware.link.cut_servers + unit.hardware.link.late_servers == 0,
           "link.cut_servers = {}, link.late_servers = {} where electronics add (\"{}\": a link that is cut "
           "carries nothing, and a hop waits for a word that is late). Set both to 0.",
           unit.hardware.link.cut_servers, unit.hardware.link.late_servers, name_of(task.adder));
  validate(unit.hardware.link.averaging == Averaging::coherent,
           "link.averaging = \"incoherent\" where electronics add (\"{}\": there is no light to add). Set "
           "link.averaging = \"coherent\".",
           name_of(task.adder));
  validate(seed.server < static_cast<std::uint32_t>(task.servers),
           "received at server {} of {} (0..{}). Choose one of them.", seed.server, task.servers,
           task.servers - 1);
  UnitHardware link = unit.hardware;
  link.link.destinations = 1;
  const Hops hops({unit.design, unit.chip, link, unit.noise, unit.arithmetic}, seed, over_link);
  return task.adder == Adder::ring ? round_a_ring(hops, task, codes, seed) : by_a_hub(hops, task, codes, seed);
}

}  // namespace optinc
