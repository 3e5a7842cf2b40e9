#include "onn/budget/notes.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// Fails when a default changes and the sentence does not
TEST_CASE("budget notes: the operating point names its keys, its defaults and that it is assumed") {
  CHECK(operating_point_note(1e9, 2e9) ==
        "The symbol rate of 1 GBd a lane (budget.symbol_rate_bd, default 50 GBd) with receivers of 2 GHz "
        "(receiver.bandwidth_hz, default 32 GHz) is assumed; it is not shown to be reachable.");
}
