#include "onn/budget/notes.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// Fails when the note is tied to the preset's name, which a study loses by changing another key
TEST_CASE("budget notes: the mean loss of preset foundry is marked, others are not") {
  ErrorModel model = error_preset("foundry");
  model.preset = "custom";
  CHECK(mzi_loss_note(model).find("0.33 dB, counts one heater stage") != std::string::npos);
  CHECK(mzi_loss_note(model).find("0.56 dB") != std::string::npos);
  model.mzi_loss_db = 0.56;
  CHECK(mzi_loss_note(model).empty());
  for (const char* name : {"ideal", "design-target", "good-lab"})
    CHECK(mzi_loss_note(error_preset(name)).empty());
}

// Fails when a default changes and the sentence does not
TEST_CASE("budget notes: the operating point names its keys, its defaults and that it is assumed") {
  CHECK(operating_point_note(1e9, 2e9) ==
        "The symbol rate of 1 GBd a lane (budget.symbol_rate_bd, default 50 GBd) with receivers of 2 GHz "
        "(receiver.bandwidth_hz, default 32 GHz) is assumed; it is not shown to be reachable.");
}
