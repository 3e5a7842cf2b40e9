#pragma once

#include <type_traits>

#include "onn/task/task.hpp"
#include "physics/core/rows.hpp"

namespace optinc {

template <Like<Task> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  visit(Row{"servers", "1", "Number of servers whose codes are averaged; up to 64 where light adds", 1, 256,
            "published OptINC: 4"},
        s.servers);
  int bits = s.bits();
  visit(
      Row{"bits", "bit", "Bits per gradient code; 2 bits per PAM4 digit", 2, 32, "published OptINC: 8", {}, 2},
      bits);
  if constexpr (!std::is_const_v<S>) s.digits = bits / 2;
  visit_enum(
      visit, "rounding",
      "Rounding of the mean to an integer code; stochastic: at random, unbiased, where electronics round "
      "(network.source digit-sums, ring, hub); if not set, that of network.source",
      s.rounding, "half-even, for networks to train: IEEE 754, unbiased");
  visit_enum(
      visit, "level",
      "Position of the unit: alone (flat), or in the first or second level of a cascade for servers^2 servers",
      s.level);
  visit_enum(visit, "reduction",
             "What the unit computes: the rounded mean, the sum up to the largest code (saturated-sum), or the "
             "largest code where the mean, over that code, rounds to 1, and 0 elsewhere (majority)",
             s.reduction);
}

}  // namespace optinc
