#include "experiments/cli/listing.hpp"

#include <sstream>

#include "experiments/engine/process/text_table.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// Fails where a description is not wrapped (216 columns once)
TEST_CASE("optinc list fits a terminal") {
  std::istringstream lines(listing());
  int read = 0;
  for (std::string line; std::getline(lines, line); ++read) {
    CAPTURE(line);
    if (!line.starts_with("studies (")) CHECK(line.size() <= terminal_columns);  // a folder may be long
  }
  CHECK(read > 100);
}
