#include "onn/budget/notes.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// Fails when a rate beyond the bound is not marked, or the bound is not called one
TEST_CASE("budget notes: a rate beyond the bound is marked, and one below it is no promise") {
  CHECK(operating_point_note(50e9, 45.77e9) ==
        "* 50 GBd (time.symbol_rate_bd) is out of reach: one receiver and one modulator carry at most 45.8 GBd "
        "(receiver.bandwidth_hz, modulator.bandwidth_hz). No bit rate or energy per bit is computed from it.");
  CHECK_THAT(operating_point_note(25e9, 45.77e9), ContainsSubstring("below the 45.8 GBd"));
  CHECK_THAT(operating_point_note(25e9, 45.77e9), ContainsSubstring("upper bound"));
}
