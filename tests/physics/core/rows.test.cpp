// Rows of keys: what is legal, and what a refusal tells to give instead.

#include "physics/core/rows.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

// Fails when the steps are counted from 0, or divided where they are multiplied
TEST_CASE("rows: an even number of an odd key is refused with both of its neighbours") {
  const Row taps = odd({"taps", "1", "taps of an equaliser", 1, 99});
  CHECK_NOTHROW(check_row("time.taps", taps, std::int64_t{7}));
  check_message(refusal([&] { check_row("time.taps", taps, std::int64_t{8}); }),
                {"time.taps", "8 is between two steps", "1..99, in steps of 2", "Give 7 or 9"});
  check_message(refusal([&] { check_row("time.taps", taps, std::int64_t{0}); }), {"Give at least 1."});
  check_message(refusal([&] { check_row("time.taps", taps, std::int64_t{101}); }), {"Give at most 99."});
}

// Fails when 0 is legal everywhere or nowhere, or an end of a range is outside it
TEST_CASE("rows: ranges are closed, and 0 is legal beside some of them") {
  const Row knee = or_zero({"knee", "1", "knee of a limiter", 1e-3, 1}), gain = {"gain", "1", "gain", 1e-3, 1};
  for (const double legal : {0.0, 1e-3, 0.5, 1.0}) CHECK_NOTHROW(check_row("knee", knee, legal));
  check_message(refusal([&] { check_row("knee", knee, 1e-4); }), {"0 or 0.001..1", "Give at least 0.001."});
  check_message(refusal([&] { check_row("gain", gain, 0.0); }), {"0.0 is out of range"});
  check_message(refusal([&] { check_row("gain", gain, HUGE_VAL); }), {"Give a finite number."});
}

// Fails when integers are compared as doubles: 2^53 + 1 would round into the range
TEST_CASE("rows: integers beyond 2^53 stay beyond") {
  const Row count = {"count", "1", "count", -9007199254740992.0, 9007199254740992.0};
  CHECK_NOTHROW(check_row("count", count, std::int64_t{9007199254740992}));
  check_message(refusal([&] { check_row("count", count, std::int64_t{9007199254740993}); }), {"Give at most"});
  check_message(refusal([&] { check_row("count", count, std::int64_t{-9007199254740993}); }),
                {"Give at least"});
}
