#include "physics/core/names.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "physics/core/check.hpp"
#include "physics/core/check_values.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

using Names = std::vector<std::string_view>;
const Names devices = {"typical-metal-heater", "wafer-scale-crossing", "harris-2014-heater"};

}  // namespace

// mutation: likely_names asks nearest_name at once
TEST_CASE("names that contain a word come before the one that is nearest by letters") {
  CHECK(likely_names("heater", devices) == Names{"typical-metal-heater", "harris-2014-heater"});
  CHECK(likely_names("haris-2014-heater", devices) == Names{"harris-2014-heater"});
  CHECK(likely_names("e", devices).size() == 1);  // a letter says nothing
  const Names many(40, "heater");
  CHECK(likely_names("heat", many).size() == 12);
  CHECK(choice_text(Names{"a"}) == "a");
  CHECK(choice_text(Names{"a", "b", "c"}) == "a, b or c");
}

// mutation: nearest_name takes the whole of the word: 5 MB against 170 keys took 80 s
TEST_CASE("a word of megabytes is compared in no time") {
  const std::string long_word = "typical-metal-heatr" + std::string(5'000'000, 'x');
  const auto start = std::chrono::steady_clock::now();
  CHECK(nearest_name(long_word, devices) == "typical-metal-heater");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
}

// mutation: the constructor of Error with a field leaves it empty
TEST_CASE("an error about a field says which, apart from its text") {
  const auto field_of = [](auto check) -> std::string {
    try {
      check();
    } catch (const Error& error) {
      CHECK(std::string_view(error.what()).starts_with(error.field));
      return error.field;
    }
    return "no error";
  };
  CHECK(field_of([] { validate_field(false, "bits", "{} (1..24). Give 8.", 25); }) == "bits");
  CHECK(field_of([] { validate_positive("power_w", 0.0); }) == "power_w");
  CHECK(field_of([] { validate(false, "bits = 25 (1..24). Give 8."); }).empty());  // text decides nothing
}
