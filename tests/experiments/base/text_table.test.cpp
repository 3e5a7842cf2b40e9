#include "experiments/base/text_table.hpp"

#include <sstream>

#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

}  // namespace

TEST_CASE("A text table aligns its columns, by characters rather than bytes") {
  const std::vector<TextColumn> columns = {{"unit", Align::left}, {"n"}};
  CHECK(text_table(columns, Rows{{"µm", "1"}, {"m", "25"}}, 1) ==
        "unit   n\n"
        "µm     1\n"
        "m     25\n");
  CHECK(text_table(columns, Rows{}, 1) == "unit  n\n");
}

TEST_CASE("A table too wide for a line is split into blocks that repeat its keys") {
  // fails where a block forgets the keys, drops a column, or counts the gap wrongly (14 characters fit exactly)
  const std::vector<TextColumn> columns = {{"key", Align::left}, {"abcd"}, {"e"}, {"f"}};
  const Rows rows = {{"k1", "1", "2", "3"}, {"k2", "4", "5", "6"}};
  CHECK(text_table(columns, rows, 1, 15) == "key  abcd  e  f\nk1      1  2  3\nk2      4  5  6\n");
  CHECK(text_table(columns, rows, 1, 14) ==
        "key  abcd  e\n"
        "k1      1  2\n"
        "k2      4  5\n"
        "\n"
        "key  f\n"
        "k1   3\n"
        "k2   6\n");
}

TEST_CASE("A long key wraps where it would push the table over the line") {
  const std::vector<TextColumn> columns = {{"point", Align::left}, {"metric"}};
  const Rows rows = {{"one two three four five six seven", "0.5"}};
  const std::string text = text_table(columns, rows, 1, 30);
  CHECK(text ==
        "point               metric\n"
        "one two three four     0.5\n"
        "five six seven\n");
  CHECK(longest_line(text) <= 30);
}

TEST_CASE("A column wraps at its own width, and never at a no-break space") {
  const std::vector<TextColumn> columns = {{"point", Align::left, 14}, {"metric"}};
  const Rows rows = {{"a\u00a0=\u00a01, bcd\u00a0=\u00a025", "0.5"}};
  CHECK(text_table(columns, rows, 1) ==
        "point     metric\n"
        "a = 1,       0.5\n"
        "bcd = 25\n");
}

TEST_CASE("A text table refuses rows and keys that do not fit its columns") {
  const std::vector<TextColumn> columns = {{"a"}, {"b"}};
  CHECK_THROWS_AS(text_table(columns, Rows{{"1"}}, 1), Error);
  CHECK_THROWS_AS(text_table(columns, Rows{}, 3), Error);
}

TEST_CASE("Descriptions hang under their indent") {
  CHECK(hanging_text("  name", "some words", 8) == "  name  some words\n");
  CHECK(hanging_text("  name", "some words", 8, 14) == "  name  some\n        words\n");
  CHECK(hanging_text("  longer name", "words", 8) == "  longer name\n        words\n");
  CHECK(hanging_text("  name", "", 8) == "  name\n");
}
